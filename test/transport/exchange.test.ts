// Which answer belongs to which request, where one channel carries them all; what waits to be taken; and what ends a conversation.
import { describe, expect, it } from "vitest";
import { Close, type Unreachable } from "../../runtime/bridge/peer.js";
import type { Wire } from "../../runtime/protocol.js";
import type { TransportEvent } from "../../runtime/transport/events.js";
import { Exchange, matchId } from "../../runtime/transport/exchange.js";
import { parseMessage } from "../../runtime/transport/json.js";
import { PendingFrames } from "../../runtime/transport/pending.js";

function open(): { readonly exchange: Exchange; readonly events: TransportEvent[] } {
  const events: TransportEvent[] = [];
  return { exchange: new Exchange("peer", (event) => events.push(event)), events };
}

const request = (id: string | number): Wire => ({ jsonrpc: "2.0", id, method: "ping" });
const answer = (id: unknown): Wire => ({ jsonrpc: "2.0", id, result: {} });

describe("matchId", () => {
  it.each([
    [[1, "1"], [], 1, { how: "exact", id: 1 }],
    [[1, "1"], [], "1", { how: "exact", id: "1" }],
    [[1], [], "1", { how: "form", id: 1 }],
    [[1], [], "1.0", { how: "form", id: 1 }],
    [["1"], [], 1, { how: "form", id: "1" }],
    [[1, "1"], [], "1.0", { how: "ambiguous" }],
    [[1], ["1"], "1", { how: "finished" }],
    [["1"], [1], 1, { how: "finished" }],
    [[1], [], "1.5", { how: "unknown" }],
    [[1], [], "01x", { how: "unknown" }],
    [[1], [], "one", { how: "unknown" }],
    [[0], [], "", { how: "unknown" }],
    [[0], [], 0, { how: "exact", id: 0 }],
  ] as const)("in flight %j, answered %j: %j", (inFlight, finished, id, match) => {
    expect(matchId(new Map(inFlight.map((entry) => [entry, true])), new Set<string | number>(finished), id)).toEqual(match);
  });
});

describe("an answer", () => {
  it('id-string-coerced: 1 and "1" are two requests', async () => {
    const { exchange } = open();
    const [number, text] = [exchange.begin(request(1)), exchange.begin(request("1"))];
    exchange.accept({ ...answer("1"), result: { is: "text" } }, 1);
    exchange.accept({ ...answer(1), result: { is: "number" } }, 1);
    expect([await number.answer, await text.answer]).toMatchObject([
      { id: 1, result: { is: "number" } },
      { id: "1", result: { is: "text" } },
    ]);
  });

  it.each(['"2.0"', "2.0", '"2"', "2"])("id-float-rendering: 2 answered as %s", async (id) => {
    const { exchange } = open();
    const call = exchange.begin(request(2));
    exchange.accept(parseMessage(`{"jsonrpc":"2.0","id":${id},"result":{}}`), 1);
    expect((await call.answer)["id"]).toBe(2);
  });

  it.each([
    ["id-zero-reused: to what was answered", answer(0), "finished"],
    ["id-forged-response: to what was never asked", answer("f:AA=="), "unknown"],
    ["notif-answered-null", answer(null), "no-id"],
    ["notif-answered-error", { jsonrpc: "2.0", error: { code: -32601, message: "x" } }, "no-id"],
  ])("%s is let go of", async (_, frame, because) => {
    const { exchange, events } = open();
    const [zero, one] = [exchange.begin(request(0)), exchange.begin(request(1))];
    exchange.accept(answer(0), 1);
    exchange.accept(frame, 1);
    expect(events).toMatchObject([{ event: "unmatched", because }]);
    expect([zero.outcome, one.outcome]).toEqual(["answered", undefined]);
    exchange.accept(answer(1), 1);
    expect(await one.answer).toEqual(answer(1));
  });

  it("cancel-then-response: late answers, even two, are let go of", async () => {
    const { exchange, events } = open();
    const cut = new AbortController();
    const call = exchange.begin(request(7), cut.signal);
    cut.abort();
    await expect(call.answer).rejects.toMatchObject({ name: "Unreachable", delivered: "no" });
    exchange.accept({ jsonrpc: "2.0", id: 7, error: { code: 0, message: "Request cancelled" } }, 1);
    exchange.accept(answer(7), 1);
    expect(events).toMatchObject([{ because: "finished" }, { because: "finished" }]);
    expect(exchange.isOver).toBe(false);
  });

  it.each([
    [-32700, true, false, "answered"],
    [-32600, true, false, "answered"],
    [-32601, true, false, undefined],
    [-32700, false, false, undefined],
    [-32700, true, true, undefined],
  ])("err-null-id: code %i, alone %s, something sent since %s: %s", (code, isAlone, isFollowed, outcome) => {
    const { exchange, events } = open();
    if (!isAlone) exchange.begin(request(1));
    const call = exchange.begin(request(2));
    if (isFollowed) exchange.noted();
    exchange.accept({ jsonrpc: "2.0", id: null, error: { code, message: "Parse error" } }, 1);
    expect(call.outcome).toBe(outcome);
    expect(events).toMatchObject([{ event: outcome === undefined ? "unmatched" : "matched", id: null }]);
  });

  it("batch-response-to-client: an array is taken apart", async () => {
    const { exchange } = open();
    const call = exchange.begin(request(2));
    exchange.accept([answer(2), { jsonrpc: "2.0", method: "notifications/message" }, 42], 1);
    expect(await call.answer).toEqual(answer(2));
    expect(exchange.pending.take()).toEqual([{ jsonrpc: "2.0", method: "notifications/message" }]);
  });

  it("a second request with an id in flight is refused, and the first goes on", async () => {
    const { exchange } = open();
    const [first, second] = [exchange.begin(request(1)), exchange.begin(request(1))];
    await expect(second.answer).rejects.toMatchObject({ delivered: "no" });
    exchange.accept(answer(1), 1);
    expect(await first.answer).toEqual(answer(1));
    expect(exchange.begin(request(1)).outcome).toBeUndefined();
  });
});

describe("the end", () => {
  it("fails what is in flight and what comes, and says why", async () => {
    const { exchange } = open();
    const [left, waiting] = [exchange.begin(request(1)), exchange.begin(request(2))];
    left.hasLeft = true;
    exchange.end(exchange.unreachable("it exited with code 3"));
    await expect(left.answer).rejects.toMatchObject({ delivered: "maybe", message: "cannot reach peer: it exited with code 3" });
    await expect(waiting.answer).rejects.toMatchObject({ delivered: "no" });
    await expect(exchange.begin(request(3)).answer).rejects.toMatchObject({ delivered: "no", reason: "it exited with code 3" });
    expect(await exchange.closed).toMatchObject({ reason: "it exited with code 3" });
  });

  it("leaves what is in flight where only the session is gone", async () => {
    const { exchange } = open();
    const call = exchange.begin(request(1));
    exchange.retire(exchange.unreachable("gone"), true);
    await expect(exchange.begin(request(2)).answer).rejects.toMatchObject({
      sessionGone: true,
      delivered: "no",
    } satisfies Partial<Unreachable>);
    exchange.accept(answer(1), 1);
    expect(await call.answer).toEqual(answer(1));
  });

  it("is the first reason, whatever comes after", async () => {
    const { exchange } = open();
    exchange.end(new Close("first"));
    exchange.end(new Close("second"));
    expect((await exchange.closed).message).toBe("cannot go on: first");
  });
});

describe("pending frames", () => {
  const notification = (index: number): Wire => ({ jsonrpc: "2.0", method: "notifications/progress", params: { index } });

  it("come in their order, once, and wake who waits", async () => {
    const frames = new PendingFrames(
      () => {},
      () => {},
    );
    const woken = frames.wait();
    frames.push(notification(1), 1);
    frames.push(notification(2), 1);
    await woken;
    await frames.wait();
    expect(frames.take()).toEqual([notification(1), notification(2)]);
    expect(frames.take()).toEqual([]);
  });

  it("give way where there are too many: the oldest notification, never a question", () => {
    const events: TransportEvent[] = [];
    let isFull = false;
    const frames = new PendingFrames(
      (event) => events.push(event),
      () => (isFull = true),
      3,
    );
    const question = (id: number): Wire => ({ jsonrpc: "2.0", id, method: "roots/list" });
    for (const frame of [question(1), notification(1), question(2), notification(2), question(3)]) frames.push(frame, 1);
    expect(events).toHaveLength(2);
    expect(isFull).toBe(false);
    frames.push(question(4), 1);
    expect(isFull).toBe(true);
    expect(frames.take()).toEqual([question(1), question(2), question(3)]);
  });
});
