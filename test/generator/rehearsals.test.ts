// Adding a revision is filling in a form, rehearsed in a temporary copy: the newest revision taken away and added back by the recipe; a made-up
// revision with one change of each kind, from scaffold to sound codecs; a draft; and seeded corruptions, each refused at the right line.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { compileAll, type Run } from "../../generator/main.js";
import type { Model } from "../../generator/model/types.js";
import { printProblems } from "../../generator/problem.js";
import { syncFiles } from "../../generator/write/sync.js";
import { bindProtocol, isLowerError } from "../../runtime/index.js";
import type { ProtocolTables } from "../../runtime/protocol.js";
import { tablesIn } from "../generated-tables.js";
import { payloadOf } from "../properties/arbitrary.js";
import { payloadsOf } from "../properties/subject.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const TEMPLATES = join(ROOT, "generator/emit");
const folders: string[] = [];

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/**
 * A copy of the first protocol's data to work in; only data is ever changed in it. The second one is left
 * out: nothing here asks after it, and every compile would build it again.
 */
function rehearse(): { readonly schemas: string; readonly generated: string; readonly mcp: string } {
  const folder = mkdtempSync(join(tmpdir(), "polyrev-rehearsal-"));
  folders.push(folder);
  const schemas = join(folder, "schemas");
  cpSync(join(ROOT, "schemas"), schemas, { recursive: true });
  rmSync(join(schemas, "acp"), { recursive: true });
  return { schemas, generated: join(folder, "generated"), mcp: join(schemas, "mcp") };
}

function edit(file: string, change: (text: string) => string): void {
  const before = readFileSync(file, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`nothing to change in ${file}`);
  writeFileSync(file, after);
}

async function compiled(schemas: string): Promise<Run & { readonly model: Model }> {
  const run = await compileAll(schemas, TEMPLATES);
  expect(printProblems(run.problems)).toBe("");
  const model = run.models.find((entry) => entry.protocol === "mcp");
  if (model === undefined) throw new Error("no model");
  return { ...run, model };
}

/** Puts a schema into the copy and records its bytes, as vendoring does. */
function vendor(mcp: string, revision: string, schema: unknown): void {
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  mkdirSync(join(mcp, revision), { recursive: true });
  writeFileSync(join(mcp, revision, "schema.json"), text);
  const bytes = { sha256: createHash("sha256").update(text).digest("hex"), size: Buffer.byteLength(text) };
  edit(join(mcp, "sources.json"), (sources) => {
    const entry = { repository: "example/made-up", commit: "0".repeat(40), path: "schema.json", ...bytes, schema: bytes };
    return `${JSON.stringify({ ...(JSON.parse(sources) as object), [revision]: entry }, null, 2)}\n`;
  });
}

function scaffold(schemas: string, revision: string): string {
  return execFileSync(process.execPath, ["--import", "tsx", join(ROOT, "scripts/new-revision.ts"), "--schemas", schemas, "mcp", revision], {
    encoding: "utf8",
    cwd: ROOT,
  });
}

describe("the newest revision, taken away and added back", () => {
  it("ends with the same bytes", async () => {
    const { schemas, mcp } = rehearse();
    const whole = await compiled(schemas);
    const folder = join(mcp, "2026-07-28");
    const kept = { changes: readFileSync(join(folder, "changes.yaml"), "utf8"), schema: readFileSync(join(folder, "schema.json"), "utf8") };
    const files = ["sources.json", "protocol.yaml", "errata.yaml", "tolerances.yaml"].map(
      (name) => [name, readFileSync(join(mcp, name), "utf8")] as const,
    );

    rmSync(folder, { recursive: true });
    edit(join(mcp, "protocol.yaml"), (text) => text.replace(/^.*"2026-07-28".*\n/m, "").replace(/^.*union: InputRequest.*\n/m, ""));
    edit(join(mcp, "errata.yaml"), (text) => text.replace(/ {2}- revision: "2026-07-28"\n(?: {4}.*\n)*/g, ""));
    edit(join(mcp, "tolerances.yaml"), (text) => text.replace(/ {2}- id: missing-(?:result-type|cache-hints)\n(?: {4}.*\n)*/g, ""));
    edit(join(mcp, "sources.json"), (text) => {
      const { "2026-07-28": _gone, ...rest } = JSON.parse(text) as Record<string, unknown>;
      return JSON.stringify(rest, null, 2);
    });
    const without = await compiled(schemas);
    expect(without.model.revisions.map((revision) => revision.id)).toEqual(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]);
    expect(without.outputs.some((output) => output.path.includes("2026-07-28"))).toBe(false);

    vendor(mcp, "2026-07-28", JSON.parse(kept.schema));
    expect(readFileSync(join(folder, "schema.json"), "utf8")).toBe(kept.schema);
    const said = scaffold(schemas, "2026-07-28");
    expect(said).toContain("places to fill in, against 2025-11-25");
    const form = readFileSync(join(folder, "changes.yaml"), "utf8");
    expect(form.match(/id: TODO/g)?.length).toBeGreaterThan(100);

    for (const [name, text] of files) writeFileSync(join(mcp, name), text);
    const unfinished = await compileAll(schemas, TEMPLATES);
    expect(new Set(unfinished.problems.map((problem) => problem.rule))).toEqual(new Set(["todo"]));
    expect(unfinished.outputs).toEqual([]);

    writeFileSync(join(folder, "changes.yaml"), kept.changes);
    const again = await compiled(schemas);
    expect(again.outputs.length).toBe(whole.outputs.length);
    for (const [index, output] of again.outputs.entries()) expect(output.text === whole.outputs[index]?.text, output.path).toBe(true);
  });
});

describe("a made-up revision", () => {
  const REVISION = "2027-01-01";

  it("is scaffolded, filled in, and then has types, codecs, a matrix and sound lowering, by data alone", async () => {
    const { schemas, generated, mcp } = rehearse();
    vendor(mcp, REVISION, madeUp(JSON.parse(readFileSync(join(mcp, "2026-07-28/schema.json"), "utf8")) as Upstream));

    const said = scaffold(schemas, REVISION);
    const form = readFileSync(join(mcp, REVISION, "changes.yaml"), "utf8");
    const listed = [...form.matchAll(/(?:gates: \{.*?|covers: )\["([^"]+)"\] \}/g)].map((match) => match[1]);
    expect(listed).toEqual([
      "GreetRequest",
      "GreetRequestParams",
      "GreetResult",
      "HologramContent",
      "ClientRequest|GreetRequest",
      "ContentBlock|HologramContent",
      "ServerResult|GreetResult",
      "Prompt.version",
      "ServerCapabilities.greetings",
      "Annotations.priority",
    ]);
    expect(form).toContain("{ feature: implementation-info.website-url, cite: { section: TODO } }");
    expect(form).toContain('{ from: ["Root"], to: FilesystemRoot, cite: { section: TODO } }');
    expect(form).toContain('{ feature: TODO, at: ["Prompt.version"], value: TODO }');
    expect(said.match(/is still there: repeat the entry/g)?.length).toBe(2);

    edit(
      join(mcp, "errata.yaml"),
      (text) => text + (text.match(/ {2}- revision: "2026-07-28"\n(?: {4}.*\n)*/g) ?? []).join("").replaceAll("2026-07-28", REVISION),
    );
    edit(join(mcp, "protocol.yaml"), (text) =>
      text.replace(/^( *- \{ revision: "2026-07-28".*\n)/m, `$1  - { revision: "${REVISION}", era: modern, released: true }\n`),
    );
    writeFileSync(join(mcp, REVISION, "changes.yaml"), FILLED);

    const run = await compiled(schemas);
    syncFiles(generated, run.outputs, false);
    expect(run.model.accounting.at(-1)?.deltas.length, "those listed, the removal, the rename and who referred to it").toBe(
      listed.length + 3,
    );
    const matrix = readFileSync(join(generated, "mcp/feature-matrix.md"), "utf8");
    expect(matrix).toMatch(/\| `greetings` \| – \| – \| – \| – \| – \| yes \| server \| server `greetings` \|/);
    expect(matrix).toMatch(/\| `implementation-info.website-url` \| – \| – \| – \| yes \| yes \| – \|/);
    const types = readFileSync(join(generated, `mcp/${REVISION}/types.ts`), "utf8");
    expect(types).toContain("export interface HologramContent");
    expect(types).toContain("Since 2027-01-01, by greetings (2027-01-01 major 1, SEP-1).");

    const tables = await tablesIn(join(generated, "mcp"));
    const binding = bindProtocol(tables);
    const profile = binding.CapabilitySet.allFor(REVISION).resolve(REVISION, "stdio");
    const newest = await binding.codecFor(REVISION, profile);
    const older = await binding.codecFor("2026-07-28", binding.CapabilitySet.allFor("2026-07-28").resolve("2026-07-28", "stdio"));
    const hologram = { type: "hologram", beam: "b" };
    const result = { resultType: "complete", content: [hologram] };
    expect(newest.lower("tools/call", "result", result)).toBe(result);
    expect(() => older.lower("tools/call", "result", result)).toThrow("content.hologram is not in 2026-07-28: it came with 2027-01-01");
    expect(() => older.lower("greetings/send", "params", {})).toThrow("greetings is not in 2026-07-28");
    const prompts = { resultType: "complete", ttlMs: 0, cacheScope: "private", prompts: [{ name: "p" }] };
    expect(newest.lower("prompts/list", "result", prompts)).toEqual({ ...prompts, prompts: [{ name: "p", version: "1" }] });
    expect(
      newest.lower(
        "resources/list",
        "result",
        { ...prompts, prompts: undefined, resources: [{ uri: "a", name: "b", annotations: { priority: 1 } }] },
        binding.DegradePolicy.permissive(),
      ),
    ).toMatchObject({
      resources: [{ uri: "a", name: "b" }],
    });

    await expectSound(run.model, tables, REVISION);
  });
});

describe("a draft", () => {
  it("is built like any other revision and left out of negotiation unless asked for", async () => {
    const { schemas, generated, mcp } = rehearse();
    vendor(mcp, "draft", JSON.parse(readFileSync(join(mcp, "2026-07-28/schema.json"), "utf8")));
    expect(scaffold(schemas, "draft")).toContain(": 0 places to fill in, against 2026-07-28");
    repeatErrata(mcp, "draft");
    list(mcp, "draft", false);
    const run = await compiled(schemas);
    expect(run.model.accounting.at(-1)?.deltas).toEqual([]);
    syncFiles(generated, run.outputs, false);
    const binding = bindProtocol(await tablesIn(join(generated, "mcp")));
    expect(binding.knownRevisions().at(-1)).toBe("draft");
    expect(binding.negotiable().at(-1)).toBe("2026-07-28");
    expect(binding.negotiable({ drafts: true }).at(-1)).toBe("draft");
    const codec = await binding.codecFor("draft", binding.CapabilitySet.allFor("draft").resolve("draft", "stdio"));
    const result = { resultType: "complete", content: [] };
    expect(codec.lower("tools/call", "result", result)).toBe(result);
  });
});

/** Says of a revision that the faults of the newest are its own too. */
function repeatErrata(mcp: string, revision: string): void {
  edit(
    join(mcp, "errata.yaml"),
    (text) => text + (text.match(/ {2}- revision: "2026-07-28"\n(?: {4}.*\n)*/g) ?? []).join("").replaceAll("2026-07-28", revision),
  );
}

/** Lists a revision after the newest. */
function list(mcp: string, revision: string, released: boolean): void {
  edit(join(mcp, "protocol.yaml"), (text) =>
    text.replace(/^( *- \{ revision: "2026-07-28".*\n)/m, `$1  - { revision: "${revision}", era: modern, released: ${released} }\n`),
  );
}

interface Upstream {
  readonly $schema: string;
  $defs: Record<string, { properties?: Record<string, unknown>; required?: string[]; anyOf?: unknown[]; [key: string]: unknown }>;
}

/** One change of each kind: a method with a capability, a removed field, a content block, a renamed definition, a retyped field, a required field. */
function madeUp(upstream: Upstream): unknown {
  const { $defs } = upstream;
  const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
  const object = (properties: Record<string, unknown>, required: string[]) => ({ type: "object", properties, required });
  const text = { type: "string" };
  $defs["GreetRequest"] = object(
    {
      id: ref("RequestId"),
      jsonrpc: { const: "2.0", type: "string" },
      method: { const: "greetings/send", type: "string" },
      params: ref("GreetRequestParams"),
    },
    ["id", "jsonrpc", "method", "params"],
  );
  $defs["GreetRequestParams"] = object({ _meta: ref("RequestMetaObject"), name: text }, ["_meta", "name"]);
  $defs["GreetResult"] = object({ _meta: ref("ResultMetaObject"), resultType: text, text }, ["resultType", "text"]);
  $defs["ClientRequest"]?.anyOf?.push(ref("GreetRequest"));
  $defs["ServerResult"]?.anyOf?.push(ref("GreetResult"));
  $defs["ServerCapabilities"]!.properties!["greetings"] = ref("JSONObject");
  delete $defs["Implementation"]?.properties?.["websiteUrl"];
  $defs["HologramContent"] = object({ type: { const: "hologram", type: "string" }, beam: text }, ["beam", "type"]);
  $defs["ContentBlock"]?.anyOf?.push(ref("HologramContent"));
  $defs["Annotations"]!.properties!["priority"] = text;
  $defs["Prompt"]!.properties!["version"] = text;
  $defs["Prompt"]?.required?.push("version");
  $defs["FilesystemRoot"] = $defs["Root"]!;
  delete $defs["Root"];
  return JSON.parse(JSON.stringify(upstream).replaceAll('"#/$defs/Root"', '"#/$defs/FilesystemRoot"'));
}

const FILLED = `revision: "2027-01-01"
changelog: https://example.com/2027-01-01/changelog
entries: { major: 6 }
features:
  - id: greetings
    summary: "Server greets on request."
    kind: behaviour
    side: server
    requires: { server: greetings }
    cite: { section: major, ordinal: 1, ref: SEP-1 }
    gates:
      methods: [greetings/send]
      definitions: [GreetRequest, GreetRequestParams, GreetResult]
      fields: [ServerCapabilities.greetings]
      members: ["ClientRequest|GreetRequest", "ServerResult|GreetResult"]
  - id: content.hologram
    summary: "Hologram content block."
    kind: behaviour
    side: both
    cite: { section: major, ordinal: 2 }
    gates:
      definitions: [HologramContent]
      members: ["ContentBlock|HologramContent"]
  - id: prompts.version
    summary: "Each prompt states its version."
    kind: behaviour
    side: server
    requires: { server: prompts }
    cite: { section: major, ordinal: 3 }
    gates:
      fields: [Prompt.version]
    lowering:
      - loss: advisory
        degrade: [keep, skip]
  - id: content.annotations.priority-text
    summary: "Priority is a word, no longer a number."
    kind: behaviour
    side: both
    cite: { section: major, ordinal: 4 }
    gates:
      changes: [Annotations.priority]
    lowering:
      - at: [Annotations.priority]
        loss: advisory
        degrade: [skip]
removes:
  - { feature: implementation-info.website-url, cite: { section: major, ordinal: 5 } }
deprecates: []
renames:
  - { from: [Root], to: FilesystemRoot, cite: { section: major, ordinal: 6 } }
fills:
  - { feature: prompts.version, at: [Prompt.version], value: "1" }
layout: []
unmodelled: []
`;

/** Holds the codecs of the new revision to soundness against every other, both ways. */
async function expectSound(model: Model, tables: ProtocolTables, revision: string): Promise<void> {
  const binding = bindProtocol(tables);
  const others = model.revisions.filter((entry) => entry.id !== revision);
  const own = model.revisions.find((entry) => entry.id === revision)!;
  let lowered = 0;
  for (const [from, to] of others.flatMap(
    (other) =>
      [
        [own, other],
        [other, own],
      ] as const,
  )) {
    const codec = await binding.codecFor(to.id, binding.CapabilitySet.allFor(to.id).resolve(to.id, "stdio"));
    const validators = await tables.loadValidators(to.id);
    for (const { method, part } of payloadsOf(from)) {
      if (!to.methods.some((entry) => entry.name === method.name)) continue;
      fc.assert(
        fc.property(
          payloadOf(model, from, method, part, { strangers: true }),
          fc.constantFrom(binding.DegradePolicy.strict(), binding.DegradePolicy.permissive()),
          (value, policy) => {
            try {
              const result = codec.lower(method.name, part, value, policy);
              expect(
                validators.get(method.name)?.[part]?.(result ?? {}),
                `${from.id} to ${to.id}: ${method.name} ${part} ${JSON.stringify(result)}`,
              ).toBe(true);
              lowered += 1;
            } catch (error) {
              if (!isLowerError(error)) throw error;
            }
          },
        ),
        { numRuns: 15 },
      );
    }
  }
  expect(lowered).toBeGreaterThan(500);
}
