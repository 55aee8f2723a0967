// Finds out what a server speaks: connects, probes, judges, and hands on the connection where it can be used. Takes what makes connections; the
// judgement is in `probe.ts`. Every wait has a bound.

import { isWire } from "../capabilities.js";
import type { Era, Wire } from "../protocol.js";
import { DISCOVER } from "./answers.js";
import { isUnreachable, Unreachable } from "./errors.js";
import { definesTransport, knownOf } from "./eras.js";
import { standardHeaders } from "./headers.js";
import { META } from "./meta.js";
import { nothingMutual } from "./negotiate.js";
import type { PipeProbe } from "./options.js";
import type { Connector, Peer, TransportName } from "./peer.js";
import { judgeProbe, type EraCache, type ProbeFault, type ProbeOutcome, type ProbeVerdict } from "./probe.js";

/** Says how to probe. */
export interface ProbeOptions {
  /** The revisions the bridge can speak to this server. */
  readonly spoken: readonly string[];
  /** How long to wait for one answer, in milliseconds. */
  readonly timeoutMs: number;
  readonly stdioProbe: PipeProbe;
  /** Takes the server for one of this era without asking; a modern one is still asked what it serves. */
  readonly era?: Era | undefined;
  readonly clientInfo?: Wire | undefined;
  readonly clientCapabilities?: Wire | undefined;
  /** True where the connector sends a credential. */
  readonly credential?: boolean | undefined;
  /** Remembers verdicts under `server`, or the connector's name; the name has to tell apart what different credentials may be shown. */
  readonly cache?: EraCache | undefined;
  readonly server?: string | undefined;
  readonly now?: (() => number) | undefined;
}

/** What was found out. */
export interface Probed {
  readonly era: Era;
  /** The revision to go on with: for a legacy server the one to ask for in the handshake. */
  readonly revision: string;
  /** Those of the spoken revisions the server named, newest first; empty where it named none. */
  readonly revisions: readonly string[];
  readonly transport: TransportName;
  /** The open connection; without one, another has to be made. */
  readonly peer?: Peer;
  /** The result of `server/discover`. */
  readonly discover?: Wire;
  /** Why authorization failed, where a handshake is to decide whether that was the credential's fault. */
  readonly doubt?: Unreachable;
}

/**
 * Finds out which era a server is of, and which revision to speak with it. Rejects with `Unreachable` where that could not be found out, or
 * nothing is spoken on both sides; `probeFaultOf` says why.
 */
export async function probe(connector: Connector, options: ProbeOptions): Promise<Probed> {
  const { spoken, era, cache } = options;
  const server = options.server ?? connector.name;
  const now = options.now ?? Date.now;
  const [asked] = knownOf(spoken, "modern");
  const transport = connector.transports.find((name) => asked !== undefined && definesTransport(asked, name)) ?? firstOf(connector);
  const remembered = era === undefined ? cache?.find(server, now()) : undefined;
  const isUnasked = era === undefined && remembered === undefined && connector.spawns && options.stdioProbe === "off";
  const isKnownLegacy = era === "legacy" || remembered?.era === "legacy" || isUnasked;
  const mayProbe = asked !== undefined && definesTransport(asked, transport);
  if (!mayProbe || isKnownLegacy) return handshake(connector, transport, options, remembered?.revisions ?? []);
  if (remembered !== undefined) return modern(connector, transport, options, remembered.revisions);
  const attempt = await tryProbe(connector, transport, asked, options);
  const { verdict, peer } = attempt;
  if ("fault" in verdict) return failed(connector, transport, attempt, options);
  cache?.keep(server, verdict, now());
  if (verdict.era === "modern") return modern(connector, transport, options, verdict.revisions, peer, verdict.discover);
  const usable = verdict.spent !== true && !(connector.spawns && options.stdioProbe === "sibling");
  if (!usable) await peer?.close();
  return handshake(connector, transport, options, verdict.revisions, usable ? peer : undefined);
}

/** Tells why probing failed; undefined for an error that is not from there. */
export function probeFaultOf(error: unknown): ProbeFault | undefined {
  return isUnreachable(error) && isProbeFailure(error.cause) ? error.cause.fault : undefined;
}

/** Gives the transport that comes after one in a connector's order, for servers that do not know that one. */
export function olderTransport(connector: Connector, transport: TransportName): TransportName | undefined {
  const index = connector.transports.indexOf(transport);
  return index === -1 ? undefined : connector.transports[index + 1];
}

class ProbeFailure extends Error {
  override readonly name = "ProbeFailure";
  readonly fault: ProbeFault;

  constructor(fault: ProbeFault, reason: string) {
    super(reason);
    this.fault = fault;
  }
}

function isProbeFailure(error: unknown): error is ProbeFailure {
  return typeof error === "object" && error !== null && "name" in error && error.name === "ProbeFailure";
}

interface Attempt {
  readonly verdict: Exclude<ProbeVerdict, { readonly retryWith: string }>;
  readonly peer?: Peer;
  /** What the connection rejected with. */
  readonly cause?: Unreachable;
}

/** Probes once, and once more where the answer says how. */
async function tryProbe(connector: Connector, transport: TransportName, asked: string, options: ProbeOptions): Promise<Attempt> {
  let peer: Peer;
  try {
    peer = await connector.connect(transport);
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return { verdict: { fault: "outage", reason: error.reason, cache: false }, cause: error };
  }
  try {
    const first = await askOnce(peer, asked, options, { again: false, number: 1 });
    if (!("retryWith" in first.verdict)) return { ...first, verdict: first.verdict, peer };
    const capabilities = { ...options.clientCapabilities, ...first.verdict.capabilities };
    const second = await askOnce(
      peer,
      first.verdict.retryWith,
      { ...options, clientCapabilities: capabilities },
      { again: true, number: 2 },
    );
    // The second verdict never asks for a third probe; if a table ever said so, that would be a refusal.
    const verdict = "retryWith" in second.verdict ? REFUSED_TWICE : second.verdict;
    return { ...second, verdict, peer };
  } catch (error) {
    await peer.close();
    throw error;
  }
}

async function askOnce(
  peer: Peer,
  asked: string,
  options: ProbeOptions,
  { again, number }: { readonly again: boolean; readonly number: number },
): Promise<{ readonly verdict: ProbeVerdict; readonly cause?: Unreachable }> {
  const request = discoverRequest(asked, number, options);
  const { outcome, cause } = await exchange(peer, request, asked, options.timeoutMs);
  const { spoken, credential } = options;
  const verdict = judgeProbe(outcome, { transport: peer.transport, spoken, asked, again, credential });
  return { verdict, ...(cause === undefined ? {} : { cause }) };
}

/** Sends a request and says what came of it, within the time. */
async function exchange(
  peer: Peer,
  request: Wire,
  revision: string,
  timeoutMs: number,
): Promise<{ readonly outcome: ProbeOutcome; readonly cause?: Unreachable }> {
  const abort = new AbortController();
  let status: number | undefined;
  const headers = peer.transport === "streamable-http" ? standardHeaders(request, revision) : undefined;
  const timer = setTimeout(() => abort.abort(), timeoutMs);
  try {
    const message = await peer.send(request, { signal: abort.signal, headers, onStatus: (given) => (status = given) });
    return { outcome: { kind: "answer", message, status } };
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    return { outcome: outcomeOf(error, status, { isLate: abort.signal.aborted, isPipe: peer.transport === "stdio" }), cause: error };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Asks a modern server what it serves, without judging: gives the result, or undefined where it answers with an error. Rejects with `Unreachable`.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export async function askDiscovery(
  peer: Peer,
  revision: string,
  options: Pick<ProbeOptions, "clientInfo" | "clientCapabilities" | "timeoutMs">,
  number = 1,
): Promise<Wire | undefined> {
  const request = discoverRequest(revision, number, options);
  const { outcome, cause } = await exchange(peer, request, revision, options.timeoutMs);
  if (outcome.kind === "answer") return isWire(outcome.message["result"]) ? outcome.message["result"] : undefined;
  throw cause ?? new Unreachable("the server", `no answer to ${DISCOVER}`);
}

function outcomeOf(
  error: Unreachable,
  status: number | undefined,
  { isLate, isPipe }: { readonly isLate: boolean; readonly isPipe: boolean },
): ProbeOutcome {
  if (isLate) return { kind: "timeout" };
  const given = error.status ?? status;
  if (given !== undefined) return { kind: "status", status: given };
  // A process that is gone before it read the probe has exited all the same; whether it ever starts shows with the handshake.
  return error.delivered === "no" && !isPipe ? { kind: "network", reason: error.reason } : { kind: "exited" };
}

/** Writes the request. Its id is a text, which no counter of later requests comes to, so that a late answer is nobody's. */
function discoverRequest(
  revision: string,
  number: number,
  { clientCapabilities, clientInfo }: Pick<ProbeOptions, "clientInfo" | "clientCapabilities">,
): Wire {
  const meta = {
    [META.protocolVersion]: revision,
    [META.clientCapabilities]: clientCapabilities ?? {},
    ...(clientInfo === undefined ? {} : { [META.clientInfo]: clientInfo }),
  };
  return { jsonrpc: "2.0", id: `polyrev-probe-${number}`, method: DISCOVER, params: { _meta: meta } };
}

async function failed(connector: Connector, transport: TransportName, attempt: Attempt, options: ProbeOptions): Promise<Probed> {
  const { verdict, peer, cause } = attempt;
  if (!("fault" in verdict)) throw new TypeError("cannot fail a probe that did not");
  const error = new Unreachable(connector.name, verdict.reason, {
    status: verdict.status,
    body: cause?.body,
    challenge: cause?.challenge,
    delivered: "no",
    cause: new ProbeFailure(verdict.fault, verdict.reason),
  });
  const canShake = knownOf(options.spoken, "legacy").length > 0 && options.era !== "modern";
  if (verdict.arbitrate === true && canShake) return { ...(await handshake(connector, transport, options, [], peer)), doubt: error };
  await peer?.close();
  throw error;
}

async function handshake(
  connector: Connector,
  transport: TransportName,
  { spoken, era }: ProbeOptions,
  named: readonly string[],
  peer?: Peer,
): Promise<Probed> {
  const candidates = knownOf(spoken, "legacy");
  const revision = candidates.find((candidate) => named.includes(candidate)) ?? candidates[0];
  if (revision === undefined || era === "modern") {
    await peer?.close();
    throw unmatched(connector, era === "modern" ? "the server answers as one with a handshake" : nothingMutual(spoken, named));
  }
  return { era: "legacy", revision, revisions: named, transport, ...(peer === undefined ? {} : { peer }) };
}

async function modern(
  connector: Connector,
  transport: TransportName,
  { spoken }: ProbeOptions,
  revisions: readonly string[],
  peer?: Peer,
  discover?: Wire,
): Promise<Probed> {
  const revision = knownOf(spoken, "modern").find((candidate) => revisions.includes(candidate));
  if (revision === undefined) {
    await peer?.close();
    throw unmatched(connector, nothingMutual(spoken, revisions));
  }
  return {
    era: "modern",
    revision,
    revisions,
    transport,
    ...(peer === undefined ? {} : { peer }),
    ...(discover === undefined ? {} : { discover }),
  };
}

function unmatched({ name }: Connector, reason: string): Unreachable {
  return new Unreachable(name, reason, { delivered: "no", cause: new ProbeFailure("no-mutual-revision", reason) });
}

function firstOf(connector: Connector): TransportName {
  const [first] = connector.transports;
  if (first === undefined) throw new Unreachable(connector.name, "it has no transport", { delivered: "no" });
  return first;
}

const REFUSED_TWICE = { fault: "no-mutual-revision", reason: "the second probe was refused as the first", cache: false } as const;
