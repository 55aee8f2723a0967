// What a bridge between pipes has to stand, each a check that rejects where it does not. Given anything that can be started in a bridge's place, so that
// a flawed one shows that the check can fail.
import { expect } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import { errorIn, nobodyLeft, textOf, type PipeClient } from "./processes.js";

/** Starts what is checked, in front of a server that a mark names; options of the server come after the mark. */
export type Start = (mark: string, ...server: readonly string[]) => PipeClient;

/** One check, the fault of a flawed relay that it has to find, and how it ends. */
export interface Check {
  readonly name: string;
  /** A fault of `flawed-relay.mjs`. */
  readonly finds: string;
  readonly run: (start: Start, mark: string, patience: number) => Promise<void>;
}

/** Leaves, and makes sure that the process ends by itself and leaves nobody behind. */
export async function leaveCleanly(client: PipeClient, mark: string, patience: number): Promise<void> {
  expect(await client.leave(patience)).toEqual({ code: 0, signal: null });
  await nobodyLeft(mark);
}

/** Sends so many calls that the server answers in another order; every caller has to get its own answer. */
async function shuffled(client: PipeClient, count: number, patience: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, index) => index + 1000);
  for (const id of ids) {
    const given = { text: `of ${id}`, of: count };
    client.send({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "shuffle", arguments: given } });
  }
  await client.until(`${count} answers`, () => (client.lines.length > count ? true : undefined), patience + count);
  const answers = client.messages.filter((message) => Number(message["id"]) >= 1000);
  expect(answers).toHaveLength(count);
  expect(answers.filter((answer) => textOf(answer) !== `of ${String(answer["id"])}`)).toEqual([]);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(count);
}

/** Everything a bridge between pipes has to stand. */
export const CHECKS: readonly Check[] = [
  {
    name: "gives 2,000 concurrent calls the answers that are theirs",
    finds: "swaps",
    run: async (start, mark, patience) => {
      const client = start(mark);
      await client.open(patience);
      await shuffled(client, 2000, patience);
      await leaveCleanly(client, mark, patience);
    },
  },
  {
    name: "loses none of 70 concurrent calls",
    finds: "drops",
    run: async (start, mark, patience) => {
      const client = start(mark);
      await client.open(patience);
      await shuffled(client, 70, patience);
      await leaveCleanly(client, mark, patience);
    },
  },
  {
    name: "answers what is in flight when the server is killed, and ends",
    finds: "drops-all",
    run: async (start, mark, patience) => {
      const client = start(mark);
      await client.open(patience);
      const waiting = client.call("hang", {}, patience);
      const killing = client.call("die", {}, patience);
      const answers = await Promise.all([waiting, killing]);
      expect(answers.map((answer) => errorIn(answer).code)).toEqual([-31909, -31909]);
      expect(errorIn(answers[0]).message).toContain("SIGKILL");
      expect(await client.end(patience)).toEqual({ code: 1, signal: null });
      await nobodyLeft(mark);
    },
  },
  {
    name: "lets malformed frames of the server pass it by",
    finds: "passes-noise",
    run: async (start, mark, patience) => {
      const client = start(mark);
      await client.open(patience);
      expect(textOf(await client.call("malformed", { text: "through" }, patience))).toBe("through");
      expect(textOf(await client.call("stranger", { text: "mine" }, patience))).toBe("mine");
      for (const line of client.lines) expect(() => void JSON.parse(line), line).not.toThrow();
      expect(client.messages.filter((message) => textOf(message) === "of nobody's")).toEqual([]);
      await leaveCleanly(client, mark, patience);
    },
  },
  {
    name: "answers malformed frames of the client, and goes on",
    finds: "chokes",
    run: async (start, mark, patience) => {
      const client = start(mark);
      await client.open(patience);
      const bad = ["{", "[]", "7", '{"jsonrpc":"1.0","id":90,"method":"ping"}', '{"jsonrpc":"2.0","id":{},"method":"ping"}'];
      for (const line of bad) client.write(line);
      await client.until("answers", () => (client.lines.length > bad.length ? true : undefined), patience);
      const codes = client.messages.slice(1).map((message) => errorIn(message).code);
      expect(codes.sort((a, b) => b - a)).toEqual([-32600, -32600, -32600, -32600, -32700]);
      expect(textOf(await client.call("echo", { text: "on" }, patience))).toBe("on");
      await leaveCleanly(client, mark, patience);
    },
  },
  {
    name: "passes on one of two answers, and refuses an id that is in flight",
    finds: "relays",
    run: async (start, mark, patience) => {
      const client = start(mark);
      await client.open(patience);
      expect(textOf(await client.call("twice", { text: "first" }, patience))).toBe("first");
      const slow = (text: string): Wire => {
        return { jsonrpc: "2.0", id: "same", method: "tools/call", params: { name: "slow", arguments: { text, ms: 1000 } } };
      };
      client.send(slow("one"));
      client.send(slow("two"));
      await client.until("both", () => (client.messages.filter(({ id }) => id === "same").length > 1 ? true : undefined), patience);
      const [refused, answered] = client.messages.filter(({ id }) => id === "same");
      expect(errorIn(refused as Wire).code).toBe(-32600);
      expect(textOf(answered as Wire)).toBe("one");
      expect(client.messages.filter((message) => textOf(message) === "a second answer")).toEqual([]);
      await leaveCleanly(client, mark, patience);
    },
  },
  {
    name: "ends with its client, which leaves in the middle of a call, and takes the server along",
    finds: "leaks",
    run: async (start, mark, patience) => {
      const client = start(mark);
      await client.open(patience);
      client.send({ jsonrpc: "2.0", id: 99, method: "tools/call", params: { name: "hang", arguments: {} } });
      client.send({ jsonrpc: "2.0", id: 98, method: "tools/call", params: { name: "deaf", arguments: { text: "" } } });
      await client.answerTo(98, patience);
      client.child.stdout?.destroy();
      await leaveCleanly(client, mark, patience);
    },
  },
  {
    name: "loses no answer when it is told to stop, and stops",
    finds: "stops-early",
    run: async (start, mark, patience) => {
      const client = start(mark);
      await client.open(patience);
      const slow = client.call("slow", { text: "in time", ms: 1500 }, patience);
      // What came after it is answered, so it has arrived.
      await client.call("echo", { text: "" }, patience);
      client.child.kill("SIGTERM");
      expect(textOf(await slow)).toBe("in time");
      expect(await client.end(patience)).toEqual({ code: 0, signal: null });
      await nobodyLeft(mark);
    },
  },
  {
    name: "stops although a call never ends, answering it",
    finds: "stays",
    run: async (start, mark, patience) => {
      const client = start(mark);
      await client.open(patience);
      client.send({ jsonrpc: "2.0", id: 99, method: "tools/call", params: { name: "hang", arguments: {} } });
      await client.call("echo", { text: "" }, patience);
      client.child.kill("SIGTERM");
      expect((await client.end(patience + 10_000)).code).toBe(0);
      await nobodyLeft(mark);
    },
  },
];
