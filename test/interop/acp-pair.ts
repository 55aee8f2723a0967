// Pairs of one side of ours and one application of the ACP SDK, and what they are made to say: every message of the corpus that travels in a
// direction. What each handler was asked and answered is kept.
import { isDeepStrictEqual } from "node:util";
import { tables } from "../../runtime/acp.js";
import type { Direction, GateEntry, Handler, Snapshot, Wire } from "../../runtime/index.js";
import { V1_MESSAGES, V2_MESSAGES, type Message } from "../corpus/acp-messages.js";
import { loadAcp, V1, type AcpApp, type AcpContext, type AcpModule, type AcpPeer } from "./acp-sdk.js";
import { Side, type Role } from "./acp-side.js";
import { memoryWire, recordedLine, type Frame } from "./acp-wire.js";
import { valueAt } from "./holds.js";
import { describe } from "./judge.js";
import type { Line } from "./line.js";
import { settle, type Settled } from "./settle.js";

/** The direction of what a side hears, by its role. */
export const INCOMING: Readonly<Record<Role, Direction>> = { client: "serverToClient", server: "clientToServer" };

/** The notification that the SDK keeps for itself. */
const TAKEN_BY_SDK = "$/cancel_request";

/** One call of a handler, and what it answered. */
export interface Served {
  readonly method: string;
  readonly params: unknown;
  readonly result: unknown;
}

/** What each side says of itself. */
export interface Hellos {
  readonly client: Wire;
  readonly server: Wire;
}

/** What a pair is opened with. */
export interface PairOptions {
  readonly hellos: Hellos;
  readonly distort?: (honest: Snapshot) => Snapshot;
  /** What the agent does while the client waits for the answer to its first prompt. */
  readonly onPrompt?: (client: Teller) => Promise<void>;
}

/** What both our side and an application of the SDK can: ask and tell. */
export interface Teller {
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): void | Promise<void>;
}

/** A pair: our side, theirs, and what crossed the wire. */
export interface Pair {
  readonly side: Side;
  readonly peer: AcpPeer;
  readonly frames: readonly Frame[];
  /** What our handlers were asked. */
  readonly ours: readonly Served[];
  /** What theirs were. */
  readonly theirs: readonly Served[];
  close(): Promise<void>;
}

/** What was sent, and what came of it. */
export interface Told {
  readonly method: string;
  readonly params: unknown;
  readonly got: Settled;
}

/** Gives the payloads of the corpus of one part of a method. */
export function payloadsOf(revision: string, method: string, part: Message[1]): readonly unknown[] {
  return messagesOf(revision)
    .filter((message) => message[0] === method && message[1] === part)
    .map(([, , , value]) => value);
}

/** Gives a payload that every handler has to refuse: no member that any method names is of its type. */
export function rubbish(): unknown {
  return { sessionId: 7, methodId: 7, cursor: 7, requestId: {}, elicitationId: 7, update: 7, _meta: 7 };
}

/** Gives what two sides say that can do everything, and two that can nothing. */
export function hellosOf(revision: string): { readonly full: Hellos; readonly bare: Hellos } {
  const client = payloadsOf(revision, "initialize", "params") as readonly Wire[];
  const server = payloadsOf(revision, "initialize", "result") as readonly Wire[];
  return { full: pick(client[0], server[0]), bare: pick(client[1], server[1]) };
}

/** Lists what a revision asks of the methods that travel in a direction: of those only that ask something, or of all. */
export function gatesOf(revision: string, direction: Direction, which: "gated" | "all" = "gated"): readonly GateEntry[] {
  const entries = tables.gates[revision] ?? [];
  return entries.filter((entry) => entry.direction === direction && (which === "all" || entry.shape !== "baseline"));
}

/** Opens a pair in memory of our side in a role and the SDK's application in the other; they have not shaken hands. */
export async function openPair(revision: string, role: Role, options: PairOptions): Promise<Pair> {
  const sdk = await loadAcp(revision);
  const { line, stream } = memoryWire(sdk);
  const frames: Frame[] = [];
  const [ours, theirs]: [Served[], Served[]] = [[], []];
  const side = await openSide(revision, role, recordedLine(line, INCOMING[role], frames), options, ours);
  const connection = nativeApp(sdk, revision, role === "client" ? "server" : "client", options, theirs).connect(stream);
  const close = async (): Promise<void> => {
    connection.close();
    await side.close();
  };
  return { side, peer: given(connection.agent ?? connection.client), frames, ours, theirs, close };
}

/** Opens our side on a line; its handlers answer with the corpus. */
export async function openSide(revision: string, role: Role, line: Line, options: PairOptions, served: Served[]): Promise<Side> {
  const { hellos, distort, onPrompt } = options;
  const ask = once(() => onPrompt?.(side));
  const handlers = gatesOf(revision, INCOMING[role], "all").map(({ method }): [string, Handler] => [
    method,
    async (params) => {
      if (method === "initialize") return answerHello(hellos, params, served);
      if (method === "session/prompt") await ask();
      return serve(revision, method, params, served);
    },
  ]);
  const own = { revision, role, line, hello: hellos[role], handlers: Object.fromEntries(handlers) };
  const side: Side = await Side.open(distort === undefined ? own : { ...own, distort });
  return side;
}

/** Makes an application of the SDK in a role; its handlers answer with the corpus. */
export function nativeApp(sdk: AcpModule, revision: string, role: Role, { hellos, onPrompt }: PairOptions, served: Served[]): AcpApp {
  const app = role === "client" ? sdk.client({ name: "native" }) : sdk.agent({ name: "native" });
  const ask = once(onPrompt);
  for (const { method, kind } of gatesOf(revision, INCOMING[role], "all")) {
    const handler = async ({ params, client }: AcpContext): Promise<unknown> => {
      if (method === "initialize") return answerHello(hellos, params, served);
      if (method === "session/prompt") await ask(given(client));
      return serve(revision, method, params, served);
    };
    if (method === TAKEN_BY_SDK) continue;
    if (kind === "request") app.onRequest(method, handler);
    else app.onNotification(method, handler);
  }
  return app;
}

/** Has the client of a pair introduce itself, and gives what the agent answered. */
export function shakeHands(pair: Pair, role: Role, { client }: Hellos): Promise<unknown> {
  return role === "client" ? pair.side.initialize() : pair.peer.request("initialize", client);
}

/** Has a side say every message of the corpus in one direction, one after the other, often enough to hear every answer. */
export async function tellAll(revision: string, direction: Direction, teller: Teller): Promise<readonly Told[]> {
  const told: Told[] = [];
  for (const { method, kind } of gatesOf(revision, direction, "all")) {
    if (method === "initialize") continue;
    const params = payloadsOf(revision, method, "params");
    const times = Math.max(params.length, payloadsOf(revision, method, "result").length);
    for (let time = 0; time < times; time += 1) {
      const sent = params[time % params.length];
      // oxlint-disable-next-line no-await-in-loop -- a conversation has an order
      told.push({ method, params: sent, got: await tell(teller, kind, method, sent) });
    }
  }
  return told;
}

/** Says one message and waits for what comes of it. */
export function tell(teller: Teller, kind: GateEntry["kind"], method: string, params: unknown): Promise<Settled> {
  return settle((async () => (kind === "request" ? await teller.request(method, params) : await teller.notify(method, params)))());
}

/** Gives the code of an error that a call ended with; undefined where it ended well. */
export function codeOf(got: Settled): unknown {
  return "error" in got ? (got.error as { readonly code?: unknown }).code : undefined;
}

/** Lists what is wrong with what came of messages of a method: not one may fail, and each has to arrive and be answered as it was sent. */
export function toldFaults(method: string, told: readonly Told[], served: readonly Served[]): readonly string[] {
  const arrived = served.filter((call) => call.method === method);
  const faults: string[] = [];
  for (const { params, got } of told.filter((call) => call.method === method)) {
    const sent = `${method} ${JSON.stringify(params)}`;
    if (isOutOfReach(method, params)) {
      if (!("error" in got)) faults.push(`${sent} was served, though nobody advertised its mode`);
      continue;
    }
    const call = arrived.shift();
    if ("error" in got) faults.push(`${sent} failed: ${describe(got.error)}`);
    else if (call === undefined) faults.push(...(method === TAKEN_BY_SDK ? [] : [`${sent} did not arrive`]));
    else {
      if (!isDeepStrictEqual(call.params, params)) faults.push(`${sent} arrived as ${JSON.stringify(call.params)}`);
      if (!isDeepStrictEqual(got.value, call.result))
        faults.push(`${JSON.stringify(call.result)} came back as ${JSON.stringify(got.value)}`);
    }
  }
  return [...faults, ...arrived.map((call) => `${method} ${JSON.stringify(call.params)} was never sent`)];
}

/** Lists what is wrong with how a message that nobody may send was met: a request needs the code, a notification is dropped, and nothing is served. */
export async function denialFaults(pair: Pair, { method, kind }: GateEntry, params: unknown, code: number): Promise<readonly string[]> {
  const [before, seen] = [pair.ours.length, pair.side.observed.length];
  const got = await tell(pair.peer, kind, method, params);
  if (kind === "notification") await settled(pair);
  const isDropped = pair.side.observed.slice(seen).some((event) => event.event === "dropped" && event.method === method);
  return [
    ...(pair.ours.length === before ? [] : [`${method} was served`]),
    ...(kind === "request" && codeOf(got) !== code ? [`${method} was answered ${JSON.stringify(codeOf(got))}, not ${code}`] : []),
    ...(kind === "notification" && !isDropped ? [`${method} was not dropped`] : []),
  ];
}

/** Tells whether an elicitation is of a mode that no capability announces. */
export function isOutOfReach(method: string, params: unknown): boolean {
  return method === "elicitation/create" && !["form", "url"].includes(String(valueAt(params, ["mode"])));
}

/** Waits until our side has answered everything the peer said so far. */
async function settled({ peer }: Pair): Promise<void> {
  await settle(peer.request("_settled", {}));
}

function messagesOf(revision: string): readonly Message[] {
  return revision === V1 ? V1_MESSAGES : V2_MESSAGES;
}

function pick(client: Wire | undefined, server: Wire | undefined): Hellos {
  return { client: client ?? {}, server: server ?? {} };
}

function answerHello({ server }: Hellos, params: unknown, served: Served[]): unknown {
  served.push({ method: "initialize", params, result: server });
  return server;
}

/** Answers with the results of the corpus in turn. */
function serve(revision: string, method: string, params: unknown, served: Served[]): unknown {
  const results = payloadsOf(revision, method, "result");
  const before = served.filter((call) => call.method === method).length;
  const result = results.length === 0 ? undefined : results[before % results.length];
  served.push({ method, params, result });
  return result;
}

function once<A extends readonly unknown[]>(run: ((...args: A) => Promise<void> | undefined) | undefined): (...args: A) => Promise<void> {
  let isDone = false;
  return async (...args) => {
    if (isDone) return;
    isDone = true;
    await run?.(...args);
  };
}

function given(peer: AcpPeer | undefined): AcpPeer {
  if (peer === undefined) throw new Error("cannot talk to the peer: the SDK gave nobody to talk to");
  return peer;
}
