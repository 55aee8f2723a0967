// The generated types of a revision are exactly its schema's definitions, each exported once under its own name; the canonical types are the
// superset of all revisions; and declarations say since when and by which row.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { VALUES } from "../../runtime/mcp.js";
import { loadModel } from "../loaded-model.js";

const model = loadModel("mcp");

function exportsOf(file: string): string[] {
  const text = readFileSync(fileURLToPath(new URL(`../../generated/mcp/${file}`, import.meta.url)), "utf8");
  return [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map((match) => match[1] as string).sort();
}

describe("wire types", () => {
  it("are as many as the five schemas define", () => {
    expect(model.revisions.map((revision) => exportsOf(`${revision.id}/types.ts`).length)).toEqual([79, 83, 91, 145, 155]);
  });

  it.each(model.revisions.map((revision) => [revision.id, revision] as const))(
    "of %s are its schema's definitions, none twice",
    (id, revision) => {
      expect(exportsOf(`${id}/types.ts`)).toEqual(Object.keys(revision.definitions).sort());
    },
  );

  it("carry their provenance", () => {
    const text = readFileSync(fileURLToPath(new URL("../../generated/mcp/2025-06-18/types.ts", import.meta.url)), "utf8");
    expect(text).toContain("Since 2025-06-18, by content.resource-link (2025-06-18 major 7, PR #603).");
    expect(text).not.toContain("@deprecated");
    const newest = readFileSync(fileURLToPath(new URL("../../generated/mcp/2026-07-28/types.ts", import.meta.url)), "utf8");
    expect(newest).toContain("@deprecated since 2026-07-28 (2026-07-28 deprecated 1, SEP-2577)");
  });
});

describe("named values", () => {
  it("are in the types in their order: levels by severity, open strings with what is known", () => {
    const text = readFileSync(fileURLToPath(new URL("../../generated/mcp/2025-11-25/types.ts", import.meta.url)), "utf8");
    expect(text).toContain(
      'export type LoggingLevel = ("debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency")',
    );
    expect(text).toContain('stopReason?: "endTurn" | "stopSequence" | "maxTokens" | "toolUse" | (string & {})');
    expect(VALUES["2025-06-18"]["CreateMessageResult.stopReason"]).toEqual(["endTurn", "stopSequence", "maxTokens"]);
    expect(VALUES["2026-07-28"].ResultType).toEqual(["complete", "input_required"]);
  });
});

describe("canonical types", () => {
  it("hold every canonical definition, the payload map and the unknown members", () => {
    const names = exportsOf("ir.ts");
    const added = names.filter((name) => !Object.hasOwn(model.ir, name));
    expect(Object.keys(model.ir).filter((name) => !names.includes(name))).toEqual([]);
    expect(added).toEqual(["Payloads", "UnknownContent", "UnknownSamplingMessageContent"]);
  });
});
