// The modern era in front: every message stands for itself, says who asks and with what it can be answered, and has its own way to the answer. Takes
// messages of clients; what stands behind, of either era, answers them.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { readHead, type RequestId } from "../envelope.js";
import { tables } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { INVALID_REQUEST, METHOD_NOT_FOUND } from "../rpc-codes.js";
import { isModelled } from "./agreement.js";
import { errorAnswer, errorOf } from "./answers.js";
import { envelopeOf, type ModernEnvelope } from "./classify.js";
import { codeIn } from "./eras.js";
import { isBridgeError, Refusal } from "./errors.js";
import type { Account } from "./events.js";
import { Flow, Flows } from "./flow.js";
import { checkHeaders, type ParamHeader } from "./headers.js";
import { messageOf } from "./legacy-session.js";
import type { Exchanged, Visit } from "./peer.js";
import { errorFor, readError, type Hops } from "./refusal.js";

/** What answers the messages of modern clients. */
export interface FrontOptions {
  readonly account: Account;
  /** Finds what stands behind; rejects with a `BridgeError` where there is nothing. */
  readonly behind: () => Promise<Behind>;
}

/** What stands behind the front, of one era or the other. */
export interface Behind {
  /** Gives the arguments of a tool that headers repeat; undefined for a tool that whoever asks was not shown. */
  repeated(tool: unknown, visit: Visit): readonly ParamHeader[] | undefined;
  /** Resolves with the response to a request, its id the client's; rejects with a `BridgeError`. `hops` is told of both codecs once they are known. */
  answer(flow: Flow, envelope: ModernEnvelope, hops: { from?: Codec; to?: Codec }): Promise<Wire>;
  /** Told that a client gives up a request that was answered already; false where that means nothing. */
  abandon(principal: string | undefined, id: unknown): boolean;
  /** Takes a notification that no revision knows. Rejects with a `BridgeError`. */
  notify(message: Wire, visit: Visit): Promise<void>;
  /** Lets go of what it keeps for clients. Never rejects. */
  close(): Promise<void>;
}

/** Answers the messages of modern clients, each for itself. https://modelcontextprotocol.io/specification/2026-07-28/basic */
export class ModernFront {
  readonly #given: FrontOptions;
  /** The requests in flight, by who asked; ids of different principals never meet. Over HTTP nobody in particular is somebody else each time. */
  readonly #flows = new Map<string | undefined | Flow, Flows>();
  #behind: Behind | undefined;

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
  #mismatch({ method, message, visit }: Flow, behind?: Behind): string | undefined {
    if (visit.header === undefined) return undefined;
    const params = isWire(message["params"]) ? message["params"] : {};
    return checkHeaders(message, visit.header, method === "tools/call" ? behind?.repeated(params["name"], visit) : undefined);
  }

  /** Gives up whatever is in flight, and what waits for clients. Never rejects. */
  async close(reason: string): Promise<void> {
    for (const flows of this.#flows.values()) flows.cancelAll(reason);
    await this.#behind?.close();
  }

  /** Takes a notification; gives its status. One that no revision knows goes on as it is. */
  async #notified(method: string, message: Wire, visit: Visit): Promise<number> {
    const { params } = message;
    const flow = isWire(params) ? this.#flows.get(visit.principal)?.get(params["requestId"]) : undefined;
    if (method === "notifications/cancelled") {
      if (flow !== undefined) flow.cancel(reasonOf(params));
      else if (!this.#hasAbandoned(params, visit)) this.#drop(method, "nothing in flight has its id");
    } else if (isModelled(tables, method)) this.#drop(method, "a modern client has no such notification");
    else {
      try {
        const behind = await this.#given.behind();
        await behind.notify(message, visit);
      } catch (error) {
        if (!isBridgeError(error)) throw error;
        this.#drop(method, messageOf(error));
      }
    }
    return 202;
  }

  #hasAbandoned(params: unknown, { principal }: Visit): boolean {
    return isWire(params) && this.#behind?.abandon(principal, params["requestId"]) === true;
  }

  async #asked(flow: Flow, envelope: ModernEnvelope): Promise<Exchanged> {
    const { principal, signal } = flow.visit;
    // Over HTTP several clients may be one principal, and each POST has its own answer: there an id need not be the only one.
    const isPosted = flow.visit.header !== undefined;
    const party = principal === undefined && isPosted ? flow : principal;
    const flows = this.#flows.get(party) ?? new Flows();
    this.#flows.set(party, flows);
    if (!flows.add(flow, isPosted)) return this.#refuse(flow.id, flow.method, INVALID_REQUEST, "a request with its id is in flight");
    const leave = (): void => flow.cancel();
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted === true) leave();
    const hops: { from?: Codec; to?: Codec } = {};
    try {
      const answer = await this.#answer(flow, envelope, hops);
      // A method that is there may be answered so for what it was asked: that is no sign that nothing is at the address.
      const isThere = hops.from?.method(flow.method) !== undefined && readError(answer)?.code === METHOD_NOT_FOUND;
      return { answer: flow.isCancelled ? undefined : answer, status: isThere ? 200 : statusOf(answer) };
    } catch (error) {
      return flow.isCancelled ? { answer: undefined, status: 202 } : this.#failed(flow, error, hops);
    } finally {
      signal?.removeEventListener("abort", leave);
      flows.remove(flow);
      if (flows.size === 0) this.#flows.delete(party);
    }
  }

  async #answer(flow: Flow, envelope: ModernEnvelope, hops: { from?: Codec; to?: Codec }): Promise<Wire> {
    const early = this.#mismatch(flow);
    if (early !== undefined) throw new Refusal(errorOf(codeIn("modern", "HEADER_MISMATCH"), early));
    const behind = await this.#given.behind();
    this.#behind = behind;
    const late = this.#mismatch(flow, behind);
    if (late !== undefined) throw new Refusal(errorOf(codeIn("modern", "HEADER_MISMATCH"), late));
    return behind.answer(flow, envelope, hops);
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
