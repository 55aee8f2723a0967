// The ids of requests, which are never one peer's on the other's hop: those of clients that wait for an answer, and those the bridge gives out on
// one connection. Ids keep their JSON type, so that 1 and "1" are two.

import type { RequestId } from "../envelope.js";
import { isRequestId } from "./answers.js";

/** Holds the requests of clients that are not answered yet, each with what the bridge knows of it. An owner is a session, a pipe or a principal. */
export class OpenRequests<F> {
  readonly #owners = new Map<string, Map<RequestId, F>>();

  /** Takes a request in; false where its owner waits for an answer under the same id, and then nothing changes. */
  open(owner: string, id: RequestId, flow: F): boolean {
    const flows = this.#owners.get(owner) ?? new Map<RequestId, F>();
    if (flows.has(id)) return false;
    this.#owners.set(owner, flows.set(id, flow));
    return true;
  }

  /** Finds what is open under an id of its owner; an id of any other type or owner is not it. */
  find(owner: string, id: unknown): F | undefined {
    return isRequestId(id) ? this.#owners.get(owner)?.get(id) : undefined;
  }

  /** Lets go of a request, answered or not. A flow that is given is only let go of if it is the one under the id. */
  close(owner: string, id: RequestId, flow?: F): void {
    const flows = this.#owners.get(owner);
    if (flows === undefined || (flow !== undefined && flows.get(id) !== flow)) return;
    flows.delete(id);
    if (flows.size === 0) this.#owners.delete(owner);
  }

  /** Lets go of everything of an owner, and gives it. */
  closeAll(owner: string): readonly F[] {
    const flows = [...(this.#owners.get(owner)?.values() ?? [])];
    this.#owners.delete(owner);
    return flows;
  }

  /** Counts what is open, of one owner or of all. */
  size(owner?: string): number {
    if (owner !== undefined) return this.#owners.get(owner)?.size ?? 0;
    return [...this.#owners.values()].reduce((sum, flows) => sum + flows.size, 0);
  }
}

/** What an answer is to: a request that waits for it, one that was given up, one that was answered before, or none that was ever sent. */
export type Answered<F> =
  | { readonly kind: "open"; readonly flow: F }
  | { readonly kind: "cancelled" }
  | { readonly kind: "finished" }
  | { readonly kind: "unknown" };

/** Most ids of given-up requests that are told from answered ones. */
const MOST_CANCELLED = 1024;

/**
 * Gives out the ids of one connection's requests, each once for its whole life, and takes answers back to what asked. One counter a connection,
 * whoever asks.
 */
export class IssuedIds<F> {
  readonly #open = new Map<number, F>();
  readonly #cancelled = new Set<number>();
  #last = 0;

  /** Gives the next id. */
  issue(flow: F): number {
    this.#last += 1;
    this.#open.set(this.#last, flow);
    return this.#last;
  }

  /** Takes an answer: of a request that was open, which it no longer is, or of one that nobody waits for and whose answer goes nowhere. */
  settle(id: unknown): Answered<F> {
    if (typeof id !== "number" || !Number.isInteger(id) || id < 1 || id > this.#last) return { kind: "unknown" };
    const flow = this.#open.get(id);
    if (this.#open.delete(id)) return { kind: "open", flow: flow as F };
    return { kind: this.#cancelled.has(id) ? "cancelled" : "finished" };
  }

  /** Gives up a request; false where nobody waits for it, so that there is nothing to cancel. */
  cancel(id: number): boolean {
    if (!this.#open.delete(id)) return false;
    this.#cancelled.add(id);
    for (const oldest of this.#cancelled) {
      if (this.#cancelled.size <= MOST_CANCELLED) break;
      this.#cancelled.delete(oldest);
    }
    return true;
  }

  /** Finds what waits for an answer under an id. */
  find(id: unknown): F | undefined {
    return typeof id === "number" ? this.#open.get(id) : undefined;
  }

  /** Lists the ids that wait for an answer on behalf of a flow. */
  idsOf(flow: F): readonly number[] {
    return [...this.#open].filter(([, owner]) => owner === flow).map(([id]) => id);
  }

  /** Gives up everything, as the connection ended; gives what waited, with its ids. */
  abandon(): readonly (readonly [id: number, flow: F])[] {
    const waiting = [...this.#open];
    for (const [id] of waiting) this.cancel(id);
    return waiting;
  }

  /** Counts what waits for an answer. */
  get size(): number {
    return this.#open.size;
  }
}
