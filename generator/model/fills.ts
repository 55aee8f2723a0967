// Looks up and checks fills: values one revision wants where others have none. Pure.
import type { Problem } from "../problem.js";
import { findNode, hasPath, parsePath } from "./path.js";
import { constants, isSame, mapValue, own, shape, typesOf, type Definitions, type Schema } from "./schema.js";
import type { Fill, Model } from "./types.js";

/** Finds the fill at a path. */
export function fillAt(model: Pick<Model, "fills">, path: string): Fill | undefined {
  return model.fills.find((fill) => fill.at.includes(path));
}

/** Checks that fills name places that exist, at most one fill a place, and values of the place's type. */
export function checkFills(model: Model, problems: Problem[]): void {
  const seen = new Set<string>();
  for (const fill of model.fills) {
    const revision = model.revisions[fill.revision];
    for (const text of fill.at) {
      const path = parsePath(text);
      if (path === undefined || revision === undefined || !hasPath(path, revision.canonical)) {
        problems.push({
          ...fill.place(text),
          rule: "fill",
          message: `${text} is no place at ${revision?.id}, so nothing can be filled there`,
          fix: "correct the path (names and paths: schemas/README.md)",
        });
      } else if (seen.has(text)) {
        problems.push({ ...fill.place(text), rule: "fill", message: `${text} is filled twice`, fix: "keep one fill a place" });
      } else if (Object.hasOwn(fill, "value") && !fitsPlace(fill.value, text, model, fill.revision)) {
        problems.push({
          ...fill.place(text),
          rule: "fill",
          message: `${JSON.stringify(fill.value)} is no value for ${text} at ${revision.id}`,
          fix: "write a value the schema allows",
        });
      }
      seen.add(text);
    }
  }
}

function fitsPlace(value: unknown, text: string, model: Model, index: number): boolean {
  const revision = model.revisions[index];
  const path = parsePath(text);
  const found = path && revision && findNode(path, revision.canonical);
  return found !== undefined && revision !== undefined && fitsSchema(value, found, revision.canonical);
}

/** Tells whether a JSON value fits a schema; formats are not looked at. */
export function fitsSchema(value: unknown, node: Schema, definitions: Definitions): boolean {
  const schema = shape(node, definitions);
  const values = constants(schema);
  if (values !== undefined) return values.some((allowed) => isSame(allowed, value));
  if (schema.anyOf !== undefined) return schema.anyOf.some((member) => fitsSchema(value, member, definitions));
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false;
  if (typeof value === "number")
    return (
      !(typeof schema["minimum"] === "number" && value < schema["minimum"]) &&
      !(typeof schema["maximum"] === "number" && value > schema["maximum"])
    );
  if (Array.isArray(value)) return value.every((item) => fitsSchema(item, schema.items ?? {}, definitions));
  if (typeof value !== "object" || value === null) return true;
  const record = value as Record<string, unknown>;
  // What an empty container lacks, fills of its own may give.
  const isComplete = Object.keys(record).length === 0 || (schema.required ?? []).every((key) => Object.hasOwn(record, key));
  return (
    isComplete &&
    Object.entries(record).every(([key, item]) => fitsSchema(item, own(schema.properties, key) ?? mapValue(schema) ?? {}, definitions))
  );
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}
