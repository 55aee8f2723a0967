// Native servers speak and polyrev listens: whatever an SDK that was built for a revision emits is valid there, lifts without loss and lowers
// back to itself; and the requests that polyrev lowers reach the server's application.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Codec, Wire } from "../../runtime/index.js";
import { Caller } from "./caller.js";
import { fullCodec } from "./codecs.js";
import { changesOf } from "./heard.js";
import { difference } from "./holds.js";
import { memoryLine, processLine, type Line } from "./line.js";
import { nativeHandlers, nativeResult, nativeSamples, NOTIFICATIONS, serverCapabilities } from "./native-server.js";
import { loadPeer, PEERS, type Peer } from "./peers.js";
import { scriptCommand } from "./script.js";
import { requestFor } from "./samples.js";
import { validatorsOf } from "./validity.js";

const ways: readonly (readonly [string, (peer: Peer) => Promise<Line>])[] = [
  ["in memory", openMemory],
  ["over a pipe", (peer) => Promise.resolve(processLine(...scriptCommand("server-process.ts", peer.alias)))],
];

async function openMemory(peer: Peer): Promise<Line> {
  const loaded = await loadPeer(peer);
  const { line, transport } = memoryLine(loaded.readLine);
  await loaded.serve(serverCapabilities(peer.revision), nativeHandlers(peer), transport);
  return line;
}

describe.each(PEERS.flatMap((peer) => ways.map(([way, open]) => [peer.alias, peer.revision, way, peer, open] as const)))(
  "%s, native to %s, %s",
  (_, revision, __, peer, open) => {
    let line: Line;
    let caller: Caller;
    let codec: Codec;
    beforeAll(async () => {
      line = await open(peer);
      caller = await Caller.meet(peer, line);
      codec = await fullCodec(revision);
    });
    afterAll(() => line.close());

    it.each(nativeSamples(revision).map((sample) => [sample.name, sample] as const))("%s", async (_, sample) => {
      const message = await caller.call(sample.method, requestFor(sample));
      if (sample.error !== undefined) {
        // The newest SDK writes a missing resource under its own revision's code, whatever the application throws.
        const code = sample.error["code"] === -32002 && peer.era === "modern" ? -32602 : sample.error["code"];
        expect(message["error"]).toMatchObject({ code });
        return;
      }
      const result = (message["result"] ?? expect.fail(JSON.stringify(message))) as Wire;
      const { stripped, changed } = difference(sample.method === "ping" ? {} : nativeResult(sample), result);
      expect(stripped).toEqual([]);
      expect(changed.filter((path) => !ADDED[peer.era].includes(path))).toEqual([]);
      expect(sample.holds.filter((hold) => !hold.found(codec.lift(sample.method, "result", result) as Wire))).toEqual([]);
    });

    it("sends its notifications", async () => {
      const before = caller.heard.length;
      await caller.call("tools/call", { name: "notify", arguments: {}, _meta: { progressToken: "p-1" } });
      const methods = caller.heard.slice(before).map(({ message }) => message["method"]);
      expect(methods).toEqual(expect.arrayContaining(["notifications/progress", ...sentAt(peer)]));
    });

    it("has said nothing that is not valid, or that is not the same after lift and lower", async () => {
      const validity = await validatorsOf(revision);
      expect(caller.heard.length).toBeGreaterThan(nativeSamples(revision).length);
      const faults = caller.heard.flatMap(({ message, answers }) => validity.messageFaults(message, answers));
      expect(faults).toEqual([]);
      expect(caller.heard.flatMap((heard) => changesOf(codec, heard))).toEqual([]);
    });
  },
);

describe("the listener can say no", () => {
  it.each<[string, string, Wire]>([
    ["an unknown method", "2024-11-05", { jsonrpc: "2.0", id: 1, method: "elicitation/create", params: {} }],
    [
      "a block of a later revision",
      "2024-11-05",
      { jsonrpc: "2.0", id: 1, result: { content: [{ type: "audio", data: "", mimeType: "a/b" }] } },
    ],
    ["a list without what its revision wants", "2026-07-28", { jsonrpc: "2.0", id: 1, result: { content: [] } }],
  ])("to %s at %s", async (_, revision, message) => {
    const validity = await validatorsOf(revision);
    expect(validity.messageFaults(message, "tools/call")).not.toEqual([]);
  });

  it("to a message that does not come back as it was", async () => {
    const codec = await fullCodec("2024-11-05");
    const message = { jsonrpc: "2.0", id: 1, result: { resultType: "complete", content: [] } };
    expect(changesOf(codec, { message, answers: "tools/call" })).not.toEqual([]);
  });
});

/** What an SDK puts into a result by itself. */
const ADDED: Readonly<Record<Peer["era"], readonly string[]>> = {
  legacy: [],
  modern: [".resultType", ".ttlMs", ".cacheScope", "._meta", "._meta.io.modelcontextprotocol/serverInfo"],
};

/** The notifications a server may send on its own: the newest revision has those only for who subscribed or asked. */
function sentAt(peer: Peer): readonly string[] {
  return peer.era === "modern" ? [] : NOTIFICATIONS.map(({ method }) => method);
}
