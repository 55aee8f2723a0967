// Every named error on every way between two revisions; and that what is no named error stays the same object.
import { describe, expect, it } from "vitest";
import {
  isLowerError,
  ORIGINAL_ERROR_KEY,
  TranslationReport,
  type DegradePolicy as Policy,
  type ErrorJourney,
  type ReportStep,
  type Wire,
} from "../../runtime/index.js";
import { DegradePolicy, ERROR_CODES, Feature, knownRevisions, REVISIONS, tables, translateError } from "../../runtime/mcp.js";

type Code = keyof (typeof ERROR_CODES)["2025-11-25"] | keyof (typeof ERROR_CODES)["2026-07-28"];

const ALL = REVISIONS.map(({ revision }) => revision as string);
const LEGACY = ALL.slice(0, -1);
const MODERN = "2026-07-28";
const PAIRS = ALL.flatMap((from) => ALL.map((to) => [from, to] as const));

const VERSIONS = { supported: ["2025-06-18"], requested: "2027-01-01" };
const URLS = { elicitations: [{ mode: "url", elicitationId: "e1", url: "https://example.invalid/auth", message: "connect" }] };
const ASKED = { uri: "file:///nope" };

/** An error as a revision writes it, the request it answers, and what is to become of it: a code, or how it stays. */
interface Case {
  readonly method?: string;
  readonly params?: unknown;
  readonly data?: unknown;
  readonly at: readonly string[];
  /** What a peer at `to` gets from one at `from`: an error with other members, or the same object. */
  readonly becomes: (from: string, to: string) => Partial<Record<"code" | "data", unknown>> | "same";
  readonly step: (from: string, to: string) => Partial<ReportStep> | undefined;
}

const isModern = (revision: string) => revision === MODERN;
const crosses = (from: string, to: string) => isModern(from) !== isModern(to);
const ALWAYS: Pick<Case, "at" | "becomes" | "step"> = { at: ALL, becomes: () => "same", step: () => undefined };

const CASES: Readonly<Record<Code, Case>> = {
  PARSE_ERROR: ALWAYS,
  INVALID_REQUEST: ALWAYS,
  METHOD_NOT_FOUND: ALWAYS,
  INVALID_PARAMS: { ...ALWAYS, method: "tools/call", params: { name: "x" }, data: { uri: "x", supported: [], requested: "x" } },
  INTERNAL_ERROR: ALWAYS,
  RESOURCE_NOT_FOUND: {
    at: ALL,
    method: "resources/read",
    params: ASKED,
    data: ASKED,
    becomes: (from, to) => (crosses(from, to) ? { code: isModern(to) ? -32602 : -32002 } : "same"),
    step: (from, to) => (crosses(from, to) ? { action: "error-code", loss: "none" } : undefined),
  },
  UNSUPPORTED_PROTOCOL_VERSION: {
    at: ALL,
    method: "initialize",
    params: { protocolVersion: "2027-01-01" },
    data: VERSIONS,
    becomes: (from, to) => (crosses(from, to) ? { code: isModern(to) ? -32022 : -32602 } : "same"),
    step: (from, to) => (crosses(from, to) ? { action: "error-code", loss: "none" } : undefined),
  },
  MISSING_REQUIRED_CLIENT_CAPABILITY: {
    at: [MODERN],
    method: "tools/call",
    data: { requiredCapabilities: { sampling: {} } },
    becomes: () => "same",
    step: (from, to) => (from === to ? undefined : { feature: "errors.missing-client-capability", action: "keep", loss: "advisory" }),
  },
  HEADER_MISMATCH: {
    at: [MODERN],
    data: { header: "x" },
    becomes: (from, to) => (from === to ? "same" : { code: -32603, data: { header: "x", [ORIGINAL_ERROR_KEY]: { code: -32020 } } }),
    step: (from, to) => (from === to ? undefined : { feature: "transport.request-headers", action: "error-code", loss: "advisory" }),
  },
  URL_ELICITATION_REQUIRED: {
    at: ["2025-11-25"],
    method: "tools/call",
    data: URLS,
    becomes: () => "same",
    step: (from, to) => (from === to ? undefined : { feature: "errors.url-elicitation-required", action: "keep", loss: "advisory" }),
  },
};

const codesOf = (revision: string) => ERROR_CODES[revision as keyof typeof ERROR_CODES] as Readonly<Partial<Record<Code, number>>>;

describe("the table of named errors", () => {
  it("has a case here for every name, at the revisions that give it a code", () => {
    expect([...new Set(tables.errors.map(({ name }) => name))].sort()).toEqual(Object.keys(CASES).sort());
    for (const [name, { at }] of Object.entries(CASES)) {
      expect([name, ALL.filter((revision) => codesOf(revision)[name as Code] !== undefined)]).toEqual([name, at]);
    }
    expect(knownRevisions()).toEqual(ALL);
  });
});

describe.each(Object.entries(CASES))("%s", (name, { method, params, data, at, becomes, step }) => {
  it.each(PAIRS.filter(([from]) => at.includes(from)))("from %s to %s", (from, to) => {
    const error = { code: codesOf(from)[name as Code], message: "m", ...(data === undefined ? {} : { data }), extra: 1 };
    const before = structuredClone(error);
    const report = new TranslationReport();
    const want = becomes(from, to);
    const translated = translateError({ from, to, method, params }, error, report);
    if (want === "same") expect(translated).toBe(error);
    else expect(translated).toEqual({ ...error, ...want });
    expect(error).toEqual(before);
    const steps = step(from, to);
    expect(report.steps).toMatchObject(steps === undefined ? [] : [{ path: "/error/code", ...steps }]);
  });
});

describe("a resource that is not there", () => {
  const up = { from: "2025-11-25", to: MODERN, method: "resources/read", params: ASKED };
  const down = { from: MODERN, to: "2025-06-18", method: "resources/read", params: ASKED };

  it.each<[string, typeof up, Wire, Wire]>([
    ["is given the uri that was asked for", up, { code: -32002, message: "m" }, { code: -32602, message: "m", data: ASKED }],
    [
      "keeps other data",
      up,
      { code: -32002, message: "m", data: { hint: 1 } },
      { code: -32602, message: "m", data: { hint: 1, ...ASKED } },
    ],
    [
      "keeps data that is no object",
      up,
      { code: -32002, message: "m", data: "gone" },
      { code: -32602, message: "m", data: { [ORIGINAL_ERROR_KEY]: { data: "gone" }, ...ASKED } },
    ],
    [
      "keeps the uri the server gave",
      up,
      { code: -32002, message: "m", data: { uri: "other:" } },
      { code: -32602, message: "m", data: { uri: "other:" } },
    ],
    ["goes down with its data", down, { code: -32602, message: "m", data: ASKED }, { code: -32002, message: "m", data: ASKED }],
  ])("%s", (_, journey, error, want) => {
    expect(translateError(journey, error)).toEqual(want);
  });

  it.each<[string, ErrorJourney, Wire]>([
    ["another uri than was asked for", down, { code: -32602, message: "m", data: { uri: "file:///other" } }],
    ["no uri", down, { code: -32602, message: "m", data: {} }],
    ["no data", down, { code: -32602, message: "m" }],
    ["data that is no object", down, { code: -32602, message: "m", data: "file:///nope" }],
    ["an inherited uri", down, { code: -32602, message: "m", data: Object.create(ASKED) as Wire }],
    ["a uri nobody knows was asked for", { ...down, params: undefined }, { code: -32602, message: "m", data: ASKED }],
    ["the answer to another method", { ...down, method: "tools/call" }, { code: -32602, message: "m", data: ASKED }],
    ["the answer to nobody knows what", { ...down, method: undefined }, { code: -32602, message: "m", data: ASKED }],
    ["-32002 in answer to another method", { ...up, method: "tools/call" }, { code: -32002, message: "m" }],
    ["-32002 at a revision that does not have it", down, { code: -32002, message: "m" }],
    ["-32602 with the uri from a revision where that says nothing", up, { code: -32602, message: "m", data: ASKED }],
  ])("is not seen in %s", (_, journey, error) => {
    const report = new TranslationReport();
    expect(translateError(journey, error, report)).toBe(error);
    expect(report.isEmpty).toBe(true);
  });

  it("keeps its code where the uri cannot be given, and the report says so", () => {
    const report = new TranslationReport();
    const error = { code: -32002, message: "m" };
    expect(translateError({ ...up, params: {} }, error, report)).toBe(error);
    expect(report.steps).toMatchObject([{ feature: "errors.resource-not-found.legacy-code", action: "keep", loss: "advisory" }]);
  });
});

describe("an unsupported version", () => {
  const error = (code: number, data: unknown = VERSIONS) => ({ code, message: "Unsupported protocol version", data });

  it.each(LEGACY)("keeps its code towards %s in answer to anything but the handshake", (to) => {
    const given = error(-32022);
    const report = new TranslationReport();
    expect(translateError({ from: MODERN, to, method: "tools/call" }, given, report)).toBe(given);
    expect(report.steps).toMatchObject([{ feature: "lifecycle.unsupported-version-error", action: "keep" }]);
  });

  it.each([
    ["the supported ones are missing", "initialize", error(-32602, { requested: "x" })],
    ["the requested one is missing", "initialize", error(-32602, { supported: [] })],
    ["it answers no handshake", "tools/list", error(-32602)],
  ])("is not seen at 2025-06-18 where %s", (_, method, given) => {
    expect(translateError({ from: "2025-06-18", to: MODERN, method }, given)).toBe(given);
  });
});

describe("a header mismatch", () => {
  const journey = { from: MODERN, to: "2025-03-26" };

  it.each<[string, unknown, unknown]>([
    ["without data", undefined, { [ORIGINAL_ERROR_KEY]: { code: -32020 } }],
    ["with data that is no object", ["x"], { [ORIGINAL_ERROR_KEY]: { code: -32020, data: ["x"] } }],
    ["that an earlier hop rewrote", { [ORIGINAL_ERROR_KEY]: { code: 5 } }, { [ORIGINAL_ERROR_KEY]: { code: 5 } }],
  ])("%s keeps its code", (_, data, want) => {
    const error = { code: -32020, message: "m", ...(data === undefined ? {} : { data }) };
    expect(translateError(journey, error)).toEqual({ code: -32603, message: "m", data: want });
  });
});

describe("an error the peer cannot read", () => {
  const error = { code: -32042, message: "m", data: URLS };

  it.each(ALL.filter((revision) => revision !== "2025-11-25"))("is refused towards %s where the policy says so", (to) => {
    const report = new TranslationReport();
    const journey = { from: "2025-11-25", to, method: "tools/call" };
    const run = (policy: Policy) => translateError({ ...journey, policy }, error, report);
    const refusals = [DegradePolicy.strict(), DegradePolicy.permissive().with(Feature.ErrorsUrlElicitationRequired, "refuse")];
    for (const policy of refusals) {
      const thrown = caught(() => run(policy));
      expect(isLowerError(thrown)).toBe(true);
      expect(thrown).toMatchObject({
        code: "feature-unavailable",
        feature: "errors.url-elicitation-required",
        path: "/error/code",
        method: "tools/call",
        condition: "revision",
        cite: isModern(to) ? { revision: MODERN, ref: "PR #2322" } : { revision: "2025-11-25", section: "major", ordinal: 6 },
        reason: `URL_ELICITATION_REQUIRED (-32042) is no error of ${to}`,
      });
    }
    expect(report.isEmpty).toBe(true);
    const allowances = [
      DegradePolicy.balanced(),
      DegradePolicy.permissive(),
      DegradePolicy.strict().with(Feature.ErrorsUrlElicitationRequired, "keep"),
    ];
    for (const policy of allowances) expect(run(policy)).toBe(error);
    expect(report.steps).toHaveLength(3);
  });

  it("passes under any policy at its own revision", () => {
    expect(translateError({ from: "2025-11-25", to: "2025-11-25", policy: DegradePolicy.strict() }, error)).toBe(error);
  });
});

describe("what is no named error", () => {
  const strangers: readonly Wire[] = [
    { code: -32000, message: "m" },
    { code: -32099, message: "m", data: { a: 1 } },
    { code: -31999, message: "m" },
    { code: 0, message: "m" },
    { code: "-32002", message: "m" },
    { code: null, message: "m" },
    { message: "m" },
    {},
    { code: 1, message: "m", data: null, __proto__: null },
    JSON.parse('{"code":-32020.5,"__proto__":{"code":-32020}}') as Wire,
  ];

  it.each(PAIRS)("is the same object from %s to %s", (from, to) => {
    const report = new TranslationReport();
    for (const error of strangers) {
      expect(translateError({ from, to, method: "resources/read", params: ASKED, policy: DegradePolicy.strict() }, error, report)).toBe(
        error,
      );
    }
    expect(report.isEmpty).toBe(true);
  });

  it("keeps own keys named __proto__ as data", () => {
    const error = JSON.parse('{"code":-32002,"message":"m","data":{"__proto__":1},"__proto__":2}') as Wire;
    const translated = translateError({ from: "2025-06-18", to: MODERN, method: "resources/read", params: ASKED }, error);
    expect(JSON.stringify(translated)).toBe('{"code":-32602,"message":"m","data":{"__proto__":1,"uri":"file:///nope"},"__proto__":2}');
  });
});

it.each(["from", "to"])("an unknown revision under %s is refused", (key) => {
  expect(() => translateError({ from: MODERN, to: MODERN, [key]: "2020-01-01" }, { code: 1 })).toThrow("2020-01-01");
});

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
