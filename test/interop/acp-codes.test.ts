// The codes that the ACP specification has for a denial of its own, seen by the native peer: modes of elicitation and cancels of one thing by -32602,
// and whatever comes before the handshake by -32600.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import { codeOf, gatesOf, hellosOf, INCOMING, openPair, openSide, payloadsOf, rubbish, shakeHands, tell } from "./acp-pair.js";
import { loadAcp, V1, V2 } from "./acp-sdk.js";
import { helloOf, type Role } from "./acp-side.js";
import { frameFaults, memoryWire } from "./acp-wire.js";

const SESSION = { sessionId: "session-7" };

/** Gives the hello of a client that can everything, but for what it says of elicitation. */
function clientWith(revision: string, elicitation: unknown): Wire {
  const { client } = hellosOf(revision).full;
  const key = revision === V1 ? "clientCapabilities" : "capabilities";
  return { ...client, [key]: { ...(helloOf(revision, "client", client) as Wire), elicitation } };
}

describe.each([V1, V2])("elicitation at %s", (revision) => {
  const form = { ...SESSION, mode: "form", message: "Which bed?", requestedSchema: { type: "object", properties: {} } };
  const url = { ...SESSION, mode: "url", message: "Pay here", elicitationId: "e-1", url: "https://pay.example/e-1" };
  const voice = { ...SESSION, mode: "_voice", message: "Say it" };

  it.each<readonly [says: string, elicitation: unknown, name: string, params: unknown, code: number | undefined]>([
    ["forms", { form: {} }, "a form", form, undefined],
    ["forms", { form: {} }, "a page", url, -32602],
    ["forms", { form: {} }, "a mode to come", voice, -32602],
    ["forms", { form: {} }, "rubbish", rubbish(), -32602],
    ["pages", { url: {} }, "a page", url, undefined],
    ["pages", { url: {} }, "a form", form, -32602],
    ["both", { form: {}, url: {} }, "a mode to come", voice, -32602],
    ["no mode", {}, "a form", form, -32602],
    ["no mode", {}, "a page", url, -32602],
    ["nothing", null, "a form", form, -32601],
    ["nothing", null, "a page", url, -32601],
    ["nothing", null, "rubbish", rubbish(), -32601],
  ])("a client that says %s (%o) meets %s", async (_, elicitation, _name, params, code) => {
    const hellos = { client: clientWith(revision, elicitation), server: hellosOf(revision).full.server };
    const pair = await openPair(revision, "client", { hellos });
    await shakeHands(pair, "client", hellos);
    const got = await tell(pair.peer, "request", "elicitation/create", params);
    expect(codeOf(got)).toBe(code);
    expect(pair.ours.length).toBe(code === undefined ? 1 : 0);
    await pair.close();
  });

  it.each([
    ["form", { form: {} }, form, true],
    ["form", { url: {} }, form, false],
    ["url", { url: {} }, url, true],
    ["url", { form: {} }, url, false],
  ] as const)("our agent asks for a %s of a client that says %o only where it may: %#", async (_, elicitation, params, may) => {
    const hellos = { client: clientWith(revision, elicitation), server: hellosOf(revision).full.server };
    const pair = await openPair(revision, "server", { hellos });
    await shakeHands(pair, "server", hellos);
    const got = await tell(pair.side, "request", "elicitation/create", params);
    expect("value" in got).toBe(may);
    expect(pair.theirs.length).toBe(may ? 1 : 0);
    expect(await frameFaults(revision, pair.frames)).toEqual([]);
    await pair.close();
  });
});

describe("the cancel of one thing at v2", () => {
  const { full } = hellosOf(V2);
  const tool = { method: "tool_call/cancel", update: "tool_call_update", key: "toolCallId" };
  const terminal = { method: "terminal/cancel", update: "terminal_update", key: "terminalId" };

  it.each([
    ["was never heard of", [], -32602],
    ["says nothing of itself", [{}], -32602],
    ["can do nothing", [{ capabilities: {} }], -32602],
    ["can be cancelled", [{ capabilities: { cancel: {} } }], undefined],
    ["could be cancelled and says no more", [{ capabilities: { cancel: {} } }, {}], undefined],
    ["can no longer be cancelled", [{ capabilities: { cancel: {} } }, { capabilities: { cancel: null } }], -32602],
    ["has lost all it could", [{ capabilities: { cancel: {} } }, { capabilities: null }], -32602],
  ] as const)("of what %s", async (_, updates, code) => {
    const pair = await openPair(V2, "server", { hellos: full });
    await shakeHands(pair, "server", full);
    for (const { method, update, key } of [tool, terminal]) {
      for (const more of updates)
        pair.side.notify("session/update", { ...SESSION, update: { sessionUpdate: update, [key]: "x", ...more } });
      // oxlint-disable-next-line no-await-in-loop -- one thing after the other
      expect(codeOf(await tell(pair.peer, "request", method, { ...SESSION, [key]: "x" }))).toBe(code);
    }
    expect(await frameFaults(V2, pair.frames)).toEqual([]);
    await pair.close();
  });
});

describe.each([
  ["server", V1],
  ["client", V1],
  ["server", V2],
  ["client", V2],
] as const)("our %s at %s before the handshake", (role, revision) => {
  const requests = gatesOf(revision, INCOMING[role], "all").filter(({ kind, method }) => kind === "request" && method !== "initialize");
  const cases = requests.map(({ method }) => [method] as const);

  // The SDK of v2 waits for the handshake, or refuses on its own: its wire is used without it.
  it.each(cases)("answers %s -32600, whatever its params", async (method) => {
    for (const params of [payloadsOf(revision, method, "params")[0], rubbish()]) {
      // oxlint-disable-next-line no-await-in-loop -- one question after the other
      expect(await askRaw(revision, role, { jsonrpc: "2.0", id: 1, method, params })).toMatchObject({ id: 1, error: { code: -32600 } });
    }
  });

  it("answers several messages at once with one -32600", async () => {
    const message = { jsonrpc: "2.0", id: 1, method: cases[0]?.[0], params: {} };
    expect(await askRaw(revision, role, [message, message])).toMatchObject({ id: null, error: { code: -32600 } });
  });
});

describe.each(["server", "client"] as const)("our %s at v1 before the handshake, which the native peer does not wait for", (role) => {
  const methods = gatesOf(V1, INCOMING[role], "all").filter(({ kind, method }) => kind === "request" && method !== "initialize");

  it.each(methods.map(({ method }) => [method] as const))("answers %s -32600", async (method) => {
    const pair = await openPair(V1, role, { hellos: hellosOf(V1).full });
    expect(codeOf(await tell(pair.peer, "request", method, payloadsOf(V1, method, "params")[0]))).toBe(-32600);
    expect(pair.ours).toEqual([]);
    await pair.close();
  });
});

/** Writes one message to our side over the SDK's stream, without an application, and gives the answer as the stream reads it. */
async function askRaw(revision: string, role: Role, message: unknown): Promise<unknown> {
  const { line, stream } = memoryWire(await loadAcp(revision));
  const side = await openSide(revision, role, line, { hellos: hellosOf(revision).full }, []);
  await stream.writable.getWriter().write(message as Wire);
  const { value } = await stream.readable.getReader().read();
  await side.close();
  return value;
}

describe("below the methods, what the native peer did not say it takes does not leave", () => {
  const image = { ...SESSION, prompt: [{ type: "image", data: "aWNlcnk=", mimeType: "image/png" }] };
  const folders = { cwd: "/garden", mcpServers: [], additionalDirectories: ["/shed"] };
  const server = (type: string) => ({ cwd: "/garden", mcpServers: [{ type, name: "w", url: "https://w.example", headers: [] }] });
  const child = { cwd: "/garden", mcpServers: [{ type: "stdio", name: "soil", command: "/opt/soil" }] };
  const says = (sessionUpdate: string, more: object) => ({ ...SESSION, update: { sessionUpdate, ...more } });

  it.each<readonly [revision: string, role: Role, method: string, params: unknown, feature: string]>([
    [V1, "client", "session/prompt", image, "prompts.image.advertised-flat"],
    [V1, "client", "session/new", server("http"), "mcp-servers.http.advertised-flat"],
    [V1, "client", "session/new", server("sse"), "mcp-servers.sse"],
    [V1, "client", "session/new", folders, "sessions.additional-directories.advertised-flat"],
    [V1, "server", "session/update", says("notice", { severity: "info", title: "Rain" }), "notices.advertised"],
    [V1, "server", "session/update", says("compaction_update", { compactionId: "c", status: "failed" }), "compaction.advertised"],
    [V2, "client", "session/prompt", image, "prompts.image.advertised"],
    [V2, "client", "session/new", server("http"), "mcp-servers.http.advertised"],
    [V2, "client", "session/new", child, "mcp-servers.stdio.advertised"],
    [V2, "client", "session/new", folders, "sessions.additional-directories.advertised"],
  ])("%s, our %s, %s: %#", async (revision, role, method, params, feature) => {
    const { bare } = hellosOf(revision);
    const hellos = revision === V1 ? bare : { ...bare, server: { ...bare.server, capabilities: { session: {} } } };
    const pair = await openPair(revision, role, { hellos });
    await shakeHands(pair, role, hellos);
    const before = pair.frames.length;
    const kind = method === "session/update" ? "notification" : "request";
    expect(await tell(pair.side, kind, method, params)).toMatchObject({ error: { name: "LowerError", feature } });
    expect(pair.frames.length).toBe(before);
    await pair.close();
  });
});
