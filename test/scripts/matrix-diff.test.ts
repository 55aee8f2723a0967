// What a reviewer sees of a data change: rows that came and went, cells and lowering actions that changed, and nothing else.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { diffMatrices } from "../../scripts/matrix-diff.js";

const matrix = readFileSync(fileURLToPath(new URL("../../generated/mcp/feature-matrix.md", import.meta.url)), "utf8");

describe("diffMatrices", () => {
  it("says nothing of what is the same", () => {
    expect(diffMatrices(matrix, matrix)).toBe("");
    expect(diffMatrices(matrix, matrix.replace("# Model Context Protocol", "# Another title"))).toBe("");
  });

  it("shows a cell, a row that came, a row that went, and an action", () => {
    const line = /^\| `content\.audio` .*$/m.exec(matrix)?.[0] as string;
    const cell = matrix.replace(line, line.replace("| – | yes", "| yes | yes"));
    expect(diffMatrices(matrix, cell).split("\n").slice(2)).toEqual(["| `content.audio` | 2024-11-05 | – | yes |"]);
    const without = matrix.replace(`${line}\n`, "");
    expect(diffMatrices(without, matrix)).toContain("| `content.audio` | row | – | new |");
    expect(diffMatrices(matrix, without)).toContain("| `content.audio` | row | was there | gone |");
    const action = matrix.replace(
      "| `ContentBlock\\|AudioContent` | `content.audio` | content | embedded-resource,",
      "| `ContentBlock\\|AudioContent` | `content.audio` | content |",
    );
    expect(action).not.toBe(matrix);
    expect(diffMatrices(matrix, action)).toContain(
      "| `ContentBlock\\|AudioContent` of `content.audio` | lowering | content, embedded-resource, audio-text, annotate, skip | content, audio-text, annotate, skip |",
    );
  });

  it("shows a revision that was added as one column of cells", () => {
    const older = matrix.replace(/^(\|.*?\|(?:[^|]*\|){4})[^|]*\|/gm, "$1");
    const table = diffMatrices(older, matrix);
    expect(table).toContain("| `tools` | 2026-07-28 | – | yes |");
    expect(table).not.toContain("| `tools` | 2025-11-25 |");
  });
});
