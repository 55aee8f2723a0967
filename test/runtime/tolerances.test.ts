// What each tolerance of the protocol repairs in what real peers send, and what comes near it and is left alone. A repaired payload is valid at its
// revision where the one that came was not; what is left alone comes back as the same object.
import { describe, expect, it, test } from "vitest";
import { TOLERANCES } from "../../generated/mcp/tolerances.js";
import { TranslationReport, type Codec, type Loss, type Part } from "../../runtime/index.js";
import { CapabilitySet, codecFor, REVISIONS, tables } from "../../runtime/mcp.js";

type Id = (typeof TOLERANCES)[number]["id"];

/** A step of the report: which tolerance, and at which JSON pointer. */
type Step = readonly [id: Id, path: string];

interface Repaired {
  readonly title: string;
  readonly at: readonly [revision: string, method: string, part: Part];
  readonly given: unknown;
  readonly want: unknown;
  readonly steps: readonly Step[];
  /** True where the schema has nothing against the given value: only the prose has, or one of the results the method may give is open. */
  readonly wasValid?: boolean;
}

interface LeftAlone {
  readonly title: string;
  /** The tolerance it comes near to. */
  readonly near: Id;
  readonly at: readonly [revision: string, method: string, part: Part];
  readonly given: unknown;
}

const V24 = "2024-11-05";
const V2503 = "2025-03-26";
const V2506 = "2025-06-18";
const V2511 = "2025-11-25";
const V26 = "2026-07-28";

const text = { type: "text", text: "21 degrees" };
const peer = { name: "peer", version: "1" };
const OBJECT = { type: "object" };

function announced(capabilities: object, revision = V2511): object {
  return { protocolVersion: revision, serverInfo: peer, capabilities };
}

/** What a modern list carries besides the list. */
const complete = { resultType: "complete", ttlMs: 0, cacheScope: "private" };

/** The steps that complete a modern list, in the order they are taken. */
const COMPLETED: readonly Step[] = [
  ["missing-cache-hints", "/cacheScope"],
  ["missing-result-type", "/resultType"],
  ["missing-cache-hints", "/ttlMs"],
];

const REPAIRED: readonly Repaired[] = [
  {
    title: "a member that is null is absent",
    at: [V2511, "tools/call", "result"],
    given: { content: [text], isError: null, _meta: null },
    want: { content: [text] },
    steps: [
      ["null-for-absent", "/isError"],
      ["null-for-absent", "/_meta"],
    ],
  },
  {
    title: "deep in a list as well",
    at: [V2506, "tools/list", "result"],
    given: {
      tools: [
        { name: "a", inputSchema: OBJECT },
        { name: "b", description: null, title: null, annotations: null, outputSchema: null, inputSchema: OBJECT },
      ],
      nextCursor: null,
    },
    want: {
      tools: [
        { name: "a", inputSchema: OBJECT },
        { name: "b", inputSchema: OBJECT },
      ],
    },
    steps: [
      ["null-for-absent", "/tools/1/description"],
      ["null-for-absent", "/tools/1/title"],
      ["null-for-absent", "/tools/1/annotations"],
      ["null-for-absent", "/tools/1/outputSchema"],
      ["null-for-absent", "/nextCursor"],
    ],
  },
  {
    title: "arguments as a whole may be absent",
    at: [V2503, "tools/call", "params"],
    given: { name: "weather", arguments: null },
    want: { name: "weather" },
    steps: [["null-for-absent", "/arguments"]],
  },
  {
    title: "a null in a block of a union told by its type",
    at: [V26, "tools/call", "result"],
    given: { resultType: "complete", content: [{ ...text, annotations: null, _meta: null }] },
    want: { resultType: "complete", content: [text] },
    steps: [
      ["null-for-absent", "/content/0/annotations"],
      ["null-for-absent", "/content/0/_meta"],
    ],
    wasValid: true,
  },
  {
    title: "a null in the contents of a resource, whichever kind it is",
    at: [V2511, "resources/read", "result"],
    given: {
      contents: [
        { uri: "file:///a", text: "a", mimeType: null },
        { uri: "file:///b", blob: "AA==", mimeType: null, _meta: null },
      ],
    },
    want: {
      contents: [
        { uri: "file:///a", text: "a" },
        { uri: "file:///b", blob: "AA==" },
      ],
    },
    steps: [
      ["null-for-absent", "/contents/0/mimeType"],
      ["null-for-absent", "/contents/1/mimeType"],
      ["null-for-absent", "/contents/1/_meta"],
    ],
  },
  {
    title: "a null in a form, which need not say that it is one",
    at: [V2511, "elicitation/create", "params"],
    given: { message: "name?", task: null, requestedSchema: { type: "object", properties: {}, required: null } },
    want: { message: "name?", requestedSchema: { type: "object", properties: {} } },
    steps: [
      ["null-for-absent", "/task"],
      ["null-for-absent", "/requestedSchema/required"],
    ],
  },
  {
    title: "a mode that is null, which leaves a form",
    at: [V2511, "elicitation/create", "params"],
    given: { mode: null, message: "name?", task: null, requestedSchema: { type: "object", properties: {} } },
    want: { message: "name?", requestedSchema: { type: "object", properties: {} } },
    steps: [
      ["null-for-absent", "/mode"],
      ["null-for-absent", "/task"],
    ],
  },
  {
    title: "a notification's params",
    at: [V24, "notifications/message", "params"],
    given: { level: "info", logger: null, data: null },
    want: { level: "info", data: null },
    steps: [["null-for-absent", "/logger"]],
  },
  {
    title: "what names itself like an object's own parts is no obstacle",
    at: [V2511, "tools/call", "result"],
    given: JSON.parse(
      '{"__proto__":null,"constructor":null,"toString":null,"isError":null,"content":[{"__proto__":{"a":null},"type":"text","text":"x","annotations":null}]}',
    ),
    want: JSON.parse('{"__proto__":null,"constructor":null,"toString":null,"content":[{"__proto__":{"a":null},"type":"text","text":"x"}]}'),
    steps: [
      ["null-for-absent", "/isError"],
      ["null-for-absent", "/content/0/annotations"],
    ],
  },
  {
    title: "null is no structured content before the revision in which it is a value",
    at: [V2511, "tools/call", "result"],
    given: { content: [text], structuredContent: null },
    want: { content: [text] },
    steps: [["null-structured-content", "/structuredContent"]],
  },
  {
    title: "null is no structured content where the revision has none at all",
    at: [V24, "tools/call", "result"],
    given: { content: [text], structuredContent: null },
    want: { content: [text] },
    steps: [["null-structured-content", "/structuredContent"]],
    wasValid: true,
  },
  {
    title: "a required list that is null is empty",
    at: [V24, "tools/list", "result"],
    given: { tools: null },
    want: { tools: [] },
    steps: [["null-for-empty-list", "/tools"]],
  },
  {
    title: "content that is null is empty",
    at: [V26, "tools/call", "result"],
    given: { resultType: "complete", content: null },
    want: { resultType: "complete", content: [] },
    steps: [["null-for-empty-list", "/content"]],
    wasValid: true,
  },
  {
    title: "the completion values that are null are none",
    at: [V2506, "completion/complete", "result"],
    given: { completion: { values: null, total: null } },
    want: { completion: { values: [] } },
    steps: [
      ["null-for-empty-list", "/completion/values"],
      ["null-for-absent", "/completion/total"],
    ],
  },
  {
    title: "a null among blocks is left out, the others stay in order",
    at: [V2506, "tools/call", "result"],
    given: { content: [null, text, null, { type: "text", text: "2" }] },
    want: { content: [text, { type: "text", text: "2" }] },
    steps: [
      ["null-list-entry", "/content/0"],
      ["null-list-entry", "/content/2"],
    ],
  },
  {
    title: "a null among messages and their blocks",
    at: [V2511, "sampling/createMessage", "params"],
    given: { maxTokens: 1, messages: [null, { role: "user", content: [null, text] }] },
    want: { maxTokens: 1, messages: [{ role: "user", content: [text] }] },
    steps: [
      ["null-list-entry", "/messages/0"],
      ["null-list-entry", "/messages/1/content/0"],
    ],
  },
  ...["tools", "prompts", "resources"].map((list): Repaired => ({
    title: `an empty cursor ends the ${list}`,
    at: [V2511, `${list}/list`, "result"],
    given: { [list]: [], nextCursor: "" },
    want: { [list]: [] },
    steps: [["empty-cursor-at-the-end", "/nextCursor"]],
    wasValid: true,
  })),
  {
    title: "an empty cursor ends the templates, from the first revision on",
    at: [V24, "resources/templates/list", "result"],
    given: { resourceTemplates: [], nextCursor: "" },
    want: { resourceTemplates: [] },
    steps: [["empty-cursor-at-the-end", "/nextCursor"]],
    wasValid: true,
  },
  {
    title: "a tool result in a member of that name is taken out of it",
    at: [V24, "tools/call", "result"],
    given: { toolResult: { content: [text], isError: true }, _meta: { a: 1 } },
    want: { _meta: { a: 1 }, content: [text], isError: true },
    steps: [["wrapped-tool-result", ""]],
  },
  {
    title: "and is repaired in turn",
    at: [V2511, "tools/call", "result"],
    given: { toolResult: { isError: null, content: [null] } },
    want: { content: [] },
    steps: [
      ["wrapped-tool-result", ""],
      ["null-for-absent", "/isError"],
      ["null-list-entry", "/content/0"],
    ],
  },
  {
    title: "a tool result without content has none",
    at: [V2506, "tools/call", "result"],
    given: { structuredContent: { a: 1 } },
    want: { structuredContent: { a: 1 }, content: [] },
    steps: [["missing-content", "/content"]],
  },
  {
    title: "so has one that came out of its wrapping",
    at: [V2503, "tools/call", "result"],
    given: { toolResult: { isError: false } },
    want: { isError: false, content: [] },
    steps: [
      ["wrapped-tool-result", ""],
      ["missing-content", "/content"],
    ],
  },
  {
    title: "a complete result of the newest revision has content too",
    at: [V26, "tools/call", "result"],
    given: { resultType: "complete" },
    want: { resultType: "complete", content: [] },
    steps: [["missing-content", "/content"]],
    wasValid: true,
  },
  {
    title: "a result without resultType is complete",
    at: [V26, "prompts/get", "result"],
    given: { messages: [] },
    want: { messages: [], resultType: "complete" },
    steps: [["missing-result-type", "/resultType"]],
  },
  {
    title: "an empty tool result is complete and has no content",
    at: [V26, "tools/call", "result"],
    given: {},
    want: { resultType: "complete", content: [] },
    steps: [
      ["missing-content", "/content"],
      ["missing-result-type", "/resultType"],
    ],
  },
  {
    title: "a list without cache hints may be kept for no time",
    at: [V26, "tools/list", "result"],
    given: { resultType: "complete", tools: [] },
    want: { ...complete, tools: [] },
    steps: [
      ["missing-cache-hints", "/cacheScope"],
      ["missing-cache-hints", "/ttlMs"],
    ],
  },
  {
    title: "a legacy list sent by a modern server is completed",
    at: [V26, "resources/list", "result"],
    given: { resources: [] },
    want: { ...complete, resources: [] },
    steps: COMPLETED,
  },
  {
    title: "one hint alone is completed by the other",
    at: [V26, "resources/read", "result"],
    given: { resultType: "complete", contents: [], ttlMs: 60_000 },
    want: { ...complete, contents: [], ttlMs: 60_000 },
    steps: [["missing-cache-hints", "/cacheScope"]],
    wasValid: true,
  },
  {
    title: "capabilities of another form are announced without details",
    at: [V2511, "initialize", "result"],
    given: announced({ tools: [], prompts: true, completions: "yes", logging: 1 }),
    want: announced({ tools: {}, prompts: {}, completions: {}, logging: {} }),
    steps: [
      ["capability-in-another-form", "/capabilities/completions"],
      ["capability-in-another-form", "/capabilities/logging"],
      ["capability-in-another-form", "/capabilities/prompts"],
      ["capability-in-another-form", "/capabilities/tools"],
    ],
  },
  {
    title: "capabilities that are false are not announced",
    at: [V24, "initialize", "result"],
    given: announced({ tools: {}, resources: false }, V24),
    want: announced({ tools: {} }, V24),
    steps: [["capability-in-another-form", "/capabilities/resources"]],
  },
  {
    title: "sub-capabilities and experimental ones are read the same way",
    at: [V2511, "initialize", "params"],
    given: {
      protocolVersion: V2511,
      clientInfo: peer,
      capabilities: {
        sampling: { tools: true, context: false },
        experimental: JSON.parse('{"a/b":true,"__proto__":[],"off":false,"gone":null,"on":{}}'),
      },
    },
    want: {
      protocolVersion: V2511,
      clientInfo: peer,
      capabilities: { sampling: { tools: {} }, experimental: JSON.parse('{"a/b":{},"__proto__":{},"on":{}}') },
    },
    steps: [
      ["capability-in-another-form", "/capabilities/sampling/context"],
      ["capability-in-another-form", "/capabilities/sampling/tools"],
      ["capability-in-another-form", "/capabilities/experimental/a~1b"],
      ["capability-in-another-form", "/capabilities/experimental/__proto__"],
      ["capability-in-another-form", "/capabilities/experimental/off"],
      ["capability-in-another-form", "/capabilities/experimental/gone"],
    ],
  },
  {
    title: "a flag that is neither true nor false is not announced, the capability is",
    at: [V2511, "initialize", "result"],
    given: announced({ tools: { listChanged: "yes" }, resources: { subscribe: 1, listChanged: true }, prompts: { listChanged: [] } }),
    want: announced({ tools: {}, resources: { listChanged: true }, prompts: {} }),
    steps: [
      ["flag-in-another-form", "/capabilities/tools/listChanged"],
      ["flag-in-another-form", "/capabilities/resources/subscribe"],
      ["flag-in-another-form", "/capabilities/prompts/listChanged"],
    ],
  },
  ...[[{ form: false }, ["form"]] as const, [{ form: false, url: false }, ["form", "url"]] as const].map(
    ([elicitation, flags]): Repaired => ({
      title: `${JSON.stringify(elicitation)} says no, where an empty capability would say yes`,
      at: [V2511, "initialize", "params"],
      given: { protocolVersion: V2511, clientInfo: peer, capabilities: { sampling: {}, elicitation } },
      want: { protocolVersion: V2511, clientInfo: peer, capabilities: { sampling: {} } },
      steps: flags.map((flag) => ["capability-in-another-form", `/capabilities/elicitation/${flag}`]),
    }),
  ),
  {
    title: "a form that is refused beside an address that is not",
    at: [V2511, "initialize", "params"],
    given: { protocolVersion: V2511, clientInfo: peer, capabilities: { elicitation: { form: false, url: true } } },
    want: { protocolVersion: V2511, clientInfo: peer, capabilities: { elicitation: { url: {} } } },
    steps: [
      ["capability-in-another-form", "/capabilities/elicitation/form"],
      ["capability-in-another-form", "/capabilities/elicitation/url"],
    ],
  },
  {
    title: "capabilities on a request of the newest revision",
    at: [V26, "tools/call", "params"],
    given: {
      name: "weather",
      _meta: { "io.modelcontextprotocol/protocolVersion": V26, "io.modelcontextprotocol/clientCapabilities": { sampling: true } },
    },
    want: {
      name: "weather",
      _meta: { "io.modelcontextprotocol/protocolVersion": V26, "io.modelcontextprotocol/clientCapabilities": { sampling: {} } },
    },
    steps: [["capability-in-another-form", "/_meta/io.modelcontextprotocol~1clientCapabilities/sampling"]],
  },
  ...[V2506, V2511, V26].map((revision): Repaired => ({
    title: `a rejected elicitation is declined at ${revision}`,
    at: [revision, "elicitation/create", "result"],
    given: { action: "reject" },
    want: { action: "decline" },
    steps: [["elicitation-rejected", "/action"]],
  })),
  {
    title: "a choice of objects is an object",
    at: [V2511, "tools/list", "result"],
    given: { tools: [{ name: "a", inputSchema: { anyOf: [{ properties: { x: {} } }, { type: "object" }] } }] },
    want: { tools: [{ name: "a", inputSchema: { anyOf: [{ properties: { x: {} } }, { type: "object" }], type: "object" } }] },
    steps: [["tool-schema-of-no-type", "/tools/0/inputSchema"]],
  },
  {
    title: "an absent, a null and an empty schema allow any object; empty lists and maps get their kind back",
    at: [V2506, "tools/list", "result"],
    given: {
      tools: [
        { name: "a" },
        { name: "b", inputSchema: null },
        { name: "c", inputSchema: {} },
        { name: "d", inputSchema: { type: "object", properties: [], required: {} } },
      ],
    },
    want: {
      tools: [
        { name: "a", inputSchema: OBJECT },
        { name: "b", inputSchema: OBJECT },
        { name: "c", inputSchema: OBJECT },
        { name: "d", inputSchema: { type: "object", properties: {}, required: [] } },
      ],
    },
    steps: [0, 1, 2, 3].map((index) => ["tool-schema-of-no-type", `/tools/${index}/inputSchema`]),
  },
  {
    title: "a tool that may take a string, or has no name, is left out; the others survive in order",
    at: [V2506, "tools/list", "result"],
    given: {
      tools: [
        { name: "a", inputSchema: OBJECT },
        { name: "b", inputSchema: { anyOf: [{ type: "object" }, { type: "string" }] } },
        { inputSchema: OBJECT },
        { name: "c", inputSchema: OBJECT, description: null },
        { name: "d", inputSchema: { type: "array" } },
        { name: "e", inputSchema: OBJECT },
        { name: 7, inputSchema: OBJECT },
        "f",
        { name: "g", inputSchema: { type: "object", properties: ["x"] } },
      ],
    },
    want: {
      tools: [
        { name: "a", inputSchema: OBJECT },
        { name: "c", inputSchema: OBJECT },
        { name: "e", inputSchema: OBJECT },
      ],
    },
    steps: [
      ["tool-beyond-repair", "/tools/1"],
      ["tool-beyond-repair", "/tools/2"],
      ["null-for-absent", "/tools/3/description"],
      ["tool-beyond-repair", "/tools/4"],
      ["tool-beyond-repair", "/tools/6"],
      ["tool-beyond-repair", "/tools/7"],
      ["tool-beyond-repair", "/tools/8"],
    ],
  },
  {
    title: "a text resource whose uri is null is its text",
    at: [V2506, "tools/call", "result"],
    given: { content: [{ type: "resource", resource: { uri: null, text: "log", mimeType: "text/plain" }, annotations: { priority: 1 } }] },
    want: { content: [{ type: "text", text: "log", annotations: { priority: 1 } }] },
    steps: [["resource-without-uri", "/content/0"]],
  },
  {
    title: "so it is where it is all of a message, and what stays of it is repaired like any text",
    at: [V24, "prompts/get", "result"],
    given: { messages: [{ role: "user", content: { type: "resource", resource: { uri: null, text: "log" }, annotations: null } }] },
    want: { messages: [{ role: "user", content: { type: "text", text: "log" } }] },
    steps: [
      ["resource-without-uri", "/messages/0/content"],
      ["null-for-absent", "/messages/0/content/annotations"],
    ],
  },
];

const LEFT_ALONE: readonly LeftAlone[] = [
  {
    title: "null where the type has null",
    near: "null-for-absent",
    at: [V2511, "tasks/get", "result"],
    given: { taskId: "1", status: "working", createdAt: "2025-11-25T00:00:00Z", lastUpdatedAt: "2025-11-25T00:00:00Z", ttl: null },
  },
  { title: "a null argument", near: "null-for-absent", at: [V2511, "tools/call", "params"], given: { name: "x", arguments: { a: null } } },
  {
    title: "nulls in a tool's schemas, which are data",
    near: "null-for-absent",
    at: [V2511, "tools/list", "result"],
    given: {
      tools: [
        {
          name: "a",
          inputSchema: { type: "object", properties: { x: null, y: { default: null, enum: [null] } }, description: null },
          outputSchema: { type: "object", properties: { z: { const: null } } },
        },
      ],
    },
  },
  {
    title: "null under a key the revision does not name",
    near: "null-for-absent",
    at: [V2503, "tools/call", "result"],
    given: { content: [text], "vendor/key": null, _meta: { "vendor/key": null } },
  },
  {
    title: "null where something is required",
    near: "null-for-absent",
    at: [V2511, "resources/read", "params"],
    given: { uri: null },
  },
  {
    title: "null is a value of structured content",
    near: "null-structured-content",
    at: [V26, "tools/call", "result"],
    given: { resultType: "complete", content: [], structuredContent: null },
  },
  {
    title: "nulls in structured content",
    near: "null-structured-content",
    at: [V2511, "tools/call", "result"],
    given: { content: [], structuredContent: { a: null, content: null } },
  },
  {
    title: "a required list that is no list",
    near: "null-for-empty-list",
    at: [V2511, "resources/list", "result"],
    given: { resources: {} },
  },
  {
    title: "a null among plain values",
    near: "null-list-entry",
    at: [V2511, "completion/complete", "result"],
    given: { completion: { values: ["a", null] } },
  },
  {
    title: "a cursor with something in it",
    near: "empty-cursor-at-the-end",
    at: [V2511, "tools/list", "result"],
    given: { tools: [], nextCursor: " " },
  },
  {
    title: "an empty cursor at the revision in which it is one",
    near: "empty-cursor-at-the-end",
    at: [V26, "tools/list", "result"],
    given: { ...complete, tools: [], nextCursor: "" },
  },
  {
    title: "an empty cursor of a request",
    near: "empty-cursor-at-the-end",
    at: [V2511, "tools/list", "params"],
    given: { cursor: "" },
  },
  {
    title: "a member of that name beside content",
    near: "wrapped-tool-result",
    at: [V24, "tools/call", "result"],
    given: { content: [text], toolResult: { content: [] } },
  },
  {
    title: "a member of that name at the newest revision",
    near: "wrapped-tool-result",
    at: [V26, "tools/call", "result"],
    given: { resultType: "complete", content: [], toolResult: { content: [text] } },
  },
  {
    title: "a task that a call became has no content",
    near: "missing-content",
    at: [V2511, "tools/call", "result"],
    given: {
      task: { taskId: "1", status: "working", createdAt: "2025-11-25T00:00:00Z", lastUpdatedAt: "2025-11-25T00:00:00Z", ttl: null },
    },
  },
  {
    title: "a task sent at a revision without tasks has none either",
    near: "missing-content",
    at: [V2506, "tools/call", "result"],
    given: { task: { taskId: "1" } },
  },
  {
    title: "what wants input first has no content, whichever revision it is sent at",
    near: "missing-content",
    at: [V2511, "tools/call", "result"],
    given: { resultType: "input_required", inputRequests: {} },
  },
  {
    title: "what wants input first has no content at its own revision",
    near: "missing-content",
    at: [V26, "tools/call", "result"],
    given: { resultType: "input_required", requestState: "abc" },
  },
  {
    title: "a result that says it is something else",
    near: "missing-result-type",
    at: [V26, "tools/call", "result"],
    given: { resultType: "partial" },
  },
  {
    title: "a legacy result needs no resultType",
    near: "missing-result-type",
    at: [V2511, "tools/list", "result"],
    given: { tools: [] },
  },
  {
    title: "a list that is not complete has no cache hints",
    near: "missing-cache-hints",
    at: [V26, "tools/list", "result"],
    given: { resultType: "partial", tools: [] },
  },
  {
    title: "cache hints that say something",
    near: "missing-cache-hints",
    at: [V26, "prompts/list", "result"],
    given: { resultType: "complete", prompts: [], ttlMs: 5000, cacheScope: "public" },
  },
  {
    title: "an object of a key that no revision names",
    near: "capability-in-another-form",
    at: [V2511, "initialize", "result"],
    given: announced({ tools: { "vendor/key": true } }),
  },
  {
    title: "a capability that no revision names",
    near: "capability-in-another-form",
    at: [V2511, "initialize", "result"],
    given: announced({ tools: {}, holograms: true }),
  },
  {
    title: "a flag that is true or false",
    near: "flag-in-another-form",
    at: [V2511, "initialize", "result"],
    given: announced({ tools: { listChanged: false }, resources: { subscribe: true } }),
  },
  {
    title: "a flag that is an object, at a revision that does not name it",
    near: "flag-in-another-form",
    at: [V2506, "initialize", "params"],
    given: { protocolVersion: V2506, clientInfo: peer, capabilities: { elicitation: { form: {} }, sampling: { tools: "yes" } } },
  },
  {
    title: "another word for no",
    near: "elicitation-rejected",
    at: [V2511, "elicitation/create", "result"],
    given: { action: "maybe" },
  },
  {
    title: "the word in a form's answer",
    near: "elicitation-rejected",
    at: [V2511, "elicitation/create", "result"],
    given: { action: "accept", content: { action: "reject" } },
  },
  {
    title: "a schema that says what it is",
    near: "tool-schema-of-no-type",
    at: [V2511, "tools/list", "result"],
    given: { tools: [{ name: "a", inputSchema: { type: "object", properties: { list: [] }, anyOf: [{ type: "string" }] } }] },
  },
  {
    title: "an output schema, which need not describe an object",
    near: "tool-schema-of-no-type",
    at: [V26, "tools/list", "result"],
    given: { ...complete, tools: [{ name: "a", inputSchema: OBJECT, outputSchema: { anyOf: [{ properties: {} }] } }] },
  },
  {
    title: "a tool with a fault that stops nobody from calling it",
    near: "tool-beyond-repair",
    at: [V2511, "tools/list", "result"],
    given: { tools: [{ name: "", inputSchema: OBJECT, description: 7, annotations: [] }] },
  },
  {
    title: "a prompt without a name, in a list that no tolerance is about",
    near: "tool-beyond-repair",
    at: [V2511, "prompts/list", "result"],
    given: { prompts: [{ description: "?" }] },
  },
  {
    title: "bytes whose uri is null",
    near: "resource-without-uri",
    at: [V2506, "tools/call", "result"],
    given: { content: [{ type: "resource", resource: { uri: null, blob: "AA==" } }] },
  },
  {
    title: "a text whose uri is absent or empty",
    near: "resource-without-uri",
    at: [V2506, "tools/call", "result"],
    given: {
      content: [
        { type: "resource", resource: { text: "log" } },
        { type: "resource", resource: { uri: "", text: "log" } },
      ],
    },
  },
];

/** Tells whether a payload is valid at its revision. */
async function isValid([revision, method, part]: Repaired["at"], value: unknown): Promise<boolean> {
  return (await tables.loadValidators(revision)).get(method)?.[part]?.(value) ?? false;
}

async function reader(revision: string, tolerant?: boolean): Promise<Codec> {
  return codecFor(revision, CapabilitySet.allFor(revision).resolve(revision, "stdio"), tolerant === undefined ? undefined : { tolerant });
}

/** Copies a JSON value with own keys named __proto__ and freezes it, so that a repair that writes to its input throws. */
function frozen(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part: unknown) => Object.freeze(part));
}

function lossOf(id: Id): Loss {
  return TOLERANCES.find((entry) => entry.id === id)?.loss ?? "content";
}

describe("repairs", () => {
  test.each(REPAIRED)("$at.0 $at.1: $title", async ({ at, given, want, steps, wasValid = false }) => {
    const [revision, method, part] = at;
    const report = new TranslationReport();
    const value = frozen(given);
    const codec = await reader(revision);
    const lifted = codec.lift(method, part, value, report);
    expect(JSON.parse(JSON.stringify(lifted))).toStrictEqual(want);
    expect(lifted).toStrictEqual(want);
    expect(report.steps).toEqual(steps.map(([id, path]) => ({ feature: null, action: "repair", path, loss: lossOf(id), detail: id })));
    expect(codec.lift(method, part, lifted)).toBe(lifted);
    expect(await isValid(at, given)).toBe(wasValid);
    expect(await isValid(at, want)).toBe(true);
  });

  it("are shown for every tolerance", () => {
    const shown = new Set(REPAIRED.flatMap(({ steps }) => steps.map(([id]) => id)));
    expect(TOLERANCES.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([]);
  });

  it("happen without a report as well", async () => {
    expect((await reader(V2511)).lift("tools/call", "result", { isError: null })).toEqual({ content: [] });
  });

  it("say what they cost: only what is left out is content", () => {
    expect(TOLERANCES.filter(({ loss }) => loss !== "none").map(({ id, loss }) => [id, loss])).toEqual([
      ["tool-beyond-repair", "content"],
      ["resource-without-uri", "advisory"],
    ]);
  });

  it("pass what they do not touch by reference", async () => {
    const untouched = { name: "a", inputSchema: { type: "object" } };
    const lifted = (await reader(V2511)).lift("tools/list", "result", { tools: [untouched, null], _meta: null }) as { tools: unknown[] };
    expect(lifted.tools[0]).toBe(untouched);
  });
});

describe("no repair", () => {
  test.each(LEFT_ALONE)("$near, $at.0 $at.1: $title", async ({ at: [revision, method, part], given }) => {
    const report = new TranslationReport();
    const value = frozen(given);
    expect((await reader(revision)).lift(method, part, value, report)).toBe(value);
    expect(report.isEmpty).toBe(true);
  });

  it("is shown for every tolerance", () => {
    const shown = new Set(LEFT_ALONE.map(({ near }) => near));
    expect(TOLERANCES.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([]);
  });

  it("of anything, where the hop wants what came as it came", async () => {
    for (const { at, given } of REPAIRED) {
      const [revision, method, part] = at;
      const report = new TranslationReport();
      const value = frozen(given);
      expect((await reader(revision, false)).lift(method, part, value, report)).toBe(value);
      expect(report.isEmpty).toBe(true);
    }
  });

  it.each(REVISIONS.map(({ revision }) => revision))("of what is no payload at all, at %s", async (revision) => {
    const codec = await reader(revision);
    for (const value of [null, undefined, 0, "", false, [], [null], "tools"]) {
      for (const part of ["params", "result"] as const) {
        for (const method of [
          "tools/list",
          "tools/call",
          "initialize",
          "prompts/get",
          "elicitation/create",
          "sampling/createMessage",
          "ping",
          "vendor/method",
        ])
          expect(codec.lift(method, part, value)).toBe(value);
      }
    }
  });
});

describe("a repair with hostile keys", () => {
  it("touches no prototype", async () => {
    const given = JSON.parse(
      '{"toolResult":{"__proto__":{"polluted":true},"content":[null]},"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    ) as unknown;
    const lifted = (await reader(V24)).lift("tools/call", "result", given);
    expect(JSON.stringify(lifted)).toBe('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"content":[]}');
    expect(Object.getPrototypeOf(lifted)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("finds no member of a union by an inherited name", async () => {
    const codec = await reader(V2506);
    for (const type of ["__proto__", "constructor", "toString", null, 7]) {
      const given = { content: [{ type, annotations: null }] };
      expect(codec.lift("tools/call", "result", given)).toBe(given);
    }
  });
});
