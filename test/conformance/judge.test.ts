// What the judge makes of a run: every wrong check is a fault unless the table allows it, and a table that allows too much is one too.
import { describe, expect, it } from "vitest";
import { judge, NO_SUCCESS, type Allowance } from "./judge.js";
import type { Check, Scenario } from "./run.js";

const WIRE: Check = { id: "wire-schema-valid", status: "SUCCESS" };

const scenario = (name: string, ...checks: readonly Check[]): Scenario => ({ name, checks: [...checks, WIRE] });
const allow = (check: string, status: Allowance["status"]): Allowance => ({ scenario: "ping", check, status, reason: "for this test" });

describe("judge", () => {
  it("counts what passed", () => {
    const good = scenario("ping", { id: "a", status: "SUCCESS" }, { id: "b", status: "SKIPPED" }, { id: "c", status: "INFO" });
    expect(judge([good, { ...good, name: "pong" }])).toEqual({ passed: 2, total: 2, faults: [] });
  });

  it.each(["FAILURE", "WARNING"] as const)("takes a %s for a fault", (status) => {
    const bad = scenario("ping", { id: "a", status: "SUCCESS" }, { id: "b", status, errorMessage: "no" });
    expect(judge([bad])).toEqual({ passed: 0, total: 1, faults: [`ping: b: ${status}: no`] });
  });

  it("takes a scenario for a fault that succeeded at nothing", () => {
    const empty = scenario("ping", { id: "a", status: "SKIPPED" });
    expect(judge([empty])).toEqual({ passed: 0, total: 1, faults: [`ping: ${NO_SUCCESS}: WARNING: it succeeded at nothing`] });
    expect(judge([{ name: "ping", checks: [] }]).passed).toBe(0);
    expect(judge([empty], [allow(NO_SUCCESS, "WARNING")])).toEqual({ passed: 1, total: 1, faults: [] });
  });

  it("lets a scenario pass with an allowed warning, but not with an allowed failure", () => {
    const warned = scenario("ping", { id: "a", status: "SUCCESS" }, { id: "b", status: "WARNING" });
    const failed = scenario("ping", { id: "b", status: "FAILURE" });
    expect(judge([warned], [allow("b", "WARNING")])).toEqual({ passed: 1, total: 1, faults: [] });
    expect(judge([failed], [allow("b", "FAILURE")])).toEqual({ passed: 0, total: 1, faults: [] });
    expect(judge([failed], [allow("b", "WARNING")]).faults).toHaveLength(2);
  });

  it("takes an entry for a fault that nothing answers to", () => {
    const good = scenario("ping", { id: "b", status: "SUCCESS" });
    expect(judge([good], [allow("b", "FAILURE")]).faults).toEqual(["ping: b: the baseline allows a FAILURE that is not there"]);
    expect(judge([], [allow("b", "WARNING")]).faults).toHaveLength(1);
  });
});
