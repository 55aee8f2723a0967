// Reports about error codes and their data: the same error has other codes at other revisions, its data always goes through, and no other error
// is touched.
import { describe, expect, it } from "vitest";
import { isLowerError, TranslationReport, type Wire } from "../../../runtime/index.js";
import { DegradePolicy, translateError } from "../../../runtime/mcp.js";
import { ALL, at, LEGACY, message, MODERN, named, play, relay, routes } from "../reports.js";

const URI = "file:///nope";

/** Errors that look like a missing resource and are none, by what they answer. */
const OTHERS: readonly (readonly [string, Wire, string | undefined, unknown])[] = [
  ["invalid params of another method", { code: -32602, message: "m", data: { uri: URI } }, "tools/call", { name: "a" }],
  ["invalid params without data", { code: -32602, message: "m" }, "resources/read", { uri: URI }],
  ["invalid params about another uri", { code: -32602, message: "m", data: { uri: "b:" } }, "resources/read", { uri: URI }],
  ["invalid params with data that is no object", { code: -32602, message: "m", data: URI }, "resources/read", { uri: URI }],
  ["a library's own code", { code: -32001, message: "m", data: { uri: URI } }, "resources/read", { uri: URI }],
  ["the old code of another method", { code: -32002, message: "m" }, "tools/call", { name: "a" }],
  ["the old code of nobody's request", { code: -32002, message: "m" }, undefined, undefined],
  ["a code beyond JSON-RPC", { code: 404, message: "m", data: null }, "resources/read", { uri: URI }],
  ["zero", { code: 0, message: "cancelled" }, "tools/call", { name: "a" }],
  ["an internal error", { code: -32603, message: "m", data: { deep: [null] } }, "resources/read", { uri: URI }],
  ["an unknown method", { code: -32601, message: "m" }, "resources/read", { uri: URI }],
  ["a code that is no number", { code: "E", message: "m" }, "resources/read", { uri: URI }],
];

/** Registers the plays about errors. */
export function playErrors(): void {
  describe("errors", () => {
    play("res-notfound-code", "a missing resource is said in each revision's code, with the address", (report) => {
      const ask = { method: "resources/read", params: message(report, "c")["params"] };
      const answer = message(report, "s");
      const error = answer["error"] as Wire;
      for (const route of routes(MODERN)) {
        const code = route.to === MODERN ? -32602 : -32002;
        expect(relay(route, answer, ask).wire["error"], named(route)).toEqual({ ...error, code });
      }
      for (const route of routes(LEGACY)) {
        for (const data of [undefined, error["data"], { uri: URI, more: 1 }]) {
          const sent = { code: -32002, message: "gone", ...(data === undefined ? {} : { data }) };
          const { wire } = relay(route, { ...answer, error: sent }, ask);
          const wanted = route.to === MODERN ? { code: -32602, message: "gone", data: { uri: URI, ...(data as Wire | undefined) } } : sent;
          expect(wire["error"], named(route)).toEqual(wanted);
        }
      }
    });

    it.each(OTHERS)("left alone: %s", (_, error, method, params) => {
      for (const from of ALL) {
        for (const to of ALL) {
          // What a revision names is no other error there.
          if (from === MODERN && error["code"] === -32002) continue;
          const steps = new TranslationReport();
          expect(translateError({ from, to, method, params, policy: DegradePolicy.balanced() }, error, steps), `${from} to ${to}`).toBe(
            error,
          );
          expect(steps.isEmpty).toBe(true);
        }
      }
    });

    play("url-elicit-32042", "the addresses an error asks to open reach whoever may read them, untouched", (report) => {
      const answer = message(report, "s");
      for (const route of routes("2025-11-25", ALL, ["balanced"])) {
        expect(relay(route, answer, { method: "tools/call", params: { name: "a" } }).wire["error"], named(route)).toEqual(answer["error"]);
      }
      for (const to of ALL) {
        const journey = { from: "2025-11-25", to, method: "tools/call", policy: DegradePolicy.strict() };
        if (to === "2025-11-25") {
          expect(translateError(journey, answer["error"] as Wire)).toBe(answer["error"]);
          continue;
        }
        let thrown: unknown;
        try {
          translateError(journey, answer["error"] as Wire);
        } catch (error) {
          thrown = error;
        }
        expect(isLowerError(thrown), to).toBe(true);
        expect(thrown).toMatchObject({ feature: "errors.url-elicitation-required", path: "/error/code" });
      }
    });

    it("data of every JSON type goes through, and what is beside it", () => {
      for (const data of [undefined, null, 0, "", false, "text", [1, null], { a: { b: null } }]) {
        const wire = {
          jsonrpc: "2.0",
          id: 1,
          error: { code: -32603, message: "m", ...(data === undefined ? {} : { data }), "x-vendor": 1 },
          trace: "t",
        };
        for (const route of routes()) expect(relay(route, wire, { method: "tools/call" }).wire, named(route)).toBe(wire);
      }
    });

    it("a missing capability is said to legacy clients as it was, with what is missing", () => {
      const error = { code: -32021, message: "m", data: { requiredCapabilities: { elicitation: { url: {} } } } };
      for (const to of LEGACY) {
        const kept = translateError({ from: MODERN, to, method: "tools/call", policy: DegradePolicy.balanced() }, error);
        expect(at(kept, "/data/requiredCapabilities")).toEqual(error.data.requiredCapabilities);
      }
    });
  });
}
