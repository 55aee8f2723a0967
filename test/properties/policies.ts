// Arbitrary policies: a preset, and for some features and unions an order that they offer.
import fc from "fast-check";
import type { DegradePolicy } from "../../runtime/index.js";
import { DegradePolicy as policies, tables } from "../../runtime/mcp.js";

const OFFERS = new Map<string, Set<string>>();
for (const { feature, degrade } of tables.lowerings) {
  const id = tables.features[feature]?.id ?? "";
  OFFERS.set(id, new Set([...(OFFERS.get(id) ?? ["refuse"]), ...degrade]));
}

/** Gives policies made of anything the rows offer. */
export const anyPolicy: fc.Arbitrary<DegradePolicy> = fc
  .record({
    preset: fc.constantFrom("strict", "balanced", "permissive"),
    features: fc.record(Object.fromEntries([...OFFERS].map(([id, actions]) => [id, fc.constantFrom(...actions)])), { requiredKeys: [] }),
    unknown: fc.record(Object.fromEntries(tables.unknownMembers.map(({ at, degrade }) => [at, fc.constantFrom("refuse", ...degrade)])), {
      requiredKeys: [],
    }),
  })
  .map((record) => policies.from(record));
