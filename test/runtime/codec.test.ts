// What lowering does to real payloads, case by case: fills up and down, keep, skip, annotate, the named fallbacks, refusals, per-hop keys,
// and own keys named __proto__. The properties speak of all values; these say what is right.
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

  it("a block of a type nobody knows is never passed on unseen", async () => {
    const error = refusal(() => lower(codec, "tools/call", "result", { content: [text, { type: "hologram" }] }));
    expect(error).toMatchObject({ code: "field-not-representable", path: "/content/1" });
    expect(error.message).toContain('an object of type "hologram"');
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

  it("becomes a text block where there is none", async () => {
    const { value } = lower(
      await peer("2025-03-26"),
      "tools/call",
      "result",
      { content: [], structuredContent: weather },
      DegradePolicy.balanced(),
    );
    expect(value).toEqual({ content: [{ type: "text", text: '{"temperature":22.5}' }] });
  });

  it("that is no object is refused by strict at a revision that has only objects, with the row that widened it", async () => {
    const codec25 = await peer("2025-06-18");
    const error = refusal(() => lower(codec25, "tools/call", "result", { content: [], structuredContent: [1, 2] }));
    expect(error).toMatchObject({ code: "field-not-representable", feature: "tools.any-json-schema", path: "/structuredContent" });
    expect(lower(codec25, "tools/call", "result", { content: [], structuredContent: [1, 2] }, DegradePolicy.balanced()).value).toEqual({
      content: [{ type: "text", text: "[1,2]" }],
    });
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
