// Emits changes.ts: what each revision changed in its schema, delta by delta, with the row that accounts for it and its cite; and what each
// feature is and gates. For tools that explain and compare revisions; codecs never load it.
import type { Model } from "../model/types.js";
import { constTable, header, lines, printModule, propertyKey, type Output } from "./output.js";

/** Emits the change tables. */
export function emitChanges(model: Model): Output {
  const pairs = model.accounting.map((pair) => {
    const rows = pair.entries.map(({ delta, account, by, cite }) => ({ kind: delta.kind, path: delta.path, account, by, cite }));
    return `  ${propertyKey(pair.to)}: ${lines(rows).replaceAll("\n", "\n  ")},`;
  });
  const gates = model.features.map(({ id, summary, gates: { methods, definitions, fields, members, changes }, note, errors }) => ({
    feature: id,
    summary,
    methods,
    paths: [...new Set([...definitions, ...fields, ...members, ...changes])],
    ...(errors.length === 0 ? {} : { errors: errors.map(({ name, code }) => ({ name, code })) }),
    ...(note === undefined ? {} : { note }),
  }));
  const count = model.accounting.reduce((sum, pair) => sum + pair.deltas.length, 0);
  const text = printModule(
    header(`schemas/${model.protocol}`, `The ${count} structural changes between consecutive revisions, each with what accounts for it.`),
    [
      constTable(
        "CHANGES",
        "Lists what each revision changed against the one before it; paths carry the names of that revision.",
        `{\n${pairs.join("\n")}\n} as const`,
      ),
      constTable(
        "GATES",
        "Lists what each feature is, and the methods and paths it gates, in the newest names.",
        `${lines(gates)} as const`,
      ),
    ],
  );
  return { path: `${model.protocol}/changes.ts`, text };
}
