// The wires of hand-written peers: a client on the pipes of `polyrev bridge` or at its address, and a server behind an address. They carry texts and
// know of them only what HTTP needs.
import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Wire } from "../../runtime/index.js";
import { RawServer, type RawEra, type RawOutput } from "./raw-server.js";
import { until } from "./room.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Gives the command line that runs a TypeScript file of this repository. */
export function tsxCommand(path: string, ...args: readonly string[]): readonly string[] {
  return [process.execPath, "--import", "tsx", path, ...args];
}

/** A client that is a test's own. */
export interface RawClient {
  /** Every text it was sent, in order. */
  readonly heard: string[];
  /** Sends a text; `stop` gives up its stream, where it has one. */
  send(text: string, stop?: AbortSignal): void;
  close(): Promise<void>;
}

/** A bridge that runs, and a client in front of it. */
export interface RawRun {
  readonly client: RawClient;
  close(): Promise<void>;
}

/** Starts a bridge to a server and connects a client, each over a transport. */
export async function openRaw(
  era: { readonly client: RawEra; readonly server: RawEra },
  clientOver: "stdio" | "http",
  serverOver: "stdio" | "http",
): Promise<RawRun> {
  const server = serverOver === "http" ? await listenRaw(new RawServer(era.server), era.server) : undefined;
  const upstream = server?.url ?? tsxCommand("test/bridge/raw-server-process.ts", era.server).join(" ");
  const listen = clientOver === "http" ? ["--listen", "http://127.0.0.1:0/mcp"] : [];
  const [program = "", ...args] = tsxCommand("runtime/cli/main.ts", "bridge", "--log", "error", "--upstream", upstream, ...listen);
  const bridge = spawn(program, args, { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] });
  const client = clientOver === "http" ? await httpClient(await addressOf(bridge), era.client) : pipeClient(bridge);
  return {
    client,
    async close() {
      await client.close();
      const ended = new Promise((resolve) => bridge.once("exit", resolve));
      bridge.stdin.end();
      bridge.kill();
      await ended;
      await server?.close();
    },
  };
}

function addressOf(bridge: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (bridge.stdout === null) return reject(new Error("cannot read the bridge"));
    createInterface({ input: bridge.stdout }).on("line", (line) => {
      const [, url] = /^listening (\S+)$/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
    bridge.once("exit", (code) => reject(new Error(`cannot start the bridge: it ended with ${code}`)));
  });
}

function pipeClient(bridge: ChildProcess): RawClient {
  const heard: string[] = [];
  if (bridge.stdout !== null) createInterface({ input: bridge.stdout }).on("line", (line) => heard.push(line));
  return { heard, send: (text) => void bridge.stdin?.write(`${text}\n`), close: () => Promise.resolve() };
}

async function httpClient(url: string, era: RawEra): Promise<RawClient> {
  const heard: string[] = [];
  const ends = new AbortController();
  let session: string | undefined;
  const read = async (response: Response): Promise<void> => {
    session ??= response.headers.get("mcp-session-id") ?? undefined;
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") ?? false;
    if (!isStream) {
      const text = await response.text();
      if (text !== "") heard.push(text);
      return;
    }
    let rest = "";
    for await (const piece of response.body ?? []) {
      const events = (rest + new TextDecoder().decode(piece as Uint8Array)).split("\n\n");
      rest = events.pop() ?? "";
      heard.push(...events.flatMap((event) => [...event.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => data)));
    }
  };
  const headers = (): Record<string, string> => (session === undefined ? {} : { "mcp-session-id": session });
  const ask = async (init: RequestInit): Promise<void> => {
    await read(await fetch(url, init)).catch((error: unknown) => {
      if (!ends.signal.aborted && (error as Error).name !== "AbortError") throw error;
    });
  };
  return {
    heard,
    send(text, stop) {
      const { method, params } = JSON.parse(text) as { readonly method?: string; readonly params?: Wire };
      const own: Record<string, string> = {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers(),
      };
      if (era === "modern") {
        Object.assign(own, { "mcp-protocol-version": "2026-07-28", "mcp-method": method ?? "" });
        if (typeof params?.["name"] === "string") own["mcp-name"] = params["name"];
      }
      const signal = stop === undefined ? ends.signal : AbortSignal.any([stop, ends.signal]);
      void ask({ method: "POST", headers: own, body: text, signal }).catch(() => undefined);
      if (method === "notifications/initialized")
        void ask({ method: "GET", headers: { accept: "text/event-stream", ...headers() }, signal: ends.signal }).catch(() => undefined);
    },
    async close() {
      ends.abort();
    },
  };
}

/** Has a raw server listen; a modern one has no stream beside its answers. */
async function listenRaw(raw: RawServer, era: RawEra): Promise<{ readonly url: string; close(): Promise<void> }> {
  let side: ServerResponse | undefined;
  const beside = (text: string): void => void side?.write(`data: ${text}\n\n`);
  const server = createServer((request, response) => {
    if (request.method === "GET" && era === "legacy") side = streaming(response);
    else if (request.method === "POST") void take(request, response);
    else response.writeHead(405).end();
  });
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { id, method } = JSON.parse(text) as Wire;
    if (id === undefined || method === undefined) {
      response.writeHead(202).end();
      return raw.take(text, { answer: beside, beside });
    }
    const closed = new AbortController();
    response.on("close", () => response.writableFinished || closed.abort());
    streaming(response, method === "initialize" ? { "mcp-session-id": "raw" } : {});
    const output: RawOutput = {
      beside,
      answer(line) {
        response.write(`data: ${line}\n\n`);
        if ((JSON.parse(line) as Wire)["id"] === id) response.end();
      },
    };
    return raw.take(text, output, closed.signal);
  };
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function streaming(response: ServerResponse, headers: Record<string, string> = {}): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream", ...headers });
  response.flushHeaders();
  return response;
}

/** Waits for the answer to a request, and gives its text. */
export async function answerTo(client: RawClient, id: unknown): Promise<string> {
  const find = (): string | undefined =>
    client.heard.find((text) => {
      const message = JSON.parse(text) as Wire;
      return message["method"] === undefined && message["id"] === id;
    });
  await until(`the answer to ${JSON.stringify(id)} in ${client.heard.length} texts`, () => find() !== undefined, 15_000);
  return find() ?? "";
}
