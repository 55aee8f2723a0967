// Holds the revisions of a command line against those that are known.

import { knownRevisions } from "../mcp.js";
import { CommandFault } from "./fault.js";

/** Gives the revision of that name; throws `CommandFault` with those that are known. `where` is the argument or option it stands at. */
export function knownRevision(name: string, where: string): string {
  if (knownRevisions().includes(name)) return name;
  throw new CommandFault(`cannot use ${where} ${JSON.stringify(name)}: unknown; known are ${knownRevisions().join(", ")}`);
}
