// Exact gate: under strict, lowering succeeds if and only if the features the value needs are within the profile; and a larger profile
// never makes fail what a smaller one let through.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLowerError } from "../../runtime/index.js";
import { payloadOf } from "./arbitrary.js";
import { Needs } from "./needs.js";
import { codecOf, model, payloadsOf, someProfile, subjects, type Subject } from "./subject.js";

/** Runs for each pair of revisions; five pairs lead to each target. */
const RUNS = 400;
const needs = new Needs(model);

describe.each(subjects.map((subject) => [subject.revision.id, subject] as const))("to revision %s", (_, target) => {
  it.each(subjects.map((source) => [source.revision.id, source] as const))(
    "from %s: strict lowers exactly what the profile covers",
    (__, source) => {
      const shared = sharedPayloads(source, target);
      const seen = { lowered: 0, unavailable: 0, unrepresentable: 0 };
      for (const { method, part } of shared) {
        const values = payloadOf(model, source.revision, method, part, { strangers: false });
        fc.assert(
          fc.property(values, someProfile(target.revision.id), (value, profile) => {
            const own = target.revision.methods.find((entry) => entry.name === method.name)!;
            const missing = needs.missing(target.revision, own, part, value, profile);
            const result = attempt(() => codecOf(target, profile).lower(method.name, part, value));
            if (!("error" in result)) {
              seen.lowered += 1;
              expect(
                [...missing].map((feature) => feature.id),
                `${method.name} ${part} went through`,
              ).toEqual([]);
            } else if (result.error.code === "feature-unavailable") {
              seen.unavailable += 1;
              expect(
                [...missing].map((feature) => feature.id),
                `${method.name} ${part} was refused: ${result.error.message}`,
              ).toContain(result.error.feature);
            } else {
              seen.unrepresentable += 1;
              const isValid = target.validators.get(method.name)?.[part]?.(value ?? {});
              expect(isValid, `${method.name} ${part} was refused though it is valid: ${result.error.message}`).toBe(false);
            }
          }),
          { numRuns: Math.max(10, Math.ceil(RUNS / shared.length)) },
        );
      }
      expect(seen.lowered, "some values go through").toBeGreaterThan(0);
      expect(seen.unavailable, "some values are refused").toBeGreaterThan(0);
    },
  );

  it("monotone: what a smaller profile lets through a larger one does too", () => {
    const payloads = payloadsOf(target.revision);
    fc.assert(
      fc.property(
        fc
          .constantFrom(...payloads)
          .chain(({ method, part }) =>
            fc.tuple(fc.constant(method), fc.constant(part), payloadOf(model, target.revision, method, part, { strangers: true })),
          ),
        someProfile(target.revision.id),
        someProfile(target.revision.id),
        ([method, part, value], profile, other) => {
          const smaller = profile.and(other);
          if ("error" in attempt(() => codecOf(target, smaller).lower(method.name, part, value))) return;
          expect(attempt(() => codecOf(target, profile).lower(method.name, part, value))).not.toHaveProperty("error");
        },
      ),
      { numRuns: RUNS },
    );
  });
});

function sharedPayloads(source: Subject, target: Subject): ReturnType<typeof payloadsOf> {
  return payloadsOf(source.revision).filter(({ method }) => target.revision.methods.some((entry) => entry.name === method.name));
}

function attempt(
  run: () => unknown,
):
  | { readonly value: unknown }
  | { readonly error: { readonly code: string; readonly feature: string | undefined; readonly message: string } } {
  try {
    return { value: run() };
  } catch (error) {
    if (isLowerError(error)) return { error };
    throw error;
  }
}
