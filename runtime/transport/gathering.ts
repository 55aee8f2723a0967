// Writes lines to a stream, those of one turn of the event loop together: a write costs more than everything else that is done for a small message.

import type { Writable } from "node:stream";

/** The way of lines to a stream. */
export class Gathering {
  readonly #stream: Writable;
  readonly #onWritten: (isFull: boolean) => void;
  readonly #flush = (): void => this.flush();
  #text = "";
  #whenLost: (() => void)[] = [];
  #isDue = false;

  /** Takes the stream, and what is told after each write whether it is to be the last for now. */
  constructor(stream: Writable, onWritten: (isFull: boolean) => void) {
    this.#stream = stream;
    this.#onWritten = onWritten;
  }

  /** Adds a line, its end included; `onLost` is told that the stream broke with the line in it. */
  add(line: string, onLost?: () => void): void {
    this.#text = this.#text === "" ? line : this.#text + line;
    if (onLost !== undefined) this.#whenLost.push(onLost);
    // What the stream would hold back is not to be held here.
    if (this.#text.length >= this.#stream.writableHighWaterMark) this.flush();
    else if (!this.#isDue) {
      this.#isDue = true;
      // After whatever else the same input has brought about.
      process.nextTick(this.#flush);
    }
  }

  /** Writes what was gathered. */
  flush(): void {
    this.#isDue = false;
    if (this.#text === "") return;
    const [text, whenLost] = [this.#text, this.#whenLost];
    this.#text = "";
    if (whenLost.length === 0) {
      this.#onWritten(!this.#stream.write(text));
      return;
    }
    this.#whenLost = [];
    const isFull = !this.#stream.write(text, (error) => {
      if (error !== null && error !== undefined) for (const onLost of whenLost) onLost();
    });
    this.#onWritten(isFull);
  }
}
