// Folds the changes.yaml files of one protocol, oldest first, into features with lifetimes, fills, renames and layout entries. Pure.
import type { Problem } from "../problem.js";
import { newestPath } from "./canonical.js";
import type {
  Cite,
  Feature,
  Fill,
  Gates,
  Going,
  Layout,
  NamedValues,
  Loss,
  Lowering,
  Place,
  RenameRow,
  Requirement,
  Side,
} from "./types.js";

/** A changes.yaml after its grammar was checked. */
export interface Changes {
  readonly revision: string;
  readonly changelog: string;
  readonly entries: Readonly<Record<string, number>>;
  readonly features: readonly FeatureRow[];
  readonly extends?: readonly ExtensionRow[];
  readonly removes: readonly { readonly feature: string; readonly cite: RowCite; readonly covers?: readonly string[] }[];
  readonly deprecates: readonly { readonly feature: string; readonly asOf?: string; readonly cite: RowCite }[];
  readonly renames: readonly { readonly from: readonly string[]; readonly to: string; readonly cite: RowCite }[];
  readonly fills: readonly { readonly feature: string; readonly at: readonly string[]; readonly value?: unknown; readonly from?: string }[];
  readonly layout: readonly { readonly id: string; readonly why: string; readonly covers: readonly string[]; readonly cite: RowCite }[];
  readonly values?: readonly { readonly at: readonly string[]; readonly values: readonly string[]; readonly cite: RowCite }[];
  readonly unmodelled: readonly { readonly section: string; readonly ordinal: number; readonly why: string }[];
}

/** A cite as a row writes it; the revision is the file's. */
export interface RowCite {
  readonly section?: string;
  readonly ordinal?: number;
  readonly ref?: string;
  readonly page?: string;
}

/** What a later revision adds to a feature of an earlier one. */
export interface ExtensionRow {
  readonly feature: string;
  readonly cite: RowCite;
  readonly requires?: Requirement;
  readonly gates?: Partial<Gates>;
  readonly lowering?: NonNullable<FeatureRow["lowering"]>;
}

interface FeatureRow {
  readonly id: string;
  readonly summary: string;
  readonly note?: string;
  readonly kind: Feature["kind"];
  readonly side: Side | "both";
  readonly requires?: Requirement;
  readonly transport?: string | null;
  readonly cite: RowCite;
  readonly gates?: Partial<Gates>;
  readonly errors?: Feature["errors"];
  readonly lowering?: readonly { readonly at?: readonly string[]; readonly loss: Loss; readonly degrade: readonly string[] }[];
}

/** A changes file with its line numbers. */
export interface ChangesFile {
  readonly file: string;
  readonly value: Changes;
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** What the rows of all revisions say together. */
export interface Folded {
  readonly features: Feature[];
  readonly fills: Fill[];
  readonly layout: Layout[];
  readonly renames: RenameRow[];
  readonly goings: Going[];
  readonly values: NamedValues[];
}

type Mutable = { -readonly [K in keyof Feature]: Feature[K] };

/**
 * Folds the files; duplicate ids, dangling names and impossible lifetimes become problems. A file writes paths in the names of its own
 * revision; here they take the names of the newest, so that a later rename changes no older file.
 */
export function foldRows(files: readonly ChangesFile[], roots: Readonly<Record<Side, string>>, problems: Problem[]): Folded {
  const features = new Map<string, Mutable>();
  const fills: Fill[] = [];
  const layout: Layout[] = [];
  const renames: RenameRow[] = [];
  const goings: Going[] = [];
  const values: NamedValues[] = [];
  const stated = files.flatMap((file, revision) => file.value.renames.map((rename) => ({ revision, from: rename.from, to: rename.to })));
  files
    .map((file, revision) => ({ ...file, value: inNewestNames(file.value, (path) => newestPath(path, revision, stated)) }))
    .forEach((file, revision) => {
      const at = (...path: (string | number)[]): Place => ({ file: file.file, line: file.lineOf(path) });
      const report = (place: Place, rule: string, message: string, fix: string) => problems.push({ ...place, rule, message, fix });
      const citeOf = (cite: RowCite): Cite => ({ revision: file.value.revision, ...cite });
      const known = (id: string, place: Place): Mutable | undefined => {
        const feature = features.get(id);
        if (feature === undefined) report(place, "dangling", `no feature is called ${id}`, "name a feature of this or an earlier revision");
        return feature;
      };
      file.value.features.forEach((row, index) => {
        const place = (path?: string) => at("features", index, ...placeWithin(row, path));
        const twin = features.get(row.id);
        if (twin !== undefined) {
          const first = twin.place();
          report(
            at("features", index, "id"),
            "duplicate",
            `the feature ${row.id} is already defined at ${first.file}:${first.line}`,
            "an id is given once and for ever; choose another",
          );
          return;
        }
        features.set(
          row.id,
          toFeature(row, features.size, revision, files.length - 1, citeOf(row.cite), roots, place, (path) =>
            at("features", index, ...path),
          ),
        );
      });
      (file.value.extends ?? []).forEach((extension, index) => {
        const place = (path?: string) => at("extends", index, ...placeWithin(extension, path));
        const feature = known(extension.feature, place());
        if (feature === undefined) return;
        if (feature.first === revision || feature.removal !== undefined) {
          const why = feature.removal === undefined ? "is introduced by this very revision" : `was removed by ${feature.removal.revision}`;
          report(
            place(),
            "lifetime",
            `cannot extend ${extension.feature}: it ${why}`,
            "write it in the feature's own row, or in a row of its own",
          );
          return;
        }
        const flagged = (["client", "server"] as const).find(
          (side) => extension.requires?.[side] !== undefined && feature.requires?.[side] !== undefined,
        );
        if (flagged !== undefined)
          report(
            place("requires"),
            "flag",
            `${extension.feature} already needs a ${flagged} capability`,
            "a feature needs at most one flag a side; write a row of its own",
          );
        extend(feature, extension, revision, citeOf(extension.cite), roots, place, (path) => at("extends", index, ...path));
      });
      file.value.removes.forEach((removal, index) => {
        const place = at("removes", index);
        const feature = known(removal.feature, place);
        if (feature === undefined) return;
        if (feature.first === revision || feature.removal !== undefined) {
          const why =
            feature.removal === undefined ? "is introduced by this very revision" : `was already removed by ${feature.removal.revision}`;
          report(place, "lifetime", `cannot remove ${removal.feature}: it ${why}`, "delete the entry");
          return;
        }
        feature.last = revision - 1;
        feature.removal = citeOf(removal.cite);
        for (const path of removal.covers ?? [])
          goings.push({ revision, path, feature: removal.feature, cite: citeOf(removal.cite), place });
      });
      file.value.deprecates.forEach((entry, index) => {
        const place = at("deprecates", index);
        const feature = known(entry.feature, place);
        const since = entry.asOf ?? file.value.revision;
        if (!files.some((other) => other.value.revision === since))
          report(place, "dangling", `no revision is called ${since}`, "name a revision of protocol.yaml");
        if (feature === undefined) return;
        const why =
          feature.removal !== undefined
            ? `it was removed by ${feature.removal.revision}`
            : feature.deprecated !== undefined
              ? `it is so since ${feature.deprecated.since}`
              : undefined;
        if (why !== undefined) report(place, "lifetime", `cannot deprecate ${entry.feature}: ${why}`, "delete the entry");
        feature.deprecated ??= { since, cite: citeOf(entry.cite) };
      });
      file.value.renames.forEach((rename, index) =>
        renames.push({
          revision,
          from: rename.from,
          to: rename.to,
          cite: citeOf(rename.cite),
          place: (from) => (from === undefined ? at("renames", index) : at("renames", index, "from", rename.from.indexOf(from))),
        }),
      );
      file.value.fills.forEach((fill, index) => {
        const place = (path?: string) => (path === undefined ? at("fills", index) : at("fills", index, "at", fill.at.indexOf(path)));
        const feature = known(fill.feature, place());
        const valued = Object.hasOwn(fill, "value");
        if (valued === (fill.from !== undefined))
          report(place(), "fill", "a fill has either a value or a source", "write value: or from:, not both");
        if (feature === undefined) return;
        fills.push({
          feature: feature.index,
          revision,
          at: fill.at,
          place,
          ...(valued ? { value: fill.value } : {}),
          ...(fill.from === undefined ? {} : { from: fill.from }),
        });
      });
      (file.value.values ?? []).forEach((entry, index) => {
        const place = (path?: string) => (path === undefined ? at("values", index) : at("values", index, "at", entry.at.indexOf(path)));
        values.push({ revision, at: entry.at, values: entry.values, cite: citeOf(entry.cite), place });
      });
      file.value.layout.forEach((entry, index) => {
        const place = (path?: string) =>
          path === undefined ? at("layout", index) : at("layout", index, "covers", entry.covers.indexOf(path));
        layout.push({ id: entry.id, revision, why: entry.why, covers: entry.covers, cite: citeOf(entry.cite), place });
      });
    });
  return { features: [...features.values()], fills, layout, renames, goings, values };
}

/** Rewrites every path of a file; nothing moves, so that a path is still found at its place. */
function inNewestNames(changes: Changes, rename: (path: string) => string): Changes {
  const paths = (list: readonly string[] | undefined) => list?.map(rename) ?? [];
  const row = <T extends Pick<FeatureRow, "gates" | "lowering">>(entry: T): T => ({
    ...entry,
    ...(entry.gates === undefined
      ? {}
      : {
          gates: {
            ...entry.gates,
            definitions: paths(entry.gates.definitions),
            fields: paths(entry.gates.fields),
            members: paths(entry.gates.members),
            changes: paths(entry.gates.changes),
            results: (entry.gates.results ?? []).map((result) => ({ ...result, definition: rename(result.definition) })),
          },
        }),
    ...(entry.lowering === undefined
      ? {}
      : {
          lowering: entry.lowering.map((lowering) => ({ ...lowering, ...(lowering.at === undefined ? {} : { at: paths(lowering.at) }) })),
        }),
  });
  return {
    ...changes,
    features: changes.features.map(row),
    extends: (changes.extends ?? []).map(row),
    removes: changes.removes.map((removal) => ({ ...removal, covers: paths(removal.covers) })),
    fills: changes.fills.map((fill) => ({ ...fill, at: paths(fill.at) })),
    layout: changes.layout.map((entry) => ({ ...entry, covers: paths(entry.covers) })),
    values: (changes.values ?? []).map((entry) => ({ ...entry, at: paths(entry.at) })),
  };
}

/** Adds to a feature what a later revision says it gates, needs and offers from then on. */
function extend(
  feature: Mutable,
  extension: ExtensionRow,
  revision: number,
  cite: Cite,
  roots: Readonly<Record<Side, string>>,
  place: Feature["place"],
  within: (path: readonly (string | number)[]) => Place,
): void {
  const added: Partial<Gates> = extension.gates ?? {};
  const lists = ["methods", "definitions", "fields", "members", "changes"] as const;
  const merged = Object.fromEntries(lists.map((list) => [list, [...feature.gates[list], ...(added[list] ?? [])]]));
  const before = feature.place;
  feature.gates = { ...feature.gates, ...merged, results: [...feature.gates.results, ...(added.results ?? [])] };
  feature.lowerings = [...feature.lowerings, ...loweringsOf(extension, roots, within)];
  feature.extensions = [...feature.extensions, { revision, gates: added, cite }];
  feature.since = new Map([...feature.since, ...lists.flatMap((list) => (added[list] ?? []).map((path) => [path, revision] as const))]);
  const isHere = (path: string) =>
    path === "requires" ? extension.requires !== undefined : lists.some((list) => added[list]?.includes(path));
  feature.place = (path) => (path !== undefined && isHere(path) ? place(path) : before(path));
  if (extension.requires !== undefined) feature.requires = { ...feature.requires, ...extension.requires, since: cite.revision };
}

function loweringsOf(
  row: Pick<FeatureRow, "gates" | "lowering">,
  roots: Readonly<Record<Side, string>>,
  at: (path: readonly (string | number)[]) => Place,
): Lowering[] {
  const isFlag = (path: string) => Object.values(roots).some((root) => path === root || path.startsWith(`${root}.`));
  const gated = [...(row.gates?.fields ?? []), ...(row.gates?.members ?? [])].filter((path) => !isFlag(path));
  return (row.lowering ?? []).flatMap((entry, index) => {
    const place = (path: string) => at(["lowering", index, ...(entry.at === undefined ? [] : ["at", entry.at.indexOf(path)])]);
    return (entry.at ?? gated).map((path) => ({ at: path, loss: entry.loss, degrade: entry.degrade, place: place(path) }));
  });
}

function toFeature(
  row: FeatureRow,
  index: number,
  first: number,
  last: number,
  cite: Cite,
  roots: Readonly<Record<Side, string>>,
  place: Feature["place"],
  within: (path: readonly (string | number)[]) => Place,
): Mutable {
  const gates: Gates = { methods: [], definitions: [], fields: [], members: [], changes: [], results: [], ...row.gates };
  const lowerings = loweringsOf(row, roots, within);
  const requires = row.requires !== undefined && Object.keys(row.requires).length > 0 ? row.requires : undefined;
  return {
    index,
    id: row.id,
    summary: row.summary,
    kind: row.kind,
    side: row.side,
    first,
    last,
    cite,
    gates,
    errors: row.errors ?? [],
    lowerings,
    extensions: [],
    since: new Map(),
    place,
    ...(row.note === undefined ? {} : { note: row.note }),
    ...(requires === undefined ? {} : { requires }),
    ...(row.transport === undefined || row.transport === null ? {} : { transport: row.transport }),
  };
}

/** Finds where in a row a gated path or a lowering place is written. */
function placeWithin(row: Pick<FeatureRow, "gates" | "lowering">, path: string | undefined): (string | number)[] {
  if (path === undefined) return [];
  if (["cite", "requires", "transport", "errors"].includes(path)) return [path];
  for (const [list, items] of Object.entries(row.gates ?? {})) {
    const index = (items as readonly unknown[]).indexOf(path);
    if (index !== -1) return ["gates", list, index];
  }
  for (const [index, result] of (row.gates?.results ?? []).entries()) {
    if (result.methods.includes(path)) return ["gates", "results", index];
  }
  return [];
}
