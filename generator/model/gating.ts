// Answers what gates a place at a revision: which feature, whether it is always on, never on or up to the negotiation, and what
// an already passed gate implies. Pure.
import { livesAt } from "./lifetime.js";
import type { Feature, Model, Revision } from "./types.js";

/** Whether a feature is on at a revision: for every peer, for none, or for those that negotiated it. */
export type Status = "on" | "off" | "conditional";

/** Looks up gates by canonical path. */
export interface Gating {
  /** The feature that decides about a field or member at a revision; undefined where none does. */
  readonly gateAt: (path: string, revision: number) => Feature | undefined;
  /** The feature that changed the shape of a place, by the narrowest path that says so. */
  readonly changeAt: (path: string) => Feature | undefined;
}

/** Indexes the gates of all features. */
export function buildGating(features: readonly Feature[]): Gating {
  const gates = new Map<string, Feature[]>();
  const changes = new Map<string, Feature>();
  for (const feature of features) {
    for (const path of [...feature.gates.fields, ...feature.gates.members]) gates.set(path, [...(gates.get(path) ?? []), feature]);
    for (const path of feature.gates.changes) changes.set(path, feature);
  }
  return {
    gateAt: (path, revision) => {
      const owners = gates.get(path) ?? [];
      return owners.find((feature) => livesAt(feature, revision)) ?? owners.at(-1);
    },
    changeAt: (path) => {
      for (let text = path; text !== ""; text = parentOf(text)) {
        const feature = changes.get(text);
        if (feature !== undefined) return feature;
      }
      return undefined;
    },
  };
}

/** Tells whether a feature is on at a revision, as far as the revision alone can say. */
export function statusAt(feature: Feature, revision: Revision, model: Pick<Model, "transports" | "features" | "revisions">): Status {
  if (!livesAt(feature, revision.index)) return "off";
  if (feature.transport !== undefined) return isTransportAt(feature.transport, revision.index, model) ? "conditional" : "off";
  const { requires } = feature;
  if (requires === undefined || !isRequired(feature, revision, model)) return "on";
  const sides = (["client", "server"] as const).filter((side) => requires[side] !== undefined);
  const defined = sides.filter((side) => revision.flags[side].has(requires[side] as string));
  const enough = requires.match === "any" ? defined.length > 0 : defined.length === sides.length;
  return enough ? "conditional" : "off";
}

/** Tells whether passing the gate of `passed` at a revision says that `feature` is on as well. */
export function isImplied(feature: Feature, passed: Feature): boolean {
  if (feature === passed) return true;
  if (feature.transport !== undefined && feature.transport !== passed.transport) return false;
  const wants = feature.requires;
  if (wants === undefined) return true;
  const has = passed.requires;
  if (has === undefined) return false;
  const covers = (side: "client" | "server") =>
    wants[side] === undefined || (has[side] !== undefined && has.match !== "any" && isBelow(has[side], wants[side]));
  if (wants.match === "any") return has.match === "any" && has.client === wants.client && has.server === wants.server;
  return covers("client") && covers("server");
}

/** Tells whether a transport is defined at a revision. */
export function isTransportAt(transport: string, revision: number, model: Pick<Model, "transports" | "features">): boolean {
  const feature = model.features[model.transports.get(transport) ?? -1];
  return feature !== undefined && livesAt(feature, revision);
}

/** Tells whether a revision asks for the capabilities of a feature: a flag may be younger than its feature. */
export function isRequired(feature: Feature, revision: Revision, model: Pick<Model, "revisions">): boolean {
  const since = feature.requires?.since;
  return since === undefined || revision.index >= model.revisions.findIndex((entry) => entry.id === since);
}

function isBelow(flag: string, root: string): boolean {
  return flag === root || flag.startsWith(`${root}.`);
}

/** Takes the last step or the member off a path; nothing is left of a definition. */
function parentOf(path: string): string {
  const definition = /^[^.[|]*/.exec(path)?.[0] ?? "";
  const steps = path.slice(definition.length).match(/\|.*$|\.\*|\[\]|\.[^.[\]"|]+|\["(?:[^"\\]|\\.)*"\]/g) ?? [];
  return steps.length === 0 ? "" : definition + steps.slice(0, -1).join("");
}
