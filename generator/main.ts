// `npm run generate` reads schemas/, builds and checks the model, emits, and writes generated/; `-- --check` only says what differs.
// The only file that knows the order of the rooms.
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { join } from "node:path";
import { emitProtocol } from "./emit/emit.js";
import type { Output } from "./emit/output.js";
import { buildModel } from "./model/build.js";
import { livesAt } from "./model/lifetime.js";
import type { Model } from "./model/types.js";
import { printProblems, type Problem } from "./problem.js";
import { readSources } from "./read/sources.js";
import { readTemplates } from "./read/templates.js";
import { syncFiles } from "./write/sync.js";

/** What one run came to. */
export interface Run {
  readonly problems: readonly Problem[];
  readonly models: readonly Model[];
  readonly outputs: readonly Output[];
}

/** Reads and compiles everything below `schemas` without writing; with problems there are no outputs. */
export async function compileAll(schemas: string, templates: string): Promise<Run> {
  const problems: Problem[] = [];
  const models = readSources(schemas, problems).map((sources) => buildModel(sources, problems));
  if (problems.length > 0) return { problems, models, outputs: [] };
  const loaded = readTemplates(templates);
  const outputs: Output[] = [];
  for (const model of models) outputs.push(...(await emitProtocol(model, loaded)));
  return { problems, models, outputs };
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      check: { type: "boolean", default: false },
      schemas: { type: "string", default: "schemas" },
      generated: { type: "string", default: "generated" },
    },
  });
  const started = performance.now();
  const run = await compileAll(values.schemas, fileURLToPath(new URL("./emit", import.meta.url)));
  if (run.problems.length > 0) {
    process.stderr.write(
      `${printProblems(run.problems)}\n${run.problems.length === 1 ? "1 problem" : `${run.problems.length} problems`}; nothing was written\n`,
    );
    return 1;
  }
  const report = syncFiles(values.generated, run.outputs, values.check);
  for (const model of run.models) process.stdout.write(summary(model));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `${report.written.length} files ${values.check ? "differ" : "written"}, ${report.unchanged.length} unchanged, ${report.orphans.length} orphans${values.check ? "" : " deleted"}; ${seconds} s\n`,
  );
  if (!values.check || report.written.length + report.orphans.length === 0) return 0;
  const stale = [...report.written, ...report.orphans].map((path) => join(values.generated, path));
  process.stderr.write(`${stale.map((path) => `${path}: not what the sources give`).join("\n")}\n  fix: npm run generate\n`);
  return 1;
}

function summary(model: Model): string {
  const lines = model.revisions.map((revision, index) => {
    const on = model.features.filter((feature) => livesAt(feature, index)).length;
    const pair = model.accounting[index - 1];
    const deltas = pair === undefined ? "baseline" : `${pair.deltas.length} deltas from ${pair.from}: ${printAccounts(pair.byAccount)}`;
    return `  ${revision.id}  ${Object.keys(revision.definitions).length} definitions  ${revision.methods.length} methods  ${on} features on, ${model.features.length - on} off  ${deltas}`;
  });
  return `${model.protocol}: ${model.features.length} features, ${model.layout.length} layout entries, ${model.renames.length} renames, ${model.fills.length} fills\n${lines.join("\n")}\n`;
}

function printAccounts(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  return parts.map(([account, count]) => `${count} by ${account}`).join(", ");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main();
