// The driver clients alone: each does all that the suite's mock servers of its own era wait for.
import { describe, expect, it } from "vitest";
import { CLIENT_SCENARIOS } from "./client-scenarios.js";
import { judge } from "./judge.js";
import { driver, script } from "./program.js";
import { runClient } from "./run.js";

for (const era of ["legacy", "modern"] as const) {
  const { revision, scenarios } = CLIENT_SCENARIOS[era];
  describe(`the ${era} driver alone`, () => {
    it.each(scenarios)("passes %s", async (scenario) => {
      const found = await runClient({ command: driver(era), scenario, revision });
      expect(judge([found])).toEqual({ passed: 1, total: 1, faults: [] });
    });
  });
}

describe("a driver with something between", () => {
  it.each([
    { era: "legacy", revision: "2025-11-25" },
    { era: "modern", revision: "2026-07-28" },
  ] as const)("reaches the mock server through it: $era", async ({ era, revision }) => {
    const through = script("test/conformance/pass-through.ts", "{url}");
    const found = await runClient({ command: driver(era), scenario: "tools_call", revision, through });
    expect(judge([found])).toEqual({ passed: 1, total: 1, faults: [] });
  });
});

describe("the runner says no", () => {
  it.each([
    { era: "legacy", revision: "2026-07-28", scenario: "tools_call" },
    { era: "modern", revision: "2025-11-25", scenario: "tools_call" },
  ] as const)("to the $era driver across the eras", async ({ era, revision, scenario }) => {
    const found = await runClient({ command: driver(era), scenario, revision });
    expect(judge([found])).toMatchObject({ passed: 0, total: 1 });
  });
});
