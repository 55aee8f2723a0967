// Where the corpora lie that are at hand for development and CI but no part of the product. Tests that need them are skipped by name elsewhere.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = process.env["POLYREV_SHARED"] ?? fileURLToPath(new URL("../../../shared", import.meta.url));

/** The folder of upstream files of one protocol, or undefined where it is not at hand. */
export function upstreamFolder(protocol: string): string | undefined {
  const path = join(folder, "upstream", protocol);
  return existsSync(path) ? path : undefined;
}
