// The public surface: every name the library exports. A name that appears or goes shows in the golden's diff.
import { expect, it } from "vitest";
import * as acp from "../../runtime/acp.js";
import * as core from "../../runtime/index.js";
import * as mcp from "../../runtime/mcp.js";

it.each([
  ["core", core],
  ["mcp", mcp],
  ["acp", acp],
] as const)("the surface of %s", async (name, module) => {
  const lines = Object.entries(module)
    .map(([key, value]) => `${key}: ${typeof value}${typeof value === "function" ? membersOf(value) : ""}`)
    .sort();
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`./surface/${name}.txt`);
});

function membersOf(value: (...args: never[]) => unknown): string {
  const { prototype } = value as { prototype?: object };
  if (prototype === undefined) return "";
  const own = Object.getOwnPropertyNames(prototype).filter((key) => key !== "constructor");
  const statics = Object.getOwnPropertyNames(value).filter((key) => !["length", "name", "prototype"].includes(key));
  return ` [${[...statics.map((key) => `static ${key}`), ...own].sort().join(", ")}]`;
}
