// A legacy server behind a legacy session: one conversation with the server for each one with a client. Both shake hands, each at its own revision;
// after that everything goes through, field by field, with ids and progress tokens of the bridge's own on either side.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { readHead, type RequestId } from "../envelope.js";
import { isEnvelopeError } from "../errors.js";
import type { Method } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { TranslationReport } from "../report.js";
import { Stopper } from "../stop.js";
import { crossAnswer, crossCall, type Agreement, type Asking } from "./agreement.js";
import { isBridgeError, isUnreachable, Refusal } from "./errors.js";
import type { Flow } from "./flow.js";
import { FIRST_ID, shakeAgain, type Agreed } from "./handshake.js";
import { messageOf, tell, type Backend, type ClientSide } from "./legacy-session.js";
import { crossingOf, factsOf, stripMeta, type Crossing } from "./meta.js";
import type { BridgeOptions } from "./options.js";
import { withId, withMeta } from "./payload.js";
import type { Peer, Sink } from "./peer.js";
import { whyUnanswered } from "./questions.js";
import { errorAnswer, errorOf } from "./answers.js";
import { errorFor } from "./refusal.js";
import { outcomeOf, unfinished } from "./rounds.js";
import { Promises } from "./structured.js";
import { followProgress, ProgressLine, ProgressTokens, type Progressing } from "./tokens.js";
import { cancellationOf, drain, pump, startCall } from "./upstream-call.js";
import { PendingChanges } from "./watching.js";
import { INTERNAL_ERROR, INVALID_REQUEST } from "../rpc-codes.js";
import { within } from "../waiting.js";

/** Carries one session to a server of the same era. https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export class RelayBackend implements Backend {
  readonly downstream: Codec;
  readonly upstream: Codec;
  readonly welcome: Wire;
  readonly #agreed: Agreed;
  readonly #agreement: Agreement;
  readonly #crossing: Crossing;
  readonly #server: ServerEnd;
  #peer: Peer;
  readonly #client: ClientSide;
  readonly #options: BridgeOptions;
  readonly #tokens = new ProgressTokens<RelayedCall>();
  readonly #unheard: PendingChanges;
  readonly #promises = new Promises();
  /** The server's questions under way, by the ids it gave them. */
  readonly #asked = new Map<RequestId, Stopper>();
  #lastId = FIRST_ID;
  #isClosed = false;
  /** Resolves once the server was told that the handshake is done. */
  #started: Promise<void> = Promise.resolve();
  /** What the server said before the client was ready for it; undefined once it is. */
  #early: Wire[] | undefined = [];
  /** The session being begun anew, if it is. */
  #renewing: Promise<void> | undefined;
  /** What a new session at the server has to be told of: the log level, and the resources that are watched. */
  #level: Wire | undefined;
  readonly #watched = new Map<string, Wire>();
  /** The notification that was the last thing the server got; undefined where it was a request. */
  #lastNote: string | undefined;

  /** Takes over once both handshakes are done, and says so to the server: whatever becomes of the client, the server's hop is complete. */
  constructor(agreed: Agreed, client: ClientSide, server: ServerEnd, options: BridgeOptions) {
    const { agreement, peer, welcome } = agreed;
    this.downstream = agreement.downstream;
    this.upstream = agreement.upstream;
    this.welcome = welcome;
    this.#agreed = agreed;
    this.#agreement = agreement;
    this.#peer = peer;
    this.#client = client;
    this.#server = server;
    this.#options = options;
    this.#unheard = new PendingChanges(options.limits.watched);
    this.#crossing = crossingOf(factsOf(agreement.downstream), factsOf(agreement.upstream));
    this.#attach(peer);
    this.#started = this.#start();
  }

  /** Listens to a connection until it is over. */
  #attach(peer: Peer): void {
    void pump(peer, (frame) => this.#heard(frame, undefined));
    void peer.closed.then((reason) => {
      if (this.#isClosed || this.#peer !== peer) return;
      if (isUnreachable(reason) && reason.sessionGone) void this.#renew(peer, reason).catch((error: unknown) => this.#over(error));
      else this.#over(reason);
    });
  }

  #over(reason: unknown): void {
    if (this.#lastNote !== undefined && this.#lastNote !== INITIALIZED) this.#server.deafTo.add(this.#lastNote);
    if (!this.#isClosed) this.#client.link.end(`the server is gone: ${messageOf(reason)}`);
  }

  async #start(): Promise<void> {
    const peer = this.#peer;
    const told = peer.notify({ jsonrpc: "2.0", method: INITIALIZED }).catch((error: unknown) => this.#drop("upstream", INITIALIZED, error));
    // A request may overtake it; servers that mind wait a little themselves.
    await within(told, GRACE_MS);
    // A server need not have such a stream, and the session goes on without one.
    void peer.listen().catch((error: unknown) => this.#drop("upstream", undefined, error));
  }

  /** Lets out what the server said before the client was ready. */
  #ready(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const frame of early) void this.#heard(frame, undefined);
  }

  async call(flow: Flow): Promise<Wire> {
    await this.#started;
    if (flow.method !== SET_LEVEL) this.#ready();
    const call: RelayedCall = { flow, line: ProgressLine.of(flow.message["params"]) };
    const minted = call.line === undefined ? undefined : this.#tokens.mint(call);
    try {
      const edit = (params: unknown): unknown => {
        const stripped = this.#stripped(params);
        return minted === undefined ? stripped : withMeta(stripped, "progressToken", minted);
      };
      const steps = new TranslationReport();
      const { outbound, asking } = crossCall(this.#agreement, flow.message, "clientToServer", edit, steps);
      this.#client.account.translated(this.#agreement, { method: flow.method, direction: "clientToServer", part: "params" }, steps);
      const answer = await this.#answered(outbound, call);
      this.#checkFinished(flow.method, answer["result"]);
      const back = new TranslationReport();
      const own = (result: unknown): unknown => this.#kept(asking, this.#stripped(result));
      const reply = crossAnswer(this.#agreement, answer, { method: flow.method, params: asking.params }, "clientToServer", own, back);
      this.#client.account.translated(
        this.#agreement,
        { method: flow.method, direction: "serverToClient", part: "error" in answer ? "error" : "result" },
        back,
      );
      if (!("error" in answer)) this.#keep(outbound);
      return withId(reply, flow.id, flow.message);
    } finally {
      if (minted !== undefined) this.#tokens.end(minted);
    }
  }

  /**
   * Asks the server, and once more in a session begun anew where it has lost the first: it did not read the request, but what may do something is
   * the client's to ask again.
   */
  async #answered(outbound: Wire, call: RelayedCall): Promise<Wire> {
    await this.#renewing;
    const peer = this.#peer;
    try {
      return await this.#ask(outbound, call);
    } catch (error) {
      if (!isUnreachable(error) || !error.sessionGone || this.#isClosed) throw error;
      await this.#renew(peer, error);
      if (!REPEATABLE.has(call.flow.method)) throw lost(call.flow.method);
      return this.#ask(outbound, call);
    }
  }

  async #ask(outbound: Wire, call: RelayedCall): Promise<Wire> {
    const { flow } = call;
    const peer = this.#peer;
    const id = this.#nextId();
    this.#lastNote = undefined;
    const under = startCall(peer, withId(outbound, id), {
      signal: flow.signal,
      timeout: this.#options.timeouts.call,
      onFrame: (frame) => void this.#heard(frame, flow),
      onEnd: (why) => void this.#cancelUpstream(id, why === "late" ? "no answer in time" : flow.reason),
    });
    call.rest = () => under.rest();
    const answer = await under.answer;
    await drain(peer, (frame) => this.#heard(frame, undefined));
    return answer;
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  /** Keeps what a new session would have to be told. */
  #keep(outbound: Wire): void {
    const uri = isWire(outbound["params"]) ? outbound["params"]["uri"] : undefined;
    if (outbound["method"] === SET_LEVEL) this.#level = outbound;
    else if (outbound["method"] === SUBSCRIBE && typeof uri === "string") this.#watched.set(uri, outbound);
    else if (outbound["method"] === UNSUBSCRIBE && typeof uri === "string") this.#watched.delete(uri);
  }

  /** Begins the session at the server anew, once for all who found it gone. Rejects with a `BridgeError`. */
  #renew(gone: Peer, because: Error): Promise<void> {
    if (this.#peer !== gone) return this.#renewing ?? Promise.resolve();
    this.#renewing ??= this.#begin(gone, because).finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async #begin(gone: Peer, because: Error): Promise<void> {
    const peer = await this.#server.renew();
    try {
      await shakeAgain(this.#agreed, peer, this.#options);
    } catch (error) {
      await peer.close();
      throw error;
    }
    this.#peer = peer;
    this.#attach(peer);
    void gone.close();
    this.#client.account.tell({ event: "reconnected", because: because.message });
    await this.#start();
    const { signal } = new AbortController();
    for (const told of [...(this.#level === undefined ? [] : [this.#level]), ...this.#watched.values()]) {
      const call = startCall(peer, withId(told, this.#nextId()), { signal, timeout: this.#options.timeouts.handshake });
      await call.answer.catch((error: unknown) => this.#drop("upstream", String(told["method"]), error));
    }
    // What changed meanwhile nobody told.
    for (const uri of this.#watched.keys()) {
      this.#client.account.tell({ event: "made-up", method: UPDATED, because: "it may have been missed while there was no session" });
      void this.#give(UPDATED, { jsonrpc: "2.0", method: UPDATED, params: { uri } }, undefined);
    }
  }

  /** A server of this era finishes what it answers: what says otherwise is no success, and no question either. */
  #checkFinished(method: string, result: unknown): void {
    if (!isWire(result) || this.upstream.method(method) === undefined || outcomeOf(result) === "complete") return;
    throw unfinished(method, result, this.upstream.version);
  }

  /** Keeps the promises of the server's tools. */
  #kept({ method, params }: Asking, result: unknown): unknown {
    if (this.#options.choices.missingStructured === "keep") return result;
    if (method === "tools/list") return this.#promises.listed(result);
    return method === "tools/call" && isWire(params) ? this.#promises.called(params["name"], result) : result;
  }

  #stripped(payload: unknown): unknown {
    return isWire(payload) ? stripMeta(payload, this.#crossing) : payload;
  }

  async #cancelUpstream(id: number, reason: string | undefined): Promise<void> {
    await this.#tellServer(cancellationOf(id, reason)).catch((error: unknown) => this.#drop("upstream", CANCELLED, error));
  }

  /** Hands the server a notification, unless servers like it have ended at such a one. */
  async #tellServer(message: Wire): Promise<void> {
    const method = String(message["method"]);
    if (this.#server.deafTo.has(method)) return this.#drop("upstream", method, "the server has ended at one before");
    this.#lastNote = method;
    await this.#peer.notify(message);
  }

  async notify(message: Wire): Promise<void> {
    await this.#started;
    if (message["method"] === INITIALIZED) return this.#ready();
    const steps = new TranslationReport();
    const own = (params: unknown): unknown => this.#stripped(params);
    const { outbound, asking } = crossCall(this.#agreement, message, "clientToServer", own, steps);
    this.#client.account.translated(this.#agreement, { method: asking.method, direction: "clientToServer", part: "params" }, steps);
    await this.#tellServer(outbound);
  }

  hears(): void {
    for (const frame of this.#unheard.drain()) this.#client.link.push(frame);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const controller of this.#asked.values()) controller.abort();
    await this.#peer.close();
  }

  /** Takes a frame of the server's: on the stream of a request, or beside all of them. */
  #heard(frame: Wire, flow: Flow | undefined): Promise<void> | void {
    try {
      const head = readHead(frame);
      const isEarly = this.#early !== undefined && flow === undefined && head.kind !== "response" && head.method !== "ping";
      if (isEarly) return this.#hold(head.method, frame);
      if (head.kind === "response") return this.#drop("upstream", undefined, "it answers nothing that was asked");
      if (head.kind === "request") return void this.#question(head.id, head.method, frame, flow);
      return this.#told(head.method, frame, flow);
    } catch (error) {
      if (!isEnvelopeError(error)) throw error;
      this.#drop("upstream", undefined, error);
    }
  }

  /** Keeps what the client may not see yet. */
  #hold(method: string, frame: Wire): void {
    if (this.#early !== undefined && this.#early.length < MOST_EARLY) this.#early.push(frame);
    else this.#drop("upstream", method, "the client is not ready, and too much waits for it");
  }

  #told(method: string, frame: Wire, flow: Flow | undefined): Promise<void> | void {
    const { params } = frame;
    if (method === CANCELLED) {
      const id = isWire(params) ? params["requestId"] : undefined;
      const question = this.#asked.get(id as RequestId);
      if (question === undefined) return this.#drop("upstream", method, "nothing in flight has its id");
      question.abort();
      return undefined;
    }
    if (method === "notifications/progress") return this.#progressed(frame);
    return this.#give(method, frame, flow?.sink);
  }

  #progressed(frame: Wire): Promise<void> | void {
    const progressed = followProgress(this.#tokens, frame);
    if ("because" in progressed) return this.#drop("upstream", "notifications/progress", progressed.because);
    return this.#give("notifications/progress", progressed.frame, progressed.owner.flow.sink);
  }

  #give(method: string, frame: Wire, sink: Sink | undefined): Promise<void> | void {
    const outbound = this.#crossDown(method, frame);
    if (outbound === undefined) return undefined;
    // What a server logs is most likely of the request it works at; that comes before its answer only on the same stream.
    const written = tell(this.#client, outbound, sink ?? (method === "notifications/message" ? this.#streamFor(undefined) : undefined));
    if (written !== false) return written;
    if (this.#unheard.add(outbound)) return undefined;
    const only = sink === undefined ? this.#streamFor(undefined) : undefined;
    if (only !== undefined) return only.write(outbound);
    this.#drop("upstream", method, "the client has no stream for it");
  }

  #crossDown(method: string, frame: Wire): Wire | undefined {
    const steps = new TranslationReport();
    try {
      const own = (params: unknown): unknown => this.#stripped(params);
      const { outbound } = crossCall(this.#agreement, frame, "serverToClient", own, steps);
      this.#client.account.translated(this.#agreement, { method, direction: "serverToClient", part: "params" }, steps);
      return outbound;
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      this.#drop("upstream", method, error);
      return undefined;
    }
  }

  /** Answers a question of the server's, by asking the client where that is the only one who knows. */
  async #question(id: RequestId, method: string, frame: Wire, flow: Flow | undefined): Promise<void> {
    const peer = this.#peer;
    const answer = await this.#answerTo(id, method, frame, flow);
    if (answer === undefined) return;
    this.#lastNote = undefined;
    await peer.notify(withId(answer, id, frame)).catch((error: unknown) => this.#drop("upstream", method, error));
  }

  async #answerTo(id: RequestId, method: string, frame: Wire, flow: Flow | undefined): Promise<Wire | undefined> {
    if (method === "ping") return { jsonrpc: "2.0", id, result: {} };
    if (this.#asked.has(id)) return errorAnswer(id, errorOf(INVALID_REQUEST, `cannot ask ${method}: a question with its id is open`));
    const controller = new Stopper();
    this.#asked.set(id, controller);
    try {
      const steps = new TranslationReport();
      const own = (payload: unknown): unknown => this.#stripped(payload);
      const { outbound, asking } = crossCall(this.#agreement, frame, "serverToClient", own, steps);
      this.#client.account.translated(this.#agreement, { method, direction: "serverToClient", part: "params" }, steps);
      const { jsonrpc: _, id: __, method: ___, params, ...beside } = outbound;
      const to = this.#streamFor(flow);
      const answered = await this.#client.questions.ask({ method, params, to, signal: controller.signal, beside });
      if (answered.end === "withdrawn") return undefined;
      if (answered.end !== "answered") {
        return errorAnswer(id, errorOf(INTERNAL_ERROR, `cannot ask the client for ${method}: ${whyUnanswered(answered.end)}`));
      }
      const back = new TranslationReport();
      const asked = { method, params: asking.params };
      const reply = crossAnswer(this.#agreement, answered.response, asked, "serverToClient", own, back);
      this.#client.account.translated(
        this.#agreement,
        { method, direction: "clientToServer", part: "error" in reply ? "error" : "result" },
        back,
      );
      return reply;
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      const written = errorFor(error, method, { from: this.upstream, to: this.downstream });
      this.#client.account.tell({ event: "refused", method, code: Number(written["code"]), because: messageOf(error) });
      return errorAnswer(id, written);
    } finally {
      this.#asked.delete(id);
    }
  }

  /**
   * Finds where a question goes: on the stream of the request it came with; else on the stream of the only request in flight, since a client that
   * waits for an answer may read nothing else; else beside all of them.
   */
  #streamFor(flow: Flow | undefined): Sink | undefined {
    if (flow !== undefined) return flow.sink;
    if (this.#client.link.transport !== "streamable-http") return undefined;
    return this.#client.flows.only((one) => one.sink.canStream)?.sink;
  }

  #drop(hop: "downstream" | "upstream", method: string | undefined, because: unknown): void {
    this.#client.account.tell({ event: "dropped", hop, method, because: messageOf(because) });
  }
}

/** What a relay needs of whoever knows the server. */
export interface ServerEnd {
  /** Opens another connection with it. */
  readonly renew: () => Promise<Peer>;
  /** The notifications at which it has ended, of this session and others. */
  readonly deafTo: Set<string>;
}

/** How long requests wait for the delivery of what completes the handshake, in milliseconds. */
const GRACE_MS = 1000;

/** How much of what a server says is kept before the client is ready. */
const MOST_EARLY = 1024;

/** What may be asked twice: it only reads, or sets what is set again. */
const REPEATABLE: ReadonlySet<string> = new Set<Method>([
  "tools/list",
  "prompts/list",
  "prompts/get",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "completion/complete",
  "logging/setLevel",
]);

const INITIALIZED = "notifications/initialized" satisfies Method;
const CANCELLED = "notifications/cancelled" satisfies Method;
const UPDATED = "notifications/resources/updated" satisfies Method;
const SET_LEVEL = "logging/setLevel" satisfies Method;
const SUBSCRIBE = "resources/subscribe" satisfies Method;
const UNSUBSCRIBE = "resources/unsubscribe" satisfies Method;

function lost(method: string): Refusal {
  const message = `cannot call ${method}: the server had lost the session; there is a new one, and nothing was done`;
  return Refusal.of({ kind: "state-lost", message, retry: "same" });
}

/** A call under way, as progress finds it. */
interface RelayedCall extends Progressing {
  readonly flow: Flow;
}
