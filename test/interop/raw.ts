// A native peer without polyrev: what it makes of messages that nobody lowered for it.
import type { Wire } from "../../runtime/index.js";
import { handshakeFor } from "./answerer.js";
import { isObject } from "./holds.js";
import { clientCapabilities } from "./judge.js";
import { memoryLine } from "./line.js";
import { loadPeer, type LoadedPeer, type Peer } from "./peers.js";
import { settle, type Settled } from "./settle.js";

/** Has a native client call a method and hands it a result as it is. */
export async function readRaw(peer: Peer, method: string, params: Wire, result: unknown): Promise<Settled> {
  const client = await meetRaw(await loadPeer(peer), handshakeFor(peer.revision), result);
  const got = await settle(client.call(method, params));
  await client.close();
  return got;
}

/** Connects a native client to a server that answers its handshake with one result and everything else with another; rejects as the client does. */
export async function meetRaw(loaded: LoadedPeer, handshake: Wire, result: unknown): Promise<ReturnType<LoadedPeer["newClient"]>> {
  const { line, transport } = memoryLine(loaded.readLine);
  line.listen(({ id, method }) => {
    if (id === undefined || method === undefined) return;
    const isHandshake = method === "initialize" || method === "server/discover";
    line.write({ jsonrpc: "2.0", id, result: isHandshake ? handshake : result });
  });
  const client = loaded.newClient(clientCapabilities(loaded.revision));
  await client.connect(transport);
  return client;
}

/** Gives what an application got as an object; an empty one for an error and for anything else. */
export function gotten(settled: Settled): Wire {
  return "value" in settled && isObject(settled.value) ? settled.value : {};
}
