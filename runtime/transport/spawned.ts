// Runs a command as a child process with pipes, in a process group of its own, and ends it with everything it started. Gives streams and one end; knows
// nothing of messages.

import { existsSync } from "node:fs";
import { constants } from "node:os";
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import spawn from "cross-spawn";
import { delay, within } from "../waiting.js";

/** What to run. */
export interface Command {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Variables for the process, beside the few every process needs. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
}

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Says why a command could not be run; the message names it and the fix. */
export class SpawnError extends Error {
  constructor(reason: string, cause: unknown) {
    super(reason, { cause });
    this.name = "SpawnError";
  }
}

const IS_WINDOWS = process.platform === "win32";

/** Names the variables a process gets of ours: what programs need to start, and nothing that is likely to be secret. */
const PASSED_ON = (
  IS_WINDOWS
    ? `APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES
       PROGRAMFILES(X86) SYSTEMDRIVE SYSTEMROOT TEMP TMP USERNAME USERPROFILE WINDIR`
    : "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL TERM TMPDIR TZ USER"
).split(/\s+/);

/** Gives the variables a process gets: the few it needs of `own`, and what is given for it. */
export function minimalEnvironment(own: NodeJS.ProcessEnv, given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = own[name];
    // A value that starts so is a shell function.
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return { ...environment, ...given };
}

/** A process that runs. */
export class Spawned {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly pid: number;
  /** Resolves once the process has ended; its pipes may be open still. */
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, pid: number) {
    const { stdin, stdout, stderr } = child;
    if (stdin === null || stdout === null || stderr === null) throw new SpawnError("it has no pipes", undefined);
    this.#child = child;
    this.pid = pid;
    [this.stdin, this.stdout, this.stderr] = [stdin, stdout, stderr];
    this.exited = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
    for (const stream of [stdin, stdout, stderr]) stream.on("error", () => {});
  }

  /** Starts a command; rejects with `SpawnError`. */
  static start(options: Command): Promise<Spawned> {
    return new Promise((resolve, reject) => {
      let child: ChildProcess;
      try {
        child = spawn(options.command, [...(options.args ?? [])], {
          env: minimalEnvironment(process.env, options.env),
          cwd: options.cwd,
          stdio: ["pipe", "pipe", "pipe"],
          // A group of its own, so that what it starts ends with it.
          detached: !IS_WINDOWS,
          windowsHide: true,
        });
      } catch (cause) {
        reject(spawnError(options, cause));
        return;
      }
      child.on("error", (cause) => reject(spawnError(options, cause)));
      child.once("spawn", () => {
        try {
          resolve(new Spawned(child, child.pid ?? 0));
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  /** Resolves with how the process ended, or undefined where it has not within so many milliseconds. */
  exitWithin(ms: number): Promise<Exit | undefined> {
    return within(this.exited, ms);
  }

  /** Sends a signal to the process and everything in its group; false where there is nobody left. */
  kill(signal: NodeJS.Signals | 0): boolean {
    try {
      if (IS_WINDOWS) return this.#child.kill(signal);
      return process.kill(-this.pid, signal);
    } catch {
      return false;
    }
  }

  /** Ends the process and its group, first asking, then not; each step waits so many milliseconds. Lets go of the pipes. */
  async terminate(ms: number): Promise<void> {
    if (this.kill("SIGTERM") && !(await this.#isGoneWithin(ms)) && this.kill("SIGKILL")) await this.exitWithin(ms);
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream.destroy();
    this.#child.unref();
  }

  #hasOrphans(): boolean {
    return !IS_WINDOWS && this.kill(0);
  }

  async #isGoneWithin(ms: number): Promise<boolean> {
    const until = Date.now() + ms;
    if ((await this.exitWithin(ms)) === undefined) return false;
    // What the process started may outlive it.
    while (this.#hasOrphans()) {
      if (Date.now() >= until) return false;
      await delay(10);
    }
    return true;
  }
}

/** Says how a process ended, in words. */
export function printExit({ code, signal }: Exit): string {
  return signal === null ? `it exited with code ${code}` : `it was ended by ${signal} (${constants.signals[signal]})`;
}

function spawnError({ command, cwd }: Command, cause: unknown): SpawnError {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : undefined;
  const name = JSON.stringify(command);
  if (cwd !== undefined && !existsSync(cwd))
    return new SpawnError(`there is no folder ${JSON.stringify(cwd)} to run it in: create it`, cause);
  if (code === "ENOENT") return new SpawnError(`there is no command ${name}: install it, or give its full path`, cause);
  if (code === "EACCES") return new SpawnError(`the command ${name} may not be run: make it executable`, cause);
  return new SpawnError(`the command ${name} cannot be started (${code ?? "no code"})`, cause);
}
