// The reserved keys of `_meta`: which belong to one hop and are taken off before a message goes on, which travel from end to end. Takes and gives
// payloads (params or results); one with nothing to take off comes back as the same object.

import { FIELDS } from "../../generated/mcp/fields.js";
import { FILLS } from "../../generated/mcp/features.js";
import { isWire, valueAt } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { withField, withoutField } from "../copy.js";
import type { Wire } from "../protocol.js";
import { metaOf } from "./answers.js";
import { eraOf } from "./eras.js";

/** Starts the names the protocol keeps for itself and its extensions. https://modelcontextprotocol.io/specification/2026-07-28/basic#meta */
export const RESERVED_PREFIX = "io.modelcontextprotocol/";

/** Names the keys by which the peers of one hop speak about themselves. */
export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Lists the reserved keys that belong to one hop: those of the tables whose value a hop fills in. */
export const HOP_KEYS: ReadonlySet<string> = findHopKeys();

/** Lists the keys by which messages name a task; between legacy peers they travel. */
export const TASK_KEYS: ReadonlySet<string> = new Set(["related-task", "model-immediate-response"].map((name) => RESERVED_PREFIX + name));

/** What is known of one hop: its revision, and what both sides of it declared. */
export interface HopFacts {
  readonly revision: string;
  readonly client?: unknown;
  readonly server?: unknown;
}

/** Tells the facts of a hop from the codec that speaks on it. */
export function factsOf({ version, capabilities }: Pick<Codec, "version" | "capabilities">): HopFacts {
  return { revision: version, client: capabilities.client, server: capabilities.server };
}

/** What may travel from one hop to the other besides what always does. */
export interface Crossing {
  readonly tasks: boolean;
  /** The extensions in force on both hops, by id. */
  readonly extensions: readonly string[];
}

/** Is between hops that share nothing: of what is reserved only what no hop owns. */
export const NOTHING_CROSSES: Crossing = { tasks: false, extensions: [] };

/** Says what may travel between two hops: task keys where both are legacy, and the extensions that both sides of both hops declared. */
export function crossingOf(one: HopFacts, other: HopFacts): Crossing {
  const elsewhere = new Set(extensionsOn(other));
  return {
    tasks: eraOf(one.revision) === "legacy" && eraOf(other.revision) === "legacy",
    extensions: extensionsOn(one).filter((id) => elsewhere.has(id)),
  };
}

/** Takes off a payload's `_meta` what does not travel, and the `_meta` itself where nothing is left; the same object where everything travels. */
export function stripMeta(payload: Wire, crossing: Crossing): Wire {
  const meta = metaOf(payload);
  if (meta === undefined) return payload;
  let kept = meta;
  for (const key of Object.keys(meta)) if (!travels(key, crossing)) kept = withoutField(kept, key);
  if (kept === meta) return payload;
  return Object.keys(kept).length === 0 ? withoutField(payload, "_meta") : withField(payload, "_meta", kept);
}

/** Does the same to the params or the result of a message; an error response has neither. */
export function stripMessageMeta(message: Wire, crossing: Crossing): Wire {
  for (const part of ["params", "result"]) {
    const payload = message[part];
    if (!isWire(payload)) continue;
    const stripped = stripMeta(payload, crossing);
    return stripped === payload ? message : withField(message, part, stripped);
  }
  return message;
}

function travels(key: string, { tasks, extensions }: Crossing): boolean {
  if (!key.startsWith(RESERVED_PREFIX)) return true;
  if (HOP_KEYS.has(key)) return false;
  if (TASK_KEYS.has(key)) return tasks;
  return extensions.some((id) => key === id || key.startsWith(`${id}/`) || key.startsWith(`${id}.`));
}

function extensionsOn({ client, server }: HopFacts): readonly string[] {
  const theirs = valueAt(server, ["extensions"]);
  const ours = valueAt(client, ["extensions"]);
  if (!isWire(ours) || !isWire(theirs)) return [];
  return Object.keys(ours).filter((id) => Object.hasOwn(theirs, id));
}

function findHopKeys(): ReadonlySet<string> {
  const filled = new Set<number>(FILLS.filter((fill) => "from" in fill).map((fill) => fill.feature));
  const keys = Object.values(FIELDS).flatMap((fields) =>
    Object.entries(fields).filter(([key, [, feature]]) => key.startsWith(RESERVED_PREFIX) && feature !== undefined && filled.has(feature)),
  );
  return new Set(keys.map(([key]) => key));
}
