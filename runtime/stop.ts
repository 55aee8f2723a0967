// Ends what somebody waits for. Has the part of `AbortController` and `AbortSignal` that a bridge needs, at a tenth of their cost: every call goes
// through several of them. A leaf.

/** Says that nobody waits any longer; an `AbortSignal` is one. */
export interface StopSignal {
  readonly aborted: boolean;
  /** What was said when it was ended. */
  readonly reason: unknown;
  addEventListener(type: "abort", listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}

/** Ends a wait, once; it is its own signal. Listeners are called once each; one added after the end never is, as with an `AbortSignal`. */
export class Stopper implements StopSignal {
  #isOver = false;
  #reason: unknown;
  /** Most have one listener at most. */
  #first: (() => void) | undefined;
  #others: Set<() => void> | undefined;

  get aborted(): boolean {
    return this.#isOver;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): StopSignal {
    return this;
  }

  addEventListener(_: "abort", listener: () => void): void {
    if (this.#isOver || this.#first === listener) return;
    if (this.#first === undefined && this.#others === undefined) this.#first = listener;
    else (this.#others ??= new Set()).add(listener);
  }

  removeEventListener(_: "abort", listener: () => void): void {
    if (this.#first === listener) this.#first = undefined;
    else this.#others?.delete(listener);
  }

  /** Ends the wait; only the first time counts. */
  abort(reason?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#reason = reason;
    const [first, others] = [this.#first, this.#others];
    [this.#first, this.#others] = [undefined, undefined];
    first?.();
    for (const listener of others ?? []) listener();
  }
}
