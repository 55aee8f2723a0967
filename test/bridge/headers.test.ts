// The headers that repeat a message: written, read back, held against the body, and the tools that may ask for them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  checkHeaders,
  decodeHeaderValue,
  encodeHeaderValue,
  LONGEST_HEADER,
  paramHeaders,
  readToolHeaders,
  standardHeaders,
  ToolBook,
  type ParamHeader,
} from "../../runtime/bridge/headers.js";
import { META } from "../../runtime/bridge/meta.js";

const MODERN = "2026-07-28";
const LEGACY = "2025-11-25";

function call(params: object, method = "tools/call"): { [key: string]: unknown } {
  return { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {} } } };
}

describe("standardHeaders", () => {
  it.each<readonly [string, string, object, string | undefined]>([
    ["a tool", "tools/call", { name: "t" }, "t"],
    ["a prompt", "prompts/get", { name: "p" }, "p"],
    ["a resource", "resources/read", { uri: "file:///a b" }, "file:///a b"],
    ["a task", "tasks/get", { taskId: "k" }, "k"],
    ["a name that is not plain", "tools/call", { name: "größe" }, "=?base64?Z3LDtsOfZQ==?="],
    ["nothing", "tools/list", { name: "x" }, undefined],
    ["a name that is no text", "tools/call", { name: 5 }, undefined],
    ["a method that objects have by nature", "constructor", { name: "x" }, undefined],
  ])("repeats the name of %s", (_name, method, params, named) => {
    expect(standardHeaders(call(params, method), MODERN)).toEqual({
      "MCP-Protocol-Version": MODERN,
      "Mcp-Method": method,
      ...(named === undefined ? {} : { "Mcp-Name": named }),
    });
  });

  it("writes none at a revision without them, and none for a response", () => {
    expect(standardHeaders(call({ name: "t" }), LEGACY)).toEqual({});
    expect(standardHeaders({ jsonrpc: "2.0", id: 1, result: {} }, MODERN)).toEqual({});
  });
});

describe("the value of a header", () => {
  it.each<readonly [string | number | boolean, string]>([
    ["us-west1", "us-west1"],
    ["a\tb c", "a\tb c"],
    ["Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="],
    [" padded ", "=?base64?IHBhZGRlZCA=?="],
    ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
    ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
    ["=?BASE64?literal?=", "=?BASE64?literal?="],
    ["=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="],
    ["", "=?base64??="],
    [42, "42"],
    [-7, "-7"],
    [-0, "0"],
    [1.5, "1.5"],
    [9_007_199_254_740_991, "9007199254740991"],
    [true, "true"],
    [false, "false"],
  ])("%j is written %s", (value, text) => {
    expect(encodeHeaderValue(value)).toBe(text);
  });

  it("comes back as it was", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "grapheme" }),
          fc.string({ unit: "binary" }),
          fc.string().map((text) => `=?base64?${text}?=`),
        ),
        (text) => {
          const encoded = encodeHeaderValue(text);
          expect(encoded).toMatch(/^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/);
          expect(decodeHeaderValue(encoded)).toBe(text);
        },
      ),
    );
  });

  it.each(["=?base64?%%%?=", "=?base64?YQ?=", "=?base64?/w==?=", "a\nb", "ä", "=?base64?YR==?="])("%j cannot be read", (text) => {
    expect(decodeHeaderValue(text)).toBeUndefined();
  });

  it("may be empty where it comes from others", () => {
    expect(decodeHeaderValue("")).toBe("");
  });
});

function tool(properties: object, more: object = {}): object {
  return { name: "t", inputSchema: { type: "object", properties, ...more } };
}

const STRING = { type: "string", "x-mcp-header": "Region" };

describe("readToolHeaders", () => {
  it.each<readonly [string, unknown, readonly ParamHeader[]]>([
    ["one", tool({ region: STRING }), [{ header: "Mcp-Param-Region", path: ["region"], type: "string" }]],
    [
      "those of every scalar type, nested ones too",
      tool({
        a: { type: "integer", "x-mcp-header": "A" },
        b: { type: "object", properties: { c: { type: "boolean", "x-mcp-header": "C" } } },
      }),
      [
        { header: "Mcp-Param-A", path: ["a"], type: "integer" },
        { header: "Mcp-Param-C", path: ["b", "c"], type: "boolean" },
      ],
    ],
    ["none", tool({ a: { type: "string" } }), []],
    ["none in data", tool({ a: { type: "object", default: { "x-mcp-header": "!" }, enum: [{ "x-mcp-header": "" }] } }), []],
    ["none where an argument has the name", tool({ "x-mcp-header": { type: "string" } }), []],
    ["none without a schema", { name: "t" }, []],
    ["none in no tool", null, []],
  ])("finds %s", (_name, given, params) => {
    expect(readToolHeaders(given)).toEqual({ params });
  });

  it.each<readonly [string, unknown, RegExp]>([
    ["an empty name", tool({ a: { type: "string", "x-mcp-header": "" } }), /no name of a header/],
    ["a name with a line end", tool({ a: { type: "string", "x-mcp-header": "a\r\nb" } }), /no name/],
    ["a name with a space", tool({ a: { type: "string", "x-mcp-header": "a b" } }), /no name/],
    ["a name that is a number", tool({ a: { type: "string", "x-mcp-header": 1 } }), /no name/],
    ["one name twice", tool({ a: STRING, b: { type: "string", "x-mcp-header": "REGION" } }), /REGION is there twice/],
    ["an object", tool({ a: { type: "object", "x-mcp-header": "A" } }), /at a object/],
    ["a fraction", tool({ a: { type: "number", "x-mcp-header": "A" } }), /at a number/],
    ["no type", tool({ a: { "x-mcp-header": "A" } }), /no one type/],
    ["several types", tool({ a: { type: ["string", "null"], "x-mcp-header": "A" } }), /no one type/],
    ["the root", { name: "t", inputSchema: { type: "string", "x-mcp-header": "A" } }, /the root/],
    ["the items of a list", tool({ a: { type: "array", items: STRING } }), /a\.items/],
    ["properties below a list", tool({ a: { type: "array", items: { type: "object", properties: { b: STRING } } } }), /a\.items\.b/],
    ["a choice", tool({ a: { oneOf: [STRING] } }), /oneOf/],
    ["a condition", tool({}, { if: { properties: { a: STRING } } }), /if\.a/],
    ["a definition", tool({}, { $defs: { r: STRING } }), /r/],
    ["further properties", tool({}, { additionalProperties: STRING }), /additionalProperties/],
  ])("refuses %s", (_name, given, says) => {
    expect(readToolHeaders(given)).toEqual({ invalid: expect.stringMatching(says) });
  });

  it("gives up on a schema without a bottom", () => {
    let schema: object = STRING;
    for (let depth = 0; depth < 100; depth += 1) schema = { type: "object", properties: { a: schema } };
    expect(readToolHeaders({ name: "t", inputSchema: schema })).toEqual({ invalid: expect.stringMatching(/deeply/) });
  });
});

describe("paramHeaders", () => {
  const params: readonly ParamHeader[] = [
    { header: "Mcp-Param-Region", path: ["region"], type: "string" },
    { header: "Mcp-Param-C", path: ["b", "c"], type: "boolean" },
  ];

  it.each<readonly [unknown, object]>([
    [
      { region: "ü", b: { c: false } },
      { "Mcp-Param-Region": "=?base64?w7w=?=", "Mcp-Param-C": "false" },
    ],
    [{ region: null, b: {} }, {}],
    [{ region: { a: 1 } }, {}],
    [{ region: "x".repeat(LONGEST_HEADER + 1) }, {}],
    [undefined, {}],
  ])("%j", (args, headers) => {
    expect(paramHeaders(params, args)).toEqual(headers);
  });
});

type Headers = Readonly<Record<string, string>>;
type Message = { [key: string]: unknown };
describe("checkHeaders", () => {
  const params: readonly ParamHeader[] = [
    { header: "Mcp-Param-Region", path: ["region"], type: "string" },
    { header: "Mcp-Param-N", path: ["n"], type: "integer" },
  ];
  const base = { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": "t" };

  function check(headers: Headers, message: Message, known = params): string | undefined {
    return checkHeaders(message, (name) => headers[name], known);
  }

  it.each<readonly [string, Headers, Message]>([
    ["what agrees", base, call({ name: "t" })],
    ["an encoded name", { ...base, "mcp-name": "=?base64?dA==?=" }, call({ name: "t" })],
    ["an empty name, either way", { ...base, "mcp-name": "" }, call({ name: "" })],
    ["a name where the body has none", base, call({})],
    ["a method without a name", { ...base, "mcp-method": "tools/list", "mcp-name": "" }, call({}, "tools/list")],
    ["an argument", { ...base, "mcp-param-region": "x" }, call({ name: "t", arguments: { region: "x" } })],
    ["an argument that is null", { ...base, "mcp-param-region": "x" }, call({ name: "t", arguments: { region: null } })],
    ["a number written otherwise", { ...base, "mcp-param-n": "42.0" }, call({ name: "t", arguments: { n: 42 } })],
  ])("takes %s", (_name, headers, message) => {
    expect(check(headers, message)).toBeUndefined();
  });

  it("does not look at the arguments of a tool nobody knows", () => {
    expect(check({ ...base, "mcp-param-region": "x" }, call({ name: "t", arguments: { region: "y" } }), [])).toBeUndefined();
  });

  it("takes what is written here", () => {
    const message = call({ name: "größe", arguments: { region: "a\nb" } });
    const written = { ...standardHeaders(message, MODERN), ...paramHeaders(params, { region: "a\nb" }) };
    const lower = Object.fromEntries(Object.entries(written).map(([name, value]) => [name.toLowerCase(), value]));
    expect(check(lower, message)).toBeUndefined();
  });

  it.each<readonly [string, Headers, Message, RegExp]>([
    ["no version", { "mcp-method": "tools/call", "mcp-name": "t" }, call({ name: "t" }), /MCP-Protocol-Version is missing/],
    ["another version", { ...base, "mcp-protocol-version": LEGACY }, call({ name: "t" }), /says "2025-11-25", the message "2026-07-28"/],
    ["no method", { "mcp-protocol-version": MODERN }, call({ name: "t" }), /Mcp-Method is missing/],
    ["a method in other letters", { ...base, "mcp-method": "Tools/Call" }, call({ name: "t" }), /Mcp-Method says/],
    ["no name", { "mcp-protocol-version": MODERN, "mcp-method": "tools/call" }, call({ name: "t" }), /Mcp-Name is missing/],
    ["another name", { ...base, "mcp-name": "safe_read" }, call({ name: "delete_all" }), /says "safe_read", the message "delete_all"/],
    ["a name that cannot be read", { ...base, "mcp-name": "=?base64?%?=" }, call({ name: "t" }), /cannot be decoded/],
    ["no argument", base, call({ name: "t", arguments: { region: "x" } }), /Mcp-Param-Region is missing/],
    ["another argument", { ...base, "mcp-param-region": "y" }, call({ name: "t", arguments: { region: "x" } }), /Mcp-Param-Region says/],
    ["another number", { ...base, "mcp-param-n": "43" }, call({ name: "t", arguments: { n: 42 } }), /Mcp-Param-N says/],
    ["a number that is none", { ...base, "mcp-param-n": "" }, call({ name: "t", arguments: { n: 0 } }), /Mcp-Param-N says/],
  ])("refuses %s", (_name, headers, message, says) => {
    expect(check(headers, message)).toMatch(says);
  });
});

describe("ToolBook", () => {
  it("remembers tools over pages, apart for each owner, and tells the invalid ones", () => {
    const book = new ToolBook();
    expect(book.read("a", [tool({ region: STRING }), null, { name: 5 }])).toEqual([]);
    expect(book.read("a", [{ ...tool({ x: { "x-mcp-header": "" } }), name: "bad" }])).toEqual([
      { name: "bad", reason: expect.any(String) },
    ]);
    expect(book.paramsOf("a", "t")).toHaveLength(1);
    expect(book.paramsOf("a", "bad")).toEqual([]);
    expect(book.paramsOf("b", "t")).toBeUndefined();
    expect(book.paramsOf("a", undefined)).toBeUndefined();
    expect(book.read("a", "none")).toEqual([]);
    book.forget("a");
    expect(book.paramsOf("a", "t")).toBeUndefined();
  });

  it("takes what a tool says now", () => {
    const book = new ToolBook();
    book.read("a", [tool({ region: STRING })]);
    book.read("a", [tool({})]);
    expect(book.paramsOf("a", "t")).toEqual([]);
  });

  it("keeps within its bounds", () => {
    const book = new ToolBook(2, 2);
    const named = (name: string): object => ({ ...tool({}), name });
    book.read("a", [named("1"), named("2"), named("3")]);
    expect([book.paramsOf("a", "1"), book.paramsOf("a", "2"), book.paramsOf("a", "3")]).toEqual([undefined, [], []]);
    for (const owner of ["b", "a", "c"]) book.read(owner, [named("1")]);
    expect([book.paramsOf("a", "1"), book.paramsOf("b", "1"), book.paramsOf("c", "1")]).toEqual([[], undefined, []]);
  });
});
