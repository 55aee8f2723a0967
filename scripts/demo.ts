// `npm run demo` takes three messages of the newest revision down to every older one under three policies and prints what each peer would
// get, what was reported, and each refusal with its cite. The README shows this output; `-- --write` puts it there, `-- --check` compares.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { isProtocolError, liftEnvelope, lowerEnvelope, TranslationReport, type DegradePolicy, type Wire } from "../runtime/index.js";
import { CapabilitySet, codecFor, DegradePolicy as policies, knownRevisions } from "../runtime/mcp.js";
import { replaceBetween } from "./markers.js";

interface Sample {
  readonly title: string;
  readonly answers?: string;
  readonly message: Wire;
}

const SAMPLES: readonly Sample[] = [
  {
    title: "a tools/call result with text, audio, a resource link and structured content",
    answers: "tools/call",
    message: {
      jsonrpc: "2.0",
      id: 1,
      result: {
        resultType: "complete",
        content: [
          { type: "text", text: "It is 21 °C in Lisbon." },
          { type: "audio", data: "UklGRiQAAABXQVZF", mimeType: "audio/wav" },
          { type: "resource_link", uri: "file:///lisbon.csv", name: "lisbon.csv", title: "Readings" },
        ],
        structuredContent: { city: "Lisbon", celsius: 21 },
      },
    },
  },
  {
    title: "a tools/list result with icons, an output schema and a cache lifetime",
    answers: "tools/list",
    message: {
      jsonrpc: "2.0",
      id: 2,
      result: {
        resultType: "complete",
        ttlMs: 60000,
        cacheScope: "public",
        tools: [
          {
            name: "weather",
            title: "Weather",
            icons: [{ src: "https://example.com/sun.png" }],
            inputSchema: { type: "object" },
            outputSchema: { type: "object", properties: { celsius: { type: "number" } } },
          },
        ],
      },
    },
  },
  {
    title: "an elicitation request with a multiple choice",
    message: {
      jsonrpc: "2.0",
      id: 3,
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Which cities?",
        requestedSchema: {
          type: "object",
          properties: { cities: { type: "array", items: { type: "string", enum: ["Lisbon", "Porto"] } } },
        },
      },
    },
  },
];

const POLICIES = [
  ["strict", policies.strict()],
  ["balanced", policies.balanced()],
  ["permissive", policies.permissive()],
] as const;

/** Gives the whole output of the demo: what each older peer would get, the policies that agree on it together. */
export async function demo(): Promise<string> {
  const revisions = knownRevisions();
  const newest = revisions.at(-1) as string;
  const lines: string[] = [];
  for (const sample of SAMPLES) {
    lines.push(`${newest}: ${sample.title}`, `  ${JSON.stringify(sample.message)}`);
    for (const revision of revisions.slice(0, -1).toReversed()) {
      const outcomes = new Map<string, string[]>();
      for (const [name, policy] of POLICIES) {
        const outcome = await lowered(sample, newest, revision, policy);
        outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), name]);
      }
      for (const [outcome, names] of outcomes) lines.push(`  to ${revision}, ${names.join(" and ")}: ${outcome}`);
    }
    lines.push("");
  }
  return lines.join("\n").trimEnd();
}

async function lowered(sample: Sample, from: string, to: string, policy: DegradePolicy): Promise<string> {
  const source = await codecFor(from, CapabilitySet.allFor(from).resolve(from, "stdio"));
  const target = await codecFor(to, CapabilitySet.allFor(to).resolve(to, "stdio"));
  const report = new TranslationReport();
  try {
    const message = lowerEnvelope(target, liftEnvelope(source, sample.message, sample.answers), policy, report);
    const steps = report.steps.map((step) => `\n      ${step.path}: ${step.action}, loss ${step.loss} (${step.feature})`);
    return `${message === sample.message ? "as it is" : JSON.stringify(message["result"] ?? message["params"])}${steps.join("")}`;
  } catch (error) {
    if (isProtocolError(error)) return `refused: ${error.message}`;
    throw error;
  }
}

const { values } = parseArgs({ options: { write: { type: "boolean", default: false }, check: { type: "boolean", default: false } } });
const output = await demo();
if (values.write || values.check) {
  const before = readFileSync("README.md", "utf8");
  const after = replaceBetween(before, "demo", `\`\`\`\n${output}\n\`\`\``);
  if (values.write) writeFileSync("README.md", after);
  else if (after !== before) {
    process.stderr.write("README.md: the demo's output is not what npm run demo prints\n  fix: npm run demo -- --write\n");
    process.exitCode = 1;
  }
} else {
  process.stdout.write(`${output}\n`);
}
