// The ways from a native client through a bridge to a native server: in memory, over HTTP on this machine, and with the bridge and the server as
// processes of their own. Each keeps the frames of both hops.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import type { BridgeEvent } from "../../runtime/bridge/events.js";
import type { Connector, Peer as BridgePeer } from "../../runtime/bridge/peer.js";
import { BridgeService } from "../../runtime/bridge/service.js";
import type { Wire } from "../../runtime/index.js";
import { Exchange } from "../../runtime/transport/exchange.js";
import { httpConnector } from "../../runtime/transport/http-connector.js";
import { parseMessage, stringifyMessage } from "../../runtime/transport/json.js";
import { listenHttp } from "../../runtime/transport/node-http.js";
import { serveStdio } from "../../runtime/transport/stdio-server.js";
import { DEFAULT_TIMEOUTS } from "../../runtime/bridge/options.js";
import { optionsWith } from "../bridge/room.js";
import { play, type Played } from "./bridge-play.js";
import { bridgedHandlers, serverRoom } from "./bridge-server.js";
import { Tap, tapConnector, tapService, tapTransport, type Side } from "./bridge-tap.js";
import { memoryLine, type Transport } from "./line.js";
import { serverCapabilities } from "./native-server.js";
import { loadPeer, type LoadedPeer, type Peer } from "./peers.js";
import { scriptCommand } from "./script.js";
import { loadModule } from "./sdk.js";

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
  stop(): Promise<void>;
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

/** Names a transport over HTTP. */
export type HttpKind = "streamable-http" | "legacy-sse";

/** Tells whether the release of a peer has a transport. */
export function speaks({ alias }: Peer, kind: HttpKind): boolean {
  return kind === "legacy-sse" ? ["sdk-1.0", "sdk-1.10"].includes(alias) : alias !== "sdk-1.0";
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

type UrlTransport = new (url: URL) => Transport;

/** Makes the SDK's own transport to an address. */
export async function httpTransport({ alias, era }: Peer, kind: HttpKind, url: string): Promise<Transport> {
  if (kind === "legacy-sse") {
    // The first release leaves it to the application to have this.
    const { EventSource } = await loadModule<{ EventSource: unknown }>("eventsource");
    Object.assign(globalThis, { EventSource });
    const { SSEClientTransport } = await loadModule<{ SSEClientTransport: UrlTransport }>(`${alias}/client/sse.js`);
    return new SSEClientTransport(new URL(url));
  }
  const module = era === "modern" ? "@modelcontextprotocol/client" : `${alias}/client/streamableHttp.js`;
  const { StreamableHTTPClientTransport } = await loadModule<{ StreamableHTTPClientTransport: UrlTransport }>(module);
  return new StreamableHTTPClientTransport(new URL(url));
}

/** A native server that listens; `sessions` are the session ids that its clients sent. */
export interface HttpServing {
  readonly url: string;
  close(): Promise<void>;
}

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** Has a native server listen. */
export async function serveHttp(loaded: LoadedPeer, kind: HttpKind): Promise<HttpServing> {
  const handler =
    loaded.era === "modern"
      ? await modernHandler(loaded)
      : kind === "legacy-sse"
        ? await sseHandler(loaded)
        : await streamableHandler(loaded);
  const server = createServer((request, response) => {
    Promise.resolve(handler(request, response)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${kind === "legacy-sse" ? "sse" : "mcp"}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface ServedTransport extends Transport {
  readonly sessionId?: string;
  handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void>;
  handlePostMessage(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

async function streamableHandler(loaded: LoadedPeer): Promise<NodeHandler> {
  const { StreamableHTTPServerTransport } = await loadModule<{ StreamableHTTPServerTransport: new (options: Wire) => ServedTransport }>(
    `${loaded.alias}/server/streamableHttp.js`,
  );
  const sessions = new Map<unknown, ServedTransport>();
  return async (request, response) => {
    const known = sessions.get(request.headers["mcp-session-id"]);
    if (known !== undefined) return known.handleRequest(request, response);
    const transport: ServedTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id: string) => sessions.set(id, transport),
    });
    await loaded.serve(serverCapabilities(loaded.revision), bridgedHandlers(loaded, serverRoom()), transport);
    return transport.handleRequest(request, response);
  };
}

async function sseHandler(loaded: LoadedPeer): Promise<NodeHandler> {
  const { SSEServerTransport } = await loadModule<{
    SSEServerTransport: new (path: string, response: ServerResponse) => ServedTransport & { _sessionId: string };
  }>(`${loaded.alias}/server/sse.js`);
  const sessions = new Map<unknown, ServedTransport>();
  return async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    if (request.method === "GET" && pathname === "/sse") {
      const transport = new SSEServerTransport("/message", response);
      sessions.set(transport._sessionId, transport);
      return loaded.serve(serverCapabilities(loaded.revision), bridgedHandlers(loaded, serverRoom()), transport);
    }
    const known = pathname === "/message" ? sessions.get(searchParams.get("sessionId")) : undefined;
    if (known !== undefined) return known.handlePostMessage(request, response);
    response.writeHead(405).end();
  };
}

interface ModernHandler {
  readonly notify: { toolsChanged(): void; promptsChanged(): void; resourcesChanged(): void; resourceUpdated(uri: string): void };
}

async function modernHandler(loaded: LoadedPeer): Promise<NodeHandler> {
  const [{ createMcpHandler }, { toNodeHandler }] = await Promise.all([
    loadModule<{ createMcpHandler: (factory: () => unknown, options: Wire) => ModernHandler }>("@modelcontextprotocol/server"),
    loadModule<{ toNodeHandler: (handler: ModernHandler) => NodeHandler }>("@modelcontextprotocol/node"),
  ]);
  const room = serverRoom();
  const handlers = bridgedHandlers(loaded, room);
  const handler = createMcpHandler(() => loaded.newServer(serverCapabilities(loaded.revision), handlers), { legacy: "reject" });
  const announce: Readonly<Record<string, (params: Wire) => void>> = {
    "notifications/tools/list_changed": () => handler.notify.toolsChanged(),
    "notifications/prompts/list_changed": () => handler.notify.promptsChanged(),
    "notifications/resources/list_changed": () => handler.notify.resourcesChanged(),
    "notifications/resources/updated": ({ uri }) => handler.notify.resourceUpdated(String(uri)),
  };
  room.announce = ({ method, params }) => announce[String(method)]?.((params ?? {}) as Wire);
  const answer = toNodeHandler(handler);
  return (request, response) => {
    if (request.headers["mcp-session-id"] !== undefined) throw new Error("a modern server was sent a session id");
    return answer(request, response);
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
