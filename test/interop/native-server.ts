// What a native server of these tests offers: for each request a sample's answer in the words of its own revision, and tools that have the
// server ask the client back or notify it. Nothing here goes through polyrev.
import type { Wire } from "../../runtime/index.js";
import { tables } from "../../runtime/mcp.js";
import { isObject } from "./holds.js";
import { samplesAt } from "./judge.js";
import type { Peer, ServerHandler } from "./peers.js";
import type { SdkServer } from "./sdk.js";
import { sampleFor, type Sample } from "./samples.js";

/** What the native servers say they can do, beside what their SDK adds. */
export function serverCapabilities(revision: string): Wire {
  const changes = { listChanged: true };
  return {
    tools: changes,
    prompts: changes,
    resources: { ...changes, subscribe: true },
    logging: {},
    ...(revision < "2025-03-26" ? {} : { completions: {} }),
  };
}

/** Gives the samples whose answers a revision has words for. */
export function nativeSamples(revision: string): readonly Sample[] {
  return samplesAt(revision).filter(({ needs }) => needs.every((feature) => (tables.features[feature]?.first ?? "") <= revision));
}

/** Gives a sample's answer as an application of a revision writes it: the SDK of the newest adds what every result has by itself. */
export function nativeResult({ result = {} }: Sample): Wire {
  const { resultType: _type, ttlMs, cacheScope, ...rest } = result;
  return ttlMs === undefined || ttlMs === 0 ? rest : { ...rest, ttlMs, cacheScope };
}

/** Makes the handlers of a native server. */
export function nativeHandlers(peer: Peer): ReadonlyMap<string, ServerHandler> {
  const methods = [...new Set(samplesAt(peer.revision).map(({ method }) => method))].filter((method) => method !== "ping");
  const handle = (method: string): ServerHandler => {
    if (method !== "tools/call") return (params) => answer(method, params);
    return (params, server, context) => {
      const ask = ASKS[String(params["name"])];
      if (ask !== undefined) return peer.era === "modern" ? askWithin(ask, context) : askBeside(ask, server);
      return params["name"] === "notify" ? notify(params, server) : answer(method, params);
    };
  };
  return new Map(methods.map((method) => [method, handle(method)]));
}

function answer(method: string, params: Wire): unknown {
  const sample = sampleFor(method, params);
  if (sample.error === undefined) return nativeResult(sample);
  throw Object.assign(new Error(String(sample.error["message"])), sample.error);
}

/** A request of the server to its client. */
export interface Ask {
  readonly method: string;
  readonly params: Wire;
  /** The first revision to have it. */
  readonly since: string;
}

/** What a server asks its client, by the tool that makes it do so. */
export const ASKS: Readonly<Record<string, Ask>> = {
  "ask sampling": {
    method: "sampling/createMessage",
    since: "2024-11-05",
    params: {
      messages: [
        { role: "user", content: { type: "text", text: "How is Lisbon?" } },
        { role: "assistant", content: { type: "text", text: "Which day?" } },
      ],
      systemPrompt: "Be brief",
      includeContext: "none",
      temperature: 0.5,
      maxTokens: 100,
      stopSequences: ["\n"],
      modelPreferences: { hints: [{ name: "small" }], costPriority: 1 },
      metadata: { purpose: "test" },
    },
  },
  "ask sampling with an image": {
    method: "sampling/createMessage",
    since: "2024-11-05",
    params: { messages: [{ role: "user", content: { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" } }], maxTokens: 1 },
  },
  "ask sampling with audio": {
    method: "sampling/createMessage",
    since: "2025-03-26",
    params: { messages: [{ role: "user", content: { type: "audio", data: "UklGRg==", mimeType: "audio/wav" } }], maxTokens: 1 },
  },
  "ask elicitation": {
    method: "elicitation/create",
    since: "2025-06-18",
    params: {
      message: "Which city?",
      requestedSchema: {
        type: "object",
        properties: {
          city: { type: "string", title: "City", minLength: 1 },
          days: { type: "integer", minimum: 1, maximum: 7 },
          metric: { type: "boolean", default: true },
          tone: { type: "string", enum: ["dry", "warm"] },
        },
        required: ["city"],
      },
    },
  },
  "ask roots": { method: "roots/list", since: "2024-11-05", params: {} },
};

/** What a client of these tests answers a server, in canonical form, by method. */
export const REPLIES: Readonly<Record<string, Wire>> = {
  "sampling/createMessage": {
    role: "assistant",
    model: "small-1",
    stopReason: "endTurn",
    content: { type: "text", text: "Sunny." },
  },
  "elicitation/create": { action: "accept", content: { city: "Lisbon", days: 2, metric: true, tone: "dry" } },
  "roots/list": { roots: [{ uri: "file:///home/lisbon", name: "Lisbon" }] },
};

/** Sends a request of its own while the client waits, as servers did before 2026-07-28; what the client said becomes the answer's text. */
async function askBeside({ method, params }: Ask, server: SdkServer): Promise<Wire> {
  if (method === "roots/list") return told(await server.listRoots());
  return told(await (method === "sampling/createMessage" ? server.createMessage(params) : server.elicitInput?.(params)));
}

/** Asks in its answer and is called again with what the client said, as servers do since. */
function askWithin({ method, params }: Ask, context: unknown): Wire {
  const { inputResponses } = (context as { readonly mcpReq: { readonly inputResponses?: Wire } }).mcpReq;
  if (inputResponses !== undefined) return told(inputResponses["ask"]);
  return { resultType: "input_required", inputRequests: { ask: { method, params } }, requestState: "state-1" };
}

function told(value: unknown): Wire {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}

/** The notifications a server sends while it answers. */
export const NOTIFICATIONS: readonly { readonly method: string; readonly params?: Wire }[] = [
  { method: "notifications/message", params: { level: "warning", logger: "test", data: { any: ["value", 1] } } },
  { method: "notifications/tools/list_changed" },
  { method: "notifications/prompts/list_changed" },
  { method: "notifications/resources/list_changed" },
  { method: "notifications/resources/updated", params: { uri: "file:///lisbon/readings.csv" } },
];

async function notify(params: Wire, server: SdkServer): Promise<Wire> {
  const meta = params["_meta"];
  const token = isObject(meta) ? meta["progressToken"] : undefined;
  if (token !== undefined) {
    await server.notification({ method: "notifications/progress", params: { progressToken: token, progress: 1, total: 2 } });
    await server.notification({ method: "notifications/progress", params: { progressToken: token, progress: 2, total: 2 } });
  }
  for (const notification of NOTIFICATIONS) await server.notification(notification);
  return { content: [] };
}
