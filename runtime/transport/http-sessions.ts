// The sessions of an HTTP server: who they belong to, the streams each of them has, and when they are over. Takes ids and principals, gives
// sessions; one that belongs to somebody else is as unknown as one that never was.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management

import type { Conversation, Link } from "../bridge/peer.js";
import { Feature, knownRevisions } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { delay, ended } from "../waiting.js";
import { EventLog, type EventLogLimits } from "./event-log.js";
import { EventStream } from "./http-event-stream.js";
import type { HttpAnswer } from "./http-answer.js";
import { isNeeded, type Carrier } from "./http-carrier.js";
import { stringifyMessage } from "./json.js";
import type { Beating, Pulse } from "./pulse.js";
import { streamingProfile } from "./streaming.js";

/** What a revision says of the streams of a session. */
export interface StreamFeatures {
  readonly hasGetStream: boolean;
  readonly isResumable: boolean;
  readonly isPolled: boolean;
}

/** What bounds a session, and what it tells its clients. */
export interface SessionOptions {
  readonly replay: EventLogLimits;
  /** How many streams that are over are kept for clients that missed their end. */
  readonly replayStreams: number;
  readonly streamBytes: number;
  readonly retryMs: number;
  /** How long the end of a conversation may take, in milliseconds. */
  readonly graceMs: number;
  /** Makes the response to a POST that the end of its session leaves without an answer. */
  readonly refuse: () => HttpAnswer;
  /** Told once, when the session is over; `ended` resolves when all of it is. */
  readonly onEnd: (session: HttpSession, ended: Promise<void>) => void;
}

const BYTES_OF_AN_ID = 24;
const UNSOLICITED = "0";
const NO_FEATURES: StreamFeatures = { hasGetStream: false, isResumable: false, isPolled: false };

/** Makes what nobody can guess: 192 random bits as hexadecimal digits. */
export function mintToken(): string {
  return [...crypto.getRandomValues(new Uint8Array(BYTES_OF_AN_ID))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Tells what a revision says of streams; nothing for one that is not known. */
export function streamFeaturesOf(revision: string | undefined): StreamFeatures {
  if (revision === undefined || !knownRevisions().includes(revision)) return NO_FEATURES;
  const profile = streamingProfile(revision);
  return {
    hasGetStream: profile.isEnabled(Feature.TransportStreamableHttpGetStream),
    isResumable: profile.isEnabled(Feature.TransportStreamableHttpResumability),
    isPolled: profile.isEnabled(Feature.TransportStreamableHttpPolling),
  };
}

/** Is one session of Streamable HTTP. */
export class HttpSession implements Link {
  readonly transport = "streamable-http";
  readonly id = mintToken();
  readonly principal: string | undefined;
  readonly #options: SessionOptions;
  readonly #streams = new Map<string, EventStream>();
  readonly #carriers = new Set<Carrier>();
  #conversation: Conversation | undefined;
  #unsolicited: EventStream | undefined;
  #streamCount = 0;
  #closed: Promise<void> | undefined;
  #quietSince = performance.now();

  constructor(principal: string | undefined, options: SessionOptions) {
    this.principal = principal;
    this.#options = options;
  }

  /** Takes what the service made for this link. */
  attach(conversation: Conversation): void {
    this.#conversation = conversation;
    if (this.isOver) void conversation.close("the session had ended before it began");
  }

  get conversation(): Conversation {
    if (this.#conversation === undefined) throw new TypeError("cannot use the session: nobody serves it yet");
    return this.#conversation;
  }

  get revision(): string | undefined {
    return this.#conversation?.revision;
  }

  get features(): StreamFeatures {
    return streamFeaturesOf(this.revision);
  }

  get isOver(): boolean {
    return this.#closed !== undefined;
  }

  /** How many messages are being answered. */
  get inFlight(): number {
    return this.#carriers.size;
  }

  /** Tells whether the client has the stream for what nobody asked for. */
  get hears(): boolean {
    return this.#unsolicited?.isHeard ?? false;
  }

  /** Tells for how many milliseconds nothing was asked, answered or listened to. */
  idleFor(now: number): number {
    const isBusy = this.#carriers.size > 0 || this.hears || [...this.#streams.values()].some((stream) => stream.isHeard);
    return isBusy ? 0 : now - this.#quietSince;
  }

  /** Counts a message as being answered. */
  hold(carrier: Carrier): void {
    this.#carriers.add(carrier);
  }

  /** Counts a message as answered. */
  release(carrier: Carrier): void {
    this.#carriers.delete(carrier);
    this.touch();
    this.#forget();
  }

  touch(): void {
    this.#quietSince = performance.now();
  }

  push(frame: Wire): boolean {
    return this.#unsolicited?.offer(stringifyMessage(frame), isNeeded(frame)) ?? false;
  }

  /** Opens the stream for what belongs to one message. */
  open(): EventStream {
    this.#streamCount += 1;
    return this.#stream(this.#streamCount.toString(36));
  }

  /** Opens the stream for what belongs to no message. */
  listen(): ReadableStream<Uint8Array> {
    this.#unsolicited ??= this.#stream(UNSOLICITED, () => this.conversation.hears());
    return this.#unsolicited.listen();
  }

  /** Goes on with a stream after one of its events; undefined where it is not kept. */
  resume(stream: string, sequence: number): ReadableStream<Uint8Array> | undefined {
    return this.#streams.get(stream)?.listen(sequence);
  }

  /** Tells whether a stream is the one for what belongs to no message. */
  isUnsolicited(stream: string): boolean {
    return stream === UNSOLICITED;
  }

  /** Keeps the stream for what belongs to no message alive; the others are looked after by their carriers. */
  beat(): void {
    this.#unsolicited?.beat();
  }

  end(reason: string): void {
    void this.close(reason);
  }

  /** Ends the session: its conversation first, so that what it still answers is delivered, then what is left open. */
  close(reason: string): Promise<void> {
    if (this.#closed === undefined) {
      this.#closed = this.#shut(reason);
      this.#options.onEnd(this, this.#closed);
    }
    return this.#closed;
  }

  async #shut(reason: string): Promise<void> {
    this.#unsolicited?.end();
    await endConversation(this.#conversation, reason, this.#options.graceMs);
    for (const carrier of this.#carriers) carrier.abandon(this.#options.refuse);
    for (const stream of this.#streams.values()) stream.end();
    this.#streams.clear();
  }

  #stream(name: string, onDrain?: () => void): EventStream {
    const { isResumable, isPolled } = this.features;
    const stream = new EventStream({
      limit: this.#options.streamBytes,
      log: isResumable ? new EventLog(name, this.#options.replay) : undefined,
      retry: isPolled ? this.#options.retryMs : undefined,
      onLost: () => this.touch(),
      onDrain,
    });
    this.#streams.set(name, stream);
    return stream;
  }

  #forget(): void {
    const over = [...this.#streams].filter(([, stream]) => stream.isOver);
    const kept = this.features.isResumable ? this.#options.replayStreams : 0;
    for (const [name] of over.slice(0, Math.max(over.length - kept, 0))) this.#streams.delete(name);
  }
}

/** Ends the conversation of a session that is over; resolves when what it still settled is written by those who waited for it, or after `graceMs`. */
export async function endConversation(conversation: Conversation | undefined, reason: string, graceMs: number): Promise<void> {
  if (conversation !== undefined) await ended(conversation.close(reason), graceMs);
  // One turn more, for those who waited.
  await delay(0);
}

/** Holds sessions by their ids. */
export class SessionTable implements Beating {
  readonly #sessions = new Map<string, HttpSession>();
  readonly #idleMs: number;
  readonly #pulse: Pulse;

  constructor(idleMs: number, pulse: Pulse) {
    this.#idleMs = idleMs;
    this.#pulse = pulse;
  }

  get size(): number {
    return this.#sessions.size;
  }

  add(session: HttpSession): void {
    if (session.isOver) return;
    this.#sessions.set(session.id, session);
    this.#pulse.add(this);
  }

  /** Finds a session of a principal. */
  find(id: string, principal: string | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id);
    return session?.principal === principal ? session : undefined;
  }

  delete(session: HttpSession): void {
    this.#sessions.delete(session.id);
    if (this.#sessions.size === 0) this.#pulse.delete(this);
  }

  values(): readonly HttpSession[] {
    return [...this.#sessions.values()];
  }

  /** Keeps the streams of all sessions alive, and ends those that nobody used for too long. */
  beat(): void {
    const now = performance.now();
    for (const session of this.values()) {
      if (session.idleFor(now) > this.#idleMs) session.end("the session was not used for too long");
      else session.beat();
    }
  }
}
