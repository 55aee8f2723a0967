// The normal form of an upstream schema: one name for definitions, keys in order, annotations gone where they are keywords and only there,
// no value changed; and an unknown keyword is a fault with its pointer.
import { describe, expect, test } from "vitest";
import { toNormalForm, type Json } from "../../scripts/normal-form.js";

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

function normalise(document: Json): Record<string, Json> {
  const form = toNormalForm(document);
  if ("faults" in form) throw new Error(form.faults.join("\n"));
  return JSON.parse(form.text) as Record<string, Json>;
}

function faults(document: Json): readonly string[] {
  const form = toNormalForm(document);
  return "faults" in form ? form.faults : [];
}

/** Normalises one definition. */
function definition(schema: Json): Json | undefined {
  return (normalise({ $defs: { Node: schema } })["$defs"] as Record<string, Json>)["Node"];
}

describe("the document", () => {
  test.each<readonly [string, Json]>([
    ["definitions become $defs, references too", { definitions: { A: { $ref: "#/definitions/B" }, B: { type: "string" } } }],
    ["$defs stay", { $defs: { A: { $ref: "#/$defs/B" }, B: { type: "string" } } }],
    [
      "the dialect, the id and the title are not kept",
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        $id: "x",
        title: "X",
        description: "An x.",
        $defs: { A: { $ref: "#/$defs/B" }, B: { type: "string" } },
      },
    ],
  ])("%s", (_, document) => {
    expect(normalise(document)).toEqual({ $schema: DIALECT, $defs: { A: { $ref: "#/$defs/B" }, B: { type: "string" } } });
  });

  test("keeps what the root says of itself", () => {
    expect(normalise({ anyOf: [{ $ref: "#/definitions/A" }], "x-side": "agent", definitions: { A: {} } })).toEqual({
      $schema: DIALECT,
      "x-side": "agent",
      anyOf: [{ $ref: "#/$defs/A" }],
      $defs: { A: {} },
    });
  });

  test("is text with two spaces a level, and ends with a line", () => {
    const form = toNormalForm({ $defs: { A: {} } });
    expect(form).toEqual({ text: `{\n  "$schema": "${DIALECT}",\n  "$defs": {\n    "A": {}\n  }\n}\n` });
  });

  test("normalised again is the same text", () => {
    const once = toNormalForm({
      definitions: { B: { type: "object", properties: { b: true, a: { description: "An a." } } }, A: { $ref: "#/definitions/B" } },
    });
    if ("faults" in once) throw new Error(once.faults.join("\n"));
    expect(toNormalForm(JSON.parse(once.text) as Json)).toEqual(once);
  });

  test.each<readonly [string, Json, string]>([
    ["a list", [], "/: not an object"],
    ["null", null, "/: not an object"],
    ["no definitions", { type: "object" }, "/: has neither $defs nor definitions"],
    ["definitions that are a list", { $defs: [] }, "/: has neither $defs nor definitions"],
  ])("%s is a fault", (_, document, fault) => {
    expect(faults(document)).toEqual([fault]);
  });
});

describe("annotations", () => {
  test.each<readonly [string, Json, Json]>([
    ["go from a definition", { description: "A tool.", title: "Tool", $comment: "x", type: "string" }, { type: "string" }],
    [
      "go from a property",
      { properties: { a: { description: "An a.", examples: ["x"], type: "string" } } },
      { properties: { a: { type: "string" } } },
    ],
    ["go from items", { items: { title: "Item", markdownDescription: "*x*" } }, { items: {} }],
    ["go from members", { anyOf: [{ title: "A", type: "string" }, true] }, { anyOf: [{ type: "string" }, true] }],
    [
      "go from the values of a map",
      { additionalProperties: { description: "x", type: "string" } },
      { additionalProperties: { type: "string" } },
    ],
    ["go from patternProperties", { patternProperties: { "^x-": { description: "x" } } }, { patternProperties: { "^x-": {} } }],
    [
      "stay where they are the names of properties",
      {
        properties: {
          description: { description: "x", type: "string" },
          title: { type: "string" },
          examples: { type: "array" },
          $comment: true,
        },
      },
      { properties: { description: { type: "string" }, title: { type: "string" }, examples: { type: "array" }, $comment: true } },
    ],
    ["stay where they are required", { required: ["description", "title"] }, { required: ["description", "title"] }],
    [
      "stay inside values",
      { const: { description: "x" }, default: { title: "y" }, enum: [{ examples: [] }] },
      { const: { description: "x" }, default: { title: "y" }, enum: [{ examples: [] }] },
    ],
  ])("%s", (_, schema, want) => {
    expect(definition(schema)).toEqual(want);
  });

  test("stay where they are the names of definitions", () => {
    expect(normalise({ $defs: { title: { title: "x", type: "string" } } })["$defs"]).toEqual({ title: { type: "string" } });
  });
});

describe("keys", () => {
  test("stand in order of name, at every schema and in every map of schemas", () => {
    const text = (document: Json) => JSON.stringify(normalise(document));
    expect(
      text({
        $defs: { b: {}, a: { type: "object", properties: { z: { type: "string", minLength: 1 }, y: {} }, additionalProperties: false } },
      }),
    ).toBe(
      `{"$schema":"${DIALECT}","$defs":{"a":{"additionalProperties":false,"properties":{"y":{},"z":{"minLength":1,"type":"string"}},"type":"object"},"b":{}}}`,
    );
  });

  test("in another order give the same text", () => {
    const one = toNormalForm({ $defs: { A: { type: "object", properties: { a: {}, b: {} } }, B: {} } });
    const other = toNormalForm({ $defs: { B: {}, A: { properties: { b: {}, a: {} }, type: "object" } } });
    expect(other).toEqual(one);
  });

  test("of values keep the order upstream gave them", () => {
    expect(JSON.stringify(definition({ default: { b: 1, a: 2 } }))).toBe('{"default":{"b":1,"a":2}}');
  });

  test.each(["__proto__", "constructor", "toString"])("%s is a name like any other", (name) => {
    const schema = JSON.parse(`{"$defs": {"A": {"properties": {"${name}": {"type": "string"}}}}}`) as Json;
    const form = toNormalForm(schema);
    expect("text" in form && form.text).toContain(`"${name}": {\n          "type": "string"`);
  });
});

describe("values", () => {
  test.each<Json>([
    { const: "description" },
    { enum: ["b", "a", null, 1.5] },
    { type: ["string", "integer", "null"] },
    { required: ["b", "a"] },
    { default: { nested: [1, { a: true }] } },
    { format: "uri", pattern: "^a", minLength: 1, maxLength: 2 },
    { minimum: 0, maximum: 1.5, exclusiveMinimum: -1, exclusiveMaximum: 2, multipleOf: 0.5 },
    { minItems: 1, maxItems: 2, uniqueItems: true },
    { minProperties: 1, maxProperties: 2 },
    { deprecated: true, readOnly: true, writeOnly: false },
    { "x-method": "initialize", "x-side": "agent" },
    { additionalProperties: true },
    { additionalProperties: {} },
    Object.fromEntries(["not", "if", "then", "else", "contains", "propertyNames"].map((keyword) => [keyword, { pattern: "^a" }])),
    { allOf: [{}], oneOf: [{ const: 1 }], prefixItems: [{ type: "string" }] },
    true,
    false,
  ])("%j is kept as it is", (schema) => {
    expect(definition(schema)).toEqual(schema);
  });

  test.each<readonly [string, string]>([
    ["#/definitions/A", "#/$defs/A"],
    ["#/$defs/A", "#/$defs/A"],
    ["#/definitions/a~1b", "#/$defs/a~1b"],
    ["other.json#/definitions/A", "other.json#/definitions/A"],
  ])("the reference %s becomes %s", (given, want) => {
    expect(definition({ $ref: given })).toEqual({ $ref: want });
  });
});

test("what other authors' schemas say of a union, an encoding and further properties is kept", () => {
  const schema: Json = {
    oneOf: [{ type: "string", contentEncoding: "base64" }],
    discriminator: { propertyName: "type" },
    unevaluatedProperties: { description: "More.", type: "string" },
  };
  expect(definition(schema)).toEqual({ ...(schema as object), unevaluatedProperties: { type: "string" } });
});

describe("an unknown keyword is a fault with its pointer", () => {
  test.each<readonly [string, Json, readonly string[]]>([
    ["at a definition", { A: { tsType: "string" } }, ['/$defs/A/tsType: unknown keyword "tsType"']],
    ["at a property", { A: { properties: { b: { nullable: true } } } }, ['/$defs/A/properties/b/nullable: unknown keyword "nullable"']],
    ["at a member", { A: { anyOf: [{}, { nullable: true }] } }, ['/$defs/A/anyOf/1/nullable: unknown keyword "nullable"']],
    [
      "below names with slashes",
      { "a/b": { properties: { "c~d": { nullable: true } } } },
      ['/$defs/a~1b/properties/c~0d/nullable: unknown keyword "nullable"'],
    ],
    ["almost a vendor keyword", { A: { x_side: "agent" } }, ['/$defs/A/x_side: unknown keyword "x_side"']],
    ["a keyword of the wrong shape", { A: { anyOf: {} } }, ['/$defs/A/anyOf: unknown keyword "anyOf"']],
    ["a schema that is none", { A: { items: "string" } }, ["/$defs/A/items: expected a schema"]],
    [
      "all are listed",
      { A: { nullable: true, properties: { b: { kind: 1 } } } },
      ['/$defs/A/nullable: unknown keyword "nullable"', '/$defs/A/properties/b/kind: unknown keyword "kind"'],
    ],
  ])("%s", (_, $defs, want) => {
    expect(faults({ $defs })).toEqual(want);
  });

  test("at the root", () => {
    expect(faults({ $defs: {}, nullable: true })).toEqual(['/nullable: unknown keyword "nullable"']);
  });
});
