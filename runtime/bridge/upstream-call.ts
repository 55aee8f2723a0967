// One request on its way to a server and back: an id of its own, a bound on the wait that starts anew with every sign of progress, and an end when
// the client does not want it any longer.

import type { Wire } from "../protocol.js";
import { Refusal } from "./errors.js";
import type { Peer, SendOptions } from "./peer.js";

/** What one call is given. */
export interface CallOptions extends Omit<SendOptions, "signal"> {
  /** Ends the call from the client's side. */
  readonly signal: AbortSignal;
  /** Milliseconds to wait for the answer, from the start or the last sign of progress. */
  readonly timeout: number;
  /** Told when the call ends before its answer came: the client withdrew it, or its time is up. */
  readonly onEnd?: (why: "withdrawn" | "late") => void;
}

/** A call under way. */
export interface UpstreamCall {
  readonly answer: Promise<Wire>;
  /** Gives the call its whole time again. */
  readonly rest: () => void;
}

/** Sends a request; the answer rejects with `Unreachable`, and with the fault `outcome-unknown` where its time is up. */
export function startCall(peer: Peer, request: Wire, options: CallOptions): UpstreamCall {
  const { signal, timeout, onEnd, ...rest } = options;
  const controller = new AbortController();
  let isLate = false;
  const end = (why: "withdrawn" | "late"): void => {
    if (controller.signal.aborted) return;
    isLate = why === "late";
    onEnd?.(why);
    controller.abort();
  };
  const withdraw = (): void => end("withdrawn");
  const start = (): NodeJS.Timeout => setTimeout(() => end("late"), timeout);
  let timer = start();
  signal.addEventListener("abort", withdraw, { once: true });
  if (signal.aborted) withdraw();
  const answer = peer
    .send(request, { ...rest, signal: controller.signal })
    .catch((error: unknown) => {
      if (isLate) throw late(request, timeout);
      throw error;
    })
    .finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", withdraw);
    });
  return {
    answer,
    rest: () => {
      if (controller.signal.aborted) return;
      clearTimeout(timer);
      timer = start();
    },
  };
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
  for (const wait of peer.takePending().map((frame) => take(frame))) await wait;
}
