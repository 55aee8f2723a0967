// What is gated below the methods of the second protocol: kinds of content, servers, folders, options, updates and ways to authenticate that may be
// sent only where the peer, or whoever the specification names, has said so. Each is sent with the capability, and refused by name without it.
import { describe, expect, it } from "vitest";
import { bindCodec, CapabilitySet, REVISIONS, resolve, tables } from "../../runtime/acp.js";
import { isLowerError, type Codec } from "../../runtime/index.js";

type Side = "client" | "server";
type Part = "params" | "result";

/** A gate below a method: the flag that opens it, whose it is, and a message that needs it. */
type SubGate = readonly [feature: string, side: Side, flag: string, method: string, part: Part, path: string, value: unknown];

const V1 = REVISIONS[0].revision;
const V2 = REVISIONS[1].revision;
const modules = { [V1]: await tables.loadCodec(V1), [V2]: await tables.loadCodec(V2) };

const S = { sessionId: "session-7" };
const BLOCKS = {
  image: { type: "image", data: "aWNlcnk=", mimeType: "image/png" },
  audio: { type: "audio", data: "YmVlcw==", mimeType: "audio/ogg" },
  resource: { type: "resource", resource: { uri: "file:///garden/soil.txt", text: "loam" } },
};
const TEXT = { type: "text", text: "fern" };
const prompt = (block: object) => ({ ...S, prompt: [TEXT, block] });
const setup = { ...S, cwd: "/garden", mcpServers: [] };
const served = (server: object) => ({ ...setup, mcpServers: [server] });
const remote = (type: string) => ({ type, name: "weather", url: "https://weather.example", headers: [] });
const says = (sessionUpdate: string, more: object) => ({ ...S, update: { sessionUpdate, ...more } });
const SETUPS_OF_V1 = ["session/new", "session/load", "session/resume"];
const SETUPS_OF_V2 = ["session/new", "session/resume"];
const TOGGLE_OF_V1 = { id: "quiet", type: "boolean", name: "Quiet", currentValue: false };

const GATES_OF_V1: readonly SubGate[] = [
  ["prompts.image.advertised-flat", "server", "promptCapabilities.image", "session/prompt", "params", "/prompt/1", prompt(BLOCKS.image)],
  ["prompts.audio.advertised-flat", "server", "promptCapabilities.audio", "session/prompt", "params", "/prompt/1", prompt(BLOCKS.audio)],
  [
    "prompts.embedded-context.advertised-flat",
    "server",
    "promptCapabilities.embeddedContext",
    "session/prompt",
    "params",
    "/prompt/1",
    prompt(BLOCKS.resource),
  ],
  ...SETUPS_OF_V1.flatMap((method): SubGate[] => [
    ["mcp-servers.http.advertised-flat", "server", "mcpCapabilities.http", method, "params", "/mcpServers/0", served(remote("http"))],
    ["mcp-servers.sse", "server", "mcpCapabilities.sse", method, "params", "/mcpServers/0", served(remote("sse"))],
    [
      "sessions.additional-directories.advertised-flat",
      "server",
      "sessionCapabilities.additionalDirectories",
      method,
      "params",
      "/additionalDirectories",
      { ...setup, additionalDirectories: ["/shed"] },
    ],
  ]),
  ...["session/new", "session/load", "session/resume", "session/set_config_option"].map((method): SubGate => [
    "config-options.boolean-advertised",
    "client",
    "session.configOptions.boolean",
    method,
    "result",
    "/configOptions/0",
    { ...S, configOptions: [TOGGLE_OF_V1] },
  ]),
  [
    "config-options.boolean-advertised",
    "client",
    "session.configOptions.boolean",
    "session/update",
    "params",
    "/update/configOptions/0",
    says("config_option_update", { configOptions: [TOGGLE_OF_V1] }),
  ],
  [
    "config-options.boolean-advertised",
    "client",
    "session.configOptions.boolean",
    "session/set_config_option",
    "params",
    "",
    { ...S, configId: "quiet", type: "boolean", value: true },
  ],
  [
    "auth.terminal",
    "client",
    "auth.terminal",
    "initialize",
    "result",
    "/authMethods/0",
    { protocolVersion: 1, authMethods: [{ id: "shell", type: "terminal", name: "In a shell" }] },
  ],
  [
    "notices.advertised",
    "client",
    "session.notices",
    "session/update",
    "params",
    "/update",
    says("notice", { severity: "info", title: "Rain" }),
  ],
  [
    "compaction.advertised",
    "client",
    "session.compaction",
    "session/update",
    "params",
    "/update",
    says("compaction_update", { compactionId: "c-1", status: "completed" }),
  ],
  [
    "compaction.advertised",
    "client",
    "session.compaction",
    "session/update",
    "params",
    "/update",
    says("compaction_summary_chunk", { compactionId: "c-1", content: TEXT }),
  ],
];

const GATES_OF_V2: readonly SubGate[] = [
  ["prompts.image.advertised", "server", "session.prompt.image", "session/prompt", "params", "/prompt/1", prompt(BLOCKS.image)],
  ["prompts.audio.advertised", "server", "session.prompt.audio", "session/prompt", "params", "/prompt/1", prompt(BLOCKS.audio)],
  [
    "prompts.embedded-context.advertised",
    "server",
    "session.prompt.embeddedContext",
    "session/prompt",
    "params",
    "/prompt/1",
    prompt(BLOCKS.resource),
  ],
  ...SETUPS_OF_V2.flatMap((method): SubGate[] => [
    ["mcp-servers.http.advertised", "server", "session.mcp.http", method, "params", "/mcpServers/0", served(remote("http"))],
    [
      "mcp-servers.stdio.advertised",
      "server",
      "session.mcp.stdio",
      method,
      "params",
      "/mcpServers/0",
      served({ type: "stdio", name: "soil", command: "/opt/soil" }),
    ],
    [
      "sessions.additional-directories.advertised",
      "server",
      "session.additionalDirectories",
      method,
      "params",
      "/additionalDirectories",
      { ...setup, additionalDirectories: ["/shed"] },
    ],
  ]),
  [
    "auth.terminal",
    "client",
    "auth.terminal",
    "initialize",
    "result",
    "/authMethods/0",
    {
      protocolVersion: 2,
      info: { name: "gardener", version: "1" },
      authMethods: [{ type: "terminal", methodId: "shell", name: "In a shell" }],
    },
  ],
];

/** Binds a revision's codec to two peers that can everything, but for one flag. */
function codecWithout(revision: typeof V1 | typeof V2, side: Side, flag: string): Codec {
  const all = CapabilitySet.allFor(revision);
  const capabilities = { client: all.client, server: all.server, [side]: without(all[side], flag.split(".")) };
  return bindCodec(modules[revision], resolve({ revision, ...capabilities, transport: "stdio" }));
}

function codecWithAll(revision: typeof V1 | typeof V2): Codec {
  return bindCodec(modules[revision], CapabilitySet.allFor(revision).resolve(revision, "stdio"));
}

/** Takes one flag out of what a side can do; throws where the flag is not there to be taken. */
function without(capabilities: unknown, [key = "", ...rest]: readonly string[]): object {
  const { [key]: value, ...others } = capabilities as Record<string, unknown>;
  if (value === undefined) throw new RangeError(`cannot take ${key} away: it is not there`);
  return rest.length === 0 ? others : { ...others, [key]: without(value, rest) };
}

/** Gives the name and place of the refusal; undefined where the message goes through as it is. */
function refusal(codec: Codec, method: string, part: Part, value: unknown): readonly unknown[] | undefined {
  try {
    expect(codec.lower(method, part, value)).toBe(value);
    return undefined;
  } catch (error) {
    if (!isLowerError(error)) throw error;
    return [error.feature, error.path, error.missing?.side, error.missing?.flag];
  }
}

describe.each([
  [V1, GATES_OF_V1],
  [V2, GATES_OF_V2],
] as const)("below the methods of %s", (revision, gates) => {
  it.each(gates)("%s asks the %s for %s: %s %s", (feature, side, flag, method, part, path, value) => {
    expect(refusal(codecWithAll(revision), method, part, value)).toBeUndefined();
    expect(refusal(codecWithout(revision, side, flag), method, part, value)).toEqual([feature, path, side, flag]);
  });

  it.each([...new Set(gates.map(([feature]) => feature))])("%s is a feature of the revision with a flag and a cite", (id) => {
    const row = tables.features.find((feature) => feature.id === id);
    expect(row?.requires).toBeDefined();
    expect(row?.cite).toBeDefined();
  });

  it.each(Object.entries(BLOCKS))("%s that the agent sends asks for nothing", (_, content) => {
    const server = revision === V1 ? "promptCapabilities" : "session.prompt";
    const value = says("agent_message_chunk", { messageId: "m-1", content });
    expect(refusal(codecWithout(revision, "server", server), "session/update", "params", value)).toBeUndefined();
  });

  it("text and links in a prompt ask for nothing", () => {
    const server = revision === V1 ? "promptCapabilities" : "session.prompt";
    const link = { type: "resource_link", uri: "file:///garden", name: "garden" };
    expect(refusal(codecWithout(revision, "server", server), "session/prompt", "params", prompt(link))).toBeUndefined();
  });
});

describe("what v2 no longer asks for", () => {
  it.each([
    ["a notice", "session/update", "params", says("notice", { severity: "info", title: "Rain" })],
    ["compaction", "session/update", "params", says("compaction_update", { compactionId: "c-1", status: "completed" })],
    ["an option that is on or off", "session/set_config_option", "params", { ...S, configId: "quiet", type: "boolean", value: true }],
  ] as const)("%s", (_, method, part, value) => {
    const codec = bindCodec(modules[V2], resolve({ revision: V2, client: {}, server: { session: {} }, transport: "stdio" }));
    expect(refusal(codec, method, part, value)).toBeUndefined();
  });
});
