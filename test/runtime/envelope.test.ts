// Whole messages: what a payload's lowering leaves alone stays alone, unmodelled members included, and what is no message is said to be none.
import { describe, expect, it } from "vitest";
import {
  ENVELOPE_REPAIRS,
  isEnvelopeError,
  isLowerError,
  liftEnvelope,
  lowerEnvelope,
  TranslationReport,
  type Codec,
  type Envelope,
  type Wire,
} from "../../runtime/index.js";
import { CapabilitySet, codecFor, DegradePolicy, REVISIONS } from "../../runtime/mcp.js";

const codecs = new Map<string, Codec>();
for (const revision of REVISIONS.map((entry) => entry.revision as string)) {
  codecs.set(revision, await codecFor(revision, CapabilitySet.allFor(revision).resolve(revision, "stdio")));
}
const [c24, , c25, c25b, c26] = [...codecs.values()] as [Codec, Codec, Codec, Codec, Codec];

describe("liftEnvelope", () => {
  it.each([
    ["a request", { jsonrpc: "2.0", id: 0, method: "ping" }, undefined, { kind: "request", id: 0, method: "ping", params: undefined }],
    [
      "a request with a string id",
      { jsonrpc: "2.0", id: "", method: "tools/list", params: {} },
      undefined,
      { kind: "request", id: "", params: {} },
    ],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, undefined, { kind: "notification" }],
    [
      "a result",
      { jsonrpc: "2.0", id: 1, result: { tools: [] } },
      "tools/list",
      { kind: "result", id: 1, method: "tools/list", result: { tools: [] } },
    ],
    [
      "a result of nothing we asked",
      { jsonrpc: "2.0", id: 1, result: { any: 1 } },
      undefined,
      { kind: "result", method: undefined, result: { any: 1 } },
    ],
    ["a fraction as id", { jsonrpc: "2.0", id: 1.5, method: "ping" }, undefined, { kind: "request", id: 1.5 }],
    ["a digit as id", { jsonrpc: "2.0", id: "1", method: "ping" }, undefined, { kind: "request", id: "1" }],
    ["the digit as a number", { jsonrpc: "2.0", id: 1, method: "ping" }, undefined, { kind: "request", id: 1 }],
    [
      "an error with the request it answers",
      { jsonrpc: "2.0", id: 0, error: { code: -32002, message: "no" } },
      { method: "resources/read", params: { uri: "a:" } },
      { kind: "error", id: 0, method: "resources/read", params: { uri: "a:" }, from: "2025-06-18" },
    ],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no" } }, undefined, { kind: "error", id: 1 }],
    ["an error without id", { jsonrpc: "2.0", error: { code: -32700, message: "no" } }, undefined, { kind: "error", id: undefined }],
    [
      "an error with a null id",
      { jsonrpc: "2.0", id: null, error: { code: -32700, message: "no" } },
      undefined,
      { kind: "error", id: undefined },
    ],
  ])("reads %s", (_, message, answers, want) => {
    const lifted = liftEnvelope(c25, message, answers);
    expect(lifted).toMatchObject(want);
    expect(lifted.wire).toBe(message);
  });

  const REQUEST = { jsonrpc: "2.0", id: 7, method: "tools/list" };
  const RESPONSE = { jsonrpc: "2.0", id: 7 };
  const ERROR = { code: -32603, message: "boom" };

  it.each<[string, unknown, string, string, string | number | undefined]>([
    ["an array", [], "batch-not-allowed", "", undefined],
    ["null", null, "unreadable", "", undefined],
    ["a string", "{}", "unreadable", "", undefined],
    ["no version", { id: 2, method: "ping" }, "unreadable", "/jsonrpc", 2],
    ["another version", { jsonrpc: "1.0", id: "a", method: "ping" }, "unreadable", "/jsonrpc", "a"],
    ["a number as version", { jsonrpc: 2, id: 3, method: "ping" }, "unreadable", "/jsonrpc", 3],
    ["a null version", { jsonrpc: null, method: "ping" }, "unreadable", "/jsonrpc", undefined],
    ["a numeric method", { jsonrpc: "2.0", id: 1, method: 5 }, "unreadable", "/method", 1],
    ["a null method", { jsonrpc: "2.0", id: 1, method: null }, "unreadable", "/method", 1],
    ["a null id", { ...REQUEST, id: null }, "unreadable", "/id", undefined],
    [
      "a null id of a notification's method",
      { jsonrpc: "2.0", id: null, method: "notifications/initialized" },
      "unreadable",
      "/id",
      undefined,
    ],
    ["an object as id", { ...REQUEST, id: { bad: "id" } }, "unreadable", "/id", undefined],
    ["an array as id", { ...REQUEST, id: [1] }, "unreadable", "/id", undefined],
    ["true as id", { ...REQUEST, id: true }, "unreadable", "/id", undefined],
    ["an id beyond all numbers", JSON.parse('{"jsonrpc":"2.0","id":1e999,"method":"ping"}'), "unreadable", "/id", undefined],
    ["params by position", { ...REQUEST, params: ["t", {}] }, "invalid-params", "/params", 7],
    ["params of null by position", { ...REQUEST, params: [null] }, "invalid-params", "/params", 7],
    ["a string as params", { ...REQUEST, params: "x" }, "invalid-params", "/params", 7],
    ["an empty string as params", { ...REQUEST, params: "" }, "invalid-params", "/params", 7],
    ["a number as params", { ...REQUEST, id: 0, params: 42 }, "invalid-params", "/params", 0],
    ["false as params", { ...REQUEST, params: false }, "invalid-params", "/params", 7],
    [
      "a number as params of a notification",
      { jsonrpc: "2.0", method: "notifications/initialized", params: 42 },
      "invalid-params",
      "/params",
      undefined,
    ],
    ["a bad id before bad params", { ...REQUEST, id: null, params: 42 }, "unreadable", "/id", undefined],
    ["a result and an error", { ...RESPONSE, result: { content: [] }, error: ERROR }, "unreadable", "", 7],
    ["a null result and an error", { ...RESPONSE, result: null, error: ERROR }, "unreadable", "", 7],
    ["nothing of either", RESPONSE, "unreadable", "", 7],
    ["a null error and no result", { ...RESPONSE, error: null }, "unreadable", "", 7],
    ["a null error and a null result", { ...RESPONSE, error: null, result: null }, "unreadable", "/result", 7],
    ["a null result", { ...RESPONSE, result: null }, "unreadable", "/result", 7],
    ["a string error", { ...RESPONSE, error: "no" }, "unreadable", "/error", 7],
    ["an empty error", { ...RESPONSE, error: "" }, "unreadable", "/error", 7],
    ["a result without id", { jsonrpc: "2.0", result: {} }, "unreadable", "/id", undefined],
    ["a result with a null id", { ...RESPONSE, id: null, result: {} }, "unreadable", "/id", undefined],
    ["a result with an object as id", { ...RESPONSE, id: {}, result: {} }, "unreadable", "/id", undefined],
    ["an error with an object as id", { ...RESPONSE, id: {}, error: ERROR }, "unreadable", "/id", undefined],
  ])("refuses %s", (_, message, code, path, id) => {
    const before = structuredClone(message);
    for (const codec of codecs.values()) {
      const report = new TranslationReport();
      const error = caught(() => liftEnvelope(codec, message, "tools/list", report));
      expect(error).toMatchObject({ code, path, id, rpcCode: code === "invalid-params" ? -32602 : -32600 });
      expect(report.isEmpty).toBe(true);
    }
    expect(message).toEqual(before);
  });
});

describe("repairs", () => {
  const ERROR = { code: -32700, message: "Parse error" };

  /** What is repaired: the message as it came, the message it is read as, and the members of its envelope. */
  /** A result that no revision has anything to add to. */
  const LISTED = { tools: [], resultType: "complete", ttlMs: 0, cacheScope: "private" };
  const REPAIRED: readonly [keyof typeof ENVELOPE_REPAIRS, string, Wire, Wire, object][] = [
    [
      "params-null",
      "of a request",
      { id: 2, method: "tools/list", params: null, x: 1 },
      { id: 2, method: "tools/list", x: 1 },
      { params: undefined },
    ],
    [
      "params-null",
      "of a notification",
      { method: "notifications/initialized", params: null },
      { method: "notifications/initialized" },
      { kind: "notification", params: undefined },
    ],
    [
      "params-empty-array",
      "of a request",
      { id: 2, method: "tools/list", params: [] },
      { id: 2, method: "tools/list", params: {} },
      { params: {} },
    ],
    ["error-null", "beside a result", { id: 2, result: LISTED, error: null }, { id: 2, result: LISTED }, { kind: "result" }],
    ["error-id-null", "of an error", { id: null, error: ERROR }, { id: null, error: ERROR }, { kind: "error", id: undefined }],
  ];

  it.each(REPAIRED)("%s %s is read, and recorded once", (repair, _, given, read, want) => {
    const message: Wire = { jsonrpc: "2.0", ...given };
    const before = structuredClone(message);
    for (const codec of codecs.values()) {
      const report = new TranslationReport();
      const lifted = liftEnvelope(codec, message, "tools/list", report);
      expect(lifted).toMatchObject(want);
      expect(lifted.wire).toEqual({ jsonrpc: "2.0", ...read });
      expect(report.steps).toEqual([
        { feature: null, action: "repair", path: ENVELOPE_REPAIRS[repair].path, loss: "none", detail: repair },
      ]);
      expect(liftEnvelope(codec, message, "tools/list")).toEqual(lifted);
    }
    expect(message).toEqual(before);
  });

  it.each([...codecs.keys()])("error-id-absent is one only where %s asks for an id", (revision) => {
    const message = { jsonrpc: "2.0", error: ERROR };
    const report = new TranslationReport();
    const lifted = liftEnvelope(codecs.get(revision) as Codec, message, undefined, report);
    expect(lifted).toMatchObject({ kind: "error", id: undefined });
    expect(lifted.wire).toBe(message);
    expect(report.steps.map((step) => step.detail)).toEqual(revision <= "2025-06-18" ? ["error-id-absent"] : []);
  });

  it("leave what needs none alone", () => {
    const messages: readonly Wire[] = [
      { jsonrpc: "2.0", id: 1, method: "tools/list" },
      { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
      { jsonrpc: "2.0", id: 1, result: { tools: [] } },
      { jsonrpc: "2.0", id: 1, error: ERROR },
    ];
    const report = new TranslationReport();
    for (const message of messages) expect(liftEnvelope(c25, message, "tools/list", report).wire).toBe(message);
    expect(report.isEmpty).toBe(true);
  });

  it("go out as they were read", () => {
    const lowered = (message: Wire, answers?: string) => lowerEnvelope(c25, liftEnvelope(c24, message, answers));
    expect(lowered({ jsonrpc: "2.0", id: 2, method: "ping", params: null })).toEqual({ jsonrpc: "2.0", id: 2, method: "ping" });
    expect(lowered({ jsonrpc: "2.0", id: 2, method: "ping", params: [] })).toEqual({ jsonrpc: "2.0", id: 2, method: "ping", params: {} });
    expect(lowered({ jsonrpc: "2.0", id: 2, result: {}, error: null }, "ping")).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  });

  it("each say who reported them", () => {
    for (const [id, { path, reads, source }] of Object.entries(ENVELOPE_REPAIRS)) {
      expect([id, path, reads, source]).toEqual([
        id,
        expect.stringMatching(/^(\/\w+)?$/),
        expect.any(String),
        expect.stringMatching(/^https:\/\//),
      ]);
    }
  });

  it("keep own keys named __proto__", () => {
    const message = JSON.parse('{"jsonrpc":"2.0","id":1,"method":"ping","params":null,"__proto__":{"a":1}}') as Wire;
    expect(JSON.stringify(liftEnvelope(c25, message).wire)).toBe('{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"a":1}}');
  });
});

describe("lowerEnvelope", () => {
  it("gives back the same object where nothing changes", () => {
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a" }, trace: { vendor: true } };
    expect(lowerEnvelope(c25, liftEnvelope(c24, message))).toBe(message);
  });

  it("keeps unmodelled top-level members where the payload changes", () => {
    const message = { jsonrpc: "2.0", id: 9, result: { resultType: "complete", content: [] }, "x-vendor": [1] };
    expect(lowerEnvelope(c24, liftEnvelope(c26, message, "tools/call"))).toEqual({
      jsonrpc: "2.0",
      id: 9,
      result: { content: [] },
      "x-vendor": [1],
    });
    expect(message.result).toEqual({ resultType: "complete", content: [] });
  });

  it("adds params only where the revision requires them", () => {
    const bare = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect(lowerEnvelope(c24, liftEnvelope(c25, bare))).toBe(bare);
    expect(lowerEnvelope(c26, liftEnvelope(c25, bare))).toMatchObject({
      params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    });
  });

  it("refuses a request that is no message of its own at the revision", () => {
    const message = { jsonrpc: "2.0", id: 1, method: "roots/list" };
    expect(caught(() => lowerEnvelope(c26, liftEnvelope(c25, message)))).toMatchObject({ code: "method-embedded", path: "/method" });
  });

  it("passes errors and unknown results as they are", () => {
    for (const message of [
      { jsonrpc: "2.0", id: 1, error: { code: 1, message: "x", data: {} } },
      { jsonrpc: "2.0", id: 1, result: { any: 1 } },
    ]) {
      expect(lowerEnvelope(c26, liftEnvelope(c24, message))).toBe(message);
    }
  });
});

describe("the errors of lowerEnvelope", () => {
  const asked = { method: "resources/read", params: { uri: "a:" } };
  const missing = (code: number, data?: object) => ({
    jsonrpc: "2.0",
    id: 4,
    error: { code, message: "Resource not found", ...(data === undefined ? {} : { data }) },
    trace: 1,
  });

  it("take the codes of the peer's revision, and say so", () => {
    const report = new TranslationReport();
    const up = lowerEnvelope(c26, liftEnvelope(c24, missing(-32002), asked), undefined, report);
    expect(up).toEqual(missing(-32602, { uri: "a:" }));
    expect(report.steps).toMatchObject([{ feature: "errors.resource-not-found.legacy-code", action: "error-code", path: "/error/code" }]);
    expect(lowerEnvelope(c25, liftEnvelope(c26, up, asked))).toEqual(missing(-32002, { uri: "a:" }));
  });

  it("stay as they are where nobody says which revision they came from, or what they answer", () => {
    const message = missing(-32002);
    const { from: _, ...stateless } = liftEnvelope(c24, message, asked) as Extract<Envelope, { kind: "error" }>;
    expect(lowerEnvelope(c26, stateless)).toBe(message);
    expect(lowerEnvelope(c26, liftEnvelope(c24, message))).toBe(message);
    expect(lowerEnvelope(c25, liftEnvelope(c24, message, asked))).toBe(message);
  });

  it("are refused where the peer cannot read them and the policy does not keep them", () => {
    const message = { jsonrpc: "2.0", id: 4, error: { code: -32042, message: "m", data: { elicitations: [] } } };
    const lifted = liftEnvelope(c25b, message, { method: "tools/call" });
    const report = new TranslationReport();
    expect(lowerEnvelope(c26, lifted, DegradePolicy.balanced(), report)).toBe(message);
    expect(report.steps).toMatchObject([{ feature: "errors.url-elicitation-required", action: "keep", path: "/error/code" }]);
    for (const policy of [undefined, DegradePolicy.strict()]) {
      expect(() => lowerEnvelope(c26, lifted, policy, report)).toThrow(expect.toSatisfy(isLowerError) as Error);
    }
    expect(report.steps).toHaveLength(1);
    expect(lowerEnvelope(c25b, lifted)).toBe(message);
  });

  const ERROR = { code: -32700, message: "Parse error" };
  const NULL: Wire = { jsonrpc: "2.0", id: null, error: ERROR, x: 1 };
  const ABSENT: Wire = { jsonrpc: "2.0", error: ERROR, x: 1 };

  it.each([...codecs.keys()].flatMap((revision) => [["null", revision, NULL] as const, ["no", revision, ABSENT] as const]))(
    "with %s id have the one that %s asks for",
    (_, revision, message) => {
      const wants = revision <= "2025-06-18" ? NULL : ABSENT;
      const report = new TranslationReport();
      const lowered = lowerEnvelope(codecs.get(revision) as Codec, liftEnvelope(c25, message), undefined, report);
      expect(lowered).toEqual(wants);
      if (Object.hasOwn(message, "id") === Object.hasOwn(wants, "id")) {
        expect(lowered).toBe(message);
        expect(report.isEmpty).toBe(true);
      } else {
        const action = Object.hasOwn(wants, "id") ? "fill" : "omit";
        expect(report.steps).toEqual([{ feature: "jsonrpc.error-without-id", action, path: "/id", loss: "none" }]);
      }
    },
  );

  it("keep an id that can be read", () => {
    for (const id of [0, "", "1", 1, 1.5]) {
      const message = { jsonrpc: "2.0", id, error: ERROR };
      for (const codec of codecs.values()) expect(lowerEnvelope(codec, liftEnvelope(c25, message))).toBe(message);
    }
  });
});

it("a request that is no message of its own is refused with the code and the id to answer", () => {
  const error = caught(() => lowerEnvelope(c26, liftEnvelope(c25, { jsonrpc: "2.0", id: 5, method: "roots/list" })));
  expect(error).toMatchObject({ code: "method-embedded", rpcCode: -32601, id: 5 });
});

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    expect(isEnvelopeError(error)).toBe(true);
    return error;
  }
  throw new Error("nothing was thrown");
}
