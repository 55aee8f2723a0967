// SECURITY.md promises nothing that no test holds: each line of its table names a file and a test in it, and both are there.
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ts } from "ts-morph";
import { describe, expect, it } from "vitest";

const path = (below: string): string => fileURLToPath(new URL(`../${below}`, import.meta.url));

/** One line of the table. */
interface Promised {
  readonly file: string;
  readonly test: string;
}

/** Reads the lines of the table that name a test. */
function readPromises(document: string): Promised[] {
  const rows = [...document.matchAll(/^\|(.*)\|(.*)\|(.*)\|$/gm)].map(([, , file = "", test = ""]) => ({
    file: file.trim(),
    test: test.trim(),
  }));
  return rows.filter(({ file }) => file.startsWith("`")).map(({ file, test }) => ({ file: file.replaceAll("`", ""), test }));
}

/** Lists the tests of a file as they are written, with the titles they stand under. */
function testsIn(text: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node, above: readonly string[]): void => {
    const title = ts.isCallExpression(node) ? titleOf(node) : undefined;
    const titles = title === undefined ? above : [...above, title.text];
    if (title?.isTest === true) names.add(titles.join(" › "));
    ts.forEachChild(node, (child) => visit(child, titles));
  };
  visit(ts.createSourceFile("x.ts", text, ts.ScriptTarget.Latest, true), []);
  return names;
}

/** Reads `it("…")`, `test.each(…)("…")` and `describe("…")`; undefined for any other call. */
function titleOf(call: ts.CallExpression): { readonly text: string; readonly isTest: boolean } | undefined {
  const [title] = call.arguments;
  const word = /^(it|test|describe)\b/.exec(call.expression.getText())?.[1];
  if (word === undefined || title === undefined || !ts.isStringLiteralLike(title)) return undefined;
  return { text: title.text, isTest: word !== "describe" };
}

const document = readFileSync(path("SECURITY.md"), "utf8");
const promises = readPromises(document);
const files = new Map(
  [...new Set(promises.map(({ file }) => file))].map((file) => [
    file,
    existsSync(path(file)) ? testsIn(readFileSync(path(file), "utf8")) : new Set<string>(),
  ]),
);

describe("SECURITY.md", () => {
  it.each(promises.map(({ file, test }) => [file, test]))("%s has the test: %s", (file, test) => {
    expect(files.get(file)).toContain(test);
  });

  it("names a test on every line, and there are many", () => {
    const rows = [...document.matchAll(/^\| .* \|$/gm)].map(([row]) => row).filter((row) => !/^\| (\*\*|---|promise)/.test(row));
    expect(rows.filter((row) => !/\| `test\/[\w/-]+\.test\.ts` \| .+ › .+ \|$/.test(row))).toEqual([]);
    expect(promises).toHaveLength(rows.length);
    expect(promises.length).toBeGreaterThan(40);
  });

  it("would be told apart from one that promises what nobody tests", () => {
    const [one] = readPromises("| a | `test/x.test.ts` | a › b |");
    expect(one).toEqual({ file: "test/x.test.ts", test: "a › b" });
    const text = 'describe("a", () => { it.each([1])("b", () => {}); }); it("c", () => {});';
    expect([...testsIn(text)]).toEqual(["a › b", "c"]);
  });
});
