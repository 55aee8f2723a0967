// Probing: over HTTP in place, of processes by each policy, and what is handed on or let go of.
import { describe, expect, it } from "vitest";
import { Unreachable } from "../../runtime/bridge/errors.js";
import { META } from "../../runtime/bridge/meta.js";
import { EraCache } from "../../runtime/bridge/probe.js";
import { olderTransport, probe, probeFaultOf, type ProbeOptions } from "../../runtime/bridge/prober.js";
import { REVISIONS } from "../../runtime/mcp.js";
import { scriptedConnector, scriptedPeer, type Line } from "./scripted-peer.js";

const MODERN = "2026-07-28";
const NEWEST_LEGACY = "2025-11-25";
const ALL: readonly string[] = REVISIONS.map((entry) => entry.revision);
const OPTIONS: ProbeOptions = { spoken: ALL, timeoutMs: 20, stdioProbe: "inPlaceRespawn" };

function discovers(...supportedVersions: string[]): Line {
  return {
    status: 200,
    answer: ({ id }) => ({
      jsonrpc: "2.0",
      id,
      result: { resultType: "complete", supportedVersions, capabilities: {}, ttlMs: 0, cacheScope: "private" },
    }),
  };
}

function refuses(code: number, data?: unknown, status = 400): Line {
  return { status, answer: ({ id }) => ({ jsonrpc: "2.0", id, error: { code, message: "no", data } }) };
}

const SILENT: Line = { silent: true };
const DIES: Line = { fail: { delivered: "maybe" }, reason: "the process ended" };

async function failure(promise: Promise<unknown>): Promise<Unreachable> {
  return promise.then(
    () => Promise.reject(new Error("it did not fail")),
    (error: unknown) => error as Unreachable,
  );
}

describe("probe over HTTP", () => {
  it("asks with the envelope and the headers, and hands the connection on", async () => {
    const peer = scriptedPeer("streamable-http", [discovers(MODERN)]);
    const clientInfo = { name: "b", version: "1" };
    const probed = await probe(scriptedConnector([peer]), { ...OPTIONS, clientInfo });
    expect(probed).toMatchObject({ era: "modern", revision: MODERN, revisions: [MODERN], transport: "streamable-http", peer });
    expect(probed.discover).toHaveProperty("supportedVersions");
    expect(peer.sent).toEqual([
      {
        request: {
          jsonrpc: "2.0",
          id: expect.any(String),
          method: "server/discover",
          params: { _meta: { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {}, [META.clientInfo]: clientInfo } },
        },
        headers: { "MCP-Protocol-Version": MODERN, "Mcp-Method": "server/discover" },
      },
    ]);
    expect(peer.isClosed()).toBe(false);
  });

  it.each<readonly [string, Line]>([
    ["an unknown method", refuses(-32601, undefined, 200)],
    ["a status without a message", { fail: { status: 404, body: "<html>" } }],
    ["legacy versions only", refuses(-32022, { supported: [NEWEST_LEGACY] })],
  ])("takes %s for legacy and goes on with the connection", async (_name, line) => {
    const peer = scriptedPeer("streamable-http", [line]);
    expect(await probe(scriptedConnector([peer]), OPTIONS)).toMatchObject({ era: "legacy", revision: NEWEST_LEGACY, peer });
    expect(peer.isClosed()).toBe(false);
  });

  it("goes on with the legacy revision the server named", async () => {
    const peer = scriptedPeer("streamable-http", [refuses(-32022, { supported: ["2024-11-05", "2025-03-26"] })]);
    expect(await probe(scriptedConnector([peer]), OPTIONS)).toMatchObject({
      revision: "2025-03-26",
      revisions: ["2025-03-26", "2024-11-05"],
    });
  });

  it("tries once more with the capabilities that were missing, under another id", async () => {
    const peer = scriptedPeer("streamable-http", [refuses(-32021, { requiredCapabilities: { roots: {} } }), discovers(MODERN)]);
    expect(await probe(scriptedConnector([peer]), OPTIONS)).toMatchObject({ era: "modern" });
    const [first, second] = peer.sent.map(({ request }) => request);
    expect(second?.["id"]).not.toBe(first?.["id"]);
    expect(second).toHaveProperty(["params", "_meta", META.clientCapabilities], { roots: {} });
  });

  it.each<readonly [string, readonly Line[], string]>([
    ["silence", [SILENT], "timeout"],
    ["an outage", [{ fail: { status: 503 } }], "outage"],
    ["a closed connection", [{ fail: { delivered: "maybe" } }], "outage"],
    ["a refused connection", [{ fail: { delivered: "no" } }], "outage"],
    ["a refused credential", [{ fail: { status: 401, challenge: "Bearer" } }], "auth"],
    ["versions to come", [refuses(-32022, { supported: ["2027-01-15"] })], "no-mutual-revision"],
    ["two refusals", [refuses(-32020), refuses(-32022, { supported: [MODERN] })], "no-mutual-revision"],
  ])("fails at %s, remembers nothing and closes", async (_name, lines, fault) => {
    const cache = new EraCache({ legacyMs: 1000, most: 10 });
    const peer = scriptedPeer("streamable-http", lines);
    const error = await failure(probe(scriptedConnector([peer]), { ...OPTIONS, cache }));
    expect(error.name).toBe("Unreachable");
    expect(probeFaultOf(error)).toBe(fault);
    expect(error.delivered).toBe("no");
    expect(cache.find("script", 0)).toBeUndefined();
    expect(peer.isClosed()).toBe(true);
  });

  it("keeps the challenge, and lets a handshake decide about a credential that was sent", async () => {
    const lines: readonly Line[] = [{ fail: { status: 401, challenge: "Bearer x", body: "b" } }];
    const error = await failure(probe(scriptedConnector([scriptedPeer("streamable-http", lines)]), OPTIONS));
    expect(error).toMatchObject({ status: 401, challenge: "Bearer x", body: "b" });
    const peer = scriptedPeer("streamable-http", lines);
    const probed = await probe(scriptedConnector([peer]), { ...OPTIONS, credential: true });
    expect(probed).toMatchObject({ era: "legacy", revision: NEWEST_LEGACY, peer, doubt: { status: 401, challenge: "Bearer x" } });
  });

  it("fails where no connection comes about", async () => {
    const error = await failure(probe(scriptedConnector([new Unreachable("script", "no route", { delivered: "no" })]), OPTIONS));
    expect(probeFaultOf(error)).toBe("outage");
    expect(error.message).toBe("cannot reach script: no route");
  });

  it("passes on what is a fault of the program", async () => {
    await expect(probe(scriptedConnector([]), OPTIONS)).rejects.toThrow(RangeError);
  });
});

describe("what is known beforehand", () => {
  it("asks nothing of a server that is said to be legacy, nor without a modern revision, nor over a transport that has none", async () => {
    const none = scriptedConnector([]);
    expect(await probe(none, { ...OPTIONS, era: "legacy" })).toEqual({
      era: "legacy",
      revision: NEWEST_LEGACY,
      revisions: [],
      transport: "streamable-http",
    });
    expect(await probe(none, { ...OPTIONS, spoken: ["2025-03-26"] })).toMatchObject({ revision: "2025-03-26" });
    expect(await probe(scriptedConnector([], { transports: ["legacy-sse"] }), OPTIONS)).toMatchObject({
      era: "legacy",
      transport: "legacy-sse",
    });
    expect(none.connected()).toBe(0);
  });

  it("refuses a server that is said to be modern and is not", async () => {
    const peer = scriptedPeer("streamable-http", [refuses(-32601)]);
    expect(probeFaultOf(await failure(probe(scriptedConnector([peer]), { ...OPTIONS, era: "modern" })))).toBe("no-mutual-revision");
    expect(peer.isClosed()).toBe(true);
  });

  it("refuses a legacy server where only modern revisions are spoken", async () => {
    const peer = scriptedPeer("streamable-http", [refuses(-32601)]);
    const error = await failure(probe(scriptedConnector([peer]), { ...OPTIONS, spoken: [MODERN] }));
    expect(probeFaultOf(error)).toBe("no-mutual-revision");
    expect(peer.isClosed()).toBe(true);
  });

  it("remembers, by the name given, for as long as it holds", async () => {
    const cache = new EraCache({ legacyMs: 1000, most: 10 });
    let now = 0;
    const options: ProbeOptions = { ...OPTIONS, cache, server: "script as somebody", now: () => now };
    await probe(scriptedConnector([scriptedPeer("streamable-http", [refuses(-32601)])]), options);
    expect(await probe(scriptedConnector([]), options)).toMatchObject({ era: "legacy" });
    now = 1000;
    await probe(scriptedConnector([scriptedPeer("streamable-http", [discovers(MODERN, NEWEST_LEGACY)])]), options);
    now = 1e9;
    expect(await probe(scriptedConnector([]), options)).toEqual({
      era: "modern",
      revision: MODERN,
      revisions: [MODERN, NEWEST_LEGACY],
      transport: "streamable-http",
    });
    await expect(probe(scriptedConnector([]), { ...options, server: "script as somebody else" })).rejects.toThrow(RangeError);
  });

  it("gives the transport to fall back to", () => {
    const connector = scriptedConnector([]);
    expect(olderTransport(connector, "streamable-http")).toBe("legacy-sse");
    expect(olderTransport(connector, "legacy-sse")).toBeUndefined();
    expect(olderTransport(connector, "stdio")).toBeUndefined();
  });

  it("says nothing about errors from elsewhere", () => {
    expect(probeFaultOf(new Unreachable("s", "no"))).toBeUndefined();
    expect(probeFaultOf(null)).toBeUndefined();
  });
});

describe("probe of a process", () => {
  const process = { transports: ["stdio"], spawns: true } as const;
  const modernLines = [discovers(MODERN)];

  it.each<readonly [ProbeOptions["stdioProbe"], string, readonly Line[], { readonly era: string; readonly keeps: boolean }]>([
    ["inPlaceRespawn", "a modern server", modernLines, { era: "modern", keeps: true }],
    ["inPlaceRespawn", "a legacy server", [refuses(-32601)], { era: "legacy", keeps: true }],
    ["inPlaceRespawn", "a silent server", [SILENT], { era: "legacy", keeps: true }],
    ["inPlaceRespawn", "a server that ends", [DIES], { era: "legacy", keeps: false }],
    ["inPlaceRespawn", "a server that has ended", [{ fail: { delivered: "no" } }], { era: "legacy", keeps: false }],
    ["sibling", "a modern server", modernLines, { era: "modern", keeps: true }],
    ["sibling", "a legacy server", [refuses(-32601)], { era: "legacy", keeps: false }],
    ["sibling", "a silent server", [SILENT], { era: "legacy", keeps: false }],
    ["sibling", "a server that ends", [DIES], { era: "legacy", keeps: false }],
  ])("%s, %s", async (stdioProbe, _name, lines, { era, keeps }) => {
    const peer = scriptedPeer("stdio", lines);
    const connector = scriptedConnector([peer], process);
    const probed = await probe(connector, { ...OPTIONS, stdioProbe });
    expect(probed.era).toBe(era);
    expect(probed.transport).toBe("stdio");
    expect(probed.peer).toBe(keeps ? peer : undefined);
    expect(peer.isClosed()).toBe(!keeps);
    expect(peer.sent[0]?.headers).toBeUndefined();
    expect(connector.connected()).toBe(1);
  });

  it("off starts nothing", async () => {
    const connector = scriptedConnector([], process);
    expect(await probe(connector, { ...OPTIONS, stdioProbe: "off" })).toMatchObject({ era: "legacy" });
    expect(connector.connected()).toBe(0);
  });

  it("off asks a server all the same that is said to be modern", async () => {
    const peer = scriptedPeer("stdio", modernLines);
    expect(await probe(scriptedConnector([peer], process), { ...OPTIONS, stdioProbe: "off", era: "modern" })).toMatchObject({
      era: "modern",
      peer,
    });
  });

  it("fails at a program that cannot be started", async () => {
    const connector = scriptedConnector([new Unreachable("script", "no such file", { delivered: "no" })], process);
    expect(probeFaultOf(await failure(probe(connector, OPTIONS)))).toBe("outage");
  });
});
