// Starts the programs the tests talk to: scripts of this repository that print `listening URL` once they serve.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { within } from "../interop/settle.js";

/** The root of the repository, where every program is started. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** How long a program may take until it serves, in milliseconds. */
const START_LIMIT = 30_000;

/** A command and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** A program that serves. */
export interface Program {
  /** Where it serves. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Gives the command that runs a TypeScript file, by its path from the root. */
export function script(path: string, ...args: readonly string[]): Command {
  return [process.execPath, "--import", "tsx", path, ...args];
}

/** Gives the command that runs the fixture server with its options; see fixture/main.ts. */
export function fixture(era: "legacy" | "modern", ...options: readonly string[]): Command {
  return script("test/conformance/fixture/main.ts", "--era", era, ...options);
}

/** Gives the command that runs a driver client; see driver/main.ts. */
export function driver(client: "legacy" | "modern"): Command {
  return script("test/conformance/driver/main.ts", "--client", client);
}

/** Starts a program and waits until it serves; rejects with what it wrote to its standard error where it does not. */
export async function start([program, ...args]: Command): Promise<Program> {
  const child = spawn(program, args, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const errors: string[] = [];
  child.stderr.on("data", (chunk) => errors.push(String(chunk)));
  const url = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const [, found] = /^listening (\S+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`cannot start ${args.join(" ")}: it ended with ${code}: ${errors.join("")}`)));
  });
  try {
    return { url: await within(START_LIMIT, args.join(" "), url), stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

/** Starts a program, gives its URL to a function, and stops it whatever comes of that. */
export async function serving<T>(command: Command, use: (url: string) => Promise<T>): Promise<T> {
  const program = await start(command);
  try {
    return await use(program.url);
  } finally {
    await program.stop();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill();
  await ended;
}
