// The ring buffer of a stream and the ids of its events.
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { EventLog, printEventId, readEventId } from "../../runtime/transport/event-log.js";

const ROOMY = { events: 1000, characters: 1_000_000 };

describe("an event id", () => {
  it("names the stream and the place in it", () => {
    expect(printEventId({ stream: "2s", sequence: 14 })).toBe("2s-14");
    expect(readEventId("2s-14")).toEqual({ stream: "2s", sequence: 14 });
  });

  it.each(["", "-", "a", "a-", "-1", "a-01", "a-1.5", "A-1", "a-1 ", "a-1\n", "a--1", "a-9999999999999999999", "../a-1"])(
    "%j is none",
    (text) => {
      expect(readEventId(text)).toBeUndefined();
    },
  );
});

describe("a log", () => {
  it("lists what came after a place, and nothing at the end", () => {
    const log = new EventLog("a", ROOMY);
    expect(log.place).toBe("a-0");
    expect([log.append("x", false), log.append("y", false), log.append("z", true)]).toEqual(["a-1", "a-2", "a-3"]);
    expect(log.after(1)).toEqual([
      { id: "a-2", data: "y" },
      { id: "a-3", data: "z" },
    ]);
    expect(log.after(0)).toHaveLength(3);
    expect(log.after(3)).toEqual([]);
    expect(log.after(99)).toEqual([]);
  });

  it("drops the oldest news first and keeps what somebody waits for", () => {
    const log = new EventLog("a", { events: 2, characters: 1000 });
    log.append("question", true);
    log.append("news 1", false);
    log.append("news 2", false);
    log.append("answer", true);
    expect(log.after(0).map(({ data }) => data)).toEqual(["question", "answer"]);
    log.append("second answer", true);
    expect(log.after(0).map(({ data }) => data)).toEqual(["answer", "second answer"]);
  });

  it("keeps the newest event however long it is", () => {
    const log = new EventLog("a", { events: 5, characters: 10 });
    log.append("short", true);
    log.append("x".repeat(100), false);
    expect(log.after(0).map(({ data }) => data.length)).toEqual([100]);
  });

  test("stays within its bounds, in order, and always ends with the newest", () => {
    const limits = { events: 8, characters: 40 };
    fc.assert(
      fc.property(fc.array(fc.record({ length: fc.integer({ min: 0, max: 30 }), isNeeded: fc.boolean() }), { minLength: 1 }), (events) => {
        const log = new EventLog("s", limits);
        let last = "";
        for (const { length, isNeeded } of events) last = log.append("x".repeat(length), isNeeded);
        const kept = log.after(0);
        const sequences = kept.map(({ id }) => readEventId(id)?.sequence ?? 0);
        expect(kept.at(-1)?.id).toBe(last);
        expect(kept.length).toBeLessThanOrEqual(limits.events);
        if (kept.length > 1) expect(kept.reduce((sum, { data }) => sum + data.length, 0)).toBeLessThanOrEqual(limits.characters);
        expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
      }),
    );
  });
});
