// A server at an address, of either era, whose tools do to the connection what they are told.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { once } from "node:events";
import type { Wire } from "../../../runtime/index.js";
import { MODERN } from "../modern-script.js";

/** Answers one call of a tool, in its own way. */
export type Tool = (call: Called) => void;

/** One call of a tool. */
export interface Called {
  readonly id: unknown;
  readonly given: Wire;
  readonly response: ServerResponse;
  readonly request: IncomingMessage;
  /** Answers it with a text. */
  readonly answer: (text: string) => void;
}

/** A server that listens. */
export class ScriptedHttp {
  readonly requests: { readonly method: string; readonly headers: IncomingMessage["headers"]; readonly message: Wire | undefined }[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #era: "legacy" | "modern";
  readonly #tools: Readonly<Record<string, Tool>>;
  /** What it does with everything but calls: answers, or takes it and says nothing. */
  isMute = false;
  #sessions = 0;

  constructor(era: "legacy" | "modern", tools: Readonly<Record<string, Tool>> = {}) {
    this.#era = era;
    this.#tools = { ...TOOLS, ...tools };
    this.#server = createServer((request, response) => void this.#serve(request, response));
    // A connection that is closed for being idle just when it is used again is another fault than those that are scripted.
    this.#server.keepAliveTimeout = 120_000;
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  /** Listens; gives the address. A port that is given is one it had before. */
  async start(port = 0): Promise<string> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
    return this.url;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  /** Resolves once it was asked for a tool. */
  async called(tool: string): Promise<void> {
    const isAsked = (): boolean => this.requests.some(({ message }) => (message?.["params"] as Wire | undefined)?.["name"] === tool);
    while (!isAsked()) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  /** Breaks every connection, and takes no more. */
  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const piece of request.setEncoding("utf8")) body += String(piece);
    const message = body === "" ? undefined : (JSON.parse(body) as Wire);
    this.requests.push({ method: request.method ?? "", headers: request.headers, message });
    if (this.isMute) return;
    if (message === undefined) {
      response.writeHead(request.method === "DELETE" ? 204 : 405).end();
      return;
    }
    const { id, method, params } = message;
    if (id === undefined || typeof method !== "string") {
      response.writeHead(202).end();
      return;
    }
    if (method === "tools/call") {
      const { name, arguments: given } = params as { readonly name: string; readonly arguments: Wire };
      const answer = (text: string): void => reply(response, { jsonrpc: "2.0", id, result: this.#resultOf(text) });
      this.#tools[name]?.({ id, given, request, response, answer });
      return;
    }
    const result = this.#ownResult(method, params as Wire);
    const error = { code: -32601, message: "no such method" };
    this.#sessions += 1;
    const session = method === "initialize" ? { "mcp-session-id": `session-${this.#sessions}` } : {};
    reply(response, result === undefined ? { jsonrpc: "2.0", id, error } : { jsonrpc: "2.0", id, result }, session);
  }

  #resultOf(text: string): Wire {
    return { ...(this.#era === "modern" ? { resultType: "complete" } : {}), content: [{ type: "text", text }] };
  }

  #ownResult(method: string, { protocolVersion }: Wire): Wire | undefined {
    const capabilities = { tools: {} };
    if (this.#era === "legacy") {
      return method === "initialize" ? { protocolVersion, capabilities, serverInfo: { name: "scripted", version: "1" } } : undefined;
    }
    return method === "server/discover"
      ? { resultType: "complete", supportedVersions: [MODERN], capabilities, ttlMs: 0, cacheScope: "private" }
      : undefined;
  }
}

function reply(response: ServerResponse, message: Wire, headers: Readonly<Record<string, string>> = {}): void {
  if (response.destroyed) return;
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(message));
}

/** Makes the tool that answers once so many calls have come, the last one first and every third at the end. */
export function shuffling(): Tool {
  const held: Called[] = [];
  return (call) => {
    held.push(call);
    if (held.length < Number(call.given["of"])) return;
    const all = held.splice(0).toReversed();
    for (const rest of [1, 2, 0]) {
      for (const [index, { given, answer }] of all.entries()) if (index % 3 === rest) answer(String(given["text"]));
    }
  };
}

const TOOLS: Readonly<Record<string, Tool>> = {
  echo: ({ given, answer }) => answer(String(given["text"])),
  hang: () => {},
  slow: ({ given, answer }) => void setTimeout(() => answer(String(given["text"])), Number(given["ms"])),
  /** Starts a stream and says nothing on it. */
  stall: ({ response }) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": here\n\n");
  },
  /** Breaks the connection in the middle of the answer. */
  cut: ({ response }) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
    response.write('{"jsonrpc":"2.0",');
    setTimeout(() => response.destroy(), 20);
  },
  malformed: ({ response }) => void response.writeHead(200, { "content-type": "application/json" }).end('{"jsonrpc":"2.0","id":'),
  long: ({ given, answer }) => answer("x".repeat(Number(given["bytes"]))),
  length: ({ given, answer }) => answer(String(String(given["text"]).length)),
};
