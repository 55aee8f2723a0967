// What diff and explain answer, before it is printed: given a pair or a name, the rows that say so.
import { describe, expect, it } from "vitest";
import { CHANGES, GATES } from "../../generated/mcp/changes.js";
import { compareRevisions, explainName, knownNames, type Catalogue } from "../../runtime/cli/catalogue.js";
import { nearestNames } from "../../runtime/cli/names.js";
import { tables } from "../../runtime/mcp.js";

const catalogue: Catalogue = { tables, changes: CHANGES, gates: GATES };

describe("compareRevisions", () => {
  it("lists features, methods and fields that came and went, each with its cite", () => {
    const { features, methods, fields } = compareRevisions(catalogue, "2025-06-18", "2026-07-28");
    expect(features).toContainEqual({ change: "came", name: "caching", cite: "2026-07-28 minor 5, SEP-2549" });
    expect(features).toContainEqual({ change: "went", name: "lifecycle.ping", cite: "2026-07-28 major 5, SEP-2575" });
    expect(features).toContainEqual({ change: "deprecated", name: "sampling", cite: "2026-07-28 deprecated 1, SEP-2577" });
    expect(methods).toContainEqual({
      change: "came",
      name: "server/discover",
      by: "lifecycle.discover",
      cite: "2026-07-28 major 3, SEP-2575",
    });
    expect(methods.find((method) => method.name.startsWith("roots/list:"))?.name).toBe(
      "roots/list: serverToClient became serverToClient inside InputRequiredResult",
    );
    expect(fields).toContainEqual({ change: "came", name: "Tool.icons", by: "metadata.icons", cite: "2025-11-25 major 2, SEP-973" });
    expect(fields.every((field) => field.cite.length > 10)).toBe(true);
  });

  it("leaves out what came and went in between", () => {
    const { features, fields } = compareRevisions(catalogue, "2025-06-18", "2026-07-28");
    expect(features.some((feature) => feature.name.startsWith("tasks"))).toBe(false);
    expect(fields.some((field) => field.name === "TaskMetadata")).toBe(false);
    expect(compareRevisions(catalogue, "2025-06-18", "2025-11-25").fields.some((field) => field.name === "TaskMetadata")).toBe(true);
  });

  it("back in time, what came is what goes", () => {
    const there = compareRevisions(catalogue, "2025-03-26", "2025-06-18");
    const back = compareRevisions(catalogue, "2025-06-18", "2025-03-26");
    const names = (list: typeof there.features, change: string) =>
      list.filter((entry) => entry.change === change).map((entry) => entry.name);
    for (const part of ["features", "methods", "fields"] as const) {
      expect(names(back[part], "went")).toEqual(names(there[part], "came"));
      expect(names(back[part], "came")).toEqual(names(there[part], "went"));
    }
  });

  it("back in time, what was deprecated was there already, and a method travels the other way round", () => {
    const { features, methods } = compareRevisions(catalogue, "2026-07-28", "2025-11-25");
    expect(features).toContainEqual({ change: "changed", name: "roots", cite: "2026-07-28 deprecated 1, SEP-2577" });
    expect(methods.find((method) => method.name.startsWith("roots/list:"))?.name).toBe(
      "roots/list: serverToClient inside InputRequiredResult became serverToClient",
    );
  });

  it("finds nothing between a revision and itself", () => {
    const { features, methods, fields } = compareRevisions(catalogue, "2025-06-18", "2025-06-18");
    expect([features, methods, fields]).toEqual([[], [], []]);
  });
});

describe("explainName", () => {
  it("knows a feature, with what it gates and what may be done without it", () => {
    const explained = explainName(catalogue, "tools.structured-output");
    expect(explained).toMatchObject({ kind: "feature", feature: { first: "2025-06-18" }, gates: { methods: [] } });
    expect(explained?.kind === "feature" && explained.lowerings.map((entry) => entry.at)).toEqual([
      "CallToolResult.structuredContent",
      "Tool.outputSchema",
    ]);
  });

  it("knows a method at each revision that has it", () => {
    const explained = explainName(catalogue, "ping");
    expect(explained?.kind === "method" && explained.revisions.map((entry) => entry.revision)).toEqual([
      "2024-11-05",
      "2025-03-26",
      "2025-06-18",
      "2025-11-25",
    ]);
  });

  it("knows a field, and a definition by the unions it joined", () => {
    expect(explainName(catalogue, "Tool.outputSchema")).toMatchObject({
      kind: "path",
      features: [{ id: "tools.structured-output" }, { id: "tools.any-json-schema" }],
    });
    const audio = explainName(catalogue, "AudioContent");
    expect(audio?.kind === "path" && audio.changes.map((change) => change.path)).toContain("PromptMessage.content|AudioContent");
  });

  it("does not know what no row names", () => {
    for (const name of ["tools.structured-outptu", "toString", "__proto__", ""]) expect(explainName(catalogue, name)).toBeUndefined();
  });
});

describe("nearestNames", () => {
  const names = knownNames(catalogue);
  it.each([
    ["tools.structured-outptu", "tools.structured-output"],
    ["tool/call", "tools/call"],
    ["Tool.outputschema", "Tool.outputSchema"],
    ["resources/subscrib", "resources/subscribe"],
  ])("of %s begin with %s", (wanted, want) => {
    expect(nearestNames(wanted, names)[0]).toBe(want);
  });

  it("of gibberish are none", () => {
    expect(nearestNames("qqqqqqqqqqqq", names)).toEqual([]);
  });
});
