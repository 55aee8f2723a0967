// One round of questions a modern server needs answered: all of them go to the legacy client at once, on the stream of the request they belong to,
// and the first that comes to nothing withdraws the others.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { isLowerError } from "../errors.js";
import { carryAll } from "../exact.js";
import type { DegradePolicy } from "../policy.js";
import type { Wire } from "../protocol.js";
import { Stopper, type StopSignal } from "../stop.js";
import type { TranslationReport } from "../report.js";
import type { BridgeFault } from "./errors.js";
import type { Flow } from "./flow.js";
import { whyUnanswered, type Questions } from "./questions.js";
import { readAnswer, type Ask, type AskOutcome, type RoundPolicy } from "./rounds.js";

/** What a round needs. */
export interface RoundRoom {
  readonly questions: Questions;
  /** Speaks with the client. */
  readonly downstream: Codec;
  readonly policy: DegradePolicy;
  readonly choices: RoundPolicy;
  readonly flow: Flow;
  readonly report: TranslationReport;
}

/** What came of a round: a response for each question by its key, or what ends the flow. */
export type RoundOutcome = { readonly responses: Readonly<Record<string, Wire>> } | { readonly fault: BridgeFault };

/** Asks a round. Never rejects. */
export async function askRound(asks: readonly Ask[], room: RoundRoom): Promise<RoundOutcome> {
  const group = new Stopper();
  const withdraw = (): void => group.abort();
  room.flow.signal.addEventListener("abort", withdraw, { once: true });
  if (room.flow.isCancelled) withdraw();
  let first: BridgeFault | undefined;
  try {
    const entries = await Promise.all(
      asks.map(async (ask) => {
        const outcome = await askOne(ask, room, group.signal);
        if ("response" in outcome) return [ask.key, outcome.response] as const;
        first ??= outcome.fault;
        withdraw();
        return [ask.key, {}] as const;
      }),
    );
    return first === undefined ? { responses: Object.fromEntries(entries) } : { fault: first };
  } finally {
    room.flow.signal.removeEventListener("abort", withdraw);
  }
}

async function askOne(
  ask: Ask,
  { questions, downstream, policy, choices, flow, report }: RoundRoom,
  signal: StopSignal,
): Promise<AskOutcome> {
  const { method } = ask;
  let params: unknown;
  try {
    params = downstream.lower(method, "params", ask.params, policy, report);
    carryAll(ask.params, params);
  } catch (error) {
    if (isLowerError(error))
      return { fault: { kind: "not-translatable", message: `cannot ask the client for ${method}: ${error.message}` } };
    throw error;
  }
  const answered = await questions.ask({ method, params, to: flow.sink, signal });
  if (answered.end === "late") return readAnswer(ask, undefined, choices);
  if (answered.end !== "answered") {
    const message = `cannot get an answer to ${method}: ${whyUnanswered(answered.end)}`;
    return { fault: { kind: "client-input-failed", message, sideEffects: "possible", retry: "fresh" } };
  }
  const { result } = answered.response;
  const lifted = isWire(result) ? downstream.lift(method, "result", result, report) : result;
  carryAll(result, lifted);
  return readAnswer(ask, { ...answered.response, result: lifted }, choices);
}
