// Turns an upstream JSON Schema document into the one normal form the repository keeps: `$defs` for every dialect,
// keys in a stable order, annotation keywords left out at schema positions only, no wire value changed. Pure.

/** A JSON value as `JSON.parse` gives it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What normalisation gives: the text to commit, or the faults that forbid it, each with its JSON pointer. */
export type NormalForm = { readonly text: string } | { readonly faults: readonly string[] };

const DIALECT = "https://json-schema.org/draft/2020-12/schema";

/** Keywords that say nothing about the bytes on the wire; dropped where they stand as keywords, kept where they are property names. */
const ANNOTATIONS = new Set(["description", "title", "examples", "$comment", "markdownDescription"]);

/** Keywords whose value is copied as it is. */
const VALUES = new Set(
  ["const", "enum", "type", "required", "format", "pattern", "default", "deprecated", "readOnly", "writeOnly"]
    .concat(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems"])
    .concat(["minLength", "maxLength", "minProperties", "maxProperties", "contentEncoding", "discriminator"]),
);

/** Keywords whose value is one schema, a list of schemas, or a map of schemas. */
const ONE = new Set(["items", "additionalProperties", "unevaluatedProperties", "not", "if", "then", "else", "propertyNames", "contains"]);
const LIST = new Set(["anyOf", "allOf", "oneOf", "prefixItems"]);
const MAP = new Set(["properties", "patternProperties"]);

/** Keywords a protocol project adds for itself; they describe who serves a definition and are kept as facts. */
const VENDOR = /^x-[a-z-]+$/;

/** Normalises one upstream schema document; an unknown keyword is a fault, never a silent drop. */
export function toNormalForm(document: Json): NormalForm {
  const faults: string[] = [];
  if (!isRecord(document)) return { faults: ["/: not an object"] };
  const { $schema: _dialect, $id: _id, definitions, $defs, title: _title, description: _description, ...rest } = document;
  const found = $defs ?? definitions;
  if (!isRecord(found)) return { faults: ["/: has neither $defs nor definitions"] };
  const root = normalise(rest, "", faults) as Record<string, Json>;
  const defs = sorted(found, (definition, name) => normalise(definition, `/$defs/${escape(name)}`, faults));
  if (faults.length > 0) return { faults };
  return { text: `${JSON.stringify({ $schema: DIALECT, ...root, $defs: defs }, null, 2)}\n` };
}

function normalise(schema: Json, pointer: string, faults: string[]): Json {
  if (typeof schema === "boolean") return schema;
  if (!isRecord(schema)) {
    faults.push(`${pointer || "/"}: expected a schema`);
    return schema;
  }
  const kept = Object.entries(schema).filter(([key]) => !ANNOTATIONS.has(key));
  return sorted(Object.fromEntries(kept), (value, key) => {
    const at = `${pointer}/${escape(key)}`;
    if (key === "$ref") return typeof value === "string" ? value.replace(/^#\/definitions\//, "#/$defs/") : value;
    if (VALUES.has(key) || VENDOR.test(key)) return value;
    if (ONE.has(key)) return normalise(value, at, faults);
    if (LIST.has(key) && Array.isArray(value)) return value.map((item, index) => normalise(item, `${at}/${index}`, faults));
    if (MAP.has(key) && isRecord(value)) return sorted(value, (item, name) => normalise(item, `${at}/${escape(name)}`, faults));
    faults.push(`${at}: unknown keyword "${key}"`);
    return value;
  });
}

function sorted(record: Record<string, Json>, map: (value: Json, key: string) => Json): Record<string, Json> {
  const keys = Object.keys(record).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(keys.map((key) => [key, map(record[key] as Json, key)]));
}

function isRecord(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function escape(segment: string): string {
  return segment.replaceAll("~", "~0").replaceAll("/", "~1");
}
