// Compares JSON values.

import { isWire } from "./capabilities.js";

/** Tells whether two JSON values are the same; the order of an object's fields is nothing. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (!isWire(a) || !isWire(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}
