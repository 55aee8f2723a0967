// What a client without a stream will hear once it has one: that a list changed, and that a resource did; of each the last word only, since each
// only tells the client to look. Anything else is not kept. Pure.

import { isWire } from "../capabilities.js";
import type { Wire } from "../protocol.js";

/** Holds frames until there is a stream for them. */
export class Unheard {
  readonly #frames = new Map<string, Wire>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Keeps a frame; false where it is none to keep, or there is no room. */
  keep(frame: Wire): boolean {
    const key = keyOf(frame);
    if (key === undefined || (!this.#frames.has(key) && this.#frames.size >= this.#limit)) return false;
    this.#frames.delete(key);
    this.#frames.set(key, frame);
    return true;
  }

  /** Gives what was kept, and keeps it no longer. */
  take(): readonly Wire[] {
    const frames = [...this.#frames.values()];
    this.#frames.clear();
    return frames;
  }
}

function keyOf({ method, params }: Wire): string | undefined {
  if (typeof method !== "string") return undefined;
  if (method.endsWith("/list_changed")) return method;
  const uri = isWire(params) ? params["uri"] : undefined;
  return method === "notifications/resources/updated" && typeof uri === "string" ? `${method} ${uri}` : undefined;
}
