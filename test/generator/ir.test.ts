// The canonical form of several revisions: what each kind of node becomes when revisions differ, and what never changes.
import { describe, expect, test } from "vitest";
import { buildIr } from "../../generator/model/ir.js";
import type { Definitions, Schema } from "../../generator/model/schema.js";

const STRING: Schema = { type: "string" };
const NUMBER: Schema = { type: "number" };
const A: Schema = { $ref: "#/$defs/A" };
const B: Schema = { $ref: "#/$defs/B" };
const UNION: Schema = { anyOf: [A, B] };
/** What the references of the tables below mean, at every revision. */
const NAMED: Definitions = {
  A: { type: "object", properties: { a: STRING } },
  B: { type: "object", properties: { b: STRING } },
  Union: UNION,
};

function object(properties: Record<string, Schema>, ...required: readonly string[]): Schema {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

/** Merges one definition that each revision has in its own form. */
function merged(...forms: readonly Schema[]): Schema | undefined {
  return buildIr(forms.map((form) => ({ ...NAMED, Node: form })))["Node"];
}

interface Row {
  readonly name: string;
  readonly forms: readonly Schema[];
  readonly want: Schema;
}

const OBJECTS: readonly Row[] = [
  { name: "twice the same", forms: [object({ a: STRING }, "a"), object({ a: STRING }, "a")], want: object({ a: STRING }, "a") },
  {
    name: "a property that one revision lacks is optional",
    forms: [object({ a: STRING }, "a"), object({ a: STRING, b: NUMBER }, "a", "b")],
    want: object({ a: STRING, b: NUMBER }, "a"),
  },
  {
    name: "a property stays required only where every revision requires it",
    forms: [object({ a: STRING, b: STRING }, "a", "b"), object({ a: STRING, b: STRING }, "b"), object({ a: STRING, b: STRING }, "a", "b")],
    want: object({ a: STRING, b: STRING }, "b"),
  },
  {
    name: "properties stand in order of name",
    forms: [object({ b: STRING }), object({ a: STRING })],
    want: object({ a: STRING, b: STRING }),
  },
  {
    name: "an object one revision declares open is open",
    forms: [object({ a: STRING }), { ...object({ a: STRING }), additionalProperties: {} }],
    want: { ...object({ a: STRING }), additionalProperties: {} },
  },
  {
    name: "a property that an open object no longer names may hold anything",
    forms: [object({ a: STRING, b: STRING }), { ...object({ a: STRING }), additionalProperties: {} }],
    want: { ...object({ a: STRING, b: {} }), additionalProperties: {} },
  },
  {
    name: "a property that an open object does not name yet keeps its type",
    forms: [{ ...object({ a: STRING }), additionalProperties: {} }, object({ a: STRING, b: STRING })],
    want: { ...object({ a: STRING, b: STRING }), additionalProperties: {} },
  },
  {
    name: "the values of a map",
    forms: [
      { type: "object", additionalProperties: STRING },
      { type: "object", additionalProperties: NUMBER },
    ],
    want: { type: "object", additionalProperties: { type: ["number", "string"] } },
  },
  {
    name: "a map and an object that names nothing",
    forms: [{ type: "object", additionalProperties: STRING }, { type: "object" }],
    want: { type: "object", additionalProperties: {} },
  },
  {
    name: "an allOf shows all its properties",
    forms: [{ allOf: [A, object({ c: STRING }, "c")] }, object({ a: STRING, c: STRING }, "a", "c")],
    want: object({ a: STRING, c: STRING }, "c"),
  },
];

const SCALARS: readonly Row[] = [
  { name: "an integer and a number", forms: [{ type: "integer" }, NUMBER], want: NUMBER },
  { name: "a string and a number", forms: [STRING, NUMBER], want: { type: ["number", "string"] } },
  {
    name: "types that grow",
    forms: [{ type: ["integer", "string"] }, { type: ["boolean", "number", "string"] }],
    want: { type: ["boolean", "number", "string"] },
  },
  {
    name: "two constants",
    forms: [
      { const: "b", type: "string" },
      { const: "a", type: "string" },
    ],
    want: { enum: ["a", "b"], type: "string" },
  },
  {
    name: "choices that grow",
    forms: [
      { enum: ["b", "a"], type: "string" },
      { enum: ["a", "c"], type: "string" },
    ],
    want: { enum: ["a", "b", "c"], type: "string" },
  },
  { name: "choices and any string", forms: [{ enum: ["a"], type: "string" }, STRING], want: STRING },
  {
    name: "a bound that all state alike is kept",
    forms: [
      { type: "number", minimum: 0, maximum: 1 },
      { type: "integer", minimum: 0, maximum: 1 },
    ],
    want: { type: "number", minimum: 0, maximum: 1 },
  },
  { name: "a bound that only one states goes", forms: [{ type: "string", maxLength: 5 }, STRING], want: STRING },
  {
    name: "bounds that differ go",
    forms: [
      { type: "number", maximum: 1 },
      { type: "number", maximum: 2 },
    ],
    want: NUMBER,
  },
  { name: "a string and anything", forms: [STRING, {}], want: {} },
];

const ARRAYS: readonly Row[] = [
  {
    name: "items that differ",
    forms: [
      { type: "array", items: STRING },
      { type: "array", items: NUMBER },
    ],
    want: { type: "array", items: { type: ["number", "string"] } },
  },
  {
    name: "a bound that only one states goes",
    forms: [
      { type: "array", items: STRING, maxItems: 5 },
      { type: "array", items: STRING },
    ],
    want: { type: "array", items: STRING },
  },
  {
    name: "items that only one states may be anything",
    forms: [{ type: "array", items: STRING }, { type: "array" }],
    want: { type: "array", items: {} },
  },
];

const UNIONS: readonly Row[] = [
  { name: "the same reference", forms: [A, A], want: A },
  { name: "a reference and an object that names nothing", forms: [{ type: "object" }, A], want: A },
  { name: "a reference and the union that has it as a member", forms: [A, { $ref: "#/$defs/Union" }], want: { $ref: "#/$defs/Union" } },
  { name: "two references to objects, as one object that allows both", forms: [B, A], want: object({ a: STRING, b: STRING }) },
  { name: "a union that grows", forms: [A, { anyOf: [B, A] }], want: { anyOf: [A, B] } },
  { name: "a scalar and an object", forms: [STRING, A], want: { anyOf: [A, STRING] } },
  {
    name: "inline members of one kind become one member",
    forms: [{ anyOf: [A, STRING] }, { anyOf: [NUMBER, { type: "array", items: A }] }, { type: "array", items: B }],
    want: { anyOf: [A, { type: "array", items: object({ a: STRING, b: STRING }) }, { type: ["number", "string"] }] },
  },
];

describe.each([
  { kind: "objects", rows: OBJECTS },
  { kind: "scalars", rows: SCALARS },
  { kind: "arrays", rows: ARRAYS },
  { kind: "references and unions", rows: UNIONS },
])("buildIr merges $kind", ({ rows }) => {
  test.each(rows)("$name", ({ forms, want }) => {
    const before = JSON.stringify(forms);
    expect(merged(...forms)).toEqual(want);
    expect(JSON.stringify(forms)).toBe(before);
  });
});

test("a definition of any revision is in it, in order of name", () => {
  expect(buildIr([{ B: STRING }, { A: STRING, B: STRING }, { C: NUMBER }])).toEqual({ A: STRING, B: STRING, C: NUMBER });
  expect(Object.keys(buildIr([{ B: STRING }, { A: STRING }]))).toEqual(["A", "B"]);
});

test("a definition that a revision lacks says nothing about what is required in it", () => {
  expect(buildIr([{}, { A: object({ a: STRING }, "a") }, {}])).toEqual({ A: object({ a: STRING }, "a") });
});
