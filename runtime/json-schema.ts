// Rewrites tool schemas for peers that take less of JSON Schema than the newest revision: roots that are objects, subschemas that are objects.
// References within the document follow the move; nothing is ever fetched. Pure.

import { isWire } from "./capabilities.js";
import { withField, withoutField } from "./copy.js";
import type { Wire } from "./protocol.js";

/** The member that holds a wrapped value, and its schema. */
export const WRAPPED = "result";

/** Keywords whose value is data, not schema: nothing in it is a reference. */
const DATA_KEYWORDS = new Set(["const", "enum", "default", "examples"]);
/** Keywords that hold one schema for each name: the names are no keywords. */
const NAMED_KEYWORDS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]);

/** Tells what the root of a schema says about its values: objects only, never an object, or perhaps either. */
export function rootOf(schema: Wire): "object" | "other" | "open" {
  const { type } = schema;
  if (type === "object") return "object";
  if (typeof type === "string") return "other";
  if (Array.isArray(type) && type.length > 0) {
    if (type.every((name) => name === "object")) return "object";
    return type.includes("object") ? "open" : "other";
  }
  return "open";
}

/**
 * Gives a schema that peers can read which want an object at the root: repaired where it is one, wrapped where no value can be one, undefined
 * where some may be and others not, since nobody could tell a wrapped result from one that is not.
 */
export function wrapRoot(schema: Wire): Wire | undefined {
  const root = rootOf(schema);
  if (root === "open") return undefined;
  if (root === "object") return repairKeywords(schema["type"] === "object" ? schema : withField(schema, "type", "object"));
  const { $schema, ...rest } = schema;
  const inner = moved(rest, `#/properties/${WRAPPED}`);
  return {
    ...(typeof $schema === "string" ? { $schema } : {}),
    type: "object",
    properties: { [WRAPPED]: inner },
    required: [WRAPPED],
  };
}

/** Writes boolean subschemas of the root's properties as objects, and leaves out keywords that hold what they cannot. */
export function repairKeywords(schema: Wire): Wire {
  let repaired = schema;
  const { properties, required, $schema } = schema;
  if (properties !== undefined) {
    const named = isWire(properties) ? objectsOf(properties) : undefined;
    if (named !== properties)
      repaired = named === undefined ? withoutField(repaired, "properties") : withField(repaired, "properties", named);
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((name) => typeof name === "string")))
    repaired = withoutField(repaired, "required");
  if ($schema !== undefined && typeof $schema !== "string") repaired = withoutField(repaired, "$schema");
  return repaired;
}

/** Gives a map of schemas in which each is an object; what is neither an object nor a boolean is none and goes. */
function objectsOf(properties: Wire): Wire {
  let repaired = properties;
  for (const name in properties) {
    const schema = properties[name];
    if (isWire(schema)) continue;
    if (typeof schema === "boolean") repaired = withField(repaired, name, schema ? {} : { not: {} });
    else repaired = withoutField(repaired, name);
  }
  return repaired;
}

/** Gives a schema whose references into its own document lead below a new root; a part with an identity of its own keeps its references. */
function moved(schema: unknown, root: string): unknown {
  if (Array.isArray(schema)) return schema.map((item) => moved(item, root));
  if (!isWire(schema)) return schema;
  // An identity changes what a fragment refers to, so references below it stay right as they are.
  if (typeof schema["$id"] === "string" && !schema["$id"].startsWith("#")) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (DATA_KEYWORDS.has(key)) return [key, value];
    if ((key === "$ref" || key === "$dynamicRef") && typeof value === "string") return [key, movedReference(value, root)];
    if (NAMED_KEYWORDS.has(key) && isWire(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, moved(part, root)]))];
    return [key, moved(value, root)];
  });
  return Object.fromEntries(entries);
}

function movedReference(reference: string, root: string): string {
  if (reference === "#") return root;
  return reference.startsWith("#/") ? `${root}${reference.slice(1)}` : reference;
}
