// `polyrev matrix`: the features of every revision, or of one.

import { Option, type Command } from "commander";
import { writeJson, writeText } from "../output.js";

/** Adds the command to the program. */
export function addMatrixCommand(program: Command): void {
  program
    .command("matrix")
    .description("print the features of every revision, or of one")
    .option("--revision <revision>", "only this revision, and only what it has")
    .addOption(new Option("--format <format>", "how to print").choices(["md", "json"]).default("md"))
    .option("--json", "the same as --format json")
    .addHelpText("after", "\nExample:\n  polyrev matrix --revision 2025-06-18")
    .action(async ({ revision, format, json }: { revision?: string; format: string; json?: boolean }) => {
      const { knownRevisions, tables } = await import("../../mcp.js");
      const { knownRevision } = await import("../known-revision.js");
      const { matrixRows, printMatrix } = await import("../print.js");
      const revisions = revision === undefined ? knownRevisions() : [knownRevision(revision, "revision")];
      const rows = matrixRows(tables, revisions);
      if (format === "json" || json === true) writeJson(rows);
      else writeText(printMatrix(rows, revisions));
    });
}
