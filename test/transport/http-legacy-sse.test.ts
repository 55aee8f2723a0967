// HTTP+SSE of the first revision: one stream for everything, and an address nobody can guess.
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, test } from "vitest";
import { EventReader } from "./event-reader.js";
import { bench, messageOf, type HttpBench } from "./http-client.js";
import { initialize, INITIALIZED, notification, request } from "./scripted-service.js";

/** Opens a stream, and gives its reader and the address for messages. */
async function open(
  client: HttpBench,
  path = "/sse",
  headers: Record<string, string> = {},
): Promise<{ stream: EventReader; address: string }> {
  const response = await client.fetch(path, { headers: { accept: "text/event-stream", ...headers } });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const stream = new EventReader(response);
  const first = await stream.next();
  expect(first?.event).toBe("endpoint");
  return { stream, address: first?.data ?? "" };
}

function post(client: HttpBench, address: string, message: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return client.fetch(address, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
}

describe("a session", () => {
  it("answers on its stream what is posted, with 202 and no body on the POST", async () => {
    const client = bench();
    const { stream, address } = await open(client);
    const response = await post(client, address, initialize("2024-11-05"));
    expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([202, "", null]);
    expect(await stream.message()).toMatchObject({ id: 1, result: { protocolVersion: "2024-11-05" } });
    expect((await post(client, address, INITIALIZED)).status).toBe(202);
    await post(client, address, request(2, "news", { count: 1 }));
    expect(await stream.message()).toEqual(notification(1));
    expect(await stream.message()).toMatchObject({ id: 2 });
    expect(stream.raw).not.toMatch(/^(id|retry):/m);
    expect(client.service.conversations[0]?.link?.transport).toBe("legacy-sse");
    expect(await client.health()).toMatchObject({ sessions: 1, streams: 1 });
    await stream.leave();
  });

  it("hands messages over in order, and answers when it can", async () => {
    const client = bench();
    const { stream, address } = await open(client);
    await post(client, address, request(1, "slow"));
    await post(client, address, request(2, "ping"));
    expect(await stream.message()).toMatchObject({ id: 2 });
    client.service.release();
    expect(await stream.message()).toMatchObject({ id: 1 });
    await stream.leave();
  });

  it("hears from the start, and is asked on the one stream", async () => {
    const client = bench();
    const { stream, address } = await open(client);
    const [conversation] = client.service.conversations;
    expect(conversation?.hearings).toBe(1);
    expect(conversation?.link?.push(notification("unasked"))).toBe(true);
    expect(await stream.message()).toEqual(notification("unasked"));
    await post(client, address, request(1, "ask"));
    const question = await stream.message();
    await post(client, address, { jsonrpc: "2.0", id: question?.["id"], result: "yes" });
    expect(await stream.message()).toEqual({ jsonrpc: "2.0", id: 1, result: { answer: "yes" } });
    await stream.leave();
  });

  it("ends with its stream: what is posted afterwards is 404", async () => {
    const client = bench();
    const { stream, address } = await open(client);
    await stream.leave();
    expect((await post(client, address, request(1, "ping"))).status).toBe(404);
    expect(client.service.conversations[0]?.closedFor).toBe("the client closed its stream");
    expect(client.service.conversations[0]?.link?.push(notification(1))).toBe(false);
    expect(await client.health()).toMatchObject({ sessions: 0 });
  });

  it("ends when the service says so, after what it has answered", async () => {
    const client = bench();
    const { stream, address } = await open(client);
    await post(client, address, request(1, "ping"));
    client.service.conversations[0]?.link?.end("the server went away");
    expect(await stream.rest()).toMatchObject([{ id: 1 }]);
  });

  it("belongs to a principal", async () => {
    const client = bench({ principal: (asked) => asked.headers.get("x-user") ?? undefined });
    const { stream, address } = await open(client, "/sse", { "x-user": "a" });
    expect((await post(client, address, request(1, "ping"), { "x-user": "b" })).status).toBe(404);
    expect((await post(client, address, request(1, "ping"), { "x-user": "a", authorization: "Bearer secret" })).status).toBe(202);
    expect(client.service.visits[0]?.principal).toBe("a");
    expect(client.service.visits[0]?.header?.("authorization")).toBeUndefined();
    await stream.leave();
  });
});

describe("the address", () => {
  test.each([
    ["/sse", {}, /^messages\?sessionId=[0-9a-f]{48}$/],
    ["/sse/", {}, /^\.\.\/messages\?sessionId=[0-9a-f]{48}$/],
    ["/a/sse", { paths: { sse: "/a/sse", messages: "/a/post" } }, /^post\?sessionId=/],
    ["/sse", { publicPrefix: "/tools/" }, /^\/tools\/messages\?sessionId=/],
    ["/sse", { publicPrefix: "https://api.example/x" }, /^https:\/\/api\.example\/x\/messages\?sessionId=/],
  ] as const)("sse-endpoint-relative, sse-endpoint-internal-host: from %s with %j", async (path, options, expected) => {
    const client = bench(options);
    const { stream, address } = await open(client, path);
    expect(address).toMatch(expected);
    expect(address).not.toContain("localhost");
    await stream.leave();
  });

  it("is another one each time, and no other is known", async () => {
    const client = bench();
    const [one, other] = [await open(client), await open(client)];
    expect(one.address).not.toBe(other.address);
    for (const address of ["/messages", "/messages?sessionId=", "/messages?sessionId=guess", one.address.slice(0, -1)]) {
      const response = await post(client, address, request(1, "ping"));
      expect(response.status).toBe(404);
      expect(await response.text()).not.toContain("guess");
    }
    await post(client, one.address, request(1, "ping"));
    expect(await one.stream.message()).toMatchObject({ id: 1 });
    await Promise.all([one.stream.leave(), other.stream.leave()]);
  });
});

describe("what is no message, or too much", () => {
  it("is refused on the POST", async () => {
    const client = bench({ limits: { bodyBytes: 100, streamsPerSession: 1 } });
    const { stream, address } = await open(client);
    expect(await messageOf(await post(client, address, "{oops"))).toMatchObject({ id: null, error: { code: -32700 } });
    expect((await post(client, address, "x".repeat(101))).status).toBe(413);
    expect((await post(client, address, "{}", { "content-type": "text/plain" })).status).toBe(415);
    expect((await post(client, address, request(1, "slow"))).status).toBe(202);
    expect((await post(client, address, request(2, "ping"))).status).toBe(429);
    await stream.leave();
  });

  it("of the service's is answered on the stream", async () => {
    const faults: unknown[] = [];
    const client = bench({ onFault: (error) => faults.push(error) });
    const { stream, address } = await open(client);
    await post(client, address, request(1, "fail"));
    expect(await stream.message()).toMatchObject({ id: 1, error: { code: -32603 } });
    expect(stream.raw).not.toContain("secret-detail");
    expect(faults).toHaveLength(1);
    await stream.leave();
  });

  it("holds back who writes", async () => {
    const client = bench();
    const { stream, address } = await open(client);
    await post(client, address, request(1, "flood", { count: 100, size: 10_000 }));
    await delay(20);
    expect(client.service.taken).toBeLessThan(12);
    for (let each = 0; each < 101; each += 1) await stream.message();
    expect(client.service.taken).toBe(100);
    await stream.leave();
  });

  it("ends the session of a client that leaves too much unread", async () => {
    const client = bench({ limits: { streamBytes: 100_000 } });
    const { address } = await open(client);
    await post(client, address, request(1, "flood-blindly", { count: 100, size: 10_000 }));
    await delay(5);
    expect((await post(client, address, request(2, "ping"))).status).toBe(404);
  });
});

test("it can be left out", async () => {
  const client = bench({ legacySse: false });
  expect((await client.fetch("/sse")).status).toBe(404);
  expect((await client.fetch("/messages", { method: "POST", body: "{}" })).status).toBe(404);
});
