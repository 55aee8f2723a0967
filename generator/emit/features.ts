// Emits features.ts: FEATURES in order of first appearance, the Feature names of their indices, LOWERINGS and FILLS.
import type { Feature, Model } from "../model/types.js";
import { constTable, header, lines, literal, pascalCase, printModule, type Output } from "./output.js";
import { printCite } from "./provenance.js";
import type { Tables } from "./tables.js";

/** Emits the feature tables. */
export function emitFeatures(model: Model, tables: Tables): Output {
  const names = model.features.map(
    (feature) =>
      `  /** ${feature.summary} (${printCite(feature.cite)})${feature.deprecated === undefined ? "" : ` @deprecated since ${feature.deprecated.since}`} */\n  ${pascalCase(feature.id)}: ${feature.index},`,
  );
  const lowerings = tables.lowerings.map(({ feature, lowering }) => ({
    feature: feature.index,
    at: lowering.at,
    loss: lowering.loss,
    degrade: lowering.degrade,
    rewrite: lowering.rewrite,
  }));
  const unknowns = model.unknownMembers.map(({ at, loss, degrade }) => ({ at, loss, degrade }));
  const fills = tables.fills.map((fill) => ({
    feature: fill.feature,
    ...(fill.from === undefined ? { value: fill.value } : { from: fill.from }),
  }));
  const transports = Object.fromEntries(model.transports);
  const text = printModule(
    header(
      `schemas/${model.protocol}/*/changes.yaml`,
      `The ${model.features.length} features of the protocol, in order of first appearance, each with its lifetime, its needs and its cite.`,
    ),
    [
      constTable(
        "FEATURES",
        "Lists the features; a row's index is its name in profiles and codecs.",
        `${lines(model.features.map((feature) => toRow(feature, model)))} as const`,
      ),
      constTable("Feature", "Names the index of each feature.", `{\n${names.join("\n")}\n} as const`),
      `/** The stable public name of a feature. */\nexport type FeatureId = (typeof FEATURES)[number]["id"];`,
      constTable(
        "LOWERINGS",
        "Lists what may be done at a gated place for a peer that lacks the feature; the preferred action first.",
        `${lines(lowerings)} as const`,
      ),
      constTable(
        "UNKNOWN_MEMBERS",
        "Lists what may be done, union by union, with a member whose type no revision knows; the preferred action first.",
        `${lines(unknowns)} as const`,
      ),
      constTable("FILLS", "Lists the values one revision wants at a place where others have none.", `${lines(fills)} as const`),
      constTable("TRANSPORTS", "Gives the feature that says a transport exists.", `${literal(transports)} as const`),
    ],
  );
  return { path: `${model.protocol}/features.ts`, text };
}

function toRow(feature: Feature, model: Model): Record<string, unknown> {
  const isOver = feature.last < model.revisions.length - 1;
  return {
    id: feature.id,
    kind: feature.kind,
    side: feature.side,
    requires: feature.requires,
    transport: feature.transport,
    first: model.revisions[feature.first]?.id,
    last: isOver ? model.revisions[feature.last]?.id : undefined,
    cite: feature.cite,
    removal: feature.removal,
    deprecated: feature.deprecated,
  };
}
