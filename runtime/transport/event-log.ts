// What was written to one stream of events, kept for a client that comes back for it. Takes the data of events in order, gives each an id that
// names the stream and the place in it, and lists what came after an id. Bounded; pure.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery

/** Bounds what is kept of one stream. */
export interface EventLogLimits {
  readonly events: number;
  readonly characters: number;
}

/** An event as it was written. */
export interface LoggedEvent {
  readonly id: string;
  readonly data: string;
}

/** A place in a stream: after its event number `sequence`; 0 is its start. */
export interface EventPlace {
  readonly stream: string;
  readonly sequence: number;
}

interface Entry {
  readonly sequence: number;
  readonly data: string;
  readonly isNeeded: boolean;
}

const EVENT_ID = /^([0-9a-z]+)-(0|[1-9]\d{0,14})$/;

/** Writes the id of a place. */
export function printEventId({ stream, sequence }: EventPlace): string {
  return `${stream}-${sequence}`;
}

/** Reads the id of a place; undefined for what `printEventId` does not write. */
export function readEventId(text: string): EventPlace | undefined {
  const [, stream, sequence] = EVENT_ID.exec(text) ?? [];
  return stream === undefined ? undefined : { stream, sequence: Number(sequence) };
}

/** Keeps the newest events of a stream. What somebody waits for (a request, a response) outlives what is only news; the newest event always stays. */
export class EventLog {
  readonly stream: string;
  readonly #limits: EventLogLimits;
  #entries: Entry[] = [];
  #characters = 0;
  #last = 0;

  constructor(stream: string, limits: EventLogLimits) {
    this.stream = stream;
    this.#limits = limits;
  }

  /** Gives the id of the place where the stream now is. */
  get place(): string {
    return printEventId({ stream: this.stream, sequence: this.#last });
  }

  /** Keeps an event and gives its id. */
  append(data: string, isNeeded: boolean): string {
    this.#last += 1;
    this.#entries.push({ sequence: this.#last, data, isNeeded });
    this.#characters += data.length;
    while (this.#entries.length > 1 && (this.#entries.length > this.#limits.events || this.#characters > this.#limits.characters)) {
      this.#drop();
    }
    return this.place;
  }

  /** Lists what is kept of the events after a place, oldest first. */
  after(sequence: number): readonly LoggedEvent[] {
    return this.#entries
      .filter((entry) => entry.sequence > sequence)
      .map((entry) => ({ id: printEventId({ stream: this.stream, sequence: entry.sequence }), data: entry.data }));
  }

  #drop(): void {
    const news = this.#entries.findIndex((entry, index) => !entry.isNeeded && index < this.#entries.length - 1);
    const [dropped] = this.#entries.splice(Math.max(news, 0), 1);
    this.#characters -= dropped?.data.length ?? 0;
  }
}
