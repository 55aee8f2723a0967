// Decides whether a method is served, from what the peers advertised and the wire method alone. Pure and total: whatever is missing or malformed
// denies, nothing throws, and params are looked at only where a field of theirs chooses which capability is asked for.

import { hasFlag, isSet, oneFlag, valueAt, type FlagForm, type Side } from "./capabilities.js";
import type { Cite, Direction, GateEntry, GateFlag, ProtocolTables, Wire } from "./protocol.js";

/** What a gate reads, each as it stood on the wire: what each side advertised, and where a gate asks for it, what else was said. */
export interface Snapshot {
  readonly client?: unknown;
  readonly server?: unknown;
  /** The initialize result. */
  readonly initialize?: unknown;
  /** What the session the params name has advertised. */
  readonly session?: unknown;
  /** What was last said of the entity the params name. */
  readonly entity?: unknown;
}

/** Why a method is denied, and what to answer. */
export interface Denied {
  readonly outcome: "denied";
  /** What is not as it has to be: the holder, and the path below it. */
  readonly missing: { readonly of: Side | "initialize" | "session" | "entity" | "params"; readonly path: string };
  /** The JSON-RPC code; absent for a notification, which nothing answers. */
  readonly code?: number;
  readonly data?: Wire;
  /** Id of the feature that asks. */
  readonly feature: string | undefined;
  readonly cite: Cite | undefined;
  /** One lower-case sentence that names the method. */
  readonly because: string;
}

/** What a gate says; `unknown` is a method that the revision does not have in that direction. */
export type GateOutcome = { readonly outcome: "baseline" | "negotiated" | "unknown" } | Denied;

const BASELINE: GateOutcome = Object.freeze({ outcome: "baseline" });
const NEGOTIATED: GateOutcome = Object.freeze({ outcome: "negotiated" });
const UNKNOWN: GateOutcome = Object.freeze({ outcome: "unknown" });
const HOLDERS = { initialize: "the initialize result", session: "the session", entity: "what it names" };

/** Decides whether a method that travels in a direction is served. */
export function gate(
  tables: ProtocolTables,
  revision: string,
  method: string,
  direction: Direction,
  snapshot: Snapshot | null | undefined,
  params?: unknown,
): GateOutcome {
  const entry = gateOf(tables, revision, direction, method);
  return entry === undefined ? UNKNOWN : judge(tables, entry, snapshot, params);
}

/** Tells whether a method is served: always, or by what was negotiated. */
export function negotiated(
  tables: ProtocolTables,
  revision: string,
  method: string,
  direction: Direction,
  snapshot: Snapshot | null | undefined,
  params?: unknown,
): boolean {
  const { outcome } = gate(tables, revision, method, direction, snapshot, params);
  return outcome === "baseline" || outcome === "negotiated";
}

/** Tells whether a side may send a method as a message of its own. */
export function mayCall(
  tables: ProtocolTables,
  revision: string,
  method: string,
  sender: Side,
  snapshot: Snapshot | null | undefined,
  params?: unknown,
): boolean {
  const direction: Direction = sender === "client" ? "clientToServer" : "serverToClient";
  if (gateOf(tables, revision, direction, method)?.embedded === true) return false;
  return negotiated(tables, revision, method, direction, snapshot, params);
}

/** A method and the capability that would open it. */
export interface AuditEntry {
  readonly method: string;
  readonly path: string;
}

/** What one side says and does not do, and does and does not say. */
export interface Audit {
  /** Requests that its capabilities invite and nothing handles. */
  readonly unhandled: readonly AuditEntry[];
  /** Methods that are handled and would be denied, whatever the params. */
  readonly unadvertised: readonly AuditEntry[];
}

/** Holds the methods one side handles against the capabilities it advertises; what rests on more than its capabilities is left out. */
export function auditAdvertisement(
  tables: ProtocolTables,
  revision: string,
  side: Side,
  capabilities: unknown,
  handlers: Iterable<string>,
): Audit {
  const handled = new Set(handlers);
  const direction: Direction = side === "server" ? "clientToServer" : "serverToClient";
  const unhandled: AuditEntry[] = [];
  const unadvertised: AuditEntry[] = [];
  for (const entry of entriesOf(tables, revision)) {
    if (entry.direction !== direction || !("owner" in entry) || entry.owner !== "receiver") continue;
    const { method, kind } = entry;
    const shut = shutPath(tables, entry, { [side]: capabilities });
    if (shut !== undefined && handled.has(method)) unadvertised.push({ method, path: shut });
    if (shut === undefined && kind === "request" && !handled.has(method)) unhandled.push({ method, path: askedPath(entry) });
  }
  return { unhandled, unadvertised };
}

type OwnedEntry = Extract<GateEntry, { readonly owner: unknown }>;

/** Gives the path that is not advertised and shuts a gate whatever the params say; undefined where some params pass. */
function shutPath(tables: ProtocolTables, entry: OwnedEntry, snapshot: Snapshot): string | undefined {
  if (entry.shape === "never") return entry.path;
  if (entry.flag !== undefined && !isOpen(tables, entry.flag, snapshot)) return entry.flag.path;
  if (entry.shape === "capability") return undefined;
  const cases = Object.values(entry.cases);
  return cases.some((flag) => isOpen(tables, flag, snapshot)) ? undefined : cases.map((flag) => flag.path).join(" or ");
}

function askedPath(entry: OwnedEntry): string {
  if (entry.shape === "never") return entry.path;
  return (
    entry.flag?.path ??
    (entry.shape === "params"
      ? Object.values(entry.cases)
          .map((flag) => flag.path)
          .join(" or ")
      : "")
  );
}

function judge(tables: ProtocolTables, entry: GateEntry, snapshot: unknown, params: unknown): GateOutcome {
  if (entry.shape === "baseline") return BASELINE;
  if (entry.shape === "capability") return isOpen(tables, entry.flag, snapshot) ? NEGOTIATED : shut(tables, entry, entry.flag);
  if (entry.shape === "params") return choose(tables, entry, snapshot, params);
  const { method, path, feature, code } = entry;
  if (entry.shape === "never") {
    const because = `${method} needs the ${entry.side} capability ${path}, which this revision does not define`;
    return denied(tables, feature, { missing: { of: entry.side, path }, because }, code);
  }
  const value = valueAt(snapshot, [entry.shape, ...path.split(".")]);
  if (isMarked(value, entry.marker)) return NEGOTIATED;
  const because = `${method} needs ${path} of ${HOLDERS[entry.shape]}`;
  return denied(tables, feature, { missing: { of: entry.shape, path }, because }, code);
}

function choose(
  tables: ProtocolTables,
  entry: Extract<GateEntry, { readonly shape: "params" }>,
  snapshot: unknown,
  params: unknown,
): GateOutcome {
  const { flag, field, missing, cases, code, feature, method } = entry;
  if (flag !== undefined && !isOpen(tables, flag, snapshot)) return shut(tables, entry, flag);
  const given = valueAt(params, [field]);
  const value = given === undefined ? missing : given;
  const chosen = typeof value === "string" && Object.hasOwn(cases, value) ? cases[value] : undefined;
  if (chosen !== undefined) return isOpen(tables, chosen, snapshot) ? NEGOTIATED : shut(tables, entry, chosen);
  const because = `${method} needs a ${field} that is one of ${Object.keys(cases).join(", ")}`;
  return denied(tables, feature, { missing: { of: "params", path: field }, because }, code);
}

function isOpen(tables: ProtocolTables, { side, path, marker }: GateFlag, snapshot: unknown): boolean {
  return hasFlag(tables, side, valueAt(snapshot, [side]), path, marker);
}

function isMarked(value: unknown, marker: FlagForm | "list"): boolean {
  return marker === "list" ? Array.isArray(value) && value.length > 0 : isSet(value, marker);
}

function shut(tables: ProtocolTables, { method }: GateEntry, { side, path, marker, feature, code, data }: GateFlag): Denied {
  const because = `${method} needs the ${side} capability ${path}`;
  const named = data === undefined ? undefined : { [data]: oneFlag(path, marker) };
  return denied(tables, feature, { missing: { of: side, path }, because }, code, named);
}

function denied(
  tables: ProtocolTables,
  feature: number,
  why: Pick<Denied, "missing" | "because">,
  code: number | undefined,
  data?: Wire,
): Denied {
  const row = tables.features[feature];
  return {
    outcome: "denied",
    ...why,
    ...(code === undefined ? {} : { code }),
    ...(data === undefined ? {} : { data }),
    feature: row?.id,
    cite: row?.cite,
  };
}

const INDICES = new WeakMap<readonly GateEntry[], ReadonlyMap<string, GateEntry>>();

function gateOf(tables: ProtocolTables, revision: string, direction: Direction, method: string): GateEntry | undefined {
  const entries = entriesOf(tables, revision);
  const known = INDICES.get(entries);
  const index = known ?? new Map(entries.map((entry) => [`${entry.direction} ${entry.method}`, entry]));
  if (known === undefined) INDICES.set(entries, index);
  return index.get(`${direction} ${method}`);
}

const NONE: readonly GateEntry[] = [];

function entriesOf(tables: ProtocolTables, revision: string): readonly GateEntry[] {
  return Object.hasOwn(tables.gates, revision) ? (tables.gates[revision] ?? NONE) : NONE;
}
