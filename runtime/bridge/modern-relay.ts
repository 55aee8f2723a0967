// A modern server behind a modern client: no era is translated, but metadata, ids and tokens are each hop's own.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { withField } from "../copy.js";
import type { RequestId } from "../envelope.js";
import { codecFor, resolve, type Method } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { TranslationReport } from "../report.js";
import { crossAnswer, crossCall, type Agreement } from "./agreement.js";
import type { ModernEnvelope } from "./classify.js";
import { isBridgeError, Refusal } from "./errors.js";
import type { Account } from "./events.js";
import type { Flow } from "./flow.js";
import type { ParamHeader } from "./headers.js";
import { messageOf } from "./legacy-session.js";
import { META, NOTHING_CROSSES, stripMessageMeta } from "./meta.js";
import type { Behind } from "./modern-front.js";
import type { ModernServer } from "./modern-server.js";
import type { BridgeOptions } from "./options.js";
import { withId, withMeta } from "./payload.js";
import { uninvitedError } from "./rounds.js";
import { followProgress, ProgressLine, type Progressing } from "./tokens.js";
import { FOREVER } from "./upstream-call.js";

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

  notify(message: Wire): Promise<void> {
    return this.#given.server.notify(stripMessageMeta(message, NOTHING_CROSSES));
  }

  /** The server is not this one's alone. */
  async close(): Promise<void> {}

  async answer(flow: Flow, envelope: ModernEnvelope, hops: { from?: Codec; to?: Codec }): Promise<Wire> {
    const { options, server } = this.#given;
    const { message, method } = flow;
    const agreement = await agreementFor(flow, envelope, server, options);
    hops.from = agreement.downstream;
    hops.to = agreement.upstream;
    const carrying: Carrying = { flow, agreement, line: ProgressLine.of(message["params"]) };
    if (method === LISTEN) carrying.early = [];
    const minted = carrying.line === undefined ? undefined : server.tokens.mint(carrying);
    try {
      const edit = minted === undefined ? undefined : (params: unknown) => withMeta(params, "progressToken", minted);
      const steps = new TranslationReport();
      const { outbound, asking } = crossCall(agreement, message, "clientToServer", edit, steps);
      this.#given.account.translated(agreement, { method, direction: "clientToServer", part: "params" }, steps);
      const call = server.start({
        request: outbound,
        signal: flow.signal,
        timeout: method === LISTEN ? FOREVER : options.timeouts.call,
        reason: () => flow.reason,
        onFrame: (frame) => this.#heard(frame, carrying),
      });
      carrying.rest = () => call.rest();
      const answer = await call.answer;
      const { revision, clientCapabilities: declared } = envelope;
      const uninvited = isWire(answer["result"]) ? uninvitedError(answer["result"], { method, revision, declared }) : undefined;
      if (uninvited !== undefined) throw new Refusal(uninvited);
      const back = new TranslationReport();
      const asked = { method, params: asking.params };
      const own = (result: unknown): unknown => this.#own(method, restamped(result, flow.id));
      const reply = crossAnswer(agreement, answer, asked, "clientToServer", own, back);
      this.#given.account.translated(
        agreement,
        { method, direction: "serverToClient", part: "error" in answer ? "error" : "result" },
        back,
      );
      return withId(reply, flow.id, message);
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
    if (carrying.early !== undefined) return this.#early(frame, carrying, carrying.early);
    if (frame["method"] !== "notifications/progress") return this.#give(frame, carrying);
    const progressed = followProgress(this.#given.server.tokens, frame, carrying);
    return "because" in progressed ? this.#drop("notifications/progress", progressed.because) : this.#give(progressed.frame, carrying);
  }

  /** Nothing of a subscription comes before its acknowledgement, whatever the order in which the server says it. */
  #early(frame: Wire, carrying: Carrying, early: Wire[]): Promise<void> | void {
    if (frame["method"] !== ACKNOWLEDGED) {
      if (early.length < MOST_EARLY) early.push(frame);
      else this.#drop(String(frame["method"]), "it came before the acknowledgement, and too much waits for that");
      return undefined;
    }
    carrying.early = undefined;
    let given = this.#give(frame, carrying);
    for (const held of early) given = this.#heard(held, carrying) ?? given;
    return given;
  }

  #give(frame: Wire, { flow, agreement }: Carrying): Promise<void> | void {
    try {
      const steps = new TranslationReport();
      const restamp = (payload: unknown): unknown => restamped(payload, flow.id);
      const { outbound, asking } = crossCall(agreement, frame, "serverToClient", restamp, steps);
      this.#given.account.translated(agreement, { method: asking.method, direction: "serverToClient", part: "params" }, steps);
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
}

interface Carrying extends Progressing {
  readonly flow: Flow;
  readonly agreement: Agreement;
  /** What came before the acknowledgement of a subscription, until that comes. */
  early?: Wire[] | undefined;
}

const LISTEN = "subscriptions/listen" satisfies Method;
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged" satisfies Method;
/** How much is kept until the acknowledgement. */
const MOST_EARLY = 256;

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
