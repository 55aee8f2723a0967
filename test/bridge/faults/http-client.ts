// A client of the legacy era at an address, one session; and the messages of a modern one.
import { Agent, request, type IncomingMessage } from "node:http";
import type { Wire } from "../../../runtime/index.js";
import { MODERN } from "../modern-script.js";
import { INITIALIZE } from "./processes.js";

/** What came back for a POST. */
export interface Posted {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  readonly message: Wire;
}

const FIXED = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** Posts a body; a signal ends the wait and the connection. */
export function post(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  options: { readonly agent?: Agent; readonly signal?: AbortSignal } = {},
): Promise<Posted> {
  return new Promise((resolve, reject) => {
    const own = { ...FIXED, ...headers, "content-length": String(Buffer.byteLength(body)) };
    const sent = request(url, { ...options, method: "POST", headers: own }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.on("error", reject);
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, message: messageIn(text) });
      });
    });
    sent.on("error", reject);
    // What is refused while it is on its way may break the connection after the answer as well.
    sent.on("socket", (socket) => socket.setMaxListeners(0).on("error", () => {}));
    sent.end(body);
  });
}

/** Reads the last message of a body, of either kind. */
function messageIn(text: string): Wire {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith("data: "));
  const last = data.at(-1)?.slice("data: ".length) ?? text;
  try {
    return JSON.parse(last) as Wire;
  } catch {
    return {};
  }
}

/** One session of a legacy client. */
export class HttpClient {
  readonly url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 128 });
  #session = "";

  constructor(url: string) {
    this.url = url;
  }

  async open(): Promise<Wire> {
    const { headers, message } = await post(this.url, JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: INITIALIZE }));
    this.#session = String(headers["mcp-session-id"] ?? "");
    if (this.#session !== "") await this.#post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return message;
  }

  #post(message: Wire, signal?: AbortSignal): Promise<Posted> {
    const headers = { "mcp-session-id": this.#session, "mcp-protocol-version": String(INITIALIZE["protocolVersion"]) };
    return post(this.url, JSON.stringify(message), headers, { agent: this.#agent, ...(signal === undefined ? {} : { signal }) });
  }

  /** Calls a tool under an id. */
  async call(id: unknown, name: string, given: Wire = {}, signal?: AbortSignal): Promise<Wire> {
    return (await this.#post({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given } }, signal)).message;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Calls a tool as a modern client. */
export function modernCall(url: string, id: unknown, name: string, given: Wire = {}, signal?: AbortSignal): Promise<Posted> {
  const own = "io.modelcontextprotocol/";
  const meta = {
    [`${own}protocolVersion`]: MODERN,
    [`${own}clientInfo`]: { name: "faults", version: "1" },
    [`${own}clientCapabilities`]: {},
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: given, _meta: meta } });
  const headers = { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": name };
  return post(url, body, headers, signal === undefined ? {} : { signal });
}
