// Applies the errata of one revision to its schema; an erratum whose `was` is not found is a problem. Pure.
import type { Problem } from "../problem.js";
import { isSame } from "./schema.js";

/** One known fault of an upstream schema. */
export interface Erratum {
  readonly revision: string;
  readonly pointer: string;
  readonly was: unknown;
  readonly becomes: unknown;
  readonly why: string;
}

/** An erratum with its place. */
export interface PlacedErratum extends Erratum {
  readonly file: string;
  readonly line: number;
}

/** Gives the schema with every erratum of the revision applied. */
export function applyErrata(schema: unknown, revision: string, errata: readonly PlacedErratum[], problems: Problem[]): unknown {
  return errata
    .filter((erratum) => erratum.revision === revision)
    .reduce((current, erratum) => applyOne(current, erratum, problems), schema);
}

function applyOne(schema: unknown, erratum: PlacedErratum, problems: Problem[]): unknown {
  const segments = erratum.pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  const found = segments.reduce<unknown>(
    (node, segment) =>
      typeof node === "object" && node !== null && Object.hasOwn(node, segment) ? (node as Record<string, unknown>)[segment] : undefined,
    schema,
  );
  if (!isSame(found, erratum.was)) {
    const message =
      found === undefined
        ? `the erratum matches nothing: no ${erratum.pointer} at ${erratum.revision}`
        : `the erratum matches nothing: ${erratum.pointer} at ${erratum.revision} is ${JSON.stringify(found)}`;
    problems.push({
      file: erratum.file,
      line: erratum.line,
      rule: "erratum",
      message,
      fix: "delete the entry if upstream mended it, or correct its pointer and was",
    });
    return schema;
  }
  return replace(schema, segments, erratum.becomes);
}

function replace(node: unknown, segments: readonly string[], value: unknown): unknown {
  const [segment, ...rest] = segments;
  if (segment === undefined) return value;
  if (Array.isArray(node)) return node.map((item: unknown, index) => (String(index) === segment ? replace(item, rest, value) : item));
  const record = node as Record<string, unknown>;
  return { ...record, [segment]: replace(record[segment], rest, value) };
}
