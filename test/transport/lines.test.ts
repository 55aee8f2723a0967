// Bytes into lines into messages: however they are cut, however long, and whatever stands between them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readClipped } from "../../runtime/transport/clipped.js";
import { LineSplitter, messageLines } from "../../runtime/transport/lines.js";

interface Read {
  readonly messages: unknown[];
  readonly noise: string[];
  readonly dropped: unknown[];
}

function read(chunks: readonly Uint8Array[], limit?: number): Read {
  const seen: Read = { messages: [], noise: [], dropped: [] };
  const lines = messageLines(
    {
      onMessage: (message) => seen.messages.push(message),
      onNoise: (line) => seen.noise.push(line),
      onDropped: ({ because, bytes }, clipped) => seen.dropped.push({ because, bytes, ...clipped }),
    },
    limit,
  );
  for (const chunk of chunks) lines.push(chunk);
  lines.end();
  return seen;
}

/** Cuts text into chunks of so many bytes. */
function cut(text: string | Buffer, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size));
}

const ONE = '{"jsonrpc":"2.0","id":1,"result":{}}';
const TWO = '{"jsonrpc":"2.0","id":2,"result":{}}';

describe("lines", () => {
  it.each<readonly [string, string | Buffer, Partial<Read>]>([
    [
      "stdio-banner",
      `Example server 1.2.3 starting\n\n[store] opened /x\n${ONE}\n`,
      { noise: ["Example server 1.2.3 starting", "[store] opened /x"] },
    ],
    ["stdio-banner: JSON that is no message", `42\n"x"\nnull\n${ONE}\n`, { noise: ["42", '"x"', "null"] }],
    ["stdio-crlf", `${ONE}\r\n\r\n${TWO}\r\n`, { messages: [JSON.parse(ONE), JSON.parse(TWO)] }],
    ["a last line without its end", ONE, {}],
    ["a mark of byte order", `\ufeff${ONE}\n`, {}],
    ["a batch", `[${ONE},${TWO}]\n`, { messages: [[JSON.parse(ONE), JSON.parse(TWO)]] }],
    ["nothing but blanks", "\n\r\n  \n\t\r\n", { messages: [] }],
    [
      "text that is not UTF-8",
      Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":7,"result":{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from(`"}}\n${ONE}\n`)]),
      { dropped: [{ because: "not-utf8", bytes: 44, kind: "response", id: 7 }] },
    ],
  ])("%s", (_, text, expected) => {
    for (const size of [1, 2, 3, 7, 64, 1 << 20]) {
      expect(read(cut(text, size))).toEqual({ messages: [JSON.parse(ONE)], noise: [], dropped: [], ...expected });
    }
  });

  it("stdio-utf8-split: a character cut in two", () => {
    const hex = ["7b226a736f6e727063223a22322e30222c226964223a312c22726573756c74223a7b226e223a22e8afbb20f09f", "8e89227d7d0a"];
    const expected = [{ jsonrpc: "2.0", id: 1, result: { n: "读 🎉" } }];
    expect(read(hex.map((bytes) => Buffer.from(bytes, "hex"))).messages).toEqual(expected);
    expect(read(cut(Buffer.from(hex.join(""), "hex"), 1)).messages).toEqual(expected);
  });

  it("gives the same messages however the bytes are cut", () => {
    const text = fc.array(
      fc.oneof(
        fc.string({ unit: "grapheme" }),
        fc.jsonValue().map((value) => JSON.stringify(value)),
      ),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (parts, sizes) => {
        const bytes = Buffer.from(parts.join("\n"));
        const chunks: Buffer[] = [];
        for (let at = 0, index = 0; at < bytes.length; index += 1) {
          const size = sizes[index % sizes.length] ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(read(chunks, 40)).toEqual(read([bytes], 40));
      }),
    );
  });
});

describe("a line over the limit", () => {
  const long = (head: string, tail: string): string => `${head}${"A".repeat(100_000)}${tail}\n`;

  it.each([
    ["stdio-long-line: an answer", '{"jsonrpc":"2.0","id":1,"result":{"text":"', '"}}', "response", 1],
    ["an answer whose id comes last", '{"result":{"text":"', '"},"id":"a\\"b","jsonrpc":"2.0"}', "response", 'a"b'],
    ["an error", '{"id":3,"error":{"code":1,"message":"', '"}}', "response", 3],
    ["an id deeper inside is none", '{"result":{"text":"', '","id":5}}', "response", undefined],
    ["a question of the peer's", '{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{"x":"', '"}}', "call", 1],
    ["a question whose method comes first", '{"method":"x","params":{"x":"', '"},"id":1}', "call", undefined],
    ["what cannot be told", '{"params":{"x":"', '"},"id":1}', "unknown", undefined],
    ["a batch", '[{"id":1,"result":{"x":"', '"}}]', "unknown", undefined],
  ])("is let go of, and the rest goes on: %s", (_, head, tail, kind, id) => {
    const text = long(head, tail);
    for (const size of [1000, 65_536, 1 << 20]) {
      const { messages, dropped } = read(cut(`${text}${TWO}\n`, size), 50_000);
      expect(dropped).toEqual([{ because: "too-long", bytes: text.length - 1, kind, id }]);
      expect(messages).toEqual([JSON.parse(TWO)]);
    }
    // The same line is read where the limit allows it.
    expect(read([Buffer.from(text)], 200_000)).toMatchObject({ dropped: [], messages: [JSON.parse(text)] });
  });

  it("is exact to the byte", () => {
    const limit = ONE.length;
    expect(read(cut(`${ONE}\n`, 5), limit).messages).toHaveLength(1);
    expect(read(cut(`${ONE}\n`, 5), limit - 1).dropped).toHaveLength(1);
    expect(read([Buffer.from(`${ONE}\n`)], limit - 1).dropped).toHaveLength(1);
  });

  it("never takes more memory than the limit", () => {
    const chunk = Buffer.alloc(1 << 20, "A");
    let bytes = 0;
    const lines = new LineSplitter({ onLine: () => {}, onDropped: (line) => (bytes = line.bytes) }, 4 << 20);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let index = 0; index < 500; index += 1) {
      lines.push(chunk);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    lines.end();
    expect(bytes).toBe(500 << 20);
    // The buffer it grew out of may not be collected yet.
    expect(most).toBeLessThan(20 << 20);
  });
});

describe("readClipped", () => {
  it.each([
    ['{"id":12', '{"id":12'],
    ['{"id":"ab', "x"],
    ["[1,2", "x"],
    ["", ""],
    ["{", "}"],
    ['{"result":{"a":"\\"id\\":4', '\\"id\\":4}'],
  ])("says nothing of %s", (head, tail) => {
    expect(readClipped(head, tail).id).toBeUndefined();
  });
});
