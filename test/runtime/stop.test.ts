// What ends a wait, held against the AbortController it stands in for.
import { describe, expect, it } from "vitest";
import { Stopper } from "../../runtime/stop.js";

describe.each([
  ["a Stopper", () => new Stopper()],
  ["an AbortController", () => new AbortController()],
])("%s", (_, make) => {
  it("tells its listeners once, in their order, with the reason at hand", () => {
    const stopper = make();
    const { signal } = stopper;
    const told: unknown[] = [];
    for (const name of ["first", "second", "third"]) signal.addEventListener("abort", () => told.push([name, signal.reason]));
    expect(signal.aborted).toBe(false);
    stopper.abort("enough");
    stopper.abort("again");
    expect(signal.aborted).toBe(true);
    expect(told).toEqual([
      ["first", "enough"],
      ["second", "enough"],
      ["third", "enough"],
    ]);
  });

  it("tells nobody who listens no longer, or only since the end, and nobody twice", () => {
    const stopper = make();
    const { signal } = stopper;
    let told = 0;
    const listen = (): void => void (told += 1);
    const other = (): void => void (told += 10);
    signal.addEventListener("abort", listen);
    signal.addEventListener("abort", listen);
    signal.addEventListener("abort", other);
    signal.removeEventListener("abort", other);
    stopper.abort();
    signal.addEventListener("abort", listen);
    expect(told).toBe(1);
    const late = make();
    late.signal.addEventListener("abort", listen);
    late.signal.removeEventListener("abort", listen);
    late.abort();
    expect(told).toBe(1);
  });
});
