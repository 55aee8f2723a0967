// The errors the core throws. Takes what went wrong as structured fields, gives a message for people and the same fields for programs.

import type { Cite } from "./protocol.js";
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from "./rpc-codes.js";

/** Names why a feature is off: one of the four conditions of `resolve`, or that somebody took it out of the profile. */
export type Condition = "revision" | "capability" | "transport" | "flag" | "excluded";

/** Names a capability flag that is not there, below the capabilities of one side. */
export interface MissingFlag {
  readonly side: "client" | "server";
  readonly flag: string;
}

/** Prints a cite the way messages and tables show it, e.g. `2025-06-18 major 2, PR #371`, `2024-11-05 basic/lifecycle`, `2025-11-25, PR #1441 (unlisted)`. */
export function printCite(cite: Cite): string {
  const isUnlisted = cite.section === "unlisted" || (cite.section === undefined && cite.page === undefined);
  const place = [cite.revision, cite.page, isUnlisted ? undefined : cite.section, cite.ordinal]
    .filter((part) => part !== undefined)
    .join(" ");
  const text = cite.ref === undefined ? place : `${place}, ${cite.ref}`;
  return isUnlisted ? `${text} (unlisted)` : text;
}

/** Is the base of every error the core throws on purpose. */
export abstract class ProtocolError extends Error {
  /** Says which fault it is; stable, for programs. */
  abstract readonly code: string;

  /** Takes the class name as text, so that a minifier cannot change what the guards test. */
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** Says that a revision is in no table; lists the known ones and never guesses the nearest. */
export class UnknownRevisionError extends ProtocolError {
  readonly code = "unknown-revision";
  readonly revision: string;
  readonly known: readonly string[];

  constructor(revision: string, known: readonly string[]) {
    super("UnknownRevisionError", `cannot use revision ${JSON.stringify(revision)}: unknown; known are ${known.join(", ")}`);
    this.revision = revision;
    this.known = known;
  }
}

/** Lists what a `ProfileError` can be about. */
export type ProfileErrorCode = "unknown-transport" | "unknown-feature" | "malformed-text" | "other-protocol";

/** Says that a feature profile cannot be made from what was given. */
export class ProfileError extends ProtocolError {
  readonly code: ProfileErrorCode;

  constructor(code: ProfileErrorCode, message: string) {
    super("ProfileError", message);
    this.code = code;
  }
}

/** Lists what a `LowerError` can be about. */
export type LowerErrorCode = "feature-unavailable" | "field-not-representable" | "unknown-field";

/** Describes one place that cannot be lowered: `path` is a JSON pointer into the payload, `method` names the payload where the pointer is empty. */
export interface LowerFault {
  readonly path: string;
  readonly reason: string;
  readonly method?: string | undefined;
  /** Id of the feature. */
  readonly feature?: string | undefined;
  readonly condition?: Condition | undefined;
  readonly missing?: MissingFlag | undefined;
  readonly cite?: Cite | undefined;
}

/** Says that a value cannot be written for a peer; nothing was half written. */
export class LowerError extends ProtocolError {
  readonly code: LowerErrorCode;
  readonly path: string;
  readonly reason: string;
  readonly method: string | undefined;
  readonly feature: string | undefined;
  readonly condition: Condition | undefined;
  readonly missing: MissingFlag | undefined;
  readonly cite: Cite | undefined;

  private constructor(code: LowerErrorCode, fault: LowerFault) {
    const subject = fault.path || fault.method || "the payload";
    const source = fault.cite === undefined ? "" : ` (${printCite(fault.cite)})`;
    super("LowerError", `cannot lower ${subject}: ${fault.reason}${source}`);
    this.code = code;
    this.path = fault.path;
    this.reason = fault.reason;
    this.method = fault.method;
    this.feature = fault.feature;
    this.condition = fault.condition;
    this.missing = fault.missing;
    this.cite = fault.cite;
  }

  /** Makes the error for a value that needs a feature the profile lacks and the policy does not degrade. */
  static featureUnavailable(fault: LowerFault & { readonly feature: string }): LowerError {
    return new LowerError("feature-unavailable", fault);
  }

  /** Makes the error for a value whose feature is there but whose shape the revision cannot carry. */
  static fieldNotRepresentable(fault: LowerFault): LowerError {
    return new LowerError("field-not-representable", fault);
  }

  /** Makes the error for the use of a typed field that the profile rules out. */
  static unknownField(fault: LowerFault): LowerError {
    return new LowerError("unknown-field", fault);
  }
}

/** Lists what an `EnvelopeError` can be about. */
export type EnvelopeErrorCode = "unreadable" | "invalid-params" | "batch-not-allowed" | "method-unavailable" | "method-embedded";

/** The JSON-RPC codes that answer each fault of a request. https://www.jsonrpc.org/specification#error_object */
const RPC_CODES: Readonly<Record<EnvelopeErrorCode, number>> = {
  unreadable: INVALID_REQUEST,
  "invalid-params": INVALID_PARAMS,
  "batch-not-allowed": INVALID_REQUEST,
  "method-unavailable": METHOD_NOT_FOUND,
  "method-embedded": METHOD_NOT_FOUND,
};

/** Says what else is known about a message that cannot be taken as one. */
export interface EnvelopeFault {
  /** The id to answer with, where the message has one that can be read. */
  readonly id?: string | number | undefined;
  /** Id of the feature that is off. */
  readonly feature?: string | undefined;
  readonly cite?: Cite | undefined;
}

/**
 * Says that a message cannot be taken as one: `path` is a JSON pointer into it, empty for the message as a whole. `rpcCode` and `id` are what
 * to answer with where it asked for an answer; without an id, none could be read.
 */
export class EnvelopeError extends ProtocolError {
  readonly code: EnvelopeErrorCode;
  readonly path: string;
  readonly reason: string;
  readonly rpcCode: number;
  readonly id: string | number | undefined;
  readonly feature: string | undefined;
  readonly cite: Cite | undefined;

  constructor(code: EnvelopeErrorCode, path: string, reason: string, fault: EnvelopeFault = {}) {
    const source = fault.cite === undefined ? "" : ` (${printCite(fault.cite)})`;
    super("EnvelopeError", `cannot read ${path || "the message"}: ${reason}${source}`);
    this.code = code;
    this.path = path;
    this.reason = reason;
    this.rpcCode = RPC_CODES[code];
    this.id = fault.id;
    this.feature = fault.feature;
    this.cite = fault.cite;
  }
}

/** Says what else a handler's error tells the peer. */
export interface RpcFault {
  readonly data?: unknown;
  /** The revision whose codes it uses, where that may not be the peer's. */
  readonly revision?: string | undefined;
}

/** Is what a handler throws to answer with an error of its own: the code, message and data reach the peer. */
export class RpcError extends ProtocolError {
  readonly code = "rpc";
  readonly rpcCode: number;
  readonly data: unknown;
  readonly revision: string | undefined;

  constructor(rpcCode: number, message: string, fault: RpcFault = {}) {
    super("RpcError", message);
    this.rpcCode = rpcCode;
    this.data = fault.data;
    this.revision = fault.revision;
  }
}

/** Lists what a fault of a policy can be about. */
export type PolicyErrorCode = "unknown-feature" | "unknown-union" | "unknown-action" | "unknown-preset" | "unknown-key" | "malformed";

/** Describes one fault of a policy: the key it stands at, and what could stand there instead. */
export interface PolicyFault {
  readonly code: PolicyErrorCode;
  readonly key: string;
  readonly reason: string;
  readonly choices: readonly string[];
}

/** Says what is wrong with a policy, all faults at once; `code` is the first one's. */
export class PolicyError extends ProtocolError {
  readonly code: PolicyErrorCode;
  readonly faults: readonly PolicyFault[];

  constructor(first: PolicyFault, ...others: readonly PolicyFault[]) {
    const faults = [first, ...others];
    super("PolicyError", `cannot use policy: ${printFaults(faults)}`);
    this.code = first.code;
    this.faults = faults;
  }
}

/** Prints the choices once where faults that follow each other share them: the list of features is long. */
function printFaults(faults: readonly PolicyFault[]): string {
  const parts = faults.map((fault, index) => {
    const shared = fault.choices.length === 0 || faults[index + 1]?.choices === fault.choices;
    return shared ? fault.reason : `${fault.reason} (choose from ${fault.choices.join(", ")})`;
  });
  return parts.join("; ");
}

const NAMES = new Set(["UnknownRevisionError", "ProfileError", "LowerError", "EnvelopeError", "RpcError", "PolicyError"]);

/** Tells whether a value is an error of the core; tests `name`, so that it holds across copies of the library. */
export function isProtocolError(error: unknown): error is ProtocolError {
  const name = nameOf(error);
  return name !== undefined && NAMES.has(name);
}

/** Tells whether a value is a `LowerError`; tests `name`. */
export function isLowerError(error: unknown): error is LowerError {
  return nameOf(error) === "LowerError";
}

/** Tells whether a value is an `EnvelopeError`; tests `name`. */
export function isEnvelopeError(error: unknown): error is EnvelopeError {
  return nameOf(error) === "EnvelopeError";
}

/** Tells whether a value is an `RpcError`; tests `name`. */
export function isRpcError(error: unknown): error is RpcError {
  return nameOf(error) === "RpcError";
}

function nameOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("name" in error)) return undefined;
  return typeof error.name === "string" ? error.name : undefined;
}
