// Reports about null where something is absent: every optional member of every definition that travels, required lists, entries of lists, cursors,
// and the places where null is data and has to stay.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Part, Wire } from "../../../runtime/index.js";
import {
  ALL,
  asked,
  at,
  codecOf,
  deliver,
  faultsOf,
  finished,
  isObject,
  LEGACY,
  message,
  MODERN,
  named,
  pass,
  play,
  routes,
  said,
  told,
} from "../reports.js";

const object = { type: "object" };
const text = { type: "text", text: "t" };
const info = { name: "p", version: "1" };

/** A definition, the least that is one, and the payload it travels in. */
interface Host {
  readonly definition: string;
  readonly method: string;
  readonly part: Part;
  readonly least: Wire;
  /** Where it stands in the payload. */
  readonly at: string;
  around(item: unknown): Wire;
}

function host(definition: string, method: string, part: Part, least: Wire, pointer: string, around: (item: unknown) => Wire): Host {
  return { definition, method, part, least, at: pointer, around };
}

/** Puts a payload of its own in no other. */
function whole(definition: string, method: string, part: Part, least: Wire): Host {
  return host(definition, method, part, least, "", (item) => item as Wire);
}

const inTool = (item: unknown): Wire => ({ tools: [item] });
const inContent = (item: unknown): Wire => ({ content: [text, item] });
const inPrompt = (item: unknown): Wire => ({ messages: [{ role: "user", content: item }] });
const BLOCKS: readonly (readonly [string, Wire])[] = [
  ["TextContent", text],
  ["ImageContent", { type: "image", data: "", mimeType: "image/png" }],
  ["AudioContent", { type: "audio", data: "", mimeType: "audio/wav" }],
  ["EmbeddedResource", { type: "resource", resource: { uri: "a:", text: "" } }],
  ["ResourceLink", { type: "resource_link", uri: "a:", name: "a" }],
];

const HOSTS: readonly Host[] = [
  host("Tool", "tools/list", "result", { name: "a", inputSchema: object }, "/tools/0", inTool),
  host("ToolAnnotations", "tools/list", "result", {}, "/tools/0/annotations", (item) =>
    inTool({ name: "a", inputSchema: object, annotations: item }),
  ),
  host("Icon", "tools/list", "result", { src: "a:" }, "/tools/0/icons/0", (item) =>
    inTool({ name: "a", inputSchema: object, icons: [item] }),
  ),
  host("Prompt", "prompts/list", "result", { name: "a" }, "/prompts/0", (item) => ({ prompts: [item] })),
  host("PromptArgument", "prompts/list", "result", { name: "a" }, "/prompts/0/arguments/0", (item) => ({
    prompts: [{ name: "p", arguments: [item] }],
  })),
  host("Resource", "resources/list", "result", { uri: "a:", name: "a" }, "/resources/0", (item) => ({ resources: [item] })),
  host("Annotations", "resources/list", "result", {}, "/resources/0/annotations", (item) => ({
    resources: [{ uri: "a:", name: "a", annotations: item }],
  })),
  host("ResourceTemplate", "resources/templates/list", "result", { uriTemplate: "a:{b}", name: "a" }, "/resourceTemplates/0", (item) => ({
    resourceTemplates: [item],
  })),
  host("TextResourceContents", "resources/read", "result", { uri: "a:", text: "" }, "/contents/0", (item) => ({ contents: [item] })),
  host("BlobResourceContents", "resources/read", "result", { uri: "a:", blob: "" }, "/contents/0", (item) => ({ contents: [item] })),
  host("Implementation", "initialize", "result", info, "/serverInfo", (item) => ({
    protocolVersion: "2025-06-18",
    capabilities: {},
    serverInfo: item,
  })),
  host("Root", "roots/list", "result", { uri: "file:///a" }, "/roots/0", (item) => ({ roots: [item] })),
  host("ModelPreferences", "sampling/createMessage", "params", {}, "/modelPreferences", (item) => ({
    messages: [],
    maxTokens: 1,
    modelPreferences: item,
  })),
  host("ModelHint", "sampling/createMessage", "params", {}, "/modelPreferences/hints/0", (item) => ({
    messages: [],
    maxTokens: 1,
    modelPreferences: { hints: [item] },
  })),
  ...["tools/call", "prompts/get"].flatMap((method) =>
    [["TextResourceContents", { uri: "a:", text: "" }] as const, ["BlobResourceContents", { uri: "a:", blob: "" }] as const].map(
      ([definition, least]) =>
        method === "tools/call"
          ? host(definition, method, "result", least, "/content/1/resource", (resource) => inContent({ type: "resource", resource }))
          : host(definition, method, "result", least, "/messages/0/content/resource", (resource) =>
              inPrompt({ type: "resource", resource }),
            ),
    ),
  ),
  ...BLOCKS.map(([definition, least]) => host(definition, "tools/call", "result", least, "/content/1", inContent)),
  ...BLOCKS.map(([definition, least]) => host(definition, "prompts/get", "result", least, "/messages/0/content", inPrompt)),
  whole("ListToolsResult", "tools/list", "result", { tools: [] }),
  whole("ListPromptsResult", "prompts/list", "result", { prompts: [] }),
  whole("ListResourcesResult", "resources/list", "result", { resources: [] }),
  whole("ListResourceTemplatesResult", "resources/templates/list", "result", { resourceTemplates: [] }),
  whole("ReadResourceResult", "resources/read", "result", { contents: [] }),
  whole("CallToolResult", "tools/call", "result", { content: [] }),
  whole("GetPromptResult", "prompts/get", "result", { messages: [] }),
  whole("InitializeResult", "initialize", "result", { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: info }),
  whole("CompleteResult", "completion/complete", "result", { completion: { values: [] } }),
  whole("ElicitResult", "elicitation/create", "result", { action: "accept" }),
  whole("CallToolRequestParams", "tools/call", "params", { name: "a" }),
  whole("GetPromptRequestParams", "prompts/get", "params", { name: "a" }),
  whole("PaginatedRequestParams", "tools/list", "params", {}),
  whole("ProgressNotificationParams", "notifications/progress", "params", { progressToken: 0, progress: 1 }),
  whole("LoggingMessageNotificationParams", "notifications/message", "params", { level: "info", data: null }),
  whole("CancelledNotificationParams", "notifications/cancelled", "params", { requestId: 1 }),
];

/** The required lists of each payload: the payload around one, and where it stands. */
const LISTS: readonly (readonly [string, Part, string, (list: unknown) => Wire, Wire])[] = [
  ["tools/list", "result", "/tools", (list) => ({ tools: list }), { name: "a", inputSchema: object }],
  ["prompts/list", "result", "/prompts", (list) => ({ prompts: list }), { name: "a" }],
  ["resources/list", "result", "/resources", (list) => ({ resources: list }), { uri: "a:", name: "a" }],
  [
    "resources/templates/list",
    "result",
    "/resourceTemplates",
    (list) => ({ resourceTemplates: list }),
    { uriTemplate: "a:{b}", name: "a" },
  ],
  ["resources/read", "result", "/contents", (list) => ({ contents: list }), { uri: "a:", text: "" }],
  ["prompts/get", "result", "/messages", (list) => ({ messages: list }), { role: "user", content: text }],
  ["tools/call", "result", "/content", (list) => ({ content: list }), text],
  ["roots/list", "result", "/roots", (list) => ({ roots: list }), { uri: "file:///a" }],
  ["sampling/createMessage", "params", "/messages", (list) => ({ messages: list, maxTokens: 1 }), { role: "user", content: text }],
];

const PAGED: readonly (readonly [string, string])[] = [
  ["tools/list", "tools"],
  ["prompts/list", "prompts"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
];

/** Registers the plays about null. */
export function playNullFields(): void {
  describe("null fields", () => {
    describe.each(ALL)("%s", (from) => {
      const definitions = readDefinitions(from);
      const rows = HOSTS.flatMap((entry) => {
        const isThere = codecOf(from).method(entry.method) !== undefined;
        const declared = propertiesOf(definitions, entry);
        const keys = declared === undefined ? [] : optionalOf(declared);
        return isThere && keys.length > 0 ? [[entry.definition, entry.at, keys, entry] as const] : [];
      });

      it.each(rows)("each optional member of %s at %s is read as absent", (_, pointer, keys, entry) => {
        for (const [key, route] of keys.flatMap((member) => routes(from).map((way) => [member, way] as const))) {
          const given = entry.around({ ...entry.least, [key]: null });
          const { [key]: _given, ...rest } = entry.least;
          const absent = entry.around(rest);
          const [a, b] = [given, absent].map((payload) => pass(route, entry.method, entry.part, completed(from, entry, payload)));
          expect(a?.value, `${key} ${named(route)}`).toEqual(b?.value);
          expect([a?.refusal?.code, a?.refusal?.path], named(route)).toEqual([b?.refusal?.code, b?.refusal?.path]);
          expect(
            told(a?.steps ?? []).filter((step) => step.startsWith(`repair ${pointer}/${key} null-`)),
            named(route),
          ).toHaveLength(1);
        }
      });
    });

    it("there are hundreds of such members", () => {
      const counts = ALL.map(
        (revision) => HOSTS.flatMap((entry) => optionalOf(propertiesOf(readDefinitions(revision), entry) ?? {})).length,
      );
      expect(counts.every((count) => count > 30)).toBe(true);
    });

    play("list-cursor-null", "the last page is the last", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes()) {
        const { value, steps } = deliver(route, "tools/list", "result", said(route.from, result));
        expect(value, named(route)).toEqual(finished(route.to, { tools: result["tools"] }, true));
        expect(told(steps)).toEqual(["repair /nextCursor null-for-absent"]);
      }
    });

    play("list-cursor-empty", "an empty cursor ends the list up to the last handshake revision, and is a cursor after it", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes()) {
        const { value, steps } = deliver(route, "tools/list", "result", said(route.from, result));
        const isKept = route.from === MODERN;
        const { nextCursor, ...rest } = result;
        expect(value, named(route)).toEqual(finished(route.to, isKept ? { ...rest, nextCursor } : rest, true));
        expect(told(steps)).toEqual(isKept ? [] : ["repair /nextCursor empty-cursor-at-the-end"]);
      }
    });

    it.each(PAGED)("an empty cursor of %s, alike; one that is not empty goes through, and one asked with too", (method, list) => {
      for (const route of routes()) {
        const ended = deliver(route, method, "result", said(route.from, { [list]: [], nextCursor: "" }));
        expect(at(ended.value, "/nextCursor"), named(route)).toBe(route.from === MODERN ? "" : undefined);
        for (const cursor of ["0", " ", "null", "a/b=="]) {
          const more = deliver(route, method, "result", said(route.from, { [list]: [], nextCursor: cursor }));
          expect(at(more.value, "/nextCursor"), named(route)).toBe(cursor);
          expect(at(deliver(route, method, "params", asked(route.from, { cursor })).value, "/cursor")).toBe(cursor);
        }
        expect(at(deliver(route, method, "params", asked(route.from, { cursor: "" })).value, "/cursor"), named(route)).toBe("");
      }
    });

    play("list-array-null", "a list that is null is empty", (report) => {
      for (const [index, method, list] of [
        [0, "resources/list", "resources"],
        [1, "tools/list", "tools"],
      ] as const) {
        const result = message(report, "s", index)["result"] as Wire;
        for (const route of routes()) {
          const { value, steps } = deliver(route, method, "result", said(route.from, result));
          expect(value, named(route)).toEqual(finished(route.to, { [list]: [] }, true));
          expect(told(steps)).toEqual([`repair /${list} null-for-empty-list`]);
        }
      }
    });

    it.each(LISTS)("%s %s: %s as null is empty, and a null in it is no entry", (method, part, pointer, around, item) => {
      for (const from of ALL.filter((revision) => codecOf(revision).method(method) !== undefined)) {
        for (const route of routes(from)) {
          const read = (list: unknown): unknown => {
            const { value, refusal } = pass(route, method, part, part === "result" ? said(route.from, around(list)) : around(list));
            return refusal === undefined ? at(value, pointer) : refusal.code;
          };
          expect(read(null), named(route)).toEqual(read([]));
          for (const list of [[null], [null, item], [item, null], [item, null, null, item]]) {
            expect(read(list), named(route)).toEqual(read(list.filter((entry) => entry !== null)));
          }
        }
      }
    });

    play("list-null-entry", "an entry that is null is skipped, and the others are read", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes()) {
        const { value, steps } = deliver(route, "tools/list", "result", said(route.from, result));
        const schema = at(result, "/tools/1/inputSchema") as object;
        expect(at(value, "/tools"), named(route)).toEqual([{ name: "a", inputSchema: { ...schema, type: "object" } }]);
        expect(told(steps)).toEqual(["repair /tools/0 null-list-entry", "repair /tools/1/inputSchema tool-schema-of-no-type"]);
      }
    });

    play("list-annotations-null", "null hints go, false ones stay", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes(["2025-06-18", "2025-11-25", MODERN])) {
        if (route.to === "2024-11-05" && route.policy === "strict") continue;
        const { value } = deliver(route, "tools/list", "result", said(route.from, result));
        expect(at(value, "/tools"), named(route)).toEqual([
          { name: "a", inputSchema: object, annotations: { destructiveHint: false } },
          { name: "b", inputSchema: object },
        ]);
      }
      for (const route of routes("2025-03-26", ["2025-06-18", "2025-11-25", MODERN])) {
        const { value, steps } = deliver(route, "tools/list", "result", result);
        expect(JSON.stringify(value), named(route)).not.toContain("null");
        expect(told(steps).filter((step) => step.startsWith("drop-stray"))).toEqual([
          "drop-stray /tools/0/title",
          "drop-stray /tools/1/_meta",
        ]);
      }
      for (const route of routes("2025-03-26", ["2024-11-05", "2025-03-26"], ["balanced"])) {
        const { value } = deliver(route, "tools/list", "result", result);
        expect(at(value, "/tools/0/annotations"), named(route)).toEqual({ destructiveHint: false });
        expect(at(value, "/tools/1"), named(route)).not.toHaveProperty("description");
      }
    });

    play(
      "result-block-nulls",
      "the nulls of a block and of a result go; a null structured result is data in the newest revision only",
      (report) => {
        const result = message(report, "s")["result"] as Wire;
        for (const route of routes(["2025-06-18", "2025-11-25"])) {
          const { value } = deliver(route, "tools/call", "result", result);
          expect(value, named(route)).toEqual(finished(route.to, { content: [{ type: "text", text: "{}" }] }));
        }
        for (const route of routes(["2024-11-05", "2025-03-26"], ["2025-06-18", "2025-11-25", MODERN])) {
          const { value } = deliver(route, "tools/call", "result", result);
          expect(value, named(route)).toEqual(finished(route.to, { content: [{ type: "text", text: "{}" }] }));
        }
        for (const route of routes(["2024-11-05", "2025-03-26"], ["2024-11-05", "2025-03-26"])) {
          const { value } = deliver(route, "tools/call", "result", result);
          expect(at(value, "/content/0"), named(route)).not.toHaveProperty("annotations");
          expect(Object.keys(value as object)).toEqual(["content"]);
        }
        const modern = deliver({ from: MODERN, to: MODERN, policy: "strict" }, "tools/call", "result", said(MODERN, result)).value;
        expect(modern).toEqual(finished(MODERN, { content: [{ type: "text", text: "{}" }], structuredContent: null }));
      },
    );

    play("content-resource-uri-null", "a resource of no address is its text", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes()) {
        const { value, steps } = deliver(route, "tools/call", "result", said(route.from, result));
        expect(at(value, "/content"), named(route)).toEqual([{ type: "text", text: at(result, "/content/0/resource/text") }]);
        expect(steps.filter((step) => step.action === "repair")).toMatchObject([{ path: "/content/0", loss: "advisory" }]);
      }
      expect(codecOf("2025-06-18", undefined, { tolerant: false }).lift("tools/call", "result", result)).toBe(result);
      expect(faultsOf("2024-11-05", "tools/call", "result", result)?.join()).toMatch(/\/content\/0/);
    });

    it.each([
      ["a blob", { uri: null, mimeType: "image/png", blob: "AAAA" }],
      ["an empty blob", { uri: null, blob: "" }],
      ["nothing", { uri: null }],
    ])("a resource of no address with %s reaches nobody as it is", (_, resource) => {
      for (const route of routes(LEGACY)) {
        const { refusal } = pass(route, "tools/call", "result", { content: [text, { type: "resource", resource }] });
        expect(refusal?.path ?? "/content/1", named(route)).toMatch(/^\/content\/1/);
      }
    });

    it("a key that a revision does not declare keeps its null among its own, and loses it where it is typed", () => {
      for (const [key, since] of [
        ["annotations", "2025-03-26"],
        ["title", "2025-06-18"],
        ["outputSchema", "2025-06-18"],
        ["_meta", "2025-06-18"],
        ["icons", "2025-11-25"],
      ] as const) {
        const result = { tools: [{ name: "a", inputSchema: object, [key]: null }] };
        for (const from of LEGACY.filter((revision) => revision < since)) {
          for (const route of routes(from)) {
            const { value, steps } = deliver(route, "tools/list", "result", result);
            const isTyped = route.to >= since;
            expect(at(value, `/tools/0/${key}`), `${key} ${named(route)}`).toBe(isTyped ? undefined : null);
            expect(told(steps)).toEqual(isTyped ? [`drop-stray /tools/0/${key}`] : []);
          }
        }
      }
    });

    it("null is data in schemas, arguments, log data and vendor's members", () => {
      const schema = { type: "object", properties: { a: { enum: [null, 1], default: null }, b: { const: null } }, "x-null": null };
      const log = { level: "info", data: { deep: [null, { a: null }] } };
      for (const route of routes()) {
        const tools = { tools: [{ name: "a", inputSchema: schema, "x-vendor": null }], "x-page": null };
        expect(at(deliver(route, "tools/list", "result", said(route.from, tools)).value, "/tools"), named(route)).toEqual(tools.tools);
        const call = { name: "a", arguments: { a: null, b: [null] } };
        expect(at(deliver(route, "tools/call", "params", asked(route.from, call)).value, "/arguments"), named(route)).toEqual(
          call.arguments,
        );
        expect(at(deliver(route, "notifications/message", "params", log).value, "/data"), named(route)).toEqual(log.data);
        for (const data of [null, 0, false, ""]) {
          expect(at(deliver(route, "notifications/message", "params", { level: "info", data }).value, "/data")).toBe(data);
        }
      }
    });
  });
}

function completed(from: string, { method, part }: Host, payload: Wire): Wire {
  if (from !== MODERN || codecOf(MODERN).method(method)?.embedded === true) return payload;
  if (part === "result") return said(from, payload);
  return method.startsWith("notifications/") ? payload : asked(from, payload);
}

interface Definition {
  readonly properties?: Readonly<Record<string, Wire>>;
  readonly required?: readonly string[];
}

function readDefinitions(revision: string): Readonly<Record<string, Definition>> {
  const file = new URL(`../../../schemas/mcp/${revision}/schema.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, "utf8")) as { $defs: Record<string, Definition> }).$defs;
}

/** Finds a definition, or the params that stand in the request's own definition at the oldest revisions. */
function propertiesOf(definitions: Readonly<Record<string, Definition>>, { definition }: Host): Definition | undefined {
  if (definitions[definition] !== undefined) return definitions[definition];
  return definitions[definition.replace(/Params$/, "")]?.properties?.["params"];
}

/** Lists the members that may be missing and may not be null; what the eras exchange on every message is no member of its own. */
function optionalOf({ properties = {}, required = [] }: Definition): readonly string[] {
  return Object.keys(properties).filter((key) => !required.includes(key) && !takesNull(properties[key] ?? {}));
}

function takesNull(schema: Wire): boolean {
  const { type, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.some((arm) => isObject(arm) && takesNull(arm));
  if (Array.isArray(type)) return type.includes("null");
  return type === undefined && schema["$ref"] === undefined && schema["enum"] === undefined && schema["const"] === undefined;
}
