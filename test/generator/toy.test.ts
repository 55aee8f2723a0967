// Compiles a small protocol made up for the tests and compares what is written with the golden files, which a reviewer can read in one sitting:
// two revisions, a renamed definition, extracted params, a union member with a lowering, a fill and an erratum. Its name, its unions and the
// suffixes of its definitions are like no real protocol's, so it also shows that the generator knows protocols only as data.
import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Output } from "../../generator/emit/output.js";
import type { Run } from "../../generator/main.js";
import { SCHEMAS, SchemasCopy } from "./schemas-copy.js";

const TOY = fileURLToPath(new URL("../golden/toy/schemas", import.meta.url));
const GOLDEN = fileURLToPath(new URL("../golden/toy/generated", import.meta.url));
const GRAMMARS = ["protocol", "changes", "errata", "sources"].map((name) => `${name}.schema.json`);

/** Compiles the toy protocol under the repository's grammars. */
async function compileToy(): Promise<{ readonly run: Run; readonly outputs: readonly Output[] }> {
  const grammars = new SchemasCopy();
  const copy = new SchemasCopy(TOY);
  for (const file of GRAMMARS) copy.write(file, grammars.read(file));
  const run = await copy.compile();
  return { run, outputs: run.outputs.map(({ path, text }) => ({ path, text: text.replaceAll(copy.folder, "schemas") })) };
}

/** Validators are long and say no more than the schemas; the golden files leave them out. */
function isGolden(output: Output): boolean {
  return !/\/validators(\.d)?\.[jt]s$/.test(output.path);
}

test("the toy protocol gives the golden files", async () => {
  const { run, outputs } = await compileToy();
  expect(run.problems).toEqual([]);
  const golden = outputs.filter(isGolden);
  for (const { path, text } of golden) await expect(text, path).toMatchFileSnapshot(join(GOLDEN, path));
  const committed = readdirSync(GOLDEN, { recursive: true, encoding: "utf8" }).filter((path) => /\.(ts|md)$/.test(path));
  expect(committed.map((path) => path.split(sep).join("/")).sort()).toEqual(golden.map((output) => output.path));
});

test("each revision has validators of its own", async () => {
  const { outputs } = await compileToy();
  expect(outputs.filter((output) => !isGolden(output)).map((output) => output.path)).toEqual([
    "toy/one/validators.d.ts",
    "toy/one/validators.js",
    "toy/two/validators.d.ts",
    "toy/two/validators.js",
  ]);
});

test("the model is what the toy's rows and schemas say together", async () => {
  const { run } = await compileToy();
  const model = run.models[0];
  expect(run.models).toHaveLength(1);
  expect(model?.protocol).toBe("toy");
  expect(model?.features.map(({ id, first, last }) => ({ id, first, last }))).toEqual([
    { id: "drawing", first: 0, last: 1 },
    { id: "wiping", first: 0, last: 1 },
    { id: "transport.pipe", first: 0, last: 1 },
    { id: "drawing.labels", first: 1, last: 1 },
    { id: "drawing.colour", first: 1, last: 1 },
  ]);
  expect(
    model?.revisions.map(({ id, methods }) => ({ id, methods: methods.map(({ name, kind, results }) => ({ name, kind, results })) })),
  ).toEqual(
    ["one", "two"].map((id) => ({
      id,
      methods: [
        { name: "draw", kind: "request", results: ["DrawReply"] },
        { name: "wiped", kind: "notification", results: [] },
      ],
    })),
  );
  expect(Object.keys(model?.revisions[0]?.definitions ?? {})).toContain("Box");
  expect(Object.keys(model?.revisions[0]?.canonical ?? {})).not.toContain("Box");
  expect(Object.keys(model?.revisions[0]?.canonical ?? {})).toEqual(expect.arrayContaining(["Rectangle", "DrawParams"]));
  expect(model?.revisions[1]?.definitions["Circle"]?.properties?.["radius"]).toEqual({ type: "number" });
  expect(model?.ir["DrawReply"]?.required).toEqual(["count"]);
});

test("what is written for it names no other protocol", async () => {
  const { outputs } = await compileToy();
  expect(outputs.length).toBeGreaterThan(0);
  expect(outputs.filter(({ path, text }) => !path.startsWith("toy/") || /\b(mcp|model context|acp)\b/i.test(text))).toEqual([]);
});

test("beside another protocol it is compiled as it is alone", async () => {
  const alone = await compileToy();
  const copy = new SchemasCopy(SCHEMAS, TOY);
  const both = await copy.compile();
  expect(both.problems).toEqual([]);
  expect(both.models.map((model) => model.protocol)).toEqual(["mcp", "toy"]);
  const toy = both.outputs.filter((output) => output.path.startsWith("toy/"));
  expect(toy.map(({ path, text }) => ({ path, text: text.replaceAll(copy.folder, "schemas") }))).toEqual(alone.outputs);
});
