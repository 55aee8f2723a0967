// Has a native client read one lowered answer after the other and says what became of each: accepted with its content, refused by polyrev as the
// policy orders, or failed. The tests and the printed matrix share this judgement.
import { isDeepStrictEqual } from "node:util";
import type { DegradePolicy, FeatureProfile, Preset, Wire } from "../../runtime/index.js";
import { DegradePolicy as policies, METHODS, tables } from "../../runtime/mcp.js";
import { Answerer, sampleAnswers, type Answers, type Recorded } from "./answerer.js";
import { difference, isObject, valueAt } from "./holds.js";
import { memoryLine, type Line } from "./line.js";
import { loadPeer, type NativeClient, type Peer } from "./peers.js";
import { requestFor, SAMPLES, type Sample } from "./samples.js";
import { settle, type Settled } from "./settle.js";
import { validatorsOf } from "./validity.js";

/** The presets a client is judged under. */
export const PRESETS: readonly Preset[] = ["strict", "balanced", "permissive"];

/** What a client made of one answer. */
export interface Verdict {
  readonly outcome: "accepted" | "refused" | "failed";
  readonly recorded: Recorded;
  /** What the application got. */
  readonly got?: unknown;
  /** Why it failed; empty otherwise. */
  readonly faults: readonly string[];
}

/** One question and what came of it: what was lowered for it, and what the application got. */
export interface Exchange {
  readonly recorded: Recorded;
  readonly got: Settled;
}

/** A native client in a session with polyrev. */
export interface Session {
  readonly peer: Peer;
  readonly client: NativeClient;
  readonly profile: FeatureProfile;
  /** Has the client ask for a sample. */
  ask(sample: Sample): Promise<Exchange>;
  close(): Promise<void>;
}

/** A session in memory: what the client wrote and what it was answered are at hand. */
export interface MemorySession extends Session {
  readonly answerer: Answerer;
  readonly line: Line;
}

/** What the SDK of a peer does not hand on to its application although it was sent: by its own doing, whoever sends it. */
const STRIPS: Readonly<Record<string, readonly RegExp[]>> = {
  "sdk-1.22": [/\.(annotations|size)$/, /\.arguments\[\]\.title$/, /\.(inputSchema|outputSchema)\.[^.]+$/],
  "sdk-1.32": [/\.arguments\[\]\.title$/],
  "sdk-2": [/^\.resultType$/, /\.arguments\[\]\.title$/],
};

/** Gives what the clients of a revision say they can do: everything it defines. */
export function clientCapabilities(revision: string): Wire {
  return {
    sampling: {},
    roots: revision >= "2026-07-28" ? {} : { listChanged: true },
    ...(revision < "2025-06-18" ? {} : { elicitation: revision < "2025-11-25" ? {} : { form: {}, url: {} } }),
  };
}

/** Gives the samples whose methods a revision has. */
export function samplesAt(revision: string): readonly Sample[] {
  const methods: readonly { readonly method: string }[] = METHODS[revision as keyof typeof METHODS];
  return SAMPLES.filter((sample) => methods.some(({ method }) => method === sample.method));
}

/** Makes a policy by its name. */
export function policyOf(preset: Preset): DegradePolicy {
  return policies[preset]();
}

/** Connects a native client to an answerer, in memory. */
export async function openSession(
  peer: Peer,
  policy: DegradePolicy,
  answers: Answers = sampleAnswers,
  handshake?: Wire,
): Promise<MemorySession> {
  const loaded = await loadPeer(peer);
  const { line, transport } = memoryLine(loaded.readLine);
  const answerer = await Answerer.create(peer.revision, policy, answers, handshake);
  line.listen((message) => {
    const answer = answerer.answer(message);
    if (answer !== undefined) line.write(answer);
  });
  const client = loaded.newClient(clientCapabilities(peer.revision));
  await client.connect(transport);
  return {
    peer,
    client,
    answerer,
    line,
    profile: answerer.profile,
    async ask(sample) {
      const before = answerer.recorded.length;
      const got = await settle(client.call(sample.method, requestFor(sample)));
      const [recorded, ...more] = answerer.recorded.slice(before);
      if (recorded === undefined || more.length > 0)
        throw new Error(`cannot judge ${sample.name}: ${peer.alias} asked ${more.length + (recorded === undefined ? 0 : 1)} times`);
      return { recorded, got };
    },
    close: () => client.close(),
  };
}

/** Has the client ask for a sample and judges what it gets. */
export async function judge(session: Session, sample: Sample): Promise<Verdict> {
  const { recorded, got } = await session.ask(sample);
  const faults = await weigh(session.peer, sample, recorded, got);
  const value = "value" in got ? { got: got.value } : {};
  if (recorded.refusal !== undefined) return { outcome: "refused", recorded, faults };
  return { outcome: faults.length === 0 ? "accepted" : "failed", recorded, faults, ...value };
}

/** Says which outcomes a policy promises for a sample: what needs nothing is accepted, what may be degraded is, and strict refuses the rest. */
export function promised(profile: FeatureProfile, policy: DegradePolicy, { needs }: Sample): readonly Verdict["outcome"][] {
  const missing = needs.filter((feature) => !profile.isEnabled(feature));
  if (missing.length === 0) return ["accepted"];
  if (policy.preset === "strict") return ["refused"];
  return missing.every((feature) => policy.allows(feature)) ? ["accepted"] : ["accepted", "refused"];
}

async function weigh(peer: Peer, sample: Sample, recorded: Recorded, got: Settled): Promise<readonly string[]> {
  const { error, result } = recorded.message;
  if (isObject(error)) return weighError(sample, error, got);
  if (!isObject(result)) return [`the answer is no message: ${JSON.stringify(recorded.message)}`];
  if (sample.error !== undefined) return [`an error was lowered as a result: ${JSON.stringify(result)}`];
  const invalid = (await validatorsOf(peer.revision)).faults(sample.method, "result", result);
  if ("error" in got) return [...invalid, `${peer.alias} rejects ${JSON.stringify(result)}: ${describe(got.error)}`];
  const value = isObject(got.value) ? got.value : {};
  const kept = recorded.report.steps.some((step) => step.loss === "content") ? [] : sample.holds;
  const { stripped, changed } = difference(result, got.value);
  return [
    ...invalid,
    ...kept.filter((hold) => !hold.found(result)).map((hold) => `${hold.what} is not in what was lowered: ${JSON.stringify(result)}`),
    ...kept.filter((hold) => !hold.found(value)).map((hold) => `${hold.what} is not in what the application got: ${JSON.stringify(value)}`),
    ...givenUpUnsaid(sample, recorded, result).map((path) => `${path} is gone and no step of the report says so`),
    ...changed.map((path) => `${peer.alias} gives the application another ${path}: ${JSON.stringify(value)}`),
    ...stripped.filter((path) => !strips(peer, path)).map((path) => `${peer.alias} takes ${path} from ${JSON.stringify(result)}`),
  ];
}

function strips(peer: Peer, path: string): boolean {
  return STRIPS[peer.alias]?.some((pattern) => pattern.test(path)) ?? false;
}

/** The two codes of a resource that is not there: an SDK may know one as the other. */
const NOT_FOUND: readonly unknown[] = [-32002, -32602];

function weighError({ method }: Sample, sent: Wire, got: Settled): readonly string[] {
  if (!("error" in got)) return [`an error became a result: ${JSON.stringify(got.value)}`];
  const { code, data, message } = got.error as { readonly code?: unknown; readonly data?: unknown; readonly message?: unknown };
  const isSame = code === sent["code"] || (method === "resources/read" && [code, sent["code"]].every((each) => NOT_FOUND.includes(each)));
  return [
    ...(isSame ? [] : [`the code ${String(sent["code"])} became ${String(code)}`]),
    ...(isDeepStrictEqual(data, sent["data"]) ? [] : [`the data became ${JSON.stringify(data)}`]),
    ...(String(message).includes(String(sent["message"])) ? [] : [`the message became ${String(message)}`]),
  ];
}

/** Lists the paths of a sample's advice that were not lowered as they were, without a step of the report to say so there or near by. */
function givenUpUnsaid(sample: Sample, { report }: Recorded, result: Wire): readonly string[] {
  const ids = sample.needs.map((feature) => tables.features[feature]?.id);
  const steps = report.steps.filter(({ feature }) => feature !== null && ids.includes(feature));
  return sample.advice.flatMap((path) => {
    const pointer = `/${path.join("/")}`;
    const isThere = isDeepStrictEqual(valueAt(result, path), valueAt(sample.result, path));
    const isSaid = steps.some((step) => pointer.startsWith(step.path) || step.path.startsWith(`${pointer}/`));
    return isThere || isSaid ? [] : [pointer];
  });
}

/** Says in one line what an SDK threw. */
export function describe(error: unknown): string {
  return (error instanceof Error ? `${error.name}: ${error.message}` : String(error)).replaceAll(/\s+/g, " ").slice(0, 300);
}
