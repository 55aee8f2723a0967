// Answers a native client with lowered samples over the pipes of this process: `answerer-process.ts <revision> <preset>`.
import { createInterface } from "node:readline";
import type { Preset, Wire } from "../../runtime/index.js";
import { Answerer, sampleAnswers } from "./answerer.js";
import { policyOf } from "./judge.js";

const [revision = "", preset = ""] = process.argv.slice(2);
const answerer = await Answerer.create(revision, policyOf(preset as Preset), sampleAnswers);
createInterface({ input: process.stdin }).on("line", (text) => {
  const answer = answerer.answer(JSON.parse(text) as Wire);
  if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
});
