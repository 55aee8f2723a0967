// `npm run size` prints what an application loads for one revision, and how long loading takes in a fresh process, against their bars.
// `-- --write` puts the table into the README, `-- --check` exits 1 where a bar is missed, `-- --sdk DIR` says where zod is installed.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { REVISIONS } from "../generated/mcp/revisions.js";
import { bundle, loadedSize } from "./bundle.js";
import { timeStarts } from "./cold-start.js";
import { replaceBetween } from "./markers.js";
import { missedBars, printMeasures, type Bar, type Measure } from "./measure.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url)).replace(/[/\\]$/, "");
const ROUNDS = 31;
/** Milliseconds by which two empty processes may differ in the median before start times say nothing. */
const MOST_NOISE = 2;
const ONE_REVISION: Bar = { rule: "at most", limit: 15 };
const ALL_REVISIONS: Bar = { rule: "at most", limit: 40 };
const COLD_IMPORT: Bar = { rule: "at most", limit: 10 };
const NOISE = "an empty process over another";
/** What the codecs and the tables say of features, without the core that reads them. */
const TABLES = ["FEATURES", "LOWERINGS", "FILLS", "TRANSPORTS"];

const revisions = REVISIONS.map((entry) => entry.revision);
const codecFile = (revision: string) => `generated/mcp/${revision}/codec.ts`;

/** Measures codec and features of each revision, the core, one whole revision, and all of them. */
async function measureSizes(): Promise<Measure[]> {
  const whole = await bundle(ROOT, 'export * from "./runtime/index.ts";\nexport * from "./runtime/mcp.ts";\n');
  const measures: Measure[] = [];
  for (const revision of revisions) {
    const pure = await bundle(
      ROOT,
      `export * from "./${codecFile(revision)}";\nexport { ${TABLES.join(", ")} } from "./generated/mcp/features.ts";\n`,
    );
    measures.push(kilobytes(`${revision}: codec + features`, loadedSize(pure, [codecFile(revision)]), ONE_REVISION));
  }
  measures.push(kilobytes("core + features + methods, no codec", loadedSize(whole, [])));
  for (const revision of revisions)
    measures.push(kilobytes(`${revision}: everything an application loads`, loadedSize(whole, [codecFile(revision)])));
  measures.push(kilobytes("every revision, without validators", loadedSize(whole, revisions.map(codecFile)), ALL_REVISIONS));
  return measures;
}

function kilobytes(what: string, size: { readonly minified: number; readonly gzipped: number }, bar?: Bar): Measure {
  return {
    what: `${what} (${Math.round(size.minified / 1000)} kB minified)`,
    value: size.gzipped / 1000,
    unit: "kB gzip",
    digits: 1,
    ...(bar === undefined ? {} : { bar }),
  };
}

/** Measures the start of a process that loads the core and one revision's codec, built anew, and of one that imports zod. */
function measureStarts(sdk: string): Measure[] {
  const built = compile();
  try {
    const entry = JSON.stringify(pathToFileURL(join(built, "runtime/mcp.js")).href);
    const programs = new Map(
      revisions.map((revision) => [
        `${revision}: cold import of its codec and the core, over an empty process`,
        `import { tables } from ${entry};\nawait tables.loadCodec(${JSON.stringify(revision)});\n`,
      ]),
    );
    const zod = resolveZod(sdk);
    const beside = "zod alone, for comparison";
    if (zod !== undefined) programs.set(beside, `import ${JSON.stringify(pathToFileURL(zod).href)};\n`);
    programs.set(NOISE, "");
    const times = timeStarts(programs, ROUNDS);
    const noise = times.get(NOISE) ?? Number.NaN;
    const isQuiet = Math.abs(noise) <= MOST_NOISE;
    const value = (what: string): number | string => {
      if (!isQuiet) return `not measured: two empty processes differ by ${noise.toFixed(1)} ms here, so the machine is too busy`;
      return times.get(what) ?? "not measured: npm ci --prefix test/interop";
    };
    return [...programs.keys(), ...(zod === undefined ? [beside] : [])]
      .filter((what) => what !== NOISE)
      .map((what) => ({ what, value: value(what), unit: "ms", digits: 1, ...(what === beside ? {} : { bar: COLD_IMPORT }) }));
  } finally {
    rmSync(built, { recursive: true });
  }
}

/** Compiles what is published into a folder of its own, so that a stale build is never what was measured. */
function compile(): string {
  const folder = mkdtempSync(join(tmpdir(), "size-"));
  const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
  execFileSync(process.execPath, [join(typescript, "bin", "tsc"), "-p", join(ROOT, "tsconfig.build.json"), "--outDir", folder], {
    stdio: "inherit",
  });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  return folder;
}

function resolveZod(sdk: string): string | undefined {
  try {
    return join(dirname(createRequire(join(sdk, "package.json")).resolve("zod/package.json")), "index.js");
  } catch {
    return undefined;
  }
}

const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    check: { type: "boolean", default: false },
    sdk: { type: "string", default: join(ROOT, "test/interop") },
  },
});
const measures = [...(await measureSizes()), ...measureStarts(values.sdk)];
const table = [
  printMeasures(measures),
  "",
  `Bundled from the sources as an application would, 1 kB = 1000 bytes, each module gzipped on its own; start times are medians of ${ROUNDS} interleaved fresh processes. Node ${process.version}.`,
].join("\n");
process.stdout.write(`${table}\n`);
if (values.write) {
  const readme = join(ROOT, "README.md");
  writeFileSync(readme, replaceBetween(readFileSync(readme, "utf8"), "size", table));
}
const missed = missedBars(measures);
if (values.check && missed.length > 0) {
  process.stderr.write(missed.map((line) => `cannot pass ${line}\n`).join(""));
  process.exitCode = 1;
}
