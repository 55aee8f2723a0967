// Servers ask their clients: sampling, elicitation and roots. Before 2026-07-28 that is a request of the server's own, since then it stands in
// a result that wants input. Native clients get what polyrev lowers and native servers what polyrev answers, at every revision that has it.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isLowerError, liftEnvelope, lowerEnvelope, TranslationReport } from "../../runtime/index.js";
import type { DegradePolicy, LowerError, Wire } from "../../runtime/index.js";
import { Feature, tables } from "../../runtime/mcp.js";
import type { Answers } from "./answerer.js";
import { Caller } from "./caller.js";
import { difference, isObject, objectsOf } from "./holds.js";
import { openSession, policyOf, PRESETS, type MemorySession } from "./judge.js";
import { memoryLine, type Line } from "./line.js";
import { ASKS, nativeHandlers, REPLIES, serverCapabilities, type Ask } from "./native-server.js";
import { loadPeer, PEERS, peerOf } from "./peers.js";
import { within } from "./settle.js";
import { validatorsOf } from "./validity.js";

/** A canonical request to a client, with what an older client lacks for it and what it must still be able to read. */
interface Question {
  readonly name: string;
  readonly ask: Ask;
  readonly needs: readonly number[];
  readonly words: readonly string[];
}

const elicit = (name: string, properties: Wire, needs: readonly number[], words: readonly string[] = []): Question => ({
  name: `elicitation ${name}`,
  ask: {
    method: "elicitation/create",
    since: "2025-06-18",
    params: { mode: "form", message: "Which?", requestedSchema: { type: "object", properties } },
  },
  needs: [Feature.Elicitation, ...needs],
  words: ["Which?", ...words],
});

const sample = (name: string, content: unknown, needs: readonly number[], words: readonly string[]): Question => ({
  name: `sampling ${name}`,
  ask: { method: "sampling/createMessage", since: "2024-11-05", params: { messages: [{ role: "user", content }], maxTokens: 10 } },
  needs,
  words,
});

const QUESTIONS: readonly Question[] = [
  ...Object.entries(ASKS).map(([name, ask]) => ({
    name: name.slice(4),
    ask,
    needs: needsOf(ask),
    words: ["How is Lisbon?", "iVBORw0KGgo=", "UklGRg==", "Which city?"].filter((words) => JSON.stringify(ask.params).includes(words)),
  })),
  sample(
    "with two blocks",
    [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ],
    [Feature.SamplingContentArrays],
    ["one", "two"],
  ),
  sample("with one block in a list", [{ type: "text", text: "one" }], [Feature.SamplingContentArrays], ["one"]),
  elicit("with a default", { city: { type: "string", default: "Lisbon" } }, [Feature.ElicitationDefaults], ["city"]),
  elicit(
    "with a titled choice",
    { city: { type: "string", oneOf: [{ const: "lis", title: "Lisbon" }] } },
    [Feature.ElicitationEnumStandard],
    ["lis"],
  ),
  elicit(
    "with several choices",
    { city: { type: "array", items: { type: "string", enum: ["Lisbon", "Porto"] } } },
    [Feature.ElicitationEnumMultiSelect],
    ["Lisbon", "Porto"],
  ),
  {
    name: "elicitation by a link",
    ask: {
      method: "elicitation/create",
      since: "2025-06-18",
      params: { mode: "url", message: "Sign in", url: "https://example.com/in", elicitationId: "e-1" },
    },
    needs: [Feature.Elicitation, Feature.ElicitationUrl],
    words: ["https://example.com/in"],
  },
];

function needsOf({ method, params }: Ask): readonly number[] {
  if (method === "elicitation/create") return [Feature.Elicitation];
  return JSON.stringify(params).includes('"audio"') ? [Feature.ContentAudio] : [];
}

const legacy = PEERS.filter(({ era }) => era === "legacy");

describe.each(legacy.flatMap((peer) => PRESETS.map((preset) => [peer.alias, peer.revision, preset, peer] as const)))(
  "%s, native to %s, is asked under %s",
  (_, revision, preset, peer) => {
    const policy = policyOf(preset);
    let session: MemorySession;
    let got: unknown;
    let answered: (message: Wire) => void;
    beforeAll(async () => {
      session = await openSession(peer, policy);
      for (const method of Object.keys(REPLIES)) {
        if (method === "elicitation/create" && revision < "2025-06-18") continue;
        session.client.handle(method, ({ params }) => {
          got = params;
          return REPLIES[method];
        });
      }
      session.line.listen((message) => answered(message));
    });
    afterAll(() => session.close());

    it.each(QUESTIONS.map((question) => [question.name, question] as const))("%s", async (_, { ask, needs, words }) => {
      const { method } = ask;
      const report = new TranslationReport();
      const missing = needs.filter((feature) => !session.profile.isEnabled(feature));
      const lowered = lowerRequest(session, ask, policy, report);
      if (missing.length === 0) expect(isLowerError(lowered) && lowered.message, "all it needs is there").toBe(false);
      if (preset === "strict" && missing.length > 0) expect(isLowerError(lowered)).toBe(true);
      if (isLowerError(lowered)) {
        expect(missing.map((feature) => tables.features[feature]?.id)).toContain(lowered.feature);
        return;
      }
      const validity = await validatorsOf(revision);
      expect(validity.faults(method, "params", lowered["params"])).toEqual([]);
      const answer = new Promise<Wire>((resolve) => (answered = resolve));
      session.line.write(lowered);
      const message = await within(20_000, `${peer.alias} to answer ${method}`, answer);
      expect(message["error"], JSON.stringify(lowered)).toBeUndefined();
      const losesContent = report.steps.some(({ loss }) => loss === "content");
      if (preset === "balanced") expect(losesContent).toBe(false);
      for (const each of losesContent ? [] : words) expect(JSON.stringify(got ?? {})).toContain(each);
      const { result } = message;
      expect(difference(REPLIES[method], result)).toEqual({ stripped: [], changed: [] });
      expect(validity.faults(method, "result", result)).toEqual([]);
      expect(session.answerer.codec.lift(method, "result", result)).toEqual(REPLIES[method]);
    });
  },
);

function lowerRequest(
  session: MemorySession,
  { method, params }: Ask,
  policy: DegradePolicy,
  report: TranslationReport,
): Wire | LowerError {
  const wire = { jsonrpc: "2.0", id: 7, method, params };
  try {
    return lowerEnvelope(session.answerer.codec, { kind: "request", id: 7, method, params, wire }, policy, report);
  } catch (error) {
    if (isLowerError(error)) return error;
    throw error;
  }
}

const askers = PEERS.flatMap((peer) =>
  Object.entries(ASKS)
    .filter(([, { since }]) => since <= peer.revision)
    .map(([tool, ask]) => [peer.alias, peer.revision, tool, ask, peer] as const),
);

describe.each(PEERS.map((peer) => [peer.alias, peer] as const))("%s asks and polyrev answers", (alias, peer) => {
  let line: Line;
  let caller: Caller;
  beforeAll(async () => {
    const loaded = await loadPeer(peer);
    const memory = memoryLine(loaded.readLine);
    line = memory.line;
    await loaded.serve(serverCapabilities(peer.revision), nativeHandlers(peer), memory.transport);
    caller = await Caller.meet(peer, line, (method) => REPLIES[method]);
  });
  afterAll(() => line.close());

  it.each(askers.filter(([asker]) => asker === alias).map(([, , tool, ask]) => [tool, ask] as const))(
    "%s",
    async (tool, { method, params }) => {
      const before = caller.heard.length;
      const first = await caller.call("tools/call", { name: tool, arguments: {} });
      const result = peer.era === "legacy" ? first["result"] : await retry(caller, tool, method, first);
      const said = caller.heard.slice(before).map(({ message }) => message);
      const asked = peer.era === "legacy" ? said.find((message) => message["method"] === method)?.["params"] : carried(first);
      expect(difference(params, asked ?? {}).stripped).toEqual([]);
      const [block] = objectsOf(isObject(result) ? result["content"] : undefined);
      expect(difference(REPLIES[method], JSON.parse(String(block?.["text"])))).toEqual({ stripped: [], changed: [] });
      const validity = await validatorsOf(peer.revision);
      const heard = caller.heard.slice(before);
      expect(heard.flatMap(({ message, answers }) => validity.messageFaults(message, answers))).toEqual([]);
    },
  );
});

/** Calls a tool again with what it asked for, as a client of the newest revision does. */
async function retry(caller: Caller, name: string, method: string, first: Wire): Promise<unknown> {
  const result = first["result"] as Wire;
  expect(result["resultType"]).toBe("input_required");
  const inputResponses = { ask: REPLIES[method] };
  const second = await caller.call("tools/call", { name, arguments: {}, inputResponses, requestState: result["requestState"] });
  return second["result"];
}

function carried(message: Wire): unknown {
  const requests = (message["result"] as Wire)["inputRequests"];
  const ask = isObject(requests) ? requests["ask"] : undefined;
  return isObject(ask) ? ask["params"] : undefined;
}

describe("the newest client is asked in a result", () => {
  it.each(Object.entries(ASKS))("%s", async (tool, { method, params }) => {
    const peer = peerOf("sdk-2");
    let got: unknown;
    const answers: Answers = (_, asked) => {
      const responses = asked["inputResponses"];
      if (responses === undefined)
        return { result: { resultType: "input_required", inputRequests: { ask: { method, params } }, requestState: "s" } };
      return { result: { resultType: "complete", content: [{ type: "text", text: JSON.stringify([responses, asked["requestState"]]) }] } };
    };
    const session = await openSession(peer, policyOf("strict"), answers);
    session.client.handle(method, ({ params }) => {
      got = params;
      return REPLIES[method];
    });
    const result = await session.client.call("tools/call", { name: tool, arguments: {} });
    expect(difference(params, got ?? {})).toEqual({ stripped: [], changed: [] });
    const [block] = objectsOf(isObject(result) ? result["content"] : undefined);
    expect(JSON.parse(String(block?.["text"]))).toEqual([{ ask: REPLIES[method] }, "s"]);
    const validity = await validatorsOf(peer.revision);
    for (const message of session.line.heard) {
      expect(validity.messageFaults(message, undefined)).toEqual([]);
      const report = new TranslationReport();
      expect(lowerEnvelope(session.answerer.codec, liftEnvelope(session.answerer.codec, message), undefined, report)).toEqual(message);
      expect(report.isEmpty).toBe(true);
    }
    await session.close();
  });
});
