// A client on a pair of streams: order, framing, limits, and an end that loses no answer.
import { spawn } from "node:child_process";
import { PassThrough, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it, test } from "vitest";
import type { Wire } from "../../runtime/protocol.js";
import { serveStdio, type StdioServerOptions } from "../../runtime/transport/stdio-server.js";
import { CLIENT_INFO, initialize, INITIALIZED, notification, request, ScriptedService } from "./scripted-service.js";

/** A client's side of the streams. */
class Client {
  readonly service = new ScriptedService();
  readonly input = new PassThrough();
  readonly output = new PassThrough();
  readonly done: ReturnType<typeof serveStdio>;
  text = "";

  constructor(options: Partial<StdioServerOptions> = {}) {
    this.output.setEncoding("utf8").on("data", (chunk: string) => {
      this.text += chunk;
    });
    this.done = serveStdio(this.service, { input: this.input, output: this.output, graceMs: 500, ...options });
  }

  say(...messages: readonly unknown[]): void {
    for (const message of messages) this.input.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  }

  get messages(): Wire[] {
    return this.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Wire);
  }

  async until(count: number): Promise<Wire[]> {
    for (let waited = 0; this.messages.length < count && waited < 5000; waited += 5) await delay(5);
    return this.messages;
  }

  async end(): Promise<Wire[]> {
    this.input.end();
    await this.done;
    return this.messages;
  }
}

describe("messages", () => {
  it("are handed over in the order they came, before earlier ones are answered", async () => {
    const client = new Client();
    client.say(initialize(), request(2, "slow", { name: "a" }), request(3, "echo"), request(4, "slow", { name: "b" }), request(5, "ping"));
    const early = await client.until(3);
    expect(early.map((message) => message["id"])).toEqual([1, 3, 5]);
    expect(client.service.received.map((message) => (message as Wire)["id"])).toEqual([1, 2, 3, 4, 5]);
    client.service.release();
    const all = await client.end();
    expect(all.map((message) => message["id"])).toEqual([1, 3, 5, 2, 4]);
  });

  it("go both ways on the one channel: a question on the way to an answer", async () => {
    const client = new Client();
    client.say(initialize(), request(2, "ask"));
    const question = (await client.until(2)).find(({ method }) => method === "roots/list")!;
    client.say({ jsonrpc: "2.0", id: question["id"], result: { roots: [] } });
    expect((await client.end())[2]).toEqual({ jsonrpc: "2.0", id: 2, result: { answer: { roots: [] } } });
  });

  it("nobody asked for are written when they come", async () => {
    const client = new Client();
    client.say(initialize());
    await client.until(1);
    const [conversation] = client.service.conversations;
    expect(conversation?.hearings).toBe(1);
    expect(conversation?.link?.transport).toBe("stdio");
    expect(conversation?.link?.push(notification("unasked"))).toBe(true);
    expect((await client.end())[1]).toEqual(notification("unasked"));
  });

  it("keep their numbers", async () => {
    const client = new Client();
    client.say(initialize(), '{"jsonrpc":"2.0","id":2,"method":"echo","params":{"n":9007199254740993,"x":1.0}}');
    await client.end();
    expect(client.text).toContain('"n":9007199254740993,"x":1.0');
  });

  it("carry who the client is", async () => {
    const client = new Client({ principal: "me" });
    client.say(initialize());
    await client.end();
    expect(client.service.visits[0]?.principal).toBe("me");
    expect(client.service.conversations[0]?.link?.principal).toBe("me");
  });

  it("that make the service fail are answered all the same, without its words", async () => {
    const faults: unknown[] = [];
    const client = new Client({ onFault: (error) => faults.push(error) });
    client.say(initialize(), request(2, "fail"), request(3, "ping"));
    const [, failed, pong] = await client.end();
    expect(failed).toMatchObject({ id: 2, error: { code: -32603 } });
    expect(pong).toMatchObject({ id: 3, result: {} });
    expect(client.text).not.toContain("secret-detail");
    expect(faults).toHaveLength(1);
  });
});

describe("reports", () => {
  test("stdio-crlf: one return before the line feed is no part of a line, blank lines are none, and LF is written", async () => {
    const client = new Client();
    client.input.write(`${JSON.stringify(initialize())}\r\n\r\n  \n${JSON.stringify(request(2, "ping"))}\r\n`);
    expect((await client.end()).map((message) => message["id"])).toEqual([1, 2]);
    expect(client.text).not.toContain("\r");
    expect(client.text.endsWith("\n")).toBe(true);
  });

  test("stdio-utf8-split: characters cut between chunks come whole, byte by byte too", async () => {
    const client = new Client();
    const bytes = Buffer.from(`${JSON.stringify(request(1, "echo", { n: "读 🎉" }))}\n`);
    for (const byte of bytes) client.input.write(Buffer.from([byte]));
    expect((await client.end())[0]).toEqual({ jsonrpc: "2.0", id: 1, result: { params: { n: "读 🎉" } } });
  });

  test("stdio-utf8-split: a line that is no UTF-8 is an error for that line", async () => {
    const client = new Client();
    client.input.write(
      Buffer.from([...Buffer.from('{"jsonrpc":"2.0","id":1,"method":"echo","params":{"n":"'), 0xff, 0xfe, ...Buffer.from('"}}\n')]),
    );
    client.say(request(2, "ping"));
    const [broken, pong] = await client.end();
    expect(broken).toMatchObject({ id: null, error: { code: -32700 } });
    expect(pong).toMatchObject({ id: 2, result: {} });
  });

  test("stdio-long-line: 8 MiB pass intact; beyond the cap the line is refused, and the next one is answered", async () => {
    const text = "A".repeat(8 * 1024 * 1024);
    const client = new Client();
    client.say(request(1, "echo", { text }), request(2, "ping"));
    const [echoed] = await client.end();
    expect(echoed).toEqual({ jsonrpc: "2.0", id: 1, result: { params: { text } } });

    const capped = new Client({ limits: { lineBytes: 1024 } });
    capped.say(request(1, "echo", { text }), request(2, "ping"));
    const [refused, pong] = await capped.end();
    expect(refused).toMatchObject({ id: null, error: { code: -32600, data: { bridge: { kind: "limit", sideEffects: "none" } } } });
    expect(pong).toMatchObject({ id: 2, result: {} });
    expect(capped.service.received).toHaveLength(1);
  });

  test("stdio-banner: what is no JSON is answered as such and nothing of it is repeated", async () => {
    const client = new Client();
    client.say("[store] opened /x", "42", request(1, "ping"));
    const [banner, number, pong] = await client.end();
    expect(banner).toMatchObject({ id: null, error: { code: -32700 } });
    expect(number).toMatchObject({ id: null, error: { code: -32600 } });
    expect(pong).toMatchObject({ id: 1 });
    expect(client.text).not.toContain("/x");
  });

  test("id-null-request: what has no id is not answered, what has null for one is refused, the next is answered", async () => {
    const client = new Client();
    client.say(
      { jsonrpc: "2.0", method: "tools/call", params: {} },
      { jsonrpc: "2.0", id: null, method: "tools/list" },
      request(3, "ping"),
    );
    expect(await client.end()).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: 3, result: {} },
    ]);
  });

  test("batch-2025-03-26: a batch reaches the conversation whole, and its answers go back in one line", async () => {
    const client = new Client();
    client.say(initialize("2025-03-26"), INITIALIZED, [request(2, "tools/list"), INITIALIZED, request(3, "ping")]);
    await client.end();
    expect(client.messages[1]).toEqual([
      { jsonrpc: "2.0", id: 2, result: { tools: [] } },
      { jsonrpc: "2.0", id: 3, result: {} },
    ]);
  });

  test("batch-later: an array is one refusal, not a fault of the text, and what follows works", async () => {
    const client = new Client();
    client.say(initialize("2025-06-18"), [request(2, "tools/list"), request(3, "ping")], [], request(4, "ping"));
    await client.end();
    const refusals = client.messages.filter(({ error }) => error !== undefined);
    expect(refusals).toMatchObject([{ error: { code: -32600 } }, { error: { code: -32600 } }]);
    expect(client.messages).toContainEqual({ jsonrpc: "2.0", id: 4, result: {} });
  });

  test("life-ping-early: a ping before the handshake, params null and all, is handed over and answered", async () => {
    const client = new Client();
    client.say({ jsonrpc: "2.0", id: 4, method: "ping", params: null }, initialize("2025-06-18", 5));
    const answers = await client.end();
    expect(answers).toContainEqual({ jsonrpc: "2.0", id: 4, result: {} });
    expect(answers).toContainEqual(expect.objectContaining({ id: 5, result: expect.anything() as unknown }));
    expect(client.service.received).toMatchObject([{ id: 4 }, { id: 5 }]);
  });

  test("life-setlevel-early, life-no-initialized: nothing waits for a notification that does not come", async () => {
    const client = new Client();
    client.say(initialize(), request(2, "logging/setLevel", { level: "debug" }), request(3, "tools/list"));
    expect(await client.end()).toMatchObject([{ id: 1 }, { id: 2, result: {} }, { id: 3, result: { tools: [] } }]);
  });

  test("life-bare-call: the call is refused, the garbage answered, and the ping served", async () => {
    const client = new Client();
    client.say({ jsonrpc: "2.0", id: 9, method: "tools/list" }, "{oops", request(10, "ping"));
    const answers = await client.end();
    expect(answers).toContainEqual({ jsonrpc: "2.0", id: null, error: { code: -32700, message: expect.any(String) as unknown } });
    expect(answers).toContainEqual(expect.objectContaining({ id: 9, error: expect.objectContaining({ code: -32600 }) as unknown }));
    expect(answers).toContainEqual({ jsonrpc: "2.0", id: 10, result: {} });
  });

  test("err-null-id: without an id to answer, null is written up to 2025-06-18 and nothing from 2025-11-25 on", async () => {
    const [older, newer] = [new Client(), new Client()];
    older.say(initialize("2025-06-18"));
    newer.say(initialize("2025-11-25"));
    await Promise.all([older.until(1), newer.until(1)]);
    older.say("{oops");
    newer.say("{oops");
    expect((await older.end())[1]).toHaveProperty("id", null);
    expect((await newer.end())[1]).not.toHaveProperty("id");
  });
});

describe("the end", () => {
  it("of the input lets what is in flight finish, and only then closes", async () => {
    const client = new Client({ graceMs: 5000 });
    client.say(initialize(), request(2, "slow"));
    await client.until(1);
    client.input.end();
    await delay(20);
    expect(client.service.conversations[0]?.closedFor).toBeUndefined();
    client.service.release();
    await client.done;
    expect(client.messages[1]).toMatchObject({ id: 2 });
    expect(client.service.conversations[0]?.closedFor).toMatch(/client/);
  });

  it("does not wait for ever", async () => {
    const client = new Client({ graceMs: 30 });
    client.say(initialize(), request(2, "slow"));
    const started = performance.now();
    await client.end();
    expect(performance.now() - started).toBeLessThan(2000);
    expect(client.service.conversations[0]?.closedFor).toMatch(/client/);
  });

  it("takes a last line that nothing ends", async () => {
    const client = new Client();
    client.input.end(JSON.stringify(request(1, "ping")));
    await client.done;
    expect(client.messages).toMatchObject([{ id: 1 }]);
  });

  it("comes from the service, too, and from a signal", async () => {
    const client = new Client();
    client.say(initialize());
    await client.until(1);
    client.service.conversations[0]?.link?.end("the server went away");
    await client.done;
    expect(client.service.conversations[0]?.closedFor).toBe("the server went away");
    const controller = new AbortController();
    const other = new Client({ signal: controller.signal });
    other.say(request(1, "slow"));
    await delay(10);
    controller.abort();
    other.service.release();
    await other.done;
    expect(other.messages).toMatchObject([{ id: 1 }]);
  });

  it("comes when nobody reads any longer, without an error that nobody catches", async () => {
    const client = new Client();
    client.say(initialize(), request(2, "slow"));
    await client.until(1);
    client.output.destroy(new Error("EPIPE"));
    await client.done;
    client.service.release();
    expect(client.service.conversations[0]?.closedFor).toMatch(/closed its input/);
    expect(client.service.conversations[0]?.link?.push(notification("x"))).toBe(false);
  });

  it("is there at once for an input that is over already", async () => {
    const input = new PassThrough();
    input.resume().end();
    await delay(10);
    expect(await serveStdio(new ScriptedService(), { input, output: new PassThrough().resume() })).toBe("client");
  });

  it("leaves no listener on the streams but the one for late errors", async () => {
    const client = new Client();
    client.say(initialize());
    await client.end();
    expect(["data", "end", "error", "close"].map((name) => client.input.listeners(name).length)).toEqual([0, 0, 0, 0]);
    expect(client.output.listenerCount("error")).toBe(1);
    expect(client.output.listenerCount("drain")).toBe(0);
  });
});

describe("a client that does not read", () => {
  class Blocked extends Writable {
    taken = 0;
    #go: (() => void) | undefined;

    constructor() {
      super({ highWaterMark: 1024, decodeStrings: true });
    }

    override _write(chunk: Buffer, _encoding: string, done: () => void): void {
      this.taken += chunk.length;
      this.#go = done;
    }

    read(): void {
      const go = this.#go;
      this.#go = undefined;
      go?.();
    }

    async readAll(): Promise<void> {
      for (let idle = 0; idle < 20; idle += 1) {
        if (this.#go !== undefined) idle = 0;
        this.read();
        await delay(1);
      }
    }
  }

  it("holds back whoever writes to it, and nothing is lost", async () => {
    const service = new ScriptedService();
    const [input, output] = [new PassThrough(), new Blocked()];
    const done = serveStdio(service, { input, output, graceMs: 5000 });
    input.write(`${JSON.stringify(initialize())}\n${JSON.stringify(request(2, "flood", { count: 50, size: 1000 }))}\n`);
    await delay(50);
    expect(service.taken).toBeLessThan(5);
    const { link, hearings } = service.conversations[0]!;
    expect(link?.push(notification("unasked"))).toBe(false);
    await output.readAll();
    expect(service.taken).toBe(50);
    expect(service.conversations[0]?.hearings).toBeGreaterThan(hearings);
    expect(link?.push(notification("unasked"))).toBe(true);
    input.end();
    await Promise.all([done, output.readAll()]);
    expect(output.writableLength).toBe(0);
  });

  it("is not read from, once too much stands unread", async () => {
    const service = new ScriptedService();
    const [input, output] = [new PassThrough(), new Blocked()];
    const done = serveStdio(service, { input, output, limits: { outputBytes: 5000 }, graceMs: 5000 });
    for (let id = 1; id <= 100; id += 1) {
      input.write(`${JSON.stringify(request(id, "echo", { text: "x".repeat(1000) }))}\n`);
      await delay(0);
    }
    expect(service.received.length).toBeLessThan(20);
    const reading = setInterval(() => output.read(), 1);
    input.end();
    await done;
    clearInterval(reading);
    expect(service.received).toHaveLength(100);
    expect(output.taken).toBeGreaterThan(100_000);
  });

  it("may have only so many requests in flight, and its answers still come in", async () => {
    const client = new Client({ limits: { inFlight: 2 } });
    client.say(request(1, "ask"), request(2, "slow"), request(3, "ping"));
    const [question, refused] = await client.until(2);
    expect(refused).toMatchObject({ id: 3, error: { code: -31906, data: { bridge: { kind: "limit", retry: "same" } } } });
    client.say({ jsonrpc: "2.0", id: question?.["id"], result: { roots: [] } });
    await client.until(3);
    client.service.release();
    expect((await client.end()).map((message) => message["id"])).toEqual(["q1", 3, 1, 2]);
  });
});

test("a process that serves its own streams ends by itself when the client is done", async () => {
  const script = `
    import { serveStdio } from "./runtime/transport/stdio-server.ts";
    import { ScriptedService } from "./test/transport/scripted-service.ts";
    await serveStdio(new ScriptedService(), { input: process.stdin, output: process.stdout });
  `;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  child.stdin.end(`${JSON.stringify({ ...initialize(), params: { protocolVersion: "2025-11-25", clientInfo: CLIENT_INFO } })}\n`);
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect(code).toBe(0);
  expect(text.split("\n").filter((line) => line !== "")).toHaveLength(1);
}, 30_000);
