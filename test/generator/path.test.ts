// Paths as rows write them: what they parse to, how they are written, what they find, and how the members of a union are called.
import { describe, expect, test } from "vitest";
import { findNode, hasPath, memberName, memberNames, parsePath, propertyPath, type Path } from "../../generator/model/path.js";
import type { Definitions, Schema } from "../../generator/model/schema.js";

const STRING: Schema = { type: "string" };

describe("parsePath", () => {
  test.each<readonly [string, Path]>([
    ["Tool", { definition: "Tool", steps: [] }],
    ["_Tool2", { definition: "_Tool2", steps: [] }],
    ["Tool.name", { definition: "Tool", steps: [{ property: "name" }] }],
    ["Tool._meta.$schema", { definition: "Tool", steps: [{ property: "_meta" }, { property: "$schema" }] }],
    ["List.items[].name", { definition: "List", steps: [{ property: "items" }, "[]", { property: "name" }] }],
    ["Map.values.*", { definition: "Map", steps: [{ property: "values" }, ".*"] }],
    ["Map.*.name", { definition: "Map", steps: [".*", { property: "name" }] }],
    ['Meta["a.b/c"]', { definition: "Meta", steps: [{ property: "a.b/c" }] }],
    ['Meta["a.b/c"].d[]', { definition: "Meta", steps: [{ property: "a.b/c" }, { property: "d" }, "[]"] }],
    ['Meta["say \\"x\\""]', { definition: "Meta", steps: [{ property: 'say "x"' }] }],
    ['Meta["a|b"]', { definition: "Meta", steps: [{ property: "a|b" }] }],
    ["Block|Text", { definition: "Block", steps: [], member: "Text" }],
    ["Call.shapes[]|Text", { definition: "Call", steps: [{ property: "shapes" }, "[]"], member: "Text" }],
    ["Message|(A|B)[]", { definition: "Message", steps: [], member: "(A|B)[]" }],
    ["Answer.content.*|string[]", { definition: "Answer", steps: [{ property: "content" }, ".*"], member: "string[]" }],
  ])("%s", (text, path) => {
    expect(parsePath(text)).toEqual(path);
  });

  test.each([
    "",
    ".name",
    "2Tool",
    "Tool.",
    "Tool..name",
    "Tool.a-b",
    "Tool[0]",
    "Tool[name]",
    'Tool["name"',
    "Tool name",
    "Tool|",
    "|Text",
    "Tool.2",
  ])("%j is no path", (text) => {
    expect(parsePath(text)).toBeUndefined();
  });
});

describe("propertyPath", () => {
  test.each([
    { property: "name", path: "Tool.name" },
    { property: "_meta", path: "Tool._meta" },
    { property: "$schema", path: "Tool.$schema" },
    { property: "a/b", path: 'Tool["a/b"]' },
    { property: "a.b", path: 'Tool["a.b"]' },
    { property: "2", path: 'Tool["2"]' },
    { property: "", path: 'Tool[""]' },
    { property: 'say "x"', path: 'Tool["say \\"x\\""]' },
  ])("$property", ({ property, path }) => {
    expect(propertyPath("Tool", property)).toBe(path);
  });

  test.each(["name", "a/b", "a.b", "a|b", "[]", ".*", "", 'say "x"', "back\\slash", "__proto__", "constructor"])(
    "parsePath reads %j back",
    (property) => {
      expect(parsePath(propertyPath("Tool", property))).toEqual({ definition: "Tool", steps: [{ property }] });
    },
  );
});

const DEFINITIONS: Definitions = {
  Base: { type: "object", properties: { id: STRING }, required: ["id"] },
  Tool: { allOf: [{ $ref: "#/$defs/Base" }, { type: "object", properties: { name: STRING, meta: { $ref: "#/$defs/Meta" } } }] },
  Meta: { type: "object", properties: { "a/b": STRING }, additionalProperties: { type: "number" } },
  Open: { type: "object", additionalProperties: {} },
  List: { type: "object", properties: { tools: { type: "array", items: { $ref: "#/$defs/Tool" } } } },
  Block: { anyOf: [{ $ref: "#/$defs/Text" }, { type: "object", properties: { own: STRING } }, { type: ["string", "null"] }] },
  Text: { type: "object", properties: { text: STRING } },
  Alias: { $ref: "#/$defs/Block" },
  Lost: { $ref: "#/$defs/Nowhere" },
};

describe("findNode and hasPath", () => {
  test.each<readonly [string, Schema | undefined]>([
    ["Text", DEFINITIONS["Text"]],
    ["Text.text", STRING],
    ["Text.words", undefined],
    ["Nowhere", undefined],
    ["Nowhere.text", undefined],
    ["Tool.name", STRING],
    ["Tool.id", STRING],
    ["Tool.meta", { $ref: "#/$defs/Meta" }],
    ['Tool.meta["a/b"]', STRING],
    ["Tool.meta.*", { type: "number" }],
    ["Open.*", undefined],
    ["List.tools[]", { $ref: "#/$defs/Tool" }],
    ["List.tools[].name", STRING],
    ["List[]", undefined],
    ["Lost.text", undefined],
    ["Text.constructor", undefined],
    ["constructor", undefined],
    ['Text["__proto__"]', undefined],
  ])("%s", (text, node) => {
    const path = parsePath(text) as Path;
    expect(findNode(path, DEFINITIONS)).toEqual(node);
    expect(hasPath(path, DEFINITIONS)).toBe(node !== undefined);
  });

  test.each<readonly [string, boolean]>([
    ["Block|Text", true],
    ["Alias|Text", true],
    ["Block|{}", true],
    ["Block|null", true],
    ["Block|string", true],
    ["Block|number", false],
    ["Block|Tool", false],
    ["Tool.meta|Meta", true],
    ["Nowhere|Text", false],
  ])("%s", (text, has) => {
    expect(hasPath(parsePath(text) as Path, DEFINITIONS)).toBe(has);
  });
});

describe("member names", () => {
  test.each<readonly [string, Schema]>([
    ["Text", { $ref: "#/$defs/Text" }],
    ["Text[]", { type: "array", items: { $ref: "#/$defs/Text" } }],
    ["string[][]", { type: "array", items: { type: "array", items: STRING } }],
    ["(A|B)[]", { type: "array", items: { anyOf: [{ $ref: "#/$defs/B" }, { $ref: "#/$defs/A" }] } }],
    ["any[]", { type: "array" }],
    ["{}", { type: "object" }],
    ["{}", { properties: { own: STRING } }],
    ["string", STRING],
    ["string", { const: "x", type: "string" }],
    ["integer|string", { type: ["integer", "string"] }],
    ["any", {}],
  ])("%s", (name, node) => {
    expect(memberName(node)).toBe(name);
  });

  test.each<readonly [readonly string[], Schema]>([
    [["Text", "{}", "string", "null"], { $ref: "#/$defs/Block" }],
    [["Text", "{}", "string", "null"], DEFINITIONS["Block"] as Schema],
    [["Text"], { $ref: "#/$defs/Text" }],
    [["string"], STRING],
  ])("%j", (names, node) => {
    expect(memberNames(node, DEFINITIONS)).toEqual(names);
  });
});
