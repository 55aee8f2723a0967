// Native clients and servers over HTTP: the transports of their own SDKs, Streamable HTTP or the HTTP+SSE before it.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Wire } from "../../runtime/index.js";
import { bridgedHandlers, serverRoom } from "./bridge-server.js";
import { tapTransport, type Side } from "./bridge-tap.js";
import type { Transport } from "./line.js";
import { serverCapabilities } from "./native-server.js";
import type { LoadedPeer, Peer } from "./peers.js";
import { loadModule } from "./sdk.js";

/** Names a transport over HTTP. */
export type HttpKind = "streamable-http" | "legacy-sse";

/** Tells whether the release of a peer has a transport. */
export function speaks({ alias }: Peer, kind: HttpKind): boolean {
  return kind === "legacy-sse" ? ["sdk-1.0", "sdk-1.10"].includes(alias) : alias !== "sdk-1.0";
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

/** A native server that listens. */
export interface HttpServing {
  readonly url: string;
  close(): Promise<void>;
}

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;

/** Takes the frames that the transports of a server pass on; the newest SDK has none to look at. */
export type Note = (from: Side, frame: unknown) => void;

/** Has a native server listen. */
export async function serveHttp(loaded: LoadedPeer, kind: HttpKind, note: Note = () => undefined): Promise<HttpServing> {
  const legacyHandler = kind === "legacy-sse" ? sseHandler : streamableHandler;
  const handler = loaded.era === "modern" ? await modernHandler(loaded) : await legacyHandler(loaded, note);
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

async function streamableHandler(loaded: LoadedPeer, note: Note): Promise<NodeHandler> {
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
    tapTransport(transport, "server", note);
    await loaded.serve(serverCapabilities(loaded.revision), bridgedHandlers(loaded, serverRoom()), transport);
    return transport.handleRequest(request, response);
  };
}

async function sseHandler(loaded: LoadedPeer, note: Note): Promise<NodeHandler> {
  const { SSEServerTransport } = await loadModule<{
    SSEServerTransport: new (path: string, response: ServerResponse) => ServedTransport;
  }>(`${loaded.alias}/server/sse.js`);
  const sessions = new Map<unknown, ServedTransport>();
  return async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
    if (request.method === "GET" && pathname === "/sse") {
      const transport = new SSEServerTransport("/message", response);
      sessions.set(Reflect.get(transport, "_sessionId"), transport);
      tapTransport(transport, "server", note);
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
