// The subset of JSON Schema the vendored files use, and the few questions the model asks of a schema node. Pure.

/** A schema node in normal form. `true` and `{}` both allow any value. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  /** What a member that is none of `anyOf` has to be, where a union is open. */
  readonly others?: Schema;
  /** True for a list whose items are all of one member of their union. */
  readonly uniform?: boolean;
  readonly [keyword: string]: unknown;
}

/** The definitions of one schema document by name. */
export type Definitions = Readonly<Record<string, Schema>>;

const PREFIX = "#/$defs/";

/** Gives the definition a node refers to, or undefined where it is no reference. */
export function refName(node: Schema): string | undefined {
  return node.$ref?.startsWith(PREFIX) ? node.$ref.slice(PREFIX.length) : undefined;
}

/** Gives the definition a node refers to in the end: one that is nothing but a reference to another is that other. */
export function targetName(node: Schema, definitions: Definitions): string | undefined {
  let name = refName(node);
  for (let hops = 0; name !== undefined && hops < 32; hops += 1) {
    const next = refName(own(definitions, name) ?? {});
    if (next === undefined) return name;
    name = next;
  }
  return name;
}

/** Makes a reference to a definition. */
export function refTo(name: string): Schema {
  return { $ref: `${PREFIX}${name}` };
}

/** Follows references until a node that is none; a dangling reference gives the any-schema. */
export function resolve(node: Schema, definitions: Definitions): Schema {
  let current = node;
  for (let hops = 0; hops < 32; hops += 1) {
    const name = refName(current);
    if (name === undefined) return current;
    current = own(definitions, name) ?? {};
  }
  return {};
}

/** Follows references and folds allOf, so that an object shows all its properties. */
export function shape(node: Schema, definitions: Definitions): Schema {
  const resolved = resolve(node, definitions);
  if (resolved.allOf === undefined) return resolved;
  const { allOf, ...rest } = resolved;
  return allOf.map((part) => shape(part, definitions)).reduce(intersectObjects, rest);
}

/** Tells whether a node allows any JSON value. */
export function isAny(node: Schema): boolean {
  return Object.keys(node).length === 0;
}

/** Gives the JSON types a node names, in the schema's words; empty where it names none. */
export function typesOf(node: Schema): readonly string[] {
  if (typeof node.type === "string") return [node.type];
  return node.type ?? [];
}

/** Tells whether the object a node describes says in so many words that further properties may hold anything. */
export function isDeclaredOpen(node: Schema): boolean {
  const more = node.additionalProperties;
  return more === true || (typeof more === "object" && isAny(more));
}

/** Gives the schema every undeclared property must fit, where there is one. */
export function mapValue(node: Schema): Schema | undefined {
  const more = node.additionalProperties;
  return typeof more === "object" && !isAny(more) ? more : undefined;
}

/** Tells whether a node describes an object without naming any property of it. */
export function isBareObject(node: Schema): boolean {
  return node.type === "object" && Object.keys(node.properties ?? {}).length === 0 && mapValue(node) === undefined;
}

/** Reads an own member of a record; inherited names are no members. */
export function own<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Gives the constant values a node allows, where it allows only constants. */
export function constants(node: Schema): readonly unknown[] | undefined {
  if (Object.hasOwn(node, "const")) return [node.const];
  return node.enum;
}

/** Compares by value with no regard to key order; what JSON Schema treats as a set (required, enum, type) must already be sorted alike. */
export function isSame(a: unknown, b: unknown): boolean {
  return stable(a) === stable(b);
}

/** Sorts the keys of every object, so that nothing made from a schema depends on how its file was written. */
export function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, inOrder(item)]));
}

/** Writes JSON with sorted keys. */
export function stable(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stable).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries
    .map(([key, item]) => `${JSON.stringify(key)}:${stable(item)}`)
    .sort()
    .join(",")}}`;
}

function intersectObjects(a: Schema, b: Schema): Schema {
  return {
    ...a,
    ...b,
    properties: { ...a.properties, ...b.properties },
    required: [...new Set([...(a.required ?? []), ...(b.required ?? [])])].sort(),
  };
}
