// Checks tolerances against the schemas: each must find a place in some revision, and name fills that exist. Pure.
import type { Problem } from "../problem.js";
import { planLifting } from "./lift-plan.js";
import { hasPath, parsePath } from "./path.js";
import type { Model, Tolerance } from "./types.js";

/** Reports the tolerances that match nothing, and the fills they name that are none. */
export function checkTolerances(model: Model, problems: Problem[]): void {
  const used = new Set(model.revisions.flatMap((revision) => [...planLifting(model, revision).used]));
  for (const tolerance of model.tolerances) {
    for (const id of tolerance.fills.filter((name) => !model.fills.some((fill) => model.features[fill.feature]?.id === name)))
      problems.push({
        ...tolerance.place(),
        rule: "tolerance",
        message: `no fill belongs to ${id}`,
        fix: "name a feature that fills a place",
      });
    for (const text of tolerance.at.filter((path) => path !== "*" && !isPlace(path, model)))
      problems.push({
        ...tolerance.place(text),
        rule: "tolerance",
        message: `${text} is no place of any revision`,
        fix: "correct the path",
      });
    const missing = lacks(tolerance);
    for (const fault of missing) problems.push({ ...tolerance.place(), rule: "tolerance", ...fault });
    if (tolerance.first > tolerance.last)
      problems.push({
        ...tolerance.place(),
        rule: "tolerance",
        message: `${tolerance.id} ends before it begins`,
        fix: "exchange first and last",
      });
    else if (!used.has(tolerance) && missing.length === 0)
      problems.push({
        ...tolerance.place(),
        rule: "tolerance",
        message: `the tolerance ${tolerance.id} matches nothing: ${tolerance.repair} has no place at ${[...tolerance.at, ...tolerance.fills].join(", ")}`,
        fix: "correct the path or the revisions, or delete the entry",
      });
  }
}

/** What a repair cannot do without. */
function lacks(tolerance: Tolerance): { readonly message: string; readonly fix: string }[] {
  const needsValue = tolerance.repair === "drop-value" || tolerance.repair === "replace-value";
  const needs: (readonly [string, boolean])[] = [
    ["value", needsValue && !Object.hasOwn(tolerance, "value")],
    ["becomes", tolerance.repair === "replace-value" && !Object.hasOwn(tolerance, "becomes")],
    ["key", tolerance.repair === "unwrap" && tolerance.key === undefined],
    ["at or fills", tolerance.at.length + tolerance.fills.length === 0],
  ];
  return needs
    .filter(([, isMissing]) => isMissing)
    .map(([name]) => ({ message: `${tolerance.id} repairs by ${tolerance.repair} but has no ${name}`, fix: `write ${name}:` }));
}

function isPlace(text: string, model: Model): boolean {
  const path = parsePath(text);
  return path !== undefined && model.revisions.some((revision) => hasPath(path, revision.canonical));
}
