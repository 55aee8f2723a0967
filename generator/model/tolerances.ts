// Takes tolerances.yaml into the model, and finds the tolerance that applies at a place of a revision. Pure.
import type { Problem } from "../problem.js";
import { fillAt } from "./fills.js";
import { livesAt } from "./lifetime.js";
import type { Model, Place, Repair, Revision, Tolerance } from "./types.js";

/** A parsed tolerances.yaml. */
export interface ToleranceFile {
  readonly file: string;
  readonly value: unknown;
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

type Row = Omit<Tolerance, "index" | "at" | "fills" | "first" | "last" | "only" | "place"> & {
  readonly at?: readonly string[];
  readonly fills?: readonly string[];
  readonly first?: string;
  readonly last?: string;
  readonly only?: Tolerance["only"];
};

/** Gives the tolerances of a file, with revisions as indices; a protocol may have none. */
export function placeTolerances(
  file: ToleranceFile | undefined,
  revisions: readonly Pick<Revision, "id">[],
  problems: Problem[],
): Tolerance[] {
  if (file === undefined) return [];
  const rows = (file.value as { tolerances: readonly Row[] }).tolerances;
  return rows.map((row, index) => {
    const at = (...path: (string | number)[]): Place => ({ file: file.file, line: file.lineOf(["tolerances", index, ...path]) });
    const indexOf = (bound: "first" | "last", otherwise: number) => {
      const id = row[bound];
      const found = revisions.findIndex((revision) => revision.id === id);
      if (id !== undefined && found === -1)
        problems.push({ ...at(bound), rule: "tolerance", message: `no revision is called ${id}`, fix: "name a revision of protocol.yaml" });
      return found === -1 ? otherwise : found;
    };
    const twin = rows.findIndex((other) => other.id === row.id);
    if (twin < index)
      problems.push({
        ...at("id"),
        rule: "duplicate",
        message: `the tolerance ${row.id} stands twice`,
        fix: "keep one, or give them two names",
      });
    return {
      ...row,
      index,
      at: row.at ?? [],
      fills: row.fills ?? [],
      first: indexOf("first", 0),
      last: indexOf("last", revisions.length - 1),
      only: row.only ?? {},
      place: (path) => (path === undefined || row.at === undefined ? at() : at("at", row.at.indexOf(path))),
    };
  });
}

/** Finds the tolerance that repairs a place in a given way at a revision; one that names the place wins over one for every place. */
export function toleranceAt(model: Model, repair: Repair, path: string, revision: Revision): Tolerance | undefined {
  const candidates = model.tolerances.filter((tolerance) => tolerance.repair === repair && livesAt(tolerance, revision.index));
  const fill = fillAt(model, path);
  const filled = fill === undefined ? undefined : model.features[fill.feature]?.id;
  return (
    candidates.find((tolerance) => tolerance.at.includes(path) || (filled !== undefined && tolerance.fills.includes(filled))) ??
    candidates.find((tolerance) => tolerance.at.includes("*"))
  );
}
