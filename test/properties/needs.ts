// Works out, without the generated code, which features a canonical value needs at a revision: an interpreter over the canonical schema
// and the rows. The exact-gate property holds the codecs against it.
import { Ajv, type ValidateFunction } from "ajv";
import { fillAt } from "../../generator/model/fills.js";
import { buildGating, isImplied, statusAt } from "../../generator/model/gating.js";
import { memberName, propertyPath } from "../../generator/model/path.js";
import { isSame, mapValue, own, refName, refTo, shape, targetName, type Schema } from "../../generator/model/schema.js";
import type { Feature, Method, Model, Revision } from "../../generator/model/types.js";
import type { FeatureProfile } from "../../runtime/index.js";

type Wire = Record<string, unknown>;

/** Interprets rows for one model. */
export class Needs {
  private readonly gating;
  private readonly ajv = new Ajv({ strict: false, allowUnionTypes: true, validateFormats: false });
  private readonly compiled = new Map<Schema, ValidateFunction>();
  private readonly homesOf = new Map<Revision, Map<string, Set<Feature>>>();

  constructor(private readonly model: Model) {
    this.gating = buildGating(model.features);
    this.ajv.addSchema({ $id: "ir", $defs: model.ir });
  }

  /** Lists the features a payload needs that the profile does not give. */
  missing(revision: Revision, method: Method, part: "params" | "result", value: unknown, profile: FeatureProfile): Set<Feature> {
    const gate = this.model.features[method.feature] as Feature;
    const missing = new Set<Feature>();
    const isOn = (feature: Feature, home: ReadonlySet<Feature> | undefined) =>
      profile.isEnabled(feature.index) ||
      (statusAt(feature, revision, this.model) === "conditional" && [...(home ?? [])].some((passed) => isImplied(feature, passed)));
    if (!profile.isEnabled(gate.index)) return new Set([gate]);
    const homes = this.homes(revision);
    const walk = (node: Schema, path: string, item: unknown): void => {
      const place = targetName(node, this.model.ir) ?? path;
      const home = homes.get(/^\w+/.exec(place)?.[0] ?? "");
      const resolved = shape(node, this.model.ir);
      if (resolved.anyOf !== undefined) {
        const member = this.choose(resolved.anyOf, place, item, revision);
        if (member === undefined) return;
        const at = `${place}|${memberName(member)}`;
        const feature =
          this.gating.gateAt(at, revision.index) ??
          this.model.features.find(
            (owner) =>
              owner.gates.constants.some((entry) => entry.at === at && entry.values === undefined) &&
              statusAt(owner, revision, this.model) === "conditional",
          );
        if (feature !== undefined && !isOn(feature, home)) missing.add(feature);
        else walk(member, place, item);
        return;
      }
      if (Array.isArray(item)) {
        for (const entry of item) walk(resolved.items ?? {}, `${place}[]`, entry);
        return;
      }
      if (typeof item !== "object" || item === null) return;
      const map = mapValue(resolved);
      if (map !== undefined) for (const entry of Object.values(item)) walk(map, `${place}.*`, entry);
      for (const [key, child] of Object.entries(resolved.properties ?? {})) {
        if (Object.hasOwn(item, key))
          this.field(propertyPath(place, key), child, (item as Wire)[key], revision, (feature) => isOn(feature, home), missing, walk);
      }
    };
    if (part === "params") {
      if (value !== undefined)
        walk(
          own(shape(refTo(method.canonicalDefinition), this.model.ir).properties, "params") ?? {},
          `${method.canonicalDefinition}.params`,
          value,
        );
      return missing;
    }
    const alternative = this.model.features.find((feature) =>
      feature.gates.results.some((entry) => entry.methods.includes(method.name) && matches(entry.when, value)),
    );
    const definition = alternative?.gates.results.find(
      (entry) => entry.methods.includes(method.name) && matches(entry.when, value),
    )?.definition;
    if (alternative !== undefined && !isOn(alternative, new Set([gate]))) missing.add(alternative);
    else walk(refTo(definition ?? (method.results[0] as string)), "", value);
    return missing;
  }

  private field(
    path: string,
    child: Schema,
    value: unknown,
    revision: Revision,
    isOn: (feature: Feature) => boolean,
    missing: Set<Feature>,
    walk: (node: Schema, path: string, value: unknown) => void,
  ): void {
    const feature = this.gating.gateAt(path, revision.index);
    for (const owner of this.model.features) {
      const gated = owner.gates.constants.some((entry) => entry.at === path && entry.values?.some((item) => isSame(item, value)) === true);
      if (gated && statusAt(owner, revision, this.model) === "conditional" && !isOn(owner)) missing.add(owner);
    }
    if (feature === undefined) return walk(child, path, value);
    const isAdvertisement = Object.values(this.model.capabilities).includes(/^\w+/.exec(path)?.[0] ?? "");
    const status = statusAt(feature, revision, this.model);
    if (isAdvertisement ? status !== "off" : isOn(feature)) return walk(child, path, value);
    const fill = fillAt(this.model, path);
    if (fill !== undefined && (fill.from !== undefined || isSame(fill.value, value))) return;
    missing.add(feature);
  }

  /** The member a value is of: one it is valid as, the more demanding first, one that the revision has before others. */
  private choose(members: readonly Schema[], place: string, value: unknown, revision: Revision): Schema | undefined {
    const fitting = members.filter((member) => this.fits(member, value));
    const demands = (member: Schema) => {
      const node = shape(member, this.model.ir);
      const nested = (node.required ?? []).reduce(
        (sum, key) => sum + (shape(own(node.properties, key) ?? {}, this.model.ir).required?.length ?? 0),
        0,
      );
      return (node.required?.length ?? 0) + nested;
    };
    const rank = (member: Schema) => {
      const feature = this.gating.gateAt(`${place}|${memberName(member)}`, revision.index);
      return feature === undefined ? 0 : ["on", "conditional", "off"].indexOf(statusAt(feature, revision, this.model));
    };
    return [...fitting].sort((a, b) => demands(b) - demands(a) || rank(a) - rank(b))[0];
  }

  private fits(member: Schema, value: unknown): boolean {
    const known = this.compiled.get(member);
    const validate = known ?? this.ajv.compile(absolute(member) as object);
    if (known === undefined) this.compiled.set(member, validate);
    return validate(value);
  }

  /** For each definition, the gates that some payload of the revision passes on its way to it. */
  private homes(revision: Revision): Map<string, Set<Feature>> {
    const known = this.homesOf.get(revision);
    if (known !== undefined) return known;
    const homes = new Map<string, Set<Feature>>();
    this.homesOf.set(revision, homes);
    const visit = (node: Schema, path: string, passed: readonly Feature[]): void => {
      const name = refName(node);
      const place = name ?? path;
      if (name !== undefined) {
        const known = homes.get(name) ?? new Set();
        if (homes.has(name) && passed.every((feature) => known.has(feature))) return;
        homes.set(name, new Set([...known, ...passed]));
      }
      const reached = name === undefined ? passed : [...(homes.get(name) ?? [])];
      const resolved = shape(node, this.model.ir);
      const through = (at: string, child: Schema, where: string) => {
        const feature = this.gating.gateAt(at, revision.index);
        if (feature === undefined) visit(child, where, reached);
        else if (statusAt(feature, revision, this.model) !== "off") visit(child, where, [...reached, feature]);
      };
      for (const [key, child] of Object.entries(resolved.properties ?? {}))
        through(propertyPath(place, key), child, propertyPath(place, key));
      for (const member of resolved.anyOf ?? []) through(`${place}|${memberName(member)}`, member, place);
      if (resolved.items !== undefined) visit(resolved.items, `${place}[]`, reached);
      const map = mapValue(resolved);
      if (map !== undefined) visit(map, `${place}.*`, reached);
    };
    for (const method of revision.methods) {
      const gate = this.model.features[method.feature] as Feature;
      const params = own(shape(refTo(method.canonicalDefinition), this.model.ir).properties, "params");
      if (params !== undefined) visit(params, `${method.canonicalDefinition}.params`, [gate]);
      for (const result of method.results) {
        const owner = this.model.features.find((feature) =>
          feature.gates.results.some((entry) => entry.definition === result && entry.methods.includes(method.name)),
        );
        visit(refTo(result), result, owner === undefined ? [gate] : [gate, owner]);
      }
    }
    return homes;
  }
}

function matches(when: { readonly property: string; readonly equals?: unknown }, value: unknown): boolean {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, when.property)) return false;
  return when.equals === undefined || (value as Wire)[when.property] === when.equals;
}

function absolute(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(absolute);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, key === "$ref" ? `ir${String(value)}` : absolute(value)]));
}
