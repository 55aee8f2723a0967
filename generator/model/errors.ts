// The named errors of all rows: in the order in which they are recognised, and checked for what they say of methods, params and each other. Pure.
import type { Problem } from "../problem.js";
import { liveTogether } from "./lifetime.js";
import { hasPath, parsePath } from "./path.js";
import type { Feature, Model, NamedError, Revision } from "./types.js";

type PlacedError = Feature["errors"][number];

/** A named error with the row that names it. */
export interface ErrorOfRow {
  readonly feature: Feature;
  readonly error: PlacedError;
}

/** Lists the named errors so that of those that fit an answer the first says most: more data first, then fewer methods. */
export function errorsInOrder(features: readonly Feature[]): ErrorOfRow[] {
  const dataOf = ({ error }: ErrorOfRow) => Object.keys(error.data ?? {}).length;
  const methodsOf = ({ error }: ErrorOfRow) => error.methods?.length ?? Number.MAX_SAFE_INTEGER;
  return allErrors(features).sort((a, b) => dataOf(b) - dataOf(a) || methodsOf(a) - methodsOf(b));
}

/** Checks that an error's methods and params exist while its row lives, that names are given once, and that equal codes can be told apart. */
export function checkErrors(model: Model, problems: Problem[]): void {
  const errors = allErrors(model.features);
  for (const [index, entry] of errors.entries()) {
    const earlier = errors.slice(0, index).filter((other) => liveTogether(other.feature, entry.feature));
    checkName(entry, earlier, problems);
    checkCode(entry, earlier, model, problems);
    checkMethods(entry, model, problems);
    checkElsewhere(entry, problems);
  }
}

function allErrors(features: readonly Feature[]): ErrorOfRow[] {
  return features.flatMap((feature) => feature.errors.map((error) => ({ feature, error })));
}

function checkName({ feature, error }: ErrorOfRow, earlier: readonly ErrorOfRow[], problems: Problem[]): void {
  const twin = earlier.find((other) => other.error.name === error.name);
  if (twin === undefined) return;
  problems.push({
    ...error.place,
    rule: "duplicate",
    message: `${feature.id} gives ${error.name} the code ${error.code}, and ${twin.feature.id} names it at the same revision`,
    fix: "give the errors names of their own",
  });
}

function checkCode({ feature, error }: ErrorOfRow, earlier: readonly ErrorOfRow[], model: Model, problems: Problem[]): void {
  for (const other of earlier) {
    if (other.error.code !== error.code || other.error.name === error.name || isToldApart(other.error, error)) continue;
    const revision = model.revisions[Math.max(feature.first, other.feature.first)]?.id;
    problems.push({
      ...error.place,
      rule: "error",
      message: `${error.name} and ${other.error.name} both have the code ${error.code} at ${revision}, and nothing tells them apart`,
      fix: "name methods that only one of them answers, or data that only one of them has",
    });
  }
}

/** Two errors of one code are told apart where no answer is both, or where whatever is the one is the other, but not the reverse. */
function isToldApart(a: NamedError, b: NamedError): boolean {
  if (a.methods !== undefined && b.methods !== undefined && !a.methods.some((method) => b.methods?.includes(method))) return true;
  return isWithin(a, b) !== isWithin(b, a);
}

function isWithin(a: NamedError, b: NamedError): boolean {
  const hasMethods = b.methods === undefined || (a.methods?.every((method) => b.methods?.includes(method)) ?? false);
  return hasMethods && Object.keys(b.data ?? {}).every((key) => Object.hasOwn(a.data ?? {}, key));
}

function checkMethods({ feature, error }: ErrorOfRow, model: Model, problems: Problem[]): void {
  const report = (message: string, fix: string) => problems.push({ ...error.place, rule: "error", message, fix });
  const sources = Object.entries(error.data ?? {}).filter(([, source]) => source !== "any");
  if (error.methods === undefined) {
    for (const [key, source] of sources) {
      report(
        `${error.name} takes data.${key} from ${source}, but any method may answer with it`,
        "name the methods that have these params",
      );
    }
    return;
  }
  for (const method of error.methods) {
    for (const revision of model.revisions.slice(feature.first, feature.last + 1)) {
      const definition = revision.methods.find((entry) => entry.name === method)?.canonicalDefinition;
      if (definition === undefined) {
        report(
          `${error.name} answers ${method}, which is no method of ${revision.id}`,
          "correct the method's name, or the lifetime of the row",
        );
        continue;
      }
      for (const [key, source] of sources.filter(([, path]) => !isThere(`${definition}.${path}`, revision))) {
        report(
          `${error.name} takes data.${key} from ${source}, which ${method} does not have at ${revision.id}`,
          "correct the path below params",
        );
      }
    }
  }
}

function isThere(text: string, revision: Revision): boolean {
  const path = parsePath(text);
  return path !== undefined && hasPath(path, revision.canonical);
}

function checkElsewhere({ feature, error }: ErrorOfRow, problems: Problem[]): void {
  const at = error.elsewhere?.lowering;
  if (at === undefined) return;
  const lowering = feature.lowerings.find((entry) => entry.at === at);
  if (lowering !== undefined && lowering.degrade.join() === "keep") return;
  problems.push({
    ...error.place,
    rule: "error",
    message:
      lowering === undefined
        ? `${error.name} goes by the lowering of ${at}, which ${feature.id} does not have`
        : `${error.name} goes by the lowering of ${at}, which offers ${lowering.degrade.join(", ")}; an error is kept or refused`,
    fix: "name a place that the row lowers with degrade: [keep]",
  });
}
