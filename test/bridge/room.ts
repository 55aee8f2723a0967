// A bridge between a client the test plays and a server it scripts, in memory; everything both sides are sent is kept as text.
import { randomUUID } from "node:crypto";
import type { BridgeEvent } from "../../runtime/bridge/events.js";
import { DEFAULT_CHOICES, DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type BridgeOptions } from "../../runtime/bridge/options.js";
import { Unreachable, type Connector, type Conversation, type Peer, type Sink, type TransportName } from "../../runtime/bridge/peer.js";
import { BridgeService } from "../../runtime/bridge/service.js";
import { DegradePolicy } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/index.js";
import { parseMessage, stringifyMessage } from "../../runtime/transport/json.js";
import { Refuse, WirePeer, type Script } from "./wire-peer.js";

/** Options of a bridge that a test changes some of. */
export function optionsWith(changes: Partial<BridgeOptions> = {}): BridgeOptions {
  return {
    policy: DegradePolicy.balanced(),
    identity: { name: "polyrev", version: "0.0.0" },
    observe: () => undefined,
    timeouts: { ...DEFAULT_TIMEOUTS, probe: 200, handshake: 500, acknowledge: 300 },
    limits: DEFAULT_LIMITS,
    choices: DEFAULT_CHOICES,
    now: () => performance.now(),
    random: () => 0.5,
    mint: () => randomUUID(),
    ...changes,
  };
}

/** A connector whose connections are scripted. */
export class ScriptedConnector implements Connector {
  readonly name = "the test server";
  readonly transports: readonly TransportName[];
  readonly spawns: boolean;
  readonly peers: WirePeer[] = [];
  readonly #script: Script | undefined;

  /** Without a script nothing can be connected to. */
  constructor(script: Script | undefined, transport: TransportName = "stdio") {
    this.#script = script;
    this.transports = [transport];
    this.spawns = transport === "stdio";
  }

  async connect(transport: TransportName): Promise<Peer> {
    if (this.#script === undefined) throw new Unreachable(this.name, "connection refused", { delivered: "no" });
    const peer = new WirePeer(this.#script, transport);
    this.peers.push(peer);
    return peer;
  }

  /** The connection that is in use. */
  get peer(): WirePeer {
    return this.peers.at(-1) ?? fail("nothing was connected");
  }
}

/** What the bridge wrote for the client, and where: on the stream of a request, or beside all of them. */
export interface Written {
  readonly frame: Wire;
  readonly on: "request" | "side";
}

/** Answers a question of the server: gives the result, throws `Refuse` for an error; undefined leaves it without an answer. */
export type Answers = (question: Wire) => unknown;

/** A client that a test plays. */
export class PlayedClient {
  readonly written: Written[] = [];
  /** The text of everything it was sent, answers included. */
  readonly lines: string[] = [];
  readonly conversation: Conversation;
  answers: Answers = () => undefined;
  hasSide: boolean;
  ended: string | undefined;
  #id = 0;

  constructor(service: BridgeService, transport: TransportName = "stdio", kind: "session" | "pipe" = "session") {
    this.hasSide = transport !== "streamable-http";
    this.conversation = service[kind]({
      transport,
      push: (frame) => this.hasSide && this.#take(frame, "side"),
      end: (reason) => (this.ended = reason),
    });
  }

  #take(frame: Wire, on: Written["on"]): true {
    const line = stringifyMessage(frame);
    this.lines.push(line);
    const read = parseMessage(line) as Wire;
    this.written.push({ frame: read, on });
    if (read["id"] !== undefined && read["method"] !== undefined) void this.#answer(read);
    return true;
  }

  async #answer(question: Wire): Promise<void> {
    const { id } = question;
    try {
      const result = await this.answers(question);
      if (result !== undefined) await this.send({ jsonrpc: "2.0", id, result });
    } catch (error) {
      if (!(error instanceof Refuse)) throw error;
      await this.send({ jsonrpc: "2.0", id, error: error.error });
    }
  }

  /** Hands over a message as it is. */
  async send(message: unknown, canStream = true): Promise<unknown> {
    const sink: Sink = { canStream, write: (frame) => void this.#take(frame, "request") };
    const text = stringifyMessage(message);
    const reply = await this.conversation.receive(parseMessage(text), { sink });
    if (reply === undefined) return undefined;
    const line = stringifyMessage(reply);
    this.lines.push(line);
    return JSON.parse(line);
  }

  /** Sends a request; gives the response. */
  async call(method: string, params?: unknown, beside: object = {}): Promise<Wire> {
    this.#id += 1;
    return (await this.send({ jsonrpc: "2.0", id: this.#id, method, ...(params === undefined ? {} : { params }), ...beside })) as Wire;
  }

  async notify(method: string, params?: unknown): Promise<void> {
    await this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  /** Shakes hands; gives the response to `initialize`. */
  async open(revision: string, capabilities: unknown = {}): Promise<Wire> {
    const answer = await this.call("initialize", { protocolVersion: revision, capabilities, clientInfo: { name: "played", version: "1" } });
    if (answer["result"] !== undefined) await this.notify("notifications/initialized");
    return answer;
  }

  /** The frames it was sent of one method. */
  framesOf(method: string): readonly Wire[] {
    return this.written.map(({ frame }) => frame).filter((frame) => frame["method"] === method);
  }
}

/** A bridge, its scripted server and what it told. */
export interface Room {
  readonly service: BridgeService;
  readonly connector: ScriptedConnector;
  readonly events: BridgeEvent[];
}

/** Makes a bridge to a scripted server. */
export function roomWith(script: Script | undefined, transport: TransportName = "stdio", changes: Partial<BridgeOptions> = {}): Room {
  const connector = new ScriptedConnector(script, transport);
  const events: BridgeEvent[] = [];
  const service = new BridgeService(connector, optionsWith({ observe: (event) => events.push(event), ...changes }));
  return { service, connector, events };
}

/** Resolves once something holds; fails with what it was waiting for. */
export async function until(what: string, holds: () => boolean, milliseconds = 2_000): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!holds()) {
    if (performance.now() > end) fail(`waited ${milliseconds} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function fail(message: string): never {
  throw new Error(message);
}
