// The handshake with a server that refuses, is gone, or is of the other era: what is offered next, and on which connection.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import { DEFAULT_CHOICES } from "../../runtime/bridge/options.js";
import { Unreachable, type Connector, type Peer } from "../../runtime/bridge/peer.js";
import { BridgeService } from "../../runtime/bridge/service.js";
import { REVISIONS } from "../../runtime/mcp.js";
import { MODERN, modernServer } from "./modern-script.js";
import { optionsWith, PlayedClient, roomWith, type Room } from "./room.js";
import { scriptedPeer, type Line } from "./scripted-peer.js";
import { Refuse, type Script } from "./wire-peer.js";

const LEGACY = REVISIONS.filter(({ era }) => era === "legacy").map(({ revision }) => revision);
const NEWEST = LEGACY.at(-1) ?? "";

const versionOf = ({ params }: Wire): string => String((params as Wire)["protocolVersion"]);
const offers = ({ connector }: Room): readonly string[] =>
  connector.peers.flatMap(({ messages }) => messages.filter(({ method }) => method === "initialize").map(versionOf));

/** A server that takes some revisions, and refuses the others with an error. */
function taking(revisions: readonly string[], error: Wire): Script {
  return (request) => {
    if (request["method"] === "server/discover") throw new Refuse(-32601, "no such method");
    if (request["method"] !== "initialize") return {};
    if (!revisions.includes(versionOf(request))) throw Object.assign(new Refuse(0, ""), { error });
    return { protocolVersion: versionOf(request), capabilities: {}, serverInfo: { name: "s", version: "1" } };
  };
}

describe("a server that refuses the offer", () => {
  it("is offered another on a connection of its own, and the others are closed", async () => {
    const room = roomWith(taking(["2024-11-05"], { code: -32602, message: "no", data: { supported: ["2024-11-05"] } }));
    expect(await new PlayedClient(room.service).open(NEWEST)).toMatchObject({ result: { protocolVersion: NEWEST } });
    expect(offers(room)).toEqual([NEWEST, "2024-11-05"]);
    expect(room.connector.peers.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  });

  it("and everything else gives its client its last words", async () => {
    const room = roomWith(taking([], { code: -32602, message: "nothing will do" }));
    expect(await new PlayedClient(room.service).open(NEWEST)).toMatchObject({ error: { message: "nothing will do" } });
    expect(offers(room)).toEqual(LEGACY.toReversed());
    expect(room.connector.peers.every(({ isClosed }) => isClosed)).toBe(true);
  });

  it("and speaks the other era only is spoken to in that, now and later", async () => {
    const modern = modernServer();
    const script: Script = (request, one) => {
      if (request["method"] !== "initialize") return modern.script(request, one);
      throw new Refuse(-32022, "no", { supported: [MODERN] });
    };
    const room = roomWith(script, "stdio", { choices: { ...DEFAULT_CHOICES, stdioProbe: "off" } });
    for (let turn = 0; turn < 2; turn += 1)
      expect(await new PlayedClient(room.service).open(NEWEST)).toMatchObject({ result: { serverInfo: { name: "modern" } } });
    expect(offers(room)).toEqual([NEWEST]);
  });
});

describe("a handshake that gets no answer", () => {
  /** Opens a session with connections whose lines are given, one list a connection. */
  async function open(
    connections: readonly (readonly Line[])[],
    connector: Partial<Connector> = {},
  ): Promise<{ answer: Wire; used: number }> {
    let used = 0;
    const connect = async (transport: Parameters<Connector["connect"]>[0]): Promise<Peer> => {
      used += 1;
      const lines = connections[used - 1];
      if (lines === undefined) throw new Unreachable("script", "nothing there", { delivered: "no", status: 404 });
      return scriptedPeer(transport, lines);
    };
    const whole: Connector = { name: "script", transports: ["streamable-http"], spawns: false, connect, ...connector };
    const service = new BridgeService(whole, optionsWith());
    const answer = await new PlayedClient(service).call("initialize", {
      protocolVersion: NEWEST,
      capabilities: {},
      clientInfo: { name: "c", version: "1" },
    });
    return { answer, used };
  }

  const unknown: Line = { answer: ({ id }) => ({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }) };
  const welcome: Line = {
    answer: (request) => ({
      jsonrpc: "2.0",
      id: request["id"],
      result: { protocolVersion: versionOf(request), capabilities: {}, serverInfo: { name: "s", version: "1" } },
    }),
  };

  it("but status 400 asks for less", async () => {
    const refused: Line = { fail: { status: 400, delivered: "no" } };
    expect(await open([[unknown, refused], [refused], [welcome]])).toMatchObject({ answer: { result: {} }, used: 3 });
  });

  it("from a process that did not outlive the probe asks another process once", async () => {
    const gone: Line = { fail: { delivered: "maybe" } };
    const process = { transports: ["stdio"], spawns: true } as const;
    expect(await open([[unknown, gone], [welcome]], process)).toMatchObject({ answer: { result: {} }, used: 2 });
    expect(await open([[unknown, gone], [gone], [welcome]], process)).toMatchObject({ answer: { error: {} }, used: 2 });
  });

  it("says of a refused credential what the probe said", async () => {
    const refused: Line = { fail: { status: 401, delivered: "no" }, reason: "it answers with status 401" };
    const { answer } = await open([[refused, refused]], { showsCredential: true });
    expect(answer).toMatchObject({ error: { message: expect.stringMatching(/status 401; before that, .*401 to server\/discover/) } });
    expect(await open([[refused]])).toMatchObject({ answer: { error: {} }, used: 1 });
    expect(await open([[refused, welcome]], { showsCredential: true })).toMatchObject({ answer: { result: {} } });
  });
});
