// Reports about single messages, played through the bridge: ids of every form, answers to nothing, batches, the order of the handshake, progress,
// cancellation, and what servers say or ask in between.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import { optionsWith, PlayedClient, roomWith } from "../../bridge/room.js";
import { arrived, at, LEGACY, message, play, playKind } from "../reports.js";
import {
  ABLE,
  answerLine,
  headOf,
  httpServer,
  initialize,
  least,
  legacyServer,
  legacyStage,
  listening,
  metaOf,
  modernRequest,
  modernStage,
  never,
  notification,
  openRaw,
  paramsOf,
  piped,
  playedClient,
  processRules,
  request,
  sendRaw,
  towards,
  towardsProcess,
  until,
  type Pipe,
  type Script,
  type Stage,
} from "./stage.js";

const NEWEST = LEGACY.at(-1) ?? "";
const BATCHED = "2025-03-26";

/** What went to the server of a method. */
function sent({ connector }: Pick<Stage, "connector">, method: string): readonly Wire[] {
  return connector.peers.flatMap(({ messages }) => messages.filter((one) => one["method"] === method));
}

/** A script whose calls wait until the test lets them go, by the name of their tool. */
function held(): { readonly script: Script; readonly go: (name: string) => void; readonly waiting: () => number } {
  const waiting = new Map<string, () => void>();
  return {
    script: (given, room) =>
      given["method"] === "tools/call"
        ? new Promise((resolve) => {
            const name = String(paramsOf(given)["name"]);
            waiting.set(name, () => resolve({ content: [{ type: "text", text: name }] }));
          })
        : least(given, room),
    go: (name) => waiting.get(name)?.(),
    waiting: () => waiting.size,
  };
}

/** Puts a client on a pipe in front of a server in memory, and shakes hands. */
async function onPipe(does: Script = least, revision = "2025-06-18"): Promise<Pipe & { readonly room: ReturnType<typeof roomWith> }> {
  const room = roomWith(legacyServer(revision, does));
  const pipe = piped(room);
  pipe.write(`${JSON.stringify(initialize(revision, {}, "hello"))}\n`);
  await pipe.answer("hello");
  pipe.write(`${JSON.stringify(notification("notifications/initialized"))}\n`);
  return { ...pipe, room };
}

/** Registers the plays about single messages through the bridge. */
export function playBridgeMessages(): void {
  describe("ids through the bridge", () => {
    playKind<readonly [one: unknown, other: unknown]>(
      "id-string-coerced",
      "two ids that look alike are two, and each has its own answer",
      (report) => arrived(report, "c").map((entry) => at(entry, "/id")) as [unknown, unknown],
      {
        "zero and its digit": [0, "0"],
        "nothing and zero": ["", 0],
        "less than nothing": [-1, "-1"],
        "a fraction as a text": [1, "1.0"],
        "a large one": [2 ** 40, String(2 ** 40)],
        "a name of every object": ["__proto__", "constructor"],
      },
      async ([one, other]) => {
        const { script, go, waiting } = held();
        const pipe = await onPipe(script);
        for (const [id, name] of [
          [one, "a"],
          [other, "b"],
        ] as const)
          pipe.write(`${JSON.stringify(request(id, "tools/call", { name }))}\n`);
        await until("both calls", () => waiting() === 2);
        go("b");
        expect(await pipe.answer(other)).toMatchObject({ id: other, result: { content: [{ text: "b" }] } });
        go("a");
        expect(await pipe.answer(one)).toMatchObject({ id: one, result: { content: [{ text: "a" }] } });
        const ids = sent(pipe.room, "tools/call").map(({ id }) => id);
        expect(new Set(ids).size).toBe(2);
      },
    );

    playKind<readonly [line: string, isTaken: boolean]>(
      "id-float-rendering",
      "a number is the same number however it is written, and what else looks like it is told",
      (report) => [String(report.input[3]).replace('"id":2.0', '"id":$id.0'), true],
      {
        "with two zeros": ['{"jsonrpc":"2.0","id":$id.00,"result":{}}', true],
        "with an exponent": ['{"jsonrpc":"2.0","id":$ide0,"result":{}}', true],
        "as a text": ['{"jsonrpc":"2.0","id":"$id","result":{}}', true],
        "as a text of a fraction": ['{"jsonrpc":"2.0","id":"$id.0","result":{}}', true],
        "as another number": ['{"jsonrpc":"2.0","id":$id.5,"result":{}}', false],
        "as a list": ['{"jsonrpc":"2.0","id":[$id],"result":{}}', false],
      },
      async ([line, isTaken]) => {
        const stage = towardsProcess(processRules("2025-06-18", { "vendor/do": [`${line}\n`] }), {}, { timeouts: { call: 600 } as never });
        const { client } = await playedClient(stage, "2025-06-18");
        const answer = await client.call("vendor/do");
        expect(answer).toHaveProperty(isTaken ? "result" : "error");
        const isExact = /\$id\.0+,|\$ide0/.test(line);
        if (!isExact)
          await until("the event", () => stage.transportEvents.some(({ event }) => event === (isTaken ? "matched" : "unmatched")));
        expect(await client.call("tools/list")).toHaveProperty("result");
      },
    );

    playKind<readonly string[]>(
      "id-zero-reused",
      "an answer to what was answered is told, and nothing ends at it",
      (report) => [`${JSON.stringify({ ...message(report, "s", 1), id: "$id" }).replace('"$id"', "1")}\n`],
      {
        "the same again": [answerLine({ again: 1 }).replace("$id", "1")],
        many: Array.from({ length: 5 }, () => answerLine({}).replace("$id", "1")),
        "an error for the notification": ['{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"no"}}\n'],
      },
      async (lines) => {
        const stage = towardsProcess(processRules("2025-06-18", { "notifications/initialized": lines }));
        const { client, welcomed } = await playedClient(stage, "2025-06-18");
        expect(welcomed).toHaveProperty("result");
        expect(await client.call("tools/list")).toMatchObject({ result: { tools: [] } });
        await until("the events", () => stage.transportEvents.filter(({ event }) => event === "unmatched").length === lines.length);
        expect(client.lines).toHaveLength(2);
        expect(client.ended).toBeUndefined();
      },
    );

    play("id-null-request", "what asks for no answer is not done, and an id that is none is refused", async (report) => {
      const [call, listing, ping] = arrived(report, "c") as [Wire, Wire, Wire];
      const pipe = await onPipe();
      for (const one of [call, listing, ping]) pipe.write(`${JSON.stringify(one)}\n`);
      expect(await pipe.answer(3)).toMatchObject({ result: {} });
      expect(pipe.messages().filter((one) => one["error"] !== undefined)).toMatchObject([{ id: null, error: { code: -32600 } }]);
      expect(pipe.room.connector.peer.messages.map(({ method }) => method)).not.toContain("tools/call");
      const server = await httpServer(legacyServer("2025-06-18"));
      const port = await listening(towards(server.url));
      const head = headOf({ "Mcp-Session-Id": await openRaw(port, "2025-06-18") });
      expect(await sendRaw(port, head, call)).toMatchObject({ status: 202, text: "" });
      expect(await sendRaw(port, head, listing)).toMatchObject({ status: 400, messages: [{ error: { code: -32600 } }] });
      expect(await sendRaw(port, head, ping)).toMatchObject({ status: 200, messages: [{ id: 3, result: {} }] });
      expect(server.asked.map((asked) => asked.message?.method)).not.toContain("tools/call");
    });

    it.each(["tools/call", "prompts/get", "resources/subscribe", "logging/setLevel"])(
      "id-null-request: %s without an id",
      async (method) => {
        for (const revision of LEGACY) {
          const stage = await legacyStage({ client: revision, server: revision });
          await stage.client.notify(method, { name: "write", uri: "a:b", level: "debug" });
          expect(sent(stage, method)).toEqual([]);
          expect(stage.events.at(-1)).toMatchObject({ event: "dropped", method });
          await stage.service.close();
        }
        const modern = modernStage();
        const { id: _, ...bare } = modernRequest(1, method, { name: "write" });
        expect(await modern.ask(bare)).toMatchObject({ answer: {}, status: 202 });
        expect(modern.connector.peers).toEqual([]);
      },
    );

    playKind<unknown>(
      "id-duplicate-inflight",
      "no answer reaches another request, whoever chose the ids",
      (report) => at(message(report, "c"), "/id"),
      { zero: 0, "a text": "same", "an empty text": "" },
      async (id) => {
        const { script, go, waiting } = held();
        const pipe = await onPipe(script);
        for (const name of ["a", "b"]) pipe.write(`${JSON.stringify(request(id, "tools/call", { name }))}\n`);
        await until("the refusal", () => pipe.messages().some((one) => one["error"] !== undefined));
        go("a");
        await until("the answer", () => pipe.messages().filter((one) => one["id"] === id).length === 2);
        expect(pipe.messages().filter((one) => one["id"] === id)).toMatchObject([
          { error: { code: -32600 } },
          { result: { content: [{ text: "a" }] } },
        ]);
        expect(waiting()).toBe(1);
        // Over HTTP each has its own stream, and one session is one client all the same.
        const raw = held();
        const server = await httpServer(legacyServer("2025-06-18", raw.script));
        const port = await listening(towards(server.url));
        const head = headOf({ "Mcp-Session-Id": await openRaw(port, "2025-06-18") });
        const first = sendRaw(port, head, request(id, "tools/call", { name: "a" }));
        await until("the first", () => raw.waiting() === 1);
        expect((await sendRaw(port, head, request(id, "tools/call", { name: "b" }))).messages).toMatchObject([
          { id, error: { code: -32600 } },
        ]);
        raw.go("a");
        expect((await first).messages).toMatchObject([{ id, result: { content: [{ text: "a" }] } }]);
      },
    );

    play(
      "id-multi-client-mux",
      "clients that count alike never meet: ids, cancellations and progress are each one's own",
      async (report) => {
        const lines = (report.input as readonly { readonly session?: string; readonly msg?: Wire }[]).filter(
          ({ session }) => session !== undefined,
        );
        const { script, go, waiting } = held();
        const room = roomWith(
          legacyServer("2025-06-18", (given, one) => {
            const token = metaOf(given)["progressToken"];
            if (token !== undefined) one.send(notification("notifications/progress", { progressToken: token, progress: 1 }));
            return script(given, one);
          }),
          "streamable-http",
        );
        const clients = new Map(lines.map(({ session = "" }) => [session, new PlayedClient(room.service)]));
        await Promise.all([...clients.values()].map((client) => client.open("2025-06-18")));
        const answers = await Promise.all(lines.map(({ session = "", msg }) => Promise.resolve(clients.get(session)?.send(msg))));
        expect(answers).toMatchObject([
          { id: 0, result: { tools: [] } },
          { id: 0, result: { prompts: [] } },
        ]);
        const [a, b] = [...clients.values()] as [PlayedClient, PlayedClient];
        const calls = [a, b].map((client, index) =>
          client.send(request(7, "tools/call", { name: `t${index}`, _meta: { progressToken: "p" } })),
        );
        await until("both calls", () => waiting() === 2);
        await a.notify("notifications/cancelled", { requestId: 7 });
        expect(await calls[0]).toBeUndefined();
        go("t0");
        go("t1");
        expect(await calls[1]).toMatchObject({ id: 7, result: { content: [{ text: "t1" }] } });
        for (const client of [a, b])
          expect(client.framesOf("notifications/progress").map(paramsOf)).toMatchObject([{ progressToken: "p" }]);
        await room.service.close();
      },
    );

    it("id-multi-client-mux: a modern server whose one connection all sessions share", async () => {
      const { script, go, waiting } = held();
      const stage = modernStage(script);
      const clients = [new PlayedClient(stage.service), new PlayedClient(stage.service), new PlayedClient(stage.service)];
      for (const client of clients) await client.open(NEWEST);
      const calls = clients.map((client, index) => client.send(request(0, "tools/call", { name: `t${index}` })));
      await until("all calls", () => waiting() === 3);
      for (const name of ["t2", "t0", "t1"]) go(name);
      expect(await Promise.all(calls)).toMatchObject(clients.map((_, index) => ({ id: 0, result: { content: [{ text: `t${index}` }] } })));
      expect(stage.connector.peers).toHaveLength(1);
      const ids = stage.sent("tools/call").map(({ id }) => id);
      expect(new Set(ids).size).toBe(3);
    });

    playKind<readonly Wire[]>(
      "id-forged-response",
      "an answer to what was never asked reaches nobody",
      (report) => arrived(report, "c") as readonly Wire[],
      {
        "an id of the client's own": [{ jsonrpc: "2.0", id: 2, result: {} }],
        "an id the bridge would give, as a text": [{ jsonrpc: "2.0", id: "1", result: { roots: [] } }],
        "an error": [{ jsonrpc: "2.0", id: 55, error: { code: -1, message: "x" } }],
        "no id": [{ jsonrpc: "2.0", result: {} }],
        null: [{ jsonrpc: "2.0", id: null, result: {} }],
        "neither result nor error": [{ jsonrpc: "2.0", id: 1 }],
        "a structure": [{ jsonrpc: "2.0", id: { toString: 1 }, result: {} }],
      },
      async (forged) => {
        const stage = await legacyStage({ declares: ABLE, front: "stdio" });
        const before = stage.peer.lines.length;
        for (const one of forged) await stage.client.send(one);
        expect(stage.peer.lines).toHaveLength(before);
        expect(await stage.client.call("tools/list")).toHaveProperty("result");
        // A question that is open gets its own answer, and no forged one.
        stage.peer.push(request("q", "roots/list"));
        await until("the question", () => stage.client.framesOf("roots/list").length === 1);
        for (const one of forged.filter(({ id }) => id !== 1)) await stage.client.send(one);
        expect(stage.peer.messages.some(({ id }) => id === "q")).toBe(false);
        await stage.client.send({ jsonrpc: "2.0", id: stage.client.framesOf("roots/list")[0]?.["id"], result: { roots: [] } });
        await until("the answer", () => stage.peer.messages.some(({ id }) => id === "q"));
        expect(stage.peer.messages.at(-1)).toEqual({ jsonrpc: "2.0", id: "q", result: { roots: [] } });
        const port = await listening(stage);
        const head = headOf({ "Mcp-Session-Id": await openRaw(port, NEWEST) });
        for (const one of forged) expect([202, 400]).toContain((await sendRaw(port, head, one)).status);
        expect((await sendRaw(port, head, request(3, "ping"))).messages).toMatchObject([{ id: 3, result: {} }]);
      },
    );
  });

  describe("answers to nothing through the bridge", () => {
    play(
      "err-null-id",
      "an error without an id is news of the connection, and fails a request only where it can mean no other",
      async (report) => {
        const errors = arrived(report, "s") as readonly Wire[];
        for (const error of errors) {
          const stage = towardsProcess(
            processRules("2025-06-18", {
              "notifications/initialized": [`${JSON.stringify(error)}\n`],
              "vendor/do": [`${JSON.stringify(error)}\n`],
              "vendor/wait": [],
            }),
          );
          const { client } = await playedClient(stage, "2025-06-18");
          await until("the news", () => stage.transportEvents.some(({ event }) => event === "unmatched"));
          expect(await client.call("tools/list")).toHaveProperty("result");
          expect(client.ended).toBeUndefined();
          // The only request in flight is the one that could not be read.
          expect(await client.call("vendor/do")).toMatchObject({ error: { code: at(error, "/error/code") } });
          // With another in flight nobody can tell.
          void client.call("vendor/wait");
          let isAnswered = false;
          void client.call("vendor/do").then(() => (isAnswered = true));
          await until("the event", () => stage.transportEvents.filter(({ event }) => event === "unmatched").length >= 2, 5_000);
          expect(isAnswered).toBe(false);
          expect(await client.call("tools/list")).toHaveProperty("result");
        }
      },
    );

    it("err-null-id: the bridge's own errors have a null id, but for revisions that leave it out", async () => {
      for (const revision of LEGACY) {
        const pipe = await onPipe(least, revision);
        pipe.write("{oops\n");
        await until("the error", () => pipe.messages().some((one) => one["error"] !== undefined));
        const error = pipe.messages().find((one) => one["error"] !== undefined) ?? {};
        expect(error, revision).toMatchObject({ error: { code: -32700 } });
        expect("id" in error, revision).toBe(revision < "2025-11-25");
      }
    });

    for (const [id, quoted] of [
      ["notif-answered-null", '{"jsonrpc":"2.0","id":null,"result":null}'],
      ["notif-answered-error", '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}'],
    ] as const) {
      playKind<string>(
        id,
        "what answers a notification is told, and reaches no client",
        (report) => JSON.stringify(message(report, "s")),
        { quoted, "with an id of its own": '{"jsonrpc":"2.0","id":"n-1","result":{}}', "an empty object": '{"jsonrpc":"2.0"}' },
        async (line) => {
          const rules = processRules("2025-06-18", {
            "notifications/initialized": [`${line}\n`],
            "notifications/roots/list_changed": [`${line}\n`],
          });
          const stage = towardsProcess(rules);
          const { client } = await playedClient(stage, "2025-06-18", { roots: { listChanged: true } });
          await client.notify("notifications/roots/list_changed");
          expect(await client.call("tools/list")).toHaveProperty("result");
          await until(
            "the events",
            () => stage.transportEvents.filter(({ event }) => event === "unmatched" || event === "noise").length >= 2,
          );
          expect(client.lines).toHaveLength(2);
          expect(client.written).toEqual([]);
          expect(client.ended).toBeUndefined();
        },
      );
    }

    it("notif-answered-error: changes of roots go to a server that was told of them, and to no other", async () => {
      for (const [roots, count] of [
        [{ listChanged: true }, 1],
        [{}, 0],
        [undefined, 0],
      ] as const) {
        const stage = await legacyStage({ declares: roots === undefined ? {} : { roots } });
        await stage.client.notify("notifications/roots/list_changed");
        expect(sent(stage, "notifications/roots/list_changed")).toHaveLength(count);
      }
    });
  });

  describe("batches through the bridge", () => {
    play("batch-2025-03-26", "each member of a batch is done for itself, and the answers are gathered in one", async (report) => {
      const [opening, initialized, batch] = report.input as [Wire, Wire, readonly Wire[]];
      for (const server of LEGACY) {
        const room = roomWith(legacyServer(server));
        const client = new PlayedClient(room.service);
        await client.send(opening);
        await client.send(initialized);
        const answers = (await client.send(batch)) as readonly Wire[];
        expect(
          [...answers].sort((a, b) => Number(a["id"]) - Number(b["id"])),
          server,
        ).toMatchObject([
          { id: 2, result: { tools: [] } },
          { id: 3, result: {} },
        ]);
        for (const line of room.connector.peer.lines) expect(line.startsWith("[")).toBe(false);
        expect(sent(room, "tools/list")).toHaveLength(1);
        await room.service.close();
      }
      const { script } = held();
      const port = await listening(await legacyStage({ client: BATCHED, does: script }));
      const head = headOf({ "Mcp-Session-Id": await openRaw(port, BATCHED) });
      const answered = await sendRaw(port, head, batch);
      expect([
        answered.status,
        answered.messages
          .flat(2)
          .map((one) => Number(one["id"]))
          .toSorted((a, b) => a - b),
      ]).toEqual([200, [2, 3]]);
    });

    it.each<readonly [string, unknown, object | undefined]>([
      ["only notifications", [notification("notifications/cancelled", { requestId: 1 })], undefined],
      ["nothing", [], { error: { code: -32600 } }],
      ["a handshake in it", [initialize(BATCHED), request(2, "ping")], undefined],
      ["what is no message", [1, request(2, "ping")], undefined],
      ["two of one id", [request(2, "tools/list"), request(2, "tools/list")], undefined],
    ])("batch-2025-03-26: %s", async (name, batch, expected) => {
      const stage = await legacyStage({ client: BATCHED });
      const answer = await stage.client.send(batch);
      if (name === "only notifications") expect(answer).toBeUndefined();
      else if (expected !== undefined) expect(answer).toMatchObject(expected);
      else {
        const all = [answer].flat() as readonly Wire[];
        expect(all.some((one) => at(one, "/error/code") === -32600)).toBe(true);
        if (name !== "a handshake in it") expect(all.some((one) => one["id"] === 2 && one["result"] !== undefined)).toBe(true);
      }
      expect(sent(stage, "initialize")).toHaveLength(1);
    });

    playKind<readonly string[]>(
      "batch-response-to-client",
      "what a server sends as one array reaches the client one by one, at whatever revision it is",
      (report) => [`${JSON.stringify(report.input[0]).replace('"id":2', '"id":$id')}\n`],
      {
        "the answer last": [
          '[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}},{"jsonrpc":"2.0","id":$id,"result":{"tools":[]}}]\n',
        ],
        "with what is no message": [
          '[null,1,{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}},{"jsonrpc":"2.0","id":$id,"result":{"tools":[]}}]\n',
        ],
        "an empty one before it": [
          "[]\n",
          '[{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}},{"jsonrpc":"2.0","id":$id,"result":{"tools":[]}}]\n',
        ],
      },
      async (chunks) => {
        for (const server of LEGACY) {
          const stage = towardsProcess(processRules(server, { "tools/list": chunks }));
          const { client } = await playedClient(stage, NEWEST);
          expect(await client.call("tools/list")).toMatchObject({ id: 2, result: { tools: [] } });
          await until("the news", () => client.framesOf("notifications/message").length === 1);
          for (const line of client.lines) expect(line.startsWith("[")).toBe(false);
        }
      },
    );
  });

  describe("the order of the handshake through the bridge", () => {
    playKind<readonly [early: readonly Wire[], revision: string]>(
      "life-notif-before-init",
      "what a server says before its answer, or before the client is ready, waits for the client",
      (report) => [arrived(report, "s").slice(0, 2) as Wire[], String(at(message(report, "s", 2), "/result/protocolVersion"))],
      {
        "a question": [[request("q", "roots/list")], "2025-06-18"],
        "all lists": [["tools", "prompts", "resources"].map((kind) => notification(`notifications/${kind}/list_changed`)), NEWEST],
        "a log": [[notification("notifications/message", { level: "info", data: null })], "2024-11-05"],
      },
      async ([early, revision]) => {
        const lines = early.map((one) => `${JSON.stringify(one)}\n`);
        const rules = processRules(revision);
        const stage = towardsProcess({
          ...rules,
          initialize: [...lines, ...(rules["initialize"] ?? [])],
          "notifications/initialized": lines,
        });
        const client = new PlayedClient(stage.service);
        expect(await client.send(initialize(revision, ABLE, 0))).toMatchObject({ id: 0, result: { protocolVersion: revision } });
        await new Promise((resolve) => setTimeout(resolve, 60));
        expect(client.written).toEqual([]);
        await client.notify("notifications/initialized");
        await until("what waited", () => client.written.length >= early.length);
        for (const { frame } of client.written) expect(early.map(({ method }) => method)).toContain(frame["method"]);
      },
    );

    playKind<readonly [serves: Wire, isServed: boolean]>(
      "life-setlevel-early",
      "a level that is set before the handshake is done is set, or refused, and the session goes on",
      () => [{ logging: {}, tools: {} }, true],
      { "no logging advertised": [{ tools: {} }, false] },
      async ([serves, isServed]) => {
        for (const kind of ["session", "pipe"] as const) {
          const room = roomWith(legacyServer(NEWEST, least, serves));
          const client = new PlayedClient(room.service, "stdio", kind);
          await client.send(initialize(NEWEST));
          const set = await client.send(request(2, "logging/setLevel", { level: "debug" }));
          if (isServed) expect(set).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
          else expect(set).toMatchObject({ id: 2, error: { code: -32601 } });
          await client.notify("notifications/initialized");
          expect(await client.send(request(3, "tools/list", {}))).toMatchObject({ id: 3, result: { tools: [] } });
          expect(sent(room, "logging/setLevel")).toHaveLength(isServed ? 1 : 0);
          expect(client.ended).toBeUndefined();
          await room.service.close();
        }
        const crossed = modernStage();
        const client = new PlayedClient(crossed.service);
        await client.send(initialize(NEWEST));
        expect(await client.send(request(2, "logging/setLevel", { level: "debug" }))).toMatchObject({ id: 2, result: {} });
        expect(await client.send(request(3, "tools/list", {}))).toMatchObject({ id: 3, result: { tools: [] } });
      },
    );

    play("life-ping-early", "a sign of life is given at any time, and the handshake works after it", async (report) => {
      const [ping, opening] = arrived(report, "c") as [Wire, Wire];
      for (const script of [legacyServer("2025-06-18"), undefined]) {
        const stage = script === undefined ? modernStage() : roomWith(script);
        for (const kind of ["session", "pipe"] as const) {
          const client = new PlayedClient(stage.service, "stdio", kind);
          for (const params of [null, undefined, {}, []]) {
            expect(await client.send({ ...ping, ...(params === undefined ? {} : { params }) })).toEqual({
              jsonrpc: "2.0",
              id: 4,
              result: {},
            });
          }
          expect(await client.send(opening)).toMatchObject({ id: 5, result: { protocolVersion: "2025-06-18" } });
          expect(await client.send(ping)).toEqual({ jsonrpc: "2.0", id: 4, result: {} });
        }
        expect(sent(stage, "ping")).toEqual([]);
        const port = await listening(stage);
        expect((await sendRaw(port, headOf(), ping)).messages).toEqual([{ jsonrpc: "2.0", id: 4, result: {} }]);
        await stage.service.close();
      }
    });

    playKind<readonly [revision: string]>(
      "life-no-initialized",
      "a client that never says it is ready is served, and the server's handshake is whole",
      (report) => [String(at(message(report, "c"), "/params/protocolVersion"))],
      Object.fromEntries(LEGACY.map((revision) => [revision, [revision] as const])),
      async ([revision]) => {
        // This server serves nobody before it was told that the handshake is done.
        let isReady = false;
        const server = await httpServer(
          legacyServer(revision, (given, room) => (isReady ? least(given, room) : never())),
          {
            interrupt: ({ message: given }) => ((isReady ||= given["method"] === "notifications/initialized"), false),
          },
        );
        const stage = towards(server.url);
        const client = new PlayedClient(stage.service);
        await client.send(initialize(revision));
        expect(await client.send(request(2, "tools/call", { name: "t", arguments: {} }))).toMatchObject({ id: 2, result: { content: [] } });
        await client.notify("notifications/initialized");
        expect(server.asked.filter((asked) => asked.message?.method === "notifications/initialized")).toHaveLength(1);
      },
    );

    playKind<readonly string[]>(
      "life-bare-call",
      "a call of no era is refused, what is no message is answered, and a sign of life is given",
      (report) => report.input.map((entry) => (typeof entry === "string" ? entry : JSON.stringify(entry))),
      {
        "a list instead of garbage": [
          '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"write"}}',
          "[",
          '{"jsonrpc":"2.0","id":10,"method":"ping"}',
        ],
        "a word instead of garbage": [
          '{"jsonrpc":"2.0","id":9,"method":"resources/list","params":{"_meta":{"x/y":1}}}',
          "hello",
          '{"jsonrpc":"2.0","id":10,"method":"ping"}',
        ],
      },
      async (lines) => {
        const room = roomWith(legacyServer(NEWEST));
        const pipe = piped(room);
        for (const line of lines) pipe.write(`${line}\n`);
        expect(await pipe.answer(10)).toMatchObject({ result: {} });
        expect(await pipe.answer(9)).toMatchObject({ error: { code: expect.any(Number) } });
        expect([-32600, -32602]).toContain(at(await pipe.answer(9), "/error/code"));
        expect(pipe.messages()).toContainEqual(expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32700 }) }));
        expect(room.connector.peers).toEqual([]);
        const port = await listening(room);
        const answers = await Promise.all(lines.map((line) => sendRaw(port, headOf(), line)));
        expect(answers.map(({ status }) => status)).toEqual([400, 400, 200]);
        expect(answers.map(({ messages }) => at(messages[0], "/error/code") ?? at(messages[0], "/result"))).toEqual([
          expect.any(Number),
          -32700,
          {},
        ]);
        // A first request that says everything of itself is served for itself.
        const modern = modernStage();
        expect((await modern.ask(modernRequest(1, "tools/list"))).answer).toMatchObject({ id: 1, result: { tools: [] } });
      },
    );
  });

  describe("progress and cancellation through the bridge", () => {
    playKind<readonly [token: unknown, wanted: unknown]>(
      "progress-invented-token",
      "progress nobody asked for goes no further, and the call is none the worse",
      (report) => [at(message(report, "s"), "/params/progressToken"), undefined],
      {
        "with a token of the client's": ["tool-call", "tool-call"],
        "a number": [1, 1],
        null: [null, undefined],
        nothing: [undefined, "p"],
        "an object": [{}, 0],
      },
      async ([token, wanted]) => {
        for (const transport of ["stdio", "streamable-http"] as const) {
          const stage = await legacyStage({
            transport,
            does: (given, room) => {
              if (given["method"] !== "tools/call") return least(given, room);
              for (let turn = 0; turn < 157; turn += 1) {
                room.send(
                  notification("notifications/progress", {
                    ...(token === undefined ? {} : { progressToken: token }),
                    progress: turn,
                    total: 1,
                  }),
                );
              }
              return { content: [] };
            },
          });
          const meta = wanted === undefined ? {} : { _meta: { progressToken: wanted } };
          expect(await stage.client.call("tools/call", { name: "t", ...meta })).toMatchObject({ result: { content: [] } });
          expect(stage.client.framesOf("notifications/progress")).toEqual([]);
          await until("the drops", () => stage.events.filter(({ event }) => event === "dropped").length === 157);
          expect(stage.client.ended).toBeUndefined();
          expect(await stage.client.call("tools/list")).toHaveProperty("result");
          await stage.service.close();
        }
      },
    );

    play("progress-token-types", "each hop has tokens of its own, and the client's come back as they were", async (report) => {
      const calls = arrived(report, "c") as readonly Wire[];
      const total = at(message(report, "s", 1), "/params/total");
      const tokens = new Map<unknown, unknown>();
      const stage = await legacyStage({
        does: (given, room) => {
          if (given["method"] !== "tools/call") return least(given, room);
          const token = metaOf(given)["progressToken"];
          tokens.set(token, token);
          room.send(notification("notifications/progress", { progressToken: token, progress: 1, total }));
          return new Promise((resolve) => setTimeout(() => resolve({ content: [] }), 20));
        },
      });
      await Promise.all(calls.map((call) => stage.client.send(call)));
      expect(tokens.size).toBe(2);
      expect(stage.client.framesOf("notifications/progress").map(paramsOf)).toEqual(
        calls.map((call) => ({ progressToken: metaOf(call)["progressToken"], progress: 1 })),
      );
      // What comes behind the answer is nobody's.
      for (const token of tokens.keys()) stage.peer.push(notification("notifications/progress", { progressToken: token, progress: 2 }));
      await until("the drops", () => stage.events.filter(({ event }) => event === "dropped").length === 2);
      expect(stage.client.framesOf("notifications/progress")).toHaveLength(2);
    });

    playKind<readonly Wire[]>(
      "cancel-then-response",
      "answers to what was cancelled are swallowed, however many come",
      (report) => (arrived(report, "s") as readonly Wire[]).map((one) => ({ ...one, id: "$id" })),
      { one: [{ jsonrpc: "2.0", id: "$id", result: {} }], none: [], "an error without a code": [{ jsonrpc: "2.0", id: "$id", error: {} }] },
      async (answers) => {
        const late = answers.map((one) => `${JSON.stringify(one)}\n`);
        const stage = towardsProcess(
          processRules("2025-06-18", {
            "tools/call": [],
            "notifications/cancelled": late.map((line) => line.replace('"$id"', "2")),
          }),
        );
        const { client } = await playedClient(stage, "2025-06-18");
        const call = client.send(request("slow", "tools/call", { name: "slow", arguments: {} }));
        await until("the call", () => stage.got.some(({ method }) => method === "tools/call"));
        await client.notify("notifications/cancelled", { requestId: "slow", reason: "enough" });
        expect(await call).toBeUndefined();
        await until("the cancellation", () => stage.got.some(({ method }) => method === "notifications/cancelled"));
        const cancelled = stage.got.find(({ method }) => method === "notifications/cancelled");
        expect(paramsOf(cancelled)).toEqual({
          requestId: stage.got.find(({ method }) => method === "tools/call")?.["id"],
          reason: "enough",
        });
        await until("the late ones", () => stage.transportEvents.filter(({ event }) => event === "unmatched").length === answers.length);
        expect(await client.call("tools/list")).toMatchObject({ result: { tools: [] } });
        expect(client.lines.join("")).not.toContain('"slow"');
        // Once more is nobody's, and a handshake is never cancelled.
        await client.notify("notifications/cancelled", { requestId: "slow" });
        expect(stage.got.filter(({ method }) => method === "notifications/cancelled")).toHaveLength(1);
      },
    );

    it("cancel-then-response: a handshake is not cancelled", async () => {
      let answer: (result: unknown) => void = () => undefined;
      const room = roomWith((given, one) => {
        if (given["method"] !== "initialize") return legacyServer("2025-06-18")(given, one);
        return new Promise((resolve) => (answer = resolve));
      });
      const client = new PlayedClient(room.service);
      const opening = client.send(initialize("2025-06-18", {}, 0));
      await until("the handshake", () => sent(room, "initialize").length === 1);
      await client.notify("notifications/cancelled", { requestId: 0 });
      answer({ protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "s", version: "1" } });
      expect(await opening).toMatchObject({ id: 0, result: { protocolVersion: "2025-06-18" } });
      expect(sent(room, "notifications/cancelled")).toEqual([]);
    });

    play(
      "cancel-unknown-method-crash",
      "a server that ends at a notification fails what is in flight, and gets no such one again",
      async (report) => {
        const method = String(message(report, "t" as "s")["method"] ?? at(report.input[0], "/method"));
        const stage = towardsProcess(processRules("2024-11-05", { "tools/call": [], [method]: ["<EOF>"] }));
        const { client } = await playedClient(stage, "2024-11-05");
        const calls = ["a", "b"].map((id) => client.send(request(id, "tools/call", { name: "slow" })));
        await until("the calls", () => stage.got.filter((one) => one["method"] === "tools/call").length === 2);
        await client.notify(method, { requestId: "a", reason: "timeout" });
        expect(await calls[1]).toMatchObject({ id: "b", error: { code: -31909, message: expect.stringContaining("exited with code 1") } });
        await until("the end", () => client.ended !== undefined);
        const again = await playedClient(stage, "2024-11-05");
        expect(again.welcomed).toHaveProperty("result");
        void again.client.send(request("c", "tools/call", { name: "slow" }));
        await until("the call", () => stage.got.filter((one) => one["method"] === "tools/call").length === 3);
        await again.client.notify(method, { requestId: "c" });
        expect(await again.client.call("tools/list")).toHaveProperty("result");
        expect(stage.got.filter((one) => one["method"] === method)).toHaveLength(1);
      },
    );
  });

  describe("what goes on through the bridge", () => {
    play(
      "fwd-notifications-dropped",
      "everything a server says before its answer comes before its answer, in its order, on the stream of the request",
      async (report) => {
        const [progress, ...rest] = arrived(report, "s").slice(0, 4) as [Wire, ...Wire[]];
        const call = message(report, "c");
        for (const client of LEGACY) {
          for (const transport of ["stdio", "streamable-http"] as const) {
            const stage = await legacyStage({
              client,
              transport,
              does: (given, room) => {
                room.send({ ...progress, params: { ...paramsOf(progress), progressToken: metaOf(given)["progressToken"] } });
                for (const one of rest) room.send(one);
                return { content: [{ type: "text", text: "ok" }] };
              },
            });
            const answer = await stage.client.send({ ...call, id: "c" });
            expect(answer).toMatchObject({ id: "c", result: { content: [{ text: "ok" }] } });
            expect(stage.client.lines.at(-1)).toBe(JSON.stringify(answer));
            const written = stage.client.written.map(({ frame }) => frame);
            expect(written.map(({ method }) => method)).toEqual([progress, ...rest].map(({ method }) => method));
            expect(paramsOf(written[0])).toMatchObject({ progressToken: "p", progress: 0.5 });
            expect(written[1]).toEqual(rest[0]);
            expect(written[3]).toEqual(rest[2]);
            if (transport === "streamable-http") expect(stage.client.written.every(({ on }) => on === "request")).toBe(true);
            await stage.service.close();
          }
        }
      },
    );

    play(
      "fwd-fields-stripped",
      "what both sides read is not touched: unknown members, the order of keys, numbers beyond all bounds",
      async (report) => {
        const result = message(report, "s")["result"] as Wire;
        const tool = at(result, "/tools/0") as Wire;
        const schema =
          '{"type":"object","z":1,"a":{"const":9007199254740993,"maximum":1e400,"multipleOf":0.10},"properties":{"b":{},"a":{}}}';
        const text = JSON.stringify({ ...result, tools: [{ ...tool, inputSchema: "$schema" }] }).replace('"$schema"', schema);
        for (const revision of LEGACY.filter((one) => one >= "2025-06-18")) {
          const stage = towardsProcess(
            processRules(revision, { "tools/list": [`{"jsonrpc":"2.0","id":$id,"result":${text},"x-top":12345678901234567890}\n`] }),
          );
          const pipe = piped(stage);
          pipe.write(`${JSON.stringify(initialize(revision, {}, "hello"))}\n`);
          await pipe.answer("hello");
          pipe.write('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n');
          await pipe.answer(2);
          const line = pipe.lines.find((one) => one.includes("inputSchema")) ?? "";
          expect(line, revision).toContain(schema);
          expect(line, revision).toContain('"x-top":12345678901234567890');
          expect(at(JSON.parse(line), "/result/com.example~1extra"), revision).toBe(true);
          expect(at(JSON.parse(line), "/result/tools/0/x-vendor"), revision).toEqual({ y: [1] });
          if (revision === NEWEST)
            expect(at(JSON.parse(line), "/result/tools/0")).toMatchObject({ ...tool, inputSchema: { type: "object" } });
          // And on the way there.
          pipe.write(
            '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"t","arguments":{"z":9007199254740993,"a":1.50,"__proto__":1}}}\n',
          );
          await pipe.answer(3);
          const call = stage.got.find((one) => one["method"] === "tools/call");
          expect(Object.keys(at(call, "/params/arguments") as object)).toEqual(["z", "a", "__proto__"]);
        }
      },
    );

    play(
      "client-ping-method-not-found",
      "a server's signs of life are answered, each, whatever the client does with its own",
      async (report) => {
        const pings = arrived(report, "s") as readonly Wire[];
        const { script, waiting } = held();
        const stage = await legacyStage({ does: script });
        // A request of the client's with the id of one of the pings is in flight meanwhile.
        void stage.client.send(request(1, "tools/call", { name: "slow" }));
        await until("the call", () => waiting() === 1);
        for (const ping of pings) stage.peer.push(ping);
        await until("the answers", () =>
          pings.every(({ id }) => stage.peer.messages.some((one) => one["id"] === id && one["result"] !== undefined)),
        );
        expect(stage.peer.messages.filter(({ result }) => result !== undefined)).toEqual(
          pings.map(({ id }) => ({ jsonrpc: "2.0", id, result: {} })),
        );
        expect(stage.client.written).toEqual([]);
      },
    );

    playKind<readonly [method: string, params: unknown]>(
      "server-request-stateless",
      "a question with no way to the client is refused at once",
      (report) => [String(message(report, "s")["method"]), message(report, "s")["params"]],
      {
        roots: ["roots/list", {}],
        elicitation: ["elicitation/create", { message: "?", requestedSchema: { type: "object", properties: {} } }],
      },
      async ([method, params]) => {
        // The client takes one answer and nothing before it, and has no other stream.
        const stage = await legacyStage({
          client: "2025-06-18",
          server: "2025-06-18",
          declares: ABLE,
          transport: "streamable-http",
          front: "streamable-http",
          does: asking(method, params),
        });
        const since = performance.now();
        const call = stage.client.send(request(2, "tools/call", { name: "t" }), false);
        await until("the refusal", () => stage.peer.messages.some(({ id }) => id === "r1"));
        expect(performance.now() - since).toBeLessThan(2_000);
        expect(stage.peer.messages.find(({ id }) => id === "r1")).toMatchObject({
          error: { code: expect.any(Number), message: expect.stringContaining(method) },
        });
        expect(await call).toMatchObject({ id: 2, result: { content: [] } });
        expect(stage.client.written).toEqual([]);
      },
    );

    it.each(["roots/list", "sampling/createMessage", "elicitation/create"])(
      "server-request-stateless: the wait for an answer to %s has an end",
      async (method) => {
        const params = { messages: [], maxTokens: 1, message: "?", requestedSchema: { type: "object", properties: {} } };
        const { timeouts } = optionsWith();
        const stage = await legacyStage({
          client: "2025-06-18",
          server: "2025-06-18",
          declares: ABLE,
          does: asking(method, params),
          changes: { timeouts: { ...timeouts, answer: 50 } },
        });
        expect(await stage.client.call("tools/call", { name: "t" })).toMatchObject({ result: { content: [] } });
        expect(stage.peer.messages.find(({ id }) => id === "r1")).toMatchObject({ error: { message: expect.stringContaining("in time") } });
        expect(stage.client.framesOf("notifications/cancelled")).toHaveLength(1);
      },
    );

    playKind<readonly [method: string, params: unknown, id: unknown]>(
      "server-request-undeclared",
      "a question the client did not invite is refused by the bridge, with its own id, and the session goes on",
      (report) => [String(message(report, "s")["method"]), message(report, "s")["params"], message(report, "s")["id"]],
      {
        roots: ["roots/list", undefined, 0],
        sampling: ["sampling/createMessage", { messages: [], maxTokens: 1 }, "2"],
        "what nobody may ask a client": ["tools/list", {}, 2],
        "what another era has": ["server/discover", {}, 2],
      },
      async ([method, params, id]) => {
        const { script, go, waiting } = held();
        const stage = await legacyStage({ client: "2025-06-18", server: "2025-06-18", does: script });
        const call = stage.client.send(request(2, "tools/call", { name: "t" }));
        await until("the call", () => waiting() === 1);
        stage.peer.push(request(id, method, params));
        await until("the refusal", () => stage.peer.messages.some((one) => one["error"] !== undefined));
        expect(stage.peer.messages.at(-1)).toMatchObject({ id, error: { code: -32601 } });
        expect(stage.client.written).toEqual([]);
        go("t");
        expect(await call).toMatchObject({ id: 2, result: { content: [{ text: "t" }] } });
        expect(stage.events).toContainEqual(expect.objectContaining({ event: "refused", method }));
      },
    );
  });
}

/** Has a server ask something in the middle of a call, and answer once that is answered, whatever the answer is. */
function asking(method: string, params: unknown): Script {
  return (given, room) => {
    if (given["method"] !== "tools/call") return least(given, room);
    room.send(request("r1", method, params));
    return new Promise((resolve) => setTimeout(() => resolve({ content: [] }), 150));
  };
}
