// Progress tokens, minted anew on every connection, and the progress of one flow over all its requests: towards the client it only grows, whatever
// each request starts at. https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress

import { isWire } from "../capabilities.js";
import { withField, withoutField } from "../copy.js";
import type { RequestId } from "../envelope.js";
import type { Wire } from "../protocol.js";
import { isRequestId, metaOf } from "./answers.js";

/** Reads the token with which a request asks for progress; undefined where it does not ask. */
export function progressTokenOf(params: unknown): RequestId | undefined {
  const token = metaOf(params)?.["progressToken"];
  return isRequestId(token) ? token : undefined;
}

/** Follows the progress of one flow, under the token its client gave. */
export class ProgressLine {
  readonly #token: RequestId;
  #offset = 0;
  #last: number | undefined;
  #legs = 0;

  constructor(token: RequestId) {
    this.#token = token;
  }

  /** Follows what a request asks for; undefined where it does not ask. */
  static of(params: unknown): ProgressLine | undefined {
    const token = progressTokenOf(params);
    return token === undefined ? undefined : new ProgressLine(token);
  }

  /** Starts another request of the flow: what it reports is counted on from what was reported before. */
  startLeg(): void {
    this.#legs += 1;
    this.#offset = this.#last ?? 0;
  }

  /** Writes the params of a notification for the client; undefined for one that does not get any further than the last. */
  forward(params: Wire): Wire | undefined {
    const { progress, total } = params;
    if (typeof progress !== "number" || !Number.isFinite(progress)) return undefined;
    const rebased = this.#offset + progress;
    if (this.#last !== undefined && rebased <= this.#last) return undefined;
    this.#last = rebased;
    const counted = this.#offset === 0 ? params : withField(params, "progress", rebased);
    // A total of one request says nothing of the whole flow, and null is no number.
    const isTotal = typeof total === "number" && this.#legs <= 1;
    const totalled = isTotal || total === undefined ? counted : withoutField(counted, "total");
    return totalled["progressToken"] === this.#token ? totalled : withField(totalled, "progressToken", this.#token);
  }
}

/** A request under way, as its progress finds it. */
export interface Progressing {
  readonly line: ProgressLine | undefined;
  /** Gives the request its whole time again. */
  rest?: () => void;
}

/** What becomes of a sign of progress: it goes on, or nowhere. */
export type Progressed<F> = { readonly owner: F; readonly frame: Wire } | { readonly because: string };

/**
 * Takes a notification of progress: gives its request the whole time again, and the notification for the client. `expected` is the request on whose
 * stream it came, where it came on one.
 */
export function followProgress<F extends Progressing>(tokens: ProgressTokens<F>, frame: Wire, expected?: F): Progressed<F> {
  const params = isWire(frame["params"]) ? frame["params"] : {};
  const owner = tokens.find(params["progressToken"]);
  if (owner === undefined || (expected !== undefined && owner !== expected)) return { because: "nobody asked for it" };
  owner.rest?.();
  const forward = owner.line?.forward(params);
  return forward === undefined ? { because: "it gets no further than the last" } : { owner, frame: { ...frame, params: forward } };
}

/** Gives out the tokens of one connection, and finds what they were given out for. */
export class ProgressTokens<F> {
  readonly #open = new Map<string, F>();
  #last = 0;

  /** Gives a token that this connection has not seen. */
  mint(flow: F): string {
    this.#last += 1;
    const token = `polyrev-${this.#last}`;
    this.#open.set(token, flow);
    return token;
  }

  /** Finds what a token was given out for; undefined for one that was invented, or whose request is over. */
  find(token: unknown): F | undefined {
    return typeof token === "string" ? this.#open.get(token) : undefined;
  }

  /** Ends a token, with the request it was given out for. */
  end(token: string): void {
    this.#open.delete(token);
  }

  /** Counts the tokens in use. */
  get size(): number {
    return this.#open.size;
  }
}
