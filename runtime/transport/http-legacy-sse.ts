// The HTTP+SSE transport of the first revision: one stream for everything that goes to the client, opened with the address its messages are to
// be posted to. Takes a service's conversation; the session is over when the stream is.
// https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse

import type { Conversation, Link, Sink, Visit } from "../bridge/peer.js";
import type { Wire } from "../protocol.js";
import { EventStream } from "./http-event-stream.js";
import { isNeeded, messagesOf } from "./http-carrier.js";
import { endConversation, mintToken } from "./http-sessions.js";
import { stringifyMessage } from "./json.js";
import { printEvent } from "./sse-write.js";

/** What a session needs of where it stands. */
export interface SseSessionOptions {
  readonly principal: string | undefined;
  readonly streamBytes: number;
  readonly graceMs: number;
  /** Gives the address for messages from the token that is to stand in it. */
  readonly endpoint: (token: string) => string;
  /** Told once, when the session is over; `ended` resolves when all of it is. */
  readonly onEnd: (session: SseSession, ended: Promise<void>) => void;
}

/** Is one session of HTTP+SSE. */
export class SseSession implements Link, Sink {
  readonly transport = "legacy-sse";
  readonly canStream = true;
  readonly token = mintToken();
  readonly principal: string | undefined;
  /** How many messages are being answered. */
  inFlight = 0;
  readonly #options: SseSessionOptions;
  readonly #stream: EventStream;
  #conversation: Conversation | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: SseSessionOptions) {
    this.#options = options;
    this.principal = options.principal;
    this.#stream = new EventStream({
      limit: options.streamBytes,
      preface: printEvent({ event: "endpoint", data: options.endpoint(this.token) }),
      onLost: () => this.end("the client closed its stream"),
      onDrain: () => this.#conversation?.hears(),
    });
  }

  get revision(): string | undefined {
    return this.#conversation?.revision;
  }

  /** Takes what the service made for this link, and gives the stream. */
  start(conversation: Conversation): ReadableStream<Uint8Array> {
    this.#conversation = conversation;
    const body = this.#stream.listen();
    conversation.hears();
    return body;
  }

  /** Hands a message over; its answer goes to the stream when it comes. */
  async receive(message: unknown, header: Visit["header"]): Promise<void> {
    this.inFlight += 1;
    try {
      const reply = await this.#conversation?.receive(message, { sink: this, principal: this.principal, header });
      for (const answer of messagesOf(reply)) void this.write(answer);
    } finally {
      this.inFlight -= 1;
    }
  }

  write(frame: Wire): Promise<void> | undefined {
    return this.#stream.write(stringifyMessage(frame), isNeeded(frame));
  }

  push(frame: Wire): boolean {
    return this.#stream.offer(stringifyMessage(frame), isNeeded(frame));
  }

  beat(): void {
    this.#stream.beat();
  }

  end(reason: string): void {
    void this.close(reason);
  }

  /** Ends the session: its conversation first, so that what it still answers is delivered. */
  close(reason: string): Promise<void> {
    if (this.#closed === undefined) {
      this.#closed = this.#shut(reason);
      this.#options.onEnd(this, this.#closed);
    }
    return this.#closed;
  }

  async #shut(reason: string): Promise<void> {
    await endConversation(this.#conversation, reason, this.#options.graceMs);
    this.#stream.end();
  }
}

/** Writes one path as a reference below another, so that it holds behind a proxy that put a prefix before both. */
export function relativeReference(from: string, to: string): string {
  const base = from.split("/").slice(1, -1);
  const target = to.split("/").slice(1);
  let shared = 0;
  while (shared < base.length && shared < target.length - 1 && base[shared] === target[shared]) shared += 1;
  const up = base.slice(shared).map(() => "..");
  const reference = [...up, ...target.slice(shared)].join("/");
  // A first segment with a colon, or none, would read as something else than a path.
  return /^[^/]*:/.test(reference) || reference === "" || reference.startsWith("/") ? `./${reference}` : reference;
}
