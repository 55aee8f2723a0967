// The binding of the Model Context Protocol: the core's entry points over its generated tables.

import { loadCodec, type PayloadsByRevision } from "../generated/mcp/codecs.js";
import { BATCHING, ERROR_ID } from "../generated/mcp/envelope.js";
import { ERRORS } from "../generated/mcp/errors.js";
import { FEATURES, FILLS, LOWERINGS, TRANSPORTS } from "../generated/mcp/features.js";
import type { Payloads } from "../generated/mcp/ir.js";
import { METHODS } from "../generated/mcp/methods.js";
import { FLAGS, IMPLIED, PROTOCOL, REVISIONS, SPECIFICATION } from "../generated/mcp/revisions.js";
import { bindProtocol } from "./bind.js";

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
  fills: FILLS,
  flags: FLAGS,
  implied: IMPLIED,
  methods: METHODS,
  transports: TRANSPORTS,
  errors: ERRORS,
  batching: BATCHING,
  errorId: ERROR_ID,
  loadCodec,
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
} = binding;
