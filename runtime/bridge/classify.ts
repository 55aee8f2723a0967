// Decides what a client's message is: of which era, or an error to answer at once. Takes the parsed message and what is known of where it came
// on; gives a verdict. The message decides, headers only cross-check.

import { isWire } from "../capabilities.js";
import { readHead, type MessageHead, type RequestId } from "../envelope.js";
import { isEnvelopeError } from "../errors.js";
import { Feature, tables, VALUES, type Revision } from "../mcp.js";
import type { Era, Wire } from "../protocol.js";
import { DISCOVER, errorAnswer, errorOf, INITIALIZE, isRequestId, metaOf, paramsOf } from "./answers.js";
import { codeIn, eraOf, hasFeature, knownOf } from "./eras.js";
import { META } from "./meta.js";
import type { Arrival, Verdict } from "./peer.js";

/** What an endpoint serves. */
export interface Serving {
  readonly legacy: boolean;
  readonly modern: boolean;
  /** The revisions of both eras, in any order. */
  readonly revisions: readonly string[];
}

/** What a modern request says of itself. https://modelcontextprotocol.io/specification/2026-07-28/basic#meta */
export interface ModernEnvelope {
  readonly revision: string;
  readonly clientCapabilities: Wire;
  readonly clientInfo?: Wire;
  readonly logLevel?: string;
}

/** What reading a modern envelope gives: none there, one, or the key that is missing or is not what it should be. */
export type EnvelopeReading =
  | { readonly kind: "none" }
  | { readonly kind: "modern"; readonly envelope: ModernEnvelope }
  | { readonly kind: "faulty"; readonly key: string; readonly fault: "missing" | "malformed"; readonly reason: string };

/** Reads the modern envelope of a message; there is one as soon as its `_meta` names a protocol version, whatever else it holds. */
export function envelopeOf(message: unknown): EnvelopeReading {
  const meta = isWire(message) ? metaOf(message["params"]) : undefined;
  if (meta === undefined || !Object.hasOwn(meta, META.protocolVersion)) return { kind: "none" };
  const revision = meta[META.protocolVersion];
  const clientCapabilities = meta[META.clientCapabilities];
  const clientInfo = meta[META.clientInfo];
  const logLevel = meta[META.logLevel];
  if (typeof revision !== "string") return malformed(META.protocolVersion, "it is not a string");
  if (clientCapabilities === undefined) return missing(META.clientCapabilities);
  if (!isWire(clientCapabilities)) return malformed(META.clientCapabilities, "it is not an object");
  if (clientInfo !== undefined && !isImplementation(clientInfo)) {
    return malformed(META.clientInfo, "it is not an object with a name and a version");
  }
  if (logLevel !== undefined && !isLogLevel(revision, logLevel)) return malformed(META.logLevel, "it is no level of the protocol");
  return {
    kind: "modern",
    envelope: {
      revision,
      clientCapabilities,
      ...(clientInfo === undefined ? {} : { clientInfo }),
      ...(logLevel === undefined ? {} : { logLevel }),
    },
  };
}

/**
 * Decides what an HTTP POST is. Refusals are error responses with the status that goes with them. A GET or DELETE never comes here: it is an
 * operation of a legacy session, or 405. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http
 */
export function classifyHttp(arrival: Arrival, served: Serving): Verdict {
  const { message, session } = arrival;
  if (Array.isArray(message)) return classifyBatch(message, session);
  const head = headOf(message, session);
  if ("answer" in head) return head;
  if (head.kind === "response") return classifyResponse(head.wire, served, session);
  const header = singleHeader(arrival.versionHeader);
  if (head.kind === "notification") return classifyNotification(header, session, served);
  const reading = envelopeOf(head.wire);
  if (head.method === INITIALIZE && reading.kind !== "modern") return classifyInitialize(head, header, session, served);
  // A client may carry keys of the modern era while it speaks a legacy revision: the session it was given and the header decide.
  const namesLegacy = eraOf(header) === "legacy";
  const inSession = session !== undefined && (header === undefined || namesLegacy || !served.modern);
  if (inSession || (namesLegacy && reading.kind === "none")) return legacyRequest(head, header, session, served);
  if (reading.kind === "none") return classifyBare(head, header, session, served);
  if (!served.modern) return refuse(head.id, 400, notModern(head.method), session);
  return classifyModern(head, reading, header, served);
}

/** What a pipe has become; undefined until a message decides. */
export interface PipeState {
  readonly era: Era | undefined;
}

/** What a message on a pipe is: for one of the eras, an error to answer at once, or nothing to anybody; with what the pipe is from now on. */
export type PipeVerdict = { readonly state: PipeState } & ({ readonly take: Era } | { readonly answer: Wire } | { readonly drop: string });

/**
 * Decides what a message on a pipe is, in the order of arrival: `initialize` makes the pipe legacy, a request with a modern envelope modern.
 * Discovery is answered and decides nothing: a client may probe and then shake hands.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#backward-compatibility-with-initialization-based-versions
 */
export function classifyPipe(state: PipeState, message: unknown, served: Serving): PipeVerdict {
  if (state.era === "legacy") return { state, take: "legacy" };
  if (Array.isArray(message))
    return { state, answer: errorAnswer(undefined, invalidRequest("cannot take an array: no batch was agreed on")) };
  const head = headOf(message, undefined);
  if ("answer" in head) return { state, answer: head.answer };
  if (head.kind === "response") return { state, drop: "a response to nothing that was asked" };
  if (head.kind === "notification") {
    return state.era === undefined ? { state, drop: `${head.method} before the first request` } : { state, take: state.era };
  }
  if (head.method === INITIALIZE) {
    const canShake = served.legacy && state.era === undefined;
    if (canShake) return { state: { era: "legacy" }, take: "legacy" };
    return { state, answer: errorAnswer(head.id, unsupported(paramsOf(head.wire)?.["protocolVersion"], served)) };
  }
  const reading = envelopeOf(head.wire);
  if (!served.modern) {
    const isEarly = mayComeFirst(head.method);
    if (isEarly) return { state, take: "legacy" };
    const error = reading.kind === "none" ? notShaken(head.method) : notModern(head.method);
    return { state, answer: errorAnswer(head.id, error) };
  }
  if (reading.kind === "none") {
    if (served.legacy && state.era === undefined && mayComeFirst(head.method)) return { state, take: "legacy" };
    return { state, answer: errorAnswer(head.id, noEnvelope()) };
  }
  const verdict = classifyModern(head, reading, undefined, served);
  if (verdict.era === undefined) return { state, answer: verdict.answer };
  return { state: head.method === DISCOVER ? state : { era: "modern" }, take: "modern" };
}

type RequestHead = Extract<MessageHead, { readonly kind: "request" }>;
type Refusal = Extract<Verdict, { readonly era: undefined }>;

function classifyBatch(messages: readonly unknown[], session: string | undefined): Verdict {
  const isModern = messages.some((entry) => envelopeOf(entry).kind !== "none");
  if (messages.length === 0) return refuse(undefined, 400, invalidRequest("cannot take the message: it is an empty array"), session);
  if (isModern) return refuse(undefined, 400, invalidRequest("cannot take an array: a message in it has a modern envelope"), session);
  if (hasFeature(session, Feature.JsonrpcBatching)) return { era: "legacy", opens: false };
  return refuse(undefined, 400, invalidRequest("cannot take an array: only a session of a revision with batches may send one"), session);
}

function classifyResponse(wire: Wire, served: Serving, session: string | undefined): Verdict {
  if (wire["result"] === undefined && wire["error"] === undefined) {
    return refuse(idOf(wire), 400, invalidRequest("cannot take the message: it has neither method, result nor error"), session);
  }
  if (served.legacy) return { era: "legacy", opens: false };
  return refuse(undefined, 400, invalidRequest("cannot take a response: no request was sent"), session);
}

/** Headers are not defined for notifications, and nothing is required of them. */
function classifyNotification(header: string | undefined, session: string | undefined, served: Serving): Verdict {
  if (session !== undefined && served.legacy) return { era: "legacy", opens: false };
  const isModern = served.modern && (!served.legacy || eraOf(header) === "modern");
  return isModern ? { era: "modern" } : { era: "legacy", opens: false };
}

function classifyInitialize(head: RequestHead, header: string | undefined, session: string | undefined, served: Serving): Verdict {
  if (eraOf(header) === "modern") {
    const reason = `cannot take ${INITIALIZE}: the header names ${header}, which has no handshake`;
    return refuse(head.id, 400, mismatch(reason), session);
  }
  // What else the header names is left to the negotiation, which goes by the message.
  if (served.legacy) return { era: "legacy", opens: session === undefined };
  return refuse(head.id, 400, unsupported(paramsOf(head.wire)?.["protocolVersion"], served), session);
}

function legacyRequest(head: RequestHead, header: string | undefined, session: string | undefined, served: Serving): Verdict {
  if (!served.legacy) return refuse(head.id, 400, unsupported(header, served), session);
  const differs = header !== undefined && header !== session && hasFeature(session, Feature.TransportProtocolVersionHeader, HTTP);
  if (!differs) return { era: "legacy", opens: false };
  return refuse(
    head.id,
    400,
    invalidRequest(`cannot take ${head.method}: the header names ${header}, the session agreed on ${session}`),
    session,
  );
}

/** Decides about a request without a modern envelope and without a header that names a legacy revision. */
function classifyBare(head: RequestHead, header: string | undefined, session: string | undefined, served: Serving): Verdict {
  if (eraOf(header) === "modern" && served.modern) return refuse(head.id, 400, noEnvelope(), session);
  if (header !== undefined && session !== undefined) return legacyRequest(head, header, session, served);
  if (header !== undefined) {
    const error = served.modern ? unsupported(header, served) : invalidRequest(`cannot take ${head.method}: ${header} is not served here`);
    return refuse(head.id, 400, error, session);
  }
  if (served.legacy) return { era: "legacy", opens: false };
  return refuse(head.id, 400, noEnvelope(), session);
}

/** Decides about a request with a modern envelope where the era is served. */
function classifyModern(
  head: RequestHead,
  reading: Exclude<EnvelopeReading, { readonly kind: "none" }>,
  header: string | undefined,
  served: Serving,
): Verdict {
  if (reading.kind === "faulty") return refuse(head.id, 400, faulty(reading));
  const { revision } = reading.envelope;
  if (header !== undefined && header !== revision) {
    return refuse(head.id, 400, mismatch(`cannot take ${head.method}: the header names ${header}, the message ${revision}`));
  }
  const isServed = eraOf(revision) === "modern" && served.revisions.includes(revision);
  return isServed ? { era: "modern" } : refuse(head.id, 400, unsupported(revision, served));
}

function headOf(message: unknown, session: string | undefined): MessageHead | Refusal {
  try {
    return readHead(message);
  } catch (error) {
    if (!isEnvelopeError(error)) throw error;
    return refuse(error.id, 400, errorOf(error.rpcCode, error.message), session);
  }
}

function refuse(id: RequestId | undefined, status: number, error: Wire, revision?: string): Refusal {
  return { era: undefined, status, answer: errorAnswer(id, error, revision) };
}

function idOf(message: Wire): RequestId | undefined {
  return isRequestId(message["id"]) ? message["id"] : undefined;
}

/** Reads a header that came once, or several times with one value; what came with several stays as it is and is no revision. */
function singleHeader(text: string | undefined): string | undefined {
  // What stands between two commas and is empty is no value: https://www.rfc-editor.org/rfc/rfc9110#section-5.6.1.2
  const values = new Set(
    (text ?? "")
      .split(",")
      .map((value) => value.trim())
      .filter((value) => value !== ""),
  );
  const [first] = values;
  return values.size > 1 ? text : first;
}

/** Tells whether a request may come before the handshake: what the tables let, and the log level, which clients in the field set that early. */
function mayComeFirst(method: string): boolean {
  return method === SET_LEVEL || (tables.handshake?.before.clientToServer.includes(method) ?? false);
}

function unsupported(requested: unknown, served: Serving): Wire {
  // A modern envelope that names a legacy revision is not told that the revision is served: it is, but not that way.
  const asksLegacy = eraOf(requested) === "legacy";
  const supported = asksLegacy ? knownOf(served.revisions, "modern") : knownOf(served.revisions);
  const code = codeIn("modern", "UNSUPPORTED_PROTOCOL_VERSION");
  return errorOf(
    code,
    `cannot serve ${typeof requested === "string" ? requested : "an unnamed revision"}: supported are ${supported.join(", ")}`,
    {
      supported,
      ...(typeof requested === "string" ? { requested } : {}),
    },
  );
}

function mismatch(message: string): Wire {
  return errorOf(codeIn("modern", "HEADER_MISMATCH"), message);
}

function faulty({ key, reason }: Extract<EnvelopeReading, { readonly kind: "faulty" }>): Wire {
  return errorOf(codeIn("modern", "INVALID_PARAMS"), `cannot read ${key}: ${reason}`, { key });
}

function noEnvelope(): Wire {
  return faulty(missing(META.protocolVersion));
}

function notModern(method: string): Wire {
  const message = `cannot serve ${method}: this endpoint serves revisions with a handshake only`;
  return errorOf(codeIn("legacy", method === DISCOVER ? "METHOD_NOT_FOUND" : "INVALID_REQUEST"), message);
}

function notShaken(method: string): Wire {
  return errorOf(codeIn("legacy", "INVALID_REQUEST"), `cannot serve ${method}: ${INITIALIZE} comes first`);
}

function invalidRequest(message: string): Wire {
  return errorOf(codeIn("legacy", "INVALID_REQUEST"), message);
}

function missing(key: string): Extract<EnvelopeReading, { readonly kind: "faulty" }> {
  return { kind: "faulty", key, fault: "missing", reason: "it is missing from _meta" };
}

function malformed(key: string, reason: string): EnvelopeReading {
  return { kind: "faulty", key, fault: "malformed", reason };
}

/** Tells whether a value names a program and its version. */
export function isImplementation(value: unknown): value is Wire {
  return isWire(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

function isLogLevel(revision: string, level: unknown): level is string {
  const known: readonly unknown[] = eraOf(revision) === undefined ? [level] : VALUES[revision as Revision].LoggingLevel;
  return typeof level === "string" && known.includes(level);
}

const HTTP = "streamable-http";
const SET_LEVEL = "logging/setLevel";
