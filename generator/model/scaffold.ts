// Writes the changes.yaml a new revision starts from: one TODO row per delta against the revision before it, grouped so that a person can work
// through it. Probable renames are taken first, so that only real differences are listed beside them. Pure.
import { describeDelta, gateListFor } from "./accounting.js";
import { newestPath, type Rename } from "./canonical.js";
import { diffRevisions, type Delta } from "./diff.js";
import { own, stable, type Definitions } from "./schema.js";
import type { Feature, Model } from "./types.js";

/** What the scaffold is drawn up from. */
export interface ScaffoldSources {
  readonly model: Model;
  readonly revision: string;
  readonly before: Definitions;
  readonly after: Definitions;
}

/** Writes the scaffold; every TODO in it fails generate until it is filled in. */
export function scaffoldChanges({ model, revision, before, after }: ScaffoldSources): string {
  const renames = guessRenames(before, after);
  const deltas = diffRevisions(before, after, renames).filter((delta) => delta.rename === undefined);
  const of = (...kinds: Delta["kind"][]) => deltas.filter((delta) => kinds.includes(delta.kind));
  const removals = of("definition-removed", "property-removed", "member-removed");
  const groups: [string, readonly Delta[]][] = [
    ["new definitions and methods", of("definition-added")],
    ["new union members", of("member-added")],
    ["new fields", of("property-added")],
    ["changed shapes", of("type", "required", "optional", "openness", "constraint")],
  ];
  const features = groups.flatMap(([title, list]) =>
    list.length === 0
      ? []
      : [`  # ${title}: merge the rows that belong to one feature`, ...list.flatMap((delta) => featureRow(delta, after))],
  );
  const required = of("property-added").filter((delta) => isRequired(delta.path, after));
  return [
    `# What revision ${revision} of the protocol changed, one row a feature, each with the entry that says so. Grammar: schemas/README.md.`,
    `revision: ${JSON.stringify(revision)}`,
    `changelog: ${model.specification}/${revision}/changelog`,
    "# how many entries each section of its changelog has: major, minor, other, deprecated, governance, process",
    `entries: ${deltas.length + renames.length === 0 ? "{}" : "TODO"}`,
    ...list("features", features),
    ...list(
      "removes",
      removals.length === 0
        ? []
        : [
            "  # what is gone: end the feature that gates it; covers takes paths that go with another feature's end",
            ...removals.map((delta) => removalRow(delta, model)),
          ],
    ),
    "deprecates: []",
    ...list(
      "renames",
      renames.map((rename) => `  - { from: ${JSON.stringify(rename.from)}, to: ${rename.to}, cite: { section: TODO } }`),
    ),
    ...list(
      "fills",
      required.length === 0
        ? []
        : [
            "  # required now and absent before: the value a lower() writes",
            ...required.map((delta) => `  - { feature: TODO, at: [${JSON.stringify(delta.path)}], value: TODO }`),
          ],
    ),
    "layout: []",
    "unmodelled: []",
    "",
  ].join("\n");
}

/** Pairs definitions that went with definitions that came and say the same under another name. */
export function guessRenames(before: Definitions, after: Definitions): Rename[] {
  const gone = Object.keys(before).filter((name) => own(after, name) === undefined);
  const come = Object.keys(after).filter((name) => own(before, name) === undefined);
  return gone.flatMap((from) => {
    const shape = stable(before[from]);
    const twins = come.filter((to) => stable(after[to]) === shape);
    return twins.length === 1 ? [{ revision: 0, from: [from], to: twins[0] as string }] : [];
  });
}

function list(key: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [`${key}: []`] : [`${key}:`, ...lines];
}

function featureRow(delta: Delta, after: Definitions): string[] {
  const kind = gateListFor(delta.kind);
  const method = delta.kind === "definition-added" ? own(own(after, delta.path)?.properties, "method")?.const : undefined;
  const methods = typeof method === "string" ? `methods: [${JSON.stringify(method)}], ` : "";
  return [
    `  # ${describeDelta(delta)}`,
    "  - id: TODO",
    "    summary: TODO",
    "    kind: behaviour",
    "    side: both",
    "    cite: { section: TODO }",
    `    gates: { ${methods}${kind}: [${JSON.stringify(delta.path)}] }`,
  ];
}

function removalRow(delta: Delta, model: Model): string {
  const path = newestPath(delta.path, model.revisions.length - 1, model.renames);
  const owner = model.features.find((feature) => feature.last === model.revisions.length - 1 && gates(feature, path));
  const covers = owner === undefined ? `, covers: [${JSON.stringify(delta.path)}]` : "";
  return `  - { feature: ${owner?.id ?? "TODO"}, cite: { section: TODO }${covers} } # ${describeDelta(delta)}`;
}

function gates(feature: Feature, path: string): boolean {
  return [...feature.gates.definitions, ...feature.gates.fields, ...feature.gates.members].includes(path);
}

function isRequired(path: string, definitions: Definitions): boolean {
  const match = /^(\w+)\.(\w+)$/.exec(path);
  return match !== null && (own(definitions, match[1] as string)?.required?.includes(match[2] as string) ?? false);
}
