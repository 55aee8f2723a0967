// What a transport sees and no message tells: lines that are no messages, answers nobody waits for, streams that come and go. Nothing here is fatal;
// whoever runs the bridge may count it or write it down.

import type { RequestId } from "../envelope.js";

/** Says what happened beside the messages; text of a peer's is cut short, and may be written to a log. */
export type TransportEvent =
  /** What came is JSON of no message, or no JSON at all: a banner, a log line, an end mark. */
  | { readonly event: "noise"; readonly text: string }
  /** A message was longer or nested deeper than allowed, or no UTF-8, and was let go of; `id` is what it answered, where that could be seen. */
  | {
      readonly event: "dropped";
      readonly because: "too-long" | "too-deep" | "not-utf8";
      readonly bytes: number;
      readonly id: RequestId | undefined;
    }
  /** A response belongs to no request in flight. */
  | {
      readonly event: "unmatched";
      readonly because: "unknown" | "finished" | "ambiguous" | "no-id";
      readonly id: unknown;
      readonly error: unknown;
    }
  /** A response was taken although its id is written otherwise than the request's, or although it came by the way of another request. */
  | {
      readonly event: "matched";
      readonly because: "id-form" | "null-id" | "other-stream";
      readonly id: unknown;
      readonly request: RequestId;
    }
  /** Too many frames wait to be taken; this one was let go of. */
  | { readonly event: "overflow"; readonly method: string }
  /** The stream for what nobody asked for, or the rest of a broken one: opened, lost, refused. */
  | {
      readonly event: "stream";
      readonly state: "opened" | "unconfirmed" | "lost" | "refused" | "resumed";
      readonly reason: string | undefined;
    };

/** Takes events; must not throw. */
export type Observe = (event: TransportEvent) => void;

/** How much of a peer's text an event or an error shows, in characters. */
const SHOWN = 200;

/** Cuts text of a peer's to what an event or an error shows; control characters become spaces. */
export function shown(text: string, limit: number = SHOWN): string {
  // Cut before looking at it: the text may be very long.
  const short = text.slice(0, limit + 1).replaceAll(/\p{Cc}/gu, " ");
  return short.length > limit ? `${short.slice(0, limit)}…` : short;
}
