// Compiles a small protocol made up for the tests and compares what is written with the golden files, which a reviewer can read in one sitting:
// two revisions, a renamed definition, extracted params, a union member with a lowering, members nobody knows, a field whose name a peer of the older
// revision may use for something else, a fill, tolerances and an erratum. Its name, its unions and the suffixes of its definitions are like no real
// protocol's, so it also shows that the generator knows protocols only as data.
import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Output } from "../../generator/emit/output.js";
import type { Run } from "../../generator/main.js";
import { isLowerError, TranslationReport, type Codec } from "../../runtime/index.js";
import { bindProtocol } from "../../runtime/bind.js";
import { tablesIn } from "../generated-tables.js";
import { SCHEMAS, SchemasCopy } from "./schemas-copy.js";

const TOY = fileURLToPath(new URL("../golden/toy/schemas", import.meta.url));
const GOLDEN = fileURLToPath(new URL("../golden/toy/generated", import.meta.url));
const GRAMMARS = ["protocol", "changes", "errata", "tolerances", "sources"].map((name) => `${name}.schema.json`);

/** Compiles the toy protocol under the repository's grammars. */
async function compileToy(): Promise<{ readonly run: Run; readonly outputs: readonly Output[] }> {
  const grammars = new SchemasCopy();
  const copy = new SchemasCopy(TOY);
  for (const file of GRAMMARS) copy.write(file, grammars.read(file));
  const run = await copy.compile();
  return { run, outputs: run.outputs.map(({ path, text }) => ({ path, text: text.replaceAll(copy.folder, "schemas") })) };
}

/** Validators are long and say no more than the schemas; the golden files have only what they declare. */
function isGolden(output: Output): boolean {
  return !output.path.endsWith("/validators.js");
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
    "toy/one/validators.js",
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
    { id: "drawing.notes", first: 1, last: 1 },
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
  expect(Object.keys(model?.revisions[0]?.canonical ?? {})).toEqual(expect.arrayContaining(["Rectangle", "DrawParams", "Shape"]));
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
  expect(both.models.map((model) => model.protocol)).toEqual(["acp", "mcp", "toy"]);
  const toy = both.outputs.filter((output) => output.path.startsWith("toy/"));
  expect(toy.map(({ path, text }) => ({ path, text: text.replaceAll(copy.folder, "schemas") }))).toEqual(alone.outputs);
});

/** What a codec makes of a payload, and what the report says; a refusal gives its path. */
function outcome(run: (report: TranslationReport) => unknown): readonly unknown[] {
  const report = new TranslationReport();
  try {
    return [
      run(report),
      report.steps.map(({ action, path, detail }) => [action, path, ...(detail === undefined ? [] : [detail])].join(" ")),
    ];
  } catch (error) {
    if (isLowerError(error)) return ["refused", error.path];
    throw error;
  }
}

test("the golden codecs do what the toy's rows and tolerances say", async () => {
  const toy = bindProtocol(await tablesIn(join(GOLDEN, "toy")));
  const peer = (revision: string): Promise<Codec> => toy.codecFor(revision, toy.CapabilitySet.allFor(revision).resolve(revision, "pipe"));
  const [one, two] = [await peer("one"), await peer("two")];
  const circle = { kind: "circle", radius: 1 };
  const cube = { kind: "cube", edge: 1 };
  const skip = toy.DegradePolicy.strict().withUnknown("Shape", "skip");
  const rows: readonly (readonly [unknown, unknown, readonly string[]])[] = [
    [
      outcome((report) => one.lift("draw", "params", { shapes: [null, { ...circle, note: null }] }, report)),
      { shapes: [{ ...circle, note: null }] },
      ["repair /shapes/0 null-shape"],
    ],
    [
      outcome((report) => two.lift("draw", "params", { shapes: [{ ...circle, note: null }] }, report)),
      { shapes: [circle] },
      ["repair /shapes/0/note null-for-absent"],
    ],
    [outcome((report) => two.lift("draw", "params", { shapes: null }, report)), { shapes: [] }, ["repair /shapes null-for-no-shapes"]],
    [
      outcome((report) => two.lift("draw", "result", { count: 1, colour: "noir" }, report)),
      { count: 1, colour: "black" },
      ["repair /colour colour-in-another-language"],
    ],
    [
      outcome((report) => two.lift("draw", "result", { count: 1 }, report)),
      { count: 1, colour: "black" },
      ["repair /colour missing-colour"],
    ],
    [outcome((report) => one.lift("draw", "result", { count: 1, colour: "noir" }, report)), { count: 1, colour: "noir" }, []],
    [outcome((report) => one.lower("draw", "result", { count: 1, colour: "black" }, undefined, report)), { count: 1 }, ["omit /colour"]],
    [
      outcome((report) => one.lower("draw", "params", { shapes: [{ ...circle, note: 7 }] }, undefined, report)),
      { shapes: [{ ...circle, note: 7 }] },
      [],
    ],
    [
      outcome((report) => two.lower("draw", "params", { shapes: [{ ...circle, note: 7 }] }, undefined, report)),
      { shapes: [circle] },
      ["drop-stray /shapes/0/note"],
    ],
    [outcome((report) => two.lower("draw", "params", { shapes: [circle, cube] }, skip, report)), { shapes: [circle] }, ["skip /shapes/1"]],
  ];
  for (const [got, value, steps] of rows) expect(got).toEqual([value, steps]);
  expect(outcome((report) => one.lower("draw", "params", { shapes: [{ ...circle, note: "mine" }] }, undefined, report))).toEqual([
    "refused",
    "/shapes/0/note",
  ]);
  expect(outcome((report) => two.lower("draw", "params", { shapes: [circle, cube] }, undefined, report))).toEqual(["refused", "/shapes/1"]);
});
