// What each fallback makes of a value: given and wanted JSON text, with inputs frozen. Texts are compared because an own key named __proto__
// escapes toEqual.

import { describe, expect, test } from "vitest";
import { FALLBACKS, ICON_LIMIT, type Fallback } from "../../runtime/fallbacks.js";
import type { Wire } from "../../runtime/protocol.js";

/** Gives a registered fallback of the kind its test is about. */
function named<K extends Fallback["kind"]>(name: string, kind: K): Extract<Fallback, { kind: K }> {
  const fallback = FALLBACKS.get(name);
  if (fallback?.kind !== kind) throw new Error(`${name} is no ${kind} fallback`);
  return fallback as Extract<Fallback, { kind: K }>;
}

/** Freezes a value all the way down, so that a fallback that writes to its input throws. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** Parses text, the only way to get an own key named __proto__. */
function parsed(text: string): unknown {
  return frozen(JSON.parse(text));
}

/** What a field fallback is given: the holder as its other fields left it, and the field. */
type FieldRow = readonly [title: string, holder: string, value: string, want: string];

/** Holds a field fallback against its rows: what its edits make of the holder; `key` is where the value stood. */
function fieldRows(name: string, key: string, rows: readonly FieldRow[]): void {
  test.each(rows)("%s", (_, given, text, want) => {
    const holder = parsed(given) as Wire;
    const value = parsed(text);
    const edits = named(name, "field").edits(holder, key, value);
    expect(JSON.stringify({ ...holder, ...edits })).toBe(want);
    expect(Object.getPrototypeOf(edits)).toBe(Object.prototype);
    expect([JSON.stringify(holder), JSON.stringify(value)]).toEqual([given, text]);
  });
}

type ValueRow = readonly [title: string, given: string, want: string | undefined];

/** Holds a value or member fallback against its rows; undefined is wanted where nothing can stand in. */
function valueRows(name: string, kind: "value" | "member", rows: readonly ValueRow[]): void {
  test.each(rows)("%s", (_, given, want) => {
    const value = parsed(given);
    const got = kind === "value" ? named(name, "value").apply(value) : named(name, "member").apply(value, ["content", 0]);
    expect(JSON.stringify(got)).toBe(want);
    expect(JSON.stringify(value)).toBe(given);
  });
}

const NO_BLOCKS: readonly ValueRow[] = ["null", '"audio"', "7", "[]"].map((given) => [`${given} has no form`, given, undefined]);

describe("the registry", () => {
  test("says of each fallback what it costs and what it keeps", () => {
    const facts = [...FALLBACKS.values()].map((fallback) => [
      fallback.name,
      fallback.kind,
      fallback.loss,
      ...(["keepsContent", "keepsOriginal", "keepsField", "mayKeep"] as const).filter(
        (fact) => fact in fallback && (fallback as Partial<Record<typeof fact, boolean>>)[fact] === true,
      ),
    ]);
    expect(facts).toEqual([
      ["text-block", "field", "advisory", "keepsContent"],
      ["wrap-result", "field", "advisory", "keepsContent", "keepsField"],
      ["wrap-schema", "value", "advisory", "keepsContent", "mayKeep"],
      ["repair-schema", "value", "none", "keepsContent"],
      ["embedded-resource", "member", "none", "keepsContent"],
      ["audio-text", "member", "content"],
      ["resource-text", "member", "advisory", "keepsContent", "keepsOriginal"],
      ["unknown-text", "member", "advisory", "keepsContent", "keepsOriginal"],
      ["enum-names", "member", "none", "keepsContent"],
      ["split-message", "split", "none", "keepsContent"],
      ["join-text", "member", "advisory", "keepsContent"],
      ["context-none", "value", "advisory", "keepsContent"],
      ["annotations-title", "field", "none", "keepsContent", "keepsField"],
      ["title-as-name", "field", "advisory", "keepsContent"],
      ["light-icons", "value", "advisory", "keepsContent", "mayKeep"],
      ["default-note", "field", "advisory", "keepsContent"],
      ["truncate", "field", "advisory", "keepsContent"],
      ["map-to-pairs", "member", "none", "keepsContent"],
      ["pairs-to-map", "member", "none", "keepsContent"],
      ["rewrite", "rewrite", "none", "keepsContent"],
    ]);
  });

  test("says what wrap-result costs one value: nothing where it is an object, which stays", () => {
    const costs = [{}, { a: null }, [], "warm", null, 0].map((value) => named("wrap-result", "field").lossOf?.(value));
    expect(costs).toEqual(["none", "none", "advisory", "advisory", "advisory", "advisory"]);
    expect([...FALLBACKS.values()].filter((fallback) => "lossOf" in fallback).map(({ name }) => name)).toEqual(["wrap-result"]);
  });

  test("finds each by its own name, with a sentence about it", () => {
    for (const [key, { name, summary }] of FALLBACKS) {
      expect(key).toBe(name);
      expect(summary).toMatch(/^[A-Z].+\.$/s);
    }
  });

  test("knows no inherited names", () => {
    expect(["toString", "constructor", "__proto__"].filter((name) => FALLBACKS.has(name))).toEqual([]);
  });
});

describe("text-block", () => {
  fieldRows("text-block", "structuredContent", [
    [
      "appends the value as text where there is none",
      '{"content":[{"type":"image","data":"AA=="}]}',
      '{"a":1}',
      '{"content":[{"type":"image","data":"AA=="},{"type":"text","text":"{\\"a\\":1}"}]}',
    ],
    ["fills an empty content", '{"content":[]}', "[1,2]", '{"content":[{"type":"text","text":"[1,2]"}]}'],
    [
      "appends it where the text says something else",
      '{"content":[{"type":"text","text":"one"}]}',
      '{"a":1}',
      '{"content":[{"type":"text","text":"one"},{"type":"text","text":"{\\"a\\":1}"}]}',
    ],
    [
      "leaves a text that says the same",
      '{"content":[{"type":"text","text":"one"},{"type":"text","text":"{\\"a\\":1}"}]}',
      '{"a":1}',
      '{"content":[{"type":"text","text":"one"},{"type":"text","text":"{\\"a\\":1}"}]}',
    ],
    [
      "leaves a text that says the same with white space",
      '{"content":[{"type":"text","text":"{\\n  \\"a\\": [1, 2]\\n}"}]}',
      '{"a":[1,2]}',
      '{"content":[{"type":"text","text":"{\\n  \\"a\\": [1, 2]\\n}"}]}',
    ],
    ["gives a holder without content one", '{"isError":false}', "null", '{"isError":false,"content":[{"type":"text","text":"null"}]}'],
    ["replaces a content that is no array", '{"content":"one"}', "false", '{"content":[{"type":"text","text":"false"}]}'],
    [
      "passes over blocks that are no texts",
      '{"content":[null,"0",[],{"type":"text"},{"type":"image","text":"0"}]}',
      "0",
      '{"content":[null,"0",[],{"type":"text"},{"type":"image","text":"0"},{"type":"text","text":"0"}]}',
    ],
    [
      "keeps other keys as they are, __proto__ too",
      '{"__proto__":{"x":1},"_meta":{"k":1},"content":[],"isError":true}',
      '{"__proto__":1}',
      '{"__proto__":{"x":1},"_meta":{"k":1},"content":[{"type":"text","text":"{\\"__proto__\\":1}"}],"isError":true}',
    ],
  ]);

  test("edits nothing where no block is needed", () => {
    const holder = parsed('{"content":[{"type":"text","text":"1"}]}') as Wire;
    expect(named("text-block", "field").edits(holder, "structuredContent", 1)).toEqual({});
  });
});

describe("wrap-result", () => {
  fieldRows("wrap-result", "structuredContent", [
    [
      "wraps a list in its place, with a text block of the list itself",
      '{"structuredContent":[1,2],"content":[]}',
      "[1,2]",
      '{"structuredContent":{"result":[1,2]},"content":[{"type":"text","text":"[1,2]"}]}',
    ],
    [
      "wraps a string, with a text block of its JSON",
      '{"content":[],"structuredContent":"warm"}',
      '"warm"',
      '{"content":[{"type":"text","text":"\\"warm\\""}],"structuredContent":{"result":"warm"}}',
    ],
    [
      "wraps null",
      '{"content":[],"structuredContent":null}',
      "null",
      '{"content":[{"type":"text","text":"null"}],"structuredContent":{"result":null}}',
    ],
    [
      "leaves the text that is there, whatever it says",
      '{"content":[{"type":"text","text":"two"}],"isError":false,"structuredContent":2}',
      "2",
      '{"content":[{"type":"text","text":"two"}],"isError":false,"structuredContent":{"result":2}}',
    ],
    [
      "gives a holder without content one",
      '{"structuredContent":true}',
      "true",
      '{"structuredContent":{"result":true},"content":[{"type":"text","text":"true"}]}',
    ],
    [
      "keeps an object as it is, with a text block of it",
      '{"content":[],"structuredContent":{"__proto__":1}}',
      '{"__proto__":1}',
      '{"content":[{"type":"text","text":"{\\"__proto__\\":1}"}],"structuredContent":{"__proto__":1}}',
    ],
    [
      "keeps other keys, __proto__ too",
      '{"__proto__":{"x":1},"content":[{"type":"text","text":"a"}],"structuredContent":[]}',
      "[]",
      '{"__proto__":{"x":1},"content":[{"type":"text","text":"a"}],"structuredContent":{"result":[]}}',
    ],
  ]);

  test("edits nothing where an object has a text beside it", () => {
    const holder = parsed('{"content":[{"type":"text","text":"warm"}],"structuredContent":{"a":1}}') as Wire;
    expect(named("wrap-result", "field").edits(holder, "structuredContent", holder["structuredContent"])).toEqual({});
  });
});

describe("wrap-schema", () => {
  valueRows("wrap-schema", "value", [
    [
      "wraps a root that is no object",
      '{"type":"array","items":{"$ref":"#"}}',
      '{"type":"object","properties":{"result":{"type":"array","items":{"$ref":"#/properties/result"}}},"required":["result"]}',
    ],
    ["gives nothing for a root that may be an object or not", '{"anyOf":[{"type":"object"},{"type":"string"}]}', undefined],
    ["gives nothing for a root that says no type", "{}", undefined],
    ["mends the keywords of an object", '{"type":"object","properties":{"a":true}}', '{"type":"object","properties":{"a":{}}}'],
    ["gives nothing for a boolean", "true", undefined],
    ["gives nothing for null", "null", undefined],
    ["gives nothing for a list", "[]", undefined],
  ]);
});

describe("repair-schema", () => {
  valueRows("repair-schema", "value", [
    [
      "writes boolean subschemas as objects",
      '{"type":"object","properties":{"a":true,"b":false,"c":{"type":"string"}}}',
      '{"type":"object","properties":{"a":{},"b":{"not":{}},"c":{"type":"string"}}}',
    ],
    ["leaves out keywords that hold what they cannot", '{"type":"object","required":"a","$schema":1,"properties":[]}', '{"type":"object"}'],
    ["keeps a property named __proto__ as data", '{"properties":{"__proto__":true}}', '{"properties":{"__proto__":{}}}'],
    ["gives back what is no object", "true", "true"],
  ]);

  test("gives back the same object where nothing is to be mended", () => {
    const schema = parsed('{"type":"object","properties":{"a":{}},"required":["a"],"$schema":"x"}');
    expect(named("repair-schema", "value").apply(schema)).toBe(schema);
  });
});

describe("embedded-resource", () => {
  test.each([
    [
      "carries the bytes as a blob",
      ["content", 2],
      '{"type":"audio","data":"UklG","mimeType":"audio/wav"}',
      '{"type":"resource","resource":{"uri":"polyrev:audio/2","mimeType":"audio/wav","blob":"UklG"}}',
    ],
    [
      "joins all indices of the path",
      ["messages", 1, "content", 0],
      '{"type":"audio","data":"","mimeType":"audio/ogg"}',
      '{"type":"resource","resource":{"uri":"polyrev:audio/1-0","mimeType":"audio/ogg","blob":""}}',
    ],
    [
      "numbers a block outside any list 0",
      ["content"],
      '{"type":"audio","data":"A","mimeType":"a/b"}',
      '{"type":"resource","resource":{"uri":"polyrev:audio/0","mimeType":"a/b","blob":"A"}}',
    ],
    [
      "keeps annotations, _meta, unknown keys and __proto__",
      [0],
      '{"type":"audio","__proto__":{"a":1},"data":"A","mimeType":"a/b","annotations":{"priority":1},"_meta":{"k":1},"x":null}',
      '{"type":"resource","__proto__":{"a":1},"annotations":{"priority":1},"_meta":{"k":1},"x":null,"resource":{"uri":"polyrev:audio/0","mimeType":"a/b","blob":"A"}}',
    ],
    [
      "lets no stray key stand in for the resource",
      [0],
      '{"type":"audio","resource":"mine","data":"A","mimeType":"a/b"}',
      '{"type":"resource","resource":{"uri":"polyrev:audio/0","mimeType":"a/b","blob":"A"}}',
    ],
    ["leaves absent what is absent", [0], '{"type":"audio"}', '{"type":"resource","resource":{"uri":"polyrev:audio/0"}}'],
  ] as const)("%s", (_, path, given, want) => {
    const block = parsed(given);
    expect(JSON.stringify(named("embedded-resource", "member").apply(block, path))).toBe(want);
    expect(JSON.stringify(block)).toBe(given);
  });

  valueRows("embedded-resource", "member", NO_BLOCKS);

  test("adds no undefined keys", () => {
    expect(named("embedded-resource", "member").apply(parsed('{"type":"audio"}'), [0])).toStrictEqual({
      type: "resource",
      resource: { uri: "polyrev:audio/0" },
    });
  });
});

describe("audio-text", () => {
  valueRows("audio-text", "member", [
    [
      "says type and size",
      '{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}',
      '{"type":"text","text":"[audio] audio/wav, 4 bytes"}',
    ],
    ["counts bytes without padding", '{"type":"audio","data":"UklG","mimeType":"a/b"}', '{"type":"text","text":"[audio] a/b, 3 bytes"}'],
    ["says that there is no data", '{"type":"audio","data":"","mimeType":"a/b"}', '{"type":"text","text":"[audio] a/b, no data"}'],
    ["says what there is of a malformed block", '{"type":"audio","data":7}', '{"type":"text","text":"[audio] no data"}'],
    [
      "keeps annotations and nothing else",
      '{"type":"audio","data":"UklG","mimeType":"a/b","_meta":{"k":1},"__proto__":{"mimeType":"no"},"annotations":{"priority":1}}',
      '{"type":"text","text":"[audio] a/b, 3 bytes","annotations":{"priority":1}}',
    ],
    ...NO_BLOCKS,
  ]);
});

describe("resource-text", () => {
  valueRows("resource-text", "member", [
    [
      "names the resource",
      '{"type":"resource_link","name":"log","uri":"file:///log"}',
      '{"type":"text","text":"[resource] log file:///log"}',
    ],
    [
      "prefers the title and adds the description",
      '{"type":"resource_link","name":"log","title":"The log","uri":"file:///log","description":"All of it."}',
      '{"type":"text","text":"[resource] The log file:///log\\nAll of it."}',
    ],
    [
      "keeps annotations and nothing else",
      '{"type":"resource_link","name":"log","uri":"u:1","mimeType":"text/plain","size":3,"_meta":{},"__proto__":{"title":"no"},"annotations":{"audience":["user"]}}',
      '{"type":"text","text":"[resource] log u:1","annotations":{"audience":["user"]}}',
    ],
    [
      "takes an empty title for none",
      '{"type":"resource_link","name":"log","title":"","description":"","uri":"u:1"}',
      '{"type":"text","text":"[resource] log u:1"}',
    ],
    [
      "writes what there is of a malformed link",
      '{"type":"resource_link","name":7,"uri":"u:1"}',
      '{"type":"text","text":"[resource] u:1"}',
    ],
    ...NO_BLOCKS,
  ]);
});

describe("unknown-text", () => {
  valueRows("unknown-text", "member", [
    ["takes the block's own text", '{"type":"hologram","text":"a ship","depth":3}', '{"type":"text","text":"a ship"}'],
    ["takes an empty text for a text", '{"type":"hologram","text":""}', '{"type":"text","text":""}'],
    [
      "writes the JSON of a block without text",
      '{"type":"hologram","text":7,"__proto__":{"text":"no"}}',
      '{"type":"text","text":"{\\"type\\":\\"hologram\\",\\"text\\":7,\\"__proto__\\":{\\"text\\":\\"no\\"}}"}',
    ],
    ...NO_BLOCKS,
  ]);
});

describe("enum-names", () => {
  valueRows("enum-names", "member", [
    [
      "takes constants and titles apart, and keeps the rest",
      '{"type":"string","title":"Size","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}],"default":"s"}',
      '{"type":"string","title":"Size","default":"s","enum":["s","l"],"enumNames":["Small","Large"]}',
    ],
    [
      "names a choice without a title by itself",
      '{"type":"string","oneOf":[{"const":"s"},{"const":"l","title":7},{"const":"m","title":""}]}',
      '{"type":"string","enum":["s","l","m"],"enumNames":["s","l",""]}',
    ],
    ["takes no choices for none", '{"type":"string","oneOf":[]}', '{"type":"string","enum":[],"enumNames":[]}'],
    [
      "lets no stray enum stand in for the choices",
      '{"__proto__":{"x":1},"enum":["z"],"enumNames":["Z"],"oneOf":[{"const":"__proto__","title":"P"}]}',
      '{"__proto__":{"x":1},"enum":["__proto__"],"enumNames":["P"]}',
    ],
    ["has no form for a constant that is no string", '{"type":"string","oneOf":[{"const":"s"},{"const":2}]}', undefined],
    ["has no form for a choice that is no object", '{"type":"string","oneOf":["s"]}', undefined],
    ["has no form for what holds no choices", '{"type":"string","oneOf":{"const":"s"}}', undefined],
    ...NO_BLOCKS,
  ]);
});

describe("split-message", () => {
  const split = named("split-message", "split");

  test("gives the blocks, one a message", () => {
    const blocks = parsed('[{"type":"text","text":"a"},{"type":"image"},7]') as readonly unknown[];
    expect(split.apply(blocks)).toEqual(blocks);
  });

  test("gives an empty text where there is no block", () => {
    expect(split.apply([])).toEqual([{ type: "text", text: "" }]);
  });
});

describe("join-text", () => {
  valueRows("join-text", "member", [
    ["takes a single block out of its list", '[{"type":"image","data":"A"}]', '{"type":"image","data":"A"}'],
    [
      "joins texts with blank lines",
      '[{"type":"text","text":"a"},{"type":"text","text":""},{"type":"text","text":"b"}]',
      '{"type":"text","text":"a\\n\\n\\n\\nb"}',
    ],
    ["gives an empty text for no block", "[]", '{"type":"text","text":""}'],
    ["has no form for texts and others", '[{"type":"text","text":"a"},{"type":"image","data":"A"}]', undefined],
    ["has no form for a text that is none", '[{"type":"text","text":"a"},{"type":"text"}]', undefined],
    ["has no form for what only inherits a text", '[{"type":"text","text":"a"},{"type":"text","__proto__":{"text":"b"}}]', undefined],
    ["has no form for what is no list", '{"type":"text","text":"a"}', undefined],
    ["has no form for null", "null", undefined],
  ]);
});

describe("context-none", () => {
  valueRows("context-none", "value", [
    ["asks for nothing instead of one server", '"thisServer"', '"none"'],
    ["asks for nothing instead of all", '"allServers"', '"none"'],
  ]);
});

describe("annotations-title", () => {
  fieldRows("annotations-title", "title", [
    [
      "gives a tool without annotations some",
      '{"name":"w","title":"Weather"}',
      '"Weather"',
      '{"name":"w","title":"Weather","annotations":{"title":"Weather"}}',
    ],
    [
      "adds the title to the annotations",
      '{"annotations":{"readOnlyHint":true,"__proto__":{"title":"no"}},"title":"Weather"}',
      '"Weather"',
      '{"annotations":{"readOnlyHint":true,"__proto__":{"title":"no"},"title":"Weather"},"title":"Weather"}',
    ],
    [
      "leaves the title that the annotations have",
      '{"title":"Weather","annotations":{"title":"Old"}}',
      '"Weather"',
      '{"title":"Weather","annotations":{"title":"Old"}}',
    ],
    ["leaves annotations that are none", '{"title":"Weather","annotations":7}', '"Weather"', '{"title":"Weather","annotations":7}'],
  ]);

  test("edits nothing where there is nothing to add", () => {
    const holder = parsed('{"title":"Weather","annotations":{"title":"Old"}}') as Wire;
    expect(named("annotations-title", "field").edits(holder, "title", "Weather")).toEqual({});
  });
});

describe("title-as-name", () => {
  fieldRows("title-as-name", "title", [
    ["puts the title in the name's place", '{"uri":"u:1","name":"log","size":3}', '"The log"', '{"uri":"u:1","name":"The log","size":3}'],
    ["gives a name to what has none", '{"uri":"u:1"}', '"The log"', '{"uri":"u:1","name":"The log"}'],
    ["keeps the name where the title is empty", '{"name":"log"}', '""', '{"name":"log"}'],
    ["keeps the name where the title is no text", '{"name":"log"}', "5", '{"name":"log"}'],
    ["keeps other keys, __proto__ too", '{"__proto__":{"name":"no"},"name":"log"}', '"Log"', '{"__proto__":{"name":"no"},"name":"Log"}'],
  ]);
});

describe("light-icons", () => {
  const uri = (length: number) => `data:image/png;base64,${"A".repeat(length - "data:image/png;base64,".length)}`;
  const icons = (...sources: readonly string[]) => JSON.stringify(sources.map((src) => ({ src })));
  const light = "https://example.com/icon.png";

  valueRows("light-icons", "value", [
    ["leaves out what carries more than the limit", icons(light, uri(ICON_LIMIT + 1), uri(60)), icons(light, uri(60))],
    ["keeps what carries just the limit", icons(uri(ICON_LIMIT)), icons(uri(ICON_LIMIT))],
    ["keeps a long address that carries nothing", icons(light + "?".repeat(ICON_LIMIT)), icons(light + "?".repeat(ICON_LIMIT))],
    ["leaves the field out where no icon is left", icons(uri(ICON_LIMIT + 1)), undefined],
    ["keeps an empty list", "[]", "[]"],
    ["keeps icons that are malformed", '[null,7,{"src":7},{}]', '[null,7,{"src":7},{}]'],
    ["gives back what is no list", '{"src":"a"}', '{"src":"a"}'],
  ]);

  test("gives the same list where every icon stays", () => {
    const list = parsed(icons(light, uri(60)));
    expect(named("light-icons", "value").apply(list)).toBe(list);
  });
});

describe("default-note", () => {
  fieldRows("default-note", "default", [
    ["tells the default in a description of its own", '{"type":"string"}', '"me"', '{"type":"string","description":"(default: me)"}'],
    [
      "adds it to the description that is there",
      '{"type":"string","description":"Who asks."}',
      '"me"',
      '{"type":"string","description":"Who asks. (default: me)"}',
    ],
    ["takes an empty description for none", '{"description":""}', "5", '{"description":"(default: 5)"}'],
    ["writes what is no string as JSON", "{}", '["a","b"]', '{"description":"(default: [\\"a\\",\\"b\\"])"}'],
    ["tells an empty default", "{}", '""', '{"description":"(default: )"}'],
    [
      "keeps other keys, __proto__ too",
      '{"__proto__":{"description":"no"}}',
      "1",
      '{"__proto__":{"description":"no"},"description":"(default: 1)"}',
    ],
  ]);
});

describe("truncate", () => {
  const values = (count: number) => JSON.stringify(Array.from({ length: count }, (_, index) => `v${index}`));

  fieldRows("truncate", "values", [
    [
      "keeps the first hundred and says that there are more",
      '{"total":101}',
      values(101),
      `{"total":101,"values":${values(100)},"hasMore":true}`,
    ],
    [
      "says so in the place of a false hasMore",
      '{"hasMore":false,"total":9}',
      values(150),
      `{"hasMore":true,"total":9,"values":${values(100)}}`,
    ],
    ["puts an empty list in the place of what is none", "{}", '"a"', '{"values":[],"hasMore":true}'],
    [
      "keeps other keys, __proto__ too",
      '{"__proto__":{"x":1}}',
      values(101),
      `{"__proto__":{"x":1},"values":${values(100)},"hasMore":true}`,
    ],
  ]);
});

describe("map-to-pairs", () => {
  valueRows("map-to-pairs", "member", [
    ["takes the entries in their order", '{"LANG":"C","A":"1"}', '[{"name":"LANG","value":"C"},{"name":"A","value":"1"}]'],
    ["takes an empty map for an empty list", "{}", "[]"],
    ["takes keys like any", '{"__proto__":"x"}', '[{"name":"__proto__","value":"x"}]'],
    ...NO_BLOCKS,
  ]);
});

describe("pairs-to-map", () => {
  valueRows("pairs-to-map", "member", [
    ["takes the entries in their order", '[{"name":"LANG","value":"C"},{"name":"A","value":"1"}]', '{"LANG":"C","A":"1"}'],
    ["takes an empty list for an empty map", "[]", "{}"],
    ["takes keys like any", '[{"name":"__proto__","value":"x"}]', '{"__proto__":"x"}'],
    ["has no form for a name given twice", '[{"name":"A","value":"1"},{"name":"A","value":"2"}]', undefined],
    ["has no form for more than name and value", '[{"name":"A","value":"1","_meta":{}}]', undefined],
    ["has no form for a name without a value", '[{"name":"A"}]', undefined],
    ["has no form for what is no list", "{}", undefined],
  ]);
});
