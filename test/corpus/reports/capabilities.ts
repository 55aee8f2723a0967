// Reports about capabilities: flags of every wrong JSON type, flags an older peer has no place for, and gates that hold where nothing was
// advertised, whoever asks.
import { describe, expect, it } from "vitest";
import { isLowerError, type Wire } from "../../../runtime/index.js";
import { resolve, tables } from "../../../runtime/mcp.js";
import {
  ALL,
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
  profileOf,
  refuse,
  relay,
  routes,
  told,
} from "../reports.js";

/** Values of every wrong JSON type for an object, and whether they announce the capability all the same. */
const NO_OBJECT: readonly (readonly [string, unknown, boolean])[] = [
  ["true", true, true],
  ["an empty list", [], true],
  ["a list of tools", [{ name: "t", inputSchema: { type: "object" } }], true],
  ["a list with null", [null], true],
  ["a string", "yes", true],
  ["an empty string", "", true],
  ["one", 1, true],
  ["zero", 0, true],
  ["false", false, false],
  ["null", null, false],
];

/** Values of every wrong JSON type for a boolean. */
const NO_BOOLEAN: readonly unknown[] = [null, "true", "", 1, 0, {}, [], [true]];

/** A place where one side of a revision says what it can do. */
interface Place {
  readonly revision: string;
  readonly side: "client" | "server";
  readonly method: string;
  readonly part: "params" | "result";
  readonly at: string;
  payload(capabilities: unknown): Wire;
}

const info = { name: "p", version: "1" };
const META = "io.modelcontextprotocol";

const PLACES: readonly Place[] = [
  ...LEGACY.flatMap((revision): Place[] => [
    {
      revision,
      side: "client",
      method: "initialize",
      part: "params",
      at: "/capabilities",
      payload: (capabilities) => ({ protocolVersion: revision, capabilities, clientInfo: info }),
    },
    {
      revision,
      side: "server",
      method: "initialize",
      part: "result",
      at: "/capabilities",
      payload: (capabilities) => ({ protocolVersion: revision, capabilities, serverInfo: info }),
    },
  ]),
  {
    revision: MODERN,
    side: "client",
    method: "tools/list",
    part: "params",
    at: `/_meta/${META}~1clientCapabilities`,
    payload: (capabilities) => ({ _meta: { [`${META}/protocolVersion`]: MODERN, [`${META}/clientCapabilities`]: capabilities } }),
  },
  {
    revision: MODERN,
    side: "server",
    method: "server/discover",
    part: "result",
    at: "/capabilities",
    payload: (capabilities) => ({ resultType: "complete", ttlMs: 0, cacheScope: "private", supportedVersions: [MODERN], capabilities }),
  },
];

/** Methods and notifications that need a flag, by the side that has to advertise it. */
const GATED: readonly (readonly [string, unknown, "client" | "server", string])[] = [
  ["tools/list", {}, "server", "tools"],
  ["tools/call", { name: "t" }, "server", "tools"],
  ["prompts/list", {}, "server", "prompts"],
  ["prompts/get", { name: "p" }, "server", "prompts"],
  ["resources/list", {}, "server", "resources"],
  ["resources/templates/list", {}, "server", "resources"],
  ["resources/read", { uri: "a:" }, "server", "resources"],
  ["resources/subscribe", { uri: "a:" }, "server", "resources.subscribe"],
  ["logging/setLevel", { level: "debug" }, "server", "logging"],
  ["notifications/tools/list_changed", {}, "server", "tools.listChanged"],
  ["notifications/prompts/list_changed", {}, "server", "prompts.listChanged"],
  ["notifications/resources/list_changed", {}, "server", "resources.listChanged"],
  ["notifications/roots/list_changed", {}, "client", "roots.listChanged"],
  ["roots/list", {}, "client", "roots"],
  ["sampling/createMessage", { messages: [], maxTokens: 5 }, "client", "sampling"],
  ["elicitation/create", { message: "?", requestedSchema: { type: "object", properties: {} } }, "client", "elicitation"],
];

/** Registers the plays about capabilities. */
export function playCapabilities(): void {
  describe("capabilities", () => {
    play("cap-tools-array", "a list in the place of the tools capability says that there are tools, and nothing about them", (report) => {
      const result = message(report, "s")["result"];
      for (const route of routes("2024-11-05", LEGACY)) {
        const { value, steps } = deliver(route, "initialize", "result", result);
        expect(at(value, "/capabilities"), named(route)).toEqual({ tools: {} });
        expect(told(steps)).toEqual(["repair /capabilities/tools capability-in-another-form"]);
      }
      const intolerant = codecOf("2024-11-05", undefined, { tolerant: false });
      expect(intolerant.lift("initialize", "result", result)).toBe(result);
      expect(faultsOf("2024-11-05", "initialize", "result", result)?.join()).toContain("/capabilities/tools");
    });

    describe.each(PLACES.map((place) => [place.revision, place.side, place] as const))("%s, %s", (revision, side, place) => {
      const flags = Object.entries(tables.flags[revision]?.[side] ?? {});

      it.each(NO_OBJECT)("%s for each capability", (_, wrong, announces) => {
        for (const [flag] of flags.filter(([, form]) => form === "object")) {
          const payload = place.payload(nested(flag, wrong));
          for (const route of routes(revision, revision)) {
            const { value } = deliver(route, place.method, place.part, payload);
            const found = at(value, `${place.at}/${flag.replaceAll(".", "/")}`);
            expect(found, `${flag}, ${named(route)}`).toEqual(announces ? {} : undefined);
          }
          const lifted = at(codecOf(revision).lift(place.method, place.part, payload), place.at);
          const profile = resolve({ revision, transport: "stdio", client: {}, server: {}, [side]: lifted });
          for (const feature of needing(side, flag).filter((index) => isPossible(revision, index))) {
            expect(profile.isEnabled(feature), `${flag}: ${tables.features[feature]?.id}`).toBe(
              announces || (wrong === null && isImplied(side, flag)),
            );
          }
        }
      });

      it("anything but a boolean for each flag that is true or not", () => {
        for (const [flag, wrong] of flags
          .filter(([, form]) => form === "boolean")
          .flatMap(([path]) => NO_BOOLEAN.map((value) => [path, value] as const))) {
          const payload = place.payload(nested(flag, wrong));
          for (const route of routes(revision, revision)) {
            const { value, refusal } = pass(route, place.method, place.part, payload);
            expect(at(value, `${place.at}/${flag.replaceAll(".", "/")}`), named(route)).not.toBe(true);
            expect(refusal?.path ?? "").toMatch(/^$|apabilities/);
          }
          const profile = resolve({ revision, transport: "stdio", client: {}, server: {}, [side]: nested(flag, wrong) });
          for (const feature of needing(side, flag)) expect(profile.isEnabled(feature), flag).toBe(false);
        }
      });

      it("an experimental capability in any other form", () => {
        for (const [, wrong, announces] of NO_OBJECT) {
          const payload = place.payload({ experimental: { "com.example/a": { deep: [null] }, odd: wrong } });
          for (const route of routes(revision, place.method === "initialize" ? LEGACY : [revision])) {
            const { value } = deliver(route, place.method, place.part, payload);
            const wanted = { "com.example/a": { deep: [null] }, ...(announces ? { odd: {} } : {}) };
            expect(at(value, `${place.at}/experimental`), named(route)).toEqual(wanted);
          }
        }
      });

      it("the whole of them in any other form opens nothing", () => {
        for (const [, wrong] of NO_OBJECT) {
          const profile = resolve({ revision, transport: "stdio", client: {}, server: {}, [side]: wrong });
          const bare = resolve({ revision, transport: "stdio", client: {}, server: {} });
          expect(profile.equals(bare)).toBe(true);
        }
      });
    });

    play("cap-flattened-true", "flattened keys announce nothing, and a bare list is no result", (report) => {
      const result = message(report, "s")["result"];
      for (const revision of LEGACY) {
        const lifted = codecOf(revision).lift("initialize", "result", result);
        expect(lifted).toBe(result);
        expect(faultsOf(revision, "initialize", "result", lifted)?.join()).toMatch(/capabilities|serverInfo/);
        const profile = profileOf(revision, {}, at(lifted, "/capabilities"));
        expect(profile.equals(profileOf(revision, {}, {}))).toBe(true);
      }
      for (const route of routes(LEGACY)) {
        for (const method of ["tools/list", "prompts/list"])
          expectInvalid(() => relay(route, message(report, "s", 1), method), named(route));
      }
    });

    it.each([
      "tools/list",
      "tools/call",
      "prompts/list",
      "prompts/get",
      "resources/list",
      "resources/templates/list",
      "resources/read",
      "completion/complete",
      "initialize",
      "ping",
      "logging/setLevel",
    ])("a result of %s that is no object is a typed error", (method) => {
      for (const route of routes(LEGACY, LEGACY)) {
        for (const result of [[], [{ name: "a" }], "ok", 1, 0, true, false, ""]) {
          expectInvalid(() => relay(route, { jsonrpc: "2.0", id: 2, result }, method), `${named(route)} ${JSON.stringify(result)}`);
        }
      }
    });

    play("cap-experimental-bool", "a boolean below experimental becomes an object before a strict client sees it", (report) => {
      for (const route of routes(["2025-06-18", "2025-11-25"], LEGACY)) {
        const { value } = deliver(route, "initialize", "result", message(report, "s")["result"]);
        expect(at(value, "/capabilities"), named(route)).toEqual({ tools: { listChanged: false }, experimental: { stateless: {} } });
      }
    });

    it.each([
      ["2024-11-05", undefined],
      ["2025-03-26", undefined],
      ["2025-06-18", {}],
      ["2025-11-25", { form: {}, url: {} }],
    ])("cap-elicitation-form-strict, shaped for %s", (to, elicitation) => {
      const params = {
        protocolVersion: "2025-11-25",
        capabilities: { roots: {}, elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, tasks: { list: {} } },
        clientInfo: info,
      };
      const { value } = deliver({ from: "2025-11-25", to, policy: "balanced" }, "initialize", "params", params);
      expect(at(value, "/capabilities")).toEqual({
        roots: {},
        ...(elicitation === undefined ? {} : { elicitation }),
        sampling: to === "2025-11-25" ? { tools: {}, context: {} } : {},
        ...(to === "2025-11-25" ? { tasks: { list: {} } } : {}),
      });
      if (to !== "2025-11-25") {
        const error = refuse({ from: "2025-11-25", to, policy: "strict" }, "initialize", "params", params);
        expect([error.code, error.condition, error.path.split("/")[1]]).toEqual(["feature-unavailable", "revision", "capabilities"]);
      }
    });

    play("cap-elicitation-form-strict", "the refusal of an older server reaches whoever asked, as it is", (report) => {
      for (const route of routes(LEGACY)) {
        expect(relay(route, message(report, "s"), { method: "initialize" }).wire["error"]).toEqual(message(report, "s")["error"]);
      }
    });

    play("cap-elicitation-no-handler", "a client that knows no elicitation says so to the server, as it said it", (report) => {
      const ask = message(report, "s");
      const refusal = message(report, "c", 3);
      for (const from of ["2025-06-18", "2025-11-25"]) {
        for (const route of routes(from, ["2025-06-18", "2025-11-25"])) {
          expect(relay(route, ask).wire).toEqual(ask);
          expect(relay(route, refusal, { method: "elicitation/create", params: ask["params"] }).wire).toEqual(refusal);
        }
      }
    });

    play("cap-ungated-list", "what a server does not advertise is refused before it is asked, the same way each time", (report) => {
      const server = at(message(report, "s"), "/result/capabilities");
      for (const revision of ALL) {
        const profile = profileOf(revision, {}, server);
        for (const index of [0, 1]) {
          const asked = message(report, "c", index)["method"] as string;
          const errors = [1, 2].map(() => refuse({ from: revision, to: revision, policy: "balanced" }, asked, "params", {}, { profile }));
          for (const error of errors) {
            expect(error).toMatchObject({
              code: "feature-unavailable",
              condition: "capability",
              missing: { side: "server", flag: "resources" },
            });
          }
          expect(errors[1]?.message).toBe(errors[0]?.message);
        }
      }
      const advertised = profileOf("2025-06-18", {}, { resources: {} });
      expect(codecOf("2025-06-18", advertised).lower("resources/list", "result", { resources: [] })).toEqual({ resources: [] });
    });

    describe.each(LEGACY)("gates of %s", (revision) => {
      const known = GATED.filter(
        ([method, , side, flag]) => codecOf(revision).method(method) !== undefined && isFlag(revision, side, flag),
      );

      it.each(known)("%s", (method, params, side, flag) => {
        const closed = profileOf(revision, {}, {});
        const error = refuse({ from: revision, to: revision, policy: "balanced" }, method, "params", params, { profile: closed });
        expect(error).toMatchObject({ code: "feature-unavailable", condition: "capability", missing: { side, flag } });
        const open = profileOf(revision, {}, {});
        expect(open.isEnabled(codecOf(revision).method(method)?.feature ?? -1)).toBe(false);
        const sides = { client: {}, server: {}, [side]: nested(flag, isBoolean(revision, side, flag) ? true : {}) };
        const advertised = profileOf(revision, sides.client, sides.server);
        deliver({ from: revision, to: revision, policy: "strict" }, method, "params", params, { profile: advertised });
      });
    });

    play("cap-extra-init-fields", "private members of a handshake harm nobody", (report) => {
      const params = message(report, "c")["params"];
      for (const route of routes(["2025-06-18", "2025-11-25"], LEGACY, ["balanced"])) {
        const { value } = deliver(route, "initialize", "params", params);
        expect(value, named(route)).toMatchObject({
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "c", version: "1" },
        });
        expect(at(value, "/nonce")).toBe("n");
      }
    });

    play("cap-list-changed-relayed", "no change of a list is told to a client that was promised none", (report) => {
      for (const revision of ALL) {
        const profile = profileOf(revision, {}, { tools: {} });
        const error = refuse(
          { from: revision, to: revision, policy: "balanced" },
          message(report, "s")["method"] as string,
          "params",
          undefined,
          {
            profile,
          },
        );
        expect(error).toMatchObject({ condition: "capability", missing: { flag: "tools.listChanged" } });
        const promised = profileOf(revision, {}, { tools: { listChanged: true } });
        expect(
          relay({ from: revision, to: revision, policy: "strict" }, message(report, "s"), undefined, { profile: promised }).wire,
        ).toBeDefined();
      }
    });

    play(
      "server-request-undeclared",
      "a server's request that the client never offered to take is refused, with the flag it lacks",
      (report) => {
        const ask = message(report, "s");
        for (const revision of ["2025-06-18", "2025-11-25"]) {
          const profile = profileOf(revision, at(message(report, "c"), "/params/capabilities"), { tools: {} });
          const error = refuse({ from: revision, to: revision, policy: "balanced" }, "elicitation/create", "params", ask["params"], {
            profile,
          });
          expect(error).toMatchObject({ code: "feature-unavailable", missing: { side: "client", flag: "elicitation" } });
        }
      },
    );

    play("server-request-stateless", "what the client declared is passed to it, what not is refused", (report) => {
      const ask = message(report, "s");
      const declared = at(message(report, "c"), "/params/capabilities");
      for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
        const route = { from: revision, to: revision, policy: "strict" } as const;
        expect(relay(route, ask, undefined, { profile: profileOf(revision, declared, {}) }).wire).toBe(ask);
        const profile = profileOf(revision, {}, {});
        expect(refuse(route, "sampling/createMessage", "params", ask["params"], { profile }).missing?.flag).toBe("sampling");
      }
    });

    play("life-setlevel-early", "a level is set only where logging was advertised", (report) => {
      const params = message(report, "c", 1)["params"];
      for (const revision of LEGACY) {
        const route = { from: revision, to: revision, policy: "strict" } as const;
        expect(refuse(route, "logging/setLevel", "params", params, { profile: profileOf(revision, {}, { tools: {} }) }).missing?.flag).toBe(
          "logging",
        );
        expect(deliver(route, "logging/setLevel", "params", params, { profile: profileOf(revision, {}, { logging: {} }) }).value).toBe(
          params,
        );
        expect(deliver(route, "logging/setLevel", "result", {}).value).toEqual({});
      }
    });

    play(
      "notif-answered-error",
      "the answer to a notification is an error of no request, and changed roots are told only where that was declared",
      (report) => {
        for (const route of routes(LEGACY)) {
          const { wire } = relay(route, message(report, "s"));
          expect(wire["error"]).toEqual(message(report, "s")["error"]);
        }
        for (const revision of LEGACY) {
          const route = { from: revision, to: revision, policy: "strict" } as const;
          const told = "notifications/roots/list_changed";
          for (const roots of [{}, { listChanged: false }, { listChanged: null }, true]) {
            expect(refuse(route, told, "params", undefined, { profile: profileOf(revision, { roots }, {}) }).missing?.flag).toBe(
              "roots.listChanged",
            );
          }
          deliver(route, told, "params", undefined, { profile: profileOf(revision, { roots: { listChanged: true } }, {}) });
        }
      },
    );

    play(
      "mrtr-capability-url",
      "an empty elicitation capability is forms only: what opens an address is refused with the flag that is missing",
      (report) => {
        const client = at(message(report, "s"), "/result") as Wire;
        const profile = profileOf(MODERN, { elicitation: {} }, { tools: {} });
        const error = refuse({ from: MODERN, to: MODERN, policy: "balanced" }, "tools/call", "result", client, { profile });
        expect(error).toMatchObject({
          code: "feature-unavailable",
          condition: "capability",
          missing: { side: "client", flag: "elicitation.url" },
          path: "/inputRequests/a/params",
        });
        const able = profileOf(MODERN, { elicitation: { url: {} } }, { tools: {} });
        expect(deliver({ from: MODERN, to: MODERN, policy: "strict" }, "tools/call", "result", client, { profile: able }).value).toBe(
          client,
        );
      },
    );

    it.each([
      [{}, true, false],
      [{ form: {} }, true, false],
      [{ url: {} }, false, true],
      [{ form: {}, url: {} }, true, true],
    ])("elicitation %j means forms %s, addresses %s, at both revisions that tell them apart", (elicitation, forms, addresses) => {
      for (const revision of ["2025-11-25", MODERN]) {
        const profile = profileOf(revision, { elicitation }, {});
        const asks = [
          [{ mode: "form", message: "?", requestedSchema: { type: "object", properties: {} } }, forms],
          [{ mode: "url", message: "?", url: "https://example.invalid", elicitationId: "e" }, addresses],
        ] as const;
        for (const [ask, allowed] of asks) {
          const { refusal } = pass({ from: revision, to: revision, policy: "balanced" }, "elicitation/create", "params", ask, { profile });
          expect(refusal === undefined, `${revision} ${ask.mode}`).toBe(allowed);
        }
      }
    });

    play("client-ping-method-not-found", "a ping is a request of either side, with any id", (report) => {
      for (const route of routes(LEGACY, LEGACY)) {
        for (const index of [0, 1, 2]) {
          const ping = message(report, "s", index);
          expect(relay(route, ping).wire).toBe(ping);
          const pong = { jsonrpc: "2.0", id: ping["id"], result: {} };
          expect(relay(route, pong, "ping").wire).toBe(pong);
        }
      }
      expect(refuse({ from: "2025-11-25", to: MODERN, policy: "balanced" }, "ping", "params", undefined).feature).toBe("lifecycle.ping");
    });
  });
}

function nested(flag: string, value: unknown): Wire {
  return flag.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Wire;
}

function needing(side: "client" | "server", flag: string): readonly number[] {
  return [...tables.features.entries()].flatMap(([index, { requires }]) =>
    requires?.[side] === flag && requires.match !== "any" ? [index] : [],
  );
}

/** Tells whether the one flag is all that a feature asks of the peers. */
function isPossible(revision: string, feature: number): boolean {
  const { requires } = tables.features[feature] ?? {};
  if (requires?.client !== undefined && requires.server !== undefined) return false;
  return profileOf(revision, everything(revision, "client"), everything(revision, "server")).isEnabled(feature);
}

function everything(revision: string, side: "client" | "server"): Wire {
  let capabilities: Wire = {};
  for (const [flag, form] of Object.entries(tables.flags[revision]?.[side] ?? {})) {
    capabilities = merged(capabilities, nested(flag, form === "boolean" ? true : {}));
  }
  return capabilities;
}

function merged(a: Wire, b: Wire): Wire {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries(
    [...keys].map((key) => [
      key,
      typeof a[key] === "object" && typeof b[key] === "object" ? merged(a[key] as Wire, b[key] as Wire) : (b[key] ?? a[key]),
    ]),
  );
}

/** What is left of the object around such a flag, when the flag goes, says the same as the flag. */
function isImplied(side: "client" | "server", flag: string): boolean {
  return tables.implied.some((entry) => entry.side === side && entry.flag === flag);
}

function isFlag(revision: string, side: "client" | "server", flag: string): boolean {
  return Object.hasOwn(tables.flags[revision]?.[side] ?? {}, flag);
}

function isBoolean(revision: string, side: "client" | "server", flag: string): boolean {
  return tables.flags[revision]?.[side][flag] === "boolean";
}

function expectInvalid(run: () => unknown, where: string): void {
  let thrown: unknown;
  try {
    run();
  } catch (error) {
    thrown = error;
  }
  const isTyped = isLowerError(thrown) || (thrown instanceof Error && thrown.name === "EnvelopeError");
  expect(isTyped, `${where}: a typed error, got ${String(thrown)}`).toBe(true);
}
