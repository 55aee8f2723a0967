// The shape of a changes.yaml after its grammar was checked, and its paths taken from its own revision's names to the newest. Pure.
import type { Access, Feature, Gates, Loss, NamedError, Requirement, Rewrite, Side } from "./types.js";

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
  readonly propertyRenames?: readonly { readonly from: readonly string[]; readonly to: string; readonly cite: RowCite }[];
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

/** What introduces a feature. */
export interface FeatureRow {
  readonly id: string;
  readonly summary: string;
  readonly note?: string;
  readonly kind: Feature["kind"];
  readonly side: Side | "both";
  readonly requires?: Requirement;
  readonly transport?: string | null;
  readonly cite: RowCite;
  readonly gates?: Partial<Gates>;
  readonly access?: readonly Access[];
  readonly errors?: readonly NamedError[];
  readonly lowering?: readonly {
    readonly at?: readonly string[];
    readonly loss: Loss;
    readonly degrade: readonly string[];
    readonly rewrite?: Rewrite;
  }[];
}

/** A changes file with its line numbers. */
export interface ChangesFile {
  readonly file: string;
  readonly value: Changes;
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** Rewrites every path of a file; nothing moves, so that a path is still found at its place. */
export function inNewestNames(changes: Changes, rename: (path: string) => string): Changes {
  const paths = (list: readonly string[] | undefined) => list?.map(rename) ?? [];
  const row = <T extends Pick<FeatureRow, "gates" | "access" | "lowering" | "errors">>(entry: T): T => ({
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
            constants: (entry.gates.constants ?? []).map((constant) => ({ ...constant, at: rename(constant.at) })),
          },
        }),
    ...(entry.lowering === undefined
      ? {}
      : {
          lowering: entry.lowering.map((lowering) => ({ ...lowering, ...(lowering.at === undefined ? {} : { at: paths(lowering.at) }) })),
        }),
    ...(entry.access === undefined ? {} : { access: entry.access.map((access) => inNewestAccess(access, rename)) }),
    ...(entry.errors === undefined ? {} : { errors: entry.errors.map((error) => inNewestError(error, rename)) }),
  });
  return {
    ...changes,
    features: changes.features.map(row),
    extends: (changes.extends ?? []).map(row),
    removes: changes.removes.map((removal) => ({ ...removal, covers: paths(removal.covers) })),
    propertyRenames: (changes.propertyRenames ?? []).map((entry) => ({ ...entry, from: paths(entry.from) })),
    fills: changes.fills.map((fill) => ({ ...fill, at: paths(fill.at) })),
    layout: changes.layout.map((entry) => ({ ...entry, covers: paths(entry.covers) })),
    values: (changes.values ?? []).map((entry) => ({ ...entry, at: paths(entry.at) })),
  };
}

function inNewestAccess(access: Access, rename: (path: string) => string): Access {
  const { initialize, session, entity } = access;
  return {
    ...access,
    ...(initialize === undefined ? {} : { initialize: rename(initialize) }),
    ...(session === undefined ? {} : { session: rename(session) }),
    ...(entity === undefined ? {} : { entity: rename(entity) }),
  };
}

function inNewestError(error: NamedError, rename: (path: string) => string): NamedError {
  const lowering = error.elsewhere?.lowering;
  return lowering === undefined ? error : { ...error, elsewhere: { lowering: rename(lowering) } };
}
