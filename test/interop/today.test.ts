// What goes wrong today between releases of different revisions, each shown twice: without polyrev the native client fails or shows nothing, with
// polyrev it reads the content or is spared the message by a refusal that names the feature.
import { describe, expect, it } from "vitest";
import {
  isLowerError,
  liftEnvelope,
  lowerEnvelope,
  TranslationReport,
  UnknownRevisionError,
  type Preset,
  type Wire,
} from "../../runtime/index.js";
import { DegradePolicy, knownRevisions, resolve } from "../../runtime/mcp.js";
import { toolsCodec } from "./codecs.js";
import { blocksOf, bytes, isObject, objectsOf, structured, text, words, type Hold } from "./holds.js";
import { openSession, policyOf } from "./judge.js";
import { memoryLine } from "./line.js";
import { loadModernPeer, PEER_INFO, PEERS, peerOf, type Peer } from "./peers.js";
import { gotten, meetRaw, readRaw } from "./raw.js";
import { loadModule, type ModernServerModule } from "./sdk.js";
import { attempt, settle, within } from "./settle.js";
import { validatorsOf } from "./validity.js";

const CALL = { name: "any", arguments: {} };
const HELLO = { type: "text", text: "hello" };
const AUDIO = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
const LINK = { type: "resource_link", uri: "file:///x", name: "x" };

const LEGACY = PEERS.filter(({ era }) => era === "legacy");

/** Lowers a canonical result of a tool for a native client and gives what its application gets. */
async function readLowered(
  peer: Peer,
  preset: Preset,
  result: Wire,
): Promise<{ readonly got: Wire; readonly refused: string | undefined }> {
  const session = await openSession(peer, policyOf(preset), () => ({ result: { resultType: "complete", ...result } }));
  const got = gotten(await settle(session.client.call("tools/call", CALL)));
  await session.close();
  return { got, refused: session.answerer.recorded.at(-1)?.refusal?.feature };
}

/** Lists the clients that reject a result as it is. */
async function rejecting(method: string, params: Wire, result: Wire): Promise<readonly string[]> {
  const outcomes = await Promise.all(PEERS.map((peer) => readRaw(peer, method, params, result)));
  return PEERS.filter((_, index) => "error" in outcomes[index]!).map(({ alias }) => alias);
}

function expectHolds(result: Wire, ...holds: readonly Hold[]): void {
  expect(holds.filter((hold) => !hold.found(result)).map(({ what }) => what)).toEqual([]);
}

describe("one block of a later revision", () => {
  it("makes the whole result fail: audio for one release, a resource link for three, an unknown one for all", async () => {
    const complete = (block: Wire) => ({ resultType: "complete", content: [HELLO, block] });
    expect(await rejecting("tools/call", CALL, complete(AUDIO))).toEqual(["sdk-1.0"]);
    expect(await rejecting("tools/call", CALL, complete(LINK))).toEqual(["sdk-1.0", "sdk-1.10", "sdk-1.12"]);
    expect(await rejecting("tools/call", CALL, complete({ type: "video", uri: "x" }))).toEqual(PEERS.map(({ alias }) => alias));
  });

  it.each(PEERS.map((peer) => [peer.alias, peer] as const))("lowered for %s, leaves the result whole", async (_, peer) => {
    const { got } = await readLowered(peer, "balanced", { content: [HELLO, AUDIO, LINK] });
    expectHolds(got, text("hello"), bytes("UklGRg==", "audio/wav"), words("file:///x"));
  });

  it.each(PEERS.map((peer) => [peer.alias, peer] as const))(
    "lowered for %s, is never passed on where nobody knows it",
    async (_, { revision }) => {
      const codec = await toolsCodec(revision);
      for (const policy of [DegradePolicy.balanced(), DegradePolicy.permissive()]) {
        const result = { resultType: "complete", content: [HELLO, { type: "video", uri: "x" }] };
        const lowered = attempt(() => codec.lower("tools/call", "result", result, policy));
        if ("error" in lowered) expect(isLowerError(lowered.error) && lowered.error.path).toBe("/content/1");
        else expect(JSON.stringify(gotten(lowered)["content"])).not.toContain('"type":"video"');
      }
    },
  );
});

describe("a result without content", () => {
  const value = { answer: 42 };

  it("is rejected by the clients of 2024-11-05", async () => {
    const rejects = await rejecting("tools/call", CALL, { resultType: "complete", structuredContent: value });
    expect(rejects).toEqual(["sdk-1.0", "sdk-1.10", "sdk-2"]);
  });

  it.each(["sdk-1.0", "sdk-1.10"])("shows nothing to %s where the content is empty", async (alias) => {
    const got = gotten(await readRaw(peerOf(alias), "tools/call", CALL, { content: [], structuredContent: value }));
    expect(blocksOf(got)).toEqual([]);
  });

  it.each(LEGACY.flatMap((peer) => [[peer.alias, "empty", { content: [] }, peer] as const, [peer.alias, "no", {}, peer] as const]))(
    "lowered for %s, shows the value where there is %s content",
    async (_, __, content, peer) => {
      const { got } = await readLowered(peer, "balanced", { ...content, structuredContent: value });
      expectHolds(got, structured(value));
      if (peer.revision < "2025-06-18") expect(blocksOf(got)).toHaveLength(1);
    },
  );
});

describe("an answer that wants input", () => {
  const request = {
    method: "elicitation/create",
    params: { mode: "form", message: "Which?", requestedSchema: { type: "object", properties: {} } },
  };
  const result = { resultType: "input_required", inputRequests: { ask: request }, requestState: "s" };

  it.each(["sdk-1.12", "sdk-1.22", "sdk-1.32"])("is an empty success to %s", async (alias) => {
    const got = gotten(await readRaw(peerOf(alias), "tools/call", CALL, result));
    expect(got).toMatchObject({ content: [] });
    expect(got["isError"]).toBeUndefined();
  });

  it.each(LEGACY.flatMap((peer) => (["strict", "balanced", "permissive"] as const).map((preset) => [peer.alias, preset, peer] as const)))(
    "is kept from %s under %s",
    async (_, preset, peer) => {
      const { got, refused } = await readLowered(peer, preset, result);
      expect(got).toEqual({});
      expect(refused).toBe("requests.multi-round-trip");
    },
  );
});

describe("a list without what 2026-07-28 wants of every list", () => {
  const tool = { name: "weather", inputSchema: { type: "object" } };

  it("is rejected as a whole by the newest client", async () => {
    const newest = peerOf("sdk-2");
    const got = await readRaw(newest, "tools/list", { cursor: "c" }, { resultType: "complete", tools: [tool] });
    expect("error" in got).toBe(true);
  });

  it.each(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])("is filled when it comes from %s", async (revision) => {
    const old = await toolsCodec(revision);
    const list = old.lift("tools/list", "result", { tools: [tool] });
    const session = await openSession(peerOf("sdk-2"), policyOf("strict"), () => ({ result: list }));
    const got = gotten(await settle(session.client.call("tools/list", { cursor: "c" })));
    await session.close();
    expect(got["tools"]).toEqual([tool]);
    expect(session.answerer.recorded.at(-1)?.report.isLossless).toBe(true);
  });
});

describe("a member an SDK does not know", () => {
  const tool = { name: "weather", inputSchema: { type: "object" }, "x-vendor": 1 };
  const list = { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [tool] };

  it("is taken away by the newest client, which says nothing", async () => {
    const got = gotten(await readRaw(peerOf("sdk-2"), "tools/list", { cursor: "c" }, list));
    expect(got["tools"]).toEqual([{ name: "weather", inputSchema: { type: "object" } }]);
  });

  it("is passed on by polyrev, and reaches the clients that keep it", async () => {
    const session = await openSession(peerOf("sdk-1.0"), policyOf("strict"), () => ({ result: list }));
    const got = gotten(await settle(session.client.call("tools/list", { cursor: "c" })));
    await session.close();
    expect(got["tools"]).toEqual([tool]);
  });
});

describe("the newest server in a session of 2024-11-05", () => {
  it("sends what that revision does not have, and polyrev lowers or refuses it", async () => {
    const said = await newestServerAt("2024-11-05");
    const [tool] = objectsOf(said.get("tools/list")?.["tools"]);
    expect(Object.keys(tool ?? {})).toEqual(expect.arrayContaining(["title", "icons", "outputSchema"]));
    expect(objectsOf(said.get("tools/call")?.["content"]).map(({ type }) => type)).toEqual(["text", "audio", "resource_link"]);
    expect(said.get("elicitation/create")).toMatchObject({ message: "Which?" });

    const codec = await toolsCodec("2024-11-05", { elicitation: {} });
    const validity = await validatorsOf("2024-11-05");
    for (const method of ["tools/list", "tools/call"]) {
      const result = said.get(method);
      const report = new TranslationReport();
      const lowered = codec.lower(method, "result", codec.lift(method, "result", result), DegradePolicy.balanced(), report);
      expect(validity.faults(method, "result", lowered)).toEqual([]);
      const got = await readRaw(peerOf("sdk-1.0"), method, method === "tools/call" ? CALL : {}, lowered);
      expect("value" in got, JSON.stringify(lowered)).toBe(true);
      if (method === "tools/call") expectHolds(gotten(got), text("hello"), bytes("UklGRg==", "audio/wav"), words("file:///x"));
    }

    const request = { jsonrpc: "2.0", id: 1, method: "elicitation/create", params: said.get("elicitation/create") };
    const refused = attempt(() => lowerEnvelope(codec, liftEnvelope(codec, request), DegradePolicy.permissive()));
    expect("error" in refused && isLowerError(refused.error) && refused.error.feature).toBe("elicitation");
  });
});

/** Drives the newest server at an older revision; gives the last result of each method, and the params of what it asked. */
async function newestServerAt(revision: string): Promise<ReadonlyMap<string, Wire>> {
  const { McpServer, fromJsonSchema } = await loadModule<ModernServerModule>("@modelcontextprotocol/server");
  const { readLine } = await loadModernPeer(peerOf("sdk-2"), {});
  const server = new McpServer(PEER_INFO, { capabilities: { tools: {} } });
  const config = {
    title: "Weather",
    icons: [{ src: "https://example.com/i.png" }],
    outputSchema: fromJsonSchema({ type: "object", properties: {} }),
  };
  server.registerTool("weather", config, () => ({ content: [HELLO, AUDIO, LINK], structuredContent: { celsius: 21 } }));
  server.registerTool("ask", {}, (context) => {
    const { mcpReq } = context as { readonly mcpReq: { elicitInput(params: unknown): Promise<unknown> } };
    return mcpReq.elicitInput({ message: "Which?", requestedSchema: { type: "object", properties: {} } });
  });
  const { line, transport } = memoryLine(readLine);
  await server.connect(transport);
  const said = new Map<string, Wire>();
  const methods = ["initialize", "tools/list", "tools/call", "tools/call"];
  const done = new Promise<void>((resolve) => {
    line.listen(({ id, method, params, result }) => {
      const key = typeof method === "string" ? method : (methods[Number(id)] ?? "");
      said.set(key, isObject(result) ? result : isObject(params) ? params : {});
      if (said.size === 4) resolve();
    });
  });
  line.write({
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo: PEER_INFO },
  });
  line.write({ jsonrpc: "2.0", method: "notifications/initialized" });
  line.write({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  line.write({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "weather", arguments: {} } });
  line.write({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "ask", arguments: {} } });
  await within(20_000, "the newest server", done);
  await line.close();
  return said;
}

describe("a revision nobody knows", () => {
  const revision = "2099-01-01";

  it("is spoken by the newest client when it is told to", async () => {
    const loaded = await loadModernPeer(peerOf("sdk-2"), { versionNegotiation: { mode: { pin: revision } } });
    const handshake = {
      resultType: "complete",
      supportedVersions: [revision],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: "private",
    };
    const client = await meetRaw(loaded, handshake, { resultType: "complete", content: [HELLO] });
    expect(gotten(await settle(client.call("tools/call", CALL)))).toMatchObject({ content: [HELLO] });
    await client.close();
  });

  it("is refused by polyrev, with the revisions it knows", () => {
    const session = { revision, client: {}, server: {}, transport: "stdio" };
    expect(() => resolve(session)).toThrow(UnknownRevisionError);
    expect(() => resolve(session)).toThrow(knownRevisions().join(", "));
  });
});
