// Reports about what one era has and the other has not, played through the bridge: what a request says of itself, questions in answers, subscriptions,
// signs of life, capabilities and what they open, lists that do not end.
import { createConnection } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import { DEFAULT_LIMITS, DEFAULT_CHOICES } from "../../../runtime/bridge/options.js";
import { modernServer } from "../../bridge/modern-script.js";
import { optionsWith, PlayedClient, roomWith } from "../../bridge/room.js";
import { serve, stream } from "../../transport/scripted-server.js";
import { arrived, at, LEGACY, message, MODERN, play, playKind } from "../reports.js";
import {
  ABLE,
  crossedStage,
  EVERYTHING,
  HEADS,
  headOf,
  httpServer,
  least,
  legacyServer,
  legacyStage,
  listening,
  META,
  metaOf,
  modernRequest,
  modernStage,
  never,
  notification,
  openRaw,
  paramsOf,
  piped,
  playedClient,
  Refuse,
  request,
  sayRaw,
  sendRaw,
  towards,
  until,
  type Script,
  type Stage,
} from "./stage.js";

const NEWEST = LEGACY.at(-1) ?? "";
const FORM = { mode: "form", message: "name?", requestedSchema: { type: "object", properties: { n: { type: "string" } } } };
const LINK = { mode: "url", message: "sign in", url: "https://example.invalid/a" };

/** The requests of a method that went to the server. */
function sent({ connector }: Pick<Stage, "connector">, method: string): readonly Wire[] {
  return connector.peers.flatMap(({ messages }) => messages.filter((one) => one["method"] === method));
}

/** Has a server answer calls one after the other with these results, the last of them for ever. */
function inTurn(results: readonly unknown[]): Script {
  let turn = 0;
  return (given, room) => {
    if (given["method"] !== "tools/call") return least(given, room);
    const result = results[Math.min(turn, results.length - 1)];
    turn += 1;
    return result;
  };
}

function asks(inputRequests: Wire, requestState?: unknown): Wire {
  return { resultType: "input_required", inputRequests, ...(requestState === undefined ? {} : { requestState }) };
}

/** Registers the plays about the two eras through the bridge. */
export function playBridgeEras(): void {
  describe("what a request says of itself through the bridge", () => {
    playKind<readonly [revision: string, declares: unknown, told: Wire]>(
      "env-missing-meta",
      "every request to a server of the newest era says who asks and what can be asked back, and keeps what its client said",
      (report) => [
        String(at(message(report, "c"), "/params/protocolVersion")),
        at(message(report, "c"), "/params/capabilities"),
        { elicitation: { form: {} } },
      ],
      {
        "nothing declared": ["2025-06-18", {}, {}],
        "both ways to elicit": [NEWEST, { elicitation: { form: {}, url: {} } }, { elicitation: { form: {}, url: {} } }],
        roots: ["2024-11-05", { roots: { listChanged: true } }, { roots: {} }],
        sampling: ["2025-03-26", { sampling: {} }, { sampling: {} }],
        "something experimental": ["2025-06-18", { experimental: { x: {} } }, { experimental: { x: {} } }],
      },
      async ([client, declares, told]) => {
        const stage = await crossedStage({ client, declares });
        expect(stage.welcomed).toMatchObject({ result: { protocolVersion: client } });
        await stage.client.send(request(2, "tools/list"));
        await stage.client.call("tools/call", { name: "t", _meta: { "v/k": 1, traceparent: "00-1-1-01" } });
        const [list] = sent(stage, "tools/list");
        expect(metaOf(list)[`${META}/protocolVersion`]).toBe(MODERN);
        expect(metaOf(list)[`${META}/clientCapabilities`]).toBeTypeOf("object");
        const [call] = sent(stage, "tools/call");
        expect(metaOf(call)).toMatchObject({ "v/k": 1, traceparent: "00-1-1-01", [`${META}/clientInfo`]: { name: "played" } });
        expect(metaOf(call)[`${META}/clientCapabilities`]).toEqual(told);
        expect(sent(stage, "initialize")).toEqual([]);
      },
    );

    it.each<readonly [string, Wire, number]>([
      ["no version", { protocolVersion: undefined }, -32602],
      ["a version that is null", { protocolVersion: null }, -32602],
      ["a version that is a number", { protocolVersion: 20260728 }, -32602],
      ["a version that is a list", { protocolVersion: [MODERN] }, -32602],
      ["no capabilities", { clientCapabilities: undefined }, -32602],
      ["capabilities that are null", { clientCapabilities: null }, -32602],
      ["capabilities that are a list", { clientCapabilities: [] }, -32602],
      ["capabilities that are a text", { clientCapabilities: "all" }, -32602],
      ["a client without a name", { clientInfo: { version: "1" } }, -32602],
      ["a level that is none", { logLevel: "loud" }, -32602],
      ["a version nobody serves", { protocolVersion: "2027-01-15" }, -32022],
      ["a version with a handshake", { protocolVersion: NEWEST }, -32022],
    ])("env-missing-meta: a request with %s is refused before anybody is asked", async (_, members, code) => {
      const stage = modernStage();
      const keyed = Object.fromEntries(Object.entries(members).map(([key, value]) => [`${META}/${key}`, value]));
      const body = modernRequest(3, "tools/call", { name: "t" }, keyed);
      const port = await listening(stage);
      const version = members["protocolVersion"];
      const head = headOf({
        "Mcp-Method": "tools/call",
        "Mcp-Name": "t",
        "MCP-Protocol-Version": typeof version === "string" ? version : MODERN,
      });
      const answer = await sendRaw(port, head, body);
      expect([answer.status, at(answer.messages[0], "/id"), at(answer.messages[0], "/error/code")]).toEqual([400, 3, code]);
      const pipe = piped(stage);
      pipe.write(`${JSON.stringify(body)}\n`);
      expect(await pipe.answer(3)).toMatchObject({ error: { code } });
      expect(stage.sent("tools/call")).toEqual([]);
    });

    play("env-meta-size-cap", "no bound of ours takes what belongs to the protocol, however much else there is", async (report) => {
      const params = message(report, "c")["params"] as Wire;
      const meta = params["_meta"] as Wire;
      const more = { ...meta, "com.example/more": "x".repeat(300_000) };
      const server = await httpServer(modernServer(least).script);
      const stage = towards(server.url);
      const port = await listening(stage);
      const head = headOf({ "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": String(params["name"]) });
      const answer = await sendRaw(port, head, { ...message(report, "c"), params: { ...params, _meta: more } });
      expect(answer.messages.at(-1)).toMatchObject({ id: 4, result: { resultType: "complete" } });
      const { client } = await playedClient(stage, NEWEST);
      const own = Object.fromEntries(Object.entries(more).filter(([key]) => !key.startsWith(META)));
      expect(await client.call("tools/call", { ...params, _meta: own })).toHaveProperty("result");
      for (const asked of server.asked.filter((one) => one.message?.method === "tools/call")) {
        const got = metaOf(asked.message);
        for (const [key, value] of Object.entries(own)) if (key !== "progressToken") expect(got[key], key).toEqual(value);
        if (own["progressToken"] !== undefined) expect(got["progressToken"]).toBeDefined();
        expect(got[`${META}/protocolVersion`]).toBe(MODERN);
        expect(got[`${META}/clientCapabilities`]).toBeDefined();
      }
      // Between sessions the keys of the hop go, and everything else stays.
      const relayed = await legacyStage({ client: NEWEST, server: "2025-06-18" });
      await relayed.client.call("tools/call", { ...params, _meta: more });
      const [call] = sent(relayed, "tools/call");
      expect(Object.keys(metaOf(call)).sort()).toEqual(Object.keys(own).sort());
    });
  });

  describe("questions in answers through the bridge", () => {
    playKind<Wire>(
      "res-type-on-legacy-leg",
      "a server with a handshake that says its answer is unfinished has answered nothing",
      (report) => message(report, "s", 1)["result"] as Wire,
      {
        "with content": { resultType: "input_required", content: [], inputRequests: {} },
        "of a kind nobody knows": { resultType: "partial", content: [{ type: "text", text: "half" }] },
        "no text": { resultType: 1, content: [] },
      },
      async (result) => {
        for (const [client, server] of [
          [NEWEST, NEWEST],
          ["2024-11-05", NEWEST],
          [NEWEST, "2024-11-05"],
        ] as const) {
          const stage = await legacyStage({ client, server, does: inTurn([result]), declares: ABLE });
          const answer = await stage.client.call("tools/call", { name: "t" });
          expect(answer).toMatchObject({ error: { code: -31908, data: { bridge: { kind: "upstream-violation", upstream: result } } } });
          expect(stage.client.written).toEqual([]);
          expect(await stage.client.call("tools/list")).toHaveProperty("result");
          await stage.service.close();
        }
      },
    );

    playKind<readonly [declares: Wire, question: Wire]>(
      "mrtr-capability-url",
      "a question that was not invited reaches nobody, and the call ends with what is missing",
      (report) => [
        at(report.input[0], `/params/_meta/${META}~1clientCapabilities`) as Wire,
        at(message(report, "s"), "/result/inputRequests/a") as Wire,
      ],
      {
        "an address, forms only": [{ elicitation: { form: {} } }, { method: "elicitation/create", params: LINK }],
        "a form, addresses only": [{ elicitation: { url: {} } }, { method: "elicitation/create", params: FORM }],
        "roots, nothing": [{}, { method: "roots/list" }],
        "sampling, roots only": [{ roots: {} }, { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } }],
        "what no answer may ask": [ABLE, { method: "tools/list" }],
      },
      async ([declares, question]) => {
        const stage = await crossedStage({ client: NEWEST, declares, does: inTurn([asks({ ok: { method: "roots/list" }, a: question })]) });
        const answer = await stage.client.call("tools/call", { name: "login", arguments: {} });
        expect(answer).toMatchObject({ result: { isError: true, content: [{ type: "text", text: expect.any(String) }] } });
        expect(stage.client.written).toEqual([]);
        expect(sent(stage, "tools/call")).toHaveLength(1);
        const modern = modernStage(inTurn([asks({ a: question })]));
        const asked = modernRequest(1, "tools/call", { name: "login" }, { [`${META}/clientCapabilities`]: declares });
        const { answer: refused, status } = await modern.ask(asked);
        const needs: Readonly<Record<string, unknown>> = {
          "elicitation/create": { elicitation: at(question, "/params/mode") === "url" ? { url: {} } : { form: {} } },
          "roots/list": { roots: {} },
          "sampling/createMessage": { sampling: {} },
        };
        const required = needs[String(question["method"])];
        if (required === undefined) expect(refused).toMatchObject({ error: { code: -31908 } });
        else expect([status, refused]).toMatchObject([400, { error: { code: -32021, data: { requiredCapabilities: required } } }]);
      },
    );

    playKind<readonly [revision: string, declares: Wire, first: Wire, answer: Wire, last: Wire]>(
      "mrtr-bridge-empty-caps",
      "what the server wants to know is asked of the client that declared it, and the end is an end like any other",
      (report) => [
        String(at(message(report, "c"), "/params/protocolVersion")),
        at(message(report, "c"), "/params/capabilities") as Wire,
        message(report, "s")["result"] as Wire,
        message(report, "c", 3)["result"] as Wire,
        message(report, "s", 1)["result"] as Wire,
      ],
      {
        "an older form": [
          "2025-06-18",
          { elicitation: {} },
          asks({ q1: { method: "elicitation/create", params: FORM } }, "S"),
          { action: "decline" },
          { content: [] },
        ],
        roots: [
          "2024-11-05",
          { roots: {} },
          asks({ q1: { method: "roots/list" } }, ""),
          { roots: [{ uri: "file:///a" }] },
          { content: [] },
        ],
        "no state": [NEWEST, { roots: {} }, asks({ q1: { method: "roots/list" } }), { roots: [] }, { content: [] }],
      },
      async ([client, declares, first, answered, last]) => {
        for (const transport of ["stdio", "streamable-http"] as const) {
          const stage = await crossedStage({ client, declares, transport, does: inTurn([first, last]) });
          stage.client.answers = () => answered;
          const answer = await stage.client.send(request(2, "tools/call", { name: "ask", arguments: {} }));
          const { resultType: _, ...plain } = last;
          expect(answer).toEqual({ jsonrpc: "2.0", id: 2, result: plain });
          const [one, two] = sent(stage, "tools/call");
          expect(one?.["id"]).not.toBe(two?.["id"]);
          expect(Object.keys(at(one, `/params/_meta/${META}~1clientCapabilities`) as object).sort()).toEqual(Object.keys(declares).sort());
          expect(paramsOf(two)).toMatchObject({ name: "ask", inputResponses: { q1: answered } });
          expect(paramsOf(two)["requestState"]).toBe(first["requestState"]);
          expect(stage.client.written).toHaveLength(1);
          expect(stage.client.lines.join("")).not.toMatch(/resultType|inputRequests|requestState/);
          await stage.service.close();
        }
        // A client that cannot be asked is told what it lacks.
        const unable = await crossedStage({ client, does: inTurn([first, last]) });
        const method = String(at(first, "/inputRequests/q1/method"));
        const refused = await unable.client.call("tools/call", { name: "ask" });
        expect(refused).toMatchObject({ result: { isError: true } });
        expect(String(at(refused, "/result/content/0/text"))).toMatch(new RegExp(method.split("/")[0] ?? ""));
        expect(unable.client.written).toEqual([]);
      },
    );

    playKind<readonly Wire[]>(
      "mrtr-loop-cap",
      "a server that never has enough is left after a number of rounds that can be set, and what it asked last is named",
      (report) => arrived(report, "s").map((entry) => at(entry, "/result") as Wire),
      {
        "another state each time": Array.from({ length: 30 }, (_, turn) => asks({ a: { method: "roots/list" } }, `s${turn}`)),
        "another question each time": Array.from({ length: 30 }, (_, turn) => asks({ [`k${turn}`]: { method: "roots/list" } }, "s")),
      },
      async (results) => {
        for (const rounds of [1, 3]) {
          for (const toolFailure of ["isError", "protocolError"] as const) {
            const stage = await crossedStage({
              client: NEWEST,
              declares: { roots: {} },
              does: inTurn(results),
              changes: { limits: { ...DEFAULT_LIMITS, rounds }, choices: { ...DEFAULT_CHOICES, toolFailure } },
            });
            stage.client.answers = () => ({ roots: [] });
            const answer = await stage.client.call("tools/call", { name: "t" });
            const last = Object.keys(at(results[Math.min(rounds, results.length - 1)], "/inputRequests") as object)[0] ?? "";
            const error = toolFailure === "protocolError" ? answer["error"] : at(answer, "/result/_meta/polyrev~1fault");
            expect(error).toMatchObject({ code: -31904, message: expect.stringContaining(`"${last}"`) });
            expect(stage.client.framesOf("roots/list")).toHaveLength(rounds);
            expect(sent(stage, "tools/call")).toHaveLength(rounds + 1);
            await stage.service.close();
          }
        }
      },
    );

    playKind<readonly [data: unknown]>(
      "url-elicit-32042",
      "the addresses an error asks to open reach whoever can read them, untouched, and are no success for anybody",
      (report) => [at(report.input[0], "/error/data")],
      {
        several: [
          {
            elicitations: [
              { ...LINK, elicitationId: "e1" },
              { ...LINK, elicitationId: "e2" },
            ],
          },
        ],
        none: [{ elicitations: [] }],
        "other data": [{ vendor: 1 }],
      },
      async ([data]) => {
        for (const client of LEGACY) {
          const stage = await legacyStage({
            client,
            server: NEWEST,
            does: (given, room) => {
              if (given["method"] === "tools/call") throw new Refuse(-32042, "More information required", data);
              return least(given, room);
            },
          });
          const answer = await stage.client.call("tools/call", { name: "t" });
          expect(answer).toHaveProperty("error");
          if (client === NEWEST) expect(answer["error"]).toEqual({ code: -32042, message: "More information required", data });
          else expect(JSON.stringify(answer)).toContain("More information required");
          await stage.service.close();
        }
      },
    );

    it("url-elicit-32042: an address a server of the newest era wants opened is asked of a client that can open it", async () => {
      const stage = await crossedStage({
        client: NEWEST,
        declares: { elicitation: { url: {} } },
        does: inTurn([asks({ a: { method: "elicitation/create", params: LINK } }, "s"), { content: [] }]),
      });
      stage.client.answers = () => ({ action: "accept" });
      expect(await stage.client.call("tools/call", { name: "t" })).toMatchObject({ result: { content: [] } });
      expect(paramsOf(stage.client.framesOf("elicitation/create")[0])).toMatchObject({ ...LINK, elicitationId: expect.any(String) });
    });
  });

  describe("subscriptions and signs of life through the bridge", () => {
    playKind<readonly [id: string | number, honours: Wire, server: unknown]>(
      "subs-id-rewrite",
      "what belongs to a subscription says so by its client's id, and nothing comes before it was acknowledged",
      (report) => [
        message(report, "c")["id"] as string,
        at(message(report, "s"), "/params/notifications") as Wire,
        at(message(report, "s", 2), "/id"),
      ],
      {
        zero: [0, { toolsListChanged: true }, 0],
        "a number": [17, {}, 17],
        "a digit": ["17", { toolsListChanged: true, promptsListChanged: true }, 17],
        "an empty text": ["", { toolsListChanged: true }, 1],
      },
      async ([id, honours]) => {
        const stage = modernStage(least, { modern: { honours: () => honours, acknowledges: false } });
        const frames: Wire[] = [];
        const sink = { canStream: true, write: (frame: Wire) => void frames.push(frame) };
        const asked = modernRequest(id, "subscriptions/listen", { notifications: { toolsListChanged: true, promptsListChanged: true } });
        const ended = stage.service.exchange(asked, { sink });
        await until("the subscription", () => stage.server.subscriptions.length === 1);
        const [one] = stage.server.subscriptions;
        one?.tell("notifications/tools/list_changed");
        await new Promise((resolve) => setTimeout(resolve, 30));
        expect(frames).toEqual([]);
        one?.tell("notifications/subscriptions/acknowledged", { notifications: honours });
        await until("the acknowledgement and the change", () => frames.length === 2);
        stage.connector.peer.push(notification("notifications/tools/list_changed", { _meta: { [`${META}/subscriptionId`]: "nobody's" } }));
        await until("the drop", () => stage.events.some(({ event }) => event === "dropped"));
        one?.end();
        expect(await ended).toMatchObject({
          answer: { id, result: { resultType: "complete", _meta: { [`${META}/subscriptionId`]: id } } },
        });
        expect(frames.map(({ method }) => method)).toEqual([
          "notifications/subscriptions/acknowledged",
          "notifications/tools/list_changed",
        ]);
        expect(paramsOf(frames[0])["notifications"]).toEqual(honours);
        for (const frame of frames) expect(metaOf(frame)[`${META}/subscriptionId`]).toBe(id);
      },
    );

    playKind<Wire>(
      "subs-unimplemented",
      "a server that has no subscriptions, whatever it says, is asked once, and later clients are told of none",
      (report) => message(report, "s")["error"] as Wire,
      { "in other words": { code: -32601, message: "no such method", data: { method: "subscriptions/listen" } } },
      async (error) => {
        for (const transport of ["stdio", "streamable-http"] as const) {
          const modern = modernServer(least);
          const stage = await legacyStage({
            client: NEWEST,
            transport,
            script: (given, room) => {
              if (given["method"] === "subscriptions/listen") throw Object.assign(new Refuse(0, ""), { error });
              return modern.script(given, room);
            },
          });
          expect(await stage.client.call("tools/list")).toHaveProperty("result");
          await until("the news", () => stage.events.some((event) => event.event === "dropped" && event.method === "subscriptions/listen"));
          expect(await stage.client.call("resources/subscribe", { uri: "a:b" })).toHaveProperty("error");
          const second = new PlayedClient(stage.service);
          const { result } = await second.open(NEWEST);
          expect(at(result, "/capabilities/tools")).toEqual({});
          expect(at(result, "/capabilities/resources")).toEqual({});
          expect(await second.call("tools/list")).toHaveProperty("result");
          expect(sent(stage, "subscriptions/listen")).toHaveLength(1);
          expect([stage.client.ended, second.ended]).toEqual([undefined, undefined]);
          await stage.service.close();
        }
      },
    );

    play(
      "ping-modern",
      "signs of life are given, levels are kept for later requests, and what nobody can hear goes nowhere",
      async (report) => {
        const room = roomWith(modernServer(least).script);
        const client = new PlayedClient(room.service);
        const answers = [];
        for (const one of arrived(report, "c")) answers.push(await client.send(one));
        expect(answers.slice(2)).toEqual([
          { jsonrpc: "2.0", id: "hb-1", result: {} },
          { jsonrpc: "2.0", id: "hb-2", result: {} },
          undefined,
        ]);
        await client.call("tools/list");
        await client.call("tools/call", { name: "t" });
        for (const method of ["ping", "logging/setLevel", "notifications/roots/list_changed", "initialize", "notifications/initialized"])
          expect(sent(room, method), method).toEqual([]);
        for (const method of ["tools/list", "tools/call"]) expect(metaOf(sent(room, method)[0])[`${META}/logLevel`]).toBe("warning");
        expect(room.events).toContainEqual(expect.objectContaining({ event: "dropped", method: "notifications/roots/list_changed" }));
      },
    );

    it.each([["debug"], ["emergency"], ["loud"], [1], [null]])("ping-modern: the level %j", async (level) => {
      const stage = await crossedStage({ client: NEWEST });
      const isKnown = level === "debug" || level === "emergency";
      expect(await stage.client.call("logging/setLevel", { level })).toHaveProperty(isKnown ? "result" : "error");
      await stage.client.call("tools/list");
      expect(metaOf(sent(stage, "tools/list")[0])[`${META}/logLevel`]).toBe(isKnown ? level : undefined);
    });

    play(
      "stream-close-cancel",
      "whoever leaves a request of the newest era ends it at the server; a session goes on without its stream",
      async (report) => {
        const [head, body] = report.input as [string, Wire];
        const open = { calls: 0, closed: 0 };
        const modern = modernServer(least);
        const server = await serve(async (asked, response) => {
          const given = asked.message as Wire;
          if (given["method"] !== "tools/call") {
            const result = await modern.script(given, { send: () => undefined, signal: undefined });
            return sayRaw(asked, HEADS.json, { jsonrpc: "2.0", id: given["id"], result });
          }
          open.calls += 1;
          void asked.closed.then(() => (open.closed += 1));
          stream(response, ": wait\n\n");
        });
        onTestFinished(() => server.close());
        const stage = towards(server.url);
        const port = await listening(stage);
        const leave = async (bytes: string): Promise<void> => {
          const before = open.calls;
          const socket = createConnection(port, "127.0.0.1");
          socket.on("error", () => undefined).write(bytes);
          await until("the call", () => open.calls === before + 1, 10_000);
          socket.destroy();
        };
        const raw = (text: string, given: unknown): string => {
          const payload = JSON.stringify(given);
          return text.replace("\r\n\r\n", `\r\nHost: 127.0.0.1:${port}\r\nContent-Length: ${Buffer.byteLength(payload)}\r\n\r\n`) + payload;
        };
        await leave(raw(head, body));
        await until("the end at the server", () => open.closed === 1, 10_000);
        const session = { "Mcp-Session-Id": await openRaw(port, NEWEST) };
        await leave(raw(headOf(session), request(5, "tools/call", { name: "slow", arguments: {} })));
        await new Promise((resolve) => setTimeout(resolve, 150));
        expect(open.closed).toBe(1);
        expect((await sendRaw(port, headOf(session), notification("notifications/cancelled", { requestId: 5 }))).status).toBe(202);
        await until("the end at the server", () => open.closed === 2, 10_000);
        expect(server.asked.some((asked) => asked.message?.method === "notifications/cancelled")).toBe(false);
        // On a pipe the end is a message.
        const piped = await crossedStage({
          client: NEWEST,
          does: (given, room) => (given["method"] === "tools/call" ? never() : least(given, room)),
        });
        void piped.client.send(request("slow", "tools/call", { name: "slow" }));
        await until("the call", () => sent(piped, "tools/call").length === 1);
        await piped.client.notify("notifications/cancelled", { requestId: "slow", reason: "enough" });
        await until("the end", () => sent(piped, "notifications/cancelled").length === 1);
        expect(paramsOf(sent(piped, "notifications/cancelled")[0])).toMatchObject({
          requestId: sent(piped, "tools/call")[0]?.["id"],
          reason: "enough",
        });
      },
    );
  });

  describe("capabilities through the bridge", () => {
    playKind<readonly [error: Wire, takes: (capabilities: Wire) => boolean]>(
      "cap-elicitation-form-strict",
      "a server that is strict about what it knows is offered less, in the shape of less",
      (report) => [
        message(report, "s")["error"] as Wire,
        ({ elicitation }) => elicitation === undefined || Object.keys(elicitation as Wire).length === 0,
      ],
      {
        "no elicitation at all": [{ code: -32602, message: "unknown member elicitation" }, ({ elicitation }) => elicitation === undefined],
        "nothing but roots": [
          { code: -32600, message: "bad" },
          (capabilities) => Object.keys(capabilities).every((key) => key === "roots"),
        ],
      },
      async ([error, takes]) => {
        const stage = await legacyStage({
          client: NEWEST,
          declares: { roots: {}, elicitation: { form: {}, url: {} } },
          script: (given, room) => {
            if (given["method"] !== "initialize") return legacyServer("2024-11-05")(given, room);
            const { capabilities, protocolVersion } = paramsOf(given);
            if (!takes(capabilities as Wire)) throw Object.assign(new Refuse(0, ""), { error });
            return { protocolVersion, capabilities: EVERYTHING, serverInfo: { name: "s", version: "1" } };
          },
        });
        expect(stage.welcomed).toMatchObject({ result: { protocolVersion: NEWEST } });
        const offers = sent(stage, "initialize").map(paramsOf);
        expect(offers.length).toBeGreaterThan(1);
        for (const { protocolVersion, capabilities } of offers) {
          const { elicitation } = capabilities as Wire;
          if (String(protocolVersion) < "2025-06-18") expect(elicitation).toBeUndefined();
          else if (protocolVersion === "2025-06-18") expect(elicitation).toEqual({});
          else expect(elicitation).toEqual({ form: {}, url: {} });
        }
      },
    );

    playKind<Wire>(
      "cap-elicitation-no-handler",
      "a client that cannot do what it declared says so to the server, in its own words",
      (report) => message(report, "c", 3)["error"] as Wire,
      { "another code": { code: -1, message: "User rejected" }, "with data": { code: -32603, message: "no", data: { a: [null] } } },
      async (error) => {
        const stage = await legacyStage({
          client: "2025-06-18",
          server: "2025-06-18",
          declares: { elicitation: {} },
          does: (given, room) => {
            if (given["method"] !== "tools/call") return least(given, room);
            room.send(request("e1", "elicitation/create", { message: "sure?", requestedSchema: { type: "object", properties: {} } }));
            return new Promise((resolve) => setTimeout(() => resolve({ content: [] }), 50));
          },
        });
        stage.client.answers = () => {
          throw Object.assign(new Refuse(0, ""), { error });
        };
        expect(await stage.client.call("tools/call", { name: "t" })).toMatchObject({ result: { content: [] } });
        expect(stage.peer.messages.find(({ id }) => id === "e1")).toEqual({ jsonrpc: "2.0", id: "e1", error });
        const modern = await crossedStage({
          client: "2025-06-18",
          declares: { elicitation: {} },
          does: inTurn([asks({ a: { method: "elicitation/create", params: FORM } })]),
          changes: { timeouts: { ...optionsWith().timeouts, answer: 200 } },
        });
        modern.client.answers = stage.client.answers;
        expect(await modern.client.call("tools/call", { name: "t" })).toMatchObject({ result: { isError: true } });
        modern.client.answers = () => undefined;
        expect(await modern.client.call("tools/call", { name: "t" })).toMatchObject({ result: { isError: true } });
      },
    );

    playKind<readonly [serves: Wire, methods: readonly string[]]>(
      "cap-ungated-list",
      "what is not advertised is refused by the bridge, the same way each time",
      (report) => [
        at(message(report, "s"), "/result/capabilities") as Wire,
        arrived(report, "c").map((entry) => String(at(entry, "/method"))),
      ],
      {
        nothing: [
          {},
          [
            "tools/list",
            "tools/call",
            "prompts/list",
            "prompts/get",
            "resources/list",
            "resources/read",
            "completion/complete",
            "logging/setLevel",
          ],
        ],
        "no subscriptions": [{ resources: {} }, ["resources/subscribe", "resources/unsubscribe"]],
      },
      async ([serves, methods]) => {
        const params = { name: "t", uri: "a:b", level: "info", ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } };
        for (const stage of [
          await legacyStage({ client: "2025-06-18", server: "2025-06-18", serves }),
          await crossedStage({ client: "2025-06-18", modern: { capabilities: serves } }),
        ]) {
          const before = stage.peer.lines.length;
          for (const method of methods) {
            const answers = [await stage.client.call(method, params), await stage.client.call(method, params)];
            for (const answer of answers) expect(answer["error"], method).toMatchObject({ code: -32601 });
            expect(answers[0]?.["error"]).toEqual(answers[1]?.["error"]);
          }
          expect(stage.peer.lines.slice(before).filter((line) => !line.includes("subscriptions/listen"))).toEqual([]);
        }
        const empty = await legacyStage({ client: "2025-06-18", server: "2025-06-18", serves: { tools: {}, prompts: {}, resources: {} } });
        expect(await empty.client.call("resources/list")).toMatchObject({ result: { resources: [] } });
      },
    );

    playKind<readonly [serves: Wire, method: string, isHeard: boolean]>(
      "cap-list-changed-relayed",
      "a change is told where it was announced that changes are, and nowhere else",
      (report) => [{ tools: {} }, String(message(report, "s")["method"]), false],
      Object.fromEntries(
        ["tools", "prompts", "resources"].flatMap((kind) =>
          [{}, { listChanged: false }, { listChanged: true }].map((flags) => [
            `${kind} with ${JSON.stringify(flags)}`,
            [{ [kind]: flags }, `notifications/${kind}/list_changed`, "listChanged" in flags && flags.listChanged] as const,
          ]),
        ),
      ),
      async ([serves, method, isHeard]) => {
        const stage = await legacyStage({ client: NEWEST, server: NEWEST, serves });
        stage.peer.push(notification(method));
        stage.peer.push(request("p", "ping"));
        await until("the sign of life", () => stage.peer.messages.some(({ id, result }) => id === "p" && result !== undefined));
        expect(stage.client.framesOf(method)).toHaveLength(isHeard ? 1 : 0);
        if (!isHeard) expect(stage.events).toContainEqual(expect.objectContaining({ event: "dropped", hop: "upstream", method }));
        const crossed = await crossedStage({ client: NEWEST, modern: { capabilities: serves } });
        await new Promise((resolve) => setTimeout(resolve, 60));
        expect(sent(crossed, "subscriptions/listen")).toHaveLength(isHeard ? 1 : 0);
        if (isHeard) {
          crossed.server.subscriptions[0]?.tell(method);
          await until("the change", () => crossed.client.framesOf(method).length === 1);
        }
      },
    );

    const TYPED = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    playKind<readonly [schema: Wire, content: readonly Wire[], structured: unknown]>(
      "result-no-structured",
      "what a tool promised is taken from its text where it is there; where it is not the text stays, and the promise is made no more",
      (report) => [
        at(message(report, "s"), "/result/tools/0/outputSchema") as Wire,
        at(message(report, "s", 1), "/result/content") as Wire[],
        { n: 1 },
      ],
      {
        "more than is named": [TYPED, [{ type: "text", text: '{"n":1,"m":[null]}' }], { n: 1, m: [null] }],
        "beside an image": [
          TYPED,
          [
            { type: "image", data: "", mimeType: "image/png" },
            { type: "text", text: '{"n":1}' },
          ],
          { n: 1 },
        ],
        "another type": [TYPED, [{ type: "text", text: '{"n":"1"}' }], undefined],
        "nothing of it": [TYPED, [{ type: "text", text: "{}" }], undefined],
        "no object": [TYPED, [{ type: "text", text: "[1]" }], undefined],
        "no JSON": [TYPED, [{ type: "text", text: "n is 1" }], undefined],
        "two texts": [
          TYPED,
          [
            { type: "text", text: '{"n":1}' },
            { type: "text", text: "done" },
          ],
          undefined,
        ],
        "a number that would not survive": [TYPED, [{ type: "text", text: '{"n":9007199254740993}' }], undefined],
        "a schema nobody here understands": [{ ...TYPED, anyOf: [{}] }, [{ type: "text", text: '{"n":1}' }], undefined],
      },
      async ([outputSchema, content, structured]) => {
        const tools = [{ name: "q", inputSchema: { type: "object" }, outputSchema }];
        const does: Script = (given, room) =>
          given["method"] === "tools/list" ? { tools } : given["method"] === "tools/call" ? { content } : least(given, room);
        for (const [name, open] of [
          ["relay", () => legacyStage({ client: NEWEST, server: NEWEST, does })],
          ["crossed", () => crossedStage({ client: "2025-06-18", does })],
        ] as const) {
          const stage = await open();
          expect(at(await stage.client.call("tools/list"), "/result/tools/0/outputSchema"), name).toEqual(outputSchema);
          const { result } = await stage.client.call("tools/call", { name: "q", arguments: {} });
          expect(result, name).toEqual({ content, ...(structured === undefined ? {} : { structuredContent: structured }) });
          expect(at(await stage.client.call("tools/list"), "/result/tools/0/outputSchema"), name).toEqual(
            structured === undefined ? undefined : outputSchema,
          );
          await stage.service.close();
        }
        const kept = await legacyStage({
          client: NEWEST,
          server: NEWEST,
          does,
          changes: { choices: { ...DEFAULT_CHOICES, missingStructured: "keep" } },
        });
        await kept.client.call("tools/list");
        expect((await kept.client.call("tools/call", { name: "q" }))["result"]).toEqual({ content });
      },
    );

    playKind<(turn: number) => string | undefined>(
      "list-cursor-empty",
      "whoever reads a list to its end follows an empty cursor once, and leaves a list that goes round or never ends",
      (report) => () => String(at(message(report, "s"), "/result/nextCursor")),
      {
        "a circle": (turn) => (turn % 2 === 0 ? "a" : "b"),
        "no end": (turn) => `page-${turn}`,
        "an end": (turn) => (turn < 2 ? `page-${turn}` : undefined),
      },
      async (cursorOf) => {
        let lists = 0;
        const seen: unknown[] = [];
        const script: Script = (given, room) => {
          if (given["method"] !== "tools/list") return least(given, room);
          seen.push(paramsOf(given)["cursor"]);
          const nextCursor = cursorOf(lists);
          lists += 1;
          return {
            tools: [{ name: "t", inputSchema: { type: "object", properties: { a: { type: "string", "x-mcp-header": "A" } } } }],
            ...(nextCursor === undefined ? {} : { nextCursor }),
          };
        };
        const server = await httpServer(modernServer(script).script, {
          interrupt: (given) => {
            const isRefused = given.message["method"] === "tools/call" && given.headers["mcp-param-a"] === undefined;
            if (isRefused) sayRaw(given, HEADS.json, { jsonrpc: "2.0", id: given.message["id"], error: { code: -32020, message: "no" } });
            return isRefused;
          },
        });
        const stage = towards(server.url);
        const { client } = await playedClient(stage, NEWEST);
        expect(await client.call("tools/call", { name: "t", arguments: { a: "1" } })).toHaveProperty("result");
        expect(lists).toBeLessThanOrEqual(256);
        expect(new Set(seen).size).toBe(seen.length);
        if (cursorOf(0) === "") expect(seen).toEqual([undefined, ""]);
        // For the client a page is a page; an empty cursor is the end where the server has a handshake, and a cursor where it has none.
        const legacy = await legacyStage({ client: NEWEST, server: "2025-06-18", does: script });
        const ended = at(await legacy.client.call("tools/list", { cursor: "" }), "/result");
        if (cursorOf(lists - 1) === "") expect(ended).not.toHaveProperty("nextCursor");
        const modern = modernStage(script);
        const { answer } = await modern.ask(modernRequest(1, "tools/list", { cursor: "" }));
        expect(at(answer, "/result/nextCursor")).toBe(cursorOf(lists - 1));
        expect(paramsOf(modern.sent("tools/list")[0])["cursor"]).toBe("");
      },
    );
  });
}
