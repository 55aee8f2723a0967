// Judges what a native server said: lifted and lowered at its own revision, a message must come back as it was, and nothing may be reported.
import { isDeepStrictEqual } from "node:util";
import { liftEnvelope, lowerEnvelope, TranslationReport, type Codec } from "../../runtime/index.js";
import type { Heard } from "./caller.js";

/** Lists what lift and lower make another of; the codec is to have every feature of the revision. */
export function changesOf(codec: Codec, { message, answers }: Heard): readonly string[] {
  const before = structuredClone(message);
  const lifted = liftEnvelope(codec, message, answers);
  const report = new TranslationReport();
  const payload = lifted.kind === "result" ? lifted.result : lifted.kind === "error" ? lifted.error : lifted.params;
  const sent = message["result"] ?? message["error"] ?? message["params"];
  const lowered = lowerEnvelope(codec, lifted, undefined, report);
  return [
    ...(isDeepStrictEqual(payload, sent) ? [] : [`lift changes ${JSON.stringify(sent)} to ${JSON.stringify(payload)}`]),
    ...(isDeepStrictEqual(lowered, before) ? [] : [`lower gives ${JSON.stringify(lowered)} for ${JSON.stringify(before)}`]),
    ...(report.isEmpty ? [] : [`the report has ${JSON.stringify(report)} for ${JSON.stringify(before)}`]),
  ];
}
