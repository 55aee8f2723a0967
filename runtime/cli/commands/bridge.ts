// `polyrev bridge`: its command line. What it does is loaded once it is to be done.

import { Option, type Command } from "commander";
import { DEFAULT_CHOICES } from "../../bridge/options.js";
import type { BridgeFlags } from "../bridge-options.js";

/** The names of the log levels, most said first. */
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"];

const EXAMPLES = `
Examples:
  polyrev bridge --upstream https://example.com/mcp                        a legacy desktop client's command, to a modern server
  polyrev bridge --upstream "node server.js" --listen http://127.0.0.1:7700/mcp
  polyrev bridge --upstream https://example.com/mcp --header authorization=MY_TOKEN --policy permissive --report -`;

/** Adds the command to the program. */
export function addBridgeCommand(program: Command): void {
  program
    .command("bridge")
    .description("carry the sessions of clients of any revision to a server of any other")
    .argument("[command...]", "behind --: further arguments of the server's command")
    .requiredOption("--upstream <url | command>", "the server: an address, or the command that starts it")
    .option("--listen <stdio | url>", "where clients come from: stdio, or an address such as http://127.0.0.1:7700/mcp", "stdio")
    .option(
      "--policy <preset | file>",
      "what is done where a peer cannot read something: strict, balanced, permissive, or a YAML file",
      "balanced",
    )
    .option("--report <file | ->", "write what was lost, refused, dropped or made up, one JSON record a line; - is stderr")
    .addOption(new Option("--log <level>", "how much to say on stderr").choices(LOG_LEVELS).default("info"))
    .option("--client-revision <revision>", "speak this revision with clients")
    .option("--upstream-revision <revision>", "speak this revision with the server, without asking it")
    .option("--timeout <seconds>", "how long the server may take for an answer, from its start or its last sign of progress (1800)")
    .addOption(
      new Option("--advertise-modern <when>", "whether clients of the modern era are served in front of a legacy server")
        .choices(["always", "when-upstream-modern"])
        .default(DEFAULT_CHOICES.advertiseModern),
    )
    .addOption(
      new Option("--stdio-probe <how>", "how a server that is a process is asked for its era")
        .choices(["sibling", "inPlaceRespawn", "off"])
        .default(DEFAULT_CHOICES.stdioProbe),
    )
    .addOption(
      new Option("--sessions <which>", "which requests of modern clients share a session with a legacy server")
        .choices(["per-principal", "per-request", "shared"])
        .default(DEFAULT_CHOICES.sessions),
    )
    .option("--header <name=VARIABLE>", "send the server a header, its value in the environment; may be repeated", collect, [])
    .option("--header-file <file>", 'send the server the headers of a file, one "name: value" a line')
    .option("--env <NAME>", "hand a variable of the environment on to the server's command; may be repeated", collect, [])
    .option("--allow-origin <origin>", "let pages of an origin in; may be repeated", collect, [])
    .option("--allow-host <host>", "answer to a name of this host; may be repeated", collect, [])
    .addHelpText("after", EXAMPLES)
    .action(async (rest: readonly string[], flags: BridgeFlags) => {
      const { runBridge } = await import("../bridge.js");
      await runBridge(flags, rest);
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}
