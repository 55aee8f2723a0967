// The parts of the native SDKs that the tests use, as interfaces of our own: the packages stand in a folder that is installed only for these
// tests, so nothing here may need their types.
import type { Wire } from "../../runtime/index.js";
import type { Transport } from "./line.js";

/** Handles a request or a notification the way an application does. */
export type Handler = (message: { readonly method: string; readonly params?: unknown }, context: unknown) => unknown;

/** What a client of any release offers an application. */
export interface SdkClient {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
  getServerVersion(): unknown;
  getServerCapabilities(): unknown;
  callTool(params: unknown, ...rest: readonly unknown[]): Promise<unknown>;
  listTools(params?: unknown): Promise<unknown>;
  getPrompt(params: unknown): Promise<unknown>;
  listPrompts(params?: unknown): Promise<unknown>;
  readResource(params: unknown): Promise<unknown>;
  listResources(params?: unknown): Promise<unknown>;
  listResourceTemplates(params?: unknown): Promise<unknown>;
  complete(params: unknown): Promise<unknown>;
  ping(): Promise<unknown>;
  setLoggingLevel(level: unknown): Promise<unknown>;
  subscribeResource(params: unknown): Promise<unknown>;
  unsubscribeResource(params: unknown): Promise<unknown>;
  /** Takes the schema of a request before release 2, its method since. */
  setRequestHandler(request: unknown, handler: Handler): void;
  setNotificationHandler(notification: unknown, handler: Handler): void;
  getInstructions?(): unknown;
  /** Takes the notifications nothing else handles. */
  fallbackNotificationHandler?: (notification: Wire) => Promise<void>;
  /** Subscribes to changes, in releases from 2 on. */
  listen?(filter: Wire): Promise<{ close(): Promise<void> }>;
}

/** What a server of any release offers an application; the requests it may send depend on the release. */
export interface SdkServer {
  connect(transport: Transport): Promise<void>;
  close(): Promise<void>;
  setRequestHandler(request: unknown, handler: Handler): void;
  createMessage(params: unknown): Promise<unknown>;
  listRoots(params?: unknown): Promise<unknown>;
  elicitInput?(params: unknown): Promise<unknown>;
  notification(notification: unknown): Promise<void>;
  getClientVersion(): unknown;
  getClientCapabilities(): unknown;
}

interface Implementation {
  readonly name: string;
  readonly version: string;
}

/** Makes a client; `versionNegotiation` is read by releases from 2 on, `supportedProtocolVersions` too. */
export type ClientConstructor = new (info: Implementation, options: Record<string, unknown>) => SdkClient;

/** Makes a server. */
export type ServerConstructor = new (info: Implementation, options: Record<string, unknown>) => SdkServer;

/** The module of request and notification schemas of a release before 2: named schemas, and the list of revisions it speaks. */
export type LegacyTypes = Readonly<Record<string, unknown>> & { readonly LATEST_PROTOCOL_VERSION: string };

/** A server made with the high-level interface of a release. */
export interface SdkMcpServer {
  readonly server: SdkServer;
  connect(transport: Transport): Promise<void>;
  registerTool(name: string, config: Record<string, unknown>, handler: (...args: readonly unknown[]) => unknown): unknown;
  /** The registration of releases that have no `registerTool`. */
  tool(name: string, ...rest: readonly unknown[]): unknown;
}

/** Makes a server with the high-level interface. */
export type McpServerConstructor = new (info: Implementation, options: Record<string, unknown>) => SdkMcpServer;

/** The part of the newest server package that the tests use. */
export interface ModernServerModule {
  readonly Server: ServerConstructor;
  readonly McpServer: McpServerConstructor;
  readonly fromJsonSchema: (schema: unknown) => unknown;
}

/** The part of the newest server package's stdio module that the tests use. */
export interface ModernStdioModule {
  readonly StdioServerTransport: new () => Transport;
  readonly serveStdio: (
    factory: () => SdkServer | SdkMcpServer,
    options: Record<string, unknown>,
  ) => {
    close(): Promise<void>;
  };
}

/** Loads a module of a native SDK; the name is no literal, so that the compiler does not look for what may not be installed. */
export async function loadModule<T>(name: string): Promise<T> {
  return (await import(/* @vite-ignore */ name)) as T;
}
