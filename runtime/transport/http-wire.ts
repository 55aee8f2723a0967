// Makes HTTP requests to one origin and reads what comes back, within bounds. Follows redirects that stay at the origin and keep the request as it is;
// gives every failure as `Unreachable`, in words of its own: what a library says may hold more than is anybody's business.

import { isUtf8 } from "node:buffer";
import type { Agent, Dispatcher } from "undici";
import request from "undici/lib/api/api-request.js";
import UndiciAgent from "undici/lib/dispatcher/agent.js";
import { Unreachable, type UnreachableFault } from "../bridge/peer.js";
import type { StopSignal } from "../stop.js";
import { composeHeaders, foreignOrigin, HeaderError, headerOf, readHeaders, type HeaderSource } from "./http-headers.js";

/** How a server is reached. */
export interface WireOptions {
  readonly headers?: HeaderSource | undefined;
  /** How long a connection may take: 10 seconds. */
  readonly connectMs?: number | undefined;
  /** How long the head of a response may take, 0 for ever: 10 minutes, since some servers send none before they have the answer. */
  readonly headersMs?: number | undefined;
  /** How long a body that is no stream of events may pause: a minute. */
  readonly stallMs?: number | undefined;
  /** How many connections requests may use at once: 1024. Messages that expect no answer have others. */
  readonly connections?: number | undefined;
}

/** One request; `own` are the headers the transport says. */
export interface Outgoing {
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly message?: Readonly<Record<string, string>> | undefined;
  readonly own: Readonly<Record<string, string | undefined>>;
  readonly body?: string | undefined;
  readonly signal: StopSignal;
  /** Calls can hold their connection for long, and must not hold up what others wait for. */
  readonly lane: "call" | "control";
}

/** A response whose body is still to come. */
export interface Incoming {
  readonly status: number;
  readonly isEventStream: boolean;
  readonly body: Dispatcher.ResponseData["body"];
  header(name: string): string | undefined;
}

const MAX_REDIRECTS = 5;
const CONTROL_CONNECTIONS = 64;
/** How much of a refusal is read. */
const MAX_REFUSAL_BYTES = 64 * 1024;
/** How much of a body nobody wants is read to keep its connection. */
const MAX_DUMPED_BYTES = 16 * 1024;
/** How long either may take. */
const REFUSAL_MS = 5000;
const DUMP_MS = 1000;

/** What was never sent: the errors that come before the first byte of a request. */
const NEVER_SENT: Readonly<Record<string, string>> = {
  ECONNREFUSED: "it refuses connections",
  ENOTFOUND: "its host name is unknown",
  EAI_AGAIN: "its host name cannot be looked up now",
  EHOSTUNREACH: "there is no way to its host",
  ENETUNREACH: "there is no way to its network",
  EADDRNOTAVAIL: "there is no way to its host",
  UND_ERR_CONNECT_TIMEOUT: "it does not take the connection in time",
  UND_ERR_INVALID_ARG: "the request cannot be written",
};
const PERHAPS_SENT: Readonly<Record<string, string>> = {
  ECONNRESET: "it broke the connection",
  EPIPE: "it broke the connection",
  ETIMEDOUT: "its host does not answer any longer",
  UND_ERR_SOCKET: "it closed the connection",
  UND_ERR_HEADERS_TIMEOUT: "it does not answer in time",
  UND_ERR_BODY_TIMEOUT: "it stopped in the middle of its answer",
  UND_ERR_HEADERS_OVERFLOW: "the head of its answer is too long",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "its answer has another length than it says",
};

/** Makes requests to one origin. */
export class HttpWire {
  readonly name: string;
  readonly #options: WireOptions;
  readonly #user: Readonly<Record<string, string>>;
  readonly #lanes: Readonly<Record<Outgoing["lane"], Agent>>;

  /** Takes the name of the server in messages, and headers that the address itself gave. */
  constructor(name: string, options: WireOptions, user: Readonly<Record<string, string>> = {}) {
    this.name = name;
    this.#options = options;
    this.#user = user;
    const { connectMs = 10_000, headersMs = 600_000, connections = 1024 } = options;
    const common = { connect: { timeout: connectMs }, headersTimeout: headersMs, bodyTimeout: 0 };
    this.#lanes = {
      call: new UndiciAgent({ ...common, connections }),
      control: new UndiciAgent({ ...common, connections: CONTROL_CONNECTIONS }),
    };
  }

  /** Makes the error that says why the server cannot be reached. */
  unreachable(reason: string, fault?: UnreachableFault): Unreachable {
    return new Unreachable(this.name, reason, fault);
  }

  /** Sends a request; resolves with the head of the response. Rejects with `Unreachable`. */
  async send(outgoing: Outgoing): Promise<Incoming> {
    let { url } = outgoing;
    try {
      const fixed = { ...this.#user, ...(await readHeaders(this.#options.headers)) };
      const headers = composeHeaders({ "user-agent": "polyrev", ...fixed }, outgoing.message ?? {}, outgoing.own);
      for (let left = MAX_REDIRECTS; ; left -= 1) {
        const response = await request.call(this.#lanes[outgoing.lane], {
          origin: url.origin,
          path: `${url.pathname}${url.search}`,
          method: outgoing.method,
          headers,
          body: outgoing.body ?? null,
          // All it needs of a signal, it finds in ours; only its types ask for more.
          signal: outgoing.signal as AbortSignal,
        });
        const location = headerOf(response.headers, "location");
        const isRedirect = [301, 302, 307, 308].includes(response.statusCode) || (response.statusCode === 303 && outgoing.method === "GET");
        if (!isRedirect || location === undefined) return incoming(response);
        this.dump(response.body);
        url = this.#redirected(location, url, response.statusCode, left);
      }
    } catch (error) {
      throw this.failure(error);
    }
  }

  #redirected(location: string, from: URL, status: number, left: number): URL {
    const fault = { status, delivered: "no" } as const;
    const target = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
    if (target === undefined) throw this.unreachable("it redirects to something that is no URL", fault);
    const foreign = foreignOrigin(target, from);
    if (foreign !== undefined) throw this.unreachable(`it redirects to ${foreign}: configure the address it has there`, fault);
    if (left === 0) throw this.unreachable("it redirects in a circle", fault);
    return target;
  }

  /** Reads a body to its end; rejects with `Unreachable` where it is longer than the limit, pauses for too long, or is no UTF-8. */
  async readText(response: Incoming, limit: number): Promise<string> {
    const { bytes, isWhole } = await this.#read(response, limit, this.#options.stallMs ?? 60_000);
    const fault = { status: response.status };
    if (!isWhole) throw this.unreachable(`its answer has more than the ${limit} bytes allowed`, fault);
    if (!isUtf8(bytes)) throw this.unreachable("its answer is not UTF-8", fault);
    return bytes.toString().replace(/^\uFEFF/, "");
  }

  /** Reads the body of a refusal, cut short where it is long; never rejects. */
  async readRefusal(response: Incoming): Promise<string> {
    if (response.isEventStream) {
      this.dump(response.body);
      return "";
    }
    try {
      return (await this.#read(response, MAX_REFUSAL_BYTES, REFUSAL_MS)).bytes.toString();
    } catch {
      return "";
    }
  }

  async #read({ body, status }: Incoming, limit: number, stallMs: number): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
    try {
      return await readBody(body, limit, stallMs);
    } catch (error) {
      if (error instanceof Stalled)
        throw this.unreachable(`it stopped in the middle of its answer for ${stallMs} milliseconds`, { status });
      throw this.failure(error);
    }
  }

  /** Lets go of a body nobody wants; keeps its connection where little of it is left. */
  dump(body: Dispatcher.ResponseData["body"]): void {
    const timer = setTimeout(() => body.destroy(), DUMP_MS);
    body.on("error", () => {});
    void body
      .dump({ limit: MAX_DUMPED_BYTES })
      .catch(() => {})
      .finally(() => clearTimeout(timer));
  }

  /** Says what a failed request means. */
  failure(error: unknown): Unreachable {
    if (error instanceof Unreachable) return error;
    if (error instanceof HeaderError) return this.unreachable(error.message, { delivered: "no", cause: error.cause });
    const code = codeOf(error);
    const unsent = code === undefined ? undefined : NEVER_SENT[code];
    if (unsent !== undefined) return this.unreachable(unsent, { delivered: "no", cause: error });
    if (code?.startsWith("ERR_TLS") === true || code?.includes("CERT") === true || code?.includes("SIGNATURE") === true) {
      return this.unreachable(`its certificate is not accepted (${code})`, { delivered: "no", cause: error });
    }
    if (code?.startsWith("ERR_SSL") === true || code === "EPROTO") {
      return this.unreachable(`it does not speak TLS as expected (${code})`, { delivered: "no", cause: error });
    }
    const isAbort = error instanceof Error && error.name === "AbortError";
    const reason = isAbort
      ? "the wait for the answer was ended"
      : ((code && PERHAPS_SENT[code]) ?? `the exchange failed (${code ?? "no code"})`);
    return this.unreachable(reason, { delivered: "maybe", cause: error });
  }

  /** Closes every connection, idle or not. */
  async close(): Promise<void> {
    await Promise.all([this.#lanes.call.destroy(), this.#lanes.control.destroy()]);
  }
}

/** Says that nothing of a body came for too long. */
class Stalled extends Error {}

/** Reads a body to its end, or to the limit and no further; rejects as the body fails. By events: an iterator costs as much as the rest of a small call. */
function readBody(
  body: Dispatcher.ResponseData["body"],
  limit: number,
  stallMs: number,
): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let isOver = false;
    const timer = setTimeout(() => body.destroy(new Stalled()), stallMs);
    const end = (isWhole: boolean): void => {
      isOver = true;
      clearTimeout(timer);
      const [first = Buffer.alloc(0), ...others] = chunks;
      const bytes = others.length === 0 ? first : Buffer.concat(chunks);
      resolve({ bytes: isWhole ? bytes : bytes.subarray(0, limit), isWhole });
    };
    const fail = (error: unknown): void => {
      isOver = true;
      clearTimeout(timer);
      reject(error);
    };
    body.on("data", (chunk: Buffer) => {
      timer.refresh();
      length += chunk.length;
      chunks.push(chunk);
      if (length <= limit) return;
      end(false);
      body.destroy();
    });
    body.on("end", () => end(true));
    body.on("error", fail);
    body.on("close", () => {
      if (!isOver) fail(new Error("the body was closed"));
    });
  });
}

function incoming({ statusCode, headers, body }: Dispatcher.ResponseData): Incoming {
  const type = headerOf(headers, "content-type") ?? "";
  return {
    status: statusCode,
    isEventStream: /^\s*text\/event-stream\s*(;|$)/i.test(type),
    body,
    header: (name) => headerOf(headers, name),
  };
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  if (error instanceof AggregateError) return error.errors.map(codeOf).find((code) => code !== undefined);
  return undefined;
}
