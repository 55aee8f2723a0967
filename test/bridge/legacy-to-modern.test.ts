// A legacy client in front of a modern server, by the rules L0 to L8: what the bridge answers itself, what it adds to a request and takes off an
// answer, how the server's questions reach the client, and what becomes of subscriptions, log levels, cancellations and errors.
import { describe, expect, it } from "vitest";
import { REVISIONS } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/index.js";
import { DEFAULT_CHOICES, DEFAULT_LIMITS, type BridgeOptions } from "../../runtime/bridge/options.js";
import type { TransportName } from "../../runtime/bridge/peer.js";
import { MODERN, MODERN_SERVER, modernServer, type ModernRoom } from "./modern-script.js";
import { optionsWith, PlayedClient, roomWith, until, type Room } from "./room.js";
import { Refuse, type Script } from "./wire-peer.js";

const LEGACY = REVISIONS.filter(({ era }) => era === "legacy").map(({ revision }) => revision);
const NEWEST = LEGACY.at(-1) ?? "";
const META = "io.modelcontextprotocol/";

interface Opened extends Room {
  readonly client: PlayedClient;
  readonly welcome: Wire;
  readonly server: ModernRoom;
}

interface Given {
  readonly revision?: string;
  readonly does?: Script;
  readonly capabilities?: Wire;
  readonly transport?: TransportName;
  readonly front?: TransportName;
  readonly changes?: Partial<BridgeOptions>;
  readonly server?: Parameters<typeof modernServer>[1];
}

async function open({
  revision = NEWEST,
  does,
  capabilities = {},
  transport = "stdio",
  front = "stdio",
  changes,
  server: more,
}: Given = {}): Promise<Opened> {
  const server = modernServer(does, more);
  const room = roomWith(server.script, transport, changes);
  const client = new PlayedClient(room.service, front);
  const { result } = await client.open(revision, capabilities);
  return { ...room, client, server, welcome: result as Wire };
}

const never = (): Promise<never> => new Promise(() => undefined);
const paramsOf = (message: Wire | undefined): Wire => (message?.["params"] ?? {}) as Wire;
const metaOf = (message: Wire | undefined): Wire => (paramsOf(message)["_meta"] ?? {}) as Wire;
const sent = (room: Room, method: string): readonly Wire[] =>
  room.connector.peer.messages.filter((message) => message["method"] === method);

describe.each(LEGACY)("a client at %s", (revision) => {
  it("is welcomed with what the server told of itself, and nothing of the other era", async () => {
    const { welcome, client } = await open({ revision });
    expect(welcome).toMatchObject({ protocolVersion: revision, serverInfo: { name: "modern" }, instructions: "ask", _meta: { "v/k": 1 } });
    expect(Object.keys(welcome).sort()).toEqual(["_meta", "capabilities", "instructions", "protocolVersion", "serverInfo"]);
    expect(welcome["capabilities"]).toMatchObject({ tools: { listChanged: true }, resources: { subscribe: true } });
    expect(client.lines.join("")).not.toMatch(/resultType|ttlMs|cacheScope|supportedVersions|io\.modelcontextprotocol/);
  });

  it.each<TransportName>(["stdio", "streamable-http"])(
    "has its requests completed for the server over %s, and the answers stripped",
    async (transport) => {
      const does: Script = () => ({
        ttlMs: 5,
        cacheScope: "public",
        tools: [],
        _meta: { [`${META}serverInfo`]: { name: "m", version: "1" }, k: 1 },
      });
      const room = await open({
        revision,
        does,
        transport,
        capabilities: { roots: { listChanged: true }, sampling: {}, experimental: { e: {} } },
      });
      expect(await room.client.call("tools/list", { cursor: "c", _meta: { "v/k": 2 } })).toEqual({
        jsonrpc: "2.0",
        id: 2,
        result: { tools: [], _meta: { k: 1 } },
      });
      const [request] = sent(room, "tools/list");
      expect(paramsOf(request)).toMatchObject({ cursor: "c", _meta: { "v/k": 2 } });
      expect(metaOf(request)[`${META}protocolVersion`]).toBe(MODERN);
      expect(metaOf(request)[`${META}clientInfo`]).toMatchObject({ name: "played" });
      // A list may not be answered by a question, so the client's ability to be asked is not declared.
      expect(metaOf(request)[`${META}clientCapabilities`]).toEqual({ experimental: { e: {} } });
      const headers = room.connector.peer.headers.at(-1) ?? {};
      if (transport === "stdio") expect(headers).toEqual({});
      else expect(headers).toEqual({ "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list" });
    },
  );

  it("has empty answers that are empty", async () => {
    const { client } = await open({ revision });
    for (const [method, params] of [
      ["ping"],
      ["logging/setLevel", { level: "info" }],
      ["resources/subscribe", { uri: "a:b" }],
      ["resources/unsubscribe", { uri: "a:b" }],
    ] as const) {
      const answer = await client.call(method, params);
      expect(answer["result"], method).toEqual({});
    }
  });

  it("is asked what the server needs to know, on the stream of its request, and the server is asked again with the answers", async () => {
    const does: Script = ({ params }) => {
      const { inputResponses, requestState } = paramsOf({ params });
      if (inputResponses !== undefined)
        return { content: [{ type: "text", text: `${JSON.stringify(inputResponses)} ${String(requestState)}` }] };
      return {
        resultType: "input_required",
        requestState: "",
        inputRequests: { where: { method: "roots/list" }, what: { method: "sampling/createMessage", params: SAMPLING } },
      };
    };
    const room = await open({ revision, does, capabilities: { roots: {}, sampling: {} }, front: "streamable-http" });
    room.client.answers = ({ method }) =>
      method === "roots/list" ? { roots: [] } : { role: "assistant", model: "m", content: { type: "text", text: "hi" } };
    const answer = await room.client.call("tools/call", { name: "x", arguments: { a: 1 } });
    expect(answer).toMatchObject({ result: { content: [{ text: expect.stringContaining('"where":{"roots":[]}') }] } });
    expect(room.client.written.map(({ on }) => on)).toEqual(["request", "request"]);
    const [first, second] = sent(room, "tools/call");
    expect(second?.["id"]).not.toBe(first?.["id"]);
    expect(paramsOf(second)).toMatchObject({ name: "x", arguments: { a: 1 }, requestState: "", inputResponses: { what: { model: "m" } } });
    expect(metaOf(first)[`${META}clientCapabilities`]).toEqual({ roots: {}, sampling: {} });
  });
});

const SAMPLING = { messages: [{ role: "user", content: { type: "text", text: "?" } }], maxTokens: 1 };
const FORM = { message: "?", requestedSchema: { type: "object", properties: { n: { type: "string" } } } };
const asking =
  (inputRequests: Wire, more: Wire = {}): Script =>
  ({ params }) =>
    paramsOf({ params })["inputResponses"] === undefined ? { resultType: "input_required", inputRequests, ...more } : { content: [] };

describe("a question of the server", () => {
  const elicit = asking({ q: { method: "elicitation/create", params: FORM } });

  it.each([
    ["decline", { action: "decline" }],
    ["cancel", { action: "cancel" }],
    ["accept", { action: "accept", content: { n: "1" } }],
  ])("is answered with %s as it is", async (_, result) => {
    const room = await open({ revision: "2025-06-18", does: elicit, capabilities: { elicitation: {} } });
    room.client.answers = () => result;
    await room.client.call("tools/call", { name: "x" });
    expect(paramsOf(sent(room, "tools/call")[1])["inputResponses"]).toEqual({ q: result });
    expect(metaOf(sent(room, "tools/call")[0])[`${META}clientCapabilities`]).toEqual({ elicitation: { form: {} } });
  });

  it("that comes to nothing ends a tool call with a result that says so, and withdraws the others", async () => {
    const does = asking({ a: { method: "roots/list" }, b: { method: "elicitation/create", params: FORM } });
    const room = await open({ does, capabilities: { roots: {}, elicitation: {} } });
    room.client.answers = ({ method }) => {
      if (method === "roots/list") throw new Refuse(-1, "rejected by the user");
      return undefined;
    };
    const answer = await room.client.call("tools/call", { name: "x" });
    expect(answer).toMatchObject({
      result: { isError: true, content: [{ type: "text", text: expect.stringContaining("rejected by the user") }] },
    });
    expect(sent(room, "tools/call")).toHaveLength(1);
    const [withdrawn] = room.client.framesOf("notifications/cancelled");
    expect(paramsOf(withdrawn)["requestId"]).toBe(room.client.framesOf("elicitation/create")[0]?.["id"]);
  });

  it("that comes to nothing ends another request with an error", async () => {
    const room = await open({ does: asking({ a: { method: "roots/list" } }), capabilities: { roots: {} } });
    room.client.answers = () => {
      throw new Refuse(-32000, "no");
    };
    expect(await room.client.call("prompts/get", { name: "x" })).toMatchObject({ error: { code: -31903 } });
  });

  it("that was not invited is never shown", async () => {
    const room = await open({ does: asking({ a: { method: "sampling/createMessage", params: SAMPLING } }), capabilities: { roots: {} } });
    expect(await room.client.call("tools/call", { name: "x" })).toMatchObject({
      result: { isError: true, _meta: { "polyrev/fault": { code: -31908 } } },
    });
    expect(room.client.written).toEqual([]);
  });

  it("that the client's revision cannot say refuses the round before anybody is asked", async () => {
    const many = { type: "object", properties: { n: { type: "array", items: { type: "string", enum: ["a"] } } } };
    const does = asking({
      a: { method: "roots/list" },
      b: { method: "elicitation/create", params: { message: "?", requestedSchema: many } },
    });
    const room = await open({ revision: "2025-06-18", does, capabilities: { roots: {}, elicitation: {} } });
    expect(await room.client.call("tools/call", { name: "x" })).toMatchObject({
      result: { isError: true, _meta: { "polyrev/fault": { code: -31901 } } },
    });
    expect(room.client.written).toEqual([]);
  });

  it("of a method that may not ask is a fault of the server", async () => {
    const room = await open({
      does: () => ({ resultType: "input_required", inputRequests: { a: { method: "roots/list" } } }),
      capabilities: { roots: {} },
    });
    expect(await room.client.call("tools/list")).toMatchObject({ error: { code: -31908 } });
  });

  it("is not invited where the client cannot be asked", async () => {
    const room = await open({
      does: () => ({ content: [] }),
      capabilities: { roots: {}, experimental: { a: {} } },
      front: "streamable-http",
    });
    await room.client.send({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "x" } }, false);
    expect(metaOf(sent(room, "tools/call")[0])[`${META}clientCapabilities`]).toEqual({ experimental: { a: {} } });
  });

  it("for want of which the server refuses is the bridge's fault where the bridge withheld it", async () => {
    const refuse = (): never => {
      throw new Refuse(-32021, "need roots", { requiredCapabilities: { roots: {} } });
    };
    const room = await open({ does: refuse, capabilities: { roots: {} }, front: "streamable-http" });
    expect(await room.client.send({ jsonrpc: "2.0", id: 5, method: "tools/call", params: { name: "x" } }, false)).toMatchObject({
      error: { code: -31901 },
    });
    const bare = await open({ does: refuse });
    expect(await bare.client.call("tools/call", { name: "x" })).toMatchObject({
      error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    });
  });

  it("without end is ended", async () => {
    const room = await open({
      does: () => ({ resultType: "input_required", inputRequests: { a: { method: "roots/list" } }, requestState: "again" }),
      capabilities: { roots: {} },
      changes: { limits: { ...DEFAULT_LIMITS, rounds: 4 } },
    });
    room.client.answers = () => ({ roots: [] });
    expect(await room.client.call("tools/call", { name: "x" })).toMatchObject({
      result: { isError: true, _meta: { "polyrev/fault": { code: -31904 } } },
    });
    expect(sent(room, "tools/call")).toHaveLength(5);
  });

  it("that is none is waited out", async () => {
    let calls = 0;
    const does: Script = () => (++calls < 3 ? { resultType: "input_required", requestState: `s${calls}` } : { content: [] });
    const room = await open({ does });
    expect(await room.client.call("tools/call", { name: "x" })).toMatchObject({ result: { content: [] } });
    expect(sent(room, "tools/call").map((message) => paramsOf(message)["requestState"])).toEqual([undefined, "s1", "s2"]);
  });

  it("is withdrawn where the client gives up its request", async () => {
    const room = await open({ does: asking({ a: { method: "roots/list" } }), capabilities: { roots: {} } });
    const call = room.client.send({ jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "x" } });
    await until("the question", () => room.client.framesOf("roots/list").length === 1);
    await room.client.notify("notifications/cancelled", { requestId: 9 });
    expect(await call).toBeUndefined();
    expect(room.client.framesOf("notifications/cancelled")).toHaveLength(1);
    expect(sent(room, "tools/call")).toHaveLength(1);
  });

  it("may be answered later, in the client's own words for its revision", async () => {
    const room = await open({
      does: asking({ a: { method: "elicitation/create", params: { mode: "url", url: "https://x.test/", message: "?" } } }),
      capabilities: { elicitation: { url: {} } },
    });
    room.client.answers = () => ({ action: "accept" });
    await room.client.call("tools/call", { name: "x" });
    expect(paramsOf(room.client.framesOf("elicitation/create")[0])).toMatchObject({
      url: "https://x.test/",
      elicitationId: expect.any(String),
    });
    expect(paramsOf(sent(room, "tools/call")[1])["inputResponses"]).toEqual({ a: { action: "accept" } });
  });

  it("answered with an error is a cancelled one where that was chosen", async () => {
    const room = await open({
      does: elicit,
      capabilities: { elicitation: {} },
      changes: { choices: { ...DEFAULT_CHOICES, elicitationError: "cancel" } },
    });
    room.client.answers = () => {
      throw new Refuse(-32603, "no window");
    };
    await room.client.call("tools/call", { name: "x" });
    expect(paramsOf(sent(room, "tools/call")[1])["inputResponses"]).toEqual({ q: { action: "cancel" } });
  });
});

describe("progress", () => {
  it("grows over all rounds of a call, under the client's token", async () => {
    const does: Script = ({ params }, { send }) => {
      const token = metaOf({ params })["progressToken"];
      for (const progress of [1, 2])
        send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: token, progress, total: 2 } });
      return paramsOf({ params })["inputResponses"] === undefined
        ? { resultType: "input_required", inputRequests: { a: { method: "roots/list" } } }
        : { content: [] };
    };
    const room = await open({ does, capabilities: { roots: {} }, transport: "streamable-http" });
    room.client.answers = () => ({ roots: [] });
    await room.client.call("tools/call", { name: "x", _meta: { progressToken: 0 } });
    expect(room.client.framesOf("notifications/progress").map(paramsOf)).toEqual([
      { progressToken: 0, progress: 1, total: 2 },
      { progressToken: 0, progress: 2, total: 2 },
      { progressToken: 0, progress: 3 },
      { progressToken: 0, progress: 4 },
    ]);
  });
});

describe("the log level", () => {
  const logging: Script = (_, { send }) => {
    for (const level of ["debug", "warning"]) send({ jsonrpc: "2.0", method: "notifications/message", params: { level, data: level } });
    return { content: [] };
  };

  it("of the session goes with every request after it was set, and is kept to", async () => {
    const room = await open({ does: logging });
    await room.client.call("tools/call", { name: "x" });
    expect(metaOf(sent(room, "tools/call")[0])).not.toHaveProperty(`${META}logLevel`);
    expect(await room.client.call("logging/setLevel", { level: "info" })).toMatchObject({ result: {} });
    await room.client.call("tools/call", { name: "x" });
    expect(metaOf(sent(room, "tools/call")[1])[`${META}logLevel`]).toBe("info");
    expect(room.client.framesOf("notifications/message").map(paramsOf)).toEqual([{ level: "warning", data: "warning" }]);
  });

  it("holds for what a process logs with several calls under way, or with none", async () => {
    const { script } = modernServer(({ params }) => (paramsOf({ params })["name"] === "slow" ? never() : { content: [] }));
    const room = roomWith(script);
    const client = new PlayedClient(room.service);
    await client.open(NEWEST);
    await client.call("logging/setLevel", { level: "info" });
    for (const data of ["none", "two"]) {
      room.connector.peer.push({ jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data } });
      room.connector.peer.push({ jsonrpc: "2.0", method: "notifications/message", params: { level: "debug", data } });
      if (data === "none") for (const _ of [1, 2]) void client.call("tools/call", { name: "slow" });
      await until("the log message", () => client.framesOf("notifications/message").some((frame) => paramsOf(frame)["data"] === data));
    }
    expect(client.framesOf("notifications/message")).toHaveLength(2);
  });

  it("that is none is refused, and one for a server without logs", async () => {
    const room = await open();
    expect(await room.client.call("logging/setLevel", { level: "loud" })).toMatchObject({ error: { code: -32602 } });
    const silent = await open({ server: { capabilities: { tools: {} } } });
    expect(await silent.client.call("logging/setLevel", { level: "info" })).toMatchObject({ error: { code: -32601 } });
  });
});

describe("subscriptions", () => {
  const all = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

  it.each<TransportName>(["stdio", "streamable-http"])("begin with the changes of lists, over %s", async (transport) => {
    const room = await open({ transport });
    await until("the stream", () => room.server.subscriptions.length === 1);
    expect(room.server.subscriptions[0]?.filter).toEqual(all);
    room.server.subscriptions[0]?.tell("notifications/tools/list_changed");
    await until("the change", () => room.client.written.length === 1);
    expect(room.client.written).toEqual([
      { frame: { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: {} }, on: "side" },
    ]);
  });

  it("are not begun where nothing is to be told", async () => {
    const room = await open({ server: { capabilities: { tools: {} } } });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(room.server.subscriptions).toEqual([]);
  });

  it.each<TransportName>(["stdio", "streamable-http"])(
    "of a resource open a new stream before the old one ends, over %s",
    async (transport) => {
      const room = await open({ transport });
      await until("the stream", () => room.server.subscriptions.length === 1);
      expect(await room.client.call("resources/subscribe", { uri: "a:b" })).toMatchObject({ result: {} });
      const [first, second] = room.server.subscriptions;
      expect(second?.filter).toEqual({ ...all, resourceSubscriptions: ["a:b"] });
      await until("the old one's end", () => first?.isOver === true);
      if (transport === "stdio") {
        await until("the cancellation", () => sent(room, "notifications/cancelled").length > 0);
        expect(paramsOf(sent(room, "notifications/cancelled")[0])["requestId"]).toBe(first?.id);
      } else expect(sent(room, "notifications/cancelled")).toEqual([]);
      second?.tell("notifications/resources/updated", { uri: "a:b/sub" });
      await until("the update", () => room.client.written.length === 1);
      expect(room.client.written[0]?.frame).toEqual({
        jsonrpc: "2.0",
        method: "notifications/resources/updated",
        params: { uri: "a:b/sub" },
      });
      expect(await room.client.call("resources/unsubscribe", { uri: "a:b" })).toMatchObject({ result: {} });
      expect(room.server.subscriptions.at(-1)?.filter).toEqual(all);
      expect(await room.client.call("resources/unsubscribe", { uri: "never:watched" })).toMatchObject({ result: {} });
      expect(room.server.subscriptions).toHaveLength(3);
    },
  );

  it("in a burst make one new stream", async () => {
    const room = await open();
    await Promise.all(["a:1", "a:2", "a:3"].map((uri) => room.client.call("resources/subscribe", { uri })));
    expect(room.server.subscriptions.at(-1)?.filter).toMatchObject({ resourceSubscriptions: ["a:1", "a:2", "a:3"] });
    expect(room.server.subscriptions.length).toBeLessThanOrEqual(2);
  });

  it("that the server does not take up are refused", async () => {
    const room = await open({ server: { honours: () => ({ toolsListChanged: true }) } });
    expect(await room.client.call("resources/subscribe", { uri: "a:b" })).toMatchObject({ error: { code: -32602 } });
  });

  it("that the server never acknowledges do not hold up the first request", async () => {
    const { timeouts } = optionsWith();
    const does: Script = () => ({ tools: [] });
    const room = await open({ does, server: { acknowledges: false }, changes: { timeouts: { ...timeouts, acknowledge: 60_000 } } });
    expect(await room.client.call("tools/list")).toHaveProperty("result");
  });

  it("that the server never acknowledges are given up", async () => {
    const room = await open({ server: { acknowledges: false } });
    expect(await room.client.call("resources/subscribe", { uri: "a:b" })).toMatchObject({ error: { code: -31908 } });
  });

  it("that ended are begun again, and the client is told to look", async () => {
    const room = await open({ changes: { random: () => 0 } });
    await until("the stream", () => room.server.subscriptions.length === 1);
    room.server.subscriptions[0]?.tell("notifications/cancelled", { requestId: room.server.subscriptions[0].id as string });
    await until("another stream", () => room.server.subscriptions.length === 2, 6_000);
    await until("the changes", () => room.client.written.length === 3);
    expect(room.client.written.map(({ frame }) => frame["method"])).toEqual([
      "notifications/tools/list_changed",
      "notifications/prompts/list_changed",
      "notifications/resources/list_changed",
    ]);
    expect(room.events.filter(({ event }) => event === "made-up")).toHaveLength(3);
  }, 10_000);

  it("keep one word of each for a client without a stream", async () => {
    const room = await open({ front: "streamable-http" });
    room.client.hasSide = false;
    await until("the stream", () => room.server.subscriptions.length === 1);
    const [stream] = room.server.subscriptions;
    for (const uri of ["a:1", "a:2", "a:1"]) stream?.tell("notifications/resources/updated", { uri });
    stream?.tell("notifications/tools/list_changed");
    stream?.tell("notifications/tools/list_changed");
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(room.client.written).toEqual([]);
    room.client.hasSide = true;
    room.client.conversation.hears();
    expect(room.client.written.map(({ frame }) => paramsOf(frame)["uri"] ?? frame["method"])).toEqual([
      "a:1",
      "a:2",
      "notifications/tools/list_changed",
    ]);
  });
});

describe("headers", () => {
  const tool = { name: "t", inputSchema: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } } };
  const bad = { name: "bad", inputSchema: { type: "object", properties: { r: { type: "object", "x-mcp-header": "R" } } } };

  it("repeat the arguments the server wants repeated, once its tools were listed", async () => {
    const room = await open({
      transport: "streamable-http",
      does: ({ method }) => (method === "tools/list" ? { tools: [tool, bad] } : { content: [] }),
    });
    expect(await room.client.call("tools/list")).toMatchObject({ result: { tools: [{ name: "t" }] } });
    await room.client.call("tools/call", { name: "t", arguments: { region: "süd" } });
    expect(room.connector.peer.headers.at(-1)).toEqual({
      "MCP-Protocol-Version": MODERN,
      "Mcp-Method": "tools/call",
      "Mcp-Name": "t",
      "Mcp-Param-Region": `=?base64?${Buffer.from("süd").toString("base64")}?=`,
    });
    expect(room.events.some((event) => event.event === "dropped" && event.because.includes("bad"))).toBe(true);
  });

  it("that were not those of the message are looked up, and the call made once more", async () => {
    let refusals = 0;
    const does: Script = ({ method }) => {
      if (method === "tools/list") return { tools: [tool] };
      if (refusals++ === 0) throw new Refuse(-32020, "header mismatch");
      return { content: [] };
    };
    const room = await open({ transport: "streamable-http", does });
    expect(await room.client.call("tools/call", { name: "t", arguments: { region: "n" } })).toMatchObject({ result: { content: [] } });
    expect(sent(room, "tools/call")).toHaveLength(2);
    expect(room.connector.peer.headers.at(-1)).toMatchObject({ "Mcp-Param-Region": "n" });
  });

  it("that stay wrong are an error of the bridge's making", async () => {
    const does: Script = ({ method }) => {
      if (method === "tools/list") return { tools: [tool] };
      throw new Refuse(-32020, "header mismatch");
    };
    const room = await open({ transport: "streamable-http", does });
    expect(await room.client.call("tools/call", { name: "t" })).toMatchObject({ error: { code: -32603 } });
    expect(sent(room, "tools/call")).toHaveLength(2);
  });
});

describe("an error of the server", () => {
  it.each([
    ["standard", -32602, { a: 1 }, -32602],
    ["of its own", -31234, undefined, -31234],
    ["about a method it does not have", -32601, undefined, -32601],
  ])("%s comes through", async (_, code, data, expected) => {
    const room = await open({ does: () => Promise.reject(new Refuse(code, "m", data)) });
    expect(await room.client.call("tools/call", { name: "x" })).toMatchObject({
      error: { code: expected, message: "m", ...(data === undefined ? {} : { data }) },
    });
  });

  it("about a resource that is not there has the client's number for it", async () => {
    const room = await open({ does: () => Promise.reject(new Refuse(-32602, "m", { uri: "a:b" })) });
    expect(await room.client.call("resources/read", { uri: "a:b" })).toMatchObject({ error: { code: -32002 } });
    expect(await room.client.call("resources/read", { uri: "c:d" })).toMatchObject({ error: { code: -32602 } });
  });

  it("about the version is the end of what was known of it", async () => {
    const room = await open({ does: () => Promise.reject(new Refuse(-32022, "m", { supported: ["2099-01-01"], requested: MODERN })) });
    expect(await room.client.call("tools/list")).toMatchObject({ error: { code: -31907 } });
  });

  it.each([
    [{ resultType: "strange" }, -31908],
    [{ resultType: "input_required" }, undefined],
  ])("which is a result %j is one", async (result, code) => {
    const room = await open({ does: () => result });
    const answer = await room.client.call("tools/call", { name: "x" });
    if (code === undefined) expect(answer).toMatchObject({ result: { isError: true, _meta: { "polyrev/fault": { code: -31908 } } } });
    else expect(answer).toMatchObject({ error: { code } });
  });
});

describe("what a legacy client says that a modern server has no ear for", () => {
  it("is the bridge's to answer or to drop", async () => {
    const room = await open({ capabilities: { roots: { listChanged: true } } });
    await until("the stream", () => room.server.subscriptions.length === 1);
    const before = room.connector.peer.lines.length;
    await room.client.notify("notifications/roots/list_changed");
    expect(await room.client.call("tasks/list")).toMatchObject({ error: { code: -32601 } });
    expect(await room.client.call("initialize", {})).toMatchObject({ error: { code: -32600 } });
    expect(room.connector.peer.lines.length).toBe(before);
  });

  it("of a method nobody models goes on with the metadata of the era", async () => {
    const room = await open({ does: ({ method }) => ({ got: method }) });
    expect(await room.client.call("vendor/do", { a: 1 })).toMatchObject({ result: { got: "vendor/do" } });
    expect(paramsOf(sent(room, "vendor/do")[0])).toMatchObject({
      a: 1,
      _meta: { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} },
    });
  });
});

describe("cancelling", () => {
  it.each<TransportName>(["stdio", "streamable-http"])("ends the call over %s as that transport does", async (transport) => {
    const room = await open({ does: never, transport });
    const call = room.client.send({ jsonrpc: "2.0", id: 9, method: "tools/call", params: { name: "x" } });
    await until("the call", () => sent(room, "tools/call").length === 1);
    const id = sent(room, "tools/call")[0]?.["id"];
    await room.client.notify("notifications/cancelled", { requestId: 9, reason: "enough" });
    expect(await call).toBeUndefined();
    const cancelled = sent(room, "notifications/cancelled");
    if (transport === "stdio") expect(cancelled.map(paramsOf)).toEqual([{ requestId: id, reason: "enough" }]);
    else expect(cancelled).toEqual([]);
  });
});

describe("a server of both eras", () => {
  it("is spoken to in the era of the client", async () => {
    const { script } = modernServer(() => ({}), { supported: [MODERN, "2025-06-18"] });
    const room = roomWith((request, more) => {
      if (request["method"] === "initialize")
        return { protocolVersion: "2025-06-18", capabilities: MODERN_SERVER, serverInfo: { name: "both", version: "1" } };
      return script(request, more);
    });
    const client = new PlayedClient(room.service);
    expect(await client.open("2025-03-26")).toMatchObject({ result: { protocolVersion: "2025-03-26", serverInfo: { name: "both" } } });
  });
});

describe("a server that takes no subscriptions, whatever it says", () => {
  it.each<TransportName>(["stdio", "streamable-http"])(
    "is asked for one once over %s, and later clients are told of none",
    async (transport) => {
      const modern = modernServer();
      const room = roomWith((request, one) => {
        if (request["method"] === "subscriptions/listen") throw new Refuse(-32601, "no such method");
        return modern.script(request, one);
      }, transport);
      const [first, second] = [new PlayedClient(room.service), new PlayedClient(room.service)];
      await first.open(NEWEST);
      await until("the news", () => room.events.some(({ event }) => event === "dropped"));
      const { result } = await second.open(NEWEST);
      expect((result as Wire)["capabilities"]).toMatchObject({ tools: {}, prompts: {}, resources: {} });
      expect(JSON.stringify(result)).not.toMatch(/listChanged|subscribe/);
      expect(
        room.connector.peers.flatMap(({ messages }) => messages.filter(({ method }) => method === "subscriptions/listen")),
      ).toHaveLength(1);
      await room.service.close();
    },
  );
});

describe("a list the bridge reads for itself", () => {
  it.each<readonly [string, (turn: number) => string | undefined, number]>([
    ["goes round", (turn) => ["a", "b"][turn % 2], 3],
    ["stays where it is", () => "", 2],
    ["never ends", (turn) => `p${turn}`, 256],
    ["ends", (turn) => (turn === 4 ? undefined : `p${turn}`), 5],
  ])("that %s is left", async (_, cursorOf, pages) => {
    let lists = 0;
    const does: Script = ({ method }) => {
      if (method === "tools/call") throw new Refuse(-32020, "headers");
      const nextCursor = cursorOf(lists);
      lists += 1;
      return { tools: [], ...(nextCursor === undefined ? {} : { nextCursor }) };
    };
    const { client } = await open({ does, transport: "streamable-http" });
    expect(await client.call("tools/call", { name: "t" })).toHaveProperty("error");
    expect(lists).toBe(pages);
  });
});
