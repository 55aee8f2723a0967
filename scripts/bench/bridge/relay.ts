// The least a bridge can do in Node: parse, give the message another id, and write it again. `relay.ts stdio FILE…` runs a server behind a pipe,
// `relay.ts http URL` stands before one at an address.
import { spawn } from "node:child_process";
import { Agent, createServer, request, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import type { Message } from "./messages.js";

const [transport, target = "", ...rest] = process.argv.slice(2);
const ids = new Map<number, unknown>();
let last = 0;

function outbound(text: string): string {
  const message = JSON.parse(text) as Message;
  if (message["id"] === undefined) return text;
  last += 1;
  ids.set(last, message["id"]);
  return JSON.stringify({ ...message, id: last });
}

function inbound(text: string): string {
  if (text === "") return text;
  const message = JSON.parse(text) as Message;
  const own = message["id"] as number;
  const id = ids.get(own);
  ids.delete(own);
  return JSON.stringify({ ...message, id });
}

if (transport === "stdio") {
  const child = spawn(target, rest, { stdio: ["pipe", "pipe", "inherit"] });
  createInterface({ input: process.stdin })
    .on("line", (line) => child.stdin.write(`${outbound(line)}\n`))
    .on("close", () => child.stdin.end());
  createInterface({ input: child.stdout }).on("line", (line) => process.stdout.write(`${inbound(line)}\n`));
} else {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((asked, answer) => {
    void textOf(asked).then((text) => {
      const body = outbound(text);
      const { host: _, "content-length": __, connection: ___, ...headers } = asked.headers;
      const options = { agent, method: "POST", headers: { ...headers, "content-length": Buffer.byteLength(body) } };
      const passed = request(target, options, (response) => {
        void textOf(response).then((received) => {
          const written = inbound(received);
          const { "transfer-encoding": _, ...kept } = response.headers;
          answer.writeHead(response.statusCode ?? 500, { ...kept, "content-length": Buffer.byteLength(written) }).end(written);
        });
      });
      passed.end(body);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`listening http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
  });
}

function textOf(stream: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    stream.setEncoding("utf8");
    stream.on("data", (piece: string) => (text += piece));
    stream.on("end", () => resolve(text));
  });
}
