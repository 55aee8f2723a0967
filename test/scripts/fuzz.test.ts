// The long run can say no: codecs broken on purpose, one way a property, are found by the lane that is there to find them, with a small value
// and a way back to it; the codecs as they are pass; and the seed alone decides what is tried.
import { describe, expect, it } from "vitest";
import { runCampaign } from "../../scripts/fuzz/campaign.js";
import type { Lane } from "../../scripts/fuzz/lane.js";
import { layLanes, type Bind } from "../../scripts/fuzz/lanes.js";
import { fuzz } from "../../scripts/fuzz.js";
import { bindCodec } from "../../runtime/mcp.js";
import type { Lower, MethodCodec, PayloadCodec } from "../../runtime/protocol.js";

const METHOD = "tools/call";
const OLDEST = "2024-11-05";

/** Binds codecs as usual, but for what the oldest revision makes of the result of one method on the way down. */
function breaking(change: (usual: Lower) => Lower, name = METHOD): Bind {
  return (subject, profile) => {
    if (subject.revision.id !== OLDEST) return bindCodec(subject.module, profile);
    const usual = subject.module.METHODS.get(METHOD) as MethodCodec;
    const { needs: _needs, ...result } = usual.result as PayloadCodec & { readonly lower: Lower };
    const changed: MethodCodec = { ...usual, result: { ...result, lower: change(result.lower) } };
    return bindCodec({ ...subject.module, METHODS: new Map([...subject.module.METHODS, [name, changed]]) }, profile);
  };
}

const refuseAll = breaking((usual) => (value, ctx, depth) => (usual(value, ctx, depth), ctx.refuse(value, "nothing", -1, depth)));
const passAll = breaking(() => (value) => value);
const dropContent = breaking(() => (value) => {
  const { content: _content, ...rest } = value as Record<string, unknown>;
  return { ...rest, content: [] };
});
const copyAll = breaking((usual) => (value, ctx, depth) => ({ ...(usual(value, ctx, depth) as object) }));
const refuseTheOdd = breaking((usual) => (value, ctx, depth) => {
  const ones = ctx.bits.reduce((sum, word) => sum + word.toString(2).replaceAll("0", "").length, 0);
  return ones % 2 === 1 ? ctx.refuse(value, "a peer with one feature less", -1, depth) : usual(value, ctx, depth);
});
const knowTooMuch = breaking(() => (value) => value, "elicitation/create");
const lifting =
  (lift: (value: unknown) => unknown): Bind =>
  (subject, profile) =>
    Object.assign(bindCodec(subject.module, profile), { lift: (_: string, __: string, value: unknown) => lift(value) });
const throwAtLists = lifting((value) => {
  if (Array.isArray(value)) throw new TypeError("a list is not a result");
  return value;
});
const copySilently = lifting((value) => structuredClone(value));

/** Binds codecs that refuse every payload of every method. */
const refuseAllEverywhere: Bind = (subject, profile) => {
  const refusing = (usual: PayloadCodec): PayloadCodec => ({
    ...usual,
    lower: (value, ctx, depth) => ctx.refuse(value, "nothing", -1, depth),
  });
  const methods = [...subject.module.METHODS].map(([name, usual]): [string, MethodCodec] => [
    name,
    { ...usual, params: refusing(usual.params), ...(usual.result === undefined ? {} : { result: refusing(usual.result) }) },
  ]);
  return bindCodec({ ...subject.module, METHODS: new Map(methods) }, profile);
};

function lanesOf(bind: Bind | undefined, property: string): Lane[] {
  return layLanes(bind).filter((lane) => lane.property === property && /tools\/call|elicitation\/create/.test(lane.name));
}

describe("a codec", () => {
  it.each([
    ["that copies everything", "identity", copyAll, "came back as a copy"],
    ["that refuses everything", "identity", refuseAll, "takes nothing here"],
    ["whose lift throws", "total", throwAtLists, "a list is not a result"],
    ["whose lift copies and says nothing", "total", copySilently, "and reports "],
    ["that passes everything on as it is", "sound and honest", passAll, "unsound: "],
    ["that drops content and says nothing", "sound and honest", dropContent, "dishonest: "],
    ["that passes everything on as it is", "exact gate", passAll, "went through without "],
    ["that refuses everything", "exact gate", refuseAll, "was refused though it is valid"],
    ["that refuses peers with an odd number of features", "monotone", refuseTheOdd, "was refused by the larger profile"],
    ["that lowers a method its revision does not have", "refused", knowTooMuch, "came through as "],
  ] as const)("%s breaks: %s", (_, property, bind, why) => {
    const lanes = lanesOf(bind, property);
    const { failure } = runCampaign(lanes, { seed: 7, cases: 20_000, seconds: 60 }, () => undefined);
    expect(failure?.fault).toContain(why);
    expect(failure?.lane).toMatch(new RegExp(`^${property}: .*(${OLDEST}|tools/call)`));
    expect(failure?.value.length, "the value is small").toBeLessThan(700);
    const again = lanes.find((lane) => lane.name === failure?.lane)?.run({ seed: failure!.seed, runs: 1000, path: failure!.path });
    expect(again?.failure?.value).toBe(failure?.value);
    expect(again?.failure?.fault).toContain(why);
  });
});

describe("runCampaign", () => {
  const counting = (name: string, seeds: number[]): Lane => ({
    name,
    property: "counts",
    run: ({ seed, runs }) => (seeds.push(seed), { cases: runs, tally: new Map([["counted", runs]]), failure: undefined }),
  });
  const seedsOf = (seed: number, cases = 500) => {
    const seeds: number[] = [];
    runCampaign(
      ["a", "b", "c"].map((name) => counting(name, seeds)),
      { seed, cases, seconds: 60 },
      () => undefined,
    );
    return seeds;
  };

  it("tries the same with the same seed, and something else with another", () => {
    expect(seedsOf(1)).toEqual(seedsOf(1));
    expect(new Set([...seedsOf(1), ...seedsOf(2)]).size).toBe(50);
  });

  it("stops at as many cases as it was given", () => {
    const seeds: number[] = [];
    const { progress } = runCampaign([counting("a", seeds)], { seed: 1, cases: 50, seconds: 60 }, () => undefined);
    expect([progress.cases, seeds.length]).toEqual([50, 3]);
    expect(progress.tallies).toEqual(new Map([["counts", new Map([["counted", 50]])]]));
  });

  it("begins no lane when the time is up", () => {
    const { progress } = runCampaign([counting("a", [])], { seed: 1, cases: 50, seconds: 0 }, () => undefined);
    expect(progress.cases).toBe(0);
  });
});

describe("npm run fuzz", () => {
  const run = (args: readonly string[], bind?: Bind) => {
    const [told, printed]: [string[], string[]] = [[], []];
    const code = fuzz(
      args,
      (line) => told.push(line),
      (line) => printed.push(line),
      bind,
    );
    return { code, told, printed: printed.join("\n") };
  };

  it("passes the codecs as they are, says the seed first and what it saw last", () => {
    const { code, told, printed } = run(["--cases", "1500", "--seed", "3"]);
    expect(printed).toMatch(/^1500 cases, \d+\/s, seed 3: every property holds\n {2}exact gate: \d+ /);
    expect(told[0]).toBe("seed 3");
    expect(code).toBe(0);
  });

  it("exits 1 at the first broken property, and its last line leads back there", () => {
    const { code, printed } = run(["--cases", "100000", "--seed", "3"], refuseAllEverywhere);
    expect(code).toBe(1);
    const [, lane, seed, path] = /replay: npm run fuzz -- --lane "(.*)" (--seed=\S+) --path "(\S+)"$/.exec(printed) as unknown as string[];
    const again = run(["--lane", lane as string, seed as string, "--path", path as string], refuseAllEverywhere);
    expect(again.code).toBe(1);
    expect(again.printed.split("\n").slice(0, 3)).toEqual(printed.split("\n").slice(0, 3));
    expect(run(["--lane", lane as string, seed as string, "--cases", "20"]).code, "the codec as it is").toBe(0);
  });

  it.each([
    [["--cases", "many"], '--cases takes a whole number, not "many"'],
    [["--seed", "1.5"], '--seed takes a whole number, not "1.5"'],
    [["--lane", "nowhere"], 'no lane is called "nowhere"'],
    [["--lanes", "3"], "Unknown option"],
  ])("refuses %j", (args, says) => {
    expect(() => run(args)).toThrow(says);
  });
});
