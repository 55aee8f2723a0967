// `npm run snippets -- --write` puts each example the README marks, and what it prints, into the README; `-- --check` compares.
// `<!-- example: name -->` … `<!-- /example -->` shows test/examples/<name>.ts, `<!-- printed: name -->` … `<!-- /printed -->` its output.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const EXAMPLES = fileURLToPath(new URL("../test/examples", import.meta.url));
const MARKED = /<!-- (example|printed): ([\w-]+) -->\n[\s\S]*?<!-- \/\1 -->/g;

/** Gives the document with every marked example and its output as they are now. */
export function withExamples(document: string): string {
  return document.replace(MARKED, (_, kind: string, name: string) => {
    const content = kind === "example" ? readFileSync(join(EXAMPLES, `${name}.ts`), "utf8") : runExample(name);
    return `<!-- ${kind}: ${name} -->\n\`\`\`${kind === "example" ? "ts" : ""}\n${content.trimEnd()}\n\`\`\`\n<!-- /${kind} -->`;
  });
}

/** Runs an example as it stands and gives what it printed. */
export function runExample(name: string): string {
  return execFileSync(process.execPath, ["--import", "tsx", join(EXAMPLES, `${name}.ts`)], {
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { write: { type: "boolean", default: false }, check: { type: "boolean", default: false } } });
  const before = readFileSync("README.md", "utf8");
  const after = withExamples(before);
  if (values.write) writeFileSync("README.md", after);
  else if (after !== before) {
    process.stderr.write("README.md: an example or its output is not as it is now\n  fix: npm run snippets -- --write\n");
    process.exitCode = 1;
  }
}
