// Looking up revisions in the toy tables; nothing that is not listed is one.

import { describe, expect, test } from "vitest";
import { UnknownRevisionError } from "../../runtime/errors.js";
import { isBetween, knownRevisions, negotiable, revisionEntry, revisionIndex } from "../../runtime/revision.js";
import { TOY } from "./toy-tables.js";

describe("lists", () => {
  test("knownRevisions has drafts too, oldest first", () => {
    expect(knownRevisions(TOY)).toEqual(["2020-01", "2021-01", "2022-01", "2023-01"]);
  });

  test("negotiable leaves drafts out unless asked", () => {
    expect(negotiable(TOY)).toEqual(["2020-01", "2021-01", "2022-01"]);
    expect(negotiable(TOY, { drafts: false })).toEqual(["2020-01", "2021-01", "2022-01"]);
    expect(negotiable(TOY, { drafts: true })).toEqual(["2020-01", "2021-01", "2022-01", "2023-01"]);
  });
});

describe("look-up", () => {
  test("revisionEntry gives the entry itself", () => {
    expect(revisionEntry(TOY, "2021-01")).toBe(TOY.revisions[1]);
  });

  test("revisionIndex counts from the oldest", () => {
    expect(knownRevisions(TOY).map((revision) => revisionIndex(TOY, revision))).toEqual([0, 1, 2, 3]);
  });

  test.each(["", "2021", "2021-01 ", "2099-01", "toString", "__proto__", "constructor", "0", "length"])(
    "%j is not a revision",
    (revision) => {
      expect(() => revisionEntry(TOY, revision)).toThrow(UnknownRevisionError);
      expect(() => revisionIndex(TOY, revision)).toThrow(
        `cannot use revision ${JSON.stringify(revision)}: unknown; known are 2020-01, 2021-01, 2022-01, 2023-01`,
      );
    },
  );
});

describe("isBetween", () => {
  test.each([
    ["2021-01", "2021-01", undefined, true],
    ["2023-01", "2021-01", undefined, true],
    ["2020-01", "2021-01", undefined, false],
    ["2021-01", "2021-01", "2021-01", true],
    ["2021-01", "2020-01", "2022-01", true],
    ["2022-01", "2020-01", "2022-01", true],
    ["2023-01", "2020-01", "2022-01", false],
    ["2020-01", "2021-01", "2022-01", false],
  ])("%s in %s..%s: %s", (revision, first, last, want) => {
    expect(isBetween(TOY, revision, first, last)).toBe(want);
  });

  test.each([
    ["2099-01", "2020-01", "2021-01"],
    ["2020-01", "2099-01", "2021-01"],
    ["2020-01", "2020-01", "2099-01"],
  ])("throws for an unknown one of the three: %s %s %s", (revision, first, last) => {
    expect(() => isBetween(TOY, revision, first, last)).toThrow(UnknownRevisionError);
  });
});
