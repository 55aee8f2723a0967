// Native clients through the bridge to native servers over HTTP, each over the SDK's own transport on either side: Streamable HTTP with every pair whose
// releases have it, and HTTP+SSE with those that have that.
import { describePairs, PAIRS, type Pair } from "./bridge-cases.js";
import { speaks, type HttpKind } from "./bridge-http.js";
import { openHttp } from "./bridge-ways.js";

const over = (client: HttpKind, server: HttpKind): readonly Pair[] =>
  PAIRS.filter((pair) => speaks(pair.client, client) && speaks(pair.server, server));

const STREAMABLE = over("streamable-http", "streamable-http");

describePairs("over Streamable HTTP", STREAMABLE, () => openHttp("streamable-http", "streamable-http"));
describePairs("over HTTP+SSE", over("legacy-sse", "legacy-sse"), () => openHttp("legacy-sse", "legacy-sse"));
describePairs("over HTTP+SSE from Streamable HTTP", over("streamable-http", "legacy-sse"), () => openHttp("streamable-http", "legacy-sse"));
describePairs("over Streamable HTTP from HTTP+SSE", over("legacy-sse", "streamable-http"), () => openHttp("legacy-sse", "streamable-http"));
