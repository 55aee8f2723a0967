// The named repairs a tolerance may ask for where dropping or writing one value is not enough. Each takes a value that a peer sent and gives
// what a reader makes of it, the same value where it needs no repair; pure.

import { isEmptyObject, isWire, valueAt } from "./capabilities.js";
import { withField } from "./copy.js";
import type { Wire } from "./protocol.js";

/** Lists the repairs by the name tolerances give them. */
export const REPAIRS: ReadonlyMap<string, (value: unknown) => unknown> = new Map([
  ["object-schema", objectSchema],
  ["text-of-resource", textOfResource],
]);

/** Keywords of a JSON Schema that hold a map of schemas, and those that hold a list: an empty one of the wrong kind is a slip of the sender's language. */
const MAPS = ["properties", "patternProperties", "$defs", "definitions"];
const LISTS = ["required"];
/** Keywords that say something about objects only; a schema with one of them describes an object. */
const OBJECT_KEYWORDS = ["properties", "patternProperties", "required", "additionalProperties", "propertyNames"];
/** Keywords that say nothing about which values are allowed. */
const SILENT_KEYWORDS = ["$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples"];

/** Makes a schema that can only describe objects say so, and gives empty containers their kind back. An absent or null schema allows any object. */
function objectSchema(value: unknown): unknown {
  if (value === undefined || value === null) return { type: "object" };
  if (!isWire(value)) return value;
  let schema = value;
  for (const key of MAPS) if (isEmptyArray(schema[key])) schema = withField(schema, key, {});
  for (const key of LISTS) if (isEmptyObject(schema[key])) schema = withField(schema, key, []);
  const { type } = schema;
  const says =
    type === undefined
      ? describesObjects(schema, schema)
      : Array.isArray(type) && type.length > 0 && type.every((name) => name === "object");
  return says ? withField(schema, "type", "object") : schema;
}

function describesObjects(schema: unknown, root: Wire, depth = 0): boolean {
  if (!isWire(schema) || depth > 8) return false;
  const { type, $ref } = schema;
  if (type !== undefined) return type === "object";
  if (typeof $ref === "string") return describesObjects(target($ref, root), root, depth + 1);
  for (const key of ["anyOf", "oneOf"]) {
    const arms = schema[key];
    if (Array.isArray(arms)) return arms.length > 0 && arms.every((arm) => describesObjects(arm, root, depth + 1));
  }
  const { allOf } = schema;
  if (Array.isArray(allOf)) return allOf.some((arm) => describesObjects(arm, root, depth + 1));
  const keys = Object.keys(schema).filter((key) => !SILENT_KEYWORDS.includes(key));
  if (keys.length === 0) return depth === 0;
  return keys.some((key) => OBJECT_KEYWORDS.includes(key));
}

/** Follows a pointer within the document, also one that counts from the schema's own members. */
function target(ref: string, root: Wire): unknown {
  if (!ref.startsWith("#/")) return undefined;
  const segments = ref
    .slice(2)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
  return valueAt(root, segments);
}

/** Reads an embedded resource that says no uri, but has text, as a block of that text. */
function textOfResource(value: unknown): unknown {
  if (!isWire(value) || !isWire(value["resource"])) return value;
  const { uri, text } = value["resource"];
  if (uri !== null || typeof text !== "string") return value;
  const { resource: _resource, type: _type, ...rest } = value;
  return { type: "text", text, ...rest };
}

function isEmptyArray(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
