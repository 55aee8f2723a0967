// Says of a definition or field since when it exists, by which feature, and which changelog entry says so — in our own words, from the rows. Pure.
import { livesAt } from "../model/lifetime.js";
import { hasPath, parsePath, propertyPath } from "../model/path.js";
import type { Cite, Feature, Model } from "../model/types.js";

/** Writes a cite for a reader: `2025-06-18 major 2, PR #371`. */
export function printCite(cite: Cite): string {
  if (cite.page !== undefined) return `${cite.revision} ${cite.page}${cite.ref === undefined ? "" : `, ${cite.ref}`}`;
  if (cite.section === "unlisted") return `${cite.revision}, ${cite.ref} (unlisted)`;
  const entry = `${cite.revision} ${cite.section} ${cite.ordinal}`;
  return cite.ref === undefined ? entry : `${entry}, ${cite.ref}`;
}

/** Looks up what the rows say of a canonical path. */
export interface Provenance {
  readonly ofDefinition: (name: string) => string | undefined;
  readonly ofField: (definition: string, field: string) => string | undefined;
}

/** Indexes the rows of a model by the definitions and fields they gate, as one revision sees them; without one, as the newest does. */
export function buildProvenance(model: Model, revision: number = model.revisions.length - 1): Provenance {
  const definitions = new Map<string, Feature>();
  const fields = new Map<string, Feature>();
  for (const feature of model.features) {
    const isHere = livesAt(feature, revision);
    for (const name of feature.gates.definitions) if (isHere || !definitions.has(name)) definitions.set(name, feature);
    for (const path of feature.gates.fields) if (isHere || !fields.has(path)) fields.set(path, feature);
  }
  const layout = new Map(
    model.layout.filter((entry) => entry.revision <= revision).flatMap((entry) => entry.covers.map((path) => [path, entry] as const)),
  );
  const citeOf = (feature: Feature, path: string): Cite =>
    feature.extensions.find((extension) => extension.revision === feature.since.get(path))?.cite ?? feature.cite;
  const since = (path: string): string => {
    const parsed = parsePath(path);
    return model.revisions.find((revision) => parsed !== undefined && hasPath(parsed, revision.canonical))?.id ?? "";
  };
  const say = (path: string, feature: Feature | undefined): string | undefined => {
    if (feature !== undefined) {
      const isDeprecated =
        feature.deprecated !== undefined && model.revisions.findIndex((entry) => entry.id === feature.deprecated?.since) <= revision;
      const deprecated =
        !isDeprecated || feature.deprecated === undefined
          ? ""
          : `\n@deprecated since ${feature.deprecated.since} (${printCite(feature.deprecated.cite)})`;
      return `${feature.summary}\nSince ${since(path)}, by ${feature.id} (${printCite(citeOf(feature, path))}).${deprecated}`;
    }
    const entry = layout.get(path);
    return entry && `${entry.why}\nLayout, by ${entry.id} (${printCite(entry.cite)}).`;
  };
  return {
    ofDefinition: (name) => say(name, definitions.get(name)),
    ofField: (definition, field) => {
      const path = propertyPath(definition, field);
      const feature = fields.get(path);
      return feature !== undefined && feature === definitions.get(definition) ? undefined : say(path, feature);
    },
  };
}
