// What the compiler knows of a codec: the wire types of its revision and the canonical types, method by method. Checked by npm run typecheck;
// each @ts-expect-error fails there when the compiler stops saying no.
import { describe, expect, expectTypeOf, it } from "vitest";
import type * as wire from "../../generated/mcp/2025-06-18/types.js";
import type * as wire26 from "../../generated/mcp/2026-07-28/types.js";
import { isProtocolError } from "../../runtime/index.js";
import { CapabilitySet, codecFor, isUnknownContent, type ir } from "../../runtime/mcp.js";

const profile = CapabilitySet.allFor("2025-06-18").resolve("2025-06-18", "stdio");

describe("the types of a codec", () => {
  it("follow its revision and the method", async () => {
    const codec = await codecFor("2025-06-18", profile);
    const result = codec.lift("tools/list", "result", { tools: [] });
    expectTypeOf(result).toEqualTypeOf<ir.ListToolsResult>();
    expectTypeOf(codec.lower("tools/list", "result", result)).toEqualTypeOf<wire.ListToolsResult>();
    expectTypeOf(codec.lift("elicitation/create", "params", {})).toEqualTypeOf<ir.ElicitRequestParams>();
    const newest = await codecFor("2026-07-28", CapabilitySet.allFor("2026-07-28").resolve("2026-07-28", "stdio"));
    expectTypeOf(newest.lower("tools/call", "result", { content: [] })).toEqualTypeOf<wire26.CallToolResult | wire26.InputRequiredResult>();
    // @ts-expect-error a canonical result is no string
    expect(() => codec.lower("tools/call", "result", "text" as const satisfies string as ir.CallToolResult["content"])).toThrow(
      "takes an object here",
    );
  });

  it("know the canonical unions with their unknown members", () => {
    expectTypeOf<ir.ResourceLink>().toExtend<ir.ContentBlock>();
    expectTypeOf<{ readonly type: "hologram"; readonly beam: number }>().toExtend<ir.ContentBlock>();
    const blocks: ir.ContentBlock[] = [
      { type: "text", text: "a" },
      { type: "hologram", beam: 1 },
    ];
    expect(blocks.map((block) => (isUnknownContent(block) ? block.beam : block.type))).toEqual(["text", 1]);
    // @ts-expect-error canonical values are readonly
    const write = (tool: ir.Tool) => (tool.name = "other");
    expect(write({ name: "a", inputSchema: { type: "object" } })).toBe("other");
  });
});

describe("codecFor", () => {
  it.each(["2025-06-17", "latest", "", "toString", "__proto__"])("refuses the revision %j and lists the known ones", async (revision) => {
    const error: unknown = await codecFor(revision, profile).catch((reason: unknown) => reason);
    expect(isProtocolError(error) && error.code).toBe("unknown-revision");
    expect(isProtocolError(error) && error.message).toBe(
      `cannot use revision ${JSON.stringify(revision)}: unknown; known are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28`,
    );
  });
});
