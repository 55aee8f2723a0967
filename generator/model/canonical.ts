// Rewrites one revision's definitions under the newest names: definitions renamed later carry their later name, and an inline
// object that a later revision made a definition of its own is that definition already. Layout only; no wire fact changes. Pure.
import { findNode, parsePath, type Step } from "./path.js";
import { isSame, refTo, resolve, type Definitions, type Schema } from "./schema.js";

/** One rename or extraction as a row states it. */
export interface Rename {
  /** The revision that renamed, by index. */
  readonly revision: number;
  readonly from: readonly string[];
  readonly to: string;
}

/** Applies every rename that a later revision made, in order; `used` learns which `from` entries matched something. */
export function toCanonical(definitions: Definitions, revision: number, renames: readonly Rename[], used: Set<string>): Definitions {
  let current = definitions;
  for (const rename of renames) {
    if (rename.revision <= revision) continue;
    for (const from of rename.from) {
      const next = /[.[]/.test(from) ? extract(current, from, rename.to) : renameDefinition(current, from, rename.to);
      if (next !== current) used.add(renameKey(rename, from));
      current = next;
    }
  }
  return current;
}

/** Names one entry of a rename for the check that each is used. */
export function renameKey(rename: Rename, from: string): string {
  return `${rename.revision} ${from} ${rename.to}`;
}

/** Gives a path of one revision the names that later revisions use. */
export function newestPath(path: string, revision: number, renames: readonly Rename[]): string {
  return renames
    .filter((rename) => rename.revision > revision)
    .reduce((current, rename) => rename.from.reduce((text, from) => renamePath(text, from, rename.to), current), path);
}

function renamePath(path: string, from: string, to: string): string {
  const isPosition = /[.[]/.test(from);
  const rest = path.slice(from.length);
  if (path.startsWith(from) && (isPosition ? /^[.[|]/.test(rest) : /^($|[.[|])/.test(rest))) return to + rest;
  return isPosition ? path : path.replace(/\|(.*)$/, (_, member: string) => `|${member.replace(new RegExp(`\\b${from}\\b`, "g"), to)}`);
}

function renameDefinition(definitions: Definitions, from: string, to: string): Definitions {
  const moved = definitions[from];
  if (moved === undefined || !Object.hasOwn(definitions, from)) return definitions;
  const entries = Object.entries(definitions).map(([name, node]) => [name === from ? to : name, retarget(node, from, to)] as const);
  return Object.fromEntries(entries);
}

function extract(definitions: Definitions, from: string, to: string): Definitions {
  const path = parsePath(from);
  const node = path && findNode(path, definitions);
  if (path === undefined || node === undefined || node.$ref !== undefined) return definitions;
  const there = definitions[to];
  const merged = there === undefined || isSame(there, node) ? node : joinExtracted(there, node);
  const holder = definitions[path.definition] as Schema;
  return { ...definitions, [path.definition]: replaceAt(holder, path.steps, refTo(to), definitions), [to]: merged };
}

/** Several inline twins become one definition; what only one of them lists is optional in it. */
function joinExtracted(a: Schema, b: Schema): Schema {
  return {
    ...a,
    ...b,
    properties: { ...a.properties, ...b.properties },
    required: (a.required ?? []).filter((name) => (b.required ?? []).includes(name)),
  };
}

function replaceAt(node: Schema, steps: readonly Step[], replacement: Schema, definitions: Definitions): Schema {
  const [step, ...rest] = steps;
  if (step === undefined) return replacement;
  const holder = resolve(node, definitions);
  if (step === "[]") return { ...holder, items: replaceAt(holder.items ?? {}, rest, replacement, definitions) };
  if (step === ".*")
    return { ...holder, additionalProperties: replaceAt(holder.additionalProperties as Schema, rest, replacement, definitions) };
  const child = holder.properties?.[step.property] ?? {};
  return { ...holder, properties: { ...holder.properties, [step.property]: replaceAt(child, rest, replacement, definitions) } };
}

function retarget(node: unknown, from: string, to: string): Schema {
  if (Array.isArray(node)) return node.map((item) => retarget(item, from, to)) as unknown as Schema;
  if (typeof node !== "object" || node === null) return node as Schema;
  const entries = Object.entries(node).map(([key, value]) => [
    key,
    key === "$ref" && value === refTo(from).$ref ? refTo(to).$ref : retarget(value, from, to),
  ]);
  return Object.fromEntries(entries) as Schema;
}
