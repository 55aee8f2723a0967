// Judges the error of a response by the schema of its revision: it belongs to no method, so no generated validator is its own.
import { readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";

/** Gives what judges the error of a response at a revision; throws where the revision defines none. */
export function errorValidator(revision: string): ValidateFunction {
  const file = new URL(`../../schemas/acp/${revision}/schema.json`, import.meta.url);
  const ajv = new Ajv({ strict: false, allowUnionTypes: true, validateFormats: false });
  const { $defs } = JSON.parse(readFileSync(file, "utf8")) as { readonly $defs: object };
  ajv.addSchema({ $id: "acp", $defs });
  const validate = ajv.getSchema("acp#/$defs/Error");
  if (validate === undefined) throw new Error(`cannot judge errors: ${revision} defines none`);
  return validate as ValidateFunction;
}
