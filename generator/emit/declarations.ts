// Turns definitions into TypeScript declarations: exactly one export a definition, under its own name, with its provenance as doc comment.
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { propertyPath } from "../model/path.js";
import { isDeclaredOpen, refName, type Definitions, type Schema } from "../model/schema.js";
import type { Provenance } from "./provenance.js";

const ROOT = "PolyrevDocumentRoot";

/** What a set of declarations is made from. */
export interface DeclarationSources {
  readonly definitions: Definitions;
  /** The canonical name of a definition, under which the rows know it. */
  readonly canonicalName: (name: string) => string;
  readonly provenance: Provenance;
  /** The constants a canonical path may hold, in order. */
  readonly valuesAt: (path: string) => readonly string[] | undefined;
}

/** Compiles the declarations; deterministic, in order of name. */
export async function compileDeclarations(sources: DeclarationSources): Promise<string> {
  const names = Object.keys(sources.definitions).sort();
  const $defs = Object.fromEntries(names.map((name) => [name, documented(name, sources)]));
  const schema = { title: ROOT, type: "object", additionalProperties: false, $defs } as unknown as JSONSchema;
  const compiled = await compile(schema, ROOT, {
    bannerComment: "",
    unreachableDefinitions: true,
    unknownAny: true,
    ignoreMinAndMaxItems: true,
    additionalProperties: false,
    format: false,
  });
  const bare = compiled
    .replace(new RegExp(`export interface ${ROOT} \\{[^}]*\\}\\n?`), "")
    .replace(/\/\*\*(?:(?!\*\/)[\s\S])*?This interface was referenced by(?:(?!\*\/)[\s\S])*?\*\/\n?/g, dropReference)
    .replace(/\n \* ?(?=\n \*\/)/g, "")
    .replace(/\n{2,}/g, "\n");
  const exported = new Set([...bare.matchAll(/^export (?:interface|type) (\w+)/gm)].map((match) => match[1]));
  const aliases = names.filter((name) => !exported.has(name)).map((name) => aliasOf(name, sources));
  return [bare.trim(), ...aliases].join("\n") + "\n";
}

/** A pure alias leaves no trace in the compiled text; it is declared here. */
function aliasOf(name: string, sources: DeclarationSources): string {
  const target = refName(sources.definitions[name] as Schema);
  const doc = sources.provenance.ofDefinition(sources.canonicalName(name));
  const comment =
    doc === undefined
      ? ""
      : `/**\n${doc
          .split("\n")
          .map((line) => ` * ${line}`)
          .join("\n")}\n */\n`;
  return `${comment}export type ${name} = ${target ?? "unknown"}`;
}

function dropReference(comment: string): string {
  const kept = comment
    .split("\n")
    .slice(1, -1)
    .filter((line) => !line.includes("This interface was referenced by") && !/via the `(definition|patternProperty)`/.test(line));
  while (kept.length > 0 && /^\s*\*?\s*$/.test(kept.at(-1) as string)) kept.pop();
  const text = kept.filter((line) => !/^\s*\*\/\s*$/.test(line));
  return text.length === 0 ? "" : `/**\n${text.join("\n")}\n */\n`;
}

function documented(name: string, sources: DeclarationSources): unknown {
  const canonical = sources.canonicalName(name);
  const node = withValues(prepared(sources.definitions[name] as Schema), sources.valuesAt(canonical));
  const properties = Object.entries(node.properties ?? {}).map(([field, child]) => {
    const valued = withValues(child, sources.valuesAt(propertyPath(canonical, field)));
    return [field, withDoc(valued, sources.provenance.ofField(canonical, field))] as const;
  });
  const described = properties.length === 0 ? node : { ...node, properties: Object.fromEntries(properties) };
  return withDoc(described, sources.provenance.ofDefinition(canonical));
}

/** Puts named values in their order; of a plain string they are what is known, and any other string may come. */
function withValues(node: Schema, values: readonly string[] | undefined): Schema {
  if (values === undefined) return node;
  if (node.enum !== undefined) return { ...node, enum: values };
  return { tsType: `${values.map((value) => JSON.stringify(value)).join(" | ")} | (string & {})` };
}

function withDoc(node: Schema, doc: string | undefined): Schema {
  if (doc === undefined) return node;
  // A doc beside a $ref would make a numbered twin of the definition; an allOf of one carries it without.
  return node.$ref === undefined ? { ...node, description: doc } : { allOf: [node], description: doc };
}

/** Rewrites what the type compiler reads otherwise than JSON Schema means it. */
function prepared(node: Schema): Schema {
  if (node.$ref !== undefined) return { $ref: node.$ref };
  if (Object.keys(node).length === 0) return { tsType: "unknown" };
  const isOpen =
    isDeclaredOpen(node) || (node.type === "object" && node.properties === undefined && node.additionalProperties === undefined);
  const more = isOpen
    ? { additionalProperties: true }
    : typeof node.additionalProperties === "object"
      ? { additionalProperties: prepared(node.additionalProperties) }
      : {};
  return {
    ...node,
    ...more,
    ...(node.properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(node.properties).map(([key, child]) => [key, prepared(child)])) }),
    ...(node.items === undefined ? {} : { items: prepared(node.items) }),
    ...(node.anyOf === undefined ? {} : { anyOf: [...node.anyOf, ...(node.others === undefined ? [] : [node.others])].map(prepared) }),
    ...(node.allOf === undefined ? {} : { allOf: node.allOf.map(prepared) }),
  };
}
