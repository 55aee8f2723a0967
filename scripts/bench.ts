// `npm run bench` measures, in one process, what lifting and lowering cost beside JSON.parse + JSON.stringify of the same messages, over mixed
// shapes; and what profiles cost. `-- --write` puts the table into the README, `-- --quick` takes a fifth of the time.
import { cpus } from "node:os";
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Codec } from "../runtime/index.js";
import { CapabilitySet, codecFor, DegradePolicy, FEATURES, knownRevisions, resolve, tables } from "../runtime/mcp.js";
import { replaceBetween } from "./markers.js";

interface Load {
  readonly name: string;
  readonly method: string;
  /** Results of several shapes, as the newest revision would send them. */
  readonly results: readonly Record<string, unknown>[];
}

const VARIANTS = 8;

const LOADS: readonly Load[] = [
  { name: "small text result", method: "tools/call", results: variants(smallText) },
  { name: "50 content items", method: "tools/call", results: variants(fiftyItems) },
  { name: "list of 100 tools", method: "tools/list", results: variants(hundredTools) },
];

const PEERS = [
  { client: {}, server: { tools: {} } },
  {
    client: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
    server: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} },
  },
  { client: { elicitation: { form: {}, url: {} } }, server: { tools: {}, completions: {}, prompts: {} } },
];

const { values } = parseArgs({ options: { write: { type: "boolean", default: false }, quick: { type: "boolean", default: false } } });
/** Rounds, and milliseconds a task runs in each; every task runs once a round, so that a noisy neighbour hits all alike. */
const ROUNDS = values.quick ? 15 : 61;
const SLICE = 6;
const revisions = knownRevisions();
const codecs = new Map<string, Codec>();
for (const revision of revisions) codecs.set(revision, await codecFor(revision, CapabilitySet.allFor(revision).resolve(revision, "stdio")));
const newest = codecs.get(revisions.at(-1) as string) as Codec;
const policy = DegradePolicy.balanced();
const skipping = DegradePolicy.from({
  preset: "permissive",
  features: Object.fromEntries(
    tables.lowerings.filter((entry) => entry.degrade.includes("skip")).map((entry) => [FEATURES[entry.feature]?.id ?? "", "skip"]),
  ),
});

const rows: string[][] = [];
for (const load of LOADS) rows.push(...measureLoad(load));
rows.push(...measureProfiles());
const table = [
  "| what | bar | measured |",
  "| --- | --- | --- |",
  ...rows.map((row) => `| ${row.join(" | ")} |`),
  "",
  `Medians of ${ROUNDS} interleaved rounds in one process, ${VARIANTS} message shapes a load; ratios are to JSON.parse + JSON.stringify of the same message. Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}.`,
].join("\n");
process.stdout.write(`${table}\n`);
if (values.write) writeFileSync("README.md", replaceBetween(readFileSync("README.md", "utf8"), "bench", table));

function measureLoad(load: Load): string[][] {
  const own = new Map(
    [...codecs].map(([revision, codec]) => [revision, load.results.map((result) => codec.lower(load.method, "result", result, skipping))]),
  );
  const lines = load.results.map((result) => JSON.stringify(result));
  const tasks = new Map<string, () => void>();
  for (const [revision, codec] of codecs) {
    const same = own.get(revision) as unknown[];
    tasks.set(
      `same ${revision}`,
      cycle(same, (result) => codec.lower(load.method, "result", codec.lift(load.method, "result", result))),
    );
    if (codec === newest) continue;
    tasks.set(
      `down ${revision}`,
      cycle(load.results, (result) => codec.lower(load.method, "result", newest.lift(load.method, "result", result), policy)),
    );
    tasks.set(
      `up ${revision}`,
      cycle(same, (result) => newest.lower(load.method, "result", codec.lift(load.method, "result", result), policy)),
    );
  }
  const ratios = measure(
    cycle(lines, (line) => JSON.stringify(JSON.parse(line))),
    tasks,
  );
  const worst = (prefix: string) => [...ratios].filter(([name]) => name.startsWith(prefix)).reduce((a, b) => (b[1] > a[1] ? b : a));
  const row = (prefix: string, title: string, bar: string) => {
    const [name, ratio] = worst(prefix);
    return [`${load.name}: ${title} ${name.slice(prefix.length + 1)})`, bar, `${ratio.toFixed(3)} ×`];
  };
  const crossBar = load.name.startsWith("list") ? "≤ 0.05 ×" : "≤ 0.15 ×";
  return [
    row("same", "lift + lower, same shape (worst:", "≤ 0.05 ×"),
    row("down", `${newest.version} down (worst: to`, crossBar),
    row("up", `up to ${newest.version} (worst: from`, crossBar),
  ];
}

function measureProfiles(): string[][] {
  const profile = CapabilitySet.allFor("2025-11-25").resolve("2025-11-25", "stdio");
  const order = Uint16Array.from({ length: FEATURES.length * 100 }, (_, index) => (index * 7) % FEATURES.length);
  let sink = 0;
  const loop = () => {
    for (const feature of order) sink += feature;
  };
  const ask = () => {
    for (const feature of order) sink += profile.isEnabled(feature) ? 1 : 0;
  };
  const [isEnabled] = measure(loop, new Map([["isEnabled", ask]])).values();
  const typical = revisions.flatMap((revision) => PEERS.map((peers) => ({ revision, transport: "stdio", ...peers })));
  const fullest = revisions.map((revision) => ({
    revision,
    transport: "stdio",
    client: CapabilitySet.allFor(revision).client,
    server: CapabilitySet.allFor(revision).server,
  }));
  const microseconds = (sessions: readonly Parameters<typeof resolve>[0][]) => {
    const run = () => {
      for (const session of sessions) sink += resolve(session).bits.length;
    };
    warm(run);
    return (median(Array.from({ length: ROUNDS }, () => once(run))) * 1000) / sessions.length;
  };
  const rows = [
    ["isEnabled over varying features", "≤ 3 × an empty loop", `${(isEnabled as number).toFixed(2)} ×`],
    [`resolve of ${FEATURES.length} features, typical peers`, "≤ 2 µs", `${microseconds(typical).toFixed(2)} µs`],
    [`resolve of ${FEATURES.length} features, every flag sent`, "≤ 2 µs", `${microseconds(fullest).toFixed(2)} µs`],
  ];
  if (sink === 0) throw new Error("nothing was measured");
  return rows;
}

/** Gives, for each task, the median over the rounds of its time beside the base's in the same round. */
function measure(base: () => void, tasks: ReadonlyMap<string, () => void>): Map<string, number> {
  for (const task of [base, ...tasks.values()]) warm(task);
  const ratios = new Map([...tasks.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const unit = once(base);
    for (const [name, task] of tasks) ratios.get(name)?.push(once(task) / unit);
  }
  return new Map([...ratios].map(([name, list]) => [name, median(list)]));
}

/** Milliseconds of one call, over a slice of time. */
function once(task: () => void): number {
  const start = performance.now();
  let calls = 0;
  let elapsed = 0;
  do {
    for (let index = 0; index < 16; index += 1) task();
    calls += 16;
    elapsed = performance.now() - start;
  } while (elapsed < SLICE);
  return elapsed / calls;
}

function warm(task: () => void): void {
  for (let index = 0; index < 20; index += 1) once(task);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Runs a function over the items in turn, all of them in one measured call, so that no single shape stays hot. */
function cycle<T>(items: readonly T[], run: (item: T) => unknown): () => void {
  return () => {
    for (const item of items) if (run(item) === undefined) throw new Error("a message vanished");
  };
}

function variants(make: (seed: number) => Record<string, unknown>): Record<string, unknown>[] {
  return Array.from({ length: VARIANTS }, (_, seed) => make(seed));
}

function smallText(seed: number): Record<string, unknown> {
  return {
    ...(seed % 2 === 0 ? { _meta: { "io.modelcontextprotocol/serverInfo": { name: "bench", version: "1.0.0" } } } : {}),
    content: [
      { type: "text", text: `Sunny, ${seed} °C, light wind from the west.`, ...(seed % 3 === 0 ? { annotations: { priority: 0.5 } } : {}) },
    ],
    ...(seed % 4 === 1 ? { isError: false } : {}),
    resultType: "complete",
  };
}

function fiftyItems(seed: number): Record<string, unknown> {
  const data = Buffer.alloc(1536, seed).toString("base64");
  const content = Array.from({ length: 50 }, (_, index) => {
    const kind = (index + seed) % 10;
    if (kind < 6)
      return {
        type: "text",
        text: `Row ${index}: ${"lorem ipsum dolor sit amet ".repeat(8)}`,
        ...(index % 3 === 0 ? { annotations: { audience: ["user"], priority: 0.5 } } : {}),
      };
    if (kind < 8)
      return {
        type: "resource_link",
        uri: `file:///project/src/file-${index}.ts`,
        name: `file-${index}.ts`,
        mimeType: "text/x-typescript",
        description: "A source file",
      };
    if (kind === 8) return { type: "image", data, mimeType: "image/png" };
    return {
      type: "resource",
      resource: { uri: `file:///notes/${index}.md`, mimeType: "text/markdown", text: `# Note\n${"text ".repeat(40)}` },
    };
  });
  return { content, structuredContent: { total: 50, items: content.map((_, id) => ({ id, ok: true })) }, resultType: "complete" };
}

function hundredTools(seed: number): Record<string, unknown> {
  const tools = Array.from({ length: 100 }, (_, index) => ({
    name: `tool_${index}`,
    title: `Tool number ${index}`,
    description: "Does something useful with the given arguments. ".repeat(3),
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "Path to operate on" },
        limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
        filter: {
          type: "object",
          properties: { kind: { type: "string", enum: ["a", "b", "c"] }, since: { type: "string", format: "date-time" } },
        },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["path"],
    },
    ...((index + seed) % 2 === 0
      ? { outputSchema: { type: "object", properties: { ok: { type: "boolean" }, count: { type: "integer" } }, required: ["ok"] } }
      : {}),
    annotations: { readOnlyHint: index % 3 === 0, openWorldHint: false },
  }));
  return { tools, resultType: "complete", ttlMs: 0, cacheScope: "private" };
}
