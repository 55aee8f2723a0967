// Binds the core to one protocol's generated tables, so that a user names the protocol once and never passes tables around.

import { Codec } from "./codec.js";
import { translateError, type ErrorJourney } from "./error-codes.js";
import type { Hop } from "./hop.js";
import { DegradePolicy } from "./policy.js";
import { CapabilitySet, FeatureProfile, resolve, type Session } from "./profile.js";
import type { CodecModule, ProtocolTables, Validators, Wire } from "./protocol.js";
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
  };
}
