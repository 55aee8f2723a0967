// How lifting walks shapes, one kind after the other: small shapes made by hand, a given and a wanted value, the steps of the report. What needs no
// repair comes back as the same object; inputs are frozen.
import { describe, expect, test } from "vitest";
import { Lifting } from "../../runtime/lifting.js";
import type { LiftShape, ToleranceEntry } from "../../runtime/protocol.js";
import { TranslationReport } from "../../runtime/report.js";

const TOLERANCES: readonly ToleranceEntry[] = [
  { id: "null-away", repair: "drop-null" },
  { id: "null-list", repair: "empty-list" },
  { id: "null-item", repair: "drop-null-items" },
  { id: "empty-text", repair: "drop-value" },
  { id: "old-word", repair: "replace-value" },
  { id: "missing", repair: "write-missing" },
  { id: "form", repair: "as-object" },
  { id: "wrapped", repair: "unwrap", key: "inner" },
  { id: "schema", repair: "object-schema" },
  { id: "text", repair: "text-of-resource" },
  { id: "unusable", repair: "drop-unusable-items", loss: "content" as const },
].map((entry) => ({ summary: "", loss: "none" as const, reports: [], ...entry }));

const FILLS = [
  { feature: 0, value: [] },
  { feature: 0, value: "done" },
];

/** Gives the index of a tolerance. */
function by(id: string): number {
  const index = TOLERANCES.findIndex((entry) => entry.id === id);
  if (index < 0) throw new Error(`no tolerance ${id}`);
  return index;
}

interface Row {
  readonly title: string;
  readonly given: string;
  /** Absent where the same value comes back. */
  readonly want?: string;
  /** Tolerance and JSON pointer of each step. */
  readonly steps?: readonly string[];
}

/** Walks values through the first of the shapes. */
function rows(shapes: readonly LiftShape[], table: readonly Row[]): void {
  test.each(table)("$title", ({ given, want, steps = [] }) => {
    const value = JSON.parse(given, (_, part: unknown) => Object.freeze(part)) as unknown;
    const report = new TranslationReport();
    const lifting = new Lifting({ tolerances: TOLERANCES, fills: FILLS }, shapes);
    const lifted = lifting.run(0, value, report);
    if (want === undefined) expect(lifted).toBe(value);
    expect(JSON.stringify(lifted)).toBe(want ?? given);
    expect(report.steps.map(({ detail, path }) => `${detail} ${path}`)).toEqual(steps);
    expect(lifting.run(0, lifted, undefined)).toBe(lifted);
  });
}

describe("an object", () => {
  describe("with nulls", () => {
    const shape: LiftShape = {
      kind: "object",
      nulls: [
        ["a", by("null-away")],
        ["b", by("null-away")],
        ["list", by("null-list"), []],
      ],
    };
    rows(
      [shape],
      [
        { title: "loses them", given: '{"a":null,"x":1,"b":null}', want: '{"x":1}', steps: ["null-away /a", "null-away /b"] },
        {
          title: "gets an empty list in the place of one",
          given: '{"list":null,"x":1}',
          want: '{"list":[],"x":1}',
          steps: ["null-list /list"],
        },
        { title: "keeps nulls that no rule names", given: '{"x":null,"__proto__":null,"constructor":null}' },
        { title: "keeps what is empty in another way", given: '{"a":"","b":0,"list":{}}' },
        {
          title: "keeps own keys named __proto__",
          given: '{"__proto__":{"a":null},"a":null}',
          want: '{"__proto__":{"a":null}}',
          steps: ["null-away /a"],
        },
        { title: "is no list", given: "[null]" },
        { title: "is no null", given: "null" },
        { title: "is no text", given: '"a"' },
      ],
    );
  });

  describe("with objects below it", () => {
    const inner: LiftShape = { kind: "object", nulls: [["a", by("null-away")]] };
    const outer: LiftShape = {
      kind: "object",
      into: [
        ["in/side", 1],
        ["schema", -1, by("schema")],
        ["both", 1, by("schema")],
      ],
    };
    rows(
      [outer, inner],
      [
        {
          title: "gives the pointer to what it repairs",
          given: '{"in/side":{"a":null}}',
          want: '{"in/side":{}}',
          steps: ["null-away /in~1side/a"],
        },
        { title: "mends a member", given: '{"schema":{}}', want: '{"schema":{"type":"object"}}', steps: ["schema /schema"] },
        {
          title: "mends a member and then walks it",
          given: '{"both":{"properties":[],"a":null}}',
          want: '{"both":{"properties":{},"type":"object"}}',
          steps: ["schema /both", "null-away /both/a"],
        },
        {
          title: "leaves the others as they are",
          given: '{"x":{"a":null},"in/side":{"b":null},"schema":{"type":"object"}}',
        },
        { title: "does not walk what is no object", given: '{"in/side":"a","schema":true,"both":7}' },
      ],
    );
  });

  describe("with values to look for", () => {
    const shape: LiftShape = {
      kind: "object",
      checks: [
        { key: "cursor", tolerance: by("empty-text"), equals: "" },
        { key: "word", tolerance: by("old-word"), equals: "reject", becomes: "decline" },
      ],
    };
    rows(
      [shape],
      [
        { title: "drops the value", given: '{"cursor":"","x":1}', want: '{"x":1}', steps: ["empty-text /cursor"] },
        {
          title: "puts another in its place",
          given: '{"word":"reject","x":1}',
          want: '{"word":"decline","x":1}',
          steps: ["old-word /word"],
        },
        { title: "looks for nothing like it", given: '{"cursor":" ","word":"Reject"}' },
        { title: "looks for nothing that is not there", given: '{"x":""}' },
      ],
    );
  });

  describe("with values to write", () => {
    const shape: LiftShape = {
      kind: "object",
      checks: [
        {
          key: "content",
          tolerance: by("missing"),
          fill: 0,
          only: [
            ["kind", ["done"]],
            ["task", []],
          ],
        },
        { key: "kind", tolerance: by("missing"), fill: 1 },
      ],
    };
    rows(
      [shape],
      [
        {
          title: "writes what is missing",
          given: "{}",
          want: '{"content":[],"kind":"done"}',
          steps: ["missing /content", "missing /kind"],
        },
        {
          title: "writes it beside a value that goes with it",
          given: '{"kind":"done"}',
          want: '{"kind":"done","content":[]}',
          steps: ["missing /content"],
        },
        { title: "does not beside another one", given: '{"kind":"asks"}' },
        { title: "does not beside what may not be there at all", given: '{"kind":"done","task":{}}' },
        { title: "leaves what is there, null too", given: '{"content":null,"kind":null}' },
      ],
    );

    test("writes a fresh value each time", () => {
      const lifting = new Lifting({ tolerances: TOLERANCES, fills: FILLS }, [shape]);
      const [one, two] = [lifting.run(0, {}, undefined), lifting.run(0, {}, undefined)] as readonly [
        { content: unknown },
        { content: unknown },
      ];
      expect(one.content).not.toBe(two.content);
    });
  });

  describe("with members that are objects or nothing", () => {
    const shape: LiftShape = {
      kind: "object",
      checks: [
        { key: "a", tolerance: by("form"), notObject: true },
        { key: "b", tolerance: by("form"), notObject: true },
      ],
    };
    rows(
      [shape],
      [
        {
          title: "reads a truth and a list as an object",
          given: '{"a":true,"b":["x"]}',
          want: '{"a":{},"b":{}}',
          steps: ["form /a", "form /b"],
        },
        {
          title: "reads a number and a text as an object",
          given: '{"a":0,"b":""}',
          want: '{"a":{},"b":{}}',
          steps: ["form /a", "form /b"],
        },
        { title: "takes false and null for absent", given: '{"a":false,"b":null,"x":1}', want: '{"x":1}', steps: ["form /a", "form /b"] },
        { title: "keeps objects, and what is absent", given: '{"a":{"b":true}}' },
      ],
    );
  });

  describe("with a member to mend that need not be there", () => {
    const shape: LiftShape = {
      kind: "object",
      into: [["s", -1, by("schema")]],
      checks: [{ key: "s", tolerance: by("schema"), mend: true }],
    };
    rows(
      [shape],
      [
        { title: "makes one", given: '{"x":1}', want: '{"x":1,"s":{"type":"object"}}', steps: ["schema /s"] },
        { title: "makes one of null", given: '{"s":null,"x":1}', want: '{"s":{"type":"object"},"x":1}', steps: ["schema /s"] },
        { title: "mends it once", given: '{"s":{}}', want: '{"s":{"type":"object"}}', steps: ["schema /s"] },
        { title: "leaves one that is beyond repair", given: '{"s":"object"}' },
      ],
    );
  });

  describe("that may be wrapped", () => {
    const shape: LiftShape = {
      kind: "object",
      unwrap: { tolerance: by("wrapped"), lacks: "content" },
      nulls: [["a", by("null-away")]],
      checks: [{ key: "content", tolerance: by("missing"), fill: 0 }],
    };
    rows(
      [shape],
      [
        {
          title: "is taken out, and then read like any other",
          given: '{"inner":{"a":null,"b":1},"x":1}',
          want: '{"x":1,"b":1,"content":[]}',
          steps: ["wrapped ", "null-away /a", "missing /content"],
        },
        {
          title: "has the last word on what stands outside too",
          given: '{"b":0,"inner":{"b":1,"content":[]}}',
          want: '{"b":1,"content":[]}',
          steps: ["wrapped "],
        },
        { title: "is not taken out where the object is whole", given: '{"inner":{"b":1},"content":[]}' },
        {
          title: "keeps own keys named __proto__ on both sides",
          given: '{"__proto__":{"x":1},"inner":{"__proto__":{"y":1},"content":[]}}',
          want: '{"__proto__":{"y":1},"content":[]}',
          steps: ["wrapped "],
        },
        { title: "is not taken out of what is no object", given: '{"inner":"a","content":[]}' },
      ],
    );
  });

  describe("that is mended as a whole", () => {
    const shape: LiftShape = { kind: "object", mend: by("text"), nulls: [["annotations", by("null-away")]] };
    rows(
      [shape],
      [
        {
          title: "becomes something else, with its own pointer",
          given: '{"type":"resource","resource":{"uri":null,"text":"t"}}',
          want: '{"type":"text","text":"t"}',
          steps: ["text "],
        },
        {
          title: "is read like any other where it needs no mending",
          given: '{"type":"resource","resource":{"uri":"u:1"},"annotations":null}',
          want: '{"type":"resource","resource":{"uri":"u:1"}}',
          steps: ["null-away /annotations"],
        },
      ],
    );
  });
});

describe("a list", () => {
  const item: LiftShape = { kind: "object", nulls: [["a", by("null-away")]] };

  describe("of objects", () => {
    rows(
      [{ kind: "list", items: 1, dropNull: by("null-item") }, item],
      [
        {
          title: "loses nulls, and its items are repaired under the indices they came with",
          given: '[null,{"a":null},null,{"b":1},{"a":null}]',
          want: '[{},{"b":1},{}]',
          steps: ["null-item /0", "null-away /1/a", "null-item /2", "null-away /4/a"],
        },
        { title: "keeps what is no object", given: '[1,"a",[null],false]' },
        { title: "may be empty", given: "[]" },
        { title: "is no object", given: '{"0":null}' },
      ],
    );

    test("keeps items that need nothing by reference", () => {
      const [whole, broken] = [{ b: 1 }, { a: null }];
      const lifted = new Lifting({ tolerances: TOLERANCES, fills: FILLS }, [{ kind: "list", items: 1 }, item]).run(
        0,
        [whole, broken],
        undefined,
      );
      expect((lifted as unknown[])[0]).toBe(whole);
    });
  });

  describe("of anything", () => {
    rows(
      [{ kind: "list", dropNull: by("null-item") }],
      [{ title: "loses nulls and looks no further", given: '[{"a":null},null]', want: '[{"a":null}]', steps: ["null-item /1"] }],
    );
  });

  describe("of usable items", () => {
    const bones = {
      type: "object",
      required: ["name", "schema"],
      properties: { name: { type: "string" }, schema: { type: "object", required: ["type"], properties: { type: { enum: ["object"] } } } },
    };
    rows(
      [
        { kind: "list", items: 1, unusable: { tolerance: by("unusable"), bones } },
        { kind: "object", into: [["schema", -1, by("schema")]] },
      ],
      [
        {
          title: "loses the others, in order, after what can be repaired is",
          given:
            '[{"name":"a","schema":{"type":"object"}},{"name":"b","schema":{}},{"name":1,"schema":{"type":"object"}},{"name":"c"},null,"d",{"name":"e","schema":{"type":"string"}},{"name":"f","schema":{"type":"object"},"x":null}]',
          want: '[{"name":"a","schema":{"type":"object"}},{"name":"b","schema":{"type":"object"}},{"name":"f","schema":{"type":"object"},"x":null}]',
          steps: ["schema /1/schema", "unusable /2", "unusable /3", "unusable /4", "unusable /5", "unusable /6"],
        },
        {
          title: "loses what only inherits its bones",
          given: '[{"__proto__":{"name":"a","schema":{"type":"object"}}}]',
          want: "[]",
          steps: ["unusable /0"],
        },
      ],
    );
  });

  describe("of lists", () => {
    rows(
      [
        { kind: "list", items: 1 },
        { kind: "list", dropNull: by("null-item") },
      ],
      [{ title: "is walked all the way down", given: "[[null,1],[],[2]]", want: "[[1],[],[2]]", steps: ["null-item /0/0"] }],
    );
  });
});

describe("a map", () => {
  rows(
    [
      { kind: "map", values: 1, notObject: by("form") },
      { kind: "object", nulls: [["a", by("null-away")]] },
    ],
    [
      {
        title: "repairs each value under its key",
        given: '{"x/y":{"a":null},"__proto__":{"a":null},"z":{}}',
        want: '{"x/y":{},"__proto__":{},"z":{}}',
        steps: ["null-away /x~1y/a", "null-away /__proto__/a"],
      },
      {
        title: "reads values of another form as objects or nothing",
        given: '{"on":true,"__proto__":[],"off":false,"gone":null}',
        want: '{"on":{},"__proto__":{}}',
        steps: ["form /on", "form /__proto__", "form /off", "form /gone"],
      },
      { title: "is no list", given: '[{"a":null}]' },
    ],
  );

  describe("whose values may be anything", () => {
    rows(
      [
        { kind: "map", values: 1 },
        { kind: "object", nulls: [["a", by("null-away")]] },
      ],
      [{ title: "keeps what is no object", given: '{"x":true,"y":null,"z":[null]}' }],
    );
  });
});

describe("a union", () => {
  const shapes: readonly LiftShape[] = [
    {
      kind: "union",
      list: 1,
      tag: "kind",
      members: [
        ["a", 2],
        [7, 3],
      ],
      present: [],
    },
    { kind: "list", items: 0, dropNull: by("null-item") },
    { kind: "object", nulls: [["x", by("null-away")]] },
    { kind: "object", nulls: [["y", by("null-away")]] },
  ];
  rows(shapes, [
    { title: "is read by its tag", given: '{"kind":"a","x":null,"y":null}', want: '{"kind":"a","y":null}', steps: ["null-away /x"] },
    { title: "whatever the tag's type", given: '{"kind":7,"x":null,"y":null}', want: '{"kind":7,"x":null}', steps: ["null-away /y"] },
    { title: "may be a list", given: '[null,{"kind":"a","x":null}]', want: '[{"kind":"a"}]', steps: ["null-item /0", "null-away /1/x"] },
    { title: "has no other members", given: '{"kind":"b","x":null}' },
    { title: "has no members by inherited names", given: '{"kind":"constructor","x":null}' },
    { title: "is no member without a tag", given: '{"x":null}' },
    { title: "is no member by an inherited tag", given: '{"__proto__":{"kind":"a"},"x":null}' },
    { title: "may be no object", given: '"a"' },
  ]);

  describe("of which one member may go without its tag", () => {
    rows(
      [
        { kind: "union", tag: "mode", members: [["url", 1]], untagged: 2, present: [] },
        { kind: "object", nulls: [["x", by("null-away")]] },
        {
          kind: "object",
          nulls: [
            ["mode", by("null-away")],
            ["y", by("null-away")],
          ],
        },
      ],
      [
        { title: "is that one where there is none", given: '{"x":null,"y":null}', want: '{"x":null}', steps: ["null-away /y"] },
        { title: "and where it is null", given: '{"mode":null,"y":null}', want: "{}", steps: ["null-away /mode", "null-away /y"] },
        {
          title: "is the other by its tag",
          given: '{"mode":"url","x":null,"y":null}',
          want: '{"mode":"url","y":null}',
          steps: ["null-away /x"],
        },
        { title: "is neither by a tag of no member", given: '{"mode":"voice","x":null,"y":null}' },
        {
          title: "is that one whatever it inherits",
          given: '{"__proto__":{"mode":"url"},"y":null}',
          want: '{"__proto__":{"mode":"url"}}',
          steps: ["null-away /y"],
        },
      ],
    );
  });

  describe("whose members no tag tells apart", () => {
    rows(
      [
        {
          kind: "union",
          members: [],
          present: [
            ["text", 1],
            ["blob", 2],
          ],
        },
        { kind: "object", nulls: [["x", by("null-away")]] },
        { kind: "object", nulls: [["y", by("null-away")]] },
      ],
      [
        {
          title: "is read by the property that only one must have",
          given: '{"text":"","x":null,"y":null}',
          want: '{"text":"","y":null}',
          steps: ["null-away /x"],
        },
        { title: "or by another's", given: '{"blob":"","x":null,"y":null}', want: '{"blob":"","x":null}', steps: ["null-away /y"] },
        { title: "is neither without one", given: '{"x":null,"y":null}' },
        { title: "is neither by an inherited one", given: '{"__proto__":{"text":""},"x":null}' },
        { title: "may be a list that nobody named", given: '[{"text":"","x":null}]' },
      ],
    );
  });

  describe("of no tag and no list", () => {
    rows(
      [{ kind: "union", members: [], present: [] }],
      [
        { title: "is left as it is", given: '[{"kind":"a"}]' },
        { title: "whatever it is", given: '{"kind":"a","x":null}' },
      ],
    );
  });
});

describe("a result", () => {
  const shapes: readonly LiftShape[] = [
    {
      kind: "result",
      usual: 1,
      others: [
        { property: "task", shape: 2 },
        { property: "kind", equals: "asks" },
      ],
    },
    { kind: "object", nulls: [["x", by("null-away")]], checks: [{ key: "content", tolerance: by("missing"), fill: 0 }] },
    { kind: "object", nulls: [["y", by("null-away")]] },
  ];
  rows(shapes, [
    {
      title: "is the usual one",
      given: '{"x":null,"y":null}',
      want: '{"y":null,"content":[]}',
      steps: ["null-away /x", "missing /content"],
    },
    {
      title: "is another by a property that is there",
      given: '{"task":null,"x":null,"y":null}',
      want: '{"task":null,"x":null}',
      steps: ["null-away /y"],
    },
    { title: "is another by what a property says, and then left as it is", given: '{"kind":"asks","x":null}' },
    {
      title: "is the usual one where the property says something else",
      given: '{"kind":"tells"}',
      want: '{"kind":"tells","content":[]}',
      steps: ["missing /content"],
    },
    {
      title: "is the usual one whatever it inherits",
      given: '{"__proto__":{"task":1}}',
      want: '{"__proto__":{"task":1},"content":[]}',
      steps: ["missing /content"],
    },
    { title: "may be no object", given: "[]" },
  ]);

  describe("of no usual shape", () => {
    rows([{ kind: "result", others: [{ property: "task" }] }], [{ title: "is left as it is", given: '{"x":null}' }]);
  });
});

describe("the walk", () => {
  test("takes the same shapes again for another codec, each with its own report", () => {
    const shapes: readonly LiftShape[] = [{ kind: "object", nulls: [["a", by("null-away")]] }];
    const [first, second] = [new TranslationReport(), new TranslationReport()];
    new Lifting({ tolerances: TOLERANCES, fills: FILLS }, shapes).run(0, { a: null }, first);
    new Lifting({ tolerances: TOLERANCES, fills: FILLS }, shapes).run(0, { b: null }, second);
    expect([first.steps.length, second.isEmpty]).toEqual([1, true]);
  });

  test("says what a step costs as its tolerance does", () => {
    const report = new TranslationReport();
    const shapes: readonly LiftShape[] = [{ kind: "list", unusable: { tolerance: by("unusable"), bones: { type: "object" } } }];
    new Lifting({ tolerances: TOLERANCES, fills: FILLS }, shapes).run(0, [7], report);
    expect(report.steps).toEqual([{ feature: null, action: "repair", path: "/0", loss: "content", detail: "unusable" }]);
  });
});
