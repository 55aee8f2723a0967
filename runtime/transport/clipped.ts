// Reads what a message was from its first and last characters, where the whole was too long to keep: whether it answers something, and what.
// Pure. It says nothing rather than something wrong.

import type { RequestId } from "../envelope.js";

/** What is known of a clipped message: a response with the id of its request, a request or notification, or nothing. */
export interface Clipped {
  readonly kind: "response" | "call" | "unknown";
  readonly id: RequestId | undefined;
}

const NOTHING: Clipped = { kind: "unknown", id: undefined };

/** Matches an id that is the last member of the outermost object, or the last but for the protocol's mark: nothing but the last brace follows. */
const LAST_ID = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"[^"]*"\s*)?\}\s*$/;

/** A string or a number, where one starts. */
const SCALAR = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y;

/** Reads the kind and id of a message from the characters at its two ends. */
export function readClipped(head: string, tail: string): Clipped {
  const members = outermostMembers(head);
  if (members === undefined) return NOTHING;
  const id = asId(members.get("id"));
  if (members.has("method")) return { kind: "call", id };
  if (!members.has("result") && !members.has("error")) return NOTHING;
  return { kind: "response", id: id ?? asId(LAST_ID.exec(tail)?.[1]) };
}

function asId(text: string | undefined): RequestId | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" || typeof value === "number" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Lists the members of the outermost object as far as the text goes, scalars with their source; undefined where the text is no object. */
function outermostMembers(text: string): ReadonlyMap<string, string | undefined> | undefined {
  const members = new Map<string, string | undefined>();
  let at = skip(text, 0, /\s*/y);
  if (text[at] !== "{") return undefined;
  at += 1;
  while (at < text.length) {
    at = skip(text, at, /[\s,]*/y);
    const key = scalarAt(text, at);
    if (key?.startsWith('"') !== true) return members;
    at = skip(text, at + key.length, /\s*:\s*/y);
    const value = scalarAt(text, at);
    // A number at the very end may go on.
    const isWhole = value !== undefined && at + value.length < text.length;
    members.set(key.slice(1, -1), isWhole ? value : undefined);
    if (value === undefined) at = endOfNested(text, at);
    else at += value.length;
  }
  return members;
}

function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

function scalarAt(text: string, at: number): string | undefined {
  SCALAR.lastIndex = at;
  return SCALAR.exec(text)?.[0];
}

/** Gives the place behind an object or array, or the end of the text where it does not end in it. */
function endOfNested(text: string, start: number): number {
  if (text[start] !== "{" && text[start] !== "[") return text.length;
  let depth = 0;
  for (let at = start; at < text.length;) {
    const unit = text[at];
    if (unit === '"') {
      const string = scalarAt(text, at);
      if (string === undefined) return text.length;
      at += string.length;
      continue;
    }
    if (unit === "{" || unit === "[") depth += 1;
    if (unit === "}" || unit === "]") depth -= 1;
    at += 1;
    if (depth === 0) return at;
  }
  return text.length;
}
