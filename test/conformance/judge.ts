// Says what is wrong with what the suite found. Some scenarios pass without looking at anything, so each must have one success at least; what may
// go wrong all the same stands in a table with the reason, and an entry of that table that nothing answers to is itself a fault.
import type { Check, Scenario } from "./run.js";

/** One check that may go wrong in a scenario, and why. */
export interface Allowance {
  readonly scenario: string;
  /** The id of the check, or NO_SUCCESS. */
  readonly check: string;
  readonly status: "FAILURE" | "WARNING";
  readonly reason: string;
}

/** What is thought of a run. */
export interface Verdict {
  /** How many scenarios have no failure and no warning but what is allowed; a scenario with an allowed failure is not among them. */
  readonly passed: number;
  readonly total: number;
  /** What is wrong and not allowed, one line each; empty where all is well. */
  readonly faults: readonly string[];
}

/** The check that fails where a scenario has no success; a warning, as the suite lets it pass. */
export const NO_SUCCESS = "no-success";

/** The check every scenario has, whatever it looked at. */
const WIRE_CHECK = "wire-schema-valid";

/** Judges a run by a table of what may go wrong in it. */
export function judge(scenarios: readonly Scenario[], baseline: readonly Allowance[] = []): Verdict {
  const used = new Set<Allowance>();
  const faults: string[] = [];
  let passed = 0;
  for (const scenario of scenarios) {
    const wrong = wrongIn(scenario);
    const unallowed = wrong.filter(({ id, status }) => {
      const allowances = baseline.filter((entry) => entry.scenario === scenario.name && entry.check === id && entry.status === status);
      for (const entry of allowances) used.add(entry);
      return allowances.length === 0;
    });
    faults.push(...unallowed.map(({ id, status, errorMessage }) => `${scenario.name}: ${id}: ${status}: ${errorMessage ?? "no message"}`));
    if (unallowed.length === 0 && wrong.every(({ status }) => status === "WARNING")) passed += 1;
  }
  const stale = baseline.filter((entry) => !used.has(entry));
  faults.push(...stale.map(({ scenario, check, status }) => `${scenario}: ${check}: the baseline allows a ${status} that is not there`));
  return { passed, total: scenarios.length, faults };
}

function wrongIn({ checks }: Scenario): readonly Check[] {
  const wrong = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const looked = checks.some(({ id, status }) => status === "SUCCESS" && id !== WIRE_CHECK);
  if (looked || wrong.some(({ status }) => status === "FAILURE")) return wrong;
  return [...wrong, { id: NO_SUCCESS, status: "WARNING", errorMessage: "it succeeded at nothing" }];
}
