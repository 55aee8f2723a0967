// A modern server behind a legacy session: the client keeps its session, the server sees requests that stand for themselves. What the session knows
// (capabilities, log level, subscriptions) is said anew on each request, and where the server needs input it is asked of the client while the
// client waits.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import type { AskedRequest } from "../envelope.js";
import { isLowerError } from "../errors.js";
import { codecFor, resolve, type Transport } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { TranslationReport } from "../report.js";
import { INVALID_PARAMS } from "../rpc-codes.js";
import { delay } from "../waiting.js";
import { crossAnswer, crossCall, liftAnswer, liftCall, checkShared, type Agreement } from "./agreement.js";
import { codeIn } from "./eras.js";
import { isBridgeError, Refusal, type BridgeFault } from "./errors.js";
import type { Flow } from "./flow.js";
import { messageOf, tell, type Backend, type ClientSide } from "./legacy-session.js";
import { crossingOf, stripMeta, type Crossing } from "./meta.js";
import type { ModernServer } from "./modern-server.js";
import type { BridgeOptions } from "./options.js";
import { withId, withMeta } from "./payload.js";
import { declaredFor } from "./project.js";
import { isLevel, LEVELS, wants } from "./log-levels.js";
import { errorOf } from "./answers.js";
import { readError } from "./refusal.js";
import { askRound } from "./asking.js";
import { endingOf, nextRound, NO_ROUNDS, outcomeOf, printType, retryParams, ROUND_LIMITS, withoutRetryFields, type Ask } from "./rounds.js";
import { Promises } from "./structured.js";
import { Subscription } from "./subscription.js";
import { followProgress, ProgressLine, type Progressing } from "./tokens.js";

/** What a session with a modern server is made of. */
export interface ModernSession {
  readonly server: ModernServer;
  /** True where other sessions use the server's connection too. */
  readonly isShared: boolean;
  readonly downstream: Codec;
  readonly welcome: Wire;
  /** What the client can do, as the server's revision says it. */
  readonly clientCapabilities: Wire;
  readonly clientInfo: Wire | undefined;
}

/** Carries one session to a modern server. https://modelcontextprotocol.io/specification/2026-07-28/basic */
export class ModernBackend implements Backend {
  readonly downstream: Codec;
  readonly upstream: Codec;
  readonly welcome: Wire;
  readonly #session: ModernSession;
  readonly #client: ClientSide;
  readonly #options: BridgeOptions;
  readonly #crossing: Crossing;
  readonly #subscription: Subscription;
  readonly #promises = new Promises();
  /** Codecs by what they say of the client on each request. */
  readonly #codecs = new Map<string, Promise<Codec>>();
  #level: string | undefined;

  private constructor(session: ModernSession, upstream: Codec, client: ClientSide, options: BridgeOptions) {
    this.downstream = session.downstream;
    this.upstream = upstream;
    this.welcome = session.welcome;
    this.#session = session;
    this.#client = client;
    this.#options = options;
    const { profile: down } = session.downstream;
    const { capabilities } = down;
    this.#crossing = crossingOf(
      { revision: session.downstream.version, client: capabilities.client, server: capabilities.server },
      { revision: session.server.revision, client: session.clientCapabilities, server: session.server.discovered["capabilities"] },
    );
    this.#subscription = new Subscription({
      server: session.server,
      codec: () => this.#codec("subscriptions/listen", false),
      advertised: session.server.discovered["capabilities"],
      push: (frame) => this.#pushed(frame),
      options,
      account: client.account,
    });
    if (!session.isShared) session.server.stray = (frame) => this.#strayed(frame);
  }

  /** Makes the backend of a session. */
  static async open(session: ModernSession, client: ClientSide, options: BridgeOptions): Promise<ModernBackend> {
    const upstream = await upstreamCodec(session, session.clientCapabilities, undefined);
    return new ModernBackend(session, upstream, client, options);
  }

  async call(flow: Flow): Promise<Wire> {
    const own = OWN[flow.method];
    if (own === undefined) {
      // A client that asks for something is ready, whether or not it said so.
      void this.#subscription.start();
      return this.#carry(flow);
    }
    // Held against the client's own agreement first: what was not advertised is not there.
    const asking = liftCall(this.downstream, flow.message);
    checkShared(this.downstream, this.downstream, asking, "clientToServer");
    const params = isWire(asking.params) ? asking.params : {};
    await own(this, params);
    return { jsonrpc: "2.0", id: flow.id, result: {} };
  }

  /** Keeps the level for the requests to come. https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging */
  setLevel(level: unknown): void {
    if (!isLevel(level)) {
      throw new Refusal(
        errorOf(INVALID_PARAMS, `cannot set the log level: ${JSON.stringify(level)} is none; there are ${LEVELS.join(", ")}`),
      );
    }
    this.#level = level;
  }

  /** Watches a resource; rejects where the server does not take it up. */
  watch(uri: unknown): Promise<void> {
    return this.#subscription.watch(uri);
  }

  /** Watches a resource no longer. */
  unwatch(uri: unknown): Promise<void> {
    return this.#subscription.unwatch(uri);
  }

  async #carry(flow: Flow): Promise<Wire> {
    const { method, message } = flow;
    const codec = await this.#codec(method, flow.sink.canStream);
    const agreement: Agreement = { downstream: this.downstream, upstream: codec, policy: this.#options.policy };
    const leg: Leg = { flow, line: ProgressLine.of(message["params"]) };
    const minted = leg.line === undefined ? undefined : this.#session.server.tokens.mint(leg);
    try {
      return withId(await this.#rounds(flow, agreement, leg, minted), flow.id, message);
    } finally {
      if (minted !== undefined) this.#session.server.tokens.end(minted);
    }
  }

  /** Asks the server until it is done, and the client whatever the server needs to know in between. */
  async #rounds(flow: Flow, agreement: Agreement, leg: Leg, minted: string | undefined): Promise<Wire> {
    const { upstream } = agreement;
    const { limits, choices } = this.#options;
    const facts = {
      method: flow.method,
      revision: upstream.version,
      declared: upstream.capabilities.client,
      inexpressible: (ask: Ask) => this.#whyInexpressible(ask),
      limits: { ...ROUND_LIMITS, rounds: limits.rounds, idleRounds: limits.emptyRounds },
    };
    let state = NO_ROUNDS;
    let responses: Readonly<Record<string, Wire>> | undefined;
    for (;;) {
      const { answer, asked } = await this.#leg(agreement, leg, minted, (params) => retryParams(params, state, responses));
      const lifted = liftAnswer(upstream, answer, asked);
      const result = lifted.kind === "result" && isWire(lifted.result) ? lifted.result : undefined;
      const outcome = result === undefined ? "complete" : outcomeOf(result);
      if (result === undefined || outcome === "complete") return this.#back(agreement, answer, asked);
      if (outcome === "unknown") throw Refusal.of(strangeResult(flow.method, result));
      const step = nextRound(state, result, facts);
      if (step.kind === "end") return { jsonrpc: "2.0", ...endingOf(flow.method, step.fault, choices) };
      if (step.afterMs > 0) await delay(step.afterMs, flow.signal);
      state = step.state;
      responses = undefined;
      if (step.kind === "retry") continue;
      const report = new TranslationReport();
      const room = { questions: this.#client.questions, downstream: this.downstream, policy: this.#options.policy, choices, flow, report };
      const answered = await askRound(step.asks, room);
      this.#client.account.translated(agreement, { method: flow.method, direction: "serverToClient", part: "params" }, report);
      if ("fault" in answered) return { jsonrpc: "2.0", ...endingOf(flow.method, answered.fault, choices) };
      responses = answered.responses;
    }
  }

  /** Asks the server once. */
  async #leg(
    agreement: Agreement,
    leg: Leg,
    minted: string | undefined,
    retry: (params: Wire) => Wire,
  ): Promise<{ readonly answer: Wire; readonly asked: AskedRequest }> {
    const { message, method } = leg.flow;
    const { version } = agreement.upstream;
    const steps = new TranslationReport();
    const edit = (params: unknown): unknown => {
      if (!isWire(params)) return minted === undefined ? params : withMeta(params, "progressToken", minted);
      const own = retry(withoutRetryFields(method, stripMeta(params, this.#crossing), version));
      return minted === undefined ? own : withMeta(own, "progressToken", minted);
    };
    leg.line?.startLeg();
    const { outbound, asking } = crossCall(agreement, message, "clientToServer", edit, steps);
    this.#client.account.translated(agreement, { method, direction: "clientToServer", part: "params" }, steps);
    const request = enveloped(agreement.upstream, outbound);
    const asked = { method, params: asking.params };
    return { answer: await this.#ask(request, leg), asked };
  }

  async #ask(request: Wire, leg: Leg): Promise<Wire> {
    const { flow } = leg;
    const call = this.#session.server.start({
      request,
      signal: flow.signal,
      timeout: this.#options.timeouts.call,
      reason: () => flow.reason,
      onFrame: (frame) => this.#heard(frame, leg),
    });
    leg.rest = () => call.rest();
    return call.answer;
  }

  /** Takes an answer to the client; a list of tools without those an HTTP client has to leave out. */
  #back(agreement: Agreement, answer: Wire, asked: AskedRequest): Wire {
    const steps = new TranslationReport();
    const edit = (result: unknown): unknown => this.#kept(asked, isWire(result) ? stripMeta(result, this.#crossing) : result);
    const settled = this.#settled(answer);
    const reply = crossAnswer(agreement, settled, asked, "clientToServer", edit, steps);
    this.#client.account.translated(
      agreement,
      { method: asked.method, direction: "serverToClient", part: "error" in answer ? "error" : "result" },
      steps,
    );
    return reply;
  }

  /** Keeps the promises of the server's tools. */
  #kept({ method, params }: AskedRequest, result: unknown): unknown {
    const keeps = this.#options.choices.missingStructured === "lift";
    if (method === "tools/list") return this.#withoutInvalid(keeps ? this.#promises.listed(result) : result);
    return keeps && method === "tools/call" && isWire(params) ? this.#promises.called(params["name"], result) : result;
  }

  #withoutInvalid(result: unknown): unknown {
    const { server } = this.#session;
    if (!isWire(result) || server.peer.transport !== "streamable-http" || !Array.isArray(result["tools"])) return result;
    const invalid = new Map(server.learn(result["tools"]).map(({ name, reason }) => [name as unknown, reason]));
    if (invalid.size === 0) return result;
    for (const [name, reason] of invalid) {
      this.#client.account.tell({
        event: "dropped",
        hop: "upstream",
        method: "tools/list",
        because: `the tool ${String(name)}: ${reason}`,
      });
    }
    return { ...result, tools: result["tools"].filter((tool) => !isWire(tool) || !invalid.has(tool["name"])) };
  }

  /** A refusal for want of a capability that the client has and the bridge withheld is the bridge's, not the client's. */
  #settled(answer: Wire): Wire {
    const error = readError(answer);
    if (error === undefined) return answer;
    const { server } = this.#session;
    if (error.code === codeIn("modern", "UNSUPPORTED_PROTOCOL_VERSION")) {
      const message = `cannot use the server any longer at ${server.revision}: ${String(error.message)}`;
      throw Refusal.of({ kind: "upstream-unavailable", message, retry: "fresh" });
    }
    if (error.code !== codeIn("modern", "MISSING_REQUIRED_CLIENT_CAPABILITY") || !isWire(error.data)) return answer;
    const needed = error.data["requiredCapabilities"];
    const isWithheld = isWire(needed) && Object.keys(needed).every((key) => Object.hasOwn(this.#session.clientCapabilities, key));
    if (!isWithheld) return answer;
    const message = `cannot ask the client for ${Object.keys(needed).join(", ")}: its request has no way for questions`;
    throw Refusal.of({ kind: "not-translatable", message });
  }

  /** Says why a question cannot be put to the client, where it cannot. */
  #whyInexpressible({ method, params }: Ask): string | undefined {
    try {
      this.downstream.lower(method, "params", params, this.#options.policy);
      return undefined;
    } catch (error) {
      if (isLowerError(error)) return error.message;
      throw error;
    }
  }

  #heard(frame: Wire, leg: Leg): Promise<void> | void {
    const { method, params } = frame;
    if (typeof method !== "string" || frame["id"] !== undefined)
      return this.#drop(undefined, "a modern server asks nothing beside its answers");
    if (method === "notifications/progress") return this.#progressed(frame, leg);
    if (method === "notifications/message" && !this.#wants(params)) return this.#drop(method, "it is below the level that was asked for");
    return this.#give(frame, leg.flow);
  }

  #progressed(frame: Wire, leg: Leg): Promise<void> | void {
    const progressed = followProgress(this.#session.server.tokens, frame, leg);
    return "because" in progressed ? this.#drop("notifications/progress", progressed.because) : this.#give(progressed.frame, leg.flow);
  }

  #give(frame: Wire, flow: Flow): Promise<void> | void {
    const outbound = this.#crossDown(frame);
    if (outbound === undefined) return undefined;
    const written = tell(this.#client, outbound, flow.sink);
    if (written === false) this.#drop(String(frame["method"]), "the client takes nothing before the answer");
    else return written;
  }

  /** Takes a frame that belongs to no request under way. */
  #strayed(frame: Wire): void {
    const { method, params } = frame;
    if (method === "notifications/message" && !this.#wants(params)) this.#drop(method, "it is below the level that was asked for");
    else if (!this.#pushed(frame)) this.#drop(String(method), "the client has no stream for it");
  }

  #wants(params: unknown): boolean {
    const level = isWire(params) ? params["level"] : undefined;
    return wants(this.#level, level);
  }

  /** Gives a frame to the client that belongs to no request of it; false where there is no stream for it now. */
  #pushed(frame: Wire): boolean {
    const outbound = this.#crossDown(frame);
    return outbound === undefined || this.#client.link.push(outbound);
  }

  #crossDown(frame: Wire): Wire | undefined {
    const steps = new TranslationReport();
    const agreement = { downstream: this.downstream, upstream: this.upstream, policy: this.#options.policy };
    try {
      const edit = (params: unknown): unknown => (isWire(params) ? stripMeta(params, this.#crossing) : params);
      const { outbound, asking } = crossCall(agreement, frame, "serverToClient", edit, steps);
      this.#client.account.translated(this, { method: asking.method, direction: "serverToClient", part: "params" }, steps);
      return outbound;
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      this.#drop(String(frame["method"]), messageOf(error));
      return undefined;
    }
  }

  async notify({ method, params }: Wire): Promise<void> {
    if (method === "notifications/initialized") return this.#subscription.start();
    const because = "a modern server has no way to hear it";
    if (method === "notifications/progress" && isWire(params)) this.#client.questions.rest();
    this.#client.account.tell({ event: "dropped", hop: "downstream", method: String(method), because });
  }

  hears(): void {
    this.#subscription.hears();
  }

  async close(): Promise<void> {
    this.#subscription.close();
    if (!this.#session.isShared) await this.#session.server.peer.close();
  }

  /** Gives the codec that says on each request what this request can be answered with. */
  #codec(method: string, canAsk: boolean): Promise<Codec> {
    const { version } = this.upstream;
    const declared = declaredFor(this.#session.clientCapabilities, { method, revision: version, canAsk });
    const key = `${String(declared === this.#session.clientCapabilities)} ${this.#level ?? ""}`;
    const found = this.#codecs.get(key);
    if (found !== undefined) return found;
    const made = upstreamCodec(this.#session, declared, this.#level);
    this.#codecs.set(key, made);
    return made;
  }

  #drop(method: string | undefined, because: string): void {
    this.#client.account.tell({ event: "dropped", hop: "upstream", method, because });
  }
}

interface Leg extends Progressing {
  readonly flow: Flow;
}

/** What a legacy client asks that the modern era has no request for: the session's own. */
const OWN: Readonly<Record<string, (backend: ModernBackend, params: Wire) => Promise<void> | void>> = {
  "logging/setLevel": (backend, { level }) => backend.setLevel(level),
  "resources/subscribe": (backend, { uri }) => backend.watch(uri),
  "resources/unsubscribe": (backend, { uri }) => backend.unwatch(uri),
};

async function upstreamCodec(
  { server, clientInfo }: ModernSession,
  clientCapabilities: Wire,
  logLevel: string | undefined,
): Promise<Codec> {
  const transport: Transport = server.peer.transport;
  const session = { client: clientCapabilities, server: server.discovered["capabilities"], transport };
  const profile = resolve({ revision: server.revision, ...session });
  const hop = { clientCapabilities, ...(clientInfo === undefined ? {} : { clientInfo }), ...(logLevel === undefined ? {} : { logLevel }) };
  return codecFor(server.revision, profile, { ...hop, checked: true });
}

/** A request no revision knows needs the metadata of every modern request all the same; it is what any other request of the same hop says. */
function enveloped(codec: Codec, request: Wire): Wire {
  const { method, params } = request;
  if (typeof method !== "string" || codec.method(method) !== undefined) return request;
  const said = codec.lower("server/discover", "params", {});
  const own = isWire(said) && isWire(said["_meta"]) ? said["_meta"] : {};
  let next: unknown = params;
  for (const [key, value] of Object.entries(own)) next = withMeta(next, key, value);
  return { ...request, params: next };
}

/** A result of a kind no revision has must not be taken for one that is there. */
function strangeResult(method: string, result: Wire): BridgeFault {
  const message = `cannot read the answer to ${method}: its result type is ${printType(result["resultType"])}`;
  return { kind: "upstream-violation", message, sideEffects: "possible" };
}
