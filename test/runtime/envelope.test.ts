// Whole messages: what a payload's lowering leaves alone stays alone, unmodelled members included, and what is no message is said to be none.
import { describe, expect, it } from "vitest";
import { isEnvelopeError, liftEnvelope, lowerEnvelope, type Codec } from "../../runtime/index.js";
import { CapabilitySet, codecFor, type Revision } from "../../runtime/mcp.js";

const codecs = new Map<string, Codec>();
for (const revision of ["2024-11-05", "2025-06-18", "2026-07-28"] as Revision[]) {
  codecs.set(revision, await codecFor(revision as string, CapabilitySet.allFor(revision).resolve(revision, "stdio")));
}
const [c24, c25, c26] = [...codecs.values()] as [Codec, Codec, Codec];

describe("liftEnvelope", () => {
  it.each([
    ["a request", { jsonrpc: "2.0", id: 0, method: "ping" }, undefined, { kind: "request", id: 0, method: "ping", params: undefined }],
    [
      "a request with a string id",
      { jsonrpc: "2.0", id: "", method: "tools/list", params: {} },
      undefined,
      { kind: "request", id: "", params: {} },
    ],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, undefined, { kind: "notification" }],
    [
      "a result",
      { jsonrpc: "2.0", id: 1, result: { tools: [] } },
      "tools/list",
      { kind: "result", id: 1, method: "tools/list", result: { tools: [] } },
    ],
    [
      "a result of nothing we asked",
      { jsonrpc: "2.0", id: 1, result: null },
      undefined,
      { kind: "result", method: undefined, result: null },
    ],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no" } }, undefined, { kind: "error", id: 1 }],
    ["an error without id", { jsonrpc: "2.0", error: { code: -32700, message: "no" } }, undefined, { kind: "error", id: undefined }],
    [
      "an error with a null id",
      { jsonrpc: "2.0", id: null, error: { code: -32700, message: "no" } },
      undefined,
      { kind: "error", id: undefined },
    ],
  ])("reads %s", (_, message, answers, want) => {
    const lifted = liftEnvelope(c25, message, answers);
    expect(lifted).toMatchObject(want);
    expect(lifted.wire).toBe(message);
  });

  it.each([
    ["an array", [], "batch-not-allowed", ""],
    ["null", null, "unreadable", ""],
    ["a string", "{}", "unreadable", ""],
    ["another version", { jsonrpc: "1.0", id: 1, method: "ping" }, "unreadable", "/jsonrpc"],
    ["a numeric method", { jsonrpc: "2.0", id: 1, method: 5 }, "unreadable", "/method"],
    ["a null id", { jsonrpc: "2.0", id: null, method: "ping" }, "unreadable", "/id"],
    ["an object id", { jsonrpc: "2.0", id: {}, result: {} }, "unreadable", "/id"],
    ["a string error", { jsonrpc: "2.0", id: 1, error: "no" }, "unreadable", "/error"],
    ["nothing of either", { jsonrpc: "2.0", id: 1 }, "unreadable", ""],
  ])("refuses %s", (_, message, code, path) => {
    expect(caught(() => liftEnvelope(c25, message))).toMatchObject({ code, path });
  });
});

describe("lowerEnvelope", () => {
  it("gives back the same object where nothing changes", () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" }, trace: { vendor: true } };
    expect(lowerEnvelope(c25, liftEnvelope(c24, message))).toBe(message);
  });

  it("keeps unmodelled top-level members where the payload changes", () => {
    const message = { jsonrpc: "2.0", id: 9, result: { resultType: "complete", content: [] }, "x-vendor": [1] };
    expect(lowerEnvelope(c24, liftEnvelope(c26, message, "tools/call"))).toEqual({
      jsonrpc: "2.0",
      id: 9,
      result: { content: [] },
      "x-vendor": [1],
    });
    expect(message.result).toEqual({ resultType: "complete", content: [] });
  });

  it("adds params only where the revision requires them", () => {
    const bare = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect(lowerEnvelope(c24, liftEnvelope(c25, bare))).toBe(bare);
    expect(lowerEnvelope(c26, liftEnvelope(c25, bare))).toMatchObject({
      params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    });
  });

  it("refuses a request that is no message of its own at the revision", () => {
    const message = { jsonrpc: "2.0", id: 1, method: "roots/list" };
    expect(caught(() => lowerEnvelope(c26, liftEnvelope(c25, message)))).toMatchObject({ code: "method-embedded", path: "/method" });
  });

  it("passes errors and unknown results as they are", () => {
    for (const message of [
      { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x", data: {} } },
      { jsonrpc: "2.0", id: 1, result: { any: 1 } },
    ]) {
      expect(lowerEnvelope(c26, liftEnvelope(c24, message))).toBe(message);
    }
  });
});

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    expect(isEnvelopeError(error)).toBe(true);
    return error;
  }
  throw new Error("nothing was thrown");
}
