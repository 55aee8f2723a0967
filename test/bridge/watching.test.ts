// Watching a server's changes: what to ask for, how to change it, and what reaches the client how often.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { META } from "../../runtime/bridge/meta.js";
import {
  afterGap,
  BACKOFF,
  backoffMs,
  endOf,
  filterOf,
  honouredOf,
  isIdle,
  lacking,
  NO_WATCH,
  Overlap,
  PendingChanges,
  planSwitch,
  readFilter,
  subscriptionOf,
  unsubscribed,
  watchable,
  type ListFlag,
  type Watch,
} from "../../runtime/bridge/watching.js";
import { REVISIONS } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/index.js";

const MODERN = "2026-07-28";

function watch(lists: readonly ListFlag[] = [], uris: readonly string[] = []): Watch {
  return { lists: new Set(lists), uris: new Set(uris) };
}

function changed(kind: string, meta?: object): Wire {
  return { jsonrpc: "2.0", method: `notifications/${kind}/list_changed`, ...(meta === undefined ? {} : { params: { _meta: meta } }) };
}

function updated(uri: unknown): Wire {
  return { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } };
}

describe("watchable", () => {
  it.each<readonly [string, unknown, readonly string[], Watch]>([
    ["what is advertised", { tools: { listChanged: true }, resources: { subscribe: true } }, ["a"], watch(["toolsListChanged"], ["a"])],
    [
      "nothing where flags are not true",
      { tools: {}, prompts: { listChanged: false }, resources: { listChanged: "yes", subscribe: 1 } },
      ["a"],
      NO_WATCH,
    ],
    ["nothing of nothing", undefined, ["a"], NO_WATCH],
    [
      "all",
      { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true } },
      [],
      watch(["toolsListChanged", "promptsListChanged", "resourcesListChanged"]),
    ],
  ])("is %s, at every revision", (_name, server, uris, wanted) => {
    for (const { revision } of REVISIONS) expect(watchable(revision, server, uris)).toEqual(wanted);
  });

  it("is no more than what is asked for", () => {
    const server = { tools: { listChanged: true }, prompts: { listChanged: true } };
    expect(watchable(MODERN, server, [], ["promptsListChanged", "resourcesListChanged"])).toEqual(watch(["promptsListChanged"]));
  });
});

describe("a filter", () => {
  it("is written with what is watched only", () => {
    expect(filterOf(watch(["promptsListChanged"], ["b", "a"]))).toEqual({ promptsListChanged: true, resourceSubscriptions: ["b", "a"] });
    expect(filterOf(NO_WATCH)).toEqual({});
  });

  it.each<readonly [unknown, Watch]>([
    [{ notifications: {} }, NO_WATCH],
    [
      { notifications: { toolsListChanged: true, promptsListChanged: false, taskIds: 5, resourceSubscriptions: ["a", "a"] } },
      watch(["toolsListChanged"], ["a"]),
    ],
  ])("of %j is read", (params, wanted) => {
    expect(readFilter(params)).toEqual({ watch: wanted });
  });

  it.each<readonly [unknown, RegExp]>([
    [undefined, /notifications: it is not an object/],
    [{}, /not an object/],
    [{ notifications: [] }, /not an object/],
    [{ notifications: { toolsListChanged: "yes" } }, /toolsListChanged: it is not a boolean/],
    [{ notifications: { toolsListChanged: null } }, /not a boolean/],
    [{ notifications: { resourceSubscriptions: "a" } }, /not a list of texts/],
    [{ notifications: { resourceSubscriptions: [1] } }, /not a list of texts/],
  ])("of %j is refused", (params, says) => {
    expect(readFilter(params)).toEqual({ error: { code: -32602, message: expect.stringMatching(says), data: expect.anything() } });
  });

  it("that a server garbles is agreed to in nothing it garbles", () => {
    expect(honouredOf({ notifications: { toolsListChanged: "yes", promptsListChanged: true, resourceSubscriptions: [1] } })).toEqual(
      watch(["promptsListChanged"]),
    );
    expect([honouredOf(undefined), honouredOf({ notifications: null })]).toEqual([NO_WATCH, NO_WATCH]);
  });

  it("comes back as it was, and lacks nothing of itself", () => {
    const flags = fc.subarray<ListFlag>(["toolsListChanged", "promptsListChanged", "resourcesListChanged"]);
    fc.assert(
      fc.property(flags, fc.array(fc.string()), (lists, uris) => {
        const wanted = watch(lists, uris);
        expect(honouredOf({ notifications: filterOf(wanted) })).toEqual(wanted);
        expect(isIdle(lacking(wanted, wanted))).toBe(true);
      }),
    );
  });

  it("that is not wholly honoured lacks the rest", () => {
    expect(lacking(watch(["toolsListChanged", "promptsListChanged"], ["a", "b"]), watch(["toolsListChanged"], ["b", "c"]))).toEqual(
      watch(["promptsListChanged"], ["a"]),
    );
  });
});

describe("planSwitch", () => {
  it.each<readonly [string, Watch | undefined, Watch, object]>([
    ["nothing of nothing", undefined, NO_WATCH, { kind: "keep" }],
    ["the same", watch(["toolsListChanged"], ["a", "b"]), watch(["toolsListChanged"], ["b", "a"]), { kind: "keep" }],
    ["the first", undefined, watch([], ["a"]), { kind: "open", filter: { resourceSubscriptions: ["a"] }, thenClose: false }],
    ["more", watch([], ["a"]), watch([], ["a", "b"]), { kind: "open", filter: { resourceSubscriptions: ["a", "b"] }, thenClose: true }],
    [
      "less",
      watch(["toolsListChanged"], ["a"]),
      watch(["toolsListChanged"]),
      { kind: "open", filter: { toolsListChanged: true }, thenClose: true },
    ],
    ["nothing any more", watch([], ["a"]), NO_WATCH, { kind: "close" }],
  ])("%s", (_name, current, wanted, plan) => {
    expect(planSwitch(current, wanted)).toEqual(plan);
  });
});

describe("a frame", () => {
  it.each<readonly [string, Wire, string | undefined]>([
    ["the result", { jsonrpc: "2.0", id: 1, result: {} }, "graceful"],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "" } }, "refused"],
    ["a cancellation", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, "cancelled"],
    ["the result of another", { jsonrpc: "2.0", id: "1", result: {} }, undefined],
    ["a cancellation of another", { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "1" } }, undefined],
    ["a cancellation of nothing", { jsonrpc: "2.0", method: "notifications/cancelled" }, undefined],
    ["a change", changed("tools"), undefined],
    ["a request under the same id", { jsonrpc: "2.0", id: 1, method: "ping" }, undefined],
  ])("that is %s ends the subscription: %s", (_name, frame, end) => {
    expect(endOf(frame, 1)).toBe(end);
  });

  it("says whose it is, and goes on without that", () => {
    const frame = changed("tools", { [META.subscriptionId]: 0, k: 1 });
    expect(subscriptionOf(frame)).toBe(0);
    expect(subscriptionOf(changed("tools"))).toBeUndefined();
    expect(unsubscribed(frame)).toEqual(changed("tools", { k: 1 }));
    expect(
      unsubscribed({ jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params: { notifications: {} } }),
    ).toBeUndefined();
  });
});

describe("afterGap", () => {
  it("hints at all that was honoured", () => {
    expect(afterGap(watch(["toolsListChanged"], ["a", "b"]))).toEqual([changed("tools"), updated("a"), updated("b")]);
    expect(afterGap(NO_WATCH)).toEqual([]);
  });
});

describe("Overlap", () => {
  const on = (id: number): Wire => changed("tools", { [META.subscriptionId]: id });

  it("delivers once what both streams tell, whichever is first", () => {
    const overlap = new Overlap(100);
    expect([overlap.isNew(on(1), 1, 0), overlap.isNew(on(2), 2, 5), overlap.isNew(on(2), 2, 6), overlap.isNew(on(1), 1, 7)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("delivers what one stream tells twice, and what is not the same", () => {
    const overlap = new Overlap(100);
    expect([
      overlap.isNew(updated("a"), 1, 0),
      overlap.isNew(updated("a"), 1, 1),
      overlap.isNew(updated("b"), 2, 2),
      overlap.isNew(changed("tools"), 2, 3),
    ]).toEqual([true, true, true, true]);
  });

  it("takes nothing for the same after its window", () => {
    const overlap = new Overlap(100);
    expect([overlap.isNew(on(1), 1, 0), overlap.isNew(on(2), 2, 101)]).toEqual([true, true]);
  });
});

describe("PendingChanges", () => {
  it("keeps one of each kind and address", () => {
    const pending = new PendingChanges();
    const last = updated("a");
    expect([changed("tools"), updated("a"), changed("tools"), updated("b"), last].map((frame) => pending.add(frame))).toEqual([
      true,
      true,
      true,
      true,
      true,
    ]);
    expect(pending.size).toBe(3);
    const drained = pending.drain();
    expect(drained).toEqual([changed("tools"), updated("a"), updated("b")]);
    expect(drained[1]).toBe(last);
    expect(pending.drain()).toEqual([]);
  });

  it.each<readonly [string, Wire]>([
    ["a log message", { jsonrpc: "2.0", method: "notifications/message", params: {} }],
    ["an update of nothing", updated(5)],
    ["a request", { jsonrpc: "2.0", id: 1, method: "roots/list" }],
    ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
  ])("does not keep %s", (_name, frame) => {
    expect(new PendingChanges().add(frame)).toBe(false);
  });

  it("keeps no more than it may", () => {
    const pending = new PendingChanges(1);
    expect([pending.add(updated("a")), pending.add(updated("b")), pending.add(updated("a"))]).toEqual([true, false, true]);
  });
});

describe("backoffMs", () => {
  it.each<readonly [number, number, boolean, number]>([
    [0, 0, false, 500],
    [0, 1, false, 250],
    [3, 0, false, 4000],
    [50, 0, false, 60_000],
    [5000, 1, false, 30_000],
    [0, 0, true, 5000],
  ])("of attempt %i, chance %d, graceful %s is %i", (attempt, random, graceful, ms) => {
    expect(backoffMs(attempt, random, { ...BACKOFF, graceful })).toBe(ms);
  });
});
