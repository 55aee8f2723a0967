// Lists the capability flag paths a revision's schema defines below a side's capabilities definition. Pure.
import { isDeclaredOpen, mapValue, own, shape, type Definitions, type Schema } from "./schema.js";

/**
 * Gives every flag path with its form: `boolean` flags must be exactly true, `object` flags must be objects. Maps of free names have no flags,
 * nor is a name with a leading underscore one: it is reserved for what travels beside them.
 */
export function readFlags(root: string, definitions: Definitions): Map<string, "boolean" | "object"> {
  const flags = new Map<string, "boolean" | "object">();
  const walk = (node: Schema, prefix: string, depth: number): void => {
    if (depth > 8) return;
    for (const [name, child] of Object.entries(unlessNull(node, definitions).properties ?? {})) {
      if (name.startsWith("_")) continue;
      const path = prefix === "" ? name : `${prefix}.${name}`;
      const resolved = unlessNull(child, definitions);
      flags.set(path, resolved.type === "boolean" ? "boolean" : "object");
      const free = mapValue(resolved) !== undefined || (isDeclaredOpen(resolved) && own(resolved, "properties") === undefined);
      if (!free) walk(child, path, depth + 1);
    }
  };
  const node = own(definitions, root);
  if (node !== undefined) walk(node, "", 0);
  return flags;
}

/** What a node allows beside null. */
function unlessNull(node: Schema, definitions: Definitions): Schema {
  const here = shape(node, definitions);
  const members = here.anyOf?.filter((member) => member.type !== "null") ?? [];
  return members.length === 1 ? shape(members[0] as Schema, definitions) : here;
}
