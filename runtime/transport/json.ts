// Reads and writes the text of messages so that no number changes on the way through: what JavaScript cannot hold, or would write otherwise
// (2^53 + 1, 1.0, 1e400), is kept as it was written, beside the object it stands in, and written again while that object or a copy is still there.

import { isLosslessNumber, LosslessNumber, parse, stringify } from "lossless-json";
import { isAnyKept, keepSources, sourceOf } from "../exact.js";

/** Finds what may be a number that does not come back as it is: a fraction, an exponent, a minus before nought, or more digits than a double has. */
const SUSPECT = /\d[.eE][-+\d]|\d{16}|-0/;

/** Matches a number where one starts. */
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;

/** How deep a message may be nested: whatever walks or writes it must not run out of stack. */
export const MAX_DEPTH = 1000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads JSON text; throws `SyntaxError` as `JSON.parse` does, and for text nested deeper than `MAX_DEPTH`. */
export function parseMessage(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`cannot read the message: it is nested deeper than ${MAX_DEPTH} levels`);
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || !SUSPECT.test(text) || !hasFragileNumber(text)) return value;
  const exact: unknown = parse(text, undefined, {
    parseNumber: (source) => (isFragile(source) ? new LosslessNumber(source) : Number(source)),
    // JSON.parse has the last word on a key that is there twice; so does this.
    onDuplicateKey: ({ newValue }) => newValue,
  });
  keepFragile(value, exact);
  return value;
}

/** Writes a message as one line of JSON text. */
export function stringifyMessage(message: unknown): string {
  if (!isAnyKept()) return JSON.stringify(message);
  const exact = withSources(message);
  return exact === message ? JSON.stringify(message) : (stringify(exact) ?? "null");
}

function isFragile(source: string): boolean {
  return String(Number(source)) !== source;
}

/** Tells whether JSON text holds, outside its strings, a number that would be written otherwise than it stands there. */
function hasFragileNumber(text: string): boolean {
  let at = 0;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = endOfString(text, at + 1);
    } else if (unit === 0x2d || (unit >= 0x30 && unit <= 0x39)) {
      NUMBER.lastIndex = at;
      const source = NUMBER.exec(text)?.[0] ?? "-";
      if (isFragile(source)) return true;
      at += source.length;
    } else {
      at += 1;
    }
  }
  return false;
}

/** Tells whether objects and arrays stand in each other more often than they may. */
export function isTooDeep(text: string): boolean {
  // Most texts have too few of them, which is quicker to see.
  if (text.length <= 2 * MAX_DEPTH || countUpTo(text, "{", MAX_DEPTH) + countUpTo(text, "[", MAX_DEPTH) <= MAX_DEPTH) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at + 1) - 1;
    // The two brackets and the two braces differ from each other in one bit.
    else if ((unit | 0x20) === 0x7b) {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if ((unit | 0x20) === 0x7d) depth -= 1;
  }
  return false;
}

/** Counts a character, to one more than the most and no further. */
function countUpTo(text: string, character: string, most: number): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count <= most; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}

/** Gives the place behind the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Walks both readings of one text together: what the exact one holds as text is kept for the plain one's holder. */
function keepFragile(plain: unknown, exact: unknown): void {
  if (typeof plain !== "object" || plain === null || typeof exact !== "object" || exact === null) return;
  let sources: Map<string, string> | undefined;
  for (const [key, value] of Object.entries(plain)) {
    const twin: unknown = Reflect.get(exact, key);
    if (isLosslessNumber(twin)) (sources ??= new Map()).set(key, twin.value);
    else keepFragile(value, twin);
  }
  if (sources !== undefined) keepSources(plain, sources);
}

/** Gives the value with kept numbers in place; the same object where there are none. */
function withSources(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  let copy: unknown[] | Record<string, unknown> | undefined;
  for (const [key, entry] of Object.entries(value)) {
    const source = sourceOf(value, key, entry);
    const next = source === undefined ? withSources(entry) : new LosslessNumber(source);
    if (next === entry) continue;
    copy ??= Array.isArray(value) ? value.slice() : { ...value };
    Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}
