// Each protocol is compiled as if it were alone: what stands beside it in schemas/ changes no byte of what is written for it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { loadModel } from "../loaded-model.js";
import { SchemasCopy } from "./schemas-copy.js";

const GENERATED = fileURLToPath(new URL("../../generated", import.meta.url));

test.each([
  ["mcp", "acp"],
  ["acp", "mcp"],
])("%s is what it is without %s", async (kept, gone) => {
  const copy = new SchemasCopy();
  copy.delete(gone);
  const { problems, models, outputs } = await copy.compile();
  expect(problems).toEqual([]);
  expect(models.map((model) => model.protocol)).toEqual([kept]);
  expect(outputs.length).toBeGreaterThan(0);
  for (const { path, text } of outputs)
    expect(readFileSync(join(GENERATED, path), "utf8") === text.replaceAll(copy.folder, "schemas"), path).toBe(true);
});

test("every difference between the two revisions of the second protocol has one account", () => {
  const [pair] = loadModel("acp").accounting;
  expect(pair?.byAccount).toEqual({ row: 232, removal: 105, rename: 12, fill: 0, layout: 45 });
  expect(pair?.entries.length).toBe(pair?.deltas.length);
});

test("each of its methods goes the way its payload says, and each revision has as many as its schema", () => {
  const { revisions } = loadModel("acp");
  expect(revisions.map((revision) => revision.methods.length)).toEqual([25, 18]);
  const handlers = { agent: ["clientToServer"], client: ["serverToClient"], protocol: ["clientToServer", "serverToClient"] };
  for (const { methods, published } of revisions) {
    for (const { name, directions } of methods) {
      const payload = Object.values(published).find((node) => node["x-method"] === name);
      expect(directions, name).toEqual(handlers[payload?.["x-side"] as keyof typeof handlers]);
    }
  }
});
