// What a native client does in one session, whether a server of its own revision answers or a bridge: each operation gives what the application gets.
import type { Wire } from "../../runtime/index.js";
import { until } from "../bridge/room.js";
import { CHANGES, LEVEL, LOGGED, WATCHED } from "./bridge-server.js";
import { blocksOf, isObject } from "./holds.js";
import { clientCapabilities } from "./judge.js";
import type { Transport } from "./line.js";
import { ASKS, REPLIES } from "./native-server.js";
import type { LoadedPeer, NativeClient } from "./peers.js";
import { requestFor, type Sample } from "./samples.js";
import { settle, within, type Settled } from "./settle.js";

/** How long an operation may take, in milliseconds. */
const PATIENCE = 20_000;

/** How long connecting may take, which may have to start two processes first. */
const START = 50_000;

/** A native client in a session. */
export interface Played {
  readonly peer: LoadedPeer;
  readonly client: NativeClient;
  /** The notifications its application was given, in order. */
  readonly heard: Wire[];
  /** What it was asked last, by method. */
  readonly asked: Map<string, unknown>;
}

/** Connects a native client that can do everything its revision has. */
export async function play(peer: LoadedPeer, transport: Transport): Promise<Played> {
  const client = peer.newClient(clientCapabilities(peer.revision));
  const heard: Wire[] = [];
  const asked = new Map<string, unknown>();
  client.sdk.fallbackNotificationHandler = (notification) => {
    heard.push(notification);
    return Promise.resolve();
  };
  for (const [method, reply] of Object.entries(REPLIES)) {
    if (method === "elicitation/create" && peer.revision < "2025-06-18") continue;
    client.handle(method, ({ params }) => {
      asked.set(method, params);
      return reply;
    });
  }
  await within(START, `${peer.alias} to connect`, client.connect(transport));
  return { peer, client, heard, asked };
}

/** Gives what the application is told of the server. */
export function introduced({ client: { sdk } }: Played): Wire {
  return { version: sdk.getServerVersion(), capabilities: sdk.getServerCapabilities(), instructions: sdk.getInstructions?.() };
}

/** Has the client ask for a sample. */
export function askSample({ client }: Played, sample: Sample): Promise<Settled> {
  return settle(within(PATIENCE, sample.name, client.call(sample.method, requestFor(sample))));
}

/** Has the server ask the client back; gives what the client was asked and what came of the call. */
export async function askBack(played: Played, tool: string): Promise<{ readonly asked: unknown; readonly got: Settled }> {
  const { asked } = played;
  asked.clear();
  const got = await settle(callTool(played, tool));
  return { asked: asked.get(ASKS[tool]?.method ?? ""), got };
}

/** Calls a tool with what the application may say beside it. */
export function callTool(played: Played, name: string, args: Wire = {}, options: Wire = {}, meta?: Wire): Promise<unknown> {
  const { peer, client } = played;
  const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
  const call = peer.era === "modern" ? client.sdk.callTool(params, options) : client.sdk.callTool(params, undefined, options);
  return within(PATIENCE, `${peer.alias} to call ${name}`, call);
}

/** Calls a tool that reports progress; gives what the application was told of it. */
export async function withProgress(played: Played): Promise<readonly unknown[]> {
  const progress: unknown[] = [];
  await callTool(played, "progress", {}, { onprogress: (told: unknown) => progress.push(told) });
  return progress;
}

/** Calls a tool that logs while it is called, or after that; gives the log messages the application got. */
export async function logged(played: Played, when: "log" | "log later"): Promise<readonly Wire[]> {
  const { peer, client, heard } = played;
  const before = heard.length;
  const messages = (): readonly Wire[] => heard.slice(before).filter(({ method }) => method === LOGGED["method"]);
  if (peer.era === "legacy") await client.sdk.setLoggingLevel(LEVEL);
  await callTool(played, when, {}, {}, peer.era === "legacy" ? undefined : { "io.modelcontextprotocol/logLevel": LEVEL });
  await until("a log message", () => messages().length > 0, PATIENCE);
  return messages();
}

/** Subscribes to all changes and has the server announce some; gives the notifications the application got, by method. */
export async function changed(played: Played): Promise<readonly Wire[]> {
  const { peer, client, heard } = played;
  const filter = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: [WATCHED] };
  const subscription = peer.era === "modern" ? await client.sdk.listen?.(filter) : undefined;
  if (peer.era === "legacy") await client.sdk.subscribeResource({ uri: WATCHED });
  const before = heard.length;
  const isChange = ({ method }: Wire): boolean => CHANGES.some((change) => change.method === method);
  await callTool(played, "changes");
  await until("the changes", () => heard.slice(before).filter(isChange).length >= CHANGES.length, PATIENCE);
  await subscription?.close();
  if (peer.era === "legacy") await client.sdk.unsubscribeResource({ uri: WATCHED });
  return heard.slice(before).filter(isChange);
}

/** Starts two calls and cancels the second; gives how both ended, and what the server knows of it. */
export async function cancelled(played: Played): Promise<{ readonly kept: unknown; readonly left: Settled; readonly known: unknown }> {
  const kept = settle(callTool(played, "wait", { name: "kept" }));
  const controller = new AbortController();
  const left = settle(callTool(played, "wait", { name: "left" }, { signal: controller.signal }));
  await untilServer(played, { waiting: ["kept", "left"], cancelled: [] });
  controller.abort("not needed");
  const known = await untilServer(played, { waiting: ["kept"], cancelled: ["left"] });
  await callTool(played, "release");
  return { kept: await kept, left: await left, known };
}

async function untilServer(
  played: Played,
  wanted: { readonly waiting: readonly string[]; readonly cancelled: readonly string[] },
): Promise<unknown> {
  const end = performance.now() + PATIENCE;
  for (;;) {
    const known = said(await callTool(played, "waits"));
    if (JSON.stringify(known) === JSON.stringify(wanted) || performance.now() > end) return known;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Calls a tool that tells what reached the server: the arguments, the metadata, and what it knows of its client. */
export async function echoed(played: Played, args: Wire, meta: Wire): Promise<unknown> {
  return said(await callTool(played, "echo", args, {}, meta));
}

/** Reads the JSON that a tool of the tests answers with. */
export function said(result: unknown): unknown {
  const [block] = isObject(result) ? blocksOf(result) : [];
  return JSON.parse(String(block?.["text"])) as unknown;
}
