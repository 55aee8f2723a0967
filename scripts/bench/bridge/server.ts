// A server with nothing between it and the wire: `server.ts stdio|http legacy|modern`. Over HTTP it prints where it listens.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { answerTo, type Era, type Message } from "./messages.js";

const [transport, era] = process.argv.slice(2) as ["stdio" | "http", Era];

if (transport === "stdio") {
  createInterface({ input: process.stdin }).on("line", (line) => {
    const answer = answerTo(era, JSON.parse(line) as Message);
    if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
  });
} else {
  const server = createServer((request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405).end();
      return;
    }
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (text: string) => (body += text));
    request.on("end", () => {
      const message = JSON.parse(body) as Message;
      const answer = answerTo(era, message);
      if (answer === undefined) {
        response.writeHead(202).end();
        return;
      }
      const text = JSON.stringify(answer);
      const session = message["method"] === "initialize" ? { "mcp-session-id": "raw" } : {};
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...session }).end(text);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`listening http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
  });
}
