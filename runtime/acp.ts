// The binding of the Agent Client Protocol: the core over its generated tables. The client is the editor, and the agent plays the part of the server.

import { loadCodec, loadValidators, type PayloadsByRevision } from "../generated/acp/codecs.js";
import { BATCHING, ERROR_ID, HANDSHAKE } from "../generated/acp/envelope.js";
import { ERRORS } from "../generated/acp/errors.js";
import { FIELDS } from "../generated/acp/fields.js";
import { FEATURES, FILLS, LOWERINGS, TRANSPORTS, UNKNOWN_MEMBERS } from "../generated/acp/features.js";
import type { Payloads } from "../generated/acp/ir.js";
import { METHOD_GATES, METHODS } from "../generated/acp/methods.js";
import { FLAGS, IMPLIED, PROTOCOL, REVISIONS, SPECIFICATION } from "../generated/acp/revisions.js";
import { TOLERANCES } from "../generated/acp/tolerances.js";
import { bindProtocol } from "./bind.js";
import { extensionsOf as extensionsIn, readField as readFieldIn } from "./fields.js";
import type { FeatureProfile } from "./profile.js";

export { Feature, FEATURES, type FeatureId } from "../generated/acp/features.js";
export { ERROR_CODES } from "../generated/acp/errors.js";
export { METHODS, type Method, type MethodOf } from "../generated/acp/methods.js";
export { VALUES } from "../generated/acp/values.js";
export { REVISIONS, type Revision, type Transport } from "../generated/acp/revisions.js";
export {
  isUnknownContent,
  isUnknownElicitationPropertySchema,
  isUnknownSessionConfigOption,
  isUnknownToolCallContent,
} from "../generated/acp/ir.js";
export type * as ir from "../generated/acp/ir.js";

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
