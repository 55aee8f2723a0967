// What the two sides of a session with a modern server are told of each other: the client the server's discovery as the answer to its `initialize`,
// the server the client's capabilities as every request repeats them. Pure but for loading codecs.

import { METHOD_GATES } from "../../generated/mcp/methods.js";
import { IMPLIED } from "../../generated/mcp/revisions.js";
import { isEmptyObject, isWire, valueAt } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { withField, withoutField } from "../copy.js";
import { codecFor, DegradePolicy, Feature, resolve, type Revision, type Transport } from "../mcp.js";
import type { GateEntry, Wire } from "../protocol.js";
import { metaOf } from "./answers.js";
import { isImplementation } from "./classify.js";
import { META, stripMeta } from "./meta.js";

/** Speaks of capabilities: what a peer cannot use of them is left out, whatever the policy says of payloads; extensions any peer may read. */
export const OF_CAPABILITIES = DegradePolicy.balanced().with(Feature.CapabilitiesExtensions, "keep");

/** The extension that has its own way of doing what a legacy revision does in its core; a legacy session must not be told of it. */
const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

/** What an `initialize` result is made of. */
export interface Discovery {
  /** The result of `server/discover`. */
  readonly discovered: Wire;
  /** Stands for the server where it does not name itself, or not so that it can be read. */
  readonly identity: Wire;
}

/** Writes the `initialize` result of a client's revision from what the server told of itself. https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export function welcomeOf({ discovered, identity }: Discovery, downstream: Codec): Wire {
  const named = metaOf(discovered)?.[META.serverInfo];
  const { instructions } = discovered;
  const stripped = stripMeta(isWire(discovered["_meta"]) ? { _meta: discovered["_meta"] } : {}, NOTHING_CROSSES);
  const result = {
    ...stripped,
    protocolVersion: downstream.version,
    capabilities: withoutTasks(isWire(discovered["capabilities"]) ? discovered["capabilities"] : {}),
    serverInfo: isImplementation(named) ? named : identity,
    ...(typeof instructions === "string" ? { instructions } : {}),
  };
  const lowered = downstream.lower("initialize", "result", result, OF_CAPABILITIES);
  return isWire(lowered) ? lowered : result;
}

function withoutTasks(capabilities: Wire): Wire {
  const { extensions } = capabilities;
  if (!isWire(extensions) || !Object.hasOwn(extensions, TASKS_EXTENSION)) return capabilities;
  const rest = withoutField(extensions, TASKS_EXTENSION);
  return isEmptyObject(rest) ? withoutField(capabilities, "extensions") : withField(capabilities, "extensions", rest);
}

/** Writes a legacy client's capabilities as a modern server's revision has them: what is implied is said, what is gone is left out. */
export async function capabilitiesFor(client: unknown, revision: string, server: unknown, transport: Transport): Promise<Wire> {
  const clientCapabilities = withImplied(isWire(client) ? client : {});
  const profile = resolve({ revision, client: clientCapabilities, server, transport });
  const codec = await codecFor(revision, profile, { clientCapabilities });
  const said = codec.lower("server/discover", "params", {}, OF_CAPABILITIES);
  const written = metaOf(said)?.[META.clientCapabilities];
  return isWire(written) ? written : {};
}

function withImplied(capabilities: Wire): Wire {
  let next = capabilities;
  for (const { side, flag, by } of IMPLIED) {
    const [top, below] = flag.split(".");
    if (side !== "client" || top !== by || below === undefined || !isEmptyObject(valueAt(capabilities, [by]))) continue;
    next = withField(next, by, { [below]: {} });
  }
  return next;
}

/** Leaves out the capabilities that invite questions: for a request whose client could not be asked. */
export function withoutQuestions(capabilities: Wire, revision: string): Wire {
  const entries: readonly GateEntry[] = METHOD_GATES[revision as Revision];
  const inviting = new Set(entries.filter(({ embedded }) => embedded === true).flatMap(flagsOf));
  let next = capabilities;
  for (const flag of inviting) next = Object.hasOwn(next, flag) ? withoutField(next, flag) : next;
  return next;
}

function flagsOf(entry: GateEntry): readonly string[] {
  const paths = "flag" in entry && entry.flag !== undefined ? [entry.flag.path] : [];
  const cases = entry.shape === "params" ? Object.values(entry.cases).map(({ path }) => path) : [];
  return [...paths, ...cases].map((path) => path.split(".")[0] ?? path);
}

const NOTHING_CROSSES = { tasks: false, extensions: [] };
