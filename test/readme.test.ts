// The README shows what is: its examples and their output, and the demo's output, are those of this tree.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { BRIDGE_CODES } from "../runtime/bridge/errors.js";
import { replaceBetween } from "../scripts/markers.js";
import { withExamples } from "../scripts/snippets.js";

const readme = readFileSync(fileURLToPath(new URL("../README.md", import.meta.url)), "utf8");

describe("README.md", () => {
  it("shows its examples and what they print; else run npm run snippets -- --write", () => {
    expect(withExamples(readme) === readme).toBe(true);
  });

  it("would be told apart from a stale one", () => {
    const stale = readme.replace("<!-- printed: lower -->\n```\n", "<!-- printed: lower -->\n```\nstale ");
    expect(stale).not.toBe(readme);
    expect(withExamples(stale)).toBe(readme);
  });

  it("has filled every marked part", () => {
    for (const name of ["demo", "bench", "bench-bridge", "size"]) {
      const emptied = replaceBetween(readme, name, "");
      expect(readme.length - emptied.length, `npm run ${name === "bench-bridge" ? "bench" : name} -- --write`).toBeGreaterThan(200);
    }
  });

  it("names only commands that exist", () => {
    const { scripts } = JSON.parse(readFileSync(fileURLToPath(new URL("../package.json", import.meta.url)), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = [...readme.matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1] as string);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});

describe("runtime/bridge/README.md", () => {
  it("lists every error the bridge answers with, under its code", () => {
    const guide = readFileSync(fileURLToPath(new URL("../runtime/bridge/README.md", import.meta.url)), "utf8");
    const rows = [...guide.matchAll(/^\| (-\d+) \| `([\w-]+)` \| \S/gm)].map(([, code, kind]) => [kind, Number(code)]);
    expect(rows).toEqual(Object.entries(BRIDGE_CODES));
  });
});
