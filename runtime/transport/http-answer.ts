// What goes back over HTTP, as plain data: a server that writes to a socket itself needs no `Response` for it, and everybody else gets one.

import { stringifyMessage } from "./json.js";

/** An HTTP response before it is one. Header names are in lower case. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/** The headers of every stream of events. */
const EVENT_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Answers with JSON; numbers of a message stay as they were written. */
export function jsonAnswer(value: unknown, status: number, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: stringifyMessage(value) };
}

/** Answers with nothing but a status. */
export function emptyAnswer(status: number, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers, body: null };
}

/** Answers with a stream of events. */
export function eventsAnswer(body: ReadableStream<Uint8Array>, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status: 200, headers: { ...EVENT_HEADERS, ...headers }, body };
}

/** Makes the response. */
export function toResponse({ status, headers, body }: HttpAnswer): Response {
  return new Response(body, { status, headers });
}
