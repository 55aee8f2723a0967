// The checks of the frames on a bridge's hops can say no.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import { faultsOf, legacyIn, modernIn, Tap, type HopName, type Side } from "./bridge-tap.js";
import { peerOf } from "./peers.js";

const ENVELOPE = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

describe("on a legacy hop", () => {
  it.each<[string, Wire]>([
    ["a result that says its type", { id: 1, result: { resultType: "complete" } }],
    ["a time to live deep inside", { id: 1, result: { list: [{ ttlMs: 0 }] } }],
    ["the envelope of a request", { id: 1, method: "tools/list", params: { _meta: ENVELOPE } }],
    ["a question in a result", { id: 1, result: { inputRequests: {} } }],
    ["a discovery", { id: 1, method: "server/discover" }],
  ])("%s is a leak", (_, frame) => {
    expect(modernIn(frame)).toHaveLength(1);
  });
});

describe("on a modern hop", () => {
  it.each<[string, Wire, Side]>([
    ["a handshake", { id: 1, method: "initialize" }, "client"],
    ["the answer to one", { id: 1, result: { protocolVersion: "2025-11-25" } }, "server"],
    ["a sign of life", { id: 1, method: "ping" }, "client"],
    ["a request of the server's", { id: 1, method: "roots/list" }, "server"],
    ["the id of an elicitation", { method: "x", params: { elicitationId: "e" } }, "server"],
  ])("%s is a leak", (_, frame, from) => {
    expect(legacyIn(frame, from)).toHaveLength(1);
  });
});

describe("a frame", () => {
  const note = (hop: HopName, from: Side, ...frames: readonly Wire[]): Tap => {
    const tap = new Tap();
    for (const frame of frames) tap.note(hop, from, { jsonrpc: "2.0", ...frame });
    return tap;
  };

  it("that is not valid at the revision of its hop is a fault, there and not on the other hop", async () => {
    const { frames } = note("downstream", "client", { id: 1, method: "tools/call", params: { name: 1 } });
    expect(await faultsOf(frames, "downstream", peerOf("sdk-1.0"))).toHaveLength(1);
    expect(await faultsOf(frames, "upstream", peerOf("sdk-1.0"))).toEqual([]);
  });

  it("that answers is held against what it answers", async () => {
    const tap = note("upstream", "client", { id: 1, method: "tools/call", params: { name: "x" } });
    tap.note("upstream", "server", { jsonrpc: "2.0", id: 1, result: { content: [{ type: "audio", data: "", mimeType: "a/b" }] } });
    expect(await faultsOf(tap.frames, "upstream", peerOf("sdk-1.0"))).toHaveLength(1);
    expect(await faultsOf(tap.frames, "upstream", peerOf("sdk-1.12"))).toEqual([]);
  });

  it("that asks a legacy server for its era is none", async () => {
    const { frames } = note("upstream", "client", { id: "polyrev-probe-1", method: "server/discover", params: { _meta: ENVELOPE } });
    expect(await faultsOf(frames, "upstream", peerOf("sdk-1.32"))).toEqual([]);
  });
});
