// The capability flags of a schema: which paths below a capabilities definition are flags, and of which form.
import { describe, expect, test } from "vitest";
import { readFlags } from "../../generator/model/flags.js";
import type { Definitions, Schema } from "../../generator/model/schema.js";

const BOOLEAN: Schema = { type: "boolean" };

function object(properties: Record<string, Schema>): Schema {
  return { type: "object", properties };
}

interface Row {
  readonly name: string;
  readonly root: Schema;
  readonly others?: Definitions;
  readonly want: Readonly<Record<string, "boolean" | "object">>;
}

const ROWS: readonly Row[] = [
  { name: "none", root: object({}), want: {} },
  { name: "an object without properties", root: object({ logging: { type: "object" } }), want: { logging: "object" } },
  {
    name: "flags below flags",
    root: object({ tools: object({ listChanged: BOOLEAN }) }),
    want: { tools: "object", "tools.listChanged": "boolean" },
  },
  {
    name: "four deep",
    root: object({ tasks: object({ requests: object({ tools: object({ call: { type: "object" } }) }) }) }),
    want: { tasks: "object", "tasks.requests": "object", "tasks.requests.tools": "object", "tasks.requests.tools.call": "object" },
  },
  {
    name: "an object that names flags and lets others in",
    root: object({ tools: { ...object({ listChanged: BOOLEAN }), additionalProperties: {} } }),
    want: { tools: "object", "tools.listChanged": "boolean" },
  },
  {
    name: "a map of free names, which has no flags below",
    root: object({ experimental: { type: "object", additionalProperties: object({ on: BOOLEAN }) } }),
    want: { experimental: "object" },
  },
  {
    name: "an open object without names",
    root: object({ extensions: { type: "object", additionalProperties: true } }),
    want: { extensions: "object" },
  },
  {
    name: "references and an allOf",
    root: { allOf: [{ $ref: "#/$defs/Base" }, object({ tools: { $ref: "#/$defs/Tools" } })] },
    others: { Base: object({ logging: { type: "object" } }), Tools: object({ listChanged: BOOLEAN }) },
    want: { logging: "object", tools: "object", "tools.listChanged": "boolean" },
  },
];

describe("readFlags", () => {
  test.each(ROWS)("$name", ({ root, others, want }) => {
    expect(Object.fromEntries(readFlags("Root", { ...others, Root: root }))).toEqual(want);
  });

  test("gives none where the definition is missing", () => {
    expect([...readFlags("Root", { Other: object({ a: BOOLEAN }) })]).toEqual([]);
    expect([...readFlags("constructor", {})]).toEqual([]);
  });

  test("ends where a definition refers to itself", () => {
    const flags = readFlags("Root", { Root: object({ a: { $ref: "#/$defs/Root" } }) });
    expect(flags.get("a.a")).toBe("object");
    expect(flags.size).toBeLessThan(20);
  });
});
