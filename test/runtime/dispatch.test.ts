// Dispatch at every revision: the order of the checks, shown by messages that fail two at once; batches, notifications, and what reaches the peer of
// what goes wrong on this side.
import { describe, expect, it } from "vitest";
import {
  LowerError,
  RpcError,
  TranslationReport,
  type Answer,
  type DispatchEvent,
  type DispatchOptions,
  type Wire,
} from "../../runtime/index.js";
import { CapabilitySet, codecFor, dispatcherFor, REVISIONS, resolve } from "../../runtime/mcp.js";

const ALL = REVISIONS.map((entry) => entry.revision as string);
const LEGACY = ALL.filter((revision) => revision < "2026");
const SERVER = { tools: {}, resources: {}, completions: {} };
const HOP = { clientInfo: { name: "client", version: "1" }, clientCapabilities: {} };

/** Gives what a client of a revision sends, with what the revision wants on every request. */
async function request(revision: string, method: string, params: unknown, id: string | number | undefined = 1): Promise<Wire> {
  const codec = await codecFor(revision, CapabilitySet.allFor(revision).resolve(revision, "stdio"), HOP);
  const lowered = codec.method(method) === undefined ? params : codec.lower(method, "params", params);
  return { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, ...(lowered === undefined ? {} : { params: lowered }) };
}

interface Room extends Partial<DispatchOptions> {
  readonly client?: unknown;
  readonly server?: unknown;
}

/** Makes a dispatcher of a server that has tools, and collects what is observed. */
async function serve(revision: string, { client = {}, server = SERVER, ...options }: Room = {}) {
  const events: DispatchEvent[] = [];
  const codec = await codecFor(revision, resolve({ revision, transport: "stdio", client, server }));
  const dispatcher = await dispatcherFor({
    codec,
    direction: "clientToServer",
    handlers: { "tools/list": () => ({ tools: [] }), "resources/list": () => ({ resources: [] }), ping: () => undefined },
    observe: (event) => events.push(event),
    ...options,
  });
  return { dispatcher, events };
}

function codeOf(answer: Answer): unknown {
  return ((answer as Wire | undefined)?.["error"] as Wire | undefined)?.["code"];
}

describe.each(ALL)("the order of the checks at %s", (revision) => {
  const isLegacy = LEGACY.includes(revision);
  const shut = { isOpen: () => false };

  it.each<readonly [string, unknown, Room, number | undefined]>([
    ["unreadable before the handshake and unknown", { jsonrpc: "1.0", id: 1, method: "tools/cull" }, shut, -32600],
    ["no method and an id that is none", { jsonrpc: "2.0", id: {}, method: "ping" }, shut, -32600],
    ["a method that is none beside a result", { jsonrpc: "2.0", id: 1, method: 5, result: {} }, {}, -32600],
    ["before the handshake and unknown", { jsonrpc: "2.0", id: 1, method: "tools/cull" }, shut, isLegacy ? -32600 : -32601],
    ["before the handshake and denied", { jsonrpc: "2.0", id: 1, method: "prompts/get" }, shut, isLegacy ? -32600 : -32601],
    ["unknown and positional", { jsonrpc: "2.0", id: 1, method: "tools/cull", params: [1] }, {}, -32601],
    ["of the other direction and positional", { jsonrpc: "2.0", id: 1, method: "roots/list", params: [1] }, {}, -32601],
    ["denied and positional", { jsonrpc: "2.0", id: 1, method: "prompts/get", params: [1] }, {}, -32601],
    ["denied and not valid", { jsonrpc: "2.0", id: 1, method: "prompts/get", params: { name: 5 } }, {}, -32601],
    ["denied and not handled", { jsonrpc: "2.0", id: 1, method: "prompts/get", params: {} }, { handlers: {} }, -32601],
    ["not handled and positional", { jsonrpc: "2.0", id: 1, method: "tools/list", params: [1] }, { handlers: {} }, -32601],
    [
      "handled by nothing of its own",
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: [1] },
      { handlers: Object.create({ "tools/list": fail }) as DispatchOptions["handlers"] },
      -32601,
    ],
    ["without params", { jsonrpc: "2.0", id: 1, method: "tools/list" }, {}, isLegacy ? undefined : -32602],
    ["handled by a name objects have", { jsonrpc: "2.0", id: 1, method: "constructor", params: {} }, {}, -32601],
    [
      "positional and a handler that fails",
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: [1] },
      { handlers: { "tools/list": fail } },
      -32602,
    ],
    [
      "not valid and a handler that fails",
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: { cursor: 5 } },
      { handlers: { "tools/list": fail } },
      -32602,
    ],
  ])("%s", async (_, message, room, code) => {
    const { dispatcher } = await serve(revision, room);
    const answer = await dispatcher.message(message);
    expect(answer).toMatchObject({ jsonrpc: "2.0" });
    expect(codeOf(answer)).toBe(code);
  });

  it("says why a method is denied", async () => {
    const { dispatcher } = await serve(revision);
    const denied = await dispatcher.message({ jsonrpc: "2.0", id: 1, method: "prompts/get", params: [1] });
    expect(denied).toMatchObject({ error: { message: "cannot call prompts/get: prompts/get needs the server capability prompts" } });
  });

  it("answers what passes them all, and says where params are at fault", async () => {
    const { dispatcher } = await serve(revision);
    const answer = await dispatcher.message(await request(revision, "tools/list", {}, "a"));
    expect(answer).toMatchObject({ jsonrpc: "2.0", id: "a", result: { tools: [] } });
    expect((answer as { result: Wire }).result["resultType"]).toBe(isLegacy ? undefined : "complete");
    const wrong = await request(revision, "tools/list", {});
    const invalid = await dispatcher.message({ ...wrong, params: { ...(wrong["params"] as Wire), cursor: 5 } });
    expect(invalid).toMatchObject({ error: { code: -32602, data: { path: "/cursor" } } });
  });

  it("answers text that is no JSON with -32700, and an array by what the revision has", async () => {
    const { dispatcher } = await serve(revision, shut);
    const broken: unknown = JSON.parse((await dispatcher.text('{"jsonrpc"')) ?? "");
    expect(broken).toMatchObject({ jsonrpc: "2.0", error: { code: -32700 } });
    const ping = await request(revision, "tools/list", {});
    const { dispatcher: open } = await serve(revision);
    const answer: unknown = JSON.parse((await open.text(JSON.stringify([ping, { ...ping, id: 2 }, 5, { ...ping, id: undefined }]))) ?? "");
    if (revision === "2025-03-26") {
      expect(answer).toMatchObject([{ id: 1, result: {} }, { id: 2, result: {} }, { error: { code: -32600 } }]);
      expect(answer).toHaveLength(3);
    } else {
      expect(answer).toMatchObject({ error: { code: -32600 } });
    }
  });

  it("never answers a notification", async () => {
    const { dispatcher, events } = await serve(revision, { handlers: { "notifications/cancelled": fail } });
    const silent = async (method: string, params: unknown) =>
      expect(await dispatcher.message({ jsonrpc: "2.0", method, params })).toBeUndefined();
    await silent("notifications/none", {});
    await silent("notifications/roots/list_changed", {});
    await silent("notifications/cancelled", [1]);
    await silent("notifications/cancelled", { requestId: {} });
    await silent("notifications/cancelled", { requestId: 1 });
    expect(events.map(({ event }) => event)).toEqual(["dropped", "dropped", "dropped", "dropped", "failed"]);
  });

  it("answers no response, broken ones least of all", async () => {
    const { dispatcher, events } = await serve(revision);
    for (const response of [{ result: {} }, { error: { code: 1, message: "" } }, { result: null }, { result: {}, error: {} }]) {
      expect(await dispatcher.message({ jsonrpc: "2.0", id: 1, ...response })).toBeUndefined();
    }
    expect(await dispatcher.message({ jsonrpc: "1.0", id: 1, result: {} })).toBeUndefined();
    expect(events.map(({ event }) => event)).toEqual(["response", "response", "response", "response", "dropped"]);
  });
});

function fail(): never {
  throw new Error("secret: /home/key");
}

describe.each(ALL)("what goes wrong in a handler at %s", (revision) => {
  async function answerTo(
    handler: () => unknown,
    room: Room = {},
  ): Promise<{ readonly answer: Answer; readonly events: readonly DispatchEvent[] }> {
    const { dispatcher, events } = await serve(revision, { handlers: { "resources/read": handler }, ...room });
    return { answer: await dispatcher.message(await request(revision, "resources/read", { uri: "a:b" })), events };
  }

  it("says nothing of it to the peer", async () => {
    const { answer, events } = await answerTo(fail);
    expect(answer).toEqual({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "internal error" } });
    expect(events).toMatchObject([{ event: "failed", method: "resources/read", error: { message: "secret: /home/key" } }]);
    for (const thrown of [
      undefined,
      null,
      "secret",
      { code: 5, message: "secret" },
      Object.assign(new Error("secret"), { code: -32000 }),
    ]) {
      const refused = await answerTo(() => Promise.reject(thrown));
      expect(refused.answer).toEqual(answer);
    }
  });

  it("passes on an error meant for it, in the codes of its revision", async () => {
    const own = await answerTo(() => Promise.reject(new RpcError(-31000, "come back later", { data: { after: 5 } })));
    expect(own.answer).toMatchObject({ error: { code: -31000, message: "come back later", data: { after: 5 } } });
    expect(own.events).toEqual([]);
    const old = await answerTo(() => Promise.reject(new RpcError(-32002, "gone", { revision: "2025-11-25" })));
    expect(codeOf(old.answer)).toBe(LEGACY.includes(revision) ? -32002 : -32602);
  });

  it("names what cannot be written for it", async () => {
    const report = new TranslationReport();
    const refusal = LowerError.featureUnavailable({ feature: "x.y", path: "/a", reason: "not there", cite: { revision, page: "p" } });
    const { answer } = await answerTo(() => Promise.reject(refusal), { report });
    expect(answer).toMatchObject({ error: { code: -32603, data: { feature: "x.y", path: "/a", cite: { revision, page: "p" } } } });
  });
});

describe("results", () => {
  const structured = { content: [], structuredContent: { a: 1 } };

  it.each(ALL)("are lowered to %s", async (revision) => {
    const { dispatcher } = await serve(revision, { handlers: { "tools/call": () => structured } });
    const answer = await dispatcher.message(await request(revision, "tools/call", { name: "x" }));
    if (revision >= "2025-06-18") expect(answer).toMatchObject({ result: structured });
    else
      expect(answer).toMatchObject({
        error: { code: -32603, data: { feature: "tools.structured-output", path: "/structuredContent", cite: { revision: "2025-06-18" } } },
      });
  });

  it("are empty where a handler gives none", async () => {
    const { dispatcher } = await serve("2025-06-18");
    expect(await dispatcher.message({ jsonrpc: "2.0", id: 1, method: "ping" })).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });
});

describe("what a client is asked", () => {
  it.each<readonly [string, unknown, unknown, number]>([
    ["not at all", {}, { mode: "url" }, -32601],
    ["in a mode it did not declare, with params that are not valid", { elicitation: {} }, { mode: "url", message: 5 }, -32602],
    ["without its elements", { elicitation: {} }, { mode: "form" }, -32602],
  ])("%s", async (_, client, params, code) => {
    const { dispatcher } = await serve("2025-11-25", { client, direction: "serverToClient", handlers: { "elicitation/create": fail } });
    expect(codeOf(await dispatcher.message({ jsonrpc: "2.0", id: 1, method: "elicitation/create", params }))).toBe(code);
  });

  it("is no message of its own at the modern revision", async () => {
    const room = { client: { roots: {} }, direction: "serverToClient", handlers: { "roots/list": fail } } as const;
    const { dispatcher } = await serve("2026-07-28", room);
    expect(codeOf(await dispatcher.message({ jsonrpc: "2.0", id: 1, method: "roots/list" }))).toBe(-32601);
  });

  it.each(LEGACY)("before the handshake of %s is to give a sign of life", async (revision) => {
    const room = { client: { roots: {} }, direction: "serverToClient", isOpen: () => false } as const;
    const { dispatcher } = await serve(revision, { ...room, handlers: { ping: () => ({}), "roots/list": fail } });
    expect(await dispatcher.message({ jsonrpc: "2.0", id: 1, method: "ping" })).toMatchObject({ result: {} });
    expect(codeOf(await dispatcher.message({ jsonrpc: "2.0", id: 1, method: "roots/list" }))).toBe(-32600);
    expect(codeOf(await dispatcher.message({ jsonrpc: "2.0", id: 1, method: "initialize" }))).toBe(-32600);
  });
});

it("a gate may read more than the capabilities", async () => {
  const asked: unknown[] = [];
  const snapshot = (method: string, params: unknown) => {
    asked.push([method, params]);
    return { server: { prompts: {} } };
  };
  const { dispatcher } = await serve("2025-06-18", { snapshot, handlers: { "prompts/list": () => ({ prompts: [] }) } });
  expect(codeOf(await dispatcher.message({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { a: 1 } }))).toBe(-32601);
  expect(asked).toEqual([["tools/list", { a: 1 }]]);
});
