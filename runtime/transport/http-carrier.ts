// What carries the answer to one POST. Takes the frames and the answer as they come, gives the one HTTP answer: plain JSON where the answer is
// the first thing there is, a stream of events where anything comes before it.

import type { Reply, Sink } from "../bridge/peer.js";
import { isWire } from "../capabilities.js";
import type { Wire } from "../protocol.js";
import type { Accepted } from "./accept.js";
import type { EventStream } from "./http-event-stream.js";
import { emptyAnswer, eventsAnswer, jsonAnswer, type HttpAnswer } from "./http-answer.js";
import { stringifyMessage } from "./json.js";
import type { Beating } from "./pulse.js";

/** What a carrier needs of where it stands. */
export interface CarrierOptions {
  readonly accepts: Accepted;
  /** Whether the message asks for an answer; what does not gets nothing before its answer either. */
  readonly asks: boolean;
  /** Makes the stream, once there is something to write to it. */
  readonly open: () => EventStream;
  /** Gives what the response says beside its body, once it is made. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
}

/** Tells whether somebody waits for a frame: it is a request, or answers one. */
export function isNeeded(frame: Wire): boolean {
  return frame["id"] !== undefined;
}

/** Lists the messages of a reply. */
export function messagesOf(reply: Reply): readonly Wire[] {
  if (reply === undefined) return [];
  return isWire(reply) ? [reply] : reply;
}

/** Makes one response of what is written. */
export class Carrier implements Sink, Beating {
  readonly canStream: boolean;
  /** Resolves once it is known what the response is. */
  readonly response: Promise<HttpAnswer>;
  readonly #options: CarrierOptions;
  #respond: (response: HttpAnswer) => void = () => {};
  #stream: EventStream | undefined;
  #isDone = false;
  #beats = 0;

  constructor(options: CarrierOptions) {
    this.#options = options;
    this.canStream = options.asks && options.accepts.events;
    this.response = new Promise((resolve) => {
      this.#respond = resolve;
    });
  }

  /** Tells whether the client listens to a stream now. */
  get isHeard(): boolean {
    return this.#stream?.isHeard ?? false;
  }

  write(frame: Wire): Promise<void> | undefined {
    if (!this.canStream || this.#isDone) return undefined;
    return this.#events().write(stringifyMessage(frame), isNeeded(frame));
  }

  /** Ends with the answer, each message of a batch by itself on a stream; `status` is for an answer that nothing came before. */
  answer(reply: Reply, status: number): void {
    if (this.#isDone) return;
    const { accepts, headers } = this.#options;
    if (this.#stream === undefined && (reply === undefined || accepts.json || !this.canStream || status !== 200)) {
      this.#isDone = true;
      const extra = headers?.() ?? {};
      this.#respond(reply === undefined ? emptyAnswer(202, extra) : jsonAnswer(reply, status, extra));
      return;
    }
    for (const message of messagesOf(reply)) void this.#events().write(stringifyMessage(message), true);
    this.#isDone = true;
    this.#stream?.end();
  }

  /** Ends without an answer; `refuse` makes the response where there is none yet. */
  abandon(refuse: () => HttpAnswer): void {
    if (this.#isDone) return;
    this.#isDone = true;
    if (this.#stream === undefined) this.#respond(refuse());
    else this.#stream.end();
  }

  /** Keeps the client from giving up: one who waits for longer than a beat gets the head of a stream. */
  beat(): void {
    if (this.#isDone || !this.canStream) return;
    if (this.#stream !== undefined) this.#stream.beat();
    else if (this.#beats > 0) this.#events().beat();
    this.#beats += 1;
  }

  #events(): EventStream {
    if (this.#stream === undefined) {
      this.#stream = this.#options.open();
      this.#respond(eventsAnswer(this.#stream.listen(), this.#options.headers?.()));
    }
    return this.#stream;
  }
}
