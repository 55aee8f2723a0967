// Reports about batches: arrays of every composition, at the one revision that has them and at those that do not.
import { describe, expect, it } from "vitest";
import {
  isEnvelopeError,
  joinBatch,
  liftEnvelope,
  splitBatch,
  TranslationReport,
  type EnvelopeError,
  type Wire,
} from "../../../runtime/index.js";
import { ALL, arrived, codecOf, fullProfile, message, play, unreadable } from "../reports.js";

const BATCHED = "2025-03-26";
const request = { jsonrpc: "2.0", id: 2, method: "tools/list", params: {} };
const ping = { jsonrpc: "2.0", id: "2", method: "ping" };
const notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } };
const result = { jsonrpc: "2.0", id: 2, result: { tools: [] } };
const error = { jsonrpc: "2.0", id: 3, error: { code: -32603, message: "m" } };
const initialize = { jsonrpc: "2.0", id: 1, method: "initialize", params: {} };

/** Batches that are read, and whether something is told about them. */
const READ: readonly (readonly [string, readonly unknown[], string?])[] = [
  ["one request", [request]],
  ["one notification", [notification]],
  ["one result", [result]],
  ["one error", [error]],
  ["requests", [request, ping]],
  ["requests of one id and of two types", [request, { ...request, id: "2" }]],
  ["requests and a notification", [request, notification, ping]],
  ["notifications", [notification, notification]],
  ["results and errors", [result, error]],
  ["a result and a notification", [result, notification], "batch-with-notifications"],
  ["an error and a notification", [notification, error], "batch-with-notifications"],
  ["a request beside what is none", [request, 42]],
  ["a list in a list", [[request]]],
  ["null", [null]],
];

/** Batches that nobody may send. */
const REFUSED: readonly (readonly [string, readonly unknown[], string])[] = [
  ["nothing", [], ""],
  ["an initialize alone", [initialize], "/0"],
  ["an initialize among others", [request, notification, initialize], "/2"],
  ["an initialize that asks for no answer", [{ jsonrpc: "2.0", method: "initialize" }], "/0"],
  ["requests and results", [request, result], ""],
  ["requests and errors", [error, notification, request], ""],
];

/** Registers the plays about batches. */
export function playBatches(): void {
  describe("batches", () => {
    play("batch-2025-03-26", "a batch is read one by one, and answered without its notifications", (report) => {
      const batch = arrived(report, "c")[2] as readonly Wire[];
      const messages = splitBatch(fullProfile(BATCHED), batch);
      expect(messages).toEqual(batch);
      const codec = codecOf(BATCHED);
      const answers = messages.map((entry) => {
        const lifted = liftEnvelope(codec, entry);
        return lifted.kind === "request" ? { jsonrpc: "2.0", id: lifted.id, result: {} } : undefined;
      });
      expect(joinBatch(answers)).toEqual([2, 3].map((id) => ({ jsonrpc: "2.0", id, result: {} })));
      const opener = message(report, "c");
      expect(refusal(BATCHED, [opener])).toMatchObject({ code: "unreadable", path: "/0", rpcCode: -32600 });
    });

    play("batch-later", "no other revision has batches: one error says so, and the next message is read", (report) => {
      const [batch, empty] = arrived(report, "c").filter((entry) => Array.isArray(entry));
      for (const revision of ALL.filter((entry) => entry !== BATCHED)) {
        for (const entry of [batch, empty]) {
          const found = refusal(revision, entry);
          expect(found).toMatchObject({ code: "batch-not-allowed", rpcCode: -32600, feature: "jsonrpc.batching" });
          expect(found.message).toContain(revision);
        }
        const next = arrived(report, "c").at(-1);
        expect(splitBatch(fullProfile(revision), next)).toEqual([next]);
        expect(liftEnvelope(codecOf(revision), next)).toMatchObject({ kind: "request", id: 4 });
      }
      expect(refusal(BATCHED, empty)).toMatchObject({ code: "unreadable", rpcCode: -32600 });
    });

    play(
      "batch-response-to-client",
      "answers and notifications in one array are taken apart where arrays are known, refused elsewhere",
      (report) => {
        const [batch] = arrived(report, "s") as (readonly Wire[])[];
        const told = new TranslationReport();
        const messages = splitBatch(fullProfile(BATCHED), batch, told);
        expect(told.steps.map((step) => step.detail)).toEqual(["batch-with-notifications"]);
        const kinds = messages.map((entry) => liftEnvelope(codecOf(BATCHED), entry, "tools/list").kind);
        expect(kinds).toEqual(["result", "notification"]);
        for (const revision of ALL.filter((entry) => entry !== BATCHED)) {
          expect(refusal(revision, batch)).toMatchObject({ code: "batch-not-allowed", rpcCode: -32600 });
        }
        for (const revision of ALL) expect(unreadable(revision, batch)).toMatchObject({ code: "batch-not-allowed" });
      },
    );

    it.each(READ)("a batch of %s is read where there are batches, and only there", (_, batch, told) => {
      const report = new TranslationReport();
      expect(splitBatch(fullProfile(BATCHED), batch, report)).toEqual(batch);
      expect(report.steps.map((step) => step.detail)).toEqual(told === undefined ? [] : [told]);
      for (const revision of ALL.filter((entry) => entry !== BATCHED)) {
        expect(refusal(revision, batch)).toMatchObject({ code: "batch-not-allowed", rpcCode: -32600 });
      }
    });

    it.each(REFUSED)("a batch of %s is refused everywhere, as a whole", (_, batch, path) => {
      expect(refusal(BATCHED, batch)).toMatchObject({ code: "unreadable", path, rpcCode: -32600 });
      for (const revision of ALL.filter((entry) => entry !== BATCHED)) {
        expect(refusal(revision, batch)).toMatchObject({ code: "batch-not-allowed", rpcCode: -32600 });
      }
    });

    it("what in a batch is no message is refused one by one", () => {
      for (const entry of [42, null, "x", [request], {}]) {
        const [one] = splitBatch(fullProfile(BATCHED), [entry, request]);
        expect(unreadable(BATCHED, one).rpcCode).toBe(-32600);
      }
    });

    it.each([
      [[], undefined],
      [[undefined], undefined],
      [[undefined, undefined], undefined],
      [[1], [1]],
      [
        [undefined, 1, undefined, 2],
        [1, 2],
      ],
    ])("the answers %j are sent as %j", (answers, sent) => {
      expect(joinBatch<number>(answers as (number | undefined)[])).toEqual(sent);
    });
  });
}

function refusal(revision: string, batch: unknown): EnvelopeError {
  try {
    splitBatch(fullProfile(revision), batch);
  } catch (thrown) {
    if (isEnvelopeError(thrown)) return thrown;
    throw thrown;
  }
  throw new Error(`${revision} takes ${JSON.stringify(batch)}`);
}
