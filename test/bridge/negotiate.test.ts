// Which revision a hop gets: by handshake on either side of it, and after a refusal.
import { describe, expect, it } from "vitest";
import { greet, mutualModern, narrowed, nextHandshake, nothingMutual, settle, supportedIn } from "../../runtime/bridge/negotiate.js";
import { REVISIONS } from "../../runtime/mcp.js";

const MODERN = "2026-07-28";
const ALL: readonly string[] = REVISIONS.map((entry) => entry.revision);
const LEGACY = ALL.filter((revision) => revision !== MODERN);

function ask(protocolVersion: unknown): object {
  return { protocolVersion, capabilities: {}, clientInfo: { name: "c", version: "1" } };
}

describe("greet", () => {
  it.each<readonly [string, unknown, readonly string[], string]>([
    ["what is served", ask("2025-03-26"), ALL, "2025-03-26"],
    ["what nobody knows", ask("1999-01-01"), ALL, "2025-11-25"],
    ["what is not served", ask("2025-11-25"), ["2024-11-05", "2025-06-18"], "2025-06-18"],
    ["a modern revision", ask(MODERN), ALL, "2025-11-25"],
    ["what is forced", ask("2025-11-25"), narrowed(ALL, "2024-11-05"), "2024-11-05"],
    ["what objects have by nature", ask("constructor"), ALL, "2025-11-25"],
  ])("answers a request for %s", (_name, params, served, revision) => {
    expect(greet(params, served)).toEqual({ revision });
  });

  it.each<readonly [string, unknown, readonly string[], number, RegExp]>([
    ["nothing", { _meta: {} }, ALL, -32602, /protocolVersion, capabilities, clientInfo missing/],
    ["no params", undefined, ALL, -32602, /protocolVersion, capabilities, clientInfo missing/],
    ["a number", ask(5), ALL, -32602, /not a string/],
    ["a legacy revision of a modern server", ask("2025-11-25"), [MODERN], -32022, /supported are 2026-07-28/],
  ])("refuses a request for %s", (_name, params, served, code, says) => {
    expect(greet(params, served)).toEqual({ error: expect.objectContaining({ code, message: expect.stringMatching(says) }) });
  });
});

describe("narrowed", () => {
  it("leaves what nobody forces, and refuses what no table has", () => {
    expect(narrowed(ALL, undefined)).toBe(ALL);
    expect(() => narrowed(ALL, "2099-01-01")).toThrow(/cannot use revision "2099-01-01"/);
  });
});

describe("settle", () => {
  it.each<readonly [string, unknown, object]>([
    ["what was asked for", "2025-11-25", { revision: "2025-11-25" }],
    ["something older", "2024-11-05", { revision: "2024-11-05" }],
    [
      "something unknown",
      "1999-01-01",
      { offered: "1999-01-01", refused: expect.stringMatching(/offers 1999-01-01, spoken are 2025-11-25/) },
    ],
    ["something modern", MODERN, { offered: MODERN, refused: expect.stringMatching(/no handshake/) }],
    ["a number", 5, { offered: 5, refused: expect.stringMatching(/no protocol version/) }],
    ["nothing", undefined, { offered: undefined, refused: expect.stringMatching(/no protocol version/) }],
  ])("judges %s", (_name, protocolVersion, settlement) => {
    expect(settle({ protocolVersion, capabilities: {} }, ALL)).toEqual(settlement);
  });

  it("refuses what is known and not spoken, and what is no result", () => {
    expect(settle({ protocolVersion: "2024-11-05" }, ["2025-11-25"])).toHaveProperty("refused");
    expect(settle({ protocolVersion: "2024-11-05" }, [MODERN])).toHaveProperty("refused", expect.stringMatching(/none with a handshake/));
    expect(settle(null, ALL)).toHaveProperty("refused");
  });
});

function refusal(code: number, supported?: unknown): object {
  return { code, message: "no", data: { supported, requested: "x" } };
}

describe("supportedIn", () => {
  it.each<readonly [string, unknown, readonly string[] | undefined]>([
    ["a modern refusal", refusal(-32022, [MODERN]), [MODERN]],
    ["a legacy refusal", refusal(-32602, ["2024-11-05"]), ["2024-11-05"]],
    ["bad params of another kind", { code: -32602, message: "no" }, undefined],
    ["a list that is none", refusal(-32022, MODERN), undefined],
    ["a list of numbers", refusal(-32022, [1]), undefined],
    ["another error", refusal(-32601, [MODERN]), undefined],
    ["no error", undefined, undefined],
  ])("reads %s", (_name, error, supported) => {
    expect(supportedIn(error)).toEqual(supported);
  });
});

describe("mutualModern", () => {
  it.each<readonly [readonly string[], readonly string[], readonly string[], string | undefined]>([
    [[MODERN, "2027-01-15"], ALL, [], MODERN],
    [[MODERN], ALL, [MODERN], undefined],
    [LEGACY, ALL, [], undefined],
    [[MODERN], LEGACY, [], undefined],
  ])("of %j and %j, tried %j, is %s", (supported, spoken, tried, revision) => {
    expect(mutualModern(supported, spoken, tried)).toBe(revision);
  });
});

describe("nextHandshake", () => {
  it.each<readonly [string, unknown, readonly string[], string | undefined]>([
    ["the newest listed", refusal(-32602, ["2024-11-05", "2025-03-26"]), ["2025-11-25"], "2025-03-26"],
    ["one that was not tried", refusal(-32602, ["2024-11-05", "2025-03-26"]), ["2025-11-25", "2025-03-26"], "2024-11-05"],
    ["nothing where all listed were tried", refusal(-32602, ["2024-11-05"]), ["2024-11-05"], undefined],
    ["nothing where only modern ones are listed", refusal(-32022, [MODERN]), ["2025-11-25"], undefined],
    ["the next older one without a list", { code: -32600, message: "no" }, ["2025-11-25"], "2025-06-18"],
    ["nothing below the oldest", { code: -32600, message: "no" }, ["2024-11-05"], undefined],
    ["nothing after so many", { code: -32600, message: "no" }, ["a", "b", "c", "2025-11-25"], undefined],
  ])("gives %s", (_name, error, tried, revision) => {
    expect(nextHandshake(error, ALL, tried)).toBe(revision);
  });

  it("says what either side has in the end", () => {
    expect(nothingMutual(["2025-11-25"], ["1999-01-01"])).toBe(
      "no revision is spoken on both sides: spoken are 2025-11-25, the server supports 1999-01-01",
    );
    expect(nothingMutual([], undefined)).toMatch(/spoken are none, the server does not say/);
  });
});
