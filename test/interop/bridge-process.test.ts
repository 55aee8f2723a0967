// Native clients through `polyrev bridge` as a process: as the command a client starts, with the native server as the command that it starts, and as
// a server that listens. Every client and every server at least once over each transport it has, within an era and across.
import { describePairs, PAIRS, type Pair } from "./bridge-cases.js";
import { openListening, openProcess } from "./bridge-ways.js";

/** Picks pairs by the names of client and server. */
function chosen(...names: readonly string[]): readonly Pair[] {
  return PAIRS.filter(({ client, server }) => names.includes(`${client.alias} ${server.alias}`));
}

const OVER_PIPES = chosen(
  "sdk-1.0 sdk-2",
  "sdk-1.10 sdk-1.32",
  "sdk-1.12 sdk-1.0",
  "sdk-1.22 sdk-1.10",
  "sdk-1.32 sdk-1.12",
  "sdk-1.32 sdk-1.22",
  "sdk-2 sdk-2",
);
const OVER_HTTP = chosen(
  "sdk-1.10 sdk-1.12",
  "sdk-1.12 sdk-2",
  "sdk-1.22 sdk-1.10",
  "sdk-1.32 sdk-1.22",
  "sdk-1.22 sdk-1.32",
  "sdk-2 sdk-2",
);
const OVER_SSE = chosen("sdk-1.0 sdk-1.10", "sdk-1.10 sdk-1.0");

describePairs("over pipes", OVER_PIPES, () => openProcess);
describePairs("over Streamable HTTP", OVER_HTTP, () => openListening("streamable-http", "streamable-http"));
describePairs("over HTTP+SSE", OVER_SSE, () => openListening("legacy-sse", "legacy-sse"));
