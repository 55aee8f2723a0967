// An object in another form that says the same: what is found, what is written, what is kept beside it, and what has no form.
import { describe, expect, test } from "vitest";
import type { RewriteEntry, Wire } from "../../runtime/protocol.js";
import { rewritten } from "../../runtime/rewrite.js";

const TAG: RewriteEntry = { from: { kind: "start" }, to: { kind: "step" } };
const WRAP: RewriteEntry = { from: { kind: "list", items: "$items" }, to: { kind: "lists", list: { id: "main", items: "$items" } } };
const UNWRAP: RewriteEntry = { from: WRAP.to, to: WRAP.from };
const ASK: RewriteEntry = { from: { call: "$call" }, to: { title: "$call.title", subject: { type: "call", call: "$call" } } };
const ASKED: RewriteEntry = { from: ASK.to, to: ASK.from };

type Row = readonly [title: string, forms: RewriteEntry, given: string, want: string | undefined];

const ROWS: readonly Row[] = [
  ["a constant", TAG, '{"kind":"start","id":1}', '{"kind":"step","id":1}'],
  ["another constant", TAG, '{"kind":"stop"}', undefined],
  ["a missing constant", TAG, "{}", undefined],
  ["what nobody named stays", TAG, '{"a":null,"kind":"start","__proto__":{"b":1}}', '{"a":null,"kind":"step","__proto__":{"b":1}}'],
  ["into an object", WRAP, '{"kind":"list","items":[1],"_meta":{}}', '{"kind":"lists","_meta":{},"list":{"id":"main","items":[1]}}'],
  ["out of an object", UNWRAP, '{"kind":"lists","list":{"id":"main","items":[1]}}', '{"kind":"list","items":[1]}'],
  ["another constant inside", UNWRAP, '{"kind":"lists","list":{"id":"other","items":[1]}}', undefined],
  ["something more inside would be lost", UNWRAP, '{"kind":"lists","list":{"id":"main","items":[1],"_meta":{}}}', undefined],
  ["no object inside", UNWRAP, '{"kind":"lists","list":[]}', undefined],
  ["a missing value", WRAP, '{"kind":"list"}', undefined],
  ["null is no value", WRAP, '{"kind":"list","items":null}', undefined],
  ["somebody's own under the key", WRAP, '{"kind":"list","items":[1],"list":4}', undefined],
  [
    "a field of what is found",
    ASK,
    '{"call":{"title":"Dig"},"x":1}',
    '{"x":1,"title":"Dig","subject":{"type":"call","call":{"title":"Dig"}}}',
  ],
  ["no such field", ASK, '{"call":{}}', undefined],
  ["null in such a field", ASK, '{"call":{"title":null}}', undefined],
  ["a field of what is no object", ASK, '{"call":"Dig"}', undefined],
  ["the same at both places", ASKED, '{"title":"Dig","subject":{"type":"call","call":{"title":"Dig"}}}', '{"call":{"title":"Dig"}}'],
  ["not the same", ASKED, '{"title":"May I?","subject":{"type":"call","call":{"title":"Dig"}}}', undefined],
  ["at one place only", ASKED, '{"title":"Dig","subject":{"type":"call","call":{}}}', undefined],
  ["another object inside", ASKED, '{"title":"Dig","subject":{"type":"order","order":"mow"}}', undefined],
];

describe("an object", () => {
  test.each(ROWS)("%s", (_, forms, given, want) => {
    const value = JSON.parse(given) as Wire;
    expect(JSON.stringify(rewritten(value, forms))).toBe(want);
    expect(JSON.stringify(value)).toBe(given);
  });

  test("comes back from the other form as it was", () => {
    for (const [there, back] of [
      [WRAP, UNWRAP],
      [ASK, ASKED],
    ] as const) {
      const value = { kind: "list", items: [1, 2], call: { title: "Dig", more: [{}] }, x: 1 };
      expect(rewritten(rewritten(value, there) ?? {}, back)).toEqual(value);
    }
  });

  test("does not share what the form itself holds", () => {
    const forms: RewriteEntry = { from: { kind: "a" }, to: { kind: "b", list: { of: ["x"] } } };
    const [first, second] = [0, 1].map(() => rewritten({ kind: "a" }, forms) as { readonly list: { readonly of: unknown } });
    expect(first?.list.of).toEqual(["x"]);
    expect(first?.list.of).not.toBe(second?.list.of);
    expect(first?.list.of).not.toBe((forms.to["list"] as Wire)["of"]);
  });
});
