// generated/ is what schemas/ and the generator give, byte for byte. A failure names the command that mends it and the files it is about.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { compileAll } from "../generator/main.js";
import { printProblems } from "../generator/problem.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Lists the files of a folder that are not what was emitted, were never emitted or are missing; paths below the folder, sorted. */
function staleFiles(folder: string, outputs: readonly { readonly path: string; readonly text: string }[]): string[] {
  const committed = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => [relative(folder, file).split(sep).join("/"), readFileSync(file, "utf8")] as const),
  );
  const emitted = new Map(outputs.map((output) => [output.path, output.text]));
  return [...new Set([...committed.keys(), ...emitted.keys()])].filter((path) => committed.get(path) !== emitted.get(path)).sort();
}

/** Says what to do about stale files; empty where there are none. */
function advice(stale: readonly string[]): string {
  if (stale.length === 0) return "";
  return `generated/ is not what schemas/ and generator/ give: run \`npm run generate\` and commit\n${stale.map((path) => `  generated/${path}\n`).join("")}`;
}

test("generated/ is fresh", async () => {
  const run = await compileAll(relative(process.cwd(), join(ROOT, "schemas")), join(ROOT, "generator/emit"));
  if (run.problems.length > 0) expect.fail(printProblems(run.problems));
  expect(run.outputs.length).toBeGreaterThan(0);
  const stale = staleFiles(join(ROOT, "generated"), run.outputs);
  if (stale.length > 0) expect.fail(advice(stale));
});

describe("staleFiles", () => {
  const OUTPUTS = [
    { path: "toy/features.ts", text: "features\n" },
    { path: "toy/one/types.ts", text: "types\n" },
  ];

  test.each([
    { name: "the same files", files: { "toy/features.ts": "features\n", "toy/one/types.ts": "types\n" }, stale: [] },
    {
      name: "a file with one byte more",
      files: { "toy/features.ts": "features\n\n", "toy/one/types.ts": "types\n" },
      stale: ["toy/features.ts"],
    },
    { name: "a missing file", files: { "toy/features.ts": "features\n" }, stale: ["toy/one/types.ts"] },
    {
      name: "a file nothing emits",
      files: { "toy/features.ts": "features\n", "toy/one/types.ts": "types\n", "toy/zero/types.ts": "types\n" },
      stale: ["toy/zero/types.ts"],
    },
  ])("finds $name", ({ files, stale }) => {
    const folder = mkdtempSync(join(tmpdir(), "polyrev-generated-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    expect(staleFiles(folder, OUTPUTS)).toEqual(stale);
  });

  test("the advice names the command and the paths", () => {
    expect(advice(["toy/features.ts", "toy/one/types.ts"])).toBe(
      "generated/ is not what schemas/ and generator/ give: run `npm run generate` and commit\n  generated/toy/features.ts\n  generated/toy/one/types.ts\n",
    );
    expect(advice([])).toBe("");
  });
});
