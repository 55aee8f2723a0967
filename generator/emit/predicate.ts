// Writes the test that a value fits a schema as a TypeScript expression, and says in words what it must be. Pure.
import { constants, isAny, mapValue, refName, shape, typesOf, type Definitions, type Schema } from "../model/schema.js";
import { access } from "./output.js";

const TYPE_TESTS: Readonly<Record<string, (value: string) => string>> = {
  string: (value) => `typeof ${value} === "string"`,
  boolean: (value) => `typeof ${value} === "boolean"`,
  number: (value) => `typeof ${value} === "number"`,
  integer: (value) => `(typeof ${value} === "number" && Number.isInteger(${value}))`,
  null: (value) => `${value} === null`,
  array: (value) => `Array.isArray(${value})`,
  object: (value) => `isWire(${value})`,
};

/** Gives the function that tests a definition, where tests are to refer to definitions; undefined for one that any value fits. */
export type Named = (definition: string) => string | undefined;

/** Writes the test; names in it are taken from the walk module. Without `named` definitions are written out, down to a depth that no recursion passes. */
export function fitsExpression(node: Schema, value: string, definitions: Definitions, named?: Named, depth = 0): string {
  const reference = refName(node);
  if (named !== undefined && reference !== undefined) {
    const test = named(reference);
    return test === undefined ? "true" : `${test}(${value})`;
  }
  const schema = shape(node, definitions);
  if (isAny(schema) || (named === undefined && depth > 4)) return "true";
  const values = constants(schema);
  if (values !== undefined) return either(values.map((item) => `${value} === ${JSON.stringify(item)}`));
  if (schema.anyOf !== undefined) {
    const members = schema.others === undefined ? schema.anyOf : [...schema.anyOf, schema.others];
    return either(members.map((member) => fitsExpression(member, value, definitions, named, depth + 1)));
  }
  const types = typesOf(schema);
  if (types.length === 0) return "true";
  if (types.length > 1)
    return either(types.map((type) => fitsExpression({ ...boundsOf(schema, type), type }, value, definitions, named, depth)));
  const parts = [typeTest(types[0] as string, value), ...inner(schema, value, definitions, named, depth)];
  return parts.length === 1 ? (parts[0] as string) : `(${parts.join(" && ")})`;
}

/** What a schema asks beyond the type, keyword by keyword. */
const BOUNDS: readonly (readonly [string, (value: string, bound: string) => string])[] = [
  ["minimum", (value, bound) => `${value} >= ${bound}`],
  ["maximum", (value, bound) => `${value} <= ${bound}`],
  ["minLength", (value, bound) => `[...${value}].length >= ${bound}`],
  ["maxLength", (value, bound) => `[...${value}].length <= ${bound}`],
  ["minItems", (value, bound) => `${value}.length >= ${bound}`],
  ["maxItems", (value, bound) => `${value}.length <= ${bound}`],
  ["pattern", (value, bound) => `new RegExp(${bound}, "u").test(${value})`],
];

/** The bounds of a schema of several types that speak of one of them. */
function boundsOf(schema: Schema, type: string): Schema {
  const keywords =
    type === "string" ? ["minLength", "maxLength", "pattern"] : type === "null" || type === "boolean" ? [] : ["minimum", "maximum"];
  return Object.fromEntries(keywords.filter((keyword) => schema[keyword] !== undefined).map((keyword) => [keyword, schema[keyword]]));
}

function inner(schema: Schema, value: string, definitions: Definitions, named: Named | undefined, depth: number): string[] {
  const item = `item${depth}`;
  const bounds = BOUNDS.flatMap(([keyword, test]) => (schema[keyword] === undefined ? [] : [test(value, JSON.stringify(schema[keyword]))]));
  if (schema.type === "array") {
    const test = schema.items === undefined ? "true" : fitsExpression(schema.items, item, definitions, named, depth + 1);
    return test === "true" ? bounds : [...bounds, `${value}.every((${item}: unknown) => ${test})`];
  }
  if (schema.type !== "object") return bounds;
  const map = mapValue(schema);
  const each = map === undefined ? "true" : fitsExpression(map, item, definitions, named, depth + 1);
  const properties = Object.entries(schema.properties ?? {}).flatMap(([key, child]) => {
    const read = access(value, key);
    const test = fitsExpression(child, read, definitions, named, depth + 1);
    const isRequired = schema.required?.includes(key) ?? false;
    if (isRequired) return [test === "true" ? `${read} !== undefined` : test];
    return test === "true" ? [] : [`(${read} === undefined || ${test})`];
  });
  return [...bounds, ...properties, ...(each === "true" ? [] : [`everyValue(${value}, (${item}) => ${each})`])];
}

/** Says in words what a schema asks for, for an error's reader. */
export function describeSchema(node: Schema, definitions: Definitions): string {
  const schema = shape(node, definitions);
  const values = constants(schema);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" or ");
  if (schema.anyOf !== undefined) return schema.anyOf.map((member) => describeSchema(member, definitions)).join(" or ");
  if (schema.type === "array" && typeof schema["maxItems"] === "number") return `an array of at most ${schema["maxItems"]}`;
  if (schema.type === "array" && schema.items !== undefined) return `an array (each item ${describeSchema(schema.items, definitions)})`;
  const map = mapValue(schema);
  if (map !== undefined) return `an object (each value ${describeSchema(map, definitions)})`;
  const words = typesOf(schema).map((type) => (/^[aeio]/.test(type) ? `an ${type}` : `a ${type}`));
  return words.join(" or ") || "any value";
}

function typeTest(type: string, value: string): string {
  return TYPE_TESTS[type]?.(value) ?? "true";
}

/** Joins tests of which one has to hold, as one operand. */
export function either(tests: readonly string[]): string {
  return tests.length === 1 ? (tests[0] as string) : `(${tests.join(" || ")})`;
}
