// Reports about what is lost or leaks on the way: members a revision does not know, per-hop keys of the newest one, tokens and subscriptions,
// tasks of another generation, words of a draft.
import { describe, expect, it } from "vitest";
import { liftEnvelope, type Wire } from "../../../runtime/index.js";
import { DegradePolicy, Feature } from "../../../runtime/mcp.js";
import {
  ALL,
  arrived,
  asked,
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
  refuse,
  relay,
  routes,
  said,
  told,
} from "../reports.js";

const META = "io.modelcontextprotocol";
const TOKENS: readonly (string | number)[] = [0, "0", 1, "1", "", -1, 2 ** 53, "a/b", "__proto__"];
const ELICITING = ["2025-06-18", "2025-11-25", MODERN];

/** Registers the plays about forwarding. */
export function playForwarding(): void {
  describe("forwarding", () => {
    play(
      "fwd-fields-stripped",
      "within a revision everything goes through as the same object; to an older one only what breaks it goes, and is told",
      (report) => {
        const result = message(report, "s")["result"] as Wire;
        for (const revision of ALL) {
          const same = said(revision, result);
          for (const route of routes("2025-11-25", "2025-11-25"))
            expect(relay(route, message(report, "s"), "tools/list").wire, named(route)).toBe(message(report, "s"));
          if (revision >= "2025-11-25")
            expect(deliver({ from: revision, to: revision, policy: "strict" }, "tools/list", "result", same).value).toBe(same);
        }
        for (const route of routes(["2025-11-25", MODERN], ALL, ["balanced"])) {
          const { value } = deliver(route, "tools/list", "result", said(route.from, result));
          expect(value, named(route)).toMatchObject({ _meta: { "com.example/page": 2 }, "com.example/extra": true });
          expect(at(value, "/tools/0"), named(route)).toMatchObject({
            name: "a",
            title: "A",
            annotations: { readOnlyHint: true },
            _meta: { "com.example/k": 1 },
            "x-vendor": { y: [1] },
          });
        }
      },
    );

    it("members nobody knows go through at every place, in every direction", () => {
      const extra = { "x-vendor": { y: [null, 1] }, "com.example/z": 0, constructor: "own" };
      const payloads = [
        ["tools/list", "result", { tools: [{ name: "a", inputSchema: { type: "object" }, ...extra }], ...extra }],
        ["tools/call", "result", { content: [{ type: "text", text: "t", ...extra }], ...extra }],
        ["prompts/get", "result", { messages: [{ role: "user", content: { type: "text", text: "t", ...extra }, ...extra }], ...extra }],
        ["resources/read", "result", { contents: [{ uri: "a:", text: "", ...extra }], ...extra }],
        ["tools/call", "params", { name: "a", arguments: {}, ...extra, _meta: { ...extra } }],
        ["notifications/progress", "params", { progressToken: 0, progress: 1, ...extra }],
        ["notifications/message", "params", { level: "info", data: 1, ...extra }],
      ] as const;
      for (const [method, part, body] of payloads) {
        for (const route of routes()) {
          const payload = part === "result" ? said(route.from, body) : method === "tools/call" ? asked(route.from, body) : body;
          const { value } = deliver(route, method, part, payload);
          expect(value, `${method} ${named(route)}`).toMatchObject(body);
        }
      }
    });

    play("fwd-notifications-dropped", "what a server says meanwhile reaches the client, null inside it too", (report) => {
      const [progress, log, changed, vendor] = arrived(report, "s") as Wire[];
      for (const route of routes("2025-11-25", ALL, ["balanced"])) {
        expect(relay(route, progress).wire["params"], named(route)).toMatchObject({ progressToken: "up", progress: 0.5 });
        expect(relay(route, log).wire, named(route)).toEqual(log);
        expect(relay(route, changed).wire["method"], named(route)).toBe("notifications/tools/list_changed");
        expect(relay(route, vendor).wire, named(route)).toBe(vendor);
      }
      const policy = DegradePolicy.balanced().with(Feature.ProgressMessage, "skip");
      const { value } = deliver(
        { from: "2025-11-25", to: "2024-11-05", policy: "balanced" },
        "notifications/progress",
        "params",
        progress?.["params"],
        { policy },
      );
      expect(value).toEqual({ progressToken: "up", progress: 0.5 });
    });

    play("client-notif-as-error", "a notification is read whether or not anybody knows it", (report) => {
      for (const wire of arrived(report, "s") as Wire[]) {
        for (const revision of ALL)
          expect(liftEnvelope(codecOf(revision), wire)).toMatchObject({ kind: "notification", method: wire["method"] });
        for (const route of routes()) expect(relay(route, wire).wire, named(route)).toEqual(wire);
      }
    });

    play("env-missing-meta", "a request without an envelope gets one where it is wanted, and keeps what it says", (report) => {
      const declared = at(message(report, "c"), "/params/capabilities") as Wire;
      const hop = { clientCapabilities: declared, clientInfo: { name: "b", version: "1" } };
      for (const route of routes(LEGACY, MODERN)) {
        const { value } = deliver(route, "tools/list", "params", message(report, "c", 2)["params"], { hop });
        expect(at(value, `/_meta/${META}~1protocolVersion`), named(route)).toBe(MODERN);
        expect(at(value, `/_meta/${META}~1clientCapabilities`), named(route)).toEqual(declared);
        const own = { _meta: { "com.example/a": 1, progressToken: 0 } };
        expect(at(deliver(route, "tools/list", "params", own, { hop }).value, "/_meta"), named(route)).toMatchObject(own._meta);
      }
      for (const [key, values] of [
        ["protocolVersion", [undefined, null, 20260728, ["2026-07-28"], {}]],
        ["clientCapabilities", [undefined, null, "all", true]],
      ] as const) {
        for (const value of values) {
          const { [`${META}/${key}`]: _, ...rest } = asked(MODERN, {})["_meta"] as Wire;
          const meta = value === undefined ? rest : { ...rest, [`${META}/${key}`]: value };
          expect(faultsOf(MODERN, "tools/list", "params", { _meta: meta })?.join(), `${key} ${JSON.stringify(value)}`).toContain("_meta");
        }
      }
    });

    play("env-meta-size-cap", "what belongs to a hop stays on it, and everything else goes on, however long", (report) => {
      const params = message(report, "c")["params"] as Wire;
      const meta = params["_meta"] as Wire;
      const end = Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(`${META}/`)));
      for (const route of routes(MODERN, LEGACY)) {
        const { value } = deliver(route, "tools/call", "params", params);
        expect(at(value, "/_meta"), named(route)).toEqual(end);
        expect(at(value, "/_meta/progressToken")).toBe(0);
      }
      expect(deliver({ from: MODERN, to: MODERN, policy: "strict" }, "tools/call", "params", params).value).toBe(params);
    });

    it("no key of the newest revision's hop reaches a legacy peer, of a request, a result or a notification", () => {
      const keys = {
        [`${META}/protocolVersion`]: MODERN,
        [`${META}/clientCapabilities`]: {},
        [`${META}/clientInfo`]: { name: "c", version: "1" },
      };
      for (const route of routes(MODERN, LEGACY)) {
        for (const method of ["tools/list", "tools/call", "prompts/get", "resources/read", "completion/complete"]) {
          const least = { name: "a", uri: "a:", ref: { type: "ref/prompt", name: "a" }, argument: { name: "a", value: "" } };
          const { value } = deliver(route, method, "params", {
            ...least,
            _meta: { ...keys, [`${META}/logLevel`]: "debug", traceparent: "00-1-1-01" },
          });
          expect(at(value, "/_meta"), `${method} ${named(route)}`).toEqual({ traceparent: "00-1-1-01" });
        }
        const result = said(MODERN, { tools: [], _meta: { [`${META}/serverInfo`]: { name: "s", version: "1" }, "com.example/a": 1 } });
        expect(at(deliver(route, "tools/list", "result", result).value, "/_meta"), named(route)).toEqual({ "com.example/a": 1 });
        const changed = { _meta: { [`${META}/subscriptionId`]: 1, "com.example/a": 1 } };
        const { value } = deliver(route, "notifications/tools/list_changed", "params", changed);
        expect(at(value, "/_meta"), named(route)).toEqual({ "com.example/a": 1 });
      }
    });

    play("progress-token-types", "a token keeps its value and type, zero and its digit too; an unknown total is none", (report) => {
      for (const index of [0, 1]) {
        const params = message(report, "c", index)["params"] as Wire;
        for (const route of routes()) {
          const { value } = deliver(route, "tools/call", "params", asked(route.from, params));
          expect(at(value, "/_meta/progressToken"), named(route)).toBe(at(params, "/_meta/progressToken"));
        }
      }
      for (const route of routes()) {
        const { value } = deliver(route, "notifications/progress", "params", message(report, "s", 1)["params"]);
        expect(value, named(route)).toEqual({ progressToken: "up-3", progress: 1 });
        expect(relay(route, message(report, "s")).wire).toBe(message(report, "s"));
      }
    });

    it.each(TOKENS.map((token) => [token]))("the token %j, asked with and told", (progressToken) => {
      for (const route of routes()) {
        const call = deliver(route, "tools/call", "params", asked(route.from, { name: "a", _meta: { progressToken } }));
        expect(at(call.value, "/_meta/progressToken"), named(route)).toBe(progressToken);
        const { value } = deliver(route, "notifications/progress", "params", { progressToken, progress: 0 });
        expect(at(value, "/progressToken"), named(route)).toBe(progressToken);
      }
    });

    play("subs-id-rewrite", "what belongs to a subscription says so by the id of the client that opened it", (report) => {
      const own = message(report, "c")["id"] as string;
      const pointer = `/_meta/${META}~1subscriptionId`;
      const route = { from: MODERN, to: MODERN, policy: "strict" } as const;
      const begun = deliver(route, "notifications/subscriptions/acknowledged", "params", message(report, "s")["params"]).value;
      expect(at(begun, "/notifications")).toEqual({ toolsListChanged: true });
      for (const subscription of [own, 0, "0", ""]) {
        for (const index of [0, 1]) {
          const wire = message(report, "s", index);
          const { value } = deliver(route, wire["method"] as string, "params", wire["params"], { hop: { subscription } });
          expect(at(value, pointer)).toBe(subscription);
        }
        const end = message(report, "s", 2)["result"];
        expect(at(deliver(route, "subscriptions/listen", "result", end, { hop: { subscription } }).value, pointer)).toBe(subscription);
      }
    });

    play("ping-modern", "what the newest revision removed is refused by name, and a level goes with each request instead", (report) => {
      for (const [index, feature] of [
        [2, "lifecycle.ping"],
        [3, "logging.set-level"],
        [4, "roots.list-changed"],
      ] as const) {
        const wire = message(report, "c", index);
        for (const route of routes(LEGACY, MODERN)) {
          const error = refuse(route, wire["method"] as string, "params", wire["params"]);
          expect([error.code, error.condition, error.feature, error.cite?.revision], named(route)).toEqual([
            "feature-unavailable",
            "revision",
            feature,
            MODERN,
          ]);
        }
      }
      const logLevel = at(message(report, "c", 3), "/params/level") as string;
      const hop = { logLevel };
      const { value } = deliver({ from: "2025-06-18", to: MODERN, policy: "strict" }, "tools/list", "params", {}, { hop });
      expect(at(value, `/_meta/${META}~1logLevel`)).toBe(logLevel);
    });

    play("task-wrong-generation", "tasks of the older generation are not asked of the newest revision", (report) => {
      const [call, result, list, update] = [0, 1, 2, 3].map((index) => message(report, "c", index)) as [Wire, Wire, Wire, Wire];
      const { value } = deliver({ from: MODERN, to: MODERN, policy: "balanced" }, "tools/call", "params", call["params"]);
      expect(value).not.toHaveProperty("task");
      expect(value).toMatchObject({ name: "long", arguments: {} });
      for (const wire of [result, list]) {
        const method = wire["method"] as string;
        expect(codecOf(MODERN).method(method)).toBeUndefined();
        const error = refuse({ from: MODERN, to: MODERN, policy: "balanced" }, method, "params", wire["params"]);
        expect([error.code, error.cite?.revision]).toEqual(["feature-unavailable", MODERN]);
      }
      expect(relay({ from: MODERN, to: MODERN, policy: "balanced" }, update).wire).toBe(update);
    });

    it("a task is asked for only where tasks are, and its absence is told", () => {
      const call = { name: "long", arguments: {}, task: { ttl: 60000 } };
      for (const route of routes("2025-11-25")) {
        const { value, refusal, steps } = pass(route, "tools/call", "params", call);
        if (route.to === "2025-11-25") expect(value).toBe(call);
        else if (route.policy === "strict") expect(refusal?.path, named(route)).toBe("/task");
        else {
          expect(value, named(route)).not.toHaveProperty("task");
          expect(told(steps)).toEqual(["skip /task tasks.tool-calls"]);
        }
      }
    });

    play("task-required-tool", "what a tool says about tasks stays among those who know them", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes("2025-11-25", ALL, ["balanced"])) {
        const { value } = deliver(route, "tools/list", "result", result);
        expect(at(value, "/tools/0/execution"), named(route)).toEqual(route.to === "2025-11-25" ? { taskSupport: "required" } : undefined);
        expect(at(value, "/tools/0/name")).toBe("research");
      }
      for (const route of routes("2025-11-25", ["2024-11-05", "2025-03-26", "2025-06-18", MODERN], ["strict"])) {
        expect(refuse(route, "tools/list", "result", result).path, named(route)).toBe("/tools/0/execution");
      }
      for (const route of routes(LEGACY)) {
        expect(relay(route, message(report, "s", 1), { method: "tools/call" }).wire["error"]).toEqual(message(report, "s", 1)["error"]);
      }
    });

    play("elicit-reject-decline", "a draft's word for declining is the word that came to be", (report) => {
      for (const route of routes(ELICITING, ELICITING)) {
        const { value, steps } = deliver(route, "elicitation/create", "result", message(report, "c")["result"]);
        expect(value, named(route)).toEqual({ action: "decline" });
        expect(told(steps)).toEqual(["repair /action elicitation-rejected"]);
      }
    });

    it.each(["accept", "decline", "cancel"])("the answer %s is that answer", (action) => {
      for (const route of routes(ELICITING, ELICITING)) {
        const answer = { action, ...(action === "accept" ? { content: { a: 1, b: "", c: false } } : {}) };
        expect(deliver(route, "elicitation/create", "result", answer).value, named(route)).toBe(answer);
      }
    });

    it("any other answer is none, and never reaches the server as one", () => {
      for (const action of ["maybe", "ACCEPT", "Reject", "rejected", "accepted", "", null, true, 1, ["accept"], undefined]) {
        for (const route of routes(ELICITING, ELICITING)) {
          const answer = { ...(action === undefined ? {} : { action }), content: { a: 1 } };
          expect(refuse(route, "elicitation/create", "result", answer, { valid: false }).path, named(route)).toBe("/action");
        }
      }
    });

    it("a repair of a payload is told where the whole message is read", () => {
      const wire = { jsonrpc: "2.0", id: 1, result: { tools: null, nextCursor: null } };
      const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", arguments: null } };
      for (const route of routes(LEGACY, LEGACY)) {
        expect(told(relay(route, wire, "tools/list").steps), named(route)).toContain("repair /tools null-for-empty-list");
        expect(told(relay(route, call).steps), named(route)).toContain("repair /arguments null-for-absent");
      }
    });
  });
}
