// Decides what an HTTP refusal of a request means: an answer of the peer's, a session that is gone, or a peer that cannot be reached. Pure.

import { isWire } from "../capabilities.js";
import type { RequestId } from "../envelope.js";
import type { UnreachableFault } from "../bridge/peer.js";
import { withField } from "../copy.js";
import type { Wire } from "../protocol.js";
import { METHOD_NOT_FOUND } from "../rpc-codes.js";
import { readJson } from "./lines.js";

/** What came back instead of a success. */
export interface RefusedResponse {
  readonly status: number;
  readonly body: string;
  readonly challenge: string | undefined;
  /** True where the request carried the id of a session. */
  readonly hadSession: boolean;
}

/** What it means: an answer, or the facts of an `Unreachable` with its reason. */
export type Refusal =
  | { readonly answer: Wire }
  | { readonly answer: undefined; readonly reason: string; readonly fault: UnreachableFault & { readonly delivered: "no" | "maybe" } };

/** These say who may ask; what their bodies say is the gateway's, not the server's. */
const AUTHORIZATION = new Set([401, 403, 407]);
/** These tell of the way to the server, not of the message; a body without the id of the request is no answer to it. */
const OF_THE_WAY = new Set([408, 429]);

/** Reads a refusal of the request with this id; without one, of a message that expects no answer. */
export function readRefusal(response: RefusedResponse, id?: RequestId): Refusal {
  const { status, body, challenge, hadSession } = response;
  const error = AUTHORIZATION.has(status) || id === undefined ? undefined : errorIn(body);
  const isOwn = error !== undefined && error["id"] === id;
  if (status === 404 && hadSession && !(isOwn && codeOf(error) === METHOD_NOT_FOUND)) {
    const fault = { status, body, sessionGone: true, delivered: "no" } as const;
    return { answer: undefined, reason: "it does not know the session any longer (status 404)", fault };
  }
  if (error !== undefined && id !== undefined) {
    if (isOwn) return { answer: error };
    // What refuses a request in its own response means it, whatever the peer made of the id.
    if (status < 500 && !OF_THE_WAY.has(status) && error["jsonrpc"] === "2.0") return { answer: withField(error, "id", id) };
  }
  const delivered = status < 500 && status !== 408 ? "no" : "maybe";
  return { answer: undefined, reason: `it answers with status ${status}`, fault: { status, body, challenge, delivered } };
}

function errorIn(body: string): Wire | undefined {
  const message = readJson(body);
  return isWire(message) && isWire(message["error"]) && typeof message["error"]["code"] === "number" ? message : undefined;
}

function codeOf(message: Wire): unknown {
  return isWire(message["error"]) ? message["error"]["code"] : undefined;
}
