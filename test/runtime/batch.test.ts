// Batches: taken apart where the revision has them, refused everywhere else and where they hold what may not be in one; answers gathered again.
import { describe, expect, it } from "vitest";
import { isEnvelopeError, joinBatch, splitBatch, TranslationReport, type EnvelopeError, type FeatureProfile } from "../../runtime/index.js";
import { CapabilitySet, Feature, REVISIONS } from "../../runtime/mcp.js";
import { resolve } from "../../runtime/profile.js";
import { TOY } from "./toy-tables.js";

const ALL = REVISIONS.map(({ revision }) => revision as string);
const WITH = "2025-03-26";
const WITHOUT = ALL.filter((revision) => revision !== WITH);

const profileOf = (revision: string) => CapabilitySet.allFor(revision).resolve(revision, "stdio");
const batched = profileOf(WITH);

const REQUEST = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
const PING = { jsonrpc: "2.0", id: 3, method: "ping" };
const NOTIFICATION = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } };
const RESULT = { jsonrpc: "2.0", id: 2, result: { tools: [] } };
const ERROR = { jsonrpc: "2.0", id: 3, error: { code: -32601, message: "no" } };
const INITIALIZE = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };

describe("splitBatch", () => {
  it.each(ALL)("gives a message of its own as it is at %s", (revision) => {
    for (const message of [REQUEST, NOTIFICATION, RESULT, ERROR, INITIALIZE, null, "{}", {}]) {
      const [only, ...others] = splitBatch(profileOf(revision), message);
      expect(only).toBe(message);
      expect(others).toEqual([]);
    }
  });

  it.each<[string, unknown[]]>([
    ["requests and notifications", [REQUEST, NOTIFICATION, PING]],
    ["one request", [REQUEST]],
    ["notifications", [NOTIFICATION, NOTIFICATION]],
    ["results and errors", [RESULT, ERROR]],
    ["what is no message, for the lifting to refuse", [1, null, [], {}, REQUEST]],
    ["responses and what is no message", [{ jsonrpc: "2.0", id: 9 }, RESULT]],
  ])("gives %s in order", (_, batch) => {
    const before = structuredClone(batch);
    const report = new TranslationReport();
    const messages = splitBatch(batched, batch, report);
    expect(messages).toHaveLength(batch.length);
    for (const [index, message] of messages.entries()) expect(message).toBe(batch[index]);
    expect(batch).toEqual(before);
    expect(report.isEmpty).toBe(true);
  });

  it("gives responses and notifications of one batch, and says so", () => {
    const report = new TranslationReport();
    expect(splitBatch(batched, [RESULT, NOTIFICATION], report)).toEqual([RESULT, NOTIFICATION]);
    expect(report.steps).toEqual([{ feature: null, action: "repair", path: "", loss: "none", detail: "batch-with-notifications" }]);
  });

  it.each<[string, unknown[], string, string]>([
    ["an empty batch", [], "", "it is a batch of nothing"],
    ["requests and responses in one", [REQUEST, RESULT], "", "both requests and responses"],
    ["an error before a request", [ERROR, NOTIFICATION, PING], "", "both requests and responses"],
    ["a null id, which is no notification's", [{ ...PING, id: null }, RESULT], "", "both requests and responses"],
    ["the handshake", [INITIALIZE], "/0", "initialize may not be part of a batch"],
    ["the handshake among others", [NOTIFICATION, REQUEST, INITIALIZE], "/2", "initialize may not be part of a batch"],
  ])("refuses %s", (_, batch, path, reason) => {
    const error = refusal(batched, batch);
    expect(error).toMatchObject({ code: "unreadable", path, rpcCode: -32600, id: undefined });
    expect(error.reason).toContain(reason);
  });

  it.each(WITHOUT)("refuses any batch at %s, and names the revision, the cite and the answer", (revision) => {
    for (const batch of [[REQUEST, PING], [REQUEST], [], [RESULT], [INITIALIZE]]) {
      const error = refusal(profileOf(revision), batch);
      const isOver = revision > WITH;
      expect(error).toMatchObject({
        code: "batch-not-allowed",
        path: "",
        rpcCode: -32600,
        feature: "jsonrpc.batching",
        cite: isOver
          ? { revision: "2025-06-18", section: "major", ordinal: 1, ref: "PR #416" }
          : { revision: WITH, section: "major", ordinal: 3, ref: "PR #228" },
      });
      expect(error.message).toContain(`not in ${revision}`);
      expect(error.message).toContain("-32600");
      expect(error.message).toContain(isOver ? "PR #416" : "PR #228");
    }
  });

  it("goes by the profile, not by the revision alone", () => {
    expect(refusal(batched.without(Feature.JsonrpcBatching), [PING]).code).toBe("batch-not-allowed");
  });

  it("goes by the tables, whatever the protocol", () => {
    const at = (revision: string, tables = TOY) => resolve(tables, { revision, transport: "pipe", client: {}, server: {} });
    expect(splitBatch(at("2021-01"), [INITIALIZE, PING])).toEqual([INITIALIZE, PING]);
    expect(refusal(at("2022-01"), [PING])).toMatchObject({ feature: "batching", cite: { ref: "PR #416" } });
    expect(refusal(at("2021-01", { ...TOY, batching: undefined }), [PING])).toMatchObject({
      code: "batch-not-allowed",
      feature: undefined,
    });
  });
});

describe("joinBatch", () => {
  it.each<[string, unknown[], unknown]>([
    ["answers in order", [RESULT, ERROR], [RESULT, ERROR]],
    ["nothing for a notification", [RESULT, undefined, ERROR], [RESULT, ERROR]],
    ["an array even for one answer", [RESULT], [RESULT]],
    ["no array for notifications alone", [undefined, undefined], undefined],
    ["no array for nothing", [], undefined],
  ])("gives %s", (_, answers, want) => {
    expect(joinBatch(answers)).toEqual(want);
  });
});

function refusal(profile: FeatureProfile, batch: unknown): EnvelopeError {
  try {
    splitBatch(profile, batch);
  } catch (error) {
    if (isEnvelopeError(error)) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}
