// What a probe says about a server: each outcome, over HTTP and over a pipe, and what is remembered of it.
import { describe, expect, it } from "vitest";
import { EraCache, judgeProbe, suggestsOlderTransport, type ProbeFacts, type ProbeOutcome } from "../../runtime/bridge/probe.js";
import { Unreachable } from "../../runtime/bridge/errors.js";
import { REVISIONS } from "../../runtime/mcp.js";

const MODERN = "2026-07-28";
const LATER = "2027-01-15";
const ALL: readonly string[] = REVISIONS.map((entry) => entry.revision);
const HTTP: ProbeFacts = { transport: "streamable-http", spoken: ALL, asked: MODERN };
const PIPE: ProbeFacts = { ...HTTP, transport: "stdio" };

function result(supportedVersions: unknown): ProbeOutcome {
  return { kind: "answer", message: { jsonrpc: "2.0", id: "d", result: { resultType: "complete", supportedVersions, capabilities: {} } } };
}

function error(code: number, data?: unknown, status?: number): ProbeOutcome {
  return { kind: "answer", status, message: { jsonrpc: "2.0", id: "d", error: { code, message: "no", data } } };
}

const legacy = { era: "legacy", revisions: [] };

function fault(kind: string, says: RegExp = /./): object {
  return expect.objectContaining({ fault: kind, reason: expect.stringMatching(says), cache: false });
}

describe("judgeProbe", () => {
  it.each<readonly [string, ProbeOutcome, ProbeFacts, object]>([
    ["a mutual version", result([MODERN]), HTTP, { era: "modern", revisions: [MODERN], discover: expect.anything() }],
    [
      "versions of both eras",
      result(["2025-11-25", MODERN]),
      PIPE,
      { era: "modern", revisions: [MODERN, "2025-11-25"], discover: expect.anything() },
    ],
    ["only legacy versions", result(["2025-06-18"]), HTTP, { era: "legacy", revisions: ["2025-06-18"] }],
    ["only versions to come", result([LATER]), HTTP, fault("no-mutual-revision", /supports 2027-01-15/)],
    ["a draft", result(["DRAFT-1"]), HTTP, fault("no-mutual-revision")],
    [
      "a mutual version that is not spoken",
      result([MODERN, "2025-11-25"]),
      { ...HTTP, spoken: ["2025-11-25"] },
      { era: "legacy", revisions: ["2025-11-25"] },
    ],
    ["a result without versions", result(undefined), HTTP, legacy],
    ["a result that is none", { kind: "answer", message: { jsonrpc: "2.0", id: "d", result: null } }, HTTP, legacy],
    ["a refusal with a mutual version", error(-32022, { supported: [MODERN] }), { ...HTTP, asked: LATER }, { retryWith: MODERN }],
    [
      "a second refusal",
      error(-32022, { supported: [MODERN] }),
      { ...HTTP, asked: MODERN, again: true },
      fault("no-mutual-revision", /refused after/),
    ],
    ["a second refusal that is malformed", error(-32022, { supported: MODERN }), { ...HTTP, again: true }, fault("no-mutual-revision")],
    [
      "a second refusal with legacy versions",
      error(-32022, { supported: ["2025-11-25"] }),
      { ...HTTP, again: true },
      fault("no-mutual-revision"),
    ],
    ["a refusal that lists what it refuses", error(-32022, { supported: [MODERN] }), HTTP, { retryWith: MODERN }],
    ["a refusal that lists it again", error(-32022, { supported: [MODERN] }), { ...HTTP, again: true }, fault("no-mutual-revision")],
    ["a refusal with versions to come", error(-32022, { supported: [LATER] }), PIPE, fault("no-mutual-revision", /2027-01-15/)],
    [
      "a refusal with legacy versions",
      error(-32022, { supported: ["2025-11-25", "2024-11-05"] }),
      HTTP,
      { era: "legacy", revisions: ["2025-11-25", "2024-11-05"] },
    ],
    ["a refusal with legacy versions nobody speaks", error(-32022, { supported: ["2024-10-07"] }), HTTP, legacy],
    [
      "a refusal with both eras, one spoken",
      error(-32022, { supported: [LATER, "2025-11-25"] }),
      HTTP,
      { era: "legacy", revisions: ["2025-11-25"] },
    ],
    ["the number of a refusal without its data", error(-32022), HTTP, legacy],
    ["a header mismatch", error(-32020), HTTP, { retryWith: MODERN }],
    ["a header mismatch again", error(-32020), { ...HTTP, again: true }, { era: "modern", revisions: [MODERN] }],
    ["a header mismatch on a pipe", error(-32020), PIPE, legacy],
    [
      "a missing capability",
      error(-32021, { requiredCapabilities: { roots: {} } }),
      PIPE,
      { retryWith: MODERN, capabilities: { roots: {} } },
    ],
    [
      "a missing capability again",
      error(-32021, { requiredCapabilities: { roots: {} } }),
      { ...PIPE, again: true },
      { era: "modern", revisions: [MODERN] },
    ],
    ["the number of a missing capability", error(-32021), PIPE, legacy],
    ["an unknown method", error(-32601, undefined, 200), HTTP, legacy],
    ["an unknown method with a status", error(-32601, undefined, 404), HTTP, legacy],
    ["an unknown method of a server that dies of it", error(-32601, undefined, 500), HTTP, legacy],
    ["bad params", error(-32602), PIPE, legacy],
    ["a number of its own", error(-32000), PIPE, legacy],
    ["a failure", error(-32603, undefined, 500), HTTP, fault("outage")],
    ["a failure on a pipe", error(-32603), PIPE, legacy],
    ["401", { kind: "status", status: 401 }, HTTP, { fault: "auth", reason: expect.any(String), status: 401, cache: false }],
    [
      "401 with a credential",
      { kind: "status", status: 401 },
      { ...HTTP, credential: true },
      expect.objectContaining({ fault: "auth", arbitrate: true }),
    ],
    ["403 around an error", error(-32601, undefined, 403), HTTP, fault("auth")],
    ["407", { kind: "status", status: 407 }, HTTP, fault("auth")],
    ["408", { kind: "status", status: 408 }, HTTP, fault("outage")],
    ["429", { kind: "status", status: 429 }, HTTP, fault("outage")],
    ["502", { kind: "status", status: 502 }, HTTP, fault("outage", /502/)],
    ["302", { kind: "status", status: 302 }, HTTP, fault("outage")],
    ["400", { kind: "status", status: 400 }, HTTP, legacy],
    ["404", { kind: "status", status: 404 }, HTTP, legacy],
    ["405", { kind: "status", status: 405 }, HTTP, legacy],
    ["200 and a web page", { kind: "status", status: 200 }, HTTP, legacy],
    ["silence", { kind: "timeout" }, HTTP, fault("timeout")],
    ["silence on a pipe", { kind: "timeout" }, PIPE, legacy],
    ["the end", { kind: "exited" }, HTTP, fault("outage")],
    ["the end of a process", { kind: "exited" }, PIPE, { ...legacy, spent: true }],
    ["no network", { kind: "network", reason: "no route" }, HTTP, fault("outage", /no route/)],
    ["no program", { kind: "network", reason: "no such file" }, PIPE, fault("outage")],
  ])("%s", (_name, outcome, facts, verdict) => {
    expect(judgeProbe(outcome, facts)).toEqual(verdict);
  });
});

describe("suggestsOlderTransport", () => {
  const failing = (status?: number, body?: string): Unreachable => new Unreachable("s", "no", { status, body });

  it.each([400, 404, 405])("says yes to %i", (status) => {
    expect(suggestsOlderTransport(failing(status))).toBe(true);
    expect(suggestsOlderTransport(failing(status, "<html>"))).toBe(true);
    expect(suggestsOlderTransport(failing(status, '{"error":{"code":-32000}}'))).toBe(true);
  });

  it("says no to what is modern, to other statuses, and to what has none", () => {
    expect(suggestsOlderTransport(failing(400, '{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":""}}'))).toBe(false);
    expect(suggestsOlderTransport(failing(404, '{"error":{"code":-32601}}'))).toBe(false);
    expect(suggestsOlderTransport(failing(401))).toBe(false);
    expect(suggestsOlderTransport(failing(500))).toBe(false);
    expect(suggestsOlderTransport(failing())).toBe(false);
    expect(suggestsOlderTransport(null)).toBe(false);
  });
});

describe("EraCache", () => {
  const modern = { era: "modern", revisions: [MODERN] } as const;

  it("keeps a modern verdict until it is dropped", () => {
    const cache = new EraCache({ legacyMs: 10, most: 2 });
    cache.keep("a", modern, 0);
    expect(cache.find("a", 1e12)).toEqual(modern);
    cache.drop("a");
    expect(cache.find("a", 0)).toBeUndefined();
  });

  it("keeps a legacy verdict for its time", () => {
    const cache = new EraCache({ legacyMs: 10, most: 2 });
    cache.keep("a", { era: "legacy", revisions: [] }, 100);
    expect(cache.find("a", 109)).toEqual(legacy);
    expect(cache.find("a", 110)).toBeUndefined();
  });

  it("keeps nothing that is no evidence", () => {
    const cache = new EraCache({ legacyMs: 10, most: 2 });
    for (const outcome of [{ kind: "status", status: 401 }, { kind: "timeout" }, { kind: "network", reason: "" }] as const) {
      cache.keep("a", judgeProbe(outcome, HTTP), 0);
    }
    cache.keep("a", { retryWith: MODERN }, 0);
    expect(cache.find("a", 0)).toBeUndefined();
  });

  it("forgets the server heard of longest ago", () => {
    const cache = new EraCache({ legacyMs: 10, most: 2 });
    for (const server of ["a", "b", "a", "c"]) cache.keep(server, modern, 0);
    expect(cache.find("a", 0)).toEqual(modern);
    expect(cache.find("b", 0)).toBeUndefined();
  });
});
