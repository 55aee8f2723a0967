// A modern server for scripted peers: says what it is, takes subscriptions, and does what a script says with the rest.
import type { Wire } from "../../runtime/index.js";
import { REVISIONS } from "../../runtime/mcp.js";
import type { Script, ServerRoom } from "./wire-peer.js";

/** The modern revision. */
export const MODERN = REVISIONS.filter(({ era }) => era === "modern").at(-1)?.revision ?? "";

/** What the server says it can do. */
export const MODERN_SERVER: Wire = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
  completions: {},
};

/** What a test looks at of a subscription: its id, what was asked for, and how to tell it something or end it. */
export interface Subscribed {
  readonly id: unknown;
  readonly filter: Wire;
  readonly tell: (method: string, params?: Wire) => void;
  readonly end: () => void;
  isOver: boolean;
}

/** What a modern server is made of. */
export interface ModernRoom {
  readonly subscriptions: Subscribed[];
  readonly script: Script;
}

/** Makes the script of a modern server. */
export function modernServer(
  does: Script = () => ({}),
  { capabilities = MODERN_SERVER, honours = (filter: Wire): Wire => filter, supported = [MODERN], acknowledges = true } = {},
): ModernRoom {
  const subscriptions: Subscribed[] = [];
  const script: Script = (request, room) => {
    if (request["method"] === "server/discover") return discovery(capabilities, supported);
    if (request["method"] === "subscriptions/listen") return listen(request, room, honours, acknowledges, subscriptions);
    return completed(does(request, room));
  };
  return { subscriptions, script };
}

function discovery(capabilities: Wire, supportedVersions: readonly string[]): Wire {
  const serverInfo = { name: "modern", version: "3" };
  return {
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "private",
    supportedVersions,
    capabilities,
    instructions: "ask",
    _meta: { "io.modelcontextprotocol/serverInfo": serverInfo, "v/k": 1 },
  };
}

/** Every result says that it is complete, where it says nothing else. */
async function completed(result: unknown): Promise<unknown> {
  const given = (await result) as Wire;
  return { resultType: "complete", ...given };
}

function listen(request: Wire, room: ServerRoom, honours: (filter: Wire) => Wire, acknowledges: boolean, all: Subscribed[]): Promise<Wire> {
  const { id, params } = request;
  const filter = (params as Wire)["notifications"] as Wire;
  const _meta = { "io.modelcontextprotocol/subscriptionId": id };
  return new Promise((resolve) => {
    const subscribed: Subscribed = {
      id,
      filter,
      tell: (method, more = {}) => room.send({ jsonrpc: "2.0", method, params: { ...more, _meta } }),
      end: () => {
        subscribed.isOver = true;
        resolve({ resultType: "complete", _meta });
      },
      isOver: false,
    };
    room.signal?.addEventListener("abort", () => (subscribed.isOver = true));
    all.push(subscribed);
    if (acknowledges) subscribed.tell("notifications/subscriptions/acknowledged", { notifications: honours(filter) });
  });
}
