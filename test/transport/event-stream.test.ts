// Events out of a stream, however it is cut, whatever ends its lines, and however long they are.
import { describe, expect, it } from "vitest";
import { EventSplitter, readEvents, type StreamEvent } from "../../runtime/transport/event-stream.js";
import { waitBefore } from "../../runtime/waiting.js";

interface Read {
  readonly events: StreamEvent[];
  readonly dropped: unknown[];
  readonly retries: number[];
}

function split(text: string, size: number, limit: number = 1 << 20): Read {
  const seen: Read = { events: [], dropped: [], retries: [] };
  const splitter = new EventSplitter(
    {
      onEvent: (event) => seen.events.push(event),
      onDropped: (_length, clipped) => seen.dropped.push(clipped),
      onRetry: (ms) => seen.retries.push(ms),
    },
    limit,
  );
  for (let at = 0; at < text.length; at += size) splitter.push(text.slice(at, at + size));
  splitter.end();
  return seen;
}

describe("events", () => {
  it.each(["\n", "\r\n", "\r"])("are the same however the stream is cut, with lines that end in %j", (end) => {
    const text = [": hi", "", "id: 1", "retry: 5", "data:", "", "event: message", "data: a", "data: b", "", "data: c", "", ""].join(end);
    for (const size of [1, 2, 3, 5, 1000]) {
      expect(split(`${text}:${end}`, size)).toEqual({
        events: [
          { name: "message", data: "", id: "1" },
          { name: "message", data: "a\nb", id: undefined },
          { name: "message", data: "c", id: undefined },
        ],
        dropped: [],
        retries: [5],
      });
    }
  });

  it.each(["\n\n", "\r\n\r\n", "\r\r", "\r\n\r"])("come as soon as the line that ends them does: %j", (end) => {
    for (const size of [1, 2, 1000]) expect(split(`data: a${end}`, size).events).toEqual([{ name: "message", data: "a", id: undefined }]);
    expect(split(`data: a\rdata: b${end}`, 1).events).toEqual([{ name: "message", data: "a\nb", id: undefined }]);
  });

  it("that are cut off are none", () => {
    expect(split("data: a\n\ndata: b\n", 4).events).toHaveLength(1);
  });

  it("keep characters that are cut in two", async () => {
    const bytes = Buffer.from('data: {"n":"读 🎉"}\n\n');
    const events: StreamEvent[] = [];
    const body = (async function* () {
      for (const byte of bytes) yield Buffer.from([byte]);
    })();
    await readEvents(body, { onEvent: (event) => events.push(event), onDropped: () => {}, onRetry: () => {} }, 1000);
    expect(events[0]?.data).toBe('{"n":"读 🎉"}');
  });

  it.each(["\n", "\r\n", "\r"])("that are too long are let go of, and the next one comes: %j", (end) => {
    const long = `id: 4${end}event: message${end}data: {"jsonrpc":"2.0","id":7,"result":{"text":"${"A".repeat(50_000)}"}}${end}${end}`;
    const next = `data: ok${end}${end}`;
    for (const size of [100, 999, 1000, 4096]) {
      const { events, dropped } = split(`${next}${long}${next}${long}${next}:${end}`, size, 10_000);
      expect(events.map(({ data }) => data)).toEqual(["ok", "ok", "ok"]);
      expect(dropped).toEqual([
        { kind: "response", id: 7 },
        { kind: "response", id: 7 },
      ]);
    }
    expect(split(long, 1000, 100_000).dropped).toEqual([]);
  });
});

describe("waitBefore", () => {
  const bounds = { minMs: 100, maxMs: 1000 };
  it.each([
    [1, undefined, 0, 100],
    [3, undefined, 0, 400],
    [60, undefined, 0, 1000],
    [60, undefined, 1, 1250],
    [1, 3000, 0, 3000],
    [1, 0, 0, 20],
    [3, 0, 0, 400],
    [3, 3000, 0.5, 3375],
    [1, 1e12, 0, 300_000],
  ])("failure %i, asked for %s, chance %d: %d", (failures, asked, random, ms) => {
    expect(waitBefore(failures, asked, bounds, random)).toBe(ms);
  });
});
