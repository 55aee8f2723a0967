// Runs `npm run vendor` as a contributor does, in a temporary folder with a made-up protocol: it takes only bytes that are recorded, writes the
// normal form, and with --check says whether what is committed is what the recorded bytes give.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../scripts/vendor.ts", import.meta.url));
const TSX = import.meta.resolve("tsx");

/** What upstream publishes, and what becomes of it. */
const UPSTREAM = `{ "definitions": { "Ping": { "description": "A ping.", "type": "object", "properties": { "title": { "type": "string" } } } } }\n`;
const NORMAL = `{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "$defs": {
    "Ping": {
      "properties": {
        "title": {
          "type": "string"
        }
      },
      "type": "object"
    }
  }
}
`;

function sum(text: string): { readonly sha256: string; readonly size: number } {
  return { sha256: createHash("sha256").update(text).digest("hex"), size: Buffer.byteLength(text) };
}

const SOURCE = { repository: "toy/toy", commit: "0123456789abcdef0123456789abcdef01234567", path: "one/schema.json", ...sum(UPSTREAM) };

/** A temporary repository with schemas/toy/, and the upstream files beside it. */
class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), "polyrev-vendor-"));

  constructor(sources: object = { one: SOURCE }) {
    onTestFinished(() => rmSync(this.folder, { recursive: true }));
    this.write("schemas/toy/sources.json", `${JSON.stringify(sources, null, 2)}\n`);
    this.write("upstream/toy/one/schema.json", UPSTREAM);
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), "utf8");
  }

  has(path: string): boolean {
    return existsSync(join(this.folder, path));
  }

  vendor(...words: readonly string[]): { readonly code: number | null; readonly out: string; readonly error: string } {
    const run = spawnSync(process.execPath, ["--import", TSX, SCRIPT, ...words], { cwd: this.folder, encoding: "utf8", timeout: 60_000 });
    return { code: run.status, out: run.stdout, error: run.stderr };
  }
}

describe("vendor <protocol> <revision> <file>", () => {
  test("writes the normal form of recorded bytes and records its sum", () => {
    const place = new Workplace();
    const run = place.vendor("toy", "one", "upstream/toy/one/schema.json");
    expect(run).toMatchObject({ code: 0, error: "" });
    expect(run.out).toContain("toy/toy 01234567");
    expect(place.read("schemas/toy/one/schema.json")).toBe(NORMAL);
    expect(JSON.parse(place.read("schemas/toy/sources.json"))).toEqual({ one: { ...SOURCE, schema: sum(NORMAL) } });
  });

  test("leaves what is recorded of other revisions alone", () => {
    const zero = { ...SOURCE, path: "zero/schema.json", schema: sum("zero") };
    const place = new Workplace({ zero, one: SOURCE });
    expect(place.vendor("toy", "one", "upstream/toy/one/schema.json").code).toBe(0);
    expect(place.read("schemas/toy/sources.json")).toBe(`${JSON.stringify({ zero, one: { ...SOURCE, schema: sum(NORMAL) } }, null, 2)}\n`);
  });

  test("refuses bytes that are not those recorded", () => {
    const place = new Workplace();
    const before = place.read("schemas/toy/sources.json");
    const other = UPSTREAM.replace("A ping.", "A pong.");
    place.write("upstream/toy/one/schema.json", other);
    const run = place.vendor("toy", "one", "upstream/toy/one/schema.json");
    expect(run).toMatchObject({ code: 1, out: "" });
    expect(run.error).toContain(`upstream/toy/one/schema.json: not the recorded bytes: sha256 ${sum(other).sha256}`);
    expect(run.error).toContain(SOURCE.sha256);
    expect(run.error).toContain(`fix: fetch one/schema.json of toy/toy at ${SOURCE.commit}`);
    expect(place.has("schemas/toy/one/schema.json")).toBe(false);
    expect(place.read("schemas/toy/sources.json")).toBe(before);
  });

  test("refuses a revision without an entry and prints an entry to paste", () => {
    const place = new Workplace({});
    const run = place.vendor("toy", "one", "upstream/toy/one/schema.json");
    expect(run).toMatchObject({ code: 1, out: "" });
    expect(run.error).toContain("cannot vendor one: it has no entry");
    const entry = JSON.parse(/add (\{.*\})/.exec(run.error)?.[1] ?? "null") as unknown;
    expect(entry).toEqual({
      one: { repository: "<owner/name>", commit: "<40 hex digits>", path: "<path in the repository>", ...sum(UPSTREAM) },
    });
    expect(place.has("schemas/toy/one/schema.json")).toBe(false);
    expect(place.read("schemas/toy/sources.json")).toBe("{}\n");
  });

  test("the pasted entry is taken", () => {
    const entry = JSON.parse(
      /add (\{.*\})/.exec(new Workplace({}).vendor("toy", "one", "upstream/toy/one/schema.json").error)?.[1] ?? "null",
    ) as object;
    expect(new Workplace(entry).vendor("toy", "one", "upstream/toy/one/schema.json").code).toBe(0);
  });

  test("refuses a keyword it does not know and names its place", () => {
    const strange = UPSTREAM.replace('"type": "object"', '"nullable": true, "type": "object"');
    const place = new Workplace({ one: { ...SOURCE, ...sum(strange) } });
    place.write("upstream/toy/one/schema.json", strange);
    const run = place.vendor("toy", "one", "upstream/toy/one/schema.json");
    expect(run).toMatchObject({ code: 1, out: "" });
    expect(run.error).toBe('upstream/toy/one/schema.json#/$defs/Ping/nullable: unknown keyword "nullable"\n');
    expect(place.has("schemas/toy/one/schema.json")).toBe(false);
  });

  test("refuses a protocol without sources.json", () => {
    const run = new Workplace().vendor("tay", "one", "upstream/toy/one/schema.json");
    expect(run.code).toBe(1);
    expect(run.error).toContain("cannot vendor tay: no such file");
    expect(run.error).toContain("fix: create schemas/tay/sources.json");
  });

  test.each<readonly [string, string]>([
    ["a file that is not there", "upstream/toy/two/schema.json"],
    ["bytes that are no JSON", "upstream/toy/one/broken.json"],
  ])("says in a line what is wrong with %s, without a stack trace", (_, origin) => {
    const broken = "{";
    const place = new Workplace({ one: { ...SOURCE, ...sum(broken) } });
    place.write("upstream/toy/one/broken.json", broken);
    const run = place.vendor("toy", "one", origin);
    expect(run.code).toBe(1);
    expect(run.error).toContain(origin);
    expect(run.error).not.toMatch(/\n\s+at /);
  });

  test("says how it is called when words are missing", () => {
    const run = new Workplace().vendor("toy", "one");
    expect(run.code).toBe(2);
    expect(run.error).toContain("usage: npm run vendor -- <protocol> <revision> <file or URL>");
  });
});

describe("vendor --check <folder>", () => {
  test("says yes where every committed schema is what the recorded bytes give", () => {
    const place = new Workplace();
    place.write("schemas/toy/one/schema.json", NORMAL);
    expect(place.vendor("--check", "upstream")).toEqual({
      code: 0,
      out: "1 schemas are what the recorded upstream bytes give\n",
      error: "",
    });
  });

  test.each<readonly [string, (place: Workplace) => void, string]>([
    [
      "a committed schema differs",
      (place) => place.write("schemas/toy/one/schema.json", NORMAL.replace('"string"', '"number"')),
      "differs from the normal form of its upstream bytes",
    ],
    ["a committed schema is missing", (place) => rmSync(join(place.folder, "schemas/toy/one/schema.json")), "missing"],
    ["upstream's bytes are not those recorded", (place) => place.write("upstream/toy/one/schema.json", "{}"), "not the recorded bytes"],
    [
      "upstream's file is not at hand",
      (place) => rmSync(join(place.folder, "upstream/toy/one/schema.json")),
      "the upstream file is not at hand",
    ],
  ])("says no where %s, and touches nothing", (_, spoil, says) => {
    const place = new Workplace();
    place.write("schemas/toy/one/schema.json", NORMAL);
    spoil(place);
    const sources = place.read("schemas/toy/sources.json");
    const committed = place.has("schemas/toy/one/schema.json") ? place.read("schemas/toy/one/schema.json") : undefined;
    const run = place.vendor("--check", "upstream");
    expect(run).toMatchObject({ code: 1, out: "" });
    expect(run.error).toContain(says);
    expect(run.error).toContain("schema.json");
    expect(place.read("schemas/toy/sources.json")).toBe(sources);
    expect(place.has("schemas/toy/one/schema.json") ? place.read("schemas/toy/one/schema.json") : undefined).toBe(committed);
  });

  test("lists every fault", () => {
    const place = new Workplace({ one: SOURCE, two: SOURCE });
    const run = place.vendor("--check", "upstream");
    expect(run.code).toBe(1);
    expect(run.error.match(/: missing/g)).toHaveLength(2);
  });
});
