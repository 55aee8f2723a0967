// Writes what the bridge throws as the JSON-RPC error that answers the request it was thrown for. Pure: an error and a request in, a response out.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { isEnvelopeError } from "../errors.js";
import type { Wire } from "../protocol.js";
import { INTERNAL_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND } from "../rpc-codes.js";
import { errorOf } from "./answers.js";
import {
  bridgeErrorOf,
  type BridgeError,
  type Close,
  type FeatureUnavailable,
  isBridgeError,
  type MethodNotBridged,
  type NotReadable,
  type Refusal,
  type Unreachable,
  type Unreadable,
} from "./errors.js";

/** The revisions of the hop the request came from, and of the one it was for. */
export interface Hops {
  readonly from?: Codec | undefined;
  readonly to?: Codec | undefined;
}

/** Writes what was thrown as an error member: a fault the bridge knows by its kind, anything else as an internal error that says nothing more. */
export function errorFor(error: unknown, method: string, { from, to }: Hops = {}): Wire {
  if (!isBridgeError(error)) return errorOf(INTERNAL_ERROR, "internal error");
  const hops = { from: from?.version, to: to?.version };
  const known = error as KnownError;
  switch (known.name) {
    case "Unreadable":
      return errorOf(isEnvelopeError(known.cause) ? known.cause.rpcCode : INVALID_REQUEST, known.message);
    case "FeatureUnavailable": {
      const { denial, feature, message, cite } = known;
      if (denial === undefined) return bridgeErrorOf({ kind: "not-translatable", message, feature, cite, ...hops });
      return errorOf(denial.code, message, denial.data);
    }
    case "MethodNotBridged":
      return errorOf(METHOD_NOT_FOUND, known.message);
    case "NotReadable": {
      const { refusal, isAnswer } = known;
      const { feature, path, cite } = refusal;
      const sideEffects = isAnswer ? "possible" : "none";
      return bridgeErrorOf({
        kind: "not-translatable",
        message: printRefusal(method, refusal.message),
        feature,
        path,
        cite,
        ...hops,
        sideEffects,
      });
    }
    case "Unreachable": {
      const { delivered, message, sessionGone } = known;
      if (sessionGone) return bridgeErrorOf({ kind: "state-lost", message, ...hops, retry: "fresh" });
      if (delivered === "no") return bridgeErrorOf({ kind: "upstream-unavailable", message, ...hops, retry: "same" });
      return bridgeErrorOf({ kind: "outcome-unknown", message, ...hops, sideEffects: "possible" });
    }
    case "Refusal":
      return known.error;
    case "Close":
      return bridgeErrorOf({ kind: "upstream-unavailable", message: known.message, ...hops, retry: "same" });
  }
}

type Named<E extends BridgeError, N extends string> = E & { readonly name: N };
type KnownError =
  | Named<Unreadable, "Unreadable">
  | Named<FeatureUnavailable, "FeatureUnavailable">
  | Named<MethodNotBridged, "MethodNotBridged">
  | Named<NotReadable, "NotReadable">
  | Named<Unreachable, "Unreachable">
  | Named<Refusal, "Refusal">
  | Named<Close, "Close">;

function printRefusal(method: string, message: string): string {
  return `cannot bridge ${method}: ${message}`;
}

/** Reads code and message of an error response, as far as they are there. */
export function readError(response: Wire): { readonly code: unknown; readonly message: unknown; readonly data: unknown } | undefined {
  const { error } = response;
  return isWire(error) ? { code: error["code"], message: error["message"], data: error["data"] } : undefined;
}
