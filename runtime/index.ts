// The public surface of the core: what every protocol shares. A protocol's own entry points come from its binding.

export { joinBatch, splitBatch } from "./batch.js";
export { bindProtocol, type Binding, type PayloadTypes } from "./bind.js";
export { Codec, type Part } from "./codec.js";
export { Dispatcher, type Answer, type Call, type DispatchEvent, type DispatchOptions, type Handler } from "./dispatch.js";
export { ORIGINAL_ERROR_KEY, translateError, type ErrorJourney } from "./error-codes.js";
export { ENVELOPE_REPAIRS, type EnvelopeRepair } from "./envelope-repairs.js";
export { liftEnvelope, lowerEnvelope, readHead, type AskedRequest, type Envelope, type MessageHead, type RequestId } from "./envelope.js";
export {
  EnvelopeError,
  isEnvelopeError,
  isLowerError,
  isProtocolError,
  isRpcError,
  LowerError,
  PolicyError,
  printCite,
  ProfileError,
  ProtocolError,
  RpcError,
  UnknownRevisionError,
  type Condition,
  type EnvelopeErrorCode,
  type EnvelopeFault,
  type MissingFlag,
  type RpcFault,
} from "./errors.js";
export { extensionsOf, readField } from "./fields.js";
export { FALLBACKS, type Fallback } from "./fallbacks.js";
export { auditAdvertisement, gate, mayCall, negotiated, type Audit, type GateOutcome, type Snapshot } from "./gate.js";
export type { Hop } from "./hop.js";
export { DEGRADED_KEY } from "./lowering.js";
export { DegradePolicy, type Preset } from "./policy.js";
export { CapabilitySet, FeatureProfile, type Capabilities, type Explanation, type Session } from "./profile.js";
export type {
  Action,
  Cite,
  Direction,
  ErrorEntry,
  Era,
  FeatureEntry,
  FieldTable,
  GateEntry,
  LoweringEntry,
  Loss,
  MethodEntry,
  ProtocolTables,
  RevisionEntry,
  Wire,
} from "./protocol.js";
export { TranslationReport, type ReportStep } from "./report.js";
