// The gates of the second protocol, from its rows alone: every shape it has, its denial codes, and a dispatcher that keeps their order.
import { describe, expect, it } from "vitest";
import { auditAdvertisement, codecFor, dispatcherFor, gate, REVISIONS, resolve, tables } from "../../runtime/acp.js";
import type { Direction } from "../../runtime/index.js";

const V1 = REVISIONS[0].revision;
/** A draft: built and tested like the first, and left out of negotiation unless asked for. */
const V2 = REVISIONS[1].revision;
const TO_AGENT: Direction = "clientToServer";
const TO_CLIENT: Direction = "serverToClient";

describe("gates of v1", () => {
  it.each([
    ["a method of every agent", "session/new", TO_AGENT, {}, undefined, { outcome: "baseline" }],
    ["a flag that is true", "session/load", TO_AGENT, { server: { loadSession: true } }, undefined, { outcome: "negotiated" }],
    [
      "a flag that is a word",
      "session/load",
      TO_AGENT,
      { server: { loadSession: "true" } },
      undefined,
      { outcome: "denied", code: -32601 },
    ],
    ["a flag that is nought", "terminal/create", TO_CLIENT, { client: { terminal: 0 } }, undefined, { outcome: "denied", code: -32601 }],
    ["an object flag", "session/list", TO_AGENT, { server: { sessionCapabilities: { list: {} } } }, undefined, { outcome: "negotiated" }],
    [
      "an object flag that is a list",
      "session/list",
      TO_AGENT,
      { server: { sessionCapabilities: { list: [] } } },
      undefined,
      { outcome: "denied", code: -32601 },
    ],
    ["a nested flag", "fs/read_text_file", TO_CLIENT, { client: { fs: { readTextFile: true } } }, undefined, { outcome: "negotiated" }],
    [
      "its sister",
      "fs/write_text_file",
      TO_CLIENT,
      { client: { fs: { readTextFile: true } } },
      undefined,
      { outcome: "denied", code: -32601 },
    ],
    [
      "ways to authenticate",
      "authenticate",
      TO_AGENT,
      { initialize: { authMethods: [{ id: "a" }] } },
      undefined,
      { outcome: "negotiated" },
    ],
    ["no way to authenticate", "authenticate", TO_AGENT, { initialize: { authMethods: [] } }, undefined, { outcome: "denied" }],
    ["modes of the session", "session/set_mode", TO_AGENT, { session: { modes: {} } }, undefined, { outcome: "negotiated" }],
    ["no modes", "session/set_mode", TO_AGENT, { session: { modes: null } }, undefined, { outcome: "denied" }],
    [
      "options of the session",
      "session/set_config_option",
      TO_AGENT,
      { session: { configOptions: [{}] } },
      undefined,
      { outcome: "negotiated" },
    ],
    [
      "options that are no list",
      "session/set_config_option",
      TO_AGENT,
      { session: { configOptions: {} } },
      undefined,
      { outcome: "denied" },
    ],
    [
      "the mode the client has",
      "elicitation/create",
      TO_CLIENT,
      { client: { elicitation: { form: {} } } },
      { mode: "form" },
      { outcome: "negotiated" },
    ],
    [
      "the mode it has not",
      "elicitation/create",
      TO_CLIENT,
      { client: { elicitation: { form: {} } } },
      { mode: "url" },
      { outcome: "denied", code: -32602 },
    ],
    ["no elicitation at all", "elicitation/create", TO_CLIENT, { client: {} }, { mode: "url" }, { outcome: "denied", code: -32601 }],
    ["a method that travels the other way", "session/new", TO_CLIENT, {}, undefined, { outcome: "unknown" }],
    ["no snapshot", "session/load", TO_AGENT, null, undefined, { outcome: "denied", code: -32601 }],
  ] as const)("%s: %s", (_, method, direction, snapshot, params, want) => {
    expect(gate(V1, method, direction, snapshot, params)).toMatchObject(want);
  });

  it.each([V1, V2])("has one row for each direction and method of %s", (revision) => {
    const rows = tables.gates[revision]?.map((entry) => `${entry.direction} ${entry.method}`) ?? [];
    const methods = (tables.methods[revision] ?? []).flatMap((entry) =>
      entry.directions.map((direction) => `${direction} ${entry.method}`),
    );
    expect([...rows].sort()).toEqual([...methods].sort());
    expect(new Set(rows).size).toBe(rows.length);
  });

  it("finds what an agent says and does not do, and does and does not say", () => {
    const audit = auditAdvertisement(V1, "server", { loadSession: true }, ["session/new", "session/list"]);
    expect(audit.unhandled).toContainEqual({ method: "session/load", path: "loadSession" });
    expect(audit.unadvertised).toEqual([{ method: "session/list", path: "sessionCapabilities.list" }]);
  });
});

describe("gates of v2", () => {
  it.each([
    ["sessions, which are an optional surface now", "session/new", TO_AGENT, { server: { session: {} } }, { outcome: "negotiated" }],
    ["no sessions", "session/new", TO_AGENT, { server: {} }, { outcome: "denied", code: -32601 }],
    ["what only the sender can vouch for", "session/update", TO_CLIENT, { server: { session: {} } }, { outcome: "negotiated" }],
    ["a notification nobody may send", "session/update", TO_CLIENT, { server: {} }, { outcome: "denied" }],
    ["a tool call that can be cancelled", "tool_call/cancel", TO_AGENT, { entity: { cancel: {} } }, { outcome: "negotiated" }],
    ["a tool call that cannot", "tool_call/cancel", TO_AGENT, { entity: {} }, { outcome: "denied", code: -32602 }],
    ["ways to log in", "auth/login", TO_AGENT, { initialize: { authMethods: [{}] } }, { outcome: "negotiated" }],
    ["no way to log in", "auth/login", TO_AGENT, { initialize: { authMethods: [] } }, { outcome: "denied" }],
    ["a method that went", "session/load", TO_AGENT, { server: { loadSession: true } }, { outcome: "unknown" }],
  ] as const)("%s: %s", (_, method, direction, snapshot, want) => {
    expect(gate(V2, method, direction, snapshot)).toMatchObject(want);
  });

  it("answers no notification, even a denied one", () => {
    expect(gate(V2, "session/update", TO_CLIENT, { server: {} })).not.toHaveProperty("code");
  });
});

describe("a dispatcher of v1", () => {
  const session = { revision: V1, client: {}, server: { loadSession: false }, transport: "stdio" };
  const params = { sessionId: "s", cwd: "/", mcpServers: [] };

  async function ask(message: object): Promise<unknown> {
    const codec = await codecFor(V1, resolve(session));
    const dispatcher = await dispatcherFor({
      codec: codec as never,
      direction: TO_AGENT,
      handlers: { "session/new": () => ({ sessionId: "s" }), "session/load": () => ({}) },
    });
    return dispatcher.message({ jsonrpc: "2.0", ...message });
  }

  it("serves what every agent serves", async () => {
    expect(await ask({ id: 1, method: "session/new", params: { cwd: "/", mcpServers: [] } })).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { sessionId: "s" },
    });
  });

  it.each([
    ["a denied method with good params", { id: 2, method: "session/load", params }, -32601],
    ["a denied method with bad params", { id: 2, method: "session/load", params: { cwd: 7 } }, -32601],
    ["a served method with bad params", { id: 2, method: "session/new", params: { cwd: 7 } }, -32602],
    ["a method nobody knows", { id: 2, method: "session/teleport", params: {} }, -32601],
    ["an id that is none", { id: {}, method: "session/new", params: {} }, -32600],
  ])("answers %s", async (_, message, code) => {
    expect(await ask(message)).toMatchObject({ error: { code } });
  });

  it("answers no notification", async () => {
    expect(await ask({ method: "session/cancel", params: { sessionId: "s" } })).toBeUndefined();
  });
});
