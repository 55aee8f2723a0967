// Lifts wire payloads into canonical form and lowers canonical payloads to one revision, for one negotiated peer. The walk is generated;
// what happens at a gate, a misfit or a fill is decided here, by profile and policy, and recorded in the report.

import { isWire } from "./capabilities.js";
import { withField, withoutField } from "./copy.js";
import { LowerError } from "./errors.js";
import { FALLBACKS } from "./fallbacks.js";
import { DegradePolicy } from "./policy.js";
import type { FeatureProfile } from "./profile.js";
import {
  REMOVED,
  type Action,
  type CodecModule,
  type FillEntry,
  type Lower,
  type LowerContext,
  type LoweringEntry,
  type MethodCodec,
  type ProtocolTables,
  type Wire,
} from "./protocol.js";
import { TranslationReport } from "./report.js";

/** Which payload of a method: what is asked, or what is answered. Notifications have params only. */
export type Part = "params" | "result";

/** What a hop says about itself on every message, where its revision wants that; given, these win over what a message carries. */
export interface Hop {
  readonly clientCapabilities?: Wire;
  readonly clientInfo?: Wire;
  readonly logLevel?: string;
  readonly serverInfo?: Wire;
  /** The id of the request that opened the subscription a notification belongs to. */
  readonly subscription?: string | number;
  /** Gives a fresh identifier; without one, identifiers count from 1 for each codec. */
  readonly mint?: () => string;
}

/** The `_meta` key under which a payload says what was taken out of it. */
export const DEGRADED_KEY = "polyrev/degraded";

type Keyed<T, K> = K extends keyof T ? T[K] : never;

/**
 * Speaks one revision with one peer. `W` gives the wire payloads of each method at the revision, `C` the canonical ones.
 * Not to be used from within its own policy or mint callbacks.
 */
export class Codec<
  W extends object = Record<string, { params: unknown; result: unknown }>,
  C extends object = Record<string, { params: unknown; result: unknown }>,
> {
  readonly version: string;
  readonly profile: FeatureProfile;
  readonly #tables: ProtocolTables;
  readonly #methods: ReadonlyMap<string, MethodCodec>;
  readonly #lowering: Lowering;
  readonly #strict: DegradePolicy;
  #lastName: string | undefined;
  #last: MethodCodec | undefined;

  constructor(tables: ProtocolTables, module: CodecModule, profile: FeatureProfile, hop: Hop = {}) {
    this.version = module.REVISION;
    this.profile = profile;
    this.#tables = tables;
    this.#methods = module.METHODS;
    this.#strict = DegradePolicy.strict(tables);
    this.#lowering = new Lowering(tables, profile, hop);
  }

  /** Gives both sides' capabilities the codec was negotiated with. */
  get capabilities(): FeatureProfile["capabilities"] {
    return this.profile.capabilities;
  }

  /** Tells what this revision does with a method; undefined where it has no such method. */
  method(name: string): MethodCodec | undefined {
    // Messages of one method tend to follow each other, and the lookup costs as much as the walk of a small one.
    if (name !== this.#lastName) {
      this.#last = this.#methods.get(name);
      this.#lastName = name;
    }
    return this.#last;
  }

  /**
   * Takes a payload of a peer to canonical form. Total: any JSON value has one, nothing is dropped or invented, and a payload that is
   * its own canonical form comes back as the same object. A method this revision does not have is passed as it is.
   */
  lift<M extends keyof W & keyof C & string, P extends Part & keyof W[M]>(method: M, part: P, value: unknown): Keyed<C[M], P>;
  lift(method: string, part: Part, value: unknown): unknown;
  lift(method: string, part: Part, value: unknown): unknown {
    const entry = this.method(method);
    const payload = part === "params" ? entry?.params : entry?.result;
    return payload === undefined ? value : payload.lift(value);
  }

  /**
   * Writes a canonical payload for the peer. What needs nothing the peer lacks comes back as the same object; what does is degraded as the
   * policy says and recorded in the report, or refused with a `LowerError` that names the feature, the path, the failed condition and the
   * cite. Without a policy everything is refused (strict). A method no revision knows is passed as it is.
   */
  lower<M extends keyof W & keyof C & string, P extends Part & keyof W[M]>(
    method: M,
    part: P,
    value: Keyed<C[M], P>,
    policy?: DegradePolicy,
    report?: TranslationReport,
  ): W[M][P];
  lower(method: string, part: Part, value: unknown, policy?: DegradePolicy, report?: TranslationReport): unknown;
  lower(method: string, part: Part, value: unknown, policy: DegradePolicy = this.#strict, report?: TranslationReport): unknown {
    const entry = this.method(method);
    if (entry === undefined) {
      const feature = gatingFeature(this.#tables, method);
      if (feature === undefined) return value;
      throw this.#lowering.unavailable(feature, "", method);
    }
    if (!this.profile.isEnabled(entry.feature)) throw this.#lowering.unavailable(entry.feature, "", method);
    const payload = entry[part];
    if (payload === undefined)
      throw LowerError.fieldNotRepresentable({ path: "", method, reason: `${method} is a notification and has no result` });
    if (value === undefined && payload.optional === true) return value;
    return payload.lower === undefined ? value : this.#lowering.run(payload.lower, value, method, policy, report);
  }
}

/** Finds the feature that gates a method at any revision. */
function gatingFeature(tables: ProtocolTables, method: string): number | undefined {
  for (const methods of Object.values(tables.methods)) {
    const found = methods.find((entry) => entry.method === method);
    if (found !== undefined) return found.feature;
  }
  return undefined;
}

interface Note {
  readonly feature: string | null;
  readonly action: string;
  readonly path: string;
  readonly original?: unknown;
}

/** Is what the generated walk asks at gates, misfits and fills; one a codec, used again for each payload. */
class Lowering implements LowerContext {
  readonly bits: Uint32Array;
  readonly path: (string | number)[] = [];
  private readonly tables: ProtocolTables;
  private readonly profile: FeatureProfile;
  private readonly ownHop: Hop;
  private method = "";
  /** What the policy orders at each gated place, by index into the table of lowerings. */
  private actions: readonly Action[] = [];
  private report: TranslationReport | undefined;
  private notes: Note[] | undefined;
  private minted = 0;

  constructor(tables: ProtocolTables, profile: FeatureProfile, hop: Hop) {
    this.bits = profile.bits;
    this.tables = tables;
    this.profile = profile;
    this.ownHop = hop;
  }

  run(lower: Lower, value: unknown, method: string, policy: DegradePolicy, report: TranslationReport | undefined): unknown {
    this.method = method;
    this.actions = policy.actions;
    const steps = report === undefined ? undefined : new TranslationReport();
    this.report = steps;
    this.notes = undefined;
    const lowered = lower(value, this, 0);
    if (lowered === REMOVED) return this.refuse(value, "a payload", -1, 0);
    const result = this.notes === undefined ? lowered : this.annotated(lowered, this.notes);
    // A refused payload leaves no trace in the caller's report.
    if (steps !== undefined) report?.merge(steps);
    return result;
  }

  field(holder: Wire, key: string, feature: number, lowering: number, fill: number, depth: number): Wire {
    const action = this.actionAt(lowering);
    if (action === "keep" && fill === -1) return holder;
    this.path[depth] = key;
    const value = holder[key];
    const entry = this.tables.fills[fill];
    if (entry !== undefined && (entry.from !== undefined || isEqual(value, entry.value))) {
      this.step(feature, "omit", "none", depth + 1);
      return withoutField(holder, key);
    }
    const place = this.tables.lowerings[lowering];
    if (action === "refuse" || place === undefined) throw this.unavailable(feature, this.pointer(depth + 1), this.method);
    if (action === "keep") return holder;
    return this.degradeField(holder, key, value, action, feature, place, depth + 1);
  }

  member(value: unknown, feature: number, lowering: number, depth: number, again?: Lower): unknown {
    const place = this.tables.lowerings[lowering];
    const action = this.actionAt(lowering);
    if (action === "refuse" || place === undefined) throw this.unavailable(feature, this.pointer(depth), this.method);
    if (action === "skip" || action === "annotate") {
      this.step(feature, action, place.loss, depth);
      if (action === "annotate") this.note(feature, action, depth);
      return REMOVED;
    }
    const fallback = FALLBACKS.get(action);
    if (fallback?.kind !== "member" || !isWire(value)) throw this.unavailable(feature, this.pointer(depth), this.method);
    this.step(feature, action, fallback.loss, depth);
    if (fallback.keepsOriginal === true) this.note(feature, action, depth, value);
    const next = fallback.apply(value, this.path.slice(0, depth));
    return again === undefined ? next : again(next, this, depth);
  }

  misfit(holder: Wire, key: string, expected: string, feature: number, lowering: number, depth: number): Wire {
    this.path[depth] = key;
    const value = holder[key];
    const place = this.tables.lowerings[lowering];
    const action = this.actionAt(lowering);
    if (action === "refuse" || action === "keep" || place === undefined) throw this.notRepresentable(value, expected, feature, depth + 1);
    return this.degradeField(holder, key, value, action, feature, place, depth + 1);
  }

  refuse(value: unknown, expected: string, feature: number, depth: number): never {
    throw this.notRepresentable(value, expected, feature, depth);
  }

  fill(holder: Wire, key: string, fill: number, depth: number): Wire {
    this.path[depth] = key;
    const entry = this.tables.fills[fill] as FillEntry;
    const value = entry.from === undefined ? fresh(entry.value) : this.fromHop(entry.from, true);
    if (value === undefined)
      throw this.notRepresentable(undefined, `a value for ${entry.from}, which this hop does not give`, entry.feature, depth + 1);
    this.step(entry.feature, "fill", "none", depth + 1);
    return withField(holder, key, value);
  }

  hop(holder: Wire, key: string, fill: number, depth: number): Wire {
    const entry = this.tables.fills[fill] as FillEntry;
    const value = entry.from === undefined ? undefined : this.fromHop(entry.from, false);
    if (value === undefined || isEqual(holder[key], value)) return holder;
    this.path[depth] = key;
    this.step(entry.feature, "fill", "none", depth + 1);
    return withField(holder, key, value);
  }

  putOrOmit(holder: Wire, key: string, value: unknown): Wire {
    return isWire(value) && Object.keys(value).length === 0 ? withoutField(holder, key) : withField(holder, key, value);
  }

  absent(fill: number): unknown {
    const entry = this.tables.fills[fill] as FillEntry;
    this.step(entry.feature, "fill", "none", 0);
    return fresh(entry.value);
  }

  private actionAt(lowering: number): Action {
    return this.actions[lowering] ?? "refuse";
  }

  /** Makes the error for a feature the profile lacks, with the condition that failed. */
  unavailable(feature: number, path: string, method: string): LowerError {
    const { because, failed, missing, cite, feature: id } = this.profile.explain(feature);
    return LowerError.featureUnavailable({ feature: id, path, method, reason: because, condition: failed, missing, cite });
  }

  private degradeField(
    holder: Wire,
    key: string,
    value: unknown,
    action: string,
    feature: number,
    place: LoweringEntry,
    depth: number,
  ): Wire {
    if (action === "skip" || action === "annotate") {
      this.step(feature, action, place.loss, depth);
      if (action === "annotate") this.note(feature, action, depth);
      return withoutField(holder, key);
    }
    const fallback = FALLBACKS.get(action);
    if (fallback?.kind !== "field") throw this.unavailable(feature, this.pointer(depth), this.method);
    this.step(feature, action, fallback.loss, depth);
    if (fallback.keepsOriginal === true) this.note(feature, action, depth, value);
    return fallback.apply(holder, key, value);
  }

  private fromHop(source: NonNullable<FillEntry["from"]>, required: boolean): unknown {
    const hop = this.ownHop;
    if (source === "revision") return required || this.speaksForItself() ? this.profile.revision : undefined;
    if (source === "client-capabilities")
      return (
        hop.clientCapabilities ??
        (required ? (isWire(this.profile.capabilities.client) ? this.profile.capabilities.client : {}) : undefined)
      );
    if (source === "client-info") return hop.clientInfo;
    if (source === "log-level") return hop.logLevel;
    if (source === "server-info") return hop.serverInfo;
    if (source === "subscription") return hop.subscription;
    if (!required) return undefined;
    this.minted += 1;
    return hop.mint === undefined ? `polyrev-${this.minted}` : hop.mint();
  }

  /** A codec that was told who its hop is puts its own revision over the peer's. */
  private speaksForItself(): boolean {
    return this.ownHop.clientCapabilities !== undefined || this.ownHop.clientInfo !== undefined;
  }

  private notRepresentable(value: unknown, expected: string, feature: number, depth: number): LowerError {
    const row = this.tables.features[feature];
    const found = value === undefined ? "nothing" : describe(value);
    const reason = `${this.profile.revision} takes ${expected} here, found ${found}`;
    return LowerError.fieldNotRepresentable({
      path: this.pointer(depth),
      method: this.method,
      reason,
      feature: row?.id,
      cite: row?.cite,
    });
  }

  private step(feature: number, action: string, loss: LoweringEntry["loss"], depth: number): void {
    this.report?.add({ feature: this.tables.features[feature]?.id ?? null, action, path: this.pointer(depth), loss });
  }

  private note(feature: number, action: string, depth: number, original?: unknown): void {
    const id = this.tables.features[feature]?.id ?? null;
    this.notes ??= [];
    this.notes.push({ feature: id, action, path: this.pointer(depth), ...(original === undefined ? {} : { original }) });
  }

  private annotated(lowered: unknown, notes: readonly Note[]): unknown {
    if (!isWire(lowered)) return lowered;
    const meta = isWire(lowered._meta) ? lowered._meta : {};
    const before = meta[DEGRADED_KEY];
    return { ...lowered, _meta: { ...meta, [DEGRADED_KEY]: [...(Array.isArray(before) ? (before as unknown[]) : []), ...notes] } };
  }

  private pointer(depth: number): string {
    return this.path
      .slice(0, depth)
      .map((segment) => `/${String(segment).replaceAll("~", "~0").replaceAll("/", "~1")}`)
      .join("");
  }
}

/** Copies the value of a fill, so that nobody writes into the table. */
function fresh(value: unknown): unknown {
  return typeof value === "object" && value !== null ? structuredClone(value) : value;
}

/** Compares JSON values. */
function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, index) => isEqual(item, b[index]));
  if (!isWire(a) || !isWire(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (value === null) return "null";
  if (isWire(value)) return typeof value.type === "string" ? `an object of type ${JSON.stringify(value.type)}` : "an object";
  return typeof value === "string" && value.length > 40 ? "a string" : JSON.stringify(value);
}
