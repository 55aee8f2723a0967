// Reports about clients of the newest era in front of servers with a handshake, played through the bridge.
import { describe, expect, it, onTestFinished } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import { at, LEGACY, message, MODERN, play, playKind } from "../reports.js";
import { roomWith, type Room } from "../../bridge/room.js";
import {
  ABLE,
  headOf,
  httpServer,
  least,
  legacyServer,
  listening,
  META,
  metaOf,
  modernRequest,
  never,
  paramsOf,
  Refuse,
  sendRaw,
  towards,
  until,
  type Script,
} from "./stage.js";

const NEWEST = LEGACY.at(-1) ?? "";
const CAN = { [`${META}/clientCapabilities`]: ABLE };

interface Front extends Room {
  readonly ask: (given: Wire) => Promise<{ readonly answer: Wire; readonly status: number }>;
  readonly sent: (method: string) => readonly Wire[];
}

/** Puts a bridge in front of a legacy server in memory. */
function front(revision: string, does: Script = least): Front {
  const room = roomWith(legacyServer(revision, does));
  onTestFinished(() => room.service.close());
  return {
    ...room,
    sent: (method) => room.connector.peers.flatMap(({ messages }) => messages.filter((one) => one["method"] === method)),
    ask: async (given) => {
      const { answer, status } = await room.service.exchange(given, { sink: { canStream: true, write: () => undefined }, principal: "p" });
      return { answer: answer ?? {}, status };
    },
  };
}

/** Registers the plays about clients of the newest era in front of older servers. */
export function playBridgeUpward(): void {
  describe("upward through the bridge", () => {
    play("probe-peek-before-era", "a client of the newest era is answered for itself in front of any server", async (report) => {
      const [head, body] = report.input as [string, Wire];
      for (const revision of LEGACY) {
        const server = await httpServer(legacyServer(revision));
        const port = await listening(towards(server.url));
        const answer = await sendRaw(port, head, body);
        expect([answer.status, answer.headers["mcp-session-id"]], revision).toEqual([200, undefined]);
        expect(answer.messages).toMatchObject([
          { id: "d1", result: { supportedVersions: [MODERN, ...LEGACY.toReversed()], resultType: "complete" } },
        ]);
      }
    });

    playKind<Wire>(
      "env-meta-size-cap",
      "the keys of a client's hop stay on it, and everything else reaches a server with a handshake",
      (report) => metaOf(message(report, "c")),
      { "much of it": { "a/b": "x".repeat(300_000), progressToken: 0, traceparent: "00-1-1-01" }, "only its own": { progressToken: "" } },
      async (meta) => {
        for (const revision of LEGACY) {
          const stage = front(revision);
          const { answer } = await stage.ask(modernRequest(4, "tools/call", { name: "t", arguments: {} }, meta));
          expect(answer).toMatchObject({ id: 4, result: { resultType: "complete" } });
          const got = metaOf(stage.sent("tools/call")[0]);
          const { progressToken, ...own } = Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(`${META}/`)));
          expect(got).toMatchObject(own);
          expect(Object.keys(got).length).toBe(Object.keys(own).length + (progressToken === undefined ? 0 : 1));
        }
      },
    );

    playKind<Wire>(
      "res-type-on-legacy-leg",
      "what a server with a handshake says is unfinished reaches no client as a question, and as no success",
      (report) => message(report, "s", 1)["result"] as Wire,
      { "of a kind nobody knows": { resultType: "partial", content: [{ type: "text", text: "half" }] } },
      async (result) => {
        const stage = front(NEWEST, ({ method }) => (method === "tools/call" ? result : {}));
        const { answer } = await stage.ask(modernRequest(2, "tools/call", { name: "t" }, CAN));
        expect(answer).toMatchObject({
          id: 2,
          error: { code: -31908, data: { bridge: { kind: "upstream-violation", upstream: result } } },
        });
        expect(answer).not.toHaveProperty("result");
      },
    );

    play("stream-close-cancel", "a client that closes its stream has its call cancelled at the server", async (report) => {
      const body = report.input[1] as Wire;
      const stage = front(NEWEST, (given, room) => (given["method"] === "tools/call" ? never() : least(given, room)));
      const gone = new AbortController();
      const exchanged = stage.service.exchange(body, {
        sink: { canStream: true, write: () => undefined },
        principal: "p",
        signal: gone.signal,
      });
      await until("the call", () => stage.sent("tools/call").length === 1);
      gone.abort();
      expect((await exchanged).answer).toBeUndefined();
      await until("the cancellation", () => stage.sent("notifications/cancelled").length === 1);
      expect(paramsOf(stage.sent("notifications/cancelled")[0])["requestId"]).toBe(stage.sent("tools/call")[0]?.["id"]);
      expect((await stage.ask(modernRequest(6, "tools/list"))).answer).toMatchObject({ id: 6, result: { tools: [] } });
    });

    play(
      "url-elicit-32042",
      "the addresses an error asks to open become questions, without the ids of that era, and the call is made again",
      async (report) => {
        const {
          code,
          message: text,
          data,
        } = at(report.input[0], "/error") as { code: number; message: string; data: { elicitations: Wire[] } };
        let calls = 0;
        const does: Script = (given, room) => {
          if (given["method"] !== "tools/call") return least(given, room);
          calls += 1;
          if (calls === 1) throw new Refuse(code, text, data);
          return { content: [{ type: "text", text: "in" }] };
        };
        const stage = front(NEWEST, does);
        const caps = { [`${META}/clientCapabilities`]: { elicitation: { url: {} } } };
        const { answer } = await stage.ask(modernRequest(2, "tools/call", { name: "t" }, caps));
        const asked = at(answer, "/result/inputRequests") as Record<string, Wire>;
        const [key = "", entry] = Object.entries(asked)[0] ?? [];
        const { elicitationId: _, ...link } = data.elicitations[0] ?? {};
        expect(entry).toEqual({ method: "elicitation/create", params: link });
        const retry = { name: "t", requestState: at(answer, "/result/requestState"), inputResponses: { [key]: { action: "accept" } } };
        expect((await stage.ask(modernRequest(3, "tools/call", retry, caps))).answer).toMatchObject({
          id: 3,
          result: { content: [{ text: "in" }] },
        });
        const unable = front(NEWEST, () => {
          throw new Refuse(code, text, data);
        });
        expect((await unable.ask(modernRequest(2, "tools/call", { name: "t" }))).answer).toMatchObject({ error: { code: -32021 } });
      },
    );

    it("stream-close-cancel: over HTTP too", async () => {
      const server = await httpServer(
        legacyServer(NEWEST, (given, room) => (given["method"] === "tools/call" ? never() : least(given, room))),
      );
      const stage = towards(server.url);
      const port = await listening(stage);
      const gone = new AbortController();
      const head = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": MODERN,
        "mcp-method": "tools/call",
        "mcp-name": "slow",
      };
      const body = JSON.stringify(modernRequest(5, "tools/call", { name: "slow" }));
      const call = fetch(`http://127.0.0.1:${port}/mcp`, { method: "POST", headers: head, body, signal: gone.signal });
      call.catch(() => undefined);
      await until("the call", () => server.asked.some((asked) => asked.message?.method === "tools/call"), 10_000);
      gone.abort();
      await until("the cancellation", () => server.asked.some((asked) => asked.message?.method === "notifications/cancelled"), 10_000);
      const list = await sendRaw(
        port,
        headOf({ "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list" }),
        modernRequest(6, "tools/list"),
      );
      expect(list.messages).toMatchObject([{ id: 6, result: { tools: [] } }]);
    });
  });
}
