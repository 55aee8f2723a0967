// Reports about HTTP, played through the bridge as the bytes they were: the headers of both eras, what Accept says, statuses that mean something
// else, sessions that are gone, and streams of events in every spelling.
import { describe, expect, it, onTestFinished } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import { DEFAULT_CHOICES } from "../../../runtime/bridge/options.js";
import { modernServer } from "../../bridge/modern-script.js";
import { json, serve, type Scripted } from "../../transport/scripted-server.js";
import { at, LEGACY, message, MODERN, play, playKind } from "../reports.js";
import {
  EVERYTHING,
  HEADS,
  headOf,
  httpServer,
  initialize,
  least,
  legacyServer,
  listening,
  metaOf,
  modernRequest,
  modernStage,
  notification,
  openRaw,
  paramsOf,
  playedClient,
  Refuse,
  request,
  sayRaw,
  sendRaw,
  towards,
  until,
  withHeader,
  type Asked,
  type Script,
} from "./stage.js";

const NEWEST = LEGACY.at(-1) ?? "";
const WITH_VERSION_HEADER = LEGACY.filter((revision) => revision >= "2025-06-18");
const PING = request(9, "ping");
const LIST = request(2, "tools/list", {});

/** A bridge that listens, in front of a legacy server over HTTP. */
async function front(
  revision: string,
  does: Script = least,
): Promise<{ readonly port: number; readonly server: Scripted; readonly events: readonly { readonly event: string }[] }> {
  const server = await httpServer(legacyServer("2025-06-18", does));
  const stage = towards(server.url, {}, { choices: { ...DEFAULT_CHOICES, clientRevision: revision } });
  return { port: await listening(stage), server, events: stage.events };
}

/** The messages of a method that a server over HTTP got. */
function got(server: Scripted, method: string): readonly Asked[] {
  return server.asked.filter((asked) => asked.message?.method === method);
}

/** Has a server over HTTP answer its first request of a method with a head and pieces of a body, `$id` the id of the request. */
function once(method: string, head: string, body: unknown, answers: (nth: number) => boolean = () => true) {
  return {
    interrupt: (asked: Asked & { readonly message: Wire }, nth: number): boolean => {
      if (asked.method !== "POST" || asked.message["method"] !== method || !answers(nth)) return false;
      const text = typeof body === "string" ? body : JSON.stringify(body);
      sayRaw(asked, head, text.replaceAll('"$id"', JSON.stringify(asked.message["id"] ?? null)));
      return true;
    },
  };
}

/** Registers the plays about HTTP through the bridge. */
export function playBridgeHttp(): void {
  describe("headers through the bridge", () => {
    playKind<readonly [agreed: string, header: string]>(
      "hdr-sticky-version",
      "a header of another version than was agreed on is refused with both, and no server hears of it",
      (report) => [String(at(message(report, "s"), "/result/protocolVersion")), "2025-11-25"],
      Object.fromEntries(
        WITH_VERSION_HEADER.flatMap((agreed) =>
          LEGACY.filter((header) => header !== agreed).map((header) => [`${header} at ${agreed}`, [agreed, header] as const]),
        ),
      ),
      async ([agreed, header]) => {
        const { port, server } = await front(agreed);
        const opening = await sendRaw(port, headOf({ "MCP-Protocol-Version": header, "Mcp-Session-Id": "s1" }), initialize(header));
        expect(at(opening.messages[0], "/result/protocolVersion")).toBe(agreed);
        const session = { "Mcp-Session-Id": opening.headers["mcp-session-id"] ?? "" };
        const before = server.asked.length;
        const wrong = await sendRaw(port, headOf({ ...session, "MCP-Protocol-Version": header }), LIST);
        expect([wrong.status, at(wrong.messages[0], "/id")]).toEqual([400, 2]);
        expect(at(wrong.messages[0], "/error/message")).toContain(header);
        expect(at(wrong.messages[0], "/error/message")).toContain(agreed);
        expect(server.asked.slice(before).filter((asked) => asked.message?.method === "tools/list")).toEqual([]);
        const right = await sendRaw(port, headOf({ ...session, "MCP-Protocol-Version": agreed }), LIST);
        expect(right.messages).toMatchObject([{ id: 2, result: { tools: [] } }]);
        // Each hop says its own.
        expect(got(server, "tools/list").map(({ headers }) => headers["mcp-protocol-version"])).toEqual(["2025-06-18"]);
        expect(got(server, "initialize").map(({ headers }) => headers["mcp-protocol-version"])).toEqual([undefined]);
      },
    );

    playKind<string>(
      "hdr-missing-on-session",
      "a message in a session without the header is of the session's revision",
      () => "2025-06-18",
      Object.fromEntries(LEGACY.map((revision) => [revision, revision])),
      async (revision) => {
        const { port } = await front(revision, ({ method }) =>
          method === "tools/call" ? { content: [{ type: "resource_link", uri: "a:b", name: "n" }] } : { tools: [] },
        );
        const opening = await sendRaw(port, headOf(), initialize(revision));
        const session = { "Mcp-Session-Id": opening.headers["mcp-session-id"] ?? "" };
        expect((await sendRaw(port, headOf(session), LIST)).messages).toMatchObject([{ id: 2, result: { tools: [] } }]);
        const call = await sendRaw(port, headOf(session), request(3, "tools/call", { name: "t" }));
        expect(at(call.messages[0], "/result/content/0/type")).toBe(revision >= "2025-06-18" ? "resource_link" : "text");
      },
    );

    playKind<string>(
      "hdr-garbage-accepted",
      "a header that names no revision is refused before anything is done, and only a handshake goes by its body",
      (report) => /MCP-Protocol-Version: ([^\r]+)/.exec(String(report.input[0]))?.[1] ?? "",
      {
        "a word": "latest",
        "a later date": "2999-01-01",
        "a number": "1",
        "a list of two": `${NEWEST}, 1999-01-01`,
        "a template": "{{version}}",
      },
      async (header) => {
        const { port, server } = await front(NEWEST);
        const opening = await sendRaw(port, headOf({ "MCP-Protocol-Version": header }), initialize(NEWEST));
        expect(at(opening.messages[0], "/result/protocolVersion")).toBe(NEWEST);
        const session = { "Mcp-Session-Id": opening.headers["mcp-session-id"] ?? "" };
        const before = server.asked.length;
        for (const body of [LIST, PING, request("x", "tools/call", { name: "write" })]) {
          for (const more of [session, {}]) {
            const { status, messages } = await sendRaw(port, headOf({ ...more, "MCP-Protocol-Version": header }), body);
            expect([status, messages.length]).toEqual([400, 1]);
            expect(messages[0]).toMatchObject({ id: body["id"], error: { message: expect.any(String) } });
          }
        }
        expect((await sendRaw(port, headOf({ ...session, "MCP-Protocol-Version": header }, "GET"))).status).toBe(400);
        expect(server.asked.length - before).toBeLessThanOrEqual(2);
        expect(got(server, "tools/call")).toEqual([]);
      },
    );

    playKind<readonly [header: string, isTaken: boolean]>(
      "hdr-version-joined",
      "the same version several times is one, and two different ones are none",
      (report) => [/MCP-Protocol-Version: ([^\r]+)/.exec(String(report.input[0]))?.[1] ?? "", true],
      {
        thrice: ["2025-06-18,2025-06-18 ,2025-06-18", true],
        "with nothing between": ["2025-06-18,,2025-06-18", true],
        "two of them": ["2025-06-18, 2025-11-25", false],
        "in the other order": ["2025-11-25, 2025-06-18", false],
        "one that is none": ["2025-06-18, x", false],
      },
      async ([header, isTaken]) => {
        const { port, server } = await front("2025-06-18");
        const session = { "Mcp-Session-Id": await openRaw(port, "2025-06-18") };
        const joined = await sendRaw(port, headOf({ ...session, "MCP-Protocol-Version": header }), LIST);
        expect(joined.status).toBe(isTaken ? 200 : 400);
        expect(joined.messages).toMatchObject([isTaken ? { id: 2, result: { tools: [] } } : { id: 2, error: {} }]);
        // As two lines, in two spellings of the name.
        const [one = "", other = ""] = header.split(",").map((value) => value.trim());
        const head = headOf({ ...session, "mcp-protocol-version": one }).replace("\r\n\r\n", `\r\nMCP-PROTOCOL-VERSION: ${other}\r\n\r\n`);
        expect((await sendRaw(port, head, LIST)).status).toBe(isTaken ? 200 : 400);
        expect(got(server, "tools/list")).toHaveLength(isTaken ? 2 : 0);
      },
    );

    play("hdr-session-not-sent", "a session goes with every message from its first answer on, and is asked of clients", async (report) => {
      const name = /^([\w-]+): s1/m.exec(String(report.input[1]))?.[1] ?? "";
      for (const spelling of [name, name.toUpperCase(), "Mcp-Session-Id"]) {
        const server = await httpServer(legacyServer("2025-06-18"), {
          session: false,
          interrupt: (asked) => {
            if (asked.message["method"] !== "initialize") return false;
            const result = { protocolVersion: "2025-06-18", capabilities: EVERYTHING, serverInfo: { name: "s", version: "1" } };
            sayRaw(asked, withHeader(HEADS.json, spelling, "s1"), { jsonrpc: "2.0", id: asked.message["id"], result });
            return true;
          },
        });
        const stage = towards(server.url);
        const { client } = await playedClient(stage, "2025-06-18");
        await client.call("tools/list");
        await client.conversation.close("done");
        const later = server.asked.slice(server.asked.findIndex((asked) => asked.message?.method === "initialize") + 1);
        expect(later.map((asked) => asked.headers["mcp-session-id"])).toEqual(later.map(() => "s1"));
        expect(later.map(({ method }) => method)).toEqual(expect.arrayContaining(["POST", "GET", "DELETE"]));
        expect(later[0]?.message?.method).toBe("notifications/initialized");
      }
      const { port } = await front("2025-06-18");
      const allowed = await sendRaw(port, headOf({ Origin: "http://localhost:5173" }), initialize("2025-06-18"));
      expect(allowed.headers["access-control-expose-headers"]?.toLowerCase()).toContain("mcp-session-id");
      const asked = report.input[4] as Wire;
      const bare = withHeader(String(report.input[3]), "Mcp-Session-Id", undefined);
      expect((await sendRaw(port, bare, asked)).status).toBe(400);
      expect((await sendRaw(port, bare, LIST)).messages).toMatchObject([{ id: 2, error: {} }]);
      for (const body of [asked, LIST]) expect((await sendRaw(port, withHeader(bare, "Mcp-Session-Id", "s1"), body)).status).toBe(404);
      for (const method of ["GET", "DELETE"]) {
        expect((await sendRaw(port, headOf({ "Mcp-Session-Id": "s1" }, method))).status).toBe(404);
        expect((await sendRaw(port, headOf({}, method))).status).toBe(405);
      }
    });

    const ACCEPTS: readonly (readonly [accept: string | undefined, kind: "json" | "either" | "stream" | "none"])[] = [
      [undefined, "either"],
      ["*/*", "either"],
      ["application/json", "json"],
      ["application/*", "json"],
      ["APPLICATION/JSON;q=0.5", "json"],
      ["text/event-stream", "stream"],
      ["text/*", "stream"],
      ["text/event-stream, application/json", "either"],
      ["application/json,text/event-stream", "either"],
      ["application/json;charset=utf-8, text/html", "json"],
      ["application/json;q=0, text/event-stream", "stream"],
      ["text/html", "none"],
      ["application/jsonx", "none"],
      ["*/*;q=0", "none"],
    ];
    it.each(ACCEPTS)("hdr-accept-wildcard: Accept %j", async (accept, kind) => {
      const { port } = await front("2025-06-18");
      const head = withHeader(headOf(), "Accept", accept);
      const { status, headers, messages } = await sendRaw(port, head, initialize("2025-06-18", {}, "own-id"));
      expect(status).toBe(kind === "none" ? 406 : 200);
      expect(messages).toMatchObject([{ id: "own-id" }]);
      if (kind === "json") expect(headers["content-type"]).toMatch(/^application\/json/);
      if (kind === "stream") expect(headers["content-type"]).toMatch(/^text\/event-stream/);
      expect(messages[0]).toHaveProperty(kind === "none" ? "error" : "result");
    });

    play("hdr-accept-wildcard", "what a client takes is read as a list, whatever stands in it", async (report) => {
      for (let index = 0; index < report.input.length; index += 2) {
        const { port } = await front("2025-06-18");
        const head = String(report.input[index]);
        const takesNone = /Accept: /.test(head) && !/json|event-stream|\*/.test(head);
        const { status, messages } = await sendRaw(port, head, report.input[index + 1]);
        expect(status).toBe(takesNone ? 406 : 200);
        expect(messages).toMatchObject([{ id: at(report.input[index + 1], "/id") }]);
      }
    });

    playKind<readonly [head: string, body: unknown]>(
      "hdr-accept-order",
      "a server that looks at the first type only is asked the other way round, and its error is tied to the request",
      (report) => [String(report.input[2]), report.input[3]],
      {
        "nothing said": ["HTTP/1.1 406 Not Acceptable\r\n\r\n", ""],
        "a page": ["HTTP/1.1 406 Not Acceptable\r\nContent-Type: text/html\r\n\r\n", "<h1>406</h1>"],
      },
      async ([head, body]) => {
        const first = await httpServer(legacyServer("2025-06-18"), {
          interrupt: (asked) => {
            const refuses = asked.method === "POST" && asked.headers.accept?.startsWith("text/event-stream") !== true;
            if (refuses) sayRaw(asked, head, body);
            return refuses;
          },
        });
        const { client, welcomed } = await playedClient(towards(first.url), "2025-06-18");
        expect(welcomed).toHaveProperty("result");
        expect(await client.call("tools/list")).toHaveProperty("result");
        const types = first.asked.filter(({ method }) => method === "POST").map(({ headers }) => headers.accept);
        for (const accept of types) expect(accept).toMatch(/application\/json.*event-stream|event-stream.*application\/json/);
        const never = await httpServer(least, { interrupt: (asked) => (sayRaw(asked, head, body), true) });
        const refused = await playedClient(towards(never.url), "2025-06-18");
        expect(refused.welcomed).toMatchObject({ id: 1, error: { code: expect.any(Number) } });
        expect(never.asked.length).toBeLessThan(20);
      },
    );

    playKind<readonly Wire[]>(
      "hdr-mcp-method-missing",
      "what a message says is repeated in its headers, in a form headers take",
      (report) => (report.input as readonly Wire[]).filter(({ method }) => method !== undefined),
      Object.fromEntries(
        ["plain", "größe", "読む", "", " blank ", "=?base64?YQ==?=", "a\nb", "a b", "🎉", "x".repeat(300)].map((name) => [
          JSON.stringify(name).slice(0, 20),
          [
            modernRequest(1, "tools/call", { name, arguments: {} }),
            modernRequest(2, "prompts/get", { name }),
            modernRequest(3, "resources/read", { uri: name }),
            modernRequest(4, "tools/list"),
          ],
        ]),
      ),
      async (messages) => {
        const server = await httpServer(modernServer(least).script);
        const stage = towards(server.url);
        const { client } = await playedClient(stage, NEWEST);
        for (const one of messages) {
          const { _meta, ...params } = paramsOf(one);
          await stage.service.exchange(one, { sink: { canStream: true, write: () => undefined } });
          if (one["method"] !== "server/discover") await client.call(String(one["method"]), params);
        }
        const named = { "tools/call": "name", "prompts/get": "name", "resources/read": "uri" } as Readonly<Record<string, string>>;
        const posts = server.asked.filter(({ method }) => method === "POST");
        expect(posts.length).toBeGreaterThan(messages.length);
        for (const { headers, message: sent } of posts) {
          const { method } = sent as Wire;
          expect(headers["mcp-protocol-version"]).toBe(MODERN);
          expect(headers["mcp-method"]).toBe(method);
          const field = named[String(method)];
          const name = field === undefined ? undefined : paramsOf(sent)[field];
          const header = headers["mcp-name"];
          if (name === undefined) expect(header).toBeUndefined();
          else {
            const encoded = /^=\?base64\?(.*)\?=$/.exec(String(header))?.[1];
            expect(encoded === undefined ? header : Buffer.from(encoded, "base64").toString()).toBe(name);
          }
        }
      },
    );

    playKind<readonly [headers: Readonly<Record<string, string | undefined>>, name: string]>(
      "hdr-name-mismatch",
      "a header that says something else than the message is refused, and nothing is done",
      (report) => [{ "Mcp-Name": /Mcp-Name: ([^\r]+)/.exec(String(report.input[0]))?.[1] }, String(at(report.input[1], "/params/name"))],
      {
        "no name": [{ "Mcp-Name": undefined }, "delete_all"],
        "another method": [{ "Mcp-Method": "tools/list" }, "delete_all"],
        "no method": [{ "Mcp-Method": undefined }, "delete_all"],
        "another version": [{ "MCP-Protocol-Version": NEWEST }, "delete_all"],
        "another case": [{ "Mcp-Name": "Delete_All" }, "delete_all"],
        "another name, encoded": [{ "Mcp-Name": "=?base64?c2FmZQ==?=" }, "delete_all"],
        "what cannot be decoded": [{ "Mcp-Name": "=?base64?***?=" }, "delete_all"],
        "a name that was not encoded": [{ "Mcp-Name": "gr\u00f6\u00dfe" }, "größe"],
      },
      async ([headers, name]) => {
        const stage = modernStage();
        const port = await listening(stage);
        const whole = {
          "MCP-Protocol-Version": MODERN,
          "Mcp-Method": "tools/call",
          "Mcp-Name": `=?base64?${Buffer.from(name).toString("base64")}?=`,
        };
        const wrong = Object.entries(headers).reduce((head, [key, value]) => withHeader(head, key, value), headOf(whole));
        const refused = await sendRaw(port, wrong, modernRequest(3, "tools/call", { name, arguments: {} }));
        expect(refused.status).toBe(400);
        expect(refused.messages).toMatchObject([{ id: 3, error: { code: -32020 } }]);
        expect(stage.sent("tools/call")).toEqual([]);
        const right = await sendRaw(port, headOf(whole), modernRequest(4, "tools/call", { name, arguments: {} }));
        expect(right.messages).toMatchObject([{ id: 4, result: { resultType: "complete" } }]);
      },
    );

    play(
      "hdr-mcp-param",
      "what a tool wants repeated is repeated, looked up once where it was not known, and kept from no client",
      async (report) => {
        const { tools } = message(report, "s")["result"] as { tools: Wire[] };
        const call = message(report, "s", 1);
        const asked = { name: "issue_write", arguments: { owner: "o" } };
        for (const [hasListed, stale] of [
          [true, false],
          [false, false],
          [false, true],
        ] as const) {
          let lists = 0;
          const script: Script = ({ method }) =>
            method === "tools/list" ? ((lists += 1), { tools, resultType: "complete" }) : least({ method }, {} as never);
          const server = await httpServer(modernServer(script).script, {
            interrupt: (given) => {
              const isRefused = given.message["method"] === "tools/call" && (stale || given.headers["mcp-param-owner"] !== "o");
              if (isRefused)
                sayRaw(given, "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\r\n", { ...call, id: given.message["id"] });
              return isRefused;
            },
          });
          const { client } = await playedClient(towards(server.url), NEWEST);
          if (hasListed) expect(at(await client.call("tools/list"), "/result/tools/0/name")).toBe("issue_write");
          const answer = await client.call("tools/call", asked);
          expect(answer).toHaveProperty(stale ? "error" : "result");
          expect(got(server, "tools/call")).toHaveLength(hasListed ? 1 : 2);
          expect(lists).toBe(1);
          if (!stale) expect(got(server, "tools/call").at(-1)?.headers["mcp-param-owner"]).toBe("o");
        }
      },
    );
  });

  describe("statuses through the bridge", () => {
    playKind<readonly [head: string, body: string]>(
      "http-notif-200-null",
      "what expects no answer is delivered with any success, whatever stands in it",
      (report) => [String(report.input[2]), String(report.input[3])],
      {
        "202 and nothing": [HEADS.accepted, ""],
        "204": ["HTTP/1.1 204 No Content\r\n\r\n", ""],
        "200 and a result": [HEADS.json, '{"jsonrpc":"2.0","id":null,"result":{}}'],
        "200 and no JSON": [HEADS.json, "OK"],
        "200 and a page": ["HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", "<html>"],
        "a stream with nothing": [HEADS.stream, ""],
      },
      async ([head, body]) => {
        const server = await httpServer(legacyServer("2025-06-18"), {
          interrupt: (asked) => {
            const isNote = asked.method === "POST" && asked.message["id"] === undefined;
            if (isNote) sayRaw(asked, head, body);
            return isNote;
          },
        });
        const stage = towards(server.url);
        const { client, welcomed } = await playedClient(stage, "2025-06-18", { roots: { listChanged: true } });
        expect(welcomed).toHaveProperty("result");
        await client.notify("notifications/roots/list_changed");
        expect(await client.call("tools/list")).toHaveProperty("result");
        expect(got(server, "notifications/initialized")).toHaveLength(1);
        expect(got(server, "notifications/roots/list_changed")).toHaveLength(1);
        expect(
          stage.events.filter(({ event }) => event === "dropped").map((event) => ("method" in event ? event.method : "")),
        ).not.toContain("notifications/initialized");
        const port = await listening(stage);
        const opening = await sendRaw(port, headOf(), initialize("2025-06-18"));
        const noted = await sendRaw(
          port,
          headOf({ "Mcp-Session-Id": opening.headers["mcp-session-id"] ?? "" }),
          notification("notifications/initialized"),
        );
        expect([noted.status, noted.text, noted.headers["content-type"]]).toEqual([202, "", undefined]);
      },
    );

    playKind<readonly [head: string, body: string]>(
      "http-202-empty",
      "a request that is only accepted has an end, and it is no success",
      (report) => [String(report.input[2]), ""],
      {
        "200 and nothing": [HEADS.json, ""],
        "200 and null": [HEADS.json, "null"],
        "204": ["HTTP/1.1 204 No Content\r\n\r\n", ""],
        "a stream with nothing": [HEADS.stream, ""],
      },
      async ([head, body]) => {
        const server = await httpServer(legacyServer("2025-06-18"), once("tools/list", head, body));
        const { client } = await playedClient(towards(server.url, { strayMs: 100 }), "2025-06-18");
        expect(await client.call("tools/list")).toMatchObject({ error: { code: expect.any(Number), message: expect.any(String) } });
        expect(await client.call("prompts/list")).toHaveProperty("result");
        expect(got(server, "notifications/initialized")).toHaveLength(1);
      },
    );

    playKind<readonly [head: string, body: unknown]>(
      "http-session-404",
      "a session the server has lost is begun anew once for all, and nobody's call is done twice",
      (report) => [String(report.input[2]), report.input[3]],
      {
        "404 and nothing": ["HTTP/1.1 404 Not Found\r\n\r\n", ""],
        "404 and a page": ["HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n", "<h1>404</h1>"],
        "404 and an error of its own": [
          "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\r\n",
          { jsonrpc: "2.0", id: "$id", error: { code: -32600, message: "unknown session" } },
        ],
      },
      async ([head, body]) => {
        let lost = false;
        const server = await httpServer(legacyServer("2025-06-18"), {
          interrupt: (asked) => {
            const isGone = lost && asked.headers["mcp-session-id"] === "up-1" && asked.method === "POST";
            if (isGone)
              sayRaw(
                asked,
                head,
                typeof body === "string" ? body : JSON.stringify(body).replace('"$id"', JSON.stringify(asked.message["id"] ?? null)),
              );
            return isGone;
          },
        });
        const stage = towards(server.url);
        const { client } = await playedClient(stage, "2025-06-18");
        await client.call("logging/setLevel", { level: "warning" });
        await client.call("resources/subscribe", { uri: "a:b" });
        lost = true;
        const answers = await Promise.all([client.call("tools/list"), client.call("prompts/list"), client.call("resources/list")]);
        for (const answer of answers) expect(answer).toHaveProperty("result");
        expect(client.ended).toBeUndefined();
        expect(got(server, "initialize").map(({ headers }) => headers["mcp-session-id"])).toEqual([undefined, undefined]);
        for (const method of ["notifications/initialized", "logging/setLevel", "resources/subscribe"])
          expect(got(server, method).at(-1)?.headers["mcp-session-id"], method).toBe("up-2");
        expect(stage.events.filter(({ event }) => event === "reconnected")).toHaveLength(1);
        // What may do something is not repeated; the client may.
        lost = false;
        const other = await playedClient(towards((await onceLost(head, body)).url), "2025-06-18");
        expect((await other.client.call("tools/call", { name: "write" }))["error"]).toMatchObject({ code: -31902 });
        expect(await other.client.call("tools/call", { name: "write" })).toHaveProperty("result");
        expect(other.client.ended).toBeUndefined();
      },
    );

    it("http-session-404: a client of the bridge is told 404, and the server of nothing", async () => {
      const { port, server } = await front("2025-06-18");
      const before = server.asked.length;
      expect((await sendRaw(port, headOf({ "Mcp-Session-Id": "old" }), request(9, "tools/list", {}))).status).toBe(404);
      expect(server.asked.length).toBe(before);
    });

    playKind<readonly [head: string, body: string]>(
      "http-session-200-body",
      "what is no message on the stream of a request fails the request at once",
      (report) => [String(report.input[2]), String(report.input[3])],
      {
        "as JSON": [HEADS.json, '{"error":"Session not found"}'],
        "a bare list": [HEADS.json, '[{"name":"t"}]'],
        "a text": [HEADS.json, '"gone"'],
        "a text on the stream": [HEADS.stream, 'data: "gone"\n\n'],
        "no JSON": [HEADS.json, "session expired"],
        "nothing else on the stream": [HEADS.stream, ": hello\n\n"],
      },
      async ([head, body]) => {
        const server = await httpServer(
          legacyServer("2025-06-18"),
          once("tools/list", head, body, (nth) => nth === 1),
        );
        const { client } = await playedClient(towards(server.url, { strayMs: 100 }), "2025-06-18");
        const since = performance.now();
        expect(await client.call("tools/list")).toMatchObject({ error: { code: expect.any(Number) } });
        expect(performance.now() - since).toBeLessThan(3_000);
        expect(await client.call("tools/list")).toHaveProperty("result");
      },
    );

    playKind<string>(
      "http-get-404",
      "a server without the other stream is spoken to without it",
      (report) => String(report.input[1]),
      Object.fromEntries([400, 401, 403, 404, 405, 406, 409, 501].map((status) => [String(status), `HTTP/1.1 ${status} No\r\n\r\n`])),
      async (head) => {
        const server = await httpServer(legacyServer("2025-06-18"), {
          interrupt: (asked) => (asked.method === "GET" ? (sayRaw(asked, head), true) : false),
        });
        const { client } = await playedClient(towards(server.url), "2025-06-18");
        await until("the stream to be asked for", () => server.asked.some(({ method }) => method === "GET"));
        for (let turn = 0; turn < 3; turn += 1) expect(await client.call("tools/list")).toHaveProperty("result");
        expect(client.ended).toBeUndefined();
        expect(server.asked.filter(({ method }) => method === "GET").length).toBeLessThanOrEqual(2);
        expect(got(server, "initialize")).toHaveLength(1);
      },
    );
  });

  describe("streams of events through the bridge", () => {
    playKind<(id: string) => readonly string[]>(
      "sse-crlf",
      "lines end as they like, and however the stream is cut there is one message",
      (report) => (id) => report.input.map((piece) => String(piece).replaceAll('"id":1', `"id":${id}`)),
      Object.fromEntries(
        ["\n", "\r\n", "\r"].flatMap((end) =>
          [1, 3, 1000].map((size) => [
            `${JSON.stringify(end)} in pieces of ${size}`,
            (id: string) => {
              const text = ["event: message", `data: {"jsonrpc":"2.0","id":${id},`, 'data: "result":{}}', "", ""].join(end);
              return text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
            },
          ]),
        ),
      ),
      async (piecesOf) => {
        const server = await httpServer(legacyServer("2025-06-18"), {
          interrupt: async (asked) => {
            if (asked.message["method"] !== "vendor/do") return false;
            await sayPieces(asked, HEADS.stream, piecesOf(String(asked.message["id"])));
            return true;
          },
        });
        const stage = towards(server.url);
        const { client } = await playedClient(stage, "2025-06-18");
        expect(await client.call("vendor/do")).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
        expect(client.written).toEqual([]);
        expect(stage.transportEvents.filter(({ event }) => event === "noise" || event === "unmatched")).toEqual([]);
      },
    );

    playKind<string>(
      "sse-done-marker",
      "what is no message behind an answer, or before it, is told and changes nothing",
      (report) => String(report.input[0]).replace('"id":1', '"id":$id'),
      {
        "before the answer": 'data: [START]\n\ndata: {"jsonrpc":"2.0","id":$id,"result":{}}\n\n',
        "an event of another name": 'event: ping\ndata: {}\n\ndata: {"jsonrpc":"2.0","id":$id,"result":{}}\n\n',
        "a comment": ': keep-alive\n\ndata: {"jsonrpc":"2.0","id":$id,"result":{}}\n\ndata:\n\n',
        "a second answer": 'data: {"jsonrpc":"2.0","id":$id,"result":{}}\n\ndata: {"jsonrpc":"2.0","id":$id,"result":{"late":1}}\n\n',
      },
      async (text) => {
        const server = await httpServer(legacyServer("2025-06-18"), {
          interrupt: (asked) => {
            if (asked.message["method"] !== "vendor/do") return false;
            sayRaw(asked, HEADS.stream, text.replaceAll("$id", String(asked.message["id"])));
            return true;
          },
        });
        const stage = towards(server.url);
        const { client } = await playedClient(stage, "2025-06-18");
        expect(await client.call("vendor/do")).toMatchObject({ result: {} });
        expect(await client.call("tools/list")).toHaveProperty("result");
        expect(client.written).toEqual([]);
        const isNoise = /\[|event: ping|late/.test(text);
        if (isNoise) await until("the event", () => stage.transportEvents.some(({ event }) => event === "noise" || event === "unmatched"));
        expect(client.ended).toBeUndefined();
      },
    );

    play("sse-priming-empty", "an event that only gives a place is none, and is sent to those alone who know it", async (report) => {
      const text = String(report.input[0]).replace('"id":1', '"id":$id');
      const server = await httpServer(legacyServer("2025-11-25"), {
        interrupt: (asked) => {
          if (asked.message["method"] !== "vendor/do") return false;
          sayRaw(asked, HEADS.stream, text.replaceAll("$id", String(asked.message["id"])));
          return true;
        },
      });
      const stage = towards(server.url);
      const { client } = await playedClient(stage, NEWEST);
      expect(await client.call("vendor/do")).toMatchObject({ result: {} });
      expect(client.lines).toHaveLength(2);
      expect(stage.transportEvents.filter(({ event }) => event === "noise")).toEqual([]);
      const port = await listening(stage);
      for (const revision of LEGACY) {
        const opening = await sendRaw(port, headOf(), initialize(revision));
        const session = { "Mcp-Session-Id": opening.headers["mcp-session-id"] ?? "", Accept: "text/event-stream" };
        const { text: stream } = await sendRaw(port, headOf(session), request(2, "vendor/do"));
        const events = stream.split("\n\n").filter((event) => event !== "");
        const isPrimed = events.some((event) => !/^data: ?\S/m.test(event) && !event.startsWith(":"));
        expect(isPrimed, revision).toBe(revision === NEWEST);
        expect(
          events.filter((event) => event.includes('"result"')),
          revision,
        ).toHaveLength(1);
      }
    });

    it("sse-priming-empty: no stream of the newest revision begins with one", async () => {
      const stage = modernStage((given, room) => {
        room.send(notification("notifications/progress", { progressToken: metaOf(given)["progressToken"], progress: 1 }));
        return least(given, room);
      });
      const port = await listening(stage);
      const head = headOf({ "MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/list" });
      const { text, messages } = await sendRaw(port, head, modernRequest(1, "tools/list", {}, { progressToken: "p" }));
      expect(messages.map((one) => one["method"] ?? one["id"])).toEqual(["notifications/progress", 1]);
      expect(text).not.toMatch(/^(?:id|retry):/m);
    });

    playKind<readonly [path: string, endpoint: string, wanted: string]>(
      "sse-endpoint-relative",
      "the address for messages is a reference like any other",
      (report) => ["/mcp/sse", /data: (.*)\n/.exec(String(report.input[1]))?.[1] ?? "", "/messages/?session_id=abc"],
      {
        "beside the stream": ["/a/sse", "messages?s=1", "/a/messages?s=1"],
        "above it": ["/a/b/sse", "../messages?s=1", "/a/messages?s=1"],
        "a query alone": ["/a/sse", "?s=1", "/a/sse?s=1"],
        whole: ["/a/sse", "$origin/elsewhere?s=1", "/elsewhere?s=1"],
        "with blanks around it": ["/a/sse", " /messages?s=1 ", "/messages?s=1"],
      },
      async ([path, endpoint, wanted]) => {
        const server = await sseServer(endpoint);
        const stage = towards(new URL(path, server.url).href, { transports: ["legacy-sse"] });
        const { client, welcomed } = await playedClient(stage, "2024-11-05");
        expect(welcomed).toMatchObject({ result: { protocolVersion: "2024-11-05" } });
        expect(await client.call("tools/list")).toHaveProperty("result");
        const posts = server.asked.filter(({ method }) => method === "POST");
        expect(new Set(posts.map((asked) => asked.path))).toEqual(new Set([wanted]));
      },
    );

    it("sse-endpoint-relative: a path without the prefix of the stream is tried with it where nothing is at it", async () => {
      const server = await sseServer("/messages?s=1", ({ path }) => path.startsWith("/prefix/"));
      const { client, welcomed } = await playedClient(
        towards(new URL("/prefix/sse", server.url).href, { transports: ["legacy-sse"] }),
        "2024-11-05",
      );
      expect(welcomed).toHaveProperty("result");
      expect(await client.call("tools/list")).toHaveProperty("result");
    });

    it.each([
      [undefined, "messages?sessionId="],
      ["/public/prefix", "/public/prefix/messages?sessionId="],
    ])("sse-endpoint-relative: the bridge's own address holds behind a proxy (prefix %j)", async (publicPrefix, start) => {
      const server = await httpServer(legacyServer("2025-06-18"));
      const port = await listening(towards(server.url), { publicPrefix });
      const response = await fetch(`http://127.0.0.1:${port}/sse`, { headers: { accept: "text/event-stream" } });
      const reader = response.body?.getReader();
      const first = new TextDecoder().decode((await reader?.read())?.value);
      expect(first).toMatch(/^event: endpoint\ndata: /);
      expect(/data: (.*)\n/.exec(first)?.[1]?.startsWith(start)).toBe(true);
      await reader?.cancel();
    });

    playKind<string>(
      "sse-endpoint-internal-host",
      "an address of another origin is refused before anything is posted, unless it is configured",
      (report) => /data: (.*)\n/.exec(String(report.input[0]))?.[1] ?? "",
      {
        "another port": "http://127.0.0.1:1/m?s=1",
        "another scheme": "https://127.0.0.1/m?s=1",
        "no scheme": "//10.0.0.5/m?s=1",
        "no address at all": "http://[/m",
      },
      async (endpoint) => {
        const server = await sseServer(endpoint);
        const options = { transports: ["legacy-sse"], headers: { authorization: "Bearer made-up" } } as const;
        const { welcomed } = await playedClient(towards(server.url, options), "2024-11-05");
        expect(welcomed).toMatchObject({ error: { code: -31907, message: expect.stringMatching(/configure the address|no URL/) } });
        expect(JSON.stringify(welcomed)).not.toMatch(/made-up|s=1|sessionId/);
        expect(server.asked.filter(({ method }) => method === "POST")).toEqual([]);
        const messageUrl = new URL("/configured", server.url);
        const told = await playedClient(towards(server.url, { ...options, messageUrl }), "2024-11-05");
        expect(told.welcomed).toHaveProperty("result");
      },
    );
  });
}

/** A server that has lost its first session as soon as that calls a tool. */
async function onceLost(head: string, body: unknown): Promise<Scripted> {
  return httpServer(legacyServer("2025-06-18"), {
    interrupt: (asked) => {
      const isGone = asked.headers["mcp-session-id"] === "up-1" && asked.message["method"] === "tools/call";
      if (isGone)
        sayRaw(asked, head, typeof body === "string" ? body : JSON.stringify(body).replace('"$id"', JSON.stringify(asked.message["id"])));
      return isGone;
    },
  });
}

async function sayPieces({ socket }: Asked, head: string, pieces: readonly string[]): Promise<void> {
  socket.setNoDelay(true);
  socket.write(withHeader(withHeader(head, "Connection", "close"), "Transfer-Encoding", "chunked"));
  for (const piece of pieces) {
    const bytes = Buffer.from(piece);
    socket.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  socket.end("0\r\n\r\n");
}

/** A server of the oldest transport, which names an address for messages; `takes` says which posts it takes. */
async function sseServer(endpoint: string, takes: (asked: Asked) => boolean = () => true): Promise<Scripted> {
  let say: (text: string) => void = () => undefined;
  const script = legacyServer("2024-11-05");
  const server = await serve(async (asked, response) => {
    if (asked.method === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const origin = `http://${asked.headers.host ?? ""}`;
      response.write(`event: endpoint\ndata: ${endpoint.replace("$origin", origin)}\n\n`);
      say = (text) => void response.write(text);
      return;
    }
    if (!takes(asked)) return json(response, { error: "nothing here" }, 404);
    response.writeHead(202).end();
    const given = asked.message as Wire;
    if (given["id"] === undefined) return;
    try {
      const result = await script(given, { send: () => undefined, signal: undefined });
      say(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: given["id"], result })}\n\n`);
    } catch (error) {
      if (!(error instanceof Refuse)) throw error;
      say(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: given["id"], error: error.error })}\n\n`);
    }
  });
  onTestFinished(() => server.close());
  return server;
}
