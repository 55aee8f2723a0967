// Folds the changes.yaml files of one protocol, oldest first, into features with lifetimes, fills, renames and layout entries; duplicate ids,
// dangling names and impossible lifetimes become problems. Pure.
import type { Problem } from "../problem.js";
import { newestPath } from "./canonical.js";
import { siblingPath } from "./path.js";
import { inNewestNames, type Changes, type ChangesFile, type ExtensionRow, type FeatureRow, type RowCite } from "./rows.js";
import type { Cite, Feature, Fill, Gates, Going, Layout, Lowering, NamedValues, Place, PropertyRename, RenameRow, Side } from "./types.js";

/** What the rows of all revisions say together. */
export interface Folded {
  readonly features: Feature[];
  readonly fills: Fill[];
  readonly layout: Layout[];
  readonly renames: RenameRow[];
  readonly propertyRenames: PropertyRename[];
  readonly goings: Going[];
  readonly values: NamedValues[];
}

type Mutable = { -readonly [K in keyof Feature]: Feature[K] };
type Roots = Readonly<Record<Side, string>>;
type Entry<K extends keyof Changes> = NonNullable<Changes[K]> extends readonly (infer T)[] ? T : never;

/**
 * Folds the files. A file writes paths in the names of its own revision; here they take the names of the newest, so that a later rename
 * changes no older file.
 */
export function foldRows(files: readonly ChangesFile[], roots: Roots, problems: Problem[]): Folded {
  const stated = files.flatMap((file, revision) => file.value.renames.map(({ from, to }) => ({ revision, from, to })));
  const fold = new Fold(files, roots, problems);
  for (const [revision, file] of files.entries()) {
    fold.file({ ...file, value: inNewestNames(file.value, (path) => newestPath(path, revision, stated)) }, revision);
  }
  return fold.result();
}

/** What one file says at one place: where it stands, and whose changelog it cites. */
class Page {
  constructor(
    readonly file: ChangesFile,
    readonly revision: number,
  ) {}

  get id(): string {
    return this.file.value.revision;
  }

  at(...path: (string | number)[]): Place {
    return { file: this.file.file, line: this.file.lineOf(path) };
  }

  /** Places of a row: of itself, or of one of the paths in one of its lists. */
  rowPlaces(list: keyof Changes, index: number, key: string, items: readonly string[]): (item?: string) => Place {
    return (item) => (item === undefined ? this.at(list, index) : this.at(list, index, key, items.indexOf(item)));
  }

  cite(cite: RowCite): Cite {
    return { revision: this.id, ...cite };
  }
}

class Fold {
  private readonly features = new Map<string, Mutable>();
  private readonly fills: Fill[] = [];
  private readonly layout: Layout[] = [];
  private readonly renames: RenameRow[] = [];
  private readonly propertyRenames: PropertyRename[] = [];
  private readonly goings: Going[] = [];
  private readonly values: NamedValues[] = [];

  constructor(
    private readonly files: readonly ChangesFile[],
    private readonly roots: Roots,
    private readonly problems: Problem[],
  ) {}

  file(file: ChangesFile, revision: number): void {
    const page = new Page(file, revision);
    const { value } = file;
    value.features.forEach((row, index) => this.feature(row, index, page));
    (value.extends ?? []).forEach((row, index) => this.extension(row, index, page));
    value.removes.forEach((row, index) => this.removal(row, index, page));
    value.deprecates.forEach((row, index) => this.deprecation(row, index, page));
    value.renames.forEach((row, index) => this.rename(row, index, page));
    (value.propertyRenames ?? []).forEach((row, index) => this.propertyRename(row, index, page));
    value.fills.forEach((row, index) => this.fill(row, index, page));
    (value.values ?? []).forEach((row, index) => this.named(row, index, page));
    value.layout.forEach((row, index) => this.layoutEntry(row, index, page));
  }

  result(): Folded {
    const { features, fills, layout, renames, propertyRenames, goings, values } = this;
    return { features: [...features.values()], fills, layout, renames, propertyRenames, goings, values };
  }

  private report(place: Place, rule: string, message: string, fix: string): void {
    this.problems.push({ ...place, rule, message, fix });
  }

  private known(id: string, place: Place): Mutable | undefined {
    const feature = this.features.get(id);
    if (feature === undefined)
      this.report(place, "dangling", `no feature is called ${id}`, "name a feature of this or an earlier revision");
    return feature;
  }

  private feature(row: FeatureRow, index: number, page: Page): void {
    const twin = this.features.get(row.id);
    if (twin !== undefined) {
      const first = twin.place();
      const message = `the feature ${row.id} is already defined at ${first.file}:${first.line}`;
      this.report(page.at("features", index, "id"), "duplicate", message, "an id is given once and for ever; choose another");
      return;
    }
    const within = (path: readonly (string | number)[]) => page.at("features", index, ...path);
    const gates: Gates = { methods: [], definitions: [], fields: [], members: [], changes: [], results: [], constants: [], ...row.gates };
    const { id, summary, kind, side, note, requires, transport } = row;
    this.features.set(id, {
      index: this.features.size,
      id,
      summary,
      kind,
      side,
      first: page.revision,
      last: this.files.length - 1,
      cite: page.cite(row.cite),
      gates,
      access: (row.access ?? []).map((access, at) => ({ ...access, place: within(["access", at]) })),
      errors: (row.errors ?? []).map((error, at) => ({ ...error, place: within(["errors", at]) })),
      lowerings: loweringsOf(row, this.roots, within),
      extensions: [],
      since: new Map(),
      place: (path) => within(placeWithin(row, path)),
      ...(note === undefined ? {} : { note }),
      ...(requires === undefined || Object.keys(requires).length === 0 ? {} : { requires }),
      ...(transport === undefined || transport === null ? {} : { transport }),
    });
  }

  private extension(row: ExtensionRow, index: number, page: Page): void {
    const within = (path: readonly (string | number)[]) => page.at("extends", index, ...path);
    const feature = this.known(row.feature, within([]));
    if (feature === undefined) return;
    if (feature.first === page.revision || feature.removal !== undefined) {
      const why = feature.removal === undefined ? "is introduced by this very revision" : `was removed by ${feature.removal.revision}`;
      this.report(
        within([]),
        "lifetime",
        `cannot extend ${row.feature}: it ${why}`,
        "write it in the feature's own row, or in a row of its own",
      );
      return;
    }
    const flagged = (["client", "server"] as const).find(
      (side) => row.requires?.[side] !== undefined && feature.requires?.[side] !== undefined,
    );
    if (flagged !== undefined) {
      const message = `${row.feature} already needs a ${flagged} capability`;
      this.report(within(["requires"]), "flag", message, "a feature needs at most one flag a side; write a row of its own");
    }
    extend(feature, row, page, this.roots, within);
  }

  private removal(row: Entry<"removes">, index: number, page: Page): void {
    const place = page.at("removes", index);
    const feature = this.known(row.feature, place);
    if (feature === undefined) return;
    if (feature.first === page.revision || feature.removal !== undefined) {
      const why =
        feature.removal === undefined ? "is introduced by this very revision" : `was already removed by ${feature.removal.revision}`;
      this.report(place, "lifetime", `cannot remove ${row.feature}: it ${why}`, "delete the entry");
      return;
    }
    const cite = page.cite(row.cite);
    feature.last = page.revision - 1;
    feature.removal = cite;
    for (const path of row.covers ?? []) this.goings.push({ revision: page.revision, path, feature: row.feature, cite, place });
  }

  private deprecation(row: Entry<"deprecates">, index: number, page: Page): void {
    const place = page.at("deprecates", index);
    const feature = this.known(row.feature, place);
    const since = row.asOf ?? page.id;
    if (!this.files.some((file) => file.value.revision === since))
      this.report(place, "dangling", `no revision is called ${since}`, "name a revision of protocol.yaml");
    if (feature === undefined) return;
    const { removal, deprecated } = feature;
    const why =
      removal !== undefined
        ? `it was removed by ${removal.revision}`
        : deprecated !== undefined
          ? `it is so since ${deprecated.since}`
          : undefined;
    if (why !== undefined) this.report(place, "lifetime", `cannot deprecate ${row.feature}: ${why}`, "delete the entry");
    feature.deprecated ??= { since, cite: page.cite(row.cite) };
  }

  private rename({ from, to, cite }: Entry<"renames">, index: number, page: Page): void {
    this.renames.push({ revision: page.revision, from, to, cite: page.cite(cite), place: page.rowPlaces("renames", index, "from", from) });
  }

  private propertyRename({ from, to, cite }: Entry<"propertyRenames">, index: number, page: Page): void {
    const place = page.rowPlaces("propertyRenames", index, "from", from);
    for (const path of from) {
      const target = siblingPath(path, to);
      const gates = [...this.features.values()].find((feature) => target !== undefined && feature.gates.fields.includes(target));
      if (target === undefined)
        this.report(place(path), "rename", `${path} is no path of a property`, "name the property by its path, and its new name alone");
      else if (gates?.first !== page.revision)
        this.report(
          place(path),
          "rename",
          `no row of ${page.id} gates ${target}, which ${path} is renamed to`,
          "gate the new name by a row of this revision",
        );
      else
        this.propertyRenames.push({
          revision: page.revision,
          from: path,
          to: target,
          feature: gates.index,
          cite: page.cite(cite),
          place: place(path),
        });
    }
  }

  private fill(row: Entry<"fills">, index: number, page: Page): void {
    const place = page.rowPlaces("fills", index, "at", row.at);
    const feature = this.known(row.feature, place());
    const isConstant = Object.hasOwn(row, "value");
    if (isConstant === (row.from !== undefined))
      this.report(place(), "fill", "a fill has either a value or a source", "write value: or from:, not both");
    if (feature === undefined) return;
    const given = { ...(isConstant ? { value: row.value } : {}), ...(row.from === undefined ? {} : { from: row.from }) };
    this.fills.push({ feature: feature.index, revision: page.revision, at: row.at, place, ...given });
  }

  private named({ at, values, cite }: Entry<"values">, index: number, page: Page): void {
    this.values.push({ revision: page.revision, at, values, cite: page.cite(cite), place: page.rowPlaces("values", index, "at", at) });
  }

  private layoutEntry({ id, why, covers, cite }: Entry<"layout">, index: number, page: Page): void {
    this.layout.push({
      id,
      revision: page.revision,
      why,
      covers,
      cite: page.cite(cite),
      place: page.rowPlaces("layout", index, "covers", covers),
    });
  }
}

/** Adds to a feature what a later revision says it gates, needs and offers from then on. */
function extend(
  feature: Mutable,
  extension: ExtensionRow,
  page: Page,
  roots: Roots,
  within: (path: readonly (string | number)[]) => Place,
): void {
  const added: Partial<Gates> = extension.gates ?? {};
  const lists = ["methods", "definitions", "fields", "members", "changes"] as const;
  const merged = Object.fromEntries(lists.map((list) => [list, [...feature.gates[list], ...(added[list] ?? [])]]));
  const before = feature.place;
  feature.gates = {
    ...feature.gates,
    ...merged,
    results: [...feature.gates.results, ...(added.results ?? [])],
    constants: [...feature.gates.constants, ...(added.constants ?? [])],
  };
  feature.lowerings = [...feature.lowerings, ...loweringsOf(extension, roots, within)];
  feature.extensions = [...feature.extensions, { revision: page.revision, gates: added, cite: page.cite(extension.cite) }];
  feature.since = new Map([
    ...feature.since,
    ...lists.flatMap((list) => (added[list] ?? []).map((path) => [path, page.revision] as const)),
  ]);
  const isHere = (path: string) =>
    path === "requires" ? extension.requires !== undefined : lists.some((list) => added[list]?.includes(path));
  feature.place = (path) => (path !== undefined && isHere(path) ? within(placeWithin(extension, path)) : before(path));
  if (extension.requires !== undefined) feature.requires = { ...feature.requires, ...extension.requires, since: page.id };
}

function loweringsOf(
  row: Pick<FeatureRow, "gates" | "lowering">,
  roots: Roots,
  at: (path: readonly (string | number)[]) => Place,
): Lowering[] {
  const isFlag = (path: string) => Object.values(roots).some((root) => path === root || path.startsWith(`${root}.`));
  const gated = [...(row.gates?.fields ?? []), ...(row.gates?.members ?? [])].filter((path) => !isFlag(path));
  return (row.lowering ?? []).flatMap((entry, index) => {
    const place = (path: string) => at(["lowering", index, ...(entry.at === undefined ? [] : ["at", entry.at.indexOf(path)])]);
    const { loss, degrade, rewrite } = entry;
    return (entry.at ?? gated).map((path) => ({
      at: path,
      loss,
      degrade,
      ...(rewrite === undefined ? {} : { rewrite }),
      place: place(path),
    }));
  });
}

/** Finds where in a row a gated path or a lowering place is written. */
function placeWithin(row: Pick<FeatureRow, "gates" | "lowering">, path: string | undefined): (string | number)[] {
  if (path === undefined) return [];
  if (["cite", "requires", "transport"].includes(path)) return [path];
  for (const [list, items] of Object.entries(row.gates ?? {})) {
    const index = (items as readonly unknown[]).indexOf(path);
    if (index !== -1) return ["gates", list, index];
  }
  for (const [index, result] of (row.gates?.results ?? []).entries()) {
    if (result.methods.includes(path)) return ["gates", "results", index];
  }
  const constant = (row.gates?.constants ?? []).findIndex((entry) => entry.at === path);
  if (constant !== -1) return ["gates", "constants", constant];
  return [];
}
