// Times tasks against each other in one process: slices of time in turn, so that a noisy neighbour hits all alike, and medians of the slices.
import { median } from "../measure.js";

/** Milliseconds a task runs in one slice. */
const SLICE = 6;
const WARM_SLICES = 20;

/** Gives, for each task, the median over the rounds of its time beside the base's in the same round. */
export function compare(base: () => void, tasks: ReadonlyMap<string, () => void>, rounds: number): Map<string, number> {
  for (const task of [base, ...tasks.values()]) warm(task);
  const ratios = new Map([...tasks.keys()].map((name) => [name, [] as number[]]));
  for (let round = 0; round < rounds; round += 1) {
    const unit = once(base);
    for (const [name, task] of tasks) ratios.get(name)?.push(once(task) / unit);
  }
  return new Map([...ratios].map(([name, list]) => [name, median(list)]));
}

/** Gives the median milliseconds of one call. */
export function time(task: () => void, rounds: number): number {
  warm(task);
  return median(Array.from({ length: rounds }, () => once(task)));
}

/** Runs a function over the items in turn, all of them in one measured call, so that no single shape stays hot. */
export function cycle<T>(items: readonly T[], run: (item: T) => unknown): () => void {
  return () => {
    for (const item of items) if (run(item) === undefined) throw new Error("a message vanished");
  };
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
  for (let index = 0; index < WARM_SLICES; index += 1) once(task);
}
