// Folds the changes.yaml files of one protocol, oldest first, into features with lifetimes, fills, renames and layout entries. Pure.
import type { Problem } from "../problem.js";
import type { Cite, Feature, Fill, Gates, Going, Layout, Loss, Lowering, Place, RenameRow, Requirement, Side } from "./types.js";

/** A changes.yaml after its grammar was checked. */
export interface Changes {
  readonly revision: string;
  readonly changelog: string;
  readonly entries: Readonly<Record<string, number>>;
  readonly features: readonly FeatureRow[];
  readonly removes: readonly { readonly feature: string; readonly cite: RowCite; readonly covers?: readonly string[] }[];
  readonly deprecates: readonly { readonly feature: string; readonly asOf?: string; readonly cite: RowCite }[];
  readonly renames: readonly { readonly from: readonly string[]; readonly to: string; readonly cite: RowCite }[];
  readonly fills: readonly { readonly feature: string; readonly at: readonly string[]; readonly value?: unknown; readonly from?: string }[];
  readonly layout: readonly { readonly id: string; readonly why: string; readonly covers: readonly string[]; readonly cite: RowCite }[];
  readonly unmodelled: readonly { readonly section: string; readonly ordinal: number; readonly why: string }[];
}

/** A cite as a row writes it; the revision is the file's. */
export interface RowCite {
  readonly section?: string;
  readonly ordinal?: number;
  readonly ref?: string;
  readonly page?: string;
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
}

type Mutable = { -readonly [K in keyof Feature]: Feature[K] };

/** Folds the files; duplicate ids, dangling names and impossible lifetimes become problems. */
export function foldRows(files: readonly ChangesFile[], roots: Readonly<Record<Side, string>>, problems: Problem[]): Folded {
  const features = new Map<string, Mutable>();
  const fills: Fill[] = [];
  const layout: Layout[] = [];
  const renames: RenameRow[] = [];
  const goings: Going[] = [];
  files.forEach((file, revision) => {
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
      features.set(row.id, toFeature(row, features.size, revision, files.length - 1, citeOf(row.cite), roots, place));
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
      for (const path of removal.covers ?? []) goings.push({ revision, path, place });
    });
    file.value.deprecates.forEach((entry, index) => {
      const place = at("deprecates", index);
      const feature = known(entry.feature, place);
      const since = entry.asOf ?? file.value.revision;
      if (!files.some((other) => other.value.revision === since))
        report(place, "dangling", `no revision is called ${since}`, "name a revision of protocol.yaml");
      if (feature !== undefined) feature.deprecated = { since, cite: citeOf(entry.cite) };
    });
    file.value.renames.forEach((rename, index) =>
      renames.push({ revision, from: rename.from, to: rename.to, cite: citeOf(rename.cite), place: at("renames", index) }),
    );
    file.value.fills.forEach((fill, index) => {
      const place = at("fills", index);
      const feature = known(fill.feature, place);
      const valued = Object.hasOwn(fill, "value");
      if (valued === (fill.from !== undefined))
        report(place, "fill", "a fill has either a value or a source", "write value: or from:, not both");
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
    file.value.layout.forEach((entry, index) => {
      const place = (path?: string) =>
        path === undefined ? at("layout", index) : at("layout", index, "covers", entry.covers.indexOf(path));
      layout.push({ id: entry.id, revision, why: entry.why, covers: entry.covers, cite: citeOf(entry.cite), place });
    });
  });
  return { features: [...features.values()], fills, layout, renames, goings };
}

function toFeature(
  row: FeatureRow,
  index: number,
  first: number,
  last: number,
  cite: Cite,
  roots: Readonly<Record<Side, string>>,
  place: Feature["place"],
): Mutable {
  const gates: Gates = { methods: [], definitions: [], fields: [], members: [], changes: [], results: [], ...row.gates };
  const isFlag = (path: string) => Object.values(roots).some((root) => path === root || path.startsWith(`${root}.`));
  const gated = [...gates.fields, ...gates.members].filter((path) => !isFlag(path));
  const lowerings: Lowering[] = (row.lowering ?? []).flatMap((entry) =>
    (entry.at ?? gated).map((at) => ({ at, loss: entry.loss, degrade: entry.degrade })),
  );
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
    place,
    ...(row.note === undefined ? {} : { note: row.note }),
    ...(requires === undefined ? {} : { requires }),
    ...(row.transport === undefined || row.transport === null ? {} : { transport: row.transport }),
  };
}

/** Finds where in a row a gated path or a lowering place is written. */
function placeWithin(row: FeatureRow, path: string | undefined): (string | number)[] {
  if (path === undefined) return [];
  if (path === "cite" || path === "requires" || path === "transport") return [path];
  for (const [list, items] of Object.entries(row.gates ?? {})) {
    const index = (items as readonly unknown[]).indexOf(path);
    if (index !== -1) return ["gates", list, index];
  }
  for (const [index, entry] of (row.lowering ?? []).entries()) {
    const item = entry.at?.indexOf(path) ?? -1;
    if (item !== -1) return ["lowering", index, "at", item];
  }
  return [];
}
