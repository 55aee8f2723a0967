// Shows that what is generated depends on the facts alone: not on the run, the order of keys or where the folder stands. And that syncFiles
// brings a folder in line with what was emitted, or only says what differs.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Output } from "../../generator/emit/output.js";
import { compileAll, type Run } from "../../generator/main.js";
import { syncFiles } from "../../generator/write/sync.js";
import { SCHEMAS, SchemasCopy, TEMPLATES } from "./schemas-copy.js";

let first: Promise<Run> | undefined;

/** Compiles the repository's schemas, once for all tests. */
function firstRun(): Promise<Run> {
  return (first ??= compileAll(SCHEMAS, TEMPLATES));
}

/** Gives the same JSON value with the keys of every object in another order: turned round. */
function shuffleKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shuffleKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, shuffleKeys(item)] as const);
  return Object.fromEntries(entries.toReversed());
}

/** The paths of the files that are not the same in two runs. */
function differing(before: readonly Output[], after: readonly Output[]): string[] {
  const texts = new Map(before.map((output) => [output.path, output.text]));
  const changed = after.filter((output) => texts.get(output.path) !== output.text).map((output) => output.path);
  return [...changed, ...before.filter((output) => !after.some((other) => other.path === output.path)).map((output) => output.path)];
}

describe("the same facts give the same bytes", () => {
  test("a file that differs, is new or is gone would be noticed", () => {
    const before = [
      { path: "a", text: "1" },
      { path: "b", text: "1" },
    ];
    const after = [
      { path: "a", text: "2" },
      { path: "c", text: "1" },
    ];
    expect(differing(before, after)).toEqual(["a", "c", "b"]);
    expect(differing(before, before)).toEqual([]);
  });

  test("in every run", async () => {
    const first = await firstRun();
    const second = await compileAll(SCHEMAS, TEMPLATES);
    expect(first.outputs.length).toBeGreaterThan(0);
    expect(differing(first.outputs, second.outputs)).toEqual([]);
  });

  test("wherever the folder stands", async () => {
    const copied = await new SchemasCopy().compile();
    expect(copied.problems).toEqual([]);
    expect(differing((await firstRun()).outputs, copied.outputs)).toEqual([]);
  });

  test("in whatever order the keys of a schema stand", async () => {
    const copy = new SchemasCopy();
    const { models } = await firstRun();
    const revisions = models.flatMap(({ protocol, revisions: listed }) => listed.map(({ id }) => [protocol, id] as const));
    expect(revisions.length).toBeGreaterThan(1);
    for (const [protocol, revision] of revisions) {
      const file = `${protocol}/${revision}/schema.json`;
      const text = copy.read(file);
      copy.write(file, `${JSON.stringify(shuffleKeys(JSON.parse(text)), null, 2)}\n`);
      expect(copy.read(file)).not.toBe(text);
      copy.record(protocol, revision);
    }
    const shuffled = await copy.compile();
    expect(shuffled.problems).toEqual([]);
    expect(differing((await firstRun()).outputs, shuffled.outputs)).toEqual([]);
  });
});

describe("syncFiles", () => {
  const OUTPUTS = [
    { path: "toy/one/types.ts", text: "one\n" },
    { path: "toy/two/types.ts", text: "two\n" },
  ];

  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), "polyrev-generated-"));
    onTestFinished(() => rmSync(path, { recursive: true }));
    return path;
  }

  function filesBelow(root: string): Record<string, string> {
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => statSync(join(root, name)).isFile());
    return Object.fromEntries(files.sort().map((name) => [name, readFileSync(join(root, name), "utf8")]));
  }

  test("writes what is missing, folders too", () => {
    const root = join(folder(), "generated");
    expect(syncFiles(root, OUTPUTS, false)).toEqual({ written: ["toy/one/types.ts", "toy/two/types.ts"], unchanged: [], orphans: [] });
    expect(filesBelow(root)).toEqual({ "toy/one/types.ts": "one\n", "toy/two/types.ts": "two\n" });
  });

  test("leaves alone what is as it should be", () => {
    const root = folder();
    syncFiles(root, OUTPUTS, false);
    const long = new Date("2001-01-01");
    utimesSync(join(root, "toy/one/types.ts"), long, long);
    expect(syncFiles(root, OUTPUTS, false)).toEqual({ written: [], unchanged: ["toy/one/types.ts", "toy/two/types.ts"], orphans: [] });
    expect(statSync(join(root, "toy/one/types.ts")).mtime).toEqual(long);
  });

  test("writes what differs and deletes what nothing emitted", () => {
    const root = folder();
    syncFiles(root, [...OUTPUTS, { path: "toy/zero/types.ts", text: "zero\n" }], false);
    const now = [{ path: "toy/one/types.ts", text: "one, mended\n" }, OUTPUTS[1] as Output];
    expect(syncFiles(root, now, false)).toEqual({
      written: ["toy/one/types.ts"],
      unchanged: ["toy/two/types.ts"],
      orphans: ["toy/zero/types.ts"],
    });
    expect(filesBelow(root)).toEqual({ "toy/one/types.ts": "one, mended\n", "toy/two/types.ts": "two\n" });
  });

  test("leaves no empty folder where an orphan was", () => {
    const root = folder();
    syncFiles(root, [...OUTPUTS, { path: "toy/zero/types.ts", text: "zero\n" }], false);
    syncFiles(root, OUTPUTS, false);
    expect(existsSync(join(root, "toy/zero"))).toBe(false);
  });

  test("says with check what differs and touches nothing", () => {
    const root = folder();
    syncFiles(root, [{ path: "toy/zero/types.ts", text: "zero\n" }, OUTPUTS[0] as Output], false);
    const before = filesBelow(root);
    const now = [{ path: "toy/one/types.ts", text: "one, mended\n" }, OUTPUTS[1] as Output];
    expect(syncFiles(root, now, true)).toEqual({
      written: ["toy/one/types.ts", "toy/two/types.ts"],
      unchanged: [],
      orphans: ["toy/zero/types.ts"],
    });
    expect(filesBelow(root)).toEqual(before);
  });

  test("makes no folder with check", () => {
    const root = join(folder(), "generated");
    expect(syncFiles(root, OUTPUTS, true).written).toHaveLength(2);
    expect(existsSync(root)).toBe(false);
  });
});
