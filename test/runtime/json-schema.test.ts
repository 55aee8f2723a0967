// What becomes of tool schemas for peers that read less of JSON Schema: the kinds of root, references that follow a wrapped root, keywords mended.
// Inputs are frozen; a property named like a keyword is a name.
import { describe, expect, test } from "vitest";
import { repairKeywords, rootOf, wrapRoot } from "../../runtime/json-schema.js";
import type { Wire } from "../../runtime/protocol.js";

/** Parses text, frozen all the way down; own keys named __proto__ stay data. */
function schema(text: string): Wire {
  return JSON.parse(text, (_, value: unknown) => Object.freeze(value)) as Wire;
}

describe("rootOf", () => {
  test.each([
    ['{"type":"object"}', "object"],
    ['{"type":["object"]}', "object"],
    ['{"type":"array"}', "other"],
    ['{"type":"null"}', "other"],
    ['{"type":["string","null"]}', "other"],
    ['{"type":["object","null"]}', "open"],
    ['{"type":[]}', "open"],
    ['{"type":7}', "open"],
    ["{}", "open"],
    ['{"properties":{}}', "open"],
    ['{"anyOf":[{"type":"string"}]}', "open"],
    ['{"__proto__":{"type":"object"}}', "open"],
  ] as const)("%s is %s", (given, want) => {
    expect(rootOf(schema(given))).toBe(want);
  });
});

/** The schema of an object whose member `result` the given text describes. */
function wrapped(inner: string, before = ""): string {
  return `{${before}"type":"object","properties":{"result":${inner}},"required":["result"]}`;
}

describe("wrapRoot wraps a root that is no object", () => {
  test.each([
    ["a bare type", '{"type":"string"}', wrapped('{"type":"string"}')],
    ["a list of types without object", '{"type":["string","null"]}', wrapped('{"type":["string","null"]}')],
    [
      "a pointer to a definition follows, and the definition with it",
      '{"type":"array","items":{"$ref":"#/$defs/Item"},"$defs":{"Item":{"type":"array","items":{"$ref":"#/$defs/Item"}}}}',
      wrapped(
        '{"type":"array","items":{"$ref":"#/properties/result/$defs/Item"},"$defs":{"Item":{"type":"array","items":{"$ref":"#/properties/result/$defs/Item"}}}}',
      ),
    ],
    [
      "a pointer to definitions by their older name",
      '{"type":"array","items":{"$ref":"#/definitions/a~1b"},"definitions":{"a/b":{}}}',
      wrapped('{"type":"array","items":{"$ref":"#/properties/result/definitions/a~1b"},"definitions":{"a/b":{}}}'),
    ],
    ["the document itself", '{"type":"array","items":{"$ref":"#"}}', wrapped('{"type":"array","items":{"$ref":"#/properties/result"}}')],
    [
      "dynamic references",
      '{"type":"array","items":[{"$dynamicRef":"#"},{"$dynamicRef":"#/$defs/A"},{"$dynamicRef":"#node"}]}',
      wrapped(
        '{"type":"array","items":[{"$dynamicRef":"#/properties/result"},{"$dynamicRef":"#/properties/result/$defs/A"},{"$dynamicRef":"#node"}]}',
      ),
    ],
    [
      "an anchor and another document stay",
      '{"type":"array","prefixItems":[{"$ref":"#anchor"},{"$ref":"https://example.com/a#/b"},{"$ref":7}]}',
      wrapped('{"type":"array","prefixItems":[{"$ref":"#anchor"},{"$ref":"https://example.com/a#/b"},{"$ref":7}]}'),
    ],
    [
      "references in the arms of a choice",
      '{"type":"array","items":{"anyOf":[{"$ref":"#/$defs/A"},{"not":{"$ref":"#/$defs/B"}},true]}}',
      wrapped(
        '{"type":"array","items":{"anyOf":[{"$ref":"#/properties/result/$defs/A"},{"not":{"$ref":"#/properties/result/$defs/B"}},true]}}',
      ),
    ],
    [
      "what only looks like a reference, in data",
      '{"type":"array","const":{"$ref":"#/a"},"enum":[{"$ref":"#/a"}],"default":[{"$ref":"#"}],"examples":[{"$ref":"#/a"}]}',
      wrapped('{"type":"array","const":{"$ref":"#/a"},"enum":[{"$ref":"#/a"}],"default":[{"$ref":"#"}],"examples":[{"$ref":"#/a"}]}'),
    ],
    [
      "properties named like keywords are names",
      '{"type":"array","items":{"properties":{"$ref":{"$ref":"#/$defs/A"},"const":{"$ref":"#/$defs/A"},"default":{"$ref":"#"},"$id":{"type":"string"}}}}',
      wrapped(
        '{"type":"array","items":{"properties":{"$ref":{"$ref":"#/properties/result/$defs/A"},"const":{"$ref":"#/properties/result/$defs/A"},"default":{"$ref":"#/properties/result"},"$id":{"type":"string"}}}}',
      ),
    ],
    [
      "a definition named like a keyword is a name",
      '{"type":"string","$defs":{"enum":{"$ref":"#/$defs/x"}},"patternProperties":{"examples":{"$ref":"#"}},"dependentSchemas":{"const":{"$ref":"#"}}}',
      wrapped(
        '{"type":"string","$defs":{"enum":{"$ref":"#/properties/result/$defs/x"}},"patternProperties":{"examples":{"$ref":"#/properties/result"}},"dependentSchemas":{"const":{"$ref":"#/properties/result"}}}',
      ),
    ],
    [
      "a part with an identity keeps its references, its neighbours do not",
      '{"type":"array","$defs":{"A":{"$id":"https://example.com/a","items":{"$ref":"#/$defs/B"}},"B":{"$ref":"#"}}}',
      wrapped(
        '{"type":"array","$defs":{"A":{"$id":"https://example.com/a","items":{"$ref":"#/$defs/B"}},"B":{"$ref":"#/properties/result"}}}',
      ),
    ],
    [
      "an identity that is only an anchor moves nothing away",
      '{"type":"array","items":{"$id":"#item","items":{"$ref":"#/items"}}}',
      wrapped('{"type":"array","items":{"$id":"#item","items":{"$ref":"#/properties/result/items"}}}'),
    ],
    [
      "a root with an identity of its own keeps all of its references",
      '{"$id":"https://example.com/root","type":"array","items":{"$ref":"#"}}',
      wrapped('{"$id":"https://example.com/root","type":"array","items":{"$ref":"#"}}'),
    ],
    [
      "the dialect is said by the new root",
      '{"type":"array","$schema":"https://json-schema.org/draft/2020-12/schema"}',
      wrapped('{"type":"array"}', '"$schema":"https://json-schema.org/draft/2020-12/schema",'),
    ],
    [
      "own keys named __proto__ are data",
      '{"type":"array","__proto__":{"$ref":"#"},"$defs":{"__proto__":{"$ref":"#"}}}',
      wrapped('{"type":"array","__proto__":{"$ref":"#/properties/result"},"$defs":{"__proto__":{"$ref":"#/properties/result"}}}'),
    ],
  ])("%s", (_, given, want) => {
    const before = schema(given);
    expect(JSON.stringify(wrapRoot(before))).toBe(want);
    expect(JSON.stringify(before)).toBe(given);
  });
});

describe("wrapRoot", () => {
  test.each([
    "{}",
    '{"type":["object","string"]}',
    '{"oneOf":[{"type":"object"},{"type":"array"}]}',
    '{"$ref":"#/$defs/A","$defs":{"A":{"type":"string"}}}',
  ])("gives nothing for %s, where nobody could tell a wrapped result from one that is not", (given) => {
    expect(wrapRoot(schema(given))).toBeUndefined();
  });

  test.each([
    [
      "mends what describes an object",
      '{"type":"object","properties":{"a":true},"required":{}}',
      '{"type":"object","properties":{"a":{}}}',
    ],
    ["writes a list of the one type as the type", '{"title":"T","type":["object"]}', '{"title":"T","type":"object"}'],
    [
      "moves no reference where nothing is wrapped",
      '{"type":"object","not":{"$ref":"#/$defs/A"}}',
      '{"type":"object","not":{"$ref":"#/$defs/A"}}',
    ],
  ])("%s", (_, given, want) => {
    expect(JSON.stringify(wrapRoot(schema(given)))).toBe(want);
  });

  test("gives the same object back where nothing is to be done", () => {
    const whole = schema('{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}');
    expect(wrapRoot(whole)).toBe(whole);
  });
});

describe("repairKeywords", () => {
  test.each([
    ["true is any value", '{"properties":{"a":true}}', '{"properties":{"a":{}}}'],
    ["false is no value", '{"properties":{"a":false}}', '{"properties":{"a":{"not":{}}}}'],
    [
      "the order of the properties stays",
      '{"properties":{"a":true,"b":{"x":1},"c":false}}',
      '{"properties":{"a":{},"b":{"x":1},"c":{"not":{}}}}',
    ],
    ["a property whose schema is none goes", '{"properties":{"a":null,"b":"string","c":[],"d":{}}}', '{"properties":{"d":{}}}'],
    ["properties that are no map go", '{"type":"object","properties":[]}', '{"type":"object"}'],
    ["properties that are null go", '{"type":"object","properties":null}', '{"type":"object"}'],
    ["required that is no list goes", '{"type":"object","required":true}', '{"type":"object"}'],
    ["required that lists what is no name goes", '{"type":"object","required":["a",1]}', '{"type":"object"}'],
    ["$schema that is no address goes", '{"$schema":{"a":1},"type":"object"}', '{"type":"object"}'],
    [
      "names are no keywords",
      '{"properties":{"properties":true,"required":{},"$schema":{}}}',
      '{"properties":{"properties":{},"required":{},"$schema":{}}}',
    ],
    [
      "own keys named __proto__ are data",
      '{"__proto__":{"properties":7},"properties":{"__proto__":false}}',
      '{"__proto__":{"properties":7},"properties":{"__proto__":{"not":{}}}}',
    ],
  ])("%s", (_, given, want) => {
    const before = schema(given);
    expect(JSON.stringify(repairKeywords(before))).toBe(want);
    expect(JSON.stringify(before)).toBe(given);
  });

  test.each([
    "{}",
    '{"type":"object","properties":{},"required":[]}',
    '{"properties":{"a":{"properties":{"deep":true}}}}',
    '{"additionalProperties":false,"items":true}',
    '{"__proto__":{"required":7}}',
  ])("gives %s back as the same object", (given) => {
    const whole = schema(given);
    expect(repairKeywords(whole)).toBe(whole);
  });
});
