// The document says what the presets do: it is what the script would write, and the table answers to the policies themselves.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FALLBACKS } from "../../runtime/index.js";
import { replaceBetween } from "../../scripts/markers.js";
import { offers, printPolicies } from "../../scripts/policies.js";

const FILE = "runtime/policies.md";

test("runtime/policies.md says what the presets do; npm run policies mends it", () => {
  const document = readFileSync(FILE, "utf8");
  expect(replaceBetween(document, "policies", printPolicies(offers()))).toBe(document);
});

test("balanced never loses content", () => {
  for (const { feature, loss, chosen } of offers()) {
    const [balanced = ""] = chosen;
    const isSafe = balanced === "refuse" || balanced === "keep" || (FALLBACKS.get(balanced)?.loss ?? loss) !== "content";
    expect(isSafe, `${feature}: ${balanced}`).toBe(true);
  }
});

test("another choice would show", () => {
  const [first, ...others] = offers();
  const changed = [{ ...first!, chosen: ["refuse", "refuse"] }, ...others];
  expect(printPolicies(changed)).not.toBe(printPolicies(offers()));
});
