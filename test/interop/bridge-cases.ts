// The cases of one native client through a bridge to one native server: all operations in one session, held against what the client gets directly
// from a server of its own revision; then every frame of both hops.
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { METHODS, resolve } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/index.js";
import { askBack, askSample, cancelled, changed, echoed, introduced, logged, said, withProgress, type Played } from "./bridge-play.js";
import { LOGGED } from "./bridge-server.js";
import { faultsOf } from "./bridge-tap.js";
import { openDirect, type Bridged, type Open } from "./bridge-ways.js";
import { difference, isObject } from "./holds.js";
import { clientCapabilities, describe as shown, policyOf, promised } from "./judge.js";
import { ASKS, nativeSamples, REPLIES, serverCapabilities } from "./native-server.js";
import { PEER_INFO, PEERS, type Peer } from "./peers.js";
import { SAMPLES, type Sample } from "./samples.js";
import type { Settled } from "./settle.js";

/** A client, a server, and the way between them. */
export interface Pair {
  readonly client: Peer;
  readonly server: Peer;
}

/** Modern clients before legacy servers: not served yet. */
const SERVES_MODERN_BEFORE_LEGACY = false;

/** Every client with every server that a bridge carries it to. */
export const PAIRS: readonly Pair[] = PEERS.flatMap((client) => PEERS.map((server) => ({ client, server }))).filter(
  ({ client, server }) => SERVES_MODERN_BEFORE_LEGACY || client.era === "legacy" || server.era === "modern",
);

/** What some releases add to what they ask by themselves, and others do not. */
const ADDED = new Set([".mode"]);

/** The code of a refusal: something cannot be said in the words of the other revision. */
const NOT_TRANSLATABLE = -31901;

const POLICY = policyOf("balanced");

/** Says what the cases are that every pair on a way has. */
export function describePairs(way: string, pairs: readonly Pair[], open: (pair: Pair) => Open): void {
  describe.each(pairs.map((pair) => [pair.client.alias, pair.server.alias, pair] as const))(`%s to %s ${way}`, (_, __, pair) => {
    describePair(pair, open(pair));
  });
}

function describePair({ client, server }: Pair, open: Open): void {
  let direct: Direct;
  let bridged: Bridged;
  let played: Played;
  beforeAll(async () => {
    direct = await directOf(client);
    bridged = await open(client, server);
    played = bridged.played;
  });
  afterAll(() => bridged?.close());

  it("is told who the server is and what it can do", () => {
    const { version, capabilities } = introduced(played);
    expect(version).toMatchObject(PEER_INFO);
    expect(capabilities).toMatchObject({ tools: {}, prompts: {}, resources: { subscribe: true }, logging: {} });
  });

  it("gets every answer as from a server of its own revision, or as the policy promises", async () => {
    const faults: string[] = [];
    const samples = samplesFor(client, server);
    for (const sample of samples) {
      const got = await askSample(played, sample);
      const own = direct.samples.get(sample.name);
      const found = own === undefined ? unlikePromised(client, sample, got) : unlikeDirect(sample, own, got, server);
      faults.push(...found.map((fault) => `${sample.name}: ${fault}`));
    }
    expect(samples.length).toBeGreaterThan(50);
    expectNone(faults);
  });

  it.each(Object.keys(ASKS).filter((tool) => (ASKS[tool]?.since ?? "") <= server.revision))("is asked back: %s", async (tool) => {
    const { method = "", since = "" } = ASKS[tool] ?? {};
    const { asked, got } = await askBack(played, tool);
    if (since > client.revision) {
      expect(asked).toBeUndefined();
      expect("error" in got || (isObject(got.value) && got.value["isError"] === true), JSON.stringify(got)).toBe(true);
      return;
    }
    if ("error" in got) expect.fail(shown(got.error));
    expect(said(got.value)).toEqual(REPLIES[method]);
    const { stripped, changed } = difference(direct.asks.get(tool) ?? {}, asked ?? {});
    expect(changed).toEqual([]);
    expect(stripped.filter((path) => !ADDED.has(path))).toEqual([]);
  });

  it("is told of progress, in its order", async () => {
    expect(await withProgress(played)).toEqual([1, 2, 3].map((progress) => expect.objectContaining({ progress, total: 3 })));
  });

  it("is told what the server logs in a call", async () => {
    expect(await logged(played, "log")).toEqual([expect.objectContaining(LOGGED)]);
  });

  it.runIf(server.era === "legacy")("is told what the server logs beside all calls", async () => {
    expect(await logged(played, "log later")).toEqual([expect.objectContaining(LOGGED)]);
  });

  it("is told of changes it subscribed to, each once", async () => {
    const own = direct.changes.map(plain).toSorted(byText);
    expect((await changed(played)).map(plain).toSorted(byText)).toEqual(own);
  });

  it("cancels the call it means and no other", async () => {
    const { kept, left, known } = await cancelled(played);
    expect(known).toEqual({ waiting: ["kept"], cancelled: ["left"] });
    expect(kept).toMatchObject({ value: { content: [{ type: "text", text: "released kept" }] } });
    expect("error" in left).toBe(true);
  });

  it("reaches the server with its arguments, its metadata and its name", async () => {
    const args = { text: "21 °C", deep: { list: [1, null, { a: "b" }] }, "x-vendor": true };
    const meta = { "com.example/trace": "t-2" };
    const echo = (await echoed(played, args, meta)) as Wire;
    expect(echo["args"]).toEqual(args);
    expect(echo["meta"]).toMatchObject(meta);
    expect(echo["client"]).toMatchObject({ info: PEER_INFO, capabilities: { sampling: {}, roots: {} } });
  });

  it("has said and been told nothing on either hop that is invalid there or of the other era", async () => {
    const { frames } = bridged.tap();
    expect(frames.length).toBeGreaterThan(200);
    expectNone(await faultsOf(frames, "downstream", client));
    expectNone(await faultsOf(frames, "upstream", server));
  });
}

function expectNone(faults: readonly string[]): void {
  expect(faults, faults.join("\n")).toEqual([]);
}

/** What a client gets from a server of its own release, with nothing between. */
interface Direct {
  readonly samples: ReadonlyMap<string, Settled>;
  readonly asks: ReadonlyMap<string, unknown>;
  readonly changes: readonly Wire[];
}

const directs = new Map<string, Promise<Direct>>();

function directOf(client: Peer): Promise<Direct> {
  const known = directs.get(client.alias) ?? playDirect(client);
  directs.set(client.alias, known);
  return known;
}

async function playDirect(client: Peer): Promise<Direct> {
  const played = await openDirect(client, client);
  const samples = new Map<string, Settled>();
  for (const sample of nativeSamples(client.revision)) samples.set(sample.name, await askSample(played, sample));
  const asks = new Map<string, unknown>();
  for (const [tool, { since }] of Object.entries(ASKS)) if (since <= client.revision) asks.set(tool, (await askBack(played, tool)).asked);
  const changes = await changed(played);
  await played.client.close();
  return { samples, asks, changes };
}

/** Lists what a client can ask for: what the server has words for, and what a bridge answers for it. */
function samplesFor(client: Peer, server: Peer): readonly Sample[] {
  const has = ({ revision }: Peer, name: string): boolean => {
    const methods: readonly { readonly method: string }[] = METHODS[revision as keyof typeof METHODS];
    return methods.some(({ method }) => method === name);
  };
  const served = new Set(nativeSamples(server.revision));
  return SAMPLES.filter((sample) => has(client, sample.method) && (served.has(sample) || !has(server, sample.method)));
}

/** The two codes of a resource that is not there. */
const NOT_FOUND: readonly unknown[] = [-32002, -32602];

/** The releases whose servers hand on what an application's error holds beside its message. */
const GIVES_DATA = new Set(["sdk-1.32", "sdk-2"]);

function unlikeDirect({ method, error }: Sample, own: Settled, got: Settled, { alias }: Peer): readonly string[] {
  if ("value" in own) {
    if ("error" in got) return [`it fails: ${shown(got.error)}`];
    return isDeepStrictEqual(got.value, own.value) ? [] : [`it is ${JSON.stringify(got.value)}, directly ${JSON.stringify(own.value)}`];
  }
  if ("value" in got) return [`the error became ${JSON.stringify(got.value)}`];
  const [mine, theirs] = [errorOf(own.error), errorOf(got.error)];
  const data = GIVES_DATA.has(alias) ? error?.["data"] : undefined;
  const isSame =
    mine.code === theirs.code || (method === "resources/read" && [mine.code, theirs.code].every((code) => NOT_FOUND.includes(code)));
  return [
    ...(isSame ? [] : [`the code is ${String(theirs.code)}, directly ${String(mine.code)}`]),
    ...(theirs.message === mine.message.replace(String(mine.code), String(theirs.code))
      ? []
      : [`the message is ${theirs.message}, directly ${mine.message}`]),
    ...(isDeepStrictEqual(theirs.data, data) ? [] : [`the data are ${JSON.stringify(theirs.data)}, the server's ${JSON.stringify(data)}`]),
  ];
}

function errorOf(error: unknown): { readonly code: unknown; readonly message: string; readonly data: unknown } {
  const { code, message, data } = error as { readonly code?: unknown; readonly message?: unknown; readonly data?: unknown };
  return { code, message: String(message), data };
}

/** Holds what a client got of a later revision's answer against the policy. */
function unlikePromised(client: Peer, sample: Sample, got: Settled): readonly string[] {
  const profile = resolve({
    revision: client.revision,
    client: clientCapabilities(client.revision),
    server: serverCapabilities(client.revision),
    transport: "stdio",
  });
  const may = promised(profile, POLICY, sample);
  if ("error" in got) {
    const isRefused = errorOf(got.error).code === NOT_TRANSLATABLE && may.includes("refused");
    return isRefused ? [] : [`it fails: ${shown(got.error)}`];
  }
  const { value } = got;
  if (!isObject(value)) return [`it is ${JSON.stringify(value)}`];
  return sample.holds.filter((hold) => !hold.found(value)).map(({ what }) => `${what} is not in ${JSON.stringify(value)}`);
}

/** Gives a notification as it is anywhere: without what names the subscription of one hop. */
function plain({ method, params }: Wire): Wire {
  const { _meta, ...rest } = isObject(params) ? params : {};
  return { method, params: rest };
}

function byText(a: Wire, b: Wire): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
