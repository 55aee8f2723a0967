// Numbers stay as they were written in copies of the objects they stand in.
import { describe, expect, it } from "vitest";
import { withField, withoutField } from "../../runtime/copy.js";
import { carryAll, carryField, sourceOf } from "../../runtime/exact.js";
import { parseMessage, stringifyMessage } from "../../runtime/transport/json.js";

const read = (text: string): Record<string, unknown> => parseMessage(text) as Record<string, unknown>;

describe("a number that JavaScript would write otherwise", () => {
  it("stays as it was in a copy with another field, or with one less", () => {
    const message = read('{"a":1.0,"b":9007199254740993}');
    expect(stringifyMessage(withField(message, "c", 2))).toBe('{"a":1.0,"b":9007199254740993,"c":2}');
    expect(stringifyMessage(withoutField(message, "a"))).toBe('{"b":9007199254740993}');
    expect(stringifyMessage(withField(message, "a", 2))).toBe('{"a":2,"b":9007199254740993}');
  });

  it("stays as it was at every place of an edited copy that has it still", () => {
    const message = read('{"x":1.0,"params":{"n":2.0,"list":[{"m":3.0},4.0]}}');
    const copy = { x: 1, params: { n: 2, list: [{ m: 3 }, 4], more: 1 } };
    expect(stringifyMessage(copy)).toBe('{"x":1,"params":{"n":2,"list":[{"m":3},4],"more":1}}');
    carryAll(message, copy);
    expect(stringifyMessage(copy)).toBe('{"x":1.0,"params":{"n":2.0,"list":[{"m":3.0},4.0],"more":1}}');
    expect(() => carryAll(null, copy)).not.toThrow();
  });

  it("is taken over for one field, or let go of", () => {
    const request = read('{"id":9007199254740993}');
    const answer: Record<string, unknown> = { id: request["id"], result: {} };
    carryField(request, answer, "id");
    expect(stringifyMessage(answer)).toBe('{"id":9007199254740993,"result":{}}');
    const other = read('{"id":5.0,"n":1.0}');
    carryField({}, other, "id");
    expect(stringifyMessage(other)).toBe('{"id":5,"n":1.0}');
    expect(sourceOf(request, "id", 7)).toBeUndefined();
  });
});
