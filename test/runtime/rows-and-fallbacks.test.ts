// The rows name fallbacks and the registry holds them: each must know the other.
import { describe, expect, it } from "vitest";
import { FALLBACKS } from "../../runtime/index.js";
import { tables } from "../../runtime/mcp.js";

const GENERAL = ["keep", "skip", "annotate"];

/** Names what only one of the two sides knows. */
function strangers(
  named: readonly string[],
  registered: readonly string[],
): { readonly unregistered: string[]; readonly unnamed: string[] } {
  const actions = [...new Set(named)].filter((action) => !GENERAL.includes(action));
  return {
    unregistered: actions.filter((action) => !registered.includes(action)),
    unnamed: registered.filter((name) => !actions.includes(name)),
  };
}

describe("rows and the registry of fallbacks", () => {
  const named = tables.lowerings.flatMap((lowering) => [...lowering.degrade]);

  it("know each other", () => {
    expect(strangers(named, [...FALLBACKS.keys()])).toEqual({ unregistered: [], unnamed: [] });
  });

  it("would be told apart", () => {
    expect(strangers([...named, "teleport"], [...FALLBACKS.keys(), "unused"])).toEqual({ unregistered: ["teleport"], unnamed: ["unused"] });
  });

  it("agree on where a fallback stands: at a member or at a field", () => {
    for (const { at, degrade } of tables.lowerings) {
      for (const action of degrade.filter((name) => !GENERAL.includes(name))) {
        expect([at, FALLBACKS.get(action)?.kind]).toEqual([at, at.includes("|") ? "member" : "field"]);
      }
    }
  });
});
