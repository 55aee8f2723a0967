// One session with a legacy server on behalf of modern clients: the calls in flight on it, which of them the server's questions and messages belong
// to, its one log level, and who is told of changes. What a call is, and what becomes of a question, is up to whoever uses the session.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { readHead, type RequestId } from "../envelope.js";
import { isEnvelopeError } from "../errors.js";
import type { Wire } from "../protocol.js";
import { gate } from "../mcp.js";
import { INVALID_PARAMS, METHOD_NOT_FOUND } from "../rpc-codes.js";
import { within } from "../waiting.js";
import { errorAnswer, errorOf } from "./answers.js";
import type { Account } from "./events.js";
import { messageOf } from "./legacy-session.js";
import { mostTalkative } from "./log-levels.js";
import type { BridgeOptions } from "./options.js";
import { withId } from "./payload.js";
import type { Peer } from "./peer.js";
import { ProgressTokens } from "./tokens.js";
import { cancellationOf, drain, pump, startCall, type UpstreamCall } from "./upstream-call.js";

/** A call on a session, as the session sees it. */
export interface PooledCall {
  /** True where a question of the server's may belong to it. */
  readonly canAsk: boolean;
  /** The level of log messages the request in its turn wants; undefined where it wants none, or the client is away. */
  readonly logLevel: () => string | undefined;
  /** Takes a question of the server's; its answer goes back with `answer`. */
  readonly ask: (question: { readonly id: RequestId; readonly method: string; readonly params: unknown }) => void;
  /** Told of a question that the session's capabilities do not invite. */
  readonly denied: (method: string, params: unknown) => void;
  /** Takes the withdrawal of a question; false where it is not this call's. */
  readonly withdraw: (id: unknown) => boolean;
  /** Takes a notification of the server's. */
  readonly hear: (frame: Wire) => Promise<void> | void;
  /** Gives the call its whole time again. */
  rest?: () => void;
}

/** What a session is made of. */
export interface PooledOptions {
  readonly peer: Peer;
  readonly upstream: Codec;
  /** True where it declared that its client can be asked something. */
  readonly isInviting: boolean;
  /** What the server said in the handshake, in canonical form. */
  readonly welcome: Wire;
  readonly options: BridgeOptions;
  readonly account: Account;
  /** Speaks the newest revision of the era. */
  readonly newest: Codec;
  /** The last id the handshake used. */
  readonly lastId: number;
}

/** How long the end of a session waits for its cancellations to arrive, in milliseconds. */
const LAST_WORDS = 1_000;

/** How long a question that belongs to no call waits for one to begin, in milliseconds. */
const STRAY_HOLD = 2_000;

/** How long a server may take to say that it has no stream for what nobody asked for, in milliseconds. */
const CHANNEL_WAIT = 250;

/** One session with a legacy server. */
export class PooledSession {
  readonly upstream: Codec;
  readonly isInviting: boolean;
  readonly welcome: Wire;
  readonly peer: Peer;
  readonly tokens = new ProgressTokens<PooledCall>();
  /** Those who are told of changes. */
  readonly listeners = new Set<(frame: Wire) => void>();
  /** Who watches which resource, so that the server is told once, and told to stop by the last. */
  readonly watched = new Map<string, { watchers: number; readonly isTaken: Promise<boolean> }>();
  readonly #given: PooledOptions;
  readonly #calls = new Set<PooledCall>();
  readonly #strays = new Set<{ readonly frame: Wire; readonly timer: NodeJS.Timeout }>();
  #lastId: number;
  #level: string | undefined;
  /** The end of the queue of calls whose questions the server does not tell apart. */
  #queue: Promise<void> = Promise.resolve();
  #waiting = 0;
  #isOver = false;
  /** Cancellations on their way. */
  readonly #cancelling = new Set<Promise<void>>();
  /** True where the server has a way to say what nobody asked for. */
  hasChannel = true;
  lastUsed: number;

  constructor(given: PooledOptions) {
    const { peer, upstream, isInviting, welcome, options, lastId } = given;
    this.isInviting = isInviting;
    this.#given = given;
    this.peer = peer;
    this.upstream = upstream;
    this.welcome = welcome;
    this.#lastId = lastId;
    this.lastUsed = options.now();
    void peer.closed.then(() => (this.#isOver = true));
    void pump(peer, (frame) => this.#heard(frame, undefined));
  }

  /** Tells the server that the handshake is done, and opens its way to say what nobody asked for. */
  async begin(): Promise<void> {
    await this.peer.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
    const opened = this.peer.listen().catch(() => (this.hasChannel = false));
    // A server that has no such stream says so at once; one that has may say nothing until there is something to say.
    await within(opened, CHANNEL_WAIT);
  }

  /** Tells whether it is over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Tells whether anybody needs it. */
  get isBusy(): boolean {
    return this.#calls.size > 0 || this.listeners.size > 0 || this.#waiting > 0;
  }

  /** Tells whether the server's questions come on the stream of the call they belong to. */
  get tellsApart(): boolean {
    return this.peer.transport === "streamable-http";
  }

  /**
   * Gives the codec for a question of the server's: a server may know a question that came after the revision it settled on, and then says it as the
   * newest of the era does.
   */
  speaking(method: string): Codec {
    return this.upstream.method(method) === undefined ? this.#given.newest : this.upstream;
  }

  /** Waits for the turn of a call on a session that does not tell its questions apart; resolves with what ends the turn. Rejects with nothing: `undefined` is no turn. */
  async turn(limit: number, timeout: number): Promise<(() => void) | undefined> {
    if (this.#waiting >= limit) return undefined;
    let release = (): void => undefined;
    const before = this.#queue;
    this.#queue = new Promise((resolve) => (release = resolve));
    this.#waiting += 1;
    const isMine = await within(
      before.then(() => true as const),
      timeout,
    );
    this.#waiting -= 1;
    if (isMine === true) return release;
    // Whoever comes next waits for those before all the same.
    void before.then(release);
    return undefined;
  }

  /** Sends a request on behalf of a call; resolves with the server's answer. */
  async send(request: Wire, call: PooledCall, signal: AbortSignal, timeout: number, reason?: () => string | undefined): Promise<Wire> {
    this.#calls.add(call);
    this.#adopt(call);
    try {
      await this.#setLevel();
      this.#lastId += 1;
      const id = this.#lastId;
      const under: UpstreamCall = startCall(this.peer, withId(request, id), {
        signal,
        timeout,
        onFrame: (frame) => void this.#heard(frame, call),
        onEnd: (why) => void this.#cancel(id, why === "late" ? "no answer in time" : reason?.()),
      });
      call.rest = () => under.rest();
      const answer = await under.answer;
      await drain(this.peer, (frame) => this.#heard(frame, undefined));
      return answer;
    } finally {
      this.#calls.delete(call);
      this.lastUsed = this.#given.options.now();
    }
  }

  /** Answers a question of the server's. */
  async answer(id: RequestId, response: Wire): Promise<void> {
    await this.peer.notify(withId(response, id)).catch((error: unknown) => this.#drop(undefined, messageOf(error)));
  }

  /** Sends a notification. */
  async notify(message: Wire): Promise<void> {
    await this.peer.notify(message).catch((error: unknown) => this.#drop(String(message["method"]), messageOf(error)));
  }

  /** Sends a request that belongs to no call of a client's; resolves with the answer. */
  ask(request: Wire, timeout: number): Promise<Wire> {
    this.#lastId += 1;
    const never = new AbortController();
    return startCall(this.peer, withId(request, this.#lastId), { signal: never.signal, timeout }).answer;
  }

  async close(): Promise<void> {
    for (const { timer } of this.#strays) clearTimeout(timer);
    // A call that was given up may still cost the server something until it hears so.
    if (this.#cancelling.size > 0) await within(Promise.all(this.#cancelling), LAST_WORDS);
    await this.peer.close();
  }

  async #cancel(id: RequestId, reason: string | undefined): Promise<void> {
    const told = this.notify(cancellationOf(id, reason)).finally(() => this.#cancelling.delete(told));
    this.#cancelling.add(told);
    await told;
  }

  /** Sets the session's level to what the most talkative of its calls wants, where that is another; nobody's wish lowers it again. */
  async #setLevel(): Promise<void> {
    const wanted = mostTalkative([...this.#calls].map((call) => call.logLevel()));
    const { capabilities } = this.welcome;
    if (wanted === undefined || wanted === this.#level || !isWire(capabilities) || !isWire(capabilities["logging"])) return;
    const level = mostTalkative([wanted, this.#level]);
    if (level === this.#level) return;
    this.#level = level;
    const { timeouts } = this.#given.options;
    await this.ask({ jsonrpc: "2.0", method: "logging/setLevel", params: { level } }, timeouts.handshake).catch(() => undefined);
  }

  #heard(frame: Wire, call: PooledCall | undefined): Promise<void> | void {
    try {
      const head = readHead(frame);
      if (head.kind === "request") return this.#asked(head.id, head.method, frame, call);
      if (head.kind === "response") return this.#drop(undefined, "it answers nothing that was asked");
      return this.#told(head.method, frame, call);
    } catch (error) {
      if (!isEnvelopeError(error)) throw error;
      this.#drop(undefined, error.message);
    }
  }

  #asked(id: RequestId, method: string, frame: Wire, call: PooledCall | undefined): void {
    if (method === "ping") return void this.answer(id, { jsonrpc: "2.0", result: {} });
    const outcome = gate(this.upstream.version, method, "serverToClient", this.upstream.capabilities, frame["params"]);
    if (outcome.outcome === "denied") {
      const asked = call ?? (this.#calls.size === 1 ? [...this.#calls][0] : undefined);
      asked?.denied(method, frame["params"]);
      return this.#refuse(id, method, outcome.because, METHOD_NOT_FOUND);
    }
    const askable = [...this.#calls].filter((one) => one.canAsk);
    const owner = call ?? (askable.length === 1 ? askable[0] : undefined);
    if (owner !== undefined) return owner.ask({ id, method, params: frame["params"] });
    if (askable.length > 1) return this.#refuse(id, method, "several requests are in flight, and nobody can tell which it belongs to");
    // What a server asks as soon as the handshake is done may be asked on behalf of the call that comes next.
    if (method !== "roots/list") return this.#refuse(id, method, "it is not associated with a client request");
    const stray = {
      frame,
      timer: setTimeout(() => {
        this.#strays.delete(stray);
        this.#refuse(id, method, "it is not associated with a client request");
      }, STRAY_HOLD),
    };
    stray.timer.unref();
    this.#strays.add(stray);
  }

  #adopt(call: PooledCall): void {
    if (!call.canAsk) return;
    for (const { frame, timer } of this.#strays) {
      clearTimeout(timer);
      call.ask({ id: frame["id"] as RequestId, method: String(frame["method"]), params: frame["params"] });
    }
    this.#strays.clear();
  }

  #refuse(id: RequestId, method: string, because: string, code: number = INVALID_PARAMS): void {
    this.#given.account.tell({ event: "refused", method, code, because });
    void this.answer(id, errorAnswer(id, errorOf(code, `cannot ask the client for ${method}: ${because}`)));
  }

  #told(method: string, frame: Wire, call: PooledCall | undefined): Promise<void> | void {
    const params = isWire(frame["params"]) ? frame["params"] : {};
    if (method === "notifications/cancelled") {
      const id = params["requestId"];
      for (const one of this.#calls) if (one.withdraw(id)) return undefined;
      return this.#drop(method, "nothing in flight has its id");
    }
    if (method === "notifications/progress") {
      const owner = this.tokens.find(params["progressToken"]);
      if (owner === undefined) return this.#drop(method, "nobody asked for it");
      owner.rest?.();
      return owner.hear(frame);
    }
    if (method === "notifications/message") {
      const asking = [...this.#calls].filter((one) => one.logLevel() !== undefined);
      const owner = call ?? (asking.length === 1 ? asking[0] : undefined);
      return owner === undefined ? this.#drop(method, "no request in flight, or more than one, asked for it") : owner.hear(frame);
    }
    if (CHANGES.has(method)) {
      if (this.listeners.size === 0) return this.#drop(method, "nobody listens");
      for (const listener of this.listeners) listener(frame);
      return undefined;
    }
    return call === undefined ? this.#drop(method, "it belongs to no request") : call.hear(frame);
  }

  #drop(method: string | undefined, because: string): void {
    this.#given.account.tell({ event: "dropped", hop: "upstream", method, because });
  }
}

/** What tells of changes, and goes to those who listen. */
const CHANGES: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
]);
