// Peers and connectors that say what a test wrote down for them.
import { Unreachable } from "../../runtime/bridge/errors.js";
import type { Connector, Peer, SendOptions, TransportName } from "../../runtime/bridge/peer.js";
import type { Wire } from "../../runtime/index.js";

/** What a scripted peer does with one request: answers, fails, or stays silent until it is aborted. */
export type Line =
  | { readonly answer: (request: Wire) => Wire; readonly status?: number }
  | { readonly fail: ConstructorParameters<typeof Unreachable>[2]; readonly reason?: string }
  | { readonly silent: true };

/** Is a peer with a script, and what happened to it. */
export interface ScriptedPeer extends Peer {
  readonly sent: { readonly request: Wire; readonly headers: Readonly<Record<string, string>> | undefined }[];
  readonly isClosed: () => boolean;
}

/** Makes a peer that follows its lines, one a request; beyond the last it fails the test. */
export function scriptedPeer(transport: TransportName, lines: readonly Line[]): ScriptedPeer {
  const sent: ScriptedPeer["sent"] = [];
  let closed = false;
  return {
    transport,
    sent,
    isClosed: () => closed,
    async send(request: Wire, options: SendOptions = {}): Promise<Wire> {
      const line = lines[sent.length];
      sent.push({ request, headers: options.headers });
      if (line === undefined) throw new RangeError("cannot answer: the script is over");
      if ("answer" in line) {
        if (line.status !== undefined) options.onStatus?.(line.status);
        return line.answer(request);
      }
      if ("fail" in line) throw new Unreachable("script", line.reason ?? "it says so", line.fail);
      return new Promise<Wire>((_resolve, reject) => {
        options.signal?.addEventListener("abort", () => reject(new Unreachable("script", "aborted")));
      });
    },
    notify: () => Promise.resolve(),
    takePending: () => [],
    waitPending: () => new Promise(() => {}),
    listen: () => Promise.resolve(),
    agree() {},
    close() {
      closed = true;
      return Promise.resolve();
    },
    closed: new Promise(() => {}),
  };
}

/** Makes a connector that hands out peers in order, or fails. */
export function scriptedConnector(
  peers: readonly (ScriptedPeer | Unreachable)[],
  options: { readonly transports?: readonly TransportName[]; readonly spawns?: boolean } = {},
): Connector & { readonly connected: () => number } {
  let next = 0;
  return {
    name: "script",
    transports: options.transports ?? ["streamable-http", "legacy-sse"],
    spawns: options.spawns ?? false,
    connected: () => next,
    connect() {
      const peer = peers[next];
      next += 1;
      if (peer === undefined) return Promise.reject(new RangeError("cannot connect: the script is over"));
      return "sent" in peer ? Promise.resolve(peer) : Promise.reject(peer);
    },
  };
}
