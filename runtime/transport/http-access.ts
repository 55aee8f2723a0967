// Decides which pages of a browser may talk to an HTTP server, so that one somewhere else cannot reach a server on this machine by a name that
// was bound to its address. Takes the Host and Origin headers, gives a refusal or the CORS headers. Pure.
// https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning

/** Says who may ask. */
export interface AccessOptions {
  /** Host names, each with a port or for any; `any` where a proxy in front has checked. The names of this machine where it is left out. */
  readonly allowedHosts?: readonly string[] | "any" | undefined;
  /** Whole origins (`https://app.example`), or host names for any scheme and port. The names of this machine where it is left out. */
  readonly allowedOrigins?: readonly string[] | "any" | undefined;
}

/** The names under which a machine knows itself. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Response headers that a page may read. */
const EXPOSED = "mcp-session-id, www-authenticate, retry-after";

const HOST = /^(\[[0-9a-f:.]+\]|[^\s:/?#@\\[\]]+)(?::(\d{1,5}))?$/i;

/** Gives why a request may not come in; undefined for one that may. */
export function accessRefusal(options: AccessOptions, host: string, origin: string | null): string | undefined {
  if (!isHostAllowed(options.allowedHosts ?? LOOPBACK_HOSTS, host))
    return "cannot serve the request: its Host header is not an allowed one";
  if (origin !== null && !isOriginAllowed(options.allowedOrigins ?? LOOPBACK_HOSTS, origin)) {
    return "cannot serve the request: its Origin header is not an allowed one";
  }
  return undefined;
}

/** Gives the headers with which a browser lets a page of an allowed origin read a response. */
export function corsHeaders(origin: string): Readonly<Record<string, string>> {
  return { "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED, vary: "Origin" };
}

/** Gives the headers that answer a preflight. The names asked for are repeated: those of mirrored parameters are known to no list. */
export function preflightHeaders(methods: string, asked: string | null): Readonly<Record<string, string>> {
  return {
    "access-control-allow-methods": methods,
    ...(asked === null ? {} : { "access-control-allow-headers": asked }),
    "access-control-max-age": "600",
    vary: "Origin, Access-Control-Request-Headers",
  };
}

function isHostAllowed(allowed: readonly string[] | "any", host: string): boolean {
  if (allowed === "any") return true;
  const [, name, port] = HOST.exec(host) ?? [];
  if (name === undefined) return false;
  return allowed.some((entry) => {
    const [, allowedName, allowedPort] = HOST.exec(entry) ?? [];
    return allowedName?.toLowerCase() === name.toLowerCase() && (allowedPort === undefined || allowedPort === port);
  });
}

function isOriginAllowed(allowed: readonly string[] | "any", origin: string): boolean {
  if (allowed === "any") return true;
  const [, host] = /^https?:\/\/([^/]+)$/i.exec(origin) ?? [];
  return allowed.some((entry) => {
    if (entry.includes("://") || entry === "null") return entry.toLowerCase() === origin.toLowerCase();
    return host !== undefined && isHostAllowed([entry], host);
  });
}
