// Goes round the lanes until enough cases are through, the time is up or a property breaks; the seed decides the order and every value.
import type { Failure, Lane } from "./lane.js";

/** When to stop, and where the randomness starts. */
export interface Campaign {
  readonly seed: number;
  readonly cases: number;
  /** Seconds after which no further lane is begun. */
  readonly seconds: number;
}

/** What a campaign has done so far. */
export interface Progress {
  readonly cases: number;
  readonly seconds: number;
  /** Cases by property and outcome. */
  readonly tallies: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** Values a lane is given at a time; small, so that a short campaign sees many lanes. */
const RUNS = 20;
/** Seconds between two calls of `tell`. */
const PAUSE = 5;

/** Runs a campaign, telling how it goes every few seconds. */
export function runCampaign(
  lanes: readonly Lane[],
  { seed, cases, seconds }: Campaign,
  tell: (progress: Progress) => void,
): { readonly progress: Progress; readonly failure: Failure | undefined } {
  const started = performance.now();
  const tallies = new Map<string, Map<string, number>>();
  let done = 0;
  let told = started;
  const progress = (): Progress => ({ cases: done, seconds: (performance.now() - started) / 1000, tallies });
  for (let pass = 0; lanes.length > 0; pass += 1) {
    for (const [index, lane] of inOrder(lanes, seed, pass)) {
      if (done >= cases || performance.now() - started >= seconds * 1000) return { progress: progress(), failure: undefined };
      const { cases: run, tally, failure } = lane.run({ seed: mix(seed, pass, index), runs: Math.min(RUNS, cases - done) });
      done += run;
      const total = tallies.get(lane.property) ?? new Map<string, number>();
      tallies.set(lane.property, total);
      for (const [outcome, count] of tally) total.set(outcome, (total.get(outcome) ?? 0) + count);
      if (failure !== undefined) return { progress: progress(), failure };
      if (performance.now() - told >= PAUSE * 1000) {
        told = performance.now();
        tell(progress());
      }
    }
  }
  return { progress: progress(), failure: undefined };
}

/** Gives the lanes in an order of the seed and the pass. */
function inOrder(lanes: readonly Lane[], seed: number, pass: number): [number, Lane][] {
  const keyed = [...lanes.entries()].map((entry) => ({ entry, key: mix(seed + 1, pass, entry[0]) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ entry }) => entry);
}

/** Mixes three numbers into one of 32 bits, signed, as fast-check takes seeds. */
function mix(...numbers: readonly number[]): number {
  let hash = 0x811c9dc5;
  for (const number of numbers) {
    hash = Math.imul(hash ^ number, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    hash ^= hash >>> 13;
  }
  return hash | 0;
}
