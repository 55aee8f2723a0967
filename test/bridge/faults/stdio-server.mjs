// A server on a pipe that behaves as the tool it is called by says. `stdio-server.mjs MARK [mute]`: the mark is there to be found among the processes.
import { createInterface } from "node:readline";

const isMute = process.argv[3] === "mute";
const held = [];
const write = (message) => process.stdout.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
const answer = (id, text) => write({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });

const TOOLS = {
  echo: (id, { text }) => answer(id, text),
  hang: () => {},
  die: () => process.kill(process.pid, "SIGKILL"),
  slow: (id, { text, ms }) => setTimeout(() => answer(id, text), ms),
  long: (id, { bytes }) => answer(id, "x".repeat(bytes)),
  length: (id, { text }) => answer(id, String(text.length)),
  twice: (id, { text }) => {
    answer(id, text);
    answer(id, "a second answer");
  },
  stranger: (id, { text }) => {
    for (const other of [id + 1, String(id), -id, null, 1e21, "no-such-id"]) if (other !== String(id)) answer(other, "of nobody's");
    answer(id, text);
  },
  malformed: (id, { text }) => {
    for (const line of [
      "{",
      "null",
      "7",
      "[]",
      '"text"',
      '{"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":{},"result":{}}',
      "\u0000",
      "\ufffd{",
    ])
      write(line);
    process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a]));
    answer(id, text);
  },
  /** Answers once so many have come, the last one first and every third at the end. */
  shuffle: (id, { text, of }) => {
    held.push([id, text]);
    if (held.length < of) return;
    const all = held.splice(0).toReversed();
    for (const rest of [1, 2, 0]) for (const [index, [own, said]] of all.entries()) if (index % 3 === rest) answer(own, said);
  },
  deaf: (id, { text }) => {
    answer(id, text);
    lines.pause();
    process.stdin.pause();
    // It does not see its input end, either.
    setInterval(() => {}, 1000);
  },
};

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (isMute || id === undefined) return;
  if (method === "initialize") {
    const { protocolVersion } = params;
    write({ jsonrpc: "2.0", id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "scripted", version: "1" } } });
  } else if (method === "tools/call") TOOLS[params.name](id, params.arguments);
  else write({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } });
});
