// Holds parsed files against their closed JSON Schemas; every fault becomes a problem with the file, the line and the fix.
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import type { Problem } from "../problem.js";
import type { Parsed } from "./text-file.js";

/** Compiles a closed grammar once. */
export function compileGrammar(schema: object): ValidateFunction {
  return new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true }).compile(schema);
}

/** Checks a parsed file against its grammar and reports whether it holds. */
export function checkGrammar(parsed: Parsed, grammar: ValidateFunction, grammarFile: string, problems: Problem[]): boolean {
  if (grammar(parsed.value)) return true;
  for (const error of leafErrors(grammar.errors ?? [])) {
    const path = error.instancePath.split("/").slice(1).map(toSegment);
    const extra = error.params["additionalProperty"] as string | undefined;
    problems.push({
      file: parsed.file,
      line: parsed.lineOf(extra === undefined ? path : [...path, extra]),
      rule: "grammar",
      message: describe(error, path),
      fix: `see ${grammarFile}${error.schemaPath.replace(/\/[^/]+$/, "")}`,
    });
  }
  return false;
}

/** Reports every place a scaffold left to be filled in, and whether there is any. */
export function reportTodos(parsed: Parsed, problems: Problem[]): boolean {
  const places = todosIn(parsed.value, []);
  for (const path of places) {
    const fix = `write what belongs there, as ${parsed.file.replace(/[^/]+$/, "")} and schemas/README.md say`;
    problems.push({ file: parsed.file, line: parsed.lineOf(path), rule: "todo", message: `${path.join(".")} is still TODO`, fix });
  }
  return places.length > 0;
}

function todosIn(value: unknown, path: readonly (string | number)[]): (string | number)[][] {
  if (value === "TODO") return [[...path]];
  if (Array.isArray(value)) return value.flatMap((item, index) => todosIn(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => todosIn(item, [...path, key]));
}

/** An anyOf or oneOf failure repeats its branches' failures; the branches say more. */
function leafErrors(errors: readonly ErrorObject[]): ErrorObject[] {
  const leaves = errors.filter((error) => !["anyOf", "oneOf", "if", "not"].includes(error.keyword));
  return leaves.length > 0 ? leaves : [...errors];
}

function describe(error: ErrorObject, path: readonly (string | number)[]): string {
  const where = path.length === 0 ? "the file" : path.join(".");
  if (error.keyword === "additionalProperties") return `unknown key "${String(error.params["additionalProperty"])}" in ${where}`;
  if (error.keyword === "enum")
    return `${where} must be one of ${JSON.stringify(error.params["allowedValues"])}, found ${JSON.stringify(error.data)}`;
  if (error.keyword === "type" && /(^|\.)(revision|asOf|since|first|last)$/.test(where)) {
    return `${where} must be a quoted string, found ${JSON.stringify(error.data)}`;
  }
  return `${where} ${error.message ?? "is not allowed"}`;
}

function toSegment(text: string): string | number {
  const segment = text.replaceAll("~1", "/").replaceAll("~0", "~");
  return /^\d+$/.test(segment) ? Number(segment) : segment;
}
