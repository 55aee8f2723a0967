// Every path at which a message of one revision is invalid at another, as the facts list them: for each a witness that is valid where it comes from
// and invalid where it goes, and what lowering makes of it — valid there, or refused with a typed error, as the kind of the path asks.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isLowerError, TranslationReport } from "../../runtime/index.js";
import { DegradePolicy as policies } from "../../runtime/mcp.js";
import { codecOf, subjectOf } from "../properties/subject.js";
import { factsFile } from "./shared-facts.js";

interface Breakage {
  readonly from: string;
  readonly to: string;
  readonly method: string;
  readonly part: string;
  readonly path: string;
  readonly reason: string;
  readonly kind: string;
}

type Wire = Record<string, unknown>;

const file = factsFile("mcp", "breakage.json");
const records = file === undefined ? [] : (JSON.parse(readFileSync(file, "utf8")) as readonly Breakage[]);

/** Payloads that every revision with the method can read, apart from what its era adds. */
const PLAIN: Readonly<Record<string, { readonly params?: Wire; readonly result?: Wire }>> = {
  "tools/call": { params: { name: "weather" }, result: { content: [] } },
  "tools/list": { params: {}, result: { tools: [] } },
  "prompts/list": { params: {}, result: { prompts: [] } },
  "resources/list": { params: {}, result: { resources: [] } },
  "resources/templates/list": { params: {}, result: { resourceTemplates: [] } },
  "prompts/get": { params: { name: "greet" }, result: { messages: [] } },
  "resources/read": { params: { uri: "file:///a" }, result: { contents: [] } },
  "completion/complete": {
    params: { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "who", value: "a" } },
    result: { completion: { values: [] } },
  },
  "sampling/createMessage": {
    params: { messages: [], maxTokens: 5 },
    result: { role: "assistant", model: "m", content: { type: "text", text: "hi" } },
  },
  "elicitation/create": {
    params: { message: "who?", requestedSchema: { type: "object", properties: {} } },
    result: { action: "accept", content: {} },
  },
  "notifications/cancelled": { params: {} },
};

const AUDIO = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
const LINK = { type: "resource_link", uri: "file:///log", name: "log" };
const TOOL_USE = { type: "tool_use", id: "1", name: "weather", input: {} };
const TOOL_RESULT = { type: "tool_result", toolUseId: "1", content: [] };
const TEXT = { type: "text", text: "a" };

/** Puts a witness into a plain payload, by where the break is and, where several break there, by what the reason names. */
const WITNESSES: readonly (readonly [path: string, reason: string, witness: (plain: Wire) => unknown])[] = [
  ["/params", "optional -> required", () => undefined],
  ["/params/_meta", "", (plain) => plain],
  ["/params/_meta/io.modelcontextprotocol~1clientCapabilities", "", (plain) => ({ ...plain, _meta: { progressToken: 1 } })],
  ["/params/_meta/io.modelcontextprotocol~1protocolVersion", "", (plain) => ({ ...plain, _meta: { progressToken: 1 } })],
  ["/params/elicitationId", "", () => ({ mode: "url", message: "sign in", url: "https://example.com" })],
  ["/params/messages[]/content", "AudioContent", (plain) => sampling(plain, AUDIO)],
  ["/params/messages[]/content", "ToolResultContent", (plain) => sampling(plain, TOOL_RESULT)],
  ["/params/messages[]/content", "ToolUseContent", (plain) => sampling(plain, TOOL_USE)],
  ["/params/messages[]/content", "array of", (plain) => sampling(plain, [TEXT, TEXT])],
  ["/params/messages[]/content/structuredContent", "", (plain) => sampling(plain, { ...TOOL_RESULT, structuredContent: [1] })],
  ["/params/messages[]/content[]/structuredContent", "", (plain) => sampling(plain, [{ ...TOOL_RESULT, structuredContent: 7 }])],
  ["/params/requestId", "", (plain) => plain],
  ["/params/requestedSchema", "", () => ({ mode: "url", message: "sign in", url: "https://example.com", elicitationId: "1" })],
  [
    "/params/requestedSchema/properties/{*}",
    "UntitledMultiSelect",
    (plain) => form(plain, { type: "array", items: { type: "string", enum: ["a"] } }),
  ],
  [
    "/params/requestedSchema/properties/{*}",
    "TitledMultiSelect",
    (plain) => form(plain, { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } }),
  ],
  ...toolBreaks("/params", (plain, tool) => ({ ...plain, tools: [tool] })),
  ...toolBreaks("/result", (plain, tool) => ({ ...plain, tools: [tool] })),
  ["/result/cacheScope", "", (plain) => plain],
  ["/result/ttlMs", "", (plain) => plain],
  ["/result/resultType", "", (plain) => plain],
  ["/result/completion/values", "", () => ({ completion: { values: Array.from({ length: 101 }, (_, index) => `v${index}`) } })],
  ["/result/content", "AudioContent", (plain) => ({ ...plain, content: AUDIO })],
  ["/result/content", "array of", (plain) => ({ ...plain, content: [TEXT, TEXT] })],
  ["/result/content", "ToolResultContent", (plain) => ({ ...plain, content: TOOL_RESULT })],
  ["/result/content", "ToolUseContent", (plain) => ({ ...plain, content: TOOL_USE })],
  ["/result/content/structuredContent", "", (plain) => ({ ...plain, content: { ...TOOL_RESULT, structuredContent: "x" } })],
  ["/result/content/{*}", "", (plain) => ({ ...plain, content: { cities: ["a", "b"] } })],
  ["/result/content[]", "AudioContent", () => ({ content: [TEXT, AUDIO] })],
  ["/result/content[]", "ResourceLink", () => ({ content: [TEXT, LINK] })],
  ["/result/content[]/structuredContent", "", (plain) => ({ ...plain, content: [{ ...TOOL_RESULT, structuredContent: null }] })],
  ["/result/messages[]/content", "AudioContent", () => ({ messages: [{ role: "user", content: AUDIO }] })],
  ["/result/messages[]/content", "ResourceLink", () => ({ messages: [{ role: "user", content: LINK }] })],
  ["/result/structuredContent", "", (plain) => ({ ...plain, structuredContent: [1, 2] })],
  [
    "/result",
    "CreateTaskResult",
    () => ({
      task: { taskId: "1", status: "working", createdAt: "2026-01-01T00:00:00Z", lastUpdatedAt: "2026-01-01T00:00:00Z", ttl: 1000 },
    }),
  ],
  ["/result", "InputRequiredResult", () => ({ resultType: "input_required", requestState: "s" })],
];

function toolBreaks(part: string, holds: (plain: Wire, tool: Wire) => unknown): (readonly [string, string, (plain: Wire) => unknown])[] {
  const tool = (schemas: Wire) => (plain: Wire) => holds(plain, { name: "t", inputSchema: { type: "object" }, ...schemas });
  const input = (more: Wire) => tool({ inputSchema: { type: "object", ...more } });
  const output = (schema: Wire) => tool({ outputSchema: schema });
  return [
    [`${part}/tools[]/inputSchema/properties`, "", input({ properties: 5 })],
    [`${part}/tools[]/inputSchema/properties/{*}`, "", input({ properties: { a: true, b: false } })],
    [`${part}/tools[]/inputSchema/required`, "", input({ required: "a" })],
    [`${part}/tools[]/inputSchema/required[]`, "", input({ required: [5] })],
    [`${part}/tools[]/outputSchema/properties`, "", output({ type: "object", properties: 5 })],
    [`${part}/tools[]/outputSchema/properties/{*}`, "", output({ type: "object", properties: { a: false } })],
    [`${part}/tools[]/outputSchema/required`, "", output({ type: "object", required: "a" })],
    [`${part}/tools[]/outputSchema/required[]`, "", output({ type: "object", required: [5] })],
    [
      `${part}/tools[]/outputSchema/type`,
      'any string -> "object"',
      output({ type: "array", items: { $ref: "#/$defs/a" }, $defs: { a: {} } }),
    ],
    [`${part}/tools[]/outputSchema/type`, "any value -> string", output({ type: ["array", "null"] })],
    [`${part}/tools[]/outputSchema/type`, "unknown -> required", output({ anyOf: [{ type: "object" }, { type: "null" }] })],
  ];
}

function sampling(plain: Wire, content: unknown): Wire {
  return { ...plain, messages: [{ role: "user", content }] };
}

function form(plain: Wire, field: Wire): Wire {
  return { ...plain, requestedSchema: { type: "object", properties: { field } } };
}

/** The kinds for which nothing stands in: the value is refused whatever the policy, until there is a bridge with a state. */
const REFUSED_KINDS = new Set(["refuse", "state", "drop-message"]);
/** A list of choices has no form that would hold several answers, so it is refused too. */
const REFUSED_WITHOUT_STATE = new Set(["convert-schema"]);

const full = new Map(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"].map((id) => [id, codecOf(subjectOf(id))]));

function witnessOf(record: Breakage): unknown {
  const part = record.part === "params" ? "params" : "result";
  const entry = WITNESSES.find(([path, reason]) => path === record.path && record.reason.includes(reason));
  if (entry === undefined) throw new Error(`no witness for ${record.path}: ${record.reason}`);
  const value = entry[2](PLAIN[record.method]?.[part] ?? {});
  // Under its own revision a payload gets what that revision wants on every message, and nothing else.
  return record.path.startsWith("/params/_meta") || record.path === "/params"
    ? value
    : full.get(record.from)?.lower(record.method, part, value, policies.permissive());
}

describe.skipIf(records.length === 0)("every path that breaks between revisions, as ../shared/facts/mcp/breakage.json lists them", () => {
  it("is there", () => {
    expect(records.length).toBeGreaterThan(200);
  });

  it.each(records.map((record) => [record.from, record.to, record.method, record.part, record.path, record.reason, record] as const))(
    "from %s to %s, %s %s: %s: %s",
    (from, to, method, _part, path, _reason, record) => {
      const part = record.part === "params" ? "params" : "result";
      const value = witnessOf(record);
      const here = subjectOf(from).validators.get(method)?.[part];
      const there = subjectOf(to).validators.get(method)?.[part];
      const isOptional = path === "/params" && value === undefined;
      expect(isOptional || here?.(value), `valid at ${from}: ${JSON.stringify(here?.errors)}`).toBe(true);
      expect(there?.(value), `invalid at ${to}`).toBe(false);
      for (const [name, policy] of [
        ["strict", policies.strict()],
        ["balanced", policies.balanced()],
        ["permissive", policies.permissive()],
      ] as const) {
        const report = new TranslationReport();
        const outcome = attempt(() => full.get(to)?.lower(method, part, full.get(from)?.lift(method, part, value), policy, report));
        if ("error" in outcome) {
          expect(isLowerError(outcome.error), `${name} refuses with a typed error`).toBe(true);
          if (name === "permissive")
            expect(REFUSED_KINDS.has(record.kind) || REFUSED_WITHOUT_STATE.has(record.kind), String(outcome.error)).toBe(true);
        } else {
          expect(REFUSED_KINDS.has(record.kind), `${name} lets through what nothing stands in for`).toBe(false);
          expect(there?.(outcome.value), `${name}: ${JSON.stringify(outcome.value)}: ${JSON.stringify(there?.errors)}`).toBe(true);
          expect(report.isEmpty, name).toBe(false);
        }
      }
    },
  );
});

function attempt(run: () => unknown): { readonly value: unknown } | { readonly error: unknown } {
  try {
    return { value: run() };
  } catch (error) {
    return { error };
  }
}
