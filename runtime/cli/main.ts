#!/usr/bin/env node
// The `polyrev` command: reads the command line, asks the catalogue, prints. Exit 0 is fine, 1 the data's fault, 2 the command line's.

import { Command, CommanderError, Option } from "commander";
import { CHANGES, GATES } from "../../generated/mcp/changes.js";
import { knownRevisions, tables } from "../mcp.js";
import { addBridgeCommand } from "./bridge.js";
import { compareRevisions, explainName, knownNames, type Catalogue } from "./catalogue.js";
import { nearestNames } from "./names.js";
import { matrixRows, printDifference, printExplained, printMatrix } from "./print.js";

const catalogue: Catalogue = { tables, changes: CHANGES, gates: GATES };
const options = { colour: process.stdout.isTTY && process.env["NO_COLOR"] === undefined };

/** A fault of the command line: printed, then exit 2. */
class UsageError extends Error {}

const program = new Command("polyrev")
  .description("What each revision of the protocol has, what differs between two, and a bridge between their peers.")
  .exitOverride()
  .configureHelp({ sortSubcommands: true });

program
  .command("diff")
  .description("list the features, methods and fields that came, went or changed between two revisions")
  .argument("<from>", "a revision")
  .argument("<to>", "another revision")
  .option("--json", "print JSON")
  .addHelpText("after", "\nExample:\n  polyrev diff 2025-06-18 2026-07-28")
  .action((from: string, to: string, { json }: { json?: boolean }) => {
    const difference = compareRevisions(catalogue, revisionNamed(from), revisionNamed(to));
    write(json === true ? asJson(difference) : printDifference(difference, options));
  });

program
  .command("explain")
  .description("say what the rows say of a feature, a method, a definition or a Definition.field")
  .argument("<name>", "e.g. tools.structured-output, tools/call, Tool.outputSchema")
  .option("--json", "print JSON")
  .addHelpText("after", "\nExample:\n  polyrev explain tools.structured-output")
  .action((name: string, { json }: { json?: boolean }) => {
    const explained = explainName(catalogue, name);
    if (explained === undefined) throw new UsageError(unknown("name", name, knownNames(catalogue)));
    write(json === true ? asJson(explained) : printExplained(explained, tables, options));
  });

program
  .command("matrix")
  .description("print the features of every revision, or of one")
  .option("--revision <revision>", "only this revision, and only what it has")
  .addOption(new Option("--format <format>", "how to print").choices(["md", "json"]).default("md"))
  .option("--json", "the same as --format json")
  .addHelpText("after", "\nExample:\n  polyrev matrix --revision 2025-06-18")
  .action(({ revision, format, json }: { revision?: string; format: string; json?: boolean }) => {
    const revisions = revision === undefined ? knownRevisions() : [revisionNamed(revision)];
    const rows = matrixRows(tables, revisions);
    write(format === "json" || json === true ? asJson(rows) : printMatrix(rows, revisions));
  });

addBridgeCommand(program, (message, code) => {
  process.stderr.write(`${message}\n`);
  process.exitCode = code;
});

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that has seen enough closes the pipe; that ends the command quietly.
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  } else if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else throw error;
}

function revisionNamed(name: string): string {
  if (knownRevisions().includes(name)) return name;
  throw new UsageError(`cannot use revision ${JSON.stringify(name)}: unknown; known are ${knownRevisions().join(", ")}`);
}

function unknown(what: string, name: string, names: readonly string[]): string {
  const near = nearestNames(name, names);
  return `no ${what} is called ${JSON.stringify(name)}${near.length === 0 ? "" : `; near are ${near.join(", ")}`}`;
}

function asJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function write(text: string): void {
  process.stdout.write(text);
}
