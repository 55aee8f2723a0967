// The tests that a value fits a schema, as the codecs carry them: how they are written, which values they let through, and how an error words them.
import { describe, expect, test } from "vitest";
import { describeSchema, fitsExpression } from "../../generator/emit/predicate.js";
import type { Definitions, Schema } from "../../generator/model/schema.js";

const DEFINITIONS: Definitions = {
  Text: { type: "object", properties: { type: { const: "text", type: "string" }, text: { type: "string" } }, required: ["text", "type"] },
  Level: { enum: ["low", "high"], type: "string" },
  Either: { anyOf: [{ $ref: "#/$defs/Text" }, { type: "string" }] },
  Both: { allOf: [{ $ref: "#/$defs/Text" }, { type: "object", properties: { size: { type: "integer" } }, required: ["size"] }] },
};

describe("fitsExpression writes", () => {
  test.each<readonly [Schema, string]>([
    [{ type: "string" }, 'typeof v === "string"'],
    [{ type: "integer" }, '(typeof v === "number" && Number.isInteger(v))'],
    [{ type: "null" }, "v === null"],
    [{}, "true"],
    [{ const: 2.5 }, "v === 2.5"],
    [{ enum: ["a", 'say "x"'], type: "string" }, '(v === "a" || v === "say \\"x\\"")'],
    [{ type: ["string", "null"] }, '(typeof v === "string" || v === null)'],
    [
      { type: "array", items: { type: "string" }, maxItems: 2 },
      '(Array.isArray(v) && v.length <= 2 && v.every((item0: unknown) => typeof item0 === "string"))',
    ],
    [
      { type: "object", properties: { "a/b": { type: "string" } } },
      '(isWire(v) && (v["a/b"] === undefined || typeof v["a/b"] === "string"))',
    ],
  ])("%j", (schema, want) => {
    expect(fitsExpression(schema, "v", DEFINITIONS)).toBe(want);
  });
});

describe("fitsExpression, where definitions have tests of their own,", () => {
  const named = (definition: string) => (definition === "Anything" ? undefined : `is${definition}`);

  test.each<readonly [Schema, string]>([
    [{ $ref: "#/$defs/Text" }, "isText(v)"],
    [{ $ref: "#/$defs/Anything" }, "true"],
    [{ anyOf: [{ $ref: "#/$defs/Text" }, { type: "string" }] }, '(isText(v) || typeof v === "string")'],
    [{ type: "array", items: { $ref: "#/$defs/Text" } }, "(Array.isArray(v) && v.every((item0: unknown) => isText(item0)))"],
    [{ type: "array", items: { $ref: "#/$defs/Anything" } }, "Array.isArray(v)"],
    [
      { type: "object", properties: { a: { $ref: "#/$defs/Text" }, b: { $ref: "#/$defs/Anything" } }, required: ["a", "b"] },
      "(isWire(v) && isText(v.a) && v.b !== undefined)",
    ],
    [{ type: "object", additionalProperties: { $ref: "#/$defs/Text" } }, "(isWire(v) && everyValue(v, (item0) => isText(item0)))"],
  ])("writes %j as a call of them", (schema, want) => {
    expect(fitsExpression(schema, "v", DEFINITIONS, named)).toBe(want);
  });

  test("follows no definition into itself", () => {
    const definitions: Definitions = {
      Tree: { type: "object", properties: { parts: { type: "array", items: { $ref: "#/$defs/Tree" } } } },
    };
    expect(fitsExpression(definitions["Tree"] as Schema, "v", definitions, named)).toBe(
      "(isWire(v) && (v.parts === undefined || (Array.isArray(v.parts) && v.parts.every((item1: unknown) => isTree(item1)))))",
    );
    expect(fitsExpression(definitions["Tree"] as Schema, "v", definitions)).not.toContain("isTree");
  });
});

/** Runs an expression as the walk module's neighbours would. */
function fits(schema: Schema, value: unknown): boolean {
  const isWire = (given: unknown) => typeof given === "object" && given !== null && !Array.isArray(given);
  const everyValue = (map: object, check: (item: unknown) => boolean) => Object.values(map).every(check);
  const expression = fitsExpression(schema, "value", DEFINITIONS).replaceAll(": unknown", "");
  // oxlint-disable-next-line typescript/no-implied-eval -- the expression under test is code
  const run = new Function("value", "isWire", "everyValue", `return ${expression};`) as (...given: unknown[]) => unknown;
  return run(value, isWire, everyValue) === true;
}

interface Row {
  readonly schema: Schema;
  readonly fit: readonly unknown[];
  readonly misfit: readonly unknown[];
}

const TEXT = { type: "text", text: "hello" };

const ROWS: readonly Row[] = [
  { schema: {}, fit: [null, 1, "a", {}, []], misfit: [] },
  { schema: { type: "string" }, fit: ["", "a"], misfit: [1, null, {}, [], true] },
  { schema: { type: "boolean" }, fit: [true, false], misfit: ["true", 1, null] },
  { schema: { type: "number" }, fit: [1, 1.5, -1], misfit: ["1", null] },
  { schema: { type: "integer" }, fit: [1, -1, 0], misfit: [1.5, "1", null] },
  { schema: { type: "null" }, fit: [null], misfit: [0, {}, "null"] },
  { schema: { type: "object" }, fit: [{}, { a: 1 }], misfit: [null, [], "a"] },
  { schema: { type: "array" }, fit: [[], [1]], misfit: [{}, null, "a"] },
  { schema: { type: ["integer", "string"] }, fit: [1, "a"], misfit: [1.5, null, true] },
  { schema: { const: "a", type: "string" }, fit: ["a"], misfit: ["b", 1] },
  { schema: { $ref: "#/$defs/Level" }, fit: ["low", "high"], misfit: ["middle", 1] },
  { schema: { type: "number", minimum: 0 }, fit: [0, 1], misfit: [-1, "1"] },
  { schema: { type: "number", maximum: 1 }, fit: [0, 1], misfit: [2] },
  { schema: { type: "integer", minimum: 0, maximum: 10 }, fit: [0, 10], misfit: [-1, 11, 0.5] },
  { schema: { type: "string", minLength: 1 }, fit: ["a"], misfit: [""] },
  { schema: { type: "string", maxLength: 2 }, fit: ["ab"], misfit: ["abc"] },
  { schema: { type: "string", pattern: "^a+$" }, fit: ["aa"], misfit: ["b"] },
  { schema: { type: "array", items: { type: "string" } }, fit: [[], ["a"]], misfit: [[1], ["a", 1], {}] },
  { schema: { type: "array", maxItems: 2 }, fit: [[], [1, "a"]], misfit: [[1, 2, 3]] },
  { schema: { type: "array", items: { type: "integer" }, maxItems: 2 }, fit: [[1, 2]], misfit: [[1, 2, 3], [1.5]] },
  { schema: { type: "array", minItems: 1 }, fit: [[1]], misfit: [[]] },
  { schema: { type: "array", items: { type: "array", items: { type: "string" } } }, fit: [[["a"], []]], misfit: [["a"], [[1]]] },
  { schema: { type: "object", additionalProperties: { type: "string" } }, fit: [{}, { a: "b" }], misfit: [{ a: 1 }, []] },
  {
    schema: { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["b"] },
    fit: [{ b: 1 }, { a: "x", b: null }, { b: 1, c: 1 }],
    misfit: [{}, { a: "x" }, { a: 1, b: 1 }],
  },
  { schema: { $ref: "#/$defs/Text" }, fit: [TEXT, { ...TEXT, more: 1 }], misfit: [{ type: "image", text: "a" }, { type: "text" }, null] },
  { schema: { $ref: "#/$defs/Either" }, fit: [TEXT, "a"], misfit: [{ type: "image" }, 1] },
  { schema: { $ref: "#/$defs/Both" }, fit: [{ ...TEXT, size: 1 }], misfit: [TEXT, { size: 1 }] },
  { schema: { type: "array", items: { $ref: "#/$defs/Either" } }, fit: [[TEXT, "a"]], misfit: [[TEXT, 1]] },
];

describe("fitsExpression lets through what fits and nothing else", () => {
  test.each(ROWS)("$schema", ({ schema, fit, misfit }) => {
    expect(fit.filter((value) => !fits(schema, value))).toEqual([]);
    expect(misfit.filter((value) => fits(schema, value))).toEqual([]);
  });
});

describe("describeSchema", () => {
  test.each<readonly [Schema, string]>([
    [{ type: "string" }, "a string"],
    [{ type: "integer" }, "an integer"],
    [{ type: "object" }, "an object"],
    [{ type: ["integer", "string"] }, "an integer or a string"],
    [{}, "any value"],
    [{ const: "form" }, '"form"'],
    [{ $ref: "#/$defs/Level" }, '"low" or "high"'],
    [{ type: "array", maxItems: 100 }, "an array of at most 100"],
    [{ type: "array" }, "an array"],
    [{ type: "array", items: { type: "string" } }, "an array (each item a string)"],
    [{ type: "object", additionalProperties: { type: "number" } }, "an object (each value a number)"],
    [{ $ref: "#/$defs/Either" }, "an object or a string"],
  ])("%j", (schema, want) => {
    expect(describeSchema(schema, DEFINITIONS)).toBe(want);
  });
});
