// What survives `polyrev bridge` between peers written by hand, to the last digit: over pipes and HTTP, within an era and across. Everything both
// revisions can carry comes out as it went in.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import { RAW_BESIDE, RAW_CONTENT, RAW_ERROR, RAW_QUESTION, RAW_STRANGE, RAW_TOOL, RAW_VALUE, SAW, type RawEra } from "./raw-server.js";
import { answerTo, openRaw, type RawClient, type RawRun } from "./raw-wires.js";
import { until } from "./room.js";

const META = "io.modelcontextprotocol/";
const CLIENT = `{"name":"raw-client","version":"7","x-info":1.0}`;
const CAPABILITIES = `{"elicitation":{"form":{}},"x-capability":{"deep":[1.0]}}`;

interface Row {
  readonly client: RawEra;
  readonly server: RawEra;
  readonly from: "stdio" | "http";
  readonly to: "stdio" | "http";
}

const ROWS: readonly Row[] = [
  { client: "legacy", server: "legacy", from: "stdio", to: "stdio" },
  { client: "legacy", server: "legacy", from: "stdio", to: "http" },
  { client: "legacy", server: "legacy", from: "http", to: "stdio" },
  { client: "legacy", server: "legacy", from: "http", to: "http" },
  { client: "legacy", server: "modern", from: "stdio", to: "stdio" },
  { client: "legacy", server: "modern", from: "http", to: "http" },
  { client: "modern", server: "modern", from: "stdio", to: "stdio" },
  { client: "modern", server: "modern", from: "http", to: "http" },
];

/** Has a test only where there is what it is about. */
const where = (there: boolean): ((name: string, test: () => Promise<void>) => void) => (there ? it : () => undefined);

describe.each(ROWS)("a $client client over $from to a $server server over $to", ({ client: era, server, from, to }) => {
  let run: RawRun;
  let client: RawClient;
  let welcome: string;
  let last = 0;

  /** The metadata of a request, as the client's era has it. */
  const meta = (more = ""): string => {
    const own = [
      `"${META}protocolVersion":"2026-07-28"`,
      `"${META}clientInfo":${CLIENT}`,
      `"${META}clientCapabilities":${CAPABILITIES}`,
      `"${META}logLevel":"debug"`,
    ];
    return `"_meta":{${[...(era === "modern" ? own : []), `"v/k":1.0`, ...(more === "" ? [] : [more])].join(",")}}`;
  };
  const ask = (method: string, params = "", beside = "", more = "", stop?: AbortSignal): number => {
    last += 1;
    client.send(
      `{"jsonrpc":"2.0","id":${last},"method":"${method}","params":{${params}${params === "" ? "" : ","}${meta(more)}}${beside}}`,
      stop,
    );
    return last;
  };
  const call = (name: string, more = "", params = ""): number => ask("tools/call", `"name":"${name}","arguments":{}${params}`, "", more);
  const answer = async (id: number): Promise<string> => answerTo(client, id);
  const seen = async (): Promise<readonly string[]> => {
    const { result } = JSON.parse(await answer(ask(SAW))) as { readonly result: { readonly seen: readonly string[] } };
    return result.seen;
  };
  const heardOf = (method: string): readonly string[] => client.heard.filter((text) => (JSON.parse(text) as Wire)["method"] === method);
  const sameEra = era === server;

  beforeAll(async () => {
    run = await openRaw({ client: era, server }, from, to);
    client = run.client;
    if (era === "modern") {
      welcome = await answer(ask("server/discover"));
      return;
    }
    last += 1;
    client.send(
      `{"jsonrpc":"2.0","id":${last},"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":${CAPABILITIES},"clientInfo":${CLIENT}}}`,
    );
    welcome = await answer(last);
    client.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`);
    await answer(ask("logging/setLevel", `"level":"debug"`));
  });
  afterAll(() => run?.close());

  it("the server's name, instructions and capabilities, known or not", () => {
    expect(welcome).toContain(`"name":"raw-server","version":"9"`);
    expect(welcome).toContain(`"instructions":"ask"`);
    expect(welcome).toContain(`"x-capability":{"deep":[1.0]}`);
    expect(welcome).toContain(`"x-in-tools":1`);
    expect(welcome).toContain(`"x-greeting":1.0`);
  });

  it("the client's name and capabilities, known or not", async () => {
    await answer(ask("tools/list"));
    const [first = ""] = (await seen()).filter((text) => /"method":"(initialize|tools\/list)"/.test(text));
    expect(first).toContain(CLIENT);
    expect(first).toContain(`"x-capability":{"deep":[1.0]}`);
  });

  it("a list of tools: members of the message, the result, a tool and its annotations, and the cursor", async () => {
    const text = await answer(ask("tools/list", `"cursor":"c/1","x-param":1.0`));
    expect(text).toContain(RAW_TOOL);
    expect(text).toContain(`"nextCursor":"c/2"`);
    expect(text).toContain(`"x-list":1.0`);
    expect(text).toContain(`"x-beside":${RAW_BESIDE}`);
    const sent = (await seen()).findLast((each) => each.includes(`"tools/list"`));
    expect(sent).toContain(`"cursor":"c/1","x-param":1.0`);
    expect(sent).toContain(`"v/k":1.0`);
  });

  it("a call's result: every kind of block, the structured value, metadata and members nobody knows", async () => {
    const text = await answer(call("t"));
    expect(text).toContain(`"content":${RAW_CONTENT}`);
    expect(text).toContain(`"structuredContent":${RAW_VALUE}`);
    expect(text).toContain(`"v/r":1.0`);
    expect(text).toContain(`"x-result":{"n":1.0}`);
    expect(text).toContain(`"x-beside":${RAW_BESIDE}`);
  });

  where(sameEra)("a block of a kind nobody knows", async () => {
    expect(await answer(call("strange"))).toContain(`"content":${RAW_STRANGE}`);
  });

  it("a request: its arguments, its metadata, and members beside its params", async () => {
    const args = `{"big":9007199254740993,"float":1.0,"text":"\\u00e9","deep":[{"n":-0.0}]}`;
    await answer(ask("tools/call", `"name":"t","arguments":${args},"x-param":9007199254740993`, `,"x-top":{"n":1.0}`));
    const sent = (await seen()).findLast((each) => each.includes(`"big"`));
    expect(sent).toContain(`"arguments":${args.replace("\\u00e9", "é")}`);
    expect(sent).toContain(`"x-param":9007199254740993`);
    expect(sent).toContain(`"x-top":{"n":1.0}`);
  });

  it("an id beyond what a double holds", async () => {
    client.send(`{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/list","params":{${meta()}}}`);
    await until("the answer", () => client.heard.some((text) => text.includes(`"id":9007199254740993`)), 10_000);
  });

  it("an error: its code, message, data and members nobody knows", async () => {
    expect(await answer(call("fail"))).toContain(`"error":${RAW_ERROR}`);
  });

  it("progress, each under the client's token", async () => {
    const before = heardOf("notifications/progress").length;
    await answer(call("progress", `"progressToken":"mine"`));
    const told = heardOf("notifications/progress").slice(before);
    expect(told).toHaveLength(3);
    for (const [index, progress] of ["1.0", "2", "2.5"].entries()) {
      expect(told[index]).toContain(`"progressToken":"mine"`);
      expect(told[index]).toContain(`"progress":${progress},"total":4.0,"x-progress":1`);
    }
  });

  it("a log message and a notification nobody knows, in a call", async () => {
    await answer(call("log"));
    await until("the notification", () => heardOf("notifications/vendor").length > 0, 5_000);
    expect(heardOf("notifications/message").at(-1)).toContain(`"data":{"n":1.0},"x-log":1`);
    expect(heardOf("notifications/vendor").at(-1)).toContain(`"n":9007199254740993`);
  });

  // A modern server tells what nobody asked for to those who subscribed, and nothing else: over HTTP it has no way to.
  where(server === "legacy" || (era === "legacy" && to === "stdio"))("what a server says beside all calls", async () => {
    await answer(call("later"));
    await until("the notification", () => heardOf("notifications/vendor").some((text) => text.includes(`"later":1.0`)), 5_000);
    expect(heardOf("notifications/message").at(-1)).toContain(`"data":"later"`);
    expect(heardOf("notifications/tools/list_changed").at(-1)).toContain(`"x-change":1`);
  });

  it("a method nobody knows", async () => {
    const text = await answer(ask("vendor/method", `"n":9007199254740993`));
    expect(text).toContain(`"echo":true,"n":9007199254740993`);
    expect((await seen()).findLast((each) => each.includes("vendor/method"))).toContain(`"n":9007199254740993`);
  });

  where(sameEra)("a notification of the client's that nobody knows", async () => {
    client.send(`{"jsonrpc":"2.0","method":"notifications/vendor","params":{"n":1.0}}`);
    expect(await eventually(async () => (await seen()).find((each) => each.includes(`"notifications/vendor"`)))).toContain(
      `"params":{"n":1.0}`,
    );
  });

  it("a question of the server's, and its answer", async () => {
    const content = `{"n":9007199254740993,"f":1.0}`;
    const id = call("ask");
    let final = id;
    if (era === "legacy") {
      await until("the question", () => heardOf("elicitation/create").length > 0, 10_000);
      const question = heardOf("elicitation/create").at(-1) ?? "";
      expect(question).toContain(`"params":${RAW_QUESTION}`);
      client.send(
        `{"jsonrpc":"2.0","id":${JSON.stringify((JSON.parse(question) as Wire)["id"])},"result":{"action":"accept","content":${content},"x-answer":1}}`,
      );
    } else {
      const first = await answer(id);
      expect(first).toContain(`"params":${RAW_QUESTION}`);
      final = call("ask", "", `,"inputResponses":{"q":{"action":"accept","content":${content},"x-answer":1}},"requestState":"s"`);
    }
    expect(await answer(final)).toContain(`"heard":{"action":"accept"`);
    const answered = (await seen()).findLast((each) => each.includes(`"action":"accept"`));
    expect(answered).toContain(`"action":"accept","content":${content},"x-answer":1`);
  });

  it("a cancellation, of the call it means and no other", async () => {
    const stops = { kept: new AbortController(), left: new AbortController() };
    const wait = (mark: "kept" | "left"): number =>
      ask("tools/call", `"name":"wait","arguments":{},"x-mark":"${mark}"`, "", "", stops[mark].signal);
    const cancel = (mark: "kept" | "left", id: number): void => {
      if (era === "modern" && from === "http") stops[mark].abort();
      else client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"enough"}}`);
    };
    const [kept, left] = [wait("kept"), wait("left")];
    const known = async (mark: string): Promise<unknown> => {
      const text = await eventually(async () => (await seen()).find((each) => each.includes(`"x-mark":"${mark}"`)));
      return (JSON.parse(text) as Wire)["id"];
    };
    const [keptId, leftId] = [await known("kept"), await known("left")];
    cancel("left", left);
    const first = await eventually(async () => (await seen()).map(cancelledIn).find((id) => id !== undefined));
    expect(first).toBe(leftId);
    cancel("kept", kept);
    expect(await eventually(async () => (await seen()).map(cancelledIn).findLast((id) => id !== undefined && id !== leftId))).toBe(keptId);
  });
});

/** Gives the id of the request that a message to the server gives up, or whose stream was closed. */
function cancelledIn(text: string): unknown {
  const { method, params, closed } = JSON.parse(text) as Wire;
  return method === "notifications/cancelled" ? (params as Wire)["requestId"] : closed;
}

/** Asks until there is something. */
async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const end = performance.now() + 10_000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > end) throw new Error("waited 10 s in vain");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
