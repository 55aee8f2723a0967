// The promises of tools: what is taken from a text, and what is not passed on again.
import { describe, expect, it } from "vitest";
import { Promises } from "../../runtime/bridge/structured.js";
import type { Wire } from "../../runtime/index.js";

const listed = (outputSchema: unknown): Wire => ({
  tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }, null, { name: "u" }],
});
const called = (text: string, more: Wire = {}): Wire => ({ content: [{ type: "text", text }], ...more });

describe("a promise", () => {
  it.each<readonly [string, Wire, string]>([
    ["of anything", {}, '{"a":1}'],
    ["of an object", { type: "object" }, "{}"],
    ["of one of two types", { type: ["null", "object"] }, "{}"],
    ["of what is named", { properties: { a: { type: "string", enum: ["x"] }, b: { const: 1 } }, required: ["a"] }, '{"a":"x","b":1}'],
    ["of nothing else", { properties: { a: true }, additionalProperties: false }, '{"a":[1]}'],
    ["of a list", { properties: { a: { type: "array", items: { type: "number" } } } }, '{"a":[1,2.5]}'],
    ["in words", { $schema: "x", title: "T", description: "d", properties: { a: { type: "null" } } }, '{"a":null}'],
  ])("%s is kept", (_, schema, text) => {
    const promises = new Promises();
    promises.listed(listed(schema));
    expect(promises.called("t", called(text))).toEqual(called(text, { structuredContent: JSON.parse(text) as unknown }));
    const again = listed(schema);
    expect(promises.listed(again)).toBe(again);
  });

  it.each<readonly [string, Wire, string]>([
    ["of another type", { type: "array" }, "{}"],
    ["of what is missing", { required: ["a"] }, "{}"],
    ["of something else", { properties: { a: { enum: [1] } } }, '{"a":2}'],
    ["of nothing more", { additionalProperties: false }, '{"a":1}'],
    ["of a list of others", { properties: { a: { items: { type: "string" } } } }, '{"a":[1]}'],
    ["by reference", { $ref: "#/$defs/a" }, "{}"],
    ["of no schema", { properties: [] }, "{}"],
    ["of a large number", {}, '{"a":12345678901234567890}'],
  ])("%s is broken, and not passed on again", (_, schema, text) => {
    const promises = new Promises();
    promises.listed(listed(schema));
    const result = called(text);
    expect(promises.called("t", result)).toBe(result);
    expect(promises.listed(listed(schema))).toEqual({ tools: [{ name: "t", inputSchema: { type: "object" } }, null, { name: "u" }] });
  });

  it.each<readonly [string, unknown, unknown]>([
    ["nobody made", "u", called("{}")],
    ["of no tool", undefined, called("{}")],
    ["that was kept", "t", called("{}", { structuredContent: null })],
    ["of a failed call", "t", called("{}", { isError: true })],
    ["of no result", "t", null],
    ["without content", "t", {}],
  ])("%s changes nothing", (_, name, result) => {
    const promises = new Promises();
    promises.listed(listed({ type: "object" }));
    expect(promises.called(name, result)).toBe(result);
    const again = listed({ type: "object" });
    expect(promises.listed(again)).toBe(again);
    expect(promises.listed(null)).toBe(null);
  });
});
