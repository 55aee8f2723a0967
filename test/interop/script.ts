// How the tests start a TypeScript file of this folder as a process of its own.
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Gives the command and the arguments that run a script of this folder. */
export function scriptCommand(script: string, ...args: readonly string[]): [command: string, args: readonly string[]] {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return [process.execPath, ["--import", loader, fileURLToPath(new URL(script, import.meta.url)), ...args]];
}
