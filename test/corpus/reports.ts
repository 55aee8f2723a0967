// Plays what people reported: takes a report's messages as they came, sends them through codecs from one revision to another, and keeps account
// of which report was played. The reports are read at run time; the plays of each kind stand in reports/.
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import {
  isEnvelopeError,
  isLowerError,
  liftEnvelope,
  lowerEnvelope,
  TranslationReport,
  type AskedRequest,
  type Codec,
  type DegradePolicy as Policy,
  type EnvelopeError,
  type FeatureProfile,
  type Hop,
  type LowerError,
  type Part,
  type ReportStep,
  type Wire,
} from "../../runtime/index.js";
import { bindCodec, CapabilitySet, DegradePolicy, REVISIONS, tables } from "../../runtime/mcp.js";
import type { Validator, Validators } from "../../runtime/protocol.js";
import { reportsFile } from "./shared-facts.js";

/** One report: its messages in order, and from which side each arrived: client, server, or what the middle itself would have said. */
export interface Report {
  readonly id: string;
  readonly input: readonly unknown[];
  readonly dir: readonly ("c" | "s" | "t")[];
}

/** The preset a payload is lowered under. */
export type PolicyName = "strict" | "balanced";

/** The way of a payload: the revision of the peer that sent it, that of the peer that gets it, and the policy between. */
export interface Route {
  readonly from: string;
  readonly to: string;
  readonly policy: PolicyName;
}

/** What becomes of a payload: what reaches the peer or the refusal, and every step on the way. */
export interface Outcome {
  readonly lifted: unknown;
  readonly value?: unknown;
  readonly refusal?: LowerError;
  readonly steps: readonly ReportStep[];
}

/** What both legs of a route may be besides their revisions. */
export interface Legs {
  readonly profile?: FeatureProfile;
  readonly hop?: Hop;
  readonly policy?: Policy;
  /** False where the sender's payload is broken in a way that nobody can repair and the codec is known to pass on. */
  readonly valid?: boolean;
}

interface ValidatorModule {
  readonly VALIDATORS: Validators;
  readonly validateMessage: Validator | undefined;
}

/** Every revision, oldest first. */
export const ALL: readonly string[] = REVISIONS.map((entry) => entry.revision);
/** The revisions with a handshake, oldest first. */
export const LEGACY: readonly string[] = REVISIONS.filter((entry) => entry.era === "legacy").map((entry) => entry.revision);
/** The revision without one. */
export const MODERN = "2026-07-28";
/** Both presets. */
export const POLICIES: readonly PolicyName[] = ["strict", "balanced"];

/** What the newest revision wants on every request. */
const ENVELOPE = { "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {} };
/** The members that only results have that may be cached. */
const CACHED = ["tools", "prompts", "resources", "resourceTemplates", "contents", "supportedVersions"];

const modules = new Map(await Promise.all(ALL.map(async (revision) => [revision, await tables.loadCodec(revision)] as const)));
const validators = new Map(
  await Promise.all(
    ALL.map(async (revision) => [revision, (await import(`../../generated/mcp/${revision}/validators.js`)) as ValidatorModule] as const),
  ),
);
const plain = new Map(ALL.map((revision) => [revision, codecOf(revision, fullProfile(revision))]));

const file = reportsFile("mcp");
const reports: ReadonlyMap<string, Report> | undefined = file === undefined ? undefined : readReports(file);
const played = new Map<string, number>();

/** The ids of all reports in order, or undefined where they are not at hand. */
export function reportIds(): readonly string[] | undefined {
  return reports === undefined ? undefined : [...reports.keys()];
}

/** How many assertions were made about a report so far. */
export function assertionsAbout(id: string): number {
  return played.get(id) ?? 0;
}

/** Registers a test that plays one report; it is skipped by name where the reports are not at hand. */
export function play(id: string, title: string, run: (report: Report) => void | Promise<void>): void {
  it.skipIf(reports === undefined)(`${id}: ${title} (needs ../shared/cases)`, async () => {
    const report = reports?.get(id);
    if (report === undefined) throw new Error(`there is no report ${id}`);
    const before = expect.getState().assertionCalls;
    try {
      await run(report);
    } finally {
      played.set(id, assertionsAbout(id) + expect.getState().assertionCalls - before);
    }
  });
}

/** Registers the play of a report together with those of its whole kind: the same run over what was reported and over each variant by its name. */
export function playKind<V>(
  id: string,
  title: string,
  quoted: (report: Report) => V,
  variants: Readonly<Record<string, V>>,
  run: (variant: V) => void | Promise<void>,
): void {
  play(id, title, (report) => run(quoted(report)));
  it.each(Object.entries(variants))(`${id}: ${title}: %s`, async (_, variant) => run(variant));
}

/** Lists the messages of a report that arrived from one side, batches included, what is no JSON left out. */
export function arrived(report: Report, side: "c" | "s"): readonly unknown[] {
  return report.input.filter((entry, index) => report.dir[index] === side && typeof entry === "object");
}

/** Gives one message that arrived from a side, by its place among those that did. */
export function message(report: Report, side: "c" | "s", index = 0): Wire {
  const found = arrived(report, side)[index];
  if (!isObject(found)) throw new Error(`${report.id} has no message ${index} from ${side}`);
  return found;
}

/** Gives what stands at a JSON pointer, undefined where nothing does. */
export function at(value: unknown, pointer: string): unknown {
  return pointer
    .split("/")
    .slice(1)
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((node, key) => (isHolder(node) && Object.hasOwn(node, key) ? node[key] : undefined), value);
}

/** Tells whether a value is a JSON object. */
export function isObject(value: unknown): value is Wire {
  return isHolder(value) && !Array.isArray(value);
}

/** Lists the routes from some revisions to some, under both presets. */
export function routes(
  from: string | readonly string[] = ALL,
  to: string | readonly string[] = ALL,
  policies = POLICIES,
): readonly Route[] {
  return [from].flat().flatMap((a) => [to].flat().flatMap((b) => policies.map((policy) => ({ from: a, to: b, policy }))));
}

/** Names a route in a message. */
export function named({ from, to, policy }: Route): string {
  return `${from} to ${to} under ${policy}`;
}

/** Gives a preset by name. */
export function policyOf(name: PolicyName): Policy {
  return name === "strict" ? DegradePolicy.strict() : DegradePolicy.balanced();
}

/** Gives the profile of two peers that can do all their revision defines. */
export function fullProfile(revision: string): FeatureProfile {
  return CapabilitySet.allFor(revision).resolve(revision, "stdio");
}

/** Gives the profile of two peers with the capabilities given. */
export function profileOf(revision: string, client: unknown, server: unknown): FeatureProfile {
  return CapabilitySet.of(client, server).resolve(revision, "stdio");
}

/** Binds a revision's codec to a profile and a hop. */
export function codecOf(revision: string, profile?: FeatureProfile, hop?: Hop): Codec {
  if (profile === undefined && hop === undefined) return plain.get(revision) as Codec;
  const module = modules.get(revision);
  if (module === undefined) throw new Error(`no codec of ${revision}`);
  return bindCodec(module, profile ?? fullProfile(revision), hop, validators.get(revision)?.VALIDATORS);
}

/** Lists where a payload breaks the schema of a revision; empty where it does not, undefined where the revision has no such payload. */
export function faultsOf(revision: string, method: string, part: Part, payload: unknown): readonly string[] | undefined {
  const validate = validators.get(revision)?.VALIDATORS.get(method)?.[part];
  if (validate === undefined) return undefined;
  return validate(payload ?? {}) ? [] : (validate.errors ?? []).map(({ instancePath, message: said }) => `${instancePath} ${said}`);
}

/** Lists where the envelope of a message breaks a revision's schema. */
export function envelopeFaultsOf(revision: string, wire: unknown): readonly string[] {
  // The schemas of the oldest revisions know no null id; JSON-RPC asks for it where an error answers nothing that could be read.
  if (isObject(wire) && wire["id"] === null && wire["error"] !== undefined) return [];
  const validate = validators.get(revision)?.validateMessage;
  return validate === undefined || validate(wire)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message: said }) => `${instancePath} ${said}`);
}

/**
 * Takes a payload from the peer that sent it to the peer that gets it. Whatever the payload: what arrives is valid at the target's revision,
 * what came is not written to, what changed is told, and where nothing is told the same object arrives.
 */
export function pass(route: Route, method: string, part: Part, payload: unknown, legs: Legs = {}): Outcome {
  const before = structuredClone(payload);
  const report = new TranslationReport();
  const lifted = codecOf(route.from).lift(method, part, payload, report);
  const codec = legs.profile === undefined && legs.hop === undefined ? codecOf(route.to) : codecOf(route.to, legs.profile, legs.hop);
  let outcome: Outcome;
  try {
    outcome = { lifted, value: codec.lower(method, part, lifted, legs.policy ?? policyOf(route.policy), report), steps: report.steps };
  } catch (error) {
    if (!isLowerError(error)) throw error;
    return { lifted, refusal: error, steps: report.steps };
  }
  expect(payload, `${named(route)}: the payload is left alone`).toEqual(before);
  if (legs.valid !== false) expect(faultsOf(route.to, method, part, outcome.value) ?? [], `${named(route)}: valid`).toEqual([]);
  // A repair on the way up and an omission on the way down may undo each other; what changed is always told.
  if (!isDeepStrictEqual(outcome.value, payload)) expect(report.isEmpty, `${named(route)}: what changed is told`).toBe(false);
  if (report.isEmpty) expect.soft(outcome.value === payload, `${named(route)}: the same object`).toBe(true);
  return outcome;
}

/** Takes a payload to a peer that has to get something; throws where it is refused. */
export function deliver(route: Route, method: string, part: Part, payload: unknown, legs: Legs = {}): Outcome {
  const outcome = pass(route, method, part, payload, legs);
  if (outcome.refusal !== undefined) throw new Error(`${named(route)}: ${outcome.refusal.message}`);
  return outcome;
}

/** Takes a payload to a peer that cannot have it; gives the typed refusal, and expects that nothing is half written. */
export function refuse(route: Route, method: string, part: Part, payload: unknown, legs: Legs = {}): LowerError {
  const outcome = pass(route, method, part, payload, legs);
  expect(outcome.refusal, `${named(route)}: refused, got ${JSON.stringify(outcome.value)}`).toBeDefined();
  return outcome.refusal as LowerError;
}

/** Takes a whole message from one peer to the other; gives what arrives and the steps. */
export function relay(
  route: Route,
  wire: unknown,
  asked?: string | AskedRequest,
  legs: Legs = {},
): { readonly wire: Wire; readonly steps: readonly ReportStep[] } {
  const before = structuredClone(wire);
  const report = new TranslationReport();
  const lifted = liftEnvelope(codecOf(route.from), wire, asked, report);
  const codec = legs.profile === undefined && legs.hop === undefined ? codecOf(route.to) : codecOf(route.to, legs.profile, legs.hop);
  const lowered = lowerEnvelope(codec, lifted, legs.policy ?? policyOf(route.policy), report);
  expect(wire, `${named(route)}: the message is left alone`).toEqual(before);
  expect(envelopeFaultsOf(route.to, lowered), `${named(route)}: an envelope of ${route.to}`).toEqual([]);
  return { wire: lowered, steps: report.steps };
}

/** Reads a message that is none; gives the typed error. */
export function unreadable(revision: string, wire: unknown, asked?: string): EnvelopeError {
  try {
    liftEnvelope(codecOf(revision), wire, asked);
  } catch (error) {
    if (isEnvelopeError(error)) return error;
    throw error;
  }
  throw new Error(`${revision} reads ${JSON.stringify(wire)}`);
}

/** Gives a finished result as a revision has it: with its type and, for what may be cached, its hints where the revision wants them. */
export function finished(to: string, body: object, isCached = false): object {
  if (to !== MODERN) return body;
  return { ...body, resultType: "complete", ...(isCached ? { ttlMs: 0, cacheScope: "private" } : {}) };
}

/** Gives a result as a peer of a revision says it, whatever it holds: of the newest one with its type and, for a list or contents, its hints. */
export function said(from: string, body: Wire): Wire {
  const isCached = CACHED.some((key) => Object.hasOwn(body, key));
  return finished(from, body, isCached) as Wire;
}

/** Gives the params of a request as a peer of a revision says them. */
export function asked(from: string, params: Wire): Wire {
  return from === MODERN ? { ...params, _meta: { ...ENVELOPE, ...(params["_meta"] as Wire | undefined) } } : params;
}

/** Lists the steps that are no fill and no omission of what the eras differ in. */
export function told(steps: readonly ReportStep[]): readonly string[] {
  return steps
    .filter(({ action }) => action !== "fill" && action !== "omit")
    .map(({ action, path, detail, feature }) => [action, path, detail ?? feature].filter((part) => part !== null && part !== "").join(" "));
}

function readReports(path: string): ReadonlyMap<string, Report> {
  const lines = readFileSync(path, "utf8").trim().split("\n");
  return new Map(lines.map((line) => JSON.parse(line) as Report).map((report) => [report.id, report]));
}

function isHolder(value: unknown): value is Wire {
  return typeof value === "object" && value !== null;
}
