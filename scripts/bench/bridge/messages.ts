// What the raw peers of the bridge's benchmark say to each other: the opening of a conversation, and one small call.
import { REVISIONS } from "../../../runtime/mcp.js";

/** One of the two generations of the protocol. */
export type Era = "legacy" | "modern";

/** A JSON-RPC message. */
export type Message = Readonly<Record<string, unknown>>;

/** The newest revision of an era. */
export function newestOf(era: Era): string {
  return REVISIONS.filter((entry) => entry.era === era).at(-1)?.revision ?? "";
}

const NAME = { name: "raw", version: "1" };
const MODERN = newestOf("modern");

/** Writes the request that opens a legacy conversation. */
export const INITIALIZE: Message = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: newestOf("legacy"), capabilities: {}, clientInfo: NAME },
};

/** Writes the notification that ends the handshake. */
export const INITIALIZED: Message = { jsonrpc: "2.0", method: "notifications/initialized" };

const ENVELOPE = {
  "io.modelcontextprotocol/protocolVersion": MODERN,
  "io.modelcontextprotocol/clientInfo": NAME,
  "io.modelcontextprotocol/clientCapabilities": {},
};

/** Writes a small call; its text comes back in the answer. */
export function callOf(era: Era, id: number): Message {
  const params = { name: "echo", arguments: { text: `call ${id}`, count: id } };
  return { jsonrpc: "2.0", id, method: "tools/call", params: era === "legacy" ? params : { ...params, _meta: ENVELOPE } };
}

/** The headers of a call over HTTP. */
export function headersOf(era: Era): Readonly<Record<string, string>> {
  const modern = { "mcp-method": "tools/call", "mcp-name": "echo" };
  return { "mcp-protocol-version": newestOf(era), ...(era === "legacy" ? {} : modern) };
}

/** Tells whether an answer is that of a call. */
export function answersCall(answer: Message, id: number): boolean {
  const { result } = answer as { readonly result?: { readonly content?: readonly { readonly text?: string }[] } };
  return result?.content?.[0]?.text === `call ${id}`;
}

/** Answers a message as a server does; undefined where it asks for no answer. */
export function answerTo(era: Era, { id, method, params }: Message): Message | undefined {
  if (id === undefined) return undefined;
  const result = resultOf(era, String(method), params as Message);
  return result === undefined ? { jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } } : { jsonrpc: "2.0", id, result };
}

function resultOf(era: Era, method: string, params: Message): Message | undefined {
  if (method === "tools/call") {
    const { text } = params["arguments"] as { readonly text: string };
    return { ...(era === "modern" ? { resultType: "complete" } : {}), content: [{ type: "text", text }] };
  }
  if (era === "legacy") {
    return method === "initialize" ? { protocolVersion: newestOf("legacy"), capabilities: { tools: {} }, serverInfo: NAME } : undefined;
  }
  return method === "server/discover"
    ? { resultType: "complete", supportedVersions: [MODERN], capabilities: { tools: {} }, ttlMs: 0, cacheScope: "private" }
    : undefined;
}
