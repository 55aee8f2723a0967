// The handshake with a legacy server on behalf of a client: what is offered, what comes of the counter-offer, and what the client is told. Each hop
// gets the revision its own peer speaks.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { withField } from "../copy.js";
import { codecFor, DegradePolicy, Feature, resolve } from "../mcp.js";
import type { Transport } from "../mcp.js";
import type { Wire } from "../protocol.js";
import type { StopSignal } from "../stop.js";
import { TranslationReport } from "../report.js";
import { crossAnswer, crossCall, type Agreement } from "./agreement.js";
import { Refusal } from "./errors.js";
import { nextHandshake, settle } from "./negotiate.js";
import type { BridgeOptions } from "./options.js";
import type { Peer } from "./peer.js";
import { withId } from "./payload.js";
import { withCompletions } from "./project.js";
import { startCall } from "./upstream-call.js";

/** What a handshake is about. */
export interface Greeting {
  /** The client's `initialize`, as it came. */
  readonly message: Wire;
  /** The revision to speak with the client. */
  readonly downstream: string;
  /** The revision to offer the server first, and all that may be settled on. */
  readonly offer: string;
  readonly spoken: readonly string[];
  readonly transport: Transport;
  /** Ends the wait. */
  readonly signal: StopSignal;
}

/** What came of a handshake: an agreement and what the client is told, or the error that answers the client. */
export type Greeted = { readonly agreement: Agreement; readonly welcome: Wire; readonly serverInfo: unknown } | { readonly refused: Wire };

/** Speaks of capabilities: what a peer cannot use of them is left out, whatever the policy says of payloads; extensions any peer may read. */
export const OF_CAPABILITIES = DegradePolicy.balanced().with(Feature.CapabilitiesExtensions, "keep");

/**
 * Shakes hands with a legacy server and works out what both hops agreed on. A server that refuses the offer is offered another revision while there
 * is one; its last error is given back for the client. Rejects with `Unreachable`, and with the fault `upstream-unavailable` where the server
 * settles on a revision the bridge does not speak.
 */
export async function shakeHands(greeting: Greeting, peer: Peer, options: BridgeOptions, ids: () => number): Promise<Greeted> {
  const { message, downstream, transport } = greeting;
  const params = isWire(message["params"]) ? message["params"] : {};
  const client = params["capabilities"];
  const down = await bound(downstream, { client, server: undefined, transport });
  const tried: string[] = [];
  for (let offer: string | undefined = greeting.offer; ;) {
    tried.push(offer);
    const up = await bound(offer, { client, server: undefined, transport: peer.transport });
    const opening: Agreement = { downstream: down, upstream: up, policy: OF_CAPABILITIES };
    const { outbound, answer } = await offered(offer, opening, greeting, peer, options, ids());
    if (isWire(answer["result"])) {
      const sent = isWire(outbound["params"]) ? outbound["params"]["capabilities"] : undefined;
      return agreed({ answer, params, sent, offer }, opening, greeting, peer, options);
    }
    offer = nextHandshake(answer["error"], greeting.spoken, tried);
    if (offer === undefined) {
      const { error } = crossAnswer(opening, answer, { method: "initialize", params }, "clientToServer");
      return { refused: isWire(error) ? error : {} };
    }
  }
}

async function offered(
  offer: string,
  opening: Agreement,
  { message, signal }: Greeting,
  peer: Peer,
  options: BridgeOptions,
  id: number,
): Promise<{ readonly outbound: Wire; readonly answer: Wire }> {
  const { outbound } = crossCall(opening, message, "clientToServer", (payload) => named(payload, offer));
  const call = startCall(peer, withId(outbound, id), { signal, timeout: options.timeouts.handshake });
  return { outbound, answer: await call.answer };
}

interface Agreeing {
  readonly answer: Wire;
  readonly params: Wire;
  /** The capabilities the server was told of. */
  readonly sent: unknown;
  readonly offer: string;
}

async function agreed(
  { answer, params, sent, offer }: Agreeing,
  opening: Agreement,
  { downstream, transport, spoken }: Greeting,
  peer: Peer,
  options: BridgeOptions,
): Promise<Greeted> {
  const result = isWire(answer["result"]) ? answer["result"] : {};
  const settlement = settle(result, spoken);
  if ("refused" in settlement) throw strangeOffer(settlement, offer);
  const { revision } = settlement;
  peer.agree(revision);
  const upstream = await bound(revision, { client: sent, server: result["capabilities"], transport: peer.transport }, downstream);
  const asked = { method: "initialize", params };
  const welcome = welcomeFor(answer, asked, { ...opening, upstream });
  const session = { client: params["capabilities"], server: welcome["capabilities"], transport };
  const agreement = { downstream: await bound(downstream, session, revision), upstream, policy: options.policy };
  return { agreement, welcome, serverInfo: result["serverInfo"] };
}

function welcomeFor(answer: Wire, asked: { method: string; params: unknown }, opening: Agreement): Wire {
  const { downstream, upstream } = opening;
  const steps = new TranslationReport();
  const edit = (payload: unknown): unknown => completing(named(payload, downstream.version), downstream, upstream);
  const crossed = crossAnswer(opening, answer, asked, "clientToServer", edit, steps);
  return isWire(crossed["result"]) ? crossed["result"] : {};
}

function completing(payload: unknown, downstream: Codec, upstream: Codec): unknown {
  const capabilities = isWire(payload) ? payload["capabilities"] : undefined;
  if (!isWire(payload) || !isWire(capabilities)) return payload;
  const completed = withCompletions(capabilities, upstream.version, downstream.version);
  return completed === capabilities ? payload : withField(payload, "capabilities", completed);
}

function named(payload: unknown, revision: string): unknown {
  return isWire(payload) && payload["protocolVersion"] !== revision ? withField(payload, "protocolVersion", revision) : payload;
}

/** Binds a codec to a hop; what crosses between two revisions is held against the validators of the one it goes to. */
export async function bound(
  revision: string,
  session: { readonly client: unknown; readonly server: unknown; readonly transport: Transport },
  other: string = revision,
): Promise<Codec> {
  return codecFor(revision, resolve({ revision, ...session }), { checked: other !== revision });
}

function strangeOffer({ refused }: { readonly refused: string }, offer: string): Refusal {
  return Refusal.of({ kind: "upstream-unavailable", message: `cannot use the server, which was offered ${offer}: ${refused}` });
}
