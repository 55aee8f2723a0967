// What somebody who means harm may try at the edges of the bridge, over real sockets and pipes: credentials that should go no further, sessions that
// are not theirs, pages of other origins, compressed bodies, JSON without a bottom. What each transport refuses by itself is tested beside it.
import { PassThrough } from "node:stream";
import { gzipSync } from "node:zlib";
import { request as httpRequest } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { BridgeEvent } from "../../runtime/bridge/events.js";
import { BridgeService } from "../../runtime/bridge/service.js";
import { transportFacts } from "../../runtime/cli/bridge-log.js";
import type { Wire } from "../../runtime/protocol.js";
import type { TransportEvent } from "../../runtime/transport/events.js";
import { httpConnector } from "../../runtime/transport/http-connector.js";
import { MAX_DEPTH, parseMessage, stringifyMessage } from "../../runtime/transport/json.js";
import { listenHttp, type ListenOptions } from "../../runtime/transport/node-http.js";
import { stdioConnector } from "../../runtime/transport/stdio-client.js";
import { serveStdio } from "../../runtime/transport/stdio-server.js";
import { MODERN } from "../bridge/modern-script.js";
import { optionsWith, roomWith } from "../bridge/room.js";
import { modernRequest } from "../bridge/legacy-script.js";
import { HttpBench } from "./http-client.js";
import { initialize, request } from "./scripted-service.js";
import { serve, type Asked, type Scripted } from "./scripted-server.js";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Answer = (message: Wire) => { readonly body: string | Buffer; readonly headers?: Record<string, string> } | undefined;

const json = (id: unknown, result: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result });

/** A legacy or modern server over HTTP, a bridge in front of it, and everything the bridge wrote down. */
async function bridged(
  era: "legacy" | "modern",
  answer: Answer = () => undefined,
  options: ListenOptions = {},
): Promise<{ readonly url: string; readonly server: Scripted; readonly written: () => string }> {
  const server = await serve((asked, response) => {
    const message = (asked.message ?? {}) as Wire;
    const { id, method } = message;
    if (asked.method !== "POST") return void response.writeHead(405).end();
    if (id === undefined) return void response.writeHead(202).end();
    const own = answer(message);
    if (own !== undefined) return void response.writeHead(200, { "content-type": "application/json", ...own.headers }).end(own.body);
    const session = era === "legacy" ? { "mcp-session-id": "upstream-s3ssion" } : {};
    const send = (body: string, status = 200): void =>
      void response.writeHead(status, { "content-type": "application/json", ...session }).end(body);
    if (method === "server/discover" && era === "legacy") return send("{}", 400);
    if (method === "server/discover")
      return send(
        json(id, { resultType: "complete", ttlMs: 0, cacheScope: "private", supportedVersions: [MODERN], capabilities: { tools: {} } }),
      );
    if (method === "initialize")
      return send(json(id, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } }));
    return send(
      json(
        id,
        era === "legacy" ? { tools: [], content: [] } : { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [], content: [] },
      ),
    );
  });
  const events: BridgeEvent[] = [];
  const seen: TransportEvent[] = [];
  const connector = httpConnector({
    url: `${server.url}?key=endp0int-query`,
    headers: { authorization: "Bearer own-t0ken" },
    observe: (event) => seen.push(event),
  });
  const service = new BridgeService(connector, optionsWith({ observe: (event) => events.push(event) }));
  const listening = await listenHttp(service, { principal: () => "someone", graceMs: 200, ...options });
  closing.push(
    () => server.close(),
    () => service.close(),
    () => listening.close(),
  );
  return { url: listening.url, server, written: () => JSON.stringify([events, seen.map(transportFacts)]) };
}

const BOTH = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const modernHeaders = (method: string, name?: string): Record<string, string> => ({
  ...BOTH,
  "mcp-protocol-version": MODERN,
  "mcp-method": method,
  ...(name === undefined ? {} : { "mcp-name": name }),
});
const post = (url: string, body: string | Buffer, headers: Record<string, string>): Promise<Response> =>
  fetch(url, { method: "POST", body, headers });

const CREDENTIALS = {
  authorization: "Bearer cl1ent-token",
  "proxy-authorization": "Basic pr0xy",
  cookie: "c=c00kie",
  "x-api-key": "k3y-of-the-client",
};
const SECRETS = ["cl1ent-token", "pr0xy", "c00kie", "k3y-of-the-client", "own-t0ken", "endp0int-query", "upstream-s3ssion"];

describe.each(["legacy", "modern"] as const)("in front of a %s server", (era) => {
  it("a client's credentials go no further, and nothing is written down of anybody's", async () => {
    const { url, server, written } = await bridged(era);
    const call = JSON.stringify(modernRequest("tools/call", { name: "x", arguments: {} }));
    expect((await post(url, call, { ...modernHeaders("tools/call", "x"), ...CREDENTIALS })).status).toBe(200);
    const opened = await post(url, JSON.stringify(initialize()), { ...BOTH, ...CREDENTIALS });
    const session = opened.headers.get("mcp-session-id") ?? "";
    const listed = await post(url, JSON.stringify(request(2, "tools/list")), { ...BOTH, ...CREDENTIALS, "mcp-session-id": session });
    expect(await listed.json()).toMatchObject({ id: 2, result: { tools: [] } });
    expect(server.asked.length).toBeGreaterThan(3);
    const upstream = JSON.stringify(server.asked.map(({ headers, body, path }: Asked) => ({ headers, body, path })));
    for (const secret of ["cl1ent-token", "pr0xy", "c00kie", "k3y-of-the-client", session]) expect(upstream).not.toContain(secret);
    for (const { headers } of server.asked) expect(headers.authorization).toBe("Bearer own-t0ken");
    for (const secret of [...SECRETS, session]) expect(written()).not.toContain(secret);
  });

  it("headers that say something else than the body are refused before anybody is asked", async () => {
    const { url, server } = await bridged(era);
    const call = JSON.stringify(modernRequest("tools/call", { name: "x" }));
    for (const headers of [modernHeaders("tools/list", "x"), modernHeaders("tools/call", "y"), modernHeaders("tools/call")]) {
      const refused = await post(url, call, headers);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: -32020 } });
    }
    const older = await post(url, call, { ...modernHeaders("tools/call", "x"), "mcp-protocol-version": "2025-11-25" });
    expect(older.status).toBe(400);
    expect(server.asked.filter(({ message }) => message?.method === "tools/call")).toEqual([]);
  });

  it("an answer that is compressed is not unpacked, and its call fails with its reason", async () => {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024, 0x20));
    const { url } = await bridged(era, ({ method }) =>
      method === "tools/call" ? { body: bomb, headers: { "content-encoding": "gzip" } } : undefined,
    );
    const before = process.memoryUsage().rss;
    const answer = await post(url, JSON.stringify(modernRequest("tools/call", { name: "x" })), modernHeaders("tools/call", "x"));
    expect(await answer.json()).toMatchObject({ error: { code: -31909, message: expect.stringContaining("not UTF-8") } });
    expect(process.memoryUsage().rss - before).toBeLessThan(24 * 1024 * 1024);
  });

  it("an answer without a bottom fails its call, and the next is answered", async () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const { url } = await bridged(era, ({ id, method }) =>
      method === "tools/call" ? { body: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"v":${deep}}}` } : undefined,
    );
    const call = await post(url, JSON.stringify(modernRequest("tools/call", { name: "x" })), modernHeaders("tools/call", "x"));
    expect(await call.json()).toMatchObject({ error: { code: -31909 } });
    const next = await post(url, JSON.stringify(modernRequest("tools/list")), modernHeaders("tools/list"));
    expect(await next.json()).toMatchObject({ result: { resultType: "complete" } });
  });
});

describe("a body", () => {
  it("that is compressed is refused, and not unpacked", async () => {
    const { url, server } = await bridged("legacy");
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, 0x20));
    for (const encoding of ["gzip", "deflate", "br", "zstd"]) {
      const refused = await post(url, bomb, { ...modernHeaders("tools/list"), "content-encoding": encoding });
      expect(refused.status, encoding).toBe(415);
      expect(refused.headers.get("accept-encoding")).toBe("identity");
    }
    const plain = await post(url, JSON.stringify(modernRequest("tools/list")), {
      ...modernHeaders("tools/list"),
      "content-encoding": "identity",
    });
    expect(plain.status).toBe(200);
    expect(server.asked.filter(({ message }) => message?.method === "tools/list")).toHaveLength(1);
  });

  it.each([
    ["objects", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["arrays", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["nothing that ends", "[".repeat(1_000_000)],
  ])("without a bottom, of %s, is 400 with -32700", async (_, deep) => {
    const { url } = await bridged("legacy");
    for (const text of [deep, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":${deep}}}`]) {
      const refused = await post(url, text, modernHeaders("tools/call", "x"));
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: -32700 } });
    }
  });

  it("as deep as it may be is read and written, and one level more is not", () => {
    const nested = (levels: number): string => `${"[".repeat(levels - 1)}{"n":1.0,"t":"]{"}${"]".repeat(levels - 1)}`;
    expect(stringifyMessage(parseMessage(nested(MAX_DEPTH)))).toBe(nested(MAX_DEPTH));
    expect(() => parseMessage(nested(MAX_DEPTH + 1))).toThrow(SyntaxError);
    const brackets = JSON.stringify(["[".repeat(5000), '\\"{[', "{".repeat(5000)]);
    expect(stringifyMessage(parseMessage(brackets))).toBe(brackets);
    const wide = `[${"[],{},".repeat(5000)}0]`;
    expect(stringifyMessage(parseMessage(wide))).toBe(wide);
  });
});

describe("a pipe", () => {
  it("that brings JSON without a bottom answers it as none, and goes on", async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const faults: unknown[] = [];
    const served = serveStdio(roomWith(() => ({ tools: [] })).service, { input, output, onFault: (error) => faults.push(error) });
    input.write(`{"jsonrpc":"2.0","id":1,"method":"x","params":${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}}\n`);
    input.write('{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    input.end();
    await served;
    const lines = String(output.read())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Wire);
    expect(lines.find(({ id }) => id === 2)).toMatchObject({ result: {} });
    expect(lines.find(({ id }) => id !== 2)).toMatchObject({ error: { code: -32700 } });
    expect(faults).toEqual([]);
  });
});

describe("a server that is a process", () => {
  it("fails its call at once with an answer without a bottom, and goes on", async () => {
    const script = `
      const deep = "[".repeat(100_000) + "]".repeat(100_000);
      require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
        const { id, method } = JSON.parse(line);
        console.log('{"jsonrpc":"2.0","id":' + id + ',"result":{"v":' + (method === "deep" ? deep : 1) + "}}");
      });`;
    const events: TransportEvent[] = [];
    const connector = stdioConnector({
      command: process.execPath,
      args: ["-e", script],
      name: "s",
      observe: (event) => events.push(event),
    });
    const peer = await connector.connect("stdio");
    closing.push(() => peer.close());
    await expect(peer.send(request(1, "deep"))).rejects.toThrow("cannot reach s: its answer is nested deeper than 1000 levels");
    expect(await peer.send(request(2, "plain"))).toMatchObject({ id: 2, result: { v: 1 } });
    expect(events).toEqual([{ event: "dropped", because: "too-deep", bytes: expect.any(Number) as number, id: 1 }]);
  });
});

describe("the id of a session", () => {
  it("is never the client's choice", async () => {
    const client = new HttpBench();
    closing.push(() => client.handler.close());
    const chosen = "f".repeat(48);
    const opened = await client.post(initialize(), { "mcp-session-id": chosen });
    expect(opened.status).toBe(200);
    expect(opened.headers.get("mcp-session-id")).not.toBe(chosen);
    expect((await client.post(request(2, "ping"), { "mcp-session-id": chosen })).status).toBe(404);
  });

  it("cannot be guessed from others, and a neighbour of one is unknown", async () => {
    const client = new HttpBench();
    closing.push(() => client.handler.close());
    const ids: string[] = [];
    for (let each = 0; each < 200; each += 1) ids.push((await client.session())["mcp-session-id"] ?? "");
    expect(new Set(ids).size).toBe(200);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{48}$/);
    // Every place takes every digit: none is counted up or fixed.
    for (let at = 0; at < 48; at += 1) expect(new Set(ids.map((id) => id[at])).size).toBeGreaterThan(10);
    const [id = ""] = ids;
    for (const near of [id.slice(0, -1), `${id}0`, id.toUpperCase(), `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`, "", "*"].filter(
      (one) => !ids.includes(one),
    )) {
      expect((await client.post(request(2, "ping"), { "mcp-session-id": near })).status, near).toBe(404);
    }
  });
});

describe("a page of another origin", () => {
  const ask = (url: string, headers: Record<string, string>, method = "POST"): Promise<number> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest(url, { method, headers: { ...modernHeaders("tools/list"), ...headers } }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      asked.on("error", reject);
      asked.end(method === "POST" ? JSON.stringify(modernRequest("tools/list")) : undefined);
    });

  it("or by another name of this machine gets 403, whatever it asks, and nobody is asked for it", async () => {
    const { url, server } = await bridged("modern");
    for (const method of ["POST", "GET", "DELETE", "OPTIONS"]) {
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { host: "evil.example" },
        { host: "127.0.0.1.evil.example" },
        { origin: "http://localhost.evil.example" },
      ]) {
        expect(await ask(url, headers, method), `${method} ${JSON.stringify(headers)}`).toBe(403);
      }
    }
    expect(server.asked).toEqual([]);
    expect(await ask(url, { origin: "http://localhost:1" })).toBe(200);
  });
});

describe("clients that nobody can tell apart", () => {
  it.each([undefined, "this machine"])("share no ids: each is answered, and none is cancelled by another (%s)", async (principal) => {
    const pending: ((value: unknown) => void)[] = [];
    const room = roomWith(async ({ method }) => {
      if (method === "server/discover")
        return { resultType: "complete", ttlMs: 0, cacheScope: "private", supportedVersions: [MODERN], capabilities: { tools: {} } };
      return new Promise((resolve) => pending.push(resolve));
    });
    const listening = await listenHttp(room.service, { graceMs: 200, principal: () => principal });
    closing.push(
      () => room.service.close(),
      () => listening.close(),
    );
    const ask = (): Promise<Response> =>
      post(listening.url, JSON.stringify(modernRequest("tools/call", { name: "x" }, { id: 1 })), modernHeaders("tools/call", "x"));
    const asked = [ask(), ask()];
    while (pending.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    const cancel = {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 1, _meta: (modernRequest("x")["params"] as Wire)["_meta"] },
    };
    expect((await post(listening.url, JSON.stringify(cancel), modernHeaders("notifications/cancelled"))).status).toBe(202);
    pending.forEach((resolve, index) => resolve({ resultType: "complete", content: [{ type: "text", text: String(index) }] }));
    const texts = await Promise.all(
      asked.map(async (answer) => (((await (await answer).json()) as Wire)["result"] as { content: { text: string }[] }).content[0]?.text),
    );
    expect(texts.toSorted((a, b) => (String(a) < String(b) ? -1 : 1))).toEqual(["0", "1"]);
  });
});

describe("what a transport tells of a server", () => {
  it("shows banners, and nothing of what may be a message", () => {
    expect(transportFacts({ event: "noise", text: "listening on stdio" })).toEqual({ event: "noise", text: "listening on stdio" });
    for (const text of ['{"requestState":"st4te"}', ' ["st4te"]', '"st4te"'])
      expect(JSON.stringify(transportFacts({ event: "noise", text }))).not.toContain("st4te");
    const unmatched = { event: "unmatched", because: "unknown", id: 1, error: { code: -1, message: "st4te" } } as const;
    expect(transportFacts(unmatched)).toEqual({ ...unmatched, error: -1 });
  });
});
