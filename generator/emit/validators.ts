// Emits <revision>/validators.js and .d.ts: ajv standalone validators of params, results and notifications by method, and of whole messages.
// They are never on the lift or lower path; tests and checking tools load them.
import { Ajv } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import { paramsNode } from "../model/methods.js";
import type { Method, Model, Revision, Schema } from "../model/types.js";
import { header, pascalCase, type Output } from "./output.js";

interface Entry {
  readonly method: string;
  readonly part: "params" | "result";
  readonly name: string;
  readonly schema: Schema;
}

/** Emits the validators of one revision: code and declarations. */
export function emitValidators(model: Model, revision: Revision): Output[] {
  const entries = revision.methods.flatMap((method) => entriesOf(method, revision));
  const ajv = new Ajv({
    allowUnionTypes: true,
    strict: false,
    inlineRefs: false,
    code: { source: true, esm: true, lines: false },
    formats: Object.fromEntries(formatsOf(revision.published).map((name) => [name, true as const])),
  });
  ajv.addSchema({ $id: "schema", $defs: revision.published });
  for (const entry of entries) ajv.addSchema({ $id: entry.name, ...(absolute(entry.schema) as object) });
  const messages = Object.hasOwn(revision.definitions, "JSONRPCMessage") ? ["JSONRPCMessage"] : [];
  for (const name of messages) ajv.addSchema({ $id: `message${name}`, $ref: `schema#/$defs/${name}` });
  const names = [...entries.map((entry) => entry.name), ...messages.map((name) => `message${name}`)];
  const code = standaloneCode.default(ajv, Object.fromEntries(names.map((name) => [name, name])));
  const folder = `${model.protocol}/${revision.id}`;
  const opening = header(
    `schemas/${model.protocol}/${revision.id}/schema.json`,
    `Validators of revision ${revision.id}, errata applied, by method and part; formats are not checked.`,
  );
  return [
    {
      path: `${folder}/validators.js`,
      text: `${opening}${withoutImports(code.replace(/^"use strict";/, ""))}\n${table(entries, messages)}`,
    },
    { path: `${folder}/validators.d.ts`, text: `${opening}${DECLARATIONS}` },
  ];
}

const DECLARATIONS = `
/** One fault an ajv validator found. */
export interface Fault {
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword?: string;
  readonly message?: string;
  readonly params?: { readonly missingProperty?: string };
}

/** Tells whether a value is valid; the faults of the last call stand in \`errors\`. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly Fault[] | null;
}

/** The validators of each method's payloads; absent params are checked as an empty object where they are optional. */
export declare const VALIDATORS: ReadonlyMap<string, { readonly params: Validator; readonly result?: Validator }>;

/** Validates one JSON-RPC message of this revision, its envelope only. */
export declare const validateMessage: Validator | undefined;
`;

function table(entries: readonly Entry[], messages: readonly string[]): string {
  const methods = [...new Set(entries.map((entry) => entry.method))];
  const rows = methods.map((method) => {
    const parts = entries.filter((entry) => entry.method === method).map((entry) => `${entry.part}: ${entry.name}`);
    return `  [${JSON.stringify(method)}, { ${parts.join(", ")} }],`;
  });
  return `export const VALIDATORS = new Map([\n${rows.join("\n")}\n]);\nexport const validateMessage = ${messages[0] === undefined ? "undefined" : `message${messages[0]}`};\n`;
}

function entriesOf(method: Method, revision: Revision): Entry[] {
  const stem = pascalCase(method.name.replace(/_/g, "-"));
  const params: Entry = {
    method: method.name,
    part: "params",
    name: `params${stem}`,
    schema: paramsNode(method, revision.definitions) ?? { type: "object" },
  };
  if (method.kind === "notification") return [params];
  const results = method.results.map((name): Schema => ({ $ref: `#/$defs/${name}` }));
  return [
    params,
    {
      method: method.name,
      part: "result",
      name: `result${stem}`,
      schema: results.length === 1 ? (results[0] as Schema) : { anyOf: results },
    },
  ];
}

/** Writes out the one helper that the validators would import: generated files stand alone. */
function withoutImports(code: string): string {
  return code.replace(/const (\w+) = require\("ajv\/dist\/runtime\/ucs2length"\)\.default;/g, "const $1 = (text) => [...text].length;");
}

/** Names the formats a schema mentions; none is checked. */
function formatsOf(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  const format = (node as Schema)["format"];
  return [...new Set([...(typeof format === "string" ? [format] : []), ...Object.values(node).flatMap(formatsOf)])];
}

/** Makes references inside a lone schema point into the revision's schema. */
function absolute(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absolute);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, key === "$ref" ? `schema${String(value)}` : absolute(value)]));
}
