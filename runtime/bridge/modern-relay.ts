// A modern server behind a modern client: no era is translated, but metadata, ids and tokens are each hop's own.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { withField } from "../copy.js";
import type { RequestId } from "../envelope.js";
import { codecFor, resolve } from "../mcp.js";
import type { Direction, Wire } from "../protocol.js";
import { TranslationReport } from "../report.js";
import { crossAnswer, crossCall, type Agreement } from "./agreement.js";
import { isTold } from "./bridge.js";
import type { ModernEnvelope } from "./classify.js";
import { isBridgeError } from "./errors.js";
import type { Account } from "./events.js";
import type { Flow } from "./flow.js";
import type { ParamHeader } from "./headers.js";
import { messageOf } from "./legacy-session.js";
import { META } from "./meta.js";
import type { Behind } from "./modern-front.js";
import type { ModernServer } from "./modern-server.js";
import type { BridgeOptions } from "./options.js";
import { withId, withMeta } from "./payload.js";
import { ProgressLine, progressTokenOf } from "./tokens.js";

/** What a relay is given. */
export interface RelayOptions {
  readonly options: BridgeOptions;
  readonly account: Account;
  /** The revisions clients can speak here, newest first. */
  readonly served: readonly string[];
  readonly server: ModernServer;
}

/** Carries requests that stand for themselves to a server that takes them so. https://modelcontextprotocol.io/specification/2026-07-28/basic */
export class ModernRelay implements Behind {
  readonly #given: RelayOptions;

  constructor(given: RelayOptions) {
    this.#given = given;
  }

  repeated(tool: unknown): readonly ParamHeader[] | undefined {
    return this.#given.server.repeated(tool);
  }

  abandon(): boolean {
    return false;
  }

  /** The server is not this one's alone. */
  async close(): Promise<void> {}

  async answer(flow: Flow, envelope: ModernEnvelope, hops: { from?: Codec; to?: Codec }): Promise<Wire> {
    const { options, server } = this.#given;
    const { message, method } = flow;
    const agreement = await agreementFor(flow, envelope, server, options);
    hops.from = agreement.downstream;
    hops.to = agreement.upstream;
    const token = progressTokenOf(message["params"]);
    const carrying: Carrying = { flow, agreement, line: token === undefined ? undefined : new ProgressLine(token) };
    const minted = carrying.line === undefined ? undefined : server.tokens.mint(carrying);
    try {
      const edit = minted === undefined ? undefined : (params: unknown) => withMeta(params, "progressToken", minted);
      const steps = new TranslationReport();
      const { outbound, asking } = crossCall(agreement, message, "clientToServer", edit, steps);
      this.#tellSteps(agreement, method, "clientToServer", "params", steps);
      const call = server.start({
        request: outbound,
        signal: flow.signal,
        timeout: method === "subscriptions/listen" ? FOREVER : options.timeouts.call,
        reason: () => flow.reason,
        onFrame: (frame) => this.#heard(frame, carrying),
      });
      carrying.rest = () => call.rest();
      const answer = await call.answer;
      const back = new TranslationReport();
      const asked = { method, params: asking.params };
      const own = (result: unknown): unknown => this.#own(method, restamped(result, flow.id));
      const reply = crossAnswer(agreement, answer, asked, "clientToServer", own, back);
      this.#tellSteps(agreement, method, "serverToClient", "error" in answer ? "error" : "result", back);
      return withId(reply, flow.id);
    } finally {
      if (minted !== undefined) server.tokens.end(minted);
    }
  }

  /** Puts in an answer what is the bridge's to say, and learns from it what later requests need. */
  #own(method: string, result: unknown): unknown {
    if (!isWire(result)) return result;
    if (method === "server/discover") return withField(result, "supportedVersions", this.#given.served);
    if (method === "tools/list") this.#given.server.learn(result["tools"]);
    return result;
  }

  #heard(frame: Wire, carrying: Carrying): Promise<void> | void {
    if (frame["method"] !== "notifications/progress") return this.#give(frame, carrying);
    const params = isWire(frame["params"]) ? frame["params"] : {};
    if (this.#given.server.tokens.find(params["progressToken"]) !== carrying)
      return this.#drop("notifications/progress", "nobody asked for it");
    carrying.rest?.();
    const forward = carrying.line?.forward(params);
    if (forward === undefined) return this.#drop("notifications/progress", "it gets no further than the last");
    return this.#give({ ...frame, params: forward }, carrying);
  }

  #give(frame: Wire, { flow, agreement }: Carrying): Promise<void> | void {
    try {
      const steps = new TranslationReport();
      const restamp = (payload: unknown): unknown => restamped(payload, flow.id);
      const { outbound, asking } = crossCall(agreement, frame, "serverToClient", restamp, steps);
      this.#tellSteps(agreement, asking.method, "serverToClient", "params", steps);
      return flow.sink.write(outbound);
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      const { method } = frame;
      this.#drop(typeof method === "string" ? method : undefined, messageOf(error));
    }
  }

  #drop(method: string | undefined, because: string): void {
    this.#given.account.tell({ event: "dropped", hop: "upstream", method, because });
  }

  #tellSteps(
    { downstream, upstream }: Agreement,
    method: string,
    direction: Direction,
    part: "params" | "result" | "error",
    { steps }: TranslationReport,
  ): void {
    const [from, to] = direction === "clientToServer" ? [downstream, upstream] : [upstream, downstream];
    for (const step of steps) {
      if (isTold(step))
        this.#given.account.tell({ event: "translated", method, direction, part, from: from.version, to: to.version, step });
    }
  }
}

/** A subscription is a stream that ends when its client or its server ends it. */
const FOREVER = 2_147_483_647;

interface Carrying {
  readonly flow: Flow;
  readonly agreement: Agreement;
  readonly line: ProgressLine | undefined;
  rest?: () => void;
}

/** Agrees on both hops for one request: what the client says of itself is what the server is told. */
async function agreementFor(
  { id, visit }: Flow,
  envelope: ModernEnvelope,
  server: ModernServer,
  options: BridgeOptions,
): Promise<Agreement> {
  const { revision, clientCapabilities, clientInfo, logLevel } = envelope;
  const capabilities = server.discovered["capabilities"];
  const { peer, revision: upstream } = server;
  const down = resolve({
    revision,
    client: clientCapabilities,
    server: capabilities,
    transport: visit.header === undefined ? "stdio" : "streamable-http",
  });
  const up = resolve({ revision: upstream, client: clientCapabilities, server: capabilities, transport: peer.transport });
  const crosses = revision !== upstream;
  const own = { clientCapabilities, ...(clientInfo === undefined ? {} : { clientInfo }), ...(logLevel === undefined ? {} : { logLevel }) };
  return {
    downstream: await codecFor(revision, down, { subscription: id, checked: crosses }),
    upstream: await codecFor(upstream, up, { ...own, checked: crosses }),
    policy: options.policy,
  };
}

/** What belongs to a subscription names it by the id its own client gave it. */
function restamped(payload: unknown, id: RequestId): unknown {
  return isWire(payload) && isWire(payload["_meta"]) && Object.hasOwn(payload["_meta"], META.subscriptionId)
    ? withMeta(payload, META.subscriptionId, id)
    : payload;
}
