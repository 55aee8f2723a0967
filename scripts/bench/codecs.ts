// Measures what lifting and lowering cost beside JSON.parse + JSON.stringify of the same messages: within each revision, down from the newest
// and up to it.
import type { Codec } from "../../runtime/index.js";
import { CapabilitySet, codecFor, DegradePolicy, FEATURES, knownRevisions, tables } from "../../runtime/mcp.js";
import type { Measure } from "../measure.js";
import { compare, cycle } from "./clock.js";
import type { Load } from "./loads.js";

/** A codec for each revision, oldest first, bound to two peers at their fullest. */
export const codecs: ReadonlyMap<string, Codec> = new Map(
  await Promise.all(
    knownRevisions().map(async (revision): Promise<[string, Codec]> => [
      revision,
      await codecFor(revision, CapabilitySet.allFor(revision).resolve(revision, "stdio")),
    ]),
  ),
);

const newest = [...codecs.values()].at(-1) as Codec;
const policy = DegradePolicy.balanced();
const skipping = DegradePolicy.from({
  preset: "permissive",
  features: Object.fromEntries(
    tables.lowerings.filter((entry) => entry.degrade.includes("skip")).map((entry) => [FEATURES[entry.feature]?.id ?? "", "skip"]),
  ),
});

/** Gives a load's results as a revision's own peers would send them. */
export function ownResults(load: Load, codec: Codec): unknown[] {
  return load.results.map((result) => codec.lower(load.method, "result", result, skipping));
}

/** Measures one load: the worst revision of each way. */
export function measureCodecs(load: Load, rounds: number): Measure[] {
  const lines = load.results.map((result) => JSON.stringify(result));
  const tasks = new Map<string, () => void>();
  for (const [revision, codec] of codecs) {
    const same = ownResults(load, codec);
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
  const parseAndPrint = cycle(lines, (line) => JSON.stringify(JSON.parse(line)));
  const ratios = compare(parseAndPrint, tasks, rounds);
  const worst = (prefix: string, title: string, limit: number): Measure => {
    const [name, value] = [...ratios].filter(([key]) => key.startsWith(prefix)).reduce((a, b) => (b[1] > a[1] ? b : a));
    return {
      what: `${load.name}: ${title} ${name.slice(prefix.length + 1)})`,
      value,
      unit: "×",
      digits: 3,
      bar: { rule: "at most", limit },
    };
  };
  const across = load.method === "tools/list" ? 0.05 : 0.15;
  return [
    worst("same", "lift + lower, same shape (worst:", 0.05),
    worst("down", `${newest.version} down (worst: to`, across),
    worst("up", `up to ${newest.version} (worst: from`, across),
  ];
}
