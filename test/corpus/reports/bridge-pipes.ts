// Reports about lines on pipes, played through the bridge as the bytes they were: on the pipe of a server that is a process, and on that of a client.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import { LineSplitter } from "../../../runtime/transport/lines.js";
import { roomWith } from "../../bridge/room.js";
import { at, message, play, playKind } from "../reports.js";
import {
  answerLine,
  initialize,
  legacyServer,
  notification,
  piped,
  playedClient,
  processRules,
  request,
  towardsProcess,
  until,
} from "./stage.js";

const REVISION = "2025-06-18";

/** Registers the plays about pipes through the bridge. */
export function playBridgePipes(): void {
  describe("lines through the bridge", () => {
    playKind<readonly string[]>(
      "stdio-banner",
      "what a server writes beside its messages is told to whoever runs the bridge, and to no client",
      (report) => report.input.slice(1, -1).map((line) => `${String(line)}\n`),
      {
        "JSON that is no message": ["42\n", '"x"\n', "null\n", "true\n"],
        "half a line, then the rest": ["Example ", "server\n"],
        colours: ["\u001b[32mready\u001b[0m\n"],
        "a mark at the start of the text": ["\ufeffready\n"],
        "nothing but blanks": ["   \n", "\t\r\n"],
        "an object that is no message": ['{"level":"info","msg":"listening"}\n'],
        "a list of words": ['["a","b"]\n'],
      },
      async (noise) => {
        const rules = processRules(REVISION);
        const stage = towardsProcess({
          ...rules,
          initialize: [...noise, ...(rules["initialize"] ?? [])],
          "tools/list": [...noise, answerLine({ tools: [] }), ...noise],
        });
        const pipe = piped(stage);
        pipe.write(`${JSON.stringify(initialize(REVISION, {}, 0))}\n`);
        expect(await pipe.answer(0)).toMatchObject({ result: { protocolVersion: REVISION } });
        pipe.write(`${JSON.stringify(request(1, "tools/list"))}\n`);
        expect(await pipe.answer(1)).toMatchObject({ result: { tools: [] } });
        expect(pipe.lines).toHaveLength(2);
        for (const line of pipe.lines) expect(JSON.parse(line)).toHaveProperty("jsonrpc", "2.0");
        const isBlank = noise.join("").trim() === "";
        if (!isBlank)
          await until("the events", () => stage.transportEvents.some(({ event }) => event === "noise" || event === "unmatched"));
      },
    );

    playKind<string>(
      "stdio-crlf",
      "lines end as they like, blank ones are none, and what is written ends with one character",
      (report) =>
        String(report.input[0])
          .replace('"id":1,', '"id":$id,')
          .replace(/"id":2.*\r\n$/, '"id":"late","result":{}}\r\n'),
      {
        LF: '{"jsonrpc":"2.0","id":$id,"result":{}}\n',
        both: '{"jsonrpc":"2.0","id":$id,"result":{}}\r\n\n\r\n{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"\\r\\n"}}\n',
        "blanks around it": '  {"jsonrpc":"2.0","id":$id,"result":{}}  \r\n',
      },
      async (text) => {
        const stage = towardsProcess(processRules(REVISION, { "vendor/do": [text] }));
        const pipe = piped(stage);
        pipe.write(`\r\n${JSON.stringify(initialize(REVISION, {}, 0))}\r\n\r\n`);
        expect(await pipe.answer(0)).toHaveProperty("result");
        pipe.write(`${JSON.stringify(request(1, "vendor/do"))}\r\n`);
        expect(await pipe.answer(1)).toMatchObject({ result: {} });
        if (text.includes("late")) await until("the event", () => stage.transportEvents.some(({ event }) => event === "unmatched"));
        for (const line of pipe.lines) expect(line.endsWith("\r")).toBe(false);
      },
    );

    playKind<readonly string[]>(
      "stdio-utf8-split",
      "characters that are cut in two are whole again, and what is no UTF-8 fails its own line alone",
      (report) => {
        const bytes = Buffer.concat(report.input.map((chunk) => Buffer.from(String(chunk).slice(4), "hex")));
        const cut = Buffer.from(String(report.input[0]).slice(4), "hex").length;
        // The id of the report's answer is the bridge's second.
        const whole = Buffer.from(bytes.toString("latin1").replace('"id":1', '"id":2'), "latin1");
        return [`hex:${whole.subarray(0, cut).toString("hex")}`, `hex:${whole.subarray(cut).toString("hex")}`];
      },
      {
        "byte by byte": [...Buffer.from('{"jsonrpc":"2.0","id":2,"result":{"n":"读 🎉"}}\n')].map(
          (byte) => `hex:${byte.toString(16).padStart(2, "0")}`,
        ),
        "at a line end": ["hex:" + Buffer.from('{"jsonrpc":"2.0","id":2,"result":{"n":"读 🎉"}}').toString("hex"), "hex:0a"],
      },
      async (chunks) => {
        const stage = towardsProcess(processRules(REVISION, { "vendor/do": chunks }));
        const { client } = await playedClient(stage, REVISION);
        expect(await client.call("vendor/do")).toEqual({ jsonrpc: "2.0", id: 2, result: { n: "读 🎉" } });
      },
    );

    it("stdio-utf8-split: what is no UTF-8 is an error of that line, on either pipe", async () => {
      const bad = `hex:${Buffer.from('{"jsonrpc":"2.0","id":2,"result":{"n":"').toString("hex")}c328${Buffer.from('"}}\n').toString("hex")}`;
      const stage = towardsProcess(processRules(REVISION, { "vendor/do": [bad] }));
      const { client } = await playedClient(stage, REVISION);
      const answer = await client.call("vendor/do");
      expect(answer).toHaveProperty("error");
      expect(JSON.stringify(answer)).not.toContain("\ufffd");
      expect(await client.call("tools/list")).toHaveProperty("result");
      const pipe = piped(roomWith(legacyServer(REVISION)));
      pipe.write(
        Buffer.concat([
          Buffer.from('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"a":"'),
          Buffer.from([0xc3, 0x28]),
          Buffer.from('"}}}\n'),
        ]),
      );
      await until("the error", () => pipe.messages().some((one) => one["error"] !== undefined));
      expect(pipe.messages()).toMatchObject([{ id: null, error: { code: -32700 } }]);
      for (const byte of Buffer.from('{"jsonrpc":"2.0","id":"读 🎉","method":"ping"}\n')) pipe.write(Uint8Array.of(byte));
      expect(await pipe.answer("读 🎉")).toMatchObject({ result: {} });
    });

    play(
      "stdio-long-line",
      "a long line passes whole, one that is too long fails its own request, and the next is read",
      async (report) => {
        const gen = String(report.input[0]).replace('"id":1', '"id":$id');
        const bytes = Number(/<A\*(\d+)>/.exec(gen)?.[1]);
        const lines = { "tools/call": [`${gen}\n`] };
        const stage = towardsProcess(processRules(REVISION, lines));
        const { client } = await playedClient(stage, REVISION);
        const answer = await client.call("tools/call", { name: "t" });
        expect(String(at(answer, "/result/content/0/text")).length).toBe(bytes);
        const capped = towardsProcess(processRules(REVISION, lines), { maxLineBytes: 1024 * 1024 });
        const short = await playedClient(capped, REVISION);
        const [long, next] = await Promise.all([short.client.call("tools/call", { name: "t" }), short.client.call("vendor/do")]);
        expect(long).toMatchObject({ error: { message: expect.stringContaining("more than the 1048576 allowed") } });
        expect(JSON.stringify(long).length).toBeLessThan(2_000);
        expect(next).toMatchObject({ result: message(report, "s")["result"] as Wire });
        expect(short.client.ended).toBeUndefined();
      },
    );

    it.each([1, 4])("stdio-long-line: %i million characters take their time once, however they are cut", (millions) => {
      const seen: number[] = [];
      const splitter = new LineSplitter({ onLine: (_, size) => seen.push(size), onDropped: () => seen.push(-1) });
      const chunk = Buffer.alloc(1000, "A");
      const since = performance.now();
      for (let turn = 0; turn < millions * 1000; turn += 1) splitter.push(chunk);
      splitter.push(Buffer.from("\n"));
      expect(seen).toEqual([millions * 1_000_000]);
      expect(performance.now() - since).toBeLessThan(millions * 2_000);
    });

    it("stdio-long-line: a client's line that is too long is an error without its id, and the next is read", async () => {
      const pipe = piped(roomWith(legacyServer(REVISION)));
      const chunk = Buffer.alloc(1024 * 1024, "A");
      pipe.write('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":"');
      for (let turn = 0; turn < 17; turn += 1) pipe.write(chunk);
      pipe.write('"}}}\n');
      pipe.write(`${JSON.stringify(notification("notifications/x"))}\n${JSON.stringify(request(2, "ping"))}\n`);
      expect(await pipe.answer(2)).toMatchObject({ result: {} });
      expect(pipe.messages().filter((one) => one["error"] !== undefined)).toMatchObject([
        { id: null, error: { code: expect.any(Number) } },
      ]);
    });
  });
}
