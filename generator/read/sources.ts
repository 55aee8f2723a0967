// Reads a protocol's folder: protocol.yaml, errata.yaml, tolerances.yaml, sources.json and, per revision, schema.json and changes.yaml.
// Everything is held against its closed grammar and the recorded bytes; what comes out is data with line numbers.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ValidateFunction } from "ajv";
import type { Problem } from "../problem.js";
import { checkGrammar, compileGrammar, reportTodos } from "./grammar.js";
import { parseJson, parseYaml, type Parsed } from "./text-file.js";

/** One protocol's files as read. */
export interface ProtocolSources {
  readonly name: string;
  readonly protocol: Parsed;
  readonly errata: Parsed | undefined;
  readonly tolerances: Parsed | undefined;
  /** In the order protocol.yaml lists them. */
  readonly revisions: readonly RevisionSources[];
}

/** One revision's files as read. */
export interface RevisionSources {
  readonly revision: string;
  readonly schema: Parsed;
  readonly changes: Parsed;
}

const GRAMMARS = ["protocol", "changes", "errata", "tolerances", "sources"] as const;

type Grammars = Record<(typeof GRAMMARS)[number], ValidateFunction>;

/** What reading may put up with. */
export interface ReadOptions {
  /** A revision that is vendored but not yet listed in protocol.yaml; it is left out. */
  readonly unlisted?: string;
}

/** Reads every protocol below `schemas`; a protocol with problems in its files is left out. */
export function readSources(schemas: string, problems: Problem[], options: ReadOptions = {}): ProtocolSources[] {
  const grammars = readGrammars(schemas, problems);
  if (grammars === undefined) return [];
  const names = readdirSync(schemas, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return names.flatMap((name) => readProtocol(schemas, name, grammars, options, problems) ?? []);
}

function readGrammars(schemas: string, problems: Problem[]): Grammars | undefined {
  const entries = GRAMMARS.map((name) => {
    const parsed = readFile(join(schemas, `${name}.schema.json`), parseJson, problems);
    return parsed && ([name, compileGrammar(parsed.value as object)] as const);
  });
  return entries.every((entry) => entry !== undefined) ? (Object.fromEntries(entries) as Grammars) : undefined;
}

function readProtocol(
  schemas: string,
  name: string,
  grammars: Grammars,
  options: ReadOptions,
  problems: Problem[],
): ProtocolSources | undefined {
  const before = problems.length;
  const folder = join(schemas, name);
  const protocol = readChecked(join(folder, "protocol.yaml"), parseYaml, grammars.protocol, "schemas/protocol.schema.json", problems);
  const sources = readChecked(join(folder, "sources.json"), parseJson, grammars.sources, "schemas/sources.schema.json", problems);
  const optional = (kind: "errata" | "tolerances") => {
    const file = join(folder, `${kind}.yaml`);
    return existsSync(file) ? readChecked(file, parseYaml, grammars[kind], `schemas/${kind}.schema.json`, problems) : undefined;
  };
  const errata = optional("errata");
  const tolerances = optional("tolerances");
  if (protocol === undefined || sources === undefined) return undefined;
  const listed = (protocol.value as { revisions: { revision: string }[] }).revisions.map((entry) => entry.revision);
  checkFolders(folder, options.unlisted === undefined ? listed : [...listed, options.unlisted], sources, protocol, problems);
  const revisions = listed.flatMap((revision) => readRevision(folder, revision, sources, grammars, problems) ?? []);
  return problems.length > before ? undefined : { name, protocol, errata, tolerances, revisions };
}

function readRevision(
  folder: string,
  revision: string,
  sources: Parsed,
  grammars: Grammars,
  problems: Problem[],
): RevisionSources | undefined {
  const file = join(folder, revision, "schema.json");
  const schema = readFile(file, parseJson, problems);
  const changes = readChecked(join(folder, revision, "changes.yaml"), parseYaml, grammars.changes, "schemas/changes.schema.json", problems);
  if (schema === undefined || changes === undefined) return undefined;
  checkBytes(file, revision, sources, problems);
  const stated = (changes.value as { revision: string }).revision;
  if (stated !== revision) {
    const line = changes.lineOf(["revision"]);
    problems.push({
      file: changes.file,
      line,
      rule: "revision",
      message: `revision is ${JSON.stringify(stated)} in the folder ${revision}`,
      fix: `write revision: "${revision}"`,
    });
  }
  return { revision, schema, changes };
}

function checkFolders(folder: string, listed: readonly string[], sources: Parsed, protocol: Parsed, problems: Problem[]): void {
  const recorded = Object.keys(sources.value as object);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory() || listed.includes(entry.name)) continue;
    problems.push({
      file: protocol.file,
      line: protocol.lineOf(["revisions"]),
      rule: "revisions",
      message: `the folder ${entry.name} is not among the revisions`,
      fix: "list it, in order of release, or delete the folder",
    });
  }
  for (const revision of recorded.filter((name) => !listed.includes(name))) {
    problems.push({
      file: sources.file,
      line: sources.lineOf([revision]),
      rule: "revisions",
      message: `${revision} is recorded but not among the revisions of protocol.yaml`,
      fix: "list it there or delete the entry",
    });
  }
}

function checkBytes(file: string, revision: string, sources: Parsed, problems: Problem[]): void {
  const recorded = (sources.value as Record<string, { schema?: { sha256: string; size: number } }>)[revision]?.schema;
  const bytes = readFileSync(file);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (recorded?.sha256 === sha256 && recorded.size === bytes.length) return;
  const message =
    recorded === undefined
      ? `cannot trust the schema of ${revision}: ${sources.file} records no bytes for it`
      : `the bytes are not those recorded: sha256 ${sha256}, ${bytes.length} bytes; ${sources.file}:${sources.lineOf([revision, "schema"])} records ${recorded.sha256}, ${recorded.size} bytes`;
  problems.push({
    file,
    line: 1,
    rule: "bytes",
    message,
    fix: "never edit a vendored schema; write an erratum, or vendor it again with npm run vendor",
  });
}

function readChecked(
  file: string,
  parse: typeof parseYaml,
  grammar: ValidateFunction,
  grammarFile: string,
  problems: Problem[],
): Parsed | undefined {
  const parsed = readFile(file, parse, problems);
  if (parsed === undefined || reportTodos(parsed, problems)) return undefined;
  return checkGrammar(parsed, grammar, grammarFile, problems) ? parsed : undefined;
}

function readFile(file: string, parse: typeof parseYaml, problems: Problem[]): Parsed | undefined {
  if (!existsSync(file)) {
    problems.push({
      file,
      line: 1,
      rule: "missing",
      message: "no such file",
      fix: "see schemas/README.md for what a protocol's folder holds",
    });
    return undefined;
  }
  return parse(file.replaceAll("\\", "/"), readFileSync(file, "utf8"), problems);
}
