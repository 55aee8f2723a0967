// Batches belong to one revision, 2025-03-26, but the native servers do not look at it: over HTTP they serve an array at any revision, over a
// pipe they drop it at every one. polyrev takes no array for a message, and takes one apart only where the revision has batches.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { isEnvelopeError, liftEnvelope, splitBatch, type Wire } from "../../runtime/index.js";
import { Caller } from "./caller.js";
import { fullCodec } from "./codecs.js";
import { memoryLine, type Transport } from "./line.js";
import { nativeHandlers, serverCapabilities } from "./native-server.js";
import { loadPeer, PEER_INFO, PEERS, peerOf, type Peer } from "./peers.js";
import { loadModule } from "./sdk.js";
import { attempt } from "./settle.js";

function batch(peer: Peer, first: number): readonly Wire[] {
  const method = peer.era === "modern" ? "server/discover" : "ping";
  return [first, first + 1].map((id) => ({ jsonrpc: "2.0", id, method }));
}

describe("a batch on a pipe", () => {
  it.each(PEERS.map((peer) => [peer.alias, peer] as const))("is dropped by %s, which goes on afterwards", async (_, peer) => {
    const loaded = await loadPeer(peer);
    const { line, transport } = memoryLine(loaded.readLine);
    await loaded.serve(serverCapabilities(peer.revision), nativeHandlers(peer), transport);
    const caller = await Caller.meet(peer, line);
    line.write(batch(peer, 100));
    await caller.call("tools/list", { cursor: "tools plain" });
    expect(line.heard.filter(({ id }) => id === 100 || id === 101)).toEqual([]);
    await line.close();
  });
});

interface HttpTransport extends Transport {
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

type HttpTransportConstructor = new (options: { readonly sessionIdGenerator: undefined }) => HttpTransport;

/** The releases that serve Streamable HTTP; 1.10.2 does although its revision has no such transport. */
const OVER_HTTP = ["sdk-1.10", "sdk-1.12", "sdk-1.22", "sdk-1.32"];

describe("a batch over HTTP", () => {
  it.each(OVER_HTTP)("is served by %s, whatever its revision", async (alias) => {
    const peer = peerOf(alias);
    const { StreamableHTTPServerTransport } = await loadModule<{ StreamableHTTPServerTransport: HttpTransportConstructor }>(
      `${alias}/server/streamableHttp.js`,
    );
    const loaded = await loadPeer(peer);
    const listener: RequestListener = (request, response) => {
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      void loaded
        .serve(serverCapabilities(peer.revision), nativeHandlers(peer), transport)
        .then(() => transport.handleRequest(request, response));
    };
    const [server, url] = await listen(listener);
    const initialize = { protocolVersion: peer.revision, capabilities: {}, clientInfo: PEER_INFO };
    expect(await post(url, peer, { jsonrpc: "2.0", id: 1, method: "initialize", params: initialize })).toContain(peer.revision);
    const answer = await post(url, peer, batch(peer, 100));
    expect(answer).toContain('"id":100');
    expect(answer).toContain('"id":101');
    server.close();
  });
});

function listen(listener: RequestListener): Promise<[Server, string]> {
  const server = createServer(listener);
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve([server, `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`]));
  });
}

async function post(url: string, { revision }: Peer, body: unknown): Promise<string> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    connection: "close",
    "mcp-protocol-version": revision,
  };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return response.text();
}

describe("a batch at polyrev", () => {
  it.each(PEERS.map((peer) => [peer.revision, peer] as const))(
    "is taken apart at 2025-03-26 and nowhere else: %s",
    async (revision, peer) => {
      const codec = await fullCodec(revision);
      const messages = batch(peer, 1);
      const split = attempt(() => splitBatch(codec.profile, messages));
      if (revision === "2025-03-26") expect(split).toEqual({ value: messages });
      else expect("error" in split && isEnvelopeError(split.error) && split.error.code).toBe("batch-not-allowed");
    },
  );

  it.each(PEERS.map((peer) => [peer.revision, peer] as const))("is no message at %s", async (revision, peer) => {
    const codec = await fullCodec(revision);
    const lifted = attempt(() => liftEnvelope(codec, batch(peer, 1)));
    expect("error" in lifted && isEnvelopeError(lifted.error) && lifted.error.code).toBe("batch-not-allowed");
  });
});
