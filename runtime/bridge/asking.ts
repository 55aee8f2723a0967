// One round of questions a modern server needs answered: all of them go to the legacy client at once, on the stream of the request they belong to,
// and the first that comes to nothing withdraws the others.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { isLowerError } from "../errors.js";
import type { DegradePolicy } from "../policy.js";
import type { TranslationReport } from "../report.js";
import type { Flow } from "./flow.js";
import { whyUnanswered, type Questions } from "./questions.js";
import { readError } from "./refusal.js";

/** One thing the server needs to know: its name in the round, and the question in canonical form. */
export interface InputRequest {
  readonly key: string;
  readonly method: string;
  readonly params: unknown;
}

/** What came of one question: the canonical result, or why there is none. */
export type InputAnswer = { readonly result: unknown } | { readonly failed: string; readonly method: string };

/** What a round needs. */
export interface RoundRoom {
  readonly questions: Questions;
  /** Speaks with the client. */
  readonly downstream: Codec;
  readonly policy: DegradePolicy;
  readonly flow: Flow;
  readonly report: TranslationReport;
  /** Tells whether a failed question is an answer all the same, so that the others are still wanted. */
  readonly isBearable: (method: string) => boolean;
}

/** Asks a round; resolves with what came of each question, by key. Never rejects. */
export async function askRound(requests: readonly InputRequest[], room: RoundRoom): Promise<ReadonlyMap<string, InputAnswer>> {
  const group = new AbortController();
  const withdraw = (): void => group.abort();
  room.flow.signal.addEventListener("abort", withdraw, { once: true });
  if (room.flow.isCancelled) withdraw();
  try {
    const entries = requests.map(async (request) => {
      const answer = await askOne(request, room, group.signal);
      if ("failed" in answer && !room.isBearable(request.method)) withdraw();
      return [request.key, answer] as const;
    });
    return new Map(await Promise.all(entries));
  } finally {
    room.flow.signal.removeEventListener("abort", withdraw);
  }
}

async function askOne({ method, params }: InputRequest, room: RoundRoom, signal: AbortSignal): Promise<InputAnswer> {
  const { questions, downstream, policy, flow, report } = room;
  const failed = (why: string): InputAnswer => ({ failed: `${method}: ${why}`, method });
  let written: unknown;
  try {
    written = downstream.lower(method, "params", params, policy, report);
  } catch (error) {
    if (isLowerError(error)) return failed(error.message);
    throw error;
  }
  const answered = await questions.ask({ method, params: written, to: flow.sink, signal });
  if (answered.end !== "answered") return failed(whyUnanswered(answered.end));
  const error = readError(answered.response);
  if (error !== undefined) return failed(`the client answered with error ${String(error.code)}: ${String(error.message)}`);
  const { result } = answered.response;
  return isWire(result) ? { result: downstream.lift(method, "result", result, report) } : failed("the client answered with no result");
}
