// The reserved keys of `_meta`: which stay on their hop, which travel, and that the names are those of the tables.
import { describe, expect, it } from "vitest";
import { crossingOf, HOP_KEYS, META, stripMessageMeta, stripMeta, TASK_KEYS, type Crossing } from "../../runtime/bridge/meta.js";

const NOTHING: Crossing = { tasks: false, extensions: [] };
const [RELATED = ""] = TASK_KEYS;
const UI = "io.modelcontextprotocol/ui";

describe("HOP_KEYS", () => {
  it("are the ones that have a name here", () => {
    expect([...HOP_KEYS].sort()).toEqual(Object.values(META).sort());
  });
});

describe("stripMeta", () => {
  it.each<readonly [string, object, Crossing, object]>([
    [
      "what belongs to the hop",
      { a: 1, _meta: { [META.protocolVersion]: "x", [META.logLevel]: "info", k: 1 } },
      NOTHING,
      { a: 1, _meta: { k: 1 } },
    ],
    ["a meta with nothing left", { a: 1, _meta: { [META.serverInfo]: {} } }, NOTHING, { a: 1 }],
    ["a task between eras", { _meta: { [RELATED]: {}, k: 1 } }, NOTHING, { _meta: { k: 1 } }],
    ["an extension of one side", { _meta: { [UI]: 1, [`${UI}/x`]: 1, k: 1 } }, NOTHING, { _meta: { k: 1 } }],
    [
      "an extension whose name only starts alike",
      { _meta: { [`${UI}x`]: 1, k: 1 } },
      { tasks: false, extensions: [UI] },
      { _meta: { k: 1 } },
    ],
    ["the subscription", { uri: "u", _meta: { [META.subscriptionId]: 0 } }, NOTHING, { uri: "u" }],
  ])("takes off %s", (_name, payload, crossing, stripped) => {
    expect(stripMeta(payload as never, crossing)).toEqual(stripped);
  });

  it.each<readonly [string, object, Crossing]>([
    ["no meta", { a: 1 }, NOTHING],
    ["a meta that is none", { _meta: [1] }, NOTHING],
    ["an empty meta", { _meta: {} }, NOTHING],
    [
      "progress, traces and vendors",
      { _meta: { progressToken: 0, traceparent: "t", tracestate: "s", baggage: "b", "com.example/k": 1 } },
      NOTHING,
    ],
    ["a task between legacy peers", { _meta: { [RELATED]: {} } }, { tasks: true, extensions: [] }],
    ["an extension of both", { _meta: { [UI]: 1, [`${UI}/x`]: 1 } }, { tasks: false, extensions: [UI] }],
  ])("gives the same object for %s", (_name, payload, crossing) => {
    expect(stripMeta(payload as never, crossing)).toBe(payload);
  });

  it("reaches the payload of a message, and leaves one without", () => {
    const result = { jsonrpc: "2.0", id: 1, result: { _meta: { [META.serverInfo]: {} } } };
    expect(stripMessageMeta(result, NOTHING)).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
    const error = { jsonrpc: "2.0", id: 1, error: { code: 1, message: "" } };
    expect(stripMessageMeta(error, NOTHING)).toBe(error);
    const kept = { jsonrpc: "2.0", method: "m", params: { a: 1 } };
    expect(stripMessageMeta(kept, NOTHING)).toBe(kept);
  });
});

describe("crossingOf", () => {
  const both = { client: { extensions: { [UI]: {}, a: {} } }, server: { extensions: { [UI]: {}, b: {} } } };

  it("takes tasks between legacy hops only", () => {
    expect(crossingOf({ revision: "2024-11-05" }, { revision: "2025-11-25" }).tasks).toBe(true);
    expect(crossingOf({ revision: "2026-07-28" }, { revision: "2025-11-25" }).tasks).toBe(false);
    expect(crossingOf({ revision: "1999-01-01" }, { revision: "2025-11-25" }).tasks).toBe(false);
  });

  it("takes the extensions that all four sides declared", () => {
    const hop = { revision: "2026-07-28", ...both };
    expect(crossingOf(hop, hop).extensions).toEqual([UI]);
    expect(crossingOf(hop, { ...hop, server: { extensions: { b: {} } } }).extensions).toEqual([]);
    expect(crossingOf(hop, { revision: "2026-07-28" }).extensions).toEqual([]);
  });
});
