// Follows every payload of a revision and remembers the gates on the way to each definition. Pure.
import { statusAt, type Gating } from "./gating.js";
import { memberName, propertyPath } from "./path.js";
import { mapValue, own, refName, refTo, shape, type Schema } from "./schema.js";
import type { Feature, Model, Revision } from "./types.js";

/** Gives, for each definition, every gate some payload passes on its way there: a capability asked for on the way is not asked for again. */
export function passedGates(model: Model, revision: Revision, gating: Gating): Map<string, Set<Feature>> {
  const passed = new Map<string, Set<Feature>>();
  const visit = (node: Schema, path: string, gates: ReadonlySet<Feature>): void => {
    const name = refName(node);
    if (name !== undefined) {
      const known = passed.get(name);
      if (known !== undefined && [...gates].every((gate) => known.has(gate))) return;
      const union = new Set([...(known ?? []), ...gates]);
      passed.set(name, union);
      visit(model.ir[name] ?? {}, name, union);
      return;
    }
    const resolved = shape(node, model.ir);
    const through = (at: string): ReadonlySet<Feature> | undefined => {
      const gate = gating.gateAt(at, revision.index);
      if (gate === undefined) return gates;
      return statusAt(gate, revision, model) === "off" ? undefined : new Set([...gates, gate]);
    };
    for (const [key, child] of Object.entries(resolved.properties ?? {})) {
      const at = propertyPath(path, key);
      const next = through(at);
      if (next !== undefined) visit(child, at, next);
    }
    for (const member of resolved.anyOf ?? []) {
      const next = through(`${path}|${memberName(member)}`);
      if (next !== undefined) visit(member, path, next);
    }
    if (resolved.items !== undefined) visit(resolved.items, `${path}[]`, gates);
    const value = mapValue(resolved);
    if (value !== undefined) visit(value, `${path}.*`, gates);
  };
  for (const method of revision.methods) {
    const gates = new Set([model.features[method.feature] as Feature]);
    const params = own(shape(refTo(method.canonicalDefinition), model.ir).properties, "params");
    if (params !== undefined) visit(params, `${method.canonicalDefinition}.params`, gates);
    for (const result of method.results) {
      const alternative = model.features.find((feature) =>
        feature.gates.results.some((entry) => entry.definition === result && entry.methods.includes(method.name)),
      );
      visit(refTo(result), result, alternative === undefined ? gates : new Set([...gates, alternative]));
    }
  }
  return passed;
}
