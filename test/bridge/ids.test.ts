// Ids: whose they are, that they keep their type, and what becomes of answers nobody waits for.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IssuedIds, OpenRequests } from "../../runtime/bridge/ids.js";

describe("OpenRequests", () => {
  it("keeps ids by owner and by type", () => {
    const open = new OpenRequests<string>();
    expect([open.open("a", 1, "number"), open.open("a", "1", "text"), open.open("b", 1, "other"), open.open("a", 0, "nought")]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([open.find("a", 1), open.find("a", "1"), open.find("b", 1), open.find("b", "1"), open.find("a", 0), open.find("c", 1)]).toEqual([
      "number",
      "text",
      "other",
      undefined,
      "nought",
      undefined,
    ]);
    expect([open.size("a"), open.size("b"), open.size("c"), open.size()]).toEqual([3, 1, 0, 4]);
  });

  it.each([[null], [undefined], [{}], [true], [Number.NaN]])("finds nothing under %j", (id) => {
    const open = new OpenRequests<string>();
    open.open("a", 1, "x");
    expect(open.find("a", id)).toBeUndefined();
  });

  it("refuses an id that is open, and takes it once it is not", () => {
    const open = new OpenRequests<string>();
    expect(open.open("a", 1, "slow")).toBe(true);
    expect(open.open("a", 1, "fast")).toBe(false);
    expect(open.find("a", 1)).toBe("slow");
    open.close("a", 1);
    expect(open.open("a", 1, "fast")).toBe(true);
  });

  it("does not let an old flow close a new one", () => {
    const open = new OpenRequests<object>();
    const [old, fresh] = [{}, {}];
    open.open("a", 1, old);
    open.close("a", 1, old);
    open.open("a", 1, fresh);
    open.close("a", 1, old);
    expect(open.find("a", 1)).toBe(fresh);
    open.close("nobody", 1);
  });

  it("lets go of an owner", () => {
    const open = new OpenRequests<string>();
    open.open("a", 1, "x");
    open.open("a", 2, "y");
    open.open("b", 1, "z");
    expect(open.closeAll("a")).toEqual(["x", "y"]);
    expect(open.closeAll("a")).toEqual([]);
    expect(open.size()).toBe(1);
  });
});

describe("IssuedIds", () => {
  it("gives each id once, and each answer to what asked", () => {
    const ids = new IssuedIds<string>();
    const [a, b] = [ids.issue("a"), ids.issue("b")];
    expect(a).not.toBe(b);
    expect(ids.find(b)).toBe("b");
    expect(ids.settle(b)).toEqual({ kind: "open", flow: "b" });
    expect(ids.settle(a)).toEqual({ kind: "open", flow: "a" });
    expect(ids.settle(a)).toEqual({ kind: "finished" });
    expect(ids.issue("c")).toBeGreaterThan(b);
    expect(ids.size).toBe(1);
  });

  it("gives an answer of nothing to what asked with nothing", () => {
    const ids = new IssuedIds<undefined>();
    expect(ids.settle(ids.issue(undefined))).toEqual({ kind: "open", flow: undefined });
  });

  it.each([[0], [-1], [999], [1.5], ["1"], ["f:AA=="], [null], [undefined], [{}], [Number.NaN]])("does not know an answer to %j", (id) => {
    const ids = new IssuedIds<string>();
    ids.issue("a");
    expect(ids.settle(id)).toEqual({ kind: "unknown" });
    expect(ids.size).toBe(1);
  });

  it("swallows the answers of what was given up, all of them", () => {
    const ids = new IssuedIds<string>();
    const id = ids.issue("a");
    expect(ids.cancel(id)).toBe(true);
    expect(ids.cancel(id)).toBe(false);
    expect([ids.settle(id), ids.settle(id)]).toEqual([{ kind: "cancelled" }, { kind: "cancelled" }]);
    expect(ids.cancel(999)).toBe(false);
  });

  it("lists the requests of a flow, and gives up all of a connection", () => {
    const ids = new IssuedIds<string>();
    const [first, other, second] = [ids.issue("a"), ids.issue("b"), ids.issue("a")];
    expect(ids.idsOf("a")).toEqual([first, second]);
    expect(ids.abandon()).toEqual([
      [first, "a"],
      [other, "b"],
      [second, "a"],
    ]);
    expect(ids.settle(other)).toEqual({ kind: "cancelled" });
    expect(ids.size).toBe(0);
  });

  it("remembers of the given-up ones only so many, and takes none of them for open or unknown", () => {
    const ids = new IssuedIds<number>();
    for (let count = 0; count < 3000; count += 1) ids.cancel(ids.issue(count));
    expect([ids.settle(1), ids.settle(3000)]).toEqual([{ kind: "finished" }, { kind: "cancelled" }]);
  });

  it("never gives an answer to two", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant("issue"), fc.nat(20)), { maxLength: 60 }), (steps) => {
        const ids = new IssuedIds<number>();
        const answered = new Set<number>();
        let count = 0;
        for (const step of steps) {
          if (step === "issue") {
            count += 1;
            ids.issue(count);
            continue;
          }
          const answer = ids.settle(step);
          if (answer.kind !== "open") continue;
          expect(answered.has(answer.flow)).toBe(false);
          answered.add(answer.flow);
        }
      }),
    );
  });
});
