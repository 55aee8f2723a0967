// Nothing in a schema diff goes unaccounted for: the totals of every pair, what they come from, a naive comparison that must find nothing the
// differ does not explain, and each way an account can be wrong.
import { describe, expect, it } from "vitest";
import { accountForDeltas, skeletonFor } from "../../generator/model/accounting.js";
import { newestPath } from "../../generator/model/canonical.js";
import type { Delta } from "../../generator/model/diff.js";
import { memberName, propertyPath } from "../../generator/model/path.js";
import { mapValue, stable, type Definitions, type Schema } from "../../generator/model/schema.js";
import type { Problem } from "../../generator/problem.js";
import { loadModel } from "../loaded-model.js";

const model = loadModel("mcp");

/**
 * An independent count over the same four pairs came to 535 deltas. Where ours differs it counts the same change once where that count had
 * two entries, or the reverse; each line says by how much and why.
 */
const INDEPENDENT = [
  { to: "2025-03-26", theirs: 21, because: [] },
  { to: "2025-06-18", theirs: 49, because: [] },
  {
    to: "2025-11-25",
    theirs: 228,
    because: [
      [-11, "progressToken inside an added _meta is part of the added property"],
      [-1, "the items of the added CreateMessageRequestParams.tools are part of it"],
      [-6, "params and capabilities that become untyped or typed show as the properties that came and went"],
      [2, "the same capabilities stop being declared open"],
      [1, "ElicitRequest.params refers to a union around the extracted definition"],
      [1, "JSONRPCMessage is retargeted by two renames"],
    ],
  },
  {
    to: "2026-07-28",
    theirs: 237,
    because: [
      [-2, "ListRootsRequest.params written out in place is one change of type, its inside not counted again"],
      [-1, "ClientCapabilities.roots loses its one property and is an object as before"],
    ],
  },
] as const;

describe("the accounts of every pair", () => {
  it.each(INDEPENDENT)("up to $to agree with an independent count, or say why not", ({ to, theirs, because }) => {
    const pair = model.accounting.find((entry) => entry.to === to);
    expect(pair?.deltas.length).toBe(because.reduce((sum, [difference]) => sum + difference, theirs as number));
  });

  it("give each delta exactly one account", () => {
    for (const pair of model.accounting) {
      expect(Object.values(pair.byAccount).reduce((sum, count) => sum + count, 0)).toBe(pair.deltas.length);
    }
  });
});

describe("a reference that follows a rename", () => {
  it("is accounted for by that rename, not by another of the same revision", () => {
    const entries = model.accounting.find((pair) => pair.to === "2025-11-25")?.entries ?? [];
    const retargeted = entries.filter(({ delta }) => delta.kind === "retargeted").map(({ delta, by }) => [delta.path, by]);
    expect(retargeted).toEqual([
      ["JSONRPCMessage", "JSONRPCResultResponse"],
      ["JSONRPCMessage", "JSONRPCErrorResponse"],
      ["PrimitiveSchemaDefinition", "LegacyTitledEnumSchema"],
    ]);
  });
});

describe("a naive comparison, path by path, that knows nothing of renames", () => {
  it("finds many more paths, every one at, below or moved by a delta", () => {
    let found = 0;
    for (const [index, pair] of model.accounting.entries()) {
      const [before, after] = [model.revisions[index]!.definitions, model.revisions[index + 1]!.definitions];
      const moves = model.renames.filter((rename) => rename.revision === index + 1);
      const paths = differingPaths(before, after);
      found += paths.length;
      const explains = (path: string) =>
        pair.deltas.some((delta) => isAtOrBelow(path, delta.path) || rewritesUnion(delta, path)) ||
        moves.some((move) => [...move.from, move.to].some((moved) => isAtOrBelow(path, moved) || path.endsWith(`|${moved}`)));
      expect(paths.filter((path) => !explains(path))).toEqual([]);
    }
    expect(found).toBeGreaterThan(1000);
  });

  it("would find a change the differ kept quiet about", () => {
    const [before, after] = [model.revisions[1]!.definitions, model.revisions[2]!.definitions];
    const paths = differingPaths(before, after);
    expect(paths).toContain("Tool.outputSchema");
    expect(paths).not.toContain("Tool.name");
  });
});

describe("an account that is wrong", () => {
  const accountWith = (change: (features: typeof model.features) => typeof model.features): Problem[] => {
    const problems: Problem[] = [];
    accountForDeltas({ ...model, features: change(model.features) }, problems);
    return problems;
  };

  it("leaves a delta out: shown with both lines and a row to paste", () => {
    const problems = accountWith((features) =>
      features.map((feature) =>
        feature.id === "metadata.icons"
          ? { ...feature, gates: { ...feature.gates, fields: feature.gates.fields.filter((path) => path !== "Tool.icons") } }
          : feature,
      ),
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ rule: "unaccounted", file: expect.stringMatching(/mcp\/2025-11-25\/schema\.json$/) as string });
    expect(problems[0]?.message).toMatch(
      /property-added Tool\.icons: .*2025-06-18\/schema\.json:\d+ against .*2025-11-25\/schema\.json:\d+/,
    );
    expect(problems[0]?.line).toBeGreaterThan(1);
    expect(problems[0]?.fix).toContain('gates: { fields: ["Tool.icons"] }');
  });

  it("claims a delta twice", () => {
    const problems = accountWith((features) =>
      features.map((feature) =>
        feature.id === "elicitation.url"
          ? { ...feature, gates: { ...feature.gates, fields: [...feature.gates.fields, "Tool.icons"] } }
          : feature,
      ),
    );
    expect(problems.map((problem) => [problem.rule, problem.message])).toEqual([
      ["double-account", "the delta property-added Tool.icons at 2025-11-25 is claimed by metadata.icons and elicitation.url"],
    ]);
  });

  it("claims what does not differ", () => {
    const problems = accountWith((features) =>
      features.map((feature) =>
        feature.id === "progress.message"
          ? { ...feature, gates: { ...feature.gates, fields: ["ProgressNotificationParams.progress"] } }
          : feature,
      ),
    );
    expect(problems.map((problem) => problem.rule).sort()).toEqual(["idle-claim", "unaccounted"]);
  });
});

describe("newestPath", () => {
  it.each([
    ["CallToolRequest.params.name", 0, "CallToolRequestParams.name"],
    ["CallToolRequest.params", 0, "CallToolRequest.params"],
    ["CallToolResult.content[]|AudioContent", 1, "ContentBlock|AudioContent"],
    ["EnumSchema.enum", 2, "LegacyTitledEnumSchema.enum"],
    ["EnumSchema", 3, "EnumSchema"],
    ["CompleteRequest.params.ref|ResourceReference", 0, "CompleteRequestParams.ref|ResourceTemplateReference"],
  ])("%s of revision %i is %s", (path, revision, want) => {
    expect(newestPath(path, revision, model.renames)).toBe(want);
  });
});

describe("skeletonFor", () => {
  it.each([
    [{ kind: "definition-added", path: "Icon" }, "definitions"],
    [{ kind: "property-added", path: "Tool.icons" }, "fields"],
    [{ kind: "member-added", path: "ContentBlock|Hologram" }, "members"],
    [{ kind: "required", path: "Tool.name" }, "changes"],
    [{ kind: "property-removed", path: "Tool.icons" }, "removes"],
  ] as const)("of $0.kind starts with what to fill in", (delta, key) => {
    const text = skeletonFor(delta);
    expect(text).toContain(key);
    expect(text).toContain("TODO");
    expect(text).toContain(JSON.stringify(delta.path));
  });
});

/** The paths at which two schemas differ, each node compared without what lies below it. */
function differingPaths(before: Definitions, after: Definitions): string[] {
  const [a, b] = [flatten(before), flatten(after)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort();
}

function flatten(definitions: Definitions): Map<string, string> {
  const flat = new Map<string, string>();
  const walk = (node: Schema, path: string, required: boolean): void => {
    const { properties, items, additionalProperties, anyOf, required: names, enum: values, ...rest } = node;
    flat.set(
      path,
      stable({
        ...rest,
        required,
        open: mapValue(node) === undefined ? (additionalProperties === true ? {} : additionalProperties) : "map",
        values: values && [...values].map(stable).sort(),
      }),
    );
    for (const [key, child] of Object.entries(properties ?? {})) walk(child, propertyPath(path, key), names?.includes(key) ?? false);
    if (items !== undefined) walk(items, `${path}[]`, false);
    const value = mapValue(node);
    if (value !== undefined) walk(value, `${path}.*`, false);
    for (const member of anyOf ?? []) walk(member, `${path}|${memberName(member)}`, false);
  };
  for (const [name, node] of Object.entries(definitions)) walk(node, name, false);
  return flat;
}

/** A union that gains a second kind of member is written another way: a type list becomes anyOf, a lone inline member stands in the union's place. */
function rewritesUnion(delta: Delta, path: string): boolean {
  const union = delta.path.split("|")[0] as string;
  return delta.kind.startsWith("member-") && (union === path.split("|")[0] || (delta.path.endsWith("|{}") && isAtOrBelow(path, union)));
}

function isAtOrBelow(path: string, above: string): boolean {
  return path === above || (path.startsWith(above) && /^[.[|]/.test(path.slice(above.length)));
}
