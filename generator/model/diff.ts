// Compares two revisions' canonical definitions and lists what differs, independent of order: the place of the structural differ.
// Renames and extractions are gone already, since both sides carry the newest names. Pure.
import { propertyPath } from "./path.js";
import { isSame, mapValue, own, refName, type Definitions, type Schema } from "./schema.js";

/** One structural difference at one path. */
export interface Delta {
  readonly kind:
    | "definition-added"
    | "definition-removed"
    | "property-added"
    | "property-removed"
    | "required"
    | "optional"
    | "member-added"
    | "member-removed"
    | "type"
    | "openness"
    | "constraint";
  readonly path: string;
}

/** Lists the differences from `before` to `after`, sorted by path and kind. */
export function diffDefinitions(before: Definitions, after: Definitions): Delta[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const deltas = names.flatMap((name): Delta[] => {
    const old = own(before, name);
    const now = own(after, name);
    if (old === undefined) return [{ kind: "definition-added", path: name }];
    if (now === undefined) return [{ kind: "definition-removed", path: name }];
    return diffNodes(old, now, name);
  });
  return deltas.sort((a, b) => compare(a.path, b.path) || compare(a.kind, b.kind));
}

/** Counts the differences from `before` to `after`. */
export function countDeltas(before: Definitions, after: Definitions): number {
  return diffDefinitions(before, after).length;
}

function diffNodes(old: Schema, now: Schema, path: string): Delta[] {
  if (isSame(old, now)) return [];
  if (old.anyOf !== undefined && now.anyOf !== undefined) return diffMembers(old.anyOf, now.anyOf, path);
  if (
    refName(old) !== undefined ||
    refName(now) !== undefined ||
    old.anyOf !== undefined ||
    now.anyOf !== undefined ||
    !isSame(kind(old), kind(now))
  ) {
    return [{ kind: "type", path }];
  }
  const deltas = [...diffProperties(old, now, path), ...diffOpenness(old, now, path), ...diffConstraints(old, now, path)];
  if (old.items !== undefined && now.items !== undefined) deltas.push(...diffNodes(old.items, now.items, `${path}[]`));
  return deltas;
}

function diffProperties(old: Schema, now: Schema, path: string): Delta[] {
  const names = [...new Set([...Object.keys(old.properties ?? {}), ...Object.keys(now.properties ?? {})])];
  return names.flatMap((name): Delta[] => {
    const at = propertyPath(path, name);
    const a = own(old.properties, name);
    const b = own(now.properties, name);
    if (a === undefined) return [{ kind: "property-added", path: at }];
    if (b === undefined) return [{ kind: "property-removed", path: at }];
    const wasRequired = old.required?.includes(name) ?? false;
    const isRequired = now.required?.includes(name) ?? false;
    const changed: Delta[] = wasRequired === isRequired ? [] : [{ kind: isRequired ? "required" : "optional", path: at }];
    return [...changed, ...diffNodes(a, b, at)];
  });
}

function diffMembers(old: readonly Schema[], now: readonly Schema[], path: string): Delta[] {
  const without = (list: readonly Schema[], others: readonly Schema[]) =>
    list.filter((member) => !others.some((other) => isSame(member, other)));
  return [
    ...without(now, old).map((member): Delta => ({ kind: "member-added", path: `${path}|${nameOf(member)}` })),
    ...without(old, now).map((member): Delta => ({ kind: "member-removed", path: `${path}|${nameOf(member)}` })),
  ];
}

function diffOpenness(old: Schema, now: Schema, path: string): Delta[] {
  const a = mapValue(old);
  const b = mapValue(now);
  if (a !== undefined && b !== undefined) return diffNodes(a, b, `${path}.*`);
  return isSame(old.additionalProperties, now.additionalProperties) ? [] : [{ kind: "openness", path }];
}

function diffConstraints(old: Schema, now: Schema, path: string): Delta[] {
  const keywords = ["const", "enum", "format", "pattern", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];
  return keywords.some((keyword) => !isSame(old[keyword], now[keyword])) ? [{ kind: "constraint", path }] : [];
}

function kind(node: Schema): unknown {
  return node.type ?? (node.properties === undefined ? undefined : "object");
}

function nameOf(member: Schema): string {
  return refName(member) ?? (Array.isArray(member.type) ? member.type.join("/") : String(member.type ?? "any"));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
