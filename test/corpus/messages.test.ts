// Every complete message printed in the specification of each revision is valid at its revision and lifts and lowers back to itself.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { liftEnvelope, lowerEnvelope, TranslationReport, type Wire } from "../../runtime/index.js";
import { codecOf, subjects, type Subject } from "../properties/subject.js";
import { upstreamFolder } from "./shared-facts.js";

interface Printed {
  readonly page: string;
  readonly answers: string | null;
  readonly message: Wire | readonly Wire[];
}

/** Messages of the 2026-07-28 pages that leave out the `_meta` their own schema requires, by line of messages.jsonl. */
const WITHOUT_META = new Map([["2026-07-28", new Set([1, 14, 16, 19, 21, 23, 28, 30, 33, 39, 41, 44])]]);

const folder = upstreamFolder("mcp");

describe.skipIf(folder === undefined)("messages printed in the specification (needs ../shared/upstream/mcp)", () => {
  describe.each(subjects.map((subject) => [subject.revision.id, subject] as const))("%s", (revision, subject) => {
    const printed = folder === undefined ? [] : readPrinted(join(folder, revision, "messages.jsonl"));

    it("are all read", () => {
      expect(printed.length).toBeGreaterThan(40);
    });

    it.each(printed.map((entry, index) => [index + 1, entry.page, entry] as const))("line %i, %s", (line, _, entry) => {
      const isKnown = WITHOUT_META.get(revision)?.has(line) ?? false;
      for (const message of [entry.message].flat()) {
        const faults = faultsOf(subject, message, entry.answers);
        expect(faults.length > 0, `faults: ${faults.join("; ")}`).toBe(isKnown);
        if (isKnown) expectFilled(subject, message);
        else expectSame(subject, message, entry.answers);
      }
    });
  });

  it("the known messages are twelve, and none is listed in vain", () => {
    expect([...WITHOUT_META.values()].reduce((sum, lines) => sum + lines.size, 0)).toBe(12);
  });
});

/** Only a message that leaves something out is changed: what its revision requires is filled in, and that alone. */
function expectFilled(subject: Subject, message: Wire): void {
  const codec = codecOf(subject);
  const report = new TranslationReport();
  const lowered = lowerEnvelope(codec, liftEnvelope(codec, message), undefined, report);
  expect(faultsOf(subject, lowered, null)).toEqual([]);
  expect(report.isLossless).toBe(true);
  expect([...new Set(report.steps.map((step) => step.action))]).toEqual(["fill"]);
}

function expectSame(subject: Subject, message: Wire, answers: string | null): void {
  const codec = codecOf(subject);
  const methods =
    answers === null && message["result"] !== undefined ? acceptingMethods(subject, message["result"]) : [answers ?? undefined];
  expect(methods.length).toBeGreaterThan(0);
  for (const method of methods) {
    const report = new TranslationReport();
    const lowered = lowerEnvelope(codec, liftEnvelope(codec, message, method), undefined, report);
    expect(lowered).toBe(message);
    expect(report.isEmpty).toBe(true);
  }
}

function faultsOf(subject: Subject, message: Wire, answers: string | null): string[] {
  const faults: string[] = [];
  if (!subject.validateMessage(message)) faults.push(`envelope ${JSON.stringify(subject.validateMessage.errors)}`);
  const { method } = message;
  if (typeof method === "string") {
    const validate = subject.validators.get(method)?.params;
    if (validate?.(message["params"] ?? {}) === false) faults.push(`params ${JSON.stringify(validate.errors)}`);
  } else if (message["result"] !== undefined && answers !== null) {
    const validate = subject.validators.get(answers)?.result;
    if (validate?.(message["result"]) !== true) faults.push(`result ${JSON.stringify(validate?.errors)}`);
  }
  return faults;
}

/** A result printed without its request is one of the methods whose own result, not an alternative, it is valid as; or else of any that accept it. */
function acceptingMethods(subject: Subject, result: unknown): string[] {
  const ajv = new Ajv({ strict: false, allowUnionTypes: true, validateFormats: false });
  ajv.addSchema({ $id: "schema", $defs: subject.revision.definitions });
  const picky = subject.revision.methods.filter((method) => subject.validators.get(method.name)?.result?.({}) === false);
  const usual = picky.filter((method) => ajv.getSchema(`schema#/$defs/${method.results[0]}`)?.(result) === true);
  const any = picky.filter((method) => subject.validators.get(method.name)?.result?.(result));
  return (usual.length > 0 ? usual : any).map((method) => method.name);
}

function readPrinted(file: string): Printed[] {
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => JSON.parse(line) as Printed);
}
