// Writes an object in another form that says the same, as a row states both: `$name` stands for any value, `$name.key` for a field of it, and
// everything else for itself. What fits no form, or would lose something, gets none.

import { isWire } from "./capabilities.js";
import { fresh, withField, withoutField } from "./copy.js";
import { isEqual } from "./equal.js";
import type { RewriteEntry, Wire } from "./protocol.js";

/**
 * Takes an object from the one form to the other; undefined where it is not of the first. Fields that neither form names are kept beside those
 * written, while an object within a form has to have exactly the fields named. A value that stands at several places has to be the same at all.
 */
export function rewritten(value: Wire, { from, to }: RewriteEntry): Wire | undefined {
  const found = new Map<string, unknown>();
  if (!matches(value, from, found, true) || !agree(value, from, found)) return undefined;
  let out = value;
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) out = withoutField(out, key);
  for (const [key, form] of Object.entries(to)) {
    const written = write(form, found);
    // What stands under the key already, and was not asked for, is somebody's own.
    if (written === undefined || (!Object.hasOwn(from, key) && value[key] !== undefined)) return undefined;
    out = withField(out, key, written);
  }
  return out;
}

/** Tells whether a value has a form, and notes what stands where a name does. */
function matches(value: unknown, form: unknown, found: Map<string, unknown>, isOpen = false): boolean {
  if (isName(form)) {
    if (value === undefined || value === null) return false;
    if (!form.includes(".")) found.set(form, value);
    return true;
  }
  if (!isWire(form)) return value === form;
  if (!isWire(value)) return false;
  const keys = Object.keys(form);
  return (isOpen || Object.keys(value).length === keys.length) && keys.every((key) => matches(value[key], form[key], found));
}

/** Tells whether what stands at each name is what was found for it. */
function agree(value: unknown, form: unknown, found: ReadonlyMap<string, unknown>): boolean {
  if (isName(form)) return isEqual(value, write(form, found));
  return !isWire(form) || (isWire(value) && Object.keys(form).every((key) => agree(value[key], form[key], found)));
}

/** Writes a form; undefined where a field it names is not there. */
function write(form: unknown, found: ReadonlyMap<string, unknown>): unknown {
  if (isName(form)) {
    const [name = "", key] = form.split(".");
    const value = found.get(name);
    if (key === undefined) return value;
    return isWire(value) && value[key] !== null ? value[key] : undefined;
  }
  if (!isWire(form)) return fresh(form);
  let out: Wire = {};
  for (const [key, part] of Object.entries(form)) {
    const written = write(part, found);
    if (written === undefined) return undefined;
    out = withField(out, key, written);
  }
  return out;
}

function isName(form: unknown): form is string {
  return typeof form === "string" && form.startsWith("$");
}
