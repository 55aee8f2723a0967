// Decides what is done for a peer that lacks a feature. Takes a preset and per-feature orders; gives one action for each gated place, `refuse` where nobody decided otherwise.

import { isWire } from "./capabilities.js";
import { PolicyError, type PolicyFault } from "./errors.js";
import { FALLBACKS } from "./fallbacks.js";
import type { FeatureProfile } from "./profile.js";
import type { Action, LoweringEntry, ProtocolTables } from "./protocol.js";

/** Names a ready-made policy. */
export type Preset = "strict" | "balanced" | "permissive";

/** What a preset decides about: what a place loses, and what it offers. */
type Offer = Pick<LoweringEntry, "loss" | "degrade">;

const PRESETS: ReadonlyMap<string, (offer: Offer) => Action> = new Map([
  ["strict", () => "refuse"],
  ["balanced", (lowering: Offer) => (contentSurvives(lowering) ? firstAction(lowering) : "refuse")],
  ["permissive", firstAction],
]);

/** Says, feature by feature, whether and how a value is degraded; immutable, bound to one protocol's tables. */
export class DegradePolicy {
  readonly preset: Preset;
  readonly #tables: ProtocolTables;
  readonly #orders: ReadonlyMap<number, Action>;
  /** Orders for members that no revision knows, by union. */
  readonly #unknown: ReadonlyMap<string, Action>;
  #actions: readonly Action[] | undefined;
  #unknownActions: readonly Action[] | undefined;
  #amongEquals: DegradePolicy | undefined;

  private constructor(
    tables: ProtocolTables,
    preset: Preset,
    orders: ReadonlyMap<number, Action> = new Map(),
    unknown: ReadonlyMap<string, Action> = new Map(),
  ) {
    this.#tables = tables;
    this.preset = preset;
    this.#orders = orders;
    this.#unknown = unknown;
  }

  /** Makes the policy that refuses everything the peer lacks; the library's default. */
  static strict(tables: ProtocolTables): DegradePolicy {
    return new DegradePolicy(tables, "strict");
  }

  /** Makes the policy that takes each place's first action where the content survives it. */
  static balanced(tables: ProtocolTables): DegradePolicy {
    return new DegradePolicy(tables, "balanced");
  }

  /** Makes the policy that takes each place's first action, whatever is lost. */
  static permissive(tables: ProtocolTables): DegradePolicy {
    return new DegradePolicy(tables, "permissive");
  }

  /**
   * Makes a policy from a parsed file, `{ preset?, features?: { [feature id]: action }, unknown?: { [union]: action } }`; the preset is `strict`
   * when absent. Throws one `PolicyError` with every fault: unknown keys, presets, features, unions, and actions that are not on offer.
   */
  static from(tables: ProtocolTables, record: unknown): DegradePolicy {
    const faults: PolicyFault[] = [];
    const { preset = "strict", features = {}, unknown = {}, ...rest } = isWire(record) ? record : {};
    if (!isWire(record)) faults.push({ code: "malformed", key: "", reason: "not a map with preset and features", choices: [] });
    for (const key of Object.keys(rest)) {
      faults.push({ code: "unknown-key", key, reason: `unknown key ${JSON.stringify(key)}`, choices: ["preset", "features", "unknown"] });
    }
    if (!isPreset(preset)) {
      faults.push({
        code: "unknown-preset",
        key: "preset",
        reason: `unknown preset ${JSON.stringify(preset)}`,
        choices: [...PRESETS.keys()],
      });
    }
    if (!isWire(features))
      faults.push({ code: "malformed", key: "features", reason: "features is not a map from feature id to action", choices: [] });
    const orders = readOrders(tables, isWire(features) ? Object.entries(features) : [], faults);
    if (!isWire(unknown))
      faults.push({ code: "malformed", key: "unknown", reason: "unknown is not a map from union to action", choices: [] });
    const unknownOrders = readUnknown(tables, isWire(unknown) ? Object.entries(unknown) : [], faults);
    const [first, ...others] = faults;
    if (first !== undefined) throw new PolicyError(first, ...others);
    return new DegradePolicy(tables, isPreset(preset) ? preset : "strict", orders, unknownOrders);
  }

  /**
   * Makes a policy that orders an action for a feature, given by its index; `refuse` is always on offer.
   * A place of that feature that does not offer the action stays as the preset has it. Throws `PolicyError` when no place offers it.
   */
  with(feature: number, action: Action): DegradePolicy {
    const fault = checkFeature(this.#tables, feature) ?? checkAction(this.#tables, feature, action);
    if (fault !== undefined) throw new PolicyError(fault);
    return new DegradePolicy(this.#tables, this.preset, new Map(this.#orders).set(feature, action), this.#unknown);
  }

  /** Makes a policy that orders an action for the members of a union that no revision knows. Throws `PolicyError` when that is not on offer. */
  withUnknown(union: string, action: Action): DegradePolicy {
    const fault = checkUnknown(this.#tables, union, action);
    if (fault !== undefined) throw new PolicyError(fault);
    return new DegradePolicy(this.#tables, this.preset, this.#orders, new Map(this.#unknown).set(union, action));
  }

  /**
   * Gives the policy for payloads that go on at the revision they came at: what may be kept is, and so is what no revision knows; what the peer could
   * not read at all is degraded as ever. Worked out once.
   */
  get amongEquals(): DegradePolicy {
    if (this.#amongEquals !== undefined) return this.#amongEquals;
    const policy = new DegradePolicy(this.#tables, this.preset, this.#orders, this.#unknown);
    policy.#actions = this.actions.map((action, index) => (this.#tables.lowerings[index]?.degrade.includes("keep") ? "keep" : action));
    policy.#unknownActions = this.unknownActions.map(() => "keep");
    policy.#amongEquals = policy;
    return (this.#amongEquals = policy);
  }

  /** Gives the action for one gated place of a feature. */
  actionFor(feature: number, lowering: LoweringEntry): Action {
    const order = this.#orders.get(feature);
    if (order !== undefined && (order === "refuse" || lowering.degrade.includes(order))) return order;
    return PRESETS.get(this.preset)?.(lowering) ?? "refuse";
  }

  /** Gives the action for every gated place, in the order of the table of lowerings; worked out once. */
  get actions(): readonly Action[] {
    return (this.#actions ??= this.#tables.lowerings.map((lowering) => this.actionFor(lowering.feature, lowering)));
  }

  /** Gives the action for members that no revision knows, in the order of the table of unions; worked out once. */
  get unknownActions(): readonly Action[] {
    const decide = PRESETS.get(this.preset);
    return (this.#unknownActions ??= this.#tables.unknownMembers.map(
      (entry) => this.#unknown.get(entry.at) ?? decide?.(entry) ?? "refuse",
    ));
  }

  /** Tells whether a value that uses the feature gets through to a peer without it, at every place; never for a feature nothing can stand in for. */
  allows(feature: number): boolean {
    const places = this.#tables.lowerings.filter((lowering) => lowering.feature === feature);
    return places.length > 0 && places.every((lowering) => this.actionFor(feature, lowering) !== "refuse");
  }

  /** Tells whether the policy allows every feature that the profile lacks and for which the rows offer something. */
  accepts(profile: FeatureProfile): boolean {
    return this.#tables.lowerings.every(({ feature }) => profile.isEnabled(feature) || this.allows(feature));
  }
}

function readOrders(tables: ProtocolTables, entries: readonly [string, unknown][], faults: PolicyFault[]): ReadonlyMap<number, Action> {
  const indices = new Map(tables.features.map((feature, index) => [feature.id, index]));
  const ids = [...indices.keys()];
  const orders = new Map<number, Action>();
  for (const [id] of entries.filter(([key]) => !indices.has(key))) faults.push(unknownFeature(JSON.stringify(id), id, ids));
  for (const [id, action] of entries) {
    const feature = indices.get(id);
    if (feature === undefined) continue;
    const fault = checkAction(tables, feature, action);
    if (fault !== undefined) faults.push(fault);
    else orders.set(feature, action as Action);
  }
  return orders;
}

function readUnknown(tables: ProtocolTables, entries: readonly [string, unknown][], faults: PolicyFault[]): ReadonlyMap<string, Action> {
  const orders = new Map<string, Action>();
  for (const [union, action] of entries) {
    const fault = checkUnknown(tables, union, action);
    if (fault !== undefined) faults.push(fault);
    else orders.set(union, action as Action);
  }
  return orders;
}

function checkUnknown(tables: ProtocolTables, union: string, action: unknown): PolicyFault | undefined {
  const entry = tables.unknownMembers.find((candidate) => candidate.at === union);
  if (entry === undefined) {
    const choices = tables.unknownMembers.map((candidate) => candidate.at);
    return { code: "unknown-union", key: union, reason: `unknown union ${JSON.stringify(union)}`, choices };
  }
  const choices = [...entry.degrade, "refuse"];
  if (typeof action === "string" && choices.includes(action)) return undefined;
  return { code: "unknown-action", key: union, reason: `${union} does not offer the action ${JSON.stringify(action)}`, choices };
}

function checkFeature(tables: ProtocolTables, feature: number): PolicyFault | undefined {
  if (tables.features[feature] !== undefined) return undefined;
  return unknownFeature(
    String(feature),
    String(feature),
    tables.features.map((row) => row.id),
  );
}

function unknownFeature(shown: string, key: string, choices: readonly string[]): PolicyFault {
  return { code: "unknown-feature", key, reason: `unknown feature ${shown}`, choices };
}

function checkAction(tables: ProtocolTables, feature: number, action: unknown): PolicyFault | undefined {
  const places = tables.lowerings.filter((lowering) => lowering.feature === feature);
  const choices = [...new Set([...places.flatMap((lowering) => lowering.degrade), "refuse"])];
  if (typeof action === "string" && choices.includes(action)) return undefined;
  const key = tables.features[feature]?.id ?? String(feature);
  return { code: "unknown-action", key, reason: `${key} does not offer the action ${JSON.stringify(action)}`, choices };
}

function isPreset(value: unknown): value is Preset {
  return typeof value === "string" && PRESETS.has(value);
}

function firstAction(lowering: Offer): Action {
  return lowering.degrade[0] ?? "refuse";
}

/** A place whose loss is content may still have a first action that keeps it; only the registry of fallbacks can say so. */
function contentSurvives(lowering: Offer): boolean {
  return lowering.loss !== "content" || FALLBACKS.get(firstAction(lowering))?.keepsContent === true;
}
