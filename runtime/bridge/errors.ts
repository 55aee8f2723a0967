// The errors of the bridge, and the JSON-RPC errors it answers with on its own account. Takes what went wrong as structured fields, gives a message
// for people and the same fields for programs; an error a peer gave is never one of these.

import { ProtocolError, type LowerError } from "../errors.js";
import type { Cite, Wire } from "../protocol.js";

/** Lists what a `BridgeError` can be about. */
export type BridgeErrorCode =
  | "unreadable"
  | "feature-unavailable"
  | "unreachable"
  | "not-readable"
  | "method-not-bridged"
  | "refusal"
  | "close";

/** Says what else is known of a peer that does not answer. */
export interface UnreachableFault {
  /** The HTTP status, where the transport has one. */
  readonly status?: number | undefined;
  /** The text of the body that came with the status. */
  readonly body?: string | undefined;
  /** The `WWW-Authenticate` header that came with the status. */
  readonly challenge?: string | undefined;
  /** Whether the message may have been acted on: `no` where it never left or was refused unread. */
  readonly delivered?: "no" | "maybe" | undefined;
  /** True where the peer says that it does not know the session any longer. */
  readonly sessionGone?: boolean | undefined;
  readonly cause?: unknown;
}

/** Is the base of what the bridge throws on purpose. */
export class BridgeError extends ProtocolError {
  readonly code: BridgeErrorCode;

  constructor(code: BridgeErrorCode, name: string, message: string, cause?: unknown) {
    super(name, message);
    this.code = code;
    if (cause !== undefined) this.cause = cause;
  }
}

/** Says that a message is no JSON-RPC message of the revision it came at; `cause` is the `EnvelopeError`. */
export class Unreadable extends BridgeError {
  constructor(message: string, cause?: unknown) {
    super("unreadable", "Unreadable", message, cause);
  }
}

/** Says what a denial is answered with, where the protocol says so itself. */
export interface Denial {
  readonly code: number;
  readonly data?: Wire | undefined;
}

/** Says that the peers do not share the feature a method needs; nothing was sent. */
export class FeatureUnavailable extends BridgeError {
  readonly method: string;
  /** Id of the feature. */
  readonly feature: string;
  readonly cite: Cite | undefined;
  readonly denial: Denial | undefined;

  constructor(method: string, feature: string, reason: string, fault: { readonly cite?: Cite | undefined; readonly denial?: Denial } = {}) {
    super("feature-unavailable", "FeatureUnavailable", `cannot forward ${method}: ${reason}`);
    this.method = method;
    this.feature = feature;
    this.cite = fault.cite;
    this.denial = fault.denial;
  }
}

/** Says that a peer cannot be reached, or went away before it answered. */
export class Unreachable extends BridgeError {
  readonly peer: string;
  readonly reason: string;
  readonly status: number | undefined;
  readonly body: string | undefined;
  readonly challenge: string | undefined;
  readonly delivered: "no" | "maybe";
  readonly sessionGone: boolean;

  constructor(peer: string, reason: string, fault: UnreachableFault = {}) {
    super("unreachable", "Unreachable", `cannot reach ${peer}: ${reason}`, fault.cause);
    this.peer = peer;
    this.reason = reason;
    this.status = fault.status;
    this.body = fault.body;
    this.challenge = fault.challenge;
    this.delivered = fault.delivered ?? "maybe";
    this.sessionGone = fault.sessionGone ?? false;
  }
}

/** Says that what a peer sent cannot be written for the other; `refusal` says which place, and why. */
export class NotReadable extends BridgeError {
  readonly refusal: LowerError;
  /** True where it is an answer, so that what was asked for may have been done. */
  readonly isAnswer: boolean;

  constructor(refusal: LowerError, isAnswer: boolean) {
    super("not-readable", "NotReadable", refusal.message, refusal);
    this.refusal = refusal;
    this.isAnswer = isAnswer;
  }
}

/** Says that a method has no way from one hop to the other: one of the two revisions does not have it. */
export class MethodNotBridged extends BridgeError {
  readonly method: string;

  constructor(method: string, reason: string) {
    super("method-not-bridged", "MethodNotBridged", `cannot forward ${method}: ${reason}`);
    this.method = method;
  }
}

/** Says that the bridge itself will not go on with a request; `error` is what answers it. */
export class Refusal extends BridgeError {
  readonly error: Wire;

  constructor(error: Wire) {
    super("refusal", "Refusal", String(error["message"]));
    this.error = error;
  }

  /** Makes one for a fault the bridge has a code for. */
  static of(fault: BridgeFault): Refusal {
    return new Refusal(bridgeErrorOf(fault));
  }
}

/** Says that the conversation is over. */
export class Close extends BridgeError {
  constructor(reason: string) {
    super("close", "Close", `cannot go on: ${reason}`);
  }
}

/** Tells whether a value is one of the bridge's errors; tests `name`. */
export function isBridgeError(error: unknown): error is BridgeError {
  return typeof error === "object" && error !== null && "name" in error && NAMES.has(error.name);
}

/** Tells whether a value is `Unreachable`; tests `name`, so that it holds across copies of the library. */
export function isUnreachable(error: unknown): error is Unreachable {
  return typeof error === "object" && error !== null && "name" in error && error.name === "Unreachable";
}

const NAMES: ReadonlySet<unknown> = new Set([
  "Unreadable",
  "FeatureUnavailable",
  "Unreachable",
  "NotReadable",
  "MethodNotBridged",
  "Refusal",
  "Close",
]);

/**
 * Lists what the bridge answers on its own account: kinds with their codes, which lie outside what JSON-RPC and the protocol keep for themselves.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes
 */
export const BRIDGE_CODES = {
  "not-translatable": -31901,
  "state-lost": -31902,
  "client-input-failed": -31903,
  "rounds-exceeded": -31904,
  "ambiguous-origin": -31905,
  limit: -31906,
  "upstream-unavailable": -31907,
  "upstream-violation": -31908,
  "outcome-unknown": -31909,
} as const;

/** Names a kind of fault the bridge answers with. */
export type BridgeFaultKind = keyof typeof BRIDGE_CODES;

/** Says what a program can know of such a fault. */
export interface BridgeFault {
  readonly kind: BridgeFaultKind;
  readonly message: string;
  readonly feature?: string | undefined;
  readonly path?: string | undefined;
  readonly cite?: Cite | undefined;
  /** The revisions of the hop it came from and the hop it was for. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Whether the server may have acted. */
  readonly sideEffects?: "none" | "possible";
  /** Whether asking again may help: the same way, afresh, or not at all. */
  readonly retry?: "same" | "fresh" | "no";
  /** What the fault hides: a code and message of the other hop. */
  readonly upstream?: Wire | undefined;
}

/** Writes a fault as the error member of a response; what is under `data.bridge` tells it from an error of the peer. */
export function bridgeErrorOf(fault: BridgeFault): Wire {
  const { kind, message, sideEffects = "none", retry = "no", ...known } = fault;
  const facts = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  return { code: BRIDGE_CODES[kind], message, data: { bridge: { kind, ...facts, sideEffects, retry } } };
}
