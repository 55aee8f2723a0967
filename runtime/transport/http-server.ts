// Serves the protocol over HTTP, as a handler of web-standard requests that mounts anywhere: both eras of Streamable HTTP on one path, and the
// HTTP+SSE transport of the first revision beside it. Takes a service; knows of messages only what HTTP needs to know.
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http

import { kindOf } from "../batch.js";
import type { Reply, Service, Verdict, Visit } from "../bridge/peer.js";
import { isWire } from "../capabilities.js";
import { knownRevisions, tables } from "../mcp.js";
import { Stopper } from "../stop.js";
import { ended } from "../waiting.js";
import { readAccept, type Accepted } from "./accept.js";
import { readEventId } from "./event-log.js";
import { EventStream } from "./http-event-stream.js";
import { accessRefusal, corsHeaders, preflightHeaders, type AccessOptions } from "./http-access.js";
import { readBody } from "./http-body.js";
import { emptyAnswer, eventsAnswer, jsonAnswer, toResponse, type HttpAnswer } from "./http-answer.js";
import { Carrier } from "./http-carrier.js";
import { relativeReference, SseSession } from "./http-legacy-sse.js";
import { HttpSession, SessionTable } from "./http-sessions.js";
import { Pulse } from "./pulse.js";
import { faultResponse, internalError, invalidRequest, oversize, parseError, requestIdOf, type Refused } from "./refusals.js";

/** Bounds what clients may take up. */
export interface HttpLimits {
  /** The longest body, in bytes. */
  readonly bodyBytes: number;
  /** Sessions of all clients together, those of HTTP+SSE included. */
  readonly sessions: number;
  /** Messages of one session that are being answered at a time; each may have a stream. */
  readonly streamsPerSession: number;
  /** Messages without a session that are being answered at a time. */
  readonly exchanges: number;
  /** How many bytes a client may leave unread on one stream. */
  readonly streamBytes: number;
  /** Events and characters of one stream that are kept for a client that comes back. */
  readonly replayEvents: number;
  readonly replayCharacters: number;
  /** Streams of one session that are over and still kept. */
  readonly replayStreams: number;
}

/** The limits where nothing else is said. */
export const HTTP_LIMITS: HttpLimits = {
  bodyBytes: 16 * 1024 * 1024,
  sessions: 10_000,
  streamsPerSession: 1024,
  exchanges: 16_384,
  streamBytes: 4 * 1024 * 1024,
  replayEvents: 256,
  replayCharacters: 1024 * 1024,
  replayStreams: 16,
};

/** Says where the handler serves what; paths are whole, from the root. */
export interface HttpPaths {
  readonly mcp: readonly string[];
  readonly sse: string;
  readonly messages: string;
  readonly health: string;
}

/** The paths where nothing else is said. */
export const HTTP_PATHS: HttpPaths = { mcp: ["/mcp"], sse: "/sse", messages: "/messages", health: "/health" };

/** How to serve HTTP; times are in milliseconds. */
export interface HttpServerOptions extends AccessOptions {
  readonly paths?: Partial<HttpPaths> | undefined;
  /** What the address for messages of HTTP+SSE starts with; without it the address is relative to that of the stream, which holds behind most proxies. */
  readonly publicPrefix?: string | undefined;
  /** False to serve no HTTP+SSE. */
  readonly legacySse?: boolean | undefined;
  /**
   * Says who asks: the same text for the same party. It may not read the body. What it throws is answered with 500, so a request that may not come in
   * at all has to be refused before this handler. `info` is what the handler was called with.
   */
  readonly principal?: ((request: Request, info: unknown) => string | undefined | Promise<string | undefined>) | undefined;
  readonly limits?: Partial<HttpLimits> | undefined;
  /** How often a stream shows that it is alive; a client that waits longer for an answer gets the head of a stream. 15 s. */
  readonly keepAliveMs?: number | undefined;
  /** How long a session may go unused. 30 min. */
  readonly idleMs?: number | undefined;
  /** How long what is in flight may go on once the handler closes. 10 s. */
  readonly graceMs?: number | undefined;
  /** After how long a client whose stream broke is to come back. 1 s. */
  readonly retryMs?: number | undefined;
  /** Told of what should never happen: a service that failed. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** Answers requests. */
export interface HttpHandler {
  (request: Request, info?: unknown): Promise<Response>;
  /** Answers with plain data, for who writes it to a socket. */
  answer(request: Request, info?: unknown): Promise<HttpAnswer>;
  /** Takes no new work, lets what is in flight end within its bound, and ends every session. */
  close(): Promise<void>;
}

/** Makes the handler that serves a service. */
export function httpHandler(service: Service, options: HttpServerOptions = {}): HttpHandler {
  const server = new HttpServer(service, options);
  const answer = (request: Request, info?: unknown): Promise<HttpAnswer> => server.handle(request, info);
  return Object.assign(async (request: Request, info?: unknown) => toResponse(await answer(request, info)), {
    answer,
    close: () => server.close(),
  });
}

/** Headers that are the business of this hop alone. */
const WITHHELD = new Set(["authorization", "proxy-authorization", "cookie"]);

const SESSION_HEADER = "mcp-session-id";
const TOKEN_PARAMETER = "sessionId";
const RETRY_AFTER = { "retry-after": "1" };

/** How long a service that was told to end may take to answer, in milliseconds. */
const LAST_WORDS_MS = 1000;

type Route = "mcp" | "sse" | "messages" | "health";

const METHODS: Readonly<Record<Route, string>> = {
  mcp: "GET, POST, DELETE, OPTIONS",
  sse: "GET, OPTIONS",
  messages: "POST, OPTIONS",
  health: "GET, HEAD, OPTIONS",
};

/** What came with a POST, once it could be read. */
interface Post {
  readonly request: Request;
  readonly message: unknown;
  readonly asks: boolean;
  readonly accepts: Accepted;
  readonly principal: string | undefined;
}

/** A message that is being answered: where the answer goes, and what tells the service that nobody waits for it. */
interface Work {
  readonly carrier?: Carrier;
  readonly left?: Stopper | undefined;
}

class HttpServer {
  readonly #service: Service;
  readonly #options: HttpServerOptions;
  readonly #paths: HttpPaths;
  readonly #limits: HttpLimits;
  readonly #graceMs: number;
  readonly #routes: ReadonlyMap<string, Route>;
  readonly #pulse: Pulse;
  readonly #sessions: SessionTable;
  readonly #sseSessions = new Map<string, SseSession>();
  /** Sessions that are being opened, which the table does not hold yet. */
  readonly #opening = new Set<HttpSession>();
  /** What is being answered, each with what ends it early. */
  readonly #work = new Map<Promise<void>, Work>();
  /** What of ended sessions is not over yet. */
  readonly #ending = new Set<Promise<void>>();
  #exchanges = 0;
  #closing: Promise<void> | undefined;

  constructor(service: Service, options: HttpServerOptions) {
    this.#service = service;
    this.#options = options;
    this.#paths = { ...HTTP_PATHS, ...options.paths };
    this.#limits = { ...HTTP_LIMITS, ...options.limits };
    this.#graceMs = options.graceMs ?? 10_000;
    this.#routes = routesOf(this.#paths, options.legacySse ?? true);
    this.#pulse = new Pulse(options.keepAliveMs ?? 15_000);
    this.#sessions = new SessionTable(options.idleMs ?? 30 * 60_000, this.#pulse);
  }

  async handle(request: Request, info: unknown): Promise<HttpAnswer> {
    const origin = request.headers.get("origin");
    let answer: HttpAnswer;
    try {
      const url = new URL(request.url);
      const refusal = accessRefusal(this.#options, request.headers.get("host") ?? url.host, origin);
      if (refusal !== undefined) return jsonAnswer(invalidRequest(refusal), 403);
      answer = await this.#route(request, url, info);
    } catch (error) {
      this.#options.onFault?.(error);
      answer = jsonAnswer(internalError(), 500);
    }
    // What a preflight says of `Vary` is more, and stays.
    return origin === null ? answer : { ...answer, headers: { ...corsHeaders(origin), ...answer.headers } };
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  #route(request: Request, url: URL, info: unknown): Promise<HttpAnswer> | HttpAnswer {
    const route = this.#routes.get(canonicalPath(url.pathname));
    if (route === undefined) return jsonAnswer(invalidRequest("cannot serve the request: nothing is at this path"), 404);
    const { method, headers } = request;
    if (method === "OPTIONS") {
      const asked = headers.get("access-control-request-headers");
      return emptyAnswer(204, { allow: METHODS[route], ...preflightHeaders(METHODS[route], asked) });
    }
    if (route === "health" && (method === "GET" || method === "HEAD")) return this.#health(method);
    if (route === "sse" && method === "GET") return this.#openSse(request, url, info);
    if (route === "messages" && method === "POST") return this.#postToSse(request, url, info);
    if (route === "mcp" && method === "POST") return this.#post(request, info);
    if (route === "mcp" && method === "GET") return this.#get(request, info);
    if (route === "mcp" && method === "DELETE") return this.#delete(request, info);
    return notAllowed(METHODS[route]);
  }

  #health(method: string): HttpAnswer {
    const streams = [...this.#sessions.values()].filter((session) => session.hears).length + this.#sseSessions.size;
    const state = {
      status: this.#closing === undefined ? "ok" : "closing",
      sessions: this.#sessionCount,
      streams,
      inFlight: this.#work.size,
    };
    const status = this.#closing === undefined ? 200 : 503;
    return method === "HEAD" ? emptyAnswer(status) : jsonAnswer(state, status, { "cache-control": "no-store" });
  }

  get #sessionCount(): number {
    return this.#sessions.size + this.#sseSessions.size + this.#opening.size;
  }

  // POST to the one endpoint of Streamable HTTP.

  async #post(request: Request, info: unknown): Promise<HttpAnswer> {
    const body = await this.#read(request);
    if ("status" in body) return body;
    const { message } = body;
    const { headers } = request;
    const asks = asksForAnswer(message);
    const accepts = readAccept(headers.get("accept"));
    if (asks && !accepts.json && !accepts.events) {
      const reason = "cannot answer the message: Accept admits neither application/json nor text/event-stream";
      return jsonAnswer(invalidRequest(reason, { message }), 406);
    }
    const principal = await this.#principalOf(request, info);
    const id = headers.get(SESSION_HEADER);
    const session = id === null ? undefined : this.#sessions.find(id, principal);
    const versionHeader = headers.get("mcp-protocol-version") ?? undefined;
    const verdict = this.#service.classify({ message, versionHeader, session: session?.revision });
    const refused = this.#refusalOfVerdict(verdict, { message, revision: session?.revision }, asks);
    if (refused !== undefined) return refused;
    const post: Post = { request, message, asks, accepts, principal };
    if (verdict.era === "modern") return this.#exchange(post);
    if (verdict.era === "legacy" && verdict.opens) return this.#open(post, true);
    if (session !== undefined) return this.#receive(post, session);
    if (id !== null) return jsonAnswer(invalidRequest("cannot find the session: start a new one with initialize", { message }), 404);
    if (mayComeFirst(message)) return this.#open(post, false);
    return jsonAnswer(
      invalidRequest("cannot answer the message: it has no Mcp-Session-Id header; start with initialize", { message }),
      400,
    );
  }

  #refusalOfVerdict(verdict: Verdict, refused: Refused, asks: boolean): HttpAnswer | undefined {
    if (verdict.era === undefined) return jsonAnswer(verdict.answer, verdict.status);
    // What answers a question of the server's has to come through, or what is in flight could not end.
    return asks && this.#closing !== undefined ? closingAnswer(refused) : undefined;
  }

  #exchange({ request, message, asks, accepts, principal }: Post): Promise<HttpAnswer> | HttpAnswer {
    if (!isWire(message)) return jsonAnswer(invalidRequest("cannot answer the message: it is not a JSON object"), 400);
    if (asks && this.#exchanges >= this.#limits.exchanges)
      return limitAnswer("requests in flight", this.#limits.exchanges, 503, { message });
    const left = new Stopper();
    const leave = (): void => left.abort(new DOMException("the client closed the stream", "AbortError"));
    const stream = (): EventStream => new EventStream({ limit: this.#limits.streamBytes, onLost: leave });
    const carrier = new Carrier({ accepts, asks, open: stream });
    const { signal } = request;
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    const visit: Visit = { sink: carrier, principal, header: headerReader(request), signal: left.signal };
    this.#exchanges += 1;
    const answered = async (): Promise<void> => {
      try {
        const { answer, status } = await this.#service.exchange(message, visit);
        carrier.answer(answer, answer === undefined ? 202 : status);
      } catch (error) {
        this.#fail(carrier, error, { message });
      } finally {
        signal.removeEventListener("abort", leave);
        this.#exchanges -= 1;
      }
    };
    return this.#carry(carrier, answered(), left);
  }

  #receive(post: Post, session: HttpSession): Promise<HttpAnswer> | HttpAnswer {
    const { revision } = session;
    if (post.asks && session.inFlight >= this.#limits.streamsPerSession) {
      return limitAnswer("requests of one session in flight", this.#limits.streamsPerSession, 429, { message: post.message, revision });
    }
    const carrier = new Carrier({ accepts: post.accepts, asks: post.asks, open: () => session.open() });
    const answered = this.#converse(post, session, carrier, (reply) => carrier.answer(reply, legacyStatusOf(reply)));
    return this.#carry(carrier, answered);
  }

  /** Starts a session, which stays where its first answer is a result; one that is not to stay only answers what may come before a handshake. */
  #open(post: Post, stays: boolean): Promise<HttpAnswer> | HttpAnswer {
    if (this.#sessionCount >= this.#limits.sessions) {
      return limitAnswer("sessions", this.#limits.sessions, 503, { message: post.message });
    }
    const session = this.#newSession(post.principal);
    this.#opening.add(session);
    let isKept = false;
    let isOpened = false;
    const keep = (): void => {
      this.#opening.delete(session);
      if (isKept || !stays || session.isOver) return;
      isKept = true;
      this.#sessions.add(session);
    };
    const carrier = new Carrier({
      accepts: post.accepts,
      asks: post.asks,
      // A question on the way to the answer is answered with a POST, which has to find the session.
      open: () => {
        keep();
        return session.open();
      },
      headers: () => (isKept ? { [SESSION_HEADER]: session.id } : {}),
    });
    const answered = this.#converse(post, session, carrier, (reply) => {
      isOpened = stays && isWire(reply) && reply["result"] !== undefined;
      if (isOpened) keep();
      carrier.answer(reply, legacyStatusOf(reply));
    }).finally(() => {
      this.#opening.delete(session);
      if (!isOpened) session.end("the client did not start a session");
    });
    return this.#carry(carrier, answered);
  }

  #newSession(principal: string | undefined): HttpSession {
    const { replayEvents, replayCharacters, replayStreams, streamBytes } = this.#limits;
    const session = new HttpSession(principal, {
      replay: { events: replayEvents, characters: replayCharacters },
      replayStreams,
      streamBytes,
      retryMs: this.#options.retryMs ?? 1000,
      graceMs: this.#graceMs,
      refuse: () => jsonAnswer(invalidRequest("cannot answer the message: the session has ended"), 404),
      onEnd: (session, ended) => {
        this.#sessions.delete(session);
        this.#await(ended);
      },
    });
    session.attach(this.#service.session(session));
    return session;
  }

  /** Hands a message to a session's conversation; what goes wrong there is answered, too. */
  async #converse(post: Post, session: HttpSession, carrier: Carrier, onReply: (reply: Reply) => void): Promise<void> {
    session.hold(carrier);
    try {
      const visit: Visit = { sink: carrier, principal: post.principal, header: headerReader(post.request) };
      onReply(await session.conversation.receive(post.message, visit));
    } catch (error) {
      this.#fail(carrier, error, { message: post.message, revision: session.revision });
    } finally {
      session.release(carrier);
    }
  }

  /** Looks after what is being answered until it is. */
  #carry(carrier: Carrier, answered: Promise<void>, left?: Stopper): Promise<HttpAnswer> {
    this.#pulse.add(carrier);
    const work = answered.finally(() => {
      this.#pulse.delete(carrier);
      this.#work.delete(work);
    });
    this.#work.set(work, { carrier, left });
    return carrier.response;
  }

  #await(ended: Promise<void>): void {
    const known = ended.finally(() => this.#ending.delete(known));
    this.#ending.add(known);
  }

  #fail(carrier: Carrier, error: unknown, refused: Refused): void {
    this.#options.onFault?.(error);
    const answer = internalError(refused);
    // Whoever asked finds the answer by its id; what answers nothing is told by the status alone.
    carrier.answer(answer, requestIdOf(refused.message) === undefined ? 500 : 200);
  }

  // GET and DELETE of Streamable HTTP, which only sessions have.

  async #get(request: Request, info: unknown): Promise<HttpAnswer> {
    const session = await this.#sessionOf(request, info);
    if (!(session instanceof HttpSession)) return session;
    const { revision, features } = session;
    if (!features.hasGetStream) return notAllowed("POST, DELETE, OPTIONS");
    if (!readAccept(request.headers.get("accept")).events) {
      return jsonAnswer(invalidRequest("cannot open the stream: Accept does not admit text/event-stream", { revision }), 406);
    }
    const versionFault = versionFaultOf(request.headers.get("mcp-protocol-version"), revision);
    if (versionFault !== undefined) return jsonAnswer(invalidRequest(versionFault, { revision }), 400);
    if (this.#closing !== undefined) return closingAnswer({ revision });
    const last = features.isResumable ? request.headers.get("last-event-id") : null;
    if (last !== null && last !== "") return this.#resume(session, last);
    if (session.hears) {
      return jsonAnswer(invalidRequest("cannot open the stream: the session has one already", { revision }), 409);
    }
    const body = session.listen();
    session.conversation.hears();
    return eventsAnswer(body);
  }

  #resume(session: HttpSession, last: string): HttpAnswer {
    const place = readEventId(last);
    const body = place === undefined ? undefined : session.resume(place.stream, place.sequence);
    if (place === undefined || body === undefined) {
      const reason = "cannot go on with the stream: Last-Event-ID names no event that is kept";
      return jsonAnswer(invalidRequest(reason, { revision: session.revision }), 400);
    }
    if (session.isUnsolicited(place.stream)) session.conversation.hears();
    return eventsAnswer(body);
  }

  async #delete(request: Request, info: unknown): Promise<HttpAnswer> {
    const session = await this.#sessionOf(request, info);
    if (!(session instanceof HttpSession)) return session;
    session.end("the client ended the session");
    return emptyAnswer(204);
  }

  async #sessionOf(request: Request, info: unknown): Promise<HttpSession | HttpAnswer> {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return notAllowed("POST, OPTIONS");
    const session = this.#sessions.find(id, await this.#principalOf(request, info));
    session?.touch();
    return session ?? jsonAnswer(invalidRequest("cannot find the session: start a new one with initialize"), 404);
  }

  // HTTP+SSE.

  async #openSse(request: Request, url: URL, info: unknown): Promise<HttpAnswer> {
    if (!readAccept(request.headers.get("accept")).events) {
      return jsonAnswer(invalidRequest("cannot open the stream: Accept does not admit text/event-stream"), 406);
    }
    const principal = await this.#principalOf(request, info);
    if (this.#closing !== undefined) return closingAnswer();
    if (this.#sessionCount >= this.#limits.sessions) return limitAnswer("sessions", this.#limits.sessions, 503);
    const { publicPrefix } = this.#options;
    const { messages } = this.#paths;
    const address =
      publicPrefix === undefined ? relativeReference(url.pathname, messages) : `${publicPrefix.replace(/\/$/, "")}${messages}`;
    const session = new SseSession({
      principal,
      streamBytes: this.#limits.streamBytes,
      graceMs: this.#graceMs,
      endpoint: (token) => `${address}?${TOKEN_PARAMETER}=${token}`,
      onEnd: (session, ended) => {
        this.#sseSessions.delete(session.token);
        this.#pulse.delete(session);
        this.#await(ended);
      },
    });
    const conversation = this.#service.session(session);
    this.#sseSessions.set(session.token, session);
    this.#pulse.add(session);
    return eventsAnswer(session.start(conversation));
  }

  async #postToSse(request: Request, url: URL, info: unknown): Promise<HttpAnswer> {
    const principal = await this.#principalOf(request, info);
    const session = this.#sseSessions.get(url.searchParams.get(TOKEN_PARAMETER) ?? "");
    if (session === undefined || session.principal !== principal) {
      return jsonAnswer(invalidRequest("cannot find the session: open a new stream"), 404);
    }
    const { revision } = session;
    const body = await this.#read(request, revision);
    if ("status" in body) return body;
    const { message } = body;
    if (asksForAnswer(message)) {
      if (this.#closing !== undefined) return closingAnswer({ message, revision });
      if (session.inFlight >= this.#limits.streamsPerSession) {
        return limitAnswer("requests of one session in flight", this.#limits.streamsPerSession, 429, { message, revision });
      }
    }
    const work = session
      .receive(message, headerReader(request))
      .catch((error: unknown) => {
        this.#options.onFault?.(error);
        if (asksForAnswer(message)) void session.write(internalError({ message, revision }));
      })
      .finally(() => this.#work.delete(work));
    this.#work.set(work, {});
    return emptyAnswer(202);
  }

  async #read(request: Request, revision?: string): Promise<{ readonly message: unknown } | HttpAnswer> {
    const { bodyBytes } = this.#limits;
    const body = await readBody(request, bodyBytes);
    if (!("fault" in body)) return body;
    switch (body.fault) {
      case "not-json":
        return jsonAnswer(parseError({ revision }), 400);
      case "too-long":
        return jsonAnswer(oversize("body", bodyBytes, { revision }), 413);
      case "unread":
        return jsonAnswer(invalidRequest("cannot read the body: it ended early, or somebody read it before", { revision }), 400);
      case "encoded": {
        // https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
        const headers = { "accept-encoding": "identity" };
        return jsonAnswer(invalidRequest("cannot read the body: it has a Content-Encoding", { revision }), 415, headers);
      }
      case "other-type":
        return jsonAnswer(invalidRequest("cannot read the body: its Content-Type is not application/json", { revision }), 415);
    }
  }

  #principalOf(request: Request, info: unknown): string | undefined | Promise<string | undefined> {
    return this.#options.principal?.(request, info);
  }

  async #shutDown(): Promise<void> {
    await ended(this.#workDone(), this.#graceMs);
    for (const { left } of this.#work.values()) left?.abort(new DOMException("the server is closing", "AbortError"));
    for (const session of [...this.#sessions.values(), ...this.#opening, ...this.#sseSessions.values()])
      session.end("the server is closing");
    await Promise.all(this.#ending);
    await ended(this.#workDone(), Math.min(this.#graceMs, LAST_WORDS_MS));
    for (const { carrier } of this.#work.values()) carrier?.abandon(() => closingAnswer());
    this.#pulse.stop();
  }

  async #workDone(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work.keys());
  }
}

function routesOf(paths: HttpPaths, hasLegacySse: boolean): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>([[canonicalPath(paths.health), "health"]]);
  if (hasLegacySse) routes.set(canonicalPath(paths.sse), "sse").set(canonicalPath(paths.messages), "messages");
  for (const path of paths.mcp) routes.set(canonicalPath(path), "mcp");
  return routes;
}

/** Writes a path in one way: what is escaped and need not be, and a slash at the end, make no other path. */
function canonicalPath(path: string): string {
  let plain = path;
  try {
    plain = decodeURIComponent(path);
  } catch {
    // What is no escape stands for itself.
  }
  return plain.length > 1 ? plain.replace(/\/+$/, "") : plain;
}

/** Tells whether a message asks for an answer; what is no message does, as it is answered with an error. */
function asksForAnswer(message: unknown): boolean {
  const messages: readonly unknown[] = Array.isArray(message) && message.length > 0 ? message : [message];
  return messages.map(kindOf).some((kind) => kind === "request" || kind === "unknown");
}

/** Tells whether a message is a request that may come before the handshake and does not make it. */
function mayComeFirst(message: unknown): boolean {
  if (!isWire(message) || kindOf(message) !== "request") return false;
  const { method } = message;
  return typeof method === "string" && (tables.handshake?.before.clientToServer.includes(method) ?? false);
}

/** A legacy client takes 404 for the end of its session and 400 for that of its request, so errors travel inside; what answers no request cannot. */
function legacyStatusOf(reply: Reply): number {
  return isWire(reply) && reply["error"] !== undefined && (reply["id"] ?? null) === null ? 400 : 200;
}

/** Says what is wrong with the version header of a GET; the same value several times is one. */
function versionFaultOf(header: string | null, revision: string | undefined): string | undefined {
  if (header === null) return undefined;
  const [value = "", ...others] = new Set(
    header
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  );
  if (others.length === 0 && value === revision) return undefined;
  const named = knownRevisions().includes(value) && others.length === 0 ? value : JSON.stringify(header.slice(0, 64));
  return `cannot open the stream: MCP-Protocol-Version is ${named}, and the session is at ${revision ?? "no revision"}`;
}

function headerReader(request: Request): (name: string) => string | undefined {
  return (name) => (WITHHELD.has(name) ? undefined : (request.headers.get(name) ?? undefined));
}

function notAllowed(allow: string): HttpAnswer {
  return jsonAnswer(invalidRequest(`cannot serve the request: the method is not one of ${allow}`), 405, { allow });
}

function closingAnswer(refused?: Refused): HttpAnswer {
  const fault = { kind: "upstream-unavailable", message: "cannot answer the message: the server is closing", retry: "same" } as const;
  return jsonAnswer(faultResponse(fault, refused), 503, RETRY_AFTER);
}

function limitAnswer(what: string, limit: number, status: number, refused?: Refused): HttpAnswer {
  const fault = { kind: "limit", message: `cannot answer the message: more than ${limit} ${what}`, retry: "same" } as const;
  return jsonAnswer(faultResponse(fault, refused), status, RETRY_AFTER);
}
