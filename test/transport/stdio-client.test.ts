// A server that is a child process: real ones, each scripted in its test, well-behaved and otherwise. No process outlives its test.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Peer, Unreachable } from "../../runtime/bridge/peer.js";
import type { Wire } from "../../runtime/protocol.js";
import type { TransportEvent } from "../../runtime/transport/events.js";
import { minimalEnvironment } from "../../runtime/transport/spawned.js";
import { stdioConnector, type StdioOptions } from "../../runtime/transport/stdio-client.js";

/** What every scripted server begins with: it says its process id, and reads lines. */
const PRELUDE = `
const write = (message) => process.stdout.write((typeof message === "string" ? message : JSON.stringify(message)) + "\\n");
const answer = (id, result = {}) => write({ jsonrpc: "2.0", id, result });
write({ jsonrpc: "2.0", method: "pid", params: { pid: process.pid } });
let rest = "";
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\\n");
  rest = lines.pop();
  for (const line of lines) onMessage(JSON.parse(line));
});
`;

interface Running {
  readonly peer: Peer;
  readonly pid: number;
  readonly events: TransportEvent[];
  readonly notes: string[];
}

const running: Running[] = [];

async function nextFrames(peer: Peer): Promise<readonly Wire[]> {
  await peer.waitPending();
  return peer.takePending();
}

async function run(script: string, options: Partial<StdioOptions> = {}): Promise<Running> {
  const events: TransportEvent[] = [];
  const notes: string[] = [];
  const peer = await stdioConnector({
    command: process.execPath,
    args: ["-e", PRELUDE + script],
    name: "scripted",
    observe: (event) => events.push(event),
    onStderr: (line) => notes.push(line),
    exitMs: 300,
    killMs: 300,
    drainMs: 300,
    ...options,
  }).connect("stdio");
  const [first] = await nextFrames(peer);
  const started = { peer, pid: (first as { params: { pid: number } }).params.pid, events, notes };
  running.push(started);
  return started;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Tells whether a process group has a member that runs; a dead one that nobody has collected does not count. */
function hasLiving(group: number): boolean {
  const members = execFileSync("ps", ["-eo", "pgid=,stat="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  return members.some(([pgid, state]) => Number(pgid) === group && state?.startsWith("Z") === false);
}

afterEach(async () => {
  for (const { peer, pid } of running.splice(0)) {
    await peer.close();
    await peer.closed;
    expect(isAlive(pid)).toBe(false);
  }
});

const request = (id: string | number, method = "ping", params: unknown = {}): Wire => ({ jsonrpc: "2.0", id, method, params });

const failure = async (sent: Promise<unknown>): Promise<Unreachable> =>
  sent.then(
    () => {
      throw new Error("it was answered");
    },
    (error: Unreachable) => error,
  );

describe("a conversation", () => {
  it("answers 2000 calls at once, in another order than they were asked", async () => {
    const { peer } = await run(`
      const asked = [];
      function onMessage({ id, params }) {
        asked.push([id, params]);
        if (asked.length < 2000) return;
        asked.sort(() => Math.random() - 0.5);
        for (const [id, params] of asked) answer(id, params);
      }`);
    const ids = Array.from({ length: 2000 }, (_, index) => (index % 2 === 0 ? index : `s${index}`));
    const answers = await Promise.all(ids.map((id) => peer.send(request(id, "echo", { id }))));
    expect(answers).toEqual(ids.map((id) => ({ jsonrpc: "2.0", id, result: { id } })));
  });

  it("hands over what nobody asked for, in its order, before the answer that came after it", async () => {
    const { peer } = await run(`
      function onMessage({ id }) {
        write({ jsonrpc: "2.0", method: "notifications/progress", params: { n: 1 } });
        write([{ jsonrpc: "2.0", id: 1, method: "roots/list" }, { jsonrpc: "2.0", method: "notifications/progress", params: { n: 2 } }]);
        answer(id);
      }`);
    expect(await peer.send(request(1))).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    expect(peer.takePending().map((frame) => frame["method"])).toEqual(["notifications/progress", "roots/list", "notifications/progress"]);
    expect(peer.takePending()).toEqual([]);
  });

  it("writes notifications and answers to questions, and numbers as they were", async () => {
    const { peer } = await run(`
      process.stdin.removeAllListeners("data");
      process.stdin.on("data", (chunk) => write({ jsonrpc: "2.0", method: "got", params: { text: String(chunk) } }));`);
    await peer.notify({ jsonrpc: "2.0", id: 5, result: { roots: [] } });
    expect(await nextFrames(peer)).toMatchObject([{ params: { text: '{"jsonrpc":"2.0","id":5,"result":{"roots":[]}}\n' } }]);
  });

  it.each<readonly [string, string, readonly object[]]>([
    [
      "stdio-banner",
      'write("Example server 1.2.3 starting"); write(""); write("[store] opened /x");',
      [{ event: "noise" }, { event: "noise" }],
    ],
    ["a duplicate answer", "answer(id);", [{ event: "unmatched", because: "finished" }]],
    ["probe-silent: a late answer", 'answer("probe-1");', [{ event: "unmatched", because: "unknown" }]],
    ["an empty batch", "write([]);", []],
  ])("goes on behind %s", async (_, noise, expected) => {
    const { peer, events } = await run(`function onMessage({ id }) { if (id === 2) return answer(id); answer(id); ${noise} }`);
    await peer.send(request(1));
    await peer.send(request(2));
    expect(events).toMatchObject(expected);
    expect(events).toHaveLength(expected.length);
  });

  it("stdio-long-line: fails the one request, says why, and goes on; and reads 8 MiB where they are allowed", async () => {
    const script = `function onMessage({ id, params }) { answer(id, { text: "A".repeat(params.length ?? 0) }); }`;
    const { peer, events } = await run(script, { maxLineBytes: 1 << 20 });
    const [long, short] = [peer.send(request(1, "x", { length: 8 << 20 })), peer.send(request(2))];
    const error = await failure(long);
    expect(error.message).toMatch(/^cannot reach scripted: its answer has 83886\d\d bytes, more than the 1048576 allowed$/);
    expect(error.delivered).toBe("maybe");
    expect(await short).toMatchObject({ id: 2 });
    expect(events).toMatchObject([{ event: "dropped", because: "too-long", id: 1 }]);
    const patient = await run(script);
    const answer = await patient.peer.send(request(1, "x", { length: 8 << 20 }));
    expect(answer).toEqual({ jsonrpc: "2.0", id: 1, result: { text: "A".repeat(8 << 20) } });
  });

  it("waits for a server that reads slowly, and gives up on one that does not read", async () => {
    const big = { text: "B".repeat(1 << 20) };
    const slow = await run(`
      process.stdin.pause();
      setTimeout(() => process.stdin.resume(), 200);
      function onMessage({ id, params }) { answer(id, { length: params.text.length }); }`);
    const answers = await Promise.all([1, 2, 3, 4].map((id) => slow.peer.send(request(id, "x", big))));
    for (const { result } of answers) expect(result).toEqual({ length: 1 << 20 });

    const stuck = await run("process.stdin.pause(); setInterval(() => {}, 1000);", { writeMs: 100, maxQueuedBytes: 3 << 20 });
    const written = stuck.peer.send(request(1, "x", big)).catch((error: Unreachable) => error);
    const [waiting, over] = [
      failure(stuck.peer.send(request(2, "x", big))),
      failure(stuck.peer.send(request(3, "x", { text: "C".repeat(3 << 20) }))),
    ];
    expect(await over).toMatchObject({ delivered: "no", reason: expect.stringContaining("it does not read") });
    expect(await waiting).toMatchObject({ delivered: "no", reason: "it has not read for 100 milliseconds" });
    await stuck.peer.close();
    expect(await written).toMatchObject({ delivered: "maybe" });
  });

  it("ends a wait when asked to; the request is another's no longer", async () => {
    const { peer, events } = await run(
      "function onMessage({ id, method }) { if (method === 'ping') answer(id); else setTimeout(answer, 50, id); }",
    );
    const cut = new AbortController();
    const sent = failure(peer.send(request(1, "slow"), { signal: cut.signal }));
    await peer.send(request(2));
    cut.abort();
    expect(await sent).toMatchObject({ name: "Unreachable", delivered: "maybe" });
    await new Promise((resolve) => setTimeout(resolve, 100));
    await peer.send(request(3));
    expect(events).toMatchObject([{ event: "unmatched", because: "finished", id: 1 }]);
    expect(await failure(peer.send(request(4), { signal: AbortSignal.abort() }))).toMatchObject({ delivered: "no" });
  });
});

describe("the end of a server", () => {
  it.each<readonly [string, string, RegExp]>([
    [
      "an exit",
      `process.stderr.write("one\\ntwo: no such table\\n", () => process.exit(3));`,
      /^it exited with code 3; it last wrote: one \| two: no such table$/,
    ],
    ["a signal", `process.kill(process.pid, "SIGKILL");`, /^it was ended by SIGKILL \(9\)$/],
    ["probe-kills-server: the end of its output", "process.exit(0);", /^it exited with code 0$/],
    ["a closed output, while it lives on", "require('fs').closeSync(1); setInterval(() => {}, 1000);", /^it has closed its output$/],
    [
      "an exit behind which a child of its own holds the pipes",
      `require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }).unref(); process.exit(4);`,
      /^it exited with code 4$/,
    ],
  ])("is told to everyone: %s", async (_, ending, reason) => {
    const { peer, pid } = await run(`function onMessage({ method }) { if (method === "die") { ${ending} } }`);
    const calls = [1, 2, 3].map((id) => failure(peer.send(request(id, "wait"))));
    await peer.notify({ jsonrpc: "2.0", method: "die" });
    for (const error of await Promise.all(calls)) {
      expect(error).toMatchObject({ name: "Unreachable", code: "unreachable", delivered: "maybe" });
      expect(error.reason).toMatch(reason);
    }
    expect(await peer.closed).toMatchObject({ reason: expect.stringMatching(reason) });
    expect(await failure(peer.send(request(9)))).toMatchObject({ delivered: "no", reason: expect.stringMatching(reason) });
    expect(await failure(peer.notify({ jsonrpc: "2.0", method: "x" }))).toMatchObject({ delivered: "no" });
    await peer.close();
    expect(isAlive(pid)).toBe(false);
  });

  it("cancel-unknown-method-crash: a notification that ends it fails what is in flight, and a new connection works", async () => {
    const script = `function onMessage({ id, method }) {
      if (method === "notifications/cancelled") throw new Error("unknown method");
      if (method === "ping") answer(id);
    }`;
    const { peer, notes } = await run(script);
    const sent = failure(peer.send(request(3, "slow")));
    await peer.notify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } });
    expect((await sent).reason).toMatch(/^it exited with code 1; it last wrote: .*Error: unknown method/);
    expect(notes.join("\n")).toContain("unknown method");
    const next = await run(script);
    expect(await next.peer.send(request(1))).toMatchObject({ id: 1 });
  });

  it("reads what was written before it, to the last line without an end", async () => {
    const { peer } = await run(
      `function onMessage({ id }) { process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: { last: true } }), () => process.exit(0)); }`,
    );
    expect(await peer.send(request(1))).toMatchObject({ result: { last: true } });
  });

  it("does not show the values of its variables", async () => {
    const { peer } = await run(
      `function onMessage() { process.stderr.write("bad key " + process.env.KEY + "\\n", () => process.exit(1)); }`,
      {
        env: { KEY: "s3cret-of-the-house" },
      },
    );
    const error = await failure(peer.send(request(1)));
    expect(error.reason).toBe("it exited with code 1; it last wrote: bad key …");
    // The check can fail: a variable's value would be shown if it were not given as one.
    const open = await run(`function onMessage() { process.stderr.write("bad key s3cret-of-the-house\\n", () => process.exit(1)); }`);
    expect((await failure(open.peer.send(request(1)))).reason).toContain("s3cret-of-the-house");
  });
});

describe("closing", () => {
  it.each([
    ["a server that ends with its input", ""],
    ["one that does not", "setInterval(() => {}, 1000);"],
    ["one that will not hear of it", 'setInterval(() => {}, 1000); process.on("SIGTERM", () => {});'],
    [
      "one whose child would outlive it",
      `require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });`,
    ],
  ])("ends %s, within its bounds", async (_, script) => {
    const { peer, pid } = await run(`${script} function onMessage() {}`);
    expect(hasLiving(pid)).toBe(true);
    const started = Date.now();
    await Promise.all([peer.close(), peer.close()]);
    expect(Date.now() - started).toBeLessThan(2500);
    expect(isAlive(pid)).toBe(false);
    // Nobody is left in its group either.
    expect(hasLiving(pid)).toBe(false);
    expect(await peer.closed).toMatchObject({ name: "Close" });
    expect(await failure(peer.send(request(1)))).toMatchObject({ delivered: "no", reason: "the conversation was closed" });
  });

  it("lets what is in flight finish first", async () => {
    const { peer } = await run("function onMessage({ id }) { setTimeout(answer, 100, id); }");
    const sent = peer.send(request(1));
    await peer.close();
    expect(await sent).toMatchObject({ id: 1 });
  });

  it("does not wait for ever for what is in flight", async () => {
    const { peer } = await run("function onMessage() {}");
    const sent = failure(peer.send(request(1)));
    await peer.close();
    expect(await sent).toMatchObject({ delivered: "maybe", reason: "the conversation was closed" });
  });
});

describe("starting", () => {
  const folder = mkdtempSync(join(tmpdir(), "polyrev-"));
  const plain = join(folder, "plain");
  writeFileSync(plain, "text");
  chmodSync(plain, 0o644);

  it.each<readonly [string, Partial<StdioOptions>, string]>([
    [
      "a missing command",
      { command: "no-such-command-here", args: ["--token", "s3cret"] },
      'there is no command "no-such-command-here": install it, or give its full path',
    ],
    ["a file that may not be run", { command: plain }, `the command ${JSON.stringify(plain)} may not be run: make it executable`],
    [
      "a missing folder",
      { command: process.execPath, cwd: join(folder, "gone") },
      `there is no folder ${JSON.stringify(join(folder, "gone"))} to run it in: create it`,
    ],
  ])("%s is told with the fix", async (_, options, reason) => {
    const error = await failure(stdioConnector({ command: "", ...options }).connect("stdio"));
    expect(error).toMatchObject({ name: "Unreachable", delivered: "no", reason });
    expect(error.message).not.toContain("s3cret");
  });

  it("is of one transport", async () => {
    const connector = stdioConnector({ command: "/usr/bin/some-server", args: ["--key", "s3cret"] });
    expect(connector).toMatchObject({ name: "some-server", transports: ["stdio"], spawns: true });
    expect(await failure(connector.connect("streamable-http"))).toMatchObject({ delivered: "no" });
    rmSync(folder, { recursive: true });
  });

  it("passes on only what a process needs, and what is given for it", async () => {
    process.env["POLYREV_SECRET"] = "s3cret";
    const { peer } = await run("function onMessage({ id }) { answer(id, process.env); }", { env: { GIVEN: "yes" } });
    const { result } = await peer.send(request(1));
    delete process.env["POLYREV_SECRET"];
    expect(result).toMatchObject({ PATH: process.env["PATH"], GIVEN: "yes" });
    expect(result).not.toHaveProperty("POLYREV_SECRET");
    expect(minimalEnvironment({ PATH: "/bin", HOME: "() { :; }", AWS_SECRET: "x" }, { A: "b" })).toEqual({ PATH: "/bin", A: "b" });
  });
});
