// Stands where a client would: writes what polyrev lowers for a native server and collects what the server says, answers and requests alike.
import { liftEnvelope, lowerEnvelope, type Codec, type Wire } from "../../runtime/index.js";
import { CapabilitySet, codecFor, resolve } from "../../runtime/mcp.js";
import { clientCapabilities } from "./judge.js";
import type { Line } from "./line.js";
import { PEER_INFO, type Peer } from "./peers.js";
import { within } from "./settle.js";

/** Answers a request of the server: gives the canonical result. */
export type Reply = (method: string, params: unknown) => unknown;

/** A message of a server, and the method it answers where it is an answer. */
export interface Heard {
  readonly message: Wire;
  readonly answers: string | undefined;
}

/** Calls one server over one line. */
export class Caller {
  /** Everything the server said, in order. */
  readonly heard: Heard[] = [];
  readonly #line: Line;
  readonly #peer: Peer;
  readonly #waiting = new Map<unknown, { readonly method: string; readonly resolve: (message: Wire) => void }>();
  readonly #reply: Reply;
  #codec: Codec;
  #ids = 0;

  private constructor(peer: Peer, line: Line, codec: Codec, reply: Reply) {
    this.#peer = peer;
    this.#line = line;
    this.#codec = codec;
    this.#reply = reply;
    line.listen((message) => this.#take(message));
  }

  /** Meets a server: shakes hands where its revision does, asks what it can do where not. */
  static async meet(peer: Peer, line: Line, reply: Reply = () => ({})): Promise<Caller> {
    const client = clientCapabilities(peer.revision);
    const hop = { clientCapabilities: client, clientInfo: PEER_INFO };
    const full = CapabilitySet.allFor(peer.revision).withClient(client).resolve(peer.revision, "stdio");
    const caller = new Caller(peer, line, await codecFor(peer.revision, full, hop), reply);
    const answer = peer.era === "modern" ? await caller.call("server/discover", {}) : await caller.#shakeHands(client);
    const { capabilities } = answer["result"] as Wire;
    const profile = resolve({ revision: peer.revision, client, server: capabilities, transport: "stdio" });
    caller.#codec = await codecFor(peer.revision, profile, hop);
    return caller;
  }

  /** Sends a canonical request, lowered for the server; gives the message that answers it. */
  call(method: string, params: Wire): Promise<Wire> {
    this.#ids += 1;
    const id = this.#ids;
    const wire = { jsonrpc: "2.0", id, method, params };
    const answer = new Promise<Wire>((resolve) => this.#waiting.set(id, { method, resolve }));
    this.#line.write(lowerEnvelope(this.#codec, { kind: "request", id, method, params, wire }));
    return within(20_000, `${this.#peer.alias} to answer ${method}`, answer);
  }

  async #shakeHands(capabilities: Wire): Promise<Wire> {
    const answer = await this.call("initialize", { protocolVersion: this.#peer.revision, capabilities, clientInfo: PEER_INFO });
    this.#line.write({ jsonrpc: "2.0", method: "notifications/initialized" });
    return answer;
  }

  #take(message: Wire): void {
    const { id, method } = message;
    const waiting = method === undefined ? this.#waiting.get(id) : undefined;
    this.heard.push({ message, answers: waiting?.method });
    waiting?.resolve(message);
    if (typeof method !== "string" || id === undefined) return;
    const request = liftEnvelope(this.#codec, message);
    if (request.kind !== "request") return;
    const result = this.#reply(method, request.params);
    const wire = { jsonrpc: "2.0", id, result };
    this.#line.write(lowerEnvelope(this.#codec, { kind: "result", id: request.id, method, result, wire }));
  }
}
