// Reads what a client takes as an answer. Takes an Accept header, gives which of the two media types of the protocol it admits; the order of the
// list says nothing, wildcards count, and no header admits everything. Pure. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1

/** Says which kinds of answer a client takes. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

/** Reads an Accept header. */
export function readAccept(header: string | null): Accepted {
  if (header === null || header.trim() === "") return { json: true, events: true };
  const ranges = header.split(",").map(readRange);
  return { json: admits(ranges, "application", "json"), events: admits(ranges, "text", "event-stream") };
}

interface MediaRange {
  readonly range: string;
  readonly isWanted: boolean;
}

function readRange(text: string): MediaRange {
  const [range = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return { range, isWanted: weight === undefined || Number(weight.slice(2)) !== 0 };
}

/** The most exact range that names a type decides about it. */
function admits(ranges: readonly MediaRange[], type: string, subtype: string): boolean {
  for (const name of [`${type}/${subtype}`, `${type}/*`, "*/*"]) {
    const named = ranges.filter(({ range }) => range === name);
    if (named.length > 0) return named.some(({ isWanted }) => isWanted);
  }
  return false;
}
