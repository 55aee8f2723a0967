// Decides what the outcome of a probe says about a server: its era and revisions, that it is worth another try, or that it says nothing. Takes the
// outcome and what was asked; pure, and so is the memory of the verdicts, which is handed the time.

import { isWire } from "../capabilities.js";
import type { Era, Wire } from "../protocol.js";
import { DISCOVER } from "./answers.js";
import { codeIn, eraOf, knownOf, likelyEra } from "./eras.js";
import { mutualModern, nothingMutual, supportedIn } from "./negotiate.js";
import type { TransportName } from "./peer.js";

/** What came of a probe. */
export type ProbeOutcome =
  /** The server answered with a JSON-RPC response. */
  | { readonly kind: "answer"; readonly message: Wire; readonly status?: number | undefined }
  /** The server answered with an HTTP status and a body that was no response. */
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "timeout" }
  /** The conversation ended before there was an answer. */
  | { readonly kind: "exited" }
  /** No conversation came about. */
  | { readonly kind: "network"; readonly reason: string };

/** What was asked, and how. */
export interface ProbeFacts {
  readonly transport: TransportName;
  /** The revisions the bridge can speak to this server. */
  readonly spoken: readonly string[];
  /** The revision the probe named. */
  readonly asked: string;
  /** True for the second probe of one server: it gets no third. */
  readonly again?: boolean | undefined;
  /** True where the probe carried a credential. */
  readonly credential?: boolean | undefined;
}

/** Names why a probe says nothing about the era. */
export type ProbeFault = "auth" | "outage" | "timeout" | "no-mutual-revision";

/** What the outcome of a probe says. */
export type ProbeVerdict =
  | {
      readonly era: Era;
      /** Those of the spoken revisions that the server named, newest first; empty where it named none. */
      readonly revisions: readonly string[];
      readonly discover?: Wire;
      /** True where the conversation is over, and another is needed to go on. */
      readonly spent?: true;
    }
  | {
      /** The revision to probe with once more. */
      readonly retryWith: string;
      /** The client capabilities without which the server did not answer. */
      readonly capabilities?: Wire;
    }
  | {
      readonly fault: ProbeFault;
      readonly reason: string;
      readonly status?: number;
      readonly cache: false;
      /** True where a handshake is to decide, since the refusal may be one of the probe and not of the credential. */
      readonly arbitrate?: true;
    };

/**
 * Decides what the outcome of a probe says. Whatever is not modern for certain is legacy, apart from what is no evidence at all: failed
 * authorization, outages, and silence over HTTP.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions
 */
export function judgeProbe(outcome: ProbeOutcome, facts: ProbeFacts): ProbeVerdict {
  const isPipe = facts.transport === "stdio";
  if (outcome.kind === "network") return fault("outage", outcome.reason);
  if (outcome.kind === "timeout") return isPipe ? legacy() : fault("timeout", `no answer to ${DISCOVER} in time`);
  if (outcome.kind === "exited") {
    return isPipe ? { ...legacy(), spent: true } : fault("outage", `the connection closed before ${DISCOVER} was answered`);
  }
  const { status } = outcome;
  const unauthorized = status !== undefined && AUTH_STATUSES.has(status);
  if (unauthorized) {
    const verdict = fault("auth", `the server answers ${status} to ${DISCOVER}`, status);
    return facts.credential === true ? { ...verdict, arbitrate: true } : verdict;
  }
  if (outcome.kind === "status") {
    return isOutage(outcome.status) ? fault("outage", `the server answers ${status} to ${DISCOVER}`, status) : legacy();
  }
  const { error, result } = outcome.message;
  if (isWire(error)) return judgeError(error, status, facts);
  return isWire(result) ? judgeResult(result, facts) : legacy();
}

/** Says whether a failed `initialize` suggests that the server knows an older transport only: what HTTP answers where nothing takes a POST. */
export function suggestsOlderTransport(error: unknown): boolean {
  if (typeof error !== "object" || error === null || !("status" in error)) return false;
  const body = "body" in error ? error.body : undefined;
  return OLDER_STATUSES.has(error.status) && !isModernRefusal(body);
}

/** What is remembered of a server. */
export interface EraRecord {
  readonly era: Era;
  readonly revisions: readonly string[];
}

/** Says how long and how much to remember. */
export interface EraCacheOptions {
  /** How long a legacy verdict holds, in milliseconds: a server that was upgraded still takes a handshake, so that nothing would show it. */
  readonly legacyMs: number;
  /** Most servers remembered; the one heard of longest ago goes first. */
  readonly most: number;
}

/** Remembers verdicts by the name of the server: modern ones until they are dropped, legacy ones for a time. What was no evidence is not kept. */
export class EraCache {
  readonly #records = new Map<string, EraRecord & { readonly until: number }>();
  readonly #options: EraCacheOptions;

  constructor(options: EraCacheOptions) {
    this.#options = options;
  }

  /** Finds what holds at a time, in milliseconds. */
  find(server: string, now: number): EraRecord | undefined {
    const record = this.#records.get(server);
    if (record === undefined) return undefined;
    if (now < record.until) return { era: record.era, revisions: record.revisions };
    this.#records.delete(server);
    return undefined;
  }

  /** Keeps a verdict that says an era; others leave what is there. */
  keep(server: string, verdict: ProbeVerdict | EraRecord, now: number): void {
    if (!("era" in verdict)) return;
    const until = verdict.era === "modern" ? Number.POSITIVE_INFINITY : now + this.#options.legacyMs;
    this.#records.delete(server);
    this.#records.set(server, { era: verdict.era, revisions: verdict.revisions, until });
    for (const oldest of this.#records.keys()) {
      if (this.#records.size <= this.#options.most) break;
      this.#records.delete(oldest);
    }
  }

  /** Forgets a server: after a failure that only another revision explains. */
  drop(server: string): void {
    this.#records.delete(server);
  }
}

function judgeResult(result: Wire, { spoken }: ProbeFacts): ProbeVerdict {
  const supported: readonly unknown[] = Array.isArray(result["supportedVersions"]) ? result["supportedVersions"] : [];
  const revisions = knownOf(spoken).filter((revision) => supported.includes(revision));
  if (revisions.some((revision) => eraOf(revision) === "modern")) return { era: "modern", revisions, discover: result };
  return withoutModern(revisions, supported, spoken);
}

function judgeError(error: Wire, status: number | undefined, facts: ProbeFacts): ProbeVerdict {
  const { code } = error;
  if (code === UNSUPPORTED) return judgeRefusal(error, facts);
  const isMismatch = code === MISMATCH && facts.transport === "streamable-http";
  const needed = code === INCAPABLE && isWire(error["data"]) ? error["data"]["requiredCapabilities"] : undefined;
  if (isMismatch || isWire(needed)) {
    if (facts.again === true) return { era: "modern", revisions: [facts.asked] };
    return { retryWith: facts.asked, ...(isWire(needed) ? { capabilities: needed } : {}) };
  }
  // A server that fails at everything says nothing by failing at this.
  const failed = status !== undefined && isOutage(status) && code === codeIn("legacy", "INTERNAL_ERROR");
  return failed ? fault("outage", `the server answers ${status} to ${DISCOVER}`, status) : legacy();
}

function judgeRefusal(error: Wire, { spoken, asked, again }: ProbeFacts): ProbeVerdict {
  const supported = supportedIn(error);
  if (again === true) return fault("no-mutual-revision", `${asked} was refused after it was offered: ${nothingMutual(spoken, supported)}`);
  // Legacy servers use the number for what they like; only with the list it is the modern error.
  if (supported === undefined) return legacy();
  // A server may list the very revision it refused: what it is offered in answer to the list it takes, or it contradicts itself.
  const retryWith = mutualModern(supported, spoken);
  if (retryWith !== undefined) return { retryWith };
  return withoutModern(
    knownOf(spoken, "legacy").filter((revision) => supported.includes(revision)),
    supported,
    spoken,
  );
}

/** Decides about a server that named no modern revision the bridge can speak: legacy, unless all it named is newer than that. */
function withoutModern(revisions: readonly string[], supported: readonly unknown[], spoken: readonly string[]): ProbeVerdict {
  if (revisions.length > 0 || supported.every((revision) => likelyEra(revision) === "legacy")) return { era: "legacy", revisions };
  return fault("no-mutual-revision", nothingMutual(spoken, supported.map(String)));
}

function legacy(): { readonly era: Era; readonly revisions: readonly string[] } {
  return { era: "legacy", revisions: [] };
}

function fault(kind: ProbeFault, reason: string, status?: number): Extract<ProbeVerdict, { readonly fault: ProbeFault }> {
  return { fault: kind, reason, ...(status === undefined ? {} : { status }), cache: false };
}

function isOutage(status: number): boolean {
  return OUTAGE_STATUSES.has(status) || status >= 500 || (status >= 300 && status < 400);
}

/** Tells whether the text of a body is a JSON-RPC error of the modern era, or says that a modern method is unknown. */
function isModernRefusal(body: unknown): boolean {
  if (typeof body !== "string") return false;
  try {
    const parsed: unknown = JSON.parse(body);
    return isWire(parsed) && isWire(parsed["error"]) && MODERN_CODES.has(parsed["error"]["code"]);
  } catch {
    return false;
  }
}

const AUTH_STATUSES = new Set([401, 403, 407]);
const OUTAGE_STATUSES = new Set([408, 429]);
const OLDER_STATUSES = new Set<unknown>([400, 404, 405]);
const UNSUPPORTED = codeIn("modern", "UNSUPPORTED_PROTOCOL_VERSION");
const MISMATCH = codeIn("modern", "HEADER_MISMATCH");
const INCAPABLE = codeIn("modern", "MISSING_REQUIRED_CLIENT_CAPABILITY");
const MODERN_CODES = new Set<unknown>([UNSUPPORTED, MISMATCH, INCAPABLE, codeIn("modern", "METHOD_NOT_FOUND")]);
