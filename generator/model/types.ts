// The model: what the rows and schemas of one protocol say together, checked, under canonical names. Types only.
import type { Delta } from "./diff.js";
import type { Definitions, Schema } from "./schema.js";

/** Where a statement stands. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export type Side = "client" | "server";
export type Era = "legacy" | "modern";
export type Direction = "clientToServer" | "serverToClient";
export type Loss = "none" | "advisory" | "content";

/** The changelog entry, unlisted merge or baseline page that says something, with the revision whose changelog it is. */
export interface Cite {
  readonly revision: string;
  readonly section?: string;
  readonly ordinal?: number;
  readonly ref?: string;
  readonly page?: string;
}

/** One revision: its schema as published with errata applied, the same under canonical names, and what its changes.yaml says. */
export interface Revision {
  readonly id: string;
  readonly index: number;
  readonly era: Era;
  readonly released: boolean;
  /** The number by which peers agree on the revision, where it is not the revision's name. */
  readonly number?: number;
  readonly changelog: string;
  /** The definitions as the schema publishes them, errata applied. */
  readonly published: Definitions;
  /** The same in the forms the model speaks. */
  readonly definitions: Definitions;
  readonly canonical: Definitions;
  readonly schemaFile: string;
  /** The line of a place in the schema file, given as the keys that lead there. */
  readonly lineOf: (path: readonly (string | number)[]) => number;
  readonly changesFile: string;
  readonly methods: readonly Method[];
  readonly flags: Readonly<Record<Side, ReadonlyMap<string, "boolean" | "object">>>;
}

/** One method of one revision. */
export interface Method {
  readonly name: string;
  readonly kind: "request" | "notification";
  readonly directions: readonly Direction[];
  readonly carrier?: string;
  /** The request or notification definition as the revision's schema names it, and under its canonical name. */
  readonly definition: string;
  readonly canonicalDefinition: string;
  readonly paramsRequired: boolean;
  readonly hasParams: boolean;
  /** Result definitions as the revision's schema names them, the usual one first; empty for a notification. */
  readonly results: readonly string[];
  /** Index of the feature that gates it. */
  readonly feature: number;
}

/** The capability flags a feature needs. */
export interface Requirement {
  readonly client?: string;
  readonly server?: string;
  readonly match?: "any";
  readonly since?: string;
}

/** An alternative result of a method, and how it is told from the usual one. */
export interface AlternativeResult {
  readonly methods: readonly string[];
  readonly definition: string;
  readonly when: { readonly property: string; readonly equals?: string | number | boolean };
}

/** What one feature gates, in canonical paths. */
export interface Gates {
  readonly methods: readonly string[];
  readonly definitions: readonly string[];
  readonly fields: readonly string[];
  readonly members: readonly string[];
  readonly changes: readonly string[];
  readonly results: readonly AlternativeResult[];
  /** Values of a field, or members of a union, that only peers with the feature may be sent, where a peer's word decides about the feature. */
  readonly constants: readonly { readonly at: string; readonly values?: readonly unknown[] }[];
}

/** What may be done at one gated place for a peer without the feature. */
export interface Lowering {
  readonly at: string;
  readonly loss: Loss;
  readonly degrade: readonly string[];
  /** What the action `rewrite` looks for and what it writes in its place. */
  readonly rewrite?: Rewrite;
  readonly place: Place;
}

/** Two forms of one object: `$name` stands for any value, `$name.key` for a field of it, and everything else for itself. */
export interface Rewrite {
  readonly from: Readonly<Record<string, unknown>>;
  readonly to: Readonly<Record<string, unknown>>;
}

/** An error code with a name, what tells it from others of its code, and what a revision without it gets. */
export interface NamedError {
  readonly name: string;
  readonly code: number;
  /** It is this error only in answer to these methods. */
  readonly methods?: readonly string[];
  /** What its data holds, by key: `any` value, or the value at a path into the request's params. */
  readonly data?: Readonly<Record<string, string>>;
  /** Another code, or what the row offers at a place it lowers; absent where the error stays as it is. */
  readonly elsewhere?: { readonly code?: number; readonly lowering?: string };
}

/** Whose capability decides about a method: of the side that handles it, or of the side that sends it. */
export type Owner = "receiver" | "sender";

/** What a row says of the gate of methods beyond the capability that the row which gates them requires; at most one shape. */
export interface Access {
  readonly methods: readonly string[];
  readonly direction?: Direction;
  readonly owner?: Owner;
  /** The field of the params that chooses, the case of a missing one, and by case the feature whose capability is asked for. */
  readonly params?: { readonly field: string; readonly missing?: string; readonly cases: Readonly<Record<string, string>> };
  /** What the initialize result, the session's state or the entity's state has to hold, as a path from the definition that holds it. */
  readonly initialize?: string;
  readonly session?: string;
  readonly entity?: string;
  /** The capability that would open it, which no schema has. */
  readonly never?: Readonly<Partial<Record<Side, string>>>;
  /** The named error that answers a denial, where the specification has one of its own. */
  readonly error?: string;
}

/** A capability that is asked for, with the index of the feature that asks and what a denial is answered with. */
export interface GateFlag {
  readonly side: Side;
  readonly path: string;
  readonly marker: "boolean" | "object";
  readonly feature: number;
  readonly code?: number;
  /** The key of the error's data under which the capability is named. */
  readonly data?: string;
}

/** What has to hold for a method to be served. */
export type GateShape =
  | { readonly shape: "baseline" }
  | { readonly shape: "capability"; readonly owner: Owner; readonly flag: GateFlag }
  | {
      readonly shape: "params";
      readonly owner: Owner;
      /** What is asked for whatever the params say. */
      readonly flag?: GateFlag;
      readonly field: string;
      readonly missing?: string;
      readonly cases: Readonly<Record<string, GateFlag>>;
      /** Answers a value that is no case. */
      readonly code?: number;
    }
  | {
      readonly shape: "initialize" | "session" | "entity";
      readonly path: string;
      readonly marker: "boolean" | "object" | "list";
      readonly code?: number;
    }
  | { readonly shape: "never"; readonly owner: Owner; readonly side: Side; readonly path: string; readonly code?: number };

/** The gate of one method in one direction at one revision; `feature` is the index of the row that says so. */
export type MethodGate = GateShape & {
  readonly method: string;
  readonly direction: Direction;
  readonly kind: Method["kind"];
  /** True where the method is no message of its own. */
  readonly embedded?: true;
  readonly feature: number;
};

/** The named error that answers a denial for want of one side's capability, in one era; `data` names the capability. */
export interface Denial {
  readonly era: Era;
  readonly side: Side;
  readonly error: string;
  readonly data?: string;
}

/** One feature row with its lifetime. */
export interface Feature {
  readonly index: number;
  readonly id: string;
  readonly summary: string;
  readonly note?: string;
  readonly kind: "behaviour" | "transport" | "authorization" | "rule";
  readonly side: Side | "both";
  readonly requires?: Requirement;
  readonly transport?: string;
  /** First and last revision by index; `last` is inclusive. */
  readonly first: number;
  readonly last: number;
  readonly cite: Cite;
  readonly removal?: Cite;
  readonly deprecated?: { readonly since: string; readonly cite: Cite };
  readonly gates: Gates;
  readonly access: readonly (Access & { readonly place: Place })[];
  readonly errors: readonly (NamedError & { readonly place: Place })[];
  readonly lowerings: readonly Lowering[];
  /** What later revisions add to what it gates. */
  readonly extensions: readonly { readonly revision: number; readonly gates: Partial<Gates>; readonly cite: Cite }[];
  /** The revision from which it gates a path, for the paths that extensions added. */
  readonly since: ReadonlyMap<string, number>;
  /** The place of the row, or of one of its gated paths. */
  readonly place: (path?: string) => Place;
}

/** A value a revision wants where others have none. */
export interface Fill {
  readonly feature: number;
  readonly revision: number;
  readonly at: readonly string[];
  readonly value?: unknown;
  readonly from?: string;
  readonly place: (path?: string) => Place;
}

/** A change of layout that changes no byte on the wire. */
export interface Layout {
  readonly id: string;
  readonly revision: number;
  readonly why: string;
  readonly covers: readonly string[];
  readonly cite: Cite;
  readonly place: (path?: string) => Place;
}

/** A definition renamed, or an inline object that became a definition. */
export interface RenameRow {
  readonly revision: number;
  readonly from: readonly string[];
  readonly to: string;
  readonly cite: Cite;
  readonly place: (from?: string) => Place;
}

/** A property that a revision calls by another name: paths of the one and the other, below one holder. */
export interface PropertyRename {
  readonly revision: number;
  readonly from: string;
  readonly to: string;
  /** The index of the feature that gates the new name. */
  readonly feature: number;
  readonly cite: Cite;
  readonly place: Place;
}

/** A path that goes at a revision because a feature went. */
export interface Going {
  readonly revision: number;
  readonly path: string;
  readonly feature: string;
  readonly cite: Cite;
  readonly place: Place;
}

/** The constants a place may hold where the schema file lists none, or lists them in no order; in order, from a revision on. */
export interface NamedValues {
  readonly revision: number;
  readonly at: readonly string[];
  readonly values: readonly string[];
  readonly cite: Cite;
  readonly place: (path?: string) => Place;
}

/** What a tolerant reader does to a value that breaks the schema: how, where, and between which revisions (indices, inclusive). */
export interface Tolerance {
  readonly index: number;
  readonly id: string;
  readonly summary: string;
  readonly repair: Repair;
  /** Canonical paths; `*` alone stands for every place. */
  readonly at: readonly string[];
  /** Features whose fills say where it applies, instead of paths. */
  readonly fills: readonly string[];
  readonly first: number;
  readonly last: number;
  readonly value?: unknown;
  readonly becomes?: unknown;
  readonly key?: string;
  /** For each property, the values beside which the repair applies where the property is there at all. */
  readonly only: Readonly<Record<string, readonly unknown[]>>;
  readonly loss: Loss;
  readonly reports: readonly string[];
  readonly place: (path?: string) => Place;
}

/** Names how a tolerance repairs. */
export type Repair =
  | "drop-null"
  | "empty-list"
  | "drop-null-items"
  | "drop-value"
  | "replace-value"
  | "write-missing"
  | "as-object"
  | "as-boolean"
  | "unwrap"
  | "object-schema"
  | "text-of-resource"
  | "drop-unusable-items";

/** Everything the emitters need about one protocol. */
export interface Model {
  readonly protocol: string;
  readonly title: string;
  readonly specification: string;
  readonly capabilities: Readonly<Record<Side, string>>;
  readonly implied: readonly { readonly side: Side; readonly flag: string; readonly by: string }[];
  /** The feature that says a transport exists, by transport. */
  readonly transports: ReadonlyMap<string, number>;
  readonly revisions: readonly Revision[];
  readonly features: readonly Feature[];
  readonly fills: readonly Fill[];
  readonly layout: readonly Layout[];
  readonly renames: readonly RenameRow[];
  readonly propertyRenames: readonly PropertyRename[];
  readonly goings: readonly Going[];
  readonly values: readonly NamedValues[];
  readonly tolerances: readonly Tolerance[];
  /** What may be done with a member of a union that no revision knows. */
  readonly unknownMembers: readonly Lowering[];
  readonly ir: Definitions;
  readonly naming: Naming;
  readonly envelope: Envelope;
  /** The gates of each revision's methods, one for each direction and method, by the revision's index. */
  readonly methodGates: readonly (readonly MethodGate[])[];
  /** How the deltas of each pair of consecutive revisions are accounted for; empty while the rows have problems. */
  readonly accounting: readonly Accounting[];
}

/** What accounts for a delta: a row that starts or ends there, a rename, a fill or a layout entry. */
export type Account = "row" | "removal" | "rename" | "fill" | "layout";

/** One delta with what accounts for it: the id of the feature or layout entry, or the name a rename gives, and its cite. */
export interface AccountedDelta {
  readonly delta: Delta;
  readonly account: Account;
  readonly by: string;
  readonly cite: Cite;
}

/** The deltas of one pair of consecutive revisions, counted by what accounts for them. */
export interface Accounting {
  readonly from: string;
  readonly to: string;
  readonly deltas: readonly Delta[];
  readonly entries: readonly AccountedDelta[];
  readonly byAccount: Readonly<Record<Account, number>>;
}

/** What the revisions ask of the message around a payload. */
export interface Envelope {
  /** The feature that allows several messages in one array, and the methods that always come alone. */
  readonly batching?: { readonly feature: number; readonly alone: readonly string[] };
  /** The revisions at which an error response has to have an id, and the feature that lets it do without. */
  readonly errorId?: { readonly feature?: number; readonly requiredAt: readonly string[] };
  /** The feature that makes peers shake hands first, and the methods that may be asked before they did. */
  readonly handshake?: { readonly feature: number; readonly before: Readonly<Record<Direction, readonly string[]>> };
}

/** How the schemas name what belongs together. */
export interface Naming {
  readonly request: string;
  readonly result: string;
  readonly empty: string;
  readonly envelope: string;
}

export type { Definitions, Schema };
