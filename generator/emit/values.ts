// Emits values.ts: the constants each revision names of its open strings, and the order of its ordered ones.
import type { Model } from "../model/types.js";
import { valuesAt } from "../model/values.js";
import { findNode, parsePath } from "../model/path.js";
import { constTable, header, literal, printModule, propertyKey, type Output } from "./output.js";

/** Emits the value table. */
export function emitValues(model: Model): Output {
  const places = [...new Set(model.values.flatMap((entry) => entry.at))];
  const tables = model.revisions.map((revision) => {
    const here = places.filter((text) => {
      const path = parsePath(text);
      return path !== undefined && findNode(path, revision.canonical) !== undefined;
    });
    const entries = here.flatMap((text) => {
      const named = valuesAt(model, text, revision.index);
      return named === undefined ? [] : [[text, named.values] as const];
    });
    return `  ${propertyKey(revision.id)}: ${literal(Object.fromEntries(entries))},`;
  });
  const text = printModule(
    header(
      `schemas/${model.protocol}/*/changes.yaml`,
      "The constants each revision names where its schema file lists none, or lists them in no order.",
    ),
    [
      constTable(
        "VALUES",
        "Lists the named values of each place in order; of an open string any other may come as well.",
        `{\n${tables.join("\n")}\n} as const`,
      ),
    ],
  );
  return { path: `${model.protocol}/values.ts`, text };
}
