// `npm run test:mutants` breaks a copy of the bridge on purpose, one fault of scripts/mutants/table.ts at a time, and runs the tests that should
// notice. Exits 1 where one does not, or where a fault does not fit the code any longer; writes what came of it into test/mutants.md.
// `-- --only TEXT` plants only the faults that say so, and writes nothing.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { replaceBetween } from "./markers.js";
import { MUTANTS, type Mutant } from "./mutants/table.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const DOCUMENT = "test/mutants.md";

/** What came of one fault; `by` is the first test that noticed. */
interface Outcome {
  readonly mutant: Mutant;
  readonly by: string | undefined;
  readonly milliseconds: number;
}

/** Gives the code with the fault in it; throws where the text to replace does not stand there once. */
export function planted({ file, fault, find, replace }: Mutant, code: string): string {
  const parts = code.split(find);
  if (parts.length === 2) return parts.join(replace);
  throw new Error(
    `cannot plant "${fault}": what it replaces stands ${parts.length - 1} times in runtime/${file}, and has to stand there once`,
  );
}

/** Writes the outcomes as a table. */
export function printOutcomes(outcomes: readonly Outcome[]): string {
  const killed = outcomes.filter(({ by }) => by !== undefined).length;
  const kinds = (["proxy", "attack"] as const).map((kind) => `${outcomes.filter(({ mutant }) => mutant.kind === kind).length} ${kind}`);
  const rows = outcomes.map(
    ({ mutant, by }) => `| ${mutant.kind} | ${mutant.fault} | \`${mutant.file}\` | ${by?.replaceAll("|", "\\|") ?? "**nobody**"} |`,
  );
  return [
    `${killed} of ${outcomes.length} faults are noticed (${kinds.join(", ")}).`,
    "",
    "| kind | fault | in | noticed by |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}

/** Makes a copy of the files of the repository, as they are now, in which tests run. */
function copyOfTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "polyrev-mutants-"));
  const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], { cwd: ROOT, encoding: "utf8" });
  for (const path of listed.split("\0")) if (path !== "") cpSync(join(ROOT, path), join(copy, path));
  symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
  return copy;
}

/** Runs tests; gives the name of the first that failed, undefined where all passed. Throws where they do not run. */
function firstFailure(copy: string, tests: readonly string[]): string | undefined {
  const output = join(copy, "outcome.json");
  rmSync(output, { force: true });
  const files = tests.map((test) => `test/${test}.test.ts`);
  const vitest = join(copy, "node_modules/vitest/vitest.mjs");
  const options = ["--bail", "1", "--testTimeout", "20000", "--experimental.fsModuleCache", "--reporter=json", `--outputFile=${output}`];
  const ran = spawnSync(process.execPath, [vitest, "run", ...files, ...options], { cwd: copy, encoding: "utf8", timeout: 300_000 });
  const { testResults } = JSON.parse(readFileSync(output, "utf8")) as {
    testResults: { name: string; message: string; assertionResults: { status: string; fullName: string }[] }[];
  };
  for (const { assertionResults } of testResults) {
    const failed = assertionResults.find(({ status }) => status === "failed");
    if (failed !== undefined) return failed.fullName.trim();
  }
  if (ran.status === 0) return undefined;
  throw new Error(`cannot run ${files.join(", ")}: ${testResults.map(({ message }) => message).join("\n")}${ran.stderr}`);
}

function plantAll(mutants: readonly Mutant[], copy: string): Outcome[] {
  const unbroken = firstFailure(copy, [...new Set(mutants.flatMap(({ tests }) => tests))]);
  if (unbroken !== undefined) throw new Error(`cannot tell what a fault breaks: without one, "${unbroken}" fails`);
  return mutants.map((mutant) => {
    const path = join(copy, "runtime", mutant.file);
    const whole = readFileSync(path, "utf8");
    const started = performance.now();
    try {
      writeFileSync(path, planted(mutant, whole));
      const by = firstFailure(copy, mutant.tests);
      const milliseconds = performance.now() - started;
      process.stdout.write(
        `${by === undefined ? "SURVIVED" : "noticed "} ${Math.round(milliseconds)} ms  ${mutant.fault}${by === undefined ? "" : `: ${by}`}\n`,
      );
      return { mutant, by, milliseconds };
    } finally {
      writeFileSync(path, whole);
    }
  });
}

function main(): void {
  const { values } = parseArgs({ options: { only: { type: "string" } } });
  const { only } = values;
  const chosen = only === undefined ? MUTANTS : MUTANTS.filter(({ fault }) => fault.includes(only));
  for (const mutant of chosen) planted(mutant, readFileSync(join(ROOT, "runtime", mutant.file), "utf8"));
  const copy = copyOfTree();
  try {
    const outcomes = plantAll(chosen, copy);
    if (only === undefined) {
      const document = join(ROOT, DOCUMENT);
      writeFileSync(document, replaceBetween(readFileSync(document, "utf8"), "mutants", printOutcomes(outcomes)));
    }
    const survivors = outcomes.filter(({ by }) => by === undefined);
    process.stdout.write(`${outcomes.length - survivors.length} of ${outcomes.length} noticed\n`);
    if (survivors.length > 0) process.exitCode = 1;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
