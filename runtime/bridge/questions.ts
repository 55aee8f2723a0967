// The questions put to one client: each gets an id of its own, goes out where its answer can come back, and ends with an answer, a withdrawal or
// the end of its time. Takes and gives messages as they stand on the client's wire.

import type { RequestId } from "../envelope.js";
import type { Wire } from "../protocol.js";
import type { StopSignal } from "../stop.js";
import type { Sink } from "./peer.js";

/** How a question ends: with the client's response, or without one. */
export type Answered =
  | { readonly end: "answered"; readonly response: Wire }
  | { readonly end: "withdrawn" | "late" | "closed" | "limit" | "no-way" };

/** One question. */
export interface Question {
  readonly method: string;
  /** Absent where the method has none. */
  readonly params?: unknown;
  /** Where it goes: the stream of the message it belongs to, or the one for what nobody asked for. */
  readonly to: Sink | undefined;
  /** Withdraws it. */
  readonly signal?: StopSignal | undefined;
  /** Further top-level members of the message. */
  readonly beside?: Wire | undefined;
}

/** What questions need of the conversation they are put in. */
export interface QuestionRoom {
  /** Writes a frame on the stream for what nobody asked for; false where there is none. */
  readonly push: (frame: Wire) => boolean;
  readonly limit: number;
  readonly timeout: number;
}

interface Pending {
  readonly method: string;
  readonly to: Sink | undefined;
  readonly settle: (answered: Answered) => void;
  readonly rest: () => void;
}

/** Puts questions to one client and matches its answers. */
export class Questions {
  readonly #room: QuestionRoom;
  readonly #pending = new Map<RequestId, Pending>();
  #last = 0;
  #isClosed = false;

  constructor(room: QuestionRoom) {
    this.#room = room;
  }

  /** Counts the questions without an answer. */
  get open(): number {
    return this.#pending.size;
  }

  /** Puts a question; resolves with how it ended. A question that is withdrawn or runs out of time is cancelled on the wire. Never rejects. */
  async ask(question: Question): Promise<Answered> {
    const { method, params, to, signal, beside } = question;
    if (this.#isClosed) return { end: "closed" };
    if (signal?.aborted === true) return { end: "withdrawn" };
    if (this.#pending.size >= this.#room.limit) return { end: "limit" };
    this.#last += 1;
    const id = this.#last;
    const frame = { ...beside, jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
    const ended = new Promise<Answered>((resolve) => this.#enter(id, method, to, signal, resolve));
    const isSent = to === undefined ? this.#room.push(frame) : await written(to, frame);
    if (!isSent) this.#end(id, { end: "no-way" });
    return ended;
  }

  #enter(id: RequestId, method: string, to: Sink | undefined, signal: StopSignal | undefined, settle: (answered: Answered) => void): void {
    const withdraw = (): void => this.#cancel(id, "withdrawn");
    let timer = setTimeout(() => this.#cancel(id, "late"), this.#room.timeout);
    signal?.addEventListener("abort", withdraw, { once: true });
    const stop = (answered: Answered): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", withdraw);
      settle(answered);
    };
    const rest = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#cancel(id, "late"), this.#room.timeout);
    };
    this.#pending.set(id, { method, to, settle: stop, rest });
  }

  /** Takes a response of the client's; false where it answers no question. */
  answer(response: Wire): boolean {
    const { id } = response;
    if (typeof id !== "number" || !this.#pending.has(id)) return false;
    this.#end(id, { end: "answered", response });
    return true;
  }

  /** Gives all questions their whole time again: their client shows that it is at it. */
  rest(): void {
    for (const pending of this.#pending.values()) pending.rest();
  }

  /** Ends all questions; nothing is written any longer. */
  close(): void {
    this.#isClosed = true;
    for (const id of this.#pending.keys()) this.#end(id, { end: "closed" });
  }

  #cancel(id: RequestId, end: "withdrawn" | "late"): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    const reason = end === "late" ? "no answer in time" : "the answer is not needed any longer";
    const frame = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id, reason } };
    if (pending.to === undefined) this.#room.push(frame);
    else void pending.to.write(frame);
    this.#end(id, { end });
  }

  #end(id: RequestId, answered: Answered): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    pending?.settle(answered);
  }
}

async function written(to: Sink, frame: Wire): Promise<boolean> {
  if (!to.canStream) return false;
  await to.write(frame);
  return true;
}

/** Names why a question has no answer, for a sentence. */
export function whyUnanswered(end: Exclude<Answered["end"], "answered">): string {
  const reasons = {
    withdrawn: "it was withdrawn",
    late: "the client did not answer in time",
    closed: "the client is gone",
    limit: "too many questions are without an answer",
    "no-way": "there is no stream to the client",
  };
  return reasons[end];
}
