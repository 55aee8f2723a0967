// Numbers on their way through: what is read and written again says the same digits, also after the message around them was edited.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { carrySources } from "../../runtime/exact.js";
import { parseMessage, stringifyMessage } from "../../runtime/transport/json.js";

describe("a number", () => {
  it.each([
    "9007199254740993",
    "-9007199254740993",
    "123456789012345678901234567890",
    "1.0",
    "2.50",
    "0.1",
    "1e400",
    "1E5",
    "-0",
    "-0.0",
    "5e-324",
    "0",
    "-1.5",
  ])("%s is written as it was read", (source) => {
    for (const text of [`{"a":${source}}`, `[${source}]`, `{"a":[{"b":[0,${source},"${source}"]}]}`]) {
      expect(stringifyMessage(parseMessage(text))).toBe(text);
    }
  });

  it("is a number to whoever looks", () => {
    expect(parseMessage('{"a":1.0,"b":9007199254740993}')).toEqual({ a: 1, b: 9007199254740992 });
  });

  it("that was replaced is written as it is now", () => {
    const message = parseMessage('{"a":1.0,"b":1.0}') as Record<string, unknown>;
    message["a"] = 2;
    expect(stringifyMessage(message)).toBe('{"a":2,"b":1.0}');
  });

  it("stays exact where its holder stays, and where it is taken over to a copy", () => {
    const message = parseMessage('{"params":{"arguments":{"id":9007199254740993},"n":1.0}}') as Record<string, object>;
    const params = { ...message["params"], name: "x" };
    expect(stringifyMessage({ params })).toBe('{"params":{"arguments":{"id":9007199254740993},"n":1,"name":"x"}}');
    carrySources(message["params"] as object, params);
    expect(stringifyMessage({ params })).toBe('{"params":{"arguments":{"id":9007199254740993},"n":1.0,"name":"x"}}');
  });
});

describe("text", () => {
  it.each(["", "{", "[1.0", "1.0]", '{"a":01}', "nul", '{"a":1.}', '{"a":.5}'])("%j is refused as JSON.parse does", (text) => {
    expect(() => parseMessage(text)).toThrow(SyntaxError);
  });

  it.each([
    '{"__proto__":{"x":1.0}}',
    '{"constructor":1.0,"toString":{"valueOf":2.50}}',
    '{"a\\\\":"\\"1.0","b":1.0}',
    '{"a":1.0,"":[1.0]}',
  ])("%s comes back", (text) => {
    const message = parseMessage(text);
    expect(stringifyMessage(message)).toBe(text);
    expect(Object.getPrototypeOf(message)).toBe(Object.prototype);
  });

  it("with a key twice has its last value", () => {
    expect(stringifyMessage(parseMessage('{"a":1,"a":1.0}'))).toBe('{"a":1.0}');
    expect(stringifyMessage(parseMessage('{"a":1.0,"a":1}'))).toBe('{"a":1}');
  });

  it("of any JSON value is read as JSON.parse does, and written so that it reads the same", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom("1.0", "9007199254740993", "0"), (value, number) => {
        const text = `{"value":${JSON.stringify(value)},"n":${number}}`;
        const message = parseMessage(text);
        expect(message).toEqual(JSON.parse(text));
        expect(JSON.parse(stringifyMessage(message))).toEqual(JSON.parse(text));
        expect(stringifyMessage(message)).toContain(`"n":${number}`);
      }),
    );
  });

  it("of a large string is not walked number by number", () => {
    const text = JSON.stringify({ data: '1.5e3\\"'.repeat(100_000) });
    expect(stringifyMessage(parseMessage(text))).toBe(text);
  });
});
