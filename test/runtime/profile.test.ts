// Reading flags, resolving them into a profile, and what a profile says and does, over the toy tables.

import { describe, expect, test } from "vitest";
import { fullCapabilities, hasFlag, readFlag } from "../../runtime/capabilities.js";
import { ProfileError, UnknownRevisionError } from "../../runtime/errors.js";
import { CapabilitySet, FeatureProfile, resolve } from "../../runtime/profile.js";
import type { ProtocolTables } from "../../runtime/protocol.js";
import { knownRevisions } from "../../runtime/revision.js";
import { feature, TOY } from "./toy-tables.js";

const TRANSPORTS = ["pipe", "web", "old-web", null];

/** Lists the ids of the features that are on, without the fillers. */
function enabled(profile: FeatureProfile): readonly string[] {
  return [...profile].map((index) => TOY.features[index]?.id ?? "?").filter((id) => !id.startsWith("plain."));
}

function full(revision: string, transport: string | null = "pipe"): FeatureProfile {
  return CapabilitySet.allFor(TOY, revision).resolve(revision, transport);
}

/** Runs what has to throw a `ProfileError` and gives it. */
function profileError(run: () => unknown): ProfileError {
  try {
    run();
  } catch (error) {
    if (error instanceof ProfileError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("readFlag", () => {
  test.each([
    ["true is a boolean flag", { a: true }, "a", "boolean", true],
    ["an object is an object flag", { a: {} }, "a", "object", true],
    ["a nested flag", { a: { b: { c: true } } }, "a.b.c", "boolean", true],
    ["false is absent", { a: false }, "a", "boolean", false],
    ["an object is no boolean", { a: {} }, "a", "boolean", false],
    ["true is no object", { a: true }, "a", "object", false],
    ["1 is not true", { a: 1 }, "a", "boolean", false],
    ['"true" is not true', { a: "true" }, "a", "boolean", false],
    ["null is no object", { a: null }, "a", "object", false],
    ["an array is no object", { a: [] }, "a", "object", false],
    ["nothing below true", { a: true }, "a.b", "boolean", false],
    ["nothing below null", { a: null }, "a.b", "boolean", false],
    ["nothing below an array", { a: [{ 0: true }] }, "a.0", "object", false],
    ["no length", { a: [] }, "a.length", "boolean", false],
    ["absent", {}, "a", "object", false],
    ["nothing sent", undefined, "a", "object", false],
    ["null sent", null, "a", "object", false],
    ["a string sent", "a", "length", "boolean", false],
    ["an inherited key", Object.create({ a: true }) as unknown, "a", "boolean", false],
    ["a built-in", {}, "constructor", "object", false],
    ["the prototype", {}, "__proto__", "object", false],
    ["an empty path", { a: {} }, "", "object", false],
  ] as const)("%s", (_, capabilities, path, form, want) => {
    expect(readFlag(capabilities, path, form)).toBe(want);
  });

  test("__proto__ is data", () => {
    expect(readFlag(JSON.parse('{"__proto__":{"a":true}}'), "__proto__.a", "boolean")).toBe(true);
    expect(readFlag(JSON.parse('{"__proto__":{"a":true}}'), "a", "boolean")).toBe(false);
  });
});

describe("hasFlag", () => {
  test.each([
    ["present", { forms: { inline: {} } }, true],
    ["implied by an empty object", { forms: {} }, true],
    ["not implied where the object names another", { forms: { link: {} } }, false],
    ["not implied where the flag is malformed", { forms: { inline: null } }, false],
    ["not implied by true", { forms: true }, false],
    ["not implied by an array", { forms: [] }, false],
    ["not implied where nothing is there", {}, false],
  ])("%s", (_, client, want) => {
    expect(hasFlag(TOY, "client", client, "forms.inline", "object")).toBe(want);
  });

  test("an implication is for one side and one flag only", () => {
    expect(hasFlag(TOY, "server", { forms: {} }, "forms.inline", "object")).toBe(false);
    expect(hasFlag(TOY, "client", { forms: {} }, "forms.link", "object")).toBe(false);
  });
});

describe("fullCapabilities", () => {
  test.each([
    ["2020-01", "client", {}],
    ["2020-01", "server", { items: { listChanged: true } }],
    ["2022-01", "client", { forms: { inline: {}, link: {} }, jobs: {}, exchange: true }],
    ["2022-01", "server", { items: { listChanged: true }, hints: {}, work: { jobs: true }, exchange: {} }],
  ] as const)("%s %s", (revision, side, want) => {
    expect(fullCapabilities(TOY, revision, side)).toEqual(want);
  });

  test("an unknown revision has none", () => {
    expect(fullCapabilities(TOY, "toString", "client")).toEqual({});
  });
});

describe("resolve with full capabilities", () => {
  test.each([
    ["2020-01", "pipe", ["base", "transport.pipe", "items", "items.changed", "hints"]],
    ["2020-01", "old-web", ["base", "transport.old-web", "items", "items.changed", "hints"]],
    ["2020-01", "web", ["base", "items", "items.changed", "hints"]],
    ["2020-01", null, ["base", "items", "items.changed", "hints"]],
    ["2021-01", "pipe", ["base", "batching", "transport.pipe", "items", "items.changed", "forms", "hints", "sound"]],
    ["2021-01", "web", ["base", "batching", "transport.web", "items", "items.changed", "forms", "hints", "web.resume", "sound"]],
    ["2021-01", "old-web", ["base", "batching", "items", "items.changed", "forms", "hints", "sound"]],
    [
      "2022-01",
      "web",
      [
        "base",
        "transport.web",
        "items",
        "items.changed",
        "forms",
        "forms.inline",
        "hints",
        "jobs",
        "exchange",
        "web.resume",
        "structured",
        "sound",
        "links",
      ],
    ],
    [
      "2023-01",
      "pipe",
      ["base", "transport.pipe", "items", "items.changed", "forms", "forms.inline", "hints", "jobs", "structured", "sound", "links"],
    ],
  ])("%s over %s", (revision, transport, want) => {
    expect(enabled(full(revision, transport))).toEqual(want);
  });

  test("the toy tables need more than one word", () => {
    expect(TOY.features).toHaveLength(40);
    expect(full("2022-01").bits).toHaveLength(2);
  });
});

describe("resolve by capability", () => {
  test.each([
    ["an object flag", "items", { server: { items: {} } }, true],
    ["a boolean flag", "items.changed", { server: { items: { listChanged: true } } }, true],
    ["a flag that is not exactly true", "items.changed", { server: { items: { listChanged: 1 } } }, false],
    ["a flag of the wrong shape", "items", { server: { items: [] } }, false],
    ["a flag the other side sent", "items", { client: { items: {} } }, false],
    ["an implied flag", "forms.inline", { client: { forms: {} } }, true],
    ["a flag no longer implied", "forms.inline", { client: { forms: { link: {} } } }, false],
    ["both flags, both sent", "exchange", { client: { exchange: true }, server: { exchange: {} } }, true],
    ["both flags, the client's only", "exchange", { client: { exchange: true } }, false],
    ["both flags, the server's only", "exchange", { server: { exchange: {} } }, false],
    ["either flag, the client's", "jobs", { client: { jobs: {} } }, true],
    ["either flag, the server's", "jobs", { server: { work: { jobs: true } } }, true],
    ["either flag, none sent", "jobs", { client: {}, server: {} }, false],
    ["no flag needed", "links", { client: null, server: "x" }, true],
  ] as const)("%s", (_, id, capabilities, want) => {
    const profile = resolve(TOY, { client: undefined, server: undefined, ...capabilities, revision: "2022-01", transport: "pipe" });
    expect(profile.isEnabled(feature(id))).toBe(want);
    expect(profile.explain(feature(id)).enabled).toBe(want);
  });

  test("since: nothing is required before the revision that brought the flag", () => {
    const at = (revision: string, server: unknown) =>
      resolve(TOY, { revision, client: {}, server, transport: null }).isEnabled(feature("hints"));
    expect([at("2020-01", {}), at("2021-01", {}), at("2021-01", { hints: {} }), at("2022-01", { hints: {} })]).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  test("any: where one side's flag is not defined, only the other's counts", () => {
    const at = (client: unknown, server: unknown) =>
      resolve(TOY, { revision: "2023-01", client, server, transport: null }).isEnabled(feature("jobs"));
    expect([at({ jobs: {} }, {}), at({}, { work: { jobs: true } })]).toEqual([false, true]);
  });

  test("a newer peer's flags switch nothing on that the revision lacks", () => {
    const newest = CapabilitySet.allFor(TOY, "2022-01");
    for (const revision of ["2020-01", "2021-01"]) {
      expect(newest.resolve(revision, "web").equals(full(revision, "web"))).toBe(true);
    }
    expect(newest.resolve("2023-01", "pipe").isEnabled(feature("exchange"))).toBe(false);
  });

  test.each([undefined, null, 0, "", "items", [], [{}], true])("%j as capabilities is no capability at all", (rubbish) => {
    const none = resolve(TOY, { revision: "2022-01", client: {}, server: {}, transport: "web" });
    expect(resolve(TOY, { revision: "2022-01", client: rubbish, server: rubbish, transport: "web" }).equals(none)).toBe(true);
  });

  test("tables are kept apart", () => {
    const other: ProtocolTables = { ...TOY, features: TOY.features.slice(0, 3) };
    expect([...CapabilitySet.allFor(other, "2021-01").resolve("2021-01", "pipe")]).toEqual([0, 1, 2]);
    expect(full("2021-01").size).toBe(32);
  });
});

describe("resolve refuses", () => {
  test.each(["2099-01", "toString", ""])("the revision %j", (revision) => {
    expect(() => resolve(TOY, { revision, client: {}, server: {}, transport: "pipe" })).toThrow(UnknownRevisionError);
    expect(() => CapabilitySet.allFor(TOY, revision)).toThrow(UnknownRevisionError);
  });

  test.each(["", "http", "toString", "__proto__"])("the transport %j", (transport) => {
    const error = profileError(() => resolve(TOY, { revision: "2022-01", client: {}, server: {}, transport }));
    expect(error.code).toBe("unknown-transport");
    expect(error.message).toBe(`cannot use transport ${JSON.stringify(transport)}: unknown; known are pipe, web, old-web`);
  });
});

describe("explain", () => {
  const bare = (revision: string, transport: string | null = "pipe") => resolve(TOY, { revision, client: {}, server: {}, transport });
  const major1 = (revision: string) => ({ revision, section: "major", ordinal: 1 });

  test.each([
    [bare("2022-01"), "base", { enabled: true, cite: { revision: "2020-01", page: "basic" }, because: "base is in 2022-01" }],
    [
      bare("2020-01"),
      "links",
      { enabled: false, failed: "revision", cite: major1("2022-01"), because: "links is not in 2020-01: it came with 2022-01" },
    ],
    [
      bare("2022-01"),
      "batching",
      {
        enabled: false,
        failed: "revision",
        cite: { revision: "2022-01", section: "major", ordinal: 1, ref: "PR #416" },
        because: "batching is not in 2022-01: 2022-01 removed it",
      },
    ],
    [
      bare("2020-01"),
      "batching",
      {
        enabled: false,
        failed: "revision",
        cite: { revision: "2021-01", section: "major", ordinal: 3, ref: "PR #228" },
        because: "batching is not in 2020-01: it came with 2021-01",
      },
    ],
    [
      bare("2021-01", "old-web"),
      "transport.old-web",
      {
        enabled: false,
        failed: "revision",
        cite: major1("2020-01"),
        because: "transport.old-web is not in 2021-01: 2020-01 was the last to have it",
      },
    ],
    [
      bare("2022-01"),
      "web.resume",
      { enabled: false, failed: "transport", cite: major1("2020-01"), because: "web.resume needs the transport web: the session has pipe" },
    ],
    [
      bare("2022-01", null),
      "web.resume",
      { enabled: false, failed: "transport", cite: major1("2020-01"), because: "web.resume needs the transport web: the session has none" },
    ],
    [
      full("2020-01", "web"),
      "web.resume",
      {
        enabled: false,
        failed: "transport",
        cite: major1("2020-01"),
        because: "web.resume needs the transport web: 2020-01 does not define it",
      },
    ],
    [
      full("2023-01"),
      "exchange",
      {
        enabled: false,
        failed: "flag",
        missing: { side: "server", flag: "exchange" },
        cite: major1("2022-01"),
        because: "exchange needs the server capability exchange: 2023-01 does not define it",
      },
    ],
    [
      bare("2022-01"),
      "items.changed",
      {
        enabled: false,
        failed: "capability",
        missing: { side: "server", flag: "items.listChanged" },
        cite: major1("2020-01"),
        because: "items.changed needs the server capability items.listChanged: not advertised",
      },
    ],
    [
      bare("2022-01"),
      "jobs",
      {
        enabled: false,
        failed: "capability",
        missing: { side: "client", flag: "jobs" },
        cite: major1("2022-01"),
        because: "jobs needs the client capability jobs or the server capability work.jobs: not advertised",
      },
    ],
    [
      full("2022-01").without(feature("links")),
      "links",
      { enabled: false, failed: "excluded", cite: major1("2022-01"), because: "links was taken out of this profile" },
    ],
    [
      full("2022-01").and(bare("2022-01")),
      "items",
      { enabled: false, failed: "excluded", cite: major1("2020-01"), because: "items was taken out of this profile" },
    ],
    [
      bare("2020-01").with(feature("links")),
      "links",
      {
        enabled: true,
        cite: major1("2022-01"),
        because: "links was put into this profile, although links is not in 2020-01: it came with 2022-01",
      },
    ],
    [
      FeatureProfile.parse(TOY, full("2022-01").toString()),
      "items",
      { enabled: true, cite: major1("2020-01"), because: "items is in 2022-01" },
    ],
  ])("%s %s", (profile, id, want) => {
    expect(profile.explain(feature(id))).toStrictEqual({ feature: id, ...want });
  });

  test("agrees with resolve for every revision, transport, feature and a range of capabilities", () => {
    const clients: readonly unknown[] = [
      undefined,
      {},
      { forms: {} },
      { forms: { link: {} }, exchange: true },
      { forms: [], jobs: {}, exchange: {} },
      Object.create({ forms: {}, jobs: {} }),
      fullCapabilities(TOY, "2022-01", "client"),
    ];
    const servers: readonly unknown[] = [
      null,
      {},
      { items: {} },
      { items: { listChanged: "true" }, work: { jobs: true }, hints: {} },
      { items: true, exchange: {} },
      JSON.parse('{"__proto__":{"items":{"listChanged":true}},"toString":{}}'),
      fullCapabilities(TOY, "2022-01", "server"),
    ];
    const sessions = knownRevisions(TOY).flatMap((revision) =>
      TRANSPORTS.flatMap((transport) => clients.flatMap((client) => servers.map((server) => ({ revision, transport, client, server })))),
    );
    const disagreements = sessions.flatMap((session) => {
      const profile = resolve(TOY, session);
      const explained = [...TOY.features.keys()].map((index) => profile.explain(index));
      // A feature that is on against the conditions is explained as put in, one that is off although they hold as taken out.
      return explained.filter(({ because }) => /was (put into|taken out)/.test(because)).map((explanation) => [session, explanation]);
    });
    expect(sessions).toHaveLength(4 * 4 * 7 * 7);
    expect(disagreements).toEqual([]);
  });

  test.each([-1, 40, 63, 0.5, Number.NaN])("refuses the index %s", (index) => {
    const error = profileError(() => full("2022-01").explain(index));
    expect([error.code, error.message]).toEqual(["unknown-feature", `cannot use feature ${index}: the table has 0 to 39`]);
  });
});

describe("FeatureProfile", () => {
  const profile = full("2022-01", "web");
  const links = feature("links");
  const batching = feature("batching");

  test("isEnabled is off beyond the table", () => {
    expect([-1, 40, 63, 64, 1000].map((index) => profile.isEnabled(index))).toEqual([false, false, false, false, false]);
  });

  test("carries what it was resolved from", () => {
    const client = { forms: {} };
    const resolved = CapabilitySet.of(TOY, client, null).resolve("2022-01", null);
    expect(resolved).toMatchObject({ revision: "2022-01", transport: null });
    expect(resolved.capabilities.client).toBe(client);
    expect(resolved.capabilities.server).toBe(null);
  });

  test("with and without give new profiles, across the word boundary", () => {
    const ids = [0, 31, 32, 39];
    const none = profile.without(...ids);
    expect(ids.map((index) => none.isEnabled(index))).toEqual([false, false, false, false]);
    expect(ids.map((index) => none.with(...ids).isEnabled(index))).toEqual([true, true, true, true]);
    expect(none.size).toBe(profile.size - 4);
    expect(none.with(...ids).equals(profile)).toBe(true);
    expect(ids.map((index) => profile.isEnabled(index))).toEqual([true, true, true, true]);
  });

  test("with may put in what the revision lacks", () => {
    expect(profile.isEnabled(batching)).toBe(false);
    expect(profile.with(batching).isEnabled(batching)).toBe(true);
    expect(profile.isEnabled(batching)).toBe(false);
  });

  test("with and without refuse what is no feature", () => {
    expect(profileError(() => profile.with(40)).code).toBe("unknown-feature");
    expect(profileError(() => profile.without(links, -1)).code).toBe("unknown-feature");
  });

  test("and keeps what both have and this one's session", () => {
    const older = full("2021-01", "web");
    const both = profile.and(older);
    expect([...both]).toEqual([...profile].filter((index) => older.isEnabled(index)));
    expect([both.revision, both.transport, both.capabilities]).toEqual(["2022-01", "web", profile.capabilities]);
    expect(profile.and(profile).equals(profile)).toBe(true);
  });

  test("and refuses a profile of other tables", () => {
    const other = CapabilitySet.allFor({ ...TOY }, "2022-01").resolve("2022-01", "web");
    expect(profileError(() => profile.and(other)).code).toBe("other-protocol");
  });

  test("equals compares revision, transport and features, not capabilities", () => {
    const again = full("2022-01", "web");
    const bare = resolve(TOY, { revision: "2022-01", client: {}, server: {}, transport: "web" });
    const also = resolve(TOY, { revision: "2022-01", client: { x: 1 }, server: {}, transport: "web" });
    expect(profile.equals(again)).toBe(true);
    expect(bare.equals(also)).toBe(true);
    expect(profile.equals(bare)).toBe(false);
    expect(profile.equals(profile.without(links))).toBe(false);
    expect(full("2022-01", null).equals(full("2022-01", "old-web"))).toBe(false);
    expect(full("2022-01").equals(new FeatureProfile(TOY, "2023-01", "pipe", profile.capabilities, full("2022-01").bits))).toBe(false);
  });

  test("iterates in table order and counts", () => {
    const indices = [...profile];
    expect(indices).toEqual([...indices].sort((a, b) => a - b));
    expect(indices).toEqual([...TOY.features.keys()].filter((index) => profile.isEnabled(index)));
    expect(profile.size).toBe(indices.length);
    expect(profile.without(...indices).size).toBe(0);
  });
});

describe("text form", () => {
  test("is revision, transport and words", () => {
    const none = full("2022-01").without(...TOY.features.keys());
    expect(none.toString()).toBe("2022-01|pipe|00000000,00000000");
    expect(none.with(0, 31, 33).toString()).toBe("2022-01|pipe|80000001,00000002");
    expect(String(full("2022-01", null).without(...TOY.features.keys()))).toBe("2022-01||00000000,00000000");
  });

  test("round-trips for every revision and transport", () => {
    for (const revision of knownRevisions(TOY)) {
      for (const transport of TRANSPORTS) {
        const profile = full(revision, transport);
        const parsed = FeatureProfile.parse(TOY, profile.toString());
        expect(parsed.equals(profile)).toBe(true);
        expect(parsed.toString()).toBe(profile.toString());
        expect(parsed.capabilities).toEqual({ client: undefined, server: undefined });
      }
    }
  });

  test("a parsed profile blames the capability for what is off", () => {
    const parsed = FeatureProfile.parse(TOY, full("2022-01").without(feature("items")).toString());
    expect(parsed.explain(feature("items"))).toMatchObject({ enabled: false, failed: "capability" });
  });

  test.each([
    ["", "not revision|transport|words"],
    ["2022-01", "not revision|transport|words"],
    ["2022-01|pipe", "not revision|transport|words"],
    ["2022-01|pipe|00000000,00000000|", "not revision|transport|words"],
    ["2022-01|pipe|", "2 words wanted, 1 given"],
    ["2022-01|pipe|00000000", "2 words wanted, 1 given"],
    ["2022-01|pipe|00000000,00000000,00000000", "2 words wanted, 3 given"],
    ["2022-01|pipe|00000000,0", '"0" is not eight hexadecimal digits'],
    ["2022-01|pipe|0000000g,00000000", '"0000000g" is not eight hexadecimal digits'],
    ["2022-01|pipe|0000000A,00000000", '"0000000A" is not eight hexadecimal digits'],
    ["2022-01|pipe|00000000, 0000000", '" 0000000" is not eight hexadecimal digits'],
    ["2022-01|pipe|00000000,0000000\n", '"0000000\\n" is not eight hexadecimal digits'],
    ["2022-01|pipe|00000000,00000100", "there are only 40 features"],
    ["2022-01|pipe|00000000,80000000", "there are only 40 features"],
  ])("refuses %j", (text, reason) => {
    const error = profileError(() => FeatureProfile.parse(TOY, text));
    expect([error.code, error.message]).toEqual(["malformed-text", `cannot parse profile ${JSON.stringify(text)}: ${reason}`]);
  });

  test("refuses unknown transports and revisions", () => {
    expect(profileError(() => FeatureProfile.parse(TOY, "2022-01|http|00000000,00000000")).code).toBe("unknown-transport");
    expect(() => FeatureProfile.parse(TOY, "2099-01|pipe|00000000,00000000")).toThrow(UnknownRevisionError);
  });
});

describe("CapabilitySet", () => {
  test("allFor has both sides at their fullest", () => {
    const set = CapabilitySet.allFor(TOY, "2021-01");
    expect([set.client, set.server]).toEqual([{ forms: {} }, { items: { listChanged: true }, hints: {} }]);
  });

  test("withClient and withServer replace one side and leave the set alone", () => {
    const set = CapabilitySet.allFor(TOY, "2021-01");
    const changed = set.withClient({}).withServer({ items: {} });
    expect([changed.client, changed.server]).toEqual([{}, { items: {} }]);
    expect(set.client).toEqual({ forms: {} });
    expect(set.withClient(null).server).toBe(set.server);
    expect(enabled(changed.resolve("2021-01", "web"))).toEqual(["base", "batching", "transport.web", "items", "web.resume", "sound"]);
  });
});
