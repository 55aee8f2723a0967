// Clients with nothing between them and the wire, and the processes they talk to: each sends small calls and takes their answers.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request, type IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { answersCall, callOf, headersOf, INITIALIZE, INITIALIZED, type Era, type Message } from "./messages.js";

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** How long one answer may take, in milliseconds: the benchmark ends there instead of standing still. */
const PATIENCE = 20_000;

/** A process with pipes. */
export class Running {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly lines: AsyncIterator<string>;

  constructor([program, ...args]: Command) {
    this.child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  /** Gives the address it prints once it serves. */
  async url(): Promise<string> {
    for (;;) {
      const { value, done } = await this.lines.next();
      if (done === true) throw new Error(`${this.child.spawnargs.join(" ")} ended before it served`);
      const found = /^listening (\S+)$/.exec(value)?.[1];
      if (found !== undefined) return found;
    }
  }

  /** Milliseconds of processor time so far, of all its threads; NaN where the system does not say. */
  get cpu(): number {
    try {
      const tasks = `/proc/${this.child.pid}/task`;
      const times = readdirSync(tasks).map((task) => Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]));
      return times.reduce((sum, time) => sum + time, 0) / 1e6;
    } catch {
      return Number.NaN;
    }
  }

  /** MiB of memory it holds now; NaN where the system does not say. */
  get memory(): number {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, "utf8"))?.[1]) / 1024;
    } catch {
      return Number.NaN;
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, "exit");
    this.child.kill();
    await ended;
  }
}

/** A client that is ready to call. */
export interface Client {
  /** Calls once; rejects where the answer is not its own. */
  call(): Promise<void>;
  close(): void;
}

/** Opens a conversation with a process on its pipes. */
export async function onPipe(server: Running, era: Era): Promise<Client> {
  const waiting = new Map<unknown, (answer: Message) => void>();
  const write = (message: Message): void => void server.child.stdin.write(`${JSON.stringify(message)}\n`);
  void (async () => {
    for (let next = await server.lines.next(); next.done !== true; next = await server.lines.next()) {
      const answer = JSON.parse(next.value) as Message;
      waiting.get(answer["id"])?.(answer);
      waiting.delete(answer["id"]);
    }
  })();
  const ask = (message: Message): Promise<Message> => {
    const answer = new Promise<Message>((resolve) => waiting.set(message["id"], resolve));
    write(message);
    return answer;
  };
  if (era === "legacy") {
    await ask(INITIALIZE);
    write(INITIALIZED);
  }
  return caller(era, ask, () => {});
}

/** Opens a conversation with a server at an address. */
export async function atAddress(url: string, era: Era): Promise<Client> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const fixed = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const post = (message: Message, headers: Readonly<Record<string, string>>): Promise<IncomingMessage & { readonly text: string }> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(message);
      const length = Buffer.byteLength(body);
      const sent = request(url, { agent, method: "POST", headers: { ...fixed, ...headers, "content-length": length } }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (text += piece));
        response.on("end", () => resolve(Object.assign(response, { text })));
      });
      sent.on("error", reject);
      sent.end(body);
    });
  let headers = headersOf(era);
  if (era === "legacy") {
    const opened = await post(INITIALIZE, {});
    headers = { ...headers, "mcp-session-id": String(opened.headers["mcp-session-id"]) };
    await post(INITIALIZED, headers);
  }
  const ask = async (message: Message): Promise<Message> => JSON.parse((await post(message, headers)).text) as Message;
  return caller(era, ask, () => agent.destroy());
}

function caller(era: Era, ask: (message: Message) => Promise<Message>, close: () => void): Client {
  let last = 0;
  return {
    async call() {
      last += 1;
      const id = last;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer to a call within ${PATIENCE} ms`)), PATIENCE);
      });
      const answer = await Promise.race([ask(callOf(era, id)), late]).finally(() => clearTimeout(timer));
      if (!answersCall(answer, id)) throw new Error(`a wrong answer to call ${id}: ${JSON.stringify(answer)}`);
    },
    close,
  };
}
