// Measures line → validated, typed result beside what an SDK does to the same line. The SDKs stand in a folder that is installed only for the
// interop tests; where it is not, a row says so.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { liftEnvelope, type Codec } from "../../runtime/index.js";
import { tables } from "../../runtime/mcp.js";
import type { Bar, Measure } from "../measure.js";
import { compare, cycle } from "./clock.js";
import { codecs, ownResults } from "./codecs.js";
import type { Load } from "./loads.js";

interface Schema {
  parse(value: unknown): unknown;
}

/** An SDK, the newest revision it was built for, and how much faster than it we want to be on a long list. */
interface Peer {
  readonly name: string;
  readonly package: string;
  readonly revision: string;
  readonly longList: Bar;
  /** Gives what reads a line into the JSON-RPC message and its result, by the schema of the method's result. */
  reader(require: NodeJS.Require, method: string): (line: string) => unknown;
}

const PEERS: readonly Peer[] = [
  {
    name: "SDK v1",
    package: "sdk-1.32",
    revision: "2025-11-25",
    longList: { rule: "at least", limit: 1.3 },
    reader(require, method) {
      const types = require("sdk-1.32/types.js") as Record<string, Schema>;
      const message = types["JSONRPCMessageSchema"] as Schema;
      const result = resultSchema(types, method);
      return (line) => result.parse((message.parse(JSON.parse(line)) as { result: unknown }).result);
    },
  },
  {
    name: "SDK v2",
    package: "@modelcontextprotocol/core",
    revision: "2026-07-28",
    longList: { rule: "at least", limit: 4 },
    reader(require, method) {
      const { deserializeMessage } = require("@modelcontextprotocol/client") as {
        deserializeMessage: (line: string) => { result: unknown };
      };
      const result = resultSchema(require("@modelcontextprotocol/core") as Record<string, Schema>, method);
      return (line) => result.parse(deserializeMessage(line).result);
    },
  },
];

/** Measures one load beside each SDK, installed in the `node_modules` of a folder: how many times as fast we read the same lines. */
export async function measurePeers(load: Load, folder: string, rounds: number): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const peer of PEERS) {
    const version = installedVersion(folder, peer.package);
    const bar: Bar = load.method === "tools/list" ? peer.longList : { rule: "above", limit: 1 };
    const what = `${load.name}: line → validated, typed, beside ${peer.name}${version === undefined ? "" : ` ${version}`} (${peer.revision})`;
    const value = version === undefined ? "not measured: npm ci --prefix test/interop" : await timesFaster(peer, load, folder, rounds);
    measures.push({ what, value, unit: "× as fast", digits: 2, bar });
  }
  return measures;
}

async function timesFaster(peer: Peer, load: Load, folder: string, rounds: number): Promise<number> {
  const codec = codecs.get(peer.revision) as Codec;
  const lines = ownResults(load, codec).map((result, id) => JSON.stringify({ jsonrpc: "2.0", id, result }));
  const theirs = cycle(lines, peer.reader(createRequire(join(folder, "package.json")), load.method));
  const ours = cycle(lines, await ownReader(codec, load.method));
  return compare(ours, new Map([["theirs", theirs]]), rounds).get("theirs") ?? Number.NaN;
}

/** Reads a line as an application would: envelope checked, result lifted, and valid at the revision. */
async function ownReader(codec: Codec, method: string): Promise<(line: string) => unknown> {
  const validate = (await tables.loadValidators(codec.version)).get(method)?.result;
  if (validate === undefined) throw new Error(`no validator for a result of ${method} at ${codec.version}`);
  return (line) => {
    const envelope = liftEnvelope(codec, JSON.parse(line), method);
    if (envelope.kind !== "result" || !validate(envelope.result))
      throw new Error(`not a valid result of ${method} at ${codec.version}: ${line}`);
    return envelope.result;
  };
}

function resultSchema(schemas: Record<string, Schema>, method: string): Schema {
  const schema = schemas[method === "tools/list" ? "ListToolsResultSchema" : "CallToolResultSchema"];
  if (schema === undefined) throw new Error(`the SDK has no schema for a result of ${method}`);
  return schema;
}

function installedVersion(folder: string, name: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")) as { version: string }).version;
  } catch {
    return undefined;
  }
}
