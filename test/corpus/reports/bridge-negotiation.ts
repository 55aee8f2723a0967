// Reports about how the two hops come to a revision, played through the bridge: servers that echo, insist, refuse or make revisions up, clients that
// ask for none or for one without a handshake, and probes that are refused, ignored, fatal or not allowed.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import { DEFAULT_CHOICES } from "../../../runtime/bridge/options.js";
import { arrived, at, LEGACY, message, MODERN, play, playKind } from "../reports.js";
import { modernServer } from "../../bridge/modern-script.js";
import { PlayedClient, roomWith } from "../../bridge/room.js";
import {
  answerLine,
  EVERYTHING,
  HEADS,
  headOf,
  httpServer,
  initialize,
  legacyServer,
  legacyStage,
  META,
  modernRequest,
  modernStage,
  paramsOf,
  playedClient,
  processRules,
  refusalLine,
  Refuse,
  request,
  sayRaw,
  sendRaw,
  listening,
  towards,
  towardsProcess,
  withHeader,
  type Script,
  type Stage,
} from "./stage.js";

const NEWEST = LEGACY.at(-1) ?? "";
const PAIRS = LEGACY.flatMap((client) => LEGACY.map((server) => [client, server] as const));

/** The versions that were asked of a server by handshakes. */
function asked(stage: Pick<Stage, "connector">): readonly unknown[] {
  return stage.connector.peers.flatMap(({ messages }) =>
    messages.filter(({ method }) => method === "initialize").map((one) => paramsOf(one)["protocolVersion"]),
  );
}

/** Has a server answer a handshake with a result it always gives. */
function answering(result: unknown, does: Script = () => ({})): Script {
  return (given, room) => {
    if (given["method"] === "server/discover") throw new Refuse(-32601, "no such method");
    return given["method"] === "initialize" ? result : does(given, room);
  };
}

/** Has a server refuse handshakes that ask for what it does not take. */
function taking(revisions: readonly string[], error: Wire, does: Script = () => ({})): Script {
  return (given, room) => {
    if (given["method"] === "server/discover") throw new Refuse(-32601, "no such method");
    if (given["method"] !== "initialize") return does(given, room);
    const revision = paramsOf(given)["protocolVersion"];
    if (!revisions.includes(String(revision))) throw Object.assign(new Refuse(0, ""), { error });
    return { protocolVersion: revision, capabilities: EVERYTHING, serverInfo: { name: "s", version: "1" } };
  };
}

/** Registers the plays about negotiation through the bridge. */
export function playBridgeNegotiation(): void {
  describe("negotiation through the bridge", () => {
    playKind<Wire>(
      "neg-echo-any",
      "a revision the bridge has is answered with itself, anything else with its newest, whatever the server echoes",
      (report) => paramsOf(message(report, "s")["result"] === undefined ? {} : { params: message(report, "s")["result"] }),
      Object.fromEntries(
        [...LEGACY, MODERN, "1999-01-01", "2024-10-07", "2025-12-31", "9999-12-31", "DRAFT-2026-v1", "latest", "", " 2025-06-18"].map(
          (version) => [version === "" ? "no text" : version, { protocolVersion: version }],
        ),
      ),
      async ({ protocolVersion: wanted }) => {
        // What the server echoes is what the bridge offered it.
        const script: Script = (given) =>
          given["method"] === "tools/list"
            ? { tools: [{ name: "t", inputSchema: { type: "object" } }] }
            : given["method"] === "tools/call"
              ? { content: [{ type: "text", text: "plain" }] }
              : {
                  protocolVersion: paramsOf(given)["protocolVersion"],
                  capabilities: { tools: {} },
                  serverInfo: { name: "s", version: "1" },
                };
        const stage = await legacyStage({
          client: String(wanted),
          script: (given, room) => {
            if (given["method"] === "server/discover") throw new Refuse(-32601, "no such method");
            return script(given, room);
          },
        });
        const expected = LEGACY.includes(String(wanted)) ? wanted : NEWEST;
        expect(at(stage.welcomed, "/result/protocolVersion")).toBe(expected);
        expect(asked(stage)).toEqual([expected]);
        // An echo is no proof: a server of an older revision has neither output schema nor structured content, and need not.
        expect(await stage.client.call("tools/list")).toMatchObject({ result: { tools: [{ name: "t" }] } });
        expect(await stage.client.call("tools/call", { name: "t" })).toMatchObject({
          result: { content: [{ type: "text", text: "plain" }] },
        });
      },
    );

    playKind<readonly [client: string, server: string]>(
      "neg-fixed-latest",
      "each hop has its own revision, and what comes later is lowered to the client's",
      (report) => [
        String(at(message(report, "c"), "/params/protocolVersion")),
        String(at(message(report, "s"), "/result/protocolVersion")),
      ],
      Object.fromEntries(PAIRS.map((pair) => [pair.join(" in front of "), pair])),
      async ([client, server]) => {
        const tool = { name: "t", title: "T", inputSchema: { type: "object" }, outputSchema: { type: "object" } };
        const call = { content: [{ type: "resource_link", uri: "a:b", name: "n" }] };
        const stage = await legacyStage({ client, server, does: ({ method }) => (method === "tools/list" ? { tools: [tool] } : call) });
        expect(at(stage.welcomed, "/result/protocolVersion")).toBe(client);
        expect(stage.peer.agreed).toBe(server);
        expect(stage.connector.peers).toHaveLength(1);
        expect(at(await stage.client.call("tools/list"), "/result/tools/0/name")).toBe("t");
        const type = at(await stage.client.call("tools/call", { name: "t" }), "/result/content/0/type");
        expect(type).toBe(client >= "2025-06-18" ? "resource_link" : "text");
      },
    );

    const REFUSED: Wire = { code: -32602, message: "Unsupported protocol version" };
    playKind<readonly [error: Wire, takes: readonly string[], tries: readonly string[], isOpen: boolean]>(
      "neg-error-32602",
      "a refusal of the version is answered with a better offer on a connection of its own, a bounded number of times",
      (report) => {
        const error = message(report, "s")["error"] as Wire;
        const takes = at(error, "/data/supported") as string[];
        return [error, takes, [NEWEST, takes.at(-1) ?? ""], true];
      },
      {
        "a list with one": [{ ...REFUSED, data: { supported: ["2024-11-05"] } }, ["2024-11-05"], [NEWEST, "2024-11-05"], true],
        "a list in any order": [
          { ...REFUSED, data: { supported: ["2024-11-05", "2025-06-18"] } },
          ["2025-06-18", "2024-11-05"],
          [NEWEST, "2025-06-18"],
          true,
        ],
        "a list of what nobody knows": [{ ...REFUSED, data: { supported: ["1999-01-01"] } }, [], [NEWEST], false],
        "a list that lies": [{ ...REFUSED, data: { supported: ["2025-03-26"] } }, [], [NEWEST, "2025-03-26"], false],
        "an empty list": [{ ...REFUSED, data: { supported: [] } }, [], [NEWEST], false],
        "no list": [REFUSED, ["2025-03-26"], [NEWEST, "2025-06-18", "2025-03-26"], true],
        "a list that is none": [{ ...REFUSED, data: { supported: "2025-06-18" } }, ["2025-06-18"], [NEWEST, "2025-06-18"], true],
        "another code": [{ code: -32603, message: "boom" }, ["2025-06-18"], [NEWEST, "2025-06-18"], true],
        "nothing ever taken": [REFUSED, [], LEGACY.toReversed(), false],
      },
      async ([error, takes, tries, isOpen]) => {
        const stage = await legacyStage({ client: NEWEST, script: taking(takes, error) });
        expect(asked(stage)).toEqual(tries);
        expect(stage.connector.peers).toHaveLength(tries.length);
        expect(stage.connector.peers.slice(0, -1).every(({ isClosed }) => isClosed)).toBe(true);
        if (isOpen) expect(stage.welcomed).toMatchObject({ result: { protocolVersion: NEWEST } });
        else expect(stage.welcomed).toMatchObject({ error: { code: expect.any(Number), message: expect.any(String) } });
        for (const { messages } of stage.connector.peers.slice(0, isOpen ? -1 : undefined))
          expect(messages.some(({ method }) => method === "notifications/initialized")).toBe(false);
      },
    );

    playKind<readonly [head: string, body: unknown, takes: readonly string[]]>(
      "neg-http400-header",
      "no handshake names a revision in a header, and one that is refused with 400 asks for less",
      (report) => [String(report.input[2]), report.input[3], ["2025-06-18", "2025-03-26", "2024-11-05"]],
      {
        "nothing in the body": ["HTTP/1.1 400 Bad Request\r\n\r\n", "", ["2025-06-18"]],
        "a page": ["HTTP/1.1 400 Bad Request\r\nContent-Type: text/html\r\n\r\n", "<h1>Bad Request</h1>", ["2025-03-26"]],
        "JSON that is no message": [
          "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\r\n",
          { error: "version" },
          ["2024-11-05"],
        ],
      },
      async ([head, body, takes]) => {
        const server = await httpServer(legacyServer(takes[0] ?? ""), {
          interrupt: (given) => {
            const { method, params } = given.message;
            const version = given.headers["mcp-protocol-version"];
            const refuses =
              method === "initialize"
                ? version !== undefined || !takes.includes(String((params as Wire)["protocolVersion"]))
                : version === MODERN;
            if (refuses && given.method === "POST") sayRaw(given, head, body);
            return refuses && given.method === "POST";
          },
        });
        const { client, welcomed } = await playedClient(towards(server.url), NEWEST);
        expect(welcomed).toMatchObject({ result: { protocolVersion: NEWEST } });
        const handshakes = server.asked.filter((given) => given.message?.method === "initialize");
        expect(handshakes.map(({ headers }) => headers["mcp-protocol-version"])).toEqual(handshakes.map(() => undefined));
        expect(await client.call("tools/list")).toHaveProperty("result");
      },
    );

    playKind<unknown>(
      "neg-client-no-check",
      "a handshake that ends at no revision of ours ends the conversation, and nothing more is said",
      (report) => message(report, "s")["result"],
      Object.fromEntries(
        [undefined, null, 20251125, ["2025-06-18"], {}, "", "latest", "{{version}}", "1999-01-01", "2025-11-26", MODERN].map(
          (protocolVersion) => [
            JSON.stringify(protocolVersion) ?? "none",
            { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } },
          ],
        ),
      ),
      async (result) => {
        const stage = await legacyStage({ script: answering(result) });
        expect(stage.welcomed["error"]).toMatchObject({ code: -31907 });
        expect(stage.connector.peers.every(({ isClosed }) => isClosed)).toBe(true);
        expect(stage.peer.messages.at(-1)?.["method"]).toBe("initialize");
      },
    );

    playKind<unknown>(
      "neg-version-absent",
      "a client that asks for no revision is told what is missing, and no server is asked",
      (report) => message(report, "c")["params"],
      {
        "no params": undefined,
        "nothing in them": {},
        "no version": { capabilities: {}, clientInfo: { name: "c", version: "1" } },
        null: { protocolVersion: null, capabilities: {}, clientInfo: { name: "c", version: "1" } },
        "a number": { protocolVersion: 20250618, capabilities: {}, clientInfo: { name: "c", version: "1" } },
        "a list": { protocolVersion: ["2025-06-18"], capabilities: {}, clientInfo: { name: "c", version: "1" } },
      },
      async (params) => {
        const room = roomWith(legacyServer("2025-06-18"));
        const client = new PlayedClient(room.service);
        expect(await client.send(request(5, "initialize", params))).toMatchObject({
          id: 5,
          error: { code: -32602, message: expect.stringContaining("protocolVersion") },
        });
        expect(room.connector.peers.flatMap(({ messages }) => messages)).toEqual([]);
        // Nothing is spoiled: a client that asks properly is served.
        expect(await client.open("2025-06-18")).toHaveProperty("result");
      },
    );

    play("neg-init-modern", "a handshake that asks for a revision without one gets the newest that has one", async (report) => {
      for (const script of [legacyServer(NEWEST), modernServer().script]) {
        const room = roomWith(script);
        const client = new PlayedClient(room.service);
        expect(await client.send(message(report, "c"))).toMatchObject({ id: 1, result: { protocolVersion: NEWEST } });
        expect(client.lines.join("")).not.toContain(MODERN);
        await room.service.close();
      }
    });

    it("neg-init-modern: where only revisions without one are served, it is refused with a list of them", async () => {
      for (const kind of ["session", "pipe"] as const) {
        const room = roomWith(modernServer().script, "stdio", { choices: { ...DEFAULT_CHOICES, clientRevision: MODERN } });
        const client = new PlayedClient(room.service, "stdio", kind);
        expect(await client.send(initialize(MODERN))).toMatchObject({
          error: { code: -32022, data: { supported: [MODERN], requested: MODERN } },
        });
        expect(room.connector.peers).toEqual([]);
      }
    });

    it("neg-init-modern: a server that answers with a revision without one is not believed", async () => {
      const stage = await legacyStage({
        script: answering({ protocolVersion: MODERN, capabilities: {}, serverInfo: { name: "s", version: "1" } }),
      });
      expect(stage.welcomed).toMatchObject({ error: { code: -31907, message: expect.stringContaining(MODERN) } });
    });

    playKind<Wire>(
      "neg-modern-only-stdio",
      "a server that takes no handshake, and is not asked first, is spoken to in the other era",
      (report) => message(report, "s")["error"] as Wire,
      {
        "with a later one": { code: -32022, message: "no", data: { supported: ["2027-01-15", MODERN], requested: NEWEST } },
        "by the legacy code": { code: -32602, message: "no", data: { supported: [MODERN] } },
      },
      async (error) => {
        const modern = modernServer((given) =>
          given["method"] === "tools/list" ? { tools: [{ name: "m", inputSchema: { type: "object" } }] } : {},
        );
        for (const dies of [false, true]) {
          const room = roomWith(
            (given, one) => {
              if (given["method"] !== "initialize") return modern.script(given, one);
              if (dies) setTimeout(() => room.connector.peers[0]?.die());
              throw Object.assign(new Refuse(0, ""), { error });
            },
            "stdio",
            { choices: { ...DEFAULT_CHOICES, stdioProbe: "off" } },
          );
          const client = new PlayedClient(room.service);
          expect(await client.open("2025-06-18")).toMatchObject({
            result: { protocolVersion: "2025-06-18", serverInfo: { name: "modern" } },
          });
          expect(await client.call("tools/list")).toMatchObject({ result: { tools: [{ name: "m" }] } });
          expect(asked(room)).toHaveLength(1);
          expect(client.lines.join("")).not.toContain(META);
          await room.service.close();
        }
      },
    );
  });

  describe("probes through the bridge", () => {
    playKind<readonly [code: number, text: string, data?: unknown]>(
      "probe-32602",
      "what is no error of the newest era means a handshake, on the same connection, and is remembered",
      (report) => [Number(at(message(report, "s"), "/error/code")), String(at(message(report, "s"), "/error/message"))],
      {
        "method not found": [-32601, "Method not found"],
        "invalid request": [-32600, "not initialized"],
        "server error": [-32000, "Bad Request: Server not initialized"],
        "internal error": [-32603, "boom"],
        "not initialized": [-32002, "Server not initialized"],
        "no code at all": [0, ""],
        "its number, and no list": [-32022, "handled by plugin"],
        "its number, and a text": [-32022, "no", { supported: MODERN }],
        "another number of the era, and no capabilities": [-32021, "no", { requiredCapabilities: "all" }],
      },
      async ([code, text, data]) => {
        for (const transport of ["stdio", "streamable-http"] as const) {
          const stage = await legacyStage({
            transport,
            script: (given, room) => {
              if (given["method"] === "server/discover") throw new Refuse(code, text, data);
              return legacyServer("2025-06-18")(given, room);
            },
          });
          expect(stage.welcomed).toHaveProperty("result");
          expect(stage.connector.peers).toHaveLength(1);
          expect(stage.peer.messages.map(({ method }) => method).slice(0, 2)).toEqual(["server/discover", "initialize"]);
          expect(at(stage.peer.messages[0], `/params/_meta/${META}~1protocolVersion`)).toBe(MODERN);
          const second = new PlayedClient(stage.service);
          expect(await second.open(NEWEST)).toHaveProperty("result");
          expect(stage.connector.peer.messages[0]?.["method"]).toBe("initialize");
          await stage.service.close();
        }
      },
    );

    playKind<Wire>(
      "probe-silent",
      "a probe without an answer has an end, and one that comes late is nobody's",
      (report) => message(report, "s", 1),
      {
        "a late result": {
          jsonrpc: "2.0",
          id: "probe-1",
          result: { supportedVersions: [MODERN], capabilities: {}, resultType: "complete" },
        },
        "a late error without an id": { jsonrpc: "2.0", id: null, error: { code: -32601, message: "Method not found" } },
      },
      async (late) => {
        const stage = towardsProcess(
          processRules("2025-06-18", {
            "server/discover": [],
            // The late answer comes in the middle of another request, and names the probe as the bridge did.
            "tools/list": [
              `${JSON.stringify({ ...late, id: late["id"] === null ? null : "polyrev-probe-1" })}\n`,
              answerLine({ tools: [{ name: "a", inputSchema: { type: "object" } }] }),
            ],
          }),
          {},
          { timeouts: { probe: 300 } as never },
        );
        const { client, welcomed } = await playedClient(stage, "2025-06-18");
        expect(welcomed).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
        expect(stage.got[0]).toMatchObject({ method: "server/discover", id: "polyrev-probe-1" });
        expect(await client.call("tools/list")).toMatchObject({ result: { tools: [{ name: "a" }] } });
        expect(await client.call("tools/call", { name: "a" })).toHaveProperty("result");
        expect(stage.transportEvents).toContainEqual(expect.objectContaining({ event: "unmatched" }));
        expect(stage.got.filter(({ method }) => method === "initialize")).toHaveLength(1);
      },
    );

    playKind<readonly string[]>(
      "probe-kills-server",
      "a process that ends at the probe is started once more, and shaken hands with",
      (report) => report.input.filter((entry) => entry === "<EOF>").map(String),
      {
        "with a last word": [refusalLine(-32600, "start with initialize"), "<EOF>"],
        "with half a line": ['{"jsonrpc":', "<EOF>"],
        "with a trace": ["Traceback: boom\n", "<EOF>"],
      },
      async (dying) => {
        const stage = towardsProcess(processRules("2025-06-18", { "server/discover": dying }));
        const { client, welcomed } = await playedClient(stage, "2025-06-18");
        expect(welcomed).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
        expect(await client.call("tools/list")).toHaveProperty("result");
        expect(stage.got.map(({ method }) => method).slice(0, 2)).toEqual(["server/discover", "initialize"]);
      },
    );

    playKind<readonly [head: string, body: unknown]>(
      "probe-http200-32601",
      "the body of a refused probe says more than its status: no discovery, no newest era",
      (report) => [String(report.input[2]), report.input[3]],
      {
        "an error with 400": [
          "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\r\n",
          { jsonrpc: "2.0", id: null, error: { code: -32000, message: "no session" } },
        ],
        "an error on a stream": [
          HEADS.stream,
          `event: message\ndata: {"jsonrpc":"2.0","id":"$id","error":{"code":-32601,"message":"no"}}\n\n`,
        ],
        "404 with a page": ["HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n", "<h1>nothing</h1>"],
        "a result that is no discovery": [HEADS.json, { jsonrpc: "2.0", id: "d1", result: {} }],
        "a result that lists none": [HEADS.json, { jsonrpc: "2.0", id: "d1", result: { supportedVersions: [], capabilities: {} } }],
        "a result that lists older ones only": [
          HEADS.json,
          { jsonrpc: "2.0", id: "d1", result: { supportedVersions: ["2025-06-18"], capabilities: {} } },
        ],
      },
      async ([head, body]) => {
        const server = await httpServer(legacyServer("2025-06-18"), {
          interrupt: (given) => {
            if (given.message["method"] !== "server/discover") return false;
            const id = JSON.stringify(given.message["id"]);
            sayRaw(given, head, (typeof body === "string" ? body : JSON.stringify(body)).replace(/"(?:d1|\$id)"/, id));
            return true;
          },
        });
        const { client, welcomed } = await playedClient(towards(server.url), "2025-06-18");
        expect(welcomed).toMatchObject({ result: { protocolVersion: "2025-06-18" } });
        expect(await client.call("tools/list")).toHaveProperty("result");
        expect(server.asked.map((given) => given.message?.method).slice(0, 2)).toEqual(["server/discover", "initialize"]);
      },
    );

    playKind<readonly [head: string, body: unknown]>(
      "probe-http401",
      "where a credential was shown, a handshake decides whether it is the credential that is refused",
      (report) => [String(report.input[2]), report.input[3]],
      {
        "401 and nothing": ["HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\n\r\n", ""],
        "403 with a page": ["HTTP/1.1 403 Forbidden\r\nContent-Type: text/html\r\n\r\n", "<h1>method not allowed by policy</h1>"],
      },
      async ([head, body]) => {
        for (const isTaken of [true, false]) {
          const server = await httpServer(legacyServer("2025-06-18"), {
            interrupt: (given) => {
              const refuses = given.message["method"] === "server/discover" || (!isTaken && given.method === "POST");
              if (refuses) sayRaw(given, head, body);
              return refuses;
            },
          });
          const stage = towards(server.url, { headers: { authorization: "Bearer made-up" } });
          const { client, welcomed } = await playedClient(stage, "2025-06-18");
          expect(server.asked.map((given) => given.message?.method).slice(0, 2)).toEqual(["server/discover", "initialize"]);
          if (isTaken) {
            expect(welcomed).toHaveProperty("result");
            expect(await client.call("tools/list")).toHaveProperty("result");
          } else {
            const status = head.split(" ")[1] ?? "";
            expect(welcomed).toMatchObject({ error: { message: expect.stringContaining(status) } });
            expect(at(welcomed, "/error/message")).toContain("server/discover");
            expect(server.asked).toHaveLength(2);
          }
          expect(JSON.stringify(welcomed)).not.toContain("made-up");
        }
        // Without one the refusal is the challenge, and nothing else is tried.
        const closed = await httpServer(legacyServer("2025-06-18"), { interrupt: (given) => (sayRaw(given, head, body), true) });
        const { welcomed } = await playedClient(towards(closed.url), "2025-06-18");
        expect(welcomed).toMatchObject({ error: { message: expect.stringContaining(head.split(" ")[1] ?? "") } });
        expect(closed.asked.map((given) => given.message?.method)).toEqual(["server/discover"]);
      },
    );

    playKind<readonly [first: Wire, second: Wire]>(
      "probe-32022-retry",
      "a probe is repeated once at most, and a server of the newest era is never shaken hands with",
      (report) => arrived(report, "s").map((entry) => at(entry, "/error")) as [Wire, Wire],
      {
        "refused, although listed": [
          { code: -32022, message: "no", data: { supported: [MODERN] } },
          { code: -32022, message: "no", data: { supported: [MODERN] } },
        ],
        "only later ones": [
          { code: -32022, message: "no", data: { supported: ["2027-01-15"] } },
          { code: -32601, message: "never asked" },
        ],
        "capabilities, then the version": [
          { code: -32021, message: "no", data: { requiredCapabilities: { sampling: {} } } },
          { code: -32022, message: "no", data: { supported: "2026-07-28" } },
        ],
      },
      async (errors) => {
        let probes = 0;
        const room = roomWith((given) => {
          if (given["method"] !== "server/discover") throw new Refuse(-32601, "no such method");
          probes += 1;
          throw Object.assign(new Refuse(0, ""), { error: errors[probes - 1] ?? errors[1] });
        }, "streamable-http");
        const client = new PlayedClient(room.service);
        expect((await client.open("2025-11-25"))["error"]).toMatchObject({ code: -31907, message: expect.stringContaining("support") });
        expect(probes).toBeLessThanOrEqual(2);
        expect(asked(room)).toEqual([]);
        const ids = room.connector.peers.flatMap(({ messages }) => messages.map(({ id }) => id));
        expect(new Set(ids).size).toBe(ids.length);
      },
    );

    playKind<readonly string[]>(
      "probe-dual-era-legacy-leg",
      "a server of both eras takes part in the handshake of a client that needs one, and answers the other without",
      (report) => at(message(report, "s"), "/result/supportedVersions") as string[],
      {
        "older first": ["2024-11-05", MODERN],
        "all of them": [...LEGACY, MODERN],
        "with one nobody knows": ["2027-01-15", MODERN, "2025-03-26"],
      },
      async (supported) => {
        const modern = modernServer(undefined, { supported: [...supported] });
        const takes = LEGACY.filter((revision) => supported.includes(revision));
        const script: Script = (given, room) => {
          if (given["method"] !== "initialize") return modern.script(given, room);
          const wanted = String(paramsOf(given)["protocolVersion"]);
          const revision = takes.includes(wanted) ? wanted : takes.at(-1);
          return { protocolVersion: revision, capabilities: EVERYTHING, serverInfo: { name: "both", version: "1" } };
        };
        for (const transport of ["stdio", "streamable-http"] as const) {
          const stage = await legacyStage({ client: "2025-06-18", script, transport });
          expect(stage.welcomed).toMatchObject({ result: { protocolVersion: "2025-06-18", serverInfo: { name: "both" } } });
          expect(takes).toContain(stage.peer.agreed);
          const answer = await stage.service.exchange(modernRequest("m", "tools/list"), {
            sink: { canStream: true, write: () => undefined },
          });
          expect(answer).toMatchObject({ answer: { id: "m", result: { resultType: "complete" } } });
          await stage.service.close();
        }
      },
    );

    play(
      "probe-peek-before-era",
      "a client of the newest era is answered for itself, whatever sessions there are, and told what is served",
      async (report) => {
        const stage = modernStage();
        const port = await listening(stage);
        const [head, body] = report.input as [string, Wire];
        const revision = String(at(body, `/params/_meta/${META}~1protocolVersion`));
        for (const session of [undefined, "", "0", "ffffffffffffffffffffffffffffffffffffffffffffffff"]) {
          const { status, messages, headers } = await sendRaw(port, withHeader(head, "Mcp-Session-Id", session), body);
          expect(status).toBe(200);
          expect(headers["mcp-session-id"]).toBeUndefined();
          expect(messages).toMatchObject([{ id: "d1", result: { supportedVersions: [revision, ...LEGACY.toReversed()] } }]);
        }
        expect((await sendRaw(port, headOf(), initialize("2025-06-18"))).headers["mcp-session-id"]).toBeDefined();
      },
    );

    it("probe-peek-before-era: what is served is what is listed, and nothing else is taken", async () => {
      const stage = modernStage(undefined, { changes: { choices: { ...DEFAULT_CHOICES, clientRevision: MODERN } } });
      const { answer } = await stage.ask(modernRequest(1, "server/discover"));
      expect(at(answer, "/result/supportedVersions")).toEqual([MODERN]);
      const port = await listening(stage);
      expect((await sendRaw(port, headOf(), initialize(NEWEST))).messages).toMatchObject([
        { error: { code: -32022, data: { supported: [MODERN] } } },
      ]);
    });
  });
}
