// The parts of the ACP SDK that the tests use, as interfaces of our own, and its entry for each revision: the package is installed only for these
// tests, so nothing here may need its types.
import { REVISIONS } from "../../runtime/acp.js";
import type { Wire } from "../../runtime/index.js";
import { loadModule } from "./sdk.js";

/** One end of a connection, as the SDK takes it: messages in, messages out. */
export interface AcpStream {
  readonly readable: ReadableStream<Wire>;
  readonly writable: WritableStream<Wire>;
}

/** What the SDK lets an application say to the other side. */
export interface AcpPeer {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): Promise<void>;
}

/** What the SDK hands a handler: the params as it read them, and who asked. */
export interface AcpContext {
  readonly params: unknown;
  readonly client?: AcpPeer;
  readonly agent?: AcpPeer;
}

/** An application of the SDK, of either side. */
export interface AcpApp {
  onRequest(method: string, handler: (context: AcpContext) => unknown): AcpApp;
  onNotification(method: string, handler: (context: AcpContext) => unknown): AcpApp;
  connect(stream: AcpStream): AcpConnection;
}

/** A connection of the SDK; a client talks to the agent and an agent to the client. */
export interface AcpConnection {
  readonly agent?: AcpPeer;
  readonly client?: AcpPeer;
  close(): void;
}

/** The SDK's entry for one revision. */
export interface AcpModule {
  agent(options: { readonly name: string }): AcpApp;
  client(options: { readonly name: string }): AcpApp;
  ndJsonStream(output: WritableStream<Uint8Array>, input: ReadableStream<Uint8Array>): AcpStream;
}

/** The revision of either number. */
export const V1: string = REVISIONS[0].revision;
export const V2: string = REVISIONS[1].revision;

/** Loads the SDK's entry for a revision. */
export function loadAcp(revision: string): Promise<AcpModule> {
  return loadModule<AcpModule>(revision === V1 ? "@agentclientprotocol/sdk" : "@agentclientprotocol/sdk/experimental/v2");
}
