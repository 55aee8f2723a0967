// A modern server as the bridge's adapters see it: every request stands for itself, with headers where the transport has them, and the frames on the
// way to its answer come to whoever asked, whatever the transport. Knows nothing of clients.

import { isWire } from "../capabilities.js";
import type { RequestId } from "../envelope.js";
import type { Method } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { METHOD_NOT_FOUND } from "../rpc-codes.js";
import type { StopSignal } from "../stop.js";
import { metaOf } from "./answers.js";
import { codeIn } from "./eras.js";
import { paramHeaders, standardHeaders, ToolBook, type InvalidTool, type ParamHeader } from "./headers.js";
import { META } from "./meta.js";
import { withId } from "./payload.js";
import { readError } from "./refusal.js";
import type { Peer } from "./peer.js";
import { ProgressTokens, type Progressing } from "./tokens.js";
import { cancellationOf, drain, pump, startCall, type UpstreamCall } from "./upstream-call.js";

/** What one request of a modern server is given. */
export interface ModernCall {
  /** The request without its id, its metadata complete. */
  readonly request: Wire;
  readonly signal: StopSignal;
  /** Milliseconds to wait for the answer, from the start or the last sign of progress. */
  readonly timeout: number;
  /** Takes the frames on the way to the answer. */
  readonly onFrame: (frame: Wire) => Promise<void> | void;
  /** Why the client does not want the answer any longer. */
  readonly reason?: (() => string | undefined) | undefined;
}

/** What was found out about a server and holds for all connections with it. */
export interface ServerKnown {
  /** False once it did not know the request for subscriptions, whatever it advertises. */
  takesSubscriptions: boolean;
}

interface Taker {
  readonly token: unknown;
  readonly wantsLogs: boolean;
  /** True where frames name whom they are for, and others are not for it. */
  readonly isNamed: boolean;
  readonly take: (frame: Wire) => Promise<void> | void;
}

/** Asks one modern server. https://modelcontextprotocol.io/specification/2026-07-28/basic */
export class ModernServer {
  readonly peer: Peer;
  readonly revision: string;
  /** The last answer to `server/discover`. */
  discovered: Wire;
  /** The progress tokens of all who ask: a server must not see one twice. */
  readonly tokens = new ProgressTokens<Progressing>();
  /** Takes what belongs to no one request, where all of them are one client's: then nobody else can be meant. */
  stray: ((frame: Wire) => Promise<void> | void) | undefined;
  /** What is known of the server behind this and other connections. */
  readonly known: ServerKnown;
  readonly #tools = new ToolBook();
  /** Told of frames that belong to nobody. */
  readonly #lost: (method: unknown, because: string) => void;
  readonly #takers = new Map<RequestId, Taker>();
  #last = 0;

  constructor(
    peer: Peer,
    revision: string,
    discovered: Wire,
    lost: (method: unknown, because: string) => void,
    known: ServerKnown = { takesSubscriptions: true },
  ) {
    this.known = known;
    this.peer = peer;
    this.revision = revision;
    this.discovered = discovered;
    this.#lost = lost;
    void pump(peer, (frame) => this.#route(frame));
  }

  /**
   * Sends a request, and once more where the server says that headers and message were not the same: then nothing ran, and what the tools want
   * repeated has to be looked up. The answer rejects as `startCall` says.
   */
  start(call: ModernCall): UpstreamCall {
    let under = this.#send(call);
    const answer = under.answer.then(async (answered) => {
      if (!isHeaderMismatch(answered) || call.request["method"] !== "tools/call") return answered;
      await this.#lookUpTools(call);
      under = this.#send(call);
      return under.answer;
    });
    return { answer, rest: () => under.rest() };
  }

  /** Sends a notification. Rejects with `Unreachable`. */
  notify(message: Wire): Promise<void> {
    return this.peer.notify(message, { headers: this.#headers(message) });
  }

  #send({ request, signal, timeout, onFrame, reason }: ModernCall): UpstreamCall {
    this.#last += 1;
    const id = this.#last;
    const meta = metaOf(request["params"]);
    // What a subscription is told names it, and nothing else is for it.
    const isNamed = request["method"] === "subscriptions/listen";
    this.#takers.set(id, {
      token: meta?.["progressToken"],
      wantsLogs: meta?.[META.logLevel] !== undefined && !isNamed,
      isNamed,
      take: onFrame,
    });
    const message = withId(request, id);
    const call = startCall(this.peer, message, {
      signal,
      timeout,
      headers: this.#headers(message),
      onFrame: (frame) => void onFrame(frame),
      onEnd: () => void this.#cancel(id, reason?.()),
    });
    const answer = call.answer
      .then(async (answered) => {
        if (request["method"] === LISTEN && readError(answered)?.code === METHOD_NOT_FOUND) this.known.takesSubscriptions = false;
        // What came before the answer on a channel for everything is dealt with before the answer is.
        await drain(this.peer, (frame) => this.#route(frame));
        return answered;
      })
      .finally(() => this.#takers.delete(id));
    return { answer, rest: () => call.rest() };
  }

  /** Lists all tools on behalf of a request, with what that said of its client; a list that goes round or never ends is left. */
  async #lookUpTools({ request, signal, timeout }: ModernCall): Promise<void> {
    const { progressToken: _, ...meta } = metaOf(request["params"]) ?? {};
    const seen = new Set<unknown>();
    for (let cursor: unknown; seen.size < MOST_PAGES; seen.add(cursor)) {
      const params = { ...(cursor === undefined ? {} : { cursor }), _meta: meta };
      const call = this.#send({ request: { jsonrpc: "2.0", method: "tools/list", params }, signal, timeout, onFrame: () => undefined });
      const { result } = await call.answer;
      if (!isWire(result)) return;
      this.learn(result["tools"]);
      cursor = result["nextCursor"];
      if (typeof cursor !== "string" || seen.has(cursor)) return;
    }
  }

  /** Where a request has a stream of its own, closing that is the cancellation. */
  async #cancel(id: RequestId, reason: string | undefined): Promise<void> {
    if (this.peer.transport !== "stdio") return;
    await this.peer.notify(cancellationOf(id, reason)).catch(() => undefined);
  }

  #headers(message: Wire): Readonly<Record<string, string>> {
    if (this.peer.transport !== "streamable-http") return {};
    const standard = standardHeaders(message, this.revision);
    const params = isWire(message["params"]) ? message["params"] : {};
    const repeated = message["method"] === "tools/call" ? this.repeated(params["name"]) : undefined;
    return repeated === undefined ? standard : { ...standard, ...paramHeaders(repeated, params["arguments"]) };
  }

  /** Reads a page of the server's tools, for the headers of calls to come; gives those that an HTTP client has to leave out. */
  learn(tools: unknown): readonly InvalidTool[] {
    return this.#tools.read(OWNER, tools);
  }

  /** Gives the arguments of a tool that headers repeat; undefined for a tool that was not seen. */
  repeated(tool: unknown): readonly ParamHeader[] | undefined {
    return this.#tools.paramsOf(OWNER, tool);
  }

  #route(frame: Wire): Promise<void> | void {
    const { method, params } = frame;
    const taker = this.#takerOf(frame, isWire(params) ? params : {});
    if (taker !== undefined) return taker.take(frame);
    if (this.stray === undefined || NAMING.has(method) || frame["id"] !== undefined) return this.#lost(method, "nobody asked for it");
    return this.stray(frame);
  }

  #takerOf({ method }: Wire, params: Wire): Taker | undefined {
    const subscription = metaOf(params)?.[META.subscriptionId];
    if (subscription !== undefined) return this.#takers.get(subscription as RequestId);
    if (method === "notifications/cancelled") return this.#takers.get(params["requestId"] as RequestId);
    const takers = [...this.#takers.values()];
    if (method === "notifications/progress") return takers.find(({ token }) => token !== undefined && token === params["progressToken"]);
    const asking = takers.filter(method === "notifications/message" ? ({ wantsLogs }) => wantsLogs : ({ isNamed }) => !isNamed);
    return asking.length === 1 || this.stray !== undefined ? asking[0] : undefined;
  }
}

/** The notifications that name what they belong to. */
const NAMING = new Set<unknown>(["notifications/progress", "notifications/cancelled"]);

/** Tells whether an answer says that the headers were not those of the message. */
function isHeaderMismatch(answer: Wire): boolean {
  return readError(answer)?.code === codeIn("modern", "HEADER_MISMATCH");
}

const LISTEN = "subscriptions/listen" satisfies Method;
/** Most pages of a list that are read in a row. */
const MOST_PAGES = 256;

/** Whoever asks a server through one connector is shown the same tools: they ask with the same credential. */
const OWNER = "";
