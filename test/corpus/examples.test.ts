// The examples published with a revision's schema are valid as the definition whose folder they stand in, and every one that is a
// method's payload or message lifts and lowers back to itself.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { paramsNode } from "../../generator/model/methods.js";
import { refName } from "../../generator/model/schema.js";
import { TranslationReport } from "../../runtime/index.js";
import { codecOf, subjects, type Subject } from "../properties/subject.js";
import { upstreamFolder } from "./shared-facts.js";

interface Example {
  readonly definition: string;
  readonly name: string;
  readonly value: Record<string, unknown>;
}

/** Leaves out the caching fields its own definition requires; valid only as the open InputRequiredResult beside it. They are filled in. */
const INCOMPLETE = "read-resource-result-response.json";

const folder = upstreamFolder("mcp");
const withExamples = subjects.filter((subject) => folder !== undefined && existsSync(join(folder, subject.revision.id, "examples")));

describe.skipIf(folder === undefined)("examples published with the schema (needs ../shared/upstream/mcp)", () => {
  it("are those of one revision, 129", () => {
    expect(withExamples.map((subject) => [subject.revision.id, readExamples(subject).length])).toEqual([["2026-07-28", 129]]);
  });

  describe.each(withExamples.map((subject) => [subject.revision.id, subject] as const))("%s", (_, subject) => {
    const examples = readExamples(subject);
    const ajv = new Ajv({ strict: false, allowUnionTypes: true, validateFormats: false });
    ajv.addSchema({ $id: "schema", $defs: subject.revision.definitions });

    it.each(examples.map((example) => [example.definition, example.name, example] as const))("%s: %s", (definition, __, example) => {
      const validate = ajv.getSchema(`schema#/$defs/${definition}`);
      expect(validate?.(example.value), JSON.stringify(validate?.errors)).toBe(true);
      const codec = codecOf(subject);
      for (const { method, part, payload } of payloadsIn(subject, example)) {
        const report = new TranslationReport();
        const back = codec.lower(method, part, codec.lift(method, part, payload, report), undefined, report);
        if (example.name === INCOMPLETE)
          expect(report.steps.map((step) => [step.action, step.path])).toEqual([
            ["repair", "/cacheScope"],
            ["repair", "/ttlMs"],
          ]);
        else expect(back).toBe(payload);
      }
    });

    it("of which most are payloads, so that the walk is not idle", () => {
      expect(examples.filter((example) => payloadsIn(subject, example).length > 0).length).toBeGreaterThan(60);
    });
  });
});

function payloadsIn(
  subject: Subject,
  example: Example,
): { readonly method: string; readonly part: "params" | "result"; readonly payload: unknown }[] {
  return subject.revision.methods.flatMap((method) => {
    const node = paramsNode(method, subject.revision.definitions);
    const found: { readonly part: "params" | "result"; readonly payload: unknown }[] = [];
    if (method.definition === example.definition) found.push({ part: "params", payload: example.value["params"] });
    if (node !== undefined && refName(node) === example.definition) found.push({ part: "params", payload: example.value });
    if (method.results.includes(example.definition)) found.push({ part: "result", payload: example.value });
    if (method.results.some((result) => `${result}Response` === example.definition))
      found.push({ part: "result", payload: example.value["result"] });
    return found.map((entry) => ({ method: method.name, ...entry }));
  });
}

function readExamples(subject: Subject): Example[] {
  const root = join(folder ?? "", subject.revision.id, "examples");
  return readdirSync(root)
    .sort()
    .flatMap((definition) =>
      readdirSync(join(root, definition))
        .sort()
        .map((name) => ({
          definition,
          name,
          value: JSON.parse(readFileSync(join(root, definition, name), "utf8")) as Record<string, unknown>,
        })),
    );
}
