// Looks up and checks named values: the constants a place may hold where the schema file does not say, or does not say in which order. Pure.
import type { Problem } from "../problem.js";
import { findNode, parsePath } from "./path.js";
import { constants, shape } from "./schema.js";
import type { Model, NamedValues } from "./types.js";

/** Finds the named values of a place at a revision: the newest entry up to it. */
export function valuesAt(model: Pick<Model, "values">, path: string, revision: number): NamedValues | undefined {
  return model.values.filter((entry) => entry.revision <= revision && entry.at.includes(path)).at(-1);
}

/** Checks that values are named of strings, and that where the schema lists constants the same ones are named. */
export function checkValues(model: Model, problems: Problem[]): void {
  for (const entry of model.values) {
    const revision = model.revisions[entry.revision];
    for (const text of entry.at) {
      const path = parsePath(text);
      const node = path && revision && findNode(path, revision.canonical);
      const schema = node && shape(node, revision.canonical);
      if (schema?.type !== "string") {
        problems.push({
          ...entry.place(text),
          rule: "values",
          message: `${text} is no string at ${revision?.id}, so no values can be named of it`,
          fix: "correct the path (names and paths: schemas/README.md)",
        });
        continue;
      }
      const listed = constants(schema);
      if (listed === undefined || (listed.length === entry.values.length && entry.values.every((value) => listed.includes(value))))
        continue;
      problems.push({
        ...entry.place(text),
        rule: "values",
        message: `${text} may be ${listed.join(", ")} at ${revision?.id}, not ${entry.values.join(", ")}`,
        fix: "name the values the schema lists, in their order",
      });
    }
  }
}
