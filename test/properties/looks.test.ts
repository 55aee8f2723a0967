// A codec looks before it walks: where `odd` or `needs` says no, nothing is repaired and nothing lowered. Codecs without these looks, which walk
// every time, must come to the same results; and a look that always says no must be found out.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindCodec } from "../../runtime/mcp.js";
import { isLowerError, TranslationReport, type Codec, type DegradePolicy, type FeatureProfile } from "../../runtime/index.js";
import type { CodecModule, MethodCodec, PayloadCodec } from "../../runtime/protocol.js";
import { payloadOf, withHoles } from "./arbitrary.js";
import { anyPolicy } from "./policies.js";
import { codecOf, fullProfile, model, payloadsOf, someProfile, subjects, type Subject } from "./subject.js";

const RUNS = 1000;

/** Gives a revision's codec module with the looks of every payload exchanged. */
function withLooks(module: CodecModule, change: (payload: PayloadCodec) => PayloadCodec): CodecModule {
  const methods = [...module.METHODS].map(([name, method]): [string, MethodCodec] => [
    name,
    { ...method, params: change(method.params), ...(method.result === undefined ? {} : { result: change(method.result) }) },
  ]);
  return { ...module, METHODS: new Map(methods) };
}

function blind({ odd: _odd, needs: _needs, ...payload }: PayloadCodec): PayloadCodec {
  return payload;
}

function careless(payload: PayloadCodec): PayloadCodec {
  return {
    ...payload,
    ...(payload.odd === undefined ? {} : { odd: () => false }),
    ...(payload.needs === undefined ? {} : { needs: () => false }),
  };
}

/** What a codec makes of a payload of one revision for a peer of the same: what it lifts, what it writes or refuses, and what it reports. */
function outcome(codec: Codec, method: string, part: "params" | "result", value: unknown, policy: DegradePolicy): unknown {
  const report = new TranslationReport();
  const lifted = codec.lift(method, part, value, report);
  try {
    return { lifted, lowered: codec.lower(method, part, lifted, policy, report), steps: report.steps };
  } catch (error) {
    if (isLowerError(error)) return { lifted, refused: [error.code, error.path, error.feature], steps: report.steps };
    throw error;
  }
}

/** Payloads of any revision that has the method, with nulls here and there. */
function anyPayload(
  subject: Subject,
): fc.Arbitrary<{ readonly method: string; readonly part: "params" | "result"; readonly value: unknown }> {
  return fc.constantFrom(...payloadsOf(subject.revision)).chain(({ method, part }) => {
    const sources = subjects.flatMap(({ revision }) => {
      const same = revision.methods.find((entry) => entry.name === method.name);
      return same === undefined ? [] : [payloadOf(model, revision, same, part, { strangers: true, foreign: true, unknownMembers: true })];
    });
    return fc
      .tuple(fc.oneof(...sources), fc.infiniteStream(fc.nat({ max: 19 })))
      .map(([value, dice]) => ({ method: method.name, part, value: withHoles(value, dice) }));
  });
}

function differs(
  subject: Subject,
  change: (payload: PayloadCodec) => PayloadCodec,
): fc.IPropertyWithHooks<[unknown, FeatureProfile, DegradePolicy]> {
  const module = withLooks(subject.module, change);
  return fc.property(anyPayload(subject), someProfile(subject.revision.id), anyPolicy, ({ method, part, value }, profile, policy) => {
    const looking = outcome(codecOf(subject, profile), method, part, value, policy);
    const walking = outcome(bindCodec(module, profile), method, part, value, policy);
    expect(looking).toEqual(walking);
  }) as fc.IPropertyWithHooks<[unknown, FeatureProfile, DegradePolicy]>;
}

describe.each(subjects.map((subject) => [subject.revision.id, subject] as const))("revision %s", (_, subject) => {
  it("comes to the same whether it looks first or walks every time", () => {
    fc.assert(differs(subject, blind), { numRuns: RUNS });
  });

  it("is found out where its looks say no whatever they see", () => {
    expect(fc.check(differs(subject, careless), { numRuns: RUNS }).failed).toBe(true);
  });

  it("gives a payload back as the same object where both looks say no", () => {
    const codec = codecOf(subject, fullProfile(subject.revision.id));
    const looked = { yes: 0, no: 0 };
    fc.assert(
      fc.property(anyPayload(subject), anyPolicy, ({ method, part, value }, policy) => {
        const payload = subject.module.METHODS.get(method)?.[part];
        if (payload?.odd?.(value) !== false || payload.needs === undefined) return;
        const report = new TranslationReport();
        const context = { bits: codec.profile.bits, hops: false } as never;
        if (payload.needs(value, context)) looked.yes += 1;
        else {
          looked.no += 1;
          expect(codec.lower(method, part, codec.lift(method, part, value, report), policy, report)).toBe(value);
          expect(report.isEmpty).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
    expect(looked.yes > 0 && looked.no > 0, JSON.stringify(looked)).toBe(true);
  });
});
