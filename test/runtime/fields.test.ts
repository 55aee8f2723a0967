// Which keys of an object are the protocol's and which a peer's own, revision by revision; and reading a field only where it was negotiated.
import { describe, expect, it } from "vitest";
import { isLowerError } from "../../runtime/index.js";
import { CapabilitySet, extensionsOf, readField, resolve } from "../../runtime/mcp.js";

const tool = JSON.parse('{"name":"t","title":"T","inputSchema":{},"__proto__":{"a":1},"toString":1,"x-own":2,"icons":[]}') as object;

describe("extensionsOf", () => {
  it.each([
    ["2024-11-05", ["title", "__proto__", "toString", "x-own", "icons"]],
    ["2025-06-18", ["__proto__", "toString", "x-own", "icons"]],
    ["2026-07-28", ["__proto__", "toString", "x-own"]],
  ])("lists at %s what the revision does not name", (revision, want) => {
    expect(extensionsOf(tool, "Tool", revision)).toEqual(want);
  });

  it.each([[null], [[tool]], ["text"], [7]])("finds nothing in %j, which is no object", (value) => {
    expect(extensionsOf(value, "Tool", "2025-06-18")).toEqual([]);
  });

  it("says which definition or revision it does not know", () => {
    expect(() => extensionsOf(tool, "Tol", "2025-06-18")).toThrow('cannot look up "Tol"');
    expect(() => extensionsOf(tool, "toString", "2025-06-18")).toThrow(RangeError);
    expect(() => extensionsOf(tool, "Tool", "2025-06-19")).toThrow("unknown; known are");
  });
});

describe("readField", () => {
  const result = { content: [], structuredContent: { a: 1 } };
  const old = resolve({ revision: "2024-11-05", client: {}, server: { tools: {} }, transport: "stdio" });
  const newer = CapabilitySet.allFor("2025-06-18").resolve("2025-06-18", "stdio");

  it("gives the field where it was negotiated, undefined where it is absent", () => {
    expect(readField(newer, result, "CallToolResult", "structuredContent")).toEqual({ a: 1 });
    expect(readField(newer, { content: [] }, "CallToolResult", "structuredContent")).toBeUndefined();
    expect(readField(old, result, "CallToolResult", "content")).toEqual([]);
  });

  it("refuses a field the profile rules out, by the feature, the condition and the cite", () => {
    let refusal: unknown;
    try {
      readField(old, result, "CallToolResult", "structuredContent");
    } catch (error) {
      refusal = error;
    }
    expect(isLowerError(refusal)).toBe(true);
    expect(refusal).toMatchObject({
      code: "unknown-field",
      path: "/structuredContent",
      feature: "tools.structured-output",
      condition: "revision",
      cite: { revision: "2025-06-18" },
    });
  });

  it("knows no field that no revision has", () => {
    expect(() => readField(newer, result, "CallToolResult", "structured")).toThrow("no revision has that field");
    expect(() => readField(newer, result, "CallToolResult", "constructor")).toThrow(RangeError);
  });
});
