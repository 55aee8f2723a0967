// The properties every codec must have, over every method of every revision: identity, total, sound and honest.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLowerError, TranslationReport } from "../../runtime/index.js";
import { DegradePolicy as policies } from "../../runtime/mcp.js";
import { anyJson, payloadOf } from "./arbitrary.js";
import { codecOf, fullProfile, model, payloadsOf, subjectOf, subjects } from "./subject.js";

const RUNS = 1000;

/** Spreads the runs of a property over a table, so that the table as a whole gets at least RUNS. */
function runsPer(count: number): number {
  return Math.max(5, Math.ceil(RUNS / count));
}

describe.each(subjects.map((subject) => [subject.revision.id, subject] as const))("revision %s", (_, subject) => {
  const payloads = payloadsOf(subject.revision);
  const codec = codecOf(subject);

  it("generates only values that are valid at the revision, so the properties below speak of real messages", () => {
    for (const { method, part } of payloads) {
      const validate = subject.validators.get(method.name)?.[part];
      fc.assert(
        fc.property(payloadOf(model, subject.revision, method, part, { strangers: true }), (value) => {
          expect(validate?.(value ?? {}), `${method.name} ${part}`).toBe(true);
        }),
        { numRuns: 20 },
      );
    }
  });

  it.each(payloads.map(({ method, part }) => [method.name, part] as const))(
    "identity: %s %s comes back as the same object",
    (method, part) => {
      const entry = subject.revision.methods.find((candidate) => candidate.name === method);
      fc.assert(
        fc.property(payloadOf(model, subject.revision, entry!, part, { strangers: true }), (value) => {
          const before = structuredClone(value);
          const report = new TranslationReport();
          const back = codec.lower(method, part, codec.lift(method, part, value), undefined, report);
          expect(back).toEqual(before);
          expect(back === value).toBe(true);
          expect(report.isEmpty).toBe(true);
        }),
        { numRuns: runsPer(payloads.length) },
      );
    },
  );

  it("total: lift takes any JSON value at any method and gives it back", () => {
    fc.assert(
      fc.property(fc.constantFrom(...payloads), anyJson, ({ method, part }, value) => {
        expect(codec.lift(method.name, part, value)).toBe(value);
      }),
      { numRuns: RUNS },
    );
  });

  it("lower never throws anything but a LowerError, whatever it is given", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...payloads),
        anyJson,
        fc.constantFrom(policies.strict(), policies.permissive()),
        ({ method, part }, value, policy) => {
          expect(outcome(() => codec.lower(method.name, part, value, policy))).not.toBe("another error");
        },
      ),
      { numRuns: RUNS },
    );
  });
});

const pairs = subjects.flatMap((from) => subjects.filter((to) => to !== from).map((to) => [from.revision.id, to.revision.id] as const));

describe.each(pairs)("from %s to %s", (from, to) => {
  const source = subjectOf(from);
  const target = subjectOf(to);
  const lifting = codecOf(source);
  const lowering = codecOf(target, fullProfile(to));
  const shared = payloadsOf(source.revision).filter(({ method }) => target.revision.methods.some((other) => other.name === method.name));

  it.each([
    ["strict", policies.strict()],
    ["balanced", policies.balanced()],
    ["permissive", policies.permissive()],
  ] as const)("sound and honest under %s", (_, policy) => {
    for (const { method, part } of shared) {
      const validate = target.validators.get(method.name)?.[part];
      fc.assert(
        fc.property(payloadOf(model, source.revision, method, part, { strangers: true }), (value) => {
          const before = structuredClone(value);
          const report = new TranslationReport();
          const lowered = lowerOrRefuse(() => lowering.lower(method.name, part, lifting.lift(method.name, part, value), policy, report));
          expect(value, "the value itself is never written to").toEqual(before);
          if (lowered === REFUSED) {
            expect(report.isEmpty, "a refusal leaves no step").toBe(true);
            return;
          }
          const isValid = validate?.(lowered.value ?? {});
          expect(
            isValid,
            `${method.name} ${part}: ${JSON.stringify(validate?.errors)} in ${JSON.stringify(lowered.value)} from ${JSON.stringify(before)}`,
          ).toBe(true);
          expect(report.isEmpty).toBe(same(lowered.value, before));
        }),
        { numRuns: runsPer(shared.length) },
      );
    }
  });

  it("a method the target does not have is refused with the feature that would have it", () => {
    for (const { method, part } of payloadsOf(source.revision).filter(
      (payload) => !shared.some((other) => other.method.name === payload.method.name),
    )) {
      const refusal = thrown(() => lowering.lower(method.name, part, {}));
      expect(isLowerError(refusal) && refusal.code).toBe("feature-unavailable");
      expect(isLowerError(refusal) && refusal.feature).toBe(model.features[method.feature]?.id);
      expect(isLowerError(refusal) && refusal.condition).toBe("revision");
    }
  });
});

const REFUSED = Symbol("refused");

function lowerOrRefuse(lower: () => unknown): { readonly value: unknown } | typeof REFUSED {
  try {
    return { value: lower() };
  } catch (error) {
    if (isLowerError(error)) return REFUSED;
    throw error;
  }
}

function outcome(lower: () => unknown): "value" | "refusal" | "another error" {
  try {
    lower();
    return "value";
  } catch (error) {
    return isLowerError(error) ? "refusal" : "another error";
  }
}

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
