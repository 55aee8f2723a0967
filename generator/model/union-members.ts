// Tells the members of a union apart by what is in a value, and finds a member of one union in another. Pure.
import { constants, isSame, own, refName, shape, typesOf, type Definitions, type Schema } from "./schema.js";

/** How a union member is recognised. */
export interface MemberTest {
  readonly kind: "object" | "array" | "scalar";
  /** Properties that must be present, with the constants they must equal where the schema says so, nested once for inline objects. */
  readonly required: readonly {
    readonly key: string;
    readonly values?: readonly unknown[];
    readonly type?: string;
    readonly nested?: readonly string[];
  }[];
  readonly optional: readonly { readonly key: string; readonly values: readonly unknown[] }[];
  readonly types: readonly string[];
  /** What the revision asks of the value beyond what the canonical form does. */
  readonly narrow?: Schema;
}

/** A member with its test. */
interface Tested {
  readonly test: MemberTest;
}

/** Says how values of a member are recognised. */
export function testOf(member: Schema, definitions: Definitions): MemberTest {
  const node = shape(member, definitions);
  if (node.type === "array") return { kind: "array", required: [], optional: [], types: ["array"] };
  if (node.type !== "object" && node.properties === undefined) return { kind: "scalar", required: [], optional: [], types: typesOf(node) };
  const required = (node.required ?? []).map((key) => {
    const child = shape(own(node.properties, key) ?? {}, definitions);
    const values = constants(child);
    const isInline = refName(own(node.properties, key) ?? {}) === undefined;
    const nested = isInline && child.properties !== undefined ? (child.required ?? []) : undefined;
    return {
      key,
      ...(values === undefined ? {} : { values }),
      ...(typeof child.type === "string" ? { type: child.type } : {}),
      ...(nested === undefined ? {} : { nested }),
    };
  });
  const optional = Object.entries(node.properties ?? {}).flatMap(([key, child]) => {
    const values = constants(shape(child, definitions));
    return values === undefined || node.required?.includes(key) ? [] : [{ key, values }];
  });
  return { kind: "object", required, optional, types: ["object"] };
}

/** The property that tells all object members apart by a constant each. */
export function tagOf(objects: readonly Tested[]): string | undefined {
  const keys = (objects[0] as Tested).test.required.filter((entry) => entry.values?.length === 1).map((entry) => entry.key);
  return keys.find((key) => {
    const tags = objects.map((branch) => branch.test.required.find((entry) => entry.key === key)?.values);
    return tags.every((values) => values?.length === 1) && new Set(tags.map((values) => values?.[0])).size === objects.length;
  });
}

/** A member that asks for more is tried first; a string with choices is no plain string. */
export function specificity({ test }: Tested): number {
  const isAnything = test.kind === "scalar" && test.types.length === 0;
  const order = test.kind === "array" ? 300 : test.kind === "object" ? 200 : isAnything ? 0 : 100;
  return order + test.required.length + test.required.reduce((sum, entry) => sum + (entry.nested?.length ?? 0), 0);
}

/** Tells whether a member of a revision's union is the same as one of the canonical union. */
export function isCounterpart(candidate: Schema, member: Schema, definitions: Definitions): boolean {
  const name = refName(member);
  if (name !== undefined) return refName(candidate) === name;
  if (refName(candidate) !== undefined) return false;
  const node = shape(candidate, definitions);
  if (member.type === "array" || member.type === "object") return node.type === member.type;
  return node.type !== "array" && node.type !== "object" && containsScalar(node, member);
}

/** Tells whether a scalar schema allows all that another allows; formats are not wire facts here. */
export function containsScalar(wide: Schema, narrow: Schema): boolean {
  const types = typesOf(wide);
  const fits = typesOf(narrow).every(
    (type) => types.length === 0 || types.includes(type) || (type === "integer" && types.includes("number")),
  );
  const values = constants(wide);
  const narrowValues = constants(narrow);
  const listed =
    values === undefined || (narrowValues !== undefined && narrowValues.every((value) => values.some((allowed) => isSame(allowed, value))));
  const bounded = ["minimum", "maximum", "minLength", "maxLength", "pattern"].every(
    (keyword) => wide[keyword] === undefined || isSame(wide[keyword], narrow[keyword]),
  );
  return fits && listed && bounded;
}
