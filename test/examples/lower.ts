// Lowers a newest-revision tool result for a client of the oldest revision: refused, then degraded and reported. Shown in the README.
import { TranslationReport, isLowerError } from "../../runtime/index.js";
import { CapabilitySet, codecFor, DegradePolicy, Feature, resolve } from "../../runtime/mcp.js";

// What two peers can use follows from what they said: revision, capabilities, transport.
const profile = resolve({ revision: "2024-11-05", client: {}, server: { tools: {} }, transport: "stdio" });
console.log(profile.explain(Feature.ContentAudio).because);

// A codec speaks one revision with one peer. Without a policy it refuses what the peer cannot read, and says why.
const old = await codecFor("2024-11-05", profile);
const newest = await codecFor("2026-07-28", CapabilitySet.allFor("2026-07-28").resolve("2026-07-28", "stdio"));
const wire = { resultType: "complete", content: [{ type: "audio", data: "UklGRg==", mimeType: "audio/wav" }] };
const result = newest.lift("tools/call", "result", wire);
try {
  old.lower("tools/call", "result", result);
} catch (error) {
  if (isLowerError(error)) console.log(error.feature, error.path, error.message);
}

// A policy says what may be degraded; the report says what was.
const report = new TranslationReport();
console.log(JSON.stringify(old.lower("tools/call", "result", result, DegradePolicy.balanced(), report)));
console.log(
  report.isLossless,
  report.steps.map((step) => `${step.path}: ${step.action}`),
);
