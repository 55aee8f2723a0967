// Our side of an ACP connection, either of the two: a dispatcher answers what comes, and what we ask is asked only where the gates allow it. Takes a
// line and handlers; keeps what the gates read beside capabilities, as an application does.
import { codecFor, dispatcherFor, mayCall, resolve } from "../../runtime/acp.js";
import type { Call, Codec, Dispatcher, DispatchEvent, Handler, Snapshot, Wire } from "../../runtime/index.js";
import { V1 } from "./acp-sdk.js";
import { isObject, valueAt } from "./holds.js";
import type { Line } from "./line.js";

/** Which part a side plays. */
export type Role = "client" | "server";

/** What one side brings. */
export interface SideOptions {
  readonly revision: string;
  readonly role: Role;
  readonly line: Line;
  /** What we say in the handshake: the params of the client, the result of the agent. */
  readonly hello: Wire;
  readonly handlers: Readonly<Record<string, Handler>>;
  /** Gives the gates another snapshot than the honest one: how the tests make sure that a lie is found out. */
  readonly distort?: (honest: Snapshot) => Snapshot;
}

interface Pending {
  readonly method: string;
  readonly params: unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One side of a connection. */
export class Side {
  /** What the dispatcher observed, in order. */
  readonly observed: DispatchEvent[] = [];
  readonly #options: SideOptions;
  readonly #pending = new Map<unknown, Pending>();
  readonly #sessions = new Map<unknown, Wire>();
  readonly #entities = new Map<unknown, unknown>();
  #codec!: Codec;
  #dispatcher!: Dispatcher;
  #initialize: unknown;
  #lastId = 0;

  private constructor(options: SideOptions) {
    this.#options = options;
  }

  /** Opens a side; it answers from now on, and before the handshake as the revision wants it. */
  static async open(options: SideOptions): Promise<Side> {
    const side = new Side(options);
    await side.#meet({});
    let queue = Promise.resolve();
    options.line.listen((message) => {
      const isHello = options.role === "server" && message["method"] === "initialize";
      if (!isHello) return void queue.then(() => side.#hear(message));
      queue = queue.then(async () => {
        await side.#meet(helloOf(options.revision, "client", message["params"]));
        await side.#hear(message);
      });
    });
    return side;
  }

  /** Shakes hands as the client; resolves with what the agent answered. */
  async initialize(): Promise<unknown> {
    const { hello, revision } = this.#options;
    const result = await this.request("initialize", hello);
    await this.#meet(helloOf(revision, "server", result));
    this.#initialize = result;
    return result;
  }

  /** Asks the peer, where the gates allow it; rejects with a `RangeError` where they do not, and with what the peer answered where it is an error. */
  async request(method: string, params: unknown): Promise<unknown> {
    this.#check(method, params);
    return await this.requestUnchecked(method, this.#codec.lower(method, "params", params));
  }

  /** Asks the peer without asking the gates: what an application that has none would do. */
  requestUnchecked(method: string, params: unknown): Promise<unknown> {
    this.#lastId += 1;
    const id = `ask-${this.#lastId}`;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { method, params, resolve, reject });
      this.#options.line.write({ jsonrpc: "2.0", id, method, params });
    });
  }

  /** Tells the peer something, where the gates allow it; throws `RangeError` where they do not. */
  notify(method: string, params: unknown): void {
    this.#check(method, params);
    this.notifyUnchecked(method, this.#codec.lower(method, "params", params));
    this.#learnEntity(params);
  }

  /** Tells the peer something without asking the gates. */
  notifyUnchecked(method: string, params: unknown): void {
    this.#options.line.write({ jsonrpc: "2.0", method, params });
  }

  /** Ends the connection. */
  close(): Promise<void> {
    return this.#options.line.close();
  }

  #check(method: string, params: unknown): void {
    const { revision, role } = this.#options;
    if (!mayCall(revision, method, role, this.#snapshot(method, params), params))
      throw new RangeError(`cannot call ${method}: it was not advertised`);
  }

  async #meet(theirs: unknown): Promise<void> {
    const { revision, role, hello, handlers } = this.#options;
    const ours = helloOf(revision, role, hello);
    const [client, server] = role === "client" ? [ours, theirs] : [theirs, ours];
    this.#codec = await codecFor(revision, resolve({ revision, client, server, transport: "stdio" }));
    this.#dispatcher = await dispatcherFor({
      codec: this.#codec,
      direction: role === "client" ? "serverToClient" : "clientToServer",
      handlers: role === "client" ? handlers : { ...handlers, initialize: (params, call) => this.#answerHello(params, call) },
      snapshot: (method, params) => this.#snapshot(method, params),
      isOpen: () => this.#initialize !== undefined,
      observe: (event) => this.#observe(event),
    });
  }

  async #answerHello(params: unknown, call: Call): Promise<unknown> {
    this.#initialize = await this.#options.handlers["initialize"]?.(params, call);
    return this.#initialize;
  }

  async #hear(message: Wire): Promise<void> {
    if (message["method"] === "session/update") this.#learnEntity(message["params"]);
    const answer = await this.#dispatcher.message(message);
    if (answer === undefined) return;
    this.#learnSession(message["method"], message["params"], (answer as Wire)["result"]);
    this.#options.line.write(answer);
  }

  #observe(event: DispatchEvent): void {
    this.observed.push(event);
    if (event.event !== "response") return;
    const { id, result, error } = event.message;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (pending === undefined) return;
    this.#learnSession(pending.method, pending.params, result);
    if (error === undefined) pending.resolve(this.#codec.lift(pending.method, "result", result));
    else pending.reject(error);
  }

  #snapshot(method: string, params: unknown): Snapshot {
    const { distort } = this.#options;
    const { client, server } = this.#codec.capabilities;
    const entity = valueAt(params, [method === "terminal/cancel" ? "terminalId" : "toolCallId"]);
    const honest: Snapshot = {
      client,
      server,
      initialize: this.#initialize,
      session: this.#sessions.get(valueAt(params, ["sessionId"])),
      entity: this.#entities.get(entity),
    };
    return distort === undefined ? honest : distort(honest);
  }

  /** What a session says that it has holds until it says otherwise. */
  #learnSession(method: unknown, params: unknown, result: unknown): void {
    if (!isObject(result) || !SETUP.has(String(method))) return;
    const session = result["sessionId"] ?? valueAt(params, ["sessionId"]);
    this.#sessions.set(session, { ...this.#sessions.get(session), ...result });
  }

  /** What a tool call or terminal says that it can do holds until an update says otherwise. */
  #learnEntity(params: unknown): void {
    const update = valueAt(params, ["update"]);
    if (!isObject(update) || !("capabilities" in update)) return;
    this.#entities.set(update["toolCallId"] ?? update["terminalId"], update["capabilities"]);
  }
}

const SETUP = new Set(["session/new", "session/load", "session/resume"]);

/** Gives what one side says in a handshake that it can do. */
export function helloOf(revision: string, role: Role, payload: unknown): unknown {
  const named = role === "client" ? "clientCapabilities" : "agentCapabilities";
  return valueAt(payload, [revision === V1 ? named : "capabilities"]) ?? {};
}
