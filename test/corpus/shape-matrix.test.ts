// The shapes that divide the revisions, each held against every revision's own validator: who can read it as it is, who cannot, who has no such
// message. What cannot be read is lowered under the permissive policy into something that can, or refused.
import { describe, expect, it } from "vitest";
import { isLowerError } from "../../runtime/index.js";
import { DegradePolicy as policies } from "../../runtime/mcp.js";
import { codecOf, subjects } from "../properties/subject.js";

type Verdict = "ok" | "no" | "none";
type Part = "params" | "result";

const TEXT = { type: "text", text: "a" };
const AUDIO = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
const LINK = { type: "resource_link", uri: "file:///log", name: "log" };
const BLOB = { type: "resource", resource: { uri: "polyrev:audio/0", mimeType: "audio/wav", blob: "UklGRg==" } };
const META = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};

const tools = (...list: readonly object[]) => ({ tools: list, ...CACHED });
const tool = (more: object) => ({ name: "t", inputSchema: { type: "object" }, ...more });
const COMPLETE = { resultType: "complete" };
const CACHED = { ...COMPLETE, ttlMs: 0, cacheScope: "private" };
const sampled = (content: unknown) => ({ messages: [{ role: "user", content }], maxTokens: 5 });
const answered = (content: unknown) => ({ role: "assistant", model: "m", content });
const form = (field: object) => ({ message: "m", requestedSchema: { type: "object", properties: { field } } });
const url = { mode: "url", message: "m", url: "https://example.com" };

/** The oldest revision first. */
const MATRIX: readonly (readonly [shape: string, method: string, part: Part, value: unknown, ...verdicts: Verdict[]])[] = [
  [
    "extra fields anywhere",
    "tools/list",
    "result",
    tools(
      tool({ title: "T", icons: [{ src: "https://a/b" }], execution: { taskSupport: "optional" }, _meta: {}, annotations: { title: "T" } }),
    ),
    "ok",
    "ok",
    "ok",
    "ok",
    "ok",
  ],
  [
    "a progress message",
    "notifications/progress",
    "params",
    { progressToken: 1, progress: 0.5, message: "half" },
    "ok",
    "ok",
    "ok",
    "ok",
    "ok",
  ],
  ["a result without resultType", "tools/call", "result", { content: [] }, "ok", "ok", "ok", "ok", "no"],
  ["a list without ttlMs and cacheScope", "tools/list", "result", { tools: [], ...COMPLETE }, "ok", "ok", "ok", "ok", "no"],
  [
    "structuredContent that is an array",
    "tools/call",
    "result",
    { content: [], structuredContent: [1], ...COMPLETE },
    "ok",
    "ok",
    "no",
    "no",
    "ok",
  ],
  [
    "structuredContent that is a number",
    "tools/call",
    "result",
    { content: [], structuredContent: 7, ...COMPLETE },
    "ok",
    "ok",
    "no",
    "no",
    "ok",
  ],
  [
    "structuredContent that is an object",
    "tools/call",
    "result",
    { content: [], structuredContent: { a: 1 }, ...COMPLETE },
    "ok",
    "ok",
    "ok",
    "ok",
    "ok",
  ],
  ["an output schema of arrays", "tools/list", "result", tools(tool({ outputSchema: { type: "array" } })), "ok", "ok", "no", "no", "ok"],
  [
    "a boolean subschema",
    "tools/list",
    "result",
    tools(tool({ inputSchema: { type: "object", properties: { x: true } } })),
    "no",
    "no",
    "no",
    "no",
    "ok",
  ],
  ["audio in a tool result", "tools/call", "result", { content: [AUDIO], ...COMPLETE }, "no", "ok", "ok", "ok", "ok"],
  [
    "audio in a prompt",
    "prompts/get",
    "result",
    { messages: [{ role: "user", content: AUDIO }], ...COMPLETE },
    "no",
    "ok",
    "ok",
    "ok",
    "ok",
  ],
  ["audio in sampling", "sampling/createMessage", "params", sampled(AUDIO), "no", "ok", "ok", "ok", "ok"],
  ["a resource link in a tool result", "tools/call", "result", { content: [LINK], ...COMPLETE }, "no", "no", "ok", "ok", "ok"],
  [
    "a resource link in a prompt",
    "prompts/get",
    "result",
    { messages: [{ role: "user", content: LINK }], ...COMPLETE },
    "no",
    "no",
    "ok",
    "ok",
    "ok",
  ],
  ["audio as an embedded blob", "tools/call", "result", { content: [BLOB], ...COMPLETE }, "ok", "ok", "ok", "ok", "ok"],
  ["a list of blocks in a sampling message", "sampling/createMessage", "params", sampled([TEXT, TEXT]), "no", "no", "no", "ok", "ok"],
  ["a list of blocks in a sampling result", "sampling/createMessage", "result", answered([TEXT]), "no", "no", "no", "ok", "ok"],
  ["a string default in a form", "elicitation/create", "params", form({ type: "string", default: "a" }), "none", "none", "ok", "ok", "ok"],
  [
    "a titled choice in a form",
    "elicitation/create",
    "params",
    form({ type: "string", oneOf: [{ const: "a", title: "A" }] }),
    "none",
    "none",
    "ok",
    "ok",
    "ok",
  ],
  [
    "enumNames in a form",
    "elicitation/create",
    "params",
    form({ type: "string", enum: ["a"], enumNames: ["A"] }),
    "none",
    "none",
    "ok",
    "ok",
    "ok",
  ],
  [
    "a form that says its mode",
    "elicitation/create",
    "params",
    { ...form({ type: "boolean" }), mode: "form" },
    "none",
    "none",
    "ok",
    "ok",
    "ok",
  ],
  [
    "a choice of several in a form",
    "elicitation/create",
    "params",
    form({ type: "array", items: { type: "string", enum: ["a"] } }),
    "none",
    "none",
    "no",
    "ok",
    "ok",
  ],
  [
    "several answers in a form's result",
    "elicitation/create",
    "result",
    { action: "accept", content: { field: ["a"] } },
    "none",
    "none",
    "no",
    "ok",
    "ok",
  ],
  ["a URL to visit, with its id", "elicitation/create", "params", { ...url, elicitationId: "1" }, "none", "none", "no", "ok", "ok"],
  ["a URL to visit, without an id", "elicitation/create", "params", url, "none", "none", "no", "no", "ok"],
  ["a cancellation of nothing", "notifications/cancelled", "params", { _meta: {} }, "no", "no", "no", "ok", "no"],
  // The schema file says integer; the erratum gives it the source's meaning back.
  [
    "a fraction in a form's result",
    "elicitation/create",
    "result",
    { action: "accept", content: { field: 1.5 } },
    "none",
    "none",
    "ok",
    "ok",
    "ok",
  ],
  ["a request without the envelope of 2026-07-28", "tools/list", "params", {}, "ok", "ok", "ok", "ok", "no"],
  ["a request with the envelope of 2026-07-28", "tools/list", "params", { _meta: META }, "ok", "ok", "ok", "ok", "ok"],
];

const cells = MATRIX.flatMap(([shape, method, part, value, ...verdicts]) =>
  subjects.map((subject, index) => [shape, subject.revision.id, verdicts[index] ?? "none", method, part, value, subject] as const),
);

describe("the shape matrix", () => {
  it.each(cells)("%s, at %s: %s", (_shape, _revision, verdict, method, part, value, subject) => {
    const validate = subject.validators.get(method)?.[part];
    if (verdict === "none") return expect(validate, "the revision has no such message").toBeUndefined();
    expect(validate?.(value), JSON.stringify(validate?.errors)).toBe(verdict === "ok");
    let lowered: unknown;
    try {
      lowered = codecOf(subject).lower(method, part, value, policies.permissive());
    } catch (error) {
      // What no form stands in for is refused by name, and never where the revision could read it.
      expect(isLowerError(error)).toBe(true);
      expect(verdict).toBe("no");
      return;
    }
    expect(validate?.(lowered), JSON.stringify(lowered)).toBe(true);
  });

  it("can say no of every revision and yes of every revision", () => {
    for (const { revision } of subjects) {
      const verdicts = cells.filter(([, id]) => id === revision.id).map(([, , verdict]) => verdict);
      expect(new Set(verdicts).has("ok") && new Set(verdicts).has("no"), revision.id).toBe(true);
    }
  });
});
