// Rounds: what a question has to be before anybody is asked, what goes back, how often, and how it ends.
import { describe, expect, it } from "vitest";
import { META } from "../../runtime/bridge/meta.js";
import {
  ENDING_KEY,
  endingOf,
  nextRound,
  NO_ROUNDS,
  outcomeOf,
  readAnswer,
  retryParams,
  ROUND_LIMITS,
  takesRounds,
  withoutRetryFields,
  type Ask,
  type RoundFacts,
  type RoundPolicy,
  type RoundState,
  type RoundStep,
} from "../../runtime/bridge/rounds.js";
import { VALUES } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/index.js";

const MODERN = "2026-07-28";
const FACTS: RoundFacts = {
  method: "tools/call",
  revision: MODERN,
  declared: { roots: {}, sampling: {}, elicitation: { form: {} } },
  inexpressible: () => undefined,
};
const POLICY: RoundPolicy = { elicitationError: "fail", toolFailure: "isError" };
const ROOTS = { method: "roots/list" };
const FORM = { method: "elicitation/create", params: { message: "m", requestedSchema: { type: "object", properties: {} } } };
const VISIT = { method: "elicitation/create", params: { mode: "url", message: "m", url: "https://example.com/a" } };
const SAMPLE = { method: "sampling/createMessage", params: { messages: [], maxTokens: 1 } };

function asking(inputRequests?: unknown, requestState?: unknown): Wire {
  return {
    resultType: "input_required",
    ...(inputRequests === undefined ? {} : { inputRequests }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

function kindOf(step: RoundStep): string {
  return step.kind === "end" ? step.fault.kind : step.kind;
}

describe("outcomeOf", () => {
  it.each<readonly [unknown, string]>([
    [undefined, "complete"],
    ["complete", "complete"],
    ["input_required", "input-required"],
    ["task", "unknown"],
    [null, "unknown"],
    [1, "unknown"],
  ])("of %j is %s", (resultType, outcome) => {
    expect(outcomeOf({ resultType })).toBe(outcome);
  });

  it("knows every word of the tables", () => {
    expect(VALUES[MODERN].ResultType.map((resultType) => outcomeOf({ resultType }))).toEqual(["complete", "input-required"]);
  });
});

describe("takesRounds", () => {
  it("is true of three methods, at the revisions that have rounds", () => {
    expect(["tools/call", "prompts/get", "resources/read"].filter((method) => takesRounds(method, MODERN))).toHaveLength(3);
    expect(["tools/list", "server/discover", "completion/complete", "com.example/m"].some((method) => takesRounds(method, MODERN))).toBe(
      false,
    );
    expect([takesRounds("tools/call", "2025-11-25"), takesRounds("tools/call", "constructor")]).toEqual([false, false]);
  });

  it("says where the names of retries are the protocol's", () => {
    const params = { name: "t", inputResponses: {}, requestState: "s" };
    expect(withoutRetryFields("tools/call", params, MODERN)).toEqual({ name: "t" });
    expect(withoutRetryFields("com.example/m", params, MODERN)).toBe(params);
    const plain = { name: "t" };
    expect(withoutRetryFields("tools/call", plain, MODERN)).toBe(plain);
  });
});

describe("nextRound", () => {
  it("asks everything, in the order of the server", () => {
    const step = nextRound(NO_ROUNDS, asking({ b: FORM, a: ROOTS, c: SAMPLE }, "s1"), FACTS);
    expect(step).toEqual({
      kind: "ask",
      afterMs: 0,
      asks: [
        { key: "b", ...FORM },
        { key: "a", method: "roots/list", params: undefined },
        { key: "c", ...SAMPLE },
      ],
      state: { rounds: 1, idle: 0, urls: [], repeats: 0, requestState: "s1" },
    });
  });

  it.each<readonly [string, Wire, Partial<RoundFacts>, string, RegExp]>([
    [
      "a method that takes no rounds",
      asking({ a: ROOTS }),
      { method: "tools/list" },
      "upstream-violation",
      /tools\/list may not be answered by a question/,
    ],
    ["a legacy server", asking({ a: ROOTS }), { revision: "2025-11-25" }, "upstream-violation", /may not be answered/],
    ["neither questions nor state", asking(), {}, "upstream-violation", /asks nothing/],
    ["no questions in the list, and no state", asking({}), {}, "upstream-violation", /asks nothing/],
    ["a list of questions", asking([ROOTS]), {}, "upstream-violation", /not an object/],
    ["a question without a method", asking({ a: {} }), {}, "upstream-violation", /"a" has no method/],
    [
      "a question with a list for params",
      asking({ a: { method: "roots/list", params: [] } }),
      {},
      "upstream-violation",
      /params of the input request "a"/,
    ],
    ["another method", asking({ a: { method: "tools/list" } }), {}, "upstream-violation", /tools\/list is nothing a result may ask for/],
    ["a ping", asking({ a: { method: "ping" } }), {}, "upstream-violation", /ping is nothing/],
    ["what was not declared", asking({ a: ROOTS }), { declared: {} }, "upstream-violation", /client capability roots/],
    ["what nobody declared", asking({ a: ROOTS }), { declared: undefined }, "upstream-violation", /client capability roots/],
    ["an address where forms were declared", asking({ a: VISIT }), {}, "upstream-violation", /elicitation\.url/],
    ["a mode nobody knows", asking({ a: { method: "elicitation/create", params: { mode: "voice" } } }), {}, "upstream-violation", /mode/],
    [
      "tools where sampling was declared",
      asking({ a: { ...SAMPLE, params: { ...SAMPLE.params, tools: [] } } }),
      {},
      "upstream-violation",
      /sampling\.tools/,
    ],
    [
      "a tool choice",
      asking({ a: { ...SAMPLE, params: { ...SAMPLE.params, toolChoice: {} } } }),
      {},
      "upstream-violation",
      /sampling\.tools/,
    ],
    ["one good question and one bad", asking({ a: ROOTS, b: VISIT }), {}, "upstream-violation", /elicitation\.url/],
    [
      "what the client cannot be asked",
      asking({ a: ROOTS, b: FORM }),
      { inexpressible: ({ method }) => (method === "roots/list" ? undefined : "too old") },
      "not-translatable",
      /elicitation\/create: too old/,
    ],
  ])("ends at %s", (_name, result, facts, kind, says) => {
    const step = nextRound(NO_ROUNDS, result, { ...FACTS, ...facts });
    expect(kindOf(step)).toBe(kind);
    expect(step).toHaveProperty("fault.message", expect.stringMatching(says));
  });

  it.each<readonly [string, unknown, object]>([
    ["a form, of which an empty capability speaks", { elicitation: {} }, FORM],
    ["an address", { elicitation: { url: {} } }, VISIT],
    ["tools", { sampling: { tools: {} } }, { ...SAMPLE, params: { ...SAMPLE.params, tools: [], toolChoice: {} } }],
  ])("asks for %s where it was declared", (_name, declared, entry) => {
    expect(kindOf(nextRound(NO_ROUNDS, asking({ a: entry }), { ...FACTS, declared }))).toBe("ask");
  });

  it("comes back after a while where there is state and nothing to ask, and not for ever", () => {
    const kinds: unknown[] = [];
    let state: RoundState = NO_ROUNDS;
    for (let round = 0; round < 4; round += 1) {
      const step = nextRound(state, asking(undefined, ""), FACTS);
      kinds.push(kindOf(step));
      if (step.kind === "retry") ({ state } = step);
    }
    expect(kinds).toEqual(["retry", "retry", "retry", "rounds-exceeded"]);
    expect(state).toEqual({ rounds: 3, idle: 3, urls: [], repeats: 0, requestState: "" });
    // A question in between starts the count anew.
    const asked = nextRound(state, asking({ a: ROOTS }), FACTS);
    expect(asked).toHaveProperty("state", { rounds: 4, idle: 0, urls: [], repeats: 0, requestState: undefined });
  });

  it("goes round ten times, and says in the end what was asked", () => {
    let state: RoundState = NO_ROUNDS;
    for (let round = 0; round < ROUND_LIMITS.rounds; round += 1) {
      const step = nextRound(state, asking({ a: ROOTS }, "r1"), FACTS);
      if (step.kind !== "ask") throw new Error(`it ended in round ${round}`);
      ({ state } = step);
    }
    const last = nextRound(state, asking({ a: ROOTS }, "r1"), FACTS);
    expect(last).toMatchObject({
      kind: "end",
      fault: { kind: "rounds-exceeded", message: expect.stringMatching(/10; it asked last for "a"/) },
    });
    expect(kindOf(nextRound(state, asking({ a: ROOTS }), { ...FACTS, limits: { ...ROUND_LIMITS, rounds: 11 } }))).toBe("ask");
  });

  it("waits longer each time before it asks for the same address, three times", () => {
    const facts = { ...FACTS, declared: { elicitation: { url: {} } } };
    const waits: unknown[] = [];
    let state: RoundState = NO_ROUNDS;
    for (let round = 0; round < 5; round += 1) {
      const step = nextRound(state, asking({ [`k${round}`]: VISIT }), facts);
      waits.push(step.kind === "ask" ? step.afterMs : kindOf(step));
      if (step.kind === "ask") ({ state } = step);
    }
    expect(waits).toEqual([0, 2000, 4000, 8000, "rounds-exceeded"]);
    const elsewhere = { ...VISIT, params: { ...VISIT.params, url: "https://example.com/b" } };
    expect(nextRound(state, asking({ a: elsewhere }), facts)).toMatchObject({ kind: "ask", afterMs: 0, state: { repeats: 0 } });
  });

  it("never waits longer than the most", () => {
    const facts = { ...FACTS, declared: { elicitation: { url: {} } }, limits: { ...ROUND_LIMITS, urlMostMs: 3000 } };
    const state: RoundState = { ...NO_ROUNDS, rounds: 1, urls: [VISIT.params.url], repeats: 2 };
    expect(nextRound(state, asking({ a: VISIT }), facts)).toHaveProperty("afterMs", 3000);
  });
});

describe("retryParams", () => {
  const args = { n: 1 };
  const original = { name: "t", arguments: args, _meta: { k: 1 } };
  const state = (requestState: unknown): RoundState => ({ ...NO_ROUNDS, requestState });

  it("keeps the very values, and adds the responses of this round and the state as it came", () => {
    const params = retryParams(original, state("s"), { a: { roots: [] } });
    expect(params).toEqual({ ...original, inputResponses: { a: { roots: [] } }, requestState: "s" });
    expect(params["arguments"]).toBe(args);
  });

  it.each<readonly [string, unknown, Readonly<Record<string, Wire>> | undefined, Wire]>([
    ["absent stays absent", undefined, { a: {} }, { inputResponses: { a: {} } }],
    ["empty stays empty", "", undefined, { requestState: "" }],
    ["an object stays the object", args, {}, { requestState: args }],
  ])("%s", (_name, requestState, responses, added) => {
    expect(retryParams(original, state(requestState), responses)).toEqual({ ...original, ...added });
  });

  it("has nothing of an earlier round", () => {
    const earlier = { ...original, inputResponses: { old: {} }, requestState: "old" };
    expect(retryParams(earlier, state(undefined), { a: {} })).toEqual({ ...original, inputResponses: { a: {} } });
  });
});

describe("readAnswer", () => {
  const form: Ask = { key: "a", ...FORM };
  const visit: Ask = { key: "a", ...VISIT };
  const roots: Ask = { key: "a", method: "roots/list", params: undefined };
  const result = (given: object): Wire => ({ jsonrpc: "2.0", id: 1, result: given });
  const error: Wire = { jsonrpc: "2.0", id: 1, error: { code: -1, message: "user rejected" } };

  it("gives the bare result", () => {
    expect(readAnswer(form, result({ action: "accept", content: { x: 1 } }), POLICY)).toEqual({
      response: { action: "accept", content: { x: 1 } },
    });
    expect(readAnswer(form, result({ action: "decline" }), POLICY)).toEqual({ response: { action: "decline" } });
    expect(readAnswer(roots, result({ roots: [], _meta: { [META.serverInfo]: {}, k: 1 } }), POLICY)).toEqual({
      response: { roots: [], _meta: { k: 1 } },
    });
    expect(readAnswer(visit, result({ action: "accept", content: {} }), POLICY)).toEqual({ response: { action: "accept" } });
  });

  it.each<readonly [string, Ask, Wire | undefined, RoundPolicy["elicitationError"], RegExp]>([
    ["an error", form, error, "fail", /-1: user rejected/],
    ["an error to something else than a form", roots, error, "cancel", /-1: user rejected/],
    ["silence", form, undefined, "cancel", /in time/],
    ["neither result nor error", form, { jsonrpc: "2.0", id: 1 }, "cancel", /no result/],
    ["a result that is a list", form, { jsonrpc: "2.0", id: 1, result: [] }, "cancel", /no result/],
  ])("ends at %s", (_name, ask, answer, elicitationError, says) => {
    const outcome = readAnswer(ask, answer, { ...POLICY, elicitationError });
    expect(outcome).toHaveProperty("fault.kind", "client-input-failed");
    expect(outcome).toHaveProperty("fault.message", expect.stringMatching(says));
  });

  it("takes an error to a form for a cancelled one, where the policy says so", () => {
    expect(readAnswer(form, error, { ...POLICY, elicitationError: "cancel" })).toEqual({ response: { action: "cancel" } });
  });
});

describe("endingOf", () => {
  const fault = { kind: "client-input-failed", message: "cannot get an answer" } as const;

  it("tells the model of a tool call, and keeps the error beside it", () => {
    expect(endingOf("tools/call", fault, POLICY)).toEqual({
      result: {
        content: [{ type: "text", text: "cannot get an answer" }],
        isError: true,
        _meta: {
          [ENDING_KEY]: {
            code: -31903,
            message: "cannot get an answer",
            data: { bridge: expect.objectContaining({ kind: "client-input-failed" }) },
          },
        },
      },
    });
  });

  it.each<readonly [string, RoundPolicy["toolFailure"]]>([
    ["tools/call", "protocolError"],
    ["prompts/get", "isError"],
    ["resources/read", "isError"],
  ])("answers %s, %s, with the error", (method, toolFailure) => {
    expect(endingOf(method, fault, { ...POLICY, toolFailure })).toEqual({ error: expect.objectContaining({ code: -31903 }) });
  });
});
