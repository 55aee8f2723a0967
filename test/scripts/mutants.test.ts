// The faults of `npm run test:mutants` fit the code: each text to replace stands there once, and the tests that should notice are there.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { planted, printOutcomes } from "../../scripts/mutants.js";
import { MUTANTS } from "../../scripts/mutants/table.js";

const path = (below: string): string => fileURLToPath(new URL(`../../${below}`, import.meta.url));

describe("a fault", () => {
  it.each(MUTANTS.map((mutant) => [mutant.fault, mutant] as const))("can be planted: %s", (_, mutant) => {
    const code = readFileSync(path(`runtime/${mutant.file}`), "utf8");
    expect(planted(mutant, code)).not.toBe(code);
    for (const test of mutant.tests) expect(existsSync(path(`test/${test}.test.ts`)), test).toBe(true);
  });

  it("that does not fit, or fits twice, is an error that names it", () => {
    const mutant = { fault: "f", kind: "proxy", file: "a.ts", find: "x", replace: "y", tests: [] } as const;
    for (const code of ["", "xx"]) expect(() => planted(mutant, code)).toThrow(`cannot plant "f"`);
    expect(planted({ ...mutant, replace: "$&" }, "x")).toBe("$&");
  });

  it("is counted, whether or not anybody notices", () => {
    const [mutant] = MUTANTS;
    const outcome = { mutant: mutant!, by: "t", milliseconds: 1 };
    const table = printOutcomes([outcome, { ...outcome, by: undefined }]);
    expect(table).toContain("1 of 2 faults are noticed");
    expect(table).toContain("**nobody**");
  });

  it("has a name of its own, and there are enough of each kind", () => {
    expect(new Set(MUTANTS.map(({ fault }) => fault)).size).toBe(MUTANTS.length);
    expect(MUTANTS.filter(({ kind }) => kind === "proxy").length).toBeGreaterThanOrEqual(23);
    expect(MUTANTS.filter(({ kind }) => kind === "attack").length).toBeGreaterThanOrEqual(10);
  });
});
