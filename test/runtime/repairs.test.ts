// What the named repairs of lifting make of a value: given and wanted JSON text, with inputs frozen. What needs no repair comes back as it is.
import { describe, expect, test } from "vitest";
import { TOLERANCES } from "../../generated/mcp/tolerances.js";
import { REPAIRS } from "../../runtime/repairs.js";

/** Parses text, frozen all the way down; own keys named __proto__ stay data. */
function parsed(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => Object.freeze(value));
}

function repair(name: string, value: unknown): unknown {
  const run = REPAIRS.get(name);
  if (run === undefined) throw new Error(`no repair is called ${name}`);
  return run(value);
}

test("the repairs are those that tolerances ask for by name", () => {
  const names = [...REPAIRS.keys()];
  expect(TOLERANCES.map((entry) => entry.repair as string).filter((name) => names.includes(name))).toEqual(names);
  expect(["toString", "constructor", "__proto__"].filter((name) => REPAIRS.has(name))).toEqual([]);
});

describe("object-schema makes a schema say that it describes objects", () => {
  test("where there is none", () => {
    expect([undefined, null].map((value) => repair("object-schema", value))).toEqual([{ type: "object" }, { type: "object" }]);
  });

  test.each([
    ["an empty schema", "{}", '{"type":"object"}'],
    [
      "one with words only",
      '{"title":"T","description":"D","$schema":"s","default":{}}',
      '{"title":"T","description":"D","$schema":"s","default":{},"type":"object"}',
    ],
    ["properties alone", '{"properties":{"a":{}}}', '{"properties":{"a":{}},"type":"object"}'],
    ["required alone", '{"required":["a"]}', '{"required":["a"],"type":"object"}'],
    ["no further properties", '{"additionalProperties":false}', '{"additionalProperties":false,"type":"object"}'],
    [
      "a choice of objects",
      '{"anyOf":[{"type":"object"},{"properties":{}}]}',
      '{"anyOf":[{"type":"object"},{"properties":{}}],"type":"object"}',
    ],
    [
      "one of several objects, one in the next",
      '{"oneOf":[{"type":"object"},{"anyOf":[{"required":["a"]}]}]}',
      '{"oneOf":[{"type":"object"},{"anyOf":[{"required":["a"]}]}],"type":"object"}',
    ],
    [
      "several at once, one an object",
      '{"allOf":[{"description":"D"},{"type":"object"}]}',
      '{"allOf":[{"description":"D"},{"type":"object"}],"type":"object"}',
    ],
    [
      "a definition of an object",
      '{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"object"}}}',
      '{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"object"}},"type":"object"}',
    ],
    [
      "a definition of a definition",
      '{"anyOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"properties":{}}}}',
      '{"anyOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"properties":{}}},"type":"object"}',
    ],
    ["a list of the one type", '{"type":["object"],"properties":{}}', '{"type":"object","properties":{}}'],
    [
      "empty lists where maps belong",
      '{"type":"object","properties":[],"$defs":[],"definitions":[],"patternProperties":[]}',
      '{"type":"object","properties":{},"$defs":{},"definitions":{},"patternProperties":{}}',
    ],
    ["an empty map where a list belongs", '{"type":"object","required":{}}', '{"type":"object","required":[]}'],
    ["all of it", '{"properties":[],"required":{}}', '{"properties":{},"required":[],"type":"object"}'],
    [
      "own keys named __proto__ are data",
      '{"__proto__":{"type":"string"},"properties":[]}',
      '{"__proto__":{"type":"string"},"properties":{},"type":"object"}',
    ],
  ])("from %s", (_, given, want) => {
    const value = parsed(given);
    expect(JSON.stringify(repair("object-schema", value))).toBe(want);
    expect(JSON.stringify(value)).toBe(given);
  });

  test.each([
    ["an object that says so", '{"type":"object","properties":{"properties":[],"required":{}}}'],
    ["another type", '{"type":"string"}'],
    ["a list of types", '{"type":["object","null"]}'],
    ["a choice with a string in it", '{"anyOf":[{"type":"object"},{"type":"string"}]}'],
    ["a choice with anything in it", '{"anyOf":[{"type":"object"},{}]}'],
    ["a choice with true in it", '{"oneOf":[{"type":"object"},true]}'],
    ["a choice of nothing", '{"anyOf":[]}'],
    ["several at once, none an object", '{"allOf":[{"minLength":1}]}'],
    ["what describes lists", '{"items":{"type":"object"}}'],
    ["what describes constants", '{"enum":["a"]}'],
    ["a reference to nothing", '{"$ref":"#/$defs/A"}'],
    ["a reference to elsewhere", '{"$ref":"https://example.com/a","$defs":{"a":{"type":"object"}}}'],
    ["a reference to an inherited name", '{"$ref":"#/$defs/constructor","$defs":{}}'],
    ["references that lead in a circle", '{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/B"},"B":{"$ref":"#/$defs/A"}}}'],
    ["a choice of itself", '{"anyOf":[{"$ref":"#/$defs/A"}],"$defs":{"A":{"anyOf":[{"$ref":"#/$defs/A"}]}}}'],
    ["lists and maps with something in them", '{"type":"object","properties":["a"],"required":{"a":true}}'],
    ["a string", '"object"'],
    ["a list", "[]"],
    ["true", "true"],
  ])("but not from %s, which stays the same value", (_, given) => {
    const value = parsed(given);
    expect(repair("object-schema", value)).toBe(value);
  });
});

describe("text-of-resource reads a resource that says no uri as its text", () => {
  test.each([
    ["the text alone", '{"type":"resource","resource":{"uri":null,"text":"log","mimeType":"text/plain"}}', '{"type":"text","text":"log"}'],
    ["an empty text", '{"type":"resource","resource":{"uri":null,"text":""}}', '{"type":"text","text":""}'],
    [
      "with what the block has beside it",
      '{"annotations":{"priority":1},"type":"resource","resource":{"uri":null,"text":"log"},"_meta":{"a":1},"__proto__":{"b":1}}',
      '{"type":"text","text":"log","annotations":{"priority":1},"_meta":{"a":1},"__proto__":{"b":1}}',
    ],
  ])("%s", (_, given, want) => {
    const value = parsed(given);
    expect(JSON.stringify(repair("text-of-resource", value))).toBe(want);
    expect(JSON.stringify(value)).toBe(given);
  });

  test.each([
    '{"type":"resource","resource":{"uri":"file:///log","text":"log"}}',
    '{"type":"resource","resource":{"uri":"","text":"log"}}',
    '{"type":"resource","resource":{"text":"log"}}',
    '{"type":"resource","resource":{"uri":null,"blob":"AA=="}}',
    '{"type":"resource","resource":{"uri":null,"text":null}}',
    '{"type":"resource","resource":{"__proto__":{"uri":null,"text":"log"}}}',
    '{"type":"resource","resource":null}',
    '{"type":"resource"}',
    "null",
    "[]",
    '"log"',
  ])("but leaves %s the same value", (given) => {
    const value = parsed(given);
    expect(repair("text-of-resource", value)).toBe(value);
  });
});
