// Reports about tools whose schemas strict readers reject: each list is read tool by tool, what can be mended is, and what cannot takes only its
// own tool with it.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import { ALL, at, deliver, LEGACY, message, MODERN, named, pass, play, refuse, relay, routes, said, told, type Route } from "../reports.js";

const object = { type: "object" };
const arm = { type: "object", properties: { a: { type: "string" } } };
const DRAFT = "http://json-schema.org/draft-07/schema#";

/** Schemas that can only describe objects, and what is made of them. */
const MENDED: readonly (readonly [string, Wire | undefined | null, Wire])[] = [
  ["none", undefined, object],
  ["null", null, object],
  ["an empty one", {}, object],
  ["only its dialect", { $schema: DRAFT }, { $schema: DRAFT, type: "object" }],
  ["only words", { title: "t", description: "d" }, { title: "t", description: "d", type: "object" }],
  ["properties without type", { properties: { a: { type: "string" } } }, { properties: { a: { type: "string" } }, type: "object" }],
  ["required without type", { required: ["a"] }, { required: ["a"], type: "object" }],
  ["arms of objects", { anyOf: [arm, arm] }, { anyOf: [arm, arm], type: "object" }],
  ["one arm of objects", { oneOf: [arm] }, { oneOf: [arm], type: "object" }],
  ["all of an object", { allOf: [arm, {}] }, { allOf: [arm, {}], type: "object" }],
  ["a reference to an object", { $ref: "#/$defs/R", $defs: { R: arm } }, { $ref: "#/$defs/R", $defs: { R: arm }, type: "object" }],
  ["an empty list of properties", { type: "object", properties: [] }, { type: "object", properties: {} }],
  ["an empty map of required", { type: "object", required: {} }, { type: "object", required: [] }],
  ["an empty list of definitions", { type: "object", $defs: [] }, { type: "object", $defs: {} }],
  ["an empty list of patterns", { type: "object", patternProperties: [] }, { type: "object", patternProperties: {} }],
];

/** Entries of a list that no reader can take for a tool. */
const BEYOND_REPAIR: readonly (readonly [string, unknown])[] = [
  ["a schema of strings", { name: "bad", inputSchema: { type: "string" } }],
  ["a schema of lists", { name: "bad", inputSchema: { type: "array", items: object } }],
  ["a schema that is a list", { name: "bad", inputSchema: [object] }],
  ["a schema that is a string", { name: "bad", inputSchema: "object" }],
  ["a schema that is true", { name: "bad", inputSchema: true }],
  ["arms of which one is no object", { name: "bad", inputSchema: { anyOf: [arm, { type: "string" }] } }],
  ["a reference to nothing", { name: "bad", inputSchema: { $ref: "#/$defs/missing" } }],
  ["no name", { inputSchema: object }],
  ["a null name", { name: null, inputSchema: object }],
  ["a number as name", { name: 7, inputSchema: object }],
  ["a string for a tool", "bad"],
  ["a list for a tool", []],
];

/** Output schemas that only the newest revision has a place for, and whether their values can be told from objects. */
const OUTPUTS: readonly (readonly [string, Wire, boolean])[] = [
  ["null or a list", { type: ["null", "array"], items: { type: "string" } }, true],
  ["lists", { type: "array", items: { $ref: "#/$defs/I" }, $defs: { I: { type: "string" } } }, true],
  ["strings", { type: "string", $schema: "https://json-schema.org/draft/2020-12/schema" }, true],
  ["objects or null", { type: ["object", "null"] }, false],
  ["anything", {}, false],
  ["arms", { anyOf: [{ type: "array" }, { type: "object" }] }, false],
];

/** Registers the plays about tool schemas. */
export function playToolSchemas(): void {
  describe("tool schemas", () => {
    play("list-one-bad-schema", "one odd schema costs nobody the others", (report) => {
      const tools = at(message(report, "s"), "/result/tools") as readonly Wire[];
      for (const route of routes()) {
        const { value, steps } = deliver(route, "tools/list", "result", list(route, tools));
        const odd = { ...tools[1], inputSchema: { ...(tools[1]?.["inputSchema"] as object), type: "object" } };
        expect(at(value, "/tools"), named(route)).toEqual([tools[0], odd]);
        expect(told(steps)).toEqual(["repair /tools/1/inputSchema tool-schema-of-no-type"]);
      }
    });

    play("list-empty-schema", "an empty schema, or none, is one of any object", (report) => {
      const tools = at(message(report, "s"), "/result/tools") as readonly Wire[];
      for (const route of routes()) {
        const { value, steps } = deliver(route, "tools/list", "result", list(route, tools));
        expect(at(value, "/tools"), named(route)).toEqual([
          { name: "a", inputSchema: object },
          { name: "b", inputSchema: { $schema: DRAFT, type: "object" } },
          { name: "c", inputSchema: object },
        ]);
        expect(told(steps)).toHaveLength(3);
      }
    });

    play("list-properties-array", "empty containers of the wrong kind get their own back", (report) => {
      const tools = at(message(report, "s"), "/result/tools") as readonly Wire[];
      for (const route of routes()) {
        const { value } = deliver(route, "tools/list", "result", list(route, tools));
        expect(at(value, "/tools"), named(route)).toEqual([{ name: "a", inputSchema: { type: "object", properties: {}, required: [] } }]);
      }
    });

    it.each(MENDED)("mended: %s", (_, schema, wanted) => {
      const tool = schema === undefined ? { name: "odd" } : { name: "odd", inputSchema: schema };
      for (const route of routes()) {
        const { value, steps } = deliver(route, "tools/list", "result", list(route, [tool, { name: "good", inputSchema: object }]));
        expect(at(value, "/tools"), named(route)).toEqual([
          { name: "odd", inputSchema: wanted },
          { name: "good", inputSchema: object },
        ]);
        expect(steps.filter((step) => step.action === "repair").map((step) => step.path)).toEqual(["/tools/0/inputSchema"]);
      }
    });

    it.each(BEYOND_REPAIR)("left out of the list: %s", (_, bad) => {
      const [first, last] = ["first", "last"].map((name) => ({ name, inputSchema: object }));
      for (const route of routes()) {
        const { value, steps } = deliver(route, "tools/list", "result", list(route, [first, bad, last]));
        expect(at(value, "/tools"), named(route)).toEqual([first, last]);
        expect(steps.filter((step) => step.action === "repair")).toMatchObject([{ path: "/tools/1", loss: "content" }]);
      }
    });

    it.each([
      ["a list of properties", { type: "object", properties: [{ name: "a" }] }],
      ["a map of required", { type: "object", required: { a: true } }],
      ["a string for properties", { type: "object", properties: "a" }],
    ])("%s that holds something is the fault of that tool alone", (_, schema) => {
      const good = { name: "good", inputSchema: object };
      for (const route of routes(LEGACY)) {
        const { value, steps } = deliver(route, "tools/list", "result", list(route, [{ name: "bad", inputSchema: schema }, good]));
        expect(at(value, "/tools"), named(route)).toEqual([good]);
        expect(steps.some((step) => step.path === "/tools/0" && step.loss === "content")).toBe(true);
      }
    });

    play("list-output-schema-nonobject", "an output that is no object passes where it may, and never costs the list", (report) => {
      const tools = at(message(report, "s"), "/result/tools") as readonly Wire[];
      expectOutput(tools[0]?.["outputSchema"] as Wire, true);
      for (const route of routes(ALL, ALL, ["balanced"])) {
        const { value } = deliver(route, "tools/list", "result", list(route, tools));
        expect(
          (at(value, "/tools") as readonly Wire[]).map((tool) => tool["name"]),
          named(route),
        ).toEqual(["agg", "ok"]);
      }
    });

    it.each(OUTPUTS)(
      "an output of %s is wrapped where it cannot be an object, left out where it may be, for clients that want one",
      (_, schema, wraps) => {
        expectOutput(schema, wraps);
      },
    );

    play(
      "hdr-mcp-param",
      "what marks an argument for a header stays in the schema, and the error about it says so in older codes",
      (report) => {
        const result = message(report, "s")["result"] as Wire;
        for (const route of routes(MODERN)) {
          const { value } = deliver(route, "tools/list", "result", result);
          expect(at(value, "/tools"), named(route)).toEqual(result["tools"]);
        }
        for (const route of routes(MODERN, LEGACY)) {
          const { wire } = relay(route, message(report, "s", 1), { method: "tools/call" });
          expect(at(wire, "/error/code"), named(route)).toBe(-32603);
          expect(at(wire, "/error/data/polyrev~1error/code")).toBe(-32020);
          expect(at(wire, "/error/message")).toBe(at(message(report, "s", 1), "/error/message"));
        }
      },
    );

    it("schemas are passed as they are: order, big numbers, references, boolean subschemas among the newest", () => {
      const text = `{"z":1,"type":"object","properties":{"b":{"maximum":9007199254740993},"a":{"$ref":"#/$defs/X"}},"$defs":{"X":{"const":null}},"x-y":[]}`;
      const schema = JSON.parse(text) as Wire;
      for (const route of routes()) {
        const { value } = deliver(route, "tools/list", "result", list(route, [{ name: "a", inputSchema: schema }]));
        expect(at(value, "/tools/0/inputSchema"), named(route)).toBe(schema);
      }
    });
  });
}

/** A non-object output passes to the newest revision; to those that want an object it is wrapped as results are, or left out. */
function expectOutput(schema: Wire, wraps: boolean): void {
  const tools = [
    { name: "agg", inputSchema: object, outputSchema: schema },
    { name: "ok", inputSchema: object },
  ];
  for (const route of routes(["2025-06-18", "2025-11-25", MODERN], ["2025-06-18", "2025-11-25", MODERN])) {
    if (route.to === MODERN) {
      expect(at(deliver(route, "tools/list", "result", list(route, tools)).value, "/tools"), named(route)).toEqual(tools);
    } else if (route.policy === "strict") {
      expect(refuse(route, "tools/list", "result", list(route, tools)).path, named(route)).toMatch(/^\/tools\/0\/outputSchema/);
    } else {
      const { value } = deliver(route, "tools/list", "result", list(route, tools));
      const sent = at(value, "/tools/0/outputSchema");
      if (wraps) expect(sent, named(route)).toMatchObject({ type: "object", required: ["result"] });
      else expect(sent, named(route)).toBeUndefined();
      expect(at(value, "/tools/1"), named(route)).toEqual(tools[1]);
      const result = deliver(route, "tools/call", "result", said(route.from, { content: [], structuredContent: ["x"] }));
      if (wraps) expect(Object.keys(at(result.value, "/structuredContent") as object), named(route)).toEqual(["result"]);
    }
  }
  for (const route of routes(["2025-06-18", "2025-11-25", MODERN], ["2024-11-05", "2025-03-26"], ["balanced"])) {
    expect(pass(route, "tools/list", "result", list(route, tools)).refusal, named(route)).toBeUndefined();
  }
}

function list({ from }: Pick<Route, "from">, tools: readonly unknown[]): Wire {
  return said(from, { tools });
}
