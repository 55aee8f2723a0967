// Listens for HTTP on Node. Takes a service and an address, gives where it listens and how to stop; what is served is the handler's business.

import type { AddressInfo } from "node:net";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { Service } from "../bridge/peer.js";
import { ProtocolError } from "../errors.js";
import { LOOPBACK_HOSTS } from "./http-access.js";
import { toResponse, type HttpAnswer } from "./http-answer.js";
import { httpHandler, HTTP_PATHS, type HttpServerOptions } from "./http-server.js";

/** Lists why a server cannot listen. */
export type ListenErrorCode = "address-in-use" | "address-not-available" | "not-permitted" | "failed";

const CODES: Readonly<Record<string, readonly [ListenErrorCode, string]>> = {
  EADDRINUSE: ["address-in-use", "the port is in use; stop what listens there, or choose another port (0 takes a free one)"],
  EADDRNOTAVAIL: ["address-not-available", "this machine has no such address; choose one of its own, as 127.0.0.1"],
  ENOTFOUND: ["address-not-available", "the host name is not known; choose an address of this machine, as 127.0.0.1"],
  EACCES: ["not-permitted", "this user may not use the port; choose one above 1023"],
};

/** Says that a server cannot listen where it should. */
export class ListenError extends ProtocolError {
  readonly code: ListenErrorCode;
  readonly host: string;
  readonly port: number;

  constructor(host: string, port: number, cause: unknown) {
    const fault = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : "";
    const [code, reason] = CODES[fault] ?? ["failed", fault === "" ? "the system refused" : `the system says ${fault}`];
    super("ListenError", `cannot listen on ${hostInUrl(host)}:${port}: ${reason}`);
    this.code = code;
    this.host = host;
    this.port = port;
    this.cause = cause;
  }
}

/** Tells whether a value is a `ListenError`; tests `name`, so that it holds across copies of the library. */
export function isListenError(error: unknown): error is ListenError {
  return typeof error === "object" && error !== null && "name" in error && error.name === "ListenError";
}

/** Where to listen, beside how to serve. Beyond this machine any Host header is taken unless `allowedHosts` says which. */
export interface ListenOptions extends HttpServerOptions {
  /** 127.0.0.1 where it is left out. */
  readonly host?: string | undefined;
  /** 0, or nothing, takes a free one. */
  readonly port?: number | undefined;
}

/** A server that listens. */
export interface Listening {
  /** The address of the endpoint. */
  readonly url: string;
  readonly port: number;
  /** Ends it as the handler's `close` does; afterwards nothing of it is open. */
  close(): Promise<void>;
}

/** How long a client may take to read the end of its answers once the handler is closed, in milliseconds. */
const LAST_READ_MS = 1000;

/** Listens, and serves; rejects with `ListenError`. */
export async function listenHttp(service: Service, options: ListenOptions = {}): Promise<Listening> {
  const { host = "127.0.0.1", port = 0 } = options;
  const isLoopback = LOOPBACK_HOSTS.includes(hostInUrl(host)) || host.startsWith("127.");
  const handler = httpHandler(service, { ...options, allowedHosts: options.allowedHosts ?? (isLoopback ? undefined : "any") });
  const server = createAdaptorServer({
    fetch: async (request, env) => written(await handler.answer(request, env), env as NodeEnvironment),
    overrideGlobalObjects: false,
    hostname: host,
  }) as Server;
  try {
    await listening(server, host, port);
  } catch (error) {
    await handler.close();
    throw new ListenError(host, port, error);
  }
  const address = server.address() as AddressInfo;
  const path = options.paths?.mcp?.[0] ?? HTTP_PATHS.mcp[0] ?? "/";
  let closed: Promise<void> | undefined;
  return {
    url: `http://${hostInUrl(host)}:${address.port}${path}`,
    port: address.port,
    close: () => {
      closed ??= handler.close().then(() => stopped(server));
      return closed;
    },
  };
}

/** What the adapter gives beside a request; the `info` of the handler's options. */
export interface NodeEnvironment {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Tells the adapter that the answer is written. https://github.com/honojs/node-server#direct-response-from-nodejs-api */
const ALREADY_WRITTEN = new Response(null, { headers: { "x-hono-already-sent": "true" } });

/** Writes what has no stream for a body; a body of one piece need not go through one. */
function written(answer: HttpAnswer, { incoming, outgoing }: NodeEnvironment): Response {
  const { status, headers, body } = answer;
  if (body === null || typeof body === "string") {
    // A 204 has no body, and so no length of one.
    const length = status === 204 ? {} : { "content-length": String(Buffer.byteLength(body ?? "")) };
    outgoing.writeHead(status, { ...headers, ...length });
    outgoing.end(body ?? undefined);
    return ALREADY_WRITTEN;
  }
  // Said outright, the head goes out at once, where the adapter would wait for a first piece to measure. HTTP/1.0 knows no chunks.
  const isChunked = incoming.httpVersion === "1.1";
  return toResponse(isChunked ? { ...answer, headers: { ...headers, "transfer-encoding": "chunked" } } : answer);
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

function stopped(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), LAST_READ_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function hostInUrl(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}
