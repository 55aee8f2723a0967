// The server of the load run: a legacy server over HTTP that answers each call after a wait of its own and tells its parent, before it answers, which call
// it made. `server.ts <port>`; killed and started again at the parent's pleasure.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly call?: number; readonly wait?: number }; readonly protocolVersion?: string };
}

const REVISION = "2025-11-25";
const sessions = new Set<string>();

createServer((request, response) => {
  if (request.method !== "POST") {
    response.writeHead(request.method === "DELETE" ? 200 : 405).end();
    return;
  }
  let text = "";
  request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  request.on("end", () => {
    const { id, method, params } = JSON.parse(text) as Message;
    const answer = (result: unknown, headers: Record<string, string> = {}): void => {
      const body = JSON.stringify({ jsonrpc: "2.0", id, result });
      response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
    };
    if (method === "initialize") {
      const session = randomUUID();
      sessions.add(session);
      const serverInfo = { name: "load", version: "1" };
      return answer({ protocolVersion: REVISION, capabilities: { tools: {} }, serverInfo }, { "mcp-session-id": session });
    }
    if (method === "server/discover") return response.writeHead(400).end();
    const session = request.headers["mcp-session-id"];
    if (typeof session !== "string" || !sessions.has(session)) return response.writeHead(404).end();
    if (id === undefined) return response.writeHead(202).end();
    const { call = -1, wait = 0 } = params?.arguments ?? {};
    setTimeout(() => {
      process.send?.({ call });
      answer({ content: [{ type: "text", text: `${session.slice(0, 8)} ${call}` }] });
    }, wait);
  });
}).listen(Number(process.argv[2]), "127.0.0.1", () => process.send?.({ ready: true }));
