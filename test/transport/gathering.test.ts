// What is written together, and what is not.
import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { Gathering } from "../../runtime/transport/gathering.js";

function sink(highWaterMark = 64): { readonly stream: Writable; readonly writes: string[] } {
  const writes: string[] = [];
  const stream = new Writable({
    highWaterMark,
    write: (chunk: Buffer, _, done) => {
      writes.push(String(chunk));
      setImmediate(done);
    },
  });
  return { stream, writes };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("Gathering", () => {
  it("writes the lines of one turn at once, in their order", async () => {
    const { stream, writes } = sink();
    const gathering = new Gathering(stream, () => {});
    gathering.add("a\n");
    await Promise.resolve();
    gathering.add("b\n");
    await turn();
    gathering.add("c\n");
    await turn();
    expect(writes).toEqual(["a\nb\n", "c\n"]);
  });

  it("holds no more than the stream would take, and says when that is full", async () => {
    const { stream, writes } = sink(8);
    const told: boolean[] = [];
    const gathering = new Gathering(stream, (isFull) => told.push(isFull));
    gathering.add("1234567\n");
    expect(writes).toEqual(["1234567\n"]);
    expect(told).toEqual([true]);
    gathering.add("x\n");
    gathering.flush();
    expect(told).toEqual([true, true]);
  });

  it("tells of every line the stream broke with", async () => {
    const stream = new Writable({ write: (_, __, done) => done(new Error("broken")) });
    stream.on("error", () => {});
    const lost: string[] = [];
    const gathering = new Gathering(stream, () => {});
    gathering.add("a\n", () => lost.push("a"));
    gathering.add("b\n");
    gathering.add("c\n", () => lost.push("c"));
    await turn();
    await turn();
    expect(lost).toEqual(["a", "c"]);
  });
});
