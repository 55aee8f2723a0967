// `polyrev bridge` as a person and as a client's configuration run it: what it prints where, its exit codes, and what it never says.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import { HttpClient, post } from "../bridge/faults/http-client.js";
import { ScriptedHttp } from "../bridge/faults/http-server.js";
import { bridge, errorIn, INITIALIZE, PipeClient, ROOT, textOf, type Running } from "../bridge/faults/processes.js";

const SECRET = "s3cr3t-that-nobody-may-see";
const SERVER = `${ROOT}test/bridge/faults/stdio-server.mjs`;
const FOLDER = mkdtempSync(join(tmpdir(), "bridge-command-"));
const running: Running[] = [];
const servers: ScriptedHttp[] = [];

function run(...args: readonly string[]): PipeClient {
  const client = new PipeClient(bridge(...args), { ...process.env, MY_SECRET: `Bearer ${SECRET}` });
  running.push(client);
  return client;
}

async function serverAt(era: "legacy" | "modern"): Promise<ScriptedHttp> {
  const server = new ScriptedHttp(era);
  servers.push(server);
  await server.start();
  return server;
}

function fileOf(name: string, text: string): string {
  const file = join(FOLDER, name);
  writeFileSync(file, text);
  return file;
}

/** The log lines on stderr; every line has to be one. */
function logged({ err }: Running): readonly Wire[] {
  const lines = err.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as Wire);
}

afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill("SIGKILL");
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});
afterAll(() => rmSync(FOLDER, { recursive: true }));

describe("the command line", () => {
  it("is explained with examples", async () => {
    const help = run("--help");
    expect((await help.end()).code).toBe(0);
    const text = help.lines.join("\n");
    for (const said of [
      "Examples:",
      "polyrev bridge --upstream https://example.com/mcp",
      "--timeout <seconds>",
      "--header <name=VARIABLE>",
    ]) {
      expect(text).toContain(said);
    }
    expect(help.err).toBe("");
  });

  it.each<readonly [readonly string[], number, string]>([
    [[], 2, "required option '--upstream <url | command>' not specified"],
    [["--upstream", "x", "--log", "loud"], 2, "Allowed choices are trace, debug, info, warn, error, silent"],
    [["--upstream", "x", "--liste", "stdio"], 2, "unknown option '--liste'"],
    [["--upstream", "x", "--client-revision", "latest"], 2, 'cannot use --client-revision "latest": unknown; known are 2024-11-05'],
    [
      ["--upstream", "x", "--policy", fileOf("bad.yaml", "surprise: 1\n")],
      1,
      'unknown key "surprise" (choose from preset, features, unknown)',
    ],
    [["--upstream", "x", "--policy", "none.yaml"], 2, 'cannot use --policy "none.yaml"'],
    [["--upstream", "x", "--report", join(FOLDER, "none", "report")], 2, "name a file that can be written, or -"],
    [["--upstream", "http://x/mcp", "--header", `authorization=Bearer ${SECRET}`], 2, "cannot use --header authorization"],
  ])("%j ends with %i", async (args, code, message) => {
    const process = run(...args);
    process.child.stdin?.end();
    expect((await process.end()).code).toBe(code);
    expect(process.err).toContain(message);
    expect(process.err).not.toContain(SECRET);
    expect(process.err).not.toMatch(/^\s+at /m);
    expect(process.lines).toEqual([]);
  });
});

describe("on a pipe", () => {
  it("stdout has messages only, stderr logs only, and each session ends with one line that sums it up", async () => {
    const client = run(
      "--upstream",
      process.execPath,
      "--log",
      "info",
      "--policy",
      fileOf("policy.yaml", "preset: strict\n"),
      "--",
      SERVER,
      "x",
    );
    await client.open();
    expect(textOf(await client.call("malformed", { text: "through" }))).toBe("through");
    expect(errorIn(await client.ask("no/such/method", {})).code).toBe(-32601);
    expect((await client.leave()).code).toBe(0);
    for (const message of client.messages) expect(message["jsonrpc"]).toBe("2.0");
    const logs = logged(client);
    const closed = logs.filter(({ event }) => event === "closed");
    expect(closed).toHaveLength(1);
    expect(closed[0]).toMatchObject({ level: 30, session: expect.any(Number) as unknown, summary: { requests: 3, notifications: 1 } });
    expect(String(closed[0]?.["msg"])).toMatch(/^closed \(the client closed its output\): 3 requests, 1 notifications, /);
  });

  it("ends with 1 where the server ended it", async () => {
    const client = run("--upstream", process.execPath, "--", SERVER, "x");
    await client.open();
    await client.call("die");
    expect((await client.end()).code).toBe(1);
  });

  it("ends quietly where nobody reads its answers any longer", async () => {
    const client = run("--upstream", process.execPath, "--log", "warn", "--", SERVER, "x");
    await client.open();
    client.child.stdout?.destroy();
    client.send({ jsonrpc: "2.0", id: 7, method: "ping" });
    expect((await client.end()).code).toBe(0);
    expect(client.err).toBe("");
  });

  it("ends as well where nobody reads its logs", async () => {
    const client = run("--upstream", process.execPath, "--log", "debug", "--", SERVER, "x");
    client.child.stderr?.destroy();
    await client.open();
    expect(textOf(await client.call("echo", { text: "on" }))).toBe("on");
    expect((await client.leave()).code).toBe(0);
  });
});

describe("the report", () => {
  it.each(["file", "-"])("goes to %s, one record a line", async (where) => {
    const file = where === "-" ? "-" : fileOf("report.jsonl", "");
    const client = run("--upstream", process.execPath, "--log", "silent", "--report", file, "--", SERVER, "x");
    client.send({ jsonrpc: "2.0", id: "early", method: "tools/list" });
    expect(errorIn(await client.answerTo("early")).code).toBe(-32602);
    await client.open();
    expect((await client.leave()).code).toBe(0);
    const text = where === "-" ? client.err : readFileSync(file, "utf8");
    const records = text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Wire);
    expect(records).toContainEqual(
      expect.objectContaining({ event: "refused", code: -32602, time: expect.stringMatching(/^\d{4}-.*Z$/) as unknown }),
    );
  });
});

describe("secrets", () => {
  it.each(["legacy", "modern"] as const)("reach a %s server and nobody else", async (era) => {
    const server = await serverAt(era);
    const file = fileOf("headers.txt", `x-key: ${SECRET}\n`);
    const report = fileOf("secrets.jsonl", "");
    const args = ["--upstream", server.url, "--header", "authorization=MY_SECRET", "--header-file", file];
    const client = run(...args, "--log", "trace", "--report", report);
    await client.open();
    await client.call("echo", { text: "on" });
    for (const tool of ["cut", "malformed"]) await client.call(tool);
    await server.stop();
    await client.call("echo", { text: "gone" });
    await client.leave();
    const { headers } = server.requests.at(-1) ?? { headers: {} };
    expect(headers).toMatchObject({ authorization: `Bearer ${SECRET}`, "x-key": SECRET });
    expect(client.err).not.toBe("");
    for (const text of [client.err, client.lines.join("\n"), readFileSync(report, "utf8")]) expect(text).not.toContain(SECRET);
  });

  it("of the client's are not the server's business", async () => {
    const server = await serverAt("legacy");
    const process = run("--upstream", server.url, "--listen", "http://127.0.0.1:0/mcp", "--log", "trace");
    const url = await process.url();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: INITIALIZE });
    const { status } = await post(url, body, { authorization: `Bearer ${SECRET}`, cookie: `key=${SECRET}` });
    expect(status).toBe(200);
    expect(JSON.stringify(server.requests)).not.toContain(SECRET);
    expect(process.err).not.toContain(SECRET);
  });

  it("are withheld from the server's command unless handed on", async () => {
    const printed = `process.stdout.write(JSON.stringify(process.env)); process.stderr.write("env " + process.env.MY_SECRET + "\\n")`;
    const client = run("--upstream", process.execPath, "--log", "debug", "--stdio-probe", "off", "--", "-e", printed);
    expect(errorIn(await client.open()).message).toContain("env undefined");
    await client.leave();
    const handed = run(
      "--upstream",
      process.execPath,
      "--log",
      "silent",
      "--stdio-probe",
      "off",
      "--env",
      "MY_SECRET",
      "--",
      "-e",
      printed,
    );
    expect(errorIn(await handed.open()).message).toContain("env …");
    await handed.leave();
  });
});

describe("at an address", () => {
  it("says where it listens, how it is, and stops when it is told to", async () => {
    const server = await serverAt("legacy");
    const process = run("--upstream", server.url, "--listen", "http://127.0.0.1:0/here");
    const url = await process.url();
    expect(new URL(url).pathname).toBe("/here");
    const client = new HttpClient(url);
    await client.open();
    const health = (await (await fetch(new URL("/health", url))).json()) as Wire;
    expect(health).toEqual({ status: "ok", sessions: 1, streams: 0, inFlight: 0 });
    client.close();
    process.child.kill("SIGINT");
    expect(await process.end()).toEqual({ code: 0, signal: null });
    expect(process.lines).toEqual([`listening ${url}`]);
    expect(logged(process).map(({ msg }) => msg)).toContain(`listening ${url}`);
    expect(logged(process).filter(({ event }) => event === "closed")).toHaveLength(1);
  });
});
