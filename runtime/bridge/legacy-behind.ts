// A legacy server behind modern clients: each request stands for itself, and is carried on a session that the bridge keeps with the server. What the
// server asks in the middle of a call becomes the answer of the client's request; the call waits until the client comes back with what it said.

import { randomBytes } from "node:crypto";
import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { withField } from "../copy.js";
import { lowerEnvelope } from "../envelope.js";
import { isLowerError } from "../errors.js";
import { CapabilitySet, codecFor, gate, resolve } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { TranslationReport } from "../report.js";
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND } from "../rpc-codes.js";
import { crossAnswer, crossCall, type Agreement } from "./agreement.js";
import { errorAnswer, errorOf, paramsOf } from "./answers.js";
import type { ModernEnvelope } from "./classify.js";
import { newestOf } from "./eras.js";
import { isBridgeError, isUnreachable, NotReadable, Refusal } from "./errors.js";
import type { Account } from "./events.js";
import type { Flow } from "./flow.js";
import { ToolBook, type ParamHeader } from "./headers.js";
import { FIRST_ID, shakeHands } from "./handshake.js";
import { messageOf } from "./legacy-session.js";
import { Listening } from "./listening.js";
import { isLevel, wants } from "./log-levels.js";
import { crossingOf, factsOf, NOTHING_CROSSES, stripMessageMeta, stripMeta } from "./meta.js";
import type { Behind } from "./modern-front.js";
import type { BridgeOptions } from "./options.js";
import { ParkedFlow, type Question, type TurnEnd } from "./parked-flow.js";
import { withId, withMeta } from "./payload.js";
import type { Visit } from "./peer.js";
import { PooledSession, type PooledCall } from "./pooled-session.js";
import { discoverResultOf, fingerprintOf, handshakeCapabilities, withoutModernFields } from "./project.js";
import { readError } from "./refusal.js";
import { outcomeOf, readAnswer, takesRounds, unfinished, withoutRetryFields } from "./rounds.js";
import { Seal } from "./seal.js";
import { SessionPool, type Lease, type SessionNeed } from "./session-pool.js";
import { ProgressLine, progressTokenOf } from "./tokens.js";
import { upwardError, urlElicitations } from "./upward-errors.js";
import type { Upstream } from "./upstream.js";

/** What stands in front of a legacy server is given. */
export interface LegacyBehindOptions {
  readonly options: BridgeOptions;
  readonly account: Account;
  /** The revisions clients can speak here, newest first. */
  readonly served: readonly string[];
  readonly upstream: Upstream;
  /** Who asks where nobody says who: the one client of a pipe. */
  readonly anyone?: string | undefined;
}

/** What one request knows of both hops. */
interface Hops {
  readonly lease: Lease;
  readonly agreement: Agreement;
}

/** Carries requests that stand for themselves to a server with sessions. https://modelcontextprotocol.io/specification/2026-07-28/basic */
export class LegacyBehind implements Behind {
  readonly #given: LegacyBehindOptions;
  readonly #pool: SessionPool;
  readonly #seal = new Seal();
  /** The tools clients were shown, by who was: a client over HTTP repeats arguments as they say. */
  readonly #tools = new ToolBook();
  readonly #parked = new Map<string, Parked>();
  /** The rounds of addresses whose clients have not come back, each with its end; a call is made again once. */
  readonly #visits = new Map<string, number>();

  constructor(given: LegacyBehindOptions) {
    this.#given = given;
    this.#pool = new SessionPool(given.options, (need) => this.#openSession(need));
  }

  repeated(tool: unknown, { principal }: Visit): readonly ParamHeader[] | undefined {
    return this.#tools.paramsOf(principal ?? "", tool);
  }

  abandon(principal: string | undefined, id: unknown): boolean {
    for (const parked of this.#parked.values()) {
      if (parked.flow.principal !== (principal ?? this.#given.anyone) || parked.flow.lastId !== id || parked.flow.turn !== undefined)
        continue;
      this.#give(parked, "the client gave the call up");
      return true;
    }
    return false;
  }

  async answer(flow: Flow, envelope: ModernEnvelope, hops: { from?: Codec; to?: Codec }): Promise<Wire> {
    const { method } = flow;
    const params = paramsOf(flow.message) ?? {};
    // Without a state there is nothing to come back to: what was answered to no question is left aside.
    const isRetry = takesRounds(method, envelope.revision) && params["requestState"] !== undefined;
    if (isRetry) return this.#resume(flow, envelope, params, hops);
    try {
      return await this.#attempt(flow, envelope, hops);
    } catch (error) {
      // A server that does not know its session any longer has not read the request: it may be asked once more on another.
      if (!isUnreachable(error) || !error.sessionGone || error.delivered !== "no" || flow.isCancelled) throw error;
      this.#given.account.tell({ event: "reconnected", because: error.message });
      return this.#attempt(flow, envelope, hops);
    }
  }

  async #attempt(flow: Flow, envelope: ModernEnvelope, hops: { from?: Codec; to?: Codec }): Promise<Wire> {
    const { method } = flow;
    const lease = await this.#pool.lease(this.#needOf(flow, envelope));
    let isKept = false;
    try {
      const agreement = await this.#agree(flow, envelope, lease.session);
      hops.from = agreement.downstream;
      hops.to = agreement.upstream;
      if (method === "server/discover") return this.#discover(flow, agreement, lease.session);
      if (method === "subscriptions/listen") return await this.#listen(flow, agreement, lease.session);
      const ended = await this.#call(flow, envelope, { lease, agreement });
      isKept = ended.isKept;
      return ended.answer;
    } finally {
      if (!isKept) await lease.release();
    }
  }

  async notify(message: Wire, visit: Visit): Promise<void> {
    const lease = await this.#pool.lease({ principal: this.#principalOf(visit), fingerprint: "" });
    try {
      await lease.session.notify(stripMessageMeta(message, NOTHING_CROSSES));
    } finally {
      await lease.release();
    }
  }

  /** Ends everything. Never rejects. */
  async close(): Promise<void> {
    for (const parked of this.#parked.values()) parked.flow.close();
    this.#parked.clear();
    await this.#pool.close();
  }

  // Sessions

  #needOf({ method, visit }: Flow, { revision, clientCapabilities }: ModernEnvelope): SessionNeed {
    const to = newestOf(this.#given.upstream.spoken, "legacy") ?? revision;
    const principal = this.#principalOf(visit);
    const mayAsk = takesRounds(method, revision) && this.#pool.shares(principal);
    const fingerprint = mayAsk ? fingerprintOf(handshakeCapabilities(clientCapabilities, { from: revision, to })) : "";
    return { principal, fingerprint };
  }

  #principalOf({ principal }: Visit): string | undefined {
    return principal ?? this.#given.anyone;
  }

  /** Opens a session that declares just what its requests declare. */
  async #openSession({ fingerprint }: SessionNeed): Promise<PooledSession> {
    const { upstream, options, account } = this.#given;
    const offer = newestOf(upstream.spoken, "legacy");
    if (offer === undefined)
      throw Refusal.of({ kind: "upstream-unavailable", message: "cannot shake hands: no legacy revision may be spoken" });
    const opened = await upstream.open("legacy", (method, because) =>
      account.tell({ event: "dropped", hop: "upstream", method: textOf(method), because }),
    );
    if (opened.era !== "legacy")
      throw Refusal.of({ kind: "upstream-unavailable", message: "the server is of the modern era now", retry: "same" });
    const capabilities = fingerprint === "" ? {} : Object.fromEntries(JSON.parse(fingerprint) as [string, unknown][]);
    const message = {
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion: offer, capabilities, clientInfo: options.identity },
    };
    const { signal } = new AbortController();
    return upstream.greeted(
      opened,
      async ({ peer, isUsed, renew }) => {
        const greeting = { message, downstream: offer, offer, spoken: upstream.spoken, transport: "stdio" as const, signal, renew, isUsed };
        const greeted = await shakeHands(greeting, peer, options);
        if ("refused" in greeted) throw new Refusal(greeted.refused);
        if ("modern" in greeted) {
          upstream.learn(greeted.modern);
          throw Refusal.of({ kind: "upstream-unavailable", message: "the server is of the modern era now", retry: "same" });
        }
        const session = new PooledSession({
          isInviting: fingerprint !== "",
          newest: await codecFor(offer, CapabilitySet.allFor(offer).resolve(offer, null)),
          peer: greeted.peer,
          upstream: greeted.agreement.upstream,
          welcome: greeted.welcome,
          options,
          account,
          lastId: FIRST_ID,
        });
        void greeted.peer.closed.then((reason) => this.#lost(session, reason));
        await session.begin();
        return session;
      },
      (because) => account.tell({ event: "reconnected", because }),
    );
  }

  /** What waits on a session that is over cannot go on; its clients hear so when they come back. */
  #lost(session: PooledSession, reason: Error): void {
    this.#pool.forget(session);
    for (const parked of this.#parked.values()) {
      if (parked.hops.lease.session !== session || parked.flow.isDone) continue;
      const message = `cannot go on with ${parked.flow.method}: ${reason.message}`;
      parked.flow.finish({ end: "error", error: Refusal.of({ kind: "state-lost", message, sideEffects: "possible", retry: "fresh" }) });
    }
  }

  async #agree({ id, visit }: Flow, { revision, clientCapabilities }: ModernEnvelope, session: PooledSession): Promise<Agreement> {
    const { options } = this.#given;
    const server = this.#discovered(session)["capabilities"];
    const transport = visit.header === undefined ? "stdio" : "streamable-http";
    const profile = resolve({ revision, client: clientCapabilities, server, transport });
    const { serverInfo } = session.welcome;
    const hop = { subscription: id, checked: true, serverInfo: isWire(serverInfo) ? serverInfo : options.identity };
    return { downstream: await codecFor(revision, profile, hop), upstream: session.upstream, policy: options.policy };
  }

  // What the bridge answers itself

  #discovered(session: PooledSession): Wire {
    const { served, options } = this.#given;
    const channels = { lists: session.hasChannel, resources: session.hasChannel, logs: true };
    return discoverResultOf(session.welcome, served, options.identity, channels);
  }

  #discover(flow: Flow, agreement: Agreement, session: PooledSession): Wire {
    return this.#written(flow, agreement, this.#discovered(session));
  }

  #listen(flow: Flow, agreement: Agreement, session: PooledSession): Promise<Wire> {
    const { options, account } = this.#given;
    return Listening.run({ flow, agreement, session, options, account, advertised: this.#discovered(session)["capabilities"] });
  }

  // Calls

  async #call(flow: Flow, envelope: ModernEnvelope, hops: Hops): Promise<{ readonly answer: Wire; readonly isKept: boolean }> {
    const { lease, agreement } = hops;
    const { session } = lease;
    const { options } = this.#given;
    const { method, message } = flow;
    const mayAsk = takesRounds(method, envelope.revision) && !lease.isOwn && session.isInviting;
    const release = mayAsk && !session.tellsApart ? await session.turn(options.limits.flows, options.timeouts.queue) : undefined;
    if (mayAsk && !session.tellsApart && release === undefined) {
      throw Refusal.of({ kind: "limit", message: `cannot call ${method}: other calls of the same client wait for answers`, retry: "same" });
    }
    const parked = this.#begin(flow, hops, mayAsk, release);
    const { call } = parked;
    const minted = session.tokens.mint(call);
    try {
      const token = progressTokenOf(message["params"]);
      const steps = new TranslationReport();
      const edit = (params: unknown): unknown => this.#downward(method, params, agreement, token === undefined ? undefined : minted);
      const { outbound, asking } = crossCall(agreement, message, "clientToServer", edit, steps);
      this.#given.account.translated(agreement, { method, direction: "clientToServer", part: "params" }, steps);
      parked.asked = { method, params: asking.params };
      const turn = parked.flow.take(turnOf(flow, envelope));
      void this.#run(parked, outbound, minted);
      return await this.#ended(parked, flow, await this.#orLeft(parked, flow, turn));
    } catch (error) {
      this.#end(parked);
      session.tokens.end(minted);
      throw error;
    }
  }

  #begin(flow: Flow, hops: Hops, canAsk: boolean, release: (() => void) | undefined): Parked {
    const { options } = this.#given;
    const { timeouts } = options;
    const parts = {
      id: randomBytes(16).toString("hex"),
      method: flow.method,
      principal: this.#principalOf(flow.visit),
      params: flow.message["params"],
    };
    const parkedFlow = new ParkedFlow(parts, timeouts, () => this.#expire(parked));
    const call: PooledCall = {
      canAsk,
      logLevel: () => parkedFlow.turn?.logLevel,
      ask: (question) => this.#question(parked, question),
      denied: (method, params) => void this.#deny(parked, method, params),
      withdraw: (id) => parkedFlow.withdraw(id),
      hear: (frame) => this.#hear(parked, frame),
    };
    const parked: Parked = {
      flow: parkedFlow,
      call,
      hops,
      controller: new AbortController(),
      release,
      asked: { method: flow.method, params: {} },
    };
    return parked;
  }

  /** Sees the server's call through, whatever the client does meanwhile. */
  async #run(parked: Parked, outbound: Wire, minted: string): Promise<void> {
    const { session } = parked.hops.lease;
    const { timeouts } = this.#given.options;
    try {
      const reason = (): string | undefined => parked.reason;
      const answer = await session.send(outbound, parked.call, parked.controller.signal, timeouts.call, reason);
      parked.flow.finish({ end: "answer", answer });
    } catch (error) {
      parked.flow.finish({ end: "error", error });
    } finally {
      session.tokens.end(minted);
      parked.release?.();
    }
  }

  /** Waits for the end of a turn; a client that leaves in the middle of one gives its call up. */
  async #orLeft(parked: Parked, flow: Flow, turn: Promise<TurnEnd>): Promise<TurnEnd> {
    const leave = (): void => this.#give(parked, flow.reason);
    flow.signal.addEventListener("abort", leave, { once: true });
    if (flow.isCancelled) leave();
    try {
      return await turn;
    } finally {
      flow.signal.removeEventListener("abort", leave);
    }
  }

  /** Writes the end of a turn for the client. */
  async #ended(parked: Parked, flow: Flow, end: TurnEnd): Promise<{ readonly answer: Wire; readonly isKept: boolean }> {
    const { agreement } = parked.hops;
    if (end.end === "ask") return { answer: this.#asking(parked, flow, end.questions), isKept: true };
    this.#end(parked);
    if (end.end === "error") throw this.#failure(parked, end.error);
    const answer = this.#settled(parked, end.answer);
    const urls = urlElicitations(end.answer, agreement.upstream);
    if (urls !== undefined) return { answer: this.#urlRound(parked, flow, urls), isKept: false };
    const steps = new TranslationReport();
    const edit = (result: unknown): unknown => this.#upward(parked.flow.method, result, agreement);
    if (flow.method === "tools/list" && isWire(answer["result"])) this.#tools.read(flow.visit.principal ?? "", answer["result"]["tools"]);
    const reply = crossAnswer(agreement, answer, parked.asked, "clientToServer", edit, steps);
    this.#given.account.translated(
      agreement,
      { method: flow.method, direction: "serverToClient", part: "error" in answer ? "error" : "result" },
      steps,
    );
    return { answer: withId(reply, flow.id, flow.message), isKept: false };
  }

  #failure(parked: Parked, error: unknown): unknown {
    if (!isUnreachable(error)) return error;
    if (error.sessionGone) this.#pool.forget(parked.hops.lease.session);
    return parked.flow.round > 0 ? lostState(parked.flow.method, error.message) : error;
  }

  /** A server whose question could not be put to the client may fail for that; then the client hears which capability it takes. */
  #settled({ flow, hops }: Parked, answer: Wire): Wire {
    const error = readError(answer);
    const { result } = answer;
    const hasFailed = error !== undefined || (isWire(result) && result["isError"] === true);
    if (hasFailed && flow.refused !== undefined) return { jsonrpc: "2.0", id: answer["id"], error: flow.refused };
    return error === undefined ? answer : upwardError(answer, flow.method, hops.agreement);
  }

  // Rounds

  #question(parked: Parked, { id, method, params }: Question): void {
    const { session } = parked.hops.lease;
    const refuse = (error: Wire): void => void session.answer(id, errorAnswer(id, error));
    const because = this.#deny(parked, method, params);
    if (because !== undefined) {
      this.#given.account.tell({ event: "refused", method, code: METHOD_NOT_FOUND, because });
      return refuse(errorOf(METHOD_NOT_FOUND, `cannot ask the client for ${method}: ${because}`));
    }
    if (!parked.call.canAsk)
      return refuse(errorOf(INVALID_PARAMS, `cannot ask the client for ${method}: its request has no way for questions`));
    const canonical = session.speaking(method).lift(method, "params", params);
    const why = this.#whyInexpressible(parked, method, canonical);
    if (why !== undefined) return refuse(errorOf(INVALID_PARAMS, `cannot ask the client for ${method}: ${why}`));
    parked.flow.ask({ id, method, params: canonical });
  }

  /** Says why a question may not be put to the client, and remembers it: the server may fail for it, and the client should hear what it takes. */
  #deny({ hops, flow }: Parked, method: string, params: unknown): string | undefined {
    const { version, capabilities } = hops.agreement.downstream;
    const outcome = gate(version, method, "serverToClient", { client: capabilities.client }, params);
    if (outcome.outcome === "unknown") return "the client's revision has no such question";
    if (outcome.outcome !== "denied") return undefined;
    flow.refused = errorOf(outcome.code ?? INVALID_PARAMS, `cannot ask the client: ${outcome.because}`, outcome.data);
    return outcome.because;
  }

  #whyInexpressible({ hops, flow }: Parked, method: string, params: unknown): string | undefined {
    try {
      const result = { resultType: "input_required", inputRequests: { q: entryOf(method, params) }, requestState: "" };
      hops.agreement.downstream.lower(flow.method, "result", result, this.#given.options.policy);
      return undefined;
    } catch (error) {
      if (isLowerError(error)) return error.message;
      throw error;
    }
  }

  /** Ends the client's request with what the server wants to know; the call waits. */
  #asking(parked: Parked, flow: Flow, questions: ReadonlyMap<string, Question>): Wire {
    const { limits, timeouts } = this.#given.options;
    if (!this.#parked.has(parked.flow.id) && this.#parked.size >= limits.parked) {
      this.#give(parked, "too many calls wait for their clients");
      throw Refusal.of({ kind: "limit", message: `cannot go on with ${flow.method}: ${limits.parked} calls wait for their clients` });
    }
    this.#parked.set(parked.flow.id, parked);
    const expires = Date.now() + timeouts.park;
    const bound = { principal: parked.flow.principal, method: parked.flow.method, params: parked.flow.params };
    const requestState = this.#seal.close({ flow: parked.flow.id, round: parked.flow.round, expires }, bound);
    const inputRequests = Object.fromEntries([...questions].map(([key, { method, params }]) => [key, entryOf(method, params)]));
    return this.#written(flow, parked.hops.agreement, { resultType: "input_required", inputRequests, requestState });
  }

  async #resume(flow: Flow, envelope: ModernEnvelope, params: Wire, hops: { from?: Codec; to?: Codec }): Promise<Wire> {
    const { method, visit } = flow;
    const state = params["requestState"];
    const url = this.#urlState(state, flow, params);
    if (url !== undefined) return this.#afterUrls(flow, envelope, params, url, hops);
    const bound = { principal: this.#principalOf(visit), method, params };
    const opened = this.#seal.open(state, bound, Date.now());
    if ("fault" in opened) throw opened.fault === "invalid" ? REJECTED : lostState(method);
    const parked = this.#parked.get(opened.handle.flow);
    if (parked === undefined) throw lostState(method);
    // Each handle is good for one return: what comes second, comes too late.
    if (opened.handle.round !== parked.flow.round || parked.flow.turn !== undefined) throw REJECTED;
    const { session } = parked.hops.lease;
    const agreement = await this.#agree(flow, envelope, session);
    if (opened.handle.round !== parked.flow.round || parked.flow.turn !== undefined) throw REJECTED;
    parked.hops = { ...parked.hops, agreement };
    hops.from = agreement.downstream;
    hops.to = agreement.upstream;
    this.#deliver(parked, flow, params);
    const turn = parked.flow.take(turnOf(flow, envelope));
    try {
      const ended = await this.#ended(parked, flow, await this.#orLeft(parked, flow, turn));
      if (!ended.isKept) await parked.hops.lease.release();
      return ended.answer;
    } catch (error) {
      await parked.hops.lease.release();
      throw error;
    }
  }

  /** Gives the server the client's answers; what is not there, or is no answer, stays a question. */
  #deliver(parked: Parked, flow: Flow, params: Wire): void {
    const { downstream } = parked.hops.agreement;
    const { session } = parked.hops.lease;
    const { policy, choices } = this.#given.options;
    const lifted = downstream.lift(flow.method, "params", params);
    const responses = isWire(lifted) && isWire(lifted["inputResponses"]) ? lifted["inputResponses"] : {};
    for (const [key, { id, method, params: asked }] of parked.flow.questions) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (!isWire(response) || isWrapped(response)) continue;
      parked.flow.settle(key);
      const read = readAnswer({ key, method, params: isWire(asked) ? asked : undefined }, { result: response }, choices);
      const steps = new TranslationReport();
      try {
        const result = "response" in read ? session.speaking(method).lower(method, "result", read.response, policy, steps) : {};
        this.#given.account.translated(parked.hops.agreement, { method, direction: "clientToServer", part: "result" }, steps);
        void session.answer(id, { jsonrpc: "2.0", result });
      } catch (error) {
        if (!isLowerError(error)) throw error;
        void session.answer(
          id,
          errorAnswer(id, errorOf(INTERNAL_ERROR, `the client's answer to ${method} cannot be written: ${error.message}`)),
        );
      }
    }
    parked.call.rest?.();
  }

  /** Nobody came back in time: the server's questions are answered as by a client that will not, and its call is given up. */
  #expire(parked: Parked): void {
    const { session } = parked.hops.lease;
    for (const { id, method } of parked.flow.questions.values()) {
      const isForm = method === "elicitation/create";
      const late = errorOf(INTERNAL_ERROR, `the client did not come back with an answer to ${method}`);
      void session.answer(id, isForm ? { jsonrpc: "2.0", result: { action: "cancel" } } : errorAnswer(id, late));
    }
    this.#give(parked, "the client did not come back");
  }

  /** Gives a call up: the server hears it, and nobody waits for its answer. */
  #give(parked: Parked, reason: string | undefined): void {
    parked.reason = reason;
    parked.controller.abort();
    this.#end(parked);
    void parked.hops.lease.release();
  }

  #end(parked: Parked): void {
    parked.flow.leave();
    parked.flow.close();
    this.#parked.delete(parked.flow.id);
    parked.release?.();
  }

  // The round of addresses: the server's call has ended, and is made again once the person has been there

  #urlRound(parked: Parked, flow: Flow, urls: readonly Wire[]): Wire {
    const { downstream } = parked.hops.agreement;
    const outcome = gate(
      downstream.version,
      "elicitation/create",
      "serverToClient",
      { client: downstream.capabilities.client },
      { mode: "url" },
    );
    if (outcome.outcome === "denied") {
      const data = { requiredCapabilities: { elicitation: { url: {} } } };
      throw new Refusal(errorOf(outcome.code ?? INVALID_PARAMS, `cannot ask the client: ${outcome.because}`, data));
    }
    const inputRequests = Object.fromEntries(urls.map((params, index) => [`n${index + 1}`, entryOf("elicitation/create", params)]));
    const bound = { principal: parked.flow.principal, method: flow.method, params: flow.message["params"] };
    const expires = Date.now() + this.#given.options.timeouts.park;
    const visit = `${URLS}${urls.length}-${randomBytes(16).toString("hex")}`;
    const requestState = this.#seal.close({ flow: visit, round: 0, expires }, bound);
    this.#keepVisit(visit, expires);
    return this.#written(flow, parked.hops.agreement, { resultType: "input_required", inputRequests, requestState });
  }

  /** Keeps a round of addresses, and as many as calls may wait; the oldest goes first. */
  #keepVisit(visit: string, expires: number): void {
    for (const [oldest, end] of this.#visits) {
      if (end >= Date.now() && this.#visits.size < this.#given.options.limits.parked) break;
      this.#visits.delete(oldest);
    }
    this.#visits.set(visit, expires);
  }

  /** Gives the round of addresses a handle is about; undefined for one of a call that waits. */
  #urlState(state: unknown, { method, visit }: Flow, params: Wire): string | undefined {
    const opened = this.#seal.open(state, { principal: this.#principalOf(visit), method, params }, Date.now());
    if (!("handle" in opened) || !opened.handle.flow.startsWith(URLS)) return undefined;
    return opened.handle.flow;
  }

  async #afterUrls(flow: Flow, envelope: ModernEnvelope, params: Wire, visit: string, hops: { from?: Codec; to?: Codec }): Promise<Wire> {
    if (!this.#visits.has(visit)) throw lostState(flow.method);
    const count = Number(visit.split("-")[1]);
    const responses = isWire(params["inputResponses"]) ? params["inputResponses"] : {};
    for (let index = 1; index <= count; index += 1) {
      const response = responses[`n${index}`];
      if (isWire(response) && response["action"] === "accept") continue;
      const message = `cannot go on with ${flow.method}: the client did not agree to visit an address the server needs`;
      throw Refusal.of({ kind: "client-input-failed", message });
    }
    this.#visits.delete(visit);
    const { requestState: _, inputResponses: __, ...original } = params;
    const message = withField(flow.message, "params", original);
    return this.answer(flow.saying(message), envelope, hops);
  }

  // What is heard on the way

  #hear(parked: Parked, frame: Wire): Promise<void> | void {
    const { turn } = parked.flow;
    const method = String(frame["method"]);
    if (turn === undefined) return this.#drop(method, "its client is away");
    const params = isWire(frame["params"]) ? frame["params"] : {};
    if (method === "notifications/message" && !wants(turn.logLevel, params["level"]))
      return this.#drop(method, "it is below the level that was asked for");
    const forward = method === "notifications/progress" ? turn.line?.forward(params) : params;
    if (forward === undefined) return this.#drop(method, "nobody wants to hear it");
    const { agreement } = parked.hops;
    const steps = new TranslationReport();
    try {
      const told = frame["params"] === undefined ? frame : { ...frame, params: forward };
      const edit = (payload: unknown): unknown => (isWire(payload) ? stripMeta(payload, NOTHING_CROSSES) : payload);
      const { outbound } = crossCall(agreement, told, "serverToClient", edit, steps);
      this.#given.account.translated(agreement, { method, direction: "serverToClient", part: "params" }, steps);
      return turn.flow.sink.canStream ? turn.flow.sink.write(outbound) : this.#drop(method, "the client takes nothing before the answer");
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      this.#drop(method, messageOf(error));
    }
  }

  // Payloads

  #downward(method: string, params: unknown, { downstream, upstream }: Agreement, token: string | undefined): unknown {
    const crossing = crossingOf(factsOf(downstream), factsOf(upstream));
    const own = isWire(params) ? withoutRetryFields(method, stripMeta(params, crossing), downstream.version) : params;
    return withMeta(own, "progressToken", token);
  }

  /** What only the modern era says is the bridge's to say: a server that says it all the same is not believed. */
  #upward(method: string, result: unknown, { upstream }: Agreement): unknown {
    if (!isWire(result)) return result;
    // Without what it says of itself it might pass for finished.
    if (outcomeOf(result) !== "complete" && upstream.method(method) !== undefined) throw unfinished(method, result, upstream.version);
    return stripMeta(withoutModernFields(result), NOTHING_CROSSES);
  }

  #written(flow: Flow, { downstream, policy }: Agreement, result: Wire): Wire {
    const wire = { jsonrpc: "2.0", id: flow.id, result };
    try {
      return lowerEnvelope(downstream, { kind: "result", id: flow.id, method: flow.method, result, wire }, policy);
    } catch (error) {
      if (isLowerError(error)) throw new NotReadable(error, true);
      throw error;
    }
  }

  #drop(method: string | undefined, because: string): void {
    this.#given.account.tell({ event: "dropped", hop: "upstream", method, because });
  }
}

/** A call and what it takes to see it through. */
interface Parked {
  readonly flow: ParkedFlow;
  readonly call: PooledCall;
  /** Those of the request in its turn. */
  hops: Hops;
  readonly controller: AbortController;
  readonly release: (() => void) | undefined;
  asked: { readonly method: string; readonly params: unknown };
  /** Why it was given up. */
  reason?: string | undefined;
}

/** Starts the handles of calls that have ended and are to be made again. */
const URLS = "urls-";
/** Says of every handle that cannot be used the same, so that nobody learns from it. */
const REJECTED = new Refusal(errorOf(INVALID_PARAMS, "cannot go on: the request state is not one to go on with"));

function lostState(method: string, why = "what it waited for is gone"): Refusal {
  const message = `cannot go on with ${method}: ${why}`;
  return Refusal.of({ kind: "state-lost", message, sideEffects: "possible", retry: "fresh" });
}

function entryOf(method: string, params: unknown): Wire {
  return { method, ...(params === undefined ? {} : { params }) };
}

/** Some clients answer with the question's method around the answer; that is no answer. */
function isWrapped(response: Wire): boolean {
  return typeof response["method"] === "string" && isWire(response["result"]);
}

function turnOf(flow: Flow, { logLevel }: ModernEnvelope): { flow: Flow; line: ProgressLine | undefined; logLevel: string | undefined } {
  return { flow, line: ProgressLine.of(flow.message["params"]), logLevel: isLevel(logLevel) ? logLevel : undefined };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
