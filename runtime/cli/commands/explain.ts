// `polyrev explain`: what the rows say of a name.

import type { Command } from "commander";
import { CommandFault } from "../fault.js";
import { IS_COLOURED, writeJson, writeText } from "../output.js";

/** Adds the command to the program. */
export function addExplainCommand(program: Command): void {
  program
    .command("explain")
    .description("say what the rows say of a feature, a method, a definition or a Definition.field")
    .argument("<name>", "e.g. tools.structured-output, tools/call, Tool.outputSchema")
    .option("--json", "print JSON")
    .addHelpText("after", "\nExample:\n  polyrev explain tools.structured-output")
    .action(async (name: string, { json }: { json?: boolean }) => {
      const { CATALOGUE } = await import("../full-catalogue.js");
      const { explainName, knownNames } = await import("../catalogue.js");
      const { nearestNames } = await import("../names.js");
      const { printExplained } = await import("../print.js");
      const explained = explainName(CATALOGUE, name);
      if (explained === undefined) throw unknown(name, nearestNames(name, knownNames(CATALOGUE)));
      if (json === true) writeJson(explained);
      else writeText(printExplained(explained, CATALOGUE.tables, { colour: IS_COLOURED }));
    });
}

function unknown(name: string, near: readonly string[]): CommandFault {
  return new CommandFault(`no name is called ${JSON.stringify(name)}${near.length === 0 ? "" : `; near are ${near.join(", ")}`}`);
}
