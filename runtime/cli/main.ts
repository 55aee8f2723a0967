#!/usr/bin/env node
// The `polyrev` command: reads the command line and runs one command, which loads what it needs and no more. Exit 0 is fine, 1 the data's or a peer's
// fault, 2 the command line's.

import { Command, CommanderError } from "commander";
import { addBridgeCommand } from "./commands/bridge.js";
import { addDiffCommand } from "./commands/diff.js";
import { addExplainCommand } from "./commands/explain.js";
import { addMatrixCommand } from "./commands/matrix.js";
import { CommandFault } from "./fault.js";

const program = new Command("polyrev")
  .description("What each revision of the protocol has, what differs between two, and a bridge between their peers.")
  .exitOverride()
  .configureHelp({ sortSubcommands: true });
for (const add of [addBridgeCommand, addDiffCommand, addExplainCommand, addMatrixCommand]) add(program);

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommandFault) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = error.exitCode;
  } else if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else throw error;
}
