// Stands between a driver and a server and changes nothing: `pass-through.ts URL` passes HTTP on to URL as it is. What is proven with it is that
// a driver talks to what it is told to talk to.
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

const target = new URL(process.argv[2] ?? "");
const server = createServer((asked, answered) => {
  const { method, headers } = asked;
  const onward = request(target, { method: method ?? "GET", headers: { ...headers, host: target.host } }, (answer) => {
    answered.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(answered);
  });
  onward.on("error", () => answered.destroy());
  answered.on("close", () => onward.destroy());
  asked.pipe(onward);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening http://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`);
});
