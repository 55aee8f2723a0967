// Emits <revision>/types.ts: the wire types of one revision, exactly its schema's definitions, each with its provenance.
import type { Model, Revision } from "../model/types.js";
import { valuesAt } from "../model/values.js";
import { compileDeclarations } from "./declarations.js";
import { header, type Output } from "./output.js";
import { buildProvenance } from "./provenance.js";

/** Emits the wire types of one revision. */
export async function emitTypes(model: Model, revision: Revision): Promise<Output> {
  const later = model.renames.filter((rename) => rename.revision > revision.index);
  const text = await compileDeclarations({
    definitions: revision.definitions,
    canonicalName: (name) => later.reduce((current, rename) => (rename.from.includes(current) ? rename.to : current), name),
    provenance: buildProvenance(model, revision.index),
    valuesAt: (path) => valuesAt(model, path, revision.index)?.values,
  });
  const opening = header(
    `schemas/${model.protocol}/${revision.id}/schema.json`,
    `The ${Object.keys(revision.definitions).length} definitions of revision ${revision.id} as TypeScript types.`,
  );
  return { path: `${model.protocol}/${revision.id}/types.ts`, text: `${opening}\n${text}` };
}
