// Emits feature-matrix.md: rows × revisions, per transport where it matters, with side, capability, loss and cite. The golden a reviewer reads.
import Handlebars from "handlebars";
import { isTransportAt } from "../model/gating.js";
import type { Feature, Model } from "../model/types.js";
import type { Output, Templates } from "./output.js";
import { printCite } from "./provenance.js";

/** Emits the matrix. */
export function emitFeatureMatrix(model: Model, templates: Templates): Output {
  const render = Handlebars.compile(templates["feature-matrix"], { noEscape: true, strict: true });
  const revisions = model.revisions.map((revision) => revision.id);
  const rows = model.features.map((feature) => ({
    id: feature.id,
    cells: model.revisions.map((revision) => matrixCell(feature, revision.index, model)),
    side: feature.side,
    capability: printRequirement(feature),
    loss: worstLoss(feature),
    cite: [
      printCite(feature.cite),
      ...(feature.removal === undefined ? [] : [`removed ${printCite(feature.removal)}`]),
      ...(feature.deprecated === undefined ? [] : [`deprecated ${printCite(feature.deprecated.cite)}`]),
    ].join("; "),
  }));
  const totals = model.revisions.map((_, index) => `${rows.filter((row) => row.cells[index] !== "–").length}`);
  const lowerings = model.features.flatMap((feature) =>
    feature.lowerings.map(({ at, loss, degrade }) => ({
      at: at.replace("|", "\\|"),
      feature: feature.id,
      loss,
      actions: degrade.join(", "),
    })),
  );
  const text = render({ lowerings, title: model.title, source: `schemas/${model.protocol}`, revisions, rows, totals, count: rows.length });
  return { path: `${model.protocol}/feature-matrix.md`, text };
}

/**
 * Prints one cell: `–` where no peer can have the feature, `yes` where every peer at its fullest has it, the transports where only some
 * carry it, and `†` beside it where the revision already deprecates it.
 */
export function matrixCell(feature: Feature, revision: number, model: Model): string {
  if (revision < feature.first || revision > feature.last) return "–";
  const transports = [...model.transports.keys()].filter((transport) => isTransportAt(transport, revision, model));
  const carrying = feature.transport === undefined ? transports : transports.filter((transport) => transport === feature.transport);
  if (carrying.length === 0) return "–";
  const since = model.revisions.findIndex((entry) => entry.id === feature.deprecated?.since);
  const mark = since !== -1 && since <= revision ? " †" : "";
  return (carrying.length === transports.length ? "yes" : carrying.join(" ")) + mark;
}

function printRequirement(feature: Feature): string {
  const { requires } = feature;
  if (requires === undefined) return "";
  const flags = (["client", "server"] as const)
    .filter((side) => requires[side] !== undefined)
    .map((side) => `${side} \`${requires[side]}\``);
  return flags.join(requires.match === "any" ? " or " : " and ") + (requires.since === undefined ? "" : ` (since ${requires.since})`);
}

function worstLoss(feature: Feature): string {
  const losses = feature.lowerings.map((lowering) => lowering.loss);
  return losses.includes("content") ? "content" : losses.includes("advisory") ? "advisory" : losses.length > 0 ? "none" : "";
}
