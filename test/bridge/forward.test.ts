// What a bridge promises of one message: each promise is held against the text that reached the server, and what came back.
import { describe, expect, it } from "vitest";
import type { Agreement } from "../../runtime/bridge/agreement.js";
import { Bridge, type Forwarded } from "../../runtime/bridge/bridge.js";
import type { BridgeError } from "../../runtime/bridge/errors.js";
import { codecFor, DegradePolicy, REVISIONS, resolve } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/index.js";
import { parseMessage } from "../../runtime/transport/json.js";
import { Refuse, WirePeer, type Script } from "./wire-peer.js";

const ALL = REVISIONS.map(({ revision }) => revision);
const LEGACY = REVISIONS.filter(({ era }) => era === "legacy").map(({ revision }) => revision);
const EVERYTHING = {
  client: { roots: {}, sampling: {}, elicitation: {} },
  server: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true }, logging: {}, completions: {} },
};

interface Room {
  readonly downstream?: string;
  readonly upstream?: string;
  readonly client?: Wire;
  readonly server?: Wire;
  readonly policy?: Agreement["policy"];
}

async function bridgeTo(script: Script, room: Room = {}): Promise<{ readonly bridge: Bridge; readonly peer: WirePeer }> {
  const { downstream = "2025-11-25", upstream = "2025-11-25", client = EVERYTHING.client, server = EVERYTHING.server } = room;
  const peer = new WirePeer(script);
  const bound = async (revision: string) =>
    codecFor(revision, resolve({ revision, client, server, transport: "stdio" }), {
      clientCapabilities: client,
      checked: downstream !== upstream,
    });
  const agreement = {
    downstream: await bound(downstream),
    upstream: await bound(upstream),
    policy: room.policy ?? DegradePolicy.balanced(),
  };
  return { bridge: new Bridge(agreement, peer), peer };
}

const message = (text: string): Wire => parseMessage(text) as Wire;
const request = (method: string, params: unknown, beside: object = {}): Wire => ({ jsonrpc: "2.0", id: 1, method, params, ...beside });
const fail = (): never => {
  throw new Error("nothing should have been sent");
};
const failure = async (forwarded: Promise<Forwarded>): Promise<BridgeError> => forwarded.then(fail, (error: BridgeError) => error);

describe.each(LEGACY)("forwarded at %s as it came", (revision) => {
  const same = { downstream: revision, upstream: revision };

  it.each([
    ["a top-level member nobody models", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"},"x-trace":{"a":[1]}}'],
    [
      "a directive nobody models",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","dryRun":true,"_meta":{"v/directive":"now"}}}',
    ],
    ["a method nobody models", '{"jsonrpc":"2.0","id":1,"method":"vendor/do","params":{"a":{"b":null}}}'],
    ["a method nobody models without params", '{"jsonrpc":"2.0","id":1,"method":"vendor/do"}'],
    [
      "numbers no double holds",
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"n":9007199254740993,"m":1.0}}}',
    ],
    ["a key named __proto__", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"__proto__":{"a":1}}}}'],
  ])("%s reaches the server intact", async (_, text) => {
    const { bridge, peer } = await bridgeTo(() => ({ content: [] }), same);
    const { report, reply } = await bridge.forward(message(text));
    expect(peer.lines).toEqual([text]);
    expect(report.isEmpty).toBe(true);
    expect(reply).toEqual({ jsonrpc: "2.0", id: 1, result: { content: [] } });
  });

  it("a notification gets no answer", async () => {
    const text = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}';
    const { bridge, peer } = await bridgeTo(fail, same);
    const { reply, report } = await bridge.forward(message(text));
    expect(reply).toBeUndefined();
    expect(report.isEmpty).toBe(true);
    expect(peer.lines).toEqual([text]);
  });

  it("a refusal of the server comes back as it is", async () => {
    const { bridge } = await bridgeTo(() => Promise.reject(new Refuse(-32077, "not today", { after: 5 })), same);
    const { reply, report } = await bridge.forward(request("tools/call", { name: "x" }));
    expect(reply).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32077, message: "not today", data: { after: 5 } } });
    expect(report.isEmpty).toBe(true);
  });

  it("an answer with a block of a type nobody knows comes back as it is", async () => {
    const result = { content: [{ type: "hologram", depth: 3 }], extra: 1 };
    const { bridge } = await bridgeTo(() => result, same);
    expect((await bridge.forward(request("tools/call", { name: "x" }))).reply).toMatchObject({ result });
  });
});

describe("not forwarded", () => {
  it.each<readonly [string, Room, Wire, Partial<BridgeError> & { feature?: string }]>([
    ["what the server does not offer", { server: {} }, request("tools/list", {}), { code: "feature-unavailable", feature: "tools" }],
    ["a method the server's revision lacks", { upstream: "2026-07-28" }, request("ping", {}), { code: "method-not-bridged" }],
    ["a method the client's revision lacks", { downstream: "2024-11-05" }, request("server/discover", {}), { code: "method-not-bridged" }],
    ["a method that travels the other way", {}, request("roots/list", {}), { code: "method-not-bridged" }],
    ["what is no message", {}, { jsonrpc: "1.0", id: 1, method: "tools/list" }, { code: "unreadable" }],
    ["params by position", {}, request("tools/list", [1]), { code: "unreadable" }],
    ["a response to nothing", {}, { jsonrpc: "2.0", id: 1, result: {} }, { code: "unreadable" }],
  ])("%s", async (_, room, sent, error) => {
    const { bridge, peer } = await bridgeTo(fail, room);
    expect(await failure(bridge.forward(sent))).toMatchObject(error);
    expect(peer.lines).toEqual([]);
  });

  it("what the policy refuses, naming the place", async () => {
    const { bridge, peer } = await bridgeTo(fail, { upstream: "2025-03-26", policy: DegradePolicy.strict() });
    const context = { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" }, context: { arguments: {} } };
    const error = await failure(bridge.forward(request("completion/complete", context)));
    expect(error).toMatchObject({ code: "not-readable", refusal: { feature: "completion.context", path: "/context" } });
    expect(peer.lines).toEqual([]);
  });
});

describe("across revisions", () => {
  it.each(LEGACY)("the envelope of the modern era is added to a request of %s, and taken off its answer", async (downstream) => {
    const { bridge, peer } = await bridgeTo(() => ({ tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" }), {
      downstream,
      upstream: "2026-07-28",
    });
    const { reply, report } = await bridge.forward(request("tools/list", { cursor: "c" }));
    expect(peer.messages[0]).toMatchObject({ params: { cursor: "c", _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } } });
    expect(reply).toEqual({ jsonrpc: "2.0", id: 1, result: { tools: [] } });
    expect(report.steps).toEqual([]);
  });

  it("what is lost is in the report", async () => {
    const link = { type: "resource_link", uri: "a:b", name: "n" };
    const { bridge } = await bridgeTo(() => ({ content: [link] }), { downstream: "2024-11-05" });
    const { reply, report } = await bridge.forward(request("tools/call", { name: "x" }));
    expect(reply).toMatchObject({ result: { content: [{ type: "text" }] } });
    expect(report.steps).toMatchObject([{ feature: "content.resource-link", path: "/content/0", loss: "advisory" }]);
  });

  it("an answer the client cannot read is an error that says where", async () => {
    const policy = DegradePolicy.strict();
    const { bridge } = await bridgeTo(() => ({ content: [{ type: "audio", data: "", mimeType: "audio/wav" }] }), {
      downstream: "2024-11-05",
      policy,
    });
    const error = await failure(bridge.forward(request("tools/call", { name: "x" })));
    expect(error).toMatchObject({ code: "not-readable", isAnswer: true, refusal: { feature: "content.audio", path: "/content/0" } });
  });

  it.each(ALL)("a method nobody models goes through untouched from 2025-06-18 to %s", async (upstream) => {
    const { bridge, peer } = await bridgeTo(() => ({ odd: true }), { downstream: "2025-06-18", upstream });
    const text = '{"jsonrpc":"2.0","id":1,"method":"vendor/do","params":{"a":1.0}}';
    expect((await bridge.forward(message(text))).reply).toEqual({ jsonrpc: "2.0", id: 1, result: { odd: true } });
    expect(peer.lines).toEqual([text]);
  });
});

describe("a server that is not there", () => {
  it("is an error with its reason", async () => {
    const { bridge, peer } = await bridgeTo(() => ({}));
    peer.die("exited with code 3");
    expect(await failure(bridge.forward(request("tools/list", {})))).toMatchObject({ code: "unreachable", reason: "exited with code 3" });
  });

  it("ends what waits for it", async () => {
    const { bridge, peer } = await bridgeTo(() => new Promise(() => undefined));
    const waiting = failure(bridge.forward(request("tools/list", {})));
    peer.die("exited with code 3");
    expect(await waiting).toMatchObject({ code: "unreachable", delivered: "maybe" });
  });

  it("is not asked once the bridge is closed", async () => {
    const { bridge, peer } = await bridgeTo(fail);
    await bridge.close();
    expect(await failure(bridge.forward(request("tools/list", {})))).toMatchObject({ code: "close" });
    expect(peer.isClosed).toBe(true);
    expect(peer.lines).toEqual([]);
  });
});

describe("an answer to the server's question", () => {
  it("goes back as the server's revision has it", async () => {
    const { bridge, peer } = await bridgeTo(fail, { downstream: "2025-11-25", upstream: "2025-06-18" });
    const answer = { jsonrpc: "2.0", id: 9, result: { model: "m", role: "assistant", content: [{ type: "text", text: "a" }] } };
    const { report, reply } = await bridge.forward(answer, { answers: { method: "sampling/createMessage" } });
    expect(peer.messages).toMatchObject([{ id: 9, result: { content: { type: "text", text: "a" } } }]);
    expect(reply).toBeUndefined();
    expect(report.steps).toMatchObject([{ feature: "sampling.content-arrays", path: "/content", loss: "advisory" }]);
  });
});
