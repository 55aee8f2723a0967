// What the structural differ lists between two revisions: one delta a difference, at its path, whatever the order things stand in.
import { describe, expect, test } from "vitest";
import type { Rename } from "../../generator/model/canonical.js";
import { diffDefinitions, diffRevisions, type Delta } from "../../generator/model/diff.js";
import type { Definitions, Schema } from "../../generator/model/schema.js";

const STRING: Schema = { type: "string" };
const NUMBER: Schema = { type: "number" };
const A: Schema = { $ref: "#/$defs/A" };
const B: Schema = { $ref: "#/$defs/B" };

function object(properties: Record<string, Schema>, ...required: readonly string[]): Schema {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

interface Row {
  readonly name: string;
  readonly before: Schema;
  readonly after: Schema;
  /** As `kind path`. */
  readonly want: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: "nothing", before: object({ a: STRING }, "a"), after: object({ a: STRING }, "a"), want: [] },
  { name: "a property added", before: object({}), after: object({ a: STRING }), want: ["property-added Node.a"] },
  { name: "a property removed", before: object({ a: STRING }, "a"), after: object({}), want: ["property-removed Node.a"] },
  {
    name: "a required property added is one delta",
    before: object({}),
    after: object({ a: STRING }, "a"),
    want: ["property-added Node.a"],
  },
  {
    name: "a property whose name is no word",
    before: object({}),
    after: object({ "a/b": STRING }),
    want: ['property-added Node["a/b"]'],
  },
  {
    name: "a property called like an inherited one",
    before: object({}),
    after: object({ constructor: STRING }),
    want: ["property-added Node.constructor"],
  },
  { name: "a property made required", before: object({ a: STRING }), after: object({ a: STRING }, "a"), want: ["required Node.a"] },
  { name: "a property made optional", before: object({ a: STRING }, "a"), after: object({ a: STRING }), want: ["optional Node.a"] },
  {
    name: "a property made required and of another type is two",
    before: object({ a: STRING }),
    after: object({ a: NUMBER }, "a"),
    want: ["required Node.a", "type Node.a"],
  },
  { name: "another type", before: STRING, after: NUMBER, want: ["type Node"] },
  { name: "types that grow", before: STRING, after: { type: ["number", "string"] }, want: ["member-added Node|number"] },
  { name: "another reference", before: object({ a: A }), after: object({ a: B }), want: ["type Node.a"] },
  { name: "an inline object for a reference", before: object({ a: object({}) }), after: object({ a: A }), want: ["type Node.a"] },
  { name: "a union for one of its members", before: A, after: { anyOf: [A, B] }, want: ["member-added Node|B"] },
  { name: "one member for a union", before: { anyOf: [A, B] }, after: B, want: ["member-removed Node|A"] },
  { name: "a member added", before: { anyOf: [A, STRING] }, after: { anyOf: [A, B, STRING] }, want: ["member-added Node|B"] },
  { name: "a member removed", before: { anyOf: [A, B] }, after: { anyOf: [A] }, want: ["member-removed Node|B"] },
  {
    name: "a member exchanged is two",
    before: { anyOf: [A, { type: ["integer", "string"] }] },
    after: { anyOf: [A, { type: ["number", "string"] }] },
    want: ["member-added Node|number", "member-removed Node|integer"],
  },
  {
    name: "an object made open",
    before: object({ a: STRING }),
    after: { ...object({ a: STRING }), additionalProperties: {} },
    want: ["openness Node"],
  },
  {
    name: "an object closed",
    before: object({ a: STRING }),
    after: { ...object({ a: STRING }), additionalProperties: false },
    want: ["openness Node"],
  },
  {
    name: "the values of a map",
    before: { type: "object", additionalProperties: STRING },
    after: { type: "object", additionalProperties: NUMBER },
    want: ["type Node.*"],
  },
  {
    name: "the items of a list",
    before: { type: "array", items: object({ a: STRING }) },
    after: { type: "array", items: object({ a: NUMBER, b: STRING }) },
    want: ["property-added Node[].b", "type Node[].a"],
  },
  { name: "a constant", before: { const: "a", type: "string" }, after: { const: "b", type: "string" }, want: ["constraint Node"] },
  {
    name: "choices that grow",
    before: { enum: ["a"], type: "string" },
    after: { enum: ["a", "b"], type: "string" },
    want: ["constraint Node"],
  },
  {
    name: "a bound",
    before: { type: "array", items: STRING },
    after: { type: "array", items: STRING, maxItems: 5 },
    want: ["constraint Node"],
  },
  {
    name: "each constraint at one place",
    before: NUMBER,
    after: { type: "number", minimum: 0, maximum: 1 },
    want: ["constraint Node", "constraint Node"],
  },
  {
    name: "deep inside",
    before: object({ a: object({ list: { type: "array", items: object({ b: STRING }, "b") } }) }),
    after: object({ a: object({ list: { type: "array", items: object({ b: STRING }) } }) }),
    want: ["optional Node.a.list[].b"],
  },
];

const ORDERS: readonly { readonly name: string; readonly before: Schema; readonly after: Schema }[] = [
  { name: "keys", before: object({ a: STRING, b: NUMBER }), after: { properties: { b: NUMBER, a: STRING }, type: "object" } },
  { name: "required", before: object({ a: STRING, b: STRING }, "a", "b"), after: object({ a: STRING, b: STRING }, "b", "a") },
  { name: "members", before: { anyOf: [A, B, STRING] }, after: { anyOf: [STRING, B, A] } },
  { name: "types", before: { type: ["string", "number"] }, after: { type: ["number", "string"] } },
  { name: "choices", before: { enum: ["a", "b"], type: "string" }, after: { enum: ["b", "a"], type: "string" } },
  {
    name: "members with inner sets",
    before: { anyOf: [A, object({ a: STRING, b: STRING }, "a", "b")] },
    after: { anyOf: [object({ a: STRING, b: STRING }, "b", "a"), A] },
  },
];

function print(deltas: readonly Delta[]): string[] {
  return deltas.map((delta) => `${delta.kind} ${delta.path}`);
}

describe("diffDefinitions lists", () => {
  test.each(ROWS)("$name", ({ before, after, want }) => {
    expect(print(diffDefinitions({ Node: before }, { Node: after })).sort()).toEqual([...want].sort());
  });

  test("definitions added and removed, as one delta each", () => {
    expect(print(diffDefinitions({ A: object({ a: STRING }), B: STRING }, { B: STRING, C: object({ c: STRING }) }))).toEqual([
      "definition-removed A",
      "definition-added C",
    ]);
  });

  test("everything sorted by path, then by kind", () => {
    const before = { B: object({ a: STRING }), A: object({ z: STRING, a: STRING }) };
    const after = { A: object({ a: NUMBER }, "a"), B: object({ a: NUMBER }) };
    expect(print(diffDefinitions(before, after))).toEqual(["required A.a", "type A.a", "property-removed A.z", "type B.a"]);
  });
});

describe("diffDefinitions overlooks no change of", () => {
  test.each<readonly [string, Schema, Schema]>([
    ["items said for the first time", { type: "array" }, { type: "array", items: STRING }],
    ["items no longer said", { type: "array", items: STRING }, { type: "array" }],
    ["an allOf", { allOf: [A, object({ a: STRING })] }, { allOf: [A, object({ a: NUMBER })] }],
    ["a oneOf", { oneOf: [A] }, { oneOf: [A, B] }],
    ["a not", { type: "string", not: { const: "a" } }, { type: "string", not: { const: "b" } }],
    ["patternProperties", { type: "object", patternProperties: { a: STRING } }, { type: "object", patternProperties: { a: NUMBER } }],
    ["prefixItems", { type: "array", prefixItems: [STRING] }, { type: "array", prefixItems: [NUMBER] }],
    ["exclusiveMinimum", NUMBER, { type: "number", exclusiveMinimum: 0 }],
    ["exclusiveMaximum", NUMBER, { type: "number", exclusiveMaximum: 1 }],
    ["multipleOf", NUMBER, { type: "number", multipleOf: 2 }],
    ["uniqueItems", { type: "array", items: STRING }, { type: "array", items: STRING, uniqueItems: true }],
    ["minProperties", { type: "object" }, { type: "object", minProperties: 1 }],
    ["maxProperties", { type: "object" }, { type: "object", maxProperties: 1 }],
    ["pattern", STRING, { type: "string", pattern: "^a" }],
    ["format", STRING, { type: "string", format: "uri" }],
    ["minLength", STRING, { type: "string", minLength: 1 }],
    ["maximum", NUMBER, { type: "number", maximum: 1 }],
    ["minItems", { type: "array", items: STRING }, { type: "array", items: STRING, minItems: 1 }],
  ])("%s", (_, before, after) => {
    expect(print(diffDefinitions({ Node: before }, { Node: after }))).not.toEqual([]);
    expect(print(diffDefinitions({ Node: after }, { Node: before }))).not.toEqual([]);
  });
});

describe("diffDefinitions minds no order of", () => {
  test.each(ORDERS)("$name", ({ before, after }) => {
    expect(print(diffDefinitions({ Node: before }, { Node: after }))).toEqual([]);
  });
});

describe("a delta carries what stood there", () => {
  test.each<readonly [string, Schema, Schema, Delta]>([
    ["added", object({}), object({ a: STRING }), { kind: "property-added", path: "Node.a", after: STRING }],
    ["removed", object({ a: STRING }), object({}), { kind: "property-removed", path: "Node.a", before: STRING }],
    ["changed", object({ a: STRING }), object({ a: NUMBER }), { kind: "type", path: "Node.a", before: STRING, after: NUMBER }],
    ["a member", { anyOf: [A] }, { anyOf: [A, B] }, { kind: "member-added", path: "Node|B", after: B }],
    ["required", object({ a: STRING }), object({ a: STRING }, "a"), { kind: "required", path: "Node.a" }],
  ])("%s", (_, before, after, delta) => {
    expect(diffDefinitions({ Node: before }, { Node: after })).toEqual([delta]);
  });
});

interface Pair {
  readonly name: string;
  readonly before: Definitions;
  readonly after: Definitions;
  readonly renames: readonly Rename[];
  readonly want: readonly string[];
}

const PAIRS: readonly Pair[] = [
  {
    name: "a rename, and once each place that refers to it",
    before: { A: object({ a: STRING }), User: object({ one: A, many: { type: "array", items: A }, either: { anyOf: [A, STRING] } }) },
    after: { B: object({ a: STRING }), User: object({ one: B, many: { type: "array", items: B }, either: { anyOf: [B, STRING] } }) },
    renames: [{ revision: 1, from: ["A"], to: "B" }],
    want: ["definition-renamed B", "retargeted User.either", "retargeted User.many[]", "retargeted User.one"],
  },
  {
    name: "a rename and what changed under it besides",
    before: { A: object({ a: STRING }) },
    after: { B: object({ a: NUMBER, b: STRING }) },
    renames: [{ revision: 1, from: ["A"], to: "B" }],
    want: ["definition-renamed B", "type B.a", "property-added B.b"],
  },
  {
    name: "an extraction: the definition once, and each place that became it",
    before: { One: object({ params: object({ a: STRING }) }), Two: object({ params: object({ a: STRING }) }) },
    after: { One: object({ params: A }), Two: object({ params: A }), A: object({ a: STRING }) },
    renames: [{ revision: 1, from: ["One.params", "Two.params"], to: "A" }],
    want: ["definition-extracted A", "extracted One.params", "extracted Two.params"],
  },
  {
    name: "an extraction to a definition that was there already",
    before: { One: object({ params: object({ a: STRING }) }), A: object({ a: STRING }) },
    after: { One: object({ params: A }), A: object({ a: STRING }) },
    renames: [{ revision: 1, from: ["One.params"], to: "A" }],
    want: ["extracted One.params"],
  },
  {
    name: "nothing of a rename that matches nothing",
    before: { A: STRING },
    after: { A: STRING },
    renames: [{ revision: 1, from: ["Old"], to: "A" }],
    want: [],
  },
  {
    name: "a rename that no row states as one definition less and one more",
    before: { A: STRING },
    after: { B: STRING },
    renames: [],
    want: ["definition-removed A", "definition-added B"],
  },
];

describe("diffRevisions lists", () => {
  test.each(PAIRS)("$name", ({ before, after, renames, want }) => {
    expect(print(diffRevisions(before, after, renames))).toEqual(want);
  });
});
