// A small service for the tests of transports: it echoes, waits, asks back and pushes, and keeps what it was given.
import type { Arrival, Conversation, Exchanged, Link, Reply, Service, Verdict, Visit } from "../../runtime/bridge/peer.js";
import { isWire } from "../../runtime/capabilities.js";
import { knownRevisions } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/protocol.js";

const MODERN = "2026-07-28";
const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";

export const CLIENT_INFO = { name: "c", version: "1" };

/** Writes a request. */
export function request(id: unknown, method: string, params: Wire = {}): Wire {
  return { jsonrpc: "2.0", id, method, params };
}

export function initialize(revision = "2025-11-25", id: unknown = 1): Wire {
  return request(id, "initialize", { protocolVersion: revision, capabilities: {}, clientInfo: CLIENT_INFO });
}

export function modern(id: unknown, method: string, params: Wire = {}): Wire {
  return request(id, method, { ...params, _meta: { [VERSION_KEY]: MODERN, "io.modelcontextprotocol/clientCapabilities": {} } });
}

export const INITIALIZED: Wire = { jsonrpc: "2.0", method: "notifications/initialized" };

function failure(id: unknown, code: number, message: string): Wire {
  return { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
}

/** Is what the tests serve. Methods: `echo`, `slow` (until `release`), `ask`, `news` (some notifications first), `flood`, `fail`, `push`. */
export class ScriptedService implements Service {
  readonly conversations: ScriptedConversation[] = [];
  readonly arrivals: Arrival[] = [];
  readonly received: unknown[] = [];
  readonly visits: Visit[] = [];
  /** Frames of `flood` that the sink has taken. */
  taken = 0;
  closed = 0;
  #held: (() => void)[] = [];

  /** Lets everything that is slow go on. */
  release(): void {
    for (const resume of this.#held.splice(0)) resume();
  }

  get held(): number {
    return this.#held.length;
  }

  hold(): Promise<void> {
    return new Promise((resolve) => this.#held.push(resolve));
  }

  classify(arrival: Arrival): Verdict {
    this.arrivals.push(arrival);
    const { message, versionHeader, session } = arrival;
    const values = [...new Set((versionHeader ?? "").split(",").map((value) => value.trim()))].filter((value) => value !== "");
    const refuse = (text: string): Verdict => ({
      era: undefined,
      status: 400,
      answer: failure(isWire(message) ? message["id"] : null, -32600, text),
    });
    if (values.length > 1) return refuse("the version headers differ");
    const [header] = values;
    if (header !== undefined && !knownRevisions().includes(header)) return refuse(`${header} is not supported`);
    if (!isWire(message)) return { era: "legacy", opens: false };
    const params = isWire(message["params"]) ? message["params"] : {};
    const meta = isWire(params["_meta"]) ? params["_meta"] : {};
    if (meta[VERSION_KEY] !== undefined) return { era: "modern" };
    const opens = message["method"] === "initialize";
    if (session !== undefined && !opens && header !== undefined && header !== session) return refuse(`${header} is not ${session}`);
    return { era: "legacy", opens };
  }

  session(link: Link): ScriptedConversation {
    return this.pipe(link);
  }

  pipe(link: Link): ScriptedConversation {
    const conversation = new ScriptedConversation(this, link);
    this.conversations.push(conversation);
    return conversation;
  }

  async exchange(message: Wire, visit: Visit): Promise<Exchanged> {
    this.received.push(message);
    this.visits.push(visit);
    if (message["id"] === undefined) return { answer: undefined, status: 202 };
    const conversation = new ScriptedConversation(this, undefined);
    const answer = await conversation.serve(message, visit);
    const isUnknown = isWire(answer["error"]) && answer["error"]["code"] === -32601;
    return { answer, status: isUnknown ? 404 : 200 };
  }

  async close(): Promise<void> {
    this.closed += 1;
  }
}

/** Is a conversation with one client. */
export class ScriptedConversation implements Conversation {
  revision: string | undefined;
  hearings = 0;
  closedFor: string | undefined;
  readonly link: Link | undefined;
  readonly #service: ScriptedService;
  readonly #questions = new Map<unknown, (response: Wire) => void>();
  #asked = 0;

  constructor(service: ScriptedService, link: Link | undefined) {
    this.#service = service;
    this.link = link;
  }

  hears(): void {
    this.hearings += 1;
  }

  async close(reason: string): Promise<void> {
    this.closedFor = reason;
    for (const answer of this.#questions.values()) answer({ error: { code: 0, message: "closed" } });
  }

  async receive(message: unknown, visit: Visit): Promise<Reply> {
    this.#service.received.push(message);
    this.#service.visits.push(visit);
    if (Array.isArray(message)) {
      if (this.revision !== "2025-03-26" || message.length === 0) return failure(null, -32600, "batches are not part of this revision");
      const answers = await Promise.all(message.map((each: unknown) => this.#one(each, visit)));
      const given = answers.filter((answer) => answer !== undefined);
      return given.length === 0 ? undefined : given;
    }
    return this.#one(message, visit);
  }

  async #one(message: unknown, visit: Visit): Promise<Wire | undefined> {
    if (!isWire(message)) return failure(null, -32600, "it is not an object");
    const { id, method } = message;
    if (method === undefined) {
      this.#questions.get(id)?.(message);
      return undefined;
    }
    if (id === undefined) return undefined;
    if (message["jsonrpc"] !== "2.0") return failure(typeof id === "number" ? id : null, -32600, "it is not JSON-RPC 2.0");
    if (typeof id !== "string" && !Number.isInteger(id)) return failure(null, -32600, "its id is none");
    if (method === "initialize") {
      const params = message["params"] as Wire;
      if (params["protocolVersion"] === "refused") return failure(id, -32602, "no such revision");
      this.revision = String(params["protocolVersion"]);
      return { jsonrpc: "2.0", id, result: { protocolVersion: this.revision, capabilities: {}, serverInfo: { name: "s", version: "1" } } };
    }
    if (this.revision === undefined && this.link !== undefined && method === "tools/list")
      return failure(id, -32600, "start with initialize");
    return this.serve(message, visit);
  }

  async serve(message: Wire, visit: Visit): Promise<Wire> {
    const { id, method } = message;
    const params = isWire(message["params"]) ? message["params"] : {};
    const result = (value: unknown): Wire => ({ jsonrpc: "2.0", id, result: value });
    switch (method) {
      case "ping":
        return result({});
      case "logging/setLevel":
        return result({});
      case "tools/list":
        return result({ tools: [] });
      case "echo":
        return result({ params });
      case "slow":
        await this.#service.hold();
        return result({ slow: params["name"] ?? null });
      case "news":
        for (let each = 1; each <= Number(params["count"] ?? 1); each += 1) await visit.sink.write(notification(each));
        if (params["slow"] === true) await this.#service.hold();
        for (let each = 1; each <= Number(params["more"] ?? 0); each += 1) await visit.sink.write(notification(100 + each));
        return result({ done: true });
      case "flood":
        for (let each = 1; each <= Number(params["count"]); each += 1) {
          await visit.sink.write(notification("x".repeat(Number(params["size"]))));
          this.#service.taken += 1;
        }
        return result({ done: true });
      case "flood-blindly":
        for (let each = 1; each <= Number(params["count"]); each += 1)
          void visit.sink.write(notification("x".repeat(Number(params["size"]))));
        return result({ done: true });
      case "ask": {
        this.#asked += 1;
        const question = `q${this.#asked}`;
        const answered = new Promise<Wire>((resolve) => this.#questions.set(question, resolve));
        await visit.sink.write(request(question, "roots/list"));
        return result({ answer: (await answered)["result"] ?? null });
      }
      case "push":
        return result({ pushed: this.link?.push(notification(params["data"])) ?? false });
      case "fail":
        throw new Error("secret-detail");
      default:
        return failure(id, -32601, "no such method");
    }
  }
}

export function notification(data: unknown): Wire {
  return { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data } };
}
