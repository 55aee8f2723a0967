// Gates: each shape and each outcome, in agreement with `resolve` at every revision, and closed to whatever a peer makes up.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { auditAdvertisement, gate, mayCall, negotiated, type GateEntry, type ProtocolTables, type Snapshot } from "../../runtime/index.js";
import * as mcp from "../../runtime/mcp.js";
import { feature, TOY } from "./toy-tables.js";

const REVISIONS = mcp.REVISIONS.map((entry) => entry.revision as string);
const SERVES = { server: { tools: {} } };
const C2S = "clientToServer";
const S2C = "serverToClient";

describe("gate", () => {
  it.each<readonly [string, Parameters<typeof mcp.gate>, Record<string, unknown>]>([
    ["what is always served", ["2025-06-18", "ping", S2C, null], { outcome: "baseline" }],
    ["what was advertised", ["2025-06-18", "tools/call", C2S, SERVES], { outcome: "negotiated" }],
    [
      "what was not",
      ["2025-06-18", "prompts/get", C2S, SERVES],
      {
        outcome: "denied",
        missing: { of: "server", path: "prompts" },
        code: -32601,
        feature: "prompts",
        cite: { revision: "2024-11-05", page: "server/prompts" },
        because: "prompts/get needs the server capability prompts",
      },
    ],
    ["what the other side handles", ["2025-06-18", "tools/call", S2C, SERVES], { outcome: "unknown" }],
    ["what the revision does not have", ["2026-07-28", "ping", C2S, SERVES], { outcome: "unknown" }],
    ["a revision nobody knows", ["2025-06-19", "ping", C2S, SERVES], { outcome: "unknown" }],
    ["a revision by a name objects have", ["constructor", "ping", C2S, SERVES], { outcome: "unknown" }],
    ["what needs nothing yet", ["2024-11-05", "completion/complete", C2S, {}], { outcome: "baseline" }],
    [
      "what needs a flag since",
      ["2025-03-26", "completion/complete", C2S, {}],
      { outcome: "denied", missing: { of: "server", path: "completions" } },
    ],
    ["a capability of the client, legacy", ["2025-11-25", "sampling/createMessage", S2C, SERVES], { outcome: "denied", code: -32601 }],
    [
      "a capability of the client, modern",
      ["2026-07-28", "sampling/createMessage", S2C, SERVES],
      { outcome: "denied", code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    ],
    ["a capability of the server, modern", ["2026-07-28", "prompts/get", C2S, SERVES], { outcome: "denied", code: -32601 }],
    [
      "tasks of the server",
      ["2025-11-25", "tasks/get", C2S, { client: { tasks: {} } }],
      { outcome: "denied", missing: { of: "server", path: "tasks" } },
    ],
    ["tasks of the client", ["2025-11-25", "tasks/get", S2C, { client: { tasks: {} } }], { outcome: "negotiated" }],
    [
      "the news of who runs the task",
      ["2025-11-25", "notifications/tasks/status", C2S, { client: { tasks: {} } }],
      { outcome: "negotiated" },
    ],
  ])("%s", (_, given, want) => {
    expect(mcp.gate(...given)).toMatchObject(want);
  });

  it("never answers a notification", () => {
    const outcome = mcp.gate("2025-06-18", "notifications/tools/list_changed", S2C, SERVES);
    expect(outcome).toMatchObject({ outcome: "denied", missing: { of: "server", path: "tools.listChanged" } });
    expect(outcome).not.toHaveProperty("code");
  });

  const URL_ONLY = { elicitation: { url: {} } };
  it.each<readonly [string, unknown, unknown, string | number]>([
    ["nothing, form", {}, { mode: "form" }, -32601],
    ["nothing, positional params", {}, ["form"], -32601],
    ["an empty object, no mode", { elicitation: {} }, {}, "negotiated"],
    ["an empty object, no params", { elicitation: {} }, undefined, "negotiated"],
    ["an empty object, form", { elicitation: {} }, { mode: "form" }, "negotiated"],
    ["an empty object, url", { elicitation: {} }, { mode: "url" }, -32602],
    ["url, no mode", URL_ONLY, {}, -32602],
    ["url, url", URL_ONLY, { mode: "url" }, "negotiated"],
    ["form and url, a mode nobody knows", { elicitation: { form: {}, url: {} } }, { mode: "voice" }, -32602],
    ["form and url, null as mode", { elicitation: { form: {}, url: {} } }, { mode: null }, -32602],
    ["form and url, a mode objects have", { elicitation: { form: {}, url: {} } }, { mode: "constructor" }, -32602],
    ["form and url, an inherited mode", URL_ONLY, Object.create({ mode: "url" }), -32602],
  ])("elicitation at 2025-11-25: %s", (_, client, params, want) => {
    const outcome = mcp.gate("2025-11-25", "elicitation/create", S2C, { client }, params);
    expect(outcome.outcome === "denied" ? outcome.code : outcome.outcome).toBe(want);
  });

  it("names the mode that is missing to a modern client", () => {
    const outcome = mcp.gate("2026-07-28", "elicitation/create", S2C, { client: { elicitation: {} } }, { mode: "url" });
    expect(outcome).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { url: {} } } },
      feature: "elicitation.url",
    });
  });

  const asked = { direction: C2S, kind: "request", feature: feature("base"), code: -32602 } as const;
  const STATES: ProtocolTables = {
    ...TOY,
    gates: {
      "2022-01": [
        { ...asked, method: "login", shape: "initialize", path: "ways", marker: "list" },
        { ...asked, method: "mode", shape: "session", path: "modes.available", marker: "object" },
        { ...asked, method: "cancel", shape: "entity", path: "can.cancel", marker: "boolean" },
        { ...asked, method: "magic", shape: "never", owner: "receiver", side: "server", path: "magic" },
      ],
    },
  };

  it.each<readonly [string, string, Snapshot, boolean]>([
    ["a list", "login", { initialize: { ways: ["key"] } }, true],
    ["an empty list", "login", { initialize: { ways: [] } }, false],
    ["an object for a list", "login", { initialize: { ways: { 0: "key", length: 1 } } }, false],
    ["a session", "mode", { session: { modes: { available: {} } } }, true],
    ["another holder", "mode", { initialize: { modes: { available: {} } } }, false],
    ["an entity", "cancel", { entity: { can: { cancel: true } } }, true],
    ["an entity that cannot", "cancel", { entity: { can: { cancel: "true" } } }, false],
    ["never", "magic", { server: { magic: {} } }, false],
  ])("reads %s", (_, method, snapshot, want) => {
    const outcome = gate(STATES, "2022-01", method, C2S, snapshot);
    expect(outcome).toMatchObject(want ? { outcome: "negotiated" } : { outcome: "denied", code: -32602, feature: "base" });
    expect(negotiated(STATES, "2022-01", method, C2S, snapshot)).toBe(want);
  });
});

describe("mayCall", () => {
  it.each<readonly [string, Parameters<typeof mcp.mayCall>, boolean]>([
    ["a client, what the server has", ["2025-06-18", "tools/call", "client", SERVES], true],
    ["a client, what it has not", ["2025-06-18", "prompts/get", "client", SERVES], false],
    [
      "a server, news it announced",
      ["2025-06-18", "notifications/tools/list_changed", "server", { server: { tools: { listChanged: true } } }],
      true,
    ],
    ["a server, news it did not", ["2025-06-18", "notifications/tools/list_changed", "server", SERVES], false],
    ["a server, legacy", ["2025-11-25", "roots/list", "server", { client: { roots: {} } }], true],
    ["a server, where it travels in a result", ["2026-07-28", "roots/list", "server", { client: { roots: {} } }], false],
    ["a server, what it handles itself", ["2025-06-18", "tools/call", "server", SERVES], false],
  ])("%s", (_, given, want) => {
    expect(mcp.mayCall(...given)).toBe(want);
    expect(mayCall(mcp.tables, ...given)).toBe(want);
  });
});

describe("auditAdvertisement", () => {
  it("finds what is advertised and not handled, and the reverse", () => {
    const audit = mcp.auditAdvertisement("2025-06-18", "server", { tools: {}, logging: {} }, [
      "tools/list",
      "ping",
      "prompts/get",
      "logging/setLevel",
    ]);
    expect(audit).toEqual({
      unhandled: [{ method: "tools/call", path: "tools" }],
      unadvertised: [{ method: "prompts/get", path: "prompts" }],
    });
  });

  it("reads each way a method may be opened", () => {
    const at = (client: unknown, handlers: readonly string[]) => auditAdvertisement(mcp.tables, "2025-11-25", "client", client, handlers);
    expect(at({ elicitation: { url: {} } }, []).unhandled).toEqual([{ method: "elicitation/create", path: "elicitation" }]);
    expect(at({ elicitation: { other: {} } }, ["elicitation/create"]).unadvertised).toEqual([
      { method: "elicitation/create", path: "elicitation.form or elicitation.url" },
    ]);
    expect(at({}, ["elicitation/create"]).unadvertised).toEqual([{ method: "elicitation/create", path: "elicitation" }]);
    expect(at(null, [])).toEqual({ unhandled: [], unadvertised: [] });
  });

  it("is clean where both say the same", () => {
    for (const revision of REVISIONS) {
      for (const side of ["client", "server"] as const) {
        const handlers = (mcp.tables.gates[revision] ?? []).map((entry) => entry.method);
        const full = mcp.CapabilitySet.allFor(revision)[side];
        expect(mcp.auditAdvertisement(revision, side, full, handlers)).toEqual({ unhandled: [], unadvertised: [] });
      }
    }
  });
});

/** Values that look like a set flag to a careless reader. */
const LURES: readonly unknown[] = [0, 1, "", "false", "true", [], [true], null, undefined, Number.NaN, Symbol("on"), () => true];

/** Makes a capability object with something at a path. */
function nested(path: string, value: unknown): unknown {
  return path.split(".").reduceRight((inner: unknown, key) => ({ [key]: inner }), value);
}

/** Makes an object whose prototypes have something at a path. */
function inherited(path: string, value: unknown): unknown {
  return path.split(".").reduceRight((inner: unknown, key) => Object.create({ [key]: inner }) as unknown, value);
}

function flagsOf(entry: GateEntry) {
  if (entry.shape === "capability") return [entry.flag];
  return entry.shape === "params" ? [...(entry.flag === undefined ? [] : [entry.flag]), ...Object.values(entry.cases)] : [];
}

describe.each(REVISIONS)("gates of %s", (revision) => {
  const entries = mcp.tables.gates[revision] ?? [];
  const flags = (side: "client" | "server") => Object.entries(mcp.tables.flags[revision]?.[side] ?? {});

  it("are shut to what only looks like a flag", () => {
    for (const entry of entries) {
      for (const flag of flagsOf(entry)) {
        const wrong = flag.marker === "boolean" ? [...LURES, {}] : [...LURES, true];
        const values = wrong.map((value) => nested(flag.path, value));
        const set = flag.marker === "boolean" ? true : { x: 1 };
        const poisoned: unknown = JSON.parse(`{"__proto__":${JSON.stringify(nested(flag.path, set))}}`);
        const doubtful = [...values, inherited(flag.path, set), poisoned, [nested(flag.path, set)], nested(`deep.${flag.path}`, set)];
        for (const value of doubtful) {
          const modes = entry.shape === "params" ? Object.keys(entry.cases).filter((mode) => entry.cases[mode] === flag) : [];
          const params = entry.shape === "params" ? { [entry.field]: modes[0] ?? "form" } : undefined;
          const { outcome } = mcp.gate(revision, entry.method, entry.direction, { [flag.side]: value }, params);
          expect(outcome, `${entry.method} ${flag.path}`).toBe("denied");
        }
      }
    }
  });

  it("never throw and never grant, whatever the snapshot", () => {
    const key = fc.constantFrom("client", "server", "tools", "prompts", "roots", "__proto__", "constructor", "listChanged");
    const junk = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom(...LURES),
        fc.array(tie("node"), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie("node")), { maxLength: 4 }).map((pairs) => Object.create(Object.fromEntries(pairs)) as unknown),
      ),
    })).node;
    fc.assert(
      fc.property(junk, junk, junk, fc.constantFrom(...entries), (client, server, params, entry) => {
        for (const snapshot of [client, { client, server }, Object.create({ client, server }), [client, server]]) {
          const { outcome } = mcp.gate(revision, entry.method, entry.direction, snapshot as Snapshot, params);
          // Nothing here is an object's own, so nothing is advertised.
          expect(outcome).toBe(entry.shape === "baseline" ? "baseline" : "denied");
        }
      }),
      { numRuns: 300 },
    );
  });

  it("agree with the profile", () => {
    const capabilities = (side: "client" | "server") =>
      fc
        .record(Object.fromEntries(flags(side).map(([path]) => [path, fc.constantFrom<unknown>("absent", "set", "empty", ...LURES)])))
        .map((choice) => {
          const root: Record<string, unknown> = {};
          for (const [path, form] of flags(side)) {
            const how = choice[path];
            if (how === "absent") continue;
            const steps = path.split(".");
            const holder = steps.slice(0, -1).reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], root);
            if (typeof holder !== "object" || holder === null || Array.isArray(holder)) continue;
            const value = how === "set" ? (form === "boolean" ? true : { ours: 1 }) : how === "empty" ? {} : how;
            (holder as Record<string, unknown>)[steps.at(-1) ?? ""] = value;
          }
          return root;
        });
    fc.assert(
      fc.property(capabilities("client"), capabilities("server"), (client, server) => {
        const snapshot = { client, server };
        const profile = mcp.resolve({ revision, transport: "stdio", ...snapshot });
        for (const { method, feature: gating } of mcp.tables.methods[revision] ?? []) {
          const gates = entries.filter((entry) => entry.method === method);
          const [first] = gates;
          if (first?.shape === "params") {
            for (const [mode, flag] of Object.entries(first.cases)) {
              const isOn = profile.isEnabled(gating) && profile.isEnabled(flag.feature);
              expect(mcp.negotiated(revision, method, first.direction, snapshot, { [first.field]: mode }), `${method} ${mode}`).toBe(isOn);
            }
          } else {
            const isServed = gates.some((entry) => mcp.negotiated(revision, method, entry.direction, snapshot));
            expect(isServed, method).toBe(profile.isEnabled(gating));
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
