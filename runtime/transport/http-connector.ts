// Makes conversations with a server at a URL: over Streamable HTTP, and over HTTP+SSE for servers that know nothing newer.

import { Unreachable, type Connector, type Peer, type TransportName } from "../bridge/peer.js";
import { HttpPeer, type HttpPeerOptions } from "./http-client.js";
import { nameOf, takeUser } from "./http-headers.js";
import { HttpWire } from "./http-wire.js";
import { connectSse, type SsePeerOptions } from "./sse-client.js";

/** Where the server is, and how it is spoken to. */
export interface HttpOptions extends HttpPeerOptions, SsePeerOptions {
  /** Its address, of either transport; a user in it becomes an `Authorization` header. */
  readonly url: string | URL;
  /** Names the server in messages; its address without anything that may be secret where it is not given. */
  readonly name?: string | undefined;
  /** Which transports to try, in order; both where it is not given. */
  readonly transports?: readonly ("streamable-http" | "legacy-sse")[] | undefined;
}

/** Makes a connector for a server at a URL; every connection is a run of exchanges of its own. Throws `TypeError` for what is no HTTP URL. */
export function httpConnector(options: HttpOptions): Connector {
  const address = String(options.url);
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) {
    throw new TypeError("cannot connect to the server: its address is no http or https URL");
  }
  const { url, headers } = takeUser(new URL(address));
  const name = options.name ?? nameOf(url);
  const transports: readonly TransportName[] = options.transports ?? ["streamable-http", "legacy-sse"];
  return {
    name,
    transports,
    spawns: false,
    showsCredential: options.headers !== undefined || Object.keys(headers).length > 0,
    async connect(transport: TransportName): Promise<Peer> {
      if (!transports.includes(transport)) throw new Unreachable(name, `it does not speak ${transport}`, { delivered: "no" });
      const wire = new HttpWire(name, options, headers);
      return transport === "legacy-sse" ? connectSse(url, wire, options) : new HttpPeer(url, wire, options);
    },
  };
}
