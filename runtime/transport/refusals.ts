// The JSON-RPC errors a transport answers with on its own account, before anybody behind it has seen a message or where somebody behind it failed.
// Takes what is wrong and the message it is about; gives the response.

import { isWire } from "../capabilities.js";
import type { RequestId } from "../envelope.js";
import { tables } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR } from "../rpc-codes.js";
import { bridgeErrorOf, type BridgeFault } from "../bridge/peer.js";

/** Says what a refusal answers: the message, where one could be read, and the revision of the conversation, where there is one. */
export interface Refused {
  readonly message?: unknown;
  readonly revision?: string | undefined;
}

/** Writes an error response. Without an id to answer, the id is null, or left out at revisions that allow it. https://www.jsonrpc.org/specification#response_object */
export function errorResponse(error: Wire, { message, revision }: Refused = {}): Wire {
  const id = requestIdOf(message);
  if (id !== undefined) return { jsonrpc: "2.0", id, error };
  const needsId = revision === undefined || (tables.errorId?.requiredAt.includes(revision) ?? true);
  return needsId ? { jsonrpc: "2.0", id: null, error } : { jsonrpc: "2.0", error };
}

/** Refuses a message that is none, or not here. */
export function invalidRequest(reason: string, refused?: Refused): Wire {
  return errorResponse({ code: INVALID_REQUEST, message: reason }, refused);
}

/** Refuses text that is no JSON; repeats nothing of it. */
export function parseError(refused?: Refused): Wire {
  return errorResponse({ code: PARSE_ERROR, message: "cannot read the message: it is not JSON in UTF-8" }, refused);
}

/** Refuses a line or body that is too long to be read; where it cannot be told what it was, it counts as no request. */
export function oversize(what: string, limit: number, refused?: Refused): Wire {
  const error = bridgeErrorOf({ kind: "limit", message: `cannot read the ${what}: it is longer than ${limit} bytes`, retry: "no" });
  return errorResponse({ ...error, code: INVALID_REQUEST }, refused);
}

/** Refuses what could be served at another time, or elsewhere. */
export function faultResponse(fault: BridgeFault, refused?: Refused): Wire {
  return errorResponse(bridgeErrorOf(fault), refused);
}

/** Answers for somebody who failed; says nothing of how. */
export function internalError(refused?: Refused): Wire {
  return errorResponse({ code: INTERNAL_ERROR, message: "cannot answer the message: the server failed" }, refused);
}

/** Reads the id a message asks to be answered with; undefined where it asks for no answer, or with an id that is none. */
export function requestIdOf(message: unknown): RequestId | undefined {
  if (!isWire(message) || message["method"] === undefined) return undefined;
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
