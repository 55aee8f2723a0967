// Emits every generated file of one protocol from its model. Pure: text in memory only.
import type { Model } from "../model/types.js";
import { emitChanges } from "./changes.js";
import { emitCodec } from "./codec.js";
import { emitCodecs } from "./codecs.js";
import { emitEnvelope } from "./envelope.js";
import { emitErrors } from "./errors.js";
import { emitFields } from "./fields.js";
import { emitFeatureMatrix } from "./feature-matrix.js";
import { emitFeatures } from "./features.js";
import { emitIr } from "./ir.js";
import { emitMethods } from "./methods.js";
import type { Output, Templates } from "./output.js";
import { emitRevisions } from "./revisions.js";
import { numberTables } from "./tables.js";
import { emitTolerances } from "./tolerances.js";
import { emitTypes } from "./types.js";
import { emitValidators } from "./validators.js";
import { emitValues } from "./values.js";
import { emitWalk } from "./walk.js";

/** Emits all files of a protocol, sorted by path. */
export async function emitProtocol(model: Model, templates: Templates): Promise<Output[]> {
  const tables = numberTables(model);
  const outputs: Output[] = [
    emitRevisions(model),
    emitFeatures(model, tables),
    emitMethods(model),
    emitErrors(model, tables),
    emitEnvelope(model),
    emitChanges(model),
    emitFields(model),
    emitCodecs(model),
    emitValues(model),
    emitTolerances(model),
    emitWalk(model, templates),
    emitFeatureMatrix(model, templates),
    await emitIr(model),
  ];
  for (const revision of model.revisions) {
    outputs.push(await emitTypes(model, revision), emitCodec(model, revision, tables, templates), ...emitValidators(model, revision));
  }
  return outputs.sort((a, b) => (a.path < b.path ? -1 : 1));
}
