// What each policy decides at each place of the toy tables and for members that no revision knows, and what a policy file may say.

import { describe, expect, test } from "vitest";
import { PolicyError } from "../../runtime/errors.js";
import { DegradePolicy } from "../../runtime/policy.js";
import { CapabilitySet } from "../../runtime/profile.js";
import { feature, TOY } from "./toy-tables.js";

const STRICT = DegradePolicy.strict(TOY);
const BALANCED = DegradePolicy.balanced(TOY);
const PERMISSIVE = DegradePolicy.permissive(TOY);

/** Lists the action of a policy for each lowering of the toy tables, in their order. */
function actions(policy: DegradePolicy): readonly string[] {
  return TOY.lowerings.map((lowering) => policy.actionFor(lowering.feature, lowering));
}

/** Runs what has to throw a `PolicyError` and gives it. */
function policyError(run: () => unknown): PolicyError {
  try {
    run();
  } catch (error) {
    if (error instanceof PolicyError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("presets, place by place", () => {
  test("strict refuses everything", () => {
    expect(actions(STRICT)).toEqual(["refuse", "refuse", "refuse", "refuse", "refuse"]);
  });

  test("balanced takes the first action where the content survives", () => {
    expect(actions(BALANCED)).toEqual(["text-block", "embedded-resource", "resource-text", "refuse", "refuse"]);
  });

  test("permissive takes the first action wherever there is one", () => {
    expect(actions(PERMISSIVE)).toEqual(["text-block", "embedded-resource", "resource-text", "skip", "refuse"]);
  });

  test("balanced refuses a content loss whose first action is no fallback, or an unknown one", () => {
    const structured = feature("structured");
    expect(BALANCED.actionFor(structured, { feature: structured, at: "A.b", loss: "content", degrade: ["keep", "text-block"] })).toBe(
      "refuse",
    );
    expect(BALANCED.actionFor(structured, { feature: structured, at: "A.b", loss: "content", degrade: ["constructor"] })).toBe("refuse");
  });
});

describe("with", () => {
  test("orders the action where it is offered and leaves the preset elsewhere", () => {
    expect(actions(STRICT.with(feature("links"), "skip"))).toEqual(["refuse", "refuse", "skip", "skip", "refuse"]);
    expect(actions(STRICT.with(feature("links"), "annotate"))).toEqual(["refuse", "refuse", "refuse", "annotate", "refuse"]);
    expect(actions(BALANCED.with(feature("links"), "annotate"))).toEqual([
      "text-block",
      "embedded-resource",
      "resource-text",
      "annotate",
      "refuse",
    ]);
  });

  test("refuse is on offer everywhere", () => {
    expect(actions(PERMISSIVE.with(feature("links"), "refuse"))).toEqual(["text-block", "embedded-resource", "refuse", "refuse", "refuse"]);
    expect(actions(PERMISSIVE.with(feature("base"), "refuse"))).toEqual(actions(PERMISSIVE));
  });

  test("the last order wins and the policy it was made from stays", () => {
    const first = STRICT.with(feature("structured"), "keep");
    expect(actions(first.with(feature("structured"), "skip"))[0]).toBe("skip");
    expect(actions(first)[0]).toBe("keep");
    expect(actions(STRICT)[0]).toBe("refuse");
  });

  test("an action no place offers is an error that names the choices", () => {
    const error = policyError(() => STRICT.with(feature("structured"), "resource-text"));
    expect(error.code).toBe("unknown-action");
    expect(error.message).toBe(
      'cannot use policy: structured does not offer the action "resource-text" (choose from text-block, keep, skip, refuse)',
    );
    expect(policyError(() => STRICT.with(feature("base"), "skip")).faults[0]?.choices).toEqual(["refuse"]);
  });

  test.each([-1, 40, 0.5, Number.NaN])("%s is no feature", (index) => {
    const error = policyError(() => STRICT.with(index, "skip"));
    expect(error.code).toBe("unknown-feature");
    expect(error.message).toContain(`unknown feature ${index} (choose from base, batching, `);
  });
});

describe("members that no revision knows", () => {
  test.each([
    ["strict refuses them", STRICT, ["refuse", "refuse"]],
    ["balanced takes a fallback that keeps the content", BALANCED, ["unknown-text", "refuse"]],
    ["permissive takes the first action, whatever is lost", PERMISSIVE, ["unknown-text", "skip"]],
    ["an order stands against the preset", STRICT.withUnknown("Block", "skip"), ["skip", "refuse"]],
    ["refuse is on offer everywhere", PERMISSIVE.withUnknown("Block", "refuse"), ["refuse", "skip"]],
    ["the last order wins", STRICT.withUnknown("Block", "skip").withUnknown("Block", "unknown-text"), ["unknown-text", "refuse"]],
    ["an order for a feature is none for them", BALANCED.with(feature("links"), "skip"), ["unknown-text", "refuse"]],
    ["both orders stand", STRICT.withUnknown("Note", "annotate").with(feature("links"), "skip"), ["refuse", "annotate"]],
  ])("%s", (_, policy, want) => {
    expect(policy.unknownActions).toEqual(want);
  });

  test("an order for them leaves the gated places and the policy it was made from", () => {
    const ordered = STRICT.with(feature("links"), "skip").withUnknown("Block", "skip");
    expect(actions(ordered)).toEqual(["refuse", "refuse", "skip", "skip", "refuse"]);
    expect(STRICT.unknownActions).toEqual(["refuse", "refuse"]);
  });

  test("a union that has none is an error that names the choices", () => {
    const error = policyError(() => STRICT.withUnknown("Prompt", "skip"));
    expect([error.code, error.faults[0]?.key]).toEqual(["unknown-union", "Prompt"]);
    expect(error.message).toBe('cannot use policy: unknown union "Prompt" (choose from Block, Note)');
    expect(policyError(() => STRICT.withUnknown("__proto__", "skip")).code).toBe("unknown-union");
  });

  test.each(["keep", "annotate", "text-block", "toString", ""])(
    "%j is on offer nowhere, which is an error that names the choices",
    (action) => {
      const error = policyError(() => STRICT.withUnknown("Block", action));
      expect([error.code, error.faults[0]?.key]).toEqual(["unknown-action", "Block"]);
      expect(error.message).toBe(
        `cannot use policy: Block does not offer the action ${JSON.stringify(action)} (choose from unknown-text, skip, refuse)`,
      );
    },
  );
});

describe("amongEquals", () => {
  test("keeps what may be kept and what no revision knows, and leaves the rest as it was", () => {
    const { actions: own, unknownActions } = BALANCED.amongEquals;
    expect(own).toEqual(TOY.lowerings.map(({ degrade }, index) => (degrade.includes("keep") ? "keep" : BALANCED.actions[index])));
    expect(unknownActions).toEqual(["keep", "keep"]);
    expect(BALANCED.amongEquals).toBe(BALANCED.amongEquals);
    expect(BALANCED.amongEquals.amongEquals).toBe(BALANCED.amongEquals);
  });
});

describe("allows", () => {
  test.each([
    ["strict", STRICT, []],
    ["balanced", BALANCED, ["structured", "sound"]],
    ["permissive", PERMISSIVE, ["structured", "sound", "links"]],
    ["an order for one place of two", STRICT.with(feature("links"), "annotate"), []],
    ["an order for both places", STRICT.with(feature("links"), "skip"), ["links"]],
  ])("%s", (_, policy, want) => {
    const allowed = TOY.features.map((row) => row.id).filter((id) => policy.allows(feature(id)));
    expect(allowed).toEqual(want);
  });
});

describe("accepts", () => {
  const full = CapabilitySet.allFor(TOY, "2022-01").resolve("2022-01", "pipe");

  test("any policy accepts a profile that lacks nothing the rows lower", () => {
    expect(STRICT.accepts(full)).toBe(true);
  });

  test("a feature that nothing lowers does not count", () => {
    expect(STRICT.accepts(full.without(feature("items"), feature("base")))).toBe(true);
  });

  test.each([
    ["structured", [false, true, true]],
    ["sound", [false, true, true]],
    ["links", [false, false, true]],
    ["forms", [false, false, false]],
  ])("without %s: strict, balanced, permissive are %j", (id, want) => {
    const profile = full.without(feature(id));
    expect([STRICT, BALANCED, PERMISSIVE].map((policy) => policy.accepts(profile))).toEqual(want);
  });
});

describe("from", () => {
  test.each([
    ["nothing is strict", {}, actions(STRICT)],
    ["a preset alone", { preset: "balanced" }, actions(BALANCED)],
    ["orders alone", { features: { structured: "keep" } }, ["keep", "refuse", "refuse", "refuse", "refuse"]],
    [
      "both",
      { preset: "permissive", features: { sound: "refuse", links: "annotate" } },
      ["text-block", "refuse", "resource-text", "annotate", "refuse"],
    ],
  ])("%s", (_, record, want) => {
    expect(actions(DegradePolicy.from(TOY, record))).toEqual(want);
  });

  test.each([
    ["unknown members follow the preset", { preset: "balanced" }, ["unknown-text", "refuse"]],
    ["unless the file says otherwise", { preset: "balanced", unknown: { Block: "skip", Note: "annotate" } }, ["skip", "annotate"]],
    ["also beside features", { features: { links: "skip" }, unknown: { Block: "unknown-text" } }, ["unknown-text", "refuse"]],
  ])("%s", (_, record, want) => {
    expect(DegradePolicy.from(TOY, record).unknownActions).toEqual(want);
  });

  test("names the preset it was made from", () => {
    expect(DegradePolicy.from(TOY, { preset: "balanced" }).preset).toBe("balanced");
    expect(DegradePolicy.from(TOY, {}).preset).toBe("strict");
  });

  test("collects all faults", () => {
    const record = JSON.parse(
      '{"preset":"lax","colour":1,"features":{"__proto__":"skip","toString":"skip","links":"drop","sound":true,"structured":"keep"}}',
    ) as unknown;
    const error = policyError(() => DegradePolicy.from(TOY, record));
    expect(error.faults.map(({ code, key }) => [code, key])).toEqual([
      ["unknown-key", "colour"],
      ["unknown-preset", "preset"],
      ["unknown-feature", "__proto__"],
      ["unknown-feature", "toString"],
      ["unknown-action", "links"],
      ["unknown-action", "sound"],
    ]);
    expect(error.message).toContain(
      'unknown key "colour" (choose from preset, features, unknown); unknown preset "lax" (choose from strict, balanced, permissive); ',
    );
    expect(error.message).toContain('links does not offer the action "drop" (choose from resource-text, skip, annotate, refuse)');
    expect(error.message).toContain("sound does not offer the action true (choose from embedded-resource, refuse)");
    expect(error.message.match(/plain\.0/g)).toHaveLength(1);
  });

  test.each([null, undefined, [], "balanced", 1])("%j is no policy", (record) => {
    expect(policyError(() => DegradePolicy.from(TOY, record)).message).toBe("cannot use policy: not a map with preset and features");
  });

  test.each([null, [], "skip"])("features: %j is malformed", (features) => {
    const error = policyError(() => DegradePolicy.from(TOY, { features }));
    expect([error.code, error.faults[0]?.key]).toEqual(["malformed", "features"]);
  });

  test("collects the faults of unknown members with the others", () => {
    const record = JSON.parse(
      '{"features":{"links":"drop"},"unknown":{"__proto__":"skip","Blocks":"skip","Block":"keep","Note":null}}',
    ) as unknown;
    const error = policyError(() => DegradePolicy.from(TOY, record));
    expect(error.faults).toEqual([
      {
        code: "unknown-action",
        key: "links",
        reason: 'links does not offer the action "drop"',
        choices: ["resource-text", "skip", "annotate", "refuse"],
      },
      { code: "unknown-union", key: "__proto__", reason: 'unknown union "__proto__"', choices: ["Block", "Note"] },
      { code: "unknown-union", key: "Blocks", reason: 'unknown union "Blocks"', choices: ["Block", "Note"] },
      {
        code: "unknown-action",
        key: "Block",
        reason: 'Block does not offer the action "keep"',
        choices: ["unknown-text", "skip", "refuse"],
      },
      { code: "unknown-action", key: "Note", reason: "Note does not offer the action null", choices: ["skip", "annotate", "refuse"] },
    ]);
  });

  test.each([null, [], "skip"])("unknown: %j is malformed", (unknown) => {
    const error = policyError(() => DegradePolicy.from(TOY, { unknown }));
    expect([error.code, error.faults[0]?.key]).toEqual(["malformed", "unknown"]);
  });

  test.each([null, "toString", ["strict"], true])("preset: %j is unknown", (preset) => {
    expect(policyError(() => DegradePolicy.from(TOY, { preset })).code).toBe("unknown-preset");
  });
});
