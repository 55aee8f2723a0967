// Computes the canonical form of a protocol as a JSON Schema: under each newest name the union of what every revision allows,
// required only where every revision that has the definition requires it. Pure.
import {
  constants,
  isAny,
  isBareObject,
  isDeclaredOpen,
  isSame,
  mapValue,
  own,
  refName,
  resolve,
  shape,
  stable,
  typesOf,
  type Definitions,
  type Schema,
} from "./schema.js";

/** A node as one revision has it, with the definitions its references mean. */
interface Variant {
  readonly node: Schema;
  readonly definitions: Definitions;
}

/** Merges the canonical definitions of all revisions, oldest first, into the superset of them. */
export function buildIr(revisions: readonly Definitions[]): Definitions {
  const names = [...new Set(revisions.flatMap((definitions) => Object.keys(definitions)))].sort();
  return Object.fromEntries(
    names.map((name) => {
      const variants = revisions.flatMap((definitions) => {
        const node = own(definitions, name);
        return node === undefined ? [] : [{ node, definitions }];
      });
      return [name, merge(variants)];
    }),
  );
}

function merge(variants: readonly Variant[]): Schema {
  const first = variants[0] as Variant;
  if (variants.every((variant) => isSame(variant.node, first.node) && variant.node.allOf === undefined)) return first.node;
  const name = commonName(variants);
  if (name !== undefined) return { $ref: `#/$defs/${name}` };
  const shapes = variants.map((variant) => ({ node: shape(variant.node, variant.definitions), definitions: variant.definitions }));
  if (shapes.some((variant) => isAny(variant.node))) return {};
  const kinds = new Set(shapes.map((variant) => kindOf(variant.node)));
  if (kinds.size > 1 || kinds.has("union")) return mergeUnions(variants);
  if (kinds.has("object")) return mergeObjects(shapes);
  if (kinds.has("array")) return mergeArrays(shapes);
  return mergeScalars(shapes.map((variant) => variant.node));
}

/** The one definition all variants can be read as: they refer to it, or are objects that name no property, or refer to a member of it. */
function commonName(variants: readonly Variant[]): string | undefined {
  const names = new Set(variants.flatMap((variant) => refName(variant.node) ?? []));
  const inline = variants.filter((variant) => refName(variant.node) === undefined);
  if (!inline.every((variant) => isBareObject(variant.node))) return undefined;
  if (names.size === 1) return [...names][0];
  const widest = variants.find((variant) => {
    const members = resolve(variant.node, variant.definitions).anyOf?.map(refName) ?? [];
    return refName(variant.node) !== undefined && [...names].every((name) => name === refName(variant.node) || members.includes(name));
  });
  return inline.length === 0 && widest !== undefined ? refName(widest.node) : undefined;
}

function kindOf(node: Schema): "union" | "object" | "array" | "scalar" {
  if (node.anyOf !== undefined || typesOf(node).length > 1) return "union";
  if (node.type === "object" || node.properties !== undefined) return "object";
  return node.type === "array" ? "array" : "scalar";
}

function mergeObjects(variants: readonly Variant[]): Schema {
  const names = [...new Set(variants.flatMap((variant) => Object.keys(variant.node.properties ?? {})))].sort();
  const properties = Object.fromEntries(names.map((name) => [name, mergeProperty(name, variants)]));
  const required = names.filter((name) => variants.every((variant) => variant.node.required?.includes(name)));
  const maps = variants.flatMap((variant) => {
    const value = mapValue(variant.node);
    return value === undefined ? [] : [{ node: value, definitions: variant.definitions }];
  });
  const open = variants.some(
    (variant) => isDeclaredOpen(variant.node) || (maps.length > 0 && maps.length < variants.length && isBareObject(variant.node)),
  );
  return {
    type: "object",
    ...(names.length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(open ? { additionalProperties: {} } : maps.length > 0 ? { additionalProperties: merge(maps) } : {}),
  };
}

/** A property that a later revision stops naming on an object it declares open may hold anything from then on. */
function mergeProperty(name: string, variants: readonly Variant[]): Schema {
  const firstNaming = variants.findIndex((variant) => own(variant.node.properties, name) !== undefined);
  const freed = variants.some(
    (variant, index) => index > firstNaming && own(variant.node.properties, name) === undefined && isDeclaredOpen(variant.node),
  );
  if (freed) return {};
  return merge(
    variants.flatMap((variant) => {
      const node = own(variant.node.properties, name);
      return node === undefined ? [] : [{ node, definitions: variant.definitions }];
    }),
  );
}

function mergeArrays(variants: readonly Variant[]): Schema {
  const items = variants.map((variant) => ({ node: variant.node.items ?? {}, definitions: variant.definitions }));
  return {
    type: "array",
    items: merge(items),
    ...loosest(
      variants.map((variant) => variant.node),
      ["minItems", "maxItems"],
    ),
  };
}

function mergeScalars(nodes: readonly Schema[]): Schema {
  const type = widestTypes(nodes.flatMap((node) => [...typesOf(node)]));
  const values = nodes.map(constants);
  const closed = values.every((list) => list !== undefined);
  const union = closed ? uniqueSorted(values.flatMap((list) => [...(list ?? [])])) : [];
  return {
    ...(closed ? (union.length === 1 ? { const: union[0] } : { enum: union }) : {}),
    ...(type.length > 0 ? { type: type.length === 1 ? (type[0] as string) : type } : {}),
    ...loosest(nodes, ["format", "minimum", "maximum", "minLength", "maxLength", "pattern"]),
  };
}

function mergeUnions(variants: readonly Variant[]): Schema {
  const members = variants.flatMap((variant) => flatten(variant));
  const references = [...new Set(members.flatMap((member) => refName(member.node) ?? []))].sort();
  const inline = members.filter((member) => refName(member.node) === undefined);
  const objects = inline.filter((member) => kindOf(member.node) === "object");
  const arrays = inline.filter((member) => kindOf(member.node) === "array");
  const scalars = inline.filter((member) => !objects.includes(member) && !arrays.includes(member)).map((member) => member.node);
  const merged: Schema[] = [
    ...references.map((name) => ({ $ref: `#/$defs/${name}` })),
    ...(objects.length > 0 ? [merge(objects)] : []),
    ...(arrays.length > 0 ? [mergeArrays(arrays)] : []),
    ...(scalars.length > 0 ? [mergeScalars(scalars)] : []),
  ];
  const others = variants.flatMap(({ node, definitions }) => {
    const open = shape(node, definitions).others;
    return open === undefined ? [] : [{ node: open, definitions }];
  });
  if (others.length > 0) return { anyOf: merged, others: merge(others) };
  return merged.length === 1 ? (merged[0] as Schema) : { anyOf: merged };
}

/** The members a node stands for: of a union each one, of anything else the node itself, a reference left as it is. */
function flatten(variant: Variant): Variant[] {
  const { definitions } = variant;
  const node = shape(variant.node, definitions);
  if (node.anyOf !== undefined) return node.anyOf.flatMap((member) => flatten({ node: member, definitions }));
  return [refName(variant.node) === undefined ? { node, definitions } : variant];
}

/** A constraint survives only where every variant states the same one. */
function loosest(nodes: readonly Schema[], keywords: readonly string[]): Schema {
  const first = nodes[0] as Schema;
  const kept = keywords.filter((keyword) => first[keyword] !== undefined && nodes.every((node) => isSame(node[keyword], first[keyword])));
  return Object.fromEntries(kept.map((keyword) => [keyword, first[keyword]]));
}

function widestTypes(types: readonly string[]): string[] {
  const unique = [...new Set(types)];
  return unique.filter((type) => type !== "integer" || !unique.includes("number")).sort();
}

function uniqueSorted(values: readonly unknown[]): unknown[] {
  const byText = new Map(values.map((value) => [stable(value), value]));
  return [...byText.keys()].sort().map((key) => byText.get(key));
}
