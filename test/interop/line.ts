// A line between the tests and a native peer: lines of JSON text, in memory or over the pipes of a child process. What the tests write reaches
// the peer through the peer's own line reader, and what the peer writes is kept in the order it came.
import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import type { Wire } from "../../runtime/index.js";

/** The side of a connection that an SDK holds: what its releases expect of a transport. */
export interface Transport {
  onmessage?: ((message: unknown, ...rest: readonly unknown[]) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  start(): Promise<void>;
  send(message: unknown, ...rest: readonly unknown[]): Promise<void>;
  close(): Promise<void>;
}

/** The side of a connection that the tests hold. */
export interface Line {
  /** Every message the peer wrote, in order. */
  readonly heard: readonly Wire[];
  /** Takes each message the peer writes from now on; one listener at a time. */
  listen(listener: (message: Wire) => void): void;
  /** Writes one message to the peer. */
  write(message: unknown): void;
  close(): Promise<void>;
}

/** Makes a line in memory; `readLine` is the peer's own reader of one line, and what it cannot read is the peer's error. */
export function memoryLine(readLine: (text: string) => unknown): { readonly line: Line; readonly transport: Transport } {
  const ear = new Ear();
  const transport: Transport = {
    start: () => Promise.resolve(),
    send(message) {
      const text = JSON.stringify(message);
      queueMicrotask(() => ear.take(text));
      return Promise.resolve();
    },
    close() {
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  const line: Line = {
    heard: ear.heard,
    listen: (listener) => ear.listen(listener),
    write(message) {
      const text = JSON.stringify(message);
      queueMicrotask(() => {
        try {
          transport.onmessage?.(readLine(text));
        } catch (error) {
          transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
        }
      });
    },
    close: () => transport.close(),
  };
  return { line, transport };
}

/** Starts a process and makes a line of its pipes; what it says on stderr is shown when it fails. */
export function processLine(command: string, args: readonly string[]): Line {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  const ear = new Ear();
  const complaints: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk.toString()));
  child.stdin.on("error", () => undefined);
  createInterface({ input: child.stdout }).on("line", (text) => ear.take(text));
  return {
    heard: ear.heard,
    listen: (listener) => ear.listen(listener),
    write(message) {
      if (child.exitCode !== null) throw new Error(`cannot write to the peer: it ended with ${child.exitCode}: ${complaints.join("")}`);
      child.stdin.write(`${JSON.stringify(message)}\n`);
    },
    close: () => ended(child),
  };
}

/** Ends a process and waits for its end: not every SDK ends when its input does. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const end = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  child.stdin?.end();
  child.kill();
  await end;
}

/** Keeps what the peer wrote, and passes on what nobody has listened to yet. */
export class Ear {
  /** Every message the peer wrote, in order. */
  readonly heard: Wire[] = [];
  #listener: ((message: Wire) => void) | undefined;
  #passed = 0;

  /** Takes one line of the peer. */
  take(text: string): void {
    this.heard.push(JSON.parse(text) as Wire);
    this.#pass();
  }

  /** Gives each message to a listener, those from before it came too. */
  listen(listener: (message: Wire) => void): void {
    this.#listener = listener;
    this.#pass();
  }

  #pass(): void {
    while (this.#listener !== undefined && this.#passed < this.heard.length) {
      const message = this.heard[this.#passed];
      this.#passed += 1;
      if (message !== undefined) this.#listener(message);
    }
  }
}
