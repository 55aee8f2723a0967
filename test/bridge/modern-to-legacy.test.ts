// A modern client in front of a legacy server, by the rules M0 to M9: sessions shared as far as they may be, answers completed, the server's questions
// turned into rounds, subscriptions put together, and nothing that a forger could use.
import { describe, expect, it } from "vitest";
import { REVISIONS } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/index.js";
import { DEFAULT_CHOICES, DEFAULT_TIMEOUTS } from "../../runtime/bridge/options.js";
import type { Exchanged } from "../../runtime/bridge/peer.js";
import {
  askingRoom,
  ASKING,
  FORM,
  legacyRoom,
  META,
  modernRequest,
  resultOf,
  ROOTS,
  type Asked,
  type Given,
  type LegacyRoom,
} from "./legacy-script.js";
import { MODERN } from "./modern-script.js";
import { PlayedClient, roomWith, until } from "./room.js";
import { Refuse, type Script } from "./wire-peer.js";

const LEGACY = REVISIONS.filter(({ era }) => era === "legacy").map(({ revision }) => revision);
const NEWEST = LEGACY.at(-1) ?? "";
const SERVER = { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true, listChanged: true }, logging: {} };

const paramsOf = (message: Wire | undefined): Wire => (message?.["params"] ?? {}) as Wire;
const metaOf = (message: Wire | undefined): Wire => (paramsOf(message)["_meta"] ?? {}) as Wire;
const never = (): Promise<never> => new Promise(() => undefined);

/** Makes a bridge in front of a legacy server that has all but completions. */
function open({ does = () => ANYTHING, ...given }: Given & { readonly does?: Script } = {}): LegacyRoom {
  return legacyRoom(does, { revision: NEWEST, capabilities: SERVER, instructions: "ask", ...given });
}

/** An answer that is one to every request of these tests. */
const ANYTHING = { tools: [], content: [] };

function openAsking(questions: readonly Wire[], given: Given = {}): LegacyRoom {
  return askingRoom(questions, { revision: NEWEST, capabilities: SERVER, instructions: "ask", ...given });
}

describe.each(LEGACY)("a server at %s", (revision) => {
  it("is discovered by its handshake", async () => {
    const room = open({ revision });
    const { answer, status } = await room.ask(modernRequest("server/discover"));
    expect(status).toBe(200);
    expect(answer?.["result"]).toMatchObject({
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      supportedVersions: expect.arrayContaining([MODERN]),
      instructions: "ask",
      _meta: { [`${META}serverInfo`]: { name: "old" } },
    });
    expect(resultOf({ answer, status })).not.toHaveProperty("protocolVersion");
    expect(room.sent("notifications/initialized")).toHaveLength(1);
  });

  it("is called without anything of the era, and answers completed", async () => {
    const room = open({ revision, does: () => ({ tools: [{ name: "t", inputSchema: { type: "object" } }], nextCursor: "c" }) });
    const { answer } = await room.ask(modernRequest("tools/list", { cursor: "a" }, { meta: { "v/k": 1, [`${META}logLevel`]: "info" } }));
    expect(answer?.["result"]).toMatchObject({
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
      nextCursor: "c",
      tools: [{ name: "t" }],
    });
    const [sent] = room.sent("tools/list");
    expect(paramsOf(sent)).toEqual({ cursor: "a", _meta: { "v/k": 1 } });
    expect(JSON.stringify(room.connector.peer.messages.slice(1))).not.toContain(META);
  });

  it("asks, and is told what the client came back with", async () => {
    const room = openAsking([ROOTS], { revision });
    const first = await room.ask(modernRequest("tools/call", { name: "x", arguments: { a: 1 } }, { capabilities: ASKING }));
    const { inputRequests, requestState } = resultOf(first) as { inputRequests: Wire; requestState: string };
    expect(resultOf(first)).toMatchObject({ resultType: "input_required" });
    expect(Object.values(inputRequests)).toEqual([{ method: "roots/list" }]);
    const [key = ""] = Object.keys(inputRequests);
    const inputResponses = { [key]: { roots: [{ uri: "file:///a" }] } };
    const second = await room.ask(
      modernRequest("tools/call", { arguments: { a: 1 }, name: "x", inputResponses, requestState }, { capabilities: ASKING }),
    );
    expect(resultOf(second)).toMatchObject({
      resultType: "complete",
      content: [{ text: JSON.stringify([{ roots: [{ uri: "file:///a" }] }]) }],
    });
    expect(room.sent("tools/call")).toHaveLength(1);
    const [declared] = room.sent("initialize").map((message) => paramsOf(message)["capabilities"] as Wire);
    expect(declared).toMatchObject({ roots: {}, sampling: {} });
    expect(declared?.["roots"]).not.toMatchObject({ listChanged: true });
  });
});

describe("rounds", () => {
  it("gather the questions that come together", async () => {
    const room = openAsking([ROOTS, FORM]);
    const first = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    expect(Object.values(first["inputRequests"] as Wire).map((entry) => (entry as Wire)["method"])).toEqual([
      "roots/list",
      "elicitation/create",
    ]);
  });

  it("go on with what is still missing, under a new state", async () => {
    const room = openAsking([ROOTS, FORM]);
    const first = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    const [one = "", two = ""] = Object.keys(first["inputRequests"] as Wire);
    const again = (inputResponses: Wire, requestState: unknown): Promise<Asked> =>
      room.ask(modernRequest("tools/call", { name: "x", inputResponses, requestState: requestState as string }, { capabilities: ASKING }));
    const second = resultOf(await again({ [one]: { roots: [] }, unknown: {} }, first["requestState"]));
    expect(Object.keys(second["inputRequests"] as Wire)).toEqual([two]);
    expect(second["requestState"]).not.toBe(first["requestState"]);
    const third = resultOf(await again({ [two]: { action: "accept", content: { n: "1" } } }, second["requestState"]));
    expect(third).toMatchObject({
      resultType: "complete",
      content: [{ text: JSON.stringify([{ roots: [] }, { action: "accept", content: { n: "1" } }]) }],
    });
  });

  it.each([
    ["tampered with", (state: string) => `${state.slice(0, -2)}AA`, {}, {}],
    ["of another principal", (state: string) => state, { principal: "another" }, {}],
    ["of other params", (state: string) => state, {}, { arguments: { other: 1 } }],
    ["of a made-up flow", () => "AAAA.BBBB", {}, {}],
    ["that is no text", () => 7 as never, {}, {}],
  ])("do not go on with a state %s", async (_, change, visit, more) => {
    const room = openAsking([ROOTS]);
    const first = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    const requestState = change(String(first["requestState"]));
    const inputResponses = { n1: { roots: [] } };
    const { answer } = await room.ask(
      modernRequest("tools/call", { name: "x", ...more, inputResponses, requestState }, { capabilities: ASKING }),
      visit,
    );
    expect(answer).toMatchObject({ error: { code: -32602, message: "cannot go on: the request state is not one to go on with" } });
    expect(room.connector.peer.messages.some(({ id }) => id === "q-roots")).toBe(false);
  });

  it("take one return each", async () => {
    const room = openAsking([ROOTS]);
    const first = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    const back = (): Promise<Asked> =>
      room.ask(
        modernRequest(
          "tools/call",
          { name: "x", inputResponses: { n1: { roots: [] } }, requestState: first["requestState"] as string },
          { capabilities: ASKING },
        ),
      );
    const [one, two] = await Promise.all([back(), back()]);
    expect([one, two].filter(({ answer }) => answer?.["error"] === undefined)).toHaveLength(1);
    expect(await back()).toMatchObject({ answer: { error: { code: -31902 } } });
    expect(room.connector.peer.messages.filter(({ id }) => id === "q-roots")).toHaveLength(1);
  });

  it("end where the client does not come back", async () => {
    const room = openAsking([ROOTS, FORM], { changes: { timeouts: { ...DEFAULT_TIMEOUTS, probe: 200, park: 40 } } });
    const first = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    await until("the cancellation", () => room.sent("notifications/cancelled").length === 1);
    expect(room.connector.peer.messages.filter(({ id }) => id === "q-roots" || id === "q-form")).toMatchObject([
      { id: "q-roots", error: { code: -32603 } },
      { id: "q-form", result: { action: "cancel" } },
    ]);
    const { answer } = await room.ask(
      modernRequest(
        "tools/call",
        { name: "x", inputResponses: {}, requestState: first["requestState"] as string },
        { capabilities: ASKING },
      ),
    );
    expect(answer).toMatchObject({
      error: { code: -31902, data: { bridge: { kind: "state-lost", sideEffects: "possible", retry: "fresh" } } },
    });
  });

  it("are not begun for a client that cannot be asked", async () => {
    const room = openAsking([ROOTS]);
    const { answer } = await room.ask(modernRequest("tools/call", { name: "x" }));
    expect(answer).toMatchObject({ result: { content: [{ text: expect.stringContaining("-32601") }] } });
    expect(paramsOf(room.sent("initialize")[0])["capabilities"]).toEqual({});
  });

  it("are not begun by a list", async () => {
    const does: Script = async ({ method }, { send }) => {
      if (method !== "tools/list") return ANYTHING;
      send({ ...FORM, id: "q" });
      await until("the answer", () => room.connector.peer.messages.some(({ id }) => id === "q"));
      return { tools: [] };
    };
    const room = open({ does });
    expect(resultOf(await room.ask(modernRequest("tools/list", {}, { capabilities: ASKING })))).toMatchObject({
      resultType: "complete",
      tools: [],
    });
  });

  it("are begun on the stream of their own call where the transport has one, however many there are", async () => {
    const does: Script = async ({ method, params }, { send }) => {
      if (method !== "tools/call") return ANYTHING;
      const { name } = paramsOf({ params });
      send({ jsonrpc: "2.0", id: `q-${String(name)}`, method: "roots/list" });
      await until("the answer", () => room.connector.peer.messages.some(({ id }) => id === `q-${String(name)}`), 5_000);
      return { content: [{ type: "text", text: String(name) }] };
    };
    const room = open({ does, transport: "streamable-http" });
    const first = await Promise.all(
      ["a", "b", "c"].map((name) => room.ask(modernRequest("tools/call", { name }, { capabilities: ASKING }))),
    );
    const second = await Promise.all(
      ["a", "b", "c"].map((name, index) =>
        room.ask(
          modernRequest(
            "tools/call",
            { name, inputResponses: { n1: { roots: [] } }, requestState: resultOf(first[index] as Asked)["requestState"] as string },
            { capabilities: ASKING },
          ),
        ),
      ),
    );
    expect(second.map((asked) => resultOf(asked)["content"])).toEqual(["a", "b", "c"].map((text) => [{ type: "text", text }]));
  });

  it("wait for each other where nobody could tell them apart", async () => {
    const room = openAsking([ROOTS]);
    const first = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    const other = room.ask(modernRequest("tools/call", { name: "y" }, { capabilities: ASKING }));
    expect(await room.ask(modernRequest("tools/list", {}, { capabilities: ASKING }))).toMatchObject({ answer: { result: {} } });
    expect(room.sent("tools/call")).toHaveLength(1);
    await room.ask(
      modernRequest(
        "tools/call",
        { name: "x", inputResponses: { n1: { roots: [] } }, requestState: first["requestState"] as string },
        { capabilities: ASKING },
      ),
    );
    await until("the other call", () => room.sent("tools/call").length === 2);
    void other;
  });

  it("are given up by a client that says so", async () => {
    const room = openAsking([ROOTS]);
    await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING, id: "call" }));
    await room.ask({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "call" } });
    await until("the cancellation", () => room.sent("notifications/cancelled").length === 1);
  });
});

describe("a call", () => {
  it("whose client leaves is cancelled at the server", async () => {
    const room = open({ does: never });
    const gone = new AbortController();
    const asking = room.ask(modernRequest("tools/call", { name: "slow" }), { signal: gone.signal });
    await until("the call", () => room.sent("tools/call").length === 1);
    gone.abort();
    expect(await asking).toMatchObject({ answer: undefined });
    await until("the cancellation", () => room.sent("notifications/cancelled").length === 1);
    expect(paramsOf(room.sent("notifications/cancelled")[0])["requestId"]).toBe(room.sent("tools/call")[0]?.["id"]);
  });

  it("hears its progress under its own token, and its logs at its own level", async () => {
    const does: Script = ({ method, params }, { send }) => {
      if (method !== "tools/call") return ANYTHING;
      const progressToken = metaOf({ params })["progressToken"];
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } });
      for (const level of ["debug", "error"]) send({ jsonrpc: "2.0", method: "notifications/message", params: { level, data: level } });
      return { content: [] };
    };
    const room = open({ does });
    const { frames } = await room.ask(
      modernRequest("tools/call", { name: "x" }, { meta: { progressToken: 5, [`${META}logLevel`]: "warning" } }),
    );
    expect(frames.map(paramsOf)).toEqual([
      { progressToken: 5, progress: 1 },
      { level: "error", data: "error" },
    ]);
    expect(room.sent("logging/setLevel").map((message) => paramsOf(message)["level"])).toEqual(["warning"]);
    const silent = await room.ask(modernRequest("tools/call", { name: "x" }));
    expect(silent.frames).toEqual([]);
  });

  it.each([
    ["standard", -32602, -32602],
    ["of its own", -31234, -31234],
    ["that only the protocol may use", -32050, -32603],
    ["that would make a client look for another version", -32022, -32603],
    ["that nothing is there, of something that is not read", -32002, -32603],
  ])("that fails with a code %s fails with one the client may hear", async (_, code, expected) => {
    const room = open({ does: ({ method }) => (method === "tools/call" ? Promise.reject(new Refuse(code, "m")) : {}) });
    expect(await room.ask(modernRequest("tools/call", { name: "x" }))).toMatchObject({
      answer: { error: { code: expected, message: "m" } },
    });
  });

  it("that reads what is not there hears so in the era's words", async () => {
    const room = open({ does: () => Promise.reject(new Refuse(-32002, "m")) });
    expect(await room.ask(modernRequest("resources/read", { uri: "a:b" }))).toMatchObject({
      answer: { error: { code: -32602, data: { uri: "a:b" } } },
    });
  });

  it("that the server sends to an address becomes a round, and is made again", async () => {
    let calls = 0;
    const elicitations = [{ mode: "url", elicitationId: "e1", url: "https://x.test/", message: "go there" }];
    const does: Script = ({ method }) => {
      if (method !== "tools/call") return ANYTHING;
      if (calls++ === 0) throw new Refuse(-32042, "visit first", { elicitations });
      return { content: [] };
    };
    const room = open({ does });
    const first = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    expect(first["inputRequests"]).toMatchObject({ n1: { method: "elicitation/create", params: { mode: "url", url: "https://x.test/" } } });
    expect(JSON.stringify(first)).not.toContain("elicitationId");
    const back = (action: string): Promise<Asked> =>
      room.ask(
        modernRequest(
          "tools/call",
          { name: "x", inputResponses: { n1: { action } }, requestState: first["requestState"] as string },
          { capabilities: ASKING },
        ),
      );
    expect(await back("decline")).toMatchObject({ answer: { error: { code: -31903 } } });
    expect(resultOf(await back("accept"))).toMatchObject({ resultType: "complete" });
    expect(room.sent("tools/call")).toHaveLength(2);
  });

  it("that the server sends to an address is refused for a client that cannot go there", async () => {
    const refuse = new Refuse(-32042, "visit", {
      elicitations: [{ mode: "url", elicitationId: "e", url: "https://x.test/", message: "m" }],
    });
    const room = open({ does: ({ method }) => (method === "tools/call" ? Promise.reject(refuse) : {}) });
    expect(await room.ask(modernRequest("tools/call", { name: "x" }))).toMatchObject({
      answer: { error: { code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } } },
    });
  });

  it("is not answered by what only the other era may say", async () => {
    const forged = {
      resultType: "complete",
      inputRequests: { q: { method: "roots/list" } },
      requestState: "s",
      ttlMs: 9,
      cacheScope: "public",
      content: [],
    };
    const room = open({ does: () => ({ ...forged, _meta: { [`${META}serverInfo`]: { name: "forged", version: "1" }, k: 1 } }) });
    const result = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    expect(result).toMatchObject({ resultType: "complete", content: [], _meta: { k: 1, [`${META}serverInfo`]: { name: "old" } } });
    expect(Object.keys(result).sort()).toEqual(["_meta", "content", "resultType"]);
  });

  it.each(["input_required", "partial", 1])("that is of the type %j is none, and no question either", async (resultType) => {
    const room = open({ does: () => ({ resultType, inputRequests: { q: { method: "roots/list" } }, requestState: "s", content: [] }) });
    expect(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING }))).toMatchObject({
      answer: { error: { code: -31908 } },
    });
  });
});

describe("sessions", () => {
  it("are shared by a principal's requests that can be asked the same, and by nobody else's", async () => {
    const room = open();
    for (const principal of ["a", "a", "b"]) {
      await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: { roots: {} } }), { principal });
      await room.ask(modernRequest("tools/list", {}, { capabilities: { roots: {} } }), { principal });
      await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: { sampling: {} } }), { principal });
    }
    expect(room.connector.peers).toHaveLength(4);
  });

  it("are opened once, however many ask at a time", async () => {
    const room = open();
    await Promise.all(Array.from({ length: 20 }, () => room.ask(modernRequest("tools/list"))));
    expect(room.sent("initialize")).toHaveLength(1);
  });

  it("are one a request where nobody knows who asks", async () => {
    const room = open();
    for (let turn = 0; turn < 2; turn += 1) await room.ask(modernRequest("tools/list"), { principal: undefined });
    expect(room.sent("initialize")).toHaveLength(2);
    await until("their ends", () => room.connector.peers.every(({ isClosed }) => isClosed));
  });

  it("are one for all where that was chosen", async () => {
    const room = open({ changes: { choices: { ...DEFAULT_CHOICES, sessions: "shared" } } });
    for (const principal of ["a", "b", undefined]) await room.ask(modernRequest("tools/list"), { principal });
    expect(room.sent("initialize")).toHaveLength(1);
  });

  it("that are over are opened anew, and what waited on them is lost", async () => {
    const room = openAsking([ROOTS]);
    const first = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    room.connector.peer.die("exited with code 1");
    const { answer } = await room.ask(
      modernRequest(
        "tools/call",
        { name: "x", inputResponses: { n1: { roots: [] } }, requestState: first["requestState"] as string },
        { capabilities: ASKING },
      ),
    );
    expect(answer).toMatchObject({ error: { code: -31902 } });
    expect(await room.ask(modernRequest("tools/list"))).toMatchObject({ answer: { result: { resultType: "complete" } } });
  });

  it("that fail to open fail all who wait, and no one after", async () => {
    let isDown = true;
    const room = roomWith((message) => {
      if (message["method"] === "server/discover") throw new Refuse(-32601, "no");
      if (message["method"] === "initialize" && isDown) throw new Refuse(-32603, "not yet");
      return message["method"] === "initialize"
        ? { protocolVersion: NEWEST, capabilities: SERVER, serverInfo: { name: "s", version: "1" } }
        : { tools: [] };
    });
    const sink = { canStream: true, write: () => undefined };
    const ask = (): Promise<Exchanged> => room.service.exchange(modernRequest("tools/list"), { sink, principal: "p" });
    expect((await Promise.all([ask(), ask()])).map(({ answer }) => (answer?.["error"] as Wire | undefined)?.["message"])).toEqual([
      "not yet",
      "not yet",
    ]);
    isDown = false;
    expect(await ask()).toMatchObject({ answer: { result: { tools: [] } } });
  });
});

describe("a subscription", () => {
  const listen = (room: LegacyRoom, notifications: Wire, id: string): { frames: Wire[]; stop: () => void; ended: Promise<Exchanged> } => {
    const frames: Wire[] = [];
    const gone = new AbortController();
    const sink = { canStream: true, write: (frame: Wire) => void frames.push(frame) };
    const ended = room.service.exchange(modernRequest("subscriptions/listen", { notifications }, { id }), {
      sink,
      signal: gone.signal,
      principal: "p",
    });
    return { frames, stop: () => gone.abort(), ended };
  };

  it("is acknowledged with what the server does, told of it alone, and ended with its client", async () => {
    const room = open();
    const one = listen(room, { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["a:b"] }, "one");
    await until("the acknowledgement", () => one.frames.length === 1);
    expect(one.frames[0]).toMatchObject({
      method: "notifications/subscriptions/acknowledged",
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ["a:b"] }, _meta: { [`${META}subscriptionId`]: "one" } },
    });
    expect(paramsOf(one.frames[0])["notifications"]).not.toHaveProperty("promptsListChanged");
    const { peer } = room.connector;
    for (const method of ["notifications/resources/list_changed", "notifications/tools/list_changed"])
      peer.push({ jsonrpc: "2.0", method });
    for (const uri of ["a:b", "a:b/c"]) peer.push({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } });
    await until("the changes", () => one.frames.length === 4);
    expect(one.frames.slice(1).map((frame) => [frame["method"], paramsOf(frame)["uri"], metaOf(frame)[`${META}subscriptionId`]])).toEqual([
      ["notifications/tools/list_changed", undefined, "one"],
      ["notifications/resources/updated", "a:b", "one"],
      ["notifications/resources/updated", "a:b/c", "one"],
    ]);
    one.stop();
    expect(await one.ended).toMatchObject({ answer: undefined });
    await until("the end of the watch", () => room.sent("resources/unsubscribe").length === 1);
  });

  it("shares the server's own with others, and ends it with the last", async () => {
    const room = open();
    const one = listen(room, { resourceSubscriptions: ["a:b"] }, "one");
    const two = listen(room, { resourceSubscriptions: ["a:b", "c:d"] }, "two");
    await until("both", () => one.frames.length === 1 && two.frames.length === 1);
    expect(
      room
        .sent("resources/subscribe")
        .map((message) => String(paramsOf(message)["uri"]))
        .sort((a, b) => a.localeCompare(b)),
    ).toEqual(["a:b", "c:d"]);
    room.connector.peer.push({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "c:d" } });
    await until("the change", () => two.frames.length === 2);
    expect(one.frames).toHaveLength(1);
    one.stop();
    await one.ended;
    expect(room.sent("resources/unsubscribe")).toEqual([]);
    two.stop();
    await until("the end of the watch", () => room.sent("resources/unsubscribe").length === 2);
  });

  it("of nothing is acknowledged and over", async () => {
    const room = open({ capabilities: { tools: {} } });
    const one = listen(room, { toolsListChanged: true }, "one");
    expect(await one.ended).toMatchObject({
      answer: { id: "one", result: { resultType: "complete", _meta: { [`${META}subscriptionId`]: "one" } } },
    });
    expect(one.frames).toMatchObject([{ params: { notifications: {} } }]);
  });

  it("whose filter is none is refused", async () => {
    const room = open();
    expect(await listen(room, { toolsListChanged: "yes" }, "one").ended).toMatchObject({ answer: { error: { code: -32602 } } });
  });
});

describe("what the modern era has no request for", () => {
  it.each(["ping", "logging/setLevel", "resources/subscribe", "tasks/list"])("%s is not there", async (method) => {
    const room = open();
    expect(await room.ask(modernRequest(method, { level: "info", uri: "a:b" }))).toMatchObject({
      status: 404,
      answer: { error: { code: -32601 } },
    });
    expect(room.sent(method)).toEqual([]);
  });
});

describe("a server that is silent on its own stream", () => {
  it("does not hold up the first request", async () => {
    const room = open({ transport: "streamable-http" });
    const connect = room.connector.connect.bind(room.connector);
    room.connector.connect = async (transport) => Object.assign(await connect(transport), { listen: never });
    expect(await room.ask(modernRequest("tools/list"))).toMatchObject({ answer: { result: { tools: [] } } });
  });
});

describe("a front that serves the modern era only where the server does", () => {
  const choices = { ...DEFAULT_CHOICES, advertiseModern: "when-upstream-modern" } as const;

  it("sends a client of both eras back to its handshake", async () => {
    const room = open({ changes: { choices } });
    expect(await room.ask(modernRequest("server/discover"))).toMatchObject({ status: 404, answer: { error: { code: -32601 } } });
    const client = new PlayedClient(room.service, "stdio", "pipe");
    expect(await client.send(modernRequest("server/discover"))).toMatchObject({ error: { code: -32601 } });
    expect(await client.open(NEWEST)).toMatchObject({ result: { protocolVersion: NEWEST } });
  });
});

describe("a pipe", () => {
  it("has a session of its own, which ends with it", async () => {
    const room = openAsking([ROOTS]);
    const client = new PlayedClient(room.service, "stdio", "pipe");
    const first = (await client.send(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING }))) as Wire;
    expect(first).toMatchObject({ result: { resultType: "input_required" } });
    await client.conversation.close("gone");
    expect(room.connector.peer.isClosed).toBe(true);
  });
});
