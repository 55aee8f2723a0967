// What a client's message is: every row of the rules, each with what it refuses, and the pipe that its messages decide.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyHttp, classifyPipe, envelopeOf, type PipeState, type Serving } from "../../runtime/bridge/classify.js";
import { META } from "../../runtime/bridge/meta.js";
import { REVISIONS } from "../../runtime/mcp.js";

const MODERN = "2026-07-28";
const ALL = REVISIONS.map((entry) => entry.revision);
const LEGACY = ALL.filter((revision) => revision !== MODERN);
const BOTH: Serving = { legacy: true, modern: true, revisions: ALL };
const ONLY_LEGACY: Serving = { legacy: true, modern: false, revisions: LEGACY };
const ONLY_MODERN: Serving = { legacy: false, modern: true, revisions: [MODERN] };

const ENVELOPE = { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {} };
const INFO = { name: "c", version: "1" };

function request(method: string, meta?: object, params: object = {}): object {
  return { jsonrpc: "2.0", id: 7, method, params: meta === undefined ? params : { ...params, _meta: meta } };
}

function initialize(protocolVersion: string = "2025-11-25"): object {
  return request("initialize", undefined, { protocolVersion, capabilities: {}, clientInfo: INFO });
}

const LIST = request("tools/list");
const MODERN_LIST = request("tools/list", ENVELOPE);
const RESPONSE = { jsonrpc: "2.0", id: 1, result: {} };
const NOTE = { jsonrpc: "2.0", method: "notifications/initialized" };

const legacy = { era: "legacy", opens: false };
const modern = { era: "modern" };

function refused(code: number, says: string | RegExp = "", data?: unknown, id: unknown = 7): object {
  const error = { code, message: expect.stringMatching(says), ...(data === undefined ? {} : { data }) };
  const answer =
    id === undefined
      ? expect.objectContaining({ error: expect.objectContaining(error) })
      : { jsonrpc: "2.0", id, error: expect.objectContaining(error) };
  return { era: undefined, status: 400, answer };
}

describe("classifyHttp", () => {
  it.each<readonly [string, unknown, string | undefined, string | undefined, Serving, object]>([
    // 2: arrays
    ["a batch in a session with batches", [LIST], undefined, "2025-03-26", BOTH, legacy],
    ["a batch in a session without", [LIST], undefined, "2025-06-18", BOTH, refused(-32600, "array", undefined, null)],
    ["a batch outside of any session", [LIST], undefined, undefined, BOTH, refused(-32600, "array", undefined, null)],
    ["a modern message in a batch", [LIST, MODERN_LIST], undefined, "2025-03-26", BOTH, refused(-32600, "modern", undefined, null)],
    ["an empty batch", [], undefined, "2025-03-26", BOTH, refused(-32600, "empty", undefined, null)],
    ["no object at all", "ping", undefined, undefined, BOTH, refused(-32600, "", undefined, null)],
    // A revision that lets the id be absent gets none.
    [
      "no object, in a later session",
      5,
      undefined,
      "2025-11-25",
      BOTH,
      { era: undefined, status: 400, answer: { jsonrpc: "2.0", error: expect.anything() } },
    ],
    [
      "an id that is null",
      { jsonrpc: "2.0", id: null, method: "ping" },
      undefined,
      undefined,
      BOTH,
      refused(-32600, "/id", undefined, null),
    ],
    [
      "an id that is an object",
      { jsonrpc: "2.0", id: {}, method: "ping" },
      undefined,
      undefined,
      BOTH,
      refused(-32600, "/id", undefined, null),
    ],
    // 3: responses
    ["a response", RESPONSE, undefined, "2025-11-25", BOTH, legacy],
    ["a response without a session", RESPONSE, undefined, undefined, BOTH, legacy],
    ["a response to a modern endpoint", RESPONSE, MODERN, undefined, ONLY_MODERN, refused(-32600, "response", undefined, null)],
    ["neither request nor response", { jsonrpc: "2.0", id: 7 }, undefined, undefined, BOTH, refused(-32600, "neither")],
    // 4: initialize
    ["initialize", initialize(), undefined, undefined, BOTH, { era: "legacy", opens: true }],
    ["initialize with a legacy header", initialize(), "2025-11-25", undefined, BOTH, { era: "legacy", opens: true }],
    ["initialize with a header nobody knows", initialize(), "1999-01-01-nonsense", undefined, BOTH, { era: "legacy", opens: true }],
    ["initialize asking for a modern revision", initialize(MODERN), undefined, undefined, BOTH, { era: "legacy", opens: true }],
    [
      "initialize with half an envelope",
      request("initialize", { [META.protocolVersion]: MODERN }),
      undefined,
      undefined,
      BOTH,
      { era: "legacy", opens: true },
    ],
    ["initialize again", initialize(), "2025-11-25", "2025-11-25", BOTH, legacy],
    ["initialize with a modern header", initialize(), MODERN, undefined, BOTH, refused(-32020, "handshake")],
    ["initialize with a modern envelope", request("initialize", ENVELOPE), MODERN, undefined, BOTH, modern],
    [
      "initialize to a modern endpoint",
      initialize(),
      undefined,
      undefined,
      ONLY_MODERN,
      refused(-32022, "2025-11-25", { supported: [MODERN], requested: "2025-11-25" }),
    ],
    // 5 and 6: modern keys under a legacy revision
    ["modern keys in a legacy session", MODERN_LIST, "2025-11-25", "2025-11-25", BOTH, legacy],
    ["modern keys in a session without headers", MODERN_LIST, undefined, "2025-03-26", BOTH, legacy],
    ["some modern keys with a legacy header", request("tools/list", { [META.clientInfo]: INFO }), "2025-11-25", undefined, BOTH, legacy],
    ["a legacy header that is not the session's", LIST, "2025-11-25", "2025-06-18", BOTH, refused(-32600, /2025-11-25.*2025-06-18/)],
    ["a legacy header in a session that knows none", LIST, "2025-06-18", "2025-03-26", BOTH, legacy],
    ["the same header twice", LIST, "2025-06-18, 2025-06-18", "2025-06-18", BOTH, legacy],
    ["the same header twice, and nothing between", LIST, "2025-06-18,,2025-06-18, ", "2025-06-18", BOTH, legacy],
    ["two different headers", LIST, "2025-06-18, 2025-11-25", "2025-06-18", BOTH, refused(-32600, "2025-06-18, 2025-11-25")],
    [
      "a legacy header at a modern endpoint",
      LIST,
      "2025-11-25",
      undefined,
      ONLY_MODERN,
      refused(-32022, "", { supported: [MODERN], requested: "2025-11-25" }),
    ],
    // 7: broken envelopes
    [
      "an envelope without capabilities",
      request("tools/list", { [META.protocolVersion]: MODERN }),
      MODERN,
      undefined,
      BOTH,
      refused(-32602, "clientCapabilities", { key: META.clientCapabilities }),
    ],
    [
      "a version that is null",
      request("tools/list", { ...ENVELOPE, [META.protocolVersion]: null }),
      MODERN,
      undefined,
      BOTH,
      refused(-32602, "protocolVersion"),
    ],
    [
      "capabilities that are a list",
      request("tools/list", { ...ENVELOPE, [META.clientCapabilities]: [] }),
      MODERN,
      undefined,
      BOTH,
      refused(-32602, "clientCapabilities"),
    ],
    [
      "a client that is a list",
      request("tools/list", { ...ENVELOPE, [META.clientInfo]: [] }),
      MODERN,
      undefined,
      BOTH,
      refused(-32602, "clientInfo"),
    ],
    [
      "a level nobody knows",
      request("tools/list", { ...ENVELOPE, [META.logLevel]: "loud" }),
      MODERN,
      undefined,
      BOTH,
      refused(-32602, "logLevel"),
    ],
    // 8: header against message
    ["a legacy header over a modern envelope", MODERN_LIST, "2025-11-25", undefined, BOTH, refused(-32020, /2025-11-25.*2026-07-28/)],
    // 9: revisions that are not served
    [
      "a revision to come",
      request("tools/list", { ...ENVELOPE, [META.protocolVersion]: "2027-01-15" }),
      "2027-01-15",
      undefined,
      BOTH,
      refused(-32022, "2027-01-15", { supported: ALL.toReversed(), requested: "2027-01-15" }),
    ],
    [
      "a legacy revision in an envelope",
      request("tools/list", { ...ENVELOPE, [META.protocolVersion]: "2025-11-25" }),
      undefined,
      undefined,
      BOTH,
      refused(-32022, "", { supported: [MODERN], requested: "2025-11-25" }),
    ],
    ["a modern request to a legacy endpoint", MODERN_LIST, MODERN, undefined, ONLY_LEGACY, refused(-32600, "handshake")],
    ["a probe of a legacy endpoint", request("server/discover", ENVELOPE), MODERN, undefined, ONLY_LEGACY, refused(-32601, "handshake")],
    // 10: modern
    ["a modern request", MODERN_LIST, MODERN, undefined, BOTH, modern],
    ["a modern request without a header", MODERN_LIST, undefined, undefined, BOTH, modern],
    ["a modern request with a session id", MODERN_LIST, MODERN, "2025-11-25", BOTH, modern],
    // 11: a modern header alone
    ["a modern header without an envelope", LIST, MODERN, undefined, BOTH, refused(-32602, "protocolVersion")],
    ["a modern header without an envelope, in a session", LIST, MODERN, "2025-11-25", BOTH, refused(-32602, "protocolVersion")],
    ["a header nobody knows", LIST, "2027-01-15", undefined, BOTH, refused(-32022, "2027-01-15")],
    ["a header nobody knows, at a legacy endpoint", LIST, "2027-01-15", undefined, ONLY_LEGACY, refused(-32600, "2027-01-15")],
    ["a header nobody knows, in a session", LIST, "2027-01-15", "2025-11-25", BOTH, refused(-32600, "2027-01-15")],
    // 12: anything else
    ["a bare request", LIST, undefined, undefined, BOTH, legacy],
    ["a bare request in a session", LIST, undefined, "2025-06-18", BOTH, legacy],
    ["a bare request to a modern endpoint", LIST, undefined, undefined, ONLY_MODERN, refused(-32602, "protocolVersion")],
    // Nothing is required of notifications.
    ["a notification in a session", NOTE, undefined, "2025-11-25", BOTH, legacy],
    ["a notification with a modern header", NOTE, MODERN, undefined, BOTH, modern],
    ["a notification with nothing", NOTE, undefined, undefined, BOTH, legacy],
    ["a notification to a modern endpoint", NOTE, undefined, undefined, ONLY_MODERN, modern],
  ])("%s", (_name, message, versionHeader, session, served, verdict) => {
    expect(classifyHttp({ message, versionHeader, session }, served)).toEqual(verdict);
  });
});

describe("any message", () => {
  const methods = fc.constantFrom("initialize", "server/discover", "ping", "tools/call", "notifications/cancelled");
  const metas = fc.dictionary(fc.constantFrom(...Object.values(META)), fc.oneof(fc.jsonValue(), fc.constantFrom(...ALL)));
  const messages = fc.oneof(
    fc.jsonValue(),
    fc.record(
      { jsonrpc: fc.constant("2.0"), id: fc.jsonValue(), method: methods, params: fc.record({ _meta: metas }) },
      { requiredKeys: ["jsonrpc"] },
    ),
  );
  const headers = fc.option(fc.oneof(fc.string(), fc.constantFrom(...ALL)), { nil: undefined });
  const sessions = fc.option(fc.constantFrom(...LEGACY), { nil: undefined });

  it("is of an era that is served, or refused", () => {
    fc.assert(
      fc.property(
        messages,
        headers,
        sessions,
        fc.constantFrom(BOTH, ONLY_LEGACY, ONLY_MODERN),
        (message, versionHeader, session, served) => {
          const verdict = classifyHttp({ message, versionHeader, session: served.legacy ? session : undefined }, served);
          if (verdict.era === undefined) expect(verdict.answer).toHaveProperty("error.code", expect.any(Number));
          else expect(served[verdict.era]).toBe(true);
          const piped = classifyPipe({ era: undefined }, message, served);
          if ("take" in piped) expect(served[piped.take]).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("classifyPipe", () => {
  const fresh: PipeState = { era: undefined };
  const pinned: Readonly<Record<"legacy" | "modern", PipeState>> = { legacy: { era: "legacy" }, modern: { era: "modern" } };
  const answers = (code: number, says: string | RegExp = ""): object => ({
    answer: {
      jsonrpc: "2.0",
      id: expect.toSatisfy(() => true),
      error: expect.objectContaining({ code, message: expect.stringMatching(says) }),
    },
  });

  it.each<readonly [string, PipeState, unknown, Serving, object]>([
    ["initialize", fresh, initialize(), BOTH, { state: pinned.legacy, take: "legacy" }],
    ["a modern request", fresh, MODERN_LIST, BOTH, { state: pinned.modern, take: "modern" }],
    ["a probe", fresh, request("server/discover", ENVELOPE), BOTH, { state: fresh, take: "modern" }],
    [
      "a probe for a revision to come",
      fresh,
      request("server/discover", { ...ENVELOPE, [META.protocolVersion]: "2027-01-15" }),
      BOTH,
      { state: fresh, ...answers(-32022, "2027") },
    ],
    [
      "a probe where nothing modern is served",
      fresh,
      request("server/discover", ENVELOPE),
      ONLY_LEGACY,
      { state: fresh, ...answers(-32601) },
    ],
    ["a modern request where nothing modern is served", fresh, MODERN_LIST, ONLY_LEGACY, { state: fresh, ...answers(-32600) }],
    ["a response before anything", fresh, RESPONSE, BOTH, { state: fresh, drop: expect.stringContaining("response") }],
    ["a notification before anything", fresh, NOTE, BOTH, { state: fresh, drop: expect.stringContaining("notifications/initialized") }],
    ["an early ping", fresh, request("ping"), BOTH, { state: fresh, take: "legacy" }],
    ["an early log level", fresh, request("logging/setLevel"), BOTH, { state: fresh, take: "legacy" }],
    ["an early ping to a modern server", fresh, request("ping"), ONLY_MODERN, { state: fresh, ...answers(-32602) }],
    ["a bare request", fresh, LIST, BOTH, { state: fresh, ...answers(-32602, "protocolVersion") }],
    ["a bare request where nothing modern is served", fresh, LIST, ONLY_LEGACY, { state: fresh, ...answers(-32600, "initialize") }],
    ["initialize where nothing legacy is served", fresh, initialize(), ONLY_MODERN, { state: fresh, ...answers(-32022, MODERN) }],
    [
      "half an envelope",
      fresh,
      request("tools/list", { [META.protocolVersion]: MODERN }),
      BOTH,
      { state: fresh, ...answers(-32602, "clientCapabilities") },
    ],
    ["a batch before anything", fresh, [LIST], BOTH, { state: fresh, ...answers(-32600) }],
    ["no message", fresh, 1, BOTH, { state: fresh, ...answers(-32600) }],
    ["anything on a legacy pipe", pinned.legacy, MODERN_LIST, BOTH, { state: pinned.legacy, take: "legacy" }],
    ["a batch on a legacy pipe", pinned.legacy, [LIST], BOTH, { state: pinned.legacy, take: "legacy" }],
    ["initialize on a modern pipe", pinned.modern, initialize(), BOTH, { state: pinned.modern, ...answers(-32022) }],
    ["a bare request on a modern pipe", pinned.modern, LIST, BOTH, { state: pinned.modern, ...answers(-32602) }],
    ["a ping on a modern pipe", pinned.modern, request("ping"), BOTH, { state: pinned.modern, ...answers(-32602) }],
    ["a notification on a modern pipe", pinned.modern, NOTE, BOTH, { state: pinned.modern, take: "modern" }],
    ["a response on a modern pipe", pinned.modern, RESPONSE, BOTH, { state: pinned.modern, drop: expect.any(String) }],
  ])("%s", (_name, state, message, served, verdict) => {
    expect(classifyPipe(state, message, served)).toEqual(verdict);
  });

  it("lets a client probe and then shake hands", () => {
    const probed = classifyPipe(fresh, request("server/discover", ENVELOPE), BOTH);
    expect(classifyPipe(probed.state, initialize(), BOTH)).toEqual({ state: pinned.legacy, take: "legacy" });
  });
});

describe("envelopeOf", () => {
  it("reads all it holds", () => {
    const meta = { ...ENVELOPE, [META.clientInfo]: INFO, [META.logLevel]: "debug" };
    expect(envelopeOf(request("tools/list", meta))).toEqual({
      kind: "modern",
      envelope: { revision: MODERN, clientCapabilities: {}, clientInfo: INFO, logLevel: "debug" },
    });
  });

  it.each<readonly [string, unknown]>([
    ["no message", null],
    ["no params", { jsonrpc: "2.0", id: 1, method: "ping" }],
    ["no meta", LIST],
    ["meta that is null", { jsonrpc: "2.0", id: 1, method: "ping", params: { _meta: null } }],
    ["other keys only", request("tools/list", { [META.clientInfo]: INFO })],
  ])("finds none in %s", (_name, message) => {
    expect(envelopeOf(message)).toEqual({ kind: "none" });
  });
});
