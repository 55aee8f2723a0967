// The shape of what the generator writes for one protocol, as the core consumes it. The core knows protocols only through
// these tables; a binding (one file a protocol) hands them in.

/** The two generations of a protocol: `legacy` shakes hands and keeps a session, `modern` carries everything on each request. */
export type Era = "legacy" | "modern";

/** Who sends: `clientToServer` or `serverToClient`. */
export type Direction = "clientToServer" | "serverToClient";

/** How much a peer loses by a lowering step: nothing, a hint it can do without, or content. */
export type Loss = "none" | "advisory" | "content";

/** What a policy may order for a feature the peer lacks: one of the general actions, or a fallback by name. */
export type Action = "refuse" | "keep" | "skip" | "annotate" | (string & {});

/** A revision as the tables list it, in order of release. */
export interface RevisionEntry {
  readonly revision: string;
  readonly era: Era;
  /** False for a draft, which negotiation leaves out unless asked. */
  readonly released: boolean;
  /** The transports this revision defines. */
  readonly transports: readonly string[];
  readonly changelog: string;
}

/** Where the protocol says something: an entry of a changelog section, an unlisted merge, or a page of the baseline. */
export interface Cite {
  readonly revision: string;
  readonly section?: string;
  readonly ordinal?: number;
  readonly ref?: string;
  readonly page?: string;
}

/** The capability flags a feature needs: paths below the side's capabilities. `any` means either side's flag is enough. */
export interface Requirement {
  readonly client?: string;
  readonly server?: string;
  readonly match?: "any";
  /** The revision from which the flag exists, where that is later than the feature; before it nothing is required. */
  readonly since?: string;
}

/** One row of FEATURES. */
export interface FeatureEntry {
  readonly id: string;
  readonly summary: string;
  readonly kind: "behaviour" | "transport" | "authorization" | "rule";
  readonly side: "client" | "server" | "both";
  readonly requires?: Requirement;
  readonly transport?: string;
  readonly first: string;
  readonly last?: string;
  readonly cite: Cite;
  readonly removal?: Cite;
  readonly deprecated?: { readonly since: string; readonly cite: Cite };
}

/** What may be done at one gated place for a peer that lacks the feature; the first action is the preferred one. */
export interface LoweringEntry {
  /** Index into FEATURES. */
  readonly feature: number;
  /** `Definition.field` or `Union|Member`. */
  readonly at: string;
  readonly loss: Loss;
  readonly degrade: readonly string[];
}

/** Where a fill's value comes from when it is not a constant: the hop the codec is bound to. */
export type FillSource = "revision" | "client-capabilities" | "client-info" | "log-level" | "server-info" | "subscription" | "mint";

/** A value that one revision wants at a place where others have none; equal to it, it may be left out, and that is no loss. */
export interface FillEntry {
  readonly feature: number;
  readonly value?: unknown;
  readonly from?: FillSource;
}

/** A capability flag that counts as set although it is absent: `flag` is implied where the object at `by` is present and empty. */
export interface ImpliedFlag {
  readonly side: "client" | "server";
  readonly flag: string;
  readonly by: string;
}

/** An error code with a name at the revisions of its feature; what the other members say is what tells it from others of its code. */
export interface ErrorEntry {
  /** Names one error at all revisions. */
  readonly name: string;
  readonly code: number;
  /** Index into FEATURES. */
  readonly feature: number;
  /** It is this error only in answer to these methods. */
  readonly methods?: readonly string[];
  /** The keys its data has; with `param`, the value that stands there in the request's params. */
  readonly data?: readonly { readonly key: string; readonly param?: readonly string[] }[];
  /** What a revision without it gets: another code, or what the policy says at a place (index into LOWERINGS); absent where it stays. */
  readonly elsewhere?: { readonly code: number } | { readonly lowering: number };
}

/** The feature that allows several messages in one array, and the methods that always come alone. */
export interface BatchingEntry {
  readonly feature: number;
  readonly alone: readonly string[];
}

/** The revisions at which an error response has to have an id, and the feature that lets it do without. */
export interface ErrorIdEntry {
  readonly feature?: number;
  readonly requiredAt: readonly string[];
}

/** The capability flag paths one revision defines, by side, with the flag's form: `boolean` flags must be exactly true. */
export interface CapabilityFlags {
  readonly client: Readonly<Record<string, "boolean" | "object">>;
  readonly server: Readonly<Record<string, "boolean" | "object">>;
}

/** One method of one revision. */
export interface MethodEntry {
  readonly method: string;
  readonly kind: "request" | "notification";
  readonly directions: readonly Direction[];
  /** The payload that carries this method where it is no message of its own. */
  readonly carrier?: string;
  /** Definition (or `Definition.field`) of its params. */
  readonly params: string;
  readonly paramsRequired: boolean;
  /** Definitions its result may have, the usual one first; absent for notifications. */
  readonly results?: readonly string[];
  /** Index into FEATURES. */
  readonly feature: number;
}

/** What a generated lower function needs from the runtime; implemented by `runtime/codec.ts`. */
export interface LowerContext {
  /** The profile's bits, 32 features a word. */
  readonly bits: Uint32Array;
  /** The keys from the payload's root to where the walk is; only the first `depth` entries count. */
  readonly path: (string | number)[];
  /** Deals with a present field whose feature the profile lacks; gives the holder to go on with. */
  field(holder: Wire, key: string, feature: number, lowering: number, fill: number, depth: number): Wire;
  /** Deals with a union member whose feature the profile lacks; gives what stands in its place, lowered in turn by `again`, or `REMOVED`. */
  member(value: unknown, feature: number, lowering: number, depth: number, again?: Lower): unknown;
  /** Deals with a field whose value the revision cannot carry; gives the holder to go on with. */
  misfit(holder: Wire, key: string, expected: string, feature: number, lowering: number, depth: number): Wire;
  /** Refuses a value in an array, map or union that the revision cannot carry. */
  refuse(value: unknown, expected: string, feature: number, depth: number): never;
  /** Writes what the revision requires and the holder lacks; gives the holder to go on with. */
  fill(holder: Wire, key: string, fill: number, depth: number): Wire;
  /** Lets the hop the codec is bound to overwrite a per-hop key; gives the holder to go on with. */
  hop(holder: Wire, key: string, fill: number, depth: number): Wire;
  /** Replaces a container that the revision does not require, or leaves it out where lowering emptied it. */
  putOrOmit(holder: Wire, key: string, value: unknown): Wire;
  /** Gives the value of a fill for a payload that is absent altogether. */
  absent(fill: number): unknown;
}

/** A JSON object seen from outside. */
export type Wire = { readonly [key: string]: unknown };

/** Takes a value through one payload's lowering; `depth` is how much of `ctx.path` is set. */
export type Lower = (value: unknown, ctx: LowerContext, depth: number) => unknown;

/** Takes a wire value to its canonical form. */
export type Lift = (value: unknown) => unknown;

/** Stands for a union member that lowering took out of its list. */
export const REMOVED: unique symbol = Symbol.for("polyrev.removed");

/** What one revision does to one payload. */
export interface PayloadCodec {
  readonly lift: Lift;
  /** Absent where every canonical value fits the revision as it is. */
  readonly lower?: Lower;
  /** True where the revision lets the payload be absent altogether. */
  readonly optional?: boolean;
}

/** What one revision does to the payloads of one method. */
export interface MethodCodec {
  /** Index into FEATURES of the feature that gates the method. */
  readonly feature: number;
  readonly kind: "request" | "notification";
  /** True where the method is no message of its own at this revision. */
  readonly embedded: boolean;
  readonly params: PayloadCodec;
  readonly result?: PayloadCodec;
}

/** One generated codec module. */
export interface CodecModule {
  readonly REVISION: string;
  readonly METHODS: ReadonlyMap<string, MethodCodec>;
}

/** Everything the generator writes for one protocol. */
export interface ProtocolTables {
  readonly protocol: string;
  readonly specification: string;
  readonly revisions: readonly RevisionEntry[];
  readonly features: readonly FeatureEntry[];
  readonly lowerings: readonly LoweringEntry[];
  readonly fills: readonly FillEntry[];
  readonly flags: Readonly<Record<string, CapabilityFlags>>;
  readonly implied: readonly ImpliedFlag[];
  readonly methods: Readonly<Record<string, readonly MethodEntry[]>>;
  /** The feature that says a transport exists, by transport. */
  readonly transports: Readonly<Record<string, number>>;
  /** The named errors; of those that fit an answer the first says most. */
  readonly errors: readonly ErrorEntry[];
  readonly batching: BatchingEntry | undefined;
  readonly errorId: ErrorIdEntry | undefined;
  readonly loadCodec: (revision: string) => Promise<CodecModule>;
}
