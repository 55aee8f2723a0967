// The table of native peers: which release of which SDK was built for which revision, and how to make a client or a server of it.
import { loadModule, type ClientConstructor, type Handler, type LegacyTypes, type SdkClient, type SdkServer } from "./sdk.js";
import type { ModernServerModule, ModernStdioModule, ServerConstructor } from "./sdk.js";
import type { Transport } from "./line.js";
import type { Wire } from "../../runtime/index.js";

/** One native peer: the alias its packages are installed under, and the revision that is its newest. */
export interface Peer {
  readonly alias: string;
  readonly revision: string;
  readonly era: "legacy" | "modern";
}

/** A native client as the tests use it: by method, through what its SDK offers an application. */
export interface NativeClient {
  readonly sdk: SdkClient;
  connect(transport: Transport): Promise<void>;
  /** Calls what the SDK offers for a method; gives what the application gets. */
  call(method: string, params: Wire): Promise<unknown>;
  /** Handles a request of the server. */
  handle(method: string, handler: Handler): void;
  close(): Promise<void>;
}

/** Handles a request of a client; may send requests of its own before it answers. `context` is what the SDK says of the request. */
export type ServerHandler = (params: Wire, server: SdkServer, context: unknown) => unknown;

/** A native peer with its SDK loaded. */
export interface LoadedPeer extends Peer {
  /** Reads one line as the SDK does; throws what the SDK throws. */
  readonly readLine: (text: string) => unknown;
  newClient(capabilities: Wire): NativeClient;
  /** Makes the SDK's own transport to a process it starts. */
  processTransport(command: string, args: readonly string[]): Transport;
  /** Makes a server of handlers by method. */
  newServer(capabilities: Wire, handlers: ReadonlyMap<string, ServerHandler>): SdkServer;
  /** Makes the SDK's own transport over the pipes of this process. */
  pipeTransport(): Transport;
  /** Serves handlers by method; without a transport, over the pipes of this process. */
  serve(capabilities: Wire, handlers: ReadonlyMap<string, ServerHandler>, transport?: Transport): Promise<void>;
}

/** Every native peer, oldest first. */
export const PEERS: readonly Peer[] = [
  { alias: "sdk-1.0", revision: "2024-11-05", era: "legacy" },
  { alias: "sdk-1.10", revision: "2024-11-05", era: "legacy" },
  { alias: "sdk-1.12", revision: "2025-03-26", era: "legacy" },
  { alias: "sdk-1.22", revision: "2025-06-18", era: "legacy" },
  { alias: "sdk-1.32", revision: "2025-11-25", era: "legacy" },
  { alias: "sdk-2", revision: "2026-07-28", era: "modern" },
];

/** The name and version every peer of these tests gives itself. */
export const PEER_INFO = { name: "native-peer", version: "1.0.0" };

/** What an application calls for a method. */
const OPERATIONS: Readonly<Record<string, (client: SdkClient, params: Wire) => Promise<unknown>>> = {
  "tools/call": (client, params) => client.callTool(params),
  "tools/list": (client, params) => client.listTools(params),
  "prompts/get": (client, params) => client.getPrompt(params),
  "prompts/list": (client, params) => client.listPrompts(params),
  "resources/read": (client, params) => client.readResource(params),
  "resources/list": (client, params) => client.listResources(params),
  "resources/templates/list": (client, params) => client.listResourceTemplates(params),
  "resources/subscribe": (client, params) => client.subscribeResource(params),
  "resources/unsubscribe": (client, params) => client.unsubscribeResource(params),
  "completion/complete": (client, params) => client.complete(params),
  "logging/setLevel": (client, params) => client.setLoggingLevel(params["level"]),
  ping: (client) => client.ping(),
};

/** The name under which a release before 2 exports the schema of a request. */
const SCHEMAS: Readonly<Record<string, string>> = {
  "tools/call": "CallToolRequestSchema",
  "tools/list": "ListToolsRequestSchema",
  "prompts/get": "GetPromptRequestSchema",
  "prompts/list": "ListPromptsRequestSchema",
  "resources/read": "ReadResourceRequestSchema",
  "resources/list": "ListResourcesRequestSchema",
  "resources/templates/list": "ListResourceTemplatesRequestSchema",
  "resources/subscribe": "SubscribeRequestSchema",
  "resources/unsubscribe": "UnsubscribeRequestSchema",
  "completion/complete": "CompleteRequestSchema",
  "logging/setLevel": "SetLevelRequestSchema",
  "roots/list": "ListRootsRequestSchema",
  "sampling/createMessage": "CreateMessageRequestSchema",
  "elicitation/create": "ElicitRequestSchema",
};

/** Gives the peer of an alias; throws where there is none. */
export function peerOf(alias: string): Peer {
  const peer = PEERS.find((entry) => entry.alias === alias);
  if (peer === undefined) throw new Error(`cannot find peer ${alias}: known are ${PEERS.map((entry) => entry.alias).join(", ")}`);
  return peer;
}

/** Loads the SDK of a peer. */
export function loadPeer(peer: Peer): Promise<LoadedPeer> {
  return peer.era === "legacy" ? loadLegacyPeer(peer) : loadModernPeer(peer, { versionNegotiation: { mode: { pin: peer.revision } } });
}

type StdioTransport = new (parameters: { readonly command: string; readonly args: readonly string[] }) => Transport;

async function loadLegacyPeer(peer: Peer): Promise<LoadedPeer> {
  const load = <T>(path: string) => loadModule<T>(`${peer.alias}/${path}`);
  const [types, { Client }, { StdioClientTransport }, { Server }, { StdioServerTransport }, { deserializeMessage }] = await Promise.all([
    load<LegacyTypes>("types.js"),
    load<{ Client: ClientConstructor }>("client/index.js"),
    load<{ StdioClientTransport: StdioTransport }>("client/stdio.js"),
    load<{ Server: ServerConstructor }>("server/index.js"),
    load<{ StdioServerTransport: new () => Transport }>("server/stdio.js"),
    load<{ deserializeMessage: (text: string) => unknown }>("shared/stdio.js"),
  ]);
  if (types.LATEST_PROTOCOL_VERSION !== peer.revision)
    throw new Error(`cannot use ${peer.alias} for ${peer.revision}: its newest revision is ${types.LATEST_PROTOCOL_VERSION}`);
  const keyOf = (method: string): unknown => {
    const schema = types[SCHEMAS[method] ?? ""];
    if (schema === undefined) throw new Error(`cannot handle ${method}: ${peer.alias} has no schema for it`);
    return schema;
  };
  const newServer: LoadedPeer["newServer"] = (capabilities, handlers) =>
    withHandlers(new Server(PEER_INFO, { capabilities }), handlers, keyOf);
  return {
    ...peer,
    readLine: deserializeMessage,
    newClient: (capabilities) => nativeClient(new Client(PEER_INFO, { capabilities }), keyOf),
    processTransport: (command, args) => new StdioClientTransport({ command, args }),
    newServer,
    pipeTransport: () => new StdioServerTransport(),
    async serve(capabilities, handlers, transport = new StdioServerTransport()) {
      await newServer(capabilities, handlers).connect(transport);
    },
  };
}

/** Loads the newest SDK; which revisions its client speaks is among the client's options. */
export async function loadModernPeer(peer: Peer, options: Wire): Promise<LoadedPeer> {
  const [{ Client, deserializeMessage }, { StdioClientTransport }, { Server }, { serveStdio, StdioServerTransport }] = await Promise.all([
    loadModule<{ Client: ClientConstructor; deserializeMessage: (text: string) => unknown }>("@modelcontextprotocol/client"),
    loadModule<{ StdioClientTransport: StdioTransport }>("@modelcontextprotocol/client/stdio"),
    loadModule<ModernServerModule>("@modelcontextprotocol/server"),
    loadModule<ModernStdioModule>("@modelcontextprotocol/server/stdio"),
  ]);
  const keyOf = (method: string): unknown => method;
  const newServer: LoadedPeer["newServer"] = (capabilities, handlers) =>
    withHandlers(new Server(PEER_INFO, { capabilities }), handlers, keyOf);
  return {
    ...peer,
    readLine: deserializeMessage,
    newClient: (capabilities) => nativeClient(new Client(PEER_INFO, { capabilities, ...options }), keyOf),
    processTransport: (command, args) => new StdioClientTransport({ command, args }),
    newServer,
    pipeTransport: () => new StdioServerTransport(),
    serve(capabilities, handlers, transport) {
      serveStdio(() => newServer(capabilities, handlers), { legacy: "reject", ...(transport === undefined ? {} : { transport }) });
      return Promise.resolve();
    },
  };
}

function nativeClient(sdk: SdkClient, keyOf: (method: string) => unknown): NativeClient {
  return {
    sdk,
    connect: (transport) => sdk.connect(transport),
    call(method, params) {
      const operation = OPERATIONS[method];
      if (operation === undefined) throw new Error(`cannot call ${method}: no operation of the SDK is known for it`);
      return operation(sdk, params);
    },
    handle: (method, handler) => sdk.setRequestHandler(keyOf(method), handler),
    close: () => sdk.close(),
  };
}

function withHandlers(server: SdkServer, handlers: ReadonlyMap<string, ServerHandler>, keyOf: (method: string) => unknown): SdkServer {
  for (const [method, handler] of handlers)
    server.setRequestHandler(keyOf(method), (request, context) => handler((request.params ?? {}) as Wire, server, context));
  return server;
}
