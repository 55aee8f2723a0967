// Where reports are played through the bridge itself: clients and servers of every transport that say, byte for byte where it matters, what people
// reported, around a bridge that is the real one. What both wires then hold is there to be looked at.
import { createConnection } from "node:net";
import { PassThrough } from "node:stream";
import { onTestFinished } from "vitest";
import type { BridgeEvent } from "../../../runtime/bridge/events.js";
import type { BridgeOptions } from "../../../runtime/bridge/options.js";
import type { Connector, TransportName, Visit } from "../../../runtime/bridge/peer.js";
import { BridgeService } from "../../../runtime/bridge/service.js";
import type { Wire } from "../../../runtime/index.js";
import type { TransportEvent } from "../../../runtime/transport/events.js";
import { httpConnector, type HttpOptions } from "../../../runtime/transport/http-connector.js";
import type { HttpServerOptions } from "../../../runtime/transport/http-server.js";
import { listenHttp } from "../../../runtime/transport/node-http.js";
import { stdioConnector, type StdioOptions } from "../../../runtime/transport/stdio-client.js";
import { serveStdio } from "../../../runtime/transport/stdio-server.js";
import { modernServer, type ModernRoom } from "../../bridge/modern-script.js";
import { optionsWith, PlayedClient, roomWith, until, type Room } from "../../bridge/room.js";
import { Refuse, type Script, type WirePeer } from "../../bridge/wire-peer.js";
import { serve, type Asked, type Scripted } from "../../transport/scripted-server.js";
import { MODERN } from "../reports.js";

export { until } from "../../bridge/room.js";
export { Refuse, type Script } from "../../bridge/wire-peer.js";
export type { Asked } from "../../transport/scripted-server.js";

/** Starts the names of the newest revision's own keys. */
export const META = "io.modelcontextprotocol";
/** What a server advertises that has everything. */
export const EVERYTHING: Wire = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
  completions: {},
};
/** What a client declares that has everything. */
export const ABLE: Wire = { roots: { listChanged: true }, sampling: {}, elicitation: {} };
/** A request that never ends. */
export const never = (): Promise<never> => new Promise(() => undefined);

/** Gives the params of a message. */
export function paramsOf(message: Wire | undefined): Wire {
  return (message?.["params"] ?? {}) as Wire;
}

/** Gives the metadata of a message's params. */
export function metaOf(message: Wire | undefined): Wire {
  return (paramsOf(message)["_meta"] ?? {}) as Wire;
}

/** Writes a request. */
export function request(id: unknown, method: string, params?: unknown): Wire {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

/** Writes a notification. */
export function notification(method: string, params?: unknown): Wire {
  return { jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) };
}

/** Writes a request of a legacy client for a session. */
export function initialize(revision: string, capabilities: unknown = {}, id: unknown = 1): Wire {
  return request(id, "initialize", { protocolVersion: revision, capabilities, clientInfo: { name: "c", version: "1" } });
}

/** Writes a request of the newest revision. */
export function modernRequest(id: unknown, method: string, params: Wire = {}, meta: Wire = {}): Wire {
  const own = {
    [`${META}/protocolVersion`]: MODERN,
    [`${META}/clientCapabilities`]: {},
    [`${META}/clientInfo`]: { name: "c", version: "1" },
  };
  return request(id, method, { ...params, _meta: { ...own, ...meta } });
}

// In memory.

/** Does the least that is right. */
export const least: Script = ({ method }) => LEAST[String(method)] ?? {};

const LEAST: Readonly<Record<string, Wire>> = {
  "tools/list": { tools: [] },
  "tools/call": { content: [] },
  "prompts/list": { prompts: [] },
  "prompts/get": { messages: [] },
  "resources/list": { resources: [] },
  "resources/templates/list": { resourceTemplates: [] },
  "resources/read": { contents: [] },
};

/** Makes a legacy server: refuses to be probed, shakes hands at its revision, and does what a script says. */
export function legacyServer(revision: string, does: Script = least, capabilities: unknown = EVERYTHING): Script {
  return (asked, room) => {
    if (asked["method"] === "server/discover") throw new Refuse(-32601, "no such method");
    if (asked["method"] !== "initialize") return does(asked, room);
    return { protocolVersion: revision, capabilities, serverInfo: { name: "s", version: "1" } };
  };
}

/** A session in memory: the bridge, the client that is played, and the server's end. */
export interface Stage extends Room {
  readonly client: PlayedClient;
  /** What answered the client's `initialize`. */
  readonly welcomed: Wire;
  readonly peer: WirePeer;
}

/** What a session in memory is made of. */
export interface Cast {
  readonly client?: string;
  readonly server?: string;
  readonly does?: Script;
  /** Instead of a server that does something: what it does with every request, the handshake included. */
  readonly script?: Script;
  readonly declares?: unknown;
  readonly serves?: unknown;
  readonly transport?: TransportName;
  readonly front?: TransportName;
  readonly changes?: Partial<BridgeOptions>;
}

/** Opens a session between a legacy client and a legacy server. */
export async function legacyStage(cast: Cast = {}): Promise<Stage> {
  const { client = "2025-11-25", server = "2025-11-25", does, serves, declares = {}, transport, front, changes } = cast;
  const room = roomWith(cast.script ?? legacyServer(server, does, serves), transport, changes);
  onTestFinished(() => room.service.close());
  const played = new PlayedClient(room.service, front);
  const welcomed = await played.open(client, declares);
  return { ...room, client: played, welcomed, peer: room.connector.peer };
}

/** Opens a session between a legacy client and a modern server. */
export async function crossedStage(
  cast: Cast & { readonly modern?: Parameters<typeof modernServer>[1] } = {},
): Promise<Stage & { readonly server: ModernRoom }> {
  const server = modernServer(cast.does ?? least, cast.modern);
  return { ...(await legacyStage({ ...cast, script: cast.script ?? server.script })), server };
}

/** What came of a request of a modern client. */
export interface Exchange {
  readonly answer: Wire;
  readonly status: number;
  readonly frames: readonly Wire[];
}

/** A modern client and a modern server in memory. */
export interface ModernStage extends Room {
  readonly server: ModernRoom;
  readonly ask: (message: Wire, visit?: Partial<Visit>) => Promise<Exchange>;
  /** The messages of a method that the server got. */
  readonly sent: (method: string) => readonly Wire[];
}

/** Opens the way from a modern client to a modern server. */
export function modernStage(
  does: Script = least,
  {
    transport = "streamable-http",
    changes,
    modern,
  }: Pick<Cast, "transport" | "changes"> & { modern?: Parameters<typeof modernServer>[1] } = {},
): ModernStage {
  const server = modernServer(does, modern);
  const room = roomWith(server.script, transport, changes);
  onTestFinished(() => room.service.close());
  return {
    ...room,
    server,
    sent: (method) => room.connector.peers.flatMap(({ messages }) => messages.filter((message) => message["method"] === method)),
    ask: async (message, visit = {}) => {
      const frames: Wire[] = [];
      const sink = { canStream: true, write: (frame: Wire) => void frames.push(JSON.parse(JSON.stringify(frame)) as Wire) };
      const { answer, status } = await room.service.exchange(message, { sink, ...visit });
      return { answer: answer ?? {}, status, frames };
    },
  };
}

// Over HTTP.

/** What a raw client read. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The messages in it, whether it was JSON or a stream of events. */
  readonly messages: readonly Wire[];
}

/** Puts a header in a head of HTTP, or takes it out. */
export function withHeader(head: string, name: string, value: string | undefined): string {
  const [first = "", ...rest] = head.trimEnd().split("\r\n");
  const others = rest.filter((line) => !line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
  return [first, ...others, ...(value === undefined ? [] : [`${name}: ${value}`]), "", ""].join("\r\n");
}

/** Writes the head of a request as clients write it. */
export function headOf(headers: Readonly<Record<string, string>> = {}, method = "POST", path = "/mcp"): string {
  const all = { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers };
  return [`${method} ${path} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n");
}

/** Sends the bytes of one request on a connection of its own, the head as it stands, and reads what comes until that is closed. */
export async function sendRaw(port: number, head: string, body?: unknown): Promise<RawAnswer> {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const more = {
    Host: `127.0.0.1:${port}`,
    Connection: "close",
    ...(body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(text)) }),
  };
  const whole = Object.entries(more).reduce((written, [name, value]) => withHeader(written, name, value), head);
  const socket = createConnection(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.write(whole + text);
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return readRaw(Buffer.concat(chunks));
}

function readRaw(bytes: Buffer): RawAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  const [first = "", ...lines] = bytes.subarray(0, end).toString().split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  const rest = bytes.subarray(end + 4);
  const text = (headers["transfer-encoding"] === "chunked" ? unchunked(rest) : rest).toString();
  const isStream = headers["content-type"]?.startsWith("text/event-stream") === true;
  const data = isStream
    ? [...text.matchAll(/^data: ?(.+)$/gm)].map(([, line]) => line?.trim() ?? "").filter((line) => line !== "")
    : text === ""
      ? []
      : [text];
  return { status: Number(first.split(" ")[1]), headers, text, messages: data.map((entry) => JSON.parse(entry) as Wire) };
}

function unchunked(bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf("\r\n", at);
    const size = end === -1 ? 0 : Number.parseInt(bytes.subarray(at, end).toString(), 16);
    if (!(size > 0)) return Buffer.concat(parts);
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 4 + size;
  }
}

/** Answers a request with the bytes of a head and a body, and closes the connection. */
export function sayRaw({ socket }: Asked, head: string, body: unknown = ""): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  socket.end(withHeader(withHeader(head, "Content-Length", String(Buffer.byteLength(text))), "Connection", "close") + text);
}

/** The heads servers answer with. */
export const HEADS = {
  json: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n",
  stream: "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
  accepted: "HTTP/1.1 202 Accepted\r\n\r\n",
  notAllowed: "HTTP/1.1 405 Method Not Allowed\r\n\r\n",
} as const;

/** Answers one HTTP request in its own way; false leaves it to the server it is part of. */
export type Interrupt = (asked: Asked & { readonly message: Wire }, nth: number) => boolean | Promise<boolean>;

/** Makes a server over HTTP of a revision with a handshake; `interrupt` sees every request first, with its number among those of its method. */
export async function httpServer(
  script: Script,
  { interrupt = () => false, session = true }: { readonly interrupt?: Interrupt; readonly session?: boolean } = {},
): Promise<Scripted> {
  const counts = new Map<string, number>();
  const scripted = await serve(async (asked) => {
    const message = (asked.message ?? {}) as Wire;
    const kind = asked.method === "POST" ? String(message["method"]) : asked.method;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (await interrupt({ ...asked, message }, counts.get(kind) ?? 0)) return;
    if (asked.method !== "POST") return sayRaw(asked, HEADS.notAllowed);
    if (message["id"] === undefined || message["method"] === undefined) return sayRaw(asked, HEADS.accepted);
    const opens = session && kind === "initialize";
    const head = opens ? withHeader(HEADS.json, "Mcp-Session-Id", `up-${counts.get(kind)}`) : HEADS.json;
    try {
      const result = await script(message, { send: () => undefined, signal: undefined });
      sayRaw(asked, head, { jsonrpc: "2.0", id: message["id"], result: result ?? {} });
    } catch (error) {
      if (!(error instanceof Refuse)) throw error;
      sayRaw(asked, HEADS.json, { jsonrpc: "2.0", id: message["id"], error: error.error });
    }
  });
  onTestFinished(() => scripted.close());
  return scripted;
}

/** A bridge with nothing in memory. */
export interface RealStage {
  readonly service: BridgeService;
  readonly events: BridgeEvent[];
  readonly transportEvents: TransportEvent[];
}

/** What is real takes its time on a busy machine. */
const PATIENT = { ...optionsWith().timeouts, probe: 10_000, handshake: 20_000, acknowledge: 10_000 };

/** Makes a bridge to whatever a connector connects to. */
export function realStage(
  connect: (observe: (event: TransportEvent) => void) => Connector,
  changes: Partial<BridgeOptions> = {},
): RealStage {
  const events: BridgeEvent[] = [];
  const transportEvents: TransportEvent[] = [];
  const connector = connect((event) => transportEvents.push(event));
  const service = new BridgeService(connector, optionsWith({ observe: (event) => events.push(event), timeouts: PATIENT, ...changes }));
  onTestFinished(() => service.close());
  return { service, events, transportEvents };
}

/** Makes a bridge to a server at an address. */
export function towards(url: string, options: Partial<HttpOptions> = {}, changes?: Partial<BridgeOptions>): RealStage {
  return realStage((observe) => httpConnector({ url, observe, drainMs: 50, endMs: 200, ...options }), changes);
}

/** Has a bridge listen; gives its port. */
export async function listening({ service }: { readonly service: BridgeService }, options: HttpServerOptions = {}): Promise<number> {
  const server = await listenHttp(service, { graceMs: 100, ...options });
  onTestFinished(() => server.close());
  return server.port;
}

/** Opens a session over HTTP as raw bytes; gives its id. */
export async function openRaw(port: number, revision: string, capabilities: unknown = {}): Promise<string> {
  const { headers } = await sendRaw(port, headOf(), initialize(revision, capabilities));
  const session = headers["mcp-session-id"] ?? "";
  await sendRaw(port, headOf({ "Mcp-Session-Id": session }), notification("notifications/initialized"));
  return session;
}

/** Plays a legacy client in memory in front of a bridge that is real otherwise. */
export async function playedClient(
  { service }: { readonly service: BridgeService },
  revision: string,
  declares: unknown = {},
): Promise<{ readonly client: PlayedClient; readonly welcomed: Wire }> {
  const client = new PlayedClient(service);
  return { client, welcomed: await client.open(revision, declares) };
}

// On pipes.

/** What a process writes for a message of a method: texts, `hex:` bytes, `gen:` texts with `<A*N>` in them; `$id` is the id of the message. */
export type Rules = Readonly<Record<string, readonly string[]>>;

/** Writes one chunk per turn; a rule for `*` is for what has none of its own. */
const PROCESS = `
const rules = JSON.parse(process.env.RULES);
let rest = "";
let last = Promise.resolve();
const turn = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function say(message) {
  const method = message.method ?? "response";
  const count = (say[method] = (say[method] ?? 0) + 1);
  const rule = rules[method + "#" + count] ?? rules[method] ?? (message.id === undefined || message.method === undefined ? [] : rules["*"] ?? []);
  for (const chunk of rule) {
    if (chunk === "<EOF>") { process.exit(1); }
    if (chunk.startsWith("hex:")) process.stdout.write(Buffer.from(chunk.slice(4), "hex"));
    else {
      const text = chunk.startsWith("gen:") ? chunk.slice(4).replace(/<A\\*(\\d+)>/g, (_, n) => "A".repeat(Number(n))) : chunk;
      process.stdout.write(text.replaceAll("$id", JSON.stringify(message.id)));
    }
    await turn(5);
  }
}
process.stdin.on("data", (bytes) => {
  rest += bytes;
  for (let end = rest.indexOf("\\n"); end !== -1; end = rest.indexOf("\\n")) {
    const message = JSON.parse(rest.slice(0, end));
    rest = rest.slice(end + 1);
    process.stderr.write(JSON.stringify(message) + "\\n");
    last = last.then(() => say(message));
  }
});
process.stdin.on("end", () => last.then(() => process.exit(0)));
`;

/** Writes a line that answers the message it stands under. */
export function answerLine(result: unknown): string {
  return `${JSON.stringify({ jsonrpc: "2.0", id: "$id", result }).replace('"$id"', "$id")}\n`;
}

/** Writes a line that refuses the message it stands under. */
export function refusalLine(code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":$id,"error":${JSON.stringify({ code, message })}}\n`;
}

/** The rules of a process that refuses to be probed and shakes hands. */
export function processRules(revision: string, rules: Rules = {}): Rules {
  return {
    "server/discover": [refusalLine(-32601, "no such method")],
    initialize: [answerLine({ protocolVersion: revision, capabilities: EVERYTHING, serverInfo: { name: "s", version: "1" } })],
    "tools/list": [answerLine({ tools: [] })],
    "tools/call": [answerLine({ content: [] })],
    "*": [answerLine({})],
    ...rules,
  };
}

/** Makes a bridge to a process that writes what its rules say. */
export function towardsProcess(
  rules: Rules,
  options: Partial<StdioOptions> = {},
  changes?: Partial<BridgeOptions>,
): RealStage & { readonly got: readonly Wire[] } {
  const got: Wire[] = [];
  const onStderr = (line: string): void => void got.push(JSON.parse(line) as Wire);
  const command = { command: process.execPath, args: ["-e", PROCESS], env: { RULES: JSON.stringify(rules) } };
  const stage = realStage((observe) => stdioConnector({ ...command, onStderr, observe, drainMs: 50, exitMs: 500, ...options }), {
    ...changes,
    timeouts: { ...PATIENT, ...changes?.timeouts },
  });
  return { ...stage, got };
}

/** A client on a pipe that writes bytes. */
export interface Pipe {
  readonly write: (bytes: string | Uint8Array) => void;
  /** The lines that were written for it. */
  readonly lines: string[];
  readonly messages: () => readonly Wire[];
  /** Resolves with the answer to an id. */
  readonly answer: (id: unknown) => Promise<Wire>;
}

/** Puts a client on a pipe in front of a bridge. */
export function piped({ service }: { readonly service: BridgeService }): Pipe {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const lines: string[] = [];
  let rest = "";
  output.on("data", (bytes: Buffer) => {
    const parts = (rest + bytes.toString()).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  const served = serveStdio(service, { input, output, graceMs: 100 });
  onTestFinished(async () => {
    input.end();
    await served;
  });
  const messages = (): readonly Wire[] => lines.map((line) => JSON.parse(line) as Wire);
  return {
    write: (bytes) => void input.write(bytes),
    lines,
    messages,
    answer: async (id) => {
      const found = (): Wire | undefined => messages().find((message) => message["method"] === undefined && message["id"] === id);
      await until(`the answer to ${JSON.stringify(id)}`, () => found() !== undefined, 20_000);
      return found() ?? {};
    },
  };
}
