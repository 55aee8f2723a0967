// A real HTTP server that does what its test says, writes down what it was asked, and knows who is still connected.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** What was asked. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as JSON; undefined where there is none. */
  readonly message: { readonly id?: string | number; readonly method?: string } | undefined;
  readonly socket: Socket;
  /** Resolves once the exchange is closed, by whichever side. */
  readonly closed: Promise<void>;
}

/** Answers one request. */
export type Script = (asked: Asked, response: ServerResponse) => void | Promise<void>;

/** A server that runs. */
export interface Scripted {
  readonly url: string;
  readonly asked: Asked[];
  connections(): Promise<number>;
  close(): Promise<void>;
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Starts a server at a free port. */
export async function serve(script: Script): Promise<Scripted> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const closed = new Promise<void>((resolve) => response.once("close", resolve));
    void read(request).then(
      (body) => {
        const entry: Asked = {
          method: request.method ?? "",
          path: request.url ?? "",
          headers: request.headers,
          body,
          message: body === "" ? undefined : JSON.parse(body),
          socket: request.socket,
          closed,
        };
        asked.push(entry);
        return script(entry, response);
      },
      () => {},
    );
  });
  server.maxConnections = 10_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    asked,
    connections: () => new Promise((resolve) => server.getConnections((_, count) => resolve(count))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status: number = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/** Begins a stream of events; each text given is written as it is. */
export function stream(response: ServerResponse, ...texts: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  for (const text of texts) response.write(text);
}

/** Writes a message as an event. */
export function event(message: unknown, id?: string): string {
  return `${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`;
}

/** Waits until something holds; fails after a few seconds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 5000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error("it never came to hold");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
