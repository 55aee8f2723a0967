// Takes apart an array of messages where the revision allows one, and puts the answers together again. Which revision does is a feature of the
// protocol's tables; what is no message is left for `liftEnvelope` to refuse, one by one.

import { isWire } from "./capabilities.js";
import { addRepair } from "./envelope-repairs.js";
import { EnvelopeError } from "./errors.js";
import type { FeatureProfile } from "./profile.js";
import type { TranslationReport } from "./report.js";

type Kind = "request" | "notification" | "response" | "unknown";

/**
 * Lists the messages of a batch in order, or the one message that is no batch. Throws `EnvelopeError`: `batch-not-allowed` where the peer's
 * revision has no batches, `unreadable` for an empty one, for requests and responses in one, and for a method that always comes alone.
 * Nothing of a refused batch may be executed; one error with the error's `rpcCode` answers it.
 */
export function splitBatch(profile: FeatureProfile, message: unknown, report?: TranslationReport): readonly unknown[] {
  if (!Array.isArray(message)) return [message];
  const messages: readonly unknown[] = message;
  const { batching } = profile.tables;
  if (batching === undefined || !profile.isEnabled(batching.feature)) throw notAllowed(profile, batching?.feature);
  if (messages.length === 0) throw new EnvelopeError("unreadable", "", "it is a batch of nothing");
  for (const [index, entry] of messages.entries()) {
    const method = isWire(entry) ? entry["method"] : undefined;
    if (typeof method === "string" && batching.alone.includes(method)) {
      throw new EnvelopeError("unreadable", `/${index}`, `${method} may not be part of a batch`);
    }
  }
  const kinds = new Set(messages.map(kindOf));
  if (kinds.has("response") && kinds.has("request")) {
    throw new EnvelopeError("unreadable", "", "it is a batch of both requests and responses");
  }
  if (kinds.has("response") && kinds.has("notification")) addRepair("batch-with-notifications", report);
  return messages;
}

/** Gathers the answers to a batch, in the order given. A notification has none; undefined where there is nothing to answer. */
export function joinBatch<T>(answers: readonly (T | undefined)[]): readonly T[] | undefined {
  const given = answers.filter((answer) => answer !== undefined);
  return given.length === 0 ? undefined : given;
}

function notAllowed(profile: FeatureProfile, feature: number | undefined): EnvelopeError {
  const answer = "the answer is -32600";
  if (feature === undefined) return new EnvelopeError("batch-not-allowed", "", `it is an array, and no revision has batches; ${answer}`);
  const { because, feature: id, cite } = profile.explain(feature);
  return new EnvelopeError("batch-not-allowed", "", `it is an array, but ${because}; ${answer}`, { feature: id, cite });
}

/** Tells roughly what a message means to be; it may be broken all the same. */
export function kindOf(message: unknown): Kind {
  if (!isWire(message)) return "unknown";
  if (message["method"] !== undefined) return message["id"] === undefined ? "notification" : "request";
  return message["result"] === undefined && message["error"] === undefined ? "unknown" : "response";
}
