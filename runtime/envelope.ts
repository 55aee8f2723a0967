// Lifts and lowers whole JSON-RPC messages: the payload goes through a codec, the envelope around it is kept as it came, with every
// top-level member this build does not model. A message that needs no change comes back as the same object.

import { isWire } from "./capabilities.js";
import type { Codec } from "./codec.js";
import { EnvelopeError } from "./errors.js";
import type { DegradePolicy } from "./policy.js";
import type { Wire } from "./protocol.js";
import type { TranslationReport } from "./report.js";

/** The id of a request, as the peer chose it. */
export type RequestId = string | number;

/** A message with its payload in canonical form; `wire` is the message as it came, unmodelled members included. */
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
    };

/**
 * Lifts one message of a peer. A response is read by the method it answers, which the caller knows; without it its payload is left as it is.
 * Throws `EnvelopeError` `unreadable` for what is no JSON-RPC 2.0 message, `batch-not-allowed` for an array: split it first.
 */
export function liftEnvelope(codec: Codec, message: unknown, answers?: string): Envelope {
  if (Array.isArray(message)) throw new EnvelopeError("batch-not-allowed", "", "it is an array; lift the messages in it one by one");
  if (!isWire(message)) throw new EnvelopeError("unreadable", "", "it is not a JSON object");
  if (message["jsonrpc"] !== "2.0") throw new EnvelopeError("unreadable", "/jsonrpc", 'it is not "2.0"');
  const { id, method } = message;
  if (method !== undefined) {
    if (typeof method !== "string") throw new EnvelopeError("unreadable", "/method", "it is not a string");
    const params = codec.lift(method, "params", message["params"]);
    if (id === undefined) return { kind: "notification", method, params, wire: message };
    return { kind: "request", id: readId(id), method, params, wire: message };
  }
  if (message["error"] !== undefined) {
    const error = message["error"];
    if (!isWire(error)) throw new EnvelopeError("unreadable", "/error", "it is not an object");
    return { kind: "error", id: id === undefined || id === null ? undefined : readId(id), method: answers, error, wire: message };
  }
  if (!Object.hasOwn(message, "result")) throw new EnvelopeError("unreadable", "", "it has neither method, result nor error");
  const result = answers === undefined ? message["result"] : codec.lift(answers, "result", message["result"]);
  return { kind: "result", id: readId(id), method: answers, result, wire: message };
}

/**
 * Lowers a lifted message for a peer. Throws `LowerError` as the codec does, and `EnvelopeError` `method-embedded` for a request that is no
 * message of its own at the peer's revision.
 */
export function lowerEnvelope(codec: Codec, envelope: Envelope, policy?: DegradePolicy, report?: TranslationReport): Wire {
  if (envelope.kind === "request" || envelope.kind === "notification") {
    if (codec.method(envelope.method)?.embedded === true) {
      throw new EnvelopeError(
        "method-embedded",
        "/method",
        `${envelope.method} is no message of its own at ${codec.version}; it travels in another message's result`,
      );
    }
    return withPayload(envelope.wire, "params", codec.lower(envelope.method, "params", envelope.params, policy, report));
  }
  if (envelope.kind === "error" || envelope.method === undefined) return envelope.wire;
  return withPayload(envelope.wire, "result", codec.lower(envelope.method, "result", envelope.result, policy, report));
}

function withPayload(wire: Wire, key: "params" | "result", payload: unknown): Wire {
  return wire[key] === payload ? wire : { ...wire, [key]: payload };
}

function readId(id: unknown): RequestId {
  if (typeof id === "string" || typeof id === "number") return id;
  throw new EnvelopeError("unreadable", "/id", "it is neither a string nor a number");
}
