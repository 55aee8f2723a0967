// What stands in for a bridge that has one fault, so that each check of the suite can be seen to fail. `flawed-relay.mjs FAULT PROGRAM …` relays lines
// between its client and a server, and goes wrong in the way named.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [fault, program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"], detached: fault === "leaks" });
const asked = new Map();
let swapped;
process.stdout.on("error", () => {});
child.stdin.on("error", () => {});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (fault !== "chokes") {
      try {
        const { id, params } = JSON.parse(line);
        asked.set(id, params?.name);
      } catch {
        return;
      }
    } else JSON.parse(line);
    child.stdin.write(`${line}\n`);
  })
  .on("close", () => {
    if (fault === "leaks") {
      child.unref();
      process.exit(0);
    }
    if (fault !== "stays") child.stdin.end();
  });

createInterface({ input: child.stdout }).on("line", (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    if (fault === "passes-noise") process.stdout.write(`${line}\n`);
    return;
  }
  const isCall = asked.get(message?.id) !== undefined;
  if (fault === "swaps" && isCall) {
    if (swapped === undefined) swapped = message;
    else {
      process.stdout.write(`${JSON.stringify({ ...message, id: swapped.id })}\n${JSON.stringify({ ...swapped, id: message.id })}\n`);
      swapped = undefined;
    }
    return;
  }
  if (fault === "drops" && isCall && message.id % 7 === 3) return;
  process.stdout.write(`${line}\n`);
});

if (fault === "stays") {
  setInterval(() => {}, 1000);
  process.on("SIGTERM", () => {});
}
child.on("exit", () => {
  if (fault !== "stays") process.exit(0);
});
process.on("SIGTERM", () => {
  if (fault === "stays") return;
  child.kill();
  process.exit(0);
});
