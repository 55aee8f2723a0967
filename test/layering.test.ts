// Keeps the arrows between rooms: reads every import of generator/, generated/ and runtime/ and holds it against a table that says what each room
// may import, what the pure rooms may not mention, and where no protocol may be named. Planted violations show that each rule can say no.
import { readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ts } from "ts-morph";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** A file as the rules see it: its path below the repository, its imports as written, and its text. */
interface Source {
  readonly path: string;
  readonly imports: readonly string[];
  readonly text: string;
}

/** A room and what its files may import: files by path prefix (`*` stands for one name), npm packages, modules of Node. */
interface Room {
  readonly name: string;
  readonly holds: string;
  readonly files: readonly string[];
  readonly packages?: true | readonly string[];
  readonly node?: true;
}

const CORE = ["runtime/*", "generated/"];

/** The first room that holds a file is its room. */
const ROOMS: readonly Room[] = [
  { name: "problem.ts", holds: "generator/problem.ts", files: [] },
  { name: "main.ts", holds: "generator/main.ts", files: ["generator/"], packages: true, node: true },
  { name: "read", holds: "generator/read/", files: ["generator/read/", "generator/problem.ts"], packages: true, node: true },
  { name: "model", holds: "generator/model/", files: ["generator/model/", "generator/problem.ts"] },
  { name: "emit", holds: "generator/emit/", files: ["generator/emit/", "generator/model/"], packages: true },
  { name: "write", holds: "generator/write/", files: ["generator/write/"], packages: true, node: true },
  { name: "generated", holds: "generated/", files: ["generated/"] },
  { name: "core", holds: "runtime/*", files: CORE },
  { name: "bridge", holds: "runtime/bridge/", files: [...CORE, "runtime/bridge/"], node: true },
  {
    name: "transport",
    holds: "runtime/transport/",
    files: [...CORE, "runtime/transport/", "runtime/bridge/peer.ts"],
    packages: [
      "@hono/node-server",
      "cross-spawn",
      "eventsource-parser",
      "lossless-json",
      "undici",
      "undici/lib/api/api-request.js",
      "undici/lib/dispatcher/agent.js",
    ],
    node: true,
  },
  { name: "cli", holds: "runtime/cli/", files: ["runtime/", "generated/"], packages: true, node: true },
];

/** The rooms that touch no file system, clock, environment or network, and the words they would do it with. */
const PURE_ROOMS = ["generator/model/", "generator/emit/"];
const IMPURE = ["process.", "Date.now", "new Date", "Math.random", "performance.now", "fetch("];

/** The files that know protocols only as data, the one exception, and the names they may not hold. */
const BLIND = ["generator/", "runtime/*"];
const BINDINGS = ["runtime/mcp.ts", "runtime/acp.ts"];
const PROTOCOL_NAMES = /\b(mcp|model context|acp|agent client)\b/i;

/** Says what is wrong, one line a violation. */
function violations(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => [...importFaults(source), ...purityFaults(source), ...blindnessFaults(source)]);
}

function importFaults({ path, imports }: Source): string[] {
  if (!/\.[cm]?[jt]s$/.test(path)) return [];
  const room = ROOMS.find((candidate) => matches(path, candidate.holds));
  if (room === undefined) return [`${path}: stands in no room`];
  return imports
    .filter((specifier) => !isAllowed(specifier, path, room))
    .map((specifier) => `${path}: ${room.name} may not import ${specifier}`);
}

function isAllowed(specifier: string, path: string, room: Room): boolean {
  if (specifier.startsWith(".")) {
    const target = posix.join(posix.dirname(path), specifier).replace(/\.js$/, path.endsWith(".js") ? ".js" : ".ts");
    return room.files.some((allowed) => matches(target, allowed));
  }
  const isNode = specifier.startsWith("node:") || builtinModules.includes(specifier);
  if (isNode) return room.node === true;
  return room.packages === true ? /^[@a-z]/.test(specifier) : (room.packages?.includes(specifier) ?? false);
}

function matches(path: string, pattern: string): boolean {
  if (pattern.endsWith("/")) return path.startsWith(pattern);
  if (pattern.endsWith("/*")) return posix.dirname(path) === posix.dirname(pattern);
  return path === pattern;
}

function purityFaults({ path, text }: Source): string[] {
  if (!path.endsWith(".ts") || !PURE_ROOMS.some((room) => path.startsWith(room))) return [];
  return IMPURE.filter((word) => text.includes(word)).map((word) => `${path}: a pure room may not mention ${word}`);
}

function blindnessFaults({ path, text }: Source): string[] {
  if (BINDINGS.includes(path) || !BLIND.some((pattern) => matches(path, pattern))) return [];
  return text.split("\n").flatMap((line, index) => {
    const name = PROTOCOL_NAMES.exec(line)?.[0];
    return name === undefined ? [] : [`${path}:${index + 1}: names the protocol ${JSON.stringify(name)}`];
  });
}

/** Reads what a file imports: statically or on demand, values or types, for itself or to pass on. A computed name is given as its expression. */
function readImports(path: string, text: string): string[] {
  const imports = new Set<string>();
  const add = (node: ts.Node | undefined): void => {
    if (node !== undefined) imports.add(ts.isStringLiteralLike(node) ? node.text : `(${node.getText()})`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) add(node.moduleSpecifier);
    else if (ts.isExternalModuleReference(node)) add(node.expression);
    else if (ts.isImportTypeNode(node)) add(ts.isLiteralTypeNode(node.argument) ? node.argument.literal : node.argument);
    else if (ts.isCallExpression(node) && /^(import|require)$/.test(node.expression.getText())) add(node.arguments[0]);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true));
  return [...imports].sort();
}

function readSources(...folders: readonly string[]): Source[] {
  return folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((file) => {
        const path = relative(ROOT, file).split(sep).join("/");
        const text = readFileSync(file, "utf8");
        return { path, imports: /\.[cm]?[jt]s$/.test(path) ? readImports(path, text) : [], text };
      }),
  );
}

describe("the repository", () => {
  const sources = readSources("generator", "generated", "runtime");

  test("has files in the rooms that matter, with imports", () => {
    for (const name of ["main.ts", "read", "model", "emit", "write", "generated", "core"]) {
      const room = ROOMS.find((candidate) => candidate.name === name) as Room;
      const held = sources.filter((source) => matches(source.path, room.holds));
      expect(
        held.filter((source) => name === "write" || source.imports.length > 0),
        name,
      ).not.toEqual([]);
    }
  });

  test("keeps every rule", () => {
    expect(violations(sources)).toEqual([]);
  });
});

describe("readImports", () => {
  test.each([
    { name: "a value", text: 'import { a } from "./a.js";', imports: ["./a.js"] },
    { name: "a type", text: 'import type { A } from "./a.js";', imports: ["./a.js"] },
    { name: "a type among values", text: 'import { b, type A } from "./a.js";', imports: ["./a.js"] },
    { name: "everything", text: 'import * as all from "ajv";', imports: ["ajv"] },
    { name: "a default", text: 'import all from "ajv";', imports: ["ajv"] },
    { name: "nothing but effects", text: 'import "node:fs";', imports: ["node:fs"] },
    { name: "over several lines", text: 'import {\n  a,\n  b,\n} from "./a.js";', imports: ["./a.js"] },
    { name: "passed on", text: 'export { a } from "./a.js";\nexport * from "./b.js";', imports: ["./a.js", "./b.js"] },
    { name: "a type passed on", text: 'export type { A } from "./a.js";', imports: ["./a.js"] },
    { name: "on demand", text: 'const a = await import("./a.js");', imports: ["./a.js"] },
    { name: "on demand, computed", text: "const a = await import(name);", imports: ["(name)"] },
    { name: "the type of a module", text: 'type A = import("./a.js").A;', imports: ["./a.js"] },
    { name: "the old way", text: 'const a = require("ajv"); import b = require("./b.js");', imports: ["./b.js", "ajv"] },
    { name: "nothing from comments and strings", text: '// import "./a.js";\nconst a = \'import "./b.js"\';', imports: [] },
  ])("sees $name", ({ text, imports }) => {
    expect(readImports("generator/any.ts", text)).toEqual(imports);
  });

  test("sees the imports of JavaScript", () => {
    expect(readImports("generated/any.js", 'import a from "./a.js";\nconst b = require("b");')).toEqual(["./a.js", "b"]);
  });
});

/** A file that holds nothing but an import. */
function importing(path: string, ...imports: readonly string[]): Source {
  return { path, imports, text: "" };
}

describe("the rules can say no", () => {
  test.each<readonly [string, string, string]>([
    ["generator/problem.ts", "./model/types.js", "problem.ts may not import ./model/types.js"],
    ["generator/problem.ts", "node:path", "problem.ts may not import node:path"],
    ["generator/main.ts", "../runtime/index.js", "main.ts may not import ../runtime/index.js"],
    ["generator/main.ts", "../scripts/normal-form.js", "main.ts may not import ../scripts/normal-form.js"],
    ["generator/read/sources.ts", "../model/types.js", "read may not import ../model/types.js"],
    ["generator/read/sources.ts", "../emit/output.js", "read may not import ../emit/output.js"],
    ["generator/read/sources.ts", "../write/sync.js", "read may not import ../write/sync.js"],
    ["generator/read/sources.ts", "../main.js", "read may not import ../main.js"],
    ["generator/model/build.ts", "../read/text-file.js", "model may not import ../read/text-file.js"],
    ["generator/model/build.ts", "../emit/output.js", "model may not import ../emit/output.js"],
    ["generator/model/build.ts", "../main.js", "model may not import ../main.js"],
    ["generator/model/build.ts", "node:fs", "model may not import node:fs"],
    ["generator/model/build.ts", "node:path", "model may not import node:path"],
    ["generator/model/build.ts", "fs", "model may not import fs"],
    ["generator/model/build.ts", "ajv", "model may not import ajv"],
    ["generator/emit/codec.ts", "../read/text-file.js", "emit may not import ../read/text-file.js"],
    ["generator/emit/codec.ts", "../write/sync.js", "emit may not import ../write/sync.js"],
    ["generator/emit/codec.ts", "../problem.js", "emit may not import ../problem.js"],
    ["generator/emit/codec.ts", "node:child_process", "emit may not import node:child_process"],
    ["generator/emit/codec.ts", "node:process", "emit may not import node:process"],
    ["generator/emit/codec.ts", "http", "emit may not import http"],
    ["generator/emit/codec.ts", "../../generated/toy/walk.js", "emit may not import ../../generated/toy/walk.js"],
    ["generator/write/sync.ts", "../emit/output.js", "write may not import ../emit/output.js"],
    ["generator/write/sync.ts", "../problem.js", "write may not import ../problem.js"],
    ["generated/toy/codecs.ts", "../../runtime/protocol.js", "generated may not import ../../runtime/protocol.js"],
    ["generated/toy/codecs.ts", "ajv", "generated may not import ajv"],
    ["generated/toy/one/validators.js", "ajv/dist/runtime/ucs2length", "generated may not import ajv/dist/runtime/ucs2length"],
    ["generated/toy/one/codec.ts", "node:fs", "generated may not import node:fs"],
    ["runtime/codec.ts", "../generator/model/types.js", "core may not import ../generator/model/types.js"],
    ["runtime/codec.ts", "./bridge/peer.js", "core may not import ./bridge/peer.js"],
    ["runtime/codec.ts", "./transport/stdio.js", "core may not import ./transport/stdio.js"],
    ["runtime/codec.ts", "./cli/explain.js", "core may not import ./cli/explain.js"],
    ["runtime/codec.ts", "node:crypto", "core may not import node:crypto"],
    ["runtime/codec.ts", "ajv", "core may not import ajv"],
    ["runtime/codec.ts", "@scope/package", "core may not import @scope/package"],
    ["runtime/codec.ts", "../test/runtime/toy-tables.js", "core may not import ../test/runtime/toy-tables.js"],
    ["runtime/codec.ts", "../scripts/bench.js", "core may not import ../scripts/bench.js"],
    ["runtime/codec.ts", "(name)", "core may not import (name)"],
    ["runtime/bridge/bridge.ts", "../transport/stdio.js", "bridge may not import ../transport/stdio.js"],
    ["runtime/bridge/bridge.ts", "../cli/explain.js", "bridge may not import ../cli/explain.js"],
    ["runtime/transport/stdio.ts", "../bridge/bridge.js", "transport may not import ../bridge/bridge.js"],
    ["runtime/transport/stdio.ts", "../cli/explain.js", "transport may not import ../cli/explain.js"],
    ["runtime/bridge/bridge.ts", "ajv", "bridge may not import ajv"],
    ["runtime/transport/stdio.ts", "ajv", "transport may not import ajv"],
    ["runtime/cli/explain.ts", "../../test/cli/run.js", "cli may not import ../../test/cli/run.js"],
    ["runtime/cli/explain.ts", "../../generator/main.js", "cli may not import ../../generator/main.js"],
  ])("%s importing %s", (path, specifier, says) => {
    expect(violations([importing(path, specifier)])).toEqual([`${path}: ${says}`]);
  });

  test.each(["generator/tools.ts", "generator/lint/rules.ts", "runtime/server/main.ts"])("%s stands in no room", (path) => {
    expect(violations([importing(path)])).toEqual([`${path}: stands in no room`]);
  });

  test.each<readonly [string, string, string]>([
    ["generator/model/build.ts", "const home = process.env;", "process."],
    ["generator/model/build.ts", "const now = Date.now();", "Date.now"],
    ["generator/emit/output.ts", "const now = new Date();", "new Date"],
    ["generator/emit/output.ts", "const id = Math.random();", "Math.random"],
    ["generator/emit/output.ts", "const started = performance.now();", "performance.now"],
    ["generator/emit/output.ts", "const page = await fetch(url);", "fetch("],
  ])("%s mentioning %s", (path, text, word) => {
    expect(violations([{ path, imports: [], text }])).toEqual([`${path}: a pure room may not mention ${word}`]);
  });

  test.each<readonly [string, string, string]>([
    ["generator/main.ts", "// Reads MCP.", '1: names the protocol "MCP"'],
    ["generator/model/build.ts", "\nconst root = `schemas/mcp`;", '2: names the protocol "mcp"'],
    ["generator/emit/walk.hbs", "// The Model Context Protocol.", '1: names the protocol "Model Context"'],
    ["runtime/codec.ts", 'const header = "Mcp-Session-Id";', '1: names the protocol "Mcp"'],
    ["runtime/index.ts", 'export { x } from "./acp.js";', '1: names the protocol "acp"'],
  ])("%s holding %s", (path, text, says) => {
    expect(violations([{ path, imports: [], text }])).toEqual([`${path}:${says}`]);
  });
});

describe("the rules can say yes", () => {
  test.each<Source>([
    importing(
      "generator/main.ts",
      "node:path",
      "./emit/emit.js",
      "./model/build.js",
      "./problem.js",
      "./read/sources.js",
      "./write/sync.js",
    ),
    importing("generator/read/sources.ts", "node:fs", "ajv", "yaml", "../problem.js", "./grammar.js"),
    importing("generator/model/build.ts", "../problem.js", "./types.js"),
    importing("generator/emit/codec.ts", "handlebars", "ajv/dist/standalone/index.js", "../model/plan.js", "./output.js"),
    importing("generator/write/sync.ts", "node:fs"),
    importing("generated/toy/codecs.ts", "./one/codec.js", "./walk.js"),
    importing("generated/toy/one/codec.ts", "../walk.js"),
    importing("runtime/codec.ts", "./report.js", "../generated/toy/walk.js"),
    importing("runtime/bridge/bridge.ts", "../codec.js", "./port.js", "node:crypto"),
    importing("runtime/transport/stdio.ts", "../codec.js", "../bridge/peer.js", "node:stream", "undici"),
    importing("runtime/cli/explain.ts", "../bridge/bridge.js", "../transport/stdio.js", "../profile.js", "commander", "node:process"),
    { path: "runtime/mcp.ts", imports: ["../generated/mcp/features.js"], text: "// The Model Context Protocol." },
    { path: "runtime/bridge/headers.ts", imports: [], text: 'const header = "Mcp-Session-Id";' },
    { path: "runtime/codec.ts", imports: [], text: "const mcps = macpac; // a word that only contains a name" },
    { path: "generator/read/sources.ts", imports: [], text: "process.cwd();" },
  ])("$path importing $imports", (source) => {
    expect(violations([source])).toEqual([]);
  });
});
