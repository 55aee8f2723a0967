// `polyrev diff`: what came, went or changed between two revisions.

import type { Command } from "commander";
import { IS_COLOURED, writeJson, writeText } from "../output.js";

/** Adds the command to the program. */
export function addDiffCommand(program: Command): void {
  program
    .command("diff")
    .description("list the features, methods and fields that came, went or changed between two revisions")
    .argument("<from>", "a revision")
    .argument("<to>", "another revision")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  polyrev diff 2025-06-18 2026-07-28")
    .action(async (from: string, to: string, { json }: { json?: boolean }) => {
      const { CATALOGUE } = await import("../full-catalogue.js");
      const { compareRevisions } = await import("../catalogue.js");
      const { printDifference } = await import("../print.js");
      const { knownRevision } = await import("../known-revision.js");
      const difference = compareRevisions(CATALOGUE, knownRevision(from, "revision"), knownRevision(to, "revision"));
      if (json === true) writeJson(difference);
      else writeText(printDifference(difference, { colour: IS_COLOURED }));
    });
}
