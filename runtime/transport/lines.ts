// Cuts a stream of bytes into lines and reads each as a message. Takes chunks of any size; gives messages, what is no message, and what was too long,
// and never holds more of a line than its limit. https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#stdio

import { isUtf8 } from "node:buffer";
import { readClipped, type Clipped } from "./clipped.js";
import { isTooDeep, parseMessage } from "./json.js";

/** The limit of a line in bytes where none is given. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** A line that was let go of, with the text at its two ends. */
export interface DroppedLine {
  readonly because: "too-long" | "too-deep" | "not-utf8";
  readonly bytes: number;
  readonly head: string;
  readonly tail: string;
}

/** What takes the lines of a stream. */
export interface LineSink {
  /** Takes a line without its end; blank ones never come. */
  readonly onLine: (line: string, bytes: number) => void;
  readonly onDropped: (line: DroppedLine) => void;
}

const LF = 0x0a;
const CR = 0x0d;
/** How much is kept of each end of a line that is let go of. */
const END_BYTES = 4096;
/** What the buffer for unfinished lines starts with, and is cut back to after a longer one. */
const SMALL = 64 * 1024;

/** Cuts bytes into lines, ended by LF or CRLF; the last one may do without. */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #limit: number;
  #buffer = Buffer.allocUnsafe(0);
  #used = 0;
  /** Set while the rest of a line is thrown away. */
  #lost: { bytes: number; readonly head: Buffer; tail: Buffer } | undefined;
  #isFirst = true;

  constructor(sink: LineSink, limit: number = MAX_LINE_BYTES) {
    this.#sink = sink;
    this.#limit = limit;
  }

  /** Takes the next bytes. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      this.#endLine(bytes.subarray(start, end));
      start = end + 1;
    }
    if (start < bytes.length) this.#keep(bytes.subarray(start));
  }

  /** Takes the end of the stream, which ends the last line. */
  end(): void {
    if (this.#used > 0 || this.#lost !== undefined) this.#endLine(Buffer.alloc(0));
  }

  #keep(piece: Buffer): void {
    if (this.#lost !== undefined) {
      this.#lost.bytes += piece.length;
      this.#lost.tail = lastOf(this.#lost.tail, piece);
      return;
    }
    const needed = this.#used + piece.length;
    if (needed > this.#limit) {
      const held = this.#buffer.subarray(0, this.#used);
      const head = Buffer.concat([held.subarray(0, END_BYTES), piece.subarray(0, END_BYTES)]).subarray(0, END_BYTES);
      // Copied: what they are cut from has to go.
      this.#lost = { bytes: needed, head: Buffer.from(head), tail: lastOf(Buffer.from(held.subarray(-END_BYTES)), piece) };
      this.#release();
      return;
    }
    if (needed > this.#buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(SMALL, needed, Math.min(this.#buffer.length * 2, this.#limit)));
      this.#buffer.copy(grown, 0, 0, this.#used);
      this.#buffer = grown;
    }
    piece.copy(this.#buffer, this.#used);
    this.#used = needed;
  }

  #endLine(last: Buffer): void {
    if (this.#lost === undefined && this.#used === 0 && last.length <= this.#limit) {
      this.#give(last);
      return;
    }
    this.#keep(last);
    const lost = this.#lost;
    if (lost === undefined) {
      this.#give(this.#buffer.subarray(0, this.#used));
    } else {
      this.#lost = undefined;
      this.#isFirst = false;
      this.#sink.onDropped({ because: "too-long", bytes: lost.bytes, head: lost.head.toString(), tail: lost.tail.toString() });
    }
    this.#release();
  }

  #give(line: Buffer): void {
    const end = line.at(-1) === CR ? line.length - 1 : line.length;
    const start = this.#isFirst && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
    this.#isFirst = false;
    const bytes = line.subarray(start, end);
    if (!isUtf8(bytes)) {
      const [head, tail] = [bytes.subarray(0, END_BYTES).toString(), bytes.subarray(-END_BYTES).toString()];
      this.#sink.onDropped({ because: "not-utf8", bytes: bytes.length, head, tail });
      return;
    }
    const text = bytes.toString();
    if (text.length > SMALL || text.trim() !== "") this.#sink.onLine(text, bytes.length);
  }

  #release(): void {
    this.#used = 0;
    if (this.#buffer.length > SMALL) this.#buffer = Buffer.allocUnsafe(0);
  }
}

function lastOf(before: Buffer, piece: Buffer): Buffer {
  if (piece.length >= END_BYTES) return Buffer.from(piece.subarray(-END_BYTES));
  return Buffer.concat([before, piece]).subarray(-END_BYTES);
}

/** What takes the messages of a stream. */
export interface MessageSink {
  /** Takes a message, or the array of a batch, with the bytes it took. */
  readonly onMessage: (message: unknown, bytes: number) => void;
  /** Takes a line that is no JSON, or JSON that can be no message. */
  readonly onNoise: (line: string) => void;
  /** Takes what can be known of a message that was let go of. */
  readonly onDropped: (line: DroppedLine, clipped: Clipped) => void;
}

/** Makes the splitter for a stream of newline-delimited messages. */
export function messageLines(sink: MessageSink, limit?: number): LineSplitter {
  const drop = (line: DroppedLine): void => sink.onDropped(line, readClipped(line.head, line.tail));
  return new LineSplitter(
    {
      onLine: (line, bytes) => {
        const message = readJson(line);
        if (typeof message === "object" && message !== null) sink.onMessage(message, bytes);
        else if (message === undefined && isTooDeep(line)) drop({ because: "too-deep", bytes, ...endsOf(line) });
        else sink.onNoise(line);
      },
      onDropped: drop,
    },
    limit,
  );
}

function endsOf(line: string): { readonly head: string; readonly tail: string } {
  return { head: line.slice(0, END_BYTES), tail: line.slice(-END_BYTES) };
}

/** Reads JSON text; undefined where it is none. */
export function readJson(text: string): unknown {
  try {
    return parseMessage(text);
  } catch {
    return undefined;
  }
}
