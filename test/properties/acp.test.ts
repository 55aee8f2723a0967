// The properties of the codecs over the second protocol: what is generated is valid by the published schema, identity, total, and sound with every
// refusal naming a feature or what was expected.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CodecModule, Validators } from "../../runtime/protocol.js";
import { isLowerError, TranslationReport, type Codec } from "../../runtime/index.js";
import { bindCodec, CapabilitySet, DegradePolicy, tables } from "../../runtime/acp.js";
import type { Method, Revision } from "../../generator/model/types.js";
import { loadModel } from "../loaded-model.js";
import { anyJson, payloadOf } from "./arbitrary.js";

const RUNS = 1000;
const model = loadModel("acp");

interface Subject {
  readonly revision: Revision;
  readonly codec: Codec;
  readonly validators: Validators;
}

const subjects: readonly Subject[] = await Promise.all(
  model.revisions.map(async (revision) => {
    const module: CodecModule = await tables.loadCodec(revision.id);
    const profile = CapabilitySet.allFor(revision.id).resolve(revision.id, "stdio");
    return { revision, codec: bindCodec(module, profile), validators: await tables.loadValidators(revision.id) };
  }),
);

/** Tells whether a payload announces a tool call. */
function announced(value: unknown): boolean {
  return (value as { update?: { sessionUpdate?: unknown } } | undefined)?.update?.sessionUpdate === "tool_call";
}

function payloadsOf(revision: Revision): { readonly method: Method; readonly part: "params" | "result" }[] {
  return revision.methods.flatMap((method) => [
    { method, part: "params" as const },
    ...(method.kind === "request" ? [{ method, part: "result" as const }] : []),
  ]);
}

describe.each(subjects.map((subject) => [subject.revision.id, subject] as const))("revision %s", (_, { revision, codec, validators }) => {
  const payloads = payloadsOf(revision);

  it.each(payloads.map(({ method, part }) => [method.name, part, method] as const))("identity: %s %s", (name, part, method) => {
    const validate = validators.get(name)?.[part];
    fc.assert(
      fc.property(payloadOf(model, revision, method, part, { strangers: true }), (value) => {
        expect(validate?.(value ?? {}), `${JSON.stringify(validate?.errors)} in ${JSON.stringify(value)}`).toBe(true);
        const before = structuredClone(value);
        const report = new TranslationReport();
        const back = codec.lower(name, part, codec.lift(name, part, value, report), undefined, report);
        expect(back).toEqual(before);
        expect(back === value).toBe(true);
        expect(report.isEmpty).toBe(true);
      }),
      { numRuns: Math.max(40, Math.ceil(RUNS / payloads.length)) },
    );
  });

  it("total: lift takes any JSON value, and lower throws nothing but a LowerError", () => {
    fc.assert(
      fc.property(fc.constantFrom(...payloads), anyJson, ({ method, part }, value) => {
        const lifted = codec.lift(method.name, part, value);
        expect(codec.lift(method.name, part, lifted)).toBe(lifted);
        try {
          codec.lower(method.name, part, lifted);
        } catch (error) {
          expect(isLowerError(error)).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

const pairs = subjects.flatMap((from) =>
  subjects.filter((to) => to !== from).map((to) => [from.revision.id, to.revision.id, from, to] as const),
);

describe.each(pairs)("from %s to %s", (_from, _to, from, to) => {
  const shared = payloadsOf(from.revision).filter(({ method }) => to.validators.has(method.name));

  it.each(["strict", "balanced", "permissive"] as const)("sound and honest under %s", (preset) => {
    const policy = DegradePolicy[preset]();
    for (const { method, part } of shared) {
      const validate = to.validators.get(method.name)?.[part];
      fc.assert(
        fc.property(payloadOf(model, from.revision, method, part, { strangers: true, foreign: true, unknownMembers: true }), (value) => {
          const report = new TranslationReport();
          const lifted = from.codec.lift(method.name, part, value);
          try {
            const lowered = to.codec.lower(method.name, part, lifted, policy, report);
            expect(
              validate?.(lowered ?? {}),
              `${method.name} ${part}: ${JSON.stringify(validate?.errors)} in ${JSON.stringify(lowered)} from ${JSON.stringify(value)}`,
            ).toBe(true);
            expect(report.isEmpty).toBe(JSON.stringify(lowered) === JSON.stringify(lifted));
          } catch (error) {
            if (!isLowerError(error)) throw error;
            expect(report.isEmpty, "a refusal leaves no step").toBe(true);
          }
        }),
        { numRuns: 60 },
      );
    }
  });

  it("refuses a method that the other revision does not have by the feature that has it", () => {
    for (const { method, part } of payloadsOf(from.revision).filter(({ method: { name } }) => !to.validators.has(name))) {
      try {
        to.codec.lower(method.name, part, {});
        expect.fail(`${method.name} was not refused`);
      } catch (error) {
        expect(isLowerError(error) && error.feature).toBe(model.features[method.feature]?.id);
      }
    }
  });
});

describe("between the two revisions", () => {
  const [v1, v2] = subjects.map((subject) => subject.codec) as [Codec, Codec];

  it.each([
    ["session/update", "params", ["rewrite", "rename", "fill"]],
    ["session/request_permission", "params", ["rewrite"]],
    ["session/new", "result", ["rename"]],
    ["session/set_config_option", "params", ["fill"]],
    ["session/set_config_option", "result", ["rename"]],
  ] as const)("what goes there comes back as it was: %s %s", (name, part, wanted) => {
    const [{ revision }] = subjects as [Subject];
    const method = revision.methods.find((candidate) => candidate.name === name) as Method;
    const actions = new Set<string>();
    fc.assert(
      fc.property(payloadOf(model, revision, method, part, { strangers: true }), (value) => {
        const report = new TranslationReport();
        const policy = DegradePolicy.balanced();
        let there: unknown;
        try {
          there = v2.lower(name, part, v1.lift(name, part, value), policy, report);
        } catch (error) {
          if (!isLowerError(error)) throw error;
          return;
        }
        expect(report.isLossless).toBe(true);
        for (const { action } of report.steps) actions.add(action);
        const back = v1.lower(name, part, v2.lift(name, part, there), policy, report);
        // An announced tool call is an update like any other there, and stays one.
        expect(back).toEqual(announced(value) ? there : value);
      }),
      { numRuns: RUNS },
    );
    expect([...actions].sort()).toEqual([...wanted].sort());
  });

  const text = { type: "text", text: "hello" };
  const chunk = (more: object) => ({ sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: text, ...more } });
  const stdio = { name: "files", command: "/bin/files", args: [], env: [] };

  it.each<readonly [string, Codec, Codec, string, "params" | "result", unknown, unknown]>([
    ["what both know", v1, v2, "session/update", "params", chunk({ messageId: "m" }), chunk({ messageId: "m" })],
    [
      "a child process gets its type",
      v1,
      v2,
      "session/new",
      "params",
      { cwd: "/", mcpServers: [stdio] },
      { cwd: "/", mcpServers: [{ ...stdio, type: "stdio" }] },
    ],
    [
      "and loses it",
      v2,
      v1,
      "session/new",
      "params",
      { cwd: "/", mcpServers: [{ ...stdio, type: "stdio" }] },
      { cwd: "/", mcpServers: [stdio] },
    ],
    [
      "a stranger under the name of a type is left out for it",
      v1,
      v2,
      "session/update",
      "params",
      {
        sessionId: "s",
        update: { sessionUpdate: "available_commands_update", availableCommands: [{ name: "n", description: "", type: {} }] },
      },
      {
        sessionId: "s",
        update: { sessionUpdate: "available_commands_update", availableCommands: [{ name: "n", description: "", type: "command" }] },
      },
    ],
    ["an empty list is written where it has to be", v2, v1, "session/new", "params", { cwd: "/" }, { cwd: "/", mcpServers: [] }],
    [
      "an unknown update within an open revision",
      v2,
      v2,
      "session/update",
      "params",
      { sessionId: "s", update: { sessionUpdate: "_mine", x: 1 } },
      { sessionId: "s", update: { sessionUpdate: "_mine", x: 1 } },
    ],
  ])("passes %s", (_, from, to, method, part, value, expected) => {
    expect(to.lower(method, part, from.lift(method, part, value))).toEqual(expected);
  });

  it.each<readonly [Codec, Codec, string, "params" | "result", unknown, string, string]>([
    [v1, v2, "initialize", "params", { protocolVersion: 1, clientCapabilities: {} }, "lifecycle.named-by-side", "/clientCapabilities"],
    [v2, v1, "initialize", "params", { protocolVersion: 2, info: { name: "n", version: "1" } }, "lifecycle.named-alike", "/info"],
    [v1, v2, "session/update", "params", chunk({}), "updates.message-ids", "/update/messageId"],
    [v1, v2, "session/prompt", "result", { stopReason: "end_turn" }, "prompts.acknowledged", "/messageId"],
    [v2, v1, "session/prompt", "result", { messageId: "m" }, "prompts.acknowledged", "/messageId"],
    [v1, v2, "session/prompt", "params", { sessionId: "s", prompt: [] }, "prompts.not-empty", "/prompt"],
    [v2, v1, "session/update", "params", { sessionId: "s", update: { sessionUpdate: "_mine" } }, "open-unions", "/update"],
    [
      v2,
      v1,
      "session/update",
      "params",
      { sessionId: "s", update: { sessionUpdate: "state_update", state: "idle" } },
      "updates.state",
      "/update",
    ],
    [v1, v2, "session/update", "params", { sessionId: "s", update: { sessionUpdate: "plan", entries: [] } }, "plans.single", "/update"],
  ])("refuses by name what has no counterpart: %#", (from, to, method, part, value, feature, path) => {
    try {
      to.lower(method, part, from.lift(method, part, value));
      expect.fail("was not refused");
    } catch (error) {
      expect(isLowerError(error) && [error.feature, error.path]).toEqual([feature, path]);
    }
  });
});
