// The whole catalogue. The tables of changes are large, so only the commands that read them load this.

import { CHANGES, GATES } from "../../generated/mcp/changes.js";
import { tables } from "../mcp.js";
import type { Catalogue } from "./catalogue.js";

/** Holds everything the tables say. */
export const CATALOGUE: Catalogue = { tables, changes: CHANGES, gates: GATES };
