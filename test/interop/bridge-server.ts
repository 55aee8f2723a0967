// The native server that stands behind a bridge: a sample's answer for each request, and tools that do what a session is made of beside that: ask
// back, report progress, log, announce changes, wait to be cancelled, and tell what the server knows of its client.
import type { Wire } from "../../runtime/index.js";
import { isObject } from "./holds.js";
import { NOTIFICATIONS, nativeHandlers } from "./native-server.js";
import type { Peer, ServerHandler } from "./peers.js";
import type { SdkServer } from "./sdk.js";

/** What the servers of one test share, since some SDKs make a server for each request. */
export interface ServerRoom {
  /** The calls that wait, by the name they were given. */
  readonly waiting: Map<string, () => void>;
  /** The names of the calls that were cancelled while they waited. */
  readonly cancelled: string[];
  /** Announces a change where that is not the server's own to do. */
  announce?: (notification: Wire) => void;
}

/** Makes a room with nothing in it. */
export function serverRoom(): ServerRoom {
  return { waiting: new Map(), cancelled: [] };
}

/** The notification of a log message that the servers send. */
export const LOGGED: Wire = { method: "notifications/message", params: { level: "warning", logger: "test", data: { any: ["value", 1] } } };

/** The notifications of changes that the servers send. */
export const CHANGES = NOTIFICATIONS.filter(({ method }) => method !== LOGGED["method"]);

/** The resource whose changes the servers announce. */
export const WATCHED = "file:///lisbon/readings.csv";

/** The level from which on the clients want to be told what the servers log. */
export const LEVEL = "debug";

const STATEFUL = new Set(["resources/subscribe", "resources/unsubscribe", "logging/setLevel"]);

/** What SDKs say of a request, as far as the tools below need it. */
interface Context {
  readonly signal?: AbortSignal;
  readonly sendNotification?: (notification: Wire) => Promise<void>;
  readonly mcpReq?: {
    readonly signal: AbortSignal;
    readonly _meta?: Wire;
    readonly envelope?: Wire;
    notify(notification: Wire): Promise<void>;
  };
}

interface Called {
  readonly args: Wire;
  readonly meta: Wire;
  readonly server: SdkServer;
  readonly context: Context;
  readonly room: ServerRoom;
}

const TOOLS: Readonly<Record<string, (called: Called) => unknown>> = {
  progress: async (called) => {
    const { progressToken } = called.meta;
    for (const progress of [1, 2, 3])
      await tell(called, { method: "notifications/progress", params: { progressToken, progress, total: 3 } });
    // Some releases lose what comes in one piece with the answer.
    await new Promise((resolve) => setTimeout(resolve, 30));
    return said("done");
  },
  log: async (called) => {
    await tell(called, LOGGED);
    return said("logged");
  },
  "log later": ({ server }) => {
    setTimeout(() => void server.notification(LOGGED), 30);
    return said("soon");
  },
  changes: ({ server, room }) => {
    setTimeout(() => {
      for (const change of CHANGES) {
        if (room.announce === undefined) void server.notification(change);
        else room.announce(change);
      }
    }, 30);
    return said("soon");
  },
  wait: ({ args, context, room }) =>
    new Promise((resolve) => {
      const name = String(args["name"]);
      const signal = context.mcpReq?.signal ?? context.signal;
      room.waiting.set(name, () => resolve(said(`released ${name}`)));
      signal?.addEventListener("abort", () => {
        room.waiting.delete(name);
        room.cancelled.push(name);
        resolve(said(`cancelled ${name}`));
      });
    }),
  waits: ({ room }) => said(JSON.stringify({ waiting: [...room.waiting.keys()].toSorted(), cancelled: room.cancelled })),
  release: ({ room }) => {
    for (const release of room.waiting.values()) release();
    room.waiting.clear();
    return said("released");
  },
  echo: ({ args, meta, server, context }) => {
    const { progressToken: _, ...kept } = meta;
    const envelope = context.mcpReq?.envelope;
    const client =
      envelope === undefined
        ? { info: server.getClientVersion(), capabilities: server.getClientCapabilities() }
        : { info: envelope[`${RESERVED}clientInfo`], capabilities: envelope[`${RESERVED}clientCapabilities`] };
    return said(JSON.stringify({ args, meta: kept, client }));
  },
};

const RESERVED = "io.modelcontextprotocol/";

/** Makes the handlers of a native server behind a bridge. */
export function bridgedHandlers(peer: Peer, room: ServerRoom): ReadonlyMap<string, ServerHandler> {
  const handlers = new Map(nativeHandlers(peer));
  for (const [method, handle] of handlers) {
    // The session's own state: the samples answer only what is asked for by their name.
    const isOwn = (params: Wire): boolean => params["uri"] === WATCHED || params["level"] === LEVEL;
    if (STATEFUL.has(method)) handlers.set(method, (params, server, context) => (isOwn(params) ? {} : handle(params, server, context)));
  }
  const answer = handlers.get("tools/call");
  handlers.set("tools/call", (params, server, context) => {
    const name = String(params["name"]);
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    if (tool === undefined) return answer?.(params, server, context);
    const { arguments: args, _meta } = params;
    const said = context as Context;
    const meta = isObject(_meta) ? _meta : (said.mcpReq?._meta ?? {});
    return tool({ args: isObject(args) ? args : {}, meta, server, context: said, room });
  });
  return handlers;
}

/** Sends a notification that belongs to the call, where the release can say so. */
async function tell({ context, server }: Called, notification: Wire): Promise<void> {
  if (context.mcpReq !== undefined) await context.mcpReq.notify(notification);
  else if (context.sendNotification === undefined) await server.notification(notification);
  else await context.sendNotification(notification);
}

function said(text: string): Wire {
  return { content: [{ type: "text", text }] };
}
