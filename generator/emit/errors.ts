// Emits errors.ts: the error codes each revision gives a name, from the rows that introduce them.
import type { Model } from "../model/types.js";
import { constTable, header, literal, printModule, propertyKey, type Output } from "./output.js";

/** Emits the error code table. */
export function emitErrors(model: Model): Output {
  const tables = model.revisions.map((revision) => {
    const codes = model.features
      .filter((feature) => feature.first <= revision.index && revision.index <= feature.last)
      .flatMap((feature) => feature.errors.map((error) => [error.name, error.code] as const));
    return `  ${propertyKey(revision.id)}: ${literal(Object.fromEntries(codes))},`;
  });
  const text = printModule(header(`schemas/${model.protocol}/*/changes.yaml`, "The JSON-RPC error codes of each revision by name."), [
    constTable("ERROR_CODES", "Gives the code of each named error at each revision.", `{\n${tables.join("\n")}\n} as const`),
  ]);
  return { path: `${model.protocol}/errors.ts`, text };
}
