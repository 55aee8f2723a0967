// What each fallback makes of a value: given and wanted JSON text, with inputs frozen.

import { describe, expect, test } from "vitest";
import { FALLBACKS, type FieldFallback, type MemberFallback } from "../../runtime/fallbacks.js";
import type { Wire } from "../../runtime/protocol.js";

function field(name: string): FieldFallback {
  const fallback = FALLBACKS.get(name);
  if (fallback?.kind !== "field") throw new Error(`${name} is no field fallback`);
  return fallback;
}

function member(name: string): MemberFallback {
  const fallback = FALLBACKS.get(name);
  if (fallback?.kind !== "member") throw new Error(`${name} is no member fallback`);
  return fallback;
}

/** Freezes a value all the way down, so that a fallback that writes to its input throws. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}

/** Parses text, the only way to get an own key named __proto__; texts are compared because an own __proto__ escapes toEqual. */
function wire(text: string): Wire {
  return frozen(JSON.parse(text) as Wire);
}

describe("the registry", () => {
  test("says of each fallback what it costs", () => {
    const facts = [...FALLBACKS].map(([key, { name, kind, loss, keepsContent, keepsOriginal }]) => [
      key === name,
      name,
      kind,
      loss,
      keepsContent,
      keepsOriginal,
    ]);
    expect(facts).toEqual([
      [true, "text-block", "field", "advisory", true, undefined],
      [true, "embedded-resource", "member", "none", true, undefined],
      [true, "resource-text", "member", "advisory", true, true],
    ]);
  });

  test("knows no inherited names", () => {
    expect(FALLBACKS.has("toString")).toBe(false);
  });
});

describe("text-block", () => {
  test.each([
    [
      "appends the value as text where there is none",
      '{"content":[{"type":"image","data":"AA=="}],"structured":{"a":1}}',
      '{"content":[{"type":"image","data":"AA=="},{"type":"text","text":"{\\"a\\":1}"}]}',
    ],
    ["fills an empty content", '{"content":[],"structured":[1,2]}', '{"content":[{"type":"text","text":"[1,2]"}]}'],
    [
      "leaves the text that is there",
      '{"content":[{"type":"text","text":"one"}],"structured":{"a":1}}',
      '{"content":[{"type":"text","text":"one"}]}',
    ],
    [
      "gives a holder without content one",
      '{"isError":false,"structured":null}',
      '{"isError":false,"content":[{"type":"text","text":"null"}]}',
    ],
    ["replaces a content that is no array", '{"content":"one","structured":false}', '{"content":[{"type":"text","text":"false"}]}'],
    [
      "passes over blocks that are no objects",
      '{"content":[null,"text",[]],"structured":0}',
      '{"content":[null,"text",[],{"type":"text","text":"0"}]}',
    ],
    [
      "keeps other keys as they are, __proto__ too",
      '{"__proto__":{"x":1},"_meta":{"k":1},"content":[],"structured":{"__proto__":1},"isError":true}',
      '{"__proto__":{"x":1},"_meta":{"k":1},"content":[{"type":"text","text":"{\\"__proto__\\":1}"}],"isError":true}',
    ],
  ])("%s", (_, given, want) => {
    const holder = wire(given);
    expect(JSON.stringify(field("text-block").apply(holder, "structured", holder.structured))).toBe(want);
    expect(JSON.stringify(holder)).toBe(given);
  });

  test("takes off a key named __proto__ without touching the prototype", () => {
    const holder = wire('{"__proto__":{"x":1},"content":[]}');
    const got = field("text-block").apply(holder, "__proto__", { x: 1 });
    expect(JSON.stringify(got)).toBe('{"content":[{"type":"text","text":"{\\"x\\":1}"}]}');
    expect(Object.getPrototypeOf(got)).toBe(Object.prototype);
  });

  test("reuses content that needs no block", () => {
    const holder = wire('{"content":[{"type":"text","text":"one"}],"structured":1}');
    expect(field("text-block").apply(holder, "structured", 1).content).toBe(holder.content);
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
    const block = wire(given);
    expect(JSON.stringify(member("embedded-resource").apply(block, path))).toBe(want);
    expect(JSON.stringify(block)).toBe(given);
  });

  test("adds no undefined keys", () => {
    const got = member("embedded-resource").apply(wire('{"type":"audio"}'), [0]);
    expect(got).toStrictEqual({ type: "resource", resource: { uri: "polyrev:audio/0" } });
  });
});

describe("resource-text", () => {
  test.each([
    [
      "names the resource",
      '{"type":"resource_link","name":"log","uri":"file:///log"}',
      { type: "text", text: "[resource] log file:///log" },
    ],
    [
      "prefers the title and adds the description",
      '{"type":"resource_link","name":"log","title":"The log","uri":"file:///log","description":"All of it."}',
      { type: "text", text: "[resource] The log file:///log\nAll of it." },
    ],
    [
      "keeps annotations and nothing else",
      '{"type":"resource_link","name":"log","uri":"u:1","mimeType":"text/plain","size":3,"_meta":{},"__proto__":{"title":"no"},"annotations":{"audience":["user"]}}',
      { type: "text", text: "[resource] log u:1", annotations: { audience: ["user"] } },
    ],
    [
      "takes an empty title for none",
      '{"type":"resource_link","name":"log","title":"","description":"","uri":"u:1"}',
      { type: "text", text: "[resource] log u:1" },
    ],
    ["writes what there is of a malformed link", '{"type":"resource_link","name":7,"uri":"u:1"}', { type: "text", text: "[resource] u:1" }],
  ])("%s", (_, given, want) => {
    const block = wire(given);
    const got = member("resource-text").apply(block, [0]);
    expect(got).toStrictEqual(want);
    expect(JSON.stringify(block)).toBe(given);
  });
});
