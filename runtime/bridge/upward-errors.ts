// What the errors of a legacy server are to a modern client, beyond the codes the tables name: codes that mean something else to it, or must not be
// said at all. Pure. https://modelcontextprotocol.io/specification/2026-07-28/basic#error-codes

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import type { Wire } from "../protocol.js";
import { INTERNAL_ERROR } from "../rpc-codes.js";
import type { Agreement } from "./agreement.js";
import { codeOf } from "./eras.js";
import { readError } from "./refusal.js";
import { takesRounds } from "./rounds.js";

/** The codes that only the protocol itself may give a meaning. */
const RESERVED = { from: -32_099, to: -32_020 };

/** Rewrites the error of an answer that a modern client would misunderstand; the same object where there is none. */
export function upwardError(answer: Wire, method: string, { downstream, upstream }: Agreement): Wire {
  const error = readError(answer);
  if (error === undefined || typeof error.code !== "number") return answer;
  if (takesRounds(method, downstream.version) && saysWhatIsMissing(error.code, error.data, downstream)) return answer;
  const isReserved = error.code >= RESERVED.from && error.code <= RESERVED.to;
  const isNotFound = error.code === codeOf(upstream.version, "RESOURCE_NOT_FOUND");
  if (!isReserved && !(isNotFound && method !== "resources/read")) return answer;
  const { code, message, data } = error;
  const bridge = { upstream: { code, message, ...(data === undefined ? {} : { data }) } };
  return { ...answer, error: { code: INTERNAL_ERROR, message: String(message), data: { bridge } } };
}

/** A server behind another bridge may say which capability it takes; where the client has not declared it, that is just what the client should hear. */
function saysWhatIsMissing(code: number, data: unknown, downstream: Codec): boolean {
  const needed = isWire(data) ? data["requiredCapabilities"] : undefined;
  if (code !== codeOf(downstream.version, "MISSING_REQUIRED_CLIENT_CAPABILITY") || !isWire(needed)) return false;
  const { client } = downstream.capabilities;
  return Object.keys(needed).some((key) => !isWire(client) || !Object.hasOwn(client, key));
}

/** Reads the addresses that a server wants visited before it is called again; undefined where the answer is not about that. */
export function urlElicitations(answer: Wire, upstream: Codec): readonly Wire[] | undefined {
  const error = readError(answer);
  const code = codeOf(upstream.version, "URL_ELICITATION_REQUIRED");
  if (error === undefined || code === undefined || error.code !== code || !isWire(error.data)) return undefined;
  const { elicitations } = error.data;
  if (!Array.isArray(elicitations) || elicitations.length === 0 || !elicitations.every(isWire)) return undefined;
  return elicitations.map((entry: Wire) => ({ ...entry, mode: "url" }));
}
