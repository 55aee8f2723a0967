// The lanes of the bridge's benchmark: for each pair of hops the way without a bridge, the way with one, and where there is one the least a bridge
// could do.
import { execPath } from "node:process";
import { fileURLToPath } from "node:url";
import { atAddress, onPipe, Running, type Client, type Command } from "./clients.js";
import type { Era } from "./messages.js";

/** Where the clients come from and where the server is. */
export interface Hops {
  readonly from: "stdio" | "http";
  readonly to: "stdio" | "http";
  readonly server: Era;
}

/** A way to the server: its client, and the process in between where there is one. */
export interface Way {
  readonly client: Client;
  readonly between: Running | undefined;
}

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const POLYREV = `${ROOT}dist/runtime/cli/main.js`;

function script(name: string, ...args: readonly string[]): Command {
  return [execPath, "--import", "tsx", `${ROOT}scripts/bench/bridge/${name}.ts`, ...args];
}

/** Gives the command of a raw server. */
export function rawServer(transport: "stdio" | "http", era: Era): Command {
  return script("server", transport, era);
}

/** Gives the command of the bridge; the server is an address or a command. */
export function bridge(from: "stdio" | "http", upstream: string | Command): Command {
  const [target, ...rest] = typeof upstream === "string" ? [upstream] : upstream;
  const listen = from === "stdio" ? "stdio" : "http://127.0.0.1:0/mcp";
  return [
    execPath,
    POLYREV,
    "bridge",
    "--upstream",
    target,
    "--listen",
    listen,
    "--log",
    "error",
    ...(rest.length > 0 ? ["--", ...rest] : []),
  ];
}

/** Opens the ways of some hops; `stop` ends every process. */
export class Lane {
  readonly hops: Hops;
  readonly #running: Running[] = [];
  #url: string | undefined;

  constructor(hops: Hops) {
    this.hops = hops;
  }

  /** Starts a process that ends with the lane. */
  run(command: Command): Running {
    const running = new Running(command);
    this.#running.push(running);
    return running;
  }

  /** The address of the one server of hops that end at an address. */
  async url(): Promise<string> {
    this.#url ??= await this.run(rawServer("http", this.hops.server)).url();
    return this.#url;
  }

  async direct(): Promise<Way> {
    const { to, server } = this.hops;
    const client = to === "http" ? await atAddress(await this.url(), server) : await onPipe(this.run(rawServer("stdio", server)), server);
    return { client, between: undefined };
  }

  async bridged(): Promise<Way> {
    const { from, to, server } = this.hops;
    return this.#through(this.run(bridge(from, to === "http" ? await this.url() : rawServer("stdio", server))));
  }

  /** The least a bridge could do; undefined across transports and eras, where that is no bridge. */
  async least(): Promise<Way | undefined> {
    const { from, to, server } = this.hops;
    if (from !== to || server === "modern") return undefined;
    const target = to === "http" ? [await this.url()] : rawServer("stdio", server);
    return this.#through(this.run(script("relay", to, ...target)));
  }

  async #through(between: Running): Promise<Way> {
    const { from } = this.hops;
    const client = from === "http" ? await atAddress(await between.url(), "legacy") : await onPipe(between, "legacy");
    return { client, between };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((running) => running.stop()));
  }
}
