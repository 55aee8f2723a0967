// Reports about negotiated revisions and the methods of an era: what a wrong or missing version makes of a profile, what an initialize result
// says on the other leg, how errors about versions travel, and that no method of one era is sent to a peer of the other.
import { describe, expect, it } from "vitest";
import { TranslationReport } from "../../../runtime/index.js";
import { METHODS, negotiable, resolve, translateError } from "../../../runtime/mcp.js";
import {
  ALL,
  arrived,
  at,
  codecOf,
  deliver,
  faultsOf,
  LEGACY,
  message,
  MODERN,
  named,
  pass,
  play,
  policyOf,
  profileOf,
  refuse,
  relay,
  routes,
} from "../reports.js";

/** What peers say where a revision should be: none of them is one. */
const NO_REVISION: readonly (readonly [string, unknown])[] = [
  ["a date of no release", "1999-01-01"],
  ["a later date", "2099-01-01"],
  ["an empty string", ""],
  ["a word", "latest"],
  ["a template nobody filled in", "${protocolVersion}"],
  ["a revision with a blank", " 2025-11-25"],
  ["a revision with a line end", "2025-11-25\n"],
  ["a revision and more", "2025-11-25-rc.1"],
  ["a revision written otherwise", "2025-11-25T00:00:00Z"],
  ["an own key of every object", "constructor"],
  ["a prototype", "__proto__"],
  ["null", null],
  ["nothing", undefined],
  ["a number", 20251125],
  ["a list of one", ["2025-11-25"]],
  ["an object", { version: "2025-11-25" }],
];

/** What a server says of itself at the newest handshake revision, and the capabilities that each older one has a place for. */
const RICH = {
  protocolVersion: "2025-11-25",
  capabilities: {
    tools: { listChanged: true },
    prompts: {},
    resources: { subscribe: true },
    logging: {},
    completions: {},
    experimental: { "com.example/x": {} },
    tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  },
  serverInfo: {
    name: "s",
    version: "1",
    title: "S",
    websiteUrl: "https://example.invalid",
    icons: [{ src: "https://example.invalid/i.png" }],
  },
  instructions: "read the manual",
};

const NO_METHOD = ["feature-unavailable", "revision"];

/** Registers the plays about negotiation. */
export function playNegotiation(): void {
  describe("negotiation", () => {
    play("neg-echo-any", "what was agreed opens only what the peer advertises, and its plain tools reach everyone", (report) => {
      const result = message(report, "s")["result"];
      const agreed = at(result, "/protocolVersion") as string;
      const profile = profileOf(agreed, {}, at(result, "/capabilities"));
      const codec = codecOf(agreed, profile);
      expect(codec.lower("tools/list", "params", {})).toEqual({});
      for (const [method, flag] of [
        ["prompts/list", "prompts"],
        ["resources/list", "resources"],
        ["logging/setLevel", "logging"],
        ["completion/complete", "completions"],
      ] as const) {
        const error = caught(() => codec.lower(method, "params", {}));
        expect(error, method).toMatchObject({ code: "feature-unavailable", condition: "capability", missing: { side: "server", flag } });
      }
      for (const route of routes(["2024-11-05", agreed])) {
        const { value } = deliver(route, "tools/list", "result", message(report, "s", 1)["result"]);
        expect(at(value, "/tools"), named(route)).toEqual([{ name: "t", inputSchema: { type: "object" } }]);
      }
    });

    play("neg-fixed-latest", "the newer answer is accepted on its leg and written so that the older client can read it", (report) => {
      const asked = at(message(report, "c"), "/params/protocolVersion");
      expect(negotiable()).toContain(asked);
      const { value } = deliver(
        { from: "2025-11-25", to: "2025-03-26", policy: "strict" },
        "initialize",
        "result",
        message(report, "s")["result"],
      );
      expect(value).toMatchObject({ capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
    });

    it.each(LEGACY)("what a server of the newest handshake says is valid at %s, and what that has no place for is not announced", (to) => {
      const { value, steps } = deliver({ from: "2025-11-25", to, policy: "balanced" }, "initialize", "result", RICH);
      const { tasks, completions, ...base } = RICH.capabilities;
      const announced = { ...base, ...(to >= "2025-03-26" ? { completions } : {}), ...(to === "2025-11-25" ? { tasks } : {}) };
      expect(at(value, "/capabilities")).toEqual(announced);
      expect(at(value, "/instructions")).toBe(RICH.instructions);
      expect(steps.filter((step) => step.path.startsWith("/capabilities")).every((step) => step.action === "skip")).toBe(true);
    });

    play("neg-error-32602", "a refused version keeps its lists, under the code each revision gives that error", (report) => {
      const error = message(report, "s")["error"];
      for (const route of routes(LEGACY, ALL, ["balanced"])) {
        const { wire } = relay(route, message(report, "s"), { method: "initialize" });
        const code = route.to === MODERN ? -32022 : -32602;
        expect(wire["error"], named(route)).toEqual({ ...(error as object), code });
      }
    });

    play("neg-client-no-check", "a version that no revision has resolves to nothing", (report) => {
      const revision = at(message(report, "s"), "/result/protocolVersion") as string;
      const error = caught(() => resolve({ revision, transport: "stdio", client: {}, server: { tools: {} } }));
      expect(error).toMatchObject({ name: "UnknownRevisionError", code: "unknown-revision", revision, known: ALL });
      expect(negotiable()).not.toContain(revision);
    });

    it.each(NO_REVISION)("%s is no negotiated revision", (_, revision) => {
      const error = caught(() => resolve({ revision: revision as string, transport: "stdio", client: {}, server: {} }));
      expect(error).toMatchObject({ name: "UnknownRevisionError", known: ALL });
    });

    it.each(LEGACY)("an initialize result without a version, or with one that is no string, is invalid at %s and stays so", (revision) => {
      for (const version of [undefined, null, 20251125, ["2025-11-25"], {}]) {
        const { protocolVersion: _, ...rest } = RICH;
        const result = version === undefined ? rest : { ...rest, protocolVersion: version };
        const lifted = codecOf(revision).lift("initialize", "result", result);
        expect(at(lifted, "/protocolVersion")).toEqual(version);
        expect(faultsOf(revision, "initialize", "result", lifted)?.join()).toMatch(/protocolVersion/);
      }
    });

    play("neg-version-absent", "nobody invents what an initialize leaves out", (report) => {
      const params = message(report, "c")["params"];
      for (const route of routes(LEGACY, LEGACY)) {
        const { refusal } = pass(route, "initialize", "params", params, { valid: false });
        expect(["/protocolVersion", "/capabilities", "/clientInfo"], named(route)).toContain(refusal?.path);
      }
      for (const revision of LEGACY) {
        const whole = { ...(params as object), protocolVersion: revision, capabilities: {}, clientInfo: RICH.serverInfo };
        for (const missing of ["protocolVersion", "capabilities", "clientInfo"] as const) {
          const { [missing]: _, ...rest } = whole;
          expect(faultsOf(revision, "initialize", "params", rest)?.join()).toContain(missing);
        }
      }
    });

    play("neg-init-modern", "the revision without a handshake has no initialize, either way", (report) => {
      expect(codecOf(MODERN).method("initialize")).toBeUndefined();
      const error = refuse({ from: "2025-11-25", to: MODERN, policy: "balanced" }, "initialize", "params", message(report, "c")["params"]);
      expect([error.code, error.condition, error.feature]).toEqual([...NO_METHOD, "lifecycle.initialize"]);
      expect(error.cite?.revision).toBe(MODERN);
      expect(LEGACY).not.toContain(at(message(report, "c"), "/params/protocolVersion"));
    });

    play("neg-modern-only-stdio", "the list of a modern refusal reaches the legacy client whole", (report) => {
      const error = message(report, "s")["error"] as object;
      for (const route of routes(MODERN, LEGACY)) {
        const { wire } = relay(route, message(report, "s"), { method: "initialize" });
        expect(wire["error"], named(route)).toEqual({ ...error, code: -32602 });
      }
    });

    play("probe-32602", "a refused probe stays the error it was", (report) => {
      for (const route of routes(LEGACY)) {
        const { wire, steps } = relay(route, message(report, "s"), { method: "server/discover" });
        expect(wire["error"], named(route)).toEqual(message(report, "s")["error"]);
        expect(steps).toEqual([]);
      }
    });

    play("probe-32022-retry", "an error about versions is one only with the data that makes it one", (report) => {
      const [whole, broken] = arrived(report, "s").map((entry) => at(entry, "/error") as { code: number });
      for (const to of LEGACY) {
        const journey = { from: MODERN, to, method: "server/discover", policy: policyOf("balanced") };
        expect(translateError(journey, broken as never, new TranslationReport())).toBe(broken);
        expect(at(translateError(journey, whole as never), "/data")).toEqual(at(whole, "/data"));
      }
      expect(translateError({ from: MODERN, to: MODERN }, whole as never)).toBe(whole);
    });

    it.each(ALL.flatMap((from) => ALL.map((to) => [from, to] as const)))(
      "no method that only %s has is sent to a peer of %s",
      (from, to) => {
        const there = new Set<string>(METHODS[to as keyof typeof METHODS].map((entry) => entry.method));
        const only = METHODS[from as keyof typeof METHODS].map((entry) => entry.method as string).filter((method) => !there.has(method));
        for (const method of only) {
          for (const policy of ["strict", "balanced"] as const) {
            const error = refuse({ from, to, policy }, method, "params", {});
            expect([error.code, error.condition], method).toEqual(NO_METHOD);
            expect(error.cite, method).toBeDefined();
          }
        }
        expect(only.length === 0).toBe(from === to || only.every((method) => there.has(method)));
      },
    );
  });
}

function caught(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was refused");
}
