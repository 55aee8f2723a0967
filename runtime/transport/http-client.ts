// Talks to a server over Streamable HTTP: every message is a POST of its own, answered with JSON or with a stream of events that ends with the answer;
// what nobody asked for comes on a stream that a GET opens. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http

import { isWire } from "../capabilities.js";
import { Close, Unreachable, type Peer, type SendOptions } from "../bridge/peer.js";
import { Feature } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { Stopper, type StopSignal } from "../stop.js";
import { shown, type Observe } from "./events.js";
import { readEvents } from "./event-stream.js";
import { Exchange, type Call } from "./exchange.js";
import { isSessionId } from "./http-headers.js";
import type { HttpWire, Incoming, WireOptions } from "./http-wire.js";
import { stringifyMessage } from "./json.js";
import { MAX_LINE_BYTES, readJson } from "./lines.js";
import { readRefusal, type Refusal } from "./refusal.js";
import { streamingProfile } from "./streaming.js";
import { bounded, delay, waitBefore, within, type Backoff } from "../waiting.js";

/** How long to be patient with a server, and how much to take from it. */
export interface HttpPeerOptions extends WireOptions {
  readonly observe?: Observe | undefined;
  /** The longest message that is read: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** How long the delivery of what expects no answer may take: 30 seconds. */
  readonly notifyMs?: number | undefined;
  /** How long `listen` waits for a refusal before it takes silence for consent: 5 seconds. */
  readonly listenMs?: number | undefined;
  /** How long an answer may take that was promised for the other stream (status 202): 30 seconds. */
  readonly strayMs?: number | undefined;
  /** The waits before a lost stream is opened again: from a second to 30. */
  readonly backoff?: Backoff | undefined;
  /** How many times in a row the rest of a broken stream is asked for in vain: 5. */
  readonly resumes?: number | undefined;
  /** How long `close` waits for answers in flight, and for the end of the session after that: a second, and two. */
  readonly drainMs?: number | undefined;
  readonly endMs?: number | undefined;
}

/** What a revision lets a client do. */
interface Agreed {
  readonly revision: string;
  readonly versionHeader: string | undefined;
  readonly hasSessions: boolean;
  readonly canListen: boolean;
  readonly canResume: boolean;
}

/** How far a stream was read. */
interface Cursor {
  id: string | undefined;
  retryMs: number | undefined;
}

const BOTH_TYPES = "application/json, text/event-stream";
/** For servers that look at the first type only. */
const BOTH_TYPES_SWAPPED = "text/event-stream, application/json";
const OPENS_SESSION = "initialize";
/** How long a stream may go on behind its answer before it is closed. */
const LINGER_MS = 1000;
/** How many characters of what is no message an error carries. */
const MAX_SHOWN = 2000;
const BACKOFF: Backoff = { minMs: 1000, maxMs: 30_000 };

/** One run of exchanges with one address. */
export class HttpPeer implements Peer {
  readonly transport = "streamable-http";
  readonly closed: Promise<Error>;
  readonly #url: URL;
  readonly #wire: HttpWire;
  readonly #options: HttpPeerOptions;
  readonly #observe: Observe;
  readonly #exchange: Exchange;
  /** Aborts when the conversation is let go of. */
  readonly #gone = new Stopper();
  /** Aborts when nothing nobody asked for is wanted any longer. */
  readonly #deaf = new Stopper();
  #isSessionGone = false;
  #accept = BOTH_TYPES;
  #session: string | undefined;
  #agreed: Agreed | undefined;
  #listening: Promise<void> | undefined;
  #isHearing = false;
  #closing: Promise<void> | undefined;

  constructor(url: URL, wire: HttpWire, options: HttpPeerOptions) {
    this.#url = url;
    this.#wire = wire;
    this.#options = options;
    this.#observe = options.observe ?? (() => {});
    this.#exchange = new Exchange(wire.name, this.#observe);
    this.closed = this.#exchange.closed;
    void this.closed.then(() => this.#deaf.abort());
  }

  async send(request: Wire, options: SendOptions = {}): Promise<Wire> {
    const call = this.#exchange.begin(request, options.signal);
    if (call.outcome === undefined) void this.#converse(call, request, options);
    return call.answer;
  }

  async notify(message: Wire, { headers }: Pick<SendOptions, "headers"> = {}): Promise<void> {
    if (this.#exchange.refusal !== undefined) throw this.#exchange.refusal;
    const { notifyMs = 30_000 } = this.#options;
    this.#exchange.noted();
    const late = (): Unreachable => this.#exchange.unreachable(`it does not take the message within ${notifyMs} milliseconds`);
    await bounded(notifyMs, this.#gone.signal, late, async (signal) => {
      const response = await this.#post(this.#write(message), { headers, signal, lane: "control" });
      if (isSuccess(response)) {
        // Whatever stands in it, nobody waits for it.
        this.#wire.dump(response.body);
        return;
      }
      const refusal = await this.#refusalOf(response);
      if (refusal.answer === undefined) throw this.#refused(refusal);
    });
  }

  takePending(): readonly Wire[] {
    return this.#exchange.pending.take();
  }

  waitPending(): Promise<void> {
    return this.#exchange.pending.wait();
  }

  listen(): Promise<void> {
    this.#listening ??= this.#listen().catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
    return this.#listening;
  }

  agree(revision: string): void {
    const profile = streamingProfile(revision);
    this.#agreed = {
      revision,
      versionHeader: profile.isEnabled(Feature.TransportProtocolVersionHeader) ? revision : undefined,
      hasSessions: profile.isEnabled(Feature.TransportStreamableHttpSessions),
      canListen: profile.isEnabled(Feature.TransportStreamableHttpGetStream),
      canResume: profile.isEnabled(Feature.TransportStreamableHttpResumability),
    };
    if (!this.#agreed.hasSessions) this.#session = undefined;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { drainMs = 1000, endMs = 2000 } = this.#options;
    const hasSession = this.#session !== undefined && !this.#isSessionGone;
    this.#exchange.refuse("the conversation was closed");
    await this.#exchange.idle(drainMs);
    this.#exchange.end(new Close("the conversation was closed"));
    this.#gone.abort();
    if (hasSession) {
      // Servers may refuse this; the session then ends when they think so.
      const end = { method: "DELETE", url: this.#url, own: this.#own(), signal: AbortSignal.timeout(endMs), lane: "control" } as const;
      await within(
        this.#wire.send(end).then(
          (response) => this.#wire.dump(response.body),
          () => {},
        ),
        endMs,
      );
    }
    await this.#wire.close();
  }

  /** Runs one request to its end, whatever that is. */
  async #converse(call: Call, request: Wire, options: SendOptions): Promise<void> {
    const cut = new Stopper();
    const stop = (): void => cut.abort();
    call.onSettled(() => {
      if (call.outcome === "failed") stop();
    });
    this.#gone.signal.addEventListener("abort", stop, { once: true });
    try {
      await this.#ask(call, request, options, cut);
      if (call.outcome === undefined) call.reject(this.#exchange.unreachable("it ended the exchange without an answer"));
    } catch (error) {
      call.reject(this.#wire.failure(error));
    } finally {
      this.#gone.signal.removeEventListener("abort", stop);
    }
  }

  async #ask(call: Call, request: Wire, { headers, onFrame, onStatus }: SendOptions, cut: Stopper): Promise<void> {
    const opens = request["method"] === OPENS_SESSION;
    const body = this.#write(request);
    call.hasLeft = true;
    const response = await this.#post(body, { headers, signal: cut, lane: "call", opens });
    onStatus?.(response.status);
    if (!isSuccess(response)) {
      const refusal = await this.#refusalOf(response, call);
      if (refusal.answer === undefined) throw this.#refused(refusal);
      call.resolve(refusal.answer);
      return;
    }
    if (opens) this.#keepSession(response);
    if (response.isEventStream) {
      let linger: NodeJS.Timeout | undefined;
      call.onSettled(() => (linger = setTimeout(() => cut.abort(), LINGER_MS)));
      await this.#readAnswer(call, response, onFrame, cut).finally(() => clearTimeout(linger));
      return;
    }
    const text = await this.#wire.readText(response, this.#maxBytes);
    const message = readJson(text);
    if (message === null || text.trim() === "") {
      await this.#awaitElsewhere(call, response.status);
      return;
    }
    if (message === undefined) {
      throw this.#exchange.unreachable("its answer is no JSON", { status: response.status, body: shown(text, MAX_SHOWN) });
    }
    const frames: readonly unknown[] = Array.isArray(message) ? message : [message];
    for (const frame of inOrder(frames)) this.#take(call, frame, text.length, onFrame, frames.length === 1, response.status);
  }

  /** Reads the stream of a request until its answer, on as many connections as it takes. */
  async #readAnswer(call: Call, first: Incoming, onFrame: SendOptions["onFrame"], signal: StopSignal): Promise<void> {
    const cursor: Cursor = { id: undefined, retryMs: undefined };
    const { resumes = 5, backoff = BACKOFF } = this.#options;
    let response: Incoming | undefined = first;
    let failures = 0;
    let cause: unknown;
    for (;;) {
      const before = cursor.id;
      if (response !== undefined) {
        const { status } = response;
        cause = await this.#pump(response, cursor, (frame, bytes) => this.#take(call, frame, bytes, onFrame, false, status), call);
      }
      if (call.outcome !== undefined || signal.aborted) return;
      // A server that says when to come back closes streams on purpose.
      const isPlanned = cause === undefined && response !== undefined && cursor.retryMs !== undefined;
      failures = cursor.id !== before || isPlanned ? 1 : failures + 1;
      if (cursor.id === undefined || this.#agreed?.canResume === false || failures > resumes) {
        const reason = cause === undefined ? "its stream ended before the answer" : "its stream broke before the answer";
        throw this.#exchange.unreachable(reason, { cause });
      }
      await delay(waitBefore(failures, cursor.retryMs, backoff, Math.random()), signal);
      if (signal.aborted) return;
      response = await this.#resume(cursor, signal);
    }
  }

  /** Asks for the rest of a stream; gives undefined where asking again may help, and rejects where it cannot. */
  async #resume(cursor: Cursor, signal: StopSignal): Promise<Incoming | undefined> {
    let response: Incoming;
    try {
      response = await this.#get(cursor, signal, "call");
    } catch {
      return undefined;
    }
    if (isSuccess(response) && response.isEventStream) {
      this.#observe({ event: "stream", state: "resumed", reason: undefined });
      return response;
    }
    const refusal = await this.#refusalOf(response);
    const fault = refusal.answer === undefined ? refusal.fault : { status: response.status };
    if (response.status >= 500) return undefined;
    if (refusal.answer === undefined) this.#refused(refusal);
    // Whatever is refused now, the request itself may have been acted on.
    const reason = `its stream broke before the answer and cannot be resumed (status ${response.status})`;
    throw this.#exchange.unreachable(reason, { ...fault, delivered: "maybe" });
  }

  /** Reads one stream to its end; gives what broke it, or undefined where it just ended. */
  async #pump(response: Incoming, cursor: Cursor, take: (frame: unknown, bytes: number) => void, call?: Call): Promise<unknown> {
    const frames = (data: string, name: string): void => {
      // A priming event has an id and nothing else.
      if (data.trim() === "") return;
      const message = name === "message" ? readJson(data) : undefined;
      if (typeof message !== "object" || message === null) {
        this.#observe({ event: "noise", text: shown(data) });
        return;
      }
      for (const frame of Array.isArray(message) ? inOrder(message as readonly unknown[]) : [message]) take(frame, data.length);
    };
    try {
      await readEvents(
        response.body,
        {
          onEvent: ({ name, data, id }) => {
            if (id !== undefined && id !== "") cursor.id = id;
            frames(data, name);
          },
          onRetry: (ms) => {
            cursor.retryMs = ms;
          },
          onDropped: (length, { kind, id }) => {
            const reason = `its answer has more than the ${this.#maxBytes} bytes allowed`;
            // On a request's own stream, what may be its answer is.
            const meant = kind === "response" ? (id ?? call?.id) : kind === "unknown" ? call?.id : undefined;
            this.#observe({ event: "dropped", because: "too-long", bytes: length, id: this.#exchange.dropped(meant, reason) });
          },
        },
        this.#maxBytes,
      );
      return undefined;
    } catch (error) {
      if (error instanceof Unreachable) throw error;
      return error;
    }
  }

  /** Takes one frame from the response to a request. */
  #take(call: Call, frame: unknown, bytes: number, onFrame: SendOptions["onFrame"], isOnlyOne: boolean, status: number): void {
    if (!isWire(frame)) {
      if (isOnlyOne) throw this.#noMessage(frame, status);
      this.#observe({ event: "noise", text: shown(JSON.stringify(frame)) });
    } else if (typeof frame["method"] === "string") {
      if (onFrame === undefined || call.outcome !== undefined) this.#exchange.pending.push(frame, bytes);
      else onFrame(frame);
    } else if (!this.#exchange.acceptFor(call, frame, isOnlyOne)) {
      if (call.outcome === undefined) throw this.#noMessage(frame, status);
      this.#observe({ event: "noise", text: shown(JSON.stringify(frame)) });
    }
  }

  #noMessage(frame: unknown, status: number): Unreachable {
    return this.#exchange.unreachable("its answer is no message of the protocol", {
      status,
      body: shown(JSON.stringify(frame), MAX_SHOWN),
    });
  }

  /** Waits for an answer that the peer took the request for without giving it: some write it on the other stream. */
  async #awaitElsewhere(call: Call, status: number): Promise<void> {
    const { strayMs = 30_000 } = this.#options;
    if (this.#isHearing)
      await within(
        call.answer.then(
          () => {},
          () => {},
        ),
        strayMs,
      );
    if (call.outcome === undefined)
      throw this.#exchange.unreachable(`it took the request without an answer (status ${status})`, { status });
  }

  /** Opens the stream for what nobody asked for, and keeps it open from then on. */
  async #listen(): Promise<void> {
    const { listenMs = 5000 } = this.#options;
    if (this.#exchange.refusal !== undefined) throw this.#exchange.refusal;
    if (this.#agreed?.canListen === false) {
      throw this.#exchange.unreachable(`revision ${this.#agreed.revision} has no stream for what nobody asked for`, { delivered: "no" });
    }
    const cursor: Cursor = { id: undefined, retryMs: undefined };
    const opening = this.#openStream(cursor, false);
    const response = await within(opening, listenMs);
    if (response === undefined) {
      this.#isHearing = true;
      this.#observe({ event: "stream", state: "unconfirmed", reason: `no answer within ${listenMs} milliseconds` });
    }
    void this.#keepListening(opening, cursor);
  }

  async #keepListening(first: Promise<Incoming>, cursor: Cursor): Promise<void> {
    const { backoff = BACKOFF } = this.#options;
    const { signal } = this.#deaf;
    let opening = first;
    let failures = 0;
    let wasOpen = false;
    for (;;) {
      let cause: unknown;
      let hasProgressed = false;
      try {
        const response = await opening;
        this.#isHearing = true;
        wasOpen = true;
        this.#observe({ event: "stream", state: "opened", reason: undefined });
        const before = cursor.id;
        cause = await this.#pump(response, cursor, (frame, bytes) => {
          hasProgressed = true;
          this.#exchange.accept(frame, bytes);
        });
        hasProgressed ||= cursor.id !== before;
      } catch (error) {
        const fault = this.#wire.failure(error);
        cause = fault;
        // A refusal is for good; an outage is not.
        if (fault.status !== undefined && fault.status < 500 && fault.status !== 408 && fault.status !== 429) {
          this.#isHearing = false;
          if (!signal.aborted) this.#observe({ event: "stream", state: "refused", reason: fault.reason });
          this.#listening = undefined;
          return;
        }
      }
      if (signal.aborted) return;
      this.#isHearing = false;
      const isPlanned = cause === undefined && cursor.retryMs !== undefined;
      failures = hasProgressed || isPlanned ? 1 : failures + 1;
      const reason = cause === undefined ? "it ended" : this.#wire.failure(cause).reason;
      this.#observe({ event: "stream", state: "lost", reason });
      await delay(waitBefore(failures, cursor.retryMs, backoff, Math.random()), signal);
      if (signal.aborted) return;
      opening = this.#openStream(cursor, wasOpen);
      // It is awaited at the top of the loop.
      opening.catch(() => {});
    }
  }

  /** Opens the stream once; rejects with `Unreachable` where the peer refuses it. */
  async #openStream(cursor: Cursor, wasOpen: boolean): Promise<Incoming> {
    const response = await this.#get(cursor, this.#deaf.signal, "control");
    if (isSuccess(response) && response.isEventStream) return response;
    if (isSuccess(response)) {
      this.#wire.dump(response.body);
      throw this.#exchange.unreachable(`it answers with no stream of events (status ${response.status})`, {
        status: response.status,
        delivered: "no",
      });
    }
    const refusal = await this.#refusalOf(response);
    if (refusal.answer !== undefined)
      throw this.#exchange.unreachable(`it answers with status ${response.status}`, { status: response.status });
    // A server without this stream may say so with any status; one that had it and says 404 means the session.
    if (wasOpen) throw this.#refused(refusal);
    const { status } = response;
    throw this.#exchange.unreachable(`it answers with status ${status}`, { ...refusal.fault, sessionGone: false, delivered: "no" });
  }

  #get(cursor: Cursor, signal: StopSignal, lane: "call" | "control"): Promise<Incoming> {
    const own = { ...this.#own(), accept: "text/event-stream", "last-event-id": cursor.id };
    return this.#wire.send({ method: "GET", url: this.#url, own, signal, lane });
  }

  async #post(
    body: string,
    options: Pick<SendOptions, "headers"> & { readonly signal: StopSignal; readonly lane: "call" | "control"; readonly opens?: boolean },
  ): Promise<Incoming> {
    const { headers, signal, lane, opens = false } = options;
    for (;;) {
      const accept = this.#accept;
      const own = { ...(opens ? {} : this.#own()), accept, "content-type": "application/json" };
      const response = await this.#wire.send({ method: "POST", url: this.#url, message: headers, own, body, signal, lane });
      if (response.status !== 406 || accept !== BOTH_TYPES) return response;
      // Nothing was read of it but the head.
      this.#wire.dump(response.body);
      this.#accept = BOTH_TYPES_SWAPPED;
    }
  }

  #write(message: Wire): string {
    try {
      return stringifyMessage(message);
    } catch (cause) {
      throw this.#exchange.unreachable("the message cannot be written as JSON", { delivered: "no", cause });
    }
  }

  /** What this conversation says on each of its messages. */
  #own(): Record<string, string | undefined> {
    return { "mcp-session-id": this.#session, "mcp-protocol-version": this.#agreed?.versionHeader };
  }

  #keepSession(response: Incoming): void {
    const session = response.header("mcp-session-id");
    if (session !== undefined && !isSessionId(session)) this.#observe({ event: "noise", text: "a session id that cannot be sent back" });
    this.#session = session !== undefined && isSessionId(session) ? session : undefined;
  }

  async #refusalOf(response: Incoming, call?: Call): Promise<Refusal> {
    const { status } = response;
    const hadSession = this.#session !== undefined;
    const body = await this.#wire.readRefusal(response);
    return readRefusal({ status, body, challenge: response.header("www-authenticate"), hadSession }, call?.id);
  }

  /** Makes the error for a refusal; a session that is gone ends the conversation for all that is to come. */
  #refused({ reason, fault }: Refusal & { readonly answer: undefined }): Unreachable {
    const error = this.#exchange.unreachable(reason, fault);
    if (fault.sessionGone === true) {
      this.#isSessionGone = true;
      this.#exchange.retire(error, true);
    }
    return error;
  }

  get #maxBytes(): number {
    return this.#options.maxMessageBytes ?? MAX_LINE_BYTES;
  }
}

function isSuccess({ status }: Incoming): boolean {
  return status >= 200 && status < 300;
}

/** Puts what belongs before an answer before it: within one array the order says nothing. */
function inOrder(frames: readonly unknown[]): readonly unknown[] {
  const isCall = (frame: unknown): boolean => isWire(frame) && typeof frame["method"] === "string";
  return [...frames.filter(isCall), ...frames.filter((frame) => !isCall(frame))];
}
