// A raw server over the pipes of this process: `raw-server-process.ts legacy|modern`.
import { createInterface } from "node:readline";
import { RawServer } from "./raw-server.js";

const server = new RawServer(process.argv[2] === "modern" ? "modern" : "legacy");
const write = (text: string): void => void process.stdout.write(`${text}\n`);
createInterface({ input: process.stdin }).on("line", (line) => void server.take(line, { answer: write, beside: write }));
