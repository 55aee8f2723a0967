// Emits ir.ts: the canonical form of the protocol, the superset of its revisions, all readonly, and the canonical payloads of each method.
import { Project, SyntaxKind } from "ts-morph";
import { refName, resolve, shape, refTo } from "../model/schema.js";
import { paramsNode } from "../model/methods.js";
import { valuesAt } from "../model/values.js";
import type { Definitions, Model, Schema } from "../model/types.js";
import { compileDeclarations } from "./declarations.js";
import { header, propertyKey, type Output } from "./output.js";
import { buildProvenance } from "./provenance.js";

/** Emits the canonical types. */
export async function emitIr(model: Model): Promise<Output> {
  const unknowns = unknownMembers(model.ir);
  const text = await compileDeclarations({
    definitions: withoutOthers(model.ir, unknowns),
    canonicalName: (name) => name,
    provenance: buildProvenance(model),
    valuesAt: (path) => valuesAt(model, path, model.revisions.length - 1)?.values,
  });
  const opening = header(
    `schemas/${model.protocol}`,
    "The canonical form: for each definition, under its newest name, what any revision allows. A message may be its own canonical form.",
  );
  const declarations = withUnknownMembers(asReadonly(text), unknowns);
  return { path: `${model.protocol}/ir.ts`, text: `${opening}\n${declarations}${unknownTypes(unknowns, model.ir)}${payloads(model)}` };
}

/** The unions whose members are told apart by a constant `type`: a member of a type this build does not know may come in any of them. */
function unknownMembers(definitions: Definitions): string[] {
  return Object.keys(definitions)
    .sort()
    .filter((name) => {
      const members = definitions[name]?.anyOf ?? [];
      const tags = members.map((member) => shape(member, definitions).properties?.["type"]?.const);
      const isAlways = members.every((member) => shape(member, definitions).required?.includes("type"));
      return isAlways && members.length > 1 && tags.every((tag) => typeof tag === "string") && new Set(tags).size === tags.length;
    });
}

/** Where a union has an unknown member of its own, that stands for what an open revision takes too. */
function withoutOthers(definitions: Definitions, unions: readonly string[]): Definitions {
  const entries = Object.entries(definitions).map(([name, node]) => {
    const { others: _others, ...closed } = node;
    return [name, unions.includes(name) ? closed : node] as const;
  });
  return Object.fromEntries(entries);
}

function unknownName(union: string): string {
  return `Unknown${union.replace(/Block$/, "")}`;
}

function unknownTypes(unions: readonly string[], definitions: Definitions): string {
  return unions
    .map((name) => {
      const unknown = unknownName(name);
      const tags = (definitions[name]?.anyOf ?? [])
        .map((member) => JSON.stringify(shape(member, definitions).properties?.["type"]?.const))
        .sort();
      return `/** A member of ${name} whose \`type\` no revision of this build knows; the object as it came. */
export interface ${unknown} {
  readonly type: string & { readonly __unknown?: never }
  readonly [key: string]: unknown
}
/** Tells whether a member of ${name} is of a type that no revision of this build knows. */
export function is${unknown}(member: ${name}): member is ${unknown} {
  return ![${tags.join(", ")}].includes(member.type)
}
`;
    })
    .join("");
}

function withUnknownMembers(text: string, unions: readonly string[]): string {
  return unions.reduce(
    (current, name) => current.replace(new RegExp(`^(export type ${name} = )(.*)$`, "m"), `$1($2 | ${unknownName(name)})`),
    text,
  );
}

/** Marks every property and array of the declarations readonly; positions are collected first and the text is spliced once. */
function asReadonly(text: string): string {
  const project = new Project({ useInMemoryFileSystem: true, skipLoadingLibFiles: true });
  const file = project.createSourceFile("ir.ts", text);
  const inserts: { readonly at: number; readonly text: string }[] = [];
  for (const node of file.getDescendantsOfKind(SyntaxKind.PropertySignature)) inserts.push({ at: node.getStart(), text: "readonly " });
  for (const node of file.getDescendantsOfKind(SyntaxKind.IndexSignature)) inserts.push({ at: node.getStart(), text: "readonly " });
  for (const node of file.getDescendantsOfKind(SyntaxKind.ArrayType)) inserts.push({ at: node.getStart(), text: "readonly " });
  return inserts
    .sort((a, b) => b.at - a.at)
    .reduce((current, insert) => current.slice(0, insert.at) + insert.text + current.slice(insert.at), text);
}

function payloads(model: Model): string {
  const methods = new Map<string, { definition: string; results: Set<string>; optional: boolean; hasParams: boolean }>();
  for (const revision of model.revisions) {
    for (const method of revision.methods) {
      const entry = methods.get(method.name) ?? {
        definition: method.canonicalDefinition,
        results: new Set<string>(),
        optional: false,
        hasParams: false,
      };
      for (const result of method.results) entry.results.add(result);
      methods.set(method.name, {
        ...entry,
        optional: entry.optional || !method.paramsRequired,
        hasParams: entry.hasParams || method.hasParams,
      });
    }
  }
  const lines = [...methods.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, entry]) => {
      const node = paramsNode({ definition: entry.definition } as never, model.ir, entry.definition);
      const params = entry.hasParams ? (node === undefined ? "undefined" : typeOf(node, entry.definition, model.ir)) : "undefined";
      const result = entry.results.size === 0 ? "" : `; readonly result: ${[...entry.results].join(" | ")}`;
      return `  readonly ${propertyKey(name)}: { readonly params: ${params}${entry.optional && params !== "undefined" ? " | undefined" : ""}${result} }`;
    });
  return `/** The canonical payloads of each method of any revision. */\nexport interface Payloads {\n${lines.join("\n")}\n}\n`;
}

function typeOf(node: Schema, definition: string, definitions: Definitions): string {
  const name = refName(node);
  if (name !== undefined) return name;
  return resolve(refTo(definition), definitions).required?.includes("params")
    ? `${definition}["params"]`
    : `NonNullable<${definition}["params"]>`;
}
