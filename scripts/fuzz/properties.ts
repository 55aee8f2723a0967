// What must hold of every codec, as verdicts over one value: identity, total, sound and honest, refused, exact gate, monotone.
import { isDeepStrictEqual } from "node:util";
import type { Method, Revision } from "../../generator/model/types.js";
import {
  isLowerError,
  TranslationReport,
  type Codec,
  type DegradePolicy,
  type FeatureProfile,
  type LowerError,
  type Part,
} from "../../runtime/index.js";
import { FEATURES, tables } from "../../runtime/mcp.js";
import type { Needs } from "../../test/properties/needs.js";
import type { Validator } from "../../runtime/protocol.js";
import type { Verdict } from "./lane.js";

/** One payload of one method. */
export interface Payload {
  readonly method: Method;
  readonly part: Part;
}

/** The tolerances that look for a value the schema allows. */
const READS_VALID_VALUES = new Set(
  tables.tolerances.filter((tolerance) => tolerance.repair === "drop-value").map((tolerance) => tolerance.id),
);

/** Identity: what a revision's own peers send comes back as the same object, and nothing is reported but what lifting reads as something else. */
export function keepsItsOwn(codec: Codec, { method, part }: Payload, value: unknown): Verdict {
  const before = structuredClone(value);
  const report = new TranslationReport();
  const lifted = codec.lift(method.name, part, value, report);
  const wrong = report.steps.find((step) => !READS_VALID_VALUES.has(step.detail ?? ""));
  if (wrong !== undefined) return { fault: `is valid, and was repaired: ${JSON.stringify(wrong)}` };
  if (!report.isEmpty) return { outcome: "read as something else" };
  const back = codec.lower(method.name, part, lifted, undefined, report);
  if (!isDeepStrictEqual(back, before)) return { fault: `came back as ${JSON.stringify(back)}` };
  if (back !== value) return { fault: "came back as a copy" };
  return report.isEmpty ? { outcome: "unchanged" } : { fault: `reports ${JSON.stringify(report)}` };
}

/**
 * Total: lifting takes any JSON value, writes to none, reports exactly what it repairs and finds nothing to repair in what it gave; lowering
 * that throws nothing but a `LowerError`.
 */
export function takesAnything(codec: Codec, { method, part }: Payload, value: unknown, policy: DegradePolicy): Verdict {
  const before = structuredClone(value);
  const report = new TranslationReport();
  const lifted = codec.lift(method.name, part, value, report);
  if (report.isEmpty !== (lifted === value)) return { fault: `lifts to ${JSON.stringify(lifted)}, and reports ${JSON.stringify(report)}` };
  const again = codec.lift(method.name, part, lifted);
  if (again !== lifted) return { fault: `lifts to ${JSON.stringify(lifted)}, and that to ${JSON.stringify(again)}` };
  const lowered = attempt(() => codec.lower(method.name, part, lifted, policy));
  if (!isDeepStrictEqual(value, before)) return { fault: `was written to, and is now ${JSON.stringify(value)}` };
  return { outcome: `${report.isEmpty ? "" : "repaired and "}${"error" in lowered ? "refused" : "lowered"}` };
}

/** Sound and honest: what is lowered is valid for the target, the report is empty exactly when nothing changed, and a refusal leaves no trace. */
export function translates(
  lifting: Codec,
  lowering: Codec,
  { method, part }: Payload,
  validate: Validator | undefined,
  value: unknown,
  policy: DegradePolicy,
): Verdict {
  const before = structuredClone(value);
  const report = new TranslationReport();
  const lifted = lifting.lift(method.name, part, value);
  const lowered = attempt(() => lowering.lower(method.name, part, lifted, policy, report));
  if (!isDeepStrictEqual(value, before)) return { fault: `was written to, and is now ${JSON.stringify(value)}` };
  if ("error" in lowered) return report.isEmpty ? { outcome: "refused" } : { fault: `was refused, and reports ${JSON.stringify(report)}` };
  if (validate !== undefined && !validate(lowered.value ?? {})) {
    return { fault: `unsound: ${JSON.stringify(validate.errors)} in ${JSON.stringify(lowered.value)}` };
  }
  const isSame = JSON.stringify(lowered.value) === JSON.stringify(lifted);
  if (report.isEmpty === isSame) return { outcome: isSame ? "unchanged" : "changed" };
  return { fault: `dishonest: became ${JSON.stringify(lowered.value)}, and reports ${JSON.stringify(report)}` };
}

/** Refused: a method the target does not have is refused with the feature that would have it. */
export function refusesMethod(codec: Codec, { method, part }: Payload, value: unknown): Verdict {
  const lowered = attempt(() => codec.lower(method.name, part, value));
  if (!("error" in lowered)) return { fault: `came through as ${JSON.stringify(lowered.value)}` };
  const { code, feature, condition } = lowered.error;
  const isRight = code === "feature-unavailable" && feature === FEATURES[method.feature]?.id && condition === "revision";
  return isRight ? { outcome: "refused" } : { fault: `was refused for another reason: ${lowered.error.message}` };
}

/** Exact gate: under strict, lowering succeeds exactly when the profile covers the features the value needs. */
export function gatesExactly(
  needs: Needs,
  target: Revision,
  { method, part }: Payload,
  codec: Codec,
  validate: Validator | undefined,
  value: unknown,
  profile: FeatureProfile,
): Verdict {
  const missing = [...needs.missing(target, method, part, value, profile)].map((feature) => feature.id);
  const lowered = attempt(() => codec.lower(method.name, part, value));
  if (!("error" in lowered)) return missing.length === 0 ? { outcome: "lowered" } : { fault: `went through without ${missing.join(", ")}` };
  const { code, feature, message } = lowered.error;
  if (code === "feature-unavailable") {
    if (feature !== undefined && missing.includes(feature)) return { outcome: "refused" };
    return { fault: `was refused though the profile lacks only [${missing.join(", ")}]: ${message}` };
  }
  return validate?.(value ?? {}) === true ? { fault: `was refused though it is valid: ${message}` } : { outcome: "unrepresentable" };
}

/** Monotone: what a smaller profile lets through a larger one does too. */
export function growsMonotonically(smaller: Codec, larger: Codec, { method, part }: Payload, value: unknown): Verdict {
  if ("error" in attempt(() => smaller.lower(method.name, part, value))) return { outcome: "refused by the smaller" };
  const lowered = attempt(() => larger.lower(method.name, part, value));
  return "error" in lowered ? { fault: `was refused by the larger profile: ${lowered.error.message}` } : { outcome: "lowered by both" };
}

function attempt(run: () => unknown): { readonly value: unknown } | { readonly error: LowerError } {
  try {
    return { value: run() };
  } catch (error) {
    if (isLowerError(error)) return { error };
    throw error;
  }
}
