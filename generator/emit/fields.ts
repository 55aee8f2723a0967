// Emits fields.ts: for each definition of the canonical form, which revisions name each of its fields, and the feature that gates it. For readers
// that want to know what is the protocol's and what a peer's own; codecs never load it.
import { buildGating } from "../model/gating.js";
import { propertyPath } from "../model/path.js";
import { own, shape, refTo } from "../model/schema.js";
import type { Model } from "../model/types.js";
import { constTable, header, literal, printModule, propertyKey, type Output } from "./output.js";

/** Emits the table of fields. */
export function emitFields(model: Model): Output {
  const gating = buildGating(model.features);
  const newest = model.revisions.length - 1;
  const entries = Object.keys(model.ir).flatMap((name) => {
    const properties = shape(refTo(name), model.ir).properties ?? {};
    const fields = Object.keys(properties).map((key) => {
      const named = model.revisions.map((revision) => own(shape(refTo(name), revision.canonical).properties, key) !== undefined);
      const mask = named.reduce((sum, isNamed, index) => sum + (isNamed ? 2 ** index : 0), 0);
      const feature = gating.gateAt(propertyPath(name, key), newest);
      return [key, feature === undefined ? [mask] : [mask, feature.index]] as const;
    });
    return fields.length === 0 ? [] : [`  ${propertyKey(name)}: ${literal(Object.fromEntries(fields))},`];
  });
  const text = printModule(header(`schemas/${model.protocol}`, "The fields of each definition: who names them, and what gates them."), [
    constTable(
      "FIELDS",
      "Gives, for each field of a definition, the revisions that name it, the oldest in the lowest bit, and the index of the feature that gates it.",
      `{\n${entries.join("\n")}\n}`,
      "Readonly<Record<string, Readonly<Record<string, readonly [revisions: number, feature?: number]>>>>",
    ),
  ]);
  return { path: `${model.protocol}/fields.ts`, text };
}
