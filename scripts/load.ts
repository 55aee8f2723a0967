// `npm run load`: many calls of many clients at a time through the bridge, to a server that answers out of order and is killed now and then. Says how many
// answers were lost, reached another caller, or were made twice by the server, whether every failure was typed, and what became of the memory; fails
// where any of that is not as it has to be. `--calls`, `--at-a-time`, `--clients` and `--kills` say how much; without them the whole run.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Pool } from "undici";

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "100000" },
    "at-a-time": { type: "string", default: "1000" },
    clients: { type: "string", default: "200" },
    kills: { type: "string", default: "5" },
  },
});
const [calls, atATime, clients, kills] = [values.calls, values["at-a-time"], values.clients, values.kills].map(Number) as [
  number,
  number,
  number,
  number,
];

const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
/** Fails that a caller is to expect when a server is killed: the bridge's own, each with its kind. */
const TYPED = new Set(["upstream-unavailable", "outcome-unknown", "state-lost"]);

interface Tally {
  answered: number;
  crossed: number;
  lost: number;
  readonly failed: Map<string, number>;
}

const made = new Map<number, number>();
const tally: Tally = { answered: 0, crossed: 0, lost: 0, failed: new Map() };
const port = await freePort();
let server = await startServer();
const bridge = start("bridge.ts", `http://127.0.0.1:${port}/mcp`);
const [{ url }] = (await once(bridge, "message")) as [{ url: string }];
const { origin, pathname } = new URL(url);
const pool = new Pool(origin, { connections: atATime, pipelining: 1, headersTimeout: 120_000, bodyTimeout: 120_000 });

const memory: number[] = [];
const since = performance.now();
let next = 0;
const killAt = Array.from({ length: kills }, (_, index) => Math.floor(((index + 1) * calls) / (kills + 1)));
await Promise.all(Array.from({ length: atATime }, work));
const seconds = (performance.now() - since) / 1000;
await sampleMemory();
await pool.close();
bridge.kill();
server.kill("SIGKILL");
report();

async function work(): Promise<void> {
  while (next < calls) {
    const call = next;
    next += 1;
    if (call % Math.max(1, Math.floor(calls / 10)) === 0) await sampleMemory();
    if (killAt.includes(call)) await restart();
    await ask(call);
  }
}

async function ask(call: number): Promise<void> {
  const client = `client-${call % clients}`;
  const params = { name: "echo", arguments: { call, wait: (call * 7919) % 20 }, _meta: META };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": META["io.modelcontextprotocol/protocolVersion"],
    "mcp-method": "tools/call",
    "mcp-name": "echo",
    "x-client": client,
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: idOf(call), method: "tools/call", params: { ...params } });
  try {
    const response = await pool.request({ path: pathname, method: "POST", headers, body });
    judge(call, JSON.parse(await response.body.text()) as Answer);
  } catch {
    tally.lost += 1;
  }
}

/** Clients count their own requests, so that the ids of different clients are the same. */
function idOf(call: number): number {
  return Math.floor(call / clients);
}

interface Answer {
  readonly id?: unknown;
  readonly result?: { readonly content?: readonly { readonly text?: string }[] };
  readonly error?: { readonly code?: number; readonly data?: { readonly bridge?: { readonly kind?: string } } };
}

function judge(call: number, { id, result, error }: Answer): void {
  const text = result?.content?.[0]?.text;
  if (text !== undefined && id === idOf(call) && text.endsWith(` ${call}`)) tally.answered += 1;
  else if (error === undefined) tally.crossed += 1;
  else {
    const kind = error.data?.bridge?.kind ?? `code ${error.code}`;
    tally.failed.set(kind, (tally.failed.get(kind) ?? 0) + 1);
  }
}

async function restart(): Promise<void> {
  const gone = once(server, "exit");
  server.kill("SIGKILL");
  await gone;
  server = await startServer();
}

async function startServer(): Promise<ChildProcess> {
  const child = start("server.ts", String(port));
  child.on("message", (said: { call?: number }) => {
    if (said.call !== undefined) made.set(said.call, (made.get(said.call) ?? 0) + 1);
  });
  await once(child, "message");
  return child;
}

function start(file: string, ...args: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL(`load/${file}`, import.meta.url)), [...args], { execArgv: ["--import", "tsx"] });
}

async function sampleMemory(): Promise<void> {
  const said = once(bridge, "message") as Promise<[{ rss: number }]>;
  bridge.send("memory");
  const [{ rss }] = await said;
  memory.push(Math.round(rss / 1024 / 1024));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port: free } = probe.address() as AddressInfo;
      probe.close(() => resolve(free));
    });
  });
}

function report(): void {
  const twice = [...made.values()].filter((times) => times > 1).length;
  const untyped = [...tally.failed].filter(([kind]) => !TYPED.has(kind));
  const failures = [...tally.failed].map(([kind, count]) => `${count} ${kind}`).join(", ") || "none";
  console.log(`${calls} calls of ${clients} clients, ${atATime} at a time, ${kills} kills of the server, in ${seconds.toFixed(0)} s`);
  console.log(`answered ${tally.answered}; failed: ${failures}`);
  console.log(`lost ${tally.lost}, crossed ${tally.crossed}, made twice ${twice}, failures without a kind ${untyped.length}`);
  console.log(`memory of the bridge, MiB, from first to last: ${memory.join(" ")}`);
  const isFlat = (memory.at(-1) ?? 0) <= 1.5 * Math.max(...memory.slice(1, Math.ceil(memory.length / 2)));
  if (!isFlat) console.error("the memory grew");
  process.exitCode = tally.lost + tally.crossed + twice + untyped.length === 0 && isFlat ? 0 : 1;
}
