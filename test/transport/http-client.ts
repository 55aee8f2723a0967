// A client of an HTTP handler that is called directly, without a socket.
import { onTestFinished } from "vitest";
import type { HttpHandler, HttpServerOptions } from "../../runtime/transport/http-server.js";
import { httpHandler } from "../../runtime/transport/http-server.js";
import type { Wire } from "../../runtime/protocol.js";
import { initialize, ScriptedService } from "./scripted-service.js";

export const BASE = "http://localhost:3000";

/** A handler over a scripted service, and ways to ask it. */
export class HttpBench {
  readonly service = new ScriptedService();
  readonly handler: HttpHandler;

  constructor(options: HttpServerOptions = {}) {
    this.handler = httpHandler(this.service, { graceMs: 200, ...options });
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return this.handler(new Request(new URL(path, BASE), init));
  }

  /** Posts a message, or a text as it is. */
  post(message: unknown, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
    return this.fetch("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: typeof message === "string" ? message : JSON.stringify(message),
      ...init,
    });
  }

  /** Starts a session, and gives the headers that name it. */
  async session(revision = "2025-11-25", headers: Record<string, string> = {}): Promise<Record<string, string>> {
    const response = await this.post(initialize(revision), headers);
    const id = response.headers.get("mcp-session-id");
    if (id === null) throw new TypeError(`there is no session: ${response.status} ${await response.text()}`);
    return { "mcp-session-id": id, ...headers };
  }

  get(headers: Record<string, string>, init: RequestInit = {}): Promise<Response> {
    return this.fetch("/mcp", { headers: { accept: "text/event-stream", ...headers }, ...init });
  }

  delete(headers: Record<string, string>): Promise<Response> {
    return this.fetch("/mcp", { method: "DELETE", headers });
  }

  async health(): Promise<Wire> {
    return (await (await this.fetch("/health")).json()) as Wire;
  }
}

/** Makes a bench that is gone when the test is over. */
export function bench(options?: HttpServerOptions): HttpBench {
  const made = new HttpBench(options);
  onTestFinished(async () => {
    made.service.release();
    await made.handler.close();
  });
  return made;
}

/** Reads the one message of a JSON response. */
export async function messageOf(response: Response): Promise<Wire> {
  return (await response.json()) as Wire;
}
