// Messages of the second protocol, valid and not: what is valid passes its own revision unchanged and reaches the other as the table says, by its
// counterpart or by a refusal that names the feature; what is known to be wrong is rejected.
import { describe, expect, it } from "vitest";
import { bindCodec, CapabilitySet, DegradePolicy, ERROR_CODES, REVISIONS, tables } from "../../runtime/acp.js";
import { isLowerError, TranslationReport, type Codec } from "../../runtime/index.js";
import type { Validators } from "../../runtime/protocol.js";
import { V1_MESSAGES, V2_MESSAGES, WRONG_MESSAGES, type Elsewhere, type Message } from "./acp-messages.js";

type Part = Message[1];

interface Subject {
  readonly revision: string;
  readonly codec: Codec;
  readonly validators: Validators;
}

const [v1, v2] = (await Promise.all(REVISIONS.map(({ revision }) => subjectOf(revision)))) as [Subject, Subject];

async function subjectOf(revision: string): Promise<Subject> {
  const profile = CapabilitySet.allFor(revision).resolve(revision, "stdio");
  return { revision, codec: bindCodec(await tables.loadCodec(revision), profile), validators: await tables.loadValidators(revision) };
}

function faultsOf({ validators }: Subject, method: string, part: Part, value: unknown): readonly unknown[] {
  const validate = validators.get(method)?.[part];
  if (validate === undefined) return [`${method} has no ${part}`];
  return validate(value) ? [] : [...(validate.errors ?? ["no fault given"])];
}

/** Gives what a message becomes at a revision, in the words of the table, by a policy that loses no content; without one each place is refused. */
function fate(from: Subject, to: Subject, [method, part, , value]: Message, policy = DegradePolicy.balanced()): Elsewhere {
  const report = new TranslationReport();
  try {
    const lowered = to.codec.lower(method, part, from.codec.lift(method, part, value, report), policy, report);
    expect(faultsOf(to, method, part, lowered)).toEqual([]);
    expect(report.isLossless).toBe(true);
    return lowered === value ? "same" : { becomes: lowered };
  } catch (error) {
    if (!isLowerError(error)) throw error;
    expect(error.cite, error.message).toBeDefined();
    return [error.feature ?? "nothing", error.path];
  }
}

/** Lists the payloads of a revision that no message of a list is of. */
function unseen({ revision }: Subject, messages: readonly Message[]): readonly string[] {
  const seen = new Set(messages.map(([method, part]) => `${method} ${part}`));
  const payloads = (tables.methods[revision] ?? []).flatMap(({ method, kind }) => [
    `${method} params`,
    ...(kind === "request" ? [`${method} result`] : []),
  ]);
  return payloads.filter((payload) => !seen.has(payload));
}

/** Lists the members of a union that no message of a list holds: `tag` is what tells them apart. */
function unheld({ codec }: Subject, union: readonly string[], tag: string, messages: readonly Message[]): readonly string[] {
  const text = JSON.stringify(messages.map(([, , , value]) => value));
  return union.filter((name) => !text.includes(`"${tag}":"${name}"`)).map((name) => `${codec.version} ${name}`);
}

const CONTENT = ["text", "image", "audio", "resource_link", "resource"];
const UPDATES = [
  "user_message_chunk",
  "agent_message_chunk",
  "agent_thought_chunk",
  "tool_call_update",
  "available_commands_update",
  "config_option_update",
  "session_info_update",
  "usage_update",
  "notice",
  "compaction_update",
  "compaction_summary_chunk",
];
const UPDATES_OF_V1 = [...UPDATES, "tool_call", "plan", "current_mode_update"];
const UPDATES_OF_V2 = [
  ...UPDATES,
  "user_message",
  "agent_message",
  "agent_thought",
  "state_update",
  "tool_call_content_chunk",
  "terminal_update",
  "terminal_output_chunk",
  "plan_update",
];

describe.each([
  ["v1", v1, v2, V1_MESSAGES, UPDATES_OF_V1, ["tool_call", "plan", "for a tool call"]],
  ["v2", v2, v1, V2_MESSAGES, UPDATES_OF_V2, ["plan_update of the plan called main", "for a tool call"]],
] as const)("messages of %s", (_, own, other, messages, updates, rewritten) => {
  it("are of every payload, every update and every content", () => {
    expect(unseen(own, messages)).toEqual([]);
    expect(unheld(own, updates, "sessionUpdate", messages)).toEqual([]);
    expect(unheld(own, CONTENT, "type", messages)).toEqual([]);
    expect(messages.length).toBeGreaterThan(100);
  });

  it.each(messages)("%s %s: %s", (...message) => {
    const [method, part, , value, elsewhere] = message;
    expect(faultsOf(own, method, part, value)).toEqual([]);
    expect(fate(own, own, message)).toBe("same");
    expect(fate(own, other, message)).toEqual(elsewhere);
  });

  it("take another form only where a policy orders it", () => {
    const ordered = messages.filter((message) => {
      const strictly = fate(own, other, message, DegradePolicy.strict());
      return Array.isArray(strictly) && !Array.isArray(message[4]);
    });
    expect(ordered.map(([, , name]) => name)).toEqual(rewritten);
  });
});

const S = { sessionId: "session-7" };
const says = (sessionUpdate: string, more: object) => ({ ...S, update: { sessionUpdate, ...more } });

describe("known to be wrong", () => {
  it.each(WRONG_MESSAGES)("at %s: %s, %s %s", (at, _, method, part, value) => {
    expect(faultsOf(at === "v1" ? v1 : v2, method, part, value)).not.toEqual([]);
  });
});

describe("the drafts of v2 drifted under one number, and this one", () => {
  it.each<readonly [name: string, method: string, part: Part, value: unknown, isValid: boolean]>([
    ["names the message a prompt became", "session/prompt", "result", { messageId: "m-1" }, true],
    ["does not answer a prompt with nothing", "session/prompt", "result", {}, false],
    ["cancels one tool call", "tool_call/cancel", "params", { ...S, toolCallId: "t-1" }, true],
    ["cancels one terminal", "terminal/cancel", "params", { ...S, terminalId: "terminal-3" }, true],
    ["withdraws no request of null", "$/cancel_request", "params", { requestId: null }, false],
    [
      "asks for no request of null",
      "elicitation/create",
      "params",
      { requestId: null, mode: "url", message: "", elicitationId: "e", url: "https://e.example" },
      false,
    ],
    ["says why it is idle", "session/update", "params", says("state_update", { state: "idle", stopReason: "max_tokens" }), true],
    [
      "tells of work in the background",
      "session/update",
      "params",
      says("state_update", { state: "idle", background: [{ type: "tool_call", toolCallId: "t-1" }] }),
      true,
    ],
    ["has notices", "session/update", "params", says("notice", { severity: "info", title: "Rain" }), true],
    ["has no notice of nothing", "session/update", "params", says("notice", { severity: "info" }), false],
    [
      "has compaction",
      "session/update",
      "params",
      says("compaction_update", { compactionId: "c-1", status: "failed", error: "no room" }),
      true,
    ],
    ["has no compaction of no status", "session/update", "params", says("compaction_update", { compactionId: "c-1" }), false],
  ])("%s", (_, method, part, value, isValid) => {
    expect(faultsOf(v2, method, part, value).length === 0).toBe(isValid);
  });

  it.each([
    ["SESSION_NOT_FOUND", -32002],
    ["UNSUPPORTED_PROTOCOL_VERSION", -32022],
  ] as const)("has the error %s, which v1 has not", (name, code) => {
    expect(ERROR_CODES["v2-sdk-2.4.0"][name]).toBe(code);
    expect(ERROR_CODES["v1-sdk-2.4.0"]).not.toHaveProperty(name);
  });
});

describe("what an open union takes that the closed one did not", () => {
  it.each([
    ["an announced tool call", says("tool_call", { toolCallId: "t-1", title: "Dig" }), "tool-calls.announced"],
    ["a single plan", says("plan", { entries: [] }), "plans.single"],
    ["a mode", says("current_mode_update", { currentModeId: "dig" }), "session-modes"],
  ])("%s is valid at v2 as a stranger, and yet nothing is lowered to it", (_, value, feature) => {
    expect(faultsOf(v2, "session/update", "params", value)).toEqual([]);
    const message: Message = ["session/update", "params", "", value, "same"];
    expect(fate(v1, v2, message, DegradePolicy.strict())).toEqual([feature, "/update"]);
  });
});

describe("ways to authenticate", () => {
  const old = [
    { id: "key", name: "API key" },
    { id: "shell", type: "terminal", name: "In a shell", args: ["login"], env: { LANG: "C" } },
  ];
  const now = [
    { type: "agent", methodId: "key", name: "API key" },
    { type: "terminal", methodId: "shell", name: "In a shell", args: ["login"], env: [{ name: "LANG", value: "C" }] },
  ];
  const lower = ({ codec }: Subject, value: object, report: TranslationReport, policy = DegradePolicy.balanced()) =>
    codec.lower("initialize", "result", value, policy, report);

  it("are those of the other revision, as far as the rest of the result is", () => {
    const [up, down] = [new TranslationReport(), new TranslationReport()];
    const info = { name: "gardener", version: "1" };
    expect(lower(v2, { protocolVersion: 2, info, authMethods: old }, up)).toEqual({ protocolVersion: 2, info, authMethods: now });
    expect(lower(v1, { protocolVersion: 1, authMethods: now }, down)).toEqual({ protocolVersion: 1, authMethods: old });
    expect([up.isLossless, down.isLossless]).toEqual([true, true]);
  });

  it("are refused where a variable is named twice", () => {
    const [, shell] = now;
    const twice = { ...shell, env: [1, 2].map((value) => ({ name: "LANG", value: String(value) })) };
    expect(() => lower(v1, { protocolVersion: 1, authMethods: [twice] }, new TranslationReport())).toThrow("auth.methods.typed");
  });

  it.each(["v1", "v2"])("leave out the terminal for a client of %s that has none, unless the policy is strict", async (name) => {
    const { revision } = name === "v1" ? v1 : v2;
    const profile = CapabilitySet.allFor(revision).withClient({}).resolve(revision, "stdio");
    const codec = bindCodec(await tables.loadCodec(revision), profile);
    const result = name === "v1" ? { protocolVersion: 1 } : { protocolVersion: 2, info: { name: "gardener", version: "1" } };
    const methods = name === "v1" ? old : now;
    const report = new TranslationReport();
    const lowered = codec.lower("initialize", "result", { ...result, authMethods: methods }, DegradePolicy.balanced(), report);
    expect(lowered).toEqual({ ...result, authMethods: [methods[0]] });
    expect(report.steps).toEqual([{ feature: "auth.terminal", action: "skip", path: "/authMethods/1", loss: "advisory" }]);
    expect(() => codec.lower("initialize", "result", { ...result, authMethods: methods })).toThrow("auth.terminal");
  });
});

describe("a property under both its names", () => {
  const option = { id: "tone", configId: "mine", type: "boolean", name: "Tone", currentValue: true };

  it("is refused, for nobody says which counts", () => {
    const message: Message = ["session/new", "result", "", { ...S, configOptions: [option] }, "same"];
    expect(fate(v1, v2, message)).toEqual(["config-options.plain-ids", "/configOptions/0/id"]);
    expect(fate(v2, v1, message)).toEqual(["config-options.named-ids", "/configOptions/0/configId"]);
  });

  it("is left alone where what stands under the other is none", () => {
    const stranger = { ...option, configId: 7 };
    const report = new TranslationReport();
    const lowered = v2.codec.lower("session/new", "result", { ...S, configOptions: [stranger] }, DegradePolicy.strict(), report);
    expect(lowered).toEqual({ ...S, configOptions: [{ configId: "tone", type: "boolean", name: "Tone", currentValue: true }] });
    expect(report.steps.map(({ action, path, loss }) => [action, path, loss])).toEqual([
      ["drop-stray", "/configOptions/0/configId", "content"],
      ["rename", "/configOptions/0/id", "none"],
    ]);
  });
});

describe("what only its meaning tells apart passes, because both revisions write it alike", () => {
  it.each([
    ["null, which leaves a field alone at v1 and empties it at v2", { title: null, status: null }],
    ["a terminal, which is the client's at v1 and the agent's at v2", { content: [{ type: "terminal", terminalId: "terminal-3" }] }],
  ])("%s", (_, more) => {
    const message: Message = ["session/update", "params", "", says("tool_call_update", { toolCallId: "t-1", ...more }), "same"];
    expect([fate(v1, v2, message), fate(v2, v1, message)]).toEqual(["same", "same"]);
  });
});
