// Reads a stream of server-sent events within a bound for each event: one that is longer is let go of, and the stream goes on behind it.
// https://html.spec.whatwg.org/multipage/server-sent-events.html

import { createParser } from "eventsource-parser";
import { readClipped, type Clipped } from "./clipped.js";

/** One event; without a name it is a `message`. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string | undefined;
}

/** What takes the events of a stream. */
export interface EventSink {
  readonly onEvent: (event: StreamEvent) => void;
  /** Takes the wait before the next connection that the server asks for, in milliseconds. */
  readonly onRetry: (ms: number) => void;
  /** Takes what can be known of an event that was longer than the limit, in characters. */
  readonly onDropped: (length: number, clipped: Clipped) => void;
}

/** How much is kept of each end of an event that is let go of. */
const END = 4096;
const SEAM = 3;
/** What ends an event: a blank line, whatever ends its lines. */
const BLANK_LINE = /\r\n\r\n|\r\n\n|\n\r\n|\n\n|\r\r/g;

/** Cuts text, in pieces of any size, into events. */
export class EventSplitter {
  readonly #sink: EventSink;
  readonly #limit: number;
  readonly #parser;
  #isOver = false;
  /** True where the last piece ended with a CR, which was read as the whole end of a line. */
  #endedCr = false;
  /** The first characters of the event that is being read. */
  #head = "";
  /** The last characters that were read: what ends an event may be cut in two. */
  #seam = "";
  /** Set while the rest of an event is thrown away. */
  #lost: { length: number; tail: string } | undefined;

  constructor(sink: EventSink, limit: number) {
    this.#sink = sink;
    this.#limit = limit;
    this.#parser = createParser({
      onEvent: ({ event, data, id }) => sink.onEvent({ name: event ?? "message", data, id }),
      onRetry: sink.onRetry,
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#isOver = true;
      },
      maxBufferSize: limit,
    });
  }

  /** Takes the next piece of the stream. */
  push(text: string): void {
    if (text === "") return;
    // A line ends with its CR, whether or not an LF is still to come: what waited for that would wait for the next event.
    const rest = this.#endedCr && text.startsWith("\n") ? text.slice(1) : text;
    this.#endedCr = text.endsWith("\r");
    this.#read(this.#endedCr ? `${rest}\n` : rest);
  }

  #read(text: string): void {
    if (this.#lost !== undefined) {
      this.#skip(text);
      return;
    }
    this.#parser.feed(text);
    const start = lastBlankLine(this.#seam, text);
    this.#head = start === undefined ? (this.#head + text.slice(0, END)).slice(0, END) : text.slice(start, start + END);
    this.#seam = (this.#seam + text.slice(-SEAM)).slice(-SEAM);
    if (!this.#isOver) return;
    this.#isOver = false;
    this.#parser.reset();
    this.#lost = { length: this.#limit, tail: text.slice(-END) };
  }

  /** Takes the end of the stream; an event it cuts off is none. */
  end(): void {
    if (this.#lost !== undefined) this.#drop(this.#lost);
  }

  #skip(text: string): void {
    const lost = this.#lost;
    if (lost === undefined) return;
    // The line ends may be cut apart: look at the last characters again, too.
    const seam = lost.tail.slice(-SEAM);
    const joined = seam + text;
    BLANK_LINE.lastIndex = 0;
    const end = BLANK_LINE.exec(joined);
    const isEnd = end !== null && end.index + end[0].length > seam.length;
    const used = isEnd ? end.index + end[0].length - seam.length : text.length;
    lost.length += used;
    lost.tail = (lost.tail + text.slice(0, used)).slice(-END);
    if (!isEnd) return;
    this.#lost = undefined;
    this.#drop(lost);
    [this.#head, this.#seam] = ["", ""];
    if (used < text.length) this.#read(text.slice(used));
  }

  #drop({ length, tail }: { readonly length: number; readonly tail: string }): void {
    const start = /(?:^|[\r\n])data: ?/.exec(this.#head);
    const head = start === null ? "" : this.#head.slice(start.index + start[0].length);
    this.#sink.onDropped(length, readClipped(head, tail));
  }
}

/** Gives the place in the text behind the last blank line that ends in it. */
function lastBlankLine(seam: string, text: string): number | undefined {
  const joined = seam + text;
  const at = Math.max(joined.lastIndexOf("\n\n"), joined.lastIndexOf("\n\r\n"), joined.lastIndexOf("\r\r"));
  const end = at + (joined.startsWith("\n\r\n", at) ? 3 : 2) - seam.length;
  return at === -1 || end <= 0 ? undefined : end;
}

/** Reads a body to its end, event by event; rejects where the body does. */
export async function readEvents(body: AsyncIterable<Uint8Array>, sink: EventSink, limit: number): Promise<void> {
  const splitter = new EventSplitter(sink, limit);
  const decoder = new TextDecoder();
  for await (const chunk of body) splitter.push(decoder.decode(chunk, { stream: true }));
  splitter.push(decoder.decode());
  splitter.end();
}
