// Emits methods.ts: per revision every method with its direction, kind, params and result definitions, the feature that gates it, and the gate.
import type { Model, Revision } from "../model/types.js";
import { paramsNode } from "../model/methods.js";
import { refName } from "../model/schema.js";
import { constTable, header, lines, printModule, propertyKey, type Output } from "./output.js";

/** Emits the method tables. */
export function emitMethods(model: Model): Output {
  const tables = model.revisions.map(
    (revision) => `  ${propertyKey(revision.id)}: ${lines(methodRows(revision)).replaceAll("\n", "\n  ")},`,
  );
  const gates = model.methodGates.map(
    (rows, index) => `  ${propertyKey(model.revisions[index]?.id ?? "")}: ${lines(rows).replaceAll("\n", "\n  ")},`,
  );
  const count = new Set(model.revisions.flatMap((revision) => revision.methods.map((method) => method.name))).size;
  const text = printModule(
    header(`schemas/${model.protocol}`, `The ${count} methods of the protocol, by revision; \`feature\` is an index into FEATURES.`),
    [
      constTable("METHODS", "Lists the methods of each revision by name.", `{\n${tables.join("\n")}\n} as const`),
      constTable(
        "METHOD_GATES",
        "Lists what each revision asks before a method is served, one row for each direction and method.",
        `{\n${gates.join("\n")}\n} as const`,
      ),
      `/** Names a method of any revision. */\nexport type Method = (typeof METHODS)[keyof typeof METHODS][number]["method"];`,
      `/** Names a method of one revision. */\nexport type MethodOf<R extends keyof typeof METHODS> = (typeof METHODS)[R][number]["method"];`,
    ],
  );
  return { path: `${model.protocol}/methods.ts`, text };
}

function methodRows(revision: Revision): Record<string, unknown>[] {
  return revision.methods.map((method) => {
    const node = paramsNode(method, revision.definitions);
    return {
      method: method.name,
      kind: method.kind,
      directions: method.directions,
      carrier: method.carrier,
      params: (node && refName(node)) ?? `${method.definition}.params`,
      paramsRequired: method.paramsRequired,
      results: method.kind === "request" ? method.results : undefined,
      feature: method.feature,
    };
  });
}
