// Binds the core to one protocol's generated tables, so that a user names the protocol once and never passes tables around.

import type { Side } from "./capabilities.js";
import { Codec } from "./codec.js";
import { Dispatcher, type DispatchOptions } from "./dispatch.js";
import { translateError, type ErrorJourney } from "./error-codes.js";
import { auditAdvertisement, gate, mayCall, negotiated, type Audit, type GateOutcome, type Snapshot } from "./gate.js";
import type { Hop } from "./hop.js";
import { DegradePolicy } from "./policy.js";
import { CapabilitySet, FeatureProfile, resolve, type Session } from "./profile.js";
import type { CodecModule, Direction, ProtocolTables, Validators, Wire } from "./protocol.js";
import type { TranslationReport } from "./report.js";
import { knownRevisions, negotiable, revisionEntry } from "./revision.js";

/** The wire payloads of each method, by revision, and the canonical ones: what a binding's codecs are typed with. */
export interface PayloadTypes {
  readonly byRevision: object;
  readonly canonical: object;
}

/** The core's entry points for one protocol. */
export interface Binding<T extends PayloadTypes> {
  readonly tables: ProtocolTables;
  /** Works out which features two peers can use; throws `UnknownRevisionError` and `ProfileError`. */
  readonly resolve: (session: Session) => FeatureProfile;
  readonly CapabilitySet: {
    /** Makes the set in which both sides advertise every flag a revision defines. */
    allFor(revision: string): CapabilitySet;
    /** Makes the set of what two peers sent. */
    of(client: unknown, server: unknown): CapabilitySet;
  };
  readonly DegradePolicy: {
    /** Makes the policy that refuses everything the peer lacks. */
    strict(): DegradePolicy;
    /** Makes the policy that degrades where the content survives. */
    balanced(): DegradePolicy;
    /** Makes the policy that takes each place's first action, whatever is lost. */
    permissive(): DegradePolicy;
    /** Makes a policy from a parsed file; throws `PolicyError` with every fault. */
    from(record: unknown): DegradePolicy;
  };
  /** Reads what a profile's `toString` printed. */
  readonly parseProfile: (text: string) => FeatureProfile;
  /** Lists the revisions that may be negotiated, oldest first. */
  readonly negotiable: (options?: { readonly drafts?: boolean }) => readonly string[];
  /** Lists every known revision, oldest first. */
  readonly knownRevisions: () => readonly string[];
  /** Loads one revision's codec and binds it to a negotiated peer; rejects with `UnknownRevisionError`. */
  readonly codecFor: {
    <R extends keyof T["byRevision"] & string>(
      revision: R,
      profile: FeatureProfile,
      hop?: Hop,
    ): Promise<Codec<T["byRevision"][R] & object, T["canonical"]>>;
    (revision: string, profile: FeatureProfile, hop?: Hop): Promise<Codec>;
  };
  /** Binds an already loaded codec module to a negotiated peer; with validators what is written is held against them. */
  readonly bindCodec: (module: CodecModule, profile: FeatureProfile, hop?: Hop, validators?: Validators) => Codec;
  /** Takes the error of a response from one revision to another; throws `UnknownRevisionError`, and `LowerError` where a given policy refuses. */
  readonly translateError: (journey: ErrorJourney, error: Wire, report?: TranslationReport) => Wire;
  /** Decides whether a method is served; total. */
  readonly gate: (
    revision: string,
    method: string,
    direction: Direction,
    snapshot: Snapshot | null | undefined,
    params?: unknown,
  ) => GateOutcome;
  /** Tells whether a method is served: always, or by what was negotiated. */
  readonly negotiated: (
    revision: string,
    method: string,
    direction: Direction,
    snapshot: Snapshot | null | undefined,
    params?: unknown,
  ) => boolean;
  /** Tells whether a side may send a method as a message of its own. */
  readonly mayCall: (revision: string, method: string, sender: Side, snapshot: Snapshot | null | undefined, params?: unknown) => boolean;
  /** Lists what one side advertises without a handler, and what it handles without advertising it. */
  readonly auditAdvertisement: (revision: string, side: Side, capabilities: unknown, handlers: Iterable<string>) => Audit;
  /** Makes what answers the messages of one peer, with the validators of the codec's revision. */
  readonly dispatcherFor: (options: Omit<DispatchOptions, "validators">) => Promise<Dispatcher>;
}

/** Binds the core to a protocol. */
export function bindProtocol<T extends PayloadTypes>(tables: ProtocolTables): Binding<T> {
  return {
    tables,
    resolve: (session) => resolve(tables, session),
    CapabilitySet: {
      allFor: (revision) => CapabilitySet.allFor(tables, revision),
      of: (client, server) => CapabilitySet.of(tables, client, server),
    },
    DegradePolicy: {
      strict: () => DegradePolicy.strict(tables),
      balanced: () => DegradePolicy.balanced(tables),
      permissive: () => DegradePolicy.permissive(tables),
      from: (record) => DegradePolicy.from(tables, record),
    },
    parseProfile: (text) => FeatureProfile.parse(tables, text),
    negotiable: (options) => negotiable(tables, options),
    knownRevisions: () => knownRevisions(tables),
    codecFor: async (revision: string, profile: FeatureProfile, hop?: Hop) => {
      revisionEntry(tables, revision);
      const validators = hop?.checked === true ? await tables.loadValidators(revision) : undefined;
      return new Codec<never, never>(tables, await tables.loadCodec(revision), profile, hop, validators) as never;
    },
    bindCodec: (module, profile, hop, validators) => new Codec(tables, module, profile, hop, validators),
    translateError: (journey, error, report) => translateError(tables, journey, error, report),
    gate: (...given) => gate(tables, ...given),
    negotiated: (...given) => negotiated(tables, ...given),
    mayCall: (...given) => mayCall(tables, ...given),
    auditAdvertisement: (...given) => auditAdvertisement(tables, ...given),
    dispatcherFor: async (options) => new Dispatcher({ ...options, validators: await tables.loadValidators(options.codec.version) }),
  };
}
