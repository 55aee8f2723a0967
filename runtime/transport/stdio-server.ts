// Serves one client over a pair of streams, one message a line. Takes a service and the streams; hands messages over in the order they came and
// writes answers in the order they are ready. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio

import type { Readable, Writable } from "node:stream";
import { kindOf } from "../batch.js";
import type { Conversation, Link, Reply, Service, Sink } from "../bridge/peer.js";
import { ended } from "../waiting.js";
import { Gathering } from "./gathering.js";
import { parseMessage, stringifyMessage } from "./json.js";
import { LineSplitter } from "./lines.js";
import { faultResponse, internalError, oversize, parseError, type Refused } from "./refusals.js";

/** Bounds what a client may take up. */
export interface StdioLimits {
  /** The longest line, in bytes. */
  readonly lineBytes: number;
  /** Requests that are being answered at a time. */
  readonly inFlight: number;
  /** How many bytes may stand unread; beyond them nothing is read from the client either. */
  readonly outputBytes: number;
}

/** The limits where nothing else is said. */
export const STDIO_LIMITS: StdioLimits = { lineBytes: 16 * 1024 * 1024, inFlight: 16_384, outputBytes: 16 * 1024 * 1024 };

/** What to serve, and on what. */
export interface StdioServerOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly limits?: Partial<StdioLimits> | undefined;
  /** How long what is in flight may go on once the client has nothing more to say, in milliseconds. 10 s. */
  readonly graceMs?: number | undefined;
  /** Ends the conversation as the end of the input does. */
  readonly signal?: AbortSignal | undefined;
  /** Says who the client is, where that is known. */
  readonly principal?: string | undefined;
  /** Told of what should never happen: a service that failed. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** Says who ended a conversation. */
export type StdioEnd = "client" | "service" | "signal";

/** Serves the client until it is gone, or the conversation was ended; resolves with who did once every answer is written or cannot be. */
export function serveStdio(service: Service, options: StdioServerOptions): Promise<StdioEnd> {
  return new StdioServer(service, options).run();
}

class StdioServer implements Link, Sink {
  readonly transport = "stdio";
  readonly canStream = true;
  readonly principal: string | undefined;
  readonly #service: Service;
  readonly #options: StdioServerOptions;
  readonly #limits: StdioLimits;
  readonly #gathering: Gathering;
  readonly #work = new Set<Promise<void>>();
  /** Resolves for those who wait for the client to read, all at once. */
  #drained: Promise<void> | undefined;
  #isGone = false;
  #finish: (reason: string, by: StdioEnd) => void = () => {};
  #conversation: Conversation | undefined;

  constructor(service: Service, options: StdioServerOptions) {
    this.#service = service;
    this.#options = options;
    this.#limits = { ...STDIO_LIMITS, ...options.limits };
    this.principal = options.principal;
    this.#gathering = new Gathering(options.output, (isFull) => {
      if (isFull) this.#drained ??= this.#nextDrain();
    });
  }

  async run(): Promise<StdioEnd> {
    const { input, output, signal, graceMs = 10_000 } = this.#options;
    const over = new Promise<{ readonly reason: string; readonly by: StdioEnd }>((resolve) => {
      this.#finish = (reason, by) => resolve({ reason, by });
    });
    const conversation = this.#service.pipe(this);
    this.#conversation = conversation;
    const lines = new LineSplitter(
      {
        onLine: (text) => this.#take(conversation, text),
        onDropped: ({ because }) => {
          const refused = this.#refused();
          void this.#put(because === "too-long" ? oversize("line", this.#limits.lineBytes, refused) : parseError(refused));
        },
      },
      this.#limits.lineBytes,
    );
    const onData = (chunk: Buffer | string): void => {
      lines.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
      this.#holdInput();
    };
    const onEnd = (): void => {
      lines.end();
      this.#finish("the client closed its output", "client");
    };
    const onInputLost = (): void => this.#finish("the client's output was closed", "client");
    const onOutputLost = (): void => {
      this.#isGone = true;
      this.#finish("the client closed its input", "client");
    };
    const onAbort = (): void => this.#finish("the server is closing", "signal");
    input.on("data", onData).once("end", onEnd).once("close", onInputLost).on("error", onInputLost);
    output.once("close", onOutputLost).on("error", onOutputLost);
    if (input.readableEnded || input.destroyed) onEnd();
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    conversation.hears();
    const { reason, by } = await over;
    input.off("data", onData).off("end", onEnd).off("close", onInputLost).pause();
    signal?.removeEventListener("abort", onAbort);
    // An answer that nobody can read is not waited for.
    if (!this.#isGone) await ended(this.#workDone(), graceMs);
    await ended(conversation.close(reason), graceMs);
    await ended(this.#flushed(), graceMs);
    input.off("error", onInputLost);
    // The one for errors stays: a write may yet fail, and would end the process.
    output.off("close", onOutputLost);
    return by;
  }

  write(frame: object): Promise<void> | undefined {
    return this.#put(frame);
  }

  push(frame: object): boolean {
    if (this.#isGone || this.#drained !== undefined) return false;
    void this.#put(frame);
    return true;
  }

  end(reason: string): void {
    this.#finish(reason, "service");
  }

  /** Reads a line and hands it over before the next is read; its answer is not waited for. */
  #take(conversation: Conversation, text: string): void {
    let message: unknown;
    try {
      message = parseMessage(text);
    } catch {
      void this.#put(parseError(this.#refused()));
      return;
    }
    if (this.#work.size >= this.#limits.inFlight && kindOf(message) === "request") {
      const reason = `cannot answer the message: more than ${this.#limits.inFlight} are in flight`;
      void this.#put(faultResponse({ kind: "limit", message: reason, retry: "same" }, this.#refused(message)));
      return;
    }
    const work = this.#answer(conversation, message)
      .catch((error: unknown) => this.#options.onFault?.(error))
      .finally(() => this.#work.delete(work));
    this.#work.add(work);
  }

  async #answer(conversation: Conversation, message: unknown): Promise<void> {
    let reply: Reply;
    try {
      reply = await conversation.receive(message, { sink: this, principal: this.principal });
    } catch (error) {
      this.#options.onFault?.(error);
      if (kindOf(message) === "request") reply = internalError(this.#refused(message));
    }
    if (reply !== undefined) void this.#put(reply);
  }

  #put(message: object): Promise<void> | undefined {
    const { output } = this.#options;
    if (this.#isGone || !output.writable) return undefined;
    this.#gathering.add(`${stringifyMessage(message)}\n`);
    return this.#drained;
  }

  async #nextDrain(): Promise<void> {
    const { output } = this.#options;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        output.off("drain", done).off("close", done).off("error", done);
        resolve();
      };
      output.on("drain", done).on("close", done).on("error", done);
    });
    this.#drained = undefined;
    if (!this.#isGone) this.#conversation?.hears();
  }

  /** Reads nothing while too much stands unread: who does not take answers gets no more of them. */
  #holdInput(): void {
    const { input, output } = this.#options;
    if (output.writableLength <= this.#limits.outputBytes || this.#drained === undefined) return;
    input.pause();
    void this.#drained.then(() => input.resume());
  }

  #refused(message?: unknown): Refused {
    return { message, revision: this.#conversation?.revision };
  }

  async #workDone(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async #flushed(): Promise<void> {
    this.#gathering.flush();
    while (this.#drained !== undefined) await this.#drained;
    const { output } = this.#options;
    if (this.#isGone || !output.writable || output.writableLength === 0) return;
    // Writes are done in order, so the end of an empty one is the end of all.
    await new Promise<void>((resolve) => output.write("", () => resolve()));
  }
}
