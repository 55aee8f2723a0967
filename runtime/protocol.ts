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
  /** The two forms of the action `rewrite`. */
  readonly rewrite?: RewriteEntry;
}

/** Two forms of one object: `$name` stands for any value, `$name.key` for a field of it, and everything else for itself. */
export interface RewriteEntry {
  readonly from: Wire;
  readonly to: Wire;
}

/** What may be done with a member of a union whose type no revision knows; the first action is the preferred one. */
export interface UnknownMemberEntry {
  /** The union. */
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

/** What lifting makes of a shape that real peers send and the schemas forbid, with the reports that show it. */
export interface ToleranceEntry {
  readonly id: string;
  readonly summary: string;
  readonly repair: string;
  readonly loss: Loss;
  /** The field a value is taken out of, where the repair is that. */
  readonly key?: string;
  readonly becomes?: unknown;
  readonly reports: readonly string[];
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

/** A capability that is asked for: a flag path below one side's capabilities, with what a denial is answered with. */
export interface GateFlag {
  readonly side: "client" | "server";
  readonly path: string;
  readonly marker: "boolean" | "object";
  /** Index into FEATURES of the row that asks for it. */
  readonly feature: number;
  /** Absent for a notification, which nothing answers. */
  readonly code?: number;
  /** The key of the error's data under which the capability is named. */
  readonly data?: string;
}

/** Whose capability decides: of the side that handles the method, or of the side that sends it. */
export type GateOwner = "receiver" | "sender";

/** What has to hold for a method to be served. */
export type GateShape =
  | { readonly shape: "baseline" }
  | { readonly shape: "capability"; readonly owner: GateOwner; readonly flag: GateFlag }
  | {
      readonly shape: "params";
      readonly owner: GateOwner;
      /** What is asked for whatever the params say. */
      readonly flag?: GateFlag;
      /** The field of the params that chooses, and the case that a missing one counts as. */
      readonly field: string;
      readonly missing?: string;
      readonly cases: Readonly<Record<string, GateFlag>>;
      /** Answers a value that is no case. */
      readonly code?: number;
    }
  | {
      /** What is read: the initialize result, the state of the session, or that of the entity the params name. */
      readonly shape: "initialize" | "session" | "entity";
      readonly path: string;
      readonly marker: "boolean" | "object" | "list";
      readonly code?: number;
    }
  | {
      readonly shape: "never";
      readonly owner: GateOwner;
      readonly side: "client" | "server";
      readonly path: string;
      readonly code?: number;
    };

/** The gate of one method in one direction at one revision. */
export type GateEntry = GateShape & {
  readonly method: string;
  readonly direction: Direction;
  readonly kind: "request" | "notification";
  /** True where the method is no message of its own at this revision. */
  readonly embedded?: true;
  /** Index into FEATURES of the row that says so. */
  readonly feature: number;
};

/** The feature that makes peers shake hands first, and by direction the requests that may come before. */
export interface HandshakeEntry {
  readonly feature: number;
  readonly before: Readonly<Record<Direction, readonly string[]>>;
}

/** What a generated lower function needs from the runtime; implemented by `runtime/lowering.ts`. An answer of undefined leaves a field out. */
export interface LowerContext {
  /** The profile's bits, 32 features a word. */
  readonly bits: Uint32Array;
  /** True where the codec's own hop has something to write on every message. */
  readonly hops: boolean;
  /** The depth of the object that still owes an edit of its other fields; -1 where none does. */
  readonly owed: number;
  /** The keys from the payload's root to where the walk is; only the first `depth` entries count. */
  readonly path: (string | number)[];
  /** Deals with a present field whose feature the profile lacks; gives the value to go on with. */
  field(value: unknown, key: string, feature: number, lowering: number, fill: number, depth: number): unknown;
  /** Deals with a union member whose feature the profile lacks; gives what stands in its place, lowered in turn by `again`, or `REMOVED`. */
  member(value: unknown, feature: number, lowering: number, depth: number, again?: Lower): unknown;
  /** Deals with a union member that no revision knows; `tag` is what it says it is. */
  stranger(value: unknown, tag: unknown, expected: string, unknown: number, depth: number, again: Lower): unknown;
  /** Deals with a field whose value the revision cannot carry; gives the value to go on with. */
  misfit(value: unknown, key: string, expected: string, feature: number, lowering: number, depth: number): unknown;
  /** Writes a field under the name that the revision has for it. */
  rename(holder: Wire, from: string, to: string, feature: number, depth: number): Wire;
  /** Writes an object that holds a field whose feature the profile lacks in another form; gives it back as it is where none is ordered or fits. */
  reshape(holder: Wire, key: string, feature: number, lowering: number, depth: number): Wire;
  /** Leaves out of an object what only shares its name with a field the revision has there. */
  prune(holder: Wire, strays: Strays, depth: number): Wire;
  /** Refuses a value in an array, map or union that the revision cannot carry. */
  refuse(value: unknown, expected: string, feature: number, depth: number): never;
  /** Gives what the revision requires and the holder lacks. */
  fill(key: string, fill: number, depth: number): unknown;
  /** Lets the hop the codec is bound to overwrite a per-hop key; gives the value to go on with. */
  hop(value: unknown, key: string, fill: number, depth: number): unknown;
  /** Gives the value of a fill for a payload that is absent altogether. */
  absent(fill: number): unknown;
  /** Makes the edits an object owes, in the fresh copy it is given; gives that copy, or what is to go on where there was nothing to edit. */
  settle(holder: Record<string, unknown>, before: Wire, depth: number): Wire;
}

/** A JSON object seen from outside. */
export type Wire = { readonly [key: string]: unknown };

/** The fields of an object under whose names another revision may have sent something else, each with the test of the field. */
export type Strays = readonly (readonly [string, (value: unknown) => boolean])[];

/** Takes a value through one payload's lowering; `depth` is how much of `ctx.path` is set. */
export type Lower = (value: unknown, ctx: LowerContext, depth: number) => unknown;

/** One place of a revision at which lifting may have to repair something; shapes, tolerances and fills are named by index. */
export type LiftShape =
  | {
      readonly kind: "object";
      /** Takes the object out of one of its fields, named by the tolerance, where `lacks` is missing beside it. */
      readonly unwrap?: { readonly tolerance: number; readonly lacks?: string };
      readonly mend?: number;
      /** Key, tolerance, and the list that null stands for; without a list it stands for nothing. */
      readonly nulls?: readonly (readonly [key: string, tolerance: number, list?: readonly unknown[]])[];
      /** Key, shape below it (-1 for none), and the tolerance whose repair comes first. */
      readonly into?: readonly (readonly [key: string, shape: number, mend?: number])[];
      readonly checks?: readonly {
        readonly key: string;
        readonly tolerance: number;
        readonly equals?: unknown;
        readonly becomes?: unknown;
        readonly notObject?: boolean;
        /** True where an empty holder says the same as this. */
        readonly implied?: boolean;
        readonly notBoolean?: boolean;
        readonly mend?: boolean;
        readonly fill?: number;
        readonly only?: readonly (readonly [beside: string, values: readonly unknown[]])[];
      }[];
    }
  | {
      readonly kind: "list";
      readonly items?: number;
      readonly dropNull?: number;
      readonly unusable?: { readonly tolerance: number; readonly bones: object };
    }
  | { readonly kind: "map"; readonly values?: number; readonly notObject?: number }
  | {
      readonly kind: "union";
      readonly list?: number;
      readonly tag?: string;
      readonly members: readonly (readonly [value: unknown, shape: number])[];
      /** The shape of a member whose tag may be missing. */
      readonly untagged?: number;
      /** Where no tag tells the members apart: a property that only one must have, and its shape. */
      readonly present?: readonly (readonly [key: string, shape: number])[];
    }
  | {
      readonly kind: "result";
      readonly usual?: number;
      readonly others: readonly { readonly property: string; readonly equals?: unknown; readonly shape?: number }[];
    };

/** Stands for a union member that lowering took out of its list. */
export const REMOVED: unique symbol = Symbol.for("polyrev.removed");

/** Under this key an object holds the values that take the place of one. */
export const SPLIT: unique symbol = Symbol.for("polyrev.split");

/** What one revision does to one payload. */
export interface PayloadCodec {
  /** The shape by which lifting reads it; absent where every wire value is its own canonical form. */
  readonly lift?: number;
  /** Tells whether a value may need a repair; false means that it is its own canonical form. */
  readonly odd?: (value: unknown) => boolean;
  /** Absent where every canonical value fits the revision as it is. */
  readonly lower?: Lower;
  /** Tells whether `lower` may do anything with a value; false means that it would give back the same object. */
  readonly needs?: (value: unknown, ctx: LowerContext) => boolean;
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

/** The validators of a revision's payloads, by method; the faults of a validator's last call stand in its `errors`. */
export type Validators = ReadonlyMap<string, { readonly params: Validator; readonly result?: Validator }>;

/** One fault a validator found; the pointer leads to the value, and a missing property is named. */
export interface Fault {
  readonly instancePath: string;
  readonly keyword?: string;
  readonly message?: string;
  readonly params?: { readonly missingProperty?: string };
}

/** Tells whether a payload is valid at a revision. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly Fault[] | null;
}

/** One generated codec module. */
export interface CodecModule {
  readonly REVISION: string;
  readonly METHODS: ReadonlyMap<string, MethodCodec>;
  readonly SHAPES: readonly LiftShape[];
}

/** For each field of each definition: the revisions that name it, the oldest in the lowest bit, and the index of the feature that gates it. */
export type FieldTable = Readonly<Record<string, Readonly<Record<string, readonly [revisions: number, feature?: number]>>>>;

/** Everything the generator writes for one protocol. */
export interface ProtocolTables {
  readonly protocol: string;
  readonly specification: string;
  readonly revisions: readonly RevisionEntry[];
  readonly features: readonly FeatureEntry[];
  readonly lowerings: readonly LoweringEntry[];
  readonly unknownMembers: readonly UnknownMemberEntry[];
  readonly fills: readonly FillEntry[];
  readonly tolerances: readonly ToleranceEntry[];
  readonly flags: Readonly<Record<string, CapabilityFlags>>;
  readonly implied: readonly ImpliedFlag[];
  readonly methods: Readonly<Record<string, readonly MethodEntry[]>>;
  /** The gates of each revision, one for each direction and method. */
  readonly gates: Readonly<Record<string, readonly GateEntry[]>>;
  /** The feature that says a transport exists, by transport. */
  readonly transports: Readonly<Record<string, number>>;
  /** The named errors; of those that fit an answer the first says most. */
  readonly errors: readonly ErrorEntry[];
  readonly batching: BatchingEntry | undefined;
  readonly errorId: ErrorIdEntry | undefined;
  readonly handshake: HandshakeEntry | undefined;
  readonly loadCodec: (revision: string) => Promise<CodecModule>;
  readonly loadValidators: (revision: string) => Promise<Validators>;
}
