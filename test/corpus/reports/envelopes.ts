// Reports about the envelope of messages: ids of every JSON type, versions of JSON-RPC, params that are no object, responses that are none, errors
// without an id.
import { describe, expect, it } from "vitest";
import { liftEnvelope, TranslationReport, type Wire } from "../../../runtime/index.js";
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
  play,
  pass,
  refuse,
  relay,
  routes,
  unreadable,
} from "../reports.js";

/** Ids that are ids, each another one. */
const IDS: readonly (readonly [string, string | number])[] = [
  ["zero", 0],
  ["zero as a string", "0"],
  ["one", 1],
  ["one as a string", "1"],
  ["one with a fraction as a string", "1.0"],
  ["an empty string", ""],
  ["a blank", " "],
  ["a negative", -1],
  ["the greatest safe integer", 2 ** 53 - 1],
  ["a greater one", 2 ** 53],
  ["that as a string", "9007199254740993"],
  ["a fraction", 1.5],
  ["an own key of every object", "__proto__"],
  ["null as a string", "null"],
  ["a long one", "x".repeat(4096)],
];

/** Values of every JSON type that are no id. */
const NO_IDS: readonly (readonly [string, unknown])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["an object", { bad: "id" }],
  ["an empty object", {}],
  ["a list", [1]],
  ["an empty list", []],
];

/** Params of every JSON type that are no params, and how they are read. */
const NO_PARAMS: readonly (readonly [string, unknown, "absent" | "empty" | "refused"])[] = [
  ["null", null, "absent"],
  ["an empty list", [], "empty"],
  ["a list", ["t", {}], "refused"],
  ["a list of null", [null], "refused"],
  ["a string", "x", "refused"],
  ["an empty string", "", "refused"],
  ["a number", 42, "refused"],
  ["zero", 0, "refused"],
  ["true", true, "refused"],
  ["false", false, "refused"],
];

const NO_VERSIONS: readonly unknown[] = ["1.0", "2", "2.0 ", "", 2, 2.0, null, true, ["2.0"], {}];

/** Registers the plays about envelopes. */
export function playEnvelopes(): void {
  describe("envelopes", () => {
    play("id-string-coerced", "a number and the same digits are two ids, on the way up and on the way down", (report) => {
      const [digits, number] = [0, 1].map((index) => message(report, "c", index));
      for (const route of routes(LEGACY)) {
        for (const request of [digits, number]) expect(relay(route, request).wire["id"], named(route)).toBe(request?.["id"]);
        for (const result of arrived(report, "s") as Wire[]) expect(relay(route, result, "tools/list").wire["id"]).toBe(result["id"]);
      }
      expect(digits?.["id"]).not.toBe(number?.["id"]);
    });

    it.each(IDS)("%s keeps its value and type in a request, a result and an error", (_, id) => {
      for (const route of routes(LEGACY, LEGACY)) {
        const request = { jsonrpc: "2.0", id, method: "tools/list" };
        const result = { jsonrpc: "2.0", id, result: { tools: [] } };
        const error = { jsonrpc: "2.0", id, error: { code: -32603, message: "m" } };
        for (const wire of [request, result, error]) {
          const lifted = liftEnvelope(codecOf(route.from), wire, "tools/list");
          expect(lifted.kind === "notification" ? undefined : lifted.id, named(route)).toBe(id);
          if (!Number.isInteger(id) && typeof id === "number") continue;
          expect(relay(route, wire, "tools/list").wire).toBe(wire);
        }
      }
    });

    play(
      "id-float-rendering",
      "digits with a point are another id than the number, and the number is one however it is written",
      (report) => {
        const id = message(report, "s")["id"];
        const raw = report.input.find((entry) => typeof entry === "string") as string;
        for (const revision of ALL) {
          expect(liftEnvelope(codecOf(revision), message(report, "s"), "tools/list")).toMatchObject({ kind: "result", id });
          expect(liftEnvelope(codecOf(revision), JSON.parse(raw), "ping")).toMatchObject({ kind: "result", id: 2 });
        }
        expect(id).toBe("1.0");
      },
    );

    play("id-zero-reused", "zero is an id like any other, in an error too", (report) => {
      const [first, late] = [message(report, "s"), message(report, "s", 1)];
      for (const route of routes(LEGACY, LEGACY)) {
        expect(relay(route, first, "initialize").wire["id"], named(route)).toBe(0);
        expect(relay(route, late, "initialize").wire, named(route)).toBe(late);
        expect(liftEnvelope(codecOf(route.from), late)).toMatchObject({ kind: "error", id: 0 });
      }
    });

    play("id-null-request", "a call without an id asks for no answer, a null id is none, and the next request is read", (report) => {
      const [bare, broken, ping] = [0, 1, 2].map((index) => message(report, "c", index));
      for (const revision of ALL) {
        expect(liftEnvelope(codecOf(revision), bare)).toMatchObject({ kind: "notification", method: "tools/call" });
        expect(codecOf(revision).method("tools/call")?.kind).toBe("request");
        expect(unreadable(revision, broken)).toMatchObject({ code: "unreadable", path: "/id", rpcCode: -32600, id: undefined });
        expect(liftEnvelope(codecOf(revision), ping)).toMatchObject({ kind: "request", id: 3 });
      }
    });

    play("id-structured", "what is no id is not given back, and what follows is read", (report) => {
      for (const revision of ALL) {
        for (const index of [0, 1]) {
          expect(unreadable(revision, message(report, "c", index))).toMatchObject({
            code: "unreadable",
            path: "/id",
            rpcCode: -32600,
            id: undefined,
          });
        }
        const fraction = message(report, "c", 2);
        expect(liftEnvelope(codecOf(revision), fraction)).toMatchObject({ kind: "request", id: 1.5, wire: fraction });
        expect(liftEnvelope(codecOf(revision), message(report, "c", 3))).toMatchObject({ kind: "request", id: 4 });
      }
    });

    it.each(NO_IDS)("%s is no id of a request or a result", (_, id) => {
      for (const revision of ALL) {
        for (const wire of [
          { jsonrpc: "2.0", id, method: "ping" },
          { jsonrpc: "2.0", id, method: "tools/call", params: { name: "a" } },
          { jsonrpc: "2.0", id, result: {} },
        ]) {
          expect(unreadable(revision, wire, "ping")).toMatchObject({ code: "unreadable", path: "/id", rpcCode: -32600, id: undefined });
        }
      }
    });

    play("jsonrpc-version", "no version but the one is read, and the id to answer is given", (report) => {
      for (const revision of ALL) {
        for (const [index, id] of [2, 1, 3].entries()) {
          expect(unreadable(revision, message(report, "c", index))).toMatchObject({
            code: "unreadable",
            path: "/jsonrpc",
            rpcCode: -32600,
            id,
          });
        }
      }
    });

    it.each(NO_VERSIONS.map((jsonrpc) => [jsonrpc]))("version %j is none, whatever the message", (jsonrpc) => {
      for (const rest of [
        { id: 1, method: "tools/call", params: { name: "a" } },
        { method: "notifications/initialized" },
        { id: 1, result: {} },
        { id: 1, error: { code: 1, message: "" } },
      ]) {
        for (const revision of ALL) expect(unreadable(revision, { jsonrpc, ...rest })).toMatchObject({ path: "/jsonrpc", rpcCode: -32600 });
      }
    });

    play(
      "resp-both-members",
      "a result beside an error is neither, a null error beside a result is none, and nothing is nothing",
      (report) => {
        const [both, sloppy, neither] = [0, 1, 2].map((index) => message(report, "s", index)) as [Wire, Wire, Wire];
        for (const revision of ALL) {
          expect(unreadable(revision, both, "tools/call")).toMatchObject({ code: "unreadable", id: 1 });
          expect(unreadable(revision, neither, "tools/list")).toMatchObject({ code: "unreadable", id: 3 });
          const steps = new TranslationReport();
          expect(liftEnvelope(codecOf(revision), sloppy, "tools/list", steps)).toMatchObject({ kind: "result", id: 2 });
          expect(steps.steps.map((step) => step.detail)).toContain("error-null");
        }
        for (const route of routes(LEGACY, LEGACY)) {
          expect(relay(route, sloppy, "tools/list").wire, named(route)).toEqual({ jsonrpc: "2.0", id: 2, result: { tools: [] } });
        }
      },
    );

    play(
      "err-null-id",
      "an error that answers nothing known is read with a null id or none, and written as each revision has it",
      (report) => {
        for (const index of [0, 1]) {
          const wire = message(report, "s", index);
          for (const route of routes()) {
            const lowered = relay(route, wire).wire;
            expect(lowered["error"], named(route)).toEqual(wire["error"]);
            if (route.to <= "2025-06-18") expect(lowered["id"], named(route)).toBeNull();
            else expect(lowered, named(route)).not.toHaveProperty("id");
            expect(liftEnvelope(codecOf(route.from), wire)).toMatchObject({ kind: "error", id: undefined });
          }
        }
      },
    );

    play("notif-answered-null", "an answer to nobody is a typed error, to be dropped", (report) => {
      for (const revision of ALL) {
        for (const id of [null, undefined]) {
          const { id: _, ...rest } = message(report, "s");
          const wire = id === undefined ? rest : { ...rest, id };
          expect(unreadable(revision, wire)).toMatchObject({ code: "unreadable", path: "/id", id: undefined });
        }
      }
    });

    play("http-session-200-body", "an error that is no JSON-RPC message is a typed error", (report) => {
      const frame = report.input.find((entry) => typeof entry === "string" && entry.startsWith("event:")) as string;
      const data = /data: (.*)/.exec(frame)?.[1] ?? "";
      for (const revision of ALL)
        expect(unreadable(revision, JSON.parse(data), "tools/list")).toMatchObject({ code: "unreadable", path: "/jsonrpc" });
    });

    it.each([
      ["null", null],
      ["a number", 42],
      ["a string", "x"],
      ["true", true],
      ["an empty object", {}],
    ])("%s is no message", (_, value) => {
      for (const revision of ALL) expect(unreadable(revision, value)).toMatchObject({ code: "unreadable", rpcCode: -32600 });
    });

    play("params-empty-array", "an empty list is no params, one that holds something is refused with its id", (report) => {
      const [empty, given] = [0, 1].map((index) => message(report, "c", index)) as [Wire, Wire];
      for (const route of routes(LEGACY, LEGACY)) expect(relay(route, empty).wire, named(route)).toEqual({ ...empty, params: {} });
      for (const revision of ALL) {
        expect(unreadable(revision, given)).toMatchObject({ code: "invalid-params", path: "/params", rpcCode: -32602, id: given["id"] });
      }
    });

    play("params-null", "null params are none, in a request and in a notification", (report) => {
      for (const wire of arrived(report, "c") as Wire[]) {
        const { params: _, ...rest } = wire;
        for (const route of routes(LEGACY, LEGACY)) {
          const { wire: lowered, steps } = relay(route, wire);
          expect(lowered, named(route)).toEqual(rest);
          expect(steps.map((step) => step.detail)).toContain("params-null");
        }
      }
    });

    it.each(NO_PARAMS)("params that are %s", (_, params, reading) => {
      for (const [method, id] of [
        ["tools/list", 0],
        ["tools/call", "a"],
        ["ping", ""],
        ["notifications/initialized", undefined],
        ["vendor/method", 7],
      ] as const) {
        const wire = { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), method, params };
        for (const revision of ALL) {
          if (reading === "refused") {
            expect(unreadable(revision, wire), method).toMatchObject({ code: "invalid-params", path: "/params", rpcCode: -32602, id });
          } else {
            const lifted = liftEnvelope(codecOf(revision), wire);
            expect(lifted.kind === "request" || lifted.kind === "notification" ? lifted.params : "other", method).toEqual(
              reading === "empty" ? {} : undefined,
            );
          }
        }
      }
    });

    play(
      "params-arguments-omitted",
      "arguments that are missing or null are none; a list is refused before it reaches the peer",
      (report) => {
        for (const index of [0, 1]) {
          const params = asked(MODERN, message(report, "c", index)["params"] as Wire);
          for (const route of routes(ALL, ALL)) {
            const { value } = deliver(
              route,
              "tools/call",
              "params",
              route.from === MODERN ? params : message(report, "c", index)["params"],
            );
            expect(at(value, "/name"), named(route)).toBe("status");
            expect([undefined, {}], named(route)).toContainEqual(at(value, "/arguments"));
          }
        }
        expectNoArguments(message(report, "c", 2)["params"] as Wire);
      },
    );

    it("arguments of any other JSON type never reach a peer", () => {
      for (const given of [[1], [null], "x", "", 5, 0, true, false]) expectNoArguments({ name: "status", arguments: given });
    });

    play("life-ping-early", "a ping with null params is a ping, and its answer is empty", (report) => {
      for (const route of routes(LEGACY, LEGACY)) {
        expect(relay(route, message(report, "c")).wire, named(route)).toEqual({ jsonrpc: "2.0", id: 4, method: "ping" });
        expect(deliver(route, "ping", "result", {}).value).toEqual({});
      }
      expect(refuse({ from: "2025-06-18", to: MODERN, policy: "balanced" }, "ping", "params", undefined).condition).toBe("revision");
    });

    play("life-bare-call", "a call of neither era lacks what the newest revision wants on each request", (report) => {
      const bare = message(report, "c");
      expect(faultsOf(MODERN, "tools/list", "params", bare["params"])?.join()).toContain("_meta");
      expect(faultsOf("2025-11-25", "tools/list", "params", bare["params"])).toEqual([]);
      expect(liftEnvelope(codecOf(MODERN), bare)).toMatchObject({ kind: "request", id: 9, params: undefined });
    });
  });
}

/** A list or a scalar is no arguments: an empty list may be read as none; whatever else is refused, with its place. */
function expectNoArguments(params: Wire): void {
  for (const route of routes(LEGACY, LEGACY)) {
    const { value, refusal } = pass(route, "tools/call", "params", params, { valid: false });
    const sent = at(value, "/arguments");
    const isEmpty = Array.isArray(params["arguments"]) && params["arguments"].length === 0;
    if (refusal === undefined) expect(isEmpty ? [{}, undefined] : [], `${named(route)}: ${JSON.stringify(sent)}`).toContainEqual(sent);
    else expect(refusal.path, named(route)).toBe("/arguments");
  }
}
