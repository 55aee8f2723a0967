// A modern client in front of a modern server: no era is translated, but ids, tokens and what each hop says of itself are that hop's own.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import type { Exchanged, TransportName, Visit } from "../../runtime/bridge/peer.js";
import { MODERN, modernServer, type ModernRoom } from "./modern-script.js";
import { PlayedClient, roomWith, until, type Room } from "./room.js";
import { Refuse, type Script } from "./wire-peer.js";

const META = "io.modelcontextprotocol/";
const paramsOf = (message: Wire | undefined): Wire => (message?.["params"] ?? {}) as Wire;
const metaOf = (message: Wire | undefined): Wire => (paramsOf(message)["_meta"] ?? {}) as Wire;

interface Asked extends Exchanged {
  readonly frames: readonly Wire[];
}

interface Opened extends Room {
  readonly server: ModernRoom;
  readonly ask: (message: Wire, visit?: Partial<Visit> & { readonly headers?: Readonly<Record<string, string>> }) => Promise<Asked>;
}

function open(does?: Script, transport: TransportName = "streamable-http", more?: Parameters<typeof modernServer>[1]): Opened {
  const server = modernServer(does, more);
  const room = roomWith(server.script, transport);
  return {
    ...room,
    server,
    ask: async (message, { headers, ...visit } = {}) => {
      const frames: Wire[] = [];
      const sink = { canStream: true, write: (frame: Wire) => void frames.push(JSON.parse(JSON.stringify(frame)) as Wire) };
      const header = headers === undefined ? undefined : (name: string) => headers[name];
      const exchanged = await room.service.exchange(message, { sink, ...(header === undefined ? {} : { header }), ...visit });
      return { ...exchanged, frames };
    },
  };
}

function request(id: string | number, method: string, params: Wire = {}, meta: Wire = {}): Wire {
  const own = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientCapabilities`]: { roots: {} },
    [`${META}clientInfo`]: { name: "c", version: "1" },
  };
  return { jsonrpc: "2.0", id, method, params: { ...params, _meta: { ...own, ...meta } } };
}

const sent = (room: Room, method: string): readonly Wire[] =>
  room.connector.peer.messages.filter((message) => message["method"] === method);
const never = (): Promise<never> => new Promise(() => undefined);

describe.each<TransportName>(["stdio", "streamable-http"])("over %s", (transport) => {
  it("a request goes through with what its client says of itself, under an id of the bridge's", async () => {
    const room = open(() => ({ content: [{ type: "text", text: "x" }], vendor: 1 }), transport);
    const { answer, status } = await room.ask(
      request("a", "tools/call", { name: "x", arguments: { n: 1 }, dryRun: true }, { "v/k": 1, traceparent: "00-x" }),
    );
    expect(answer).toEqual({
      jsonrpc: "2.0",
      id: "a",
      result: { resultType: "complete", content: [{ type: "text", text: "x" }], vendor: 1 },
    });
    expect(status).toBe(200);
    const [outbound] = sent(room, "tools/call");
    expect(outbound?.["id"]).not.toBe("a");
    expect(paramsOf(outbound)).toMatchObject({ name: "x", arguments: { n: 1 }, dryRun: true });
    expect(metaOf(outbound)).toEqual({ ...metaOf(request(1, "x")), "v/k": 1, traceparent: "00-x" });
  });

  it("progress and logs come on the way to the answer, under the client's token", async () => {
    const does: Script = (message, { send }) => {
      const progressToken = metaOf(message)["progressToken"];
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } });
      send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } });
      return { content: [] };
    };
    const room = open(does, transport);
    const { frames } = await room.ask(request(1, "tools/call", { name: "x" }, { progressToken: 9, [`${META}logLevel`]: "debug" }));
    expect(frames).toEqual([
      { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 9, progress: 1 } },
      { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "x" } },
    ]);
    expect(metaOf(sent(room, "tools/call")[0])["progressToken"]).not.toBe(9);
  });

  it("a subscription is named by its own client's id", async () => {
    const room = open(undefined, transport);
    const frames: Wire[] = [];
    const stop = new AbortController();
    const sink = { canStream: true, write: (frame: Wire) => void frames.push(frame) };
    const listening = room.service.exchange(request("sub", "subscriptions/listen", { notifications: { toolsListChanged: true } }), {
      sink,
      signal: stop.signal,
    });
    await until("the acknowledgement", () => frames.length === 1);
    room.server.subscriptions[0]?.tell("notifications/tools/list_changed");
    await until("the change", () => frames.length === 2);
    expect(frames.map((frame) => [frame["method"], metaOf(frame)[`${META}subscriptionId`]])).toEqual([
      ["notifications/subscriptions/acknowledged", "sub"],
      ["notifications/tools/list_changed", "sub"],
    ]);
    room.server.subscriptions[0]?.end();
    expect(await listening).toMatchObject({ answer: { id: "sub", result: { _meta: { [`${META}subscriptionId`]: "sub" } } } });
  });

  it("a client that leaves ends its request at the server", async () => {
    const room = open(never, transport);
    const gone = new AbortController();
    const asking = room.ask(request(1, "tools/call", { name: "slow" }), { signal: gone.signal });
    await until("the call", () => sent(room, "tools/call").length === 1);
    gone.abort();
    expect(await asking).toMatchObject({ answer: undefined });
    if (transport === "stdio") await until("the cancellation", () => sent(room, "notifications/cancelled").length === 1);
  });
});

describe("what the server needs to know", () => {
  it("is the client's to answer: question, state and answers go through", async () => {
    const does: Script = ({ params }) =>
      paramsOf({ params })["inputResponses"] === undefined
        ? { resultType: "input_required", requestState: "s", inputRequests: { q: { method: "roots/list" } } }
        : { content: [] };
    const room = open(does);
    const first = await room.ask(request(1, "tools/call", { name: "x" }));
    expect(first.answer).toMatchObject({
      result: { resultType: "input_required", requestState: "s", inputRequests: { q: { method: "roots/list" } } },
    });
    await room.ask(request(2, "tools/call", { name: "x", inputResponses: { q: { roots: [] } }, requestState: "s" }));
    expect(paramsOf(sent(room, "tools/call")[1])).toMatchObject({ inputResponses: { q: { roots: [] } }, requestState: "s" });
  });
});

describe("a question the client did not invite", () => {
  it.each<readonly [string, Wire, number]>([
    ["a capability that is missing", { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }, -32021],
    [
      "a flag that is missing",
      { method: "elicitation/create", params: { mode: "url", message: "m", url: "https://example.invalid" } },
      -32021,
    ],
    ["what no answer may ask", { method: "tools/list" }, -31908],
    ["what is no question", { params: {} }, -31908],
  ])("ends its call: %s", async (_, question, code) => {
    const room = open(() => ({ resultType: "input_required", inputRequests: { ok: { method: "roots/list" }, q: question } }));
    const { answer } = await room.ask(request(1, "tools/call", { name: "x" }));
    expect(answer).toMatchObject({ id: 1, error: { code } });
  });
});

describe("a subscription", () => {
  it("begins with its acknowledgement, whatever the server says first", async () => {
    const server = modernServer(undefined, { acknowledges: false });
    const room = roomWith(server.script, "streamable-http");
    const frames: Wire[] = [];
    const sink = { canStream: true, write: (frame: Wire) => void frames.push(frame) };
    void room.service.exchange(request("s", "subscriptions/listen", { notifications: { toolsListChanged: true } }), { sink });
    await until("the subscription", () => server.subscriptions.length === 1);
    server.subscriptions[0]?.tell("notifications/tools/list_changed");
    server.subscriptions[0]?.tell("notifications/subscriptions/acknowledged", { notifications: { toolsListChanged: true } });
    await until("both", () => frames.length === 2);
    expect(frames.map((frame) => frame["method"])).toEqual([
      "notifications/subscriptions/acknowledged",
      "notifications/tools/list_changed",
    ]);
    await room.service.close();
  });
});

describe("an answer", () => {
  it.each([
    [-32601, 200],
    [-32602, 200],
    [-32021, 400],
    [-32022, 400],
    [-31234, 200],
  ])("with code %d has the status %d", async (code, status) => {
    const room = open(() => Promise.reject(new Refuse(code, "m")));
    expect(await room.ask(request(1, "tools/list"))).toMatchObject({ status, answer: { id: 1, error: { code } } });
  });

  it("that a method is unknown has the status 404 where no revision has the method", async () => {
    const room = open(() => Promise.reject(new Refuse(-32601, "m")));
    expect(await room.ask(request(1, "vendor/x"))).toMatchObject({ status: 404, answer: { id: 1, error: { code: -32601 } } });
  });

  it("nobody can give is an error with its reason", async () => {
    const room = roomWith(undefined, "streamable-http");
    const sink = { canStream: true, write: () => undefined };
    expect(await room.service.exchange(request(1, "tools/list"), { sink })).toMatchObject({ answer: { id: 1, error: { code: -31907 } } });
  });
});

describe("a request", () => {
  const headers = { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "x" };

  it("whose headers say something else is refused before anybody is asked", async () => {
    const room = open();
    const call = request(1, "tools/call", { name: "x" });
    expect(await room.ask(call, { headers })).toMatchObject({ status: 200 });
    for (const wrong of [
      { ...headers, "mcp-name": "y" },
      { ...headers, "mcp-method": "tools/list" },
    ]) {
      expect(await room.ask(call, { headers: wrong })).toMatchObject({ status: 400, answer: { error: { code: -32020 } } });
    }
    expect(sent(room, "tools/call")).toHaveLength(1);
  });

  it("of an id in flight is refused, and of another principal's is not", async () => {
    const pending: ((value: unknown) => void)[] = [];
    const room = open(() => new Promise((resolve) => pending.push(resolve)));
    const call = request(1, "tools/call", { name: "x" });
    const first = room.ask(call, { principal: "a" });
    await until("the first", () => pending.length === 1);
    expect(await room.ask(call, { principal: "a" })).toMatchObject({ answer: { error: { code: -32600 } } });
    const other = room.ask(call, { principal: "b" });
    await until("the other", () => pending.length === 2);
    pending[1]?.({ content: [{ type: "text", text: "b" }] });
    pending[0]?.({ content: [{ type: "text", text: "a" }] });
    expect((await first).answer).toMatchObject({ result: { content: [{ text: "a" }] } });
    expect((await other).answer).toMatchObject({ result: { content: [{ text: "b" }] } });
  });

  it("is cancelled by its own principal only", async () => {
    const room = open(never);
    const asking = room.ask(request(1, "tools/call", { name: "x" }), { principal: "a" });
    await until("the call", () => sent(room, "tools/call").length === 1);
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect(await room.ask(cancel, { principal: "b" })).toMatchObject({ answer: undefined, status: 202 });
    expect(room.events.at(-1)).toMatchObject({ event: "dropped" });
    await room.ask(cancel, { principal: "a" });
    expect(await asking).toMatchObject({ answer: undefined });
  });
});

describe("a notification", () => {
  it("that no revision knows goes on, without what belongs to the client's hop; one of the other era does not", async () => {
    const room = open();
    await room.ask(request(1, "tools/list"));
    const told = async (method: string): Promise<void> => {
      const params = { a: 1, _meta: { "v/k": 1, "io.modelcontextprotocol/logLevel": "info" } };
      await room.service.exchange({ jsonrpc: "2.0", method, params }, { sink: { canStream: true, write: () => undefined } });
    };
    await told("vendor/told");
    await told("notifications/roots/list_changed");
    expect(sent(room, "vendor/told")).toEqual([{ jsonrpc: "2.0", method: "vendor/told", params: { a: 1, _meta: { "v/k": 1 } } }]);
    expect(sent(room, "notifications/roots/list_changed")).toEqual([]);
  });
});

describe("a pipe", () => {
  it("whose first request is modern stays so", async () => {
    const room = open(() => ({ tools: [] }), "stdio");
    const client = new PlayedClient(room.service, "stdio", "pipe");
    expect(await client.send(request(1, "server/discover"))).toMatchObject({
      id: 1,
      result: { supportedVersions: expect.arrayContaining([MODERN, "2024-11-05"]) },
    });
    expect(await client.send(request(2, "tools/list"))).toMatchObject({ id: 2, result: { tools: [] } });
    expect(await client.open("2025-11-25")).toMatchObject({
      error: { code: -32022, data: { supported: expect.arrayContaining([MODERN]) } },
    });
  });

  it("that probes and then shakes hands is legacy", async () => {
    const room = open(() => ({ tools: [] }), "stdio");
    const client = new PlayedClient(room.service, "stdio", "pipe");
    await client.send(request(1, "server/discover"));
    expect(await client.open("2025-11-25")).toMatchObject({ result: { protocolVersion: "2025-11-25" } });
    expect(await client.call("tools/list")).toMatchObject({ result: { tools: [] } });
    expect(client.lines.at(-1)).not.toContain("resultType");
  });
});
