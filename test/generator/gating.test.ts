// Which feature gates a place, whether a feature is on, off or up to the negotiation at a revision, and what a passed gate implies.
import { describe, expect, test } from "vitest";
import { buildGating, isImplied, isTransportAt, statusAt, type Status } from "../../generator/model/gating.js";
import type { Feature, Gates, Requirement, Revision } from "../../generator/model/types.js";

const NOTHING: Gates = { methods: [], definitions: [], fields: [], members: [], changes: [], results: [], constants: [] };

type Given = Omit<Partial<Feature>, "gates"> & { readonly id: string; readonly gates?: Partial<Gates> };

function feature({ gates, ...given }: Given): Feature {
  return {
    index: 0,
    summary: `Has ${given.id}.`,
    kind: "behaviour",
    side: "both",
    first: 0,
    last: 3,
    cite: { revision: "r0", page: "basic" },
    access: [],
    errors: [],
    lowerings: [],
    extensions: [],
    since: new Map(),
    place: () => ({ file: "changes.yaml", line: 1 }),
    ...given,
    gates: { ...NOTHING, ...gates },
  };
}

/** Four revisions; the flag `late` is defined from the third on, `early` only at the first, `tools` always; `pipe` is a transport of the first two. */
const REVISIONS = [0, 1, 2, 3].map((index): Revision => {
  const server = ["tools", "tools.listChanged", ...(index >= 2 ? ["late"] : []), ...(index === 0 ? ["early"] : [])];
  return {
    id: `r${index}`,
    index,
    era: "legacy",
    released: true,
    changelog: "https://toy.example",
    published: {},
    definitions: {},
    canonical: {},
    schemaFile: "schema.json",
    lineOf: () => 1,
    changesFile: "changes.yaml",
    methods: [],
    flags: { client: new Map([["roots", "object"]]), server: new Map(server.map((flag) => [flag, "object"] as const)) },
  };
});
const PIPE = feature({ id: "transport.pipe", transport: "pipe", last: 1 });
const MODEL = { revisions: REVISIONS, features: [PIPE], transports: new Map([["pipe", 0]]) };

function statuses(given: Partial<Feature>): Status[] {
  return REVISIONS.map((revision) => statusAt(feature({ id: "a", ...given }), revision, MODEL));
}

describe("statusAt, at four revisions", () => {
  test.each<{ readonly name: string; readonly given: Partial<Feature>; readonly want: readonly Status[] }>([
    { name: "no needs", given: {}, want: ["on", "on", "on", "on"] },
    { name: "a lifetime", given: { first: 1, last: 2 }, want: ["off", "on", "on", "off"] },
    { name: "a flag", given: { requires: { server: "tools" } }, want: ["conditional", "conditional", "conditional", "conditional"] },
    {
      name: "a flag within a lifetime",
      given: { requires: { server: "tools" }, first: 2 },
      want: ["off", "off", "conditional", "conditional"],
    },
    { name: "a flag not yet defined", given: { requires: { server: "late" } }, want: ["off", "off", "conditional", "conditional"] },
    { name: "a flag no longer defined", given: { requires: { server: "early" } }, want: ["conditional", "off", "off", "off"] },
    { name: "a flag of the other side", given: { requires: { client: "tools" } }, want: ["off", "off", "off", "off"] },
    {
      name: "a flag asked for only since it exists",
      given: { requires: { server: "late", since: "r2" } },
      want: ["on", "on", "conditional", "conditional"],
    },
    {
      name: "two flags, of which one is not yet defined",
      given: { requires: { client: "roots", server: "late" } },
      want: ["off", "off", "conditional", "conditional"],
    },
    {
      name: "either of two flags",
      given: { requires: { client: "roots", server: "late", match: "any" } },
      want: ["conditional", "conditional", "conditional", "conditional"],
    },
    {
      name: "either of two flags, of which neither is defined",
      given: { requires: { client: "late", server: "early", match: "any" } },
      want: ["conditional", "off", "off", "off"],
    },
    { name: "a transport", given: { transport: "pipe" }, want: ["conditional", "conditional", "off", "off"] },
    { name: "an unknown transport", given: { transport: "pigeon" }, want: ["off", "off", "off", "off"] },
    {
      name: "a transport and a flag",
      given: { transport: "pipe", requires: { server: "tools" } },
      want: ["conditional", "conditional", "off", "off"],
    },
  ])("$name", ({ given, want }) => {
    expect(statuses(given)).toEqual(want);
  });
});

test("isTransportAt follows the transport's feature", () => {
  expect([0, 1, 2, 3].map((revision) => isTransportAt("pipe", revision, MODEL))).toEqual([true, true, false, false]);
  expect(isTransportAt("pigeon", 0, MODEL)).toBe(false);
});

describe("isImplied", () => {
  test.each<{ readonly wants: Requirement | undefined; readonly has: Requirement | undefined; readonly want: boolean }>([
    { wants: undefined, has: undefined, want: true },
    { wants: undefined, has: { server: "tools" }, want: true },
    { wants: { server: "tools" }, has: undefined, want: false },
    { wants: { server: "tools" }, has: { server: "tools" }, want: true },
    { wants: { server: "tools" }, has: { server: "tools.listChanged" }, want: true },
    { wants: { server: "tools.listChanged" }, has: { server: "tools" }, want: false },
    { wants: { server: "tool" }, has: { server: "tools" }, want: false },
    { wants: { server: "tools" }, has: { client: "tools" }, want: false },
    { wants: { client: "roots", server: "tools" }, has: { server: "tools" }, want: false },
    { wants: { server: "tools" }, has: { client: "roots", server: "tools" }, want: true },
    { wants: { server: "tools" }, has: { client: "roots", server: "tools", match: "any" }, want: false },
    { wants: { client: "roots", server: "tools", match: "any" }, has: { client: "roots", server: "tools", match: "any" }, want: true },
    { wants: { client: "roots", server: "tools", match: "any" }, has: { client: "roots", server: "prompts", match: "any" }, want: false },
  ])("$has implies $wants: $want", ({ wants, has, want }) => {
    const wanted = feature({ id: "wanted", ...(wants === undefined ? {} : { requires: wants }) });
    const passed = feature({ id: "passed", ...(has === undefined ? {} : { requires: has }) });
    expect(isImplied(wanted, passed)).toBe(want);
  });

  test.each([
    { wants: "pipe", has: "pipe", want: true },
    { wants: "pipe", has: undefined, want: false },
    { wants: undefined, has: "pipe", want: true },
    { wants: "pipe", has: "web", want: false },
  ])("transport $has implies transport $wants: $want", ({ wants, has, want }) => {
    const wanted = feature({ id: "wanted", ...(wants === undefined ? {} : { transport: wants }) });
    const passed = feature({ id: "passed", ...(has === undefined ? {} : { transport: has }) });
    expect(isImplied(wanted, passed)).toBe(want);
  });

  test("a feature implies itself", () => {
    const one = feature({ id: "one", transport: "pipe", requires: { client: "roots", server: "tools", match: "any" } });
    expect(isImplied(one, one)).toBe(true);
  });
});

describe("buildGating", () => {
  const early = feature({ id: "early", last: 0, gates: { fields: ["A.b"], members: ["U|M"] } });
  const late = feature({ id: "late", first: 2, gates: { fields: ["A.b", "A.c"] } });
  const wide = feature({ id: "wide", gates: { changes: ["A", 'A.d["e/f"]'] } });
  const narrow = feature({ id: "narrow", gates: { changes: ["A.b.c", "L.items[]"] } });
  const gating = buildGating([early, late, wide, narrow]);

  test.each<readonly [string, number, string | undefined]>([
    ["A.b", 0, "early"],
    ["A.b", 2, "late"],
    ["A.b", 3, "late"],
    ["A.b", 1, "late"],
    ["A.c", 0, "late"],
    ["U|M", 0, "early"],
    ["U|M", 3, "early"],
    ["U|N", 0, undefined],
    ["A", 0, undefined],
    ["A.b.c", 0, undefined],
  ])("%s at r%i is decided by %s", (path, revision, id) => {
    expect(gating.gateAt(path, revision)?.id).toBe(id);
  });

  test.each<readonly [string, string | undefined]>([
    ["A", "wide"],
    ["A.x", "wide"],
    ["A.b", "wide"],
    ["A.b.c", "narrow"],
    ["A.b.c.d", "narrow"],
    ["A.b.c[]", "narrow"],
    ["A.b.c.*", "narrow"],
    ["A.b.c|M", "narrow"],
    ["A|M", "wide"],
    ['A.d["e/f"]', "wide"],
    ['A.d["e/f"].g', "wide"],
    ['A.b.c["x.y"]', "narrow"],
    ['A.b.c["x[y"]', "narrow"],
    ['A.b.c["say \\"x\\""]', "narrow"],
    ['A.b.c["x|y"]', "narrow"],
    ["L.items[]", "narrow"],
    ["L.items[].a", "narrow"],
    ["L.items", undefined],
    ["AB", undefined],
    ["B", undefined],
  ])("the shape of %s was changed by %s", (path, id) => {
    expect(gating.changeAt(path)?.id).toBe(id);
  });
});
