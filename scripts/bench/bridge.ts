// Measures what the bridge adds to small calls, with raw peers on both sides: milliseconds of latency, processor time and memory of its process, and
// the time from its start to the first answer. The ways with and without it take turns.
import { execFileSync } from "node:child_process";
import { median, type Measure } from "../measure.js";
import { onPipe, type Client } from "./bridge/clients.js";
import { bridge, Lane, type Hops, type Way } from "./bridge/lanes.js";

/** How much is measured. */
export interface Effort {
  /** Calls before anything is measured: the first thousand cost several times as much. */
  readonly warm: number;
  readonly rounds: number;
  /** Calls of one round, one after another. */
  readonly calls: number;
  /** Calls for processor time and memory, so many at a time. */
  readonly load: number;
  readonly starts: number;
}

/** The effort of a full measurement, and of a quick one. */
export const FULL: Effort = { warm: 4_000, rounds: 21, calls: 200, load: 100_000, starts: 9 };
export const QUICK: Effort = { warm: 1_500, rounds: 5, calls: 50, load: 3_000, starts: 3 };

const IN_FLIGHT = 32;

interface LaneBars {
  readonly name: string;
  readonly hops: Hops;
  readonly latency: number;
  readonly cpu?: number;
}

const LANES: readonly LaneBars[] = [
  { name: "stdio → stdio", hops: { from: "stdio", to: "stdio", server: "legacy" }, latency: 0.15, cpu: 60 },
  { name: "HTTP → HTTP", hops: { from: "http", to: "http", server: "legacy" }, latency: 0.45, cpu: 450 },
  { name: "stdio legacy → HTTP modern", hops: { from: "stdio", to: "http", server: "modern" }, latency: 0.6 },
  { name: "HTTP legacy → HTTP modern", hops: { from: "http", to: "http", server: "modern" }, latency: 0.6 },
];

/** Measures the bridge as it was built. */
export async function measureBridge(effort: Effort): Promise<Measure[]> {
  execFileSync(process.execPath, ["--import", "tsx", "scripts/build.ts"], { stdio: "inherit" });
  const measures: Measure[] = [];
  for (const lane of LANES) measures.push(...(await measureLane(lane, effort)));
  measures.push(await measureStart(effort));
  return measures;
}

async function measureLane({ name, hops, latency, cpu }: LaneBars, effort: Effort): Promise<Measure[]> {
  const lane = new Lane(hops);
  try {
    const bridged = await lane.bridged();
    const atRest = memoryOf(bridged);
    const direct = await lane.direct();
    const least = await lane.least();
    const ways = [direct, bridged, ...(least === undefined ? [] : [least])];
    for (const { client } of ways) await load(client, effort.warm);
    const [added = Number.NaN, floor] = await addedLatency(direct, ways.slice(1), effort);
    const ownCpu = await cpuPerCall(bridged, effort.load);
    const after = memoryOf(bridged);
    const floorCpu = least === undefined ? undefined : await cpuPerCall(least, Math.min(effort.load, 20_000));
    for (const { client } of ways) client.close();
    const row = (what: string, value: number, unit: string, digits: number, limit?: number): Measure => {
      return { what: `${name}: ${what}`, value, unit, digits, ...(limit === undefined ? {} : { bar: { rule: "at most", limit } }) };
    };
    return [
      row("added to a call", added, "ms", 3, latency),
      ...(floor === undefined ? [] : [row("added by a relay that only parses and writes", floor, "ms", 3)]),
      row("processor time a call", ownCpu, "µs", 0, cpu),
      ...(floorCpu === undefined ? [] : [row("processor time of that relay", floorCpu, "µs", 0)]),
      row("memory at rest", atRest, "MiB", 0, 80),
      row(`memory after ${effort.load.toLocaleString("en")} calls`, after, "MiB", 0, 100),
    ];
  } finally {
    await lane.stop();
  }
}

/** Gives, for each way, the median over the rounds of how much longer its median call takes than the direct one. */
async function addedLatency(direct: Way, others: readonly Way[], { rounds, calls }: Effort): Promise<readonly number[]> {
  const added = others.map(() => [] as number[]);
  for (let round = 0; round < rounds; round += 1) {
    const base = await medianCall(direct.client, calls);
    for (const [index, { client }] of others.entries()) added[index]?.push((await medianCall(client, calls)) - base);
  }
  return added.map(median);
}

async function medianCall(client: Client, calls: number): Promise<number> {
  const times: number[] = [];
  for (let call = 0; call < calls; call += 1) {
    const before = performance.now();
    await client.call();
    times.push(performance.now() - before);
  }
  return median(times);
}

/** Microseconds of processor time the process in between spends on a call. */
async function cpuPerCall({ client, between }: Way, calls: number): Promise<number> {
  const before = between?.cpu ?? Number.NaN;
  await load(client, calls);
  return (((between?.cpu ?? Number.NaN) - before) * 1000) / calls;
}

function memoryOf({ between }: Way): number {
  return between?.memory ?? Number.NaN;
}

async function load(client: Client, calls: number): Promise<void> {
  let left = calls;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await client.call();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

/** Times a desktop client's command: from its start to the answer to the first call, with a server that is up. */
async function measureStart({ starts }: Effort): Promise<Measure> {
  const lane = new Lane({ from: "stdio", to: "http", server: "modern" });
  try {
    const url = await lane.url();
    const times: number[] = [];
    for (let start = 0; start < starts; start += 1) {
      const before = performance.now();
      const running = lane.run(bridge("stdio", url));
      const client = await onPipe(running, "legacy");
      await client.call();
      times.push(performance.now() - before);
      await running.stop();
    }
    const what = "stdio legacy → HTTP modern: start to the first answer";
    return { what, value: median(times), unit: "ms", digits: 0, bar: { rule: "at most", limit: 400 } };
  } finally {
    await lane.stop();
  }
}
