// The modern era in front: every message stands for itself, says who asks and with what it can be answered, and has its own way to the answer. What
// is not the bridge's own to answer goes to a server of the same era, hop by hop with metadata, ids and tokens of each hop's own.

import type { Codec } from "../codec.js";
import { readHead, type RequestId } from "../envelope.js";
import { isWire } from "../capabilities.js";
import { withField } from "../copy.js";
import { codecFor, resolve, tables } from "../mcp.js";
import type { Direction, Wire } from "../protocol.js";
import { TranslationReport } from "../report.js";
import { METHOD_NOT_FOUND, INVALID_REQUEST } from "../rpc-codes.js";
import { crossAnswer, crossCall, isModelled, type Agreement } from "./agreement.js";
import { isTold } from "./bridge.js";
import { envelopeOf, type ModernEnvelope } from "./classify.js";
import { codeIn } from "./eras.js";
import { isBridgeError, Refusal } from "./errors.js";
import type { Account } from "./events.js";
import { Flow, Flows } from "./flow.js";
import { checkHeaders } from "./headers.js";
import { messageOf } from "./legacy-session.js";
import { META, stripMessageMeta } from "./meta.js";
import type { ModernServer } from "./modern-server.js";
import type { BridgeOptions } from "./options.js";
import { withId, withMeta } from "./payload.js";
import type { Exchanged, Visit } from "./peer.js";
import { errorAnswer, errorOf } from "./answers.js";
import { errorFor, readError, type Hops } from "./refusal.js";
import { ProgressLine, ProgressTokens, progressTokenOf } from "./tokens.js";

/** What answers the messages of modern clients. */
export interface FrontOptions {
  readonly options: BridgeOptions;
  readonly account: Account;
  /** The revisions clients can speak here, newest first. */
  readonly served: readonly string[];
  /** Finds the server; rejects with a `BridgeError` where there is none. */
  readonly server: () => Promise<ModernServer>;
}

/** Answers the messages of modern clients, each for itself. https://modelcontextprotocol.io/specification/2026-07-28/basic */
export class ModernFront {
  readonly #given: FrontOptions;
  /** The requests in flight, by who asked; ids of different principals never meet. */
  readonly #flows = new Map<string | undefined, Flows>();
  readonly #tokens = new ProgressTokens<Carrying>();

  constructor(given: FrontOptions) {
    this.#given = given;
  }

  /** Answers one message whose era is known. Never rejects. */
  async exchange(message: Wire, visit: Visit): Promise<Exchanged> {
    const head = readHead(message);
    if (head.kind === "response") return { answer: undefined, status: 202 };
    this.#given.account.took(head.kind);
    if (head.kind === "notification") return { answer: undefined, status: await this.#notified(head.method, message, visit) };
    const reading = envelopeOf(message);
    if (reading.kind !== "modern") return refuse(head.id, codeIn("modern", "INVALID_PARAMS"), "the request has no envelope");
    return this.#asked(new Flow(head.id, head.method, message, visit), reading.envelope);
  }

  /** Says what of the headers is not as the message has it; of a tool that was not seen nobody can tell which arguments they repeat. */
  #mismatch({ method, message, visit }: Flow, server?: ModernServer): string | undefined {
    if (visit.header === undefined) return undefined;
    const params = isWire(message["params"]) ? message["params"] : {};
    return checkHeaders(message, visit.header, method === "tools/call" ? server?.repeated(params["name"]) : undefined);
  }

  /** Gives up whatever is in flight. */
  cancelAll(reason: string): void {
    for (const flows of this.#flows.values()) flows.cancelAll(reason);
  }

  /** Takes a notification; gives its status. One that no revision knows goes on as it is. */
  async #notified(method: string, message: Wire, visit: Visit): Promise<number> {
    const { params } = message;
    const flow = isWire(params) ? this.#flows.get(visit.principal)?.get(params["requestId"]) : undefined;
    if (method === "notifications/cancelled") {
      if (flow === undefined) this.#drop(method, "nothing in flight has its id");
      else flow.cancel(reasonOf(params));
    } else if (isModelled(tables, method)) this.#drop(method, "a modern client has no such notification");
    else {
      try {
        await (await this.#given.server()).notify(stripMessageMeta(message, NOTHING_CROSSES));
      } catch (error) {
        if (!isBridgeError(error)) throw error;
        this.#drop(method, messageOf(error));
      }
    }
    return 202;
  }

  async #asked(flow: Flow, envelope: ModernEnvelope): Promise<Exchanged> {
    const { principal, signal } = flow.visit;
    const flows = this.#flows.get(principal) ?? new Flows();
    this.#flows.set(principal, flows);
    if (!flows.add(flow)) return this.#refuse(flow.id, flow.method, INVALID_REQUEST, "a request with its id is in flight");
    const leave = (): void => flow.cancel();
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted === true) leave();
    const hops: { from?: Codec; to?: Codec } = {};
    try {
      const answer = await this.#carry(flow, envelope, hops);
      // A method that is there may be answered so for what it was asked: that is no sign that nothing is at the address.
      const isThere = hops.from?.method(flow.method) !== undefined && readError(answer)?.code === METHOD_NOT_FOUND;
      return { answer: flow.isCancelled ? undefined : answer, status: isThere ? 200 : statusOf(answer) };
    } catch (error) {
      return flow.isCancelled ? { answer: undefined, status: 202 } : this.#failed(flow, error, hops);
    } finally {
      signal?.removeEventListener("abort", leave);
      flows.remove(flow);
      if (flows.size === 0) this.#flows.delete(principal);
    }
  }

  async #carry(flow: Flow, envelope: ModernEnvelope, hops: { from?: Codec; to?: Codec }): Promise<Wire> {
    const { options } = this.#given;
    const { message, method } = flow;
    const early = this.#mismatch(flow);
    if (early !== undefined) throw new Refusal(errorOf(codeIn("modern", "HEADER_MISMATCH"), early));
    const server = await this.#given.server();
    const late = this.#mismatch(flow, server);
    if (late !== undefined) throw new Refusal(errorOf(codeIn("modern", "HEADER_MISMATCH"), late));
    const agreement = await agreementFor(flow, envelope, server, options);
    hops.from = agreement.downstream;
    hops.to = agreement.upstream;
    const token = progressTokenOf(message["params"]);
    const carrying: Carrying = { flow, agreement, line: token === undefined ? undefined : new ProgressLine(token) };
    const minted = carrying.line === undefined ? undefined : this.#tokens.mint(carrying);
    try {
      const edit = minted === undefined ? undefined : (params: unknown) => withMeta(params, "progressToken", minted);
      const steps = new TranslationReport();
      const { outbound, asking } = crossCall(agreement, message, "clientToServer", edit, steps);
      this.#tellSteps(agreement, method, "clientToServer", "params", steps);
      const call = server.start({
        request: outbound,
        signal: flow.signal,
        timeout: method === "subscriptions/listen" ? FOREVER : options.timeouts.call,
        reason: () => flow.reason,
        onFrame: (frame) => this.#heard(frame, carrying),
      });
      carrying.rest = call.rest;
      const answer = await call.answer;
      const back = new TranslationReport();
      const asked = { method, params: asking.params };
      const own = (result: unknown): unknown => this.#own(method, restamped(result, flow.id), server);
      const reply = crossAnswer(agreement, answer, asked, "clientToServer", own, back);
      this.#tellSteps(agreement, method, "serverToClient", "error" in answer ? "error" : "result", back);
      return withId(reply, flow.id, message);
    } finally {
      if (minted !== undefined) this.#tokens.end(minted);
    }
  }

  /** Puts in an answer what is the bridge's to say, and learns from it what later requests need. */
  #own(method: string, result: unknown, server: ModernServer): unknown {
    if (!isWire(result)) return result;
    if (method === "server/discover") return withField(result, "supportedVersions", this.#given.served);
    if (method === "tools/list") server.learn(result["tools"]);
    return result;
  }

  #heard(frame: Wire, carrying: Carrying): Promise<void> | void {
    if (frame["method"] !== "notifications/progress") return this.#give(frame, carrying);
    const params = isWire(frame["params"]) ? frame["params"] : {};
    if (this.#tokens.find(params["progressToken"]) !== carrying) return this.#drop("notifications/progress", "nobody asked for it");
    carrying.rest?.();
    const forward = carrying.line?.forward(params);
    if (forward === undefined) return this.#drop("notifications/progress", "it gets no further than the last");
    return this.#give({ ...frame, params: forward }, carrying);
  }

  #give(frame: Wire, { flow, agreement }: Carrying): Promise<void> | void {
    try {
      const steps = new TranslationReport();
      const restamp = (payload: unknown): unknown => restamped(payload, flow.id);
      const { outbound, asking } = crossCall(agreement, frame, "serverToClient", restamp, steps);
      this.#tellSteps(agreement, asking.method, "serverToClient", "params", steps);
      return flow.sink.write(outbound);
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      const { method } = frame;
      this.#drop(typeof method === "string" ? method : undefined, messageOf(error));
    }
  }

  #failed({ id, method }: Flow, error: unknown, hops: Hops): Exchanged {
    const written = errorFor(error, method, hops);
    this.#given.account.tell({ event: "refused", method, code: Number(written["code"]), because: messageOf(error) });
    const answer = errorAnswer(id, written);
    return { answer, status: statusOf(answer) };
  }

  #refuse(id: RequestId, method: string, code: number, because: string): Exchanged {
    this.#given.account.tell({ event: "refused", method, code, because });
    return refuse(id, code, `cannot call ${method}: ${because}`);
  }

  #drop(method: string | undefined, because: string): void {
    this.#given.account.tell({ event: "dropped", hop: "downstream", method, because });
  }

  #tellSteps(
    { downstream, upstream }: Agreement,
    method: string,
    direction: Direction,
    part: "params" | "result" | "error",
    { steps }: TranslationReport,
  ): void {
    const [from, to] = direction === "clientToServer" ? [downstream, upstream] : [upstream, downstream];
    for (const step of steps) {
      if (isTold(step))
        this.#given.account.tell({ event: "translated", method, direction, part, from: from.version, to: to.version, step });
    }
  }
}

/** A subscription is a stream that ends when its client or its server ends it. */
const FOREVER = 2_147_483_647;

/** No metadata that the protocol keeps for itself means anything on the other hop. */
const NOTHING_CROSSES = { tasks: false, extensions: [] };

interface Carrying {
  readonly flow: Flow;
  readonly agreement: Agreement;
  readonly line: ProgressLine | undefined;
  rest?: () => void;
}

/** Agrees on both hops for one request: what the client says of itself is what the server is told. */
async function agreementFor(
  { id, visit }: Flow,
  envelope: ModernEnvelope,
  server: ModernServer,
  options: BridgeOptions,
): Promise<Agreement> {
  const { revision, clientCapabilities, clientInfo, logLevel } = envelope;
  const capabilities = server.discovered["capabilities"];
  const { peer, revision: upstream } = server;
  const down = resolve({
    revision,
    client: clientCapabilities,
    server: capabilities,
    transport: visit.header === undefined ? "stdio" : "streamable-http",
  });
  const up = resolve({ revision: upstream, client: clientCapabilities, server: capabilities, transport: peer.transport });
  const crosses = revision !== upstream;
  const own = { clientCapabilities, ...(clientInfo === undefined ? {} : { clientInfo }), ...(logLevel === undefined ? {} : { logLevel }) };
  return {
    downstream: await codecFor(revision, down, { subscription: id, checked: crosses }),
    upstream: await codecFor(upstream, up, { ...own, checked: crosses }),
    policy: options.policy,
  };
}

/** What belongs to a subscription names it by the id its own client gave it. */
function restamped(payload: unknown, id: RequestId): unknown {
  return isWire(payload) && isWire(payload["_meta"]) && Object.hasOwn(payload["_meta"], META.subscriptionId)
    ? withMeta(payload, META.subscriptionId, id)
    : payload;
}

function reasonOf(params: unknown): string | undefined {
  const reason = isWire(params) ? params["reason"] : undefined;
  return typeof reason === "string" ? reason : undefined;
}

function refuse(id: RequestId, code: number, message: string): Exchanged {
  const answer = errorAnswer(id, errorOf(code, message));
  return { answer, status: statusOf(answer) };
}

/** Gives the HTTP status of an answer that nothing went before. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http */
export function statusOf(answer: Wire): number {
  const code = readError(answer)?.code;
  if (code === METHOD_NOT_FOUND) return 404;
  const isEarly = REFUSED_EARLY.some((name) => codeIn("modern", name) === code);
  return isEarly ? 400 : 200;
}

/** The errors by which a message is refused for what it is, and not for what came of it. */
const REFUSED_EARLY = [
  "PARSE_ERROR",
  "INVALID_REQUEST",
  "HEADER_MISMATCH",
  "MISSING_REQUIRED_CLIENT_CAPABILITY",
  "UNSUPPORTED_PROTOCOL_VERSION",
] as const;
