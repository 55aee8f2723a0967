// The forms the model speaks: what another author's schema writes in place, around a shared body or one constant at a time comes out as definitions
// and lists, and messages come from payloads that name their method. A schema that speaks these forms already is not touched.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plainDefinitions } from "../../generator/model/build.js";
import type { Definitions, Schema } from "../../generator/model/schema.js";
import { SCHEMAS } from "./schemas-copy.js";

const TEXT: Schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };

/** Gives the plain form of definitions that hang on a root of their own. */
function plain(definitions: Definitions): Definitions {
  return plainDefinitions(definitions, []);
}

function tagged(key: string, value: string, ...rest: readonly Schema[]): Schema {
  return {
    type: "object",
    properties: { [key]: { type: "string", const: value } },
    required: [key],
    ...(rest.length > 0 ? { allOf: rest } : {}),
  };
}

const NEITHER = { not: { anyOf: [tagged("kind", "text")] } };

test.each<readonly [string, Schema, Schema]>([
  ["a lone reference in allOf", { allOf: [{ $ref: "#/$defs/B" }], default: {} }, { $ref: "#/$defs/B" }],
  ["what tells a decoder what to do", { type: "string", "x-deserialize-default-on-error": true }, { type: "string" }],
  [
    "constants one by one",
    {
      oneOf: [
        { type: "string", const: "a" },
        { type: "string", const: "b" },
      ],
    },
    { type: "string", enum: ["a", "b"] },
  ],
  ["constants beside any value", { anyOf: [{ type: "string", const: "a" }, { type: "string" }] }, { type: "string" }],
  [
    "a list or null",
    { type: ["array", "null"], items: { type: "string" } },
    { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] },
  ],
  ["scalar types in a list stay", { type: ["string", "null"] }, { type: ["string", "null"] }],
  ["a union with any value", { anyOf: [{ type: "string" }, {}] }, {}],
  [
    "lists of one kind or another",
    {
      anyOf: [
        { type: "array", items: { type: "string" } },
        { type: "array", items: { type: "number" } },
      ],
    },
    { type: "array", items: { anyOf: [{ type: "string" }, { type: "number" }] }, uniform: true },
  ],
])("%s", (_, written, expected) => {
  expect(plain({ A: written, B: TEXT })["A"]).toEqual(expected);
});

test("members written in place become definitions, named after the union and what tells them; their bodies go", () => {
  const found = plain({ Block: { anyOf: [tagged("kind", "plain_text", { $ref: "#/$defs/Text" }), tagged("kind", "rule")] }, Text: TEXT });
  expect(Object.keys(found)).toEqual(["Block", "BlockPlainText", "BlockRule"]);
  expect(found["Block"]).toEqual({ anyOf: [{ $ref: "#/$defs/BlockPlainText" }, { $ref: "#/$defs/BlockRule" }] });
  expect(found["BlockPlainText"]).toEqual({
    type: "object",
    properties: { kind: { type: "string", const: "plain_text" }, text: { type: "string" } },
    required: ["kind", "text"],
  });
});

test("a member that takes any other tag makes the union open", () => {
  const other = { type: "object", properties: { kind: { type: "string" } }, required: ["kind"], additionalProperties: true, ...NEITHER };
  const found = plain({ Block: { anyOf: [tagged("kind", "text", { $ref: "#/$defs/Text" }), other] }, Text: TEXT });
  expect(found["Block"]).toEqual({ anyOf: [{ $ref: "#/$defs/BlockText" }], others: { $ref: "#/$defs/BlockOther" } });
  expect(found["BlockOther"]).toEqual({
    type: "object",
    properties: { kind: { type: "string" } },
    required: ["kind"],
    additionalProperties: {},
  });
});

test("what a union's members share is written into each, and a closed union among them is multiplied out", () => {
  const body = { type: "object", properties: { text: { type: "string" } }, anyOf: [{ $ref: "#/$defs/Here" }, { $ref: "#/$defs/There" }] };
  const place = (key: string): Schema => ({ type: "object", properties: { [key]: { type: "string" } }, required: [key] });
  const found = plain({
    Ask: {
      type: "object",
      properties: { note: { type: "string" } },
      required: ["note"],
      anyOf: [tagged("mode", "form", { $ref: "#/$defs/Form" })],
    },
    Form: body,
    Here: place("here"),
    There: place("there"),
  });
  expect(Object.keys(found)).toEqual(["Ask", "AskFormHere", "AskFormThere"]);
  expect(found["AskFormHere"]?.required).toEqual(["here", "mode", "note"]);
});

test("a payload that names its method gets a message, and its envelope is a union of messages", () => {
  const published: Definitions = {
    Calls: { type: "object", properties: { method: { type: "string" }, params: { anyOf: [{ $ref: "#/$defs/Draw" }, { type: "null" }] } } },
    Draw: { ...TEXT, "x-method": "canvas/draw_line" },
    Stop: { type: "object", "x-method": "$/stop" },
  };
  const found = plainDefinitions(published, [
    { union: "Calls", kind: "request", direction: "clientToServer" },
    { union: "Stop", kind: "notification", direction: "clientToServer" },
  ]);
  expect(found["Calls"]).toEqual({ anyOf: [{ $ref: "#/$defs/CanvasDrawLineMessage" }] });
  expect(found["CanvasDrawLineMessage"]).toEqual({
    type: "object",
    properties: { method: { type: "string", const: "canvas/draw_line" }, params: { $ref: "#/$defs/Draw" } },
    required: ["method", "params"],
  });
  expect(found["StopMessage"]?.required).toEqual(["method"]);
});

test("a schema that speaks the model's forms is not touched", () => {
  const folder = join(SCHEMAS, "mcp");
  const revisions = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(revisions.length).toBeGreaterThan(0);
  for (const { name } of revisions) {
    const { $defs } = JSON.parse(readFileSync(join(folder, name, "schema.json"), "utf8")) as { $defs: Definitions };
    expect(plain($defs)).toEqual($defs);
  }
});
