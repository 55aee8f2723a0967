// What lowering does to real payloads, case by case: fills up and down, keep, skip, annotate, the named fallbacks, strangers and strays, refusals,
// per-hop keys, and own keys named __proto__. The properties speak of all values; these say what is right.
import { describe, expect, it } from "vitest";
import { isLowerError, TranslationReport, type Codec, type Hop, type LowerError } from "../../runtime/index.js";
import { CapabilitySet, codecFor, DegradePolicy, Feature, resolve, type Revision } from "../../runtime/mcp.js";

async function peer(revision: Revision, hop?: Hop): Promise<Codec> {
  return codecFor(revision as string, CapabilitySet.allFor(revision).resolve(revision, "stdio"), hop);
}

function lower(
  codec: Codec,
  method: string,
  part: "params" | "result",
  value: unknown,
  policy = DegradePolicy.strict(),
): { value: unknown; report: TranslationReport } {
  const report = new TranslationReport();
  return { value: codec.lower(method, part, value, policy, report), report };
}

/** Lists what a report says, step by step: what was done, where, and what it cost. */
function told({ steps }: TranslationReport): readonly string[] {
  return steps.map(({ feature, action, path, loss }) => `${feature ?? "-"} ${action} ${path} ${loss}`);
}

function refusal(run: () => unknown): LowerError {
  try {
    run();
  } catch (error) {
    if (isLowerError(error)) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const text = { type: "text", text: "21 degrees" };
const audio = { type: "audio", data: "UklGRg==", mimeType: "audio/wav" };
const link = { type: "resource_link", uri: "file:///log.txt", name: "log", description: "the log" };

describe("fills", () => {
  const modern = { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [] };
  const legacy = { tools: [] };

  it("what the newest revision requires is written on the way to it", async () => {
    const { value, report } = lower(await peer("2026-07-28"), "tools/list", "result", legacy);
    expect(value).toEqual(modern);
    expect(report.isLossless).toBe(true);
    expect(report.steps.map(({ action, path, feature }) => [action, path, feature])).toEqual([
      ["fill", "/cacheScope", "caching"],
      ["fill", "/resultType", "results.result-type"],
      ["fill", "/ttlMs", "caching"],
    ]);
  });

  it("what equals a fill is left out on the way down, and that is no loss even under strict", async () => {
    const { value, report } = lower(await peer("2024-11-05"), "tools/list", "result", modern);
    expect(value).toEqual(legacy);
    expect(report.isLossless).toBe(true);
    expect(report.isEmpty).toBe(false);
  });

  it("what differs from a fill is a loss: refused by strict, dropped and reported by balanced", async () => {
    const codec = await peer("2025-11-25");
    const cached = { ...modern, ttlMs: 5000 };
    expect(refusal(() => lower(codec, "tools/list", "result", cached))).toMatchObject({
      code: "feature-unavailable",
      feature: "caching",
      path: "/ttlMs",
      condition: "revision",
    });
    const { value, report } = lower(codec, "tools/list", "result", cached, DegradePolicy.balanced());
    expect(value).toEqual(legacy);
    expect(report.isLossless).toBe(false);
  });

  it("missing content becomes an empty list", async () => {
    expect(lower(await peer("2025-06-18"), "tools/call", "result", { isError: true }).value).toEqual({ isError: true, content: [] });
  });

  it("absent params become the envelope the newest revision wants on every request", async () => {
    const hop = { clientInfo: { name: "bridge", version: "1" }, clientCapabilities: { sampling: {} } };
    const { value } = lower(await peer("2026-07-28", hop), "tools/list", "params", undefined);
    expect(value).toEqual({
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": hop.clientInfo,
        "io.modelcontextprotocol/clientCapabilities": hop.clientCapabilities,
      },
    });
  });

  it("a url elicitation without id gets one where the revision wants it, a fresh one each time", async () => {
    const codec = await peer("2025-11-25");
    const ask = { mode: "url", message: "sign in", url: "https://example.com" };
    const ids = [1, 2].map(() => (lower(codec, "elicitation/create", "params", ask).value as { elicitationId: string }).elicitationId);
    expect(new Set(ids).size).toBe(2);
  });
});

describe("per-hop keys", () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    "io.modelcontextprotocol/clientInfo": { name: "theirs", version: "9" },
    "io.modelcontextprotocol/logLevel": "debug",
  };

  it("never reach a peer of the other era, and an emptied _meta goes with them", async () => {
    const params = { name: "weather", _meta: meta };
    expect(lower(await peer("2025-11-25"), "tools/call", "params", params).value).toEqual({ name: "weather" });
  });

  it("leave a _meta that was empty before where it is", async () => {
    const params = { name: "weather", _meta: {} };
    expect(lower(await peer("2025-11-25"), "tools/call", "params", params).value).toBe(params);
  });

  it("leave what is end to end where it is", async () => {
    const params = { name: "weather", _meta: { ...meta, progressToken: 7, traceparent: "00-1-1-01" } };
    expect(lower(await peer("2025-06-18"), "tools/call", "params", params).value).toEqual({
      name: "weather",
      _meta: { progressToken: 7, traceparent: "00-1-1-01" },
    });
  });

  it("of the codec's own hop win over the peer's", async () => {
    const hop = { clientInfo: { name: "ours", version: "1" }, clientCapabilities: {}, logLevel: "error" };
    const { value } = lower(await peer("2026-07-28", hop), "tools/call", "params", {
      name: "weather",
      _meta: { ...meta, "io.modelcontextprotocol/protocolVersion": "forged" },
    });
    expect(value).toEqual({
      name: "weather",
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": hop.clientInfo,
        "io.modelcontextprotocol/logLevel": "error",
      },
    });
  });
});

describe("content blocks", () => {
  it("audio becomes an embedded blob at the revision without audio, with the same bytes", async () => {
    const { value, report } = lower(await peer("2024-11-05"), "tools/call", "result", { content: [text, audio] }, DegradePolicy.balanced());
    expect(value).toEqual({
      content: [text, { type: "resource", resource: { uri: "polyrev:audio/1", mimeType: "audio/wav", blob: audio.data } }],
    });
    expect(report.steps).toEqual([{ feature: "content.audio", action: "embedded-resource", path: "/content/1", loss: "none" }]);
  });

  it("a stand-in is lowered in turn: what it carries may be too new as well", async () => {
    const noted = { ...audio, annotations: { priority: 1, lastModified: "2025-01-01" }, _meta: { a: 1 } };
    const policy = DegradePolicy.balanced().with(Feature.ContentAnnotationsLastModified, "skip").with(Feature.MetaOnDataTypes, "skip");
    const { value } = lower(await peer("2024-11-05"), "tools/call", "result", { content: [noted] }, policy);
    expect(value).toEqual({
      content: [
        { type: "resource", annotations: { priority: 1 }, resource: { uri: "polyrev:audio/0", mimeType: "audio/wav", blob: audio.data } },
      ],
    });
  });

  it("a resource link becomes text, and the original stays readable under _meta", async () => {
    const { value, report } = lower(await peer("2025-03-26"), "tools/call", "result", { content: [link] }, DegradePolicy.balanced());
    expect(value).toEqual({
      content: [{ type: "text", text: "[resource] log file:///log.txt\nthe log" }],
      _meta: { "polyrev/degraded": [{ feature: "content.resource-link", action: "resource-text", path: "/content/0", original: link }] },
    });
    expect(report.steps.map((step) => step.loss)).toEqual(["advisory"]);
  });

  it("skip drops a block from its list, annotate says so", async () => {
    const codec24 = await peer("2024-11-05");
    const skip = DegradePolicy.strict().with(Feature.ContentAudio, "skip");
    expect(lower(codec24, "tools/call", "result", { content: [audio, text] }, skip).value).toEqual({ content: [text] });
    const annotate = DegradePolicy.strict().with(Feature.ContentAudio, "annotate");
    expect(lower(codec24, "tools/call", "result", { content: [audio, text] }, annotate).value).toEqual({
      content: [text],
      _meta: { "polyrev/degraded": [{ feature: "content.audio", action: "annotate", path: "/content/0" }] },
    });
  });

  it("a block that is the whole of a message cannot be dropped: that is refused, whatever the policy", async () => {
    const skip = DegradePolicy.strict().with(Feature.ContentAudio, "skip");
    const codec24 = await peer("2024-11-05");
    const error = refusal(() => lower(codec24, "prompts/get", "result", { messages: [{ role: "user", content: audio }] }, skip));
    expect(error).toMatchObject({ code: "field-not-representable", path: "/messages/0/content" });
  });
});

describe("structured content", () => {
  const weather = { temperature: 22.5 };

  it("stays where no revision minds it, and where there is no text it becomes one as well", async () => {
    const { value, report } = lower(
      await peer("2025-03-26"),
      "tools/call",
      "result",
      { content: [], structuredContent: weather },
      DegradePolicy.balanced(),
    );
    expect(value).toEqual({ content: [{ type: "text", text: '{"temperature":22.5}' }], structuredContent: weather });
    expect(told(report)).toEqual(["tools.structured-output wrap-result /structuredContent none"]);
  });

  it("beside a text needs nothing under balanced, and nothing is reported", async () => {
    const result = { content: [text], structuredContent: weather };
    const { value, report } = lower(await peer("2024-11-05"), "tools/call", "result", result, DegradePolicy.balanced());
    expect(value).toEqual(result);
    expect(report.isEmpty).toBe(true);
  });

  it("becomes a text block in its place where the policy says so", async () => {
    const { value, report } = lower(
      await peer("2025-03-26"),
      "tools/call",
      "result",
      { content: [text], structuredContent: weather },
      DegradePolicy.strict().with(Feature.ToolsStructuredOutput, "text-block"),
    );
    expect(value).toEqual({ content: [text, { type: "text", text: '{"temperature":22.5}' }] });
    expect(told(report)).toEqual(["tools.structured-output text-block /structuredContent advisory"]);
  });

  it("that is no object is refused by strict at a revision that has only objects, with the row that widened it", async () => {
    const error = refusal(() => lower(codec, "tools/call", "result", { content: [], structuredContent: [1, 2] }));
    expect(error).toMatchObject({ code: "field-not-representable", feature: "tools.any-json-schema", path: "/structuredContent" });
  });

  it.each([
    ["a list", [1, 2], "[1,2]"],
    ["a text", "warm", '"warm"'],
    ["null", null, "null"],
  ])("that is %s is the member of an object there under balanced, and a text block", async (_, structuredContent, said) => {
    const { value, report } = lower(codec, "tools/call", "result", { content: [], structuredContent }, DegradePolicy.balanced());
    expect(value).toEqual({ content: [{ type: "text", text: said }], structuredContent: { result: structuredContent } });
    expect(told(report)).toEqual(["tools.any-json-schema wrap-result /structuredContent advisory"]);
  });

  it("of a tool's result in a sampling message is wrapped as well", async () => {
    const block = { type: "tool_result", toolUseId: "1", content: [text], structuredContent: [1] };
    const messages = [{ role: "user", content: [block] }];
    const { value } = lower(
      await peer("2025-11-25"),
      "sampling/createMessage",
      "params",
      { maxTokens: 1, messages },
      DegradePolicy.balanced(),
    );
    expect(value).toEqual({ maxTokens: 1, messages: [{ role: "user", content: [{ ...block, structuredContent: { result: [1] } }] }] });
  });

  it("kept where the policy keeps it is the same object, and nothing is reported", async () => {
    const result = { content: [text], structuredContent: weather };
    const { value, report } = lower(
      await peer("2024-11-05"),
      "tools/call",
      "result",
      result,
      DegradePolicy.strict().with(Feature.ToolsStructuredOutput, "keep"),
    );
    expect(value).toBe(result);
    expect(report.isEmpty).toBe(true);
  });
});

describe("blocks of a type no revision knows", () => {
  const hologram = { type: "hologram", text: "a ship", depth: 3 };
  const given = { content: [text, hologram, { type: "text", text: "2" }] };

  it("are refused by strict, with the path and what may stand there", () => {
    const error = refusal(() => lower(codec, "tools/call", "result", given));
    expect(error).toMatchObject({ code: "field-not-representable", path: "/content/1" });
    expect(error.message).toContain(
      '2025-06-18 takes AudioContent or EmbeddedResource or ImageContent or ResourceLink or TextContent here, found an object of type "hologram"',
    );
  });

  it.each([
    ["balanced", DegradePolicy.balanced()],
    ["permissive", DegradePolicy.permissive()],
    ["the order", DegradePolicy.strict().withUnknown("ContentBlock", "unknown-text")],
  ])("become text under %s, with the original noted", (_, policy) => {
    const { value, report } = lower(codec, "tools/call", "result", given, policy);
    expect(value).toEqual({
      content: [text, { type: "text", text: "a ship" }, { type: "text", text: "2" }],
      _meta: { "polyrev/degraded": [{ feature: null, action: "unknown-text", path: "/content/1", original: hologram }] },
    });
    expect(told(report)).toEqual(["- unknown-text /content/1 advisory"]);
  });

  it("are left out under skip, and annotate says so", () => {
    const skipped = lower(codec, "tools/call", "result", given, DegradePolicy.strict().withUnknown("ContentBlock", "skip"));
    expect(skipped.value).toEqual({ content: [text, { type: "text", text: "2" }] });
    expect(told(skipped.report)).toEqual(["- skip /content/1 content"]);
    const annotated = lower(codec, "tools/call", "result", given, DegradePolicy.strict().withUnknown("ContentBlock", "annotate"));
    expect(annotated.value).toEqual({
      content: [text, { type: "text", text: "2" }],
      _meta: { "polyrev/degraded": [{ feature: null, action: "annotate", path: "/content/1" }] },
    });
  });

  it.each([{ kind: "hologram" }, { type: 7 }, "hologram", null, []])("are not what %j is, which every policy refuses", (block) => {
    for (const policy of [DegradePolicy.permissive(), DegradePolicy.strict().withUnknown("ContentBlock", "skip")]) {
      const error = refusal(() => lower(codec, "tools/call", "result", { content: [text, block] }, policy));
      expect(error).toMatchObject({ code: "field-not-representable", path: "/content/1" });
    }
  });

  it("are refused under skip where they are all of a message", () => {
    const policy = DegradePolicy.strict().withUnknown("ContentBlock", "skip");
    const error = refusal(() => lower(codec, "prompts/get", "result", { messages: [{ role: "user", content: hologram }] }, policy));
    expect(error).toMatchObject({ code: "field-not-representable", path: "/messages/0/content" });
  });

  it("stand in a sampling message under the union of its own", async () => {
    const messages = [{ role: "user", content: [hologram] }];
    const peer25 = await peer("2025-11-25");
    const policy = DegradePolicy.strict().withUnknown("SamplingMessageContentBlock", "unknown-text");
    const { value } = lower(peer25, "sampling/createMessage", "params", { maxTokens: 1, messages }, policy);
    expect(value).toMatchObject({ messages: [{ role: "user", content: [{ type: "text", text: "a ship" }] }] });
    const other = DegradePolicy.strict().withUnknown("ContentBlock", "unknown-text");
    expect(refusal(() => lower(peer25, "sampling/createMessage", "params", { maxTokens: 1, messages }, other)).path).toBe(
      "/messages/0/content/0",
    );
  });
});

describe("what only shares its name with a later field", () => {
  const tools = [{ name: "a", title: 5, inputSchema: { type: "object" } }];

  it("is the peer's own, and stays for a peer that gives the name no meaning either", async () => {
    for (const revision of ["2024-11-05", "2025-03-26"] as const) {
      const old = await peer(revision);
      const given = { tools };
      const { value, report } = lower(old, "tools/list", "result", old.lift("tools/list", "result", given));
      expect(value).toBe(given);
      expect(report.isEmpty).toBe(true);
    }
  });

  it.each([
    ["strict", DegradePolicy.strict()],
    ["balanced", DegradePolicy.balanced()],
    ["permissive", DegradePolicy.permissive()],
  ])("never reaches one that does, and is reported, under %s", (_, policy) => {
    const { value, report } = lower(codec, "tools/list", "result", { tools }, policy);
    expect(value).toEqual({ tools: [{ name: "a", inputSchema: { type: "object" } }] });
    expect(report.steps).toEqual([{ feature: null, action: "drop-stray", path: "/tools/0/title", loss: "content" }]);
  });

  it("goes alone: what is the field stays beside it", () => {
    const given = { tools: [...tools, { name: "b", title: "B", inputSchema: { type: "object" }, outputSchema: [] }] };
    const { value, report } = lower(codec, "tools/list", "result", given);
    expect(value).toEqual({
      tools: [
        { name: "a", inputSchema: { type: "object" } },
        { name: "b", title: "B", inputSchema: { type: "object" } },
      ],
    });
    expect(told(report)).toEqual(["- drop-stray /tools/0/title content", "- drop-stray /tools/1/outputSchema content"]);
  });
});

describe("tool schemas for legacy peers", () => {
  const tool = { name: "a", inputSchema: { type: "object" } };
  const listed = (more: object) => ({ tools: [{ ...tool, ...more }] });

  it("have objects for boolean subschemas, and that is no loss", async () => {
    const given = listed({ inputSchema: { type: "object", properties: { x: true, y: false, z: { items: true } } } });
    for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const) {
      const { value, report } = lower(await peer(revision), "tools/list", "result", given, DegradePolicy.balanced());
      expect(value).toEqual(listed({ inputSchema: { type: "object", properties: { x: {}, y: { not: {} }, z: { items: true } } } }));
      expect(told(report)).toEqual(["tools.any-json-schema repair-schema /tools/0/inputSchema none"]);
    }
    expect(refusal(() => lower(codec, "tools/list", "result", given))).toMatchObject({
      path: "/tools/0/inputSchema",
      feature: "tools.any-json-schema",
    });
  });

  it("describe the member of an object where they describe none, and references follow", () => {
    const given = listed({ outputSchema: { type: "array", items: { $ref: "#/$defs/Row" }, $defs: { Row: { type: "string" } } } });
    const { value, report } = lower(codec, "tools/list", "result", given, DegradePolicy.balanced());
    expect(value).toEqual(
      listed({
        outputSchema: {
          type: "object",
          properties: { result: { type: "array", items: { $ref: "#/properties/result/$defs/Row" }, $defs: { Row: { type: "string" } } } },
          required: ["result"],
        },
      }),
    );
    expect(told(report)).toEqual(["tools.any-json-schema wrap-schema /tools/0/outputSchema advisory"]);
    expect(refusal(() => lower(codec, "tools/list", "result", given))).toMatchObject({
      path: "/tools/0/outputSchema",
      feature: "tools.any-json-schema",
    });
  });

  it("go where they describe objects and others", () => {
    const given = listed({ outputSchema: { anyOf: [{ type: "object" }, { type: "null" }] } });
    const { value, report } = lower(codec, "tools/list", "result", given, DegradePolicy.balanced());
    expect(value).toEqual(listed({}));
    expect(told(report)).toEqual(["tools.any-json-schema wrap-schema /tools/0/outputSchema advisory"]);
  });

  it("that fit are the same objects, and nothing is reported", () => {
    const given = listed({ outputSchema: { type: "object", properties: { a: { type: "string" } } } });
    const { value, report } = lower(codec, "tools/list", "result", given, DegradePolicy.balanced());
    expect(value).toBe(given);
    expect(report.isEmpty).toBe(true);
  });
});

describe("titles and icons", () => {
  const inputSchema = { type: "object" };

  it("a tool's title is its annotations' title as well, where a client without titles looks and the policy says so", async () => {
    const policy = DegradePolicy.strict().with(Feature.MetadataTitle, "annotations-title");
    const tools = [
      { name: "a", title: "A", inputSchema },
      { name: "b", title: "B", annotations: { readOnlyHint: true }, inputSchema },
      { name: "c", title: "C", annotations: { title: "Old" }, inputSchema },
      { name: "d", inputSchema },
    ];
    const { value, report } = lower(await peer("2025-03-26"), "tools/list", "result", { tools }, policy);
    expect(value).toEqual({
      tools: [
        { name: "a", title: "A", annotations: { title: "A" }, inputSchema },
        { name: "b", title: "B", annotations: { readOnlyHint: true, title: "B" }, inputSchema },
        tools[2],
        tools[3],
      ],
    });
    expect(told(report)).toEqual([
      "metadata.title annotations-title /tools/0/title none",
      "metadata.title annotations-title /tools/1/title none",
    ]);
  });

  it("a resource's title takes the name's place where the policy says so, and nobody else's does", async () => {
    const march = await peer("2025-03-26");
    const policy = DegradePolicy.strict().with(Feature.MetadataTitle, "title-as-name");
    const resources = [
      { uri: "u:1", name: "log", title: "The log" },
      { uri: "u:2", name: "raw" },
    ];
    const { value, report } = lower(march, "resources/list", "result", { resources }, policy);
    expect(value).toEqual({ resources: [{ uri: "u:1", name: "The log" }, resources[1]] });
    expect(told(report)).toEqual(["metadata.title title-as-name /resources/0/title advisory"]);
    const prompts = [{ name: "p", title: "The prompt" }];
    expect(refusal(() => lower(march, "prompts/list", "result", { prompts }, policy)).path).toBe("/prompts/0/title");
  });

  it("icons that carry too much in their address go, the others stay", () => {
    const heavy = { src: `data:image/png;base64,${"A".repeat(5000)}` };
    const linked = { src: "https://example.com/a.png" };
    const tools = [
      { name: "a", inputSchema, icons: [heavy, linked, { src: "data:,a" }] },
      { name: "b", inputSchema, icons: [heavy] },
      { name: "c", inputSchema, icons: [linked] },
    ];
    const { value, report } = lower(codec, "tools/list", "result", { tools }, DegradePolicy.balanced());
    expect(value).toEqual({
      tools: [{ name: "a", inputSchema, icons: [linked, { src: "data:,a" }] }, { name: "b", inputSchema }, tools[2]],
    });
    expect(told(report)).toEqual([
      "metadata.icons light-icons /tools/0/icons advisory",
      "metadata.icons light-icons /tools/1/icons advisory",
    ]);
  });

  it("light icons are the same object, and nothing is reported", () => {
    const given = { tools: [{ name: "c", inputSchema, icons: [{ src: "https://example.com/a.png" }] }] };
    const { value, report } = lower(codec, "tools/list", "result", given, DegradePolicy.balanced());
    expect(value).toBe(given);
    expect(report.isEmpty).toBe(true);
  });
});

describe("forms for the first revision that has them", () => {
  const form = (properties: object) => ({ message: "?", requestedSchema: { type: "object", properties } });
  const choice = {
    type: "string",
    oneOf: [
      { const: "s", title: "Small" },
      { const: "l", title: "Large" },
    ],
  };

  it("a choice with titles is an enum with names, and that is no loss", () => {
    const { value, report } = lower(codec, "elicitation/create", "params", form({ size: choice }), DegradePolicy.balanced());
    expect(value).toEqual(form({ size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"] } }));
    expect(told(report)).toEqual(["elicitation.enum-standard enum-names /requestedSchema/properties/size none"]);
    expect(refusal(() => lower(codec, "elicitation/create", "params", form({ size: choice })))).toMatchObject({
      code: "feature-unavailable",
      feature: "elicitation.enum-standard",
      path: "/requestedSchema/properties/size",
    });
  });

  it("a default is told in the description where the policy says so, in what stands in for a choice as well", () => {
    const policy = DegradePolicy.balanced().with(Feature.ElicitationDefaults, "default-note");
    const given = form({
      name: { type: "string", description: "Who asks.", default: "me" },
      age: { type: "integer", default: 3 },
      size: { ...choice, default: "s" },
      sure: { type: "boolean", default: true },
    });
    const { value, report } = lower(codec, "elicitation/create", "params", given, policy);
    expect(value).toEqual(
      form({
        name: { type: "string", description: "Who asks. (default: me)" },
        age: { type: "integer", description: "(default: 3)" },
        size: { type: "string", enum: ["s", "l"], enumNames: ["Small", "Large"], description: "(default: s)" },
        sure: { type: "boolean", default: true },
      }),
    );
    expect(told(report)).toEqual([
      "elicitation.defaults default-note /requestedSchema/properties/name/default advisory",
      "elicitation.defaults default-note /requestedSchema/properties/age/default advisory",
      "elicitation.enum-standard enum-names /requestedSchema/properties/size none",
      "elicitation.defaults default-note /requestedSchema/properties/size/default advisory",
    ]);
  });

  it("an answer of several choices is refused, whatever the policy", () => {
    const many = { type: "array", items: { type: "string", enum: ["s", "l"] } };
    expect(refusal(() => lower(codec, "elicitation/create", "params", form({ many }), DegradePolicy.permissive()))).toMatchObject({
      feature: "elicitation.enum-multi-select",
      path: "/requestedSchema/properties/many",
    });
  });
});

describe("sampling messages of several blocks", () => {
  const image = { type: "image", data: "AA==", mimeType: "image/png" };
  const ask = (...messages: readonly object[]) => ({ maxTokens: 1, messages });
  const method = "sampling/createMessage";

  it("become consecutive messages of the same role, in order, each with the other fields", () => {
    const given = ask(
      { role: "user", content: [text, image], vendor: 1 },
      { role: "assistant", content: text },
      { role: "assistant", content: [image] },
    );
    const { value, report } = lower(codec, method, "params", given, DegradePolicy.balanced());
    expect(value).toEqual(
      ask(
        { role: "user", content: text, vendor: 1 },
        { role: "user", content: image, vendor: 1 },
        { role: "assistant", content: text },
        { role: "assistant", content: image },
      ),
    );
    expect(told(report)).toEqual([
      "sampling.content-arrays split-message /messages/0/content none",
      "sampling.content-arrays split-message /messages/2/content none",
    ]);
  });

  it("become one message with an empty text where there is no block", () => {
    const { value } = lower(codec, method, "params", ask({ role: "user", content: [] }), DegradePolicy.balanced());
    expect(value).toEqual(ask({ role: "user", content: { type: "text", text: "" } }));
  });

  it("are refused by strict, with the list's own path", () => {
    expect(refusal(() => lower(codec, method, "params", ask({ role: "user", content: [text] })))).toMatchObject({
      feature: "sampling.content-arrays",
      path: "/messages/0/content",
    });
  });

  it("with sound in them keep it as text where neither is known, under permissive only", async () => {
    const old = await peer("2024-11-05");
    const given = ask({ role: "user", content: [text, audio] }, { role: "user", content: audio });
    const { value, report } = lower(old, method, "params", given, DegradePolicy.permissive());
    const sound = { type: "text", text: "[audio] audio/wav, 4 bytes" };
    expect(value).toEqual(ask({ role: "user", content: text }, { role: "user", content: sound }, { role: "user", content: sound }));
    expect(told(report)).toEqual([
      "sampling.content-arrays split-message /messages/0/content none",
      "content.audio audio-text /messages/0/content content",
      "content.audio audio-text /messages/1/content content",
    ]);
    expect(refusal(() => lower(old, method, "params", given, DegradePolicy.balanced())).feature).toBe("content.audio");
  });

  it("with the use of a tool in them are refused, whatever the policy", () => {
    const given = ask({ role: "assistant", content: [text, { type: "tool_use", id: "1", name: "a", input: {} }] });
    expect(refusal(() => lower(codec, method, "params", given, DegradePolicy.permissive())).feature).toBe("sampling.tools");
  });

  it("leave a request of single blocks the same object", () => {
    const given = ask({ role: "user", content: text }, { role: "assistant", content: image });
    expect(lower(codec, method, "params", given, DegradePolicy.balanced()).value).toBe(given);
  });
});

describe("a sampled answer of several blocks", () => {
  const image = { type: "image", data: "AA==", mimeType: "image/png" };
  const answer = (content: unknown) => ({ model: "m", role: "assistant", content });
  const method = "sampling/createMessage";

  it.each([
    ["one block is taken out of its list", [image], image],
    ["texts are joined with blank lines", [text, { type: "text", text: "2" }], { type: "text", text: "21 degrees\n\n2" }],
    ["none is an empty text", [], { type: "text", text: "" }],
  ])("%s", (_, given, want) => {
    const { value, report } = lower(codec, method, "result", answer(given), DegradePolicy.balanced());
    expect(value).toEqual(answer(want));
    expect(told(report)).toEqual(["sampling.content-arrays join-text /content advisory"]);
  });

  it("texts and others are refused, whatever the policy", () => {
    const error = refusal(() => lower(codec, method, "result", answer([text, image]), DegradePolicy.permissive()));
    expect(error).toMatchObject({ feature: "sampling.content-arrays", path: "/content" });
  });

  it("is refused by strict", () => {
    expect(refusal(() => lower(codec, method, "result", answer([text]))).feature).toBe("sampling.content-arrays");
  });

  it("is lowered in turn", async () => {
    const { value } = lower(await peer("2024-11-05"), method, "result", answer([audio]), DegradePolicy.permissive());
    expect(value).toEqual(answer({ type: "text", text: "[audio] audio/wav, 4 bytes" }));
  });
});

describe("the context of a sampling request", () => {
  const ask = (includeContext: string) => ({ maxTokens: 1, messages: [], includeContext });
  const method = "sampling/createMessage";
  const client = (capabilities: object): Promise<Codec> =>
    codecFor("2025-11-25" as string, resolve({ revision: "2025-11-25", client: capabilities, server: {}, transport: "stdio" }));

  it.each(["thisServer", "allServers"])("%s is none for a client that did not say it honours it", async (context) => {
    const plain = await client({ sampling: {} });
    const { value, report } = lower(plain, method, "params", ask(context), DegradePolicy.balanced());
    expect(value).toEqual(ask("none"));
    expect(told(report)).toEqual(["sampling.context-capability context-none /includeContext advisory"]);
    expect(refusal(() => lower(plain, method, "params", ask(context)))).toMatchObject({
      feature: "sampling.context-capability",
      condition: "capability",
      missing: { side: "client", flag: "sampling.context" },
      path: "/includeContext",
    });
  });

  it("none, or none at all, is nobody's business", async () => {
    const plain = await client({ sampling: {} });
    for (const given of [ask("none"), { maxTokens: 1, messages: [] }]) expect(lower(plain, method, "params", given).value).toBe(given);
  });

  it("passes to a client that said so, and at revisions where nobody could", async () => {
    const given = ask("thisServer");
    expect(lower(await client({ sampling: { context: {} } }), method, "params", given).value).toBe(given);
    expect(lower(codec, method, "params", given).value).toBe(given);
    expect(lower(await peer("2024-11-05"), method, "params", given).value).toBe(given);
  });
});

describe("completion values", () => {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `v${index}`);
  const result = (completion: object) => ({ resultType: "complete", completion });

  it("past the hundredth are left out at the revision that counts them, and the result says that there are more", () => {
    const given = result({ values: values(101), hasMore: false, total: 101 });
    const { value, report } = lower(codec26, "completion/complete", "result", given, DegradePolicy.balanced());
    expect(value).toEqual(result({ values: values(100), hasMore: true, total: 101 }));
    expect(told(report)).toEqual(["completion.max-values truncate /completion/values advisory"]);
    expect(refusal(() => lower(codec26, "completion/complete", "result", given))).toMatchObject({
      feature: "completion.max-values",
      path: "/completion/values",
    });
  });

  it("up to the hundredth are the same object", () => {
    const given = result({ values: values(100) });
    expect(lower(codec26, "completion/complete", "result", given, DegradePolicy.balanced()).value).toBe(given);
  });

  it("pass at revisions that only ask for few", () => {
    const given = { completion: { values: values(101) } };
    expect(lower(codec, "completion/complete", "result", given).value).toBe(given);
  });
});

describe("an order for one feature", () => {
  it("brings in nothing of another feature that the peer lacks and the policy leaves out", async () => {
    const policy = DegradePolicy.balanced().with(Feature.ToolsAnnotations, "skip");
    const tools = [{ name: "a", title: "A", annotations: { readOnlyHint: true }, inputSchema: { type: "object" } }];
    const { value } = lower(await peer("2024-11-05"), "tools/list", "result", { tools }, policy);
    expect((value as { tools: object[] }).tools[0]).not.toHaveProperty("annotations");
  });
});

describe("refusals", () => {
  it("name the feature, the path, the condition and the cite, and leave the report empty", async () => {
    const report = new TranslationReport();
    const codec24 = await peer("2024-11-05");
    const error = refusal(() =>
      codec24.lower("tools/call", "result", { content: [text, audio], structuredContent: {} }, undefined, report),
    );
    expect(error.message).toBe("cannot lower /content/1: content.audio is not in 2024-11-05: it came with 2025-03-26 (2025-03-26 other 2)");
    expect(report.isEmpty).toBe(true);
  });

  it("name the missing capability where the revision has the feature", async () => {
    const profile = resolve({ revision: "2025-11-25", client: { sampling: {} }, server: {}, transport: "stdio" });
    const sampling = await codecFor("2025-11-25", profile);
    const error = refusal(() => sampling.lower("sampling/createMessage", "params", { maxTokens: 1, messages: [], tools: [] }));
    expect(error).toMatchObject({
      feature: "sampling.tools",
      condition: "capability",
      missing: { side: "client", flag: "sampling.tools" },
      path: "/tools",
    });
  });

  it("of a removed method cite the removal", async () => {
    const error = refusal(() => codec26.lower("ping", "params", undefined));
    expect(error).toMatchObject({
      feature: "lifecycle.ping",
      condition: "revision",
      cite: { revision: "2026-07-28", section: "major", ordinal: 5 },
    });
  });

  it("an elicitation that only opens URLs is not sent as a form, and an empty capability means forms", async () => {
    const ask = (client: object) => codecFor("2025-11-25", resolve({ revision: "2025-11-25", client, server: {}, transport: "stdio" }));
    const form = { mode: "form" as const, message: "name?", requestedSchema: { type: "object" as const, properties: {} } };
    const url = { mode: "url" as const, message: "sign in", url: "https://example.com", elicitationId: "1" };
    expect((await ask({ elicitation: {} })).lower("elicitation/create", "params", form)).toBe(form);
    const formOnly = await ask({ elicitation: {} });
    expect(refusal(() => formOnly.lower("elicitation/create", "params", url))).toMatchObject({
      feature: "elicitation.url",
      missing: { side: "client", flag: "elicitation.url" },
    });
  });

  it("a form goes to no client that only opens URLs, whether it says that it is a form or not", async () => {
    const client = { elicitation: { url: {} } };
    const urlOnly: Codec = await codecFor(
      "2025-11-25" as string,
      resolve({ revision: "2025-11-25", client, server: {}, transport: "stdio" }),
    );
    const form = { message: "name?", requestedSchema: { type: "object", properties: {} } };
    for (const given of [form, { ...form, mode: "form" }]) {
      expect(refusal(() => lower(urlOnly, "elicitation/create", "params", given, DegradePolicy.permissive()))).toMatchObject({
        feature: "elicitation.mode",
        condition: "capability",
        missing: { side: "client", flag: "elicitation.form" },
      });
    }
    expect(lower(codec, "elicitation/create", "params", form).value).toBe(form);
  });

  it("a method no revision knows is passed as it is", async () => {
    const params = { anything: 1 };
    expect(codec26.lower("vendor/method", "params", params)).toBe(params);
    expect(codec26.lift("vendor/method", "params", params)).toBe(params);
  });

  it("asking for the result of a notification is a LowerError", () => {
    expect(refusal(() => codec26.lower("notifications/cancelled", "result", {})).message).toContain("has no result");
  });
});

describe("hostile keys", () => {
  const own = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":2}') as object;

  it("are data on every path that copies", async () => {
    const result = { ...own, resultType: "complete", content: [{ ...own, ...audio }], structuredContent: own };
    const { value } = lower(await peer("2024-11-05"), "tools/call", "result", result, DegradePolicy.permissive());
    const parsed = JSON.stringify(value);
    expect(parsed).toContain('"__proto__":{"polluted":true}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect((value as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("survive in maps that lowering rewrites", async () => {
    const properties = JSON.parse('{"__proto__":{"type":"string","default":"x"},"plain":{"type":"boolean"}}') as object;
    const ask = { message: "?", requestedSchema: { type: "object", properties } };
    const { value } = lower(
      await peer("2025-06-18"),
      "elicitation/create",
      "params",
      ask,
      DegradePolicy.strict().with(Feature.ElicitationDefaults, "skip"),
    );
    expect(JSON.stringify(value)).toContain('"properties":{"__proto__":{"type":"string"},"plain":{"type":"boolean"}}');
  });

  it("are no methods", () => {
    for (const method of ["toString", "constructor", "__proto__"]) {
      expect(codec26.method(method)).toBeUndefined();
      expect(codec26.lower(method, "params", own)).toBe(own);
    }
  });
});

const codec = await peer("2025-06-18");
const codec26 = await peer("2026-07-28");
