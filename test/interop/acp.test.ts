// Our side in either role at either revision before an application of the ACP SDK: all that may be said is said and understood in both directions,
// and what was not advertised is neither served nor asked.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { GateEntry, Snapshot } from "../../runtime/index.js";
import {
  denialFaults,
  gatesOf,
  hellosOf,
  INCOMING,
  openPair,
  payloadsOf,
  rubbish,
  shakeHands,
  tell,
  tellAll,
  toldFaults,
  type Hellos,
  type Pair,
  type Teller,
  type Told,
} from "./acp-pair.js";
import { V1, V2 } from "./acp-sdk.js";
import type { Role } from "./acp-side.js";
import { frameFaults, methodsIn } from "./acp-wire.js";

const PLACES: readonly (readonly [role: Role, revision: string])[] = [
  ["server", V1],
  ["client", V1],
  ["server", V2],
  ["client", V2],
];

describe.each(PLACES)("our %s at %s before the native peer", (role, revision) => {
  const { full, bare } = hellosOf(revision);
  const incoming = INCOMING[role];
  const outgoing = INCOMING[role === "client" ? "server" : "client"];
  const open = async (hellos: Hellos, distort?: (honest: Snapshot) => Snapshot, onPrompt?: (client: Teller) => Promise<void>) => {
    const options = { hellos, ...(distort === undefined ? {} : { distort }), ...(onPrompt === undefined ? {} : { onPrompt }) };
    const pair = await openPair(revision, role, options);
    return { pair, answered: await shakeHands(pair, role, hellos) };
  };
  const names = (entries: readonly GateEntry[]) => entries.map((entry) => [entry.method, entry] as const);

  describe("where both can do everything", () => {
    let pair: Pair;
    let answered: unknown;
    let [up, down]: readonly Told[][] = [];

    beforeAll(async () => {
      const onPrompt = async (client: Teller) => {
        down = [...(await tellAll(revision, "serverToClient", client))];
      };
      ({ pair, answered } = await open(full, undefined, onPrompt));
      const hello = { method: "initialize", params: full.client, got: { value: answered } };
      up = [hello, ...(await tellAll(revision, "clientToServer", role === "client" ? pair.side : pair.peer))];
    });
    afterAll(() => pair.close());

    it("they shake hands", () => {
      expect(answered).toEqual(full.server);
    });

    it.each(names(gatesOf(revision, incoming, "all")))("the peer says %s, and we understand", (method) => {
      expect(toldFaults(method, (role === "client" ? down : up) ?? [], pair.ours)).toEqual([]);
    });

    it.each(names(gatesOf(revision, outgoing, "all")))("we say %s, and the peer understands", (method) => {
      expect(toldFaults(method, (role === "client" ? up : down) ?? [], pair.theirs)).toEqual([]);
    });

    it("every method crossed the wire, and every frame is valid", async () => {
      const all = (["clientToServer", "serverToClient"] as const).flatMap((direction) =>
        gatesOf(revision, direction, "all").map(({ method }) => `${direction} ${method}`),
      );
      expect([...methodsIn(pair.frames)].sort()).toEqual(all.sort());
      expect(await frameFaults(revision, pair.frames)).toEqual([]);
      expect(pair.frames.length).toBeGreaterThan(100);
    });

    it.each(names(gatesOf(revision, incoming, "all").filter(({ kind, method }) => kind === "request" && method !== "initialize")))(
      "%s with bad params is answered -32602",
      async (method, entry) => {
        const spoilt = { ...(payloadsOf(revision, method, "params")[0] as object), _meta: 7 };
        expect(await denialFaults(pair, entry, spoilt, -32602)).toEqual([]);
      },
    );
  });

  describe("where neither can do anything", () => {
    let pair: Pair;
    beforeAll(async () => {
      ({ pair } = await open(bare));
    });
    afterAll(() => pair.close());

    it.each(names(gatesOf(revision, incoming)))("the peer's %s is denied, whatever its params", async (method, entry) => {
      expect(await denialFaults(pair, entry, payloadsOf(revision, method, "params")[0], denialOf(entry))).toEqual([]);
      expect(await denialFaults(pair, entry, rubbish(), denialOf(entry))).toEqual([]);
    });

    it.each(names(gatesOf(revision, outgoing)))("our %s is not even sent", async (method, { kind }) => {
      const before = pair.frames.length;
      expect(await tell(pair.side, kind, method, payloadsOf(revision, method, "params")[0])).toMatchObject({
        error: { name: "RangeError" },
      });
      expect(pair.frames.length).toBe(before);
    });

    it("only the rubbish is no valid frame", async () => {
      const faults = await frameFaults(revision, pair.frames);
      const bad = faults.filter((fault) => !fault.includes(JSON.stringify(rubbish())) && !fault.includes("_settled"));
      expect(bad).toEqual([]);
      expect(faults.length).toBeGreaterThan(0);
    });
  });

  it("the native peer denies nothing itself, so a denial is ours", async () => {
    const { pair } = await open(bare);
    const requests = gatesOf(revision, outgoing).filter(({ kind }) => kind === "request");
    for (const { method } of requests) {
      // oxlint-disable-next-line no-await-in-loop -- the requests are asked one after the other
      await pair.side.requestUnchecked(method, payloadsOf(revision, method, "params")[0]);
    }
    const served = pair.theirs.map(({ method }) => method).filter((method) => method !== "initialize");
    expect(served).toEqual(requests.map(({ method }) => method));
    await pair.close();
  });

  describe("these judges can say no", () => {
    it.each(names(gatesOf(revision, incoming)))("to a snapshot that grants %s", async (method, entry) => {
      const { pair } = await open(bare, () => everything(full));
      const faults = await denialFaults(pair, entry, payloadsOf(revision, method, "params")[0], denialOf(entry));
      expect(faults).not.toEqual([]);
      await pair.close();
    });

    it("to frames that break the revision", async () => {
      const frames = [
        { direction: "clientToServer", message: { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "one" } } },
        { direction: "serverToClient", message: { jsonrpc: "2.0", id: 1, result: { protocolVersion: "one" } } },
        { direction: "serverToClient", message: { jsonrpc: "2.0", id: 1, error: { code: "none" } } },
        { direction: "serverToClient", message: { jsonrpc: "2.0", id: 2, method: "initialize", params: full.client } },
        { direction: "clientToServer", message: { jsonrpc: "2.0", method: "initialize", params: full.client } },
        { direction: "clientToServer", message: { jsonrpc: "2.0", id: 3, method: "session/teleport" } },
        { direction: "serverToClient", message: { jsonrpc: "2.0", id: 9, result: {} } },
        { direction: "clientToServer", message: { id: 4, method: "initialize", params: full.client } },
        { direction: "clientToServer", message: [] },
      ] as const;
      expect((await frameFaults(revision, frames)).length).toBe(frames.length);
    });

    it("to what arrives otherwise than it was sent, fails, or does not arrive", () => {
      const told = { method: "session/close", params: { sessionId: "a" }, got: { value: {} } };
      const served = { method: "session/close", params: { sessionId: "a" }, result: {} };
      expect(toldFaults("session/close", [told], [served])).toEqual([]);
      expect(toldFaults("session/close", [told], [{ ...served, params: { sessionId: "b" } }])).toHaveLength(1);
      expect(toldFaults("session/close", [told], [{ ...served, result: { _meta: {} } }])).toHaveLength(1);
      expect(toldFaults("session/close", [{ ...told, got: { error: new Error("no") } }], [served])).toHaveLength(1);
      expect(toldFaults("session/close", [told], [])).toHaveLength(1);
      expect(toldFaults("session/close", [], [served])).toHaveLength(1);
    });
  });
});

/** The code that the specification, or where it is silent the policy, has for a denial: only cancels of one thing go by -32602 outright. */
function denialOf({ shape }: GateEntry): number {
  return shape === "entity" ? -32602 : -32601;
}

function everything({ client, server }: Hellos): Snapshot {
  const capabilities = (hello: object) => Object.entries(hello).find(([key]) => key.toLowerCase().endsWith("capabilities"))?.[1] as unknown;
  return {
    client: capabilities(client),
    server: capabilities(server),
    initialize: server,
    session: { modes: {}, configOptions: [{}] },
    entity: { cancel: {} },
  };
}
