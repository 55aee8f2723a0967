// Remembers how numbers were written that JavaScript cannot hold or would write otherwise (2^53 + 1, 1.0, 1e400): the text of each, beside the object
// it stands in. Who reads text fills it, who writes text asks it, and who copies an object carries it over. Forgets an object when everybody does.

/** The source text of numbers, by the object or array that holds them and the key they stand at. */
const SOURCES = new WeakMap<object, ReadonlyMap<string, string>>();

/** Tells whether any number is kept: while none is, nobody needs to look. */
let anyKept = false;

/** Tells whether any number was ever kept. */
export function isAnyKept(): boolean {
  return anyKept;
}

/** Keeps the texts of an object's numbers, by their keys. */
export function keepSources(holder: object, sources: ReadonlyMap<string, string>): void {
  SOURCES.set(holder, sources);
  anyKept = true;
}

/** Gives the text of a number as it was written; undefined where it comes back as it is, or another value stands there now. */
export function sourceOf(holder: object, key: string, value: unknown): string | undefined {
  const source = typeof value === "number" ? SOURCES.get(holder)?.get(key) : undefined;
  return source !== undefined && Object.is(Number(source), value) ? source : undefined;
}

/** Takes over what is kept for one object to a copy of it whose values of the same keys are the same. */
export function carrySources(from: object, to: object): void {
  const kept = anyKept ? SOURCES.get(from) : undefined;
  if (kept !== undefined && !SOURCES.has(to)) SOURCES.set(to, kept);
}

/** Takes over what is kept for a value and all below it to an edited copy, place by place; what both share is not looked at. */
export function carryAll(from: unknown, to: unknown): void {
  if (!anyKept || from === to || !isHolder(from) || !isHolder(to)) return;
  carrySources(from, to);
  for (const key of Object.keys(to)) if (Object.hasOwn(from, key)) carryAll(Reflect.get(from, key), Reflect.get(to, key));
}

/** Has one field of an object written as the same field of another; as it is where nothing is kept for that. */
export function carryField(from: object, to: object, key: string): void {
  if (!anyKept) return;
  const source = SOURCES.get(from)?.get(key);
  const kept = SOURCES.get(to);
  if (source === kept?.get(key)) return;
  const next = new Map(kept);
  if (source === undefined) next.delete(key);
  else next.set(key, source);
  SOURCES.set(to, next);
}

function isHolder(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
