// The properties can say no: codecs broken on purpose, one way each, are caught by the property that is there to catch them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bindCodec, DegradePolicy } from "../../runtime/mcp.js";
import { isLowerError, TranslationReport, type Codec } from "../../runtime/index.js";
import type { CodecModule, Lower, MethodCodec } from "../../runtime/protocol.js";
import { payloadOf } from "./arbitrary.js";
import { Needs } from "./needs.js";
import { fullProfile, model, subjectOf } from "./subject.js";

const METHOD = "tools/call";
const old = subjectOf("2024-11-05");
const newest = subjectOf("2026-07-28");
const method = old.revision.methods.find((entry) => entry.name === METHOD)!;
const needs = new Needs(model);
const results = fc.oneof(
  payloadOf(model, old.revision, method, "result", { strangers: false }),
  payloadOf(
    model,
    newest.revision,
    newest.revision.methods.find((entry) => entry.name === METHOD)!,
    "result",
    { strangers: false },
  ),
);

/** Gives the oldest codec with the lowering of one result replaced. */
function broken(lower: (usual: Lower) => Lower): Codec {
  const usual = old.module.METHODS.get(METHOD) as MethodCodec;
  const { needs: _needs, ...result } = usual.result!;
  const changed: MethodCodec = { ...usual, result: { ...result, lower: lower(result.lower!) } };
  const module: CodecModule = { ...old.module, METHODS: new Map([...old.module.METHODS, [METHOD, changed]]) };
  return bindCodec(module, fullProfile("2024-11-05"));
}

const sound = (codec: Codec) =>
  fc.property(results, (value) => {
    const lowered = attempt(() => codec.lower(METHOD, "result", value, DegradePolicy.permissive()));
    return lowered === undefined || old.validators.get(METHOD)?.result?.(lowered.value) === true;
  });

const exact = (codec: Codec) =>
  fc.property(results, (value) => {
    const missing = needs.missing(old.revision, method, "result", value, fullProfile("2024-11-05"));
    return (attempt(() => codec.lower(METHOD, "result", value)) === undefined) === missing.size > 0;
  });

const honest = (codec: Codec) =>
  fc.property(results, (value) => {
    const report = new TranslationReport();
    const lowered = attempt(() => codec.lower(METHOD, "result", value, DegradePolicy.permissive(), report));
    return lowered === undefined || report.isEmpty === (JSON.stringify(lowered.value) === JSON.stringify(value));
  });

const drop: Lower = (value) => {
  const { content: _content, ...rest } = value as Record<string, unknown>;
  return { ...rest, content: [] };
};

describe("the codec as generated", () => {
  it.each([
    ["sound", sound],
    ["exact", exact],
    ["honest", honest],
  ])("is %s", (_, property) => {
    expect(fc.check(property(broken((usual) => usual)), { numRuns: 200 }).failed).toBe(false);
  });
});

describe("a codec", () => {
  it.each([
    ["that passes everything on as it is", "unsound", sound, (): Lower => (value) => value],
    ["that passes everything on as it is", "too generous", exact, (): Lower => (value) => value],
    [
      "that refuses everything",
      "too strict",
      exact,
      (usual: Lower): Lower =>
        (value, ctx, depth) => (usual(value, ctx, depth), ctx.refuse(value, "nothing", -1, depth)),
    ],
    ["that drops content and says nothing", "dishonest", honest, (): Lower => drop],
  ] as const)("%s is found %s", (_, __, property, lower) => {
    const details = fc.check(property(broken(lower)), { numRuns: 500 });
    expect(details.failed).toBe(true);
    expect(details.counterexample).not.toBeNull();
  });
});

function attempt(run: () => unknown): { readonly value: unknown } | undefined {
  try {
    return { value: run() };
  } catch (error) {
    if (isLowerError(error)) return undefined;
    throw error;
  }
}
