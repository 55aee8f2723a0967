// The protocol's model as the generator builds it from schemas/, once for the tests that need to know what the rows and schemas say.
import { fileURLToPath } from "node:url";
import { buildModel } from "../generator/model/build.js";
import type { Model } from "../generator/model/types.js";
import { printProblems, type Problem } from "../generator/problem.js";
import { readSources } from "../generator/read/sources.js";

/** Builds the model of one protocol; a problem in the data is an error here. */
export function loadModel(protocol: string): Model {
  const problems: Problem[] = [];
  const sources = readSources(fileURLToPath(new URL("../schemas", import.meta.url)), problems).find((entry) => entry.name === protocol);
  const model = sources && buildModel(sources, problems);
  if (model === undefined || problems.length > 0) throw new Error(`cannot load the model of ${protocol}:\n${printProblems(problems)}`);
  return model;
}
