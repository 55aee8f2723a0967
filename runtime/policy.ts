// Decides what is done for a peer that lacks a feature. Takes a preset and per-feature orders; gives one action for each gated place, `refuse` where nobody decided otherwise.

import { isWire } from "./capabilities.js";
import { PolicyError, type PolicyFault } from "./errors.js";
import { FALLBACKS } from "./fallbacks.js";
import type { FeatureProfile } from "./profile.js";
import type { Action, LoweringEntry, ProtocolTables } from "./protocol.js";

/** Names a ready-made policy. */
export type Preset = "strict" | "balanced" | "permissive";

const PRESETS: ReadonlyMap<string, (lowering: LoweringEntry) => Action> = new Map([
  ["strict", () => "refuse"],
  ["balanced", (lowering: LoweringEntry) => (contentSurvives(lowering) ? firstAction(lowering) : "refuse")],
  ["permissive", firstAction],
]);

/** Says, feature by feature, whether and how a value is degraded; immutable, bound to one protocol's tables. */
export class DegradePolicy {
  readonly preset: Preset;
  readonly #tables: ProtocolTables;
  readonly #orders: ReadonlyMap<number, Action>;
  #actions: readonly Action[] | undefined;

  private constructor(tables: ProtocolTables, preset: Preset, orders: ReadonlyMap<number, Action>) {
    this.#tables = tables;
    this.preset = preset;
    this.#orders = orders;
  }

  /** Makes the policy that refuses everything the peer lacks; the library's default. */
  static strict(tables: ProtocolTables): DegradePolicy {
    return new DegradePolicy(tables, "strict", new Map());
  }

  /** Makes the policy that takes each place's first action where the content survives it. */
  static balanced(tables: ProtocolTables): DegradePolicy {
    return new DegradePolicy(tables, "balanced", new Map());
  }

  /** Makes the policy that takes each place's first action, whatever is lost. */
  static permissive(tables: ProtocolTables): DegradePolicy {
    return new DegradePolicy(tables, "permissive", new Map());
  }

  /**
   * Makes a policy from a parsed file, `{ preset?, features?: { [feature id]: action } }`; the preset is `strict` when absent.
   * Throws one `PolicyError` with every fault: unknown keys, presets, features, and actions the feature does not offer.
   */
  static from(tables: ProtocolTables, record: unknown): DegradePolicy {
    const faults: PolicyFault[] = [];
    const { preset = "strict", features = {}, ...rest } = isWire(record) ? record : {};
    if (!isWire(record)) faults.push({ code: "malformed", key: "", reason: "not a map with preset and features", choices: [] });
    for (const key of Object.keys(rest)) {
      faults.push({ code: "unknown-key", key, reason: `unknown key ${JSON.stringify(key)}`, choices: ["preset", "features"] });
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
    const [first, ...others] = faults;
    if (first !== undefined) throw new PolicyError(first, ...others);
    return new DegradePolicy(tables, isPreset(preset) ? preset : "strict", orders);
  }

  /**
   * Makes a policy that orders an action for a feature, given by its index; `refuse` is always on offer.
   * A place of that feature that does not offer the action stays as the preset has it. Throws `PolicyError` when no place offers it.
   */
  with(feature: number, action: Action): DegradePolicy {
    const fault = checkFeature(this.#tables, feature) ?? checkAction(this.#tables, feature, action);
    if (fault !== undefined) throw new PolicyError(fault);
    return new DegradePolicy(this.#tables, this.preset, new Map(this.#orders).set(feature, action));
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

function firstAction(lowering: LoweringEntry): Action {
  return lowering.degrade[0] ?? "refuse";
}

/** A place whose loss is content may still have a first action that keeps it; only the registry of fallbacks can say so. */
function contentSurvives(lowering: LoweringEntry): boolean {
  return lowering.loss !== "content" || FALLBACKS.get(firstAction(lowering))?.keepsContent === true;
}
