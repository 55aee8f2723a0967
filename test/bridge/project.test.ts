// What the eras say of server and client, each in the other's words; what comes out is held against the schemas of the revision it is for.
import { describe, expect, it } from "vitest";
import { META } from "../../runtime/bridge/meta.js";
import {
  clientCapabilitiesOf,
  declaredFor,
  discoverResultOf,
  fingerprintOf,
  handshakeCapabilities,
  initializeResultOf,
  serverCapabilities,
  TASKS_EXTENSION,
  withCompletions,
  type Channels,
} from "../../runtime/bridge/project.js";
import { codecFor, DegradePolicy, resolve, REVISIONS } from "../../runtime/mcp.js";
import type { Wire } from "../../runtime/index.js";

const MODERN = "2026-07-28";
const LEGACY = REVISIONS.filter((entry) => entry.era === "legacy").map((entry) => entry.revision);
const ALL_CHANNELS: Channels = { lists: true, resources: true, logs: true };
const NO_CHANNELS: Channels = { lists: false, resources: false, logs: false };
const BRIDGE = { name: "bridge", version: "0" };
const SERVER = { name: "s", version: "1", title: "S" };

const ADVERTISED = {
  tools: { listChanged: true },
  prompts: {},
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
  experimental: { x: {} },
  extensions: { [TASKS_EXTENSION]: {}, "com.example/e": {} },
};
const DISCOVERED: Wire = {
  resultType: "complete",
  supportedVersions: [MODERN],
  ttlMs: 5,
  cacheScope: "public",
  capabilities: ADVERTISED,
  instructions: "i",
  vendor: 1,
  _meta: { [META.serverInfo]: SERVER, "com.example/k": 1 },
};

async function lowered(revision: string, method: string, payload: Wire, server: unknown): Promise<unknown> {
  const codec = await codecFor(revision, resolve({ revision, transport: null, client: {}, server }), { checked: true });
  return codec.lower(method, "result", payload, DegradePolicy.balanced());
}

describe("initializeResultOf", () => {
  it("says the same, without what the era does not know", () => {
    expect(initializeResultOf(DISCOVERED, "2025-11-25", BRIDGE, ALL_CHANNELS)).toEqual({
      protocolVersion: "2025-11-25",
      capabilities: { ...ADVERTISED, extensions: { "com.example/e": {} } },
      serverInfo: SERVER,
      instructions: "i",
      vendor: 1,
      _meta: { "com.example/k": 1 },
    });
  });

  it.each<readonly [string, unknown]>([
    ["missing", undefined],
    ["without a version", { name: "s" }],
    ["a text", "s"],
  ])("names the bridge where the server's name is %s", (_name, serverInfo) => {
    const discover = { ...DISCOVERED, _meta: { [META.serverInfo]: serverInfo } };
    const result = initializeResultOf(discover, "2025-11-25", BRIDGE, ALL_CHANNELS);
    expect(result["serverInfo"]).toEqual(BRIDGE);
    expect(result).not.toHaveProperty("_meta");
  });

  it("names the session's revision, whatever else the server calls by that name", () => {
    const result = initializeResultOf({ ...DISCOVERED, protocolVersion: MODERN }, "2024-11-05", BRIDGE, ALL_CHANNELS);
    expect(result["protocolVersion"]).toBe("2024-11-05");
  });

  it.each(LEGACY)("is valid at %s once it is lowered", async (revision) => {
    const result = initializeResultOf(DISCOVERED, revision, BRIDGE, ALL_CHANNELS);
    expect(await lowered(revision, "initialize", result, result["capabilities"])).toMatchObject({
      protocolVersion: revision,
      serverInfo: { name: "s" },
    });
  });
});

describe("discoverResultOf", () => {
  const initialized: Wire = {
    protocolVersion: "2025-06-18",
    capabilities: { ...ADVERTISED, tasks: { list: {} } },
    serverInfo: SERVER,
    instructions: "i",
    vendor: 1,
    // What a legacy server may not say here.
    resultType: "input_required",
    cacheScope: "public",
    ttlMs: 1e9,
    supportedVersions: ["2099-01-01"],
    _meta: { [META.subscriptionId]: 1, "com.example/k": 1 },
  };

  it("says the same, without what the era does not know", () => {
    expect(discoverResultOf(initialized, ["2025-11-25", MODERN], BRIDGE, NO_CHANNELS)).toEqual({
      supportedVersions: [MODERN, "2025-11-25"],
      capabilities: {
        tools: {},
        prompts: {},
        resources: {},
        completions: {},
        experimental: { x: {} },
        extensions: { "com.example/e": {} },
      },
      instructions: "i",
      vendor: 1,
      _meta: { [META.serverInfo]: SERVER, "com.example/k": 1 },
    });
  });

  it("is valid once it is lowered, and may be kept for no time", async () => {
    const result = discoverResultOf({ capabilities: {} }, [MODERN], BRIDGE, ALL_CHANNELS);
    expect(await lowered(MODERN, "server/discover", result, {})).toEqual({
      resultType: "complete",
      ttlMs: 0,
      cacheScope: "private",
      supportedVersions: [MODERN],
      capabilities: {},
      _meta: { [META.serverInfo]: BRIDGE },
    });
  });
});

describe("serverCapabilities", () => {
  it("are none where they are none", () => {
    expect([serverCapabilities(undefined, ALL_CHANNELS), serverCapabilities([1], NO_CHANNELS)]).toEqual([{}, {}]);
  });

  it("lose the extensions with the last of them, and keep an empty list of them", () => {
    expect(serverCapabilities({ extensions: { [TASKS_EXTENSION]: {} } }, ALL_CHANNELS)).toEqual({});
    expect(serverCapabilities({ extensions: {} }, ALL_CHANNELS)).toEqual({ extensions: {} });
  });
});

describe("withCompletions", () => {
  it("speaks for a server that could not, where there is something to complete", () => {
    expect(withCompletions({ prompts: {} }, "2024-11-05", "2025-03-26")).toEqual({ prompts: {}, completions: {} });
    expect(withCompletions({ resources: {} }, "2024-11-05", MODERN)).toEqual({ resources: {}, completions: {} });
  });

  it.each<readonly [Wire, string, string]>([
    [{ tools: {} }, "2024-11-05", "2025-03-26"],
    [{ prompts: {} }, "2025-03-26", "2025-11-25"],
    [{ prompts: {} }, "2024-11-05", "2024-11-05"],
    [{ prompts: {} }, "2025-03-26", "2024-11-05"],
  ])("leaves %j from %s to %s", (advertised, from, to) => {
    expect(withCompletions(advertised, from, to)).toBe(advertised);
  });
});

describe("clientCapabilitiesOf", () => {
  it.each<readonly [string, unknown, string, string, Wire]>([
    ["roots", { roots: { listChanged: true } }, "2024-11-05", MODERN, { roots: {} }],
    ["a form that an empty object means", { elicitation: {} }, "2025-06-18", MODERN, { elicitation: { form: {} } }],
    ["a form that an empty object still means", { elicitation: {} }, "2025-11-25", MODERN, { elicitation: { form: {} } }],
    ["an address its revision has not heard of", { elicitation: { url: {} } }, "2025-06-18", MODERN, { elicitation: { form: {} } }],
    ["elicitation its revision has not heard of", { elicitation: {} }, "2025-03-26", MODERN, {}],
    ["form and address", { elicitation: { form: {}, url: {} } }, "2025-11-25", MODERN, { elicitation: { form: {}, url: {} } }],
    ["an address alone", { elicitation: { url: {} } }, "2025-11-25", MODERN, { elicitation: { url: {} } }],
    ["tools of sampling", { sampling: { tools: {}, context: {} } }, "2025-11-25", MODERN, { sampling: { tools: {}, context: {} } }],
    ["tools of sampling before there were any", { sampling: { tools: {} } }, "2025-06-18", MODERN, { sampling: {} }],
    ["tasks", { tasks: { list: {} } }, "2025-11-25", MODERN, {}],
    [
      "extensions",
      { extensions: { [TASKS_EXTENSION]: {}, "com.example/e": {} }, experimental: { x: {} } },
      "2025-11-25",
      MODERN,
      { extensions: { "com.example/e": {} }, experimental: { x: {} } },
    ],
    ["what nobody knows", { "com.example": {} }, "2025-11-25", MODERN, { "com.example": {} }],
    ["nothing", undefined, "2025-11-25", MODERN, {}],
    ["a form, downwards", { elicitation: { form: {} } }, MODERN, "2025-06-18", { elicitation: {} }],
    ["an empty elicitation, downwards", { elicitation: {} }, MODERN, "2025-06-18", { elicitation: {} }],
    ["an address, downwards", { elicitation: { url: {} } }, MODERN, "2025-06-18", {}],
    ["both, downwards", { elicitation: { form: {}, url: {} } }, MODERN, "2025-06-18", { elicitation: {} }],
    ["elicitation, further down", { elicitation: { form: {} } }, "2025-11-25", "2025-03-26", {}],
    [
      "tasks, downwards",
      { tasks: { list: {} }, roots: { listChanged: true } },
      "2025-11-25",
      "2025-06-18",
      { roots: { listChanged: true } },
    ],
  ])("%s", (_name, declared, from, to, capabilities) => {
    expect(clientCapabilitiesOf(declared, { from, to })).toEqual(capabilities);
  });

  it("are the same where the revision is", () => {
    const declared = { elicitation: {}, tasks: {} };
    expect(clientCapabilitiesOf(declared, { from: "2025-11-25", to: "2025-11-25" })).toBe(declared);
  });
});

describe("declaredFor", () => {
  const capabilities = { roots: {}, sampling: {}, elicitation: { form: {} }, experimental: {}, extensions: {} };
  const quiet = { experimental: {}, extensions: {} };

  it.each<readonly [string, boolean, Wire]>([
    ["tools/call", true, capabilities],
    ["tools/call", false, quiet],
    ["tools/list", true, quiet],
    ["server/discover", true, quiet],
    ["com.example/m", true, quiet],
  ])("%s, can ask: %s", (method, canAsk, declared) => {
    expect(declaredFor(capabilities, { method, revision: MODERN, canAsk })).toEqual(declared);
  });
});

describe("handshakeCapabilities", () => {
  it("never announces changes of roots", () => {
    expect(handshakeCapabilities({ roots: {}, sampling: { tools: {} } }, { from: MODERN, to: "2025-11-25" })).toEqual({
      roots: { listChanged: false },
      sampling: { tools: {} },
    });
    expect(handshakeCapabilities({ sampling: { tools: {} } }, { from: MODERN, to: "2025-06-18" })).toEqual({ sampling: {} });
  });
});

describe("fingerprintOf", () => {
  it("is the same for what lets a server ask the same", () => {
    const one = fingerprintOf({ sampling: { tools: {}, context: {} }, roots: {}, experimental: { a: 1 } });
    expect(fingerprintOf({ roots: {}, sampling: { context: {}, tools: {} } })).toBe(one);
    expect(fingerprintOf({ roots: {}, sampling: { tools: {} } })).not.toBe(one);
  });

  it("is empty for what lets it ask nothing", () => {
    expect([fingerprintOf({}), fingerprintOf({ experimental: {}, roots: null })]).toEqual(["", ""]);
  });
});
