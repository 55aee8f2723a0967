// The one timer of an HTTP server. Takes what has to be looked after from time to time and does so while there is any; keeps no process alive.

/** What has to be looked after. */
export interface Beating {
  beat(): void;
}

/** Beats for its members at an interval in milliseconds. */
export class Pulse {
  readonly #every: number;
  readonly #members = new Set<Beating>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(every: number) {
    this.#every = every;
  }

  /** Beats for a member from now on. */
  add(member: Beating): void {
    this.#members.add(member);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => {
      for (const each of this.#members) each.beat();
    }, this.#every);
    unref(this.#timer);
  }

  /** Beats for a member no longer. */
  delete(member: Beating): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.stop();
  }

  /** Beats no longer, until a member is added. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Timers of Node keep the process alive unless told not to; those of other places are numbers. */
function unref(timer: unknown): void {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") timer.unref();
}
