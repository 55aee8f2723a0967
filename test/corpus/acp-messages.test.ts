// Messages of the second protocol, valid and not: what is valid passes its own revision unchanged and reaches the other as the table says, by its
// counterpart or by a refusal that names the feature; what is known to be wrong is rejected.
import { describe, expect, it } from "vitest";
import { bindCodec, CapabilitySet, ERROR_CODES, REVISIONS, tables } from "../../runtime/acp.js";
import { isLowerError, TranslationReport, type Codec } from "../../runtime/index.js";
import type { Validators } from "../../runtime/protocol.js";
import { V1_MESSAGES, V2_MESSAGES, type Elsewhere, type Message } from "./acp-messages.js";

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

/** Gives what a message becomes at a revision, in the words of the table. */
function fate(from: Subject, to: Subject, [method, part, , value]: Message): Elsewhere {
  const report = new TranslationReport();
  try {
    const lowered = to.codec.lower(method, part, from.codec.lift(method, part, value, report), undefined, report);
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
  ["v1", v1, v2, V1_MESSAGES, UPDATES_OF_V1],
  ["v2", v2, v1, V2_MESSAGES, UPDATES_OF_V2],
] as const)("messages of %s", (_, own, other, messages, updates) => {
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
});

const S = { sessionId: "session-7" };
const NAMED = { name: "trowel", version: "1" };
const LINKED = { type: "resource_link", uri: "file:///garden", name: "garden" };
const PERMIT = [{ optionId: "yes", name: "Go ahead", kind: "allow_once" }];
const says = (sessionUpdate: string, more: object) => ({ ...S, update: { sessionUpdate, ...more } });
const call = (more: object) => says("tool_call_update", { toolCallId: "t-1", ...more });
const offers = (capabilities: object) => ({ protocolVersion: 2, info: NAMED, capabilities });

describe("known to be wrong", () => {
  it.each<readonly [at: string, Subject, name: string, method: string, part: Part, value: unknown]>([
    ["v1", v1, "a mode update that names it modeId", "session/update", "params", says("current_mode_update", { modeId: "dig" })],
    ["v1", v1, "a bare block as content of a tool call", "session/update", "params", call({ content: [{ type: "text", text: "dug" }] })],
    ["v1", v1, "an update nobody knows", "session/update", "params", says("_weather", {})],
    ["v1", v1, "a tool kind nobody knows", "session/update", "params", call({ kind: "_water" })],
    ["v1", v1, "a paused tool call", "session/update", "params", call({ status: "paused" })],
    ["v1", v1, "usage of null", "session/update", "params", says("usage_update", { used: null, size: 9 })],
    ["v1", v1, "a number in words", "initialize", "params", { protocolVersion: "1" }],
    ["v1", v1, "an object for a flag", "initialize", "result", { protocolVersion: 1, agentCapabilities: { loadSession: {} } }],
    ["v1", v1, "no servers", "session/new", "params", { cwd: "/garden" }],
    ["v1", v1, "a server with its lists left out", "session/new", "params", { cwd: "/", mcpServers: [{ name: "soil", command: "/soil" }] }],
    ["v1", v1, "a flag without its type", "session/set_config_option", "params", { ...S, configId: "quiet", value: true }],
    ["v1", v1, "no reason to stop", "session/prompt", "result", {}],
    ["v2", v2, "an option without its type", "session/set_config_option", "params", { ...S, configId: "tone", value: "brief" }],
    ["v2", v2, "true for a mode of elicitation", "initialize", "params", offers({ elicitation: { form: true } })],
    ["v2", v2, "true for authentication in a terminal", "initialize", "params", offers({ auth: { terminal: true } })],
    ["v2", v2, "true for sessions", "initialize", "result", offers({ session: true })],
    ["v2", v2, "true for images", "initialize", "result", offers({ session: { prompt: { image: true } } })],
    ["v2", v2, "true for servers over HTTP", "initialize", "result", offers({ session: { mcp: { http: true } } })],
    ["v2", v2, "true for deletion", "initialize", "result", offers({ session: { delete: true } })],
    ["v2", v2, "a client without a name", "initialize", "params", { protocolVersion: 2, capabilities: {} }],
    ["v2", v2, "a client named as before", "initialize", "params", { protocolVersion: 2, clientInfo: NAMED, clientCapabilities: {} }],
    [
      "v2",
      v2,
      "variables as a map",
      "initialize",
      "result",
      { protocolVersion: 2, info: NAMED, authMethods: [{ type: "terminal", methodId: "m", name: "M", env: { LANG: "C" } }] },
    ],
    ["v2", v2, "a server without its type", "session/new", "params", { cwd: "/garden", mcpServers: [{ name: "soil", command: "/soil" }] }],
    ["v2", v2, "a chunk of no message", "session/update", "params", says("agent_message_chunk", { content: { type: "text", text: "" } })],
    ["v2", v2, "a known tag with a bad body", "session/update", "params", says("state_update", {})],
    ["v2", v2, "a diff as before", "session/update", "params", call({ content: [{ type: "diff", path: "/garden", newText: "fern" }] })],
    ["v2", v2, "a plan of no id", "session/update", "params", says("plan_update", { plan: { type: "items", entries: [] } })],
    ["v2", v2, "a line numbered nought", "session/update", "params", call({ locations: [{ path: "/garden", line: 0 }] })],
    ["v2", v2, "a prompt of nothing", "session/prompt", "params", { ...S, prompt: [] }],
    ["v2", v2, "a text of nothing", "session/prompt", "params", { ...S, prompt: [{ type: "text" }] }],
    ["v2", v2, "a size below nought", "session/prompt", "params", { ...S, prompt: [{ ...LINKED, size: -1 }] }],
    ["v2", v2, "a priority above one", "session/prompt", "params", { ...S, prompt: [{ ...LINKED, annotations: { priority: 2 } }] }],
    ["v2", v2, "a permission without options", "session/request_permission", "params", { ...S, title: "May I?", options: [] }],
    [
      "v2",
      v2,
      "a permission as before",
      "session/request_permission",
      "params",
      { ...S, toolCall: { toolCallId: "t-1" }, options: PERMIT },
    ],
    [
      "v2",
      v2,
      "an option to choose with nothing to choose",
      "session/set_config_option",
      "result",
      { configOptions: [{ configId: "tone", type: "select", name: "Tone", currentValue: "brief", options: [] }] },
    ],
  ])("%#. at %s: %s", (at, subject, _, method, part, value) => {
    expect(subject.revision.startsWith(at)).toBe(true);
    expect(faultsOf(subject, method, part, value)).not.toEqual([]);
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
    expect(fate(v1, v2, ["session/update", "params", "", value, "same"])).toEqual([feature, "/update"]);
  });
});
