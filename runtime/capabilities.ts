// Reads capability flags out of what a peer sent. Takes any JSON value and a flag's path; gives set or not set. Malformed counts as absent, and nothing here throws on it.

import type { ProtocolTables, Wire } from "./protocol.js";

/** Names the party that advertises a flag. */
export type Side = "client" | "server";

/** Says how a set flag looks: exactly `true`, or a JSON object. */
export type FlagForm = "boolean" | "object";

/** Tells whether a value is a JSON object: neither null nor an array. */
export function isWire(value: unknown): value is Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Tells whether the flag at a dotted path is set; own keys only, every segment before the last has to be a JSON object. */
export function readFlag(capabilities: unknown, path: string, form: FlagForm): boolean {
  return isSet(valueAt(capabilities, path.split(".")), form);
}

/** Tells whether one side's flag is set, or implied by another one that is present and empty. */
export function hasFlag(tables: ProtocolTables, side: Side, capabilities: unknown, path: string, form: FlagForm): boolean {
  const found = valueAt(capabilities, path.split("."));
  return isSet(found, form) || impliers(tables, side, path).some((by) => isEmptyObject(valueAt(capabilities, by.split("."))));
}

/** Holds numbered flags by the segments of their paths, so that one walk over what a peer sent reads them all. */
export interface FlagTree {
  /** The number of the flag that ends here; -1 where none does. */
  number: number;
  form: FlagForm;
  /** The numbers of the flags that an empty object here implies. */
  readonly implies: number[];
  readonly below: Map<string, FlagTree>;
}

/** Makes a tree without flags. */
export function flagTree(): FlagTree {
  return { number: -1, form: "object", implies: [], below: new Map() };
}

/** Adds a flag of one side to that side's tree, under a number of the caller's. */
export function addFlag(tree: FlagTree, tables: ProtocolTables, side: Side, path: string, form: FlagForm, number: number): void {
  const node = nodeAt(tree, path);
  node.number = number;
  node.form = form;
  for (const by of impliers(tables, side, path)) nodeAt(tree, by).implies.push(number);
}

/** Writes 1 to `set[number]` for every flag of the tree that `hasFlag` finds set in a JSON value. */
export function readFlags(tree: FlagTree, capabilities: unknown, set: Uint8Array): void {
  if (isWire(capabilities)) readBelow(tree, capabilities, set);
}

function readBelow(tree: FlagTree, holder: Wire, set: Uint8Array): void {
  // A peer sends few keys and a tree has many, so the walk is over the peer's.
  for (const key of Object.keys(holder)) {
    const node = tree.below.get(key);
    if (node === undefined) continue;
    const value = holder[key];
    if (node.number >= 0 && isSet(value, node.form)) set[node.number] = 1;
    if (node.implies.length > 0 && isEmptyObject(value)) for (const number of node.implies) set[number] = 1;
    if (node.below.size > 0 && isWire(value)) readBelow(node, value, set);
  }
}

function nodeAt(tree: FlagTree, path: string): FlagTree {
  let node = tree;
  for (const segment of path.split(".")) {
    const next = node.below.get(segment) ?? flagTree();
    node.below.set(segment, next);
    node = next;
  }
  return node;
}

function impliers(tables: ProtocolTables, side: Side, path: string): readonly string[] {
  return tables.implied.filter((entry) => entry.side === side && entry.flag === path).map((entry) => entry.by);
}

/** Finds the form of a flag at a revision; undefined where that revision does not define the flag. */
export function flagForm(tables: ProtocolTables, revision: string, side: Side, path: string): FlagForm | undefined {
  if (!Object.hasOwn(tables.flags, revision)) return undefined;
  const forms = tables.flags[revision]?.[side];
  return forms !== undefined && Object.hasOwn(forms, path) ? forms[path] : undefined;
}

/** Builds one side's capabilities with every flag set that a revision defines. */
export function fullCapabilities(tables: ProtocolTables, revision: string, side: Side): Wire {
  const forms = Object.hasOwn(tables.flags, revision) ? tables.flags[revision]?.[side] : undefined;
  return grow(Object.entries(forms ?? {}).map(([path, form]) => ({ segments: path.split("."), form })));
}

interface FlagPath {
  readonly segments: readonly string[];
  readonly form: FlagForm;
}

/** Builds the capabilities that say one flag. */
export function oneFlag(path: string, form: FlagForm): Wire {
  return grow([{ segments: path.split("."), form }]);
}

/** Nests flag paths; a path that others continue is an object whatever its own form. */
function grow(paths: readonly FlagPath[]): Wire {
  const names = new Set(paths.flatMap(({ segments }) => segments.slice(0, 1)));
  return Object.fromEntries(
    [...names].map((name) => {
      const here = paths.filter(({ segments }) => segments[0] === name);
      const below = here.filter(({ segments }) => segments.length > 1).map(({ segments, form }) => ({ segments: segments.slice(1), form }));
      return [name, below.length === 0 && here[0]?.form === "boolean" ? true : grow(below)];
    }),
  );
}

/** Walks a JSON value down own keys; undefined where a segment is missing or its holder is no JSON object. */
export function valueAt(root: unknown, segments: readonly string[]): unknown {
  let value = root;
  for (const segment of segments) {
    if (!isWire(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value;
}

/** Tells whether a value is a set flag of the form. */
export function isSet(value: unknown, form: FlagForm): boolean {
  return form === "boolean" ? value === true : isWire(value);
}

/** Tells whether a value is a JSON object without members. */
export function isEmptyObject(value: unknown): boolean {
  return isWire(value) && Object.keys(value).length === 0;
}
