// Keeps the frames nobody asked for until somebody takes them, in their order and within a bound: beyond it notifications give way, oldest first, and
// what has to be answered never does.

import type { Wire } from "../protocol.js";
import type { Observe } from "./events.js";

/** How many frames, and how many bytes of them, wait at most. */
const MAX_FRAMES = 10_000;
const MAX_BYTES = 256 * 1024 * 1024;

const NONE: readonly Wire[] = [];

interface Held {
  readonly frame: Wire;
  readonly bytes: number;
}

/** The frames that wait to be taken. */
export class PendingFrames {
  readonly #observe: Observe;
  readonly #onFull: () => void;
  readonly #maxFrames: number;
  #frames: Held[] = [];
  #bytes = 0;
  #isOver = false;
  #wait: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  /** Takes what is told of frames let go of, and what is called when only frames that have to be answered are left and there are too many. */
  constructor(observe: Observe, onFull: () => void, maxFrames: number = MAX_FRAMES) {
    this.#observe = observe;
    this.#onFull = onFull;
    this.#maxFrames = maxFrames;
  }

  /** Adds a frame. */
  push(frame: Wire, bytes: number): void {
    this.#frames.push({ frame, bytes });
    this.#bytes += bytes;
    // One frame alone always fits: its own limit has let it through.
    while (this.#frames.length > 1 && (this.#frames.length > this.#maxFrames || this.#bytes > MAX_BYTES)) {
      if (this.#dropOldest()) continue;
      this.#frames.pop();
      this.#bytes -= bytes;
      this.#onFull();
      return;
    }
    this.#wait?.resolve();
    this.#wait = undefined;
  }

  /** Gives all frames and keeps none. */
  take(): readonly Wire[] {
    if (this.#frames.length === 0) return NONE;
    const taken = this.#frames.map(({ frame }) => frame);
    this.#frames = [];
    this.#bytes = 0;
    return taken;
  }

  /** Ends the waiting: nothing more comes. */
  end(): void {
    this.#isOver = true;
    this.#wait?.resolve();
  }

  /** Resolves once there is a frame, or nothing more comes. */
  wait(): Promise<void> {
    if (this.#frames.length > 0 || this.#isOver) return Promise.resolve();
    if (this.#wait === undefined) {
      let resolve = (): void => {};
      const promise = new Promise<void>((done) => {
        resolve = done;
      });
      this.#wait = { promise, resolve };
    }
    return this.#wait.promise;
  }

  #dropOldest(): boolean {
    const at = this.#frames.findIndex(({ frame }) => frame["id"] === undefined);
    const [dropped] = at === -1 ? [] : this.#frames.splice(at, 1);
    if (dropped === undefined) return false;
    this.#bytes -= dropped.bytes;
    this.#observe({ event: "overflow", method: String(dropped.frame["method"]) });
    return true;
  }
}
