// One revision's definitions under the newest names: what later renames and extractions make of them, and which of those matched anything.
import { describe, expect, test } from "vitest";
import { renameKey, toCanonical, type Rename } from "../../generator/model/canonical.js";
import type { Definitions, Schema } from "../../generator/model/schema.js";

const STRING: Schema = { type: "string" };

function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

function object(properties: Record<string, Schema>, ...required: readonly string[]): Schema {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

interface Row {
  readonly name: string;
  readonly given: Definitions;
  readonly renames: readonly Rename[];
  readonly want: Definitions;
  /** The `from` entries that matched; all of them where left out. */
  readonly used?: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: "nothing to rename", given: { A: STRING }, renames: [], want: { A: STRING }, used: [] },
  {
    name: "a definition and every reference to it",
    given: {
      Old: object({ next: ref("Old") }),
      Union: { anyOf: [ref("Old"), ref("Other")] },
      List: { type: "array", items: ref("Old") },
      Other: STRING,
    },
    renames: [{ revision: 1, from: ["Old"], to: "New" }],
    want: {
      New: object({ next: ref("New") }),
      Union: { anyOf: [ref("New"), ref("Other")] },
      List: { type: "array", items: ref("New") },
      Other: STRING,
    },
  },
  {
    name: "only whole names",
    given: { Old: STRING, OldOnes: object({ old: ref("OldOnes"), Old: ref("Old") }) },
    renames: [{ revision: 1, from: ["Old"], to: "New" }],
    want: { New: STRING, OldOnes: object({ old: ref("OldOnes"), Old: ref("New") }) },
  },
  {
    name: "a name that moves on twice",
    given: { First: STRING },
    renames: [
      { revision: 1, from: ["First"], to: "Second" },
      { revision: 2, from: ["Second"], to: "Third" },
    ],
    want: { Third: STRING },
  },
  {
    name: "a name given to something else once it is free",
    given: { Response: object({ result: STRING }) },
    renames: [
      { revision: 1, from: ["Response"], to: "ResultResponse" },
      { revision: 2, from: ["Response"], to: "Answer" },
    ],
    want: { ResultResponse: object({ result: STRING }) },
    used: ["1 Response ResultResponse"],
  },
  {
    name: "what this or an earlier revision renamed is left alone",
    given: { Old: STRING, Older: STRING },
    renames: [{ revision: 0, from: ["Older", "Old"], to: "New" }],
    want: { Old: STRING, Older: STRING },
    used: [],
  },
  {
    name: "a name the revision does not have",
    given: { A: STRING },
    renames: [{ revision: 1, from: ["constructor", "Old"], to: "New" }],
    want: { A: STRING },
    used: [],
  },
  {
    name: "an inline object becomes a definition",
    given: { Call: object({ params: object({ name: STRING }, "name") }, "params") },
    renames: [{ revision: 1, from: ["Call.params"], to: "CallParams" }],
    want: { Call: object({ params: ref("CallParams") }, "params"), CallParams: object({ name: STRING }, "name") },
  },
  {
    name: "inline twins become one definition",
    given: { A: object({ params: object({ name: STRING }) }), B: object({ params: object({ name: STRING }) }) },
    renames: [{ revision: 1, from: ["A.params", "B.params"], to: "Params" }],
    want: { A: object({ params: ref("Params") }), B: object({ params: ref("Params") }), Params: object({ name: STRING }) },
  },
  {
    name: "of unlike twins, what only one lists is optional",
    given: {
      A: object({ params: object({ a: STRING, both: STRING }, "a", "both") }),
      B: object({ params: object({ both: STRING }, "both") }),
    },
    renames: [{ revision: 1, from: ["A.params", "B.params"], to: "Params" }],
    want: {
      A: object({ params: ref("Params") }),
      B: object({ params: ref("Params") }),
      Params: object({ a: STRING, both: STRING }, "both"),
    },
  },
  {
    name: "the items of a list and the values of a map",
    given: {
      List: object({ items: { type: "array", items: object({ a: STRING }) } }),
      Map: { type: "object", additionalProperties: object({ b: STRING }) },
    },
    renames: [
      { revision: 1, from: ["List.items[]"], to: "Item" },
      { revision: 1, from: ["Map.*"], to: "Value" },
    ],
    want: {
      List: object({ items: { type: "array", items: ref("Item") } }),
      Map: { type: "object", additionalProperties: ref("Value") },
      Item: object({ a: STRING }),
      Value: object({ b: STRING }),
    },
  },
  {
    name: "an extraction from an extraction",
    given: { Call: object({ params: object({ meta: object({ token: STRING }) }) }) },
    renames: [
      { revision: 1, from: ["Call.params"], to: "Params" },
      { revision: 1, from: ["Params.meta"], to: "Meta" },
    ],
    want: { Call: object({ params: ref("Params") }), Params: object({ meta: ref("Meta") }), Meta: object({ token: STRING }) },
  },
  {
    name: "a place that is a reference already, or is not there",
    given: { Call: object({ params: ref("Params") }), Params: object({ name: STRING }) },
    renames: [{ revision: 1, from: ["Call.params", "Call.meta", "Nowhere.params"], to: "CallParams" }],
    want: { Call: object({ params: ref("Params") }), Params: object({ name: STRING }) },
    used: [],
  },
];

describe("toCanonical at the first of three revisions", () => {
  test.each(ROWS)("$name", ({ given, renames, want, used }) => {
    const before = JSON.stringify(given);
    const matched = new Set<string>();
    expect(toCanonical(given, 0, renames, matched)).toEqual(want);
    const all = renames.flatMap((rename) => rename.from.map((from) => renameKey(rename, from)));
    expect([...matched]).toEqual(used ?? all);
    expect(JSON.stringify(given)).toBe(before);
  });
});

test("a rename applies to the revisions before its own", () => {
  const renames = [{ revision: 2, from: ["Old"], to: "New" }];
  const named = [0, 1, 2, 3].map((revision) => Object.keys(toCanonical({ Old: STRING }, revision, renames, new Set()))[0]);
  expect(named).toEqual(["New", "New", "Old", "Old"]);
});
