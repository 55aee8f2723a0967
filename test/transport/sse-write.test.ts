// Server-sent events as text: what a reader makes of them is what was written.
import { createParser, type EventSourceMessage } from "eventsource-parser";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { KEEP_ALIVE, printEvent } from "../../runtime/transport/sse-write.js";

function read(text: string): { events: EventSourceMessage[]; retries: number[] } {
  const events: EventSourceMessage[] = [];
  const retries: number[] = [];
  createParser({ onEvent: (event) => void events.push(event), onRetry: (retry) => void retries.push(retry) }).feed(text);
  return { events, retries };
}

describe("printEvent", () => {
  it("writes the fields in order, with line feeds only", () => {
    expect(printEvent({ event: "message", id: "a-1", data: "{}" })).toBe("event: message\nid: a-1\ndata: {}\n\n");
  });

  it("sse-priming-empty: writes an event with an id, a time and nothing else", () => {
    const text = printEvent({ id: "a-0", retry: 1000.9, data: "" });
    expect(text).toBe("id: a-0\nretry: 1000\ndata: \n\n");
    expect(read(text).retries).toEqual([1000]);
  });

  it.each(["a\nb", "a\rb", "a\0b", "a\n\nevent: forged"])("refuses %j in a name or id", (value) => {
    expect(() => printEvent({ event: value, data: "" })).toThrow(RangeError);
    expect(() => printEvent({ id: value, data: "" })).toThrow("cannot write the id of an event");
  });

  test("sse-crlf: data comes back as one event, whatever line ends it has", () => {
    const data = fc.array(fc.constantFrom("\r", "\n", "\r\n", "a", " ", ":", "data: x", "\u2028", "é"), { maxLength: 12 });
    fc.assert(
      fc.property(data, (parts) => {
        const text = parts.join("");
        const { events } = read(printEvent({ event: "message", data: text }));
        expect(events.map((event) => event.data)).toEqual([text.replaceAll(/\r\n|\r|\n/g, "\n")]);
      }),
    );
  });
});

test("a keep-alive is no event", () => {
  expect(read(`${KEEP_ALIVE}${printEvent({ data: "x" })}${KEEP_ALIVE}`).events).toHaveLength(1);
});
