// What the peers of one era said of themselves, as the other era says it: the result of a discovery as that of a handshake and the reverse, and a
// client's capabilities as one request may declare them. Gives canonical payloads; what a revision cannot carry is the codec's to lower.

import { hasFlag, isEmptyObject, isWire, valueAt } from "../capabilities.js";
import { withField, withoutField } from "../copy.js";
import { tables } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { metaOf } from "./answers.js";
import { knownOf } from "./eras.js";
import { META, RESERVED_PREFIX, stripMeta } from "./meta.js";
import { takesRounds } from "./rounds.js";

/** Names the extension that took the place of the legacy tasks; it means something else, and never stands for them. */
export const TASKS_EXTENSION = `${RESERVED_PREFIX}tasks`;

/** What the bridge can do for a client about what a server announces. */
export interface Channels {
  /** True where changes of lists reach the client. */
  readonly lists: boolean;
  /** True where updates of single resources do. */
  readonly resources: boolean;
  /** True where log messages do. */
  readonly logs: boolean;
}

/** Says who the server is towards a client, where it does not say so itself. */
export interface ServerName {
  readonly name: string;
  readonly version: string;
}

/**
 * Writes the result of `initialize` from that of `server/discover`: what only the modern era has is taken off, and the server's name put where the
 * legacy one looks for it. https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#initialization
 */
export function initializeResultOf(discover: Wire, revision: string, fallback: ServerName, channels: Channels): Wire {
  const named = metaOf(discover)?.[META.serverInfo];
  const rest = stripMeta(withoutFields(discover, MODERN_FIELDS), { tasks: false, extensions: [] });
  return {
    ...rest,
    protocolVersion: revision,
    capabilities: serverCapabilities(discover["capabilities"], channels),
    serverInfo: isNamed(named) ? named : fallback,
  };
}

/**
 * Writes the result of `server/discover` from that of `initialize`: `served` are the revisions the bridge serves there. How long it may be kept is
 * left to the codec, which says for no time and nobody else. https://modelcontextprotocol.io/specification/2026-07-28/server/discover
 */
export function discoverResultOf(initialize: Wire, served: readonly string[], fallback: ServerName, channels: Channels): Wire {
  const named = initialize["serverInfo"];
  const rest = stripMeta(withoutFields(initialize, LEGACY_FIELDS), { tasks: false, extensions: [] });
  const meta = { ...metaOf(rest), [META.serverInfo]: isNamed(named) ? named : fallback };
  return {
    ...rest,
    supportedVersions: knownOf(served),
    capabilities: serverCapabilities(initialize["capabilities"], channels),
    _meta: meta,
  };
}

/** Takes off a result what only the modern era says of one: what it is, how long it may be kept, and what it asks. */
export function withoutModernFields(result: Wire): Wire {
  return withoutFields(result, [...MODERN_FIELDS, "inputRequests", "requestState"]);
}

/**
 * Writes a server's capabilities as the bridge can stand by them: without the flags of what does not reach the client, and without tasks, which no
 * two eras mean the same by.
 */
export function serverCapabilities(advertised: unknown, { lists, resources, logs }: Channels): Wire {
  let kept = withoutField(isWire(advertised) ? advertised : {}, "tasks");
  if (!lists) for (const path of LIST_FLAGS) kept = withoutPath(kept, path);
  if (!resources) kept = withoutPath(kept, ["resources", "subscribe"]);
  if (!logs) kept = withoutField(kept, "logging");
  return withoutTasksExtension(kept);
}

/**
 * Adds the completions capability to what a server of a revision without it advertised, for a client of one that has it: whether the server completes
 * anything shows when it is asked, and only a server with prompts or resources has anything to complete.
 */
export function withCompletions(advertised: Wire, from: string, to: string): Wire {
  const isSilent = isInCompletions(to) && !isInCompletions(from) && advertised["completions"] === undefined;
  return isSilent && (isWire(advertised["prompts"]) || isWire(advertised["resources"]))
    ? withField(advertised, "completions", {})
    : advertised;
}

/** Says where a client's capabilities come from and go to. */
export interface ClientJourney {
  /** The revisions of the client and of the server. */
  readonly from: string;
  readonly to: string;
}

/**
 * Writes a client's capabilities as the server's revision has them: without flags that either revision does not define, and with those spelled out that
 * the client's revision means by an empty object. A capability that would come to mean something else is left out; what is no flag of any revision
 * stays, but for the tasks extension.
 */
export function clientCapabilitiesOf(declared: unknown, { from, to }: ClientJourney): Wire {
  const given = isWire(declared) ? declared : {};
  if (from === to) return given;
  let kept = withoutUndefined(given, from);
  for (const { flag, by } of tables.implied.filter((entry) => entry.side === "client")) {
    const path = flag.split(".");
    const holder = by.split(".");
    if (!isWire(valueAt(kept, holder))) continue;
    const isMeant = hasFlag(tables, "client", kept, flag, "object");
    if (!isMeant && !defines(to, flag)) kept = withoutPath(kept, holder);
    else if (isMeant && valueAt(kept, path) === undefined && defines(to, flag)) kept = withPath(kept, path, {});
  }
  return withoutTasksExtension(withoutUndefined(kept, to));
}

/**
 * Writes what one request declares: the client's capabilities, but without those by which a server asks back where this request cannot be answered
 * by a question, or the client cannot be asked on the way. Declared and then refused, they would waste the server's work.
 */
export function declaredFor(
  capabilities: Wire,
  request: { readonly method: string; readonly revision: string; readonly canAsk: boolean },
): Wire {
  const mayAsk = request.canAsk && takesRounds(request.method, request.revision);
  return mayAsk ? capabilities : withoutFields(capabilities, ASKING);
}

/**
 * Writes the capabilities for the handshake with a legacy server on behalf of a request: as `clientCapabilitiesOf`, with roots whose changes nobody
 * announces.
 */
export function handshakeCapabilities(declared: unknown, journey: ClientJourney): Wire {
  const capabilities = clientCapabilitiesOf(declared, journey);
  return isWire(capabilities["roots"]) ? withField(capabilities, "roots", { listChanged: false }) : capabilities;
}

/**
 * Gives a text that is the same for capabilities that let a server ask the same things, whatever the order of their keys; empty where they let it ask
 * nothing.
 */
export function fingerprintOf(capabilities: Wire): string {
  const asking = ASKING.filter((key) => isWire(capabilities[key])).map((key) => [key, sorted(capabilities[key])] as const);
  return asking.length === 0 ? "" : JSON.stringify(asking);
}

/** Drops the flags that some revision defines and this one does not. Extensions travel in objects that are open at every revision. */
function withoutUndefined(capabilities: Wire, revision: string): Wire {
  return FLAG_PATHS.filter((path) => !defines(revision, path)).reduce((kept, path) => withoutPath(kept, path.split(".")), capabilities);
}

function defines(revision: string, path: string): boolean {
  const flags = tables.flags[revision]?.client;
  return flags !== undefined && Object.hasOwn(flags, path);
}

function withoutTasksExtension(capabilities: Wire): Wire {
  const next = withoutPath(capabilities, ["extensions", TASKS_EXTENSION]);
  return next !== capabilities && isEmptyObject(next["extensions"]) ? withoutField(next, "extensions") : next;
}

function withoutFields(holder: Wire, keys: readonly string[]): Wire {
  return keys.reduce((kept, key) => (Object.hasOwn(kept, key) ? withoutField(kept, key) : kept), holder);
}

function withoutPath(holder: Wire, [key = "", ...rest]: readonly string[]): Wire {
  if (!Object.hasOwn(holder, key)) return holder;
  if (rest.length === 0) return withoutField(holder, key);
  const below = holder[key];
  const next = isWire(below) ? withoutPath(below, rest) : below;
  return next === below ? holder : withField(holder, key, next);
}

function withPath(holder: Wire, [key = "", ...rest]: readonly string[], value: unknown): Wire {
  if (rest.length === 0) return withField(holder, key, value);
  const below = holder[key];
  return withField(holder, key, withPath(isWire(below) ? below : {}, rest, value));
}

function sorted(value: unknown): unknown {
  if (!isWire(value)) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, entry]) => [key, sorted(entry)]);
}

function isNamed(value: unknown): value is Wire {
  return isWire(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

function isInCompletions(revision: string): boolean {
  return tables.flags[revision]?.server["completions"] !== undefined;
}

const MODERN_FIELDS = ["resultType", "ttlMs", "cacheScope", "supportedVersions"];
const LEGACY_FIELDS = ["protocolVersion", "serverInfo", ...MODERN_FIELDS];
const LIST_FLAGS = ["tools", "prompts", "resources"].map((kind) => [kind, "listChanged"]);
const ASKING = ["roots", "sampling", "elicitation"];
const FLAG_PATHS = [...new Set(Object.values(tables.flags).flatMap(({ client }) => Object.keys(client)))].filter(
  (path) => path !== "extensions",
);
