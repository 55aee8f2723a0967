// Reads what `polyrev bridge` was told on the command line into what it does. Pure but for the reader of files it is given; every fault names the
// option, the value and the fix.

import { parseArgsStringToArgv } from "string-argv";
import type { PipeProbe } from "../bridge/options.js";
import { DegradePolicy } from "../mcp.js";
import type { DegradePolicy as Policy } from "../policy.js";
import { isProtocolError } from "../errors.js";
import { CommandFault, reasonOf } from "./fault.js";
import { knownRevision } from "./known-revision.js";

/** The options as the command line has them. */
export interface BridgeFlags {
  readonly upstream: string;
  readonly listen: string;
  readonly policy: string;
  readonly report?: string;
  readonly log: string;
  readonly clientRevision?: string;
  readonly upstreamRevision?: string;
  readonly advertiseModern: "always" | "when-upstream-modern";
  readonly stdioProbe: PipeProbe;
  readonly sessions: "per-principal" | "per-request" | "shared";
  readonly timeout?: string;
  readonly header: readonly string[];
  readonly headerFile?: string;
  readonly env: readonly string[];
  readonly allowOrigin: readonly string[];
  readonly allowHost: readonly string[];
}

/** Where the server is. */
export type UpstreamTarget =
  | { readonly kind: "url"; readonly url: URL; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    };

/** Where clients come from. */
export type ListenTarget =
  | { readonly kind: "stdio" }
  | { readonly kind: "http"; readonly host: string; readonly port: number; readonly path: string };

/** What the command does. */
export interface BridgePlan {
  readonly upstream: UpstreamTarget;
  readonly listen: ListenTarget;
  readonly policy: Policy;
  readonly report: string | undefined;
  readonly log: string;
  readonly clientRevision: string | undefined;
  readonly upstreamRevision: string | undefined;
  readonly advertiseModern: BridgeFlags["advertiseModern"];
  readonly stdioProbe: PipeProbe;
  readonly sessions: BridgeFlags["sessions"];
  /** How long the server may take for an answer, in milliseconds; undefined where nothing was said. */
  readonly timeoutMs: number | undefined;
  readonly allowedOrigins: readonly string[];
  readonly allowedHosts: readonly string[];
}

/** What planning needs of the machine. */
export interface PlanRoom {
  /** Reads a text file; throws where it cannot. */
  readonly readFile: (path: string) => string;
  /** Parses YAML; throws where it cannot. */
  readonly parseYaml: (text: string) => unknown;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const PRESETS: ReadonlyMap<string, () => Policy> = new Map([
  ["strict", () => DegradePolicy.strict()],
  ["balanced", () => DegradePolicy.balanced()],
  ["permissive", () => DegradePolicy.permissive()],
]);

/** Tells whether a policy is named, and needs no file. */
export function isPreset(policy: string): boolean {
  return PRESETS.has(policy);
}

/** Turns flags and the arguments behind `--` into a plan; throws `CommandFault`. */
export function planBridge(flags: BridgeFlags, rest: readonly string[], room: PlanRoom): BridgePlan {
  const { report, log, clientRevision, upstreamRevision, advertiseModern, stdioProbe, sessions, allowOrigin, allowHost } = flags;
  return {
    upstream: upstreamOf(flags, rest, room),
    listen: listenOf(flags.listen),
    policy: policyOf(flags.policy, room),
    report,
    log,
    clientRevision: clientRevision === undefined ? undefined : knownRevision(clientRevision, "--client-revision"),
    upstreamRevision: upstreamRevision === undefined ? undefined : knownRevision(upstreamRevision, "--upstream-revision"),
    advertiseModern,
    stdioProbe,
    sessions,
    timeoutMs: timeoutOf(flags.timeout),
    allowedOrigins: allowOrigin,
    allowedHosts: allowHost,
  };
}

function upstreamOf({ upstream, header, headerFile, env }: BridgeFlags, rest: readonly string[], room: PlanRoom): UpstreamTarget {
  if (/^https?:\/\//i.test(upstream)) {
    if (rest.length > 0)
      throw new CommandFault("cannot use what stands behind --: --upstream is an address; leave it out, or give a command");
    if (!URL.canParse(upstream))
      throw new CommandFault("cannot use --upstream: it starts like an address and is none; give one such as https://example.com/mcp");
    return { kind: "url", url: new URL(upstream), headers: headersOf(header, headerFile, room) };
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(upstream)) {
    throw new CommandFault(`cannot use --upstream ${JSON.stringify(upstream)}: give an http or https address, or a command`);
  }
  const [command, ...args] = [...parseArgsStringToArgv(upstream), ...rest];
  if (command === undefined) throw new CommandFault("cannot use --upstream: it is empty; give an address or a command");
  if (header.length > 0 || headerFile !== undefined) {
    throw new CommandFault("cannot use --header or --header-file: --upstream is a command; hand secrets on with --env NAME");
  }
  return { kind: "command", command, args, env: environmentOf(env, room) };
}

/** Secrets come from files and the environment, never from the command line, which every process of the machine can read. */
function headersOf(names: readonly string[], file: string | undefined, room: PlanRoom): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const entry of names) {
    const [, name = "", variable = ""] = /^([^=:\s]*)=(.*)$/s.exec(entry) ?? [];
    const value = name === "" ? undefined : room.environment[variable];
    // What stands there may be the secret itself, and is not repeated.
    if (value === undefined) {
      const shown = /^[^=:\s]*/.exec(entry)?.[0] ?? "";
      const reason = name === "" ? "it has no name=" : "the environment has no such variable";
      throw new CommandFault(`cannot use --header ${shown}: ${reason}; write name=VARIABLE, and set the variable to the value`);
    }
    addHeader(headers, name, value, `--header ${name}`);
  }
  if (file === undefined) return headers;
  for (const [index, line] of readText(file, "--header-file", room).split(/\r?\n/).entries()) {
    if (line.trim() !== "" && !line.startsWith("#")) addHeaderLine(headers, line, `${file}:${index + 1}`);
  }
  return headers;
}

function addHeaderLine(headers: Record<string, string>, line: string, place: string): void {
  const at = line.indexOf(":");
  if (at < 1) throw new CommandFault(`${place}: cannot read the header: it has no colon; write one "name: value" a line`, 1);
  addHeader(headers, line.slice(0, at).trim(), line.slice(at + 1).trim(), place, 1);
}

function addHeader(headers: Record<string, string>, name: string, value: string, place: string, exitCode: 1 | 2 = 2): void {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new CommandFault(`${place}: ${JSON.stringify(name)} is no header name; use letters, digits and -`, exitCode);
  if (!/^[\t\x20-\x7e]*$/.test(value))
    throw new CommandFault(`${place}: the value of ${name} has a character no header may have; use ASCII, without line breaks`, exitCode);
  headers[name.toLowerCase()] = value;
}

function environmentOf(names: readonly string[], { environment }: PlanRoom): Readonly<Record<string, string>> {
  const entries = names.map((name) => {
    const value = environment[name];
    if (value === undefined)
      throw new CommandFault(`cannot use --env ${name}: the environment has no such variable; set it, or leave the option out`);
    return [name, value] as const;
  });
  return Object.fromEntries(entries);
}

/** A timer of Node holds no more milliseconds than 2^31 - 1. */
const MAX_SECONDS = 2_000_000;

function timeoutOf(timeout: string | undefined): number | undefined {
  if (timeout === undefined) return undefined;
  const seconds = timeout.trim() === "" ? Number.NaN : Number(timeout);
  if (seconds > 0 && seconds <= MAX_SECONDS) return Math.ceil(seconds * 1000);
  throw new CommandFault(`cannot use --timeout ${JSON.stringify(timeout)}: give a number of seconds above 0, at most ${MAX_SECONDS}`);
}

function listenOf(listen: string): ListenTarget {
  if (listen === "stdio") return { kind: "stdio" };
  if (!URL.canParse(listen) || new URL(listen).protocol !== "http:") {
    throw new CommandFault(`cannot use --listen ${JSON.stringify(listen)}: give stdio or an address such as http://127.0.0.1:7700/mcp`);
  }
  const { hostname, port, pathname } = new URL(listen);
  const host = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  return { kind: "http", host, port: port === "" ? 80 : Number(port), path: pathname === "/" ? "/mcp" : pathname };
}

function policyOf(policy: string, room: PlanRoom): Policy {
  const preset = PRESETS.get(policy);
  if (preset !== undefined) return preset();
  const text = readText(policy, "--policy", room);
  try {
    return DegradePolicy.from(room.parseYaml(text));
  } catch (error) {
    const reason = reasonOf(error);
    throw new CommandFault(`${policy}: ${isProtocolError(error) ? reason : `cannot read the policy: ${reason}`}`, 1);
  }
}

function readText(file: string, option: string, room: PlanRoom): string {
  try {
    return room.readFile(file);
  } catch (error) {
    const choices = option === "--policy" ? `; presets are ${[...PRESETS.keys()].join(", ")}` : "";
    throw new CommandFault(`cannot use ${option} ${JSON.stringify(file)}: ${reasonOf(error)}${choices}`);
  }
}
