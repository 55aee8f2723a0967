// Keeps every frame on both hops of a bridge, and says what is wrong with them: not valid at the hop's revision, or in the words of the other era.
import type { Connector, Conversation, Link, Peer as BridgePeer, Reply, Service, Sink, Visit } from "../../runtime/bridge/peer.js";
import { HOP_KEYS } from "../../runtime/bridge/meta.js";
import type { Wire } from "../../runtime/index.js";
import { parseMessage, stringifyMessage } from "../../runtime/transport/json.js";
import { isObject } from "./holds.js";
import type { Transport } from "./line.js";
import type { Peer } from "./peers.js";
import { validatorsOf } from "./validity.js";

/** Who wrote a frame. */
export type Side = "client" | "server";

/** One of the two hops. */
export type HopName = "downstream" | "upstream";

/** One frame, and the method it answers where it is an answer. */
export interface Tapped {
  readonly hop: HopName;
  readonly from: Side;
  readonly frame: Wire;
  readonly answers: string | undefined;
}

/** Keeps frames in the order they went by. */
export class Tap {
  readonly frames: Tapped[] = [];
  readonly #asked = new Map<string, string>();

  /** Keeps a frame, or those of a batch, as it stands on the wire. */
  note(hop: HopName, from: Side, message: unknown): void {
    const read = parseMessage(stringifyMessage(message)) as Wire | readonly Wire[];
    for (const frame of Array.isArray(read) ? (read as readonly Wire[]) : [read as Wire]) this.#note(hop, from, frame);
  }

  #note(hop: HopName, from: Side, frame: Wire): void {
    const { id, method } = frame;
    if (typeof method === "string") {
      if (id !== undefined) this.#asked.set(keyOf(hop, from, id), method);
      this.frames.push({ hop, from, frame, answers: undefined });
    } else {
      const asker = from === "client" ? "server" : "client";
      this.frames.push({ hop, from, frame, answers: this.#asked.get(keyOf(hop, asker, id)) });
    }
  }
}

function keyOf(hop: HopName, from: Side, id: unknown): string {
  return `${hop} ${from} ${JSON.stringify(id)}`;
}

/** Gives the service with a tap on what clients send and are sent. */
export function tapService(service: Service, tap: Tap): Service {
  const sent = (frame: unknown): void => tap.note("downstream", "server", frame);
  const sinkOf = (sink: Sink): Sink => ({
    get canStream() {
      return sink.canStream;
    },
    write(frame) {
      sent(frame);
      return sink.write(frame);
    },
  });
  const visitOf = (visit: Visit): Visit => ({ ...visit, sink: sinkOf(visit.sink) });
  const linkOf = (link: Link): Link => ({
    transport: link.transport,
    principal: link.principal,
    push(frame) {
      const isSent = link.push(frame);
      if (isSent) sent(frame);
      return isSent;
    },
    end: (reason) => link.end(reason),
  });
  const conversationOf = (conversation: Conversation): Conversation => ({
    get revision() {
      return conversation.revision;
    },
    async receive(message, visit): Promise<Reply> {
      tap.note("downstream", "client", message);
      const reply = await conversation.receive(message, visitOf(visit));
      if (reply !== undefined) sent(reply);
      return reply;
    },
    hears: () => conversation.hears(),
    close: (reason) => conversation.close(reason),
  });
  return {
    classify: (arrival) => service.classify(arrival),
    session: (link) => conversationOf(service.session(linkOf(link))),
    pipe: (link) => conversationOf(service.pipe(linkOf(link))),
    async exchange(message, visit) {
      tap.note("downstream", "client", message);
      const exchanged = await service.exchange(message, visitOf(visit));
      if (exchanged.answer !== undefined) sent(exchanged.answer);
      return exchanged;
    },
    close: () => service.close(),
  };
}

/** Gives the connector with a tap on what the server is sent and sends. */
export function tapConnector(connector: Connector, tap: Tap): Connector {
  return { ...connector, connect: async (transport) => tapPeer(await connector.connect(transport), tap) };
}

function tapPeer(peer: BridgePeer, tap: Tap): BridgePeer {
  const heard = (frame: Wire): Wire => {
    tap.note("upstream", "server", frame);
    return frame;
  };
  return {
    transport: peer.transport,
    closed: peer.closed,
    async send(request, options = {}) {
      tap.note("upstream", "client", request);
      const { onFrame } = options;
      const tapped = onFrame === undefined ? options : { ...options, onFrame: (frame: Wire) => onFrame(heard(frame)) };
      return heard(await peer.send(request, tapped));
    },
    notify(message, options) {
      tap.note("upstream", "client", message);
      return peer.notify(message, options);
    },
    takePending: () => peer.takePending().map(heard),
    waitPending: () => peer.waitPending(),
    listen: () => peer.listen(),
    agree: (revision) => peer.agree(revision),
    close: () => peer.close(),
  };
}

/** Taps the transport of an SDK, which sees frames as the SDK has read them; `side` is whose transport it is. */
export function tapTransport(transport: Transport, side: Side, note: (from: Side, frame: unknown) => void): void {
  const other = side === "client" ? "server" : "client";
  const send = transport.send.bind(transport);
  transport.send = (message, ...rest) => {
    note(side, message);
    return send(message, ...rest);
  };
  // A transport that stands before another one hands the listener on to it.
  const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(transport), "onmessage");
  let listener: Transport["onmessage"];
  Object.defineProperty(transport, "onmessage", {
    configurable: true,
    get: () => listener,
    set(next: Transport["onmessage"]) {
      listener =
        next &&
        ((message, ...rest) => {
          note(other, message);
          next(message, ...rest);
        });
      own?.set?.call(transport, listener);
    },
  });
}

/** Lists what is wrong with the frames of a hop whose peer speaks a revision. A server is asked for its era before anybody knows it. */
export async function faultsOf(frames: readonly Tapped[], hop: HopName, { revision, era }: Peer): Promise<readonly string[]> {
  const validity = await validatorsOf(revision);
  const here = frames.filter((tapped) => tapped.hop === hop && !(era === "legacy" && isProbe(tapped)));
  const faults = here.flatMap(({ from, frame, answers }) => [
    ...validity.messageFaults(frame, answers),
    ...(era === "legacy" ? modernIn(frame) : legacyIn(frame, from)).map((leak) => `${leak} in ${JSON.stringify(frame)}`),
  ]);
  return [...new Set(faults)].map((fault) => `${hop}: ${fault}`);
}

function isProbe({ frame }: Tapped): boolean {
  return String(frame["id"]).startsWith("polyrev-probe-");
}

/** Lists what of a frame on a legacy hop only the modern era says. */
export function modernIn(frame: Wire): readonly string[] {
  const method = MODERN_METHODS.has(frame["method"]) ? [`the method ${String(frame["method"])}`] : [];
  return [...method, ...keysIn(frame, (key) => MODERN_KEYS.has(key) || HOP_KEYS.has(key))];
}

/** Lists what of a frame on a modern hop only the legacy era says. */
export function legacyIn(frame: Wire, from: Side): readonly string[] {
  const { id, method, result } = frame;
  return [
    ...(LEGACY_METHODS.has(method) ? [`the method ${String(method)}`] : []),
    ...(from === "server" && id !== undefined && typeof method === "string" ? ["a request of the server's"] : []),
    ...(isObject(result) && typeof result["protocolVersion"] === "string" ? ["the key protocolVersion"] : []),
    ...keysIn(frame, (key) => key === "elicitationId"),
  ];
}

function keysIn(value: unknown, isForeign: (key: string) => boolean): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((entry) => keysIn(entry, isForeign));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, below]) => [...(isForeign(key) ? [`the key ${key}`] : []), ...keysIn(below, isForeign)]);
}

const MODERN_METHODS = new Set<unknown>(["server/discover", "subscriptions/listen", "notifications/subscriptions/acknowledged"]);
const MODERN_KEYS = new Set(["resultType", "ttlMs", "cacheScope", "supportedVersions", "inputRequests", "inputResponses", "requestState"]);
const LEGACY_METHODS = new Set<unknown>([
  "initialize",
  "notifications/initialized",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
  "notifications/roots/list_changed",
  "notifications/elicitation/complete",
]);
