// Cuts a stream of bytes into the lines of newline-delimited JSON. Takes chunks as they come, gives whole lines as text; a line beyond the limit
// is counted and let go of, and the next one is read as ever.

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** What a line that is no UTF-8 is given as: no JSON, so whoever reads it refuses it. */
const UNREADABLE = "\ufffd";

/** Says how long a line may be, in bytes, and who takes the lines. */
export interface LineOptions {
  readonly limit: number;
  /** Takes a line without its end; never a blank one. */
  onLine(text: string): void;
  /** Told, once it is over, how long a line was that was let go of. */
  onOversize(bytes: number): void;
}

/** Reads lines; holds at most one of them, and no more of it than the limit. */
export class LineReader {
  readonly #options: LineOptions;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  /** Takes the next bytes, however they were cut. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#take(chunk.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    this.#take(chunk.subarray(start));
  }

  /** Says that no more bytes come; what stands without an end is a line too. */
  end(): void {
    this.#finish();
  }

  #take(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#options.limit) this.#parts = [];
    else if (part.length > 0) this.#parts.push(part);
  }

  #finish(): void {
    const [bytes, parts] = [this.#bytes, this.#parts];
    this.#bytes = 0;
    this.#parts = [];
    if (bytes > this.#options.limit) {
      this.#options.onOversize(bytes);
      return;
    }
    const text = this.#decode(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
    if (text.trim() !== "") this.#options.onLine(text);
  }

  #decode(line: Buffer): string {
    try {
      return this.#decoder.decode(line.at(-1) === RETURN ? line.subarray(0, -1) : line);
    } catch {
      return UNREADABLE;
    }
  }
}
