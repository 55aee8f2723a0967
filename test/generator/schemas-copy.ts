// A copy of schemas/ in a temporary folder, for tests that edit it; the folder goes away with the test.
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { compileAll, type Run } from "../../generator/main.js";

/** The repository's schemas folder. */
export const SCHEMAS = fileURLToPath(new URL("../../schemas", import.meta.url));
/** The folder of the emitters' templates. */
export const TEMPLATES = fileURLToPath(new URL("../../generator/emit", import.meta.url));

/** An editable copy of a schemas folder; every file is named by its path below the folder. */
export class SchemasCopy {
  readonly folder: string;

  /** Copies the given folders into one, the later over the earlier. */
  constructor(...sources: readonly string[]) {
    this.folder = mkdtempSync(join(tmpdir(), "polyrev-schemas-"));
    onTestFinished(() => rmSync(this.folder, { recursive: true }));
    for (const source of sources.length === 0 ? [SCHEMAS] : sources) cpSync(source, this.folder, { recursive: true });
  }

  /** Leaves one protocol in the copy, for tests that are about nothing else; the others take their time to compile. */
  only(protocol: string): this {
    for (const entry of readdirSync(this.folder, { withFileTypes: true })) {
      if (entry.isDirectory() && entry.name !== protocol) this.delete(entry.name);
    }
    return this;
  }

  /** Compiles the copy with the repository's templates. */
  compile(): Promise<Run> {
    return compileAll(this.folder, TEMPLATES);
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), "utf8");
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  delete(file: string): void {
    rmSync(join(this.folder, file), { recursive: true });
  }

  /** Replaces a text that stands exactly once in a file; anything else is an error. */
  edit(file: string, find: string, replacement: string): void {
    const text = this.read(file);
    const at = onlyIndexOf(text, find, file);
    this.write(file, text.slice(0, at) + replacement + text.slice(at + find.length));
  }

  /** The 1-based line on which a text begins that stands exactly once in a file; of several texts, the last, each looked for after the one before. */
  lineOf(file: string, texts: string | readonly string[]): number {
    const whole = this.read(file);
    const [first = "", ...next] = [texts].flat();
    const at = next.reduce((from, text) => nextIndexOf(whole, text, from, file), onlyIndexOf(whole, first, file));
    return whole.slice(0, at).split("\n").length;
  }

  /** Records a schema's present bytes in sources.json, as vendoring would. */
  record(protocol: string, revision: string): void {
    const bytes = readFileSync(join(this.folder, protocol, revision, "schema.json"));
    const sources = JSON.parse(this.read(`${protocol}/sources.json`)) as Record<string, object>;
    const schema = { sha256: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
    this.write(`${protocol}/sources.json`, `${JSON.stringify({ ...sources, [revision]: { ...sources[revision], schema } }, null, 2)}\n`);
  }
}

function onlyIndexOf(text: string, find: string, file: string): number {
  const at = text.indexOf(find);
  if (find === "" || at === -1) throw new Error(`cannot find ${JSON.stringify(find)} in ${file}`);
  if (text.includes(find, at + 1)) throw new Error(`${JSON.stringify(find)} stands more than once in ${file}`);
  return at;
}

function nextIndexOf(text: string, find: string, from: number, file: string): number {
  const at = text.indexOf(find, from + 1);
  if (find === "" || at === -1) throw new Error(`cannot find ${JSON.stringify(find)} further on in ${file}`);
  return at;
}
