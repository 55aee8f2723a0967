// The real command between real peers that go wrong: every call ends in its own answer or in a typed error within its bound, and nothing is left behind.
import { createServer } from "node:net";
import { once } from "node:events";
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { CHECKS, leaveCleanly, type Start } from "./faults/checks.js";
import { HttpClient, modernCall, post } from "./faults/http-client.js";
import { ScriptedHttp, shuffling } from "./faults/http-server.js";
import { bridge, errorIn, marked, nobodyLeft, PipeClient, ROOT, Running, textOf } from "./faults/processes.js";

const FAULTS = `${ROOT}test/bridge/faults`;
const SERVER = `${FAULTS}/stdio-server.mjs`;
const PATIENCE = 20_000;

/** What one test starts; all of it is gone when the test is over. */
class Room {
  /** Stands in the command line of every server on a pipe. */
  readonly mark = `mark-${randomUUID()}`;
  readonly #running: Running[] = [];
  readonly #servers: ScriptedHttp[] = [];

  started<T extends Running>(process: T): T {
    this.#running.push(process);
    return process;
  }

  onPipe(...args: readonly string[]): PipeClient {
    return this.started(new PipeClient(bridge("--log", "warn", ...args)));
  }

  onAddress(...args: readonly string[]): Running {
    return this.started(new Running(bridge("--log", "warn", "--listen", "http://127.0.0.1:0/mcp", ...args)));
  }

  async serverAt(...given: ConstructorParameters<typeof ScriptedHttp>): Promise<ScriptedHttp> {
    const server = new ScriptedHttp(...given);
    this.#servers.push(server);
    await server.start();
    return server;
  }

  /** Starts the bridge in front of a server on a pipe. */
  readonly real: Start = (mark, ...server) => this.onPipe("--upstream", process.execPath, "--", SERVER, mark, ...server);

  /** Starts a relay with a fault in the same place. */
  flawed(fault: string): Start {
    const relay = `${FAULTS}/flawed-relay.mjs`;
    return (mark, ...server) => this.started(new PipeClient([process.execPath, relay, fault, process.execPath, SERVER, mark, ...server]));
  }

  async clear(): Promise<void> {
    for (const { child } of this.#running) child.kill("SIGKILL");
    await Promise.all(this.#servers.map((server) => server.stop()));
    for (const line of marked(this.mark)) process.kill(Number.parseInt(line, 10), "SIGKILL");
    await nobodyLeft(this.mark);
  }
}

/** Makes a test of what is done in a room. */
function inRoom<T>(run: (room: Room, given: T) => Promise<void>): (given: T) => Promise<void> {
  return async (given) => {
    const room = new Room();
    try {
      await run(room, given);
    } finally {
      await room.clear();
    }
  };
}

describe.concurrent("between pipes, the bridge", () => {
  it.each(CHECKS)(
    "$name",
    inRoom(async (room, { run }) => {
      await run(room.real, room.mark, PATIENCE);
    }),
  );
});

describe.concurrent("the check fails for a relay that", () => {
  it.each(CHECKS)(
    "$finds: $name",
    inRoom(async (room, { run, finds }) => {
      await expect(run(room.flawed(finds), room.mark, 2_500)).rejects.toThrow();
    }),
  );
});

describe.concurrent("long messages between pipes", () => {
  const MIB = 1024 * 1024;

  it(
    "go through where they are within the limits, and end in an error where they are not",
    inRoom(async (room) => {
      const client = room.real(room.mark);
      await client.open();
      expect(textOf(await client.call("length", { text: "x".repeat(12 * MIB) }, 60_000))).toBe(String(12 * MIB));
      expect(textOf(await client.call("long", { bytes: 50 * MIB }, 60_000))).toHaveLength(50 * MIB);
      const tooLong = await client.call("long", { bytes: 100 * MIB }, 60_000);
      expect(errorIn(tooLong)).toEqual({ code: -31909, message: expect.stringMatching(/more than the 67108864 allowed/) as unknown });
      client.write(
        JSON.stringify({
          jsonrpc: "2.0",
          id: 500,
          method: "tools/call",
          params: { name: "length", arguments: { text: "x".repeat(100 * MIB) } },
        }),
      );
      const refused = await client.until("refusal", () => client.messages.find((message) => errorIn(message).code === -32600), 60_000);
      expect(errorIn(refused).message).toBe("cannot read the line: it is longer than 16777216 bytes");
      expect(textOf(await client.call("echo", { text: "on" }))).toBe("on");
      await leaveCleanly(client, room.mark, PATIENCE);
    }),
  );
});

describe.concurrent("a client that does not read", () => {
  it(
    "is sent no more than a bound, and everything once it reads again",
    inRoom(async (room) => {
      const client = room.real(room.mark);
      await client.open();
      const before = client.memory;
      client.read(false);
      const ids = Array.from({ length: 600 }, (_, index) => 2000 + index);
      for (const id of ids)
        client.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "long", arguments: { bytes: 200_000 } } });
      await new Promise((resolve) => setTimeout(resolve, 3000));
      expect(client.lines).toHaveLength(1);
      // 120 MB of answers, of which it holds the 16 MiB it may and what was under way.
      if (!Number.isNaN(before)) expect(client.memory - before).toBeLessThan(110);
      client.read(true);
      await client.until("all answers", () => (client.lines.length > ids.length ? true : undefined), 60_000);
      expect(client.messages.slice(1).map(({ id }) => id)).toEqual(ids);
      await leaveCleanly(client, room.mark, PATIENCE);
    }),
  );

  it(
    "is let go of when it leaves without having read, and so is one that reads no logs",
    inRoom(async (room) => {
      const client = room.started(new PipeClient(bridge("--log", "debug", "--upstream", process.execPath, "--", SERVER, room.mark)));
      client.child.stderr?.pause();
      await client.open();
      client.read(false);
      for (let id = 0; id < 3000; id += 1)
        client.send({ jsonrpc: "2.0", method: `notifications/unheard-of-${"x".repeat(100)}`, params: { requestId: id } });
      for (let id = 2000; id < 2100; id += 1)
        client.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "long", arguments: { bytes: 200_000 } } });
      client.child.stdin?.end();
      await nobodyLeft(room.mark, 45_000);
    }),
  );
});

describe.concurrent("a server that cannot be had", () => {
  it(
    "that does not exist is named to the client",
    inRoom(async (room) => {
      const client = room.onPipe("--upstream", "no-such-command-anywhere");
      const { code, message } = errorIn(await client.open());
      expect(code).toBe(-31907);
      expect(message).toBe(
        'cannot reach no-such-command-anywhere: there is no command "no-such-command-anywhere": install it, or give its full path',
      );
      expect((await client.leave()).code).toBe(0);
    }),
  );

  it(
    "that never answers the handshake is given up",
    inRoom(async (room) => {
      const client = room.onPipe("--timeout", "1.5", "--upstream", process.execPath, "--", SERVER, room.mark, "mute");
      const since = performance.now();
      const { code, message } = errorIn(await client.open());
      expect([code, message]).toEqual([-31909, "cannot wait any longer for initialize: no answer within 1500 ms"]);
      expect(performance.now() - since).toBeLessThan(PATIENCE);
      await leaveCleanly(client, room.mark, PATIENCE);
    }),
  );

  it(
    "that refuses connections at first is there once it takes them, and missed once it is gone",
    inRoom(async (room) => {
      const server = await room.serverAt("legacy");
      const { url, port } = server;
      await server.stop();
      const client = room.onPipe("--upstream", url);
      expect(errorIn(await client.open())).toEqual({ code: -31907, message: `cannot reach ${url}: it refuses connections` });
      await server.start(port);
      expect((await client.open())["result"]).toBeDefined();
      expect(textOf(await client.call("echo", { text: "here" }))).toBe("here");
      await server.stop();
      expect([-31907, -31909]).toContain(errorIn(await client.call("echo", { text: "gone" })).code);
      await server.start(port);
      expect(textOf(await client.call("echo", { text: "again" }))).toBe("again");
      expect((await client.leave()).code).toBe(0);
    }),
  );

  it.each(["legacy", "modern"] as const)(
    "of the %s era that goes silent costs a call its time and no more",
    inRoom(async (room, era) => {
      const server = await room.serverAt(era);
      const client = room.onPipe("--timeout", "4", "--upstream", server.url);
      await client.open();
      const answers = await Promise.all(["hang", "stall", "echo"].map((name) => client.call(name, { text: "others go on" })));
      expect(answers.map((answer) => textOf(answer) ?? errorIn(answer).code)).toEqual([-31909, -31909, "others go on"]);
      expect(textOf(await client.call("echo", { text: "on" }))).toBe("on");
      const broken = await Promise.all(["cut", "malformed"].map((name) => client.call(name)));
      expect(broken.map((answer) => errorIn(answer).code)).toEqual([-31909, -31909]);
      expect((await client.leave()).code).toBe(0);
    }),
  );

  it(
    "that takes connections and says nothing at all is given up",
    inRoom(async (room) => {
      const server = await room.serverAt("legacy");
      server.isMute = true;
      const client = room.onPipe("--timeout", "1", "--upstream", server.url);
      const { code } = errorIn(await client.open());
      expect([-31907, -31909]).toContain(code);
      expect((await client.leave()).code).toBe(0);
    }),
  );
});

describe.concurrent("many at once", () => {
  it(
    "over HTTP, two clients with the same 1,000 ids each get their own answers",
    inRoom(async (room) => {
      const server = await room.serverAt("legacy", { shuffle: shuffling() });
      const url = await room.onAddress("--upstream", server.url).url();
      const clients = ["a", "b"].map((name) => ({ name, client: new HttpClient(url) }));
      for (const { client } of clients) await client.open();
      const ids = Array.from({ length: 1000 }, (_, index) => index);
      const answered = clients.flatMap(({ name, client }) =>
        ids.map(async (id) => {
          const answer = await client.call(id, "shuffle", { text: `${name} ${id}`, of: 100 });
          return answer["id"] === id && textOf(answer) === `${name} ${id}` ? [] : [[name, id, answer]];
        }),
      );
      expect((await Promise.all(answered)).flat()).toEqual([]);
      for (const { client } of clients) client.close();
    }),
  );

  it(
    "from a legacy client to a modern server, every one of 1,000 gets its own answer",
    inRoom(async (room) => {
      const server = await room.serverAt("modern", { shuffle: shuffling() });
      const client = room.onPipe("--upstream", server.url);
      await client.open();
      const ids = Array.from({ length: 1000 }, (_, index) => index);
      const answers = await Promise.all(ids.map((id) => client.call("shuffle", { text: `of ${id}`, of: 1000 }, 60_000)));
      expect(answers.map(textOf)).toEqual(ids.map((id) => `of ${id}`));
      expect((await client.leave()).code).toBe(0);
    }),
  );
});

describe.concurrent("over HTTP, the bridge", () => {
  it(
    "outlives a client that goes away in the middle of a call",
    inRoom(async (room) => {
      const server = await room.serverAt("legacy");
      const process = room.onAddress("--upstream", server.url);
      const client = new HttpClient(await process.url());
      await client.open();
      const leaving = new AbortController();
      const left = client.call(1, "slow", { text: "unheard", ms: 1000 }, leaving.signal).catch((error: Error) => error.name);
      await server.called("slow");
      leaving.abort();
      expect(await left).toBe("AbortError");
      expect(textOf(await client.call(2, "echo", { text: "on" }))).toBe("on");
      client.close();
    }),
  );

  it(
    "tells a modern server when its client is gone",
    inRoom(async (room) => {
      let gone: () => void = () => {};
      const isGone = new Promise<void>((resolve) => (gone = resolve));
      const server = await room.serverAt("modern", { wait: ({ response }) => void response.on("close", gone) });
      const url = await room.onAddress("--upstream", server.url).url();
      const leaving = new AbortController();
      const left = modernCall(url, 1, "wait", {}, leaving.signal).catch((error: Error) => error.name);
      await server.called("wait");
      leaving.abort();
      expect(await left).toBe("AbortError");
      await isGone;
      expect(textOf((await modernCall(url, 1, "echo", { text: "on" })).message)).toBe("on");
    }),
  );

  it(
    "loses no answer when it is told to stop, and frees the port",
    inRoom(async (room) => {
      const server = await room.serverAt("legacy");
      const process = room.onAddress("--upstream", server.url);
      const url = await process.url();
      const client = new HttpClient(url);
      await client.open();
      const slow = client.call(1, "slow", { text: "in time", ms: 1200 });
      await server.called("slow");
      process.child.kill("SIGTERM");
      expect(textOf(await slow)).toBe("in time");
      client.close();
      expect(await process.end()).toEqual({ code: 0, signal: null });
      await expect(post(url, "{}")).rejects.toThrow("ECONNREFUSED");
    }),
  );

  it(
    "answers bodies that are none, too long, or no messages",
    inRoom(async (room) => {
      const server = await room.serverAt("legacy");
      const url = await room.onAddress("--upstream", server.url).url();
      const bad = await Promise.all(["{", "[]", "7", '{"jsonrpc":"2.0","id":1}'].map((body) => post(url, body)));
      expect(bad.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
      for (const { message } of bad) expect([-32700, -32600]).toContain(errorIn(message).code);
      const long = await post(
        url,
        JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { x: "x".repeat(17 * 1024 * 1024) } }),
      ).then(
        ({ status }) => status,
        // The refusal may come while the body is still on its way.
        (error: NodeJS.ErrnoException) => error.code,
      );
      expect([413, "EPIPE", "ECONNRESET"]).toContain(long);
      const client = new HttpClient(url);
      await client.open();
      expect(textOf(await client.call(1, "echo", { text: "on" }))).toBe("on");
      client.close();
    }),
  );

  it(
    "says that its port is in use, and ends with 1",
    inRoom(async (room) => {
      const holder = createServer().listen(0, "127.0.0.1");
      await once(holder, "listening");
      const { port } = holder.address() as { readonly port: number };
      const process = room.started(new Running(bridge("--upstream", "http://127.0.0.1:1/mcp", "--listen", `http://127.0.0.1:${port}/mcp`)));
      expect(await process.end()).toEqual({ code: 1, signal: null });
      expect(process.err).toBe(
        `cannot listen on 127.0.0.1:${port}: the port is in use; stop what listens there, or choose another port (0 takes a free one)\n`,
      );
      expect(process.lines).toEqual([]);
      holder.close();
    }),
  );
});
