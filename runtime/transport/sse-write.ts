// Writes server-sent events as text. Takes the fields of one event, gives what goes on the wire; nothing a field holds can end it early or start
// another. Pure. https://html.spec.whatwg.org/multipage/server-sent-events.html

/** The fields of one event; `retry` is in milliseconds. */
export interface ServerEvent {
  readonly event?: string;
  readonly id?: string | undefined;
  readonly retry?: number | undefined;
  readonly data: string;
}

/** A comment, which no reader makes an event of: it only keeps the connection from looking dead. */
export const KEEP_ALIVE = ": keep-alive\n\n";

const LINE_END = /\r\n|\r|\n/;
const NOT_IN_A_FIELD = /[\r\n\0]/;

/** Writes one event; throws `RangeError` for a name or id that holds a line end or NUL. Line ends in the data become line feeds for its reader. */
export function printEvent({ event, id, retry, data }: ServerEvent): string {
  const fields = [field("event", event), field("id", id), retry === undefined ? "" : `retry: ${Math.trunc(retry)}\n`].join("");
  // JSON text has no raw line ends, so nearly all data is one line.
  const lines = LINE_END.test(data) ? data.split(LINE_END).join("\ndata: ") : data;
  return `${fields}data: ${lines}\n\n`;
}

function field(name: string, value: string | undefined): string {
  if (value === undefined) return "";
  if (NOT_IN_A_FIELD.test(value)) throw new RangeError(`cannot write the ${name} of an event: it holds a line end or NUL`);
  return `${name}: ${value}\n`;
}
