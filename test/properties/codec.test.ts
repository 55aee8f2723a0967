// The properties every codec must have, over every method of every revision: identity, total, sound and honest.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLowerError, TranslationReport } from "../../runtime/index.js";
import { DegradePolicy as policies, tables } from "../../runtime/mcp.js";
import { anyJson, payloadOf, withHoles } from "./arbitrary.js";
import { anyPolicy } from "./policies.js";
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
          const lifted = codec.lift(method, part, value, report);
          // A few tolerances read a valid value as what every peer means by it; then it is they that changed it, and they say so.
          fc.pre(report.steps.every((step) => !READS_VALID_VALUES.includes(step.detail ?? "")));
          const back = codec.lower(method, part, lifted, undefined, report);
          expect(back).toEqual(before);
          expect(back === value).toBe(true);
          expect(report.isEmpty).toBe(true);
        }),
        { numRuns: runsPer(payloads.length) },
      );
    },
  );

  it("identity holds for fields that only other revisions know, under a policy that keeps them or where they are somebody's own", () => {
    fc.assert(
      fc.property(
        fc
          .constantFrom(...payloads)
          .chain(({ method, part }) =>
            fc.tuple(
              fc.constant(method.name),
              fc.constant(part),
              payloadOf(model, subject.revision, method, part, { strangers: true, foreign: true }),
            ),
          ),
        ([method, part, value]) => {
          const before = structuredClone(value);
          const report = new TranslationReport();
          const lowered = lowerOrRefuse(() => codec.lower(method, part, codec.lift(method, part, value, report), KEEPING, report));
          if (lowered !== REFUSED && report.isEmpty) expect(lowered.value).toEqual(before);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it("total: lift takes any JSON value at any method, never writes to it, and has nothing to repair in what it gives", () => {
    fc.assert(
      fc.property(fc.constantFrom(...payloads), anyJson, ({ method, part }, value) => {
        const before = structuredClone(value);
        const report = new TranslationReport();
        const lifted = codec.lift(method.name, part, value, report);
        expect(value).toEqual(before);
        expect(report.isEmpty).toBe(lifted === value);
        expect(codec.lift(method.name, part, lifted)).toBe(lifted);
      }),
      { numRuns: RUNS },
    );
  });

  it("total: nulls anywhere in a payload are repaired or left alone, once", () => {
    fc.assert(
      fc.property(
        fc
          .constantFrom(...payloads)
          .chain(({ method, part }) =>
            fc.tuple(
              fc.constant(method.name),
              fc.constant(part),
              payloadOf(model, subject.revision, method, part, { strangers: true }),
              fc.infiniteStream(fc.nat({ max: 3 })),
            ),
          ),
        ([method, part, value, dice]) => {
          const holey = withHoles(value, dice);
          const report = new TranslationReport();
          const lifted = codec.lift(method, part, holey, report);
          expect(report.isEmpty).toBe(lifted === holey);
          expect(codec.lift(method, part, lifted)).toBe(lifted);
        },
      ),
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
    ["strict", fc.constant(policies.strict())],
    ["balanced", fc.constant(policies.balanced())],
    ["permissive", fc.constant(policies.permissive())],
    ["any policy", anyPolicy],
  ] as const)("sound and honest under %s", (_, chosen) => {
    for (const { method, part } of shared) {
      const validate = target.validators.get(method.name)?.[part];
      const wild = { strangers: true, foreign: true, unknownMembers: true };
      fc.assert(
        fc.property(payloadOf(model, source.revision, method, part, wild), chosen, (value, policy) => {
          const before = structuredClone(value);
          const report = new TranslationReport();
          const lifted = lifting.lift(method.name, part, value);
          const lowered = lowerOrRefuse(() => lowering.lower(method.name, part, lifted, policy, report));
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
          expect(report.isEmpty, "the report is empty where nothing changed, and only there").toBe(same(lowered.value, lifted));
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

/** The tolerances that look for a value the schema allows. */
const READS_VALID_VALUES = model.tolerances.filter((tolerance) => tolerance.repair === "drop-value").map((tolerance) => tolerance.id);

/** Keeps whatever may be kept. */
const KEEPING = policies.from({
  preset: "permissive",
  features: Object.fromEntries(
    tables.lowerings.filter((entry) => entry.degrade.includes("keep")).map((entry) => [tables.features[entry.feature]?.id ?? "", "keep"]),
  ),
});

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
