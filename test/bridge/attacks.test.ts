// What somebody who means harm may try at the bridge itself: states that are not theirs, eras that are not theirs, questions nobody invited, JSON
// made to hurt, and secrets looked for in what the bridge writes down. Each line of SECURITY.md that is about this names its test here.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import type { BridgeEvent } from "../../runtime/bridge/events.js";
import { DEFAULT_TIMEOUTS } from "../../runtime/bridge/options.js";
import { digestOf, Seal } from "../../runtime/bridge/seal.js";
import { logLineOf, recordOf } from "../../runtime/cli/bridge-log.js";
import { parseMessage } from "../../runtime/transport/json.js";
import {
  ASKING,
  askingRoom,
  FORM,
  legacyRoom,
  META,
  modernRequest,
  resultOf,
  ROOTS,
  type Asked,
  type LegacyRoom,
} from "./legacy-script.js";
import { MODERN, modernServer } from "./modern-script.js";
import { PlayedClient, roomWith, until } from "./room.js";
import { Refuse } from "./wire-peer.js";

const BOUND = { principal: "a", method: "tools/call", params: { name: "x", arguments: { a: 1, b: 2 } } };
const HANDLE = { flow: "f", round: 1, expires: 1000 };
const REJECTED = { error: { code: -32602, message: "cannot go on: the request state is not one to go on with" } };

describe("a request state", () => {
  const seal = new Seal();
  const state = seal.close(HANDLE, BOUND);

  it("is good for the request it was given for, whatever the order of its keys", () => {
    const params = { arguments: { b: 2, a: 1 }, name: "x", requestState: state, inputResponses: { q: {} }, _meta: { k: 1 } };
    expect(seal.open(state, { ...BOUND, params }, 0)).toEqual({ handle: HANDLE });
  });

  it.each([
    ["another principal", { ...BOUND, principal: "b" }],
    ["nobody in particular", { ...BOUND, principal: undefined }],
    ["another method", { ...BOUND, method: "prompts/get" }],
    ["other params", { ...BOUND, params: { name: "x", arguments: { a: 1, b: 3 } } }],
    ["more params", { ...BOUND, params: { ...BOUND.params, task: {} } }],
    ["no params", { ...BOUND, params: undefined }],
  ])("is not good for %s", (_, bound) => {
    expect(seal.open(state, bound, 0)).toEqual({ fault: "invalid" });
  });

  it("is not good with any of its characters changed", () => {
    const read = ([body = "", mac = ""]: readonly string[]): string =>
      `${Buffer.from(body, "base64url").toString("hex")} ${Buffer.from(mac, "base64url").toString("hex")}`;
    for (let at = 0; at < state.length; at += 1) {
      const changed = `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
      // The last character of each part has bits that say nothing.
      if (read(changed.split(".")) === read(state.split("."))) continue;
      expect(seal.open(changed, BOUND, 0), changed).toEqual({ fault: "invalid" });
    }
  });

  it.each([
    [
      "with its end moved",
      (body: string, mac: string) =>
        `${Buffer.from(Buffer.from(body, "base64url").toString().replace("1000", "9000")).toString("base64url")}.${mac}`,
    ],
    ["without a signature", (body: string) => `${body}.`],
    ["with half a signature", (body: string, mac: string) => `${body}.${mac.slice(0, 20)}`],
    ["with more behind it", (body: string, mac: string) => `${body}.${mac}.${mac}`],
    ["that is empty", () => ""],
    ["that is a megabyte", () => "A".repeat(1_000_000)],
    ["that is no JSON", (_: string, mac: string) => `e.${mac}`],
  ])("is not good %s", (_, change) => {
    const [body = "", mac = ""] = state.split(".");
    expect(seal.open(change(body, mac), BOUND, 0)).toEqual({ fault: "invalid" });
  });

  it.each([[undefined], [null], [1], [{}], [[state]]])("is not %j", (value) => {
    expect(seal.open(value, BOUND, 0)).toEqual({ fault: "invalid" });
  });

  it("ends when it says", () => {
    expect(seal.open(state, BOUND, 1000)).toEqual({ handle: HANDLE });
    expect(seal.open(state, BOUND, 1001)).toEqual({ fault: "expired" });
  });

  it("of an earlier process says so under the same key, and nothing under another", () => {
    const key = Buffer.alloc(32, 7);
    const earlier = new Seal(key).close(HANDLE, BOUND);
    expect(new Seal(key).open(earlier, BOUND, 0)).toEqual({ fault: "earlier-process" });
    expect(new Seal().open(earlier, BOUND, 0)).toEqual({ fault: "invalid" });
  });

  it("holds nothing of the request or of who asked", () => {
    const secret = seal.close(HANDLE, { principal: "pr1ncipal", method: "tools/call", params: { name: "s3cret" } });
    const [body = ""] = secret.split(".");
    expect(Buffer.from(body, "base64url").toString()).not.toMatch(/pr1ncipal|s3cret|tools/);
  });

  it("sees every key of the params", () => {
    expect(digestOf(parseMessage('{"arguments":{"__proto__":{"a":1}}}'))).not.toBe(digestOf(parseMessage('{"arguments":{}}')));
  });
});

/** Asks for a round; gives the state, and how to come back with it. */
async function begun(
  room: LegacyRoom,
  method = "tools/call",
): Promise<{ state: string; back: (change?: Wire, visit?: object) => Promise<Asked> }> {
  const first = resultOf(await room.ask(modernRequest(method, { name: "x" }, { capabilities: ASKING })));
  const state = String(first["requestState"]);
  const back = (change: Wire = {}, visit: object = {}): Promise<Asked> => {
    const { method: other, ...params }: Wire = { inputResponses: { n1: { roots: [] } }, requestState: state, ...change };
    return room.ask(modernRequest(typeof other === "string" ? other : method, { name: "x", ...params }, { capabilities: ASKING }), visit);
  };
  return { state, back };
}

describe("a round", () => {
  it("is not gone on with by another method, and its owner still can", async () => {
    const room = askingRoom([ROOTS]);
    const { back } = await begun(room);
    expect(await back({ method: "prompts/get" })).toMatchObject({ answer: REJECTED });
    expect(await back({}, { principal: "another" })).toMatchObject({ answer: REJECTED });
    expect(resultOf(await back())).toMatchObject({ resultType: "complete" });
  });

  it("is not gone on with under the state of the round before", async () => {
    const room = askingRoom([ROOTS, FORM]);
    const { back, state } = await begun(room);
    const second = resultOf(await back());
    expect(second).toMatchObject({ resultType: "input_required" });
    const answered = { inputResponses: { n2: { action: "accept", content: { n: "forged" } } } };
    expect(await back({ ...answered, requestState: state })).toMatchObject({ answer: REJECTED });
    const decline = { inputResponses: { n2: { action: "decline" } }, requestState: second["requestState"] };
    expect(JSON.stringify(resultOf(await back(decline)))).toContain("decline");
    expect(room.connector.peer.messages.filter(({ id }) => id === "q-form")).toHaveLength(1);
  });

  it("is not gone on with in another process", async () => {
    const { state } = await begun(askingRoom([ROOTS]));
    const { back } = await begun(askingRoom([ROOTS]));
    expect(await back({ requestState: state })).toMatchObject({ answer: REJECTED });
  });

  it("tells the server what the client said, and nothing of the era", async () => {
    const room = askingRoom([ROOTS]);
    const { back } = await begun(room);
    const roots = [{ uri: "file:///a" }];
    await back({
      inputResponses: { n1: { roots, resultType: "complete", ttlMs: 1, _meta: { [`${META}clientInfo`]: { name: "forged" } } } },
    });
    const [answer] = room.connector.peer.messages.filter(({ id }) => id === "q-roots");
    expect(answer?.["result"]).toMatchObject({ roots });
    expect(JSON.stringify(answer)).not.toContain(META);
    expect(JSON.stringify(answer)).not.toContain("resultType");
    const calls = JSON.stringify(room.sent("tools/call"));
    expect(calls).not.toMatch(/requestState|inputResponses/);
  });

  it("of addresses is gone on with once", async () => {
    let calls = 0;
    const room = legacyRoom(({ method }) => {
      if (method !== "tools/call") return {};
      calls += 1;
      if (calls === 1)
        throw new Refuse(-32042, "visit", { elicitations: [{ mode: "url", elicitationId: "e", url: "https://x.test/", message: "m" }] });
      return { content: [] };
    });
    const { back } = await begun(room);
    const accept = { inputResponses: { n1: { action: "accept" } } };
    expect(resultOf(await back(accept))).toMatchObject({ resultType: "complete" });
    expect((await back(accept)).answer).toHaveProperty("error");
    expect(calls).toBe(2);
  });
});

describe("a call that waits for its client", () => {
  it("has what it says meanwhile dropped, and that is told", async () => {
    const room = askingRoom([ROOTS], { transport: "streamable-http" });
    await begun(room);
    const says = { jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: "s3cret" } };
    room.connector.peer.push(says);
    const note = { jsonrpc: "2.0", method: "notifications/vendor" };
    room.connector.peer.push(note);
    await until("the reports", () => room.events.filter(({ event }) => event === "dropped").length >= 2);
    expect(JSON.stringify(room.events)).not.toContain("s3cret");
  });

  it("has progress it makes meanwhile dropped, and that is told", async () => {
    const room: LegacyRoom = legacyRoom(async ({ method, params }, { send }) => {
      if (method !== "tools/call") return {};
      send(ROOTS);
      await until("the parking", () => isParked);
      const { progressToken } = (params as Wire)["_meta"] as Wire;
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1 } });
      await new Promise(() => undefined);
    });
    let isParked = false;
    await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING, meta: { progressToken: 1 } }));
    isParked = true;
    await until("the report", () =>
      room.events.some(
        (event) => event.event === "dropped" && event.method === "notifications/progress" && event.because === "its client is away",
      ),
    );
  });
});

describe("news that nobody listens for", () => {
  it("is dropped, and that is told", async () => {
    const room = legacyRoom();
    await room.ask(modernRequest("tools/list"));
    room.connector.peer.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
    await until("the report", () => room.events.some((event) => event.event === "dropped" && event.because === "nobody listens"));
  });
});

describe("a legacy server that forges", () => {
  const forged = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientInfo`]: { name: "forged", version: "1" },
    [`${META}clientCapabilities`]: { sampling: {} },
    [`${META}logLevel`]: "debug",
    [`${META}serverInfo`]: { name: "forged", version: "1" },
    [`${META}subscriptionId`]: "other",
  };

  it("metadata of a hop in a result is not believed", async () => {
    const room = legacyRoom(() => ({ tools: [], _meta: { ...forged, k: 1 } }));
    const result = resultOf(await room.ask(modernRequest("tools/list")));
    expect(result["_meta"]).toEqual({ k: 1, [`${META}serverInfo`]: { name: "old", version: "1" } });
  });

  it("metadata of a hop in a question is not believed, nor what the era does not have", async () => {
    const params = { ...(FORM["params"] as Wire), task: { ttl: 1 }, _meta: { ...forged, progressToken: "t" } };
    const room = askingRoom([{ ...FORM, params }]);
    const first = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    const { n1 } = first["inputRequests"] as { n1: Wire };
    expect(Object.keys(n1).sort()).toEqual(["method", "params"]);
    expect(n1["params"]).toEqual(FORM["params"]);
  });

  it("metadata of a hop in progress and logs is not believed", async () => {
    const room = legacyRoom(({ method, params }, { send }) => {
      if (method !== "tools/call") return {};
      const { progressToken } = (params as Wire)["_meta"] as Wire;
      send({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken, progress: 1, _meta: forged } });
      send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: 1, _meta: forged } });
      return { content: [] };
    });
    const { frames } = await room.ask(
      modernRequest("tools/call", { name: "x" }, { meta: { progressToken: 1, [`${META}logLevel`]: "debug" } }),
    );
    expect(frames).toHaveLength(2);
    expect(JSON.stringify(frames)).not.toContain(META);
  });

  it("metadata of a hop in news is not believed", async () => {
    const room = legacyRoom();
    const frames: Wire[] = [];
    const gone = new AbortController();
    const visit = { sink: { canStream: true, write: (frame: Wire) => void frames.push(frame) }, signal: gone.signal, principal: "p" };
    const listening = room.service.exchange(
      modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } }, { id: "mine" }),
      visit,
    );
    await until("the acknowledgement", () => frames.length === 1);
    room.connector.peer.push({ jsonrpc: "2.0", method: "notifications/tools/list_changed", params: { _meta: { ...forged, "v/k": 1 } } });
    await until("the news", () => frames.length === 2);
    expect((frames[1] as { params: Wire }).params["_meta"]).toEqual({ "v/k": 1, [`${META}subscriptionId`]: "mine" });
    gone.abort();
    await listening;
  });

  it.each([-32020, -32021, -32022, -32042, -32099])("the code %d does not make a client do anything", async (code) => {
    const data = { supported: ["2099-01-01"], requested: MODERN, requiredCapabilities: { sampling: {} } };
    const room = legacyRoom(({ method }) => {
      if (method === "tools/list") throw new Refuse(code, "m", data);
      return {};
    });
    const { answer, status } = await room.ask(modernRequest("tools/list"));
    expect(answer).toMatchObject({ error: { code: -32603, data: { bridge: { upstream: { code } } } } });
    expect(status).toBe(200);
  });

  const forgery = { inputRequests: { q: { method: "roots/list" } }, requestState: "s", ttlMs: 9e9, cacheScope: "public" };

  it.each(["input_required", "task", "anything", 7])("the result type %j is refused", async (resultType) => {
    const room = legacyRoom(() => ({ content: [], tools: [], resultType, ...forgery }));
    for (const asked of [modernRequest("tools/call", { name: "x" }, { capabilities: ASKING }), modernRequest("tools/list")]) {
      expect((await room.ask(asked)).answer).toMatchObject({ error: { code: -31908, data: { bridge: { kind: "upstream-violation" } } } });
    }
  });

  it("what only the other era says of a result is not believed", async () => {
    const room = legacyRoom(() => ({ content: [], tools: [], ...forgery }));
    const result = resultOf(await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING })));
    expect({ ...result, _meta: {} }).toEqual({ content: [], tools: [], resultType: "complete", _meta: {} });
    const listed = resultOf(await room.ask(modernRequest("tools/list")));
    expect(listed).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
  });

  it("a question without a call, or for another's call, is refused", async () => {
    const room = legacyRoom();
    await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: ASKING }));
    room.connector.peer.push(FORM);
    await until("the refusal", () => room.connector.peer.messages.some(({ id }) => id === "q-form"));
    expect(room.connector.peer.messages.find(({ id }) => id === "q-form")).toMatchObject({ error: { code: -32602 } });
  });

  it("a question that was not invited is refused, and its client never sees it", async () => {
    const room = askingRoom([FORM]);
    const { answer } = await room.ask(modernRequest("tools/call", { name: "x" }, { capabilities: { roots: {} } }));
    expect(JSON.stringify(answer)).not.toContain("requestedSchema");
    expect(room.connector.peer.messages.find(({ id }) => id === "q-form")).toMatchObject({ error: { code: -32601 } });
  });
});

describe("a modern client that says what is reserved", () => {
  it("says it to the bridge alone, but for what both hops have", async () => {
    const room = legacyRoom();
    const meta = { [`${META}related-task`]: { taskId: "t" }, [`${META}of-an-extension/k`]: 1, traceparent: "00-x", "v/k": 1 };
    await room.ask(modernRequest("tools/list", {}, { meta }));
    expect((room.sent("tools/list")[0] as { params: Wire }).params).toEqual({ _meta: { traceparent: "00-x", "v/k": 1 } });
  });
});

describe("a modern server that forges", () => {
  it("metadata of a hop is not believed by a legacy client's bridge", async () => {
    const server = modernServer(() => ({ content: [], _meta: { [`${META}clientInfo`]: { name: "forged" }, [`${META}unknown`]: 1, k: 1 } }));
    const room = roomWith(server.script);
    const client = new PlayedClient(room.service);
    await client.open("2025-11-25");
    expect(await client.call("tools/call", { name: "x" })).toMatchObject({ result: { content: [], _meta: { k: 1 } } });
    expect(client.lines.join("")).not.toContain(META);
  });

  it("a question that was not declared is a fault of the server, and never shown", async () => {
    const server = modernServer(() => ({
      resultType: "input_required",
      inputRequests: { q: { method: "elicitation/create", params: FORM["params"] } },
    }));
    const room = roomWith(server.script);
    const client = new PlayedClient(room.service);
    await client.open("2025-11-25", { roots: {} });
    expect(await client.call("tools/call", { name: "x" })).toMatchObject({
      result: { isError: true, _meta: { "polyrev/fault": { code: -31908 } } },
    });
    expect(client.framesOf("elicitation/create")).toEqual([]);
  });
});

const DEEP = 100_000;
const HOSTILE: readonly (readonly [name: string, text: string])[] = [
  ["deep objects", `${'{"a":'.repeat(DEEP)}1${"}".repeat(DEEP)}`],
  ["deep arrays", `${"[".repeat(DEEP)}${"]".repeat(DEEP)}`],
  ["deep objects with a number that cannot be held", `${'{"a":'.repeat(DEEP)}1.0${"}".repeat(DEEP)}`],
  ["a wide array", `[${"0,".repeat(300_000)}0]`],
  ["a wide object", `{${Array.from({ length: 50_000 }, (_, n) => `"k${n}":${n}`).join()}}`],
  ["__proto__", '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'],
  ["a number of a thousand digits", "9".repeat(1000)],
  ["a number beyond all", "-1e999999"],
  ["half a surrogate", '"\\ud800"'],
];

describe.each(HOSTILE)("hostile JSON: %s", (_, text) => {
  const read = (message: string): Wire | undefined => {
    try {
      return parseMessage(message) as Wire;
    } catch {
      return undefined;
    }
  };

  it("from a modern client is passed on or refused, and the next request is served", async () => {
    const room = legacyRoom(({ params }) => ({ content: [], tools: [], echoed: (params as Wire)["arguments"] }));
    const base = JSON.stringify(modernRequest("tools/call", { name: "x", arguments: { v: "HERE" } }, { capabilities: ASKING }));
    const message = read(base.replace('"HERE"', text));
    if (message !== undefined) {
      const { answer } = await room.ask(message);
      expect(answer).toBeDefined();
    }
    expect((await room.ask(modernRequest("tools/list"))).answer).toHaveProperty("result");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("from a client that is asked back is passed on or refused, and the next request is served", async () => {
    const room = askingRoom([ROOTS]);
    const base = JSON.stringify(modernRequest("tools/call", { name: "x", arguments: { v: "HERE" } }, { capabilities: ASKING }));
    const message = read(base.replace('"HERE"', text));
    if (message !== undefined) expect((await room.ask(message)).answer).toBeDefined();
    expect((await room.ask(modernRequest("tools/list"))).answer).toHaveProperty("result");
  });

  it("from a server is passed on or refused, and the next answer comes", async () => {
    const value = read(`{"v":${text}}`)?.["v"];
    const room = legacyRoom(({ method }) => (method === "tools/call" ? { content: [], structuredContent: { v: value }, v: value } : {}));
    const { answer } = await room.ask(modernRequest("tools/call", { name: "x" }));
    expect(answer).toBeDefined();
    expect((await room.ask(modernRequest("tools/list"))).answer).toBeDefined();
  });

  it("from a legacy client is passed on or refused, and the next request is served", async () => {
    const room = roomWith(modernServer(({ params }) => ({ content: [], tools: [], echoed: (params as Wire)["arguments"] })).script);
    const client = new PlayedClient(room.service);
    await client.open("2025-11-25");
    const message = read(`{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"x","arguments":{"v":${text}}}}`);
    const sink = { canStream: true, write: () => undefined };
    if (message !== undefined) expect(await client.conversation.receive(message, { sink })).toBeDefined();
    expect(await client.call("tools/list")).toHaveProperty("result");
  });
});

describe("what the bridge writes down", () => {
  const SECRETS = ["st4te", "f0rm-answer", "4rgument", "r3sult", "3rror-text", "n4me-of-a-resource"];
  const written = (events: readonly BridgeEvent[]): string =>
    events.map((event) => `${recordOf(event, 0)} ${JSON.stringify(logLineOf(event))}`).join("\n");

  it("holds nothing of what modern clients and legacy servers say", async () => {
    const room = askingRoom([FORM], { transport: "streamable-http", changes: { timeouts: { ...DEFAULT_TIMEOUTS, probe: 200 } } });
    const capabilities = ASKING;
    const params = { name: "x", arguments: { a: "4rgument" } };
    const first = resultOf(await room.ask(modernRequest("tools/call", params, { capabilities })));
    const requestState = String(first["requestState"]);
    const inputResponses = { n1: { action: "accept", content: { n: "f0rm-answer" } } };
    await room.ask(modernRequest("tools/call", { ...params, inputResponses, requestState: `${requestState}x` }, { capabilities }));
    await room.ask(modernRequest("tools/call", { ...params, inputResponses, requestState }, { capabilities }));
    await room.ask(modernRequest("tools/call", { ...params, inputResponses, requestState }, { capabilities }));
    await room.ask(modernRequest("tools/call", { ...params, inputResponses, requestState: "st4te" }, { capabilities }));
    room.connector.peer.push({ jsonrpc: "2.0", id: 99, result: { r: "r3sult" } });
    room.connector.peer.push({ jsonrpc: "2.0", method: "notifications/message", params: { level: "error", data: "r3sult" } });
    await until("the drops", () => room.events.filter(({ event }) => event === "dropped").length >= 2);
    const text = written(room.events);
    expect(room.events.filter(({ event }) => event === "refused").length).toBeGreaterThanOrEqual(3);
    for (const secret of [...SECRETS, requestState]) expect(text).not.toContain(secret);
  });

  it("holds nothing of what legacy clients and modern servers say", async () => {
    const server = modernServer(({ method, params }) => {
      if (method !== "tools/call") return {};
      const { name, inputResponses } = params as Wire;
      if (name === "strange") return { resultType: "r3sult of the server", content: [] };
      if (name === "fails") throw new Refuse(-32603, "3rror-text", { k: "r3sult" });
      if (inputResponses !== undefined) return { content: [{ type: "text", text: "r3sult" }] };
      return {
        resultType: "input_required",
        requestState: "st4te",
        inputRequests: { q: { method: "elicitation/create", params: FORM["params"] } },
      };
    });
    const room = roomWith(server.script);
    const client = new PlayedClient(room.service);
    await client.open("2025-11-25", { elicitation: {} });
    client.answers = () => ({ action: "accept", content: { n: "f0rm-answer" } });
    await client.call("tools/call", { name: "x", arguments: { a: "4rgument" } });
    client.answers = () => {
      throw new Refuse(-1, "f0rm-answer");
    };
    await client.call("tools/call", { name: "x", arguments: { a: "4rgument" } });
    await client.call("tools/call", { name: "strange" });
    await client.call("tools/call", { name: "fails" });
    await client.call("resources/subscribe", { uri: "test://n4me-of-a-resource" });
    await client.send({ jsonrpc: "2.0", id: 77, result: { r: "r3sult" } });
    await client.notify("notifications/r3sult-is-no-secret-here", { a: "4rgument" });
    const text = written(room.events).replaceAll("notifications/r3sult-is-no-secret-here", "");
    for (const secret of SECRETS) expect(text).not.toContain(secret);
  });
});
