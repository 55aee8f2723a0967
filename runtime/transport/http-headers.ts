// Puts the headers of a request together: those of the configuration, those of the message, and those the transport keeps for itself. Pure. Values are
// never shown: any of them may be a secret.

/** Headers that go with every request, or what gives them afresh each time (a token that is read from a file). */
export type HeaderSource = Readonly<Record<string, string>> | (() => Headers | Promise<Headers>);
type Headers = Readonly<Record<string, string>>;

/** Says that a header cannot be sent; names it and not its value. */
export class HeaderError extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause });
    this.name = "HeaderError";
  }
}

/** The transport alone says these: of each message and each connection its own. */
const OURS = new Set(
  "accept content-type content-length transfer-encoding connection keep-alive upgrade expect host mcp-session-id last-event-id".split(" "),
);
/** The bridge may say this for one message; the configuration may not say it for all. */
const OF_THE_MESSAGE = new Set(["mcp-protocol-version", "mcp-method", "mcp-name"]);

const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
// Visible characters, and spaces between them; what lies beyond ASCII needs an encoding of its own.
const VALUE = /^[\t\x20-\x7e]*$/;

/** Reads the headers of the configuration; throws `HeaderError`. */
export async function readHeaders(source: HeaderSource | undefined): Promise<Headers> {
  if (typeof source !== "function") return source ?? {};
  try {
    return await source();
  } catch (cause) {
    throw new HeaderError("its headers cannot be read", cause);
  }
}

/** Joins headers under lower-case names, later ones over earlier ones; throws `HeaderError` for what no header may be. */
export function composeHeaders(
  fixed: Headers,
  message: Headers,
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const [name, value] of lowered(fixed)) if (!OURS.has(name) && !OF_THE_MESSAGE.has(name)) joined[name] = value;
  for (const [name, value] of Object.entries(own)) if (value !== undefined) joined[name] = value;
  for (const [name, value] of lowered(message)) if (!OURS.has(name)) joined[name] = value;
  for (const [name, value] of Object.entries(joined)) {
    if (!NAME.test(name)) throw new HeaderError(`${JSON.stringify(name)} cannot be the name of a header`);
    if (!VALUE.test(value)) throw new HeaderError(`the value of the header ${name} has characters no header may have`);
  }
  return joined;
}

function lowered(headers: Headers): readonly (readonly [string, string])[] {
  return Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
}

/** Gives a header that came, several joined with a comma. */
export function headerOf(headers: Readonly<Record<string, string | string[] | undefined>>, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Tells whether text can be a session id: visible ASCII, and not so long that no server would take it back. */
export function isSessionId(text: string): boolean {
  return /^[\x21-\x7e]{1,4096}$/.test(text);
}

/** Says that a URL is of another origin than it may be, in words that name both and nothing else of either. */
export function foreignOrigin(url: URL, base: URL): string | undefined {
  return url.origin === base.origin ? undefined : `${originOf(url)}, and only ${originOf(base)} is allowed`;
}

function originOf(url: URL): string {
  return url.origin === "null" ? url.protocol : url.origin;
}

/** Names a server by its URL without what may be secret: no user, no query, and no part of the path that looks like a key. */
export function nameOf(url: URL): string {
  const path = url.pathname.split("/").map((part) => (part.length >= 16 && /\d/.test(part) ? "…" : part));
  return `${url.origin}${path.join("/")}`;
}

/** Takes the user and password out of a URL; gives them as a header. */
export function takeUser(url: URL): { readonly url: URL; readonly headers: Headers } {
  const bare = new URL(url);
  if (bare.username === "" && bare.password === "") return { url: bare, headers: {} };
  const user = `${decodeURIComponent(bare.username)}:${decodeURIComponent(bare.password)}`;
  [bare.username, bare.password] = ["", ""];
  return { url: bare, headers: { authorization: `Basic ${Buffer.from(user).toString("base64")}` } };
}
