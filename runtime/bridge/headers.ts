// The headers that repeat what a modern message says, written for a server and checked for a client; and the tools whose arguments they repeat.
// Pure, apart from the book of tools, which remembers what it is shown.
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata

import { isWire, valueAt } from "../capabilities.js";
import { Feature } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { metaOf, paramsOf } from "./answers.js";
import { hasFeature } from "./eras.js";
import { META } from "./meta.js";

/** One argument of a tool that a header repeats. */
export interface ParamHeader {
  /** The name of the header, as it is sent. */
  readonly header: string;
  /** The keys from the arguments down to the value. */
  readonly path: readonly string[];
  readonly type: string;
}

/** What a tool's input schema says about headers: the arguments to repeat, or why it may not say so. */
export type ToolHeaders = { readonly params: readonly ParamHeader[] } | { readonly invalid: string };

/** A tool that an HTTP client has to leave out of the list, and why. */
export interface InvalidTool {
  readonly name: string;
  readonly reason: string;
}

/** Longest value of a header, in characters, that is sent; servers refuse more than that with a status that says nothing. */
export const LONGEST_HEADER = 8192;

/**
 * Writes the headers that go with a message of a revision that has them; none for others. A message that names something has the name repeated
 * in the form headers take.
 */
export function standardHeaders(message: Wire, revision: string): Readonly<Record<string, string>> {
  const { method } = message;
  if (typeof method !== "string" || !hasFeature(revision, Feature.TransportRequestHeaders, "streamable-http")) return {};
  const name = nameIn(message);
  return {
    [VERSION]: revision,
    [METHOD]: method,
    ...(name === undefined ? {} : { [NAME]: encodeHeaderValue(name) }),
  };
}

/** Writes the headers that repeat arguments; what is absent, null, no scalar or longer than `LONGEST_HEADER` has none. */
export function paramHeaders(params: readonly ParamHeader[], args: unknown): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { header, path } of params) {
    const value = valueAt(args, path);
    if (!isScalar(value)) continue;
    const text = encodeHeaderValue(value);
    if (text.length <= LONGEST_HEADER) headers[header] = text;
  }
  return headers;
}

/** Writes a value as a header takes it: as it is where it is plain, else Base64 of its UTF-8 bytes between the marks that say so. */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = typeof value === "number" && Number.isSafeInteger(value) ? value.toFixed(0) : String(value);
  return PLAIN.test(text) && !isMarked(text) ? text : MARK + Buffer.from(text, "utf8").toString("base64") + END;
}

/** Reads what a header says; undefined for characters no header may have, and for Base64 that is none or no UTF-8. */
export function decodeHeaderValue(text: string): string | undefined {
  if (!/^[\t\x20-\x7e]*$/.test(text)) return undefined;
  // Where the two marks share a character there is nothing between them, and nobody who encodes writes that.
  if (!isMarked(text) || text.length < MARK.length + END.length) return text;
  const base64 = text.slice(MARK.length, -END.length);
  const bytes = Buffer.from(base64, "base64");
  if (bytes.toString("base64") !== base64) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Reads which arguments of a tool are repeated in headers. One annotation against the rules makes the tool invalid: an HTTP client leaves it out of
 * the list.
 * https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function readToolHeaders(tool: unknown): ToolHeaders {
  const params: ParamHeader[] = [];
  const invalid = isWire(tool) ? collect(tool["inputSchema"], [], true, params, 0) : undefined;
  if (invalid !== undefined) return { invalid };
  const names = params.map(({ header }) => header.toLowerCase());
  const twice = params.find(({ header }, index) => names.indexOf(header.toLowerCase()) !== index);
  return twice === undefined ? { params } : { invalid: `${twice.header} is there twice` };
}

/**
 * Holds the headers of a modern request against its body; gives what is wrong in one sentence, undefined where nothing is. With what is known of the
 * tool's arguments those are held against the body too. `header` takes lower-case names.
 */
export function checkHeaders(
  message: Wire,
  header: (name: string) => string | undefined,
  params?: readonly ParamHeader[],
): string | undefined {
  const version = metaOf(message["params"])?.[META.protocolVersion];
  const name = nameIn(message);
  return (
    differs(VERSION, header(VERSION.toLowerCase()), version) ??
    differs(METHOD, header(METHOD.toLowerCase()), message["method"]) ??
    (name === undefined ? undefined : differsDecoded(NAME, header(NAME.toLowerCase()), name)) ??
    firstDifference(params ?? [], paramsOf(message)?.["arguments"], header)
  );
}

/** Remembers which arguments of which tools are repeated in headers, by whom the list was shown to. Longer than a list is fresh: it is for headers. */
export class ToolBook {
  readonly #owners = new Map<string, Map<string, ToolHeaders>>();
  readonly #mostOwners: number;
  readonly #mostTools: number;

  /** Takes how many owners to remember, and how many tools of each; those seen longest ago go first. */
  constructor(mostOwners = 256, mostTools = 4096) {
    this.#mostOwners = mostOwners;
    this.#mostTools = mostTools;
  }

  /** Reads a page of tools as the server listed it; gives those that are invalid. */
  read(owner: string, tools: unknown): readonly InvalidTool[] {
    if (!Array.isArray(tools)) return [];
    const book = this.#owners.get(owner) ?? new Map<string, ToolHeaders>();
    const invalid: InvalidTool[] = [];
    for (const tool of tools as readonly unknown[]) {
      const name = isWire(tool) ? tool["name"] : undefined;
      if (typeof name !== "string") continue;
      const headers = readToolHeaders(tool);
      putLast(book, name, headers, this.#mostTools);
      if ("invalid" in headers) invalid.push({ name, reason: headers.invalid });
    }
    putLast(this.#owners, owner, book, this.#mostOwners);
    return invalid;
  }

  /** Gives the arguments of a tool that are repeated; undefined for a tool that was not seen, none for an invalid one. */
  paramsOf(owner: string, name: unknown): readonly ParamHeader[] | undefined {
    const headers = typeof name === "string" ? this.#owners.get(owner)?.get(name) : undefined;
    if (headers === undefined) return undefined;
    return "params" in headers ? headers.params : [];
  }

  /** Forgets what was shown to somebody. */
  forget(owner: string): void {
    this.#owners.delete(owner);
  }
}

/** Gives what a message names, where its method has such a field and the field is a text. */
function nameIn(message: Wire): string | undefined {
  const { method } = message;
  const field = typeof method === "string" ? NAMING_FIELDS.get(method) : undefined;
  const name = field === undefined ? undefined : paramsOf(message)?.[field];
  return typeof name === "string" ? name : undefined;
}

function differs(name: string, given: string | undefined, wanted: unknown): string | undefined {
  if (given === undefined) return `cannot take the request: the header ${name} is missing`;
  if (given === wanted) return undefined;
  return `cannot take the request: the header ${name} says ${quote(given)}, the message ${quote(wanted)}`;
}

function differsDecoded(name: string, given: string | undefined, wanted: string | number | boolean): string | undefined {
  const text = given === undefined ? undefined : decodeHeaderValue(given);
  if (given !== undefined && text === undefined) return `cannot take the request: the header ${name} cannot be decoded`;
  const isEqual = typeof wanted === "number" ? text !== undefined && NUMBER.test(text) && Number(text) === wanted : text === String(wanted);
  return isEqual ? undefined : differs(name, text, wanted);
}

function firstDifference(params: readonly ParamHeader[], args: unknown, header: (name: string) => string | undefined): string | undefined {
  for (const param of params) {
    const value = valueAt(args, param.path);
    const fault = isScalar(value) ? differsDecoded(param.header, header(param.header.toLowerCase()), value) : undefined;
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Walks a schema for annotations; gives why the first bad one is bad. Only a chain of `properties` leads to arguments that can be repeated. */
function collect(schema: unknown, path: readonly string[], isReachable: boolean, params: ParamHeader[], depth: number): string | undefined {
  if (!isWire(schema)) return undefined;
  if (depth > DEEPEST) return "its schema is nested too deeply to look through";
  if (Object.hasOwn(schema, ANNOTATION)) {
    const fault = annotationFault(schema, path, isReachable);
    if (fault !== undefined) return fault;
    params.push({ header: PARAM + String(schema[ANNOTATION]), path, type: String(schema["type"]) });
  }
  for (const [keyword, value] of Object.entries(schema)) {
    for (const [key, below] of subschemas(keyword, value)) {
      const fault = collect(below, [...path, key], isReachable && keyword === "properties", params, depth + 1);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

function annotationFault(schema: Wire, path: readonly string[], isReachable: boolean): string | undefined {
  const name = schema[ANNOTATION];
  const where = path.join(".") || "the root";
  if (typeof name !== "string" || !TOKEN.test(name)) return `${ANNOTATION} of ${where} is no name of a header`;
  if (!isReachable || path.length === 0) return `${ANNOTATION} of ${where} is not at a property that is always the same place`;
  if (TYPES.has(schema["type"])) return undefined;
  return `${ANNOTATION} of ${where} is at a ${typeof schema["type"] === "string" ? schema["type"] : "schema of no one type"}`;
}

/** Lists the schemas below a keyword, each with a key for messages; what is data, such as a default, has none. */
function subschemas(keyword: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (MAPS.has(keyword)) return isWire(value) ? Object.entries(value) : [];
  if (!SCHEMAS.has(keyword)) return [];
  return Array.isArray(value) ? value.map((entry, index) => [`${keyword}/${index}`, entry] as const) : [[keyword, value]];
}

function putLast<V>(map: Map<string, V>, key: string, value: V, most: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= most) break;
    map.delete(oldest);
  }
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value));
}

function isMarked(text: string): boolean {
  return text.startsWith(MARK) && text.endsWith(END);
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

const VERSION = "MCP-Protocol-Version";
const METHOD = "Mcp-Method";
const NAME = "Mcp-Name";
const PARAM = "Mcp-Param-";
const ANNOTATION = "x-mcp-header";
const MARK = "=?base64?";
const END = "?=";
const DEEPEST = 64;

/** Matches what may stand in a header as it is: no white space at either end, and not nothing. */
const PLAIN = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

const TYPES = new Set<unknown>(["string", "integer", "boolean"]);
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
const SCHEMAS = new Set(
  `items prefixItems additionalItems unevaluatedItems contains additionalProperties unevaluatedProperties propertyNames
  allOf anyOf oneOf not if then else contentSchema`.split(/\s+/),
);

/** The fields by which methods name what they are about; those of tasks are the extension's. */
const NAMING_FIELDS: ReadonlyMap<string, string> = new Map([
  ["tools/call", "name"],
  ["prompts/get", "name"],
  ["resources/read", "uri"],
  ["tasks/get", "taskId"],
  ["tasks/update", "taskId"],
  ["tasks/cancel", "taskId"],
]);
