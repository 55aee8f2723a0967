// What a bridge tells its operator while it works: one kind of event an idea, all of them plain data that holds no payload and no secret.

import type { Direction, Era } from "../protocol.js";
import type { ReportStep, TranslationReport } from "../report.js";

/** Names one of the two hops. */
export type HopName = "downstream" | "upstream";

/** What happened. `session` numbers the conversations of one process from 1. */
export type BridgeEvent =
  | {
      readonly event: "opened";
      readonly session: number;
      readonly downstream: { readonly era: Era; readonly revision: string; readonly transport: string; readonly peer?: string | undefined };
      readonly upstream: { readonly era: Era; readonly revision: string; readonly transport: string; readonly peer?: string | undefined };
    }
  | { readonly event: "closed"; readonly session: number; readonly reason: string; readonly summary: Summary }
  /** Something was lost or put right in a message. */
  | {
      readonly event: "translated";
      readonly session: number;
      readonly method: string;
      readonly direction: Direction;
      readonly part: "params" | "result" | "error";
      readonly from: string;
      readonly to: string;
      readonly step: ReportStep;
    }
  /** A message was answered by the bridge itself with an error. */
  | {
      readonly event: "refused";
      readonly session: number;
      readonly method: string;
      readonly code: number;
      readonly because: string;
      readonly feature?: string | undefined;
    }
  /** A message went no further, and nobody was told on the wire. */
  | {
      readonly event: "dropped";
      readonly session: number;
      readonly hop: HopName;
      readonly method?: string | undefined;
      readonly because: string;
    }
  /** The bridge said something no peer did. */
  | { readonly event: "made-up"; readonly session: number; readonly method: string; readonly because: string }
  /** A conversation with the server had to be begun again, or its era be found out again. */
  | { readonly event: "reconnected"; readonly session: number; readonly because: string };

/** What one conversation came to. */
export interface Summary {
  readonly requests: number;
  readonly notifications: number;
  readonly refused: number;
  readonly dropped: number;
  readonly lossy: number;
  readonly milliseconds: number;
}

/** Takes events; must not throw. */
export type Observe = (event: BridgeEvent) => void;

/** An event as a conversation raises it; the number is added on the way out. */
export type OwnEvent = BridgeEvent extends infer E ? (E extends { readonly session: number } ? Omit<E, "session"> : never) : never;

/** Names the revisions of both hops. */
interface Hops {
  readonly downstream: { readonly version: string };
  readonly upstream: { readonly version: string };
}

/** Says which part of which message was translated, and which way it went. */
export interface Translated {
  readonly method: string;
  readonly direction: Direction;
  readonly part: "params" | "result" | "error";
}

/** Tells whether a step lost something or put something right; what each hop writes for itself is neither. */
export function isTold({ loss, action }: ReportStep): boolean {
  return loss !== "none" || action === "repair";
}

/** Counts what one conversation does, and passes its events on with its number. */
export class Account {
  readonly session: number;
  readonly #observe: Observe;
  readonly #now: () => number;
  readonly #since: number;
  #requests = 0;
  #notifications = 0;
  #refused = 0;
  #dropped = 0;
  #lossy = 0;

  constructor(session: number, observe: Observe, now: () => number) {
    this.session = session;
    this.#observe = observe;
    this.#now = now;
    this.#since = now();
  }

  /** Counts a message of the client's. */
  took(kind: "request" | "notification"): void {
    if (kind === "request") this.#requests += 1;
    else this.#notifications += 1;
  }

  /** Passes an event on. */
  tell(event: OwnEvent): void {
    if (event.event === "refused") this.#refused += 1;
    if (event.event === "dropped") this.#dropped += 1;
    if (event.event === "translated" && event.step.loss !== "none") this.#lossy += 1;
    this.#observe({ ...event, session: this.session });
  }

  /** Passes on what a message lost on its way between two hops, or what was put right in it. */
  translated({ downstream, upstream }: Hops, { method, direction, part }: Translated, { steps }: TranslationReport): void {
    if (steps.length === 0) return;
    const [from, to] = direction === "clientToServer" ? [downstream.version, upstream.version] : [upstream.version, downstream.version];
    for (const step of steps) if (isTold(step)) this.tell({ event: "translated", method, direction, part, from, to, step });
  }

  /** Gives what it came to so far. */
  get summary(): Summary {
    return {
      requests: this.#requests,
      notifications: this.#notifications,
      refused: this.#refused,
      dropped: this.#dropped,
      lossy: this.#lossy,
      milliseconds: Math.round(this.#now() - this.#since),
    };
  }
}
