// Answers what the generated tables say of a feature, a method, a field, a revision or a pair of revisions. Pure: data in, data out; the commands print.

import { printCite } from "../errors.js";
import type { Cite, FeatureEntry, MethodEntry, ProtocolTables } from "../protocol.js";
import { isBetween, revisionIndex } from "../revision.js";

/** One structural change as the generated tables list it. */
export interface ChangeEntry {
  readonly kind: string;
  readonly path: string;
  readonly account: string;
  readonly by: string;
  readonly cite: Cite;
}

/** What one feature is and gates, and what else its row says. */
export interface GateEntry {
  readonly feature: string;
  readonly summary: string;
  readonly methods: readonly string[];
  readonly paths: readonly string[];
  readonly errors?: readonly { readonly name: string; readonly code: number }[];
  readonly note?: string;
}

/** Everything the commands read. */
export interface Catalogue {
  readonly tables: ProtocolTables;
  readonly changes: Readonly<Record<string, readonly ChangeEntry[]>>;
  readonly gates: readonly GateEntry[];
}

/** Something that came, went or changed, with the row that says so. */
export interface Difference {
  readonly change: "came" | "went" | "changed" | "deprecated";
  readonly name: string;
  readonly by?: string;
  readonly cite: string;
}

/** What differs from one revision to another. */
export interface RevisionDifference {
  readonly from: string;
  readonly to: string;
  readonly features: readonly Difference[];
  readonly methods: readonly Difference[];
  readonly fields: readonly Difference[];
}

/** What a difference is on the way back: what was deprecated was there before, so it only changes. */
const BACK = { came: "went", went: "came", changed: "changed", deprecated: "changed" } as const;

/** Lists what came, went and changed from one revision to another; going back in time what came counts as gone. */
export function compareRevisions(catalogue: Catalogue, from: string, to: string): RevisionDifference {
  const { tables } = catalogue;
  const backwards = revisionIndex(tables, from) > revisionIndex(tables, to);
  const [older, newer] = backwards ? [to, from] : [from, to];
  const turned = (difference: Difference): Difference => (backwards ? { ...difference, change: BACK[difference.change] } : difference);
  return {
    from,
    to,
    features: compareFeatures(tables, older, newer).map(turned),
    methods: compareMethods(tables, older, newer, backwards).map(turned),
    fields: compareFields(catalogue, older, newer).map(turned),
  };
}

function compareFeatures(tables: ProtocolTables, older: string, newer: string): Difference[] {
  return tables.features.flatMap((feature): Difference[] => {
    const before = isBetween(tables, older, feature.first, feature.last);
    const after = isBetween(tables, newer, feature.first, feature.last);
    if (!before && after) return [{ change: "came", name: feature.id, cite: printCite(feature.cite) }];
    if (before && !after) return [{ change: "went", name: feature.id, cite: printCite(feature.removal ?? feature.cite) }];
    const since = feature.deprecated?.since;
    const isNew =
      since !== undefined &&
      revisionIndex(tables, since) > revisionIndex(tables, older) &&
      revisionIndex(tables, since) <= revisionIndex(tables, newer);
    return after && isNew && feature.deprecated !== undefined
      ? [{ change: "deprecated", name: feature.id, cite: printCite(feature.deprecated.cite) }]
      : [];
  });
}

function compareMethods(tables: ProtocolTables, older: string, newer: string, backwards: boolean): Difference[] {
  const before = new Map((tables.methods[older] ?? []).map((method) => [method.method, method]));
  const after = new Map((tables.methods[newer] ?? []).map((method) => [method.method, method]));
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name): Difference[] => {
    const [old, now] = [before.get(name), after.get(name)];
    const row = tables.features[(now ?? old)?.feature ?? -1];
    if (row === undefined) return [];
    if (old === undefined) return [{ change: "came", name, by: row.id, cite: printCite(row.cite) }];
    if (now === undefined) return [{ change: "went", name, by: row.id, cite: printCite(row.removal ?? row.cite) }];
    const ways = [travel(old), travel(now)];
    if (ways[0] === ways[1]) return [];
    if (backwards) ways.reverse();
    return [{ change: "changed", name: `${name}: ${ways.join(" became ")}`, by: row.id, cite: printCite(row.cite) }];
  });
}

/** Says how a method travels: `clientToServer`, or the payload that carries it. */
function travel(method: MethodEntry): string {
  const directions = method.directions.join(" and ");
  return method.carrier === undefined ? directions : `${directions} inside ${method.carrier}`;
}

const CAME = /-added$/;
const WENT = /-removed$/;

function compareFields({ tables, changes }: Catalogue, older: string, newer: string): Difference[] {
  const between = tables.revisions.slice(revisionIndex(tables, older) + 1, revisionIndex(tables, newer) + 1);
  const found = new Map<string, Difference>();
  for (const { revision } of between) {
    for (const { kind, path, account, by, cite } of changes[revision] ?? []) {
      if (account === "rename" || account === "layout") continue;
      const change = CAME.test(kind) ? "came" : WENT.test(kind) ? "went" : "changed";
      const before = found.get(path);
      // What came and went again in between is no difference.
      if (before?.change === "came" && change === "went") found.delete(path);
      else found.set(path, { change: before?.change === "came" ? "came" : change, name: path, by, cite: printCite(cite) });
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What the tables say of a name. */
export type Explained =
  | { readonly kind: "feature"; readonly feature: FeatureEntry; readonly gates: GateEntry; readonly lowerings: ProtocolTables["lowerings"] }
  | {
      readonly kind: "method";
      readonly method: string;
      readonly revisions: readonly { readonly revision: string; readonly entry: MethodEntry; readonly feature: FeatureEntry }[];
    }
  | {
      readonly kind: "path";
      readonly path: string;
      readonly features: readonly (FeatureEntry & Pick<GateEntry, "summary">)[];
      readonly changes: readonly (ChangeEntry & { readonly revision: string })[];
    };

/** Looks a name up: a feature id, a method, a definition, or `Definition.field`; undefined where the tables know no such thing. */
export function explainName(catalogue: Catalogue, name: string): Explained | undefined {
  const { tables, gates, changes } = catalogue;
  const index = tables.features.findIndex((feature) => feature.id === name);
  const feature = tables.features[index];
  if (feature !== undefined) {
    const gate = gates.find((entry) => entry.feature === name) ?? { feature: name, summary: "", methods: [], paths: [] };
    return { kind: "feature", feature, gates: gate, lowerings: tables.lowerings.filter((entry) => entry.feature === index) };
  }
  const revisions = tables.revisions.flatMap(({ revision }) => {
    const entry = tables.methods[revision]?.find((method) => method.method === name);
    const row = entry && tables.features[entry.feature];
    return entry === undefined || row === undefined ? [] : [{ revision, entry, feature: row }];
  });
  if (revisions.length > 0) return { kind: "method", method: name, revisions };
  const touching = Object.entries(changes).flatMap(([revision, list]) =>
    list.filter((change) => touches(change.path, name)).map((change) => ({ ...change, revision })),
  );
  const gating = gates
    .filter((gate) => gate.paths.some((path) => touches(path, name)))
    .flatMap((gate) => {
      const row = tables.features.find((entry) => entry.id === gate.feature);
      return row === undefined ? [] : [{ ...row, summary: gate.summary }];
    });
  return touching.length + gating.length > 0 ? { kind: "path", path: name, features: gating, changes: touching } : undefined;
}

/** Lists every name `explainName` knows, for suggestions. */
export function knownNames({ tables, gates, changes }: Catalogue): string[] {
  const methods = Object.values(tables.methods).flatMap((list) => list.map((method) => method.method));
  const paths = [...gates.flatMap((gate) => gate.paths), ...Object.values(changes).flatMap((list) => list.map((change) => change.path))];
  return [...new Set([...tables.features.map((feature) => feature.id), ...methods, ...paths])];
}

function touches(path: string, name: string): boolean {
  return path === name || (path.startsWith(name) && path.charAt(name.length) === "|") || path.endsWith(`|${name}`);
}
