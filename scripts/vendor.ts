// `npm run vendor -- <protocol> <revision> <file or URL>` checks upstream bytes against sources.json and writes the revision's schema.json
// in normal form. `npm run vendor -- --check [folder]` shows that every committed schema.json is what the recorded upstream bytes give;
// the folder holds <protocol>/<revision>/schema.json as upstream publishes them.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toNormalForm, type Json, type NormalForm } from "./normal-form.js";

interface Source {
  readonly repository: string;
  readonly commit: string;
  readonly path: string;
  readonly sha256: string;
  readonly size: number;
  readonly schema?: { readonly sha256: string; readonly size: number };
}
type Sources = Record<string, Source>;

const ROOT = "schemas";
const USAGE = "usage: npm run vendor -- <protocol> <revision> <file or URL>\n       npm run vendor -- --check [folder with upstream files]";

const { values, positionals } = parseArgs({ options: { check: { type: "boolean", default: false } }, allowPositionals: true });
process.exitCode = values.check
  ? checkAll(positionals[0] ?? process.env.POLYREV_UPSTREAM ?? join("..", "shared", "upstream"))
  : await vendorOne(positionals);

async function vendorOne([protocol, revision, origin]: readonly string[]): Promise<number> {
  if (protocol === undefined || revision === undefined || origin === undefined) return fail(2, USAGE);
  const sourcesFile = join(ROOT, protocol, "sources.json");
  if (!existsSync(sourcesFile))
    return fail(1, `${sourcesFile}: cannot vendor ${protocol}: no such file\n  fix: create schemas/${protocol}/sources.json`);
  const sources = JSON.parse(readFileSync(sourcesFile, "utf8")) as Sources;
  const bytes = await readBytes(origin).catch((error: unknown) => (error as Error).message);
  if (typeof bytes === "string")
    return fail(1, `${origin}: cannot read: ${bytes}\n  fix: name a file that is there, or a URL that answers`);
  const source = sources[revision];
  if (source === undefined) {
    const entry = {
      [revision]: { repository: "<owner/name>", commit: "<40 hex digits>", path: "<path in the repository>", ...sum(bytes) },
    };
    return fail(
      1,
      `${sourcesFile}: cannot vendor ${revision}: it has no entry\n  fix: after checking where the bytes come from, add ${JSON.stringify(entry)}`,
    );
  }
  const mismatch = compare(source, bytes);
  if (mismatch !== undefined)
    return fail(1, `${origin}: ${mismatch}\n  fix: fetch ${source.path} of ${source.repository} at ${source.commit}`);
  const form = normalForm(bytes);
  if ("faults" in form) return fail(1, form.faults.map((fault) => `${origin}#${fault}`).join("\n"));
  mkdirSync(join(ROOT, protocol, revision), { recursive: true });
  const target = join(ROOT, protocol, revision, "schema.json");
  writeFileSync(target, form.text);
  const written = { ...sources, [revision]: { ...source, schema: sum(Buffer.from(form.text)) } };
  writeFileSync(sourcesFile, `${JSON.stringify(written, null, 2)}\n`);
  process.stdout.write(`${target}: ${form.text.length} characters from ${source.repository} ${source.commit.slice(0, 8)}\n`);
  return 0;
}

function checkAll(upstream: string): number {
  const faults: string[] = [];
  let checked = 0;
  for (const protocol of readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)) {
    // What a protocol's upstream publishes need not be at hand where another's is; that is said, and one of them has to be.
    if (!existsSync(join(upstream, protocol))) {
      process.stdout.write(`${protocol}: not checked, there is no ${join(upstream, protocol)}\n`);
      continue;
    }
    const sources = JSON.parse(readFileSync(join(ROOT, protocol, "sources.json"), "utf8")) as Sources;
    for (const [revision, source] of Object.entries(sources)) {
      const fault = checkOne(join(ROOT, protocol, revision, "schema.json"), join(upstream, protocol, revision, "schema.json"), source);
      if (fault === undefined) checked += 1;
      else faults.push(fault);
    }
  }
  if (faults.length > 0) return fail(1, faults.join("\n"));
  if (checked === 0)
    return fail(1, `${upstream}: cannot check anything: it holds no protocol's schemas\n  fix: npm run vendor -- --check <folder>`);
  process.stdout.write(`${checked} schemas are what the recorded upstream bytes give\n`);
  return 0;
}

function checkOne(committed: string, original: string, source: Source): string | undefined {
  if (!existsSync(committed)) return `${committed}: missing\n  fix: npm run vendor -- <protocol> <revision> <file or URL>`;
  if (!existsSync(original))
    return `${original}: cannot check ${committed}: the upstream file is not at hand\n  fix: npm run vendor -- --check <folder>`;
  const bytes = readFileSync(original);
  const mismatch = compare(source, bytes);
  if (mismatch !== undefined) return `${original}: ${mismatch}`;
  const form = normalForm(bytes);
  if ("faults" in form) return form.faults.map((fault) => `${original}#${fault}`).join("\n");
  return form.text === readFileSync(committed, "utf8")
    ? undefined
    : `${committed}: differs from the normal form of its upstream bytes\n  fix: vendor it again`;
}

function normalForm(bytes: Buffer): NormalForm {
  try {
    return toNormalForm(JSON.parse(bytes.toString("utf8")) as Json);
  } catch (error) {
    return { faults: [`/: not JSON: ${(error as Error).message}`] };
  }
}

async function readBytes(origin: string): Promise<Buffer> {
  if (!/^https?:\/\//.test(origin)) return readFileSync(origin);
  const answer = await fetch(origin);
  if (!answer.ok) throw new Error(`cannot fetch ${origin}: HTTP ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

function compare(source: Source, bytes: Buffer): string | undefined {
  const found = sum(bytes);
  if (found.sha256 === source.sha256 && found.size === source.size) return undefined;
  return `not the recorded bytes: sha256 ${found.sha256}, ${found.size} bytes; sources.json records ${source.sha256}, ${source.size} bytes`;
}

function sum(bytes: Buffer): { sha256: string; size: number } {
  return { sha256: createHash("sha256").update(bytes).digest("hex"), size: bytes.length };
}

function fail(code: number, message: string): number {
  process.stderr.write(`${message}\n`);
  return code;
}
