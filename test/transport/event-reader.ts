// Reads a stream of server-sent events, one after the other, as a client does.
import { createParser, type EventSourceMessage } from "eventsource-parser";
import type { Wire } from "../../runtime/protocol.js";

/** Reads the events of a response; `raw` is all text that came so far. */
export class EventReader {
  raw = "";
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #events: EventSourceMessage[] = [];
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: (event) => void this.#events.push(event) });

  constructor(response: Response) {
    if (response.body === null) throw new TypeError("there is no body");
    this.#reader = response.body.getReader();
  }

  /** Gives the next event; undefined at the end. */
  async next(): Promise<EventSourceMessage | undefined> {
    while (this.#events.length === 0) if (!(await this.#read())) return undefined;
    return this.#events.shift();
  }

  /** Gives the message of the next event that has one. */
  async message(): Promise<Wire | undefined> {
    for (let event = await this.next(); event !== undefined; event = await this.next()) {
      if (event.data.trim() !== "") return JSON.parse(event.data) as Wire;
    }
    return undefined;
  }

  /** Reads to the end, and gives the messages. */
  async rest(): Promise<Wire[]> {
    const messages: Wire[] = [];
    for (let message = await this.message(); message !== undefined; message = await this.message()) messages.push(message);
    return messages;
  }

  /** Reads one piece of text. */
  async text(): Promise<string> {
    const before = this.raw.length;
    await this.#read();
    return this.raw.slice(before);
  }

  /** Goes away, as a client does whose connection breaks. */
  leave(): Promise<void> {
    return this.#reader.cancel();
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read();
    if (done) return false;
    const text = this.#decoder.decode(value, { stream: true });
    this.raw += text;
    this.#parser.feed(text);
    return true;
  }
}
