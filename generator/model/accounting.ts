// Accounts for every structural delta: each must be covered by exactly one row, rename, fill or layout entry, and each row that claims a schema
// path must cover a delta or belong to the baseline. Pure.
import type { Problem } from "../problem.js";
import { diffRevisions, type Delta, type DeltaKind } from "./diff.js";
import { newestPath } from "./canonical.js";
import { parsePath } from "./path.js";
import { mapValue, own, type Definitions, type Schema } from "./schema.js";
import type { Account, AccountedDelta, Accounting, Cite, Feature, Gates, Model, Place, RenameRow, Revision } from "./types.js";

interface Claim {
  readonly account: Account;
  /** The id of the feature or layout entry that claims, and how a message speaks of it. */
  readonly by: string;
  readonly owner: string;
  readonly cite: Cite;
  readonly path: string;
  readonly kinds: readonly DeltaKind[];
  /** True where everything below the path is covered too, except properties that come or go: these are claimed by name. */
  readonly wide: boolean;
  readonly place: Place;
}

const ADDED = { definitions: ["definition-added"], fields: ["property-added"], members: ["member-added"] } as const;
const REMOVED = { definitions: ["definition-removed"], fields: ["property-removed"], members: ["member-removed"] } as const;
const CHANGED: readonly DeltaKind[] = [
  "type",
  "required",
  "optional",
  "openness",
  "constraint",
  "member-added",
  "member-removed",
  "property-added",
  "property-removed",
];
const ANY: readonly DeltaKind[] = [...CHANGED, "definition-added", "definition-removed"];

/** Accounts for all pairs; a delta without exactly one account, or a claim without a delta, becomes a problem. */
export function accountForDeltas(model: Model, problems: Problem[]): Accounting[] {
  return model.revisions
    .slice(1)
    .map((revision) => accountForPair(model, model.revisions[revision.index - 1] as Revision, revision, problems));
}

function accountForPair(model: Model, before: Revision, after: Revision, problems: Problem[]): Accounting {
  const renames = model.renames.filter((rename) => rename.revision === after.index);
  const deltas = diffRevisions(before.definitions, after.definitions, renames);
  const claims = claimsAt(model, after);
  const used = new Set<Claim>();
  const byAccount: Record<Account, number> = { row: 0, removal: 0, rename: 0, fill: 0, layout: 0 };
  const entries: AccountedDelta[] = [];
  for (const delta of deltas) {
    const claim = renameOf(delta, renames) ?? claimFor(delta, model, after, claims, used, problems);
    if (claim === undefined) {
      problems.push(unaccounted(delta, before, after));
      continue;
    }
    byAccount[claim.account] += 1;
    entries.push({ delta, account: claim.account, by: claim.by, cite: claim.cite });
  }
  // What lies inside a definition that came or went as a whole is no delta of its own, but its row is not idle.
  const whole = deltas
    .filter((delta) => delta.kind === "definition-added" || delta.kind === "definition-removed")
    .map((delta) => newestPath(delta.path, after.index, model.renames));
  const isBusy = (claim: Claim) => used.has(claim) || whole.some((path) => isBelow(claim.path, path));
  const idle = claims.filter((claim) => claim.account !== "fill" && !claims.some((other) => other.owner === claim.owner && isBusy(other)));
  for (const owner of new Set(idle.map((claim) => claim.owner))) {
    const claim = idle.find((candidate) => candidate.owner === owner) as Claim;
    problems.push({
      ...claim.place,
      rule: "idle-claim",
      message: `${owner} claims ${claim.path} but nothing in the schemas of ${before.id} and ${after.id} differs there`,
      fix: "correct the path, or move the row to the revision that changes it",
    });
  }
  return { from: before.id, to: after.id, deltas, entries, byAccount };
}

/** The rename row that made a delta. */
function renameOf(delta: Delta, renames: readonly RenameRow[]): Pick<Claim, "account" | "by" | "cite"> | undefined {
  const rename = renames.find((candidate) => candidate === delta.rename);
  return rename && { account: "rename", by: rename.to, cite: rename.cite };
}

function claimFor(
  delta: Delta,
  model: Model,
  after: Revision,
  claims: readonly Claim[],
  used: Set<Claim>,
  problems: Problem[],
): Claim | undefined {
  const path = newestPath(delta.path, after.index, model.renames);
  const comesOrGoes = delta.kind === "property-added" || delta.kind === "property-removed";
  const matching = claims.filter(
    (claim) => claim.kinds.includes(delta.kind) && (claim.path === path || (claim.wide && !comesOrGoes && isBelow(path, claim.path))),
  );
  const stated = matching.some((claim) => claim.account !== "fill") ? matching.filter((claim) => claim.account !== "fill") : matching;
  const longest = Math.max(0, ...stated.map((claim) => claim.path.length));
  const best = stated.filter((claim) => claim.path.length === longest);
  for (const claim of best) used.add(claim);
  const owners = [...new Set(best.map((claim) => claim.owner))];
  if (owners.length > 1) {
    const place = (best[1] as Claim).place;
    problems.push({
      ...place,
      rule: "double-account",
      message: `the delta ${delta.kind} ${path} at ${after.id} is claimed by ${owners.join(" and ")}`,
      fix: "let one of them claim the path",
    });
  }
  return best[0];
}

function claimsAt(model: Model, revision: Revision): Claim[] {
  const here = revision.index;
  const features = model.features.flatMap((feature) => [
    ...(feature.first === here
      ? claimsOfGates(feature, startingGates(feature), { account: "row", owner: feature.id, cite: feature.cite })
      : []),
    ...feature.extensions
      .filter((extension) => extension.revision === here)
      .flatMap((extension) =>
        claimsOfGates(feature, extension.gates, { account: "row", owner: `${feature.id} as extended`, cite: extension.cite }),
      ),
    ...(feature.last + 1 === here
      ? claimsOfGates(feature, feature.gates, {
          account: "removal",
          owner: `the removal of ${feature.id}`,
          cite: feature.removal ?? feature.cite,
        })
      : []),
  ]);
  const goings = model.goings
    .filter((going) => going.revision === here)
    .map((going): Claim => ({
      ...going,
      account: "removal",
      by: going.feature,
      owner: `the removal of ${going.feature}`,
      kinds: ANY,
      wide: false,
    }));
  // A fill need not be a delta of its own: the field it fills is usually new, and then its row says so.
  const fills = model.fills
    .filter((fill) => fill.revision === here)
    .flatMap((fill) => {
      const { id, cite } = model.features[fill.feature] as Feature;
      return fill.at.map((path): Claim => ({
        account: "fill",
        by: id,
        owner: `the fills of ${id}`,
        cite,
        path,
        kinds: ["required"],
        wide: false,
        place: fill.place(path),
      }));
    });
  const layout = model.layout
    .filter((entry) => entry.revision === here)
    .flatMap((entry) =>
      entry.covers.map((path): Claim => ({
        account: "layout",
        by: entry.id,
        owner: `the layout entry ${entry.id}`,
        cite: entry.cite,
        path,
        kinds: ANY,
        wide: true,
        place: entry.place(path),
      })),
    );
  return [...features, ...goings, ...fills, ...layout];
}

function claimsOfGates(feature: Feature, gates: Partial<Gates>, said: Pick<Claim, "account" | "owner" | "cite">): Claim[] {
  const kinds = said.account === "removal" ? REMOVED : ADDED;
  const claim = (path: string, of: readonly DeltaKind[], wide: boolean): Claim => ({
    ...said,
    by: feature.id,
    path,
    kinds: of,
    wide,
    place: feature.place(path),
  });
  const lists = (["definitions", "fields", "members"] as const).flatMap((list) =>
    (gates[list] ?? []).map((path) => claim(path, kinds[list], false)),
  );
  return [...lists, ...(gates.changes ?? []).map((path) => claim(path, CHANGED, true))];
}

/** What a feature gates from its first revision on, without what later revisions added to it. */
function startingGates(feature: Feature): Partial<Gates> {
  const own = (paths: readonly string[]) => paths.filter((path) => !feature.since.has(path));
  const { definitions, fields, members, changes } = feature.gates;
  return { definitions: own(definitions), fields: own(fields), members: own(members), changes: own(changes) };
}

function isBelow(path: string, above: string): boolean {
  return path.startsWith(above) && /^[.[|]/.test(path.slice(above.length));
}

function unaccounted(delta: Delta, before: Revision, after: Revision): Problem {
  const isGone = delta.after === undefined && delta.before !== undefined;
  const here = isGone ? before : after;
  const places = [before, after].map(
    (revision) => `${revision.schemaFile}:${revision.lineOf(pointerOf(delta.path, revision.definitions))}`,
  );
  return {
    file: here.schemaFile,
    line: here.lineOf(pointerOf(delta.path, here.definitions)),
    rule: "unaccounted",
    message: `nothing accounts for the delta ${describeDelta(delta)} (${places.join(" against ")})`,
    fix: `claim it in ${after.changesFile}:\n${skeletonFor(delta)}`,
  };
}

/** Says in words what a delta is: `property-added Tool.icons: {…}`. */
export function describeDelta(delta: Delta): string {
  const show = (node: unknown) => {
    const text = JSON.stringify(node);
    return text.length > 80 ? `${text.slice(0, 79)}…` : text;
  };
  if (delta.before !== undefined && delta.after !== undefined)
    return `${delta.kind} ${delta.path}: ${show(delta.before)} became ${show(delta.after)}`;
  const node = delta.after ?? delta.before;
  return node === undefined ? `${delta.kind} ${delta.path}` : `${delta.kind} ${delta.path}: ${show(node)}`;
}

/** Names the list under `gates` in which a row claims a delta of this kind. */
export function gateListFor(kind: Delta["kind"]): "definitions" | "fields" | "members" | "changes" {
  if (kind === "definition-added") return "definitions";
  if (kind === "property-added") return "fields";
  return kind === "member-added" ? "members" : "changes";
}

/** Writes a row to paste for a delta: an addition or change starts a feature, a removal ends one. */
export function skeletonFor(delta: Delta): string {
  const path = JSON.stringify(delta.path);
  if (delta.kind === "definition-removed" || delta.kind === "property-removed" || delta.kind === "member-removed") {
    return `    removes:\n      - { feature: TODO, cite: { section: TODO, ordinal: 1 }, covers: [${path}] }`;
  }
  const list = gateListFor(delta.kind);
  return [
    "    features:",
    "      - id: TODO",
    "        summary: TODO",
    "        kind: behaviour",
    "        side: both",
    "        cite: { section: TODO, ordinal: 1 }",
    `        gates: { ${list}: [${path}] }`,
  ].join("\n");
}

/** The keys that lead to a place in a schema file, as far as the file spells it out. */
function pointerOf(text: string, definitions: Definitions): (string | number)[] {
  const path = parsePath(text);
  if (path === undefined) return ["$defs"];
  const keys: (string | number)[] = ["$defs", path.definition];
  let node: Schema | undefined = own(definitions, path.definition);
  for (const step of path.steps) {
    const below = typeof step === "object" ? ["properties", step.property] : [step === "[]" ? "items" : "additionalProperties"];
    node = typeof step === "object" ? own(node?.properties, step.property) : step === "[]" ? node?.items : node && mapValue(node);
    if (node === undefined) break;
    keys.push(...below);
  }
  return keys;
}
