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
import { INITIALIZE } from "./answers.js";
import { isUnreachable, Refusal, type Unreachable } from "./errors.js";
import { knownOf } from "./eras.js";
import { nextHandshake, settle, supportedIn } from "./negotiate.js";
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
  /** Opens another conversation with the server, for the next offer: what refused one may not take another, or be gone. */
  readonly renew: () => Promise<Peer>;
  /** True where the conversation was used for a probe, which the server may not have outlived. */
  readonly isUsed?: boolean | undefined;
}

/** What both sides agreed on, and how it can be agreed on once more. */
export interface Agreed {
  readonly agreement: Agreement;
  readonly welcome: Wire;
  readonly peer: Peer;
  /** The `initialize` that was accepted, without its id. */
  readonly opening: Wire;
}

/**
 * What came of a handshake: an agreement and what the client is told, the modern revisions that the server speaks instead, or the error that answers
 * the client.
 */
export type Greeted = Agreed | { readonly modern: readonly string[] } | { readonly refused: Wire };

/** Speaks of capabilities: what a peer cannot use of them is left out, whatever the policy says of payloads; extensions any peer may read. */
export const OF_CAPABILITIES = DegradePolicy.balanced().with(Feature.CapabilitiesExtensions, "keep");

/**
 * Shakes hands with a legacy server and works out what both hops agreed on. A server that refuses the offer is offered another revision on another
 * connection while there is one; its last error is given back for the client. Every connection but the one agreed on is closed. Rejects with
 * `Unreachable`, and with the fault `upstream-unavailable` where the server settles on a revision the bridge does not speak.
 */
export async function shakeHands(greeting: Greeting, first: Peer, options: BridgeOptions): Promise<Greeted> {
  const { message, downstream, transport, spoken } = greeting;
  const params = isWire(message["params"]) ? message["params"] : {};
  const client = params["capabilities"];
  const down = await bound(downstream, { client, server: undefined, transport });
  const tried: string[] = [];
  let peer = first;
  let isUsed = greeting.isUsed === true;
  try {
    for (let offer: string | undefined = greeting.offer; ;) {
      const up = await bound(offer, { client, server: undefined, transport: peer.transport });
      const opening: Agreement = { downstream: down, upstream: up, policy: OF_CAPABILITIES };
      const { outbound, answer, failure } = await offered(offer, opening, greeting, peer, options);
      if (answer !== undefined && isWire(answer["result"])) {
        const sent = isWire(outbound["params"]) ? outbound["params"]["capabilities"] : undefined;
        return await agreed({ answer, params, sent, offer, outbound }, opening, greeting, peer, options);
      }
      if (failure !== undefined && isUsed && peer.transport === "stdio") isUsed = false;
      else {
        if (failure !== undefined && failure.status !== BAD_REQUEST) throw failure;
        tried.push(offer);
        const next = nextHandshake(answer?.["error"], spoken, tried);
        if (next === undefined) {
          await peer.close();
          return ended(answer, failure, opening, greeting, params);
        }
        offer = next;
      }
      await peer.close();
      peer = await greeting.renew();
    }
  } catch (error) {
    await peer.close();
    throw error;
  }
}

/** Says what a handshake came to that nothing is left to offer in. */
function ended(
  answer: Wire | undefined,
  failure: Unreachable | undefined,
  opening: Agreement,
  { spoken }: Greeting,
  params: Wire,
): Greeted {
  if (answer === undefined) throw failure;
  const modern = knownOf(supportedIn(answer["error"]) ?? [], "modern").filter((revision) => spoken.includes(revision));
  if (modern.length > 0) return { modern };
  const { error } = crossAnswer(opening, answer, { method: INITIALIZE, params }, "clientToServer");
  return { refused: isWire(error) ? error : {} };
}

interface Offered {
  readonly outbound: Wire;
  readonly answer?: Wire;
  readonly failure?: Unreachable;
}

async function offered(
  offer: string,
  opening: Agreement,
  { message, signal }: Greeting,
  peer: Peer,
  options: BridgeOptions,
): Promise<Offered> {
  const { outbound } = crossCall(opening, message, "clientToServer", (payload) => named(payload, offer));
  try {
    const call = startCall(peer, withId(outbound, FIRST_ID), { signal, timeout: options.timeouts.handshake });
    return { outbound, answer: await call.answer };
  } catch (error) {
    if (isUnreachable(error)) return { outbound, failure: error };
    throw error;
  }
}

/**
 * Opens a session anew where the server has lost the first: the same handshake on a connection of its own. Rejects with `Unreachable`, and with the
 * fault `upstream-unavailable` where it comes to something else this time.
 */
export async function shakeAgain({ opening, agreement }: Agreed, peer: Peer, options: BridgeOptions): Promise<void> {
  const { version } = agreement.upstream;
  const { signal } = new AbortController();
  const call = startCall(peer, withId(opening, FIRST_ID), { signal, timeout: options.timeouts.handshake });
  const settlement = settle((await call.answer)["result"], [version]);
  if ("refused" in settlement) throw strangeOffer(settlement, version);
  peer.agree(version);
}

interface Agreeing {
  readonly answer: Wire;
  readonly params: Wire;
  /** The capabilities the server was told of. */
  readonly sent: unknown;
  readonly offer: string;
  readonly outbound: Wire;
}

async function agreed(
  { answer, params, sent, offer, outbound }: Agreeing,
  opening: Agreement,
  { downstream, transport, spoken }: Greeting,
  peer: Peer,
  options: BridgeOptions,
): Promise<Agreed> {
  const result = isWire(answer["result"]) ? answer["result"] : {};
  const settlement = settle(result, spoken);
  if ("refused" in settlement) throw strangeOffer(settlement, offer);
  const { revision } = settlement;
  peer.agree(revision);
  const upstream = await bound(revision, { client: sent, server: result["capabilities"], transport: peer.transport }, downstream);
  const asked = { method: INITIALIZE, params };
  const welcome = welcomeFor(answer, asked, { ...opening, upstream });
  const session = { client: params["capabilities"], server: welcome["capabilities"], transport };
  const agreement = { downstream: await bound(downstream, session, revision), upstream, policy: options.policy };
  return { agreement, welcome, peer, opening: outbound };
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

/** The id of the first request of a connection. */
export const FIRST_ID = 1;
/** Servers refuse a version with it whose front reads the message before they do. */
const BAD_REQUEST = 400;

function strangeOffer({ refused }: { readonly refused: string }, offer: string): Refusal {
  return Refusal.of({ kind: "upstream-unavailable", message: `cannot use the server, which was offered ${offer}: ${refused}` });
}
