// Keeps the books of one conversation, whatever carries it: which requests wait for an answer, which frames wait to be taken, and whether it is over.
// Takes frames as they come and gives each answer to the request it answers, to no other, and once.

import { isWire } from "../capabilities.js";
import type { RequestId } from "../envelope.js";
import { Unreachable, type UnreachableFault } from "../bridge/peer.js";
import { withField } from "../copy.js";
import type { Wire } from "../protocol.js";
import { INVALID_REQUEST, PARSE_ERROR } from "../rpc-codes.js";
import type { StopSignal } from "../stop.js";
import { shown, type Observe } from "./events.js";
import { PendingFrames } from "./pending.js";
import { within } from "../waiting.js";

/** How many ids of answered requests are remembered, to know a late answer from a strange one. */
const REMEMBERED = 4096;

/** One request that waits for its answer. */
export class Call {
  readonly id: RequestId;
  readonly answer: Promise<Wire>;
  /** True once the message may have reached the peer. */
  hasLeft = false;
  /** How it ended; undefined while it waits. */
  outcome: "answered" | "failed" | undefined;
  #resolve: (answer: Wire) => void = () => {};
  #reject: (error: Unreachable) => void = () => {};
  readonly #whenSettled: (() => void)[] = [];

  constructor(id: RequestId) {
    this.id = id;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Ends it with the answer; only the first end counts. */
  resolve(answer: Wire): void {
    if (this.#settle("answered")) this.#resolve(answer);
  }

  /** Ends it without an answer; only the first end counts. */
  reject(error: Unreachable): void {
    if (this.#settle("failed")) this.#reject(error);
  }

  /** Calls back once it ended; at once where it has. */
  onSettled(callback: () => void): void {
    if (this.outcome === undefined) this.#whenSettled.push(callback);
    else callback();
  }

  #settle(outcome: "answered" | "failed"): boolean {
    if (this.outcome !== undefined) return false;
    this.outcome = outcome;
    for (const callback of this.#whenSettled) callback();
    return true;
  }
}

/** Says which request in flight a response means: by its very id, or, where only one can be meant, by an id written otherwise. */
export type Match = { readonly how: "exact" | "form"; readonly id: RequestId } | { readonly how: "finished" | "ambiguous" | "unknown" };

/** Finds the request a response means. `2.0` is the number 2; `"2"` is another id, taken for 2 only where nothing else can be meant. */
export function matchId(inFlight: ReadonlyMap<RequestId, unknown>, finished: ReadonlySet<RequestId>, id: RequestId): Match {
  if (inFlight.has(id)) return { how: "exact", id };
  if (finished.has(id)) return { how: "finished" };
  const candidates = otherForms(id).filter((form) => inFlight.has(form));
  const [candidate] = candidates;
  if (candidate === undefined) return { how: "unknown" };
  return candidates.length === 1 ? { how: "form", id: candidate } : { how: "ambiguous" };
}

function otherForms(id: RequestId): readonly RequestId[] {
  if (typeof id === "number") return [String(id)];
  if (!/^-?\d+(?:\.0+)?$/.test(id)) return [];
  const number = Number(id);
  return String(number) === id ? [number] : [number, String(number)];
}

/** The books of one conversation. */
export class Exchange {
  readonly pending: PendingFrames;
  /** Resolves with the reason once the conversation is over. */
  readonly closed: Promise<Error>;
  readonly #peer: string;
  readonly #observe: Observe;
  readonly #inFlight = new Map<RequestId, Call>();
  readonly #finished = new Set<RequestId>();
  #over: Error | undefined;
  #refusal: Unreachable | undefined;
  #resolveClosed: (reason: Error) => void = () => {};
  #whenIdle: (() => void)[] = [];
  /** What was sent last, if it was a request: the one an error without an id may mean. */
  #last: RequestId | undefined;

  constructor(peer: string, observe: Observe) {
    this.#peer = peer;
    this.#observe = observe;
    this.pending = new PendingFrames(observe, () => this.end(this.unreachable("it asks more than it lets anyone answer")));
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
  }

  /** True once the conversation is over. */
  get isOver(): boolean {
    return this.#over !== undefined;
  }

  /** Makes the error that says why the peer cannot be reached. */
  unreachable(reason: string, fault?: UnreachableFault): Unreachable {
    return new Unreachable(this.#peer, reason, fault);
  }

  /** Says why nothing may be sent any longer; undefined while it may. */
  get refusal(): Unreachable | undefined {
    return this.#refusal;
  }

  /** Opens the account of a request; one that may not be sent has failed already. */
  begin(request: Wire, signal?: StopSignal): Call {
    const id = request["id"];
    const isId = typeof id === "string" || typeof id === "number";
    const call = new Call(isId ? id : "");
    const refuse = (reason: string): Call => {
      call.reject(this.unreachable(reason, { delivered: "no" }));
      return call;
    };
    if (this.#refusal !== undefined) call.reject(this.#refusal);
    else if (!isId) return refuse("the request has no id");
    else if (signal?.aborted === true) return refuse("the wait for the answer was ended before it began");
    else if (this.#inFlight.has(id)) return refuse(`a request with the id ${JSON.stringify(id)} is in flight`);
    if (call.outcome !== undefined) return call;

    this.#inFlight.set(call.id, call);
    this.#finished.delete(call.id);
    this.#last = call.id;
    const onAbort = (): void => call.reject(this.#lost(call, "the wait for the answer was ended"));
    signal?.addEventListener("abort", onAbort, { once: true });
    call.onSettled(() => {
      signal?.removeEventListener("abort", onAbort);
      this.#forget(call);
    });
    return call;
  }

  /** Notes that something that is no request was sent. */
  noted(): void {
    this.#last = undefined;
  }

  /** Takes what came on a channel that all requests share. */
  accept(frame: unknown, bytes: number): void {
    for (const message of Array.isArray(frame) ? (frame as readonly unknown[]) : [frame]) {
      if (!isWire(message)) this.#observe({ event: "noise", text: shown(JSON.stringify(message)) });
      else if (typeof message["method"] === "string") this.pending.push(message, bytes);
      else this.#answer(message);
    }
  }

  /** Takes a response that came on the stream of one request; false where it is no answer of that request's or any other's. */
  acceptFor(call: Call, frame: Wire, isOnlyOne: boolean): boolean {
    const id = frame["id"];
    const match = isRequestId(id) ? this.#match(id, call) : undefined;
    if (match?.how === "exact" || match?.how === "form") {
      this.#resolve(match, frame, match.id === call.id ? undefined : "other-stream");
      return true;
    }
    // What answers a request on its own stream is its answer, whatever the peer made of the id; but not what was answered before.
    const isError = isWire(frame["error"]);
    const isAnswer = isError || (isOnlyOne && frame["result"] !== undefined);
    if (match?.how === "finished" || match?.how === "ambiguous" || call.outcome !== undefined || !isAnswer) {
      const because = match?.how ?? "no-id";
      const isResponse = isError || frame["result"] !== undefined;
      if (isResponse) this.#observe({ event: "unmatched", because, id, error: frame["error"] });
      return isResponse;
    }
    this.#observe({ event: "matched", because: isRequestId(id) ? "id-form" : "null-id", id, request: call.id });
    call.resolve(withField(frame, "id", call.id));
    return true;
  }

  /** Takes the news that a message was let go of; gives the id of the request that failed with it. */
  dropped(response: RequestId | undefined, reason: string): RequestId | undefined {
    const match = response === undefined ? undefined : this.#match(response);
    if (match?.how !== "exact" && match?.how !== "form") return undefined;
    this.#inFlight.get(match.id)?.reject(this.unreachable(reason));
    return match.id;
  }

  /** Resolves once nothing is in flight, or after so many milliseconds. */
  async idle(ms: number): Promise<void> {
    if (this.#inFlight.size === 0) return;
    await within(new Promise<void>((resolve) => this.#whenIdle.push(resolve)), ms);
  }

  /** Takes no further messages; what is in flight may still be answered. */
  refuse(reason: string): void {
    this.#refusal ??= this.unreachable(reason, { delivered: "no" });
  }

  /** Ends the conversation for what is to come; what is in flight may still be answered. */
  retire(reason: Error, sessionGone?: boolean): void {
    const because = reason instanceof Unreachable ? reason.reason : reason.message;
    this.#refusal ??= this.unreachable(because, { delivered: "no", sessionGone, cause: reason });
    this.#over ??= reason;
    this.#resolveClosed(this.#over);
    this.pending.end();
  }

  /** Ends the conversation with everything in flight. */
  end(reason: Error): void {
    this.retire(reason);
    const because = reason instanceof Unreachable ? reason.reason : "the conversation was closed";
    for (const call of this.#inFlight.values()) call.reject(this.#lost(call, because));
  }

  #lost(call: Call, reason: string): Unreachable {
    return this.unreachable(reason, { delivered: call.hasLeft ? "maybe" : "no" });
  }

  #forget(call: Call): void {
    if (this.#inFlight.get(call.id) !== call) return;
    this.#inFlight.delete(call.id);
    this.#finished.add(call.id);
    if (this.#finished.size > REMEMBERED) for (const oldest of this.#finished) if (this.#finished.delete(oldest)) break;
    if (this.#last === call.id) this.#last = undefined;
    if (this.#inFlight.size > 0) return;
    for (const callback of this.#whenIdle.splice(0)) callback();
  }

  #match(id: RequestId, own?: Call): Match {
    // The request whose stream it is comes first, whatever else has an id that looks like it.
    if (own?.outcome === undefined && own !== undefined && !this.#inFlight.has(id) && otherForms(id).includes(own.id)) {
      return { how: "form", id: own.id };
    }
    return matchId(this.#inFlight, this.#finished, id);
  }

  #answer(frame: Wire): void {
    const id = frame["id"];
    const match = isRequestId(id) ? this.#match(id) : undefined;
    if (match?.how === "exact" || match?.how === "form") {
      this.#resolve(match, frame, undefined);
      return;
    }
    const meant = match === undefined ? this.#meantWithoutId(frame) : undefined;
    if (meant === undefined) {
      this.#observe({ event: "unmatched", because: match?.how ?? "no-id", id, error: frame["error"] });
      return;
    }
    this.#observe({ event: "matched", because: "null-id", id, request: meant.id });
    meant.resolve(withField(frame, "id", meant.id));
  }

  #resolve(match: { readonly how: "exact" | "form"; readonly id: RequestId }, frame: Wire, way: "other-stream" | undefined): void {
    const because = way ?? (match.how === "form" ? "id-form" : undefined);
    if (because !== undefined) this.#observe({ event: "matched", because, id: frame["id"], request: match.id });
    this.#inFlight.get(match.id)?.resolve(match.how === "exact" ? frame : withField(frame, "id", match.id));
  }

  /** A peer that could not read a request cannot name it: such an error means the only request in flight, where nothing was sent after it. */
  #meantWithoutId({ error }: Wire): Call | undefined {
    const isUnread = isWire(error) && (error["code"] === PARSE_ERROR || error["code"] === INVALID_REQUEST);
    if (!isUnread || this.#inFlight.size !== 1 || this.#last === undefined) return undefined;
    return this.#inFlight.get(this.#last);
  }
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || typeof id === "number";
}
