// Looks up and checks fills: values one revision wants where others have none. Pure.
import type { Problem } from "../problem.js";
import { findNode, hasPath, parsePath } from "./path.js";
import { own, resolve, shape } from "./schema.js";
import type { Fill, Model } from "./types.js";

/** Finds the fill at a path. */
export function fillAt(model: Pick<Model, "fills">, path: string): Fill | undefined {
  return model.fills.find((fill) => fill.at.includes(path));
}

/** Checks that fills name places that exist, at most one a place, and that a required field that older revisions lack has one. */
export function checkFills(model: Model, problems: Problem[]): void {
  const seen = new Set<string>();
  for (const fill of model.fills) {
    const revision = model.revisions[fill.revision];
    for (const text of fill.at) {
      const path = parsePath(text);
      if (path === undefined || revision === undefined || !hasPath(path, revision.canonical)) {
        problems.push({
          ...fill.place,
          rule: "fill",
          message: `${text} is no place at ${revision?.id}, so nothing can be filled there`,
          fix: "correct the path (newest names)",
        });
      } else if (seen.has(text)) {
        problems.push({ ...fill.place, rule: "fill", message: `${text} is filled twice`, fix: "keep one fill a place" });
      } else if (Object.hasOwn(fill, "value") && !fitsType(fill.value, text, model, fill.revision)) {
        problems.push({
          ...fill.place,
          rule: "fill",
          message: `${JSON.stringify(fill.value)} is no value for ${text} at ${revision.id}`,
          fix: "write a value the schema allows",
        });
      }
      seen.add(text);
    }
  }
}

function fitsType(value: unknown, text: string, model: Model, index: number): boolean {
  const revision = model.revisions[index];
  const path = parsePath(text);
  const found = path && revision && findNode(path, revision.canonical);
  if (found === undefined || revision === undefined) return false;
  const node = shape(resolve(found, revision.canonical), revision.canonical);
  if (node.const !== undefined) return node.const === value;
  if (node.enum !== undefined) return node.enum.includes(value);
  const kind = Array.isArray(value) ? "array" : typeof value === "number" ? "integer" : typeof value;
  const types = typeof node.type === "string" ? [node.type] : (node.type ?? [kind]);
  return (
    types.includes(kind) || (kind === "integer" && types.includes("number")) || (kind === "object" && own(node, "properties") !== undefined)
  );
}
