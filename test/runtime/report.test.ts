// What a report keeps of the steps it is given.

import { describe, expect, test } from "vitest";
import { TranslationReport, type ReportStep } from "../../runtime/report.js";

const KEPT: ReportStep = { feature: "notes", action: "keep", path: "/note", loss: "none" };
const SKIPPED: ReportStep = { feature: "icons", action: "skip", path: "/icons", loss: "advisory", detail: "two icons" };
const REPAIRED: ReportStep = { feature: null, action: "repair", path: "/cursor", loss: "none" };

describe("an empty report", () => {
  test("has nothing and lost nothing", () => {
    const report = new TranslationReport();
    expect(report.steps).toEqual([]);
    expect(report.isEmpty).toBe(true);
    expect(report.isLossless).toBe(true);
    expect(report.count("icons")).toBe(0);
  });

  test("holds no array of its own", () => {
    expect(new TranslationReport().steps).toBe(new TranslationReport().steps);
    expect(Object.isFrozen(new TranslationReport().steps)).toBe(true);
  });

  test("stays empty after merging empty ones", () => {
    const report = new TranslationReport().merge(new TranslationReport());
    expect(report.isEmpty).toBe(true);
    expect(report.steps).toBe(new TranslationReport().steps);
  });
});

describe("steps", () => {
  test("come back in order", () => {
    const report = new TranslationReport();
    for (const step of [SKIPPED, KEPT, REPAIRED]) report.add(step);
    expect(report.steps).toEqual([SKIPPED, KEPT, REPAIRED]);
    expect(report.isEmpty).toBe(false);
  });

  test.each([
    [[KEPT, REPAIRED], true],
    [[KEPT, SKIPPED], false],
    [[{ ...KEPT, loss: "content" }], false],
  ] as const)("isLossless of %j: %s", (steps, want) => {
    const report = new TranslationReport();
    for (const step of steps) report.add(step);
    expect(report.isLossless).toBe(want);
  });

  test("count is by feature, null included", () => {
    const report = new TranslationReport();
    for (const step of [KEPT, SKIPPED, SKIPPED, REPAIRED]) report.add(step);
    expect([report.count("icons"), report.count("notes"), report.count(null), report.count("none")]).toEqual([2, 1, 1, 0]);
  });
});

describe("merge", () => {
  test("appends, gives the report itself and leaves the other alone", () => {
    const report = new TranslationReport();
    const other = new TranslationReport();
    report.add(KEPT);
    other.add(SKIPPED);
    expect(report.merge(other)).toBe(report);
    expect(report.steps).toEqual([KEPT, SKIPPED]);
    report.add(REPAIRED);
    expect(other.steps).toEqual([SKIPPED]);
  });

  test("of a report with itself ends", () => {
    const report = new TranslationReport();
    report.add(KEPT);
    expect(report.merge(report).steps).toEqual([KEPT, KEPT]);
  });
});

describe("toJSON", () => {
  test("shows the steps and whether anything was lost", () => {
    const report = new TranslationReport();
    report.add(SKIPPED);
    expect(JSON.parse(JSON.stringify(report))).toEqual({ isLossless: false, steps: [SKIPPED] });
    expect(JSON.stringify(new TranslationReport())).toBe('{"isLossless":true,"steps":[]}');
  });
});
