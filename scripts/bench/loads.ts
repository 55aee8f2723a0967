// The messages the benchmarks run on: for each load, results of several shapes as the newest revision would send them.

/** A method's results of one size, in several shapes, since a hot single shape flatters everyone. */
export interface Load {
  readonly name: string;
  readonly method: string;
  readonly results: readonly Record<string, unknown>[];
}

/** How many shapes each load has. */
export const VARIANTS = 8;

/** Small, middling and large. */
export const LOADS: readonly Load[] = [
  { name: "small text result", method: "tools/call", results: variants(smallText) },
  { name: "50 content items", method: "tools/call", results: variants(fiftyItems) },
  { name: "list of 100 tools", method: "tools/list", results: variants(hundredTools) },
];

function variants(make: (seed: number) => Record<string, unknown>): Record<string, unknown>[] {
  return Array.from({ length: VARIANTS }, (_, seed) => make(seed));
}

function smallText(seed: number): Record<string, unknown> {
  return {
    ...(seed % 2 === 0 ? { _meta: { "io.modelcontextprotocol/serverInfo": { name: "bench", version: "1.0.0" } } } : {}),
    content: [
      { type: "text", text: `Sunny, ${seed} °C, light wind from the west.`, ...(seed % 3 === 0 ? { annotations: { priority: 0.5 } } : {}) },
    ],
    ...(seed % 4 === 1 ? { isError: false } : {}),
    resultType: "complete",
  };
}

function fiftyItems(seed: number): Record<string, unknown> {
  const data = Buffer.alloc(1536, seed).toString("base64");
  const content = Array.from({ length: 50 }, (_, index) => {
    const kind = (index + seed) % 10;
    if (kind < 6)
      return {
        type: "text",
        text: `Row ${index}: ${"lorem ipsum dolor sit amet ".repeat(8)}`,
        ...(index % 3 === 0 ? { annotations: { audience: ["user"], priority: 0.5 } } : {}),
      };
    if (kind < 8)
      return {
        type: "resource_link",
        uri: `file:///project/src/file-${index}.ts`,
        name: `file-${index}.ts`,
        mimeType: "text/x-typescript",
        description: "A source file",
      };
    if (kind === 8) return { type: "image", data, mimeType: "image/png" };
    return {
      type: "resource",
      resource: { uri: `file:///notes/${index}.md`, mimeType: "text/markdown", text: `# Note\n${"text ".repeat(40)}` },
    };
  });
  return { content, structuredContent: { total: 50, items: content.map((_, id) => ({ id, ok: true })) }, resultType: "complete" };
}

function hundredTools(seed: number): Record<string, unknown> {
  const tools = Array.from({ length: 100 }, (_, index) => ({
    name: `tool_${index}`,
    title: `Tool number ${index}`,
    description: "Does something useful with the given arguments. ".repeat(3),
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", description: "Path to operate on" },
        limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
        filter: {
          type: "object",
          properties: { kind: { type: "string", enum: ["a", "b", "c"] }, since: { type: "string", format: "date-time" } },
        },
        tags: { type: "array", items: { type: "string" } },
      },
      required: ["path"],
    },
    ...((index + seed) % 2 === 0
      ? { outputSchema: { type: "object", properties: { ok: { type: "boolean" }, count: { type: "integer" } }, required: ["ok"] } }
      : {}),
    annotations: { readOnlyHint: index % 3 === 0, openWorldHint: false },
  }));
  return { tools, resultType: "complete", ttlMs: 0, cacheScope: "private" };
}
