// The ways from a native client through a bridge to a native server: in memory, over HTTP on this machine, and with the bridge and the server as
// processes of their own. Each keeps the frames of both hops.
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import type { BridgeEvent } from "../../runtime/bridge/events.js";
import { DEFAULT_TIMEOUTS } from "../../runtime/bridge/options.js";
import type { Connector, Peer as BridgePeer } from "../../runtime/bridge/peer.js";
import { BridgeService } from "../../runtime/bridge/service.js";
import { Exchange } from "../../runtime/transport/exchange.js";
import { httpConnector } from "../../runtime/transport/http-connector.js";
import { parseMessage, stringifyMessage } from "../../runtime/transport/json.js";
import { listenHttp } from "../../runtime/transport/node-http.js";
import { serveStdio } from "../../runtime/transport/stdio-server.js";
import { optionsWith } from "../bridge/room.js";
import { script, start } from "../conformance/program.js";
import { httpTransport, serveHttp, type HttpKind } from "./bridge-http.js";
import { play, type Played } from "./bridge-play.js";
import { bridgedHandlers, serverRoom } from "./bridge-server.js";
import { Tap, tapConnector, tapService, tapTransport, type Side } from "./bridge-tap.js";
import { memoryLine, type Transport } from "./line.js";
import { serverCapabilities } from "./native-server.js";
import { loadPeer, type LoadedPeer, type Peer } from "./peers.js";
import { scriptCommand } from "./script.js";

/** A native client in a session with a native server, with a bridge between. */
export interface Bridged {
  readonly played: Played;
  /** Gives the frames of both hops so far. */
  readonly tap: () => Tap;
  /** What the bridge told; empty where it is a process of its own. */
  readonly events: readonly BridgeEvent[];
  close(): Promise<void>;
}

/** Opens a session of a client with a server. */
export type Open = (client: Peer, server: Peer) => Promise<Bridged>;

/** Connects a native client to a native server without anything between. */
export async function openDirect(client: Peer, server: Peer): Promise<Played> {
  const [reader, writer] = await Promise.all([loadPeer(client), loadPeer(server)]);
  const near = memoryLine(reader.readLine);
  const far = memoryLine(writer.readLine);
  near.line.listen((message) => far.line.write(message));
  far.line.listen((message) => near.line.write(message));
  await writer.serve(serverCapabilities(server.revision), bridgedHandlers(server, serverRoom()), far.transport);
  return play(reader, near.transport);
}

/** Opens a session over pipes that are none: the client's streams and the server's lines are in memory. */
export const openMemory: Open = async (client, server) => {
  const [reader, writer] = await Promise.all([loadPeer(client), loadPeer(server)]);
  const { tap, events, service, stop } = bridgeTo(memoryConnector(writer));
  const input = new PassThrough();
  const output = new PassThrough();
  const served = serveStdio(service, { input, output });
  const played = await play(reader, streamTransport(input, output, reader.readLine));
  return {
    played,
    tap: () => tap,
    events,
    async close() {
      await played.client.close();
      input.end();
      await served;
      await stop();
    },
  };
};

function bridgeTo(connector: Connector): {
  readonly tap: Tap;
  readonly events: BridgeEvent[];
  readonly service: ReturnType<typeof tapService>;
  readonly stop: () => Promise<void>;
} {
  const tap = new Tap();
  const events: BridgeEvent[] = [];
  const options = optionsWith({ timeouts: DEFAULT_TIMEOUTS, observe: (event) => events.push(event) });
  const bridge = new BridgeService(tapConnector(connector, tap), options);
  return { tap, events, service: tapService(bridge, tap), stop: () => bridge.close() };
}

/** Makes a connector that serves each connection with a native server in memory. */
function memoryConnector(loaded: LoadedPeer): Connector {
  return {
    name: loaded.alias,
    transports: ["stdio"],
    spawns: true,
    async connect(): Promise<BridgePeer> {
      const { line, transport } = memoryLine(loaded.readLine);
      await loaded.serve(serverCapabilities(loaded.revision), bridgedHandlers(loaded, serverRoom()), transport);
      const exchange = new Exchange(loaded.alias, () => undefined);
      line.listen((message) => exchange.accept(message, 0));
      return {
        transport: "stdio",
        closed: exchange.closed,
        send(request, { signal } = {}) {
          const call = exchange.begin(request, signal);
          line.write(parseMessage(stringifyMessage(request)));
          return call.answer;
        },
        notify: async (message) => line.write(parseMessage(stringifyMessage(message))),
        takePending: () => exchange.pending.take(),
        waitPending: () => exchange.pending.wait(),
        listen: () => Promise.resolve(),
        agree: () => undefined,
        async close() {
          await line.close();
          exchange.end(exchange.unreachable("closed"));
        },
      };
    },
  };
}

/** Makes the client's end of a pair of streams. */
function streamTransport(output: PassThrough, input: PassThrough, readLine: (text: string) => unknown): Transport {
  const transport: Transport = {
    start() {
      createInterface({ input }).on("line", (text) => transport.onmessage?.(readLine(text)));
      return Promise.resolve();
    },
    send(message) {
      output.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    close() {
      transport.onclose?.();
      return Promise.resolve();
    },
  };
  return transport;
}

/** Opens sessions over HTTP, the client on one transport and the server on another; all of it in this process. */
export function openHttp(clientKind: HttpKind, serverKind: HttpKind): Open {
  return async (client, server) => {
    const [reader, writer] = await Promise.all([loadPeer(client), loadPeer(server)]);
    const serving = await serveHttp(writer, serverKind);
    const { tap, events, service, stop } = bridgeTo(httpConnector({ url: serving.url }));
    const listening = await listenHttp(service);
    const url = clientKind === "legacy-sse" ? listening.url.replace(/\/mcp$/, "/sse") : listening.url;
    const played = await play(reader, await httpTransport(reader, clientKind, url));
    return {
      played,
      tap: () => tap,
      events,
      async close() {
        await played.client.close();
        await listening.close();
        await stop();
        await serving.close();
      },
    };
  };
}

/** Opens a session with the bridge as the client's own process and the server as the bridge's. */
export const openProcess: Open = async (client, server) => {
  const loaded = await loadPeer(client);
  const folder = await mkdtemp(join(tmpdir(), "polyrev-bridge-"));
  const file = join(folder, "upstream");
  const [serverCommand, serverArgs] = scriptCommand("server-process.ts", server.alias, file);
  const main = fileURLToPath(new URL("../../runtime/cli/main.ts", import.meta.url));
  const [command, [, loader = ""]] = scriptCommand("server-process.ts");
  const transport = loaded.processTransport(command, [
    "--import",
    loader,
    main,
    "bridge",
    "--log",
    "warn",
    "--upstream",
    [serverCommand, ...serverArgs].join(" "),
  ]);
  const near: { readonly from: Side; readonly frame: unknown }[] = [];
  tapTransport(transport, "client", (from, frame) => near.push({ from, frame }));
  const played = await play(loaded, transport);
  return {
    played,
    events: [],
    tap() {
      const tap = new Tap();
      for (const { from, frame } of near) tap.note("downstream", from, frame);
      for (const line of readFileSync(file, "utf8").trim().split("\n")) {
        const { from, frame } = JSON.parse(line) as { from: Side; frame: unknown };
        tap.note("upstream", from, frame);
      }
      return tap;
    },
    async close() {
      await played.client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** Opens sessions with the bridge as a process that listens, before a server that listens here. */
export function openListening(clientKind: HttpKind, serverKind: HttpKind): Open {
  return async (client, server) => {
    const [reader, writer] = await Promise.all([loadPeer(client), loadPeer(server)]);
    const tap = new Tap();
    const serving = await serveHttp(writer, serverKind, (from, frame) => tap.note("upstream", from, frame));
    const listen = ["--listen", "http://127.0.0.1:0/mcp", "--log", "warn"];
    const bridge = await start(script("runtime/cli/main.ts", "bridge", "--upstream", serving.url, ...listen));
    const url = clientKind === "legacy-sse" ? bridge.url.replace(/\/mcp$/, "/sse") : bridge.url;
    const transport = await httpTransport(reader, clientKind, url);
    tapTransport(transport, "client", (from, frame) => tap.note("downstream", from, frame));
    const played = await play(reader, transport);
    return {
      played,
      tap: () => tap,
      events: [],
      async close() {
        await played.client.close();
        await bridge.stop();
        await serving.close();
      },
    };
  };
}
