// The rounds of a flow whose server answers that it needs input: what to ask the client, how to ask the server again, and when it ends. Pure: takes
// the state so far and what came, gives the next state and what to do; the adapters do it and do the waiting.
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr

import { isWire } from "../capabilities.js";
import { withField, withoutField } from "../copy.js";
import { Feature, FEATURES, gate, METHODS, resolve, type Revision } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { errorOf } from "./answers.js";
import { bridgeErrorOf, Refusal, type BridgeFault } from "./errors.js";
import { eraOf } from "./eras.js";
import { NOTHING_CROSSES, stripMeta } from "./meta.js";

/** One thing the server wants to know, as a request for the client. */
export interface Ask {
  /** The key the server gave it, under which it wants the response. */
  readonly key: string;
  readonly method: string;
  readonly params: Wire | undefined;
}

/** Says how often and how long a flow may go round. */
export interface RoundLimits {
  /** Most rounds of a flow. */
  readonly rounds: number;
  /** Most rounds in a row in which nothing was asked. */
  readonly idleRounds: number;
  /** How long to wait before asking the server again where nothing was asked, in milliseconds. */
  readonly idleMs: number;
  /** Most times in a row that the same address may be asked for again. */
  readonly sameUrl: number;
  /** How long to wait before that, the first time and at most, in milliseconds; it doubles. */
  readonly urlMs: number;
  readonly urlMostMs: number;
}

/** What holds unless somebody says otherwise. */
export const ROUND_LIMITS: RoundLimits = { rounds: 10, idleRounds: 3, idleMs: 250, sameUrl: 3, urlMs: 2000, urlMostMs: 30_000 };

/** Says what becomes of a client that does not answer, and of a tool call that ends for that. */
export interface RoundPolicy {
  /** What an error of the client is to a form: the end of the flow, or a form that was cancelled. */
  readonly elicitationError: "fail" | "cancel";
  /** How a tool call that ends tells why: in a result that says it failed, or by an error. */
  readonly toolFailure: "isError" | "protocolError";
}

/** The state of a flow between two answers of its server. */
export interface RoundState {
  readonly rounds: number;
  readonly idle: number;
  readonly urls: readonly string[];
  readonly repeats: number;
  /** What the server wants back; undefined where it gave none, and then it gets none. */
  readonly requestState: unknown;
}

/** The state before the first answer. */
export const NO_ROUNDS: RoundState = { rounds: 0, idle: 0, urls: [], repeats: 0, requestState: undefined };

/** What the flow is. */
export interface RoundFacts {
  readonly method: string;
  /** The revision of the server, and the capabilities that this very request declared to it. */
  readonly revision: string;
  readonly declared: unknown;
  /** Tells why the client's revision cannot say what is asked; undefined where it can. */
  readonly inexpressible: (ask: Ask) => string | undefined;
  readonly limits?: RoundLimits;
}

/** What to do next: ask these, all of them, after a wait; ask the server again after a wait; or end the flow. */
export type RoundStep =
  | { readonly kind: "ask"; readonly asks: readonly Ask[]; readonly afterMs: number; readonly state: RoundState }
  | { readonly kind: "retry"; readonly afterMs: number; readonly state: RoundState }
  | { readonly kind: "end"; readonly fault: BridgeFault };

/** Names what a result is: the end of the flow, a question, or something no revision knows here. */
export type Outcome = "complete" | "input-required" | "unknown";

/** Tells what a result of a modern server is; one that does not say is complete. */
export function outcomeOf(result: Wire): Outcome {
  const type = result["resultType"];
  if (type === undefined || type === COMPLETE) return "complete";
  return type === INPUT_REQUIRED ? "input-required" : "unknown";
}

/** Says that a server of an era that finishes what it answers did not: that is no success, and no question either. */
export function unfinished(method: string, result: Wire, from: string): Refusal {
  const message = `cannot read the answer to ${method}: its result type is ${printType(result["resultType"])}`;
  return Refusal.of({ kind: "upstream-violation", message, from, sideEffects: "possible", upstream: result });
}

/** Prints the type of a result for a sentence; what is no word of a protocol is a server's text, which is nothing to write down. */
export function printType(type: unknown): string {
  return typeof type === "string" && /^[a-z_-]{1,32}$/i.test(type) ? JSON.stringify(type) : "none of the protocol's";
}

/** Tells whether a method may be answered by a question at a revision. */
export function takesRounds(method: string, revision: string): boolean {
  if (eraOf(revision) === undefined) return false;
  const entry = METHODS[revision as Revision].find((candidate) => candidate.method === method);
  const results: readonly string[] = entry !== undefined && "results" in entry ? entry.results : [];
  return results.includes("InputRequiredResult");
}

/** Takes the retry fields off the params of a method that may be answered by a question; on others a vendor may own the names. */
export function withoutRetryFields(method: string, params: Wire, revision: string): Wire {
  if (!takesRounds(method, revision)) return params;
  return withoutFields(params, RETRY_FIELDS);
}

/**
 * Decides what to do about a result that asks for input. Everything is checked before anybody is asked: that the method may be answered so, that
 * there is something to do, that each question was invited by what was declared, and that the client can be asked it.
 */
export function nextRound(state: RoundState, result: Wire, facts: RoundFacts): RoundStep {
  const limits = facts.limits ?? ROUND_LIMITS;
  if (!takesRounds(facts.method, facts.revision)) return violation(facts, `${facts.method} may not be answered by a question`);
  const asks = asksIn(result);
  if (typeof asks === "string") return violation(facts, asks);
  const { requestState } = result;
  if (asks.length === 0 && requestState === undefined)
    return violation(facts, "the result asks nothing and gives nothing to come back with");
  for (const ask of asks) {
    const uninvited = whyUninvited(ask, facts);
    if (uninvited !== undefined) return violation(facts, uninvited);
  }
  for (const ask of asks) {
    const reason = facts.inexpressible(ask);
    if (reason !== undefined) return end("not-translatable", `cannot ask the client for ${ask.method}: ${reason}`, facts);
  }
  return counted(state, asks, requestState, { ...facts, limits });
}

/**
 * Writes the error for a result that asks its client what that did not invite, where the client would be asked by the result itself; undefined where
 * it asks nothing else.
 */
export function uninvitedError(
  result: Wire,
  { method, revision, declared }: Pick<RoundFacts, "method" | "revision" | "declared">,
): Wire | undefined {
  if (outcomeOf(result) !== "input-required") return undefined;
  const asks = asksIn(result);
  if (typeof asks === "string") return violationError(method, revision, asks);
  for (const ask of asks) {
    const outcome = gate(revision, ask.method, "serverToClient", { client: declared }, ask.params);
    if (outcome.outcome === "denied" && outcome.code !== undefined) {
      return errorOf(outcome.code, `cannot go on with ${method}: ${outcome.because}`, outcome.data);
    }
    const uninvited = whyUninvited(ask, { revision, declared });
    if (uninvited !== undefined) return violationError(method, revision, uninvited);
  }
  return undefined;
}

function violationError(method: string, from: string, reason: string): Wire {
  return bridgeErrorOf({ kind: "upstream-violation", message: `cannot go on with ${method}: ${reason}`, from, sideEffects: "possible" });
}

/**
 * Writes the params to ask the server again with: the original ones with their very values, the responses of this round only, and what the server
 * wanted back exactly as it came.
 */
export function retryParams(original: Wire, state: RoundState, responses?: Readonly<Record<string, Wire>>): Wire {
  let params = withoutFields(original, RETRY_FIELDS);
  if (responses !== undefined && Object.keys(responses).length > 0) params = withField(params, "inputResponses", responses);
  return state.requestState === undefined ? params : withField(params, "requestState", state.requestState);
}

/** What the client's answer to a question is worth: a response for the server, or the end of the flow. */
export type AskOutcome = { readonly response: Wire } | { readonly fault: BridgeFault };

/** Reads the client's answer to a question, a JSON-RPC response; undefined stands for none in time. */
export function readAnswer(ask: Ask, answer: Wire | undefined, policy: RoundPolicy): AskOutcome {
  if (answer === undefined) return { fault: inputFailed(ask, "the client did not answer in time") };
  const { error, result } = answer;
  if (isWire(result)) return { response: bareResponse(ask, result) };
  if (isWire(error) && ask.method === ELICIT && policy.elicitationError === "cancel") return { response: { action: "cancel" } };
  const reason = isWire(error)
    ? `the client answered ${String(error["code"])}: ${String(error["message"])}`
    : "the client's answer is no result";
  return { fault: inputFailed(ask, reason, isWire(error) ? error : undefined) };
}

/** Writes a result as a response: as it is, without what belongs to the client's hop. Who agrees to visit an address has filled in nothing. */
function bareResponse({ method, params }: Ask, result: Wire): Wire {
  const stripped = stripMeta(result, NOTHING_CROSSES);
  const bare = Object.hasOwn(stripped, "resultType") ? withoutField(stripped, "resultType") : stripped;
  const isVisit = method === ELICIT && typeof params?.["url"] === "string";
  return isVisit && Object.hasOwn(bare, "content") ? withoutField(bare, "content") : bare;
}

/** Writes what a flow ends with: for a tool call, as the policy says, a result that tells the model, else an error. */
export function endingOf(method: string, fault: BridgeFault, policy: RoundPolicy): { readonly result: Wire } | { readonly error: Wire } {
  const error = bridgeErrorOf(fault);
  if (method !== CALL || policy.toolFailure === "protocolError") return { error };
  return { result: { content: [{ type: "text", text: fault.message }], isError: true, _meta: { [ENDING_KEY]: error } } };
}

/** The `_meta` key under which a result that ends a flow keeps the error it stands for. */
export const ENDING_KEY = "polyrev/fault";

function counted(
  state: RoundState,
  asks: readonly Ask[],
  requestState: unknown,
  facts: RoundFacts & { readonly limits: RoundLimits },
): RoundStep {
  const { limits } = facts;
  const rounds = state.rounds + 1;
  if (rounds > limits.rounds) return exceeded(facts, asks, `the server asked for a round more than ${limits.rounds}`);
  if (asks.length === 0) {
    const idle = state.idle + 1;
    if (idle > limits.idleRounds) return exceeded(facts, asks, `the server asked for nothing ${idle} times in a row`);
    return { kind: "retry", afterMs: limits.idleMs, state: { ...state, rounds, idle, requestState } };
  }
  const urls = asks.flatMap(({ params }) => (typeof params?.["url"] === "string" ? [params["url"]] : []));
  const isRepeated = urls.some((url) => state.urls.includes(url));
  const repeats = isRepeated ? state.repeats + 1 : 0;
  if (repeats > limits.sameUrl) return exceeded(facts, asks, `the same address was asked for ${repeats} times again`);
  const afterMs = isRepeated ? Math.min(limits.urlMs * 2 ** (repeats - 1), limits.urlMostMs) : 0;
  return { kind: "ask", asks, afterMs, state: { rounds, idle: 0, urls, repeats, requestState } };
}

/** Reads the questions of a result; a text says why they cannot be read. */
function asksIn(result: Wire): readonly Ask[] | string {
  const { inputRequests } = result;
  if (inputRequests === undefined) return [];
  if (!isWire(inputRequests)) return "inputRequests is not an object";
  const asks: Ask[] = [];
  for (const [key, entry] of Object.entries(inputRequests)) {
    if (!isWire(entry) || typeof entry["method"] !== "string") return `the input request ${JSON.stringify(key)} has no method`;
    const { method, params } = entry;
    if (params !== undefined && !isWire(params)) return `the params of the input request ${JSON.stringify(key)} are not an object`;
    asks.push({ key, method, params });
  }
  return asks;
}

/** Says why what was declared does not invite a question. */
function whyUninvited({ method, params }: Ask, { revision, declared }: Pick<RoundFacts, "revision" | "declared">): string | undefined {
  const outcome = gate(revision, method, "serverToClient", { client: declared }, params);
  if (outcome.outcome === "unknown" || !isEmbedded(method, revision)) return `${method} is nothing a result may ask for`;
  if (outcome.outcome === "denied") return outcome.because;
  const usesTools = params !== undefined && (params["tools"] !== undefined || params["toolChoice"] !== undefined);
  if (method !== SAMPLE || !usesTools) return undefined;
  const profile = resolve({ revision, transport: null, client: declared, server: undefined });
  return profile.isEnabled(Feature.SamplingTools) ? undefined : profile.explain(Feature.SamplingTools).because;
}

function isEmbedded(method: string, revision: string): boolean {
  const entry = METHODS[revision as Revision].find((candidate) => candidate.method === method);
  return entry !== undefined && "carrier" in entry && entry.carrier === "InputRequiredResult";
}

function violation(facts: RoundFacts, reason: string): RoundStep {
  return end("upstream-violation", `cannot go on with ${facts.method}: ${reason}`, facts);
}

function exceeded(facts: RoundFacts, asks: readonly Ask[], reason: string): RoundStep {
  const keys = asks.length === 0 ? "" : `; it asked last for ${asks.map(({ key }) => JSON.stringify(key)).join(", ")}`;
  return end("rounds-exceeded", `cannot go on with ${facts.method}: ${reason}${keys}`, facts);
}

function end(kind: BridgeFault["kind"], message: string, { revision }: RoundFacts): RoundStep {
  return {
    kind: "end",
    fault: { kind, message, feature: FEATURES[Feature.RequestsMultiRoundTrip].id, from: revision, sideEffects: "possible" },
  };
}

function inputFailed({ method }: Ask, reason: string, error?: Wire): BridgeFault {
  const message = `cannot get an answer to ${method}: ${reason}`;
  return {
    kind: "client-input-failed",
    message,
    sideEffects: "possible",
    retry: "fresh",
    ...(error === undefined ? {} : { upstream: error }),
  };
}

function withoutFields(holder: Wire, keys: readonly string[]): Wire {
  return keys.reduce((kept, key) => (Object.hasOwn(kept, key) ? withoutField(kept, key) : kept), holder);
}

const RETRY_FIELDS = ["inputResponses", "requestState"];
const CALL = "tools/call";
const ELICIT = "elicitation/create";
const SAMPLE = "sampling/createMessage";
const COMPLETE = "complete";
const INPUT_REQUIRED = "input_required";
