// HTTP over sockets: clients that break off, read slowly or stay, a port that is in use, and an end that leaves nothing open.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it, test } from "vitest";
import { isListenError, listenHttp, type Listening, type ListenOptions } from "../../runtime/transport/node-http.js";
import { EventReader } from "./event-reader.js";
import { initialize, modern, notification, request, ScriptedService } from "./scripted-service.js";

const open: { server: Listening; service: ScriptedService }[] = [];

async function listen(options: ListenOptions = {}): Promise<{ server: Listening; service: ScriptedService }> {
  const service = new ScriptedService();
  const made = { server: await listenHttp(service, { graceMs: 500, ...options }), service };
  open.push(made);
  return made;
}

afterEach(async () => {
  for (const { server, service } of open.splice(0)) {
    service.release();
    await server.close();
  }
});

const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

function post(url: string, message: unknown, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(url, { method: "POST", headers: { ...HEADERS, ...headers }, body: JSON.stringify(message), ...init });
}

async function session(url: string): Promise<Record<string, string>> {
  const response = await post(url, initialize());
  await response.text();
  return { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" };
}

/** Sends a request by hand, and reads nothing of the answer until asked. */
async function raw(port: number, head: string, body = ""): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.pause();
  socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  return socket;
}

function head(server: Listening, extra: Record<string, string> = {}): string {
  const headers = {
    Host: `127.0.0.1:${server.port}`,
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
    ...extra,
  };
  return ["POST /mcp HTTP/1.1", ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join("\r\n");
}

describe("over a socket", () => {
  it("a session is started, used, listened to and ended", async () => {
    const { server, service } = await listen();
    expect(server.url).toBe(`http://127.0.0.1:${server.port}/mcp`);
    const mine = await session(server.url);
    expect(await (await post(server.url, request(2, "echo", { n: 1 }), mine)).json()).toMatchObject({
      id: 2,
      result: { params: { n: 1 } },
    });
    const stream = new EventReader(await fetch(server.url, { headers: { ...mine, accept: "text/event-stream" } }));
    service.conversations[0]?.link?.push(notification("hello"));
    expect(await stream.message()).toEqual(notification("hello"));
    const asking = new EventReader(await post(server.url, request(3, "ask"), mine));
    const question = await asking.message();
    expect((await post(server.url, { jsonrpc: "2.0", id: question?.["id"], result: 1 }, mine)).status).toBe(202);
    expect(await asking.rest()).toMatchObject([{ id: 3, result: { answer: 1 } }]);
    expect((await fetch(server.url, { method: "DELETE", headers: mine })).status).toBe(204);
    expect(await stream.rest()).toEqual([]);
  });

  it("the head of a stream comes before there is anything on it", async () => {
    const { server } = await listen();
    const response = await fetch(server.url, { headers: { ...(await session(server.url)), accept: "text/event-stream" } });
    expect(response.status).toBe(200);
    await response.body?.cancel();
  });

  it("a modern client that breaks off cancels, a legacy one does not", async () => {
    const { server, service } = await listen();
    const mine = await session(server.url);
    for (const [message, headers] of [
      [modern(1, "slow"), {}],
      [modern(2, "news", { count: 1, slow: true }), {}],
      [request(3, "news", { count: 1, slow: true }), mine],
    ] as const) {
      const connection = new AbortController();
      const before = service.held;
      const asked = post(server.url, message, headers, { signal: connection.signal }).catch(() => undefined);
      while (service.held === before) await delay(2);
      connection.abort();
      await asked;
    }
    await delay(30);
    const signals = service.visits.map(({ signal }) => signal?.aborted);
    expect(signals).toEqual([undefined, true, true, undefined]);
    service.release();
    await delay(10);
    const resumed = new EventReader(await fetch(server.url, { headers: { ...mine, accept: "text/event-stream", "last-event-id": "1-0" } }));
    expect(await resumed.rest()).toEqual([notification(1), { jsonrpc: "2.0", id: 3, result: { done: true } }]);
  });

  it("a slow reader holds back who writes to it, and gets everything", async () => {
    const { server, service } = await listen();
    const body = JSON.stringify(modern(1, "flood", { count: 400, size: 100_000 }));
    const socket = await raw(server.port, head(server), body);
    await delay(200);
    const taken = service.taken;
    expect(taken).toBeLessThan(200);
    await delay(100);
    expect(service.taken).toBe(taken);
    let bytes = 0;
    let tail = "";
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      tail = (tail + chunk.toString("latin1")).slice(-500);
    });
    socket.resume();
    while (!tail.includes('"done":true')) await delay(5);
    expect(service.taken).toBe(400);
    expect(bytes).toBeGreaterThan(40_000_000);
    socket.destroy();
  });

  it("a body beyond the limit is refused while it comes in", async () => {
    const { server, service } = await listen({ limits: { bodyBytes: 10_000 } });
    expect((await post(server.url, request(1, "echo", { text: "x".repeat(20_000) }))).status).toBe(413);
    const chunked = connect(server.port, "127.0.0.1");
    let text = "";
    chunked.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
    });
    chunked.on("error", () => undefined);
    chunked.write(`${head(server, { "Transfer-Encoding": "chunked" })}\r\n\r\n`);
    for (let sent = 0; sent < 20; sent += 1) {
      chunked.write(`3e8\r\n${"x".repeat(1000)}\r\n`);
      await delay(2);
    }
    await delay(20);
    expect(text).toContain("413");
    chunked.destroy();
    expect(service.received).toEqual([]);
  });

  it("a Host that is not this machine's is 403, as is a foreign Origin", async () => {
    const { server } = await listen();
    for (const extra of [{ Host: "evil.example" }, { Origin: "http://evil.example" }] as Record<string, string>[]) {
      const socket = await raw(server.port, head(server, extra), JSON.stringify(initialize()));
      const [chunk] = (await once(socket.resume(), "data")) as [Buffer];
      expect(chunk.toString("latin1")).toMatch(/^HTTP\/1\.1 403/);
      socket.destroy();
    }
  });

  it("a version header sent twice arrives as one text", async () => {
    const { server, service } = await listen();
    const twice = head(server, { "MCP-Protocol-Version": "2025-06-18", "mcp-protocol-version": "2025-06-18" });
    const socket = await raw(server.port, twice, JSON.stringify(initialize("2025-06-18")));
    await once(socket.resume(), "data");
    expect(service.arrivals[0]?.versionHeader).toBe("2025-06-18, 2025-06-18");
    socket.destroy();
  });

  it("HTTP+SSE works, and a client that breaks off is gone", async () => {
    const { server, service } = await listen();
    const connection = new AbortController();
    const response = await fetch(new URL("/sse", server.url), { signal: connection.signal });
    const stream = new EventReader(response);
    const endpoint = await stream.next();
    const address = new URL(endpoint?.data ?? "", new URL("/sse", server.url));
    expect((await post(address.href, initialize("2024-11-05"))).status).toBe(202);
    expect(await stream.message()).toMatchObject({ id: 1 });
    connection.abort();
    while (service.conversations[0]?.closedFor === undefined) await delay(2);
    expect((await post(address.href, request(2, "ping"))).status).toBe(404);
  });
});

describe("beyond this machine", () => {
  it("any Host is taken unless it is said which; a foreign Origin is not", async () => {
    const { server } = await listen({ host: "0.0.0.0" });
    const socket = await raw(server.port, head(server, { Host: "bridge.example" }), JSON.stringify(initialize()));
    const [chunk] = (await once(socket.resume(), "data")) as [Buffer];
    expect(chunk.toString("latin1")).toMatch(/^HTTP\/1\.1 200/);
    socket.destroy();
    expect((await post(`http://127.0.0.1:${server.port}/mcp`, initialize(), { origin: "http://evil.example" })).status).toBe(403);
  });
});

describe("a port", () => {
  it("that is in use is a typed error that names it and what to do", async () => {
    const { server } = await listen();
    const error: unknown = await listenHttp(new ScriptedService(), { port: server.port }).catch((reason: unknown) => reason);
    expect(isListenError(error)).toBe(true);
    expect(error).toMatchObject({ name: "ListenError", code: "address-in-use", port: server.port, host: "127.0.0.1" });
    expect(String(error)).toContain(`cannot listen on 127.0.0.1:${server.port}: the port is in use; stop what listens there`);
  });

  it("of an address that is not this machine's is one, too", async () => {
    const error: unknown = await listenHttp(new ScriptedService(), { host: "192.0.2.1" }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "address-not-available" });
  });
});

describe("closing", () => {
  it("lets what is in flight end, and closes streams and idle connections", async () => {
    const { server, service } = await listen({ graceMs: 5000 });
    const mine = await session(server.url);
    const stream = new EventReader(await fetch(server.url, { headers: { ...mine, accept: "text/event-stream" } }));
    const slow = post(server.url, request(2, "slow"), mine);
    while (service.held === 0) await delay(2);
    const closed = server.close();
    expect((await post(server.url, request(3, "ping"), mine)).status).toBe(503);
    service.release();
    expect(await (await slow).json()).toMatchObject({ id: 2 });
    expect(await stream.rest()).toEqual([]);
    await closed;
    await expect(post(server.url, initialize())).rejects.toThrow();
  });

  it("is bounded for a client that neither reads nor leaves", async () => {
    const { server, service } = await listen({ graceMs: 50 });
    const socket = await raw(server.port, head(server), JSON.stringify(modern(1, "flood", { count: 10_000, size: 100_000 })));
    socket.on("error", () => undefined);
    while (service.taken === 0) await delay(2);
    const started = performance.now();
    await server.close();
    expect(performance.now() - started).toBeLessThan(5000);
    socket.destroy();
  });

  test("leaves no handle: the process ends by itself", async () => {
    const script = `
      import { listenHttp } from "./runtime/transport/node-http.ts";
      import { ScriptedService, initialize } from "./test/transport/scripted-service.ts";
      const server = await listenHttp(new ScriptedService(), { graceMs: 100 });
      const headers = { "content-type": "application/json" };
      const response = await fetch(server.url, { method: "POST", headers, body: JSON.stringify(initialize()) });
      const id = response.headers.get("mcp-session-id");
      await response.text();
      const stream = await fetch(server.url, { headers: { "mcp-session-id": id, accept: "text/event-stream" } });
      await server.close();
      await stream.text();
      await new Promise((resolve) => setTimeout(resolve, 20));
      const left = process.getActiveResourcesInfo().filter((name) => !/^(TTY|Pipe|FS)/.test(name) && name !== "TCPSocketWrap");
      process.stdout.write(JSON.stringify({ left, globals: Request.name === "Request" && globalThis.Response === Response }));
    `;
    const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let text = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    const [code] = (await once(child, "close")) as [number];
    expect([code, text]).toEqual([0, JSON.stringify({ left: [], globals: true })]);
  }, 30_000);
});
