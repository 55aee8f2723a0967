// A peer in memory that keeps the text of what it was sent, so that tests look at the wire and not at objects. Each request is answered by a script.
import type { Wire } from "../../runtime/index.js";
import { Unreachable, type Peer, type SendOptions, type TransportName } from "../../runtime/bridge/peer.js";
import { parseMessage, stringifyMessage } from "../../runtime/transport/json.js";

/** What the server of a wire peer does with a request: gives its result, or throws the error member that answers it. */
export type Script = (request: Wire, room: ServerRoom) => unknown;

/** What a script can do besides answering. */
export interface ServerRoom {
  /** Sends a frame on the stream of the request. */
  readonly send: (frame: Wire) => void;
  readonly signal: SendOptions["signal"];
}

/** An error member that a script answers with. */
export class Refuse {
  readonly error: Wire;

  constructor(code: number, message: string, data?: unknown) {
    this.error = { code, message, ...(data === undefined ? {} : { data }) };
  }
}

/** A peer that a test scripts and looks into. */
export class WirePeer implements Peer {
  readonly transport: TransportName;
  /** The text of every message that was sent to it. */
  readonly lines: string[] = [];
  readonly headers: (Readonly<Record<string, string>> | undefined)[] = [];
  agreed: string | undefined;
  listens = 0;
  isClosed = false;
  readonly closed: Promise<Error>;
  readonly #script: Script;
  readonly #pending: Wire[] = [];
  #wake: () => void = () => undefined;
  #over: (error: Error) => void = () => undefined;
  #reason: Unreachable | undefined;
  readonly #inFlight = new Set<(error: Unreachable) => void>();

  constructor(script: Script, transport: TransportName = "stdio") {
    this.#script = script;
    this.transport = transport;
    this.closed = new Promise((resolve) => (this.#over = resolve));
  }

  /** The messages that were sent to it, parsed. */
  get messages(): readonly Wire[] {
    return this.lines.map((line) => parseMessage(line) as Wire);
  }

  async send(request: Wire, options: SendOptions = {}): Promise<Wire> {
    const { signal, headers, onFrame } = options;
    const message = this.#write(request, headers);
    const { id } = message;
    const send = (frame: Wire): void => {
      const sent = JSON.parse(JSON.stringify(frame)) as Wire;
      if (this.transport === "streamable-http" && onFrame !== undefined) onFrame(sent);
      else this.push(sent);
    };
    const ended = new Promise<never>((_, reject) => {
      const stop = (): void => reject(new Unreachable("the test server", "the call was given up"));
      if (signal?.aborted === true) stop();
      signal?.addEventListener("abort", stop, { once: true });
      this.#inFlight.add(reject);
    });
    const answered = (async () => {
      try {
        const result = await this.#script(message, { send, signal });
        return parseMessage(stringifyMessage({ jsonrpc: "2.0", id, result: result ?? {} })) as Wire;
      } catch (error) {
        if (!(error instanceof Refuse)) throw error;
        return { jsonrpc: "2.0", id, error: error.error };
      }
    })();
    return Promise.race([answered, ended]);
  }

  async notify(message: Wire, options: Pick<SendOptions, "headers"> = {}): Promise<void> {
    this.#write(message, options.headers);
  }

  #write(message: Wire, headers: SendOptions["headers"]): Wire {
    if (this.#reason !== undefined) throw this.#reason;
    const line = stringifyMessage(message);
    this.lines.push(line);
    this.headers.push(headers);
    return parseMessage(line) as Wire;
  }

  /** Has the server send a frame nobody asked for. */
  push(frame: Wire): void {
    this.#pending.push(frame);
    this.#wake();
  }

  takePending(): readonly Wire[] {
    return this.#pending.splice(0);
  }

  async waitPending(): Promise<void> {
    if (this.#pending.length > 0 || this.#reason !== undefined) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  async listen(): Promise<void> {
    this.listens += 1;
  }

  agree(revision: string): void {
    this.agreed = revision;
  }

  /** Has the server go away in the middle of things. */
  die(reason = "exited with code 1", fault: ConstructorParameters<typeof Unreachable>[2] = {}): void {
    this.#reason = new Unreachable("the test server", reason, fault);
    for (const reject of this.#inFlight) reject(this.#reason);
    this.#wake();
    this.#over(this.#reason);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.die("closed");
  }
}
