// The committed feature matrix is printed by the generator from the rows; here it is worked out again by calling resolve with both sides at
// their fullest, for every revision and transport. Data and code check each other.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { matrixRows } from "../../runtime/cli/print.js";
import * as acp from "../../runtime/acp.js";
import * as mcp from "../../runtime/mcp.js";

/** Every protocol, with the least number of places its matrix lists lowerings for. */
const PROTOCOLS = [
  ["mcp", mcp, 50],
  ["acp", acp, 0],
] as const;

describe.each(PROTOCOLS)("%s", (protocol, binding, places) => {
  const { tables } = binding;
  const REVISIONS: readonly { readonly revision: string }[] = binding.REVISIONS;
  const FEATURES: readonly { readonly id: string }[] = binding.FEATURES;
  const text = readFileSync(fileURLToPath(new URL(`../../generated/${protocol}/feature-matrix.md`, import.meta.url)), "utf8");
  const rows = text
    .slice(0, text.indexOf("\n## "))
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) =>
      line
        .split("|")
        .map((cell) => cell.trim())
        .slice(1, -1),
    );

  /** The cells of each revision as the command prints them: worked out by calling resolve. */
  const resolved = new Map(
    REVISIONS.map(({ revision }) => [
      revision,
      matrixRows(
        tables,
        REVISIONS.map((entry) => entry.revision),
      ).map((row) => row.cells[revision]),
    ]),
  );

  describe("its matrix", () => {
    it("has a row for each feature, in order", () => {
      expect(rows.map(([id]) => id)).toEqual(FEATURES.map((feature) => `\`${feature.id}\``));
    });

    it.each(REVISIONS.map((entry, index) => [entry.revision, index] as const))("says of %s what resolve says", (revision, index) => {
      const printed = rows.map((row) => row[index + 1]);
      const worked = FEATURES.map((_, feature) => resolved.get(revision)?.[feature]);
      expect(printed).toEqual(worked);
    });

    it("counts as many features on as resolve turns on", () => {
      const totals = text
        .split("\n")
        .find((line) => line.startsWith("| **on somewhere**"))
        ?.split("|")
        .slice(2, 2 + REVISIONS.length);
      const counted = REVISIONS.map(({ revision }) => FEATURES.filter((_, feature) => resolved.get(revision)?.[feature] !== "–").length);
      expect(totals?.map(Number)).toEqual(counted);
    });
  });

  describe("the table of lowerings", () => {
    it("is what the runtime reads", () => {
      const printed = text
        .slice(text.indexOf("\n## "))
        .split("\n")
        .filter((line) => line.startsWith("| `"))
        .map((line) => line.slice(2, -2).split(" | "));
      expect(printed.length).toBeGreaterThanOrEqual(places);
      expect(printed).toEqual(
        tables.lowerings.map(({ at, feature, loss, degrade }) => [
          `\`${at.replace("|", "\\|")}\``,
          `\`${tables.features[feature]?.id}\``,
          loss,
          degrade.join(", "),
        ]),
      );
    });
  });
});
