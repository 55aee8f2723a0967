// Where the corpora lie that are at hand for development and CI but no part of the product. Tests that need them are skipped by name elsewhere.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = process.env["POLYREV_SHARED"] ?? fileURLToPath(new URL("../../../shared", import.meta.url));

/** The folder of upstream files of one protocol, or undefined where it is not at hand. */
export function upstreamFolder(protocol: string): string | undefined {
  return ifThere(join(folder, "upstream", protocol));
}

/** The file of the reports about one protocol, one a line, or undefined where it is not at hand. */
export function reportsFile(protocol: string): string | undefined {
  return ifThere(join(folder, "cases", `${protocol}-reports.jsonl`));
}

/** A file of facts about one protocol, or undefined where it is not at hand. */
export function factsFile(protocol: string, name: string): string | undefined {
  return ifThere(join(folder, "facts", protocol, name));
}

function ifThere(path: string): string | undefined {
  return existsSync(path) ? path : undefined;
}
