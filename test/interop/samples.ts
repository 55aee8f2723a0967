// The answers the native clients are given: canonical results of the newest revision, one for each thing a result can hold, with the features
// an older peer must have to read it as it is, and what must be left of it where a policy stands in for them.
import type { Wire } from "../../runtime/index.js";
import { Feature } from "../../runtime/mcp.js";
import { bytes, field, item, resourceText, structured, text, words, type Hold } from "./holds.js";

/** The path to something of a result that may be changed or given up for an older peer, but only if the report says so. */
export type Advice = readonly string[];

/** An answer to one request, in canonical form. */
export interface Sample {
  readonly name: string;
  readonly method: string;
  readonly result?: Wire;
  /** Stands in place of a result. */
  readonly error?: Wire;
  /** The features without which `strict` refuses. */
  readonly needs: readonly number[];
  readonly holds: readonly Hold[];
  readonly advice: readonly Advice[];
}

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEA";
const PDF = "JVBERi0xLjQKJeLjz9MKMSAwIG9iago=";
const URI = "file:///lisbon/readings.csv";
const ICONS = [{ src: "https://example.com/sun.png", mimeType: "image/png", sizes: ["48x48"] }];
const MODIFIED = "2026-07-01T12:00:00Z";
const META = { "com.example/trace": "t-1" };

const COMPLETE = { resultType: "complete" };
const FRESH = { ...COMPLETE, ttlMs: 0, cacheScope: "private" };

/** A content block with what it needs and what must be left of it. */
interface Kind {
  readonly block: Wire;
  readonly needs?: readonly number[];
  readonly holds: readonly Hold[];
  /** Below the block. */
  readonly advice?: readonly Advice[];
}

const LINK = { type: "resource_link", uri: URI, name: "readings.csv" };

const KINDS: Readonly<Record<string, Kind>> = {
  text: { block: { type: "text", text: "21 °C in Lisbon 🌤" }, holds: [text("21 °C in Lisbon 🌤")] },
  image: { block: { type: "image", data: PNG, mimeType: "image/png" }, holds: [bytes(PNG, "image/png")] },
  audio: {
    block: { type: "audio", data: WAV, mimeType: "audio/wav" },
    needs: [Feature.ContentAudio],
    holds: [bytes(WAV, "audio/wav")],
  },
  "embedded text": {
    block: { type: "resource", resource: { uri: URI, mimeType: "text/csv", text: "a,b\n1,2" } },
    holds: [resourceText(URI, "a,b\n1,2")],
  },
  "embedded blob": {
    block: { type: "resource", resource: { uri: URI, mimeType: "application/pdf", blob: PDF } },
    holds: [bytes(PDF, "application/pdf"), words(URI)],
  },
  "resource link": {
    block: { ...LINK, mimeType: "text/csv", size: 12, description: "All readings" },
    needs: [Feature.ContentResourceLink],
    holds: [words(URI), words("readings.csv")],
  },
  "resource link with title and icons": {
    block: { ...LINK, title: "Readings", icons: ICONS },
    needs: [Feature.ContentResourceLink, Feature.MetadataTitle, Feature.MetadataIcons],
    holds: [words(URI)],
  },
  "text with annotations": {
    block: { type: "text", text: "hot", annotations: { audience: ["user"], priority: 0.5 } },
    holds: [text("hot")],
  },
  "text with a time": {
    block: { type: "text", text: "hot", annotations: { priority: 1, lastModified: MODIFIED } },
    needs: [Feature.ContentAnnotationsLastModified],
    holds: [text("hot")],
    advice: [["annotations", "lastModified"]],
  },
  "text with meta": {
    block: { type: "text", text: "hot", _meta: META },
    needs: [Feature.MetaOnDataTypes],
    holds: [text("hot")],
    advice: [["_meta"]],
  },
  "audio with annotations and meta": {
    block: { type: "audio", data: WAV, mimeType: "audio/wav", annotations: { priority: 1, lastModified: MODIFIED }, _meta: META },
    needs: [Feature.ContentAudio, Feature.ContentAnnotationsLastModified, Feature.MetaOnDataTypes],
    holds: [bytes(WAV, "audio/wav")],
  },
  "embedded text with meta inside and out": {
    block: { type: "resource", resource: { uri: URI, text: "a,b", _meta: META }, _meta: META },
    needs: [Feature.MetaOnDataTypes],
    holds: [resourceText(URI, "a,b")],
    advice: [["_meta"], ["resource", "_meta"]],
  },
};

/** Every structured value a tool may answer with; a value other than an object came later. */
const STRUCTURED: readonly (readonly [name: string, value: unknown])[] = [
  ["an object", { city: "Lisbon", celsius: 21, nested: { ok: true, list: [1, null] } }],
  ["an empty object", {}],
  ["an array", [1, "two", { three: 3 }]],
  ["an empty array", []],
  ["a string", "sunny"],
  ["a number", 21.5],
  ["a boolean", false],
  ["null", null],
];

function call(name: string, result: Wire, { needs = [], holds = [], advice = [] }: Partial<Sample> = {}): Sample {
  return { name: `call ${name}`, method: "tools/call", result: { ...COMPLETE, ...result }, needs, holds, advice };
}

function toolKind([name, { block, needs = [], holds, advice = [] }]: readonly [string, Kind]): Sample {
  return call(name, { content: [block] }, { needs, holds, advice: below(["content", "0"], advice) });
}

function promptKind([name, { block, needs = [], holds, advice = [] }]: readonly [string, Kind]): Sample {
  const result = { ...COMPLETE, messages: [{ role: "user", content: block }] };
  return { name: `prompt ${name}`, method: "prompts/get", result, needs, holds, advice: below(["messages", "0", "content"], advice) };
}

function structuredKind([name, value]: readonly [string, unknown]): readonly Sample[] {
  const isRecord = typeof value === "object" && value !== null && !Array.isArray(value);
  const needs = isRecord ? [Feature.ToolsStructuredOutput] : [Feature.ToolsStructuredOutput, Feature.ToolsAnyJsonSchema];
  const said = { type: "text", text: JSON.stringify(value) };
  return [
    call(`structured ${name}, said in text too`, { content: [said], structuredContent: value }, { needs, holds: [structured(value)] }),
    call(`structured ${name} alone`, { content: [], structuredContent: value }, { needs, holds: [structured(value)] }),
    call(
      `structured ${name} beside other text`,
      { content: [{ type: "text", text: "see the data" }], structuredContent: value },
      { needs, holds: [text("see the data"), structured(value)] },
    ),
  ];
}

function below(path: readonly string[], advice: readonly Advice[]): readonly Advice[] {
  return advice.map((entry) => [...path, ...entry]);
}

const MIXED = [KINDS["text"], KINDS["audio"], KINDS["resource link"], KINDS["image"]].flatMap((kind) => (kind === undefined ? [] : [kind]));

const CALLS: readonly Sample[] = [
  ...Object.entries(KINDS).map(toolKind),
  ...STRUCTURED.flatMap(structuredKind),
  call(
    "everything at once",
    { content: MIXED.map(({ block }) => block), structuredContent: { celsius: 21 } },
    {
      needs: [Feature.ContentAudio, Feature.ContentResourceLink, Feature.ToolsStructuredOutput],
      holds: MIXED.flatMap(({ holds }) => holds),
    },
  ),
  call(
    "a structured value beside a link",
    { content: [LINK], structuredContent: { celsius: 21 } },
    {
      needs: [Feature.ContentResourceLink, Feature.ToolsStructuredOutput],
      holds: [words(URI), structured({ celsius: 21 })],
    },
  ),
  call("nothing", { content: [] }),
  call(
    "an error",
    { content: [{ type: "text", text: "no such city" }], isError: true },
    {
      holds: [text("no such city"), field(["isError"], true)],
    },
  ),
  call(
    "an error with audio",
    { content: [{ type: "text", text: "no" }, KINDS["audio"]?.block], isError: true },
    {
      needs: [Feature.ContentAudio],
      holds: [text("no"), bytes(WAV, "audio/wav"), field(["isError"], true)],
    },
  ),
  call("meta on the result", { content: [], _meta: META }, { holds: [field(["_meta", "com.example/trace"], "t-1")] }),
  call("a field nobody knows", { content: [{ type: "text", text: "a" }], "x-vendor": { kept: true } }, { holds: [text("a")] }),
];

/** A member of a list with one field that older revisions lack. */
interface Entry {
  readonly name: string;
  readonly fields: Wire;
  readonly needs: readonly number[];
  readonly advice: readonly Advice[];
}

function only(name: string, feature: number, fields: Wire): Entry {
  return { name, fields, needs: [feature], advice: Object.keys(fields).map((key) => [key]) };
}

const PLAIN: Entry = { name: "plain", fields: {}, needs: [], advice: [] };
const TITLE = only("title", Feature.MetadataTitle, { title: "Weather" });
const ICON = only("icons", Feature.MetadataIcons, { icons: ICONS });
const META_ENTRY = only("meta", Feature.MetaOnDataTypes, { _meta: META });
const ANNOTATED: Entry = { name: "annotations", fields: { annotations: { audience: ["assistant"], priority: 1 } }, needs: [], advice: [] };
const TIMED: Entry = {
  name: "time",
  fields: { annotations: { lastModified: MODIFIED } },
  needs: [Feature.ContentAnnotationsLastModified],
  advice: [["annotations", "lastModified"]],
};

function list(method: string, key: string, base: Wire, entries: readonly Entry[]): readonly Sample[] {
  const page = (fields: readonly Wire[], more: Wire = {}) => ({ ...FRESH, [key]: fields.map((each) => ({ ...base, ...each })), ...more });
  const samples = entries.map(({ name, fields, needs, advice }) => ({
    name: `${key} ${name}`,
    method,
    result: page([fields]),
    needs,
    holds: [item(key, base)],
    advice: below([key, "0"], advice),
  }));
  return [
    ...samples,
    { name: `${key} none`, method, result: page([]), needs: [], holds: [field([key], [])], advice: [] },
    { name: `${key} paged`, method, result: page([{}], { nextCursor: "p2" }), needs: [], holds: [field(["nextCursor"], "p2")], advice: [] },
    {
      name: `${key} fresh for a while`,
      method,
      result: page([{}], { ttlMs: 60_000, cacheScope: "public" }),
      needs: [Feature.Caching],
      holds: [item(key, base)],
      advice: [["ttlMs"], ["cacheScope"]],
    },
  ];
}

const INPUT = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

function output(name: string, outputSchema: Wire, ...more: readonly number[]): Entry {
  return {
    name: `output schema ${name}`,
    fields: { outputSchema },
    needs: [Feature.ToolsStructuredOutput, ...more],
    advice: [["outputSchema"]],
  };
}

const TOOLS = list("tools/list", "tools", { name: "weather", description: "What it is like", inputSchema: INPUT }, [
  PLAIN,
  TITLE,
  ICON,
  META_ENTRY,
  only("hints", Feature.ToolsAnnotations, { annotations: { title: "Weather", readOnlyHint: true, openWorldHint: false } }),
  output("of an object", { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] }),
  output("of an array", { type: "array", items: { type: "number" } }, Feature.ToolsAnyJsonSchema),
  output("of a string", { type: "string" }, Feature.ToolsAnyJsonSchema),
  output("of a choice", { anyOf: [{ type: "object" }, { type: "null" }] }, Feature.ToolsAnyJsonSchema),
  output("with boolean subschemas", { type: "object", properties: { any: true, none: false } }, Feature.ToolsAnyJsonSchema),
]);

const LOOSE_INPUTS: readonly Sample[] = [
  looseInput("boolean subschemas", { type: "object", properties: { city: true, never: false } }, [Feature.ToolsAnyJsonSchema]),
  looseInput("keywords beside properties", { ...INPUT, additionalProperties: false, $defs: { a: { type: "string" } }, oneOf: [{}] }, []),
  looseInput("a dialect", { $schema: "https://json-schema.org/draft/2020-12/schema", ...INPUT }, []),
];

function looseInput(name: string, inputSchema: Wire, needs: readonly number[]): Sample {
  const result = { ...FRESH, tools: [{ name: "weather", inputSchema }] };
  return { name: `tools input with ${name}`, method: "tools/list", result, needs, holds: [item("tools", { name: "weather" })], advice: [] };
}

const ARGUMENTS = [{ name: "city", description: "Which", required: true }];
const PROMPT = { name: "forecast", description: "Asks for one", arguments: ARGUMENTS };
const PROMPTS = list("prompts/list", "prompts", PROMPT, [PLAIN, TITLE, ICON, META_ENTRY]);
const TITLED_ARGUMENT: Sample = {
  name: "prompts argument title",
  method: "prompts/list",
  result: { ...FRESH, prompts: [{ name: "forecast", arguments: [{ name: "city", title: "City" }] }] },
  needs: [Feature.MetadataTitle],
  holds: [item("prompts", { name: "forecast" })],
  advice: [["prompts", "0", "arguments", "0", "title"]],
};

const MESSAGES: readonly Sample[] = [
  ...Object.entries(KINDS).map(promptKind),
  {
    name: "prompt conversation",
    method: "prompts/get",
    result: {
      ...COMPLETE,
      description: "A question and its answer",
      messages: [
        { role: "user", content: { type: "text", text: "How is it?" } },
        { role: "assistant", content: { type: "text", text: "Sunny." } },
      ],
    },
    needs: [],
    holds: [
      text("How is it?"),
      text("Sunny."),
      field(["description"], "A question and its answer"),
      field(["messages", "1", "role"], "assistant"),
    ],
    advice: [],
  },
];

const RESOURCE = { uri: URI, name: "readings.csv", description: "All readings", mimeType: "text/csv" };
const SIZED: Entry = { name: "size", fields: { size: 12 }, needs: [], advice: [] };
const TEMPLATE = { uriTemplate: "file:///lisbon/{day}.csv", name: "day", description: "One day", mimeType: "text/csv" };
const RESOURCES = [
  ...list("resources/list", "resources", RESOURCE, [PLAIN, SIZED, TITLE, ICON, META_ENTRY, ANNOTATED, TIMED]),
  ...list("resources/templates/list", "resourceTemplates", TEMPLATE, [PLAIN, TITLE, ICON, META_ENTRY, ANNOTATED, TIMED]),
];

function read(name: string, contents: readonly Wire[], { needs = [], holds = [], advice = [] }: Partial<Sample>): Sample {
  return { name: `read ${name}`, method: "resources/read", result: { ...FRESH, contents }, needs, holds, advice };
}

const TEXT_CONTENTS = { uri: URI, mimeType: "text/csv", text: "a,b" };
const BLOB_CONTENTS = { uri: `${URI}.pdf`, mimeType: "application/pdf", blob: PDF };
const READS = [
  read("text", [TEXT_CONTENTS], { holds: [resourceText(URI, "a,b")] }),
  read("blob", [BLOB_CONTENTS], { holds: [bytes(PDF, "application/pdf")] }),
  read("both", [TEXT_CONTENTS, BLOB_CONTENTS], { holds: [resourceText(URI, "a,b"), bytes(PDF, "application/pdf")] }),
  read("with meta", [{ ...TEXT_CONTENTS, _meta: META }], {
    needs: [Feature.MetaOnDataTypes],
    holds: [resourceText(URI, "a,b")],
    advice: [["contents", "0", "_meta"]],
  }),
];

function completion(name: string, value: Wire): Sample {
  const holds = Object.entries(value).map(([key, each]) => field(["completion", key], each));
  return {
    name: `complete ${name}`,
    method: "completion/complete",
    result: { ...COMPLETE, completion: value },
    needs: [],
    holds,
    advice: [],
  };
}

const COMPLETIONS = [
  completion("values", { values: ["Lisbon", "Lagos"], total: 2, hasMore: false }),
  completion("many values", { values: Array.from({ length: 100 }, (_, index) => `city ${index}`), total: 340, hasMore: true }),
  completion("no values", { values: [] }),
];

function empty(method: string, name: string, result: Wire): Sample {
  return { name: `empty ${method}${name}`, method, result, needs: [], holds: [], advice: [] };
}

/** Legacy peers take no member at all here: what the newest revision says of every result must not reach them. */
const EMPTIES = [
  ...["logging/setLevel", "resources/subscribe", "resources/unsubscribe"].map((method) => empty(method, "", {})),
  ...["ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"].map((method) =>
    empty(method, ", said to be complete", COMPLETE),
  ),
];

function failure(name: string, method: string, error: Wire): Sample {
  return { name: `error ${name}`, method, error, needs: [], holds: [], advice: [] };
}

const FAILURES = [
  failure("invalid params", "tools/call", { code: -32602, message: "unknown tool", data: { tool: "wether" } }),
  failure("method not found", "prompts/get", { code: -32601, message: "no prompts" }),
  failure("of the server's own", "tools/call", { code: 4242, message: "out of tea", data: { leaves: [0, null], nested: { deep: true } } }),
  failure("internal", "resources/list", { code: -32603, message: "broken" }),
  failure("resource not found, before", "resources/read", { code: -32002, message: "not found", data: { uri: URI } }),
  failure("resource not found, since", "resources/read", { code: -32602, message: "not found", data: { uri: URI } }),
];

/** Every sample; names are unique. */
export const SAMPLES: readonly Sample[] = [
  ...CALLS,
  ...TOOLS,
  ...LOOSE_INPUTS,
  ...MESSAGES,
  ...PROMPTS,
  TITLED_ARGUMENT,
  ...READS,
  ...RESOURCES,
  ...COMPLETIONS,
  ...EMPTIES,
  ...FAILURES,
];

/** Gives the request an application makes for a sample; it carries the sample's name where the method has room for one. */
export function requestFor({ method, name }: Sample): Wire {
  if (method === "tools/call") return { name, arguments: {} };
  if (method === "prompts/get") return { name };
  if (method === "completion/complete") return { ref: { type: "ref/prompt", name: "forecast" }, argument: { name, value: "L" } };
  if (method.startsWith("resources/") && !method.endsWith("list")) return { uri: `sample:${encodeURIComponent(name)}` };
  if (method === "logging/setLevel") return { level: name.endsWith("complete") ? "alert" : "warning" };
  return method === "ping" ? {} : { cursor: name };
}

/** Gives the sample a request asks for; throws where there is none. */
export function sampleFor(method: string, params: Wire): Sample {
  const found = SAMPLES.find((sample) => sample.method === method && isAsked(sample, params));
  if (found === undefined) throw new Error(`cannot answer ${method} ${JSON.stringify(params)}: no sample is asked for`);
  return found;
}

function isAsked(sample: Sample, params: Wire): boolean {
  return Object.entries(requestFor(sample)).every(([key, value]) => JSON.stringify(params[key]) === JSON.stringify(value));
}
