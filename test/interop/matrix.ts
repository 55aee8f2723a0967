// `npx tsx test/interop/matrix.ts` has every native client read every sample under every preset and prints what came of it as a Markdown table:
// rows are peers, columns operations, each cell strict · balanced · permissive.
import { judge, openSession, policyOf, PRESETS, promised, samplesAt, type Verdict } from "./judge.js";
import { PEERS } from "./peers.js";
import { SAMPLES } from "./samples.js";

type Outcome = Verdict["outcome"] | "broken";
type Counts = Partial<Record<Outcome, number>>;

const SIGNS: readonly (readonly [Outcome, string])[] = [
  ["accepted", "✓"],
  ["refused", "–"],
  ["failed", "✗"],
  ["broken", "!"],
];

const operations = [...new Set(SAMPLES.map(({ method }) => method))];
const failures: string[] = [];

console.log(
  "Native clients reading what polyrev lowers: strict · balanced · permissive. ✓ accepted with its content, – refused by policy,",
);
console.log("✗ rejected by the client or content lost, ! refused although the policy promises otherwise.\n");
console.log(`| peer | revision | ${operations.join(" | ")} |`);
console.log(`| --- | --- | ${operations.map(() => "---").join(" | ")} |`);
for (const peer of PEERS) {
  const cells = new Map<string, string[]>();
  for (const preset of PRESETS) {
    const policy = policyOf(preset);
    const session = await openSession(peer, policy);
    const counts = new Map<string, Counts>();
    for (const sample of samplesAt(peer.revision)) {
      const verdict = await judge(session, sample);
      const isKept = promised(session.profile, policy, sample).includes(verdict.outcome);
      const outcome = isKept || verdict.outcome === "failed" ? verdict.outcome : "broken";
      const count = counts.get(sample.method) ?? {};
      counts.set(sample.method, { ...count, [outcome]: (count[outcome] ?? 0) + 1 });
      if (outcome === "failed" || outcome === "broken")
        failures.push(`${peer.alias}, ${preset}: ${sample.name}: ${verdict.faults[0] ?? verdict.recorded.refusal?.message}`);
    }
    await session.close();
    for (const [method, count] of counts) cells.set(method, [...(cells.get(method) ?? []), printCounts(count)]);
  }
  console.log(`| ${peer.alias} | ${peer.revision} | ${operations.map((method) => cells.get(method)?.join(" · ") ?? "").join(" | ")} |`);
}
if (failures.length > 0) console.log(`\n${failures.map((failure) => `- ${failure}`).join("\n")}`);

function printCounts(counts: Counts): string {
  return SIGNS.flatMap(([outcome, sign]) => (counts[outcome] === undefined ? [] : [`${sign}${counts[outcome]}`])).join(" ");
}
