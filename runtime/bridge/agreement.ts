// What was agreed on the two hops of a bridge, and the way of one message from hop to hop by it: lifted at the revision it came in, held against
// both agreements, and lowered at the revision it goes out in. Pure: nothing here waits or sends.

import type { Codec } from "../codec.js";
import { liftEnvelope, lowerEnvelope, type AskedRequest, type Envelope } from "../envelope.js";
import { isEnvelopeError, isLowerError, type LowerError } from "../errors.js";
import { carryAll } from "../exact.js";
import { gate, type Denied, type Snapshot } from "../gate.js";
import type { DegradePolicy } from "../policy.js";
import type { Direction, ProtocolTables, Wire } from "../protocol.js";
import type { TranslationReport } from "../report.js";
import { FeatureUnavailable, MethodNotBridged, NotReadable, Unreadable } from "./errors.js";

/** Two legs, each a revision with what was negotiated at it, kept apart; and what is done where they differ. */
export interface Agreement {
  /** Speaks with the client. */
  readonly downstream: Codec;
  /** Speaks with the server. */
  readonly upstream: Codec;
  readonly policy: DegradePolicy;
}

/** A message on its way, with its canonical payload. */
export type Asking = Extract<Envelope, { readonly kind: "request" | "notification" }>;

/** Changes a canonical payload on its way; gives the same object where there is nothing to change. */
export type Edit = (payload: unknown) => unknown;

/** A message as it goes out, and as it was understood. */
export interface Crossed {
  readonly outbound: Wire;
  readonly asking: Asking;
}

/**
 * Takes a request or notification from one hop to the other. A method no revision knows goes through untouched, but for `edit`. Throws
 * `Unreadable` for what is no message, `MethodNotBridged` where one of the two revisions has no such method, `FeatureUnavailable` where one of
 * the two agreements does not have it, and `NotReadable` where its params cannot be written.
 */
export function crossCall(agreement: Agreement, message: Wire, direction: Direction, edit?: Edit, report?: TranslationReport): Crossed {
  const { from, to } = legs(agreement, direction);
  const asking = liftCall(from, message, report);
  checkShared(from, to, asking, direction);
  const params = edit === undefined ? asking.params : edit(asking.params);
  try {
    const outbound = lowerEnvelope(to, { ...asking, params }, policyBetween(agreement), report);
    carryAll(message, outbound);
    return { asking, outbound };
  } catch (error) {
    throw readable(error, false);
  }
}

/**
 * Takes the answer to a call back to who asked; `direction` is the call's. Between equal revisions a result goes back as it came, but for what the
 * asker's revision has no way to read: servers send it all the same. Throws `Unreadable` for what is no response, and `NotReadable` where the asker's revision cannot read it.
 */
export function crossAnswer(
  agreement: Agreement,
  answer: Wire,
  asked: AskedRequest,
  direction: Direction,
  edit?: Edit,
  report?: TranslationReport,
): Wire {
  const { from: asker, to: answerer } = legs(agreement, direction);
  const envelope = liftAnswer(answerer, answer, asked, report);
  const policy = policyBetween(agreement);
  const given = envelope.kind === "result" && edit !== undefined ? { ...envelope, result: edit(envelope.result) } : envelope;
  const written = lowered(asker, given, policy, report);
  carryAll(answer, written);
  return written;
}

function policyBetween({ downstream, upstream, policy }: Agreement): DegradePolicy {
  return downstream.version === upstream.version ? policy.amongEquals : policy;
}

/** Reads a request or notification; throws `Unreadable`. */
export function liftCall(codec: Codec, message: Wire, report?: TranslationReport): Asking {
  const envelope = lifted(() => liftEnvelope(codec, message, undefined, report));
  if (envelope.kind === "request" || envelope.kind === "notification") return envelope;
  throw new Unreadable("cannot forward the message: it is an answer to nothing that was asked");
}

/** Reads a response; throws `Unreadable`. */
export function liftAnswer(
  codec: Codec,
  answer: Wire,
  asked: AskedRequest,
  report?: TranslationReport,
): Extract<Envelope, { readonly kind: "result" | "error" }> {
  const envelope = lifted(() => liftEnvelope(codec, answer, asked, report));
  if (envelope.kind === "result" || envelope.kind === "error") return envelope;
  throw new Unreadable(`cannot read the answer to ${asked.method}: it is no response`);
}

function lowered(codec: Codec, envelope: Envelope, policy: DegradePolicy, report: TranslationReport | undefined): Wire {
  try {
    return lowerEnvelope(codec, envelope, policy, report);
  } catch (error) {
    throw readable(error, true);
  }
}

/**
 * Holds a method against what was agreed on both hops, before anything is sent. Throws `FeatureUnavailable` and `MethodNotBridged`; a method that
 * no revision knows passes.
 */
export function checkShared(from: Codec, to: Codec, { kind, method, wire }: Asking, direction: Direction): void {
  for (const codec of [from, to]) {
    const { tables } = codec.profile;
    const known = codec.method(method)?.kind;
    if (known !== undefined && known !== kind) {
      throw new Unreadable(`cannot forward ${method}: it is a ${known}, and came ${kind === "request" ? "with" : "without"} an id`);
    }
    if (codec.method(method)?.embedded !== false) {
      if (isModelled(codec.profile.tables, method)) {
        throw new MethodNotBridged(method, `${codec.version} has no such message; ${printHops(from, to)}`);
      }
      continue;
    }
    const snapshot: Snapshot = codec.capabilities;
    const outcome = gate(tables, codec.version, method, direction, snapshot, wire["params"]);
    if (outcome.outcome === "unknown") {
      throw new MethodNotBridged(method, `it does not travel in this direction at ${codec.version}; ${printHops(from, to)}`);
    }
    if (outcome.outcome === "denied") throw denied(method, outcome, codec);
  }
}

function denied(method: string, { feature, because, cite, code, data }: Denied, codec: Codec): FeatureUnavailable {
  const reason = `${because} (at ${codec.version})`;
  return new FeatureUnavailable(method, feature ?? method, reason, { cite, ...(code === undefined ? {} : { denial: { code, data } }) });
}

/** Tells whether any revision knows a method. */
export function isModelled({ methods }: ProtocolTables, method: string): boolean {
  return Object.values(methods).some((entries) => entries.some((entry) => entry.method === method));
}

function legs({ downstream, upstream }: Agreement, direction: Direction): { readonly from: Codec; readonly to: Codec } {
  return direction === "clientToServer" ? { from: downstream, to: upstream } : { from: upstream, to: downstream };
}

function printHops(from: Codec, to: Codec): string {
  return `it came at ${from.version} and was to go at ${to.version}`;
}

function lifted(lift: () => Envelope): Envelope {
  try {
    return lift();
  } catch (error) {
    if (isEnvelopeError(error)) throw new Unreadable(error.message, error);
    throw error;
  }
}

function readable(error: unknown, isAnswer: boolean): unknown {
  if (isLowerError(error)) return new NotReadable(error satisfies LowerError, isAnswer);
  return isEnvelopeError(error) ? new Unreadable(error.message, error) : error;
}
