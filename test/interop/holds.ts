// What must be left of an answer whatever a policy does to it: predicates over a result, each with a name to fail by. A result is looked at as
// the application gets it, so the same predicate judges what we wrote and what a native client made of it.
import { isDeepStrictEqual } from "node:util";
import type { Wire } from "../../runtime/index.js";

/** Something a result must hold. */
export interface Hold {
  readonly what: string;
  readonly found: (result: Wire) => boolean;
}

/** Tells whether a value is a JSON object. */
export function isObject(value: unknown): value is Wire {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Gives the members of a list that are objects; none for what is no list. */
export function objectsOf(value: unknown): readonly Wire[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Gives every content block of a result: of a tool's answer, of a prompt's messages, or the contents of a resource. */
export function blocksOf(result: Wire): readonly Wire[] {
  const messages = objectsOf(result["messages"]).flatMap(({ content }) => (Array.isArray(content) ? content : [content]));
  const resources = objectsOf(result["contents"]).map((resource) => ({ type: "resource", resource }));
  return [...objectsOf(result["content"]), ...objectsOf(messages), ...resources];
}

/** Holds a text block with this text. */
export function text(expected: string): Hold {
  return { what: `the text ${JSON.stringify(expected)}`, found: (result) => textsOf(result).includes(expected) };
}

/** Holds these bytes, in base64, in some block, with their media type. */
export function bytes(data: string, mimeType: string): Hold {
  const matches = (value: Wire) => (value["data"] === data || value["blob"] === data) && value["mimeType"] === mimeType;
  const found = (result: Wire) =>
    blocksOf(result).some((block) => matches(block) || (isObject(block["resource"]) && matches(block["resource"])));
  return { what: `the bytes ${data} as ${mimeType}`, found };
}

/** Holds a resource, embedded or read, with this text. */
export function resourceText(uri: string, expected: string): Hold {
  const matches = (value: unknown) => isObject(value) && value["uri"] === uri && value["text"] === expected;
  return { what: `the text of ${uri}`, found: (result) => blocksOf(result).some(({ resource }) => matches(resource)) };
}

/** Holds these words in some block, wherever they stand in it. */
export function words(expected: string): Hold {
  return { what: `the words ${expected}`, found: (result) => blocksOf(result).some((block) => JSON.stringify(block).includes(expected)) };
}

/** Holds a structured value: as it is, under `result`, or as the JSON of a text block. */
export function structured(expected: unknown): Hold {
  const found = (result: Wire) => {
    const value = result["structuredContent"];
    const wrapped = isObject(value) ? value["result"] : undefined;
    return [value, wrapped, ...textsOf(result).map(parsed)].some((candidate) => isDeepStrictEqual(candidate, expected));
  };
  return { what: `the structured value ${JSON.stringify(expected)}`, found };
}

/** Holds a member of a list with these fields, as they are. */
export function item(list: string, fields: Wire): Hold {
  const matches = (entry: Wire) => Object.entries(fields).every(([key, value]) => isDeepStrictEqual(entry[key], value));
  return { what: `${list} with ${JSON.stringify(fields)}`, found: (result) => objectsOf(result[list]).some(matches) };
}

/** Holds a field of the result, as it is; `path` goes from key to key. */
export function field(path: readonly string[], value: unknown): Hold {
  return { what: `${path.join(".")} ${JSON.stringify(value)}`, found: (result) => isDeepStrictEqual(valueAt(result, path), value) };
}

/** Gives what stands at a path, undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (Array.isArray(at) ? at[Number(key)] : isObject(at) ? at[key] : undefined), value);
}

/** Says how what an application got differs from what was sent: what the SDK took away, and what it changed or made up. */
export function difference(sent: unknown, got: unknown): { readonly stripped: readonly string[]; readonly changed: readonly string[] } {
  const stripped: string[] = [];
  const changed: string[] = [];
  const compare = (before: unknown, after: unknown, path: string): void => {
    if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
      for (const [index, entry] of before.entries()) compare(entry, after[index], `${path}[]`);
    } else if (isObject(before) && isObject(after)) {
      for (const key of Object.keys(before)) {
        if (Object.hasOwn(after, key)) compare(before[key], after[key], `${path}.${key}`);
        else stripped.push(`${path}.${key}`);
      }
      for (const key of Object.keys(after)) if (!Object.hasOwn(before, key)) changed.push(`${path}.${key}`);
    } else if (!isDeepStrictEqual(before, after)) changed.push(path);
  };
  compare(sent, got, "");
  return { stripped: [...new Set(stripped)], changed: [...new Set(changed)] };
}

function textsOf(result: Wire): readonly string[] {
  return blocksOf(result).flatMap((block) => (block["type"] === "text" && typeof block["text"] === "string" ? [block["text"]] : []));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
