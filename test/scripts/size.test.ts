// What `npm run size` and `npm run bench` say of a measure, what counts as loaded, and that bars can be missed.
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { bundle, loadedSize, type Chunk } from "../../scripts/bundle.js";
import { timeStarts } from "../../scripts/cold-start.js";
import { median, missedBars, printMeasures, type Measure } from "../../scripts/measure.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "");

describe("missedBars", () => {
  it.each<readonly [string, Partial<Measure>, readonly string[]]>([
    ["below the most", { value: 14.9, bar: { rule: "at most", limit: 15 } }, []],
    ["at the most", { value: 15, bar: { rule: "at most", limit: 15 } }, []],
    ["over the most", { value: 15.04, bar: { rule: "at most", limit: 15 } }, ["a thing: the bar is ≤ 15 kB, measured 15.0 kB"]],
    ["over the least", { value: 1.4, bar: { rule: "at least", limit: 1.3 } }, []],
    ["at the least", { value: 1.3, bar: { rule: "at least", limit: 1.3 } }, []],
    ["below the least", { value: 1.2, bar: { rule: "at least", limit: 1.3 } }, ["a thing: the bar is ≥ 1.3 kB, measured 1.2 kB"]],
    ["above", { value: 1.1, bar: { rule: "above", limit: 1 } }, []],
    ["level", { value: 1, bar: { rule: "above", limit: 1 } }, ["a thing: the bar is > 1 kB, measured 1.0 kB"]],
    ["not a number", { value: Number.NaN, bar: { rule: "at most", limit: 15 } }, ["a thing: the bar is ≤ 15 kB, measured NaN kB"]],
    ["in words", { value: 4, bar: { rule: "at most", limit: 3, of: "× a loop" } }, ["a thing: the bar is ≤ 3 × a loop, measured 4.0 kB"]],
    ["without a bar", { value: 1e9 }, []],
    ["not measured", { value: "not measured: no compiler", bar: { rule: "at most", limit: 15 } }, []],
  ])("%s", (_, measure, says) => {
    expect(missedBars([{ what: "a thing", value: 0, unit: "kB", digits: 1, ...measure }])).toEqual(says);
  });

  it("names every bar that is missed, in order", () => {
    const measures = [3, 1, 2].map((value): Measure => ({
      what: `the ${value}`,
      value,
      unit: "ms",
      digits: 0,
      bar: { rule: "at most", limit: 1 },
    }));
    expect(missedBars(measures)).toEqual(["the 3: the bar is ≤ 1 ms, measured 3 ms", "the 2: the bar is ≤ 1 ms, measured 2 ms"]);
  });
});

describe("printMeasures", () => {
  it("gives a row each, its bar and its value", () => {
    expect(
      printMeasures([
        { what: "one", value: 10.26, unit: "kB gzip", digits: 1, bar: { rule: "at most", limit: 15 } },
        { what: "two", value: 0.0412, unit: "×", digits: 3 },
        { what: "three", value: "not measured: nothing there", unit: "ms", digits: 1, bar: { rule: "above", limit: 1, of: "× another" } },
      ]),
    ).toBe(
      [
        "| what | bar | measured |",
        "| --- | --- | --- |",
        "| one | ≤ 15 kB gzip | 10.3 kB gzip |",
        "| two |  | 0.041 × |",
        "| three | > 1 × another | not measured: nothing there |",
      ].join("\n"),
    );
  });
});

describe("loadedSize", () => {
  const chunk = (files: readonly string[], needs: readonly number[], size: number, isEntry = false): Chunk => ({
    isEntry,
    files,
    needs,
    minified: size * 10,
    gzipped: size,
  });
  const chunks = [
    chunk(["core.ts"], [], 1, true),
    chunk(["a.ts"], [3], 10),
    chunk(["b.ts"], [3], 100),
    chunk(["shared.ts"], [], 1000),
    chunk(["apart.ts"], [], 10_000),
  ];

  it.each([
    ["the entry alone", [], 1],
    ["one file with what it needs", ["a.ts"], 1011],
    ["what two need only once", ["a.ts", "b.ts"], 1111],
    ["what is loaded anyway", ["core.ts"], 1],
  ] as const)("counts %s", (_, files, size) => {
    expect(loadedSize(chunks, files)).toEqual({ minified: size * 10, gzipped: size });
  });

  it("refuses to leave out a file it does not find", () => {
    expect(() => loadedSize(chunks, ["a.ts", "gone.ts"])).toThrow("cannot measure gone.ts: the bundle does not hold it");
  });
});

describe("bundle", () => {
  it("minifies what the entry imports, and keeps apart what is loaded on demand", async () => {
    const chunks = await bundle(
      ROOT,
      'export { replaceBetween } from "./scripts/markers.ts";\nexport const load = () => import("./scripts/normal-form.ts");\n',
    );
    expect(chunks.map(({ isEntry, files }) => ({ isEntry, files }))).toEqual([
      { isEntry: true, files: ["scripts/markers.ts"] },
      { isEntry: false, files: ["scripts/normal-form.ts"] },
    ]);
    for (const { minified, gzipped } of chunks) {
      expect(gzipped).toBeGreaterThan(50);
      expect(minified).toBeGreaterThan(gzipped);
    }
  });
});

describe("timeStarts", () => {
  it("gives the time over an empty process", () => {
    const times = timeStarts(new Map([["slow", "await new Promise((resolve) => setTimeout(resolve, 2000));\n"]]), 3);
    expect(times.get("slow")).toBeGreaterThan(500);
  });

  it("refuses a program that fails", () => {
    expect(() => timeStarts(new Map([["bad", 'throw new Error("no such thing");\n']]), 1)).toThrow("no such thing");
  });
});

describe("median", () => {
  it("is the middle one", () => {
    expect(median([9, 1, 5])).toBe(5);
  });
});
