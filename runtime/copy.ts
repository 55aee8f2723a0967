// Copies values: whole ones, and objects with one field changed. Key by key, since a spread that grows or shrinks costs several times as much; own keys named
// `__proto__` stay data, and numbers stay as they were written.

import { carrySources } from "./exact.js";
import type { Wire } from "./protocol.js";

/** Gives a copy with the field set: in its place where it was there, at the end where it was not. */
export function withField(holder: Wire, key: string, value: unknown): Wire {
  const copy: Record<string, unknown> = {};
  for (const name in holder) {
    if (name === "__proto__") set(copy, name, holder[name]);
    else if (Object.prototype.hasOwnProperty.call(holder, name)) copy[name] = holder[name];
  }
  set(copy, key, value);
  carrySources(holder, copy);
  return copy;
}

/** Gives a copy without the field. */
export function withoutField(holder: Wire, key: string): Wire {
  const copy: Record<string, unknown> = {};
  for (const name in holder) if (name !== key && Object.prototype.hasOwnProperty.call(holder, name)) set(copy, name, holder[name]);
  carrySources(holder, copy);
  return copy;
}

/** Gives a copy with the field under another name, in its place. */
export function withName(holder: Wire, from: string, to: string): Wire {
  const copy: Record<string, unknown> = {};
  for (const name in holder) if (Object.prototype.hasOwnProperty.call(holder, name)) set(copy, name === from ? to : name, holder[name]);
  return copy;
}

function set(copy: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true });
  else copy[name] = value;
}

/** Copies a JSON value of a table, so that nobody writes into it. */
export function fresh(value: unknown): unknown {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}
