// One stream of server-sent events to a client. Takes the text of messages, gives a body for a response; holds back whoever writes while the
// client does not read, and where it keeps a log it outlives the connection, so that the client can come back for the rest.

import type { EventLog } from "./event-log.js";
import { KEEP_ALIVE, printEvent } from "./sse-write.js";

/** How a stream is to be. */
export interface EventStreamOptions {
  /** How many unread bytes may stand when more is written; a client that leaves more unread is let go of. */
  readonly limit: number;
  /** Keeps what is written; without one, what is written while nobody listens is gone. */
  readonly log?: EventLog | undefined;
  /** Says after how many milliseconds a client is to come back; a stream with a log then starts with an event that has an id and no message. */
  readonly retry?: number | undefined;
  /** What stands before everything else, for each who listens. */
  readonly preface?: string;
  /** Told when the client went away, or was let go of, before the stream's end. */
  readonly onLost?: (() => void) | undefined;
  /** Told when the client, after it was behind, has caught up. */
  readonly onDrain?: (() => void) | undefined;
}

/** Beyond so many unread bytes whoever writes has to wait. */
const HIGH_WATER = 64 * 1024;

const ENCODER = new TextEncoder();

/** Is a stream of events with at most one listener at a time. */
export class EventStream {
  readonly #options: EventStreamOptions;
  #listener: ReadableStreamDefaultController<Uint8Array> | undefined;
  #waiting: (() => void)[] = [];
  #isBehind = false;
  #isOver = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  /** Tells whether somebody listens. */
  get isHeard(): boolean {
    return this.#listener !== undefined;
  }

  /** Tells whether all that is to be written was written. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Gives the body for a new listener, who takes the place of an earlier one; with a number, what came after that event comes first. */
  listen(after?: number): ReadableStream<Uint8Array> {
    this.#letGo();
    let self: ReadableStreamDefaultController<Uint8Array> | undefined;
    return new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          self = controller;
          this.#listener = controller;
          this.#greet(after);
          if (this.#isOver) this.#letGo();
        },
        pull: () => {
          if (self === this.#listener) this.#release();
        },
        cancel: () => {
          if (self === this.#listener) this.#lose();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: HIGH_WATER }),
    );
  }

  /**
   * Writes a message; `isNeeded` says that somebody waits for it. Gives a promise that resolves once the client may be sent more, and nothing
   * where that is at once.
   */
  write(data: string, isNeeded: boolean): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    this.#send(printEvent({ event: "message", id: this.#options.log?.append(data, isNeeded), data }));
    if (this.#listener === undefined || (this.#listener.desiredSize ?? 0) > 0) return undefined;
    this.#isBehind = true;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Writes a message unless nobody listens or the listener is behind; tells whether it did. */
  offer(data: string, isNeeded: boolean): boolean {
    if (this.#isOver || this.#listener === undefined) return false;
    if ((this.#listener.desiredSize ?? 0) <= 0) {
      this.#isBehind = true;
      return false;
    }
    void this.write(data, isNeeded);
    return true;
  }

  /** Lets a client that waits know that the stream is alive. */
  beat(): void {
    if (this.#listener !== undefined && (this.#listener.desiredSize ?? 0) > 0) this.#send(KEEP_ALIVE);
  }

  /** Ends the stream after what was written. */
  end(): void {
    this.#isOver = true;
    this.#letGo();
  }

  #greet(after: number | undefined): void {
    const { log, retry, preface } = this.#options;
    if (preface !== undefined) this.#send(preface);
    if (log === undefined) return;
    if (after !== undefined) {
      for (const { id, data } of log.after(after)) this.#send(printEvent({ event: "message", id, data }));
    } else if (retry !== undefined) {
      this.#send(printEvent({ id: log.place, retry, data: "" }));
    }
  }

  #send(text: string): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    const bytes = ENCODER.encode(text);
    const unread = HIGH_WATER - (listener.desiredSize ?? HIGH_WATER);
    listener.enqueue(bytes);
    // One event may be of any size; it is those on top of it that a client has to read for.
    if (unread > 0 && unread + bytes.byteLength > this.#options.limit) {
      this.#letGo();
      this.#options.onLost?.();
    }
  }

  #lose(): void {
    this.#listener = undefined;
    this.#release();
    this.#options.onLost?.();
  }

  #letGo(): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.close();
    this.#release();
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
    if (!this.#isBehind) return;
    this.#isBehind = false;
    if (this.#listener !== undefined) this.#options.onDrain?.();
  }
}
