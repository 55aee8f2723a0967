// Native clients read what polyrev lowers for them: every kind of answer to every operation, under each preset, must be accepted with its
// content by an SDK that was built for the revision, or refused before it is sent, as the policy promises.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { liftEnvelope, lowerEnvelope, TranslationReport, type Wire } from "../../runtime/index.js";
import { Feature, tables } from "../../runtime/mcp.js";
import { handshakeFor, sampleAnswers, type Answers } from "./answerer.js";
import { fullCodec } from "./codecs.js";
import { isObject } from "./holds.js";
import { describe as said, judge, openSession, policyOf, PRESETS, promised, samplesAt, type MemorySession, type Verdict } from "./judge.js";
import { PEERS, peerOf, type Peer } from "./peers.js";
import { sampleFor, SAMPLES } from "./samples.js";
import { settle } from "./settle.js";
import { validatorsOf } from "./validity.js";

describe("the samples", () => {
  it("have names of their own, and each is found by the request it is asked with", () => {
    expect(new Set(SAMPLES.map(({ name }) => name)).size).toBe(SAMPLES.length);
  });

  it.each(SAMPLES.filter(({ result }) => result !== undefined).map((sample) => [sample.name, sample] as const))(
    "%s holds what it is to hold",
    (_, { holds, result }) => {
      expect(holds.filter((hold) => !hold.found(result ?? {})).map(({ what }) => what)).toEqual([]);
    },
  );
});

const sessions = PEERS.flatMap((peer) => PRESETS.map((preset) => [peer.alias, peer.revision, preset, peer] as const));

describe.each(sessions)("%s, native to %s, under %s", (_, revision, preset, peer) => {
  const policy = policyOf(preset);
  let session: MemorySession;
  beforeAll(async () => {
    session = await openSession(peer, policy);
  });
  afterAll(() => session.close());

  it.each(samplesAt(revision).map((sample) => [sample.name, sample] as const))("%s", async (_, sample) => {
    const verdict = await judge(session, sample);
    expect(verdict.faults).toEqual([]);
    expect(promised(session.profile, policy, sample), `${verdict.outcome}: ${verdict.recorded.refusal?.message}`).toContain(
      verdict.outcome,
    );
    expectHonest(verdict, preset === "balanced");
    if (verdict.recorded.refusal === undefined) return;
    const missing = sample.needs.filter((feature) => !session.profile.isEnabled(feature));
    expect(missing.map((feature) => tables.features[feature]?.id)).toContain(verdict.recorded.refusal.feature);
    expect(verdict.recorded.refusal.cite).toBeDefined();
  });

  it("has a client that writes what its revision allows, and the codec passes it on as it came", async () => {
    const validity = await validatorsOf(revision);
    const codec = await fullCodec(revision);
    expect(session.line.heard.length).toBeGreaterThan(samplesAt(revision).length);
    for (const message of session.line.heard) {
      const report = new TranslationReport();
      expect(validity.messageFaults(message, undefined)).toEqual([]);
      expect(lowerEnvelope(codec, liftEnvelope(codec, message), undefined, report)).toBe(message);
      expect(report.isEmpty).toBe(true);
    }
  });
});

function expectHonest({ recorded: { report, refusal } }: Verdict, keepsContent: boolean): void {
  if (refusal !== undefined) expect(report.isEmpty).toBe(true);
  if (keepsContent) expect(report.steps.filter((step) => step.loss === "content")).toEqual([]);
}

const RICH_INFO = {
  name: "rich",
  version: "2.0.0",
  title: "Rich",
  description: "Says a lot",
  websiteUrl: "https://example.com",
  icons: [{ src: "https://example.com/rich.png" }],
};

describe.each(PEERS.filter(({ era }) => era === "legacy").map((peer) => [peer.alias, peer] as const))(
  "%s meets a server that",
  (_, peer) => {
    const capabilities = { ...(handshakeFor(peer.revision)["capabilities"] as Wire), completions: {}, extensions: { "com.example/x": {} } };

    it.each(PRESETS)("says much about itself, under %s", async (preset) => {
      const handshake = { ...handshakeFor(peer.revision), serverInfo: RICH_INFO, capabilities };
      const connected = await settle(openSession(peer, policyOf(preset), sampleAnswers, handshake));
      if (preset === "strict") {
        expect("error" in connected && said(connected.error)).toContain("cannot lower");
        return;
      }
      const session = ("value" in connected ? connected.value : expect.fail(said(connected.error))) as MemorySession;
      expect(session.client.sdk.getServerVersion()).toMatchObject({ name: "rich", version: "2.0.0" });
      expect(session.client.sdk.getServerCapabilities()).toMatchObject({ tools: {}, prompts: {}, resources: {}, logging: {} });
      await session.close();
    });
  },
);

/** Sessions in which the tool's list and its answers must agree: from some releases on the SDK checks one against the other. */
const TYPED: readonly (readonly [string, Wire, unknown])[] = [
  ["an object", { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] }, { celsius: 21 }],
  ["an array", { type: "array", items: { type: "number" } }, [20, 21]],
  ["a string", { type: "string" }, "sunny"],
  ["zero", { type: "number" }, 0],
  ["a choice", { anyOf: [{ type: "string" }, { type: "null" }] }, null],
  ["a referenced shape", { $defs: { city: { type: "string" } }, type: "array", items: { $ref: "#/$defs/city" } }, ["Lisbon"]],
];

describe.each(PEERS.map((peer) => [peer.alias, peer] as const))("%s lists a tool and then calls it, and its answer is", (_, peer) => {
  it.each(TYPED.flatMap((typed) => (["balanced", "permissive"] as const).map((preset) => [typed[0], preset, typed] as const)))(
    "%s, under %s",
    async (_, preset, [, outputSchema, value]) => {
      const tool = { name: "typed", inputSchema: { type: "object" }, outputSchema };
      const answers: Answers = (method) =>
        method === "tools/list"
          ? { result: { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [tool] } }
          : { result: { resultType: "complete", content: [{ type: "text", text: JSON.stringify(value) }], structuredContent: value } };
      const session = await openSession(peer, policyOf(preset), answers);
      const listed = await settle(session.client.sdk.listTools());
      const refused = session.answerer.recorded.at(-1)?.refusal;
      if (refused !== undefined) {
        expect(refused.feature).toBe(tables.features[Feature.ToolsAnyJsonSchema]?.id);
        return;
      }
      if ("error" in listed) expect.fail(`the list is rejected: ${said(listed.error)}`);
      const called = await settle(session.client.sdk.callTool({ name: "typed", arguments: {} }));
      const lowered = JSON.stringify(session.answerer.recorded.at(-1)?.message);
      if ("error" in called) expect.fail(`the answer is rejected: ${said(called.error)}: ${lowered}`);
      expect(JSON.stringify(called.value)).toContain(JSON.stringify(JSON.stringify(value)));
      await session.close();
    },
  );
});

describe("the judge can say no", () => {
  const oldest = peerOf("sdk-1.0");
  const spoil = (change: (result: Wire) => Wire): Answers => {
    return (method, params) => ({ result: change(sampleFor(method, params).result ?? {}) });
  };
  const spoilBlock = (block: Wire) => spoil((result) => ({ ...result, content: [block] }));

  it.each<[string, string, Answers]>([
    ["a block is dropped", "call text", spoil((result) => ({ ...result, content: [] }))],
    ["bytes are corrupted", "call audio", spoilBlock({ type: "audio", data: "AAAA", mimeType: "audio/wav" })],
    ["a media type is lost", "call image", spoilBlock({ type: "image", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB", mimeType: "image/gif" })],
    ["a link points elsewhere", "call resource link", spoilBlock({ type: "resource_link", uri: "file:///x", name: "readings.csv" })],
    ["a structured value changes", "call structured an array alone", spoil((result) => ({ ...result, structuredContent: [1] }))],
    ["a cursor is lost", "tools paged", spoil(({ nextCursor: _lost, ...result }) => result)],
    ["two answers are swapped", "prompt text", () => ({ result: SAMPLES.find(({ name }) => name === "prompt image")?.result })],
    ["an error becomes a result", "error internal", () => ({ result: { resources: [] } })],
  ])("when %s", async (_, name, answers) => {
    const session = await openSession(oldest, policyOf("permissive"), answers);
    const verdict = await judge(
      session,
      SAMPLES.find((sample) => sample.name === name)!,
    );
    expect(verdict.outcome).toBe("failed");
    await session.close();
  });

  it("when an answer is passed on as it is", async () => {
    const failed = await passedOn(oldest);
    expect(failed).toEqual(expect.arrayContaining(["call audio", "call resource link", "prompt audio", "empty ping, said to be complete"]));
  });
});

/** Gives the samples a client fails at when nothing is lowered for it. */
async function passedOn(peer: Peer): Promise<readonly string[]> {
  const session = await openSession(peer, policyOf("permissive"));
  const lower = session.answerer.answer.bind(session.answerer);
  session.line.listen((message) => {
    const answer = lower(message);
    const { method, params } = message;
    if (answer === undefined || typeof method !== "string") return;
    const raw = sampleAnswers(method, isObject(params) ? params : {});
    session.line.write({ jsonrpc: "2.0", id: message["id"], ...raw });
  });
  const failed: string[] = [];
  for (const sample of samplesAt(peer.revision)) {
    const { got } = await session.ask(sample);
    if ("error" in got && sample.error === undefined) failed.push(sample.name);
  }
  await session.close();
  return failed;
}
