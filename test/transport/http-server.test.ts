// HTTP without a socket: what comes in is read, refused or handed over, and what goes back has the right status, type and headers.
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { Wire } from "../../runtime/protocol.js";
import { EventReader } from "./event-reader.js";
import { BASE, bench, messageOf } from "./http-client.js";
import { initialize, INITIALIZED, modern, request } from "./scripted-service.js";

describe("a session", () => {
  it("starts with initialize, whose answer names it", async () => {
    const client = bench();
    const response = await client.post(initialize());
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(response.headers.get("mcp-session-id")).toMatch(/^[\x21-\x7e]{32,}$/);
    expect(await messageOf(response)).toMatchObject({ id: 1, result: { protocolVersion: "2025-11-25" } });
    expect(await client.health()).toMatchObject({ status: "ok", sessions: 1 });
    const other = await client.post(initialize());
    expect(other.headers.get("mcp-session-id")).not.toBe(response.headers.get("mcp-session-id"));
  });

  it("does not start where initialize fails", async () => {
    const client = bench();
    const response = await client.post(initialize("refused"));
    expect(response.status).toBe(200);
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(await messageOf(response)).toMatchObject({ id: 1, error: { code: -32602 } });
    expect(await client.health()).toMatchObject({ sessions: 0 });
    expect(client.service.conversations[0]?.closedFor).toBeDefined();
  });

  it("http-session-404, http-session-200-body: is unknown with 404 before anything is handed over", async () => {
    const client = bench();
    const response = await client.post(request(9, "tools/list"), { "mcp-session-id": "old" });
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await messageOf(response)).toMatchObject({ id: 9, error: { code: -32600 } });
    expect(client.service.received).toEqual([]);
    expect((await client.get({ "mcp-session-id": "old" })).status).toBe(404);
    expect((await client.delete({ "mcp-session-id": "old" })).status).toBe(404);
  });

  it("hdr-session-not-sent: is missed with 400, by notifications too", async () => {
    const client = bench();
    await client.session();
    expect((await client.post(INITIALIZED)).status).toBe(400);
    const response = await client.post(request(2, "tools/list"), { "mcp-protocol-version": "2025-06-18" });
    expect(response.status).toBe(400);
    expect(await messageOf(response)).toMatchObject({
      id: 2,
      error: { code: -32600, message: expect.stringContaining("Mcp-Session-Id") as unknown },
    });
  });

  it("belongs to a principal; to another it is as unknown as one that never was", async () => {
    const client = bench({ principal: async (asked) => asked.headers.get("x-user") ?? undefined });
    const mine = await client.session("2025-11-25", { "x-user": "a" });
    expect((await client.post(request(2, "ping"), mine)).status).toBe(200);
    expect(client.service.visits.at(-1)?.principal).toBe("a");
    for (const headers of [{ ...mine, "x-user": "b" }, { "mcp-session-id": mine["mcp-session-id"]! }]) {
      const theirs = await client.post(request(2, "ping"), headers);
      const unknown = await client.post(request(2, "ping"), { "mcp-session-id": "nobody" });
      expect([theirs.status, await theirs.text()]).toEqual([404, await unknown.text()]);
      expect((await client.get(headers)).status).toBe(404);
      expect((await client.delete(headers)).status).toBe(404);
    }
    expect((await client.delete(mine)).status).toBe(204);
  });

  it("ends with DELETE, and what it was answering ends with it", async () => {
    const client = bench();
    const session = await client.session();
    const pending = client.post(request(2, "slow"), session);
    const listening = new EventReader(await client.get(session));
    expect((await client.delete(session)).status).toBe(204);
    const response = await pending;
    expect(response.status).toBe(404);
    expect(await listening.rest()).toEqual([]);
    expect((await client.post(request(3, "ping"), session)).status).toBe(404);
    expect(client.service.conversations[0]?.closedFor).toBe("the client ended the session");
  });

  it("ends when the service says so", async () => {
    const client = bench();
    const session = await client.session();
    client.service.conversations[0]?.link?.end("the server went away");
    expect((await client.post(request(3, "ping"), session)).status).toBe(404);
    expect(client.service.conversations[0]?.closedFor).toBe("the server went away");
  });

  it("is one per initialize, also for a client that still names an older one", async () => {
    const client = bench();
    const session = await client.session();
    const again = await client.post(initialize(), session);
    expect(again.status).toBe(200);
    expect(again.headers.get("mcp-session-id")).not.toBe(session["mcp-session-id"]);
    expect((await client.post(request(2, "ping"), session)).status).toBe(200);
    expect((await client.post(initialize(), { "mcp-session-id": "gone" })).status).toBe(200);
  });

  it("life-ping-early: is not needed for what may come before the handshake", async () => {
    const client = bench();
    const response = await client.post({ jsonrpc: "2.0", id: 4, method: "ping", params: null });
    expect(response.status).toBe(200);
    expect(response.headers.get("mcp-session-id")).toBeNull();
    expect(await messageOf(response)).toEqual({ jsonrpc: "2.0", id: 4, result: {} });
    expect(await client.health()).toMatchObject({ sessions: 0 });
    expect((await client.post(initialize("2025-06-18", 5))).status).toBe(200);
  });

  it("life-setlevel-early, life-no-initialized: serves what comes before initialized", async () => {
    const client = bench();
    const session = await client.session();
    expect(await messageOf(await client.post(request(2, "logging/setLevel", { level: "debug" }), session))).toMatchObject({
      id: 2,
      result: {},
    });
    expect(await messageOf(await client.post(request(3, "tools/list"), session))).toMatchObject({ id: 3, result: { tools: [] } });
    expect((await client.post(INITIALIZED, session)).status).toBe(202);
  });

  it("life-bare-call: a call without one is refused, garbage answered, a ping served", async () => {
    const client = bench();
    expect(await messageOf(await client.post({ jsonrpc: "2.0", id: 9, method: "tools/list" }))).toMatchObject({
      id: 9,
      error: { code: -32600 },
    });
    expect(await messageOf(await client.post("{oops"))).toMatchObject({ id: null, error: { code: -32700 } });
    expect(await messageOf(await client.post(request(10, "ping")))).toMatchObject({ id: 10, result: {} });
  });
});

describe("the version header", () => {
  it("hdr-missing-on-session: need not be there; the session's revision is told", async () => {
    const client = bench();
    const session = await client.session("2025-06-18");
    expect((await client.post(request(2, "tools/list"), session)).status).toBe(200);
    expect(client.service.arrivals.at(-1)).toMatchObject({ versionHeader: undefined, session: "2025-06-18" });
    expect(client.service.arrivals[0]).toMatchObject({ versionHeader: undefined, session: undefined });
  });

  it("hdr-garbage-accepted: is refused before anything is handed over", async () => {
    const client = bench();
    const response = await client.post(initialize(), { "mcp-protocol-version": "1999-01-01-nonsense" });
    expect(response.status).toBe(400);
    expect(client.service.received).toEqual([]);
    expect(client.service.conversations).toEqual([]);
  });

  it("hdr-version-joined: several are told as one text", async () => {
    const client = bench();
    const session = await client.session("2025-06-18");
    const headers = new Headers({ "content-type": "application/json", ...session });
    headers.append("mcp-protocol-version", "2025-06-18");
    headers.append("MCP-Protocol-Version", "2025-06-18");
    const ask = (): Promise<Response> => client.fetch("/mcp", { method: "POST", headers, body: JSON.stringify(request(1, "tools/list")) });
    expect((await ask()).status).toBe(200);
    expect(client.service.arrivals.at(-1)?.versionHeader).toBe("2025-06-18, 2025-06-18");
    expect((await client.get({ ...session, "mcp-protocol-version": "2025-06-18, 2025-06-18" })).status).toBe(200);
    headers.append("mcp-protocol-version", "2025-11-25");
    expect((await ask()).status).toBe(400);
  });

  it("hdr-sticky-version: that is not the session's is 400 with both values, on a GET too", async () => {
    const client = bench();
    const session = await client.session("2025-06-18", { "mcp-protocol-version": "2025-11-25" });
    const responses = [await client.post(request(2, "tools/list"), session), await client.get(session)];
    for (const response of responses) {
      expect(response.status).toBe(400);
      const text = await response.text();
      expect(text).toContain("2025-06-18");
      expect(text).toContain("2025-11-25");
    }
    expect((await client.delete(session)).status).toBe(204);
  });
});

describe("Accept", () => {
  test.each([
    ["*/*", 200, "application/json"],
    ["application/json", 200, "application/json"],
    ["text/event-stream", 200, "text/event-stream"],
    ["text/event-stream, application/json", 200, "application/json"],
    ["text/html", 406, "application/json"],
  ])("hdr-accept-wildcard, hdr-accept-order: %s gives %i %s", async (accept, status, type) => {
    const client = bench();
    const response = await client.post(initialize("2025-06-18"), { accept });
    expect([response.status, response.headers.get("content-type")]).toEqual([status, type]);
    if (status !== 200) {
      expect(await messageOf(response)).toMatchObject({ id: 1 });
      return;
    }
    const answer = type === "application/json" ? await messageOf(response) : await new EventReader(response).message();
    expect(answer).toMatchObject({ id: 1, result: { protocolVersion: "2025-06-18" } });
    expect(response.headers.get("mcp-session-id")).not.toBeNull();
  });

  it("hdr-accept-wildcard: need not be there", async () => {
    const client = bench();
    const response = await client.fetch("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(initialize()),
    });
    expect(response.status).toBe(200);
  });

  it("decides whether anything may come before the answer", async () => {
    const client = bench();
    const session = await client.session();
    const response = await client.post(request(2, "news", { count: 3 }), { ...session, accept: "application/json" });
    expect(client.service.visits.at(-1)?.sink.canStream).toBe(false);
    expect(await messageOf(response)).toMatchObject({ id: 2, result: { done: true } });
    await client.post(request(3, "ping"), session);
    expect(client.service.visits.at(-1)?.sink.canStream).toBe(true);
    await client.post(INITIALIZED, session);
    expect(client.service.visits.at(-1)?.sink.canStream).toBe(false);
  });

  it("does not matter for what is not answered", async () => {
    const client = bench();
    expect((await client.post(INITIALIZED, { ...(await client.session()), accept: "text/html" })).status).toBe(202);
  });
});

describe("an answer", () => {
  it("that is the first thing there is, is JSON; one after something else ends a stream", async () => {
    const client = bench();
    const session = await client.session("2025-06-18");
    const plain = await client.post(request("a", "echo", { x: 1 }), session);
    expect(plain.headers.get("content-type")).toBe("application/json");
    expect(await messageOf(plain)).toEqual({ jsonrpc: "2.0", id: "a", result: { params: { x: 1 } } });
    const streamed = await client.post(request("b", "news", { count: 2 }), session);
    expect(streamed.headers.get("content-type")).toBe("text/event-stream");
    expect(streamed.headers.get("cache-control")).toContain("no-cache");
    const reader = new EventReader(streamed);
    expect((await reader.rest()).map((message) => message["id"] ?? "news")).toEqual(["news", "news", "b"]);
    expect(reader.raw).toContain("event: message\n");
  });

  it("http-notif-200-null, http-202-empty: to what asks nothing is 202, with neither body nor type", async () => {
    const client = bench();
    const session = await client.session();
    for (const message of [INITIALIZED, { jsonrpc: "2.0", id: "q9", result: {} }]) {
      const response = await client.post(message, session);
      expect(response.status).toBe(202);
      expect(response.headers.get("content-type")).toBeNull();
      expect(await response.text()).toBe("");
    }
    expect((await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: modern(1, "x")["params"] })).status).toBe(202);
  });

  it("keeps its numbers", async () => {
    const client = bench();
    const body = '{"jsonrpc":"2.0","id":2,"method":"echo","params":{"n":9007199254740993,"x":1.0}}';
    expect(await (await client.post(body, await client.session())).text()).toContain('"n":9007199254740993,"x":1.0');
  });

  it("comes in time although the service failed, and says nothing of how", async () => {
    const faults: unknown[] = [];
    const client = bench({ onFault: (error) => faults.push(error) });
    for (const response of [await client.post(request(2, "fail"), await client.session()), await client.post(modern(2, "fail"))]) {
      const text = await response.text();
      expect(text).not.toContain("secret-detail");
      expect(JSON.parse(text)).toMatchObject({ id: 2, error: { code: -32603 } });
    }
    expect(faults).toHaveLength(2);
  });

  it("id-null-request: to an id that is null is 400 with -32600; the next request is answered", async () => {
    const client = bench();
    const session = await client.session();
    expect((await client.post({ jsonrpc: "2.0", method: "tools/call", params: {} }, session)).status).toBe(202);
    const refused = await client.post({ jsonrpc: "2.0", id: null, method: "tools/list" }, session);
    expect(refused.status).toBe(400);
    expect(await messageOf(refused)).toMatchObject({ id: null, error: { code: -32600 } });
    expect(await messageOf(await client.post(request(3, "ping"), session))).toMatchObject({ id: 3, result: {} });
  });

  it("id-duplicate-inflight: goes to the POST that asked, also where two ask with one id", async () => {
    const client = bench();
    const session = await client.session();
    const slow = client.post(request(1, "slow", { name: "a" }), session);
    const fast = await client.post(request(1, "echo", { who: "b" }), session);
    expect(await messageOf(fast)).toMatchObject({ result: { params: { who: "b" } } });
    client.service.release();
    expect(await messageOf(await slow)).toMatchObject({ result: { slow: "a" } });
  });

  it("id-forged-response: to nothing is taken without harm", async () => {
    const client = bench();
    const session = await client.session();
    expect((await client.post({ jsonrpc: "2.0", id: "f:AA==", result: { roots: [] } }, session)).status).toBe(202);
    expect((await client.post(request(2, "ping"), session)).status).toBe(200);
  });
});

describe("a batch", () => {
  const batch = [request(2, "tools/list"), INITIALIZED, request(3, "ping")];

  it("batch-2025-03-26: is answered by an array, or by messages on a stream, or by 202", async () => {
    const client = bench();
    const session = await client.session("2025-03-26");
    const answers = (await (await client.post(batch, session)).json()) as Wire[];
    expect(answers.map(({ id }) => id)).toEqual([2, 3]);
    const streamed = new EventReader(await client.post([request(4, "news"), request(5, "ping")], session));
    const messages = await streamed.rest();
    expect(new Set(messages.map(({ id }) => id ?? "news"))).toEqual(new Set([4, 5, "news"]));
    expect((await client.post([INITIALIZED, INITIALIZED], session)).status).toBe(202);
  });

  it("batch-later: is one -32600 elsewhere, and what follows works", async () => {
    const client = bench();
    const session = await client.session("2025-06-18");
    for (const body of [batch, []]) {
      const response = await client.post(body, session);
      expect(response.status).toBe(400);
      expect(await messageOf(response)).toMatchObject({ error: { code: -32600 } });
    }
    expect((await client.post(request(4, "ping"), session)).status).toBe(200);
    expect((await client.post(batch)).status).toBe(400);
  });
});

describe("a body", () => {
  it.each([
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["application/json; charset=latin1", 415],
    ["application/jsonp", 415],
    ["Application/JSON", 200],
    ["application/json; charset=UTF-8", 200],
    ['application/json;charset="utf-8"', 200],
  ])("of type %s gives %i", async (type, status) => {
    expect((await bench().post(initialize(), { "content-type": type })).status).toBe(status);
  });

  it("without a type is refused", async () => {
    const response = await bench().fetch("/mcp", { method: "POST", body: new TextEncoder().encode(JSON.stringify(initialize())) });
    expect(response.status).toBe(415);
  });

  it.each(["{oops", "", "{}{}", "\ud800"])("%j that is no JSON is 400 with -32700", async (text) => {
    const response = await bench().post(text);
    expect(response.status).toBe(400);
    expect(await messageOf(response)).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32700, message: expect.any(String) as unknown },
    });
  });

  it("that is no UTF-8 is 400 with -32700", async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"a":"'), 0xff, ...new TextEncoder().encode('"}')]);
    expect((await bench().fetch("/mcp", { method: "POST", headers: { "content-type": "application/json" }, body: bytes })).status).toBe(
      400,
    );
  });

  it("beyond the limit is 413, however its length is told, and is not read to its end", async () => {
    const client = bench({ limits: { bodyBytes: 1000 } });
    const long = JSON.stringify(request(1, "echo", { text: "x".repeat(2000) }));
    const told = await client.post(long, { "content-length": String(long.length) });
    expect(told.status).toBe(413);
    expect(await messageOf(told)).toMatchObject({ error: { code: -32600, data: { bridge: { kind: "limit" } } } });
    let pulled = 0;
    let isCancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(400));
      },
      cancel: () => {
        isCancelled = true;
      },
    });
    const init = { body: endless, duplex: "half" } as RequestInit;
    expect((await client.post("", {}, init)).status).toBe(413);
    expect(pulled).toBeLessThan(10);
    expect(isCancelled).toBe(true);
    const lied = await client.post(long, { "content-length": "10" });
    expect(lied.status).toBe(413);
  });

  it("that breaks off is 400, and no fault of the service", async () => {
    const faults: unknown[] = [];
    const client = bench({ onFault: (error) => faults.push(error) });
    const broken = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error("gone")) });
    expect((await client.post("", {}, { body: broken, duplex: "half" })).status).toBe(400);
    expect(faults).toEqual([]);
  });
});

describe("Host and Origin", () => {
  const paths = [
    ["POST", "/mcp"],
    ["GET", "/mcp"],
    ["DELETE", "/mcp"],
    ["OPTIONS", "/mcp"],
    ["GET", "/sse"],
    ["POST", "/messages?sessionId=x"],
    ["GET", "/health"],
  ] as const;

  test.each(paths)("%s %s is 403 for another origin, and for another host", async (method, path) => {
    const client = bench();
    for (const headers of [{ origin: "http://evil.example" }, { origin: "null" }, { host: "evil.example" }]) {
      const response = await client.handler(new Request(new URL(path, BASE), { method, headers }));
      expect(response.status).toBe(403);
      expect(response.headers.get("access-control-allow-origin")).toBeNull();
    }
    expect((await client.handler(new Request(`http://evil.example${path}`, { method }))).status).toBe(403);
    expect(client.service.received).toEqual([]);
  });

  it("that are allowed get a preflight that repeats the headers asked for", async () => {
    const client = bench();
    const response = await client.fetch("/mcp", {
      method: "OPTIONS",
      headers: {
        origin: "http://localhost:8080",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,mcp-param-owner,authorization",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("http://localhost:8080");
    expect(response.headers.get("access-control-allow-headers")).toBe("content-type,mcp-param-owner,authorization");
    expect(response.headers.get("access-control-allow-methods")).toContain("DELETE");
    expect(response.headers.get("vary")).toContain("Origin");
  });

  it("hdr-session-not-sent: that are allowed let a page read the session id", async () => {
    const client = bench({ allowedOrigins: ["https://app.example"] });
    const response = await client.post(initialize(), { origin: "https://app.example" });
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(response.headers.get("access-control-expose-headers")).toContain("mcp-session-id");
    expect((await client.post(initialize(), { origin: "http://localhost" })).status).toBe(403);
  });
});

describe("other requests", () => {
  it("http-get-404: GET and DELETE without a session are 405", async () => {
    const client = bench();
    for (const response of [await client.get({}), await client.delete({}), await client.fetch("/mcp", { method: "PUT", body: "x" })]) {
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toContain("POST");
    }
  });

  it("GET opens the stream at a revision older than the transport too: clients speak it all the same", async () => {
    const client = bench();
    expect((await client.get(await client.session("2024-11-05"))).status).toBe(200);
  });

  it("for other paths are 404; a slash at the end or an escape makes no other path", async () => {
    const client = bench({ paths: { mcp: ["/mcp", "/a b"] } });
    expect((await client.fetch("/")).status).toBe(404);
    expect((await client.fetch("/mcp/x")).status).toBe(404);
    expect((await client.fetch("/%zz")).status).toBe(404);
    for (const path of ["/mcp/", "/%6dcp", "/a%20b"]) expect((await client.fetch(path)).status).toBe(405);
  });

  it("for health tell numbers and nothing secret", async () => {
    const client = bench({ principal: () => "somebody" });
    const session = await client.session();
    await new Promise((resolve) => setTimeout(resolve));
    const text = await (await client.fetch("/health")).text();
    expect(JSON.parse(text)).toEqual({ status: "ok", sessions: 1, streams: 0, inFlight: 0 });
    expect(text).not.toContain(session["mcp-session-id"]);
    expect((await client.fetch("/health", { method: "HEAD" })).status).toBe(200);
    expect((await client.fetch("/health", { method: "POST" })).status).toBe(405);
  });

  it("are answered when the principal cannot be told", async () => {
    const client = bench({
      principal: () => {
        throw new Error("secret-detail");
      },
    });
    const response = await client.post(initialize());
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("secret-detail");
  });
});

describe("a modern message", () => {
  it("is answered for itself, with the status the service says", async () => {
    const client = bench();
    const response = await client.post(modern(1, "echo"), { "mcp-protocol-version": "2026-07-28", "mcp-session-id": "ignored" });
    expect(response.status).toBe(200);
    expect(response.headers.get("mcp-session-id")).toBeNull();
    const unknown = await client.post(modern(2, "no/such"));
    expect(unknown.status).toBe(404);
    expect(await messageOf(unknown)).toMatchObject({ id: 2, error: { code: -32601 } });
    expect((await client.post(modern(3, "no/such"), { accept: "text/event-stream" })).status).toBe(404);
    expect(await client.health()).toMatchObject({ sessions: 0 });
  });

  it("hdr-mcp-method-missing, hdr-name-mismatch, hdr-mcp-param: brings its headers along, but none that is secret", async () => {
    const client = bench();
    await client.post(modern(1, "echo"), {
      "Mcp-Method": "tools/call",
      "mcp-name": "=?base64?Z3LDtsOfZQ==?=",
      "MCP-PARAM-owner": "o",
      authorization: "Bearer secret",
      cookie: "secret",
      "proxy-authorization": "secret",
    });
    const header = client.service.visits[0]?.header;
    expect([header?.("mcp-method"), header?.("mcp-name"), header?.("mcp-param-owner"), header?.("mcp-param-x")]).toEqual([
      "tools/call",
      "=?base64?Z3LDtsOfZQ==?=",
      "o",
      undefined,
    ]);
    expect([header?.("authorization"), header?.("cookie"), header?.("proxy-authorization")]).toEqual([undefined, undefined, undefined]);
  });

  it("has a stream without ids, and no priming", async () => {
    const reader = new EventReader(await bench().post(modern(1, "news", { count: 1 })));
    expect(await reader.rest()).toHaveLength(2);
    expect(reader.raw).not.toMatch(/^(id|retry):/m);
  });
});

describe("limits", () => {
  it("on sessions are 503 with a typed error; an end makes room", async () => {
    const client = bench({ limits: { sessions: 2 } });
    const first = await client.session();
    await client.session();
    const refused = await client.post(initialize());
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(await messageOf(refused)).toMatchObject({ id: 1, error: { code: -31906, data: { bridge: { kind: "limit", retry: "same" } } } });
    expect((await client.fetch("/sse")).status).toBe(503);
    await client.delete(first);
    expect((await client.post(initialize())).status).toBe(200);
  });

  it("on what a session asks at a time are 429, and let answers in", async () => {
    const client = bench({ limits: { streamsPerSession: 1 } });
    const session = await client.session();
    const asking = new EventReader(await client.post(request(2, "ask"), session));
    const question = await asking.message();
    const refused = await client.post(request(3, "ping"), session);
    expect(refused.status).toBe(429);
    expect(await messageOf(refused)).toMatchObject({ id: 3, error: { code: -31906 } });
    expect((await client.post({ jsonrpc: "2.0", id: question?.["id"], result: { roots: [] } }, session)).status).toBe(202);
    expect(await asking.message()).toMatchObject({ id: 2, result: { answer: { roots: [] } } });
    expect((await client.post(request(3, "ping"), session)).status).toBe(200);
  });

  it("on modern messages at a time are 503", async () => {
    const client = bench({ limits: { exchanges: 1 } });
    const slow = client.post(modern(1, "slow"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await client.post(modern(2, "echo"))).status).toBe(503);
    client.service.release();
    expect((await slow).status).toBe(200);
    expect((await client.post(modern(3, "echo"))).status).toBe(200);
  });
});

test("the handler needs nothing of Node", () => {
  const seen = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    expect(text, file).not.toMatch(/\b(Buffer|process)\./);
    for (const [, from = ""] of text.matchAll(/(?:from|import\() ?"([^"]+)"/g)) {
      expect(from, file).not.toMatch(/^node:/);
      if (from.startsWith(".") && from.endsWith(".js") && !from.includes("/generated/"))
        visit(resolve(dirname(file), from.replace(/\.js$/, ".ts")));
    }
  };
  visit(resolve("runtime/transport/http-server.ts"));
  expect(seen.size).toBeGreaterThan(10);
});

describe("closing", () => {
  it("refuses what is new, lets in-flight work end, answers to questions come in, and ends the rest", async () => {
    const client = bench({ graceMs: 3000 });
    const session = await client.session();
    const listening = new EventReader(await client.get(session));
    const sse = new EventReader(await client.fetch("/sse"));
    await sse.next();
    const asking = new EventReader(await client.post(request(2, "ask"), session));
    const question = await asking.message();
    const slow = client.post(modern(3, "slow"));
    await new Promise((resolve) => setTimeout(resolve, 5));
    const closed = client.handler.close();
    const refused = await client.post(request(4, "ping"), session);
    expect(refused.status).toBe(503);
    expect(await messageOf(refused)).toMatchObject({ id: 4, error: { code: -31907 } });
    for (const response of [
      await client.post(initialize()),
      await client.post(modern(5, "echo")),
      await client.get(session),
      await client.fetch("/sse"),
      await client.fetch("/health"),
    ]) {
      expect(response.status).toBe(503);
    }
    expect((await client.post({ jsonrpc: "2.0", id: question?.["id"], result: {} }, session)).status).toBe(202);
    expect(await asking.rest()).toMatchObject([{ id: 2 }]);
    client.service.release();
    expect((await slow).status).toBe(200);
    await closed;
    expect(await listening.rest()).toEqual([]);
    expect(await sse.rest()).toEqual([]);
    expect(client.service.conversations.every(({ closedFor }) => closedFor === "the server is closing")).toBe(true);
    expect(client.handler.close()).toBe(closed);
  });

  it("is bounded: what does not end is told so and let go of", async () => {
    const client = bench({ graceMs: 30 });
    const session = await client.session();
    const [legacy, stateless] = [client.post(request(2, "slow"), session), client.post(modern(3, "slow"))];
    const streaming = new EventReader(await client.post(modern(4, "news", { slow: true })));
    await client.handler.close();
    expect((await legacy).status).toBe(404);
    expect((await stateless).status).toBe(503);
    expect(await streaming.rest()).toHaveLength(1);
    expect(client.service.visits.find(({ signal }) => signal !== undefined)?.signal?.aborted).toBe(true);
  });
});
