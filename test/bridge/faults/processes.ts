// Runs what is to be put to the test as a process, as its client does; nothing it starts may outlive a test.
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Wire } from "../../../runtime/index.js";

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** The root of the repository. */
export const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** How long anything may take that is to happen soon, in milliseconds; a busy machine needs most of it. */
export const SOON = 20_000;

/** Gives the command of the bridge. */
export function bridge(...args: readonly string[]): Command {
  return [process.execPath, "--import", "tsx", `${ROOT}runtime/cli/main.ts`, "bridge", ...args];
}

/** How a process ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** One process, with everything it wrote. */
export class Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it wrote to stdout, line by line. */
  readonly lines: string[] = [];
  err = "";
  readonly #out: Interface;
  readonly #watchers = new Set<() => void>();
  #isOver = false;

  constructor([program, ...args]: Command, env: NodeJS.ProcessEnv = process.env) {
    const child = spawn(program, args, { cwd: ROOT, env, stdio: ["pipe", "pipe", "pipe"] });
    this.child = child;
    child.stdin.on("error", () => {});
    child.stderr.on("data", (text) => (this.err += String(text)));
    this.#out = createInterface({ input: child.stdout });
    this.#out.on("line", (line) => {
      this.lines.push(line);
      this.#tell();
    });
    this.ended = once(child, "close").then(([code, signal]: readonly unknown[]) => {
      this.#isOver = true;
      this.#tell();
      return { code, signal } as Ended;
    });
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Resolves with what a look at the process gives once it gives something; rejects after so many milliseconds, and once the process is over. */
  until<T>(what: string, look: () => T | undefined, ms = SOON): Promise<T> {
    return new Promise((resolve, reject) => {
      const watch = (): void => {
        let found: T | undefined;
        try {
          found = look();
        } catch (error) {
          fail(error as Error);
          return;
        }
        if (found === undefined && !this.#isOver) return;
        clearTimeout(timer);
        this.#watchers.delete(watch);
        if (found === undefined) reject(new Error(`the process ended before ${what}: ${this.err}`));
        else resolve(found);
      };
      const fail = (error: Error): void => {
        clearTimeout(timer);
        this.#watchers.delete(watch);
        reject(error);
      };
      const timer = setTimeout(() => fail(new Error(`no ${what} within ${ms} ms: ${this.err}`)), ms);
      this.#watchers.add(watch);
      watch();
    });
  }

  /** Gives the address it prints once it serves. */
  url(): Promise<string> {
    return this.until("address", () => this.lines.map((line) => /^listening (\S+)$/.exec(line)?.[1]).find((url) => url !== undefined));
  }

  /** Writes a line to it. */
  write(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  /** Reads nothing of what it writes from now on, or goes on reading. */
  read(isWanted: boolean): void {
    if (isWanted) this.#out.resume();
    else this.#out.pause();
  }

  /** Resolves with how it ended; rejects where it does not within so many milliseconds. */
  async end(ms = SOON): Promise<Ended> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`the process does not end within ${ms} ms: ${this.err}`)), ms);
    });
    return Promise.race([this.ended, late]).finally(() => clearTimeout(timer));
  }

  /** MiB of memory it holds; NaN where the system does not say. */
  get memory(): number {
    return Number(spawnSync("ps", ["-o", "rss=", "-p", String(this.child.pid)], { encoding: "utf8" }).stdout) / 1024;
  }
}

/** A client on the pipes of a process. */
export class PipeClient extends Running {
  #last = 0;

  /** The messages it was sent. */
  get messages(): readonly Wire[] {
    return this.lines.map((line) => JSON.parse(line) as Wire);
  }

  /** Sends a message. */
  send(message: Wire): void {
    this.write(JSON.stringify(message));
  }

  /** Resolves with what answers an id. */
  answerTo(id: unknown, ms?: number): Promise<Wire> {
    let seen = 0;
    return this.until(
      `answer to ${JSON.stringify(id)}`,
      () => {
        for (; seen < this.lines.length; seen += 1) {
          const message = JSON.parse(this.lines[seen] ?? "") as Wire;
          if (message["id"] === id && message["method"] === undefined) return message;
        }
        return undefined;
      },
      ms,
    );
  }

  /** Asks, and resolves with the answer. */
  async ask(method: string, params: Wire, ms?: number): Promise<Wire> {
    this.#last += 1;
    const id = this.#last;
    this.send({ jsonrpc: "2.0", id, method, params });
    return this.answerTo(id, ms);
  }

  /** Shakes hands; gives the answer. */
  async open(ms?: number): Promise<Wire> {
    const answer = await this.ask("initialize", INITIALIZE, ms);
    if (answer["result"] !== undefined) this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer;
  }

  /** Calls a tool. */
  call(name: string, given: Wire = {}, ms?: number): Promise<Wire> {
    return this.ask("tools/call", { name, arguments: given }, ms);
  }

  /** Says that nothing more comes; resolves with how the process ended. */
  leave(ms?: number): Promise<Ended> {
    this.child.stdin?.end();
    return this.end(ms);
  }
}

/** The params of `initialize`. */
export const INITIALIZE: Wire = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "faults", version: "1" } };

/** Gives the text of a call's answer; undefined where it is an error. */
export function textOf(answer: Wire): string | undefined {
  const result = answer["result"] as { readonly content?: readonly { readonly text?: string }[] } | undefined;
  return result?.content?.[0]?.text;
}

/** Gives the error of an answer as code and message. */
export function errorIn(answer: Wire): { readonly code: number; readonly message: string } {
  const { code = 0, message = "" } = (answer["error"] ?? {}) as { readonly code?: number; readonly message?: string };
  return { code, message };
}

/** Lists the processes whose command line holds a mark. */
export function marked(mark: string): readonly string[] {
  const { stdout } = spawnSync("ps", ["-eo", "pid=,stat=,args="], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  return stdout.split("\n").filter((line) => line.includes(mark) && !/^\s*\d+\s+Z/.test(line));
}

/** Resolves once no process holds a mark; rejects with those that do. */
export async function nobodyLeft(mark: string, ms = 5_000): Promise<void> {
  const end = Date.now() + ms;
  for (let left = marked(mark); left.length > 0; left = marked(mark)) {
    if (Date.now() > end) throw new Error(`left behind: ${left.join("\n")}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
