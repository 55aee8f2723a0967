// How tolerances.yaml becomes part of the model, and which tolerance applies at a place: the one that names it before the one for every place.
import { describe, expect, test } from "vitest";
import { placeTolerances, toleranceAt, type ToleranceFile } from "../../generator/model/tolerances.js";
import type { Feature, Fill, Model, Revision, Tolerance } from "../../generator/model/types.js";
import type { Problem } from "../../generator/problem.js";

const REVISIONS = ["r0", "r1", "r2"].map((id, index) => ({ id, index }) as Partial<Revision> as Revision);

/** A file whose lines are counted one an entry, ten an entry apart, so that a place tells where it came from. */
function file(...tolerances: readonly object[]): ToleranceFile {
  return {
    file: "tolerances.yaml",
    value: { tolerances: tolerances.map((entry) => ({ summary: "", loss: "none", reports: [], ...entry })) },
    lineOf: ([, index, key, item]) => Number(index) * 10 + ["", "id", "at", "first", "last"].indexOf(String(key ?? "")) + Number(item ?? 0),
  };
}

function placed(...tolerances: readonly object[]): { readonly tolerances: readonly Tolerance[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  return { tolerances: placeTolerances(file(...tolerances), REVISIONS, problems), problems };
}

describe("placeTolerances", () => {
  test("a protocol may have none", () => {
    expect(placeTolerances(undefined, REVISIONS, [])).toEqual([]);
  });

  test("fills in what an entry does not say", () => {
    const { tolerances, problems } = placed({ id: "a", repair: "drop-null" }, { id: "b", repair: "unwrap", at: ["X"], key: "k" });
    expect(problems).toEqual([]);
    expect(
      tolerances.map(({ index, id, at, fills, first, last, only, key }) => ({ index, id, at, fills, first, last, only, key })),
    ).toEqual([
      { index: 0, id: "a", at: [], fills: [], first: 0, last: 2, only: {}, key: undefined },
      { index: 1, id: "b", at: ["X"], fills: [], first: 0, last: 2, only: {}, key: "k" },
    ]);
  });

  test("takes revisions by their place in the order, both inclusive", () => {
    const { tolerances } = placed({ id: "a", first: "r1" }, { id: "b", last: "r0" }, { id: "c", first: "r1", last: "r1" });
    expect(tolerances.map(({ first, last }) => [first, last])).toEqual([
      [1, 2],
      [0, 0],
      [1, 1],
    ]);
  });

  test("knows where an entry and each of its paths stands", () => {
    const [, second] = placed({ id: "a" }, { id: "b", at: ["X.a", "X.b"] }).tolerances;
    expect([second?.place(), second?.place("X.b")]).toEqual([
      { file: "tolerances.yaml", line: 10 },
      { file: "tolerances.yaml", line: 13 },
    ]);
  });

  test("reports every revision that is none, with its line", () => {
    const { problems } = placed({ id: "a", first: "r9", last: "r8" }, { id: "b", last: "" });
    expect(problems.map(({ rule, line, message }) => ({ rule, line, message }))).toEqual([
      { rule: "tolerance", line: 3, message: "no revision is called r9" },
      { rule: "tolerance", line: 4, message: "no revision is called r8" },
      { rule: "tolerance", line: 14, message: "no revision is called " },
    ]);
  });

  test("reports an id that stands before, at each of its further places", () => {
    const { problems } = placed({ id: "a" }, { id: "b" }, { id: "a" }, { id: "a" });
    expect(problems.map(({ rule, line }) => ({ rule, line }))).toEqual([
      { rule: "duplicate", line: 21 },
      { rule: "duplicate", line: 31 },
    ]);
  });
});

describe("toleranceAt", () => {
  const { tolerances } = placed(
    { id: "everywhere", repair: "drop-null", at: ["*"] },
    { id: "old-a", repair: "drop-null", at: ["X.a"], last: "r0" },
    { id: "b-and-c", repair: "drop-null", at: ["X.b", "X.c"], first: "r1" },
    { id: "lists", repair: "empty-list", at: ["X.list"] },
    { id: "filled", repair: "write-missing", fills: ["filling"] },
  );
  const fill = { feature: 0, at: ["X.filled"], value: 1 } as Partial<Fill> as Fill;
  const model = { tolerances, fills: [fill], features: [{ id: "filling" } as Partial<Feature> as Feature] } as Partial<Model> as Model;

  test.each([
    ["drop-null", "X.a", ["old-a", "everywhere", "everywhere"]],
    ["drop-null", "X.c", ["everywhere", "b-and-c", "b-and-c"]],
    ["drop-null", "X.d", ["everywhere", "everywhere", "everywhere"]],
    ["empty-list", "X.list", ["lists", "lists", "lists"]],
    ["empty-list", "X.a", [undefined, undefined, undefined]],
    ["empty-list", "*", [undefined, undefined, undefined]],
    ["write-missing", "X.filled", ["filled", "filled", "filled"]],
    ["write-missing", "X.a", [undefined, undefined, undefined]],
    ["drop-value", "X.a", [undefined, undefined, undefined]],
  ] as const)("%s at %s, revision by revision", (repair, path, want) => {
    expect(REVISIONS.map((revision) => toleranceAt(model, repair, path, revision)?.id)).toEqual(want);
  });
});
