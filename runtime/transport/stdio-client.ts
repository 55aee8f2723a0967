// Talks to a server that runs as a child process, one message a line. All requests share the one channel: an answer is found by its id, everything else
// that comes waits to be taken. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio

import { basename } from "node:path";
import type { Readable } from "node:stream";
import { Close, Unreachable, type Connector, type Peer, type SendOptions, type TransportName } from "../bridge/peer.js";
import type { Wire } from "../protocol.js";
import { shown, type Observe } from "./events.js";
import { Exchange } from "./exchange.js";
import { MAX_DEPTH, stringifyMessage } from "./json.js";
import { LineSplitter, MAX_LINE_BYTES, messageLines } from "./lines.js";
import { Outbox, OutboxError } from "./outbox.js";
import { within } from "../waiting.js";
import { printExit, Spawned, SpawnError, type Command, type Exit } from "./spawned.js";

/** What to run, and how long to be patient with it. */
export interface StdioOptions extends Command {
  /** Names the server in messages; the command's last part where it is not given. */
  readonly name?: string | undefined;
  /** Takes what the server writes beside its messages, line by line. */
  readonly onStderr?: ((line: string) => void) | undefined;
  readonly observe?: Observe | undefined;
  /** The longest line that is read, in bytes: 64 MiB. */
  readonly maxLineBytes?: number | undefined;
  /** How many bytes may wait for the server to read them: 64 MiB. */
  readonly maxQueuedBytes?: number | undefined;
  /** How long a message waits for those before it: 60 seconds. */
  readonly writeMs?: number | undefined;
  /** How long `close` waits for answers in flight: a second. */
  readonly drainMs?: number | undefined;
  /** How long `close` waits for the server to end by itself once its input has ended: two seconds. */
  readonly exitMs?: number | undefined;
  /** How long each signal gets to end it after that: two seconds. */
  readonly killMs?: number | undefined;
}

/** The longest line of a server's side notes that is passed on whole. */
const MAX_NOTE_BYTES = 64 * 1024;
/** How many of its last side notes an error shows. */
const LAST_NOTES = 5;
/** How long the pipes of a process that has ended are read, and how long one that has closed its output may take to end. */
const SETTLE_MS = 500;
/** A value of a variable shorter than this is no secret worth hiding, and would hide ordinary words. */
const SECRET_LENGTH = 8;

/** Makes a connector that runs a server as a child process: every connection is a new one. */
export function stdioConnector(options: StdioOptions): Connector {
  const name = options.name ?? basename(options.command);
  return {
    name,
    transports: ["stdio"],
    spawns: true,
    async connect(transport: TransportName): Promise<Peer> {
      if (transport !== "stdio") throw new Unreachable(name, `it speaks stdio, not ${transport}`, { delivered: "no" });
      try {
        return new StdioPeer(await Spawned.start(options), name, options);
      } catch (cause) {
        const reason = cause instanceof SpawnError ? cause.message : "it cannot be started";
        throw new Unreachable(name, reason, { delivered: "no", cause });
      }
    },
  };
}

/** Stands for a pipe that broke with a message in it. */
const BROKEN = new OutboxError("it takes no more input", { hasLeft: true, isBroken: true });

function endOf(stream: Readable): Promise<void> {
  return stream.closed ? Promise.resolve() : new Promise((resolve) => stream.once("close", () => resolve()));
}

class StdioPeer implements Peer {
  readonly transport = "stdio";
  readonly closed: Promise<Error>;
  readonly #options: StdioOptions;
  readonly #process: Spawned;
  readonly #exchange: Exchange;
  readonly #outbox: Outbox;
  readonly #notes: string[] = [];
  #closing: Promise<void> | undefined;

  constructor(process: Spawned, name: string, options: StdioOptions) {
    this.#options = options;
    this.#process = process;
    this.#exchange = new Exchange(name, options.observe ?? (() => {}));
    this.closed = this.#exchange.closed;
    const { maxQueuedBytes = MAX_LINE_BYTES, writeMs = 60_000 } = options;
    this.#outbox = new Outbox(process.stdin, { maxQueuedBytes, writeMs });
    this.#readMessages();
    this.#readNotes();
    void this.#watch();
  }

  async send(request: Wire, options: SendOptions = {}): Promise<Wire> {
    const call = this.#exchange.begin(request, options.signal);
    if (call.outcome === undefined) {
      // A request that waits to be written is withdrawn when its call ends; one in a pipe that breaks has the end of the process for a reason, if there is one.
      const onLost = (): void => void this.#unwritten(BROKEN).then((error) => call.reject(error));
      try {
        const written = this.#outbox.write(stringifyMessage(request), { signal: options.signal, onLost });
        void written.then(
          () => {
            call.hasLeft = true;
          },
          async (error: unknown) => call.reject(await this.#unwritten(error)),
        );
      } catch (error) {
        call.reject(await this.#unwritten(error));
      }
    }
    return call.answer;
  }

  async notify(message: Wire): Promise<void> {
    if (this.#exchange.refusal !== undefined) throw this.#exchange.refusal;
    this.#exchange.noted();
    try {
      await this.#outbox.write(stringifyMessage(message));
    } catch (error) {
      throw await this.#unwritten(error);
    }
  }

  takePending(): readonly Wire[] {
    return this.#exchange.pending.take();
  }

  waitPending(): Promise<void> {
    return this.#exchange.pending.wait();
  }

  /** Does nothing: the one channel is open. */
  async listen(): Promise<void> {}

  /** Does nothing: no message names the revision here. */
  agree(): void {}

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { drainMs = 1000, exitMs = 2000, killMs = 2000 } = this.#options;
    this.#exchange.refuse("the conversation was closed");
    await this.#exchange.idle(drainMs);
    await this.#outbox.end(drainMs);
    await this.#process.exitWithin(exitMs);
    this.#exchange.end(new Close("the conversation was closed"));
    await this.#process.terminate(killMs);
  }

  #readMessages(): void {
    const observe = this.#options.observe ?? (() => {});
    const { maxLineBytes = MAX_LINE_BYTES } = this.#options;
    const lines = messageLines(
      {
        onMessage: (message, bytes) => this.#exchange.accept(message, bytes),
        onNoise: (line) => observe({ event: "noise", text: shown(line) }),
        onDropped: ({ because, bytes }, { kind, id }) => {
          const reason = {
            "too-long": `its answer has ${bytes} bytes, more than the ${maxLineBytes} allowed`,
            "too-deep": `its answer is nested deeper than ${MAX_DEPTH} levels`,
            "not-utf8": "its answer is not UTF-8",
          }[because];
          const failed = this.#exchange.dropped(kind === "response" ? id : undefined, reason);
          observe({ event: "dropped", because, bytes, id: failed });
        },
      },
      maxLineBytes,
    );
    this.#process.stdout.on("data", (chunk: Buffer) => lines.push(chunk));
    this.#process.stdout.once("end", () => lines.end());
  }

  #readNotes(): void {
    const take = (line: string): void => {
      // What went wrong stands above or below the lines of a stack trace, and these would push it out.
      if (!/^\s+at /.test(line)) this.#notes.push(line);
      if (this.#notes.length > LAST_NOTES) this.#notes.shift();
      this.#options.onStderr?.(line);
    };
    const lines = new LineSplitter({ onLine: take, onDropped: ({ head }) => take(`${head}…`) }, MAX_NOTE_BYTES);
    this.#process.stderr.on("data", (chunk: Buffer) => lines.push(chunk));
    this.#process.stderr.once("end", () => lines.end());
  }

  /** Waits for the end of the process or of its output, whichever comes first, and ends the conversation. */
  async #watch(): Promise<void> {
    const { stdout, stderr, exited } = this.#process;
    await Promise.race([endOf(stdout), exited, this.closed]);
    // What it wrote before its end is read; a child of its own may hold the pipes open for ever.
    await this.#process.exitWithin(SETTLE_MS);
    const closes = [stdout, stderr].map(endOf);
    await within(Promise.all(closes), SETTLE_MS);
    const exit = await this.#process.exitWithin(0);
    if (this.#closing !== undefined) return;
    this.#outbox.fail("it has ended");
    this.#exchange.end(this.#exchange.unreachable(this.#lastWords(exit)));
    await this.#process.terminate(this.#options.killMs ?? 2000);
  }

  #lastWords(exit: Exit | undefined): string {
    const reason = exit === undefined ? "it has closed its output" : printExit(exit);
    if (this.#notes.length === 0) return reason;
    const secrets = Object.values(this.#options.env ?? {}).filter((value) => value.length >= SECRET_LENGTH);
    const notes = this.#notes.map((note) => shown(secrets.reduce((text, secret) => text.replaceAll(secret, "…"), note)));
    return `${reason}; it last wrote: ${notes.join(" | ")}`;
  }

  /** Says why a message was not written; waits a little for the end of the process, which says more than a broken pipe. */
  async #unwritten(error: unknown): Promise<Unreachable> {
    if (!(error instanceof OutboxError)) {
      return this.#exchange.unreachable("the message cannot be written as JSON", { delivered: "no", cause: error });
    }
    const delivered = error.hasLeft ? "maybe" : "no";
    if (error.isBroken) await within(this.closed, 3 * SETTLE_MS);
    return this.#exchange.unreachable(this.#exchange.refusal?.reason ?? error.message, { delivered, cause: error.cause });
  }
}
