// Decides what happens at a gate, a misfit or a fill while a canonical payload is written for one negotiated peer: by profile and policy,
// recorded in the report. The walk is generated and asks here.

import { isWire } from "./capabilities.js";
import { fresh, withField, withName, withoutField } from "./copy.js";
import { isEqual } from "./equal.js";
import { LowerError } from "./errors.js";
import { FALLBACKS, type Fallback, type FieldFallback } from "./fallbacks.js";
import type { Hop } from "./hop.js";
import { pointerOf } from "./pointer.js";
import type { DegradePolicy } from "./policy.js";
import type { FeatureProfile } from "./profile.js";
import {
  REMOVED,
  SPLIT,
  type Action,
  type FillEntry,
  type FillSource,
  type Lower,
  type LowerContext,
  type LoweringEntry,
  type Loss,
  type ProtocolTables,
  type Strays,
  type Wire,
} from "./protocol.js";
import { TranslationReport } from "./report.js";
import { rewritten } from "./rewrite.js";

/** The `_meta` key under which a payload says what was taken out of it. */
export const DEGRADED_KEY = "polyrev/degraded";

interface Note {
  readonly feature: string | null;
  readonly action: string;
  readonly path: string;
  readonly original?: unknown;
}

/** An edit that an object owes its other fields once its own are written. */
interface Debt {
  readonly depth: number;
  readonly key: string;
  readonly value: unknown;
  readonly feature: number;
  readonly fallback: FieldFallback;
}

/** Is what the generated walk asks at gates, misfits and fills; one a codec, used again for each payload. */
export class Lowering implements LowerContext {
  readonly bits: Uint32Array;
  readonly hops: boolean;
  readonly path: (string | number)[] = [];
  owed = -1;
  private readonly debts: Debt[] = [];
  private method = "";
  /** What the policy orders at each gated place, by index into the table of lowerings. */
  private actions: readonly Action[] = [];
  /** The same for members that no revision knows, union by union. */
  private unknownActions: readonly Action[] = [];
  private report: TranslationReport | undefined;
  private notes: Note[] | undefined;
  private minted = 0;

  constructor(
    private readonly tables: ProtocolTables,
    private readonly profile: FeatureProfile,
    private readonly ownHop: Hop,
  ) {
    this.bits = profile.bits;
    this.hops = [ownHop.clientCapabilities, ownHop.clientInfo, ownHop.logLevel, ownHop.serverInfo, ownHop.subscription].some(
      (given) => given !== undefined,
    );
  }

  /** Writes a payload; what is refused leaves no trace in the caller's report. */
  run(lower: Lower, value: unknown, method: string, policy: DegradePolicy, report: TranslationReport | undefined): unknown {
    this.method = method;
    this.actions = policy.actions;
    this.unknownActions = policy.unknownActions;
    const steps = report === undefined ? undefined : new TranslationReport();
    this.report = steps;
    this.notes = undefined;
    // A payload that was refused may have left some.
    if (this.owed !== -1) this.debts.length = 0;
    this.owed = -1;
    const lowered = lower(value, this, 0);
    if (lowered === REMOVED) return this.refuse(value, "a payload", -1, 0);
    const result = this.notes === undefined ? lowered : annotated(lowered, this.notes);
    if (steps !== undefined) report?.merge(steps);
    return result;
  }

  field(value: unknown, key: string, feature: number, lowering: number, fill: number, depth: number): unknown {
    const action = this.actionAt(lowering);
    if (action === "keep" && fill === -1) return value;
    this.path[depth] = key;
    const entry = fill === -1 ? undefined : this.tables.fills[fill];
    if (entry !== undefined && (entry.from !== undefined || isEqual(value, entry.value))) {
      this.step(feature, "omit", "none", depth + 1);
      return undefined;
    }
    const place = lowering === -1 ? undefined : this.tables.lowerings[lowering];
    if (action === "refuse" || place === undefined) throw this.unavailable(feature, this.pointer(depth + 1), this.method);
    if (action === "keep") return value;
    return this.degrade(value, key, action, feature, place, depth, undefined);
  }

  member(value: unknown, feature: number, lowering: number, depth: number, again?: Lower): unknown {
    return this.replace(value, feature, this.actionAt(lowering), this.tables.lowerings[lowering], depth, again, undefined);
  }

  stranger(value: unknown, tag: unknown, expected: string, unknown: number, depth: number, again: Lower): unknown {
    // Where it does not say what it is, it is not an unknown member but a broken one.
    const action = typeof tag === "string" ? (this.unknownActions[unknown] ?? "refuse") : "refuse";
    if (action === "keep") return value;
    return this.replace(value, -1, action, this.tables.unknownMembers[unknown], depth, again, expected);
  }

  misfit(value: unknown, key: string, expected: string, feature: number, lowering: number, depth: number): unknown {
    this.path[depth] = key;
    const place = this.tables.lowerings[lowering];
    const action = this.actionAt(lowering);
    if (action === "refuse" || action === "keep" || place === undefined) throw this.refusal(value, expected, feature, depth + 1);
    return this.degrade(value, key, action, feature, place, depth, expected);
  }

  rename(holder: Wire, from: string, to: string, feature: number, depth: number): Wire {
    this.path[depth] = from;
    this.step(feature, "rename", "none", depth + 1);
    return withName(holder, from, to);
  }

  reshape(holder: Wire, key: string, feature: number, lowering: number, depth: number): Wire {
    const action = this.actionAt(lowering);
    const fallback = FALLBACKS.get(action);
    const forms = this.tables.lowerings[lowering]?.rewrite;
    const next = fallback?.kind === "rewrite" && forms !== undefined ? rewritten(holder, forms) : undefined;
    if (fallback === undefined || next === undefined) return holder;
    this.path[depth] = key;
    this.done(feature, action, fallback.loss, depth + 1);
    return next;
  }

  prune(holder: Wire, strays: Strays, depth: number): Wire {
    let pruned = holder;
    for (const [key, fits] of strays) {
      const value = holder[key];
      if (value === undefined || fits(value)) continue;
      this.path[depth] = key;
      this.report?.add({ feature: null, action: "drop-stray", path: this.pointer(depth + 1), loss: value === null ? "none" : "content" });
      pruned = withoutField(pruned, key);
    }
    return pruned;
  }

  refuse(value: unknown, expected: string, feature: number, depth: number): never {
    throw this.notRepresentable(value, expected, feature, depth);
  }

  fill(key: string, fill: number, depth: number): unknown {
    this.path[depth] = key;
    const entry = this.tables.fills[fill] as FillEntry;
    const value = entry.from === undefined ? fresh(entry.value) : this.fromHop(entry.from, true);
    if (value === undefined)
      throw this.notRepresentable(undefined, `a value for ${entry.from}, which this hop does not give`, entry.feature, depth + 1);
    this.step(entry.feature, "fill", "none", depth + 1);
    return value;
  }

  hop(value: unknown, key: string, fill: number, depth: number): unknown {
    const entry = this.tables.fills[fill] as FillEntry;
    const own = entry.from === undefined ? undefined : this.fromHop(entry.from, false);
    if (own === undefined || isEqual(value, own)) return value;
    this.path[depth] = key;
    this.step(entry.feature, "fill", "none", depth + 1);
    return own;
  }

  absent(fill: number): unknown {
    const entry = this.tables.fills[fill] as FillEntry;
    this.step(entry.feature, "fill", "none", 0);
    return fresh(entry.value);
  }

  settle(holder: Record<string, unknown>, before: Wire, depth: number): Wire {
    let isEdited = false;
    let first = this.debts.length;
    while (first > 0 && this.debts[first - 1]?.depth === depth) first -= 1;
    for (let index = first; index < this.debts.length; index += 1) {
      if (this.pay(holder, this.debts[index] as Debt)) isEdited = true;
    }
    this.debts.length = first;
    this.owed = first === 0 ? -1 : (this.debts[first - 1] as Debt).depth;
    return isEdited ? holder : before;
  }

  /** Makes the error for a feature the profile lacks, with the condition that failed. */
  unavailable(feature: number, path: string, method: string): LowerError {
    const { because, failed, missing, cite, feature: id } = this.profile.explain(feature);
    return LowerError.featureUnavailable({ feature: id, path, method, reason: because, condition: failed, missing, cite });
  }

  /** Makes one edit; tells whether there was anything to do. */
  private pay(holder: Record<string, unknown>, { depth, fallback, feature, key, value }: Debt): boolean {
    const edits = fallback.edits(holder, key, value);
    let isEdited = fallback.keepsField !== true;
    for (const name in edits) {
      holder[name] = edits[name];
      isEdited = true;
    }
    if (!isEdited) return false;
    this.path[depth] = key;
    this.done(feature, fallback.name, fallback.lossOf?.(value) ?? fallback.loss, depth + 1, fallback, value);
    return true;
  }

  private actionAt(lowering: number): Action {
    // An index of -1 would be looked up as a name, which costs more than everything else here.
    return lowering === -1 ? "refuse" : (this.actions[lowering] ?? "refuse");
  }

  /** Does what the policy orders with a field: gives what stands in its place, undefined where nothing does. */
  private degrade(
    value: unknown,
    key: string,
    action: Action,
    feature: number,
    place: LoweringEntry,
    depth: number,
    expected: string | undefined,
  ): unknown {
    if (action === "skip" || action === "annotate") {
      this.done(feature, action, place.loss, depth + 1);
      return undefined;
    }
    const fallback = FALLBACKS.get(action);
    if (fallback?.kind === "value") {
      const next = fallback.apply(value);
      if (next === value && fallback.mayKeep === true) return value;
      this.done(feature, action, next === undefined ? place.loss : fallback.loss, depth + 1, fallback, value);
      return next;
    }
    if (fallback?.kind !== "field") throw this.refusal(value, expected, feature, depth + 1);
    this.debts.push({ depth, key, value, feature, fallback });
    this.owed = depth;
    return fallback.keepsField === true ? value : undefined;
  }

  /** Does what the policy orders with a member of a union: gives what stands in its place, lowered in turn. */
  private replace(
    value: unknown,
    feature: number,
    action: Action,
    place: Pick<LoweringEntry, "loss" | "rewrite"> | undefined,
    depth: number,
    again: Lower | undefined,
    expected: string | undefined,
  ): unknown {
    if (action === "refuse") throw this.refusal(value, expected, feature, depth);
    if (action === "skip" || action === "annotate") {
      this.done(feature, action, place?.loss ?? "content", depth);
      return REMOVED;
    }
    const fallback = FALLBACKS.get(action);
    if (fallback?.kind === "split" && Array.isArray(value)) {
      const parts = fallback.apply(value as unknown[]);
      this.done(feature, action, fallback.loss, depth);
      return { [SPLIT]: again === undefined ? parts : parts.map((part) => again(part, this, depth)) };
    }
    const next =
      fallback?.kind === "member"
        ? fallback.apply(value, this.path.slice(0, depth))
        : fallback?.kind === "rewrite" && place?.rewrite !== undefined && isWire(value)
          ? rewritten(value, place.rewrite)
          : undefined;
    if (fallback === undefined || next === undefined) throw this.refusal(value, expected, feature, depth);
    this.done(feature, action, fallback.loss, depth, fallback, value);
    return again === undefined ? next : again(next, this, depth);
  }

  private fromHop(source: FillSource, required: boolean): unknown {
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

  /** Makes the error for a value that cannot go on: of a feature the peer lacks, or, where something else was expected, of a shape it cannot read. */
  private refusal(value: unknown, expected: string | undefined, feature: number, depth: number): LowerError {
    if (expected !== undefined) return this.notRepresentable(value, expected, feature, depth);
    return this.unavailable(feature, this.pointer(depth), this.method);
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

  /** Records what was done, and notes in the payload what the policy wants noted there. */
  private done(feature: number, action: Action, loss: Loss, depth: number, fallback?: Fallback, original?: unknown): void {
    this.step(feature, action, loss, depth);
    if (action !== "annotate" && fallback?.keepsOriginal !== true) return;
    const id = this.tables.features[feature]?.id ?? null;
    this.notes ??= [];
    this.notes.push({ feature: id, action, path: this.pointer(depth), ...(original === undefined ? {} : { original }) });
  }

  private step(feature: number, action: Action, loss: Loss, depth: number): void {
    this.report?.add({ feature: this.tables.features[feature]?.id ?? null, action, path: this.pointer(depth), loss });
  }

  private pointer(depth: number): string {
    return pointerOf(this.path, depth);
  }
}

function annotated(lowered: unknown, notes: readonly Note[]): unknown {
  if (!isWire(lowered)) return lowered;
  const meta = isWire(lowered["_meta"]) ? lowered["_meta"] : {};
  const before = meta[DEGRADED_KEY];
  const all = [...(Array.isArray(before) ? (before as unknown[]) : []), ...notes];
  return withField(lowered, "_meta", withField(meta, DEGRADED_KEY, all));
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (value === null) return "null";
  if (isWire(value)) return typeof value["type"] === "string" ? `an object of type ${JSON.stringify(value["type"])}` : "an object";
  return typeof value === "string" && value.length > 40 ? "a string" : JSON.stringify(value);
}
