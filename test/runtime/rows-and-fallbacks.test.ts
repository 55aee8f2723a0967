// The rows name fallbacks and the registry holds them: each must know the other.
import { describe, expect, it } from "vitest";
import { FALLBACKS } from "../../runtime/index.js";
import { tables as acp } from "../../runtime/acp.js";
import { tables as mcp } from "../../runtime/mcp.js";

const GENERAL = ["keep", "skip", "annotate"];

/** Every place at which something is on offer: a field, a member of a union, or a union whose unknown members are meant. */
const PLACES: readonly { readonly at: string; readonly kinds: readonly string[]; readonly degrade: readonly string[] }[] = [
  ...[...mcp.lowerings, ...acp.lowerings].map(({ at, degrade }) => ({
    at,
    kinds: at.includes("|") ? ["member", "split", "rewrite"] : ["field", "value", "rewrite"],
    degrade,
  })),
  ...[...mcp.unknownMembers, ...acp.unknownMembers].map(({ at, degrade }) => ({ at, kinds: ["member"], degrade })),
];

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

/** Lists the fallbacks that stand where one of another kind would have to. */
function misplaced(places: typeof PLACES): string[] {
  return places.flatMap(({ at, kinds, degrade }) =>
    degrade
      .filter((action) => !GENERAL.includes(action) && !kinds.includes(FALLBACKS.get(action)?.kind ?? ""))
      .map((action) => `${action} at ${at}`),
  );
}

describe("rows and the registry of fallbacks", () => {
  const named = PLACES.flatMap((place) => [...place.degrade]);

  it("know each other", () => {
    expect(strangers(named, [...FALLBACKS.keys()])).toEqual({ unregistered: [], unnamed: [] });
  });

  it("would be told apart", () => {
    expect(strangers([...named, "teleport"], [...FALLBACKS.keys(), "unused"])).toEqual({ unregistered: ["teleport"], unnamed: ["unused"] });
  });

  it("would miss what only unknown members need", () => {
    const withoutUnknown = [...mcp.lowerings, ...acp.lowerings].flatMap((lowering) => [...lowering.degrade]);
    expect(strangers(withoutUnknown, [...FALLBACKS.keys()]).unnamed).toEqual(["unknown-text"]);
  });

  it("agree on where a fallback stands: at a member or at a field", () => {
    expect(misplaced(PLACES)).toEqual([]);
  });

  it("would be seen to disagree", () => {
    const places = [
      { at: "Tool.title", kinds: ["field", "value"], degrade: ["keep", "audio-text", "light-icons", "split-message"] },
      { at: "ContentBlock|AudioContent", kinds: ["member", "split"], degrade: ["text-block", "audio-text", "wrap-schema", "skip"] },
    ];
    expect(misplaced(places)).toEqual([
      "audio-text at Tool.title",
      "split-message at Tool.title",
      "text-block at ContentBlock|AudioContent",
      "wrap-schema at ContentBlock|AudioContent",
    ]);
  });

  it("state two forms where they offer to rewrite, and nowhere else", () => {
    const stating = [...mcp.lowerings, ...acp.lowerings].filter((lowering) => lowering.rewrite !== undefined);
    const offering = [...mcp.lowerings, ...acp.lowerings].filter(({ degrade }) =>
      degrade.some((action) => FALLBACKS.get(action)?.kind === "rewrite"),
    );
    expect(stating).toEqual(offering);
    expect(stating.length).toBeGreaterThan(0);
  });

  it("keep no member of a union, known or not", () => {
    expect(PLACES.filter(({ kinds, degrade }) => kinds.includes("member") && degrade.includes("keep"))).toEqual([]);
  });
});
