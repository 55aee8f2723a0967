// What a generated declaration says of its origin: which row, since when, which entry says so; and never anything a later revision brought.
import { describe, expect, test } from "vitest";
import { buildProvenance, printCite } from "../../generator/emit/provenance.js";
import type { Definitions } from "../../generator/model/schema.js";
import type { Cite, Feature, Gates, Layout, Model } from "../../generator/model/types.js";

const NOTHING: Gates = { methods: [], definitions: [], fields: [], members: [], changes: [], results: [], constants: [] };
const STRING = { type: "string" };

function definitions(...fields: readonly string[]): Definitions {
  return { Tool: { type: "object", properties: Object.fromEntries(fields.map((field) => [field, STRING])) } };
}

/** Three revisions of one definition; the second adds a title by a row of its own and a hint by extension, and lays the name out anew. */
const REVISIONS = [definitions("name"), definitions("name", "title", "hint"), definitions("name", "title", "hint")].map(
  (canonical, index) => ({
    id: `r${index}`,
    index,
    canonical,
  }),
);

const FEATURES: readonly Partial<Feature>[] = [
  {
    id: "tools",
    summary: "Server offers tools.",
    first: 0,
    last: 2,
    cite: { revision: "r0", page: "tools" },
    gates: { ...NOTHING, definitions: ["Tool"], fields: ["Tool.hint"] },
    extensions: [{ revision: 1, gates: { ...NOTHING, fields: ["Tool.hint"] }, cite: { revision: "r1", section: "minor", ordinal: 4 } }],
    since: new Map([["Tool.hint", 1]]),
    deprecated: { since: "r2", cite: { revision: "r2", section: "deprecated", ordinal: 1 } },
  },
  {
    id: "tools.title",
    summary: "Tools have titles.",
    first: 1,
    last: 2,
    cite: { revision: "r1", section: "major", ordinal: 3, ref: "PR #7" },
    gates: { ...NOTHING, fields: ["Tool.title"] },
    extensions: [],
    since: new Map(),
  },
];

const LAYOUT: Omit<Layout, "place"> = {
  id: "tools.name-type",
  revision: 1,
  why: "The name has a type of its own.",
  covers: ["Tool.name"],
  cite: { revision: "r1", section: "unlisted", ref: "PR #8" },
};

const MODEL = { revisions: REVISIONS, features: FEATURES, layout: [LAYOUT] } as unknown as Model;

describe("buildProvenance says of", () => {
  test.each<readonly [string, number, string | undefined]>([
    ["Tool", 0, "Server offers tools.\nSince r0, by tools (r0 tools)."],
    ["Tool", 1, "Server offers tools.\nSince r0, by tools (r0 tools)."],
    ["Tool", 2, "Server offers tools.\nSince r0, by tools (r0 tools).\n@deprecated since r2 (r2 deprecated 1)"],
    ["Other", 2, undefined],
  ])("%s at r%i", (name, revision, says) => {
    expect(buildProvenance(MODEL, revision).ofDefinition(name)).toBe(says);
  });

  test.each<readonly [string, number, string | undefined]>([
    ["title", 1, "Tools have titles.\nSince r1, by tools.title (r1 major 3, PR #7)."],
    ["name", 0, undefined],
    ["name", 1, `The name has a type of its own.\nLayout, by tools.name-type (${printCite(LAYOUT.cite)}).`],
    ["name", 2, `The name has a type of its own.\nLayout, by tools.name-type (${printCite(LAYOUT.cite)}).`],
    ["other", 2, undefined],
  ])("Tool.%s at r%i", (field, revision, says) => {
    expect(buildProvenance(MODEL, revision).ofField("Tool", field)).toBe(says);
  });

  test("the newest revision where none is named", () => {
    expect(buildProvenance(MODEL).ofDefinition("Tool")).toBe(buildProvenance(MODEL, 2).ofDefinition("Tool"));
  });

  test("what an extension brought, the entry that the extension cites", () => {
    const other = { ...MODEL, features: [{ ...FEATURES[0], gates: { ...NOTHING, fields: ["Tool.hint"] } }] } as unknown as Model;
    expect(buildProvenance(other, 1).ofField("Tool", "hint")).toBe("Server offers tools.\nSince r1, by tools (r1 minor 4).");
  });
});

describe("printCite", () => {
  test.each<readonly [Cite, string]>([
    [{ revision: "r0", page: "server/tools" }, "r0 server/tools"],
    [{ revision: "r1", section: "major", ordinal: 2 }, "r1 major 2"],
    [{ revision: "r1", section: "major", ordinal: 2, ref: "PR #371" }, "r1 major 2, PR #371"],
    [{ revision: "r1", section: "unlisted", ref: "PR #140" }, "r1, PR #140 (unlisted)"],
  ])("%j", (cite, text) => {
    expect(printCite(cite)).toBe(text);
  });
});
