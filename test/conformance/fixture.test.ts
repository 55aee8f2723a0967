// The fixture server alone: what it offers is all that the suite looks for, at every revision the suite can speak to it.
import { describe, expect, it } from "vitest";
import { judge } from "./judge.js";
import { fixture, serving, type Command } from "./program.js";
import { runServer } from "./run.js";

interface Row {
  readonly name: string;
  readonly command: Command;
  readonly revision: string;
  readonly pin?: string;
  readonly count: number;
}

const at = (revision: string): Command => fixture("legacy", "--revision", revision);

const ROWS: readonly Row[] = [
  { name: "modern, at 2026-07-28", command: fixture("modern"), revision: "2026-07-28", count: 40 },
  { name: "legacy, at 2025-11-25", command: fixture("legacy"), revision: "2025-11-25", count: 33 },
  { name: "legacy, at 2025-06-18", command: fixture("legacy"), revision: "2025-06-18", pin: "2025-06-18", count: 27 },
  { name: "legacy, held to 2025-06-18", command: at("2025-06-18"), revision: "2025-06-18", count: 27 },
  { name: "legacy, held to 2025-03-26", command: at("2025-03-26"), revision: "2025-06-18", pin: "2025-03-26", count: 27 },
  { name: "legacy, held to 2024-11-05", command: at("2024-11-05"), revision: "2025-06-18", pin: "2024-11-05", count: 27 },
  { name: "legacy, held to 2024-11-05 and offered 2025-11-25", command: at("2024-11-05"), revision: "2025-06-18", count: 27 },
];

describe("the fixture alone", () => {
  it.each(ROWS)("passes everything: $name", async ({ command, revision, pin, count }) => {
    const scenarios = await serving(command, (url) => runServer({ url, revision, pin }));
    expect(judge(scenarios)).toEqual({ passed: count, total: count, faults: [] });
  });
});

describe("the runner says no", () => {
  it.each([
    { era: "modern", revision: "2025-11-25", passed: 0, total: 33 },
    { era: "legacy", revision: "2026-07-28", passed: 1, total: 40 },
  ] as const)("to a $era server spoken to across the eras", async ({ era, revision, passed, total }) => {
    const scenarios = await serving(fixture(era), (url) => runServer({ url, revision }));
    expect(judge(scenarios)).toMatchObject({ passed, total });
  });

  it.each([
    { era: "modern", revision: "2026-07-28", passed: 10, total: 40 },
    { era: "legacy", revision: "2025-11-25", passed: 12, total: 33 },
  ] as const)("to most of a $era server that offers nothing", async ({ era, revision, passed, total }) => {
    const scenarios = await serving(fixture(era, "--without", "all"), (url) => runServer({ url, revision }));
    expect(judge(scenarios)).toMatchObject({ passed, total });
  });

  it("to a server with one fault, and to that fault alone", async () => {
    const command = fixture("legacy", "--without", "test_audio_content");
    const scenarios = await serving(command, (url) => runServer({ url, revision: "2025-11-25" }));
    const { passed, faults } = judge(scenarios);
    expect(passed).toBe(32);
    expect(faults).toEqual([expect.stringMatching(/^tools-call-audio: tools-call-audio: FAILURE: /)]);
  });
});
