// The exact messages and fields of the core's errors, and the guards that recognise them.

import { describe, expect, test } from "vitest";
import {
  EnvelopeError,
  isEnvelopeError,
  isLowerError,
  isProtocolError,
  LowerError,
  PolicyError,
  printCite,
  ProfileError,
  ProtocolError,
  UnknownRevisionError,
} from "../../runtime/errors.js";

describe("printCite", () => {
  test.each([
    [{ revision: "2025-06-18", section: "major", ordinal: 2, ref: "PR #371" }, "2025-06-18 major 2, PR #371"],
    [{ revision: "2025-06-18", section: "minor", ordinal: 4 }, "2025-06-18 minor 4"],
    [{ revision: "2024-11-05", page: "basic/lifecycle" }, "2024-11-05 basic/lifecycle"],
    [{ revision: "2025-11-25", ref: "PR #1441" }, "2025-11-25, PR #1441 (unlisted)"],
    [{ revision: "2025-11-25" }, "2025-11-25 (unlisted)"],
  ])("%j", (cite, want) => {
    expect(printCite(cite)).toBe(want);
  });
});

describe("UnknownRevisionError", () => {
  test("lists the known revisions and suggests none", () => {
    const error = new UnknownRevisionError("2022-02", ["2020-01", "2022-01"]);
    expect(error).toMatchObject({
      name: "UnknownRevisionError",
      code: "unknown-revision",
      revision: "2022-02",
      known: ["2020-01", "2022-01"],
      message: 'cannot use revision "2022-02": unknown; known are 2020-01, 2022-01',
    });
  });

  test("keeps a hostile name on one line", () => {
    expect(new UnknownRevisionError('a"\nb', []).message).not.toContain("\n");
  });
});

describe("LowerError", () => {
  const cite = { revision: "2022-01", section: "minor", ordinal: 2 };

  test("featureUnavailable carries everything a program can read", () => {
    const missing = { side: "server", flag: "items" } as const;
    const error = LowerError.featureUnavailable({
      path: "/content/0",
      method: "items/call",
      feature: "links",
      condition: "capability",
      missing,
      cite,
      reason: "links needs the server capability items: not advertised",
    });
    expect(error).toMatchObject({
      name: "LowerError",
      code: "feature-unavailable",
      path: "/content/0",
      method: "items/call",
      feature: "links",
      condition: "capability",
      missing,
      cite,
      reason: "links needs the server capability items: not advertised",
      message: "cannot lower /content/0: links needs the server capability items: not advertised (2022-01 minor 2)",
    });
  });

  test.each([
    [
      LowerError.fieldNotRepresentable({ path: "/a/b", reason: "an array, object wanted" }),
      "field-not-representable",
      "cannot lower /a/b: an array, object wanted",
    ],
    [
      LowerError.unknownField({ path: "/a", reason: "no such field", cite }),
      "unknown-field",
      "cannot lower /a: no such field (2022-01 minor 2)",
    ],
    [LowerError.unknownField({ path: "", method: "items/list", reason: "gone" }), "unknown-field", "cannot lower items/list: gone"],
    [LowerError.unknownField({ path: "", reason: "gone" }), "unknown-field", "cannot lower the payload: gone"],
  ])("%s", (error, code, message) => {
    expect(error.code).toBe(code);
    expect(error.message).toBe(message);
  });

  test("what was not given is undefined", () => {
    const { feature, condition, missing, method } = LowerError.unknownField({ path: "/a", reason: "gone" });
    expect([feature, condition, missing, method]).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe("EnvelopeError", () => {
  test.each([
    ["unreadable", "/id", "null is no id", "cannot read /id: null is no id"],
    ["batch-not-allowed", "", "2022-01 has no batches", "cannot read the message: 2022-01 has no batches"],
    ["method-unavailable", "/method", "unknown", "cannot read /method: unknown"],
    ["method-embedded", "/method", "no message of its own", "cannot read /method: no message of its own"],
    ["invalid-params", "/params", "a string", "cannot read /params: a string"],
  ] as const)("%s", (code, path, reason, message) => {
    expect(new EnvelopeError(code, path, reason)).toMatchObject({ name: "EnvelopeError", code, path, reason, message });
  });

  test.each([
    ["unreadable", -32600],
    ["batch-not-allowed", -32600],
    ["method-unavailable", -32601],
    ["method-embedded", -32601],
    ["invalid-params", -32602],
  ] as const)("%s is answered with %i", (code, rpcCode) => {
    expect(new EnvelopeError(code, "", "no").rpcCode).toBe(rpcCode);
  });

  test("carries the id to answer with, the feature and its cite", () => {
    const cite = { revision: "2022-01", section: "major", ordinal: 1 };
    const error = new EnvelopeError("batch-not-allowed", "", "no batches", { id: 0, feature: "batching", cite });
    expect(error).toMatchObject({ id: 0, feature: "batching", cite, message: "cannot read the message: no batches (2022-01 major 1)" });
    const { id, feature, cite: none } = new EnvelopeError("unreadable", "", "no");
    expect([id, feature, none]).toEqual([undefined, undefined, undefined]);
  });
});

describe("PolicyError", () => {
  test("reports all faults and prints shared choices once", () => {
    const ids = ["base", "links"];
    const error = new PolicyError(
      { code: "unknown-feature", key: "a", reason: 'unknown feature "a"', choices: ids },
      { code: "unknown-feature", key: "b", reason: 'unknown feature "b"', choices: ids },
      { code: "unknown-action", key: "links", reason: 'links does not offer the action "x"', choices: ["skip", "refuse"] },
      { code: "malformed", key: "", reason: "not a map", choices: [] },
    );
    expect(error.code).toBe("unknown-feature");
    expect(error.faults.map((fault) => fault.key)).toEqual(["a", "b", "links", ""]);
    expect(error.message).toBe(
      'cannot use policy: unknown feature "a"; unknown feature "b" (choose from base, links); ' +
        'links does not offer the action "x" (choose from skip, refuse); not a map',
    );
  });
});

describe("guards", () => {
  const errors: readonly ProtocolError[] = [
    new UnknownRevisionError("x", []),
    new ProfileError("malformed-text", "cannot parse profile"),
    LowerError.unknownField({ path: "", reason: "gone" }),
    new EnvelopeError("unreadable", "", "no object"),
    new PolicyError({ code: "malformed", key: "", reason: "not a map", choices: [] }),
  ];

  test("isProtocolError knows every error of the core", () => {
    expect(errors.map((error) => isProtocolError(error))).toEqual([true, true, true, true, true]);
    for (const error of errors) {
      expect(error).toBeInstanceOf(ProtocolError);
      expect(error).toBeInstanceOf(Error);
      expect(error.name).toBe(error.constructor.name);
    }
  });

  test("isLowerError and isEnvelopeError know their own only", () => {
    expect(errors.map((error) => isLowerError(error))).toEqual([false, false, true, false, false]);
    expect(errors.map((error) => isEnvelopeError(error))).toEqual([false, false, false, true, false]);
  });

  test("a name is enough, so that an error of another copy is recognised", () => {
    const foreign = Object.assign(new Error("cannot lower /a: gone"), { name: "LowerError" });
    expect(isLowerError(foreign)).toBe(true);
    expect(isProtocolError(foreign)).toBe(true);
    expect(foreign).not.toBeInstanceOf(LowerError);
  });

  test.each([undefined, null, "LowerError", 1, {}, { name: 1 }, [], new TypeError("x"), { code: "unreadable" }])(
    "%j is none of them",
    (value) => {
      expect([isProtocolError(value), isLowerError(value), isEnvelopeError(value)]).toEqual([false, false, false]);
    },
  );
});
