// Writes messages to a pipe one after another, no faster than its reader takes them. What waits is bounded in bytes and in time; a message that never
// left is told from one that may have.

import type { Writable } from "node:stream";
import type { StopSignal } from "../stop.js";
import { Gathering } from "./gathering.js";
import { delay } from "../waiting.js";

/** Says why a message was not written. */
export class OutboxError extends Error {
  /** False where nothing of the message has left. */
  readonly hasLeft: boolean;
  /** True where nothing can be written any longer. */
  readonly isBroken: boolean;

  constructor(reason: string, facts: { readonly hasLeft?: boolean; readonly isBroken?: boolean; readonly cause?: unknown } = {}) {
    super(reason, { cause: facts.cause });
    this.name = "OutboxError";
    this.hasLeft = facts.hasLeft ?? false;
    this.isBroken = facts.isBroken ?? false;
  }
}

/** Bounds what waits to be written. */
export interface OutboxLimits {
  /** How many bytes may wait. */
  readonly maxQueuedBytes: number;
  /** How long a message may wait for those before it, in milliseconds. */
  readonly writeMs: number;
}

/** What goes with one message. */
export interface WriteOptions {
  /** Withdraws the message while it waits. */
  readonly signal?: StopSignal | undefined;
  /** Told that the pipe broke with the message in it. */
  readonly onLost?: (() => void) | undefined;
}

interface Entry {
  readonly line: string;
  readonly onLost: (() => void) | undefined;
  readonly bytes: number;
  readonly done: (error?: OutboxError) => void;
  timer: NodeJS.Timeout | undefined;
  detach: () => void;
}

/** The way to a peer's standard input. */
export class Outbox {
  readonly #stream: Writable;
  readonly #gathering: Gathering;
  readonly #limits: OutboxLimits;
  readonly #queue: Entry[] = [];
  #bytes = 0;
  #isFull = false;
  #broken: { readonly reason: string; readonly cause: unknown } | undefined;

  constructor(stream: Writable, limits: OutboxLimits) {
    this.#stream = stream;
    this.#gathering = new Gathering(stream, (isFull) => (this.#isFull = isFull));
    this.#limits = limits;
    stream.on("drain", () => {
      this.#isFull = false;
      this.#pump();
    });
    stream.on("error", (cause) => this.fail("it takes no more input", cause));
    stream.on("close", () => this.fail("it takes no more input"));
  }

  /** Writes a line; resolves once the pipe has it. Rejects with `OutboxError`. */
  write(text: string, { signal, onLost }: WriteOptions = {}): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined) {
        reject(new OutboxError(this.#broken.reason, { isBroken: true, cause: this.#broken.cause }));
        return;
      }
      const line = `${text}\n`;
      if (!this.#isFull && this.#queue.length === 0) {
        this.#gathering.add(line, onLost);
        resolve();
        return;
      }
      const bytes = Buffer.byteLength(line);
      if (this.#bytes + bytes > this.#limits.maxQueuedBytes) {
        reject(new OutboxError(`it does not read: ${this.#bytes} bytes wait to be written already`));
        return;
      }
      const entry: Entry = {
        line,
        onLost,
        bytes,
        done: (error) => {
          clearTimeout(entry.timer);
          entry.detach();
          if (error === undefined) resolve();
          else reject(error);
        },
        timer: setTimeout(() => this.#withdraw(entry, `it has not read for ${this.#limits.writeMs} milliseconds`), this.#limits.writeMs),
        detach: () => {},
      };
      if (signal !== undefined) {
        const onAbort = (): void => this.#withdraw(entry, "the wait was ended");
        signal.addEventListener("abort", onAbort, { once: true });
        entry.detach = () => signal.removeEventListener("abort", onAbort);
      }
      this.#queue.push(entry);
      this.#bytes += bytes;
    });
  }

  /** Resolves once everything is written, or after so many milliseconds; then closes the pipe. */
  async end(ms: number): Promise<void> {
    const until = Date.now() + ms;
    while (this.#queue.length > 0 && Date.now() < until) await delay(5);
    this.#gathering.flush();
    this.fail("the conversation was closed");
    if (!this.#stream.destroyed) this.#stream.end();
  }

  /** Gives up what waits, and everything to come. */
  fail(reason: string, cause?: unknown): void {
    this.#broken ??= { reason, cause };
    this.#bytes = 0;
    for (const entry of this.#queue.splice(0)) entry.done(new OutboxError(reason, { isBroken: true, cause }));
  }

  #pump(): void {
    while (!this.#isFull) {
      const entry = this.#queue.shift();
      if (entry === undefined) return;
      this.#bytes -= entry.bytes;
      this.#gathering.add(entry.line, entry.onLost);
      entry.done();
    }
  }

  #withdraw(entry: Entry, reason: string): void {
    const at = this.#queue.indexOf(entry);
    if (at === -1) return;
    this.#queue.splice(at, 1);
    this.#bytes -= entry.bytes;
    entry.done(new OutboxError(reason));
  }
}
