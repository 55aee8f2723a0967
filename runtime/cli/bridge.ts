// `polyrev bridge`: wires a bridge to the transports its command line names, and runs it until it is told to stop or its client is gone. Logs go to
// stderr only; stdout is the client's where it is on a pipe.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { Option, type Command } from "commander";
import { pino, type Logger } from "pino";
import { parse } from "yaml";
import type { BridgeEvent } from "../bridge/events.js";
import { DEFAULT_CHOICES, DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type BridgeOptions } from "../bridge/options.js";
import type { Connector } from "../bridge/peer.js";
import { BridgeService } from "../bridge/service.js";
import { httpConnector } from "../transport/http-connector.js";
import { isListenError, listenHttp } from "../transport/node-http.js";
import { stdioConnector } from "../transport/stdio-client.js";
import { serveStdio } from "../transport/stdio-server.js";
import { isReported, logLineOf, recordOf } from "./bridge-log.js";
import {
  BridgeUsageError,
  LOG_LEVELS,
  planBridge,
  type BridgeFlags,
  type BridgePlan,
  type ListenTarget,
  type UpstreamTarget,
} from "./bridge-options.js";

const { version: VERSION } = readPackage();

const EXAMPLES = `
Examples:
  polyrev bridge --upstream https://example.com/mcp                        a legacy desktop client's command, to a modern server
  polyrev bridge --upstream "node server.js" --listen http://127.0.0.1:7700/mcp
  polyrev bridge --upstream https://example.com/mcp --header authorization=MY_TOKEN --policy permissive --report -`;

/** Adds the command to the program; `fault` ends the process with a message: exit 2 for the command line, 1 for everything else. */
export function addBridgeCommand(program: Command, fault: (message: string, code: 1 | 2) => void): void {
  program
    .command("bridge")
    .description("carry the sessions of clients of any revision to a server of any other")
    .argument("[command...]", "behind --: further arguments of the server's command")
    .requiredOption("--upstream <url | command>", "the server: an address, or the command that starts it")
    .option("--listen <stdio | url>", "where clients come from: stdio, or an address such as http://127.0.0.1:7700/mcp", "stdio")
    .option(
      "--policy <preset | file>",
      "what is done where a peer cannot read something: strict, balanced, permissive, or a YAML file",
      "balanced",
    )
    .option("--report <file | ->", "write what was lost, refused, dropped or made up, one JSON record a line; - is stderr")
    .addOption(new Option("--log <level>", "how much to say on stderr").choices([...LOG_LEVELS]).default("info"))
    .option("--client-revision <revision>", "speak this revision with clients")
    .option("--upstream-revision <revision>", "speak this revision with the server, without asking it")
    .addOption(
      new Option("--advertise-modern <when>", "whether clients of the modern era are served in front of a legacy server")
        .choices(["always", "when-upstream-modern"])
        .default(DEFAULT_CHOICES.advertiseModern),
    )
    .addOption(
      new Option("--stdio-probe <how>", "how a server that is a process is asked for its era")
        .choices(["sibling", "inPlaceRespawn", "off"])
        .default(DEFAULT_CHOICES.stdioProbe),
    )
    .addOption(
      new Option("--sessions <which>", "which requests of modern clients share a session with a legacy server")
        .choices(["per-principal", "per-request", "shared"])
        .default(DEFAULT_CHOICES.sessions),
    )
    .option("--header <name=VARIABLE>", "send the server a header, its value in the environment; may be repeated", collect, [])
    .option("--header-file <file>", 'send the server the headers of a file, one "name: value" a line')
    .option("--env <NAME>", "hand a variable of the environment on to the server's command; may be repeated", collect, [])
    .option("--allow-origin <origin>", "let pages of an origin in; may be repeated", collect, [])
    .option("--allow-host <host>", "answer to a name of this host; may be repeated", collect, [])
    .addHelpText("after", EXAMPLES)
    .action(async (rest: readonly string[], flags: BridgeFlags) => {
      try {
        await runBridge(
          planBridge(flags, rest, { readFile: (path) => readFileSync(path, "utf8"), parseYaml: parse, environment: process.env }),
        );
      } catch (error) {
        if (error instanceof BridgeUsageError) fault(error.message, error.isData ? 1 : 2);
        else if (isListenError(error)) fault(error.message, 1);
        else throw error;
      }
    });
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Runs a bridge until it is told to stop or its client is gone. */
async function runBridge(plan: BridgePlan): Promise<void> {
  const log = pino({ level: plan.log, base: null }, pino.destination({ fd: 2, sync: true }));
  const report = plan.report === undefined ? undefined : openReport(plan.report);
  const service = new BridgeService(
    connectorOf(plan.upstream, log),
    optionsOf(plan, (event) => observe(event, log, report)),
  );
  const stop = stopSignal();
  try {
    if (plan.listen.kind === "stdio")
      await serveStdio(service, { input: process.stdin, output: process.stdout, signal: stop, onFault: faultOf(log) });
    else await serveHttp(service, plan, plan.listen, log, stop);
  } finally {
    await service.close();
    report?.end();
  }
}

async function serveHttp(
  service: BridgeService,
  plan: BridgePlan,
  listen: ListenTarget & { readonly kind: "http" },
  log: Logger,
  stop: AbortSignal,
): Promise<void> {
  const { host, port, path } = listen;
  const { allowedOrigins, allowedHosts } = plan;
  const listening = await listenHttp(service, {
    host,
    port,
    paths: { mcp: [path] },
    onFault: faultOf(log),
    // Who can reach an address of this machine alone is who runs it.
    ...(isLoopback(host) ? { principal: () => "this machine" } : {}),
    ...(allowedOrigins.length === 0 ? {} : { allowedOrigins }),
    ...(allowedHosts.length === 0 ? {} : { allowedHosts }),
  });
  log.info({ url: listening.url }, `listening ${listening.url}`);
  // For the program that started this one, which may have let the system choose the port.
  process.stdout.write(`listening ${listening.url}\n`);
  if (!stop.aborted) await once(stop, "abort");
  await listening.close();
}

function optionsOf(
  { policy, clientRevision, upstreamRevision, advertiseModern, stdioProbe, sessions }: BridgePlan,
  observe: BridgeOptions["observe"],
): BridgeOptions {
  return {
    policy,
    identity: { name: "polyrev", version: VERSION },
    observe,
    timeouts: DEFAULT_TIMEOUTS,
    limits: DEFAULT_LIMITS,
    choices: { ...DEFAULT_CHOICES, advertiseModern, stdioProbe, sessions, clientRevision, upstreamRevision },
    now: () => performance.now(),
    random: Math.random,
    mint: randomUUID,
  };
}

function connectorOf(upstream: UpstreamTarget, log: Logger): Connector {
  const observe = (event: { readonly event: string }): void => log.debug(event, `transport: ${event.event}`);
  if (upstream.kind === "url") return httpConnector({ url: upstream.url, headers: upstream.headers, observe });
  const { command, args, env } = upstream;
  return stdioConnector({ command, args, env, observe, onStderr: (line) => log.debug({ server: line }, "the server says") });
}

function observe(event: BridgeEvent, log: Logger, report: Writable | undefined): void {
  const { level, message, facts } = logLineOf(event);
  log[level](facts, message);
  if (report !== undefined && isReported(event)) report.write(`${recordOf(event, Date.now())}\n`);
}

function openReport(file: string): Writable {
  if (file === "-") return process.stderr;
  const stream = createWriteStream(file, { flags: "a" });
  stream.on("error", (error) => process.stderr.write(`cannot write the report ${JSON.stringify(file)}: ${error.message}\n`));
  return stream;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

function faultOf(log: Logger): (error: unknown) => void {
  return (error) => log.error({ err: error }, "a fault of the bridge's own");
}

/** Aborts once the process is told to stop; told a second time it stops at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(1);
      controller.abort();
    });
  }
  return controller.signal;
}

function readPackage(): { readonly version: string } {
  for (const place of ["../../package.json", "../../../package.json"]) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(place, import.meta.url), "utf8")) as { name: string; version: string };
      if (name === "polyrev") return { version };
    } catch {
      // The other place is for the built command.
    }
  }
  return { version: "0.0.0" };
}
