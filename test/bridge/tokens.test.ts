// Progress: tokens that nobody else has, and numbers that only grow over all the requests of a flow.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import { followProgress, ProgressLine, progressTokenOf, ProgressTokens } from "../../runtime/bridge/tokens.js";

describe("progressTokenOf", () => {
  it.each<readonly [unknown, unknown]>([
    [{ _meta: { progressToken: 0 } }, 0],
    [{ _meta: { progressToken: "0" } }, "0"],
    [{ _meta: { progressToken: "" } }, ""],
    [{ _meta: { progressToken: null } }, undefined],
    [{ _meta: [] }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])("of %j is %j", (params, token) => {
    expect(progressTokenOf(params)).toBe(token);
  });
});

function steps(line: ProgressLine, ...values: readonly unknown[]): unknown[] {
  return values.map((progress) => line.forward({ progressToken: "up", progress })?.["progress"]);
}

describe("ProgressLine", () => {
  it("gives the client its token, in its type, and all else as it came", () => {
    const line = new ProgressLine(0);
    line.startLeg();
    expect(line.forward({ progressToken: "up", progress: 1, total: 4, message: "m", extra: {} })).toEqual({
      progressToken: 0,
      progress: 1,
      total: 4,
      message: "m",
      extra: {},
    });
  });

  it("gives the same object where the token is the same", () => {
    const params = { progressToken: "t", progress: 1 };
    expect(new ProgressLine("t").forward(params)).toBe(params);
  });

  it("drops a total that is null, and what is no progress", () => {
    const line = new ProgressLine(1);
    expect(line.forward({ progressToken: 1, progress: 1, total: null })).toEqual({ progressToken: 1, progress: 1 });
    expect(steps(line, "2", undefined, Number.NaN, Number.POSITIVE_INFINITY, null)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("lets through what is more than before", () => {
    expect(steps(new ProgressLine(1), 0, 0, 1, 0.5, 3, 3)).toEqual([0, undefined, 1, undefined, 3, undefined]);
  });

  it("counts on from where it was with each request, and has no total any more", () => {
    const line = new ProgressLine(1);
    line.startLeg();
    expect(steps(line, 1, 5)).toEqual([1, 5]);
    line.startLeg();
    expect(steps(line, 0, 1)).toEqual([undefined, 6]);
    expect(line.forward({ progressToken: "up", progress: 2, total: 3 })).toEqual({ progressToken: 1, progress: 7 });
    line.startLeg();
    expect(steps(line, 1)).toEqual([8]);
  });

  it("only grows", () => {
    const given = fc.array(fc.oneof(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.constant("leg")), { maxLength: 40 });
    fc.assert(
      fc.property(given, (values) => {
        const line = new ProgressLine("t");
        let last = Number.NEGATIVE_INFINITY;
        for (const value of values) {
          if (value === "leg") {
            line.startLeg();
            continue;
          }
          const next = steps(line, value)[0];
          if (next === undefined) continue;
          expect(next).toBeGreaterThan(last);
          last = next as number;
        }
      }),
    );
  });
});

describe("ProgressTokens", () => {
  it("gives each flow tokens of its own until they end", () => {
    const tokens = new ProgressTokens<string>();
    const [a, b] = [tokens.mint("a"), tokens.mint("b")];
    expect(a).not.toBe(b);
    expect([tokens.find(a), tokens.find(b)]).toEqual(["a", "b"]);
    tokens.end(a);
    expect([tokens.find(a), tokens.find(b), tokens.size]).toEqual([undefined, "b", 1]);
    expect(tokens.mint("c")).not.toBe(a);
  });

  it.each([["tool-call-4"], [0], [1], [null], [undefined], ["__proto__"]])("does not know %j", (token) => {
    const tokens = new ProgressTokens<string>();
    tokens.mint("a");
    expect(tokens.find(token)).toBeUndefined();
  });
});

describe("followProgress", () => {
  const asks = { _meta: { progressToken: "mine" } };

  function room(): { tokens: ProgressTokens<Told>; one: Told; other: Told; frame: (progressToken: unknown, progress: unknown) => Wire } {
    const [one, other] = [told(asks), told(asks)];
    return {
      tokens: new ProgressTokens<Told>(),
      one,
      other,
      frame: (progressToken, progress) => ({ method: "p", params: { progressToken, progress } }),
    };
  }

  it("finds the request, rests it, and writes the notification for its client", () => {
    const { tokens, one, frame } = room();
    const minted = tokens.mint(one);
    for (const expected of [undefined, one]) {
      const progress = one.rests + 1;
      expect(followProgress(tokens, frame(minted, progress), expected)).toEqual({ owner: one, frame: frame("mine", progress) });
      expect(one.rests).toBe(progress);
    }
  });

  it("leaves what nobody asked for, and what came on the stream of another request", () => {
    const { tokens, one, other, frame } = room();
    const minted = tokens.mint(one);
    const nobody = { because: "nobody asked for it" };
    expect(followProgress(tokens, frame("polyrev-9", 1))).toEqual(nobody);
    expect(followProgress(tokens, { method: "p", params: [] })).toEqual(nobody);
    expect(followProgress(tokens, frame(minted, 1), other)).toEqual(nobody);
    expect([one.rests, other.rests]).toEqual([0, 0]);
  });

  it("is a sign of life even where it gets no further, or its client did not ask", () => {
    const { tokens, one, frame } = room();
    const silent = told({});
    const [minted, unasked] = [tokens.mint(one), tokens.mint(silent)];
    followProgress(tokens, frame(minted, 2));
    const further = { because: "it gets no further than the last" };
    expect(followProgress(tokens, frame(minted, 2))).toEqual(further);
    expect(followProgress(tokens, frame(unasked, 1))).toEqual(further);
    expect([one.rests, silent.rests]).toEqual([2, 1]);
  });
});

interface Told {
  readonly line: ProgressLine | undefined;
  rests: number;
  rest(): void;
}

function told(params: Wire): Told {
  return {
    line: ProgressLine.of(params),
    rests: 0,
    rest() {
      this.rests += 1;
    },
  };
}
