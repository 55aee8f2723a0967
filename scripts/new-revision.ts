// `npm run new-revision -- <protocol> <revision>` writes the changes.yaml of a vendored revision with one TODO row per delta against the newest
// listed revision. It never overwrites a file; the recipe stands in schemas/README.md.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildModel, plainDefinitions } from "../generator/model/build.js";
import { scaffoldChanges } from "../generator/model/scaffold.js";
import { applyErrata, type Erratum, type PlacedErratum } from "../generator/model/errata.js";
import type { MessageUnion } from "../generator/model/methods.js";
import type { Definitions, Revision } from "../generator/model/types.js";
import { printProblems, type Problem } from "../generator/problem.js";
import { readSources } from "../generator/read/sources.js";

const { values, positionals } = parseArgs({ options: { schemas: { type: "string", default: "schemas" } }, allowPositionals: true });
process.exitCode = run(values.schemas, positionals[0], positionals[1]);

function run(schemas: string, protocol: string | undefined, revision: string | undefined): number {
  if (protocol === undefined || revision === undefined) return fail(2, "usage: npm run new-revision -- <protocol> <revision>");
  const folder = join(schemas, protocol, revision);
  const target = join(folder, "changes.yaml");
  if (!existsSync(join(folder, "schema.json")))
    return fail(1, `${folder}: cannot scaffold: no schema.json\n  fix: npm run vendor -- ${protocol} ${revision} <file or URL>`);
  if (existsSync(target)) return fail(1, `${target}: cannot scaffold: the file exists\n  fix: delete it first if it may be lost`);
  const problems: Problem[] = [];
  const sources = readSources(schemas, problems, { unlisted: revision }).find((entry) => entry.name === protocol);
  const model = sources && buildModel(sources, problems);
  if (sources === undefined || model === undefined || problems.length > 0)
    return fail(1, printProblems(problems) || `${schemas}: no protocol is called ${protocol}`);
  const published: unknown = JSON.parse(readFileSync(join(folder, "schema.json"), "utf8"));
  const newest = model.revisions.at(-1) as Revision;
  const errata = stillTrue(sources.errata?.value, newest.id, revision, published);
  const { $defs } = applyErrata(published, revision, errata, problems) as { $defs: Definitions };
  const after = plainDefinitions($defs, (sources.protocol.value as { messages: readonly MessageUnion[] }).messages);
  const before = newest.definitions;
  const text = scaffoldChanges({ model, revision, before, after });
  writeFileSync(target, text);
  const todos = text.split("TODO").length - 1;
  process.stdout.write(`${target}: ${todos} places to fill in, against ${newest.id}\n`);
  for (const erratum of errata)
    process.stdout.write(
      `  ${join(schemas, protocol, "errata.yaml")}: the fault of ${newest.id} at ${erratum.pointer} is still there: repeat the entry for ${revision}\n`,
    );
  process.stdout.write(`  next: list ${revision} in ${join(schemas, protocol, "protocol.yaml")}, fill in the rows, npm run generate\n`);
  return 0;
}

/** The errata of the newest revision whose faults the new schema still has, as entries of the new revision. */
function stillTrue(file: unknown, newest: string, revision: string, published: unknown): PlacedErratum[] {
  const entries = (file as { errata: Erratum[] } | undefined)?.errata ?? [];
  return entries
    .filter((erratum) => erratum.revision === newest)
    .map((erratum) => ({ ...erratum, revision, file: "", line: 1 }))
    .filter((erratum) => {
      const faults: Problem[] = [];
      applyErrata(published, revision, [erratum], faults);
      return faults.length === 0;
    });
}

function fail(code: number, message: string): number {
  process.stderr.write(`${message}\n`);
  return code;
}
