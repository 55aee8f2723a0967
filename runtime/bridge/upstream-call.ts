// One request on its way to a server and back: an id of its own, a bound on the wait that starts anew with every sign of progress, and an end when
// the client does not want it any longer.

import type { Wire } from "../protocol.js";
import { Stopper, type StopSignal } from "../stop.js";
import { Refusal } from "./errors.js";
import type { Peer, SendOptions } from "./peer.js";

/** What one call is given. */
export interface CallOptions extends Omit<SendOptions, "signal"> {
  /** Ends the call from the client's side. */
  readonly signal: StopSignal;
  /** Milliseconds to wait for the answer, from the start or the last sign of progress. */
  readonly timeout: number;
  /** Told when the call ends before its answer came: the client withdrew it, or its time is up. */
  readonly onEnd?: (why: "withdrawn" | "late") => void;
}

/** A call under way. */
export interface UpstreamCall {
  readonly answer: Promise<Wire>;
  /** Gives the call its whole time again. */
  rest(): void;
}

/** The longest time a call can be given, in milliseconds: that of a stream, which ends when either side ends it. */
export const FOREVER = 2_147_483_647;

/** Sends a request; the answer rejects with `Unreachable`, and with the fault `outcome-unknown` where its time is up. */
export function startCall(peer: Peer, request: Wire, options: CallOptions): UpstreamCall {
  return new StartedCall(peer, request, options);
}

class StartedCall implements UpstreamCall {
  readonly answer: Promise<Wire>;
  readonly #options: CallOptions;
  readonly #stopper = new Stopper();
  readonly #onWithdraw = (): void => this.#end("withdrawn");
  #isLate = false;
  #timer: NodeJS.Timeout;

  constructor(peer: Peer, request: Wire, options: CallOptions) {
    this.#options = options;
    const { signal } = options;
    this.#timer = this.#start();
    signal.addEventListener("abort", this.#onWithdraw, { once: true });
    if (signal.aborted) this.#onWithdraw();
    this.answer = this.#send(peer, request);
  }

  rest(): void {
    if (this.#stopper.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = this.#start();
  }

  async #send(peer: Peer, request: Wire): Promise<Wire> {
    const { signal, timeout, headers, onFrame, onStatus } = this.#options;
    try {
      return await peer.send(request, { signal: this.#stopper, headers, onFrame, onStatus });
    } catch (error) {
      throw this.#isLate ? late(request, timeout) : error;
    } finally {
      clearTimeout(this.#timer);
      signal.removeEventListener("abort", this.#onWithdraw);
    }
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#end("late"), this.#options.timeout);
  }

  #end(why: "withdrawn" | "late"): void {
    if (this.#stopper.aborted) return;
    this.#isLate = why === "late";
    this.#options.onEnd?.(why);
    this.#stopper.abort();
  }
}

function late({ method }: Wire, timeout: number): Refusal {
  const message = `cannot wait any longer for ${String(method)}: no answer within ${timeout} ms`;
  return Refusal.of({ kind: "outcome-unknown", message, sideEffects: "possible" });
}

/** Writes the cancellation of a request. https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation */
export function cancellationOf(requestId: unknown, reason: string | undefined): Wire {
  return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId, ...(reason === undefined ? {} : { reason }) } };
}

/**
 * Hands over what a peer sends unasked, in its order, until the conversation is over; the next frames are taken once those before are dealt with,
 * so that a client which does not read holds up its own server only.
 */
export async function pump(peer: Peer, take: (frame: Wire) => Promise<void> | void): Promise<void> {
  const state = { isOver: false };
  void peer.closed.then(() => (state.isOver = true));
  while (!state.isOver) {
    await peer.waitPending();
    await drain(peer, take);
  }
}

/** Hands over what is pending now. */
export async function drain(peer: Peer, take: (frame: Wire) => Promise<void> | void): Promise<void> {
  const waits = peer.takePending().map((frame) => take(frame));
  for (const wait of waits) if (wait !== undefined) await wait;
}
