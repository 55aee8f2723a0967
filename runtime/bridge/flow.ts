// One request of a client's on its way to an answer, however often the server is asked for it: what it was, where its frames go, and whether the
// client still wants it. And the table of those in flight.

import type { RequestId } from "../envelope.js";
import type { Wire } from "../protocol.js";
import { Stopper, type StopSignal } from "../stop.js";
import type { Sink, Visit } from "./peer.js";

/** One request in flight. */
export class Flow {
  readonly id: RequestId;
  readonly method: string;
  readonly message: Wire;
  readonly visit: Visit;
  readonly #stopper: Stopper;

  constructor(id: RequestId, method: string, message: Wire, visit: Visit, stopper: Stopper = new Stopper()) {
    this.#stopper = stopper;
    this.id = id;
    this.method = method;
    this.message = message;
    this.visit = visit;
  }

  /** Gives the same request with another message. */
  saying(message: Wire): Flow {
    return new Flow(this.id, this.method, message, this.visit, this.#stopper);
  }

  /** Carries what belongs to the request on the way to its answer. */
  get sink(): Sink {
    return this.visit.sink;
  }

  /** Aborts once the client does not want the answer any longer. */
  get signal(): StopSignal {
    return this.#stopper;
  }

  /** Tells whether the client does not want the answer any longer. */
  get isCancelled(): boolean {
    return this.signal.aborted;
  }

  /** Ends the wish for an answer; the reason is what the client said, if it did. */
  cancel(reason?: string): void {
    this.#stopper.abort(reason);
  }

  /** Gives why it was cancelled, where the client said so. */
  get reason(): string | undefined {
    const reason: unknown = this.signal.reason;
    return typeof reason === "string" ? reason : undefined;
  }
}

/** Holds the requests of one client in flight, by their ids; a number and the same digits as text are two ids. */
export class Flows {
  readonly #flows = new Map<RequestId, Flow>();
  /** Those whose id is that of another: whoever asks each with an exchange of its own needs no id to find the answer. */
  readonly #twins = new Set<Flow>();

  /** Counts them. */
  get size(): number {
    return this.#flows.size + this.#twins.size;
  }

  /** Adds one; false where its id is in flight already and it may not be a `twin`. */
  add(flow: Flow, mayBeTwin = false): boolean {
    if (!this.#flows.has(flow.id)) this.#flows.set(flow.id, flow);
    else if (mayBeTwin) this.#twins.add(flow);
    else return false;
    return true;
  }

  /** Lets go of one. */
  remove(flow: Flow): void {
    if (this.#twins.delete(flow) || this.#flows.get(flow.id) !== flow) return;
    this.#flows.delete(flow.id);
    for (const twin of this.#twins) {
      if (twin.id !== flow.id) continue;
      this.#twins.delete(twin);
      this.#flows.set(twin.id, twin);
      return;
    }
  }

  /** Finds one by the id the client gave it; undefined where several have it. */
  get(id: unknown): Flow | undefined {
    return [...this.#twins].some((twin) => twin.id === id) ? undefined : this.#flows.get(id as RequestId);
  }

  /** Gives the only one that meets a condition; undefined where none or several do. */
  only(fits: (flow: Flow) => boolean): Flow | undefined {
    const found = [...this.#flows.values(), ...this.#twins].filter(fits);
    return found.length === 1 ? found[0] : undefined;
  }

  /** Cancels all. */
  cancelAll(reason: string): void {
    for (const flow of [...this.#flows.values(), ...this.#twins]) flow.cancel(reason);
  }
}
