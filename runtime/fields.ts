// Tells the protocol's fields from a peer's own, and reads a field only where the negotiation has it. Takes the generated table of fields; pure.

import { isWire } from "./capabilities.js";
import { LowerError } from "./errors.js";
import type { FeatureProfile } from "./profile.js";
import type { FieldTable, ProtocolTables } from "./protocol.js";
import { revisionIndex } from "./revision.js";

/**
 * Lists the own keys of an object that a revision does not name at a definition, in their order; empty for what is no object. Throws
 * `RangeError` for a definition no revision has, and `UnknownRevisionError`.
 */
export function extensionsOf(
  tables: ProtocolTables,
  fields: FieldTable,
  value: unknown,
  definition: string,
  revision: string,
): readonly string[] {
  const bit = 2 ** revisionIndex(tables, revision);
  const known = fieldsOf(fields, definition);
  if (!isWire(value)) return [];
  return Object.keys(value).filter((key) => !Object.hasOwn(known, key) || ((known[key]?.[0] ?? 0) & bit) === 0);
}

/**
 * Reads a field of a canonical value. Gives undefined where it is absent; throws `LowerError` `unknown-field`, with the failed condition and the
 * cite, where the peers did not negotiate the feature that gates it, and `RangeError` for a field no revision has.
 */
export function readField(fields: FieldTable, profile: FeatureProfile, value: unknown, definition: string, field: string): unknown {
  const known = fieldsOf(fields, definition);
  const feature = Object.hasOwn(known, field) ? known[field]?.[1] : undefined;
  if (!Object.hasOwn(known, field)) throw new RangeError(`cannot read ${definition}.${field}: no revision has that field`);
  if (feature !== undefined && !profile.isEnabled(feature)) {
    const { because, failed, missing, cite, feature: id } = profile.explain(feature);
    throw LowerError.unknownField({ path: `/${field}`, reason: because, feature: id, condition: failed, missing, cite });
  }
  return isWire(value) && Object.hasOwn(value, field) ? value[field] : undefined;
}

function fieldsOf(fields: FieldTable, definition: string): FieldTable[string] {
  if (!Object.hasOwn(fields, definition))
    throw new RangeError(`cannot look up ${JSON.stringify(definition)}: no revision has that definition`);
  return fields[definition] as FieldTable[string];
}
