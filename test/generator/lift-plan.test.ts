// Which places of a revision lifting has to look at: small definitions, tolerances of each repair, and the plan as lines of text. A place without a
// tolerance, and what leads to none, has no line; null is only repaired where the schema forbids it.
import { describe, expect, test } from "vitest";
import { planLifting, type LiftBody, type LiftBranch, type LiftPlan } from "../../generator/model/lift-plan.js";
import type { Definitions, Schema } from "../../generator/model/schema.js";
import type { Feature, Method, Model, Repair, Revision, Tolerance } from "../../generator/model/types.js";
import { loadModel } from "../loaded-model.js";

const STRING: Schema = { type: "string" };

function object(properties: Record<string, Schema>, ...required: readonly string[]): Schema {
  return { type: "object", properties, required };
}

function list(items: Schema): Schema {
  return { type: "array", items };
}

function ref(name: string): Schema {
  return { $ref: `#/$defs/${name}` };
}

/** Makes a tolerance named after its repair. */
function tolerance(repair: Repair, given: Partial<Tolerance> = {}): Tolerance {
  return {
    index: 0,
    id: repair,
    summary: "",
    repair,
    at: ["*"],
    fills: [],
    first: 0,
    last: 0,
    only: {},
    loss: "none",
    reports: [],
    place: () => ({ file: "tolerances.yaml", line: 1 }),
    ...given,
  };
}

/** Plans the lifting of one method, `ask`, whose params and result are the definitions of these names. */
function plan(definitions: Definitions, tolerances: readonly Tolerance[], more: Partial<Model> = {}): readonly string[] {
  const method = {
    name: "ask",
    kind: "request",
    directions: ["clientToServer"],
    canonicalDefinition: "Ask",
    results: ["Result"],
  } as Partial<Method> as Method;
  const canonical: Definitions = {
    Params: object({}),
    Result: object({}),
    ...definitions,
    Ask: object({ params: ref("Params") }),
  };
  const revision = { id: "one", index: 0, canonical, methods: [method] } as Partial<Revision> as Revision;
  const model = {
    revisions: [revision],
    features: [],
    fills: [],
    implied: [],
    capabilities: { client: "ClientCapabilities", server: "ServerCapabilities" },
    tolerances,
    ...more,
  };
  return planLifting(model as Partial<Model> as Model, revision).functions.map(written);
}

function written({ path, body }: LiftPlan): string {
  return `${path}: ${bodyText(body)}`;
}

function bodyText(body: LiftBody): string {
  if (body.kind === "object") {
    const steps = body.steps.flatMap((step) => [
      ...(step.ifNull === undefined ? [] : [`${step.key} null ${step.ifNull.becomes}`]),
      ...(step.ifValue === undefined ? [] : [`${step.key} ${step.ifValue.repair}`]),
      ...(step.ifMissing === undefined ? [] : [`${step.key} write-missing`]),
      ...(step.ifNotObject === undefined ? [] : [`${step.key} as-object${step.isImplied === true ? "!" : ""}`]),
      ...(step.ifNotBoolean === undefined ? [] : [`${step.key} as-boolean`]),
      ...(step.mend === undefined ? [] : [`${step.key} ${step.mend.repair}`]),
      ...(step.child?.needed === true ? [`${step.key} > ${step.child.path}`] : []),
    ]);
    return [...[body.unwrap, body.mend].flatMap((entry) => entry?.repair ?? []), ...steps].join(", ");
  }
  const child = "child" in body && body.child?.needed ? [`> ${body.child.path}`] : [];
  if (body.kind === "array")
    return [...[body.dropNull, body.dropUnusable?.tolerance].flatMap((entry) => entry?.repair ?? []), ...child].join(", ");
  if (body.kind === "map") return [...(body.ifNotObject === undefined ? [] : ["as-object"]), ...child].join(", ");
  if (body.kind === "union") {
    const branches = body.branches.filter((branch) => branch.child.needed);
    return branches.map((branch) => `${toldBy(branch)} > ${branch.child.path}`).join(", ");
  }
  const branches = body.branches.map(({ when, child: other }) => `${when.property} > ${other?.needed === true ? other.path : "nothing"}`);
  return [...branches, ...(body.usual === undefined ? [] : [`usual > ${body.usual.path}`])].join(", ");
}

/** Writes what tells a member from the others: `?` marks a tag that may be missing. */
function toldBy({ tag, present, isArray }: LiftBranch): string {
  if (tag !== undefined) return `${tag.key}=${JSON.stringify(tag.value)}${tag.isOptional ? "?" : ""}`;
  return isArray ? "list" : `has ${present ?? "nothing"}`;
}

interface Row {
  readonly name: string;
  readonly definitions: Definitions;
  readonly tolerances: readonly Tolerance[];
  readonly more?: Partial<Model>;
  readonly want: readonly string[];
}

const NULL = tolerance("drop-null");
const ITEMS = tolerance("drop-null-items");

const NULLS: readonly Row[] = [
  {
    name: "every optional property, none that is required",
    definitions: { Params: object({ a: STRING, b: STRING, c: { type: "integer" } }, "b") },
    tolerances: [NULL],
    want: ["Params: a null absent, c null absent"],
  },
  {
    name: "not where null is a value, whatever says so",
    definitions: {
      Params: object({
        any: {},
        listed: { type: ["string", "null"] },
        constant: { const: null },
        one: { enum: ["a", null] },
        arm: { anyOf: [STRING, { type: "null" }] },
        named: ref("Nullable"),
        plain: STRING,
      }),
      Nullable: { type: ["integer", "null"] },
    },
    tolerances: [NULL],
    want: ["Params: plain null absent"],
  },
  {
    name: "in objects below, each definition once",
    definitions: { Params: object({ a: ref("Part"), b: ref("Part"), c: list(ref("Part")) }, "a", "b", "c"), Part: object({ x: STRING }) },
    tolerances: [NULL],
    want: ["Params: a > Part, b > Part, c > Params.c list", "Part: x null absent", "Params.c list: > Part"],
  },
  {
    name: "in a definition that holds itself",
    definitions: { Params: object({ next: ref("Params") }) },
    tolerances: [NULL],
    want: ["Params: next null absent, next > Params"],
  },
  {
    name: "in the values of a map",
    definitions: { Params: object({ map: { type: "object", additionalProperties: ref("Part") } }, "map"), Part: object({ x: STRING }) },
    tolerances: [NULL],
    want: ["Params: map > Params.map", "Params.map: > Part", "Part: x null absent"],
  },
  {
    name: "only where the tolerance says, if it says",
    definitions: { Params: object({ a: STRING, b: STRING }) },
    tolerances: [tolerance("drop-null", { at: ["Params.b"] })],
    want: ["Params: b null absent"],
  },
  {
    name: "also where the revision does not name the property, if the tolerance does",
    definitions: { Params: object({ a: STRING }) },
    tolerances: [tolerance("drop-null", { at: ["Params.later"] })],
    want: ["Params: later null absent"],
  },
  {
    name: "a required list, and no other required value, may be empty",
    definitions: { Params: object({ a: list(STRING), b: STRING, c: list(STRING) }, "a", "b") },
    tolerances: [tolerance("empty-list")],
    want: ["Params: a null list"],
  },
  {
    name: "entries of lists of objects, not those of plain values or of anything",
    definitions: {
      Params: object({ a: list(object({})), b: list(STRING), c: list({}), d: list(ref("Choice")) }),
      Choice: { anyOf: [object({ k: { const: 1 } }), object({ k: { const: 2 } })] },
    },
    tolerances: [ITEMS],
    want: ["Params: a > Params.a list, d > Params.d list", "Params.a list: drop-null-items", "Params.d list: drop-null-items"],
  },
];

const UNIONS: readonly Row[] = [
  {
    name: "members told by a constant each, and a list",
    definitions: {
      Params: object({ x: ref("Either") }, "x"),
      Either: { anyOf: [ref("A"), ref("B"), list(ref("A"))] },
      A: object({ kind: { const: "a" }, n: STRING }, "kind"),
      B: object({ kind: { const: "b" } }, "kind"),
    },
    tolerances: [NULL, ITEMS],
    want: [
      "Params: x > Either member",
      'Either member: kind="a" > A, list > Either list',
      "A: n null absent",
      "Either list: drop-null-items, > A",
    ],
  },
  {
    name: "a member that may go without its constant",
    definitions: {
      Params: object({ x: ref("Either") }, "x"),
      Either: { anyOf: [ref("A"), ref("B")] },
      A: object({ mode: { const: "a" }, n: STRING }),
      B: object({ mode: { const: "b" }, n: STRING }, "mode"),
    },
    tolerances: [NULL],
    want: [
      "Params: x > Either member",
      'Either member: mode="a"? > A, mode="b" > B',
      "A: mode null absent, n null absent",
      "B: n null absent",
    ],
  },
  {
    name: "members that no constant tells apart, by what only one of them must have",
    definitions: {
      Params: object({ x: ref("Either") }, "x"),
      Either: { anyOf: [ref("A"), ref("B"), ref("C")] },
      A: object({ uri: STRING, text: STRING, n: STRING }, "uri", "text"),
      B: object({ uri: STRING, blob: STRING, n: STRING }, "uri", "blob"),
      C: object({ uri: STRING, text: STRING, n: STRING }, "uri"),
    },
    tolerances: [NULL],
    want: ["Params: x > Either member", "Either member: has text > A, has blob > B", "A: n null absent", "B: n null absent"],
  },
];

const CALLS = {
  id: "calls",
  index: 0,
  first: 0,
  last: 0,
  gates: { results: [{ methods: ["ask"], definition: "Task", when: { property: "task" } }] },
};

const PLACES: readonly Row[] = [
  {
    name: "nothing without a tolerance",
    definitions: { Params: object({ a: STRING }), Result: object({ b: list(object({ c: STRING })) }) },
    tolerances: [],
    want: [],
  },
  {
    name: "nothing by a tolerance of another revision",
    definitions: { Params: object({ a: STRING }) },
    tolerances: [tolerance("drop-null", { first: 1, last: 2 })],
    want: [],
  },
  {
    name: "values to drop and to replace",
    definitions: { Result: object({ cursor: STRING, word: STRING }) },
    tolerances: [
      tolerance("drop-value", { at: ["Result.cursor"], value: "" }),
      tolerance("replace-value", { at: ["Result.word"], value: "a", becomes: "b" }),
    ],
    want: ["Result: cursor drop-value, word replace-value"],
  },
  {
    name: "fills of the features named, where they are required and constant",
    definitions: { Result: object({ content: list(STRING), kind: STRING, minted: STRING, maybe: STRING }, "content", "kind", "minted") },
    tolerances: [tolerance("write-missing", { at: [], fills: ["calls"] })],
    more: {
      features: [{ ...CALLS, gates: { results: [] } } as unknown as Feature],
      fills: [
        { feature: 0, revision: 0, at: ["Result.content", "Result.maybe"], value: [], place: () => ({ file: "", line: 1 }) },
        { feature: 0, revision: 0, at: ["Result.minted"], from: "mint", place: () => ({ file: "", line: 1 }) },
      ],
    },
    want: ["Result: content write-missing"],
  },
  {
    name: "capabilities that are objects, and the maps among them",
    definitions: {
      Params: object({ capabilities: ref("ClientCapabilities"), other: object({ x: object({}) }) }, "capabilities", "other"),
      ClientCapabilities: object({
        roots: object({ listChanged: { type: "boolean" }, deep: object({}) }),
        experimental: { type: "object", additionalProperties: { type: "object" } },
      }),
    },
    tolerances: [tolerance("as-object", { at: ["ClientCapabilities"] })],
    want: [
      "Params: capabilities > ClientCapabilities",
      "ClientCapabilities: experimental as-object, experimental > ClientCapabilities.experimental, roots as-object, roots > ClientCapabilities.roots",
      "ClientCapabilities.experimental: as-object",
      "ClientCapabilities.roots: deep as-object",
    ],
  },
  {
    name: "flags of capabilities, and no other booleans",
    definitions: {
      Params: object({ capabilities: ref("ClientCapabilities"), flag: { type: "boolean" } }, "capabilities"),
      ClientCapabilities: object({
        ready: { type: "boolean" },
        roots: object({ listChanged: { type: "boolean" }, name: STRING }, "listChanged"),
      }),
    },
    tolerances: [tolerance("as-boolean", { at: ["ClientCapabilities"] })],
    want: [
      "Params: capabilities > ClientCapabilities",
      "ClientCapabilities: ready as-boolean, roots > ClientCapabilities.roots",
      "ClientCapabilities.roots: listChanged as-boolean",
    ],
  },
  {
    name: "a capability that an empty one implies, marked",
    definitions: {
      Params: object({ capabilities: ref("ClientCapabilities") }, "capabilities"),
      ClientCapabilities: object({ forms: object({ inline: object({}), link: object({}) }) }),
    },
    tolerances: [tolerance("as-object", { at: ["ClientCapabilities"] })],
    more: { implied: [{ side: "client", flag: "forms.inline", by: "forms" }] },
    want: [
      "Params: capabilities > ClientCapabilities",
      "ClientCapabilities: forms as-object, forms > ClientCapabilities.forms",
      "ClientCapabilities.forms: inline as-object!, link as-object",
    ],
  },
  {
    name: "what is taken out of a wrapping, and what is mended",
    definitions: { Params: object({ part: ref("Part"), schema: object({}) }, "part", "schema"), Result: object({}), Part: object({}) },
    tolerances: [
      tolerance("unwrap", { at: ["Result"], key: "inner" }),
      tolerance("text-of-resource", { at: ["Part"] }),
      tolerance("object-schema", { at: ["Params.schema"] }),
    ],
    want: ["Params: part > Part, schema object-schema", "Part: text-of-resource", "Result: unwrap"],
  },
  {
    name: "items to leave out",
    definitions: { Result: object({ tools: list(object({ name: STRING }, "name")) }, "tools") },
    tolerances: [tolerance("drop-unusable-items", { at: ["Result.tools[]"] })],
    want: ["Result: tools > Result.tools list", "Result.tools list: drop-unusable-items"],
  },
  {
    name: "another result is told before the usual one",
    definitions: { Result: object({ a: STRING }), Task: object({ task: object({ id: STRING }, "id") }, "task") },
    tolerances: [NULL],
    more: { features: [CALLS as unknown as Feature] },
    want: ["Result: a null absent", "Ask.result: task > nothing, usual > Result"],
  },
];

describe.each([
  { part: "nulls", rows: NULLS },
  { part: "unions", rows: UNIONS },
  { part: "the other repairs", rows: PLACES },
])("$part:", ({ rows }) => {
  test.each(rows)("$name", ({ definitions, tolerances, more, want }) => {
    expect(plan(definitions, tolerances, more)).toEqual(want);
  });
});

describe("the bones of an item", () => {
  test("are its types, constants and required properties, three levels down, and below the item the kinds of its containers", () => {
    const item = object(
      {
        name: STRING,
        size: { type: "integer", minimum: 1 },
        tags: list(STRING),
        schema: object(
          {
            type: { const: "object", type: "string" },
            title: STRING,
            names: list(STRING),
            deep: object({ deeper: object({ deepest: STRING }, "deepest") }, "deeper"),
          },
          "type",
          "deep",
        ),
        any: {},
      },
      "name",
      "schema",
      "any",
    );
    const canonical: Definitions = { Result: object({ tools: list(item) }), Ask: object({}) };
    const revision = {
      id: "one",
      index: 0,
      canonical,
      methods: [
        {
          name: "ask",
          kind: "request",
          directions: ["clientToServer"],
          canonicalDefinition: "Ask",
          results: ["Result"],
        } as Partial<Method> as Method,
      ],
    } as Partial<Revision> as Revision;
    const tolerances = [tolerance("drop-unusable-items", { at: ["Result.tools[]"] })];
    const model = { revisions: [revision], features: [], fills: [], implied: [], capabilities: { client: "C", server: "S" }, tolerances };
    const [, tools] = planLifting(model as Partial<Model> as Model, revision).functions;
    const bones = tools?.body.kind === "array" ? tools.body.dropUnusable?.bones : undefined;
    expect(bones).toEqual({
      type: "object",
      required: ["name", "schema", "any"],
      properties: {
        name: { type: "string" },
        schema: {
          type: "object",
          required: ["type", "deep"],
          properties: {
            type: { enum: ["object"] },
            names: { type: "array" },
            deep: { type: "object", required: ["deeper"], properties: { deeper: { type: "object" } } },
          },
        },
        any: {},
      },
    });
  });
});

describe("over the real schemas", () => {
  const model = loadModel("mcp");

  test.each(model.revisions.map((revision) => [revision.id, revision] as const))(
    "every function of %s has something to do, under a name of its own",
    (_, revision) => {
      const { functions } = planLifting(model, revision);
      expect(functions.map(written).filter((line) => line.endsWith(": "))).toEqual([]);
      expect(new Set(functions.map((entry) => entry.name)).size).toBe(functions.length);
    },
  );

  test("every tolerance finds a place at a revision it is for, and at no other", () => {
    for (const revision of model.revisions) {
      for (const used of planLifting(model, revision).used) expect(used.first <= revision.index && revision.index <= used.last).toBe(true);
    }
    const used = new Set(model.revisions.flatMap((revision) => [...planLifting(model, revision).used]));
    expect(model.tolerances.filter((entry) => !used.has(entry)).map((entry) => entry.id)).toEqual([]);
  });
});
