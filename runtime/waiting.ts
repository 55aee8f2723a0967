// Bounded waits: for a while, for something at most so long, and longer from try to try.

import { Stopper, type StopSignal } from "./stop.js";

/** Resolves after so many milliseconds; at once where the signal aborts. */
export function delay(ms: number, signal?: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Resolves with what the promise gives, or with undefined where that takes longer than so many milliseconds. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const timer = new Stopper();
  try {
    return await Promise.race([promise, delay(ms, timer.signal).then(() => undefined)]);
  } finally {
    timer.abort();
  }
}

/** Waits until work is over, however it ends, and no longer than so many milliseconds. */
export async function ended(work: Promise<unknown>, ms: number): Promise<void> {
  const over = (): void => undefined;
  await within(work.then(over, over), ms);
}

/**
 * Runs something with a signal that aborts after so many milliseconds, with the reason `late` gives, and whenever the outer one does; rejects as what
 * it runs does, which has to heed the signal.
 */
export async function bounded<T>(ms: number, outer: StopSignal, late: () => Error, run: (signal: StopSignal) => Promise<T>): Promise<T> {
  const inner = new Stopper();
  const stop = (): void => inner.abort(outer.reason);
  const timer = setTimeout(() => inner.abort(late()), ms);
  if (outer.aborted) stop();
  outer.addEventListener("abort", stop, { once: true });
  try {
    return await run(inner.signal);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener("abort", stop);
  }
}

/** Bounds the waits between tries, in milliseconds. */
export interface Backoff {
  readonly minMs: number;
  readonly maxMs: number;
}

/** The longest wait that is granted to a peer who asks for one, in milliseconds. */
const MAX_ASKED_MS = 300_000;
/** The shortest: a peer who asks for none at all would be asked without end. */
const MIN_ASKED_MS = 20;

/**
 * Gives the wait before the next try: never less than the peer asked for, and twice as long with every failure; then up to a quarter more, so that many
 * who lost a peer together do not come back together. `random` is between 0 and 1.
 */
export function waitBefore(failures: number, asked: number | undefined, { minMs, maxMs }: Backoff, random: number): number {
  // Nothing has failed where the peer said beforehand when to come back.
  const own = asked !== undefined && failures <= 1 ? 0 : Math.min(minMs * 2 ** Math.min(Math.max(failures - 1, 0), 30), maxMs);
  const wait = Math.max(own, MIN_ASKED_MS, Math.min(asked ?? 0, MAX_ASKED_MS));
  return wait + random * 0.25 * wait;
}
