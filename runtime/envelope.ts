// Lifts and lowers whole JSON-RPC messages: the payload goes through a codec, the envelope around it is kept as it came, with every
// top-level member this build does not model. A message that needs no change comes back as the same object.

import { isWire } from "./capabilities.js";
import type { Codec } from "./codec.js";
import { withField, withoutField } from "./copy.js";
import { addRepair } from "./envelope-repairs.js";
import { translateError } from "./error-codes.js";
import { EnvelopeError, type EnvelopeErrorCode } from "./errors.js";
import { DegradePolicy } from "./policy.js";
import type { Wire } from "./protocol.js";
import type { TranslationReport } from "./report.js";

/** The id of a request, as the peer chose it. */
export type RequestId = string | number;

/** The request a response answers. */
export interface AskedRequest {
  readonly method: string;
  readonly params?: unknown;
}

/** A message with its payload in canonical form; `wire` is the message as it came, unmodelled members included, after its repairs. */
export type Envelope =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly params: unknown; readonly wire: Wire }
  | { readonly kind: "notification"; readonly method: string; readonly params: unknown; readonly wire: Wire }
  | { readonly kind: "result"; readonly id: RequestId; readonly method: string | undefined; readonly result: unknown; readonly wire: Wire }
  | {
      readonly kind: "error";
      readonly id: RequestId | undefined;
      readonly method: string | undefined;
      readonly error: Wire;
      readonly wire: Wire;
      /** The revision whose codes the error uses; without it they are passed as they are. */
      readonly from?: string;
      /** The params of the request it answers. */
      readonly params?: unknown;
    };

/** What a message is, before any of its payload is read. */
export type MessageHead =
  | { readonly kind: "request"; readonly id: RequestId; readonly method: string; readonly wire: Wire }
  | { readonly kind: "notification"; readonly method: string; readonly wire: Wire }
  | { readonly kind: "response"; readonly wire: Wire };

type ErrorEnvelope = Extract<Envelope, { readonly kind: "error" }>;

/**
 * Lifts one message of a peer. A response is read by the request it answers, which the caller knows; without it its payload is left as it is.
 * What is put right on the way is listed in `ENVELOPE_REPAIRS` and recorded. Throws `EnvelopeError`, with the code to answer and the id where
 * it can be read: `unreadable` for what is no JSON-RPC 2.0 message, `invalid-params` for params that are no object, `batch-not-allowed` for
 * an array: split it first. https://www.jsonrpc.org/specification
 */
export function liftEnvelope(codec: Codec, message: unknown, answers?: string | AskedRequest, report?: TranslationReport): Envelope {
  const head = readHead(message);
  if (head.kind === "response") return liftResponse(codec, head.wire, typeof answers === "string" ? { method: answers } : answers, report);
  const wire = withParamsRepaired(head.wire, report);
  return { ...head, params: codec.lift(head.method, "params", wire["params"], report), wire };
}

/** Reads what a message is without touching its params, result or error; throws `EnvelopeError` as `liftEnvelope` does, except for those. */
export function readHead(message: unknown): MessageHead {
  if (Array.isArray(message)) throw new EnvelopeError("batch-not-allowed", "", "it is an array; lift the messages in it one by one");
  if (!isWire(message)) throw new EnvelopeError("unreadable", "", "it is not a JSON object");
  if (message["jsonrpc"] !== "2.0") throw fault(message, "/jsonrpc", 'it is not "2.0"');
  const { id, method } = message;
  if (method === undefined) return { kind: "response", wire: message };
  if (typeof method !== "string") throw fault(message, "/method", "it is not a string");
  if (id === undefined) return { kind: "notification", method, wire: message };
  if (!isRequestId(id)) throw noId(message);
  return { kind: "request", id, method, wire: message };
}

function withParamsRepaired(message: Wire, report: TranslationReport | undefined): Wire {
  const { params } = message;
  if (params === undefined || isWire(params)) return message;
  if (params === null) {
    addRepair("params-null", report);
    return withoutField(message, "params");
  }
  // The empty list of a language that has one notation for both; a list that holds something would have to be guessed at.
  if (Array.isArray(params) && params.length === 0) {
    addRepair("params-empty-array", report);
    return withField(message, "params", {});
  }
  throw fault(message, "/params", Array.isArray(params) ? "they are given by position" : "they are not an object", "invalid-params");
}

function liftResponse(codec: Codec, message: Wire, asked: AskedRequest | undefined, report: TranslationReport | undefined): Envelope {
  const { id, error, result } = message;
  const hasError = error !== undefined && error !== null;
  if (hasError && result !== undefined) throw fault(message, "", "it has both a result and an error");
  if (hasError) return liftError(codec, message, error, asked, report);
  if (result === undefined) throw fault(message, "", "it has neither method, result nor error");
  if (result === null) throw fault(message, "/result", "it is null");
  if (!isRequestId(id)) throw noId(message);
  if (error === null) addRepair("error-null", report);
  const lifted = asked === undefined ? result : codec.lift(asked.method, "result", result, report);
  return { kind: "result", id, method: asked?.method, result: lifted, wire: error === null ? withoutField(message, "error") : message };
}

function liftError(
  codec: Codec,
  message: Wire,
  error: unknown,
  asked: AskedRequest | undefined,
  report: TranslationReport | undefined,
): Envelope {
  const { id } = message;
  if (!isWire(error)) throw fault(message, "/error", "it is not an object");
  if (id !== undefined && id !== null && !isRequestId(id)) throw noId(message);
  if (id === null) addRepair("error-id-null", report);
  else if (id === undefined && needsErrorId(codec)) addRepair("error-id-absent", report);
  return {
    kind: "error",
    id: id ?? undefined,
    method: asked?.method,
    error,
    wire: message,
    from: codec.version,
    ...(asked?.params === undefined ? {} : { params: asked.params }),
  };
}

/**
 * Lowers a lifted message for a peer. An error that says which revision it came from is written with the codes of the peer's; one that answers
 * no known request has a null id where the peer's schema asks for one, and none where not. Throws `LowerError` as the codec does, and
 * `EnvelopeError` `method-embedded` for a request that is no message of its own at the peer's revision.
 */
export function lowerEnvelope(codec: Codec, envelope: Envelope, policy?: DegradePolicy, report?: TranslationReport): Wire {
  if (envelope.kind === "error") return lowerError(codec, envelope, policy, report);
  if (envelope.kind === "request" || envelope.kind === "notification") {
    if (codec.method(envelope.method)?.embedded === true) {
      throw fault(
        envelope.wire,
        "/method",
        `${envelope.method} is no message of its own at ${codec.version}; it travels in another message's result`,
        "method-embedded",
      );
    }
    return withPayload(envelope.wire, "params", codec.lower(envelope.method, "params", envelope.params, policy, report));
  }
  if (envelope.method === undefined) return envelope.wire;
  return withPayload(envelope.wire, "result", codec.lower(envelope.method, "result", envelope.result, policy, report));
}

function lowerError(
  codec: Codec,
  { id, method, error, wire, from, params }: ErrorEnvelope,
  policy: DegradePolicy | undefined,
  report: TranslationReport | undefined,
): Wire {
  const { tables } = codec.profile;
  const orders = policy ?? DegradePolicy.strict(tables);
  const lowered =
    from === undefined ? error : translateError(tables, { from, to: codec.version, method, params, policy: orders }, error, report);
  const coded = wire["error"] === lowered ? wire : withField(wire, "error", lowered);
  return id === undefined ? withoutId(codec, coded, report) : coded;
}

/** Writes the id of an error that answers no known request as the peer's schema has it. */
function withoutId(codec: Codec, wire: Wire, report: TranslationReport | undefined): Wire {
  const { errorId, features } = codec.profile.tables;
  if (errorId === undefined) return wire;
  const isRequired = needsErrorId(codec);
  if (isRequired ? wire["id"] === null : !Object.hasOwn(wire, "id")) return wire;
  const feature = errorId.feature === undefined ? null : (features[errorId.feature]?.id ?? null);
  report?.add({ feature, action: isRequired ? "fill" : "omit", path: "/id", loss: "none" });
  return isRequired ? withField(wire, "id", null) : withoutField(wire, "id");
}

function needsErrorId(codec: Codec): boolean {
  return codec.profile.tables.errorId?.requiredAt.includes(codec.version) ?? false;
}

function withPayload(wire: Wire, key: "params" | "result", payload: unknown): Wire {
  return wire[key] === payload ? wire : { ...wire, [key]: payload };
}

/** A number that JSON cannot write would come back to the peer as another id, or none. */
function isRequestId(id: unknown): id is RequestId {
  return typeof id === "string" || (typeof id === "number" && Number.isFinite(id));
}

function noId(message: Wire): EnvelopeError {
  return fault(message, "/id", "it is neither a string nor a number");
}

/** Makes the error for a message, with its id where that can be given back. */
function fault({ id }: Wire, path: string, reason: string, code: EnvelopeErrorCode = "unreadable"): EnvelopeError {
  return new EnvelopeError(code, path, reason, { id: isRequestId(id) ? id : undefined });
}
