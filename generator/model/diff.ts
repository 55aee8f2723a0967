// The structural differ: lists what differs between two consecutive schemas, independent of order. Renames and extractions are taken from the
// rows first, so that only real differences are left beside them. Paths carry the newer revision's names. Pure.
import { toCanonical, type Rename } from "./canonical.js";
import { memberName, propertyPath } from "./path.js";
import { isSame, mapValue, own, refName, refTo, stable, type Definitions, type Schema } from "./schema.js";

/** What a delta says happened. */
export type DeltaKind =
  | "definition-added"
  | "definition-removed"
  | "definition-renamed"
  | "definition-extracted"
  | "extracted"
  | "retargeted"
  | "property-added"
  | "property-removed"
  | "required"
  | "optional"
  | "member-added"
  | "member-removed"
  | "type"
  | "openness"
  | "constraint";

/** One structural difference at one path; the inside of a wholly added or removed node is not counted again. */
export interface Delta {
  readonly kind: DeltaKind;
  readonly path: string;
  /** What stood there before and what stands there now, where that is one node. */
  readonly before?: Schema;
  readonly after?: Schema;
  /** The rename row that made the difference, where one did. */
  readonly rename?: Rename;
}

/** Lists the differences between the schemas of two consecutive revisions, sorted by path and kind; `renames` are those the newer one made. */
export function diffRevisions(before: Definitions, after: Definitions, renames: readonly Rename[]): Delta[] {
  const moved = renames.flatMap((rename) => movedBy(rename, before, after, renames));
  const renamed = toCanonical(before, -1, renames, new Set());
  return sortDeltas([...moved, ...diffDefinitions(renamed, after)]);
}

/** Lists the differences between two sets of definitions that carry the same names, sorted by path and kind. */
export function diffDefinitions(before: Definitions, after: Definitions): Delta[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const deltas = names.flatMap((name): Delta[] => {
    const old = own(before, name);
    const now = own(after, name);
    if (old === undefined) return [{ kind: "definition-added", path: name, ...(now === undefined ? {} : { after: now }) }];
    if (now === undefined) return [{ kind: "definition-removed", path: name, before: old }];
    return diffNodes(old, now, name);
  });
  return sortDeltas(deltas);
}

/** What a rename row itself accounts for: the definition that changed its name and who referred to it, or the positions that became one. */
function movedBy(rename: Rename, before: Definitions, after: Definitions, renames: readonly Rename[]): Delta[] {
  const earlier = renames.slice(0, renames.indexOf(rename));
  const start = toCanonical(before, -1, earlier, new Set());
  const deltas: Delta[] = [];
  for (const from of rename.from) {
    const isPosition = /[.[]/.test(from);
    const used = new Set<string>();
    toCanonical(start, -1, [{ ...rename, from: [from] }], used);
    if (used.size === 0) continue;
    if (isPosition) deltas.push({ kind: "extracted", path: from, rename });
    else {
      deltas.push({ kind: "definition-renamed", path: rename.to, rename });
      const sites = sitesOf(from, start);
      deltas.push(...sites.map((path): Delta => ({ kind: "retargeted", path, rename })));
    }
  }
  const isNew = own(start, rename.to) === undefined && own(after, rename.to) !== undefined;
  if (isNew && deltas.some((delta) => delta.kind === "extracted")) deltas.push({ kind: "definition-extracted", path: rename.to, rename });
  return deltas;
}

/** The places that refer to a definition; a union counts once however many members it has. */
function sitesOf(name: string, definitions: Definitions): string[] {
  const target = refTo(name).$ref;
  const sites: string[] = [];
  const walk = (node: Schema, path: string): void => {
    if (node.$ref === target || node.anyOf?.some((member) => member.$ref === target)) sites.push(path);
    for (const [key, child] of Object.entries(node.properties ?? {})) walk(child, propertyPath(path, key));
    if (node.items !== undefined) walk(node.items, `${path}[]`);
    const value = mapValue(node);
    if (value !== undefined) walk(value, `${path}.*`);
    for (const member of node.anyOf ?? []) if (member.$ref === undefined) walk(member, path);
  };
  for (const [definition, node] of Object.entries(definitions)) walk(node, definition);
  return sites;
}

function diffNodes(old: Schema, now: Schema, path: string): Delta[] {
  if (isSame(unordered(old), unordered(now))) return [];
  const oldMembers = membersOf(old);
  const nowMembers = membersOf(now);
  // A union that shrinks to one member is written as that member alone, and the reverse.
  if (oldMembers !== undefined || nowMembers !== undefined)
    return [...diffMembers(oldMembers ?? [old], nowMembers ?? [now], path), ...diffOthers(old, now, path)];
  const isReference = refName(old) !== undefined || refName(now) !== undefined;
  if (isReference || !isSame(kindOf(old), kindOf(now)) || old.allOf !== undefined || now.allOf !== undefined) {
    return [{ kind: "type", path, before: old, after: now }];
  }
  const deltas = [...diffProperties(old, now, path), ...diffOpenness(old, now, path), ...diffConstraints(old, now, path)];
  if (old.items !== undefined || now.items !== undefined) deltas.push(...diffNodes(old.items ?? {}, now.items ?? {}, `${path}[]`));
  return deltas;
}

/** The members of a union: of anyOf, with the types of a type list one by one. */
function membersOf(node: Schema): readonly Schema[] | undefined {
  const members = node.anyOf ?? (Array.isArray(node.type) ? [node] : undefined);
  return members?.flatMap((member) =>
    Array.isArray(member.type) ? (member.type as string[]).map((type) => ({ ...member, type })) : [member],
  );
}

function diffProperties(old: Schema, now: Schema, path: string): Delta[] {
  const names = [...new Set([...Object.keys(old.properties ?? {}), ...Object.keys(now.properties ?? {})])];
  return names.flatMap((name): Delta[] => {
    const at = propertyPath(path, name);
    const a = own(old.properties, name);
    const b = own(now.properties, name);
    if (a === undefined) return [{ kind: "property-added", path: at, ...(b === undefined ? {} : { after: b }) }];
    if (b === undefined) return [{ kind: "property-removed", path: at, before: a }];
    const wasRequired = old.required?.includes(name) ?? false;
    const isRequired = now.required?.includes(name) ?? false;
    const changed: Delta[] = wasRequired === isRequired ? [] : [{ kind: isRequired ? "required" : "optional", path: at }];
    return [...changed, ...diffNodes(a, b, at)];
  });
}

function diffMembers(old: readonly Schema[], now: readonly Schema[], path: string): Delta[] {
  const without = (list: readonly Schema[], others: readonly Schema[]) =>
    list.filter((member) => !others.some((other) => isSame(unordered(member), unordered(other))));
  return [
    ...without(now, old).map((member): Delta => ({ kind: "member-added", path: `${path}|${memberName(member)}`, after: member })),
    ...without(old, now).map((member): Delta => ({ kind: "member-removed", path: `${path}|${memberName(member)}`, before: member })),
  ];
}

function diffOthers(old: Schema, now: Schema, path: string): Delta[] {
  return isSame(unordered(old.others), unordered(now.others)) ? [] : [{ kind: "openness", path, before: old, after: now }];
}

function diffOpenness(old: Schema, now: Schema, path: string): Delta[] {
  const a = mapValue(old);
  const b = mapValue(now);
  if (a !== undefined && b !== undefined) return diffNodes(a, b, `${path}.*`);
  return isSame(opennessOf(old), opennessOf(now)) ? [] : [{ kind: "openness", path, before: old, after: now }];
}

/** `true` and `{}` both say that further properties may hold anything. */
function opennessOf(node: Schema): unknown {
  return node.additionalProperties === true ? {} : node.additionalProperties;
}

/** The keywords that are compared on their own; every other one is a constraint, known or not. */
const STRUCTURE = new Set(["$ref", "type", "properties", "required", "items", "additionalProperties", "anyOf", "allOf"]);

function diffConstraints(old: Schema, now: Schema, path: string): Delta[] {
  const keywords = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((keyword) => !STRUCTURE.has(keyword));
  const differs = (keyword: string) => !isSame(unordered({ [keyword]: old[keyword] }), unordered({ [keyword]: now[keyword] }));
  return keywords.filter(differs).map(() => ({ kind: "constraint", path, before: old, after: now }) as const);
}

function kindOf(node: Schema): unknown {
  return node.type ?? (node.properties === undefined ? undefined : "object");
}

/** Writes what JSON Schema treats as sets in one order, so that only content differs. */
function unordered(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(unordered);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      const isSet = Array.isArray(value) && ["required", "enum", "type", "anyOf"].includes(key);
      return [key, isSet ? (value as unknown[]).map(unordered).sort((a, b) => compare(stable(a), stable(b))) : unordered(value)];
    }),
  );
}

function sortDeltas(deltas: readonly Delta[]): Delta[] {
  return [...deltas].sort((a, b) => compare(a.path, b.path) || compare(a.kind, b.kind));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
