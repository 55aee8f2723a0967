// Measures what profiles cost: asking one for a feature, and making one from what two peers said of themselves.
import { CapabilitySet, FEATURES, knownRevisions, resolve } from "../../runtime/mcp.js";
import type { Measure } from "../measure.js";
import { compare, time } from "./clock.js";

const PEERS = [
  { client: {}, server: { tools: {} } },
  {
    client: { roots: { listChanged: true }, sampling: {}, elicitation: {} },
    server: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} },
  },
  { client: { elicitation: { form: {}, url: {} } }, server: { tools: {}, completions: {}, prompts: {} } },
];

/** Measures `isEnabled` beside an empty loop, and `resolve` of typical peers and of peers that send every flag. */
export function measureProfiles(rounds: number): Measure[] {
  const revisions = knownRevisions();
  const profile = CapabilitySet.allFor("2025-11-25").resolve("2025-11-25", "stdio");
  const order = Uint16Array.from({ length: FEATURES.length * 100 }, (_, index) => (index * 7) % FEATURES.length);
  let sink = 0;
  const loop = () => {
    for (const feature of order) sink += feature;
  };
  const ask = () => {
    for (const feature of order) sink += profile.isEnabled(feature) ? 1 : 0;
  };
  const isEnabled = compare(loop, new Map([["isEnabled", ask]]), rounds).get("isEnabled") ?? Number.NaN;
  const typical = revisions.flatMap((revision) => PEERS.map((peers) => ({ revision, transport: "stdio", ...peers })));
  const fullest = revisions.map((revision) => ({
    revision,
    transport: "stdio",
    client: CapabilitySet.allFor(revision).client,
    server: CapabilitySet.allFor(revision).server,
  }));
  const resolving = (peers: string, sessions: readonly Parameters<typeof resolve>[0][]): Measure => ({
    what: `resolve of ${FEATURES.length} features, ${peers}`,
    value:
      (time(() => {
        for (const session of sessions) sink += resolve(session).bits.length;
      }, rounds) *
        1000) /
      sessions.length,
    unit: "µs",
    digits: 2,
    bar: { rule: "at most", limit: 2 },
  });
  const measures: Measure[] = [
    {
      what: "isEnabled over varying features",
      value: isEnabled,
      unit: "×",
      digits: 2,
      bar: { rule: "at most", limit: 3, of: "× an empty loop" },
    },
    resolving("typical peers", typical),
    resolving("every flag sent", fullest),
  ];
  if (sink === 0) throw new Error("nothing was measured");
  return measures;
}
