// Writes the responses the bridge gives on its own account, and reads the parts of messages that every room of it asks for. Pure.

import { isWire } from "../capabilities.js";
import type { RequestId } from "../envelope.js";
import type { Wire } from "../protocol.js";
import { tables, type Method } from "../mcp.js";
import { hasFeature } from "./eras.js";

/** Writes the error member of a response. */
export function errorOf(code: number, message: string, data?: unknown): Wire {
  return data === undefined ? { code, message } : { code, message, data };
}

/**
 * Writes an error response. Without an id that could be read it has a null id, as JSON-RPC wants, unless the client's revision is one that
 * leaves the id out there. https://www.jsonrpc.org/specification#response_object
 */
export function errorAnswer(id: RequestId | undefined, error: Wire, revision?: string): Wire {
  if (id !== undefined) return { jsonrpc: "2.0", id, error };
  const feature = tables.errorId?.feature;
  const leavesOut = feature !== undefined && hasFeature(revision, feature);
  return leavesOut ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id: null, error };
}

/** Tells whether a value can be the id of a request. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
}

/** Gives the params of a message; undefined where they are no object. */
export function paramsOf(message: Wire): Wire | undefined {
  return isWire(message["params"]) ? message["params"] : undefined;
}

/** Gives the `_meta` of params or of a result; undefined where it is no object. */
export function metaOf(payload: unknown): Wire | undefined {
  return isWire(payload) && isWire(payload["_meta"]) ? payload["_meta"] : undefined;
}

/** Names the request that opens a legacy session. */
export const INITIALIZE = "initialize" satisfies Method;

/** Names the request that asks a modern server what it speaks and serves. */
export const DISCOVER = "server/discover" satisfies Method;
