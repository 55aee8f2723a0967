// Emits errors.ts: the error codes each revision gives a name, and how each is recognised and taken to a revision without it.
import { errorsInOrder, type ErrorOfRow } from "../model/errors.js";
import { livesAt } from "../model/lifetime.js";
import type { Model } from "../model/types.js";
import { constTable, header, lines, literal, printModule, propertyKey, type Output } from "./output.js";
import type { Tables } from "./tables.js";

/** Emits the error code tables. */
export function emitErrors(model: Model, tables: Tables): Output {
  const codes = model.revisions.map((revision) => {
    const named = model.features
      .filter((feature) => livesAt(feature, revision.index))
      .flatMap((feature) => feature.errors.map((error) => [error.name, error.code] as const));
    return `  ${propertyKey(revision.id)}: ${literal(Object.fromEntries(named))},`;
  });
  const text = printModule(header(`schemas/${model.protocol}/*/changes.yaml`, "The JSON-RPC error codes of each revision by name."), [
    constTable("ERROR_CODES", "Gives the code of each named error at each revision.", `{\n${codes.join("\n")}\n} as const`),
    constTable(
      "ERRORS",
      "Lists the named errors, each with what tells it from others of its code; of those that fit an answer the first says most.",
      `${lines(errorsInOrder(model.features).map((entry) => toRow(entry, tables)))} as const`,
    ),
  ]);
  return { path: `${model.protocol}/errors.ts`, text };
}

function toRow({ feature, error }: ErrorOfRow, tables: Tables): Record<string, unknown> {
  const { name, code, methods, data, elsewhere } = error;
  const lowering = feature.lowerings.find((entry) => entry.at === elsewhere?.lowering);
  return {
    name,
    code,
    feature: feature.index,
    methods,
    data: data && Object.entries(data).map(([key, source]) => ({ key, param: source === "any" ? undefined : source.split(".").slice(1) })),
    elsewhere: lowering === undefined ? elsewhere : { lowering: tables.loweringIndex(feature, lowering) },
  };
}
