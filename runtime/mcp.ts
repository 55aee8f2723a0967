// The binding of the Model Context Protocol: the core's entry points over its generated tables.

import { loadCodec, loadValidators, type PayloadsByRevision } from "../generated/mcp/codecs.js";
import { BATCHING, ERROR_ID, HANDSHAKE } from "../generated/mcp/envelope.js";
import { ERRORS } from "../generated/mcp/errors.js";
import { FIELDS } from "../generated/mcp/fields.js";
import { FEATURES, FILLS, LOWERINGS, TRANSPORTS, UNKNOWN_MEMBERS } from "../generated/mcp/features.js";
import type { Payloads } from "../generated/mcp/ir.js";
import { METHOD_GATES, METHODS } from "../generated/mcp/methods.js";
import { FLAGS, IMPLIED, PROTOCOL, REVISIONS, SPECIFICATION } from "../generated/mcp/revisions.js";
import { TOLERANCES } from "../generated/mcp/tolerances.js";
import { bindProtocol } from "./bind.js";
import { extensionsOf as extensionsIn, readField as readFieldIn } from "./fields.js";
import type { FeatureProfile } from "./profile.js";

export { Feature, FEATURES, type FeatureId } from "../generated/mcp/features.js";
export { ERROR_CODES } from "../generated/mcp/errors.js";
export { METHODS, type Method, type MethodOf } from "../generated/mcp/methods.js";
export { VALUES } from "../generated/mcp/values.js";
export { REVISIONS, type Revision, type Transport } from "../generated/mcp/revisions.js";
export { isUnknownContent, isUnknownSamplingMessageContent } from "../generated/mcp/ir.js";
export type * as ir from "../generated/mcp/ir.js";

const binding = bindProtocol<{ byRevision: PayloadsByRevision; canonical: Payloads }>({
  protocol: PROTOCOL,
  specification: SPECIFICATION,
  revisions: REVISIONS,
  features: FEATURES,
  lowerings: LOWERINGS,
  unknownMembers: UNKNOWN_MEMBERS,
  fills: FILLS,
  tolerances: TOLERANCES,
  flags: FLAGS,
  implied: IMPLIED,
  methods: METHODS,
  gates: METHOD_GATES,
  transports: TRANSPORTS,
  errors: ERRORS,
  batching: BATCHING,
  errorId: ERROR_ID,
  handshake: HANDSHAKE,
  loadCodec,
  loadValidators,
});

/** The core over the tables of this protocol; see `Binding` for each entry point. */
export const {
  tables,
  resolve,
  CapabilitySet,
  DegradePolicy,
  parseProfile,
  negotiable,
  knownRevisions,
  codecFor,
  bindCodec,
  translateError,
  gate,
  negotiated,
  mayCall,
  auditAdvertisement,
  dispatcherFor,
} = binding;

/** Lists the own keys of an object that a revision does not name at a definition; throws `RangeError` for an unknown definition. */
export function extensionsOf(value: unknown, definition: string, revision: string): readonly string[] {
  return extensionsIn(binding.tables, FIELDS, value, definition, revision);
}

/** Reads a field of a canonical value; throws `LowerError` `unknown-field` where the profile rules it out, `RangeError` where there is no such field. */
export function readField(profile: FeatureProfile, value: unknown, definition: string, field: string): unknown {
  return readFieldIn(FIELDS, profile, value, definition, field);
}
