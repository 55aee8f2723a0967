// Wires a bridge to the transports its command line names, and runs it until it is told to stop or its client is gone. Logs go to stderr only; stdout
// is the client's where it is on a pipe.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, openSync, readFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { pino, type Logger } from "pino";
import type { BridgeEvent } from "../bridge/events.js";
import { DEFAULT_CHOICES, DEFAULT_LIMITS, DEFAULT_TIMEOUTS, type BridgeOptions, type Timeouts } from "../bridge/options.js";
import type { Connector } from "../bridge/peer.js";
import { BridgeService } from "../bridge/service.js";
import type { TransportEvent } from "../transport/events.js";
import { isReported, logLineOf, recordOf, transportFacts } from "./bridge-log.js";
import { isPreset, planBridge, type BridgeFlags, type BridgePlan, type ListenTarget, type UpstreamTarget } from "./bridge-options.js";
import { within } from "../waiting.js";
import { CommandFault, reasonOf } from "./fault.js";

/** Runs a bridge until it is told to stop or its client is gone; rejects with `CommandFault`. */
export async function runBridge(flags: BridgeFlags, rest: readonly string[]): Promise<void> {
  const parseYaml = isPreset(flags.policy) ? JSON.parse : (await import("yaml")).parse;
  const plan = planBridge(flags, rest, { readFile: (path) => readFileSync(path, "utf8"), parseYaml, environment: process.env });
  const log = openLog(plan.log);
  const report = plan.report === undefined ? undefined : openReport(plan.report);
  const service = new BridgeService(
    await connectorOf(plan.upstream, log),
    optionsOf(plan, (event) => observe(event, log, report)),
  );
  const stop = stopSignal();
  try {
    await (plan.listen.kind === "stdio" ? onPipe(service, log, stop) : onAddress(service, plan, plan.listen, log, stop));
  } finally {
    await service.close();
    await within(written(report), LAST_WRITE_MS);
  }
  // A client that reads neither answers nor logs must not keep the process alive.
  process.exit();
}

/** How long the end of the report and the logs may take, in milliseconds. */
const LAST_WRITE_MS = 1000;

/** Ends the report; resolves once that and the logs are written. */
async function written(report: Writable | undefined): Promise<void> {
  const { stderr } = process;
  if (report !== undefined && report !== stderr) await new Promise<void>((resolve) => report.end(() => resolve()));
  await new Promise<void>((resolve) => stderr.write("", () => resolve()));
}

async function onPipe(service: BridgeService, log: Logger, stop: AbortSignal): Promise<void> {
  const { serveStdio } = await import("../transport/stdio-server.js");
  const ended = await serveStdio(service, { input: process.stdin, output: process.stdout, signal: stop, onFault: faultOf(log) });
  if (ended === "service") process.exitCode = 1;
}

async function onAddress(
  service: BridgeService,
  { allowedOrigins, allowedHosts }: BridgePlan,
  { host, port, path }: ListenTarget & { readonly kind: "http" },
  log: Logger,
  stop: AbortSignal,
): Promise<void> {
  const { isListenError, listenHttp } = await import("../transport/node-http.js");
  const listening = await listenHttp(service, {
    host,
    port,
    paths: { mcp: [path] },
    onFault: faultOf(log),
    // Who can reach an address of this machine alone is who runs it.
    ...(isLoopback(host) ? { principal: () => "this machine" } : {}),
    ...(allowedOrigins.length === 0 ? {} : { allowedOrigins }),
    ...(allowedHosts.length === 0 ? {} : { allowedHosts }),
  }).catch((error: unknown) => {
    throw isListenError(error) ? new CommandFault(error.message, 1) : error;
  });
  log.info({ url: listening.url }, `listening ${listening.url}`);
  // For the program that started this one, which may have let the system choose the port; it need not read it.
  process.stdout.on("error", () => {});
  process.stdout.write(`listening ${listening.url}\n`);
  if (!stop.aborted) await once(stop, "abort");
  await listening.close();
}

function optionsOf(
  { policy, clientRevision, upstreamRevision, advertiseModern, stdioProbe, sessions, timeoutMs }: BridgePlan,
  observe: BridgeOptions["observe"],
): BridgeOptions {
  return {
    policy,
    identity: { name: "polyrev", version: readVersion() },
    observe,
    timeouts: timeoutsOf(timeoutMs),
    limits: DEFAULT_LIMITS,
    choices: { ...DEFAULT_CHOICES, advertiseModern, stdioProbe, sessions, clientRevision, upstreamRevision },
    now: () => performance.now(),
    random: Math.random,
    mint: randomUUID,
  };
}

/** A server that may not take long for a call may not take longer to say who it is. */
function timeoutsOf(call: number = DEFAULT_TIMEOUTS.call): Timeouts {
  const { probe, handshake, acknowledge } = DEFAULT_TIMEOUTS;
  const [early, late, other] = [probe, handshake, acknowledge].map((most) => Math.min(most, call)) as [number, number, number];
  return { ...DEFAULT_TIMEOUTS, probe: early, handshake: late, acknowledge: other, call };
}

async function connectorOf(upstream: UpstreamTarget, log: Logger): Promise<Connector> {
  const observe = (event: TransportEvent): void => log.debug(transportFacts(event), `transport: ${event.event}`);
  if (upstream.kind === "url") {
    const { httpConnector } = await import("../transport/http-connector.js");
    return httpConnector({ url: upstream.url, headers: upstream.headers, observe });
  }
  const { stdioConnector } = await import("../transport/stdio-client.js");
  const { command, args, env } = upstream;
  return stdioConnector({ command, args, env, observe, onStderr: (line) => log.debug({ server: line }, "the server says") });
}

function observe(event: BridgeEvent, log: Logger, report: Writable | undefined): void {
  const { level, message, facts } = logLineOf(event);
  log[level](facts, message);
  if (report !== undefined && isReported(event)) report.write(`${recordOf(event, Date.now())}\n`);
}

/** How many characters of logs wait for who reads stderr; beyond them they are lost, and nothing else is. */
const MAX_UNREAD_LOGS = 1024 * 1024;

function openLog(level: string): Logger {
  const { stderr } = process;
  stderr.on("error", () => {});
  return pino({ level, base: null }, { write: (line) => void (stderr.writableLength < MAX_UNREAD_LOGS && stderr.write(line)) });
}

function openReport(file: string): Writable {
  if (file === "-") return process.stderr;
  try {
    const stream = createWriteStream(file, { fd: openSync(file, "a") });
    stream.on("error", (error) => process.stderr.write(`cannot write the report ${JSON.stringify(file)}: ${error.message}\n`));
    return stream;
  } catch (error) {
    throw new CommandFault(`cannot use --report ${JSON.stringify(file)}: ${reasonOf(error)}; name a file that can be written, or -`);
  }
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

function readVersion(): string {
  for (const place of ["../../package.json", "../../../package.json"]) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(place, import.meta.url), "utf8")) as { name: string; version: string };
      if (name === "polyrev") return version;
    } catch {
      // The other place is for the built command.
    }
  }
  return "0.0.0";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}
