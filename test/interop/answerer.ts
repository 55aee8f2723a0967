// Stands where a server would: takes each message of a native client and gives the answer that polyrev lowers for it, under the profile of
// what the client said about itself. What was lowered, refused and reported is kept for whoever judges.
import { isLowerError, liftEnvelope, lowerEnvelope, TranslationReport } from "../../runtime/index.js";
import type { Codec, DegradePolicy, Envelope, FeatureProfile, LowerError, Wire } from "../../runtime/index.js";
import { bindCodec, resolve, tables } from "../../runtime/mcp.js";
import { isObject } from "./holds.js";
import { sampleFor } from "./samples.js";

/** A canonical answer to a request. */
export type Answer = { readonly result: unknown } | { readonly error: Wire };

/** Finds the canonical answer to a request, by its method and lifted params. */
export type Answers = (method: string, params: Wire) => Answer;

/** What became of one answer. */
export interface Recorded {
  /** The message the client was sent; an error of our own where the answer was refused. */
  readonly message: Wire;
  readonly report: TranslationReport;
  readonly refusal?: LowerError;
}

/** The code under which a refusal reaches a client that waits for an answer. */
export const REFUSED = -31901;

/** The key under which a client of the newest revision says with each request what it can do. */
export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const SERVER_INFO = { name: "polyrev-answerer", version: "1.0.0" };

/** Gives what a server of a revision says of itself: every capability the revision defines, and nothing it does not. */
export function handshakeFor(revision: string): Wire {
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    logging: {},
    ...(revision === "2024-11-05" ? {} : { completions: {} }),
  };
  const base = { capabilities, instructions: "Ask for the weather." };
  return revision >= "2026-07-28"
    ? { ...base, resultType: "complete", supportedVersions: [revision], ttlMs: 0, cacheScope: "private" }
    : { ...base, protocolVersion: revision, serverInfo: SERVER_INFO };
}

/** Answers samples by the name the request carries. */
export const sampleAnswers: Answers = (method, params) => {
  const sample = sampleFor(method, params);
  return sample.error === undefined ? { result: sample.result } : { error: sample.error };
};

/** Answers one client over one connection. */
export class Answerer {
  /** What became of each answer, in the order they were given. */
  readonly recorded: Recorded[] = [];
  readonly #module: Awaited<ReturnType<typeof tables.loadCodec>>;
  readonly #revision: string;
  readonly #policy: DegradePolicy;
  readonly #answers: Answers;
  readonly #handshake: Wire;
  #profile: FeatureProfile | undefined;
  #codec: Codec | undefined;

  private constructor(
    module: Awaited<ReturnType<typeof tables.loadCodec>>,
    revision: string,
    policy: DegradePolicy,
    answers: Answers,
    handshake: Wire,
  ) {
    this.#module = module;
    this.#revision = revision;
    this.#policy = policy;
    this.#answers = answers;
    this.#handshake = handshake;
  }

  /** Loads what it takes to answer at a revision. */
  static async create(revision: string, policy: DegradePolicy, answers: Answers, handshake = handshakeFor(revision)): Promise<Answerer> {
    return new Answerer(await tables.loadCodec(revision), revision, policy, answers, handshake);
  }

  /** Gives the profile of the two peers; throws before the client has said who it is. */
  get profile(): FeatureProfile {
    if (this.#profile === undefined) throw new Error("cannot give a profile: the client has sent no capabilities yet");
    return this.#profile;
  }

  /** Gives the codec the answers are lowered with. */
  get codec(): Codec {
    if (this.#codec === undefined) throw new Error("cannot give a codec: the client has sent no capabilities yet");
    return this.#codec;
  }

  /** Gives the answer to one message; undefined for what wants none. */
  answer(message: Wire): Wire | undefined {
    const { method, id, params } = message;
    if (typeof method !== "string" || id === undefined) return undefined;
    const capabilities = capabilitiesIn(method, params);
    if (capabilities !== undefined) this.#meet(capabilities);
    const isHandshake = method === "initialize" || method === "server/discover";
    const request = liftEnvelope(this.codec, message);
    const asked = request.kind === "request" && isObject(request.params) ? request.params : {};
    return this.#give(method, id as string | number, isHandshake ? { result: this.#handshake } : this.#answers(method, asked));
  }

  #meet(client: unknown): void {
    this.#profile = resolve({ revision: this.#revision, client, server: this.#handshake["capabilities"], transport: "stdio" });
    this.#codec = bindCodec(this.#module, this.#profile, { serverInfo: SERVER_INFO });
  }

  #give(method: string, id: string | number, answer: Answer): Wire {
    const wire = { jsonrpc: "2.0", id, ...answer };
    const envelope: Envelope =
      "error" in answer
        ? { kind: "error", id, method, error: answer.error, wire }
        : { kind: "result", id, method, result: answer.result, wire };
    const report = new TranslationReport();
    try {
      const lowered = lowerEnvelope(this.codec, envelope, this.#policy, report);
      this.recorded.push({ message: lowered, report });
      return lowered;
    } catch (error) {
      if (!isLowerError(error)) throw error;
      const refused = {
        jsonrpc: "2.0",
        id,
        error: { code: REFUSED, message: error.message, data: { feature: error.feature, path: error.path } },
      };
      this.recorded.push({ message: refused, report, refusal: error });
      return refused;
    }
  }
}

/** Finds what a client says it can do: in its handshake, or with each request. */
function capabilitiesIn(method: string, params: unknown): unknown {
  if (!isObject(params)) return undefined;
  return method === "initialize" ? params["capabilities"] : isObject(params["_meta"]) ? params["_meta"][CAPABILITIES_KEY] : undefined;
}
