// Messages of the second protocol: for each revision at least one of every payload of every method, every kind of update and of content, and what
// the other revision makes of each. The shapes are those the schemas and the documentation show; the values are our own.
import type { Part } from "../../runtime/codec.js";

/** What a message becomes at the other revision: itself, another one, or a refusal by a feature at a path. */
export type Elsewhere = "same" | { readonly becomes: unknown } | readonly [feature: string, path: string];

/** One payload, valid at its revision. */
export type Message = readonly [method: string, part: Part, name: string, value: unknown, elsewhere: Elsewhere];

/** Gives what a message becomes: another one. */
const becomes = (value: unknown): Elsewhere => ({ becomes: value });

const SESSION = { sessionId: "session-7" };
const TERMINAL = { ...SESSION, terminalId: "terminal-3" };
const TEXT = { type: "text", text: "Water the ferns." };
const LINK = { type: "resource_link", uri: "file:///garden/beds.md", name: "beds.md" };

/** Every kind of content that both revisions have, by its name. */
const CONTENT: readonly (readonly [name: string, block: object])[] = [
  ["text", { ...TEXT, annotations: { audience: ["user"], priority: 0.5, lastModified: "2026-04-01T08:00:00Z" } }],
  ["an image", { type: "image", data: "aWNlcnk=", mimeType: "image/png", uri: "file:///garden/rose.png" }],
  ["audio", { type: "audio", data: "YmVlcw==", mimeType: "audio/ogg" }],
  ["a link", { ...LINK, title: "Beds", description: "What grows where", mimeType: "text/markdown", size: 640 }],
  ["an embedded text", { type: "resource", resource: { uri: "file:///garden/soil.txt", text: "loam", mimeType: "text/plain" } }],
  ["an embedded blob", { type: "resource", resource: { uri: "file:///garden/map.bin", blob: "bWFw" } }],
];

const FORM = {
  type: "object",
  title: "Planting",
  required: ["plant"],
  properties: {
    plant: { type: "string", title: "Plant", minLength: 2, maxLength: 30, default: "fern" },
    contact: { type: "string", format: "email" },
    bed: { type: "string", enum: ["north", "south"] },
    light: { type: "string", oneOf: [{ const: "sun", title: "Full sun" }] },
    count: { type: "integer", minimum: 1, maximum: 12 },
    depth: { type: "number", minimum: 0.5 },
    mulch: { type: "boolean", default: true },
    tools: { type: "array", minItems: 1, items: { type: "string", enum: ["spade", "rake"] } },
    helpers: { type: "array", items: { anyOf: [{ const: "ada", title: "Ada" }] } },
  },
};

const STDIO = { name: "soil", command: "/opt/soil", args: ["--quiet"], env: [{ name: "UNIT", value: "ph" }] };
const HTTP = { type: "http", name: "weather", url: "https://weather.example/mcp", headers: [{ name: "X-Plot", value: "7" }] };
const LISTED = { sessions: [{ ...SESSION, cwd: "/garden", title: "Beds", updatedAt: "2026-04-01T08:00:00Z" }], nextCursor: "page-2" };
const ALLOW = { optionId: "yes", name: "Go ahead", kind: "allow_once" };
const OPTIONS = [ALLOW, { optionId: "no", name: "Not now", kind: "reject_once" }];
const LOCATED = { locations: [{ path: "/garden/beds.md", line: 4 }], rawInput: { bed: "north" }, rawOutput: { done: true } };

/** What both revisions say alike. */
const BOTH: readonly Message[] = [
  ["$/cancel_request", "params", "by number", { requestId: 4 }, "same"],
  ["$/cancel_request", "params", "by name", { requestId: "ask-4" }, "same"],
  ["session/cancel", "params", "a session", SESSION, "same"],
  ["session/list", "params", "everything", {}, "same"],
  ["session/list", "params", "a page of one folder", { cwd: "/garden", cursor: "page-1" }, "same"],
  ["session/list", "result", "one session", LISTED, "same"],
  ["session/list", "result", "none", { sessions: [] }, "same"],
  ["session/resume", "result", "nothing to say", {}, "same"],
  ["session/close", "params", "a session", SESSION, "same"],
  ["session/close", "result", "done", {}, "same"],
  ["session/delete", "params", "a session", SESSION, "same"],
  ["session/delete", "result", "done", {}, "same"],
  ["session/new", "params", "over HTTP", { cwd: "/garden", mcpServers: [HTTP] }, "same"],
  ["session/new", "params", "more folders", { cwd: "/garden", additionalDirectories: ["/shed"], mcpServers: [] }, "same"],
  ["session/new", "result", "an id", SESSION, "same"],
  ["session/resume", "params", "without servers", { ...SESSION, cwd: "/garden" }, "same"],
  ["session/prompt", "params", "a text and a link", { ...SESSION, prompt: [TEXT, LINK] }, "same"],
  ...CONTENT.map(([name, block]): Message => ["session/prompt", "params", name, { ...SESSION, prompt: [block] }, "same"]),
  ...["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"].flatMap((kind) =>
    CONTENT.map(([name, content]) => update(`${kind} of ${name}`, { sessionUpdate: kind, content, messageId: "m-1" }, "same")),
  ),
  update("tool_call_update with content", toolCall({ content: [{ type: "content", content: TEXT }] }), "same"),
  update(
    "tool_call_update with everything else",
    toolCall({ ...LOCATED, name: "dig", kind: "edit", status: "completed", title: "Dig" }),
    "same",
  ),
  update("tool_call_update with nothing new", toolCall({}), "same"),
  update("tool_call_update with nulls", toolCall({ title: null, status: null, content: null, locations: null }), "same"),
  update("session_info_update", { sessionUpdate: "session_info_update", title: "Beds", updatedAt: "2026-04-01T08:00:00Z" }, "same"),
  update("usage_update", { sessionUpdate: "usage_update", used: 900, size: 2000, cost: { amount: 0.25, currency: "EUR" } }, "same"),
  update("notice", { sessionUpdate: "notice", severity: "warning", title: "Frost tonight", description: "Cover the ferns." }, "same"),
  update("compaction_update", { sessionUpdate: "compaction_update", compactionId: "c-1", status: "completed", summary: [TEXT] }, "same"),
  update("compaction_summary_chunk", { sessionUpdate: "compaction_summary_chunk", compactionId: "c-1", content: TEXT }, "same"),
  update("no commands", { sessionUpdate: "available_commands_update", availableCommands: [] }, "same"),
  ["session/request_permission", "result", "chosen", { outcome: { outcome: "selected", optionId: "yes" } }, "same"],
  ["session/request_permission", "result", "withdrawn", { outcome: { outcome: "cancelled" } }, "same"],
  [
    "elicitation/create",
    "params",
    "a form in a session",
    { ...SESSION, mode: "form", message: "What?", requestedSchema: FORM, toolCallId: "t-1" },
    "same",
  ],
  ["elicitation/create", "params", "a form for a request", { requestId: 9, mode: "form", message: "What?", requestedSchema: FORM }, "same"],
  [
    "elicitation/create",
    "params",
    "a page in a session",
    { ...SESSION, mode: "url", message: "Pay", elicitationId: "e-1", url: "https://pay.example/e-1" },
    "same",
  ],
  [
    "elicitation/create",
    "params",
    "a page for a request",
    { requestId: "r", mode: "url", message: "Pay", elicitationId: "e-1", url: "https://pay.example/e-1" },
    "same",
  ],
  ["elicitation/create", "params", "a mode to come", { ...SESSION, mode: "_voice", message: "Say it" }, "same"],
  [
    "elicitation/create",
    "result",
    "filled in",
    { action: "accept", content: { plant: "fern", count: 3, mulch: true, tools: ["rake"] } },
    "same",
  ],
  ["elicitation/create", "result", "declined", { action: "decline" }, "same"],
  ["elicitation/create", "result", "withdrawn", { action: "cancel" }, "same"],
  ["elicitation/complete", "params", "a page", { elicitationId: "e-1" }, "same"],
];

/** The messages of v1. */
export const V1_MESSAGES: readonly Message[] = [
  ...BOTH,
  [
    "initialize",
    "params",
    "a client that can everything",
    {
      protocolVersion: 1,
      clientInfo: { name: "trowel", title: "Trowel", version: "3.1" },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        auth: { terminal: true },
        elicitation: { form: {}, url: {} },
        session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
      },
    },
    ["lifecycle.named-by-side", "/clientCapabilities"],
  ],
  ["initialize", "params", "a number alone", { protocolVersion: 1 }, ["lifecycle.named-alike", "/info"]],
  [
    "initialize",
    "result",
    "an agent that can everything",
    {
      protocolVersion: 1,
      agentInfo: { name: "gardener", version: "0.4" },
      authMethods: [
        { id: "key", name: "API key", description: "From your account" },
        { id: "shell", type: "terminal", name: "In a shell", args: ["login"], env: { LANG: "C" } },
      ],
      agentCapabilities: {
        loadSession: true,
        auth: { logout: {} },
        mcpCapabilities: { http: true, sse: true },
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      },
    },
    ["lifecycle.named-by-side", "/agentCapabilities"],
  ],
  ["initialize", "result", "a number alone", { protocolVersion: 1 }, ["lifecycle.named-alike", "/info"]],
  ["authenticate", "params", "one of the ways", { methodId: "key" }, ["auth.authenticate", ""]],
  ["authenticate", "result", "done", {}, ["auth.authenticate", ""]],
  ["logout", "params", "plain", {}, ["auth.log-out", ""]],
  ["logout", "result", "done", {}, ["auth.log-out", ""]],
  [
    "session/new",
    "params",
    "a child process",
    { cwd: "/garden", mcpServers: [STDIO] },
    becomes({ cwd: "/garden", mcpServers: [{ ...STDIO, type: "stdio" }] }),
  ],
  [
    "session/new",
    "params",
    "over server-sent events",
    { cwd: "/garden", mcpServers: [{ type: "sse", name: "old", url: "https://old.example/sse", headers: [] }] },
    ["mcp-servers.sse", "/mcpServers/0"],
  ],
  ["session/new", "result", "with modes", { ...SESSION, modes: modes() }, ["session-modes", "/modes"]],
  [
    "session/new",
    "result",
    "with options",
    { ...SESSION, configOptions: [select("id", "group")] },
    becomes({ ...SESSION, configOptions: [select("configId", "groupId")] }),
  ],
  [
    "session/load",
    "params",
    "a session",
    { ...SESSION, cwd: "/garden", mcpServers: [], additionalDirectories: ["/shed"] },
    ["sessions.load", ""],
  ],
  ["session/load", "result", "with modes", { modes: modes() }, ["sessions.load", ""]],
  ["session/resume", "params", "with a server", { ...SESSION, cwd: "/garden", mcpServers: [HTTP] }, "same"],
  ["session/resume", "result", "with modes", { modes: modes() }, ["session-modes", "/modes"]],
  ["session/set_mode", "params", "a mode", { ...SESSION, modeId: "dig" }, ["session-modes", ""]],
  ["session/set_mode", "result", "done", {}, ["session-modes", ""]],
  [
    "session/set_config_option",
    "params",
    "a value",
    { ...SESSION, configId: "tone", value: "brief" },
    becomes({ ...SESSION, configId: "tone", value: "brief", type: "id" }),
  ],
  ["session/set_config_option", "params", "on or off", { ...SESSION, configId: "quiet", type: "boolean", value: true }, "same"],
  [
    "session/set_config_option",
    "result",
    "with options",
    { configOptions: [toggle("id")] },
    becomes({ configOptions: [toggle("configId")] }),
  ],
  ["session/prompt", "params", "nothing", { ...SESSION, prompt: [] }, ["prompts.not-empty", "/prompt"]],
  ...["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"].map((stopReason): Message => [
    "session/prompt",
    "result",
    stopReason,
    { stopReason },
    ["prompts.acknowledged", "/messageId"],
  ]),
  ...["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"].map((kind) =>
    update(`${kind} of no message`, { sessionUpdate: kind, content: TEXT }, ["updates.message-ids", "/update/messageId"]),
  ),
  update(
    "tool_call",
    { ...toolCall({ title: "Dig", kind: "edit", status: "pending", ...LOCATED }), sessionUpdate: "tool_call" },
    becomes(updated(toolCall({ title: "Dig", kind: "edit", status: "pending", ...LOCATED }))),
  ),
  update(
    "tool_call with a diff",
    {
      ...toolCall({ title: "Dig", content: [{ type: "diff", path: "/garden/beds.md", newText: "fern" }] }),
      sessionUpdate: "tool_call",
    },
    ["tool-calls.structured-diffs", "/update/content/0/changes"],
  ),
  update(
    "tool_call_update with a diff",
    toolCall({ content: [{ type: "diff", path: "/garden/beds.md", oldText: "moss", newText: "fern" }] }),
    ["tool-calls.structured-diffs", "/update/content/0/changes"],
  ),
  update("tool_call_update with a terminal of the client", toolCall({ content: [{ type: "terminal", terminalId: "terminal-3" }] }), "same"),
  update(
    "plan",
    { sessionUpdate: "plan", entries: [entry("completed")], _meta: { row: 1 } },
    becomes(
      updated({
        sessionUpdate: "plan_update",
        plan: { type: "items", planId: "main", entries: [entry("completed")] },
        _meta: { row: 1 },
      }),
    ),
  ),
  update(
    "available_commands_update",
    {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "prune", description: "Cut back", input: { hint: "which plant" } }],
    },
    becomes(
      updated({
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "prune", description: "Cut back", input: { hint: "which plant", type: "text" }, type: "command" }],
      }),
    ),
  ),
  update("current_mode_update", { sessionUpdate: "current_mode_update", currentModeId: "dig" }, ["session-modes", "/update"]),
  update(
    "config_option_update",
    { sessionUpdate: "config_option_update", configOptions: [select("id", "group"), toggle("id"), flat("id")] },
    becomes(
      updated({
        sessionUpdate: "config_option_update",
        configOptions: [select("configId", "groupId"), toggle("configId"), flat("configId")],
      }),
    ),
  ),
  [
    "session/request_permission",
    "params",
    "for a tool call",
    { ...SESSION, toolCall: { toolCallId: "t-1", title: "Dig", kind: "edit" }, options: OPTIONS },
    becomes({
      ...SESSION,
      title: "Dig",
      subject: { type: "tool_call", toolCall: { toolCallId: "t-1", title: "Dig", kind: "edit" } },
      options: OPTIONS,
    }),
  ],
  [
    "session/request_permission",
    "params",
    "for a tool call without a title",
    { ...SESSION, toolCall: { toolCallId: "t-1" }, options: OPTIONS },
    ["permissions.subjects", "/title"],
  ],
  [
    "session/request_permission",
    "params",
    "for a tool call whose title is null",
    { ...SESSION, toolCall: { toolCallId: "t-1", title: null }, options: OPTIONS },
    ["permissions.subjects", "/title"],
  ],
  ["fs/read_text_file", "params", "some lines", { ...SESSION, path: "/garden/beds.md", line: 2, limit: 10 }, ["files.read", ""]],
  ["fs/read_text_file", "result", "text", { content: "ferns" }, ["files.read", ""]],
  ["fs/write_text_file", "params", "text", { ...SESSION, path: "/garden/beds.md", content: "moss" }, ["files.write", ""]],
  ["fs/write_text_file", "result", "done", {}, ["files.write", ""]],
  [
    "terminal/create",
    "params",
    "a command",
    { ...SESSION, command: "rake", args: ["-n"], cwd: "/garden", env: [{ name: "ROW", value: "1" }], outputByteLimit: 4096 },
    ["client-terminals", ""],
  ],
  ["terminal/create", "result", "an id", { terminalId: "terminal-3" }, ["client-terminals", ""]],
  ["terminal/output", "params", "a terminal", TERMINAL, ["client-terminals", ""]],
  ["terminal/output", "result", "so far", { output: "raked", truncated: false }, ["client-terminals", ""]],
  [
    "terminal/output",
    "result",
    "at the end",
    { output: "raked", truncated: true, exitStatus: { exitCode: 0, signal: null } },
    ["client-terminals", ""],
  ],
  ["terminal/wait_for_exit", "params", "a terminal", TERMINAL, ["client-terminals", ""]],
  ["terminal/wait_for_exit", "result", "a code", { exitCode: 0 }, ["client-terminals", ""]],
  ["terminal/wait_for_exit", "result", "a signal", { signal: "SIGTERM" }, ["client-terminals", ""]],
  ["terminal/kill", "params", "a terminal", TERMINAL, ["client-terminals", ""]],
  ["terminal/kill", "result", "done", {}, ["client-terminals", ""]],
  ["terminal/release", "params", "a terminal", TERMINAL, ["client-terminals", ""]],
  ["terminal/release", "result", "done", {}, ["client-terminals", ""]],
];

/** The messages of v2. */
export const V2_MESSAGES: readonly Message[] = [
  ...BOTH,
  [
    "initialize",
    "params",
    "a client that can everything",
    {
      protocolVersion: 2,
      info: { name: "trowel", title: "Trowel", version: "4.0" },
      capabilities: { auth: { terminal: {} }, elicitation: { form: {}, url: {} } },
    },
    ["lifecycle.named-alike", "/capabilities"],
  ],
  [
    "initialize",
    "params",
    "a client that can nothing",
    { protocolVersion: 2, info: { name: "trowel", version: "4.0" } },
    ["lifecycle.named-alike", "/info"],
  ],
  [
    "initialize",
    "result",
    "an agent that can everything",
    {
      protocolVersion: 2,
      info: { name: "gardener", version: "1.0" },
      authMethods: [
        { type: "agent", methodId: "key", name: "API key" },
        { type: "terminal", methodId: "shell", name: "In a shell", args: ["login"], env: [{ name: "LANG", value: "C" }] },
      ],
      capabilities: {
        auth: {},
        session: {
          delete: {},
          additionalDirectories: {},
          prompt: { image: {}, audio: {}, embeddedContext: {} },
          mcp: { http: {}, stdio: {} },
        },
      },
    },
    ["lifecycle.named-alike", "/capabilities"],
  ],
  [
    "initialize",
    "result",
    "an agent that can nothing",
    { protocolVersion: 2, info: { name: "gardener", version: "1.0" } },
    ["lifecycle.named-alike", "/info"],
  ],
  ["auth/login", "params", "one of the ways", { methodId: "key" }, ["auth.login", ""]],
  ["auth/login", "result", "done", {}, ["auth.login", ""]],
  ["auth/logout", "params", "plain", {}, ["auth.logout", ""]],
  ["auth/logout", "result", "done", {}, ["auth.logout", ""]],
  [
    "session/new",
    "params",
    "a child process",
    { cwd: "/garden", mcpServers: [{ ...STDIO, type: "stdio" }] },
    becomes({ cwd: "/garden", mcpServers: [STDIO] }),
  ],
  ["session/new", "params", "no servers said", { cwd: "/garden" }, becomes({ cwd: "/garden", mcpServers: [] })],
  [
    "session/new",
    "params",
    "a server of a type to come",
    { cwd: "/garden", mcpServers: [{ type: "_pigeon", name: "coo" }] },
    ["open-unions", "/mcpServers/0"],
  ],
  [
    "session/new",
    "result",
    "with commands",
    { ...SESSION, availableCommands: [{ type: "command", name: "prune", description: "Cut back" }] },
    ["sessions.commands-at-start", "/availableCommands"],
  ],
  [
    "session/new",
    "result",
    "with options",
    { ...SESSION, configOptions: [select("configId", "groupId")] },
    becomes({ ...SESSION, configOptions: [select("id", "group")] }),
  ],
  [
    "session/resume",
    "params",
    "from the start",
    { ...SESSION, cwd: "/garden", replayFrom: { type: "start" } },
    ["sessions.replay", "/replayFrom"],
  ],
  [
    "session/set_config_option",
    "params",
    "a value",
    { ...SESSION, configId: "tone", type: "id", value: "brief" },
    becomes({ ...SESSION, configId: "tone", value: "brief" }),
  ],
  ["session/set_config_option", "params", "on or off", { ...SESSION, configId: "quiet", type: "boolean", value: false }, "same"],
  [
    "session/set_config_option",
    "params",
    "a type to come",
    { ...SESSION, configId: "depth", type: "_number", value: 3 },
    ["open-unions", ""],
  ],
  [
    "session/set_config_option",
    "result",
    "with options",
    { configOptions: [toggle("configId")] },
    becomes({ configOptions: [toggle("id")] }),
  ],
  [
    "session/prompt",
    "params",
    "content of a type to come",
    { ...SESSION, prompt: [{ type: "_smell", of: "rain" }] },
    ["open-unions", "/prompt/0"],
  ],
  [
    "session/prompt",
    "params",
    "a link with icons",
    { ...SESSION, prompt: [{ ...LINK, icons: [{ src: "https://icons.example/leaf.svg", theme: "light", sizes: ["any"] }] }] },
    ["content.icons", "/prompt/0/icons"],
  ],
  ["session/prompt", "result", "the message it became", { messageId: "m-9" }, ["prompts.acknowledged", "/messageId"]],
  ["tool_call/cancel", "params", "a tool call", { ...SESSION, toolCallId: "t-1" }, ["tool-calls.cancel", ""]],
  ["tool_call/cancel", "result", "done", {}, ["tool-calls.cancel", ""]],
  ["terminal/cancel", "params", "a terminal", TERMINAL, ["agent-terminals.cancel", ""]],
  ["terminal/cancel", "result", "done", {}, ["agent-terminals.cancel", ""]],
  ...["user_message", "agent_message", "agent_thought"].flatMap((kind) => [
    update(kind, { sessionUpdate: kind, messageId: "m-1", content: CONTENT.map(([, block]) => block) }, [
      "updates.whole-messages",
      "/update",
    ]),
    update(`${kind} without content`, { sessionUpdate: kind, messageId: "m-1" }, ["updates.whole-messages", "/update"]),
    update(`${kind} emptied`, { sessionUpdate: kind, messageId: "m-1", content: [] }, ["updates.whole-messages", "/update"]),
    update(`${kind} with null content`, { sessionUpdate: kind, messageId: "m-1", content: null }, ["updates.whole-messages", "/update"]),
  ]),
  ...[
    { state: "running" },
    { state: "requires_action" },
    { state: "idle", stopReason: "end_turn" },
    { state: "idle", stopReason: "error", error: { code: -32603, message: "It rained." } },
    {
      state: "running",
      background: [
        { type: "terminal", terminalId: "terminal-3" },
        { type: "tool_call", toolCallId: "t-1" },
      ],
    },
    { state: "_dormant" },
  ].map((state) =>
    update(`state_update ${JSON.stringify(state)}`, { sessionUpdate: "state_update", ...state }, ["updates.state", "/update"]),
  ),
  update(
    "tool_call_content_chunk",
    { sessionUpdate: "tool_call_content_chunk", toolCallId: "t-1", content: { type: "content", content: TEXT } },
    ["tool-calls.content-chunks", "/update"],
  ),
  update("tool_call_update that can be cancelled", toolCall({ capabilities: { cancel: {} } }), [
    "tool-calls.cancel",
    "/update/capabilities",
  ]),
  update("tool_call_update paused", toolCall({ status: "paused" }), ["cancelled-statuses", "/update/status"]),
  update("tool_call_update cancelled", toolCall({ status: "cancelled" }), ["cancelled-statuses", "/update/status"]),
  update("tool_call_update of a kind to come", toolCall({ kind: "_water" }), ["open-values", "/update/kind"]),
  update(
    "tool_call_update with a diff",
    toolCall({
      content: [
        {
          type: "diff",
          changes: [
            { operation: "add", path: "/garden/rose.md", fileType: "text", mimeType: "text/markdown" },
            { operation: "modify", path: "/garden/beds.md" },
            { operation: "move", path: "/shed/rake.md", oldPath: "/garden/rake.md" },
            { operation: "copy", path: "/shed/soil.md", oldPath: "/garden/soil.md" },
            { operation: "delete", path: "/garden/moss.md" },
          ],
          patch: { format: "git_patch", text: "diff --git a/rose.md b/rose.md" },
        },
      ],
    }),
    ["tool-calls.structured-diffs", "/update/content/0/changes"],
  ),
  update("tool_call_update with a terminal of the agent", toolCall({ content: [{ type: "terminal", terminalId: "terminal-3" }] }), "same"),
  update("tool_call_update with content of a type to come", toolCall({ content: [{ type: "_chart", of: "rain" }] }), [
    "open-unions",
    "/update/content/0",
  ]),
  update(
    "terminal_update",
    { sessionUpdate: "terminal_update", terminalId: "terminal-3", command: "rake", cwd: "/garden", size: { cols: 80, rows: 24 } },
    ["agent-terminals", "/update"],
  ),
  update(
    "terminal_update at the end",
    {
      sessionUpdate: "terminal_update",
      terminalId: "terminal-3",
      output: { data: "cmFrZWQ=" },
      exitStatus: { exitCode: 0 },
      capabilities: { cancel: {} },
    },
    ["agent-terminals", "/update"],
  ),
  update("terminal_output_chunk", { sessionUpdate: "terminal_output_chunk", terminalId: "terminal-3", data: "cmFrZQ==" }, [
    "agent-terminals",
    "/update",
  ]),
  update(
    "plan_update of the plan called main",
    { sessionUpdate: "plan_update", plan: { type: "items", planId: "main", entries: [entry("completed")] } },
    becomes(updated({ sessionUpdate: "plan", entries: [entry("completed")] })),
  ),
  update(
    "plan_update of the plan called main, with a cancelled entry",
    { sessionUpdate: "plan_update", plan: { type: "items", planId: "main", entries: [entry("cancelled")] } },
    ["cancelled-statuses", "/update/entries/0/status"],
  ),
  update(
    "plan_update of the plan called main, with metadata of its own",
    { sessionUpdate: "plan_update", plan: { type: "items", planId: "main", entries: [], _meta: { row: 1 } } },
    ["plans.several", "/update"],
  ),
  update("plan_update of a type to come", { sessionUpdate: "plan_update", plan: { type: "_graph", planId: "main" } }, [
    "plans.several",
    "/update",
  ]),
  update(
    "plan_update of another plan",
    { sessionUpdate: "plan_update", plan: { type: "items", planId: "beds", entries: [entry("cancelled")] } },
    ["plans.several", "/update"],
  ),
  update(
    "available_commands_update",
    {
      sessionUpdate: "available_commands_update",
      availableCommands: [{ type: "command", name: "prune", description: "Cut back", input: { type: "text", hint: "which plant" } }],
    },
    becomes(
      updated({
        sessionUpdate: "available_commands_update",
        availableCommands: [{ name: "prune", description: "Cut back", input: { hint: "which plant" } }],
      }),
    ),
  ),
  update(
    "config_option_update",
    { sessionUpdate: "config_option_update", configOptions: [select("configId", "groupId"), toggle("configId"), flat("configId")] },
    becomes(updated({ sessionUpdate: "config_option_update", configOptions: [select("id", "group"), toggle("id"), flat("id")] })),
  ),
  update("an update to come", { sessionUpdate: "_weather", rain: 4 }, ["open-unions", "/update"]),
  [
    "session/request_permission",
    "params",
    "for a tool call",
    { ...SESSION, title: "Dig", subject: { type: "tool_call", toolCall: { toolCallId: "t-1", title: "Dig" } }, options: OPTIONS },
    becomes({ ...SESSION, toolCall: { toolCallId: "t-1", title: "Dig" }, options: OPTIONS }),
  ],
  [
    "session/request_permission",
    "params",
    "for a tool call, described",
    {
      ...SESSION,
      title: "Dig",
      description: "It is loud.",
      subject: { type: "tool_call", toolCall: { toolCallId: "t-1", title: "Dig" } },
      options: OPTIONS,
    },
    ["permissions.subjects", "/description"],
  ],
  [
    "session/request_permission",
    "params",
    "for a tool call under another title",
    { ...SESSION, title: "May I?", subject: { type: "tool_call", toolCall: { toolCallId: "t-1", title: "Dig" } }, options: OPTIONS },
    ["permissions.subjects", "/subject"],
  ],
  [
    "session/request_permission",
    "params",
    "for a command, described",
    {
      ...SESSION,
      title: "May I?",
      description: "It is loud.",
      subject: { type: "command", command: "mow", cwd: "/garden" },
      options: OPTIONS,
    },
    ["permissions.subjects", "/description"],
  ],
  [
    "session/request_permission",
    "params",
    "for nothing",
    { ...SESSION, title: "May I?", options: [ALLOW] },
    ["permissions.subjects", "/title"],
  ],
  ["session/request_permission", "result", "an outcome to come", { outcome: { outcome: "_later" } }, ["open-unions", "/outcome"]],
];

/** One payload that breaks the schema of a revision, as peers and pages are known to. */
export type WrongMessage = readonly [at: "v1" | "v2", name: string, method: string, part: Part, value: unknown];

const NAMED = { name: "trowel", version: "1" };
const PERMIT = [ALLOW];
const S = SESSION;
const says = (sessionUpdate: string, more: object) => updated({ sessionUpdate, ...more });
const call = (more: object) => updated(toolCall(more));
const offers = (capabilities: object) => ({ protocolVersion: 2, info: NAMED, capabilities });

/** Payloads that are known to be wrong. */
export const WRONG_MESSAGES: readonly WrongMessage[] = [
  ["v1", "a mode update that names it modeId", "session/update", "params", says("current_mode_update", { modeId: "dig" })],
  ["v1", "a bare block as content of a tool call", "session/update", "params", call({ content: [{ type: "text", text: "dug" }] })],
  ["v1", "an update nobody knows", "session/update", "params", says("_weather", {})],
  ["v1", "a tool kind nobody knows", "session/update", "params", call({ kind: "_water" })],
  ["v1", "a paused tool call", "session/update", "params", call({ status: "paused" })],
  ["v1", "usage of null", "session/update", "params", says("usage_update", { used: null, size: 9 })],
  ["v1", "a number in words", "initialize", "params", { protocolVersion: "1" }],
  ["v1", "an object for a flag", "initialize", "result", { protocolVersion: 1, agentCapabilities: { loadSession: {} } }],
  ["v1", "no servers", "session/new", "params", { cwd: "/garden" }],
  ["v1", "a server with its lists left out", "session/new", "params", { cwd: "/", mcpServers: [{ name: "soil", command: "/soil" }] }],
  ["v1", "a flag without its type", "session/set_config_option", "params", { ...S, configId: "quiet", value: true }],
  ["v1", "no reason to stop", "session/prompt", "result", {}],
  ["v1", "capabilities that are a list", "initialize", "result", { protocolVersion: 1, agentCapabilities: [] }],
  ["v1", "capabilities that are null", "initialize", "result", { protocolVersion: 1, agentCapabilities: null }],
  ["v1", "a session of no id", "session/new", "result", {}],
  ["v1", "a tool call of no id", "session/update", "params", says("tool_call", { title: "Dig" })],
  ["v1", "a permission for nothing", "session/request_permission", "params", { ...SESSION, options: PERMIT }],
  ["v2", "an option without its type", "session/set_config_option", "params", { ...S, configId: "tone", value: "brief" }],
  ["v2", "true for a mode of elicitation", "initialize", "params", offers({ elicitation: { form: true } })],
  ["v2", "true for authentication in a terminal", "initialize", "params", offers({ auth: { terminal: true } })],
  ["v2", "true for sessions", "initialize", "result", offers({ session: true })],
  ["v2", "true for images", "initialize", "result", offers({ session: { prompt: { image: true } } })],
  ["v2", "true for servers over HTTP", "initialize", "result", offers({ session: { mcp: { http: true } } })],
  ["v2", "true for deletion", "initialize", "result", offers({ session: { delete: true } })],
  ["v2", "a client without a name", "initialize", "params", { protocolVersion: 2, capabilities: {} }],
  ["v2", "a client named as before", "initialize", "params", { protocolVersion: 2, clientInfo: NAMED, clientCapabilities: {} }],
  [
    "v2",
    "variables as a map",
    "initialize",
    "result",
    { protocolVersion: 2, info: NAMED, authMethods: [{ type: "terminal", methodId: "m", name: "M", env: { LANG: "C" } }] },
  ],
  ["v2", "a server without its type", "session/new", "params", { cwd: "/garden", mcpServers: [{ name: "soil", command: "/soil" }] }],
  ["v2", "a chunk of no message", "session/update", "params", says("agent_message_chunk", { content: { type: "text", text: "" } })],
  ["v2", "a known tag with a bad body", "session/update", "params", says("state_update", {})],
  ["v2", "a diff as before", "session/update", "params", call({ content: [{ type: "diff", path: "/garden", newText: "fern" }] })],
  ["v2", "a plan of no id", "session/update", "params", says("plan_update", { plan: { type: "items", entries: [] } })],
  ["v2", "a line numbered nought", "session/update", "params", call({ locations: [{ path: "/garden", line: 0 }] })],
  ["v2", "a prompt of nothing", "session/prompt", "params", { ...S, prompt: [] }],
  ["v2", "a text of nothing", "session/prompt", "params", { ...S, prompt: [{ type: "text" }] }],
  ["v2", "a size below nought", "session/prompt", "params", { ...S, prompt: [{ ...LINK, size: -1 }] }],
  ["v2", "a priority above one", "session/prompt", "params", { ...S, prompt: [{ ...LINK, annotations: { priority: 2 } }] }],
  ["v2", "a name without a version", "initialize", "params", { protocolVersion: 2, info: { name: "trowel" } }],
  ["v2", "a tool call of no id", "session/update", "params", says("tool_call_update", { title: "Dig" })],
  ["v2", "a piece of a tool call without content", "session/update", "params", says("tool_call_content_chunk", { toolCallId: "t-1" })],
  ["v2", "output of no data", "session/update", "params", says("terminal_output_chunk", { terminalId: "terminal-3" })],
  ["v2", "a terminal of no id", "session/update", "params", says("terminal_update", { command: "rake" })],
  ["v2", "a plan to come of no id", "session/update", "params", says("plan_update", { plan: { type: "_graph" } })],
  ["v2", "a message of no id", "session/update", "params", says("agent_message", { content: [TEXT] })],
  ["v2", "a permission without options", "session/request_permission", "params", { ...S, title: "May I?", options: [] }],
  ["v2", "a permission as before", "session/request_permission", "params", { ...S, toolCall: { toolCallId: "t-1" }, options: PERMIT }],
  [
    "v2",
    "an option to choose with nothing to choose",
    "session/set_config_option",
    "result",
    { configOptions: [{ configId: "tone", type: "select", name: "Tone", currentValue: "brief", options: [] }] },
  ],
];

function updated(update: object): object {
  return { ...SESSION, update };
}

function update(name: string, value: object, elsewhere: Elsewhere): Message {
  return ["session/update", "params", name, updated(value), elsewhere];
}

function toolCall(more: object): object {
  return { sessionUpdate: "tool_call_update", toolCallId: "t-1", ...more };
}

function entry(status: string): object {
  return { content: "Water the ferns", priority: "high", status };
}

function modes(): object {
  return { currentModeId: "dig", availableModes: [{ id: "dig", name: "Dig", description: "Turn the soil" }] };
}

function select(id: string, group: string): object {
  const options = [{ [group]: "short", name: "Short", options: [{ value: "brief", name: "Brief", description: "Few words" }] }];
  return { [id]: "tone", type: "select", name: "Tone", category: "model", currentValue: "brief", options };
}

function flat(id: string): object {
  return { [id]: "pace", type: "select", name: "Pace", currentValue: "slow", options: [{ value: "slow", name: "Slow" }] };
}

function toggle(id: string): object {
  return { [id]: "quiet", type: "boolean", name: "Quiet", currentValue: false };
}
