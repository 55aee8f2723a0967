// A bridge in front of a scripted legacy server, as modern clients of several principals use it.
import type { Wire } from "../../runtime/index.js";
import type { BridgeOptions } from "../../runtime/bridge/options.js";
import type { Exchanged, TransportName, Visit } from "../../runtime/bridge/peer.js";
import { MODERN } from "./modern-script.js";
import { roomWith, until, type Room } from "./room.js";
import { Refuse, type Script } from "./wire-peer.js";

export const META = "io.modelcontextprotocol/";
/** What a client that can be asked everything declares. */
export const ASKING: Wire = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };
/** What the server says it can do. */
export const LEGACY_SERVER: Wire = {
  tools: { listChanged: true },
  prompts: {},
  resources: { subscribe: true, listChanged: true },
  logging: {},
  completions: {},
};

/** An answer, and what came before it. */
export interface Asked extends Exchanged {
  readonly frames: readonly Wire[];
}

/** The bridge, and ways to use it. */
export interface LegacyRoom extends Room {
  readonly ask: (message: Wire, visit?: Partial<Visit>) => Promise<Asked>;
  /** What the server was sent of one method, over all its connections. */
  readonly sent: (method: string) => readonly Wire[];
}

/** What a test says of the server and the bridge; the newest legacy revision over a pipe where it says nothing. */
export interface Given {
  readonly revision?: string;
  readonly transport?: TransportName;
  readonly capabilities?: Wire;
  readonly instructions?: string;
  readonly changes?: Partial<BridgeOptions>;
}

/** Makes a bridge in front of a legacy server that does what a script says. */
export function legacyRoom(
  does: Script = () => ({ tools: [], content: [] }),
  { revision = "2025-11-25", transport = "stdio", capabilities = LEGACY_SERVER, instructions, changes = {} }: Given = {},
): LegacyRoom {
  const script: Script = (request, more) => {
    if (request["method"] === "server/discover") throw new Refuse(-32601, "no such method");
    if (request["method"] !== "initialize") return does(request, more);
    return { protocolVersion: revision, capabilities, serverInfo: { name: "old", version: "1" }, instructions };
  };
  const room = roomWith(script, transport, changes);
  return {
    ...room,
    sent: (method) => room.connector.peers.flatMap(({ messages }) => messages).filter((message) => message["method"] === method),
    ask: async (message, visit = {}) => {
      const frames: Wire[] = [];
      const sink = { canStream: true, write: (frame: Wire) => void frames.push(JSON.parse(JSON.stringify(frame)) as Wire) };
      return { ...(await room.service.exchange(message, { sink, principal: "someone", ...visit })), frames };
    },
  };
}

/** Makes a bridge in front of a legacy server that asks in the middle of calls and prompts, and answers with what it was told. */
export function askingRoom(questions: readonly Wire[], given?: Given): LegacyRoom {
  const answersIn = (room: LegacyRoom): readonly (Wire | undefined)[] => {
    const { messages } = room.connector.peer;
    return questions.map(({ id }) => messages.find((message) => message["id"] === id && message["method"] === undefined));
  };
  const room: LegacyRoom = legacyRoom(async ({ method }, { send }) => {
    if (method !== "tools/call" && method !== "prompts/get") return { tools: [], content: [] };
    for (const question of questions) send(question);
    await until("the answers", () => answersIn(room).every((answer) => answer !== undefined), 5_000);
    const told = answersIn(room).map((answer) => answer?.["result"] ?? answer?.["error"]);
    return method === "tools/call" ? { content: [{ type: "text", text: JSON.stringify(told) }] } : { messages: [] };
  }, given);
  return room;
}

/** The next id of a request nobody named. */
let ids = 0;

/** Writes a modern request. */
export function modernRequest(
  method: string,
  params: Wire = {},
  {
    capabilities = {},
    meta = {},
    id = (ids += 1),
  }: { readonly capabilities?: Wire; readonly meta?: Wire; readonly id?: string | number } = {},
): Wire {
  const own = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientCapabilities`]: capabilities,
    [`${META}clientInfo`]: { name: "c", version: "1" },
  };
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...own, ...meta } } };
}

/** The result of an answer; nothing where it is an error. */
export const resultOf = ({ answer }: Exchanged): Wire => (answer?.["result"] ?? {}) as Wire;

/** A question of the server's that any client with roots can answer. */
export const ROOTS: Wire = { jsonrpc: "2.0", id: "q-roots", method: "roots/list" };
/** A question that a person answers. */
export const FORM: Wire = {
  jsonrpc: "2.0",
  id: "q-form",
  method: "elicitation/create",
  params: { message: "?", requestedSchema: { type: "object", properties: { n: { type: "string" } } } },
};
