// Runs the official conformance suite against a server or a client and reads back what it found, scenario by scenario. What to think of it is
// judge.ts's affair.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ROOT, type Command } from "./program.js";

/** One thing the suite looked at. */
export interface Check {
  readonly id: string;
  readonly status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  readonly errorMessage?: string;
}

/** A scenario and everything the suite looked at in it. */
export interface Scenario {
  readonly name: string;
  readonly checks: readonly Check[];
}

/** What to run against a server. */
export interface ServerRun {
  readonly url: string;
  /** The revision whose scenarios are run, and the wire they are run on. */
  readonly revision: string;
  /** The revision the suite's client offers in its handshake, where it is not the newest that has one. */
  readonly pin?: string | undefined;
  /** One scenario; without it, all of the revision. */
  readonly scenario?: string | undefined;
}

/** What to run against a client. */
export interface ClientRun {
  /** The client; the suite starts it with the URL of its mock server as last argument. No argument may hold a space. */
  readonly command: Command;
  readonly scenario: string;
  readonly revision: string;
  /** What a driver client talks to the mock server through; `{url}` in it stands for the mock's URL. See driver/main.ts. */
  readonly through?: Command | undefined;
}

/** How long one run of the suite may take, in milliseconds. */
const LIMIT = 120_000;

const SUITE = join(dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json")), "dist/index.js");
const LOADER = pathToFileURL(fileURLToPath(new URL("./node20.mjs", import.meta.url))).href;

/** Runs scenarios against a server; gives them in the order of their names. */
export async function runServer({ url, revision, pin, scenario }: ServerRun): Promise<readonly Scenario[]> {
  const which = scenario === undefined ? ["--suite", "all"] : ["--scenario", scenario];
  const { scenarios } = await runSuite(
    ["server", "--url", url, ...which, "--spec-version", revision],
    pin === undefined ? {} : { MCP_PIN: pin },
  );
  return scenarios;
}

/** Runs one scenario against a client. */
export async function runClient({ command, scenario, revision, through }: ClientRun): Promise<Scenario> {
  const args = ["client", "--command", command.join(" "), "--scenario", scenario, "--spec-version", revision];
  const { scenarios, code, output } = await runSuite(args, through === undefined ? {} : { DRIVER_THROUGH: JSON.stringify(through) });
  const [found] = scenarios;
  if (found === undefined || scenarios.length > 1)
    throw new Error(`cannot run ${scenario}: it left ${scenarios.length} results: ${output}`);
  // The suite fails a client that ends with an error whatever its checks say, and says so nowhere else.
  const unsaid = code !== 0 && !found.checks.some(({ status }) => status === "FAILURE" || status === "WARNING");
  return unsaid ? { ...found, checks: [...found.checks, { id: "client-ends-well", status: "FAILURE", errorMessage: output }] } : found;
}

interface Outcome {
  readonly scenarios: readonly Scenario[];
  readonly code: number | null;
  readonly output: string;
}

async function runSuite(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "polyrev-conformance-"));
  try {
    const { code, output } = await runNode(["--import", LOADER, SUITE, ...args, "-o", folder], env);
    const scenarios = await readScenarios(folder);
    if (scenarios.length === 0) throw new Error(`cannot run the suite with ${args.join(" ")}: it ended with ${code}: ${output}`);
    return { scenarios, code, output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runNode(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Pick<Outcome, "code" | "output">> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
      timeout: LIMIT,
    });
    const written: string[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => written.push(String(chunk)));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output: written.join("") }));
  });
}

/** Reads what the suite leaves: a folder a scenario, named after its mode, its name and the time. */
async function readScenarios(folder: string): Promise<readonly Scenario[]> {
  const entries = (await readdir(folder)).sort();
  return Promise.all(
    entries.map(async (entry) => {
      const file = join(folder, entry, "checks.json");
      const name = entry.replace(/^server-/, "").replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, "");
      return { name, checks: existsSync(file) ? (JSON.parse(await readFile(file, "utf8")) as Check[]) : [] };
    }),
  );
}
