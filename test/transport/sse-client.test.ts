// A server over HTTP+SSE of 2024-11-05: real ones, each scripted in its test. No connection outlives its test.
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import type { Peer, Unreachable } from "../../runtime/bridge/peer.js";
import type { Wire } from "../../runtime/protocol.js";
import type { TransportEvent } from "../../runtime/transport/events.js";
import { httpConnector, type HttpOptions } from "../../runtime/transport/http-connector.js";
import { event, json, serve, stream, until, type Asked, type Scripted } from "./scripted-server.js";

const ENDPOINT = "event: endpoint\ndata: /messages?session_id=s3cret\n\n";

interface Script {
  /** What the stream begins with. */
  readonly first?: string;
  /** Answers a POST; `push` writes on the stream. */
  readonly onPost?: (asked: Asked, response: ServerResponse, push: (text: string) => void, all: ServerResponse) => void;
  readonly onGet?: (response: ServerResponse) => void;
}

const servers: Scripted[] = [];
const peers: Peer[] = [];
const events: TransportEvent[] = [];

async function start({ first = ENDPOINT, onPost, onGet }: Script): Promise<Scripted> {
  let open: ServerResponse | undefined;
  const server = await serve((asked, response) => {
    if (asked.method === "GET") {
      open = response;
      if (onGet === undefined) stream(response, first);
      else onGet(response);
      return;
    }
    if (onPost !== undefined && open !== undefined) onPost(asked, response, (text) => void open?.write(text), open);
    else response.writeHead(202).end("Accepted");
  });
  servers.push(server);
  return server;
}

async function open(script: Script, options: Partial<HttpOptions> = {}, path: string = "/sse"): Promise<{ peer: Peer; server: Scripted }> {
  const server = await start(script);
  const url = new URL(path, server.url);
  const connector = httpConnector({ url, observe: (entry) => events.push(entry), drainMs: 100, ...options });
  const peer = await connector.connect("legacy-sse");
  peers.push(peer);
  return { peer, server };
}

afterEach(async () => {
  for (const peer of peers.splice(0)) {
    await peer.close();
    await peer.closed;
  }
  for (const server of servers.splice(0)) {
    await until(async () => (await server.connections()) === 0);
    await server.close();
  }
  events.length = 0;
});

const request = (id: string | number): Wire => ({ jsonrpc: "2.0", id, method: "tools/call", params: {} });
const answer = (id: unknown, result: unknown = {}): Wire => ({ jsonrpc: "2.0", id, result });

const failure = async (sent: Promise<unknown>): Promise<Unreachable> =>
  sent.then(
    () => {
      throw new Error("it was answered");
    },
    (error: Unreachable) => error,
  );

describe("the address for messages", () => {
  it.each([
    ["sse-endpoint-relative: from the root", "/sse", "/messages/?session_id=abc", ["/messages/?session_id=abc"]],
    ["sse-endpoint-relative: beside the stream", "/mcp/sse", "messages/?session_id=abc", ["/mcp/messages/?session_id=abc"]],
    ["a query alone", "/mcp/sse", "?session_id=abc", ["/mcp/sse?session_id=abc"]],
    ["from the root, behind a prefix", "/mcp/sse", "/messages?s=1", ["/messages?s=1", "/mcp/messages?s=1", "/mcp/messages?s=1"]],
    ["with the prefix already", "/mcp/sse", "/mcp/messages?s=1", ["/mcp/messages?s=1"]],
    ["whole", "/sse", "ORIGIN/messages?s=1", ["/messages?s=1"]],
  ])("%s", async (_, path, reference, posted) => {
    let first = "";
    const server = await start({
      onGet: (response) => stream(response, first),
      onPost: (asked, response, push) => {
        if (asked.path !== posted.at(-1)) return void response.writeHead(404).end();
        response.writeHead(202).end();
        push(event(answer(asked.message?.id)));
      },
    });
    first = `event: endpoint\ndata: ${reference.replace("ORIGIN", new URL(server.url).origin)}\n\n`;
    const peer = await httpConnector({ url: new URL(path, server.url) }).connect("legacy-sse");
    peers.push(peer);
    expect(await peer.send(request(1))).toEqual(answer(1));
    // Once it is known where they arrive, they are posted there.
    if (posted.length > 1) await peer.send(request(2));
    expect(server.asked.slice(1).map((asked) => asked.path)).toEqual(posted);
  });

  it("sse-endpoint-internal-host: is refused at another origin, in words that name both, and nothing is posted there", async () => {
    const other = await start({});
    const server = await start({ first: `event: endpoint\ndata: ${new URL("/messages?session_id=s3cret", other.url).href}\n\n` });
    const error = await failure(httpConnector({ url: server.url }).connect("legacy-sse"));
    expect(error).toMatchObject({ name: "Unreachable", delivered: "no" });
    expect(error.reason).toContain(`${new URL(other.url).origin}, and only ${new URL(server.url).origin} is allowed`);
    expect(error.message).not.toContain("s3cret");
    expect(other.asked).toEqual([]);
    // Who knows better may say so.
    const peer = await httpConnector({ url: server.url, messageUrl: new URL("/mine", server.url) }).connect("legacy-sse");
    peers.push(peer);
    await peer.notify({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(server.asked.at(-1)).toMatchObject({ method: "POST", path: "/mine" });
  });

  it.each<readonly [string, Script, RegExp]>([
    ["is no URL", { first: "event: endpoint\ndata: http://[\n\n" }, /is no URL/],
    ["is of another kind", { first: "event: endpoint\ndata: file:///etc/passwd\n\n" }, /file:, and only http:/],
    ["never comes", { first: ": hello\n\n" }, /does not say within 200 milliseconds/],
    ["does not come before the end", { onGet: (response) => (stream(response), void response.end()) }, /its stream ended before/],
    [
      "does not come before a break",
      { onGet: (response) => (stream(response, ": \n\n"), void setTimeout(() => response.destroy(), 20)) },
      /its stream broke before/,
    ],
    ["is not there: 404", { onGet: (response) => void response.writeHead(404).end("none") }, /answers with status 404/],
    ["is not there: JSON", { onGet: (response) => json(response, {}) }, /no stream of events \(status 200\)/],
    ["is not there: silence", { onGet: () => {} }, /does not say within 200 milliseconds/],
  ])("%s", async (_, script, reason) => {
    const server = await start(script);
    const error = await failure(httpConnector({ url: server.url, endpointMs: 200 }).connect("legacy-sse"));
    expect(error).toMatchObject({ name: "Unreachable", delivered: "no" });
    expect(error.reason).toMatch(reason);
    await until(async () => (await server.connections()) === 0);
  });
});

describe("the one stream", () => {
  it("answers 500 calls at once in another order, and brings what nobody asked for", async () => {
    const asked: unknown[] = [];
    const { peer, server } = await open({
      onPost: ({ message }, response, push) => {
        response.writeHead(202).end("Accepted");
        asked.push(message?.id);
        if (asked.length < 500) return;
        push(event({ jsonrpc: "2.0", id: 1, method: "roots/list" }));
        for (const id of asked.toReversed()) push(event(answer(id, { id })));
      },
    });
    const ids = Array.from({ length: 500 }, (_, index) => index);
    expect(await Promise.all(ids.map((id) => peer.send(request(id))))).toEqual(ids.map((id) => answer(id, { id })));
    expect(peer.takePending()).toEqual([{ jsonrpc: "2.0", id: 1, method: "roots/list" }]);
    expect(server.asked[0]?.headers.accept).toBe("text/event-stream");
    expect(server.asked[1]).toMatchObject({ path: "/messages?session_id=s3cret", headers: { "content-type": "application/json" } });
  });

  it.each<readonly [string, string]>([
    ["sse-done-marker", "data: [DONE]\n\n"],
    ["sse-priming-empty", "id: 0\nretry: 3000\ndata: \n\n"],
    ["another address", "event: endpoint\ndata: /elsewhere?session_id=s3cret\n\n"],
    ["a duplicate answer", event(answer(1))],
    ["an answer to nobody", event(answer("nobody"))],
    ["an error of nobody's", event({ jsonrpc: "2.0", id: null, error: { code: -32601, message: "x" } })],
  ])("goes on behind %s", async (_, noise) => {
    const { peer, server } = await open({
      onPost: ({ message }, response, push) => {
        response.writeHead(202).end();
        push(`${event(answer(message?.id))}${message?.id === 1 ? noise : ""}`);
      },
    });
    await peer.send(request(1));
    expect(await peer.send(request(2))).toEqual(answer(2));
    expect(server.asked[2]?.path).toBe("/messages?session_id=s3cret");
    expect(JSON.stringify(events)).not.toContain("s3cret");
  });

  it("may bring the answer before the POST is answered", async () => {
    const { peer } = await open({
      onPost: ({ message }, response, push) => {
        push(event(answer(message?.id)));
        setTimeout(() => response.writeHead(202).end(), 50);
      },
    });
    expect(await peer.send(request(1))).toEqual(answer(1));
  });

  it("lets go of an answer that is too long, fails its request, and goes on", async () => {
    const { peer } = await open(
      {
        onPost: ({ message }, response, push) => {
          response.writeHead(202).end();
          push(event(answer(message?.id, message?.id === 1 ? "A".repeat(500_000) : {})));
        },
      },
      { maxMessageBytes: 100_000 },
    );
    expect((await failure(peer.send(request(1)))).reason).toMatch(/^its answer has more than the 100000 bytes allowed$/);
    expect(await peer.send(request(2))).toEqual(answer(2));
    expect(events).toMatchObject([{ event: "dropped", id: 1 }]);
  });

  it.each([
    ["ends", (all: ServerResponse) => void all.end(), "its stream ended"],
    ["breaks", (all: ServerResponse) => void all.destroy(), "its stream broke"],
  ])("fails what is in flight when it %s, and everything after", async (_, stop, reason) => {
    const { peer } = await open({
      onPost: ({ message }, response, _push, all) => {
        response.writeHead(202).end();
        if (message?.id === 2) setTimeout(() => stop(all), 30);
      },
    });
    for (const error of await Promise.all([1, 2].map((id) => failure(peer.send(request(id))))))
      expect(error).toMatchObject({ delivered: "maybe", reason });
    expect(await peer.closed).toMatchObject({ reason });
    expect(await failure(peer.send(request(3)))).toMatchObject({ delivered: "no", reason });
    expect(await failure(peer.notify({ jsonrpc: "2.0", method: "x" }))).toMatchObject({ delivered: "no" });
  });
});

describe("a POST", () => {
  it.each<readonly [string, number, unknown, object]>([
    ["401", 401, "who?", { status: 401, challenge: "Bearer", body: "who?", delivered: "no" }],
    ["500", 500, "", { status: 500, delivered: "maybe" }],
    ["404: the session is gone", 404, "Could not find session", { status: 404, sessionGone: true, delivered: "no" }],
  ])("that is refused fails its message: %s", async (_, status, body, fault) => {
    const { peer } = await open({ onPost: (_asked, response) => json(response, body, status, { "www-authenticate": "Bearer" }) });
    const errors = [await failure(peer.send(request(1)))];
    if (status !== 404) errors.push(await failure(peer.notify({ jsonrpc: "2.0", method: "x" })));
    for (const error of errors) expect(error).toMatchObject({ name: "Unreachable", ...fault });
    expect(errors.map(({ message }) => message).join()).not.toContain("s3cret");
  });

  it("that is answered with an error of the protocol has its answer", async () => {
    const error = { code: -32600, message: "no" };
    const { peer } = await open({ onPost: (_asked, response) => json(response, { jsonrpc: "2.0", id: null, error }, 400) });
    expect(await peer.send(request(1))).toEqual({ jsonrpc: "2.0", id: 1, error });
  });

  it("that nobody takes is given up, and its wait ends when asked to", async () => {
    const { peer } = await open({ onPost: () => {} }, { notifyMs: 100 });
    expect(await failure(peer.send(request(1)))).toMatchObject({
      delivered: "maybe",
      reason: "it does not take the message within 100 milliseconds",
    });
    const cut = new AbortController();
    const sent = failure(peer.send(request(2), { signal: cut.signal }));
    cut.abort();
    expect(await sent).toMatchObject({ reason: "the wait for the answer was ended" });
  });
});

it("closes with what is in flight", async () => {
  const { peer, server } = await open({});
  const sent = failure(peer.send(request(1)));
  await until(() => server.asked.length === 2);
  expect(await server.connections()).toBeGreaterThan(0);
  await Promise.all([peer.close(), peer.close()]);
  expect(await sent).toMatchObject({ delivered: "maybe", reason: "the conversation was closed" });
  expect(await peer.closed).toMatchObject({ name: "Close" });
});
