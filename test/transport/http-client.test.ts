// A server over Streamable HTTP: real ones, each scripted in its test, well-behaved and otherwise. No connection outlives its test.
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Peer, Unreachable } from "../../runtime/bridge/peer.js";
import type { Wire } from "../../runtime/protocol.js";
import type { TransportEvent } from "../../runtime/transport/events.js";
import { httpConnector, type HttpOptions } from "../../runtime/transport/http-connector.js";
import { event, json, serve, stream, until, type Script, type Scripted } from "./scripted-server.js";

interface Open {
  readonly peer: Peer;
  readonly server: Scripted;
  readonly events: TransportEvent[];
}

const opened: Open[] = [];

async function open(script: Script, options: Partial<HttpOptions> = {}): Promise<Open> {
  const server = await serve(script);
  const events: TransportEvent[] = [];
  const connector = httpConnector({
    url: server.url,
    observe: (entry) => events.push(entry),
    drainMs: 100,
    endMs: 300,
    backoff: { minMs: 10, maxMs: 100 },
    ...options,
  });
  const entry = { peer: await connector.connect("streamable-http"), server, events };
  opened.push(entry);
  return entry;
}

afterEach(async () => {
  for (const { peer, server } of opened.splice(0)) {
    await peer.close();
    await peer.closed;
    await until(async () => (await server.connections()) === 0);
    await server.close();
  }
});

const request = (id: string | number, method = "tools/call", params: unknown = {}): Wire => ({ jsonrpc: "2.0", id, method, params });
const answer = (id: unknown, result: unknown = {}): Wire => ({ jsonrpc: "2.0", id, result });
const note = (n: number): Wire => ({ jsonrpc: "2.0", method: "notifications/progress", params: { n } });
const NOTE: Wire = { jsonrpc: "2.0", method: "notifications/initialized" };

const failure = async (sent: Promise<unknown>): Promise<Unreachable> =>
  sent.then(
    () => {
      throw new Error("it was answered");
    },
    (error: Unreachable) => error,
  );

describe("a request", () => {
  it.each<readonly [string, Script]>([
    ["JSON", (asked, response) => json(response, answer(asked.message?.id, { is: 1 }))],
    [
      "JSON with a mark of byte order",
      (asked, response) => json(response, `\ufeff${JSON.stringify(answer(asked.message?.id, { is: 1 }))}`),
    ],
    [
      "JSON that is called text",
      (asked, response) => json(response, answer(asked.message?.id, { is: 1 }), 200, { "content-type": "text/plain" }),
    ],
    ["a stream", (asked, response) => stream(response, event(answer(asked.message?.id, { is: 1 })))],
    [
      "sse-crlf: a stream whose line ends are cut",
      async (_, response) => {
        stream(response, 'event: message\r\ndata: {"jsonrpc":"2.0","id":1,\r');
        await new Promise((resolve) => setTimeout(resolve, 20));
        response.end('\ndata: "result":{"is":1}}\r\n\r\n');
      },
    ],
    ["sse-done-marker", (_, response) => (stream(response, event(answer(1, { is: 1 })), "data: [DONE]\n\n"), void response.end())],
    ["sse-done-marker before the answer", (_, response) => stream(response, "data: [DONE]\n\n", event(answer(1, { is: 1 })))],
    [
      "sse-priming-empty",
      (_, response) =>
        stream(response, "id: 0\nretry: 3000\ndata: \n\n", 'event: message\nid: 1\ndata: {"jsonrpc":"2.0","id":1,"result":{"is":1}}\n\n'),
    ],
    [
      "a stream with comments and events of other names",
      (_, response) => stream(response, ": hello\n\n", "event: ping\ndata: {}\n\n", event(answer(1, { is: 1 }))),
    ],
    ["batch-response-to-client", (_, response) => json(response, [answer(1, { is: 1 })])],
    ["id-float-rendering", (_, response) => json(response, '{"jsonrpc":"2.0","id":"1.0","result":{"is":1}}')],
    ["an id the server made up", (_, response) => json(response, answer("x", { is: 1 }))],
    [
      "a duplicate answer behind the first",
      (_, response) => (stream(response, event(answer(1, { is: 1 })), event(answer(1, { is: 2 }))), void response.end()),
    ],
  ])("is answered by %s", async (_, script) => {
    const { peer } = await open(script);
    expect(await peer.send(request(1))).toEqual(answer(1, { is: 1 }));
  });

  it("gets what comes before its answer, in order; what comes without a taker waits", async () => {
    const frames = [note(1), { jsonrpc: "2.0", id: 5, method: "roots/list" }, note(2)];
    const { peer } = await open((asked, response) => {
      if (asked.message?.id === 3) json(response, [answer(3), ...frames]);
      else stream(response, ...frames.map((frame) => event(frame)), event(answer(asked.message?.id)), event(note(3)));
    });
    const seen: Wire[] = [];
    await peer.send(request(1), { onFrame: (frame) => seen.push(frame) });
    expect(seen).toEqual(frames);
    await until(() => peer.takePending().length === 1);
    await peer.send(request(2));
    expect(peer.takePending().slice(0, 3)).toEqual(frames);
    seen.length = 0;
    await peer.send(request(3), { onFrame: (frame) => seen.push(frame) });
    expect(seen).toEqual(frames);
  });

  it("has its answer among 2000 others, in another order than they were asked", async () => {
    const waiting: (() => void)[] = [];
    const { peer } = await open(
      (asked, response) => {
        const reply = answer(asked.message?.id, { id: asked.message?.id });
        waiting.push(() => (waiting.length % 2 === 0 ? json(response, reply) : (stream(response, event(reply)), void response.end())));
        if (waiting.length < 2000) return;
        for (const give of waiting.sort(() => Math.random() - 0.5)) give();
      },
      { connections: 2000 },
    );
    const ids = Array.from({ length: 2000 }, (_, index) => index);
    expect(await Promise.all(ids.map((id) => peer.send(request(id))))).toEqual(ids.map((id) => answer(id, { id })));
  });

  it("never gets the answer of another, whatever stream that came on", async () => {
    const { peer, events } = await open(async (asked, response) => {
      if (asked.message?.id === 1) return;
      stream(response, event(answer(1, { for: 1 })), event(answer(2, { for: 2 })));
    });
    const [first, second] = [peer.send(request(1)), peer.send(request(2))];
    expect(await first).toEqual(answer(1, { for: 1 }));
    expect(await second).toEqual(answer(2, { for: 2 }));
    expect(events).toMatchObject([{ event: "matched", because: "other-stream", request: 1 }]);
  });

  it("tells the status before the body is read", async () => {
    const { peer } = await open(async (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.flushHeaders();
      await until(() => statuses.length > 0);
      response.end(JSON.stringify(answer(1)));
    });
    const statuses: number[] = [];
    await peer.send(request(1), { onStatus: (status) => statuses.push(status) });
    expect(statuses).toEqual([200]);
  });

  it("is aborted by its signal, which closes its stream", async () => {
    let closes = 0;
    const { peer } = await open(async (asked, response) => {
      stream(response, event(note(1)));
      await asked.closed;
      closes += 1;
    });
    const cut = new AbortController();
    const sent = failure(peer.send(request(1), { signal: cut.signal, onFrame: () => cut.abort() }));
    expect(await sent).toMatchObject({ name: "Unreachable", delivered: "maybe" });
    await until(() => closes === 1);
    expect(await failure(peer.send(request(2), { signal: AbortSignal.abort() }))).toMatchObject({ delivered: "no" });
    expect(closes).toBe(1);
  });

  it("closes a stream that goes on behind its answer", async () => {
    let isClosed = false;
    const { peer } = await open(async (asked, response) => {
      stream(response, event(answer(1)));
      await asked.closed;
      isClosed = true;
    });
    await peer.send(request(1));
    expect(isClosed).toBe(false);
    await until(() => isClosed);
  });

  it("outlives a silent stream", async () => {
    const { peer } = await open(
      async (_, response) => {
        stream(response);
        await new Promise((resolve) => setTimeout(resolve, 1500));
        response.end(event(answer(1)));
      },
      { headersMs: 1000, stallMs: 200 },
    );
    expect(await peer.send(request(1))).toEqual(answer(1));
  });
});

describe("headers", () => {
  const initialize = (asked: { message: { method?: string; id?: unknown } | undefined }, response: Parameters<Script>[1]): void => {
    const isOpening = asked.message?.method === "initialize";
    json(response, answer(asked.message?.id), 200, isOpening ? { "mcp-session-id": "s1" } : { "mcp-session-id": "other" });
  };

  it("hdr-session-not-sent: the session goes with everything behind the first answer, and is ended", async () => {
    const { peer, server } = await open((asked, response) => {
      if (asked.method === "GET") stream(response);
      else if (asked.method === "DELETE") json(response, "", 200);
      else if (asked.message?.id === undefined) response.writeHead(202).end();
      else initialize(asked, response);
    });
    await peer.send(request(0, "server/discover"));
    await peer.send(request(1, "initialize"));
    peer.agree("2025-06-18");
    await peer.notify(NOTE);
    await peer.listen();
    await peer.send(request(2));
    await peer.close();
    expect(server.asked.map(({ method, headers }) => [method, headers["mcp-session-id"], headers["mcp-protocol-version"]])).toEqual([
      ["POST", undefined, undefined],
      ["POST", undefined, undefined],
      ["POST", "s1", "2025-06-18"],
      ["GET", "s1", "2025-06-18"],
      ["POST", "s1", "2025-06-18"],
      ["DELETE", "s1", "2025-06-18"],
    ]);
  });

  it.each([
    ["2024-11-05", undefined, "s1"],
    ["2025-03-26", undefined, "s1"],
    ["2025-06-18", "2025-06-18", "s1"],
    ["2025-11-25", "2025-11-25", "s1"],
    ["2026-07-28", "2026-07-28", undefined],
  ])("at %s the version is %s and the session %s", async (revision, version, session) => {
    const { peer, server } = await open(initialize);
    await peer.send(request(1, "initialize"));
    peer.agree(revision);
    await peer.send(request(2));
    expect(server.asked[1]?.headers["mcp-protocol-version"]).toBe(version);
    expect(server.asked[1]?.headers["mcp-session-id"]).toBe(session);
    expect(() => peer.agree("1999-01-01")).toThrow(/unknown/);
  });

  it("say nothing of an earlier session where a new one is opened", async () => {
    const { peer, server } = await open(initialize);
    await peer.send(request(1, "initialize"));
    peer.agree("2025-11-25");
    await peer.send(request(2, "initialize"));
    for (const name of ["mcp-session-id", "mcp-protocol-version"]) expect(server.asked[1]?.headers).not.toHaveProperty(name);
  });

  it("hdr-sticky-version: what is configured never says what is negotiated; what one message says goes", async () => {
    const { peer, server } = await open((asked, response) => json(response, answer(asked.message?.id)), {
      headers: {
        "MCP-Protocol-Version": "2025-11-25",
        "Mcp-Session-Id": "old",
        Accept: "text/html",
        Authorization: "Bearer A",
        "X-Own": "1",
      },
    });
    peer.agree("2025-06-18");
    await peer.send(request(1));
    await peer.send(request(2), { headers: { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Session-Id": "x" } });
    const [first, second] = server.asked.map(({ headers }) => headers);
    expect(first).toMatchObject({ "mcp-protocol-version": "2025-06-18", authorization: "Bearer A", "x-own": "1" });
    expect(first).toMatchObject({ accept: "application/json, text/event-stream", "content-type": "application/json" });
    expect(second).toMatchObject({ "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call" });
    for (const headers of [first, second]) expect(headers).not.toHaveProperty("mcp-session-id");
  });

  it("come from a source that is asked each time", async () => {
    let tokens = 0;
    const { peer, server } = await open((asked, response) => json(response, answer(asked.message?.id)), {
      headers: async () => ({ authorization: `Bearer ${(tokens += 1)}` }),
    });
    await peer.send(request(1));
    await peer.send(request(2));
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer 1", "Bearer 2"]);
  });

  it("hdr-accept-order: a 406 is asked once more, the other way round, and from then on", async () => {
    const { peer, server } = await open((asked, response) => {
      const isGood = asked.headers.accept?.startsWith("text/event-stream") === true;
      if (isGood) json(response, answer(asked.message?.id));
      else json(response, { jsonrpc: "2.0", id: "server-error", error: { code: -32600, message: "not acceptable" } }, 406);
    });
    expect(await peer.send(request(1))).toEqual(answer(1));
    expect(await peer.send(request(2))).toEqual(answer(2));
    expect(server.asked).toHaveLength(3);
  });

  it("hdr-accept-wildcard: a server that takes neither is asked twice, and its error is the answer", async () => {
    const error = { code: -32600, message: "not acceptable" };
    const { peer, server } = await open((_, response) => json(response, { jsonrpc: "2.0", id: "server-error", error }, 406));
    expect(await peer.send(request(1))).toEqual({ jsonrpc: "2.0", id: 1, error });
    expect(server.asked).toHaveLength(2);
  });
});

describe("what expects no answer", () => {
  it.each<readonly [string, number, string, Record<string, string>]>([
    ["http-202-empty", 202, "", {}],
    ["204", 204, "", {}],
    ["http-notif-200-null", 200, "null", { "content-type": "application/json" }],
    ["http-notif-200-null: an answer without a result", 200, '{"jsonrpc":"2.0","id":null}', { "content-type": "application/json" }],
    ["http-notif-200-null: nothing", 200, "", { "content-type": "application/json" }],
    ["a page", 200, "<html>", { "content-type": "text/html" }],
  ])("is delivered by %s", async (_, status, body, headers) => {
    const { peer, server } = await open((_asked, response) => void response.writeHead(status, headers).end(body));
    await peer.notify(NOTE);
    expect(server.asked[0]?.message).toEqual(NOTE);
  });

  it("is delivered while every connection for calls is taken", async () => {
    const { peer } = await open(
      (asked, response) => (asked.message?.id === undefined ? void response.writeHead(202).end() : stream(response)),
      {
        connections: 1,
      },
    );
    const call = failure(peer.send(request(1)));
    await peer.notify(NOTE);
    await peer.close();
    expect(await call).toMatchObject({ delivered: "maybe" });
  });

  it("fails where it is refused, or not taken in time", async () => {
    const { peer } = await open(
      (asked, response) => {
        if (asked.message?.method === "refused") json(response, "no such thing", 400);
      },
      { notifyMs: 100 },
    );
    expect(await failure(peer.notify({ jsonrpc: "2.0", method: "refused" }))).toMatchObject({
      status: 400,
      body: "no such thing",
      delivered: "no",
    });
    expect(await failure(peer.notify(NOTE))).toMatchObject({
      delivered: "maybe",
      reason: "it does not take the message within 100 milliseconds",
    });
  });
});

describe("a refusal", () => {
  const error = (id: unknown, code = -32600): unknown => ({ jsonrpc: "2.0", id, error: { code, message: "no" } });

  it.each<readonly [string, number, unknown]>([
    ["400 for our id", 400, error(1)],
    ["400 for nobody", 400, error(null)],
    ["400 without an id", 400, { jsonrpc: "2.0", error: { code: -32600, message: "no" } }],
    ["404 for our id", 404, error(1, -32601)],
    ["404 for nobody, where there is no session", 404, error(null, -32601)],
    ["422 for an id the server made up", 422, error("server-error")],
    ["429 for our id", 429, error(1)],
    ["500 for our id", 500, error(1)],
    ["503 for our id", 503, error(1)],
  ])("is an answer: %s", async (_, status, body) => {
    const { peer } = await open((_asked, response) => json(response, body, status));
    const statuses: number[] = [];
    const answered = await peer.send(request(1), { onStatus: (seen) => statuses.push(seen) });
    expect(answered).toEqual({ jsonrpc: "2.0", id: 1, error: (body as Wire)["error"] });
    expect(statuses).toEqual([status]);
  });

  it.each<readonly [string, number, unknown, "no" | "maybe"]>([
    ["400 with text", 400, "Bad Request: no session", "no"],
    ["400 with another error", 400, { error: { code: 400, message: "gateway" } }, "no"],
    ["401 for our id", 401, error(1), "no"],
    ["probe-http401", 401, { error: { code: 401, message: "gateway failure" } }, "no"],
    ["403 for our id", 403, error(1), "no"],
    ["407 for our id", 407, error(1), "no"],
    ["405", 405, "", "no"],
    ["408 for nobody", 408, error(null), "maybe"],
    ["429 for nobody", 429, error(null), "no"],
    ["500 for nobody", 500, error(null), "maybe"],
    ["503", 503, "down", "maybe"],
    ["304", 304, "", "no"],
  ])("is no answer: %s", async (_, status, body, delivered) => {
    const { peer } = await open((_asked, response) => json(response, body, status, { "www-authenticate": 'Bearer realm="x"' }));
    const text = status === 304 ? "" : typeof body === "string" ? body : JSON.stringify(body);
    expect(await failure(peer.send(request(1)))).toMatchObject({
      status,
      body: text,
      challenge: 'Bearer realm="x"',
      delivered,
      sessionGone: false,
    });
  });

  it.each<readonly [string, unknown]>([
    ["for nobody", error(null, -32001)],
    ["for our id", error(2, -32001)],
    ["for an id the server made up", error("server-error")],
    ["in no words of the protocol", "Not Found"],
  ])("http-session-404: means that the session is gone, %s", async (_, body) => {
    const { peer, server } = await open((asked, response) => {
      if (asked.message?.method === "initialize") json(response, answer(1), 200, { "mcp-session-id": "s1" });
      else if (asked.message?.method === "slow") setTimeout(() => json(response, answer(9)), 100);
      else json(response, body, 404);
    });
    await peer.send(request(1, "initialize"));
    const slow = peer.send(request(9, "slow"));
    await until(() => server.asked.length === 2);
    const both = await Promise.all([failure(peer.send(request(2))), failure(peer.send(request(3)))]);
    for (const gone of both) expect(gone).toMatchObject({ status: 404, delivered: "no", sessionGone: true });
    expect(await peer.closed).toMatchObject({ sessionGone: true });
    const asked = server.asked.length;
    expect(await failure(peer.notify(NOTE))).toMatchObject({ delivered: "no", sessionGone: true });
    expect(await slow).toEqual(answer(9));
    await peer.close();
    // Nothing is sent in a session that is gone, not even its end.
    expect(server.asked).toHaveLength(asked);
  });

  it("of a method, with 404 in a session, is an answer all the same", async () => {
    const { peer } = await open((asked, response) => {
      if (asked.message?.method === "initialize") json(response, answer(1), 200, { "mcp-session-id": "s1" });
      else json(response, error(asked.message?.id, -32601), 404);
    });
    await peer.send(request(1, "initialize"));
    expect(await peer.send(request(2))).toMatchObject({ id: 2, error: { code: -32601 } });
  });
});

describe("what is no answer", () => {
  it.each<readonly [string, Script, RegExp]>([
    [
      "http-session-200-body",
      (_, response) => stream(response, 'event: message\ndata: {"error":"Session not found"}\n\n'),
      /no message of the protocol/,
    ],
    ["JSON that is no message", (_, response) => json(response, { ok: true }), /no message of the protocol/],
    ["JSON that is no object", (_, response) => json(response, "42"), /no message of the protocol/],
    ["a page", (_, response) => json(response, "<html>", 200, { "content-type": "text/html" }), /no JSON/],
    ["202 to a request", (_, response) => void response.writeHead(202).end(), /took the request without an answer \(status 202\)/],
    ["200 and null", (_, response) => json(response, "null"), /took the request without an answer \(status 200\)/],
    ["a stream that ends", (_, response) => (stream(response, event(note(1))), void response.end()), /its stream ended before the answer/],
    [
      "a stream that breaks",
      (_, response) => (stream(response, event(note(1))), void setTimeout(() => response.destroy(), 20)),
      /its stream broke before the answer/,
    ],
    [
      "a body that is no UTF-8",
      (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end(Buffer.from([0x7b, 0xff])),
      /not UTF-8/,
    ],
    [
      "a body that stops",
      (_, response) => void response.writeHead(200, { "content-type": "application/json" }).write("{"),
      /stopped in the middle/,
    ],
    ["a connection that breaks", (asked) => void asked.socket.destroy(), /closed the connection|broke the connection/],
    ["silence", () => {}, /does not answer in time/],
    ["a body that is too long", (_, response) => json(response, answer(1, "A".repeat(200_000))), /more than the 100000 bytes allowed/],
    [
      "an event that is too long",
      (_, response) => stream(response, event(answer(1, "A".repeat(300_000)))),
      /more than the 100000 bytes allowed/,
    ],
  ])("fails the request, and the peer goes on: %s", async (_, script, reason) => {
    const { peer } = await open((asked, response) => (asked.message?.id === 2 ? json(response, answer(2)) : script(asked, response)), {
      stallMs: 100,
      headersMs: 1000,
      maxMessageBytes: 100_000,
    });
    const error = await failure(peer.send(request(1), { onFrame: () => {} }));
    expect(error).toMatchObject({ name: "Unreachable", delivered: "maybe" });
    expect(error.reason).toMatch(reason);
    expect(await peer.send(request(2))).toEqual(answer(2));
  });

  it("an event too long that is no answer is let go of, and the answer comes", async () => {
    const { peer, events } = await open(
      (_, response) => stream(response, event({ ...note(1), params: "A".repeat(300_000) }), event(answer(1))),
      {
        maxMessageBytes: 100_000,
      },
    );
    expect(await peer.send(request(1))).toEqual(answer(1));
    expect(events).toMatchObject([{ event: "dropped", because: "too-long" }]);
  });
});

describe("a server that is not there", () => {
  it("was never asked", async () => {
    const gone = await serve(() => {});
    await gone.close();
    const peer = await httpConnector({ url: gone.url }).connect("streamable-http");
    expect(await failure(peer.send(request(1)))).toMatchObject({ delivered: "no", reason: "it refuses connections" });
    expect(await failure(peer.notify(NOTE))).toMatchObject({ delivered: "no" });
    expect(
      await failure(
        peer
          .listen()
          .then(() => new Promise(() => {}))
          .catch((error: unknown) => Promise.reject(error)),
      ),
    ).toMatchObject({ delivered: "no" });
    await peer.close();
  });

  it("takes the connection and says nothing: the half-open socket is given up", async () => {
    const sockets: { destroy(): void }[] = [];
    const mute = createServer((socket) => sockets.push(socket));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(mute.address() as AddressInfo).port}/mcp`;
    const peer = await httpConnector({ url, headersMs: 1000, notifyMs: 100, drainMs: 50, endMs: 100 }).connect("streamable-http");
    expect(await failure(peer.notify(NOTE))).toMatchObject({ delivered: "maybe" });
    expect(await failure(peer.send(request(1)))).toMatchObject({ delivered: "maybe", reason: "it does not answer in time" });
    await peer.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => mute.close(resolve));
  });
});

describe("redirects", () => {
  it("are followed at the same origin, with the message", async () => {
    const { peer, server } = await open(
      (asked, response) => {
        if (asked.path === "/mcp") response.writeHead(307, { location: "/mcp/" }).end();
        else json(response, answer(asked.message?.id));
      },
      { headers: { authorization: "Bearer A" } },
    );
    expect(await peer.send(request(1))).toEqual(answer(1));
    expect(server.asked[1]).toMatchObject({
      method: "POST",
      path: "/mcp/",
      headers: { authorization: "Bearer A" },
      body: server.asked[0]?.body,
    });
  });

  it("are not followed to another origin, nor in circles", async () => {
    const other = await serve((asked, response) => json(response, answer(asked.message?.id)));
    const { peer } = await open((asked, response) => {
      response.writeHead(308, { location: asked.message?.id === 1 ? `${other.url}?key=s3cret` : "/mcp" }).end();
    });
    const error = await failure(peer.send(request(1)));
    expect(error).toMatchObject({ delivered: "no", status: 308 });
    expect(error.reason).toContain(new URL(other.url).origin);
    expect(error.reason).not.toContain("s3cret");
    expect(other.asked).toEqual([]);
    expect(await failure(peer.send(request(2)))).toMatchObject({ delivered: "no", reason: "it redirects in a circle" });
    await other.close();
  });
});

describe("the stream for what nobody asked for", () => {
  it("brings it, and comes back after the last thing that was seen", async () => {
    const { peer, server, events } = await open((asked, response) => {
      if (asked.method !== "GET") return json(response, answer(asked.message?.id));
      const seen = Number(asked.headers["last-event-id"] ?? 0);
      stream(response, "retry: 30\n\n", event(note(seen + 1), String(seen + 1)));
      if (seen < 2) response.end();
    });
    peer.agree("2025-11-25");
    await peer.listen();
    await peer.listen();
    const frames: Wire[] = [];
    while (frames.length < 3) {
      await peer.waitPending();
      frames.push(...peer.takePending());
    }
    expect(frames).toEqual([note(1), note(2), note(3)]);
    expect(server.asked.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "1", "2"]);
    expect(events.filter(({ event }) => event === "stream")).toHaveLength(5);
  });

  it.each([400, 404, 405, 501])("http-get-404: is refused with %i, and requests go on", async (status) => {
    const { peer } = await open((asked, response) => {
      if (asked.method === "GET") json(response, "", status);
      else json(response, answer(asked.message?.id), 200, { "mcp-session-id": "s1" });
    });
    await peer.send(request(1, "initialize"));
    expect(await failure(peer.listen())).toMatchObject({ name: "Unreachable", status, sessionGone: false });
    expect(await peer.send(request(2))).toEqual(answer(2));
    // Asking again asks again.
    expect(await failure(peer.listen())).toMatchObject({ status });
  });

  it("is no stream where something else comes, and not asked for where the revision has none", async () => {
    const { peer, server } = await open((_, response) => json(response, "{}"));
    expect(await failure(peer.listen())).toMatchObject({ reason: "it answers with no stream of events (status 200)" });
    peer.agree("2026-07-28");
    expect(await failure(peer.listen())).toMatchObject({
      delivered: "no",
      reason: "revision 2026-07-28 has no stream for what nobody asked for",
    });
    expect(server.asked).toHaveLength(1);
  });

  it("that breaks fails no request, and a 404 then means the session", async () => {
    let isGone = false;
    const { peer } = await open((asked, response) => {
      if (asked.method === "POST" && asked.message?.id === 1) json(response, answer(1), 200, { "mcp-session-id": "s1" });
      else if (asked.method === "POST") setTimeout(() => json(response, answer(asked.message?.id)), 300);
      else if (isGone) json(response, "", 404);
      else {
        isGone = true;
        stream(response, event(note(1)));
        setTimeout(() => response.destroy(), 20);
      }
    });
    await peer.send(request(1, "initialize"));
    await peer.listen();
    const sent = peer.send(request(2));
    expect(await peer.closed).toMatchObject({ sessionGone: true });
    expect(await sent).toEqual(answer(2));
  });

  it("is waited for no longer than a while where its head does not come", async () => {
    const { peer, events } = await open(
      async (asked, response) => {
        if (asked.method !== "GET") return json(response, answer(asked.message?.id));
        await new Promise((resolve) => setTimeout(resolve, 200));
        stream(response, event(note(1)));
      },
      { listenMs: 50 },
    );
    await peer.listen();
    expect(events).toMatchObject([{ event: "stream", state: "unconfirmed" }]);
    await peer.waitPending();
    expect(peer.takePending()).toEqual([note(1)]);
  });

  it("may bring the answer to a request that was taken with 202, within a bound", async () => {
    let push = (_text: string): void => {};
    const { peer } = await open(
      (asked, response) => {
        if (asked.method === "GET") {
          stream(response);
          push = (text) => void response.write(text);
          return;
        }
        response.writeHead(202).end();
        if (asked.message?.id === 1) setTimeout(() => push(event(answer(1))), 30);
      },
      { strayMs: 150 },
    );
    await peer.listen();
    expect(await peer.send(request(1))).toEqual(answer(1));
    expect(await failure(peer.send(request(2)))).toMatchObject({ delivered: "maybe", status: 202 });
  });
});

describe("a stream that breaks before the answer", () => {
  /** Answers request 1 in parts: the first on its own stream, each other one on a resumed one. */
  const inParts =
    (parts: readonly string[], retry = 20): Script =>
    (asked, response) => {
      const at = asked.method === "POST" ? 0 : Number(asked.headers["last-event-id"]);
      stream(response, `retry: ${retry}\n\n`, `id: ${at + 1}\ndata:\n\n`, parts[at] ?? "");
      if (at < parts.length - 1) response.end();
    };

  it("is resumed by the id of its last event, as often as it brings something", async () => {
    const parts = [event(note(1)), "", event(note(2)), "", event(answer(1, { is: 1 }))];
    const { peer, server } = await open(inParts(parts), { resumes: 1 });
    peer.agree("2025-11-25");
    const frames: Wire[] = [];
    expect(await peer.send(request(1), { onFrame: (frame) => frames.push(frame) })).toEqual(answer(1, { is: 1 }));
    expect(frames).toEqual([note(1), note(2)]);
    // The request itself was sent once.
    expect(server.asked.map(({ method, headers }) => [method, headers["last-event-id"]])).toEqual([
      ["POST", undefined],
      ...["1", "2", "3", "4"].map((id) => ["GET", id]),
    ]);
  });

  it("waits as long as the server asks", async () => {
    const { peer } = await open(inParts(["", event(answer(1))], 300));
    peer.agree("2025-11-25");
    const started = Date.now();
    await peer.send(request(1));
    expect(Date.now() - started).toBeGreaterThanOrEqual(300);
  });

  it.each<readonly [string, Script, string, object]>([
    ["the revision has no such thing", inParts(["", event(answer(1))]), "2026-07-28", { reason: "its stream ended before the answer" }],
    [
      "the server refuses",
      (asked, response) => (asked.method === "POST" ? inParts(["", ""])(asked, response) : json(response, "", 405)),
      "2025-11-25",
      { status: 405 },
    ],
    [
      "the server never has it",
      (asked, response) =>
        asked.method === "POST" ? (stream(response, "id: 1\ndata:\n\n"), void response.end()) : json(response, "", 503),
      "2025-11-25",
      {},
    ],
  ])("is given up where %s", async (_, script, revision, fault) => {
    const { peer, server } = await open(script, { resumes: 2 });
    peer.agree(revision);
    expect(await failure(peer.send(request(1)))).toMatchObject({ delivered: "maybe", ...fault });
    expect(server.asked.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("is not resumed for who no longer waits", async () => {
    const { peer, server } = await open(inParts(["", event(answer(1))], 200));
    peer.agree("2025-11-25");
    const cut = new AbortController();
    const sent = failure(peer.send(request(1), { signal: cut.signal }));
    await until(() => server.asked.length === 1);
    setTimeout(() => cut.abort(), 50);
    await sent;
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(server.asked).toHaveLength(1);
  });
});

describe("closing", () => {
  it("lets what is in flight finish, then cuts it, and leaves no connection", async () => {
    const { peer, server } = await open((asked, response) => {
      if (asked.message?.id === 1) setTimeout(() => json(response, answer(1)), 50);
      else stream(response);
    });
    await peer.listen();
    const [quick, slow] = [peer.send(request(1)), failure(peer.send(request(2)))];
    await until(() => server.asked.length === 3);
    expect(await server.connections()).toBeGreaterThan(0);
    await Promise.all([peer.close(), peer.close()]);
    expect(await quick).toEqual(answer(1));
    expect(await slow).toMatchObject({ delivered: "maybe", reason: "the conversation was closed" });
    expect(await peer.closed).toMatchObject({ name: "Close" });
    expect(await failure(peer.send(request(3)))).toMatchObject({ delivered: "no" });
    await until(async () => (await server.connections()) === 0);
  });

  it("does not wait for ever for the end of a session", async () => {
    const { peer } = await open(
      (asked, response) => {
        if (asked.method !== "DELETE") json(response, answer(asked.message?.id), 200, { "mcp-session-id": "s1" });
      },
      { endMs: 100 },
    );
    await peer.send(request(1, "initialize"));
    const started = Date.now();
    await peer.close();
    expect(Date.now() - started).toBeLessThan(1000);
  });
});

describe("secrets", () => {
  const SECRETS = ["t0ken-of-mine", "us3r-password", "qu3ry-key", "p4th-key-0123456789", "s3ssion-id", "p4ram-value"];
  const texts = (error: Unreachable): string => `${error.message} ${error.reason} ${error.stack} ${String(error.cause)}`;

  it("are in no error and no event", async () => {
    const { server } = await open((asked, response) => {
      if (asked.message?.method === "initialize") json(response, answer(1), 200, { "mcp-session-id": "s3ssion-id" });
      else if (asked.message?.method === "404") json(response, "", 404);
      else if (asked.message?.method === "break") asked.socket.destroy();
      else if (asked.message?.method === "away") response.writeHead(307, { location: "http://other.invalid/?k=qu3ry-key" }).end();
      else response.writeHead(503).end();
    });
    const events: TransportEvent[] = [];
    const secretUrl = server.url.replace("http://", "http://me:us3r-password@").concat("/p4th-key-0123456789/mcp?key=qu3ry-key");
    const options = {
      url: secretUrl,
      headers: { authorization: "Bearer t0ken-of-mine" },
      observe: (event: TransportEvent) => events.push(event),
    };
    const connector = httpConnector(options);
    const errors: string[] = [connector.name];
    const peer = await connector.connect("streamable-http");
    await peer.send(request(1, "initialize"));
    expect(server.asked[0]?.headers.authorization).toBe("Bearer t0ken-of-mine");
    for (const method of ["503", "break", "away", "404", "503"]) {
      errors.push(texts(await failure(peer.send(request(method, method), { headers: { "mcp-param-x": "p4ram-value" } }))));
    }
    errors.push(texts(await failure(peer.notify(NOTE))));
    const broken = await httpConnector({ ...options, headers: { authorization: "Bearer t0ken-of-mine\r\nx: y" } }).connect(
      "streamable-http",
    );
    errors.push(texts(await failure(broken.send(request(1)))));
    const failing = await httpConnector({ ...options, headers: () => Promise.reject(new Error("cannot read it")) }).connect(
      "streamable-http",
    );
    errors.push((await failure(failing.send(request(1)))).message);
    for (const one of [peer, broken, failing]) await one.close();
    for (const secret of SECRETS) expect(`${errors.join("\n")} ${JSON.stringify(events)}`).not.toContain(secret);
    expect(errors).toHaveLength(9);
    expect(errors[0]).toBe(`${new URL(server.url).origin}/mcp/…/mcp`);
  });

  it("of the address become a header", async () => {
    const { server } = await open((asked, response) => json(response, answer(asked.message?.id)));
    const peer = await httpConnector({ url: server.url.replace("http://", "http://me:p%20w@") }).connect("streamable-http");
    await peer.send(request(1));
    await peer.close();
    expect(server.asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from("me:p w").toString("base64")}`);
  });
});

it("is made for addresses of HTTP only, and for the transports it is told", async () => {
  expect(() => httpConnector({ url: "file:///etc/passwd" })).toThrow(TypeError);
  expect(() => httpConnector({ url: "s3cret" })).toThrow(/^cannot connect to the server: its address is no http or https URL$/);
  expect(httpConnector({ url: "http://a.invalid/mcp" })).toMatchObject({ transports: ["streamable-http", "legacy-sse"], spawns: false });
  const only = httpConnector({ url: "http://a.invalid/mcp", transports: ["legacy-sse"], name: "mine" });
  expect(await failure(only.connect("streamable-http"))).toMatchObject({ message: "cannot reach mine: it does not speak streamable-http" });
});
