// A legacy client and a legacy server, of any two revisions: both handshakes, everything that goes through after them, and what is the bridge's own.
import { describe, expect, it } from "vitest";
import { REVISIONS } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/index.js";
import { PlayedClient, roomWith, until, type Room } from "./room.js";
import { Refuse, type Script } from "./wire-peer.js";

const LEGACY = REVISIONS.filter(({ era }) => era === "legacy").map(({ revision }) => revision);
const NEWEST = LEGACY.at(-1) ?? "";
const PAIRS = LEGACY.flatMap((client) => LEGACY.map((server) => [client, server] as const));
const SERVER = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  logging: {},
};

/** A server of one revision: refuses to be probed, shakes hands, and does what a script says. */
function serverAt(revision: string, script: Script = () => ({}), capabilities: Wire = SERVER): Script {
  return (request, room) => {
    if (request["method"] === "server/discover") throw new Refuse(-32601, "no such method");
    if (request["method"] !== "initialize") return script(request, room);
    return { protocolVersion: revision, capabilities, serverInfo: { name: "scripted", version: "2" }, instructions: "ask", extra: 1 };
  };
}

async function open(
  client: string,
  server: string,
  script?: Script,
  capabilities: Wire = {},
): Promise<Room & { client: PlayedClient; welcome: Wire }> {
  const room = roomWith(serverAt(server, script));
  const played = new PlayedClient(room.service);
  const { result } = await played.open(client, capabilities);
  return { ...room, client: played, welcome: result as Wire };
}

describe("a server that says what its revision has no words for", () => {
  it("has its client spared that, and everything else passed on as it came", async () => {
    const [oldest = ""] = LEGACY;
    const text = { type: "text", text: "a", "x-vendor": 1, _meta: { k: 1 } };
    const audio = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
    const strange = { type: "com.example/strange", value: [1] };
    const script: Script = ({ method }) =>
      method === "tools/list"
        ? { tools: [{ name: "t", title: "T", inputSchema: { type: "object" }, outputSchema: { type: "object" } }] }
        : { content: [text, audio, strange], structuredContent: { a: 1 } };
    const { client } = await open(oldest, oldest, script);
    expect((await client.call("tools/list"))["result"]).toEqual(script({ method: "tools/list" }, {} as never));
    const { result } = await client.call("tools/call", { name: "t" });
    const [first, second, third] = (result as { readonly content: readonly Wire[] }).content;
    expect(first).toEqual(text);
    expect(second).toMatchObject({ type: "resource", resource: { blob: "UklGRg==", mimeType: "audio/wav" } });
    expect(third).toEqual(strange);
    expect(result).toMatchObject({ structuredContent: { a: 1 } });
  });
});

const never = (): Promise<never> => new Promise(() => undefined);
const paramsOf = (message: Wire | undefined): Wire => (message?.["params"] ?? {}) as Wire;

describe.each(PAIRS)("a client at %s and a server at %s", (client, server) => {
  it("agree each on their own revision", async () => {
    const { welcome, connector } = await open(client, server);
    expect(welcome).toMatchObject({
      protocolVersion: client,
      serverInfo: { name: "scripted" },
      instructions: "ask",
      extra: 1,
      capabilities: SERVER,
    });
    const { messages, agreed } = connector.peer;
    const greeting = messages.find(({ method }) => method === "initialize");
    expect(paramsOf(greeting)).toMatchObject({ protocolVersion: client, clientInfo: { name: "played" } });
    expect(agreed).toBe(server);
    expect(messages.at(-1)).toEqual({ jsonrpc: "2.0", method: "notifications/initialized" });
  });

  it("exchange a request, its progress and its answer under ids and tokens of each hop's own", async () => {
    const script: Script = ({ params }, { send }) => {
      const token = (paramsOf({ params })["_meta"] as Wire)["progressToken"];
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: token, progress: 1, total: 2 } });
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: token, progress: 2, total: 2 } });
      return { content: [{ type: "text", text: "done" }], vendor: { n: 1 } };
    };
    const { client: played, connector } = await open(client, server, script);
    const answer = await played.send({
      jsonrpc: "2.0",
      id: "one",
      method: "tools/call",
      params: { name: "x", arguments: { a: [1] }, _meta: { progressToken: "mine", "v/k": 1 } },
      "x-top": true,
    });
    expect(answer).toEqual({ jsonrpc: "2.0", id: "one", result: { content: [{ type: "text", text: "done" }], vendor: { n: 1 } } });
    expect(played.framesOf("notifications/progress").map(paramsOf)).toEqual([
      { progressToken: "mine", progress: 1, total: 2 },
      { progressToken: "mine", progress: 2, total: 2 },
    ]);
    const sent = connector.peer.messages.at(-1);
    expect(sent).toMatchObject({ method: "tools/call", params: { name: "x", arguments: { a: [1] }, _meta: { "v/k": 1 } }, "x-top": true });
    expect(sent?.["id"]).not.toBe("one");
    expect((paramsOf(sent)["_meta"] as Wire)["progressToken"]).not.toBe("mine");
  });

  it("put a question of the server to the client", async () => {
    const script: Script = async () => {
      connector.peer.push({ jsonrpc: "2.0", id: "q", method: "roots/list" });
      await until("the answer", () => connector.peer.messages.some(({ id }) => id === "q"));
      return { content: [] };
    };
    const { client: played, connector } = await open(client, server, (...given) => script(...given), { roots: {} });
    played.answers = () => ({ roots: [{ uri: "file:///a" }] });
    await played.call("tools/call", { name: "x" });
    expect(connector.peer.messages.find(({ id }) => id === "q")).toEqual({
      jsonrpc: "2.0",
      id: "q",
      result: { roots: [{ uri: "file:///a" }] },
    });
    const [question] = played.framesOf("roots/list");
    expect(question?.["id"]).not.toBe("q");
  });

  it("hear of each other what nobody asked for", async () => {
    const { client: played, connector } = await open(client, server, undefined, { roots: { listChanged: true } });
    const frames: Wire[] = [
      { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
      { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "a:b" } },
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
      { jsonrpc: "2.0", method: "vendor/told", params: { a: null } },
    ];
    for (const frame of frames) connector.peer.push(frame);
    await until("the frames", () => played.written.length === frames.length);
    expect(played.written).toEqual(frames.map((frame) => ({ frame, on: "side" })));
    await played.notify("notifications/roots/list_changed");
    await played.notify("vendor/told", { b: 1 });
    expect(connector.peer.messages.slice(-2)).toEqual([
      { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
      { jsonrpc: "2.0", method: "vendor/told", params: { b: 1 } },
    ]);
  });

  it("cancel by the id of the other hop, and nothing answers what was cancelled", async () => {
    const { client: played, connector } = await open(client, server, never);
    const call = played.send({ jsonrpc: "2.0", id: 77, method: "tools/call", params: { name: "slow" } });
    await until("the call", () => connector.peer.messages.at(-1)?.["method"] === "tools/call");
    const id = connector.peer.messages.at(-1)?.["id"];
    await played.notify("notifications/cancelled", { requestId: 77, reason: "enough" });
    expect(await call).toBeUndefined();
    expect(connector.peer.messages.at(-1)).toEqual({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: id, reason: "enough" },
    });
  });
});

describe("what a server says with one call under way", () => {
  it("comes before the answer where the client has one stream a request: its logs, and what it has no other stream for", async () => {
    const frames: Wire[] = [
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
      { jsonrpc: "2.0", method: "vendor/told", params: {} },
      { jsonrpc: "2.0", method: "notifications/tools/list_changed" },
    ];
    const newest = LEGACY.at(-1) ?? "";
    const room = roomWith(
      serverAt(newest, () => {
        for (const frame of frames) room.connector.peer.push(frame);
        return { content: [] };
      }),
    );
    const client = new PlayedClient(room.service, "streamable-http");
    await client.open(newest);
    await client.call("tools/call", { name: "x" });
    expect(client.written.map(({ frame, on }) => [frame["method"], on])).toEqual([
      ["notifications/message", "request"],
      ["vendor/told", "request"],
    ]);
    client.hasSide = true;
    client.conversation.hears();
    expect(client.written.at(-1)).toMatchObject({ frame: frames[2], on: "side" });
  });
});

describe("the handshake", () => {
  it.each(LEGACY)("offers the server another revision where it refuses %s", async (first) => {
    const script: Script = ({ method, params }) => {
      if (method === "server/discover") throw new Refuse(-32601, "no");
      const asked = paramsOf({ params })["protocolVersion"];
      if (asked !== "2024-11-05") throw new Refuse(-32602, "Unsupported protocol version", { supported: ["2024-11-05"], requested: asked });
      return { protocolVersion: "2024-11-05", capabilities: {}, serverInfo: { name: "old", version: "1" } };
    };
    const room = roomWith(script);
    const played = new PlayedClient(room.service);
    expect(await played.open(first)).toMatchObject({ result: { protocolVersion: first } });
    expect(room.connector.peer.agreed).toBe("2024-11-05");
  });

  it("answers a revision nobody knows, and a modern one, with the newest of the era", async () => {
    for (const asked of ["2099-01-01", "2026-07-28", "nonsense"]) {
      const { welcome } = await open(asked, "2025-06-18");
      expect(welcome["protocolVersion"]).toBe("2025-11-25");
    }
  });

  it.each(["2026-07-28", "2099-01-01", undefined, 7])("does not go on with a server that settles on %j", async (revision) => {
    const room = roomWith(serverAt(revision as string));
    const answer = await new PlayedClient(room.service).open("2025-06-18");
    expect(answer).toMatchObject({ error: { code: -31907, data: { bridge: { kind: "upstream-unavailable" } } } });
    expect(room.connector.peer.isClosed).toBe(true);
  });

  it("tells the server of nothing its revision does not have, and the client of what an old server does all the same", async () => {
    const { welcome, connector } = await open("2025-11-25", "2024-11-05", undefined, {
      elicitation: { form: {}, url: {} },
      roots: {},
      x: 1,
    });
    expect(welcome["capabilities"]).toMatchObject({ completions: {} });
    expect(paramsOf(connector.peer.messages.find(({ method }) => method === "initialize"))["capabilities"]).toMatchObject({
      roots: {},
      x: 1,
    });
  });

  it("is asked for once", async () => {
    const { client } = await open("2025-06-18", "2025-06-18");
    expect(await client.open("2025-06-18")).toMatchObject({ error: { code: -32600 } });
  });

  it("comes first, but for a sign of life", async () => {
    const room = roomWith(serverAt("2025-06-18"));
    const client = new PlayedClient(room.service);
    expect(await client.call("ping")).toMatchObject({ result: {} });
    expect(await client.call("tools/list")).toMatchObject({ error: { code: -32600 } });
    expect(room.connector.peers).toEqual([]);
  });

  it("fails where the server cannot be reached, with the reason, and may be tried again", async () => {
    const client = new PlayedClient(roomWith(undefined).service);
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await client.open("2025-06-18")).toMatchObject({
        error: { code: -31907, message: expect.stringContaining("connection refused") },
      });
    }
  });
});

describe("what the peers do not share", () => {
  it("never reaches the server", async () => {
    const { client, connector } = await open("2025-06-18", "2025-06-18", () => ({}), {});
    const before = connector.peer.lines.length;
    expect(
      await client.call("completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }),
    ).toMatchObject({
      error: { code: -32601 },
    });
    expect(await client.call("server/discover")).toMatchObject({ error: { code: -32601 } });
    expect(connector.peer.lines.length).toBe(before);
  });

  it("never reaches the client", async () => {
    const { client, connector, events } = await open("2024-11-05", "2025-06-18", () => ({}), {});
    connector.peer.push({
      jsonrpc: "2.0",
      id: 5,
      method: "elicitation/create",
      params: { message: "?", requestedSchema: { type: "object", properties: {} } },
    });
    connector.peer.push({ jsonrpc: "2.0", id: 6, method: "roots/list" });
    await until("the answers", () => connector.peer.messages.some(({ id }) => id === 6));
    expect(connector.peer.messages.filter(({ id }) => id === 5 || id === 6)).toMatchObject([
      { id: 5, error: { code: -32601 } },
      { id: 6, error: { code: -32601 } },
    ]);
    expect(client.written).toEqual([]);
    expect(events.filter(({ event }) => event === "refused")).toHaveLength(2);
  });

  it("is lowered field by field, and told", async () => {
    const tool = { name: "t", inputSchema: { type: "object" }, annotations: { title: "T" } };
    const { client, events } = await open("2024-11-05", "2025-06-18", ({ method }) =>
      method === "tools/list" ? { tools: [tool] } : { content: [{ type: "resource_link", uri: "a:b", name: "n" }] },
    );
    expect(await client.call("tools/list")).toMatchObject({ result: { tools: [tool] } });
    expect(await client.call("tools/call", { name: "t" })).toMatchObject({ result: { content: [{ type: "text" }] } });
    expect(events.filter(({ event }) => event === "translated")).toMatchObject([
      {
        method: "tools/call",
        direction: "serverToClient",
        part: "result",
        from: "2025-06-18",
        to: "2024-11-05",
        step: { feature: "content.resource-link" },
      },
    ]);
  });
});

describe("ids", () => {
  it("of two requests in flight are two; the second of the same is refused", async () => {
    const pending: ((result: unknown) => void)[] = [];
    const { client } = await open("2025-06-18", "2025-06-18", () => new Promise((resolve) => pending.push(resolve)));
    const calls = [1, "1", 1].map((id) => client.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "x" } }));
    await until("both calls", () => pending.length === 2);
    expect(await calls[2]).toMatchObject({ id: 1, error: { code: -32600 } });
    pending[1]?.({ content: [{ type: "text", text: "second" }] });
    pending[0]?.({ content: [{ type: "text", text: "first" }] });
    expect(await calls[0]).toMatchObject({ id: 1, result: { content: [{ text: "first" }] } });
    expect(await calls[1]).toMatchObject({ id: "1", result: { content: [{ text: "second" }] } });
  });

  it("nobody gave are dropped", async () => {
    const { client, events } = await open("2025-06-18", "2025-06-18");
    expect(await client.send({ jsonrpc: "2.0", id: 99, result: {} })).toBeUndefined();
    expect(events.at(-1)).toMatchObject({ event: "dropped", hop: "downstream" });
  });
});

describe("a server that", () => {
  it("asks for a sign of life gets one, even in the middle of a call", async () => {
    const { connector } = await open("2025-06-18", "2025-06-18");
    connector.peer.push({ jsonrpc: "2.0", id: "p", method: "ping" });
    await until("the answer", () => connector.peer.messages.some(({ id }) => id === "p"));
    expect(connector.peer.messages.at(-1)).toEqual({ jsonrpc: "2.0", id: "p", result: {} });
  });

  it("takes back its question takes it back from the client too", async () => {
    const { client, connector } = await open("2025-06-18", "2025-06-18", undefined, { roots: {} });
    connector.peer.push({ jsonrpc: "2.0", id: 4, method: "roots/list" });
    await until("the question", () => client.framesOf("roots/list").length === 1);
    connector.peer.push({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 4 } });
    await until("the cancellation", () => client.framesOf("notifications/cancelled").length === 1);
    expect(paramsOf(client.framesOf("notifications/cancelled")[0])["requestId"]).toBe(client.framesOf("roots/list")[0]?.["id"]);
    expect(connector.peer.messages.some(({ id }) => id === 4)).toBe(false);
  });

  it("invents a progress token is not heard", async () => {
    const { client, connector, events } = await open("2025-06-18", "2025-06-18");
    connector.peer.push({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: "invented", progress: 1 } });
    await until("the drop", () => events.at(-1)?.event === "dropped");
    expect(client.written).toEqual([]);
  });

  it("goes away in the middle of a call fails the call, and ends the session", async () => {
    const { client, connector } = await open("2025-06-18", "2025-06-18", never);
    const call = client.call("tools/call", { name: "x" });
    await until("the call", () => connector.peer.messages.at(-1)?.["method"] === "tools/call");
    connector.peer.die("exited with code 9");
    expect(await call).toMatchObject({ error: { code: -31909, message: expect.stringContaining("exited with code 9") } });
    await until("the end", () => client.ended !== undefined);
  });

  it("never answers is given up on", async () => {
    const { DEFAULT_TIMEOUTS } = await import("../../runtime/bridge/options.js");
    const room = roomWith(serverAt("2025-06-18", never), "stdio", { timeouts: { ...DEFAULT_TIMEOUTS, probe: 200, call: 30 } });
    const client = new PlayedClient(room.service);
    await client.open("2025-06-18");
    expect(await client.call("tools/list")).toMatchObject({ error: { code: -31909 } });
    await until("the cancellation", () => room.connector.peer.messages.at(-1)?.["method"] === "notifications/cancelled");
  });
});

describe("a batch", () => {
  const call = (id: number): Wire => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "x" } });

  it("is taken apart at the revision that has them, and answered as one", async () => {
    const { client, connector } = await open("2025-03-26", "2025-11-25", ({ id }) => ({ content: [{ type: "text", text: String(id) }] }));
    const answer = await client.send([call(1), { jsonrpc: "2.0", method: "vendor/told" }, call(2)]);
    expect(answer).toMatchObject([
      { id: 1, result: {} },
      { id: 2, result: {} },
    ]);
    expect(connector.peer.lines.every((line) => !line.startsWith("["))).toBe(true);
    expect(await client.send([{ jsonrpc: "2.0", method: "vendor/told" }])).toBeUndefined();
  });

  it.each(["2024-11-05", "2025-06-18", "2025-11-25"])("is refused at %s", async (revision) => {
    const { client } = await open(revision, "2025-03-26");
    expect(await client.send([call(1)])).toMatchObject({ error: { code: -32600 } });
  });
});

describe("closing", () => {
  it("cancels what is in flight and lets go of the server", async () => {
    const { client, connector, events } = await open("2025-06-18", "2025-06-18", never);
    const call = client.call("tools/call", { name: "x" });
    await until("the call", () => connector.peer.messages.at(-1)?.["method"] === "tools/call");
    await client.conversation.close("the client is gone");
    expect(await call).toBeUndefined();
    expect(connector.peer.isClosed).toBe(true);
    expect(events.at(-1)).toMatchObject({ event: "closed", reason: "the client is gone", summary: { requests: 2 } });
  });
});

describe("the server's hop", () => {
  it("is told that the handshake is done, whatever the client does", async () => {
    const room = roomWith(serverAt("2025-06-18"));
    const client = new PlayedClient(room.service);
    await client.call("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "c", version: "1" } });
    expect(await client.call("vendor/do")).toHaveProperty("result");
    await client.notify("notifications/initialized");
    expect(room.connector.peer.messages.map(({ method }) => method)).toEqual([
      "server/discover",
      "initialize",
      "notifications/initialized",
      "vendor/do",
    ]);
  });

  it("speaks to the client once that is ready, and is answered before where it only wants a sign of life", async () => {
    const room = roomWith(serverAt("2025-06-18"));
    const client = new PlayedClient(room.service);
    await client.call("initialize", {
      protocolVersion: "2025-06-18",
      capabilities: { roots: {} },
      clientInfo: { name: "c", version: "1" },
    });
    room.connector.peer.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    room.connector.peer.push({ jsonrpc: "2.0", id: 1, method: "roots/list" });
    room.connector.peer.push({ jsonrpc: "2.0", id: 2, method: "ping" });
    await until("the sign of life", () => room.connector.peer.messages.some(({ id, result }) => id === 2 && result !== undefined));
    expect(client.written).toEqual([]);
    await client.notify("notifications/initialized");
    await until("the rest", () => client.written.length === 2);
    expect(client.written.map(({ frame }) => frame["method"])).toEqual(["notifications/tools/list_changed", "roots/list"]);
  });

  it("keeps the keys of the other era to itself", async () => {
    const { client, connector } = await open("2025-06-18", "2025-06-18", () => ({
      _meta: { "io.modelcontextprotocol/serverInfo": {}, "v/k": 1 },
    }));
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/related-task": { taskId: "t" },
      "v/k": 1,
    };
    expect(await client.call("vendor/do", { _meta: meta })).toMatchObject({ result: { _meta: { "v/k": 1 } } });
    expect(paramsOf(connector.peer.messages.at(-1))["_meta"]).toEqual({
      "io.modelcontextprotocol/related-task": { taskId: "t" },
      "v/k": 1,
    });
  });

  it("gets no call without an id, and no news with one", async () => {
    const { client, connector, events } = await open("2025-06-18", "2025-06-18");
    const before = connector.peer.lines.length;
    await client.notify("tools/call", { name: "write" });
    expect(events.at(-1)).toMatchObject({ event: "dropped", hop: "downstream", method: "tools/call" });
    expect(await client.call("notifications/roots/list_changed")).toMatchObject({ error: { code: -32600 } });
    expect(connector.peer.lines).toHaveLength(before);
  });

  it("that has ended at a notification gets no more of that kind", async () => {
    const { client, connector, service, events } = await open("2025-06-18", "2025-06-18", never);
    const call = client.send({ jsonrpc: "2.0", id: "slow", method: "tools/call", params: { name: "x" } });
    const other = client.send({ jsonrpc: "2.0", id: "other", method: "tools/call", params: { name: "y" } });
    await until("the calls", () => connector.peer.messages.filter(({ method }) => method === "tools/call").length === 2);
    await client.notify("notifications/cancelled", { requestId: "slow" });
    await until("the cancellation", () => connector.peer.messages.at(-1)?.["method"] === "notifications/cancelled");
    connector.peer.die();
    expect(await call).toBeUndefined();
    expect(await other).toMatchObject({ id: "other", error: { code: -31909 } });
    const second = new PlayedClient(service);
    await second.open("2025-06-18");
    void second.send({ jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "x" } });
    await until("the call", () => connector.peer.messages.at(-1)?.["method"] === "tools/call");
    await second.notify("notifications/cancelled", { requestId: 9 });
    await until("the drop", () => events.some((event) => event.event === "dropped" && event.because.includes("ended at one")));
    expect(connector.peer.messages.at(-1)?.["method"]).toBe("tools/call");
  });
});

describe("an answer that says it is unfinished", () => {
  it("is none at a server with a handshake, but for methods nobody models", async () => {
    const { client } = await open(NEWEST, NEWEST, () => ({ resultType: "input_required", content: [] }));
    expect(await client.call("tools/call", { name: "x" })).toMatchObject({ error: { code: -31908 } });
    expect(await client.call("vendor/do")).toMatchObject({ result: { resultType: "input_required" } });
  });
});

describe("a session the server has lost", () => {
  /** Has the first connection lose its session at a method. */
  function forgetting(method: string): Room {
    const room = roomWith((request, one) => {
      const [first] = room.connector.peers;
      if (request["method"] !== method || first === undefined || first.isClosed || room.connector.peers.length > 1) {
        return serverAt("2025-06-18")(request, one);
      }
      first.die("it does not know the session", { status: 404, delivered: "no", sessionGone: true });
      return never();
    }, "streamable-http");
    return room;
  }

  it("is begun anew with all it was told, and what only reads is asked again", async () => {
    const room = forgetting("tools/list");
    const client = new PlayedClient(room.service);
    await client.open("2025-06-18");
    await client.call("logging/setLevel", { level: "warning" });
    await client.call("resources/subscribe", { uri: "a:b" });
    await client.call("resources/subscribe", { uri: "c:d" });
    await client.call("resources/unsubscribe", { uri: "c:d" });
    expect(await client.call("vendor/do")).toHaveProperty("result");
    await client.call("tools/list");
    expect(room.connector.peers).toHaveLength(2);
    expect(room.connector.peer.messages.map(({ method }) => method)).toEqual([
      "initialize",
      "notifications/initialized",
      "logging/setLevel",
      "resources/subscribe",
      "tools/list",
    ]);
    expect(client.ended).toBeUndefined();
    expect(room.events.filter(({ event }) => event === "reconnected" || event === "made-up")).toHaveLength(2);
  });

  it("is begun anew for a call, which is the client's to repeat", async () => {
    const room = forgetting("tools/call");
    const client = new PlayedClient(room.service);
    await client.open("2025-06-18");
    expect(await client.call("tools/call", { name: "write" })).toMatchObject({ error: { code: -31902 } });
    expect(await client.call("tools/call", { name: "write" })).toHaveProperty("result");
  });
});
