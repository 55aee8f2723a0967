// Each protocol is compiled as if it were alone: what stands beside it in schemas/ changes no byte of what is written for it.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
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
