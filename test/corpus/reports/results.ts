// Reports about the shape of results: what a result is called and how long it may be kept, missing and historic members, structured content of
// every JSON type, and results that are not finished.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import {
  ALL,
  asked,
  at,
  codecOf,
  deliver,
  faultsOf,
  finished,
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
  unreadable,
} from "../reports.js";

const text = { type: "text", text: "t" };
const OBJECTS_ONLY = ["2025-06-18", "2025-11-25"];
const UNSTRUCTURED = ["2024-11-05", "2025-03-26"];

/** The results that may be kept, each with the least that is one. */
const CACHED: readonly (readonly [string, Wire])[] = [
  ["tools/list", { tools: [] }],
  ["prompts/list", { prompts: [] }],
  ["resources/list", { resources: [] }],
  ["resources/templates/list", { resourceTemplates: [] }],
  ["resources/read", { contents: [] }],
  ["server/discover", { supportedVersions: [MODERN], capabilities: {} }],
];

/** Results of every other request that exists at both eras. */
const UNCACHED: readonly (readonly [string, Wire])[] = [
  ["tools/call", { content: [text] }],
  ["prompts/get", { messages: [] }],
  ["completion/complete", { completion: { values: ["a"] } }],
];

/** Structured content of every JSON type. */
const ANY_JSON: readonly (readonly [string, unknown])[] = [
  ["a list", [1, 2]],
  ["an empty list", []],
  ["null", null],
  ["zero", 0],
  ["false", false],
  ["an empty string", ""],
  ["a string", "s"],
  ["an object", { a: 1 }],
  ["an empty object", {}],
];

/** Registers the plays about results. */
export function playResults(): void {
  describe("results", () => {
    play("res-ttl-missing", "a list without hints keeps its tools, and may be kept for no time and by nobody else", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes(MODERN)) {
        const { value, steps } = deliver(route, "tools/list", "result", result);
        expect(value, named(route)).toEqual(finished(route.to, { tools: result["tools"] }, true));
        expect(steps.filter((step) => step.action === "repair").map((step) => step.path)).toEqual(["/cacheScope", "/ttlMs"]);
      }
    });

    it.each(CACHED)("what is missing of the hints of %s is written, what is there stays", (method, body) => {
      for (const hints of [{}, { ttlMs: 500 }, { cacheScope: "public" }, { ttlMs: 500, cacheScope: "public" }]) {
        const route = { from: MODERN, to: MODERN, policy: "strict" } as const;
        const { value } = deliver(route, method, "result", { ...body, resultType: "complete", ...hints });
        expect(value).toEqual({ ...body, resultType: "complete", ttlMs: 0, cacheScope: "private", ...hints });
      }
      for (const route of routes(LEGACY, MODERN)) {
        if (codecOf(route.from).method(method) === undefined) continue;
        expect(deliver(route, method, "result", body).value, named(route)).toEqual(finished(MODERN, body, true));
      }
    });

    it.each(UNCACHED)("%s gets a type and no hints", (method, body) => {
      for (const route of routes(LEGACY, MODERN)) {
        expect(deliver(route, method, "result", body).value, named(route)).toEqual({ ...body, resultType: "complete" });
      }
      for (const route of routes(MODERN, LEGACY)) {
        expect(deliver(route, method, "result", { ...body, resultType: "complete" }).value, named(route)).toEqual(body);
      }
    });

    it("what asks for more is not given hints", () => {
      const more = { resultType: "input_required", requestState: "s", inputRequests: {} };
      for (const [method] of CACHED.slice(4, 5)) {
        expect(deliver({ from: MODERN, to: MODERN, policy: "strict" }, method, "result", more).value).toBe(more);
      }
    });

    play("res-type-absent", "no type is complete; a type nobody knows is never taken for it", (report) => {
      const [absent, partial] = [0, 1].map((index) => message(report, "s", index)["result"] as Wire);
      for (const route of routes()) {
        expect(deliver(route, "tools/call", "result", absent).value, named(route)).toEqual(finished(route.to, absent ?? {}));
      }
      for (const route of routes(MODERN, LEGACY)) {
        const error = refuse(route, "tools/call", "result", partial);
        expect([error.code, error.path], named(route)).toEqual(["feature-unavailable", "/resultType"]);
      }
      expect(deliver({ from: MODERN, to: MODERN, policy: "balanced" }, "tools/call", "result", partial).value).toBe(partial);
    });

    it.each(["partial", "COMPLETE", "Complete", "", "done", "error"])(
      "%j is no type that a legacy client may take for a finished result",
      (resultType) => {
        for (const [method, body] of [...UNCACHED, ...CACHED.slice(0, 5)]) {
          for (const route of routes(MODERN, LEGACY)) {
            expect(refuse(route, method, "result", { ...said(MODERN, body), resultType }).path, `${method} ${named(route)}`).toBe(
              "/resultType",
            );
          }
        }
      },
    );

    play("res-type-on-legacy-leg", "what a legacy server says is unfinished is no empty result", (report) => {
      const result = message(report, "s", 1)["result"] as Wire;
      expect(faultsOf("2025-11-25", "tools/call", "result", result)).not.toEqual([]);
      for (const route of routes(LEGACY, LEGACY)) {
        const { lifted } = pass(route, "tools/call", "result", result);
        expect(lifted).toBe(result);
        expect(refuse(route, "tools/call", "result", result).feature, named(route)).toBe("requests.multi-round-trip");
      }
    });

    play(
      "mrtr-bridge-empty-caps",
      "a question is lowered to each client that can be asked, the answer goes back, and the end has no type",
      (report) => {
        const ask = at(message(report, "s"), "/result/inputRequests/q1") as Wire;
        const declared = at(message(report, "c"), "/params/capabilities") as Wire;
        const hop = { clientCapabilities: declared };
        const call = deliver(
          { from: "2025-11-25", to: MODERN, policy: "strict" },
          "tools/call",
          "params",
          message(report, "c", 2)["params"],
          { hop },
        );
        expect(at(call.value, "/_meta/io.modelcontextprotocol~1clientCapabilities")).toEqual(declared);
        for (const route of routes(MODERN, OBJECTS_ONLY)) {
          const { value } = deliver(route, ask["method"] as string, "params", ask["params"]);
          expect(value, named(route)).toMatchObject({ message: "name?", requestedSchema: { type: "object" } });
          expect(at(value, "/mode"), named(route)).toBe(route.to === "2025-11-25" ? "form" : undefined);
          const back = { ...route, from: route.to, to: MODERN };
          const answer = message(report, "c", 3)["result"];
          expect(deliver(back, "elicitation/create", "result", answer).value).toEqual(answer);
        }
        for (const route of routes(MODERN, LEGACY)) {
          const { wire } = relay(route, message(report, "s", 1), "tools/call");
          expect(wire["result"], named(route)).toEqual({ content: at(message(report, "s", 1), "/result/content") });
        }
        const unable = refuse({ from: MODERN, to: "2025-03-26", policy: "balanced" }, ask["method"] as string, "params", ask["params"]);
        expect([unable.code, unable.feature]).toEqual(["feature-unavailable", "elicitation"]);
      },
    );

    play("task-empty-success", "a task that was begun is no result: nobody gets it as one", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes(MODERN, LEGACY)) {
        expect(refuse(route, "tools/call", "result", result).path, named(route)).toBe("/resultType");
      }
      expect(codecOf(MODERN).lift("tools/call", "result", result)).toBe(result);
      for (const route of routes(MODERN, MODERN)) {
        const { value } = pass(route, "tools/call", "result", result, { valid: false });
        expect(value ?? {}, named(route)).not.toHaveProperty("content");
      }
    });

    play("result-content-missing", "the historic wrapper is taken off, missing content is none, and null is no result", (report) => {
      const [wrapped, empty] = [0, 1].map((index) => message(report, "s", index)["result"] as Wire);
      for (const route of routes(LEGACY)) {
        expect(deliver(route, "tools/call", "result", wrapped).value, named(route)).toEqual(
          finished(route.to, at(wrapped, "/toolResult") as object),
        );
        const { value, steps } = deliver(route, "tools/call", "result", empty);
        expect(value, named(route)).toEqual(finished(route.to, { content: [] }));
        expect(told(steps)).toEqual(["repair /content missing-content"]);
      }
      for (const revision of ALL) {
        expect(unreadable(revision, message(report, "s", 2), "tools/call")).toMatchObject({ code: "unreadable", path: "/result", id: 5 });
      }
      expect(faultsOf("2024-11-05", "tools/call", "result", empty)).not.toEqual([]);
    });

    it("what is beside missing content stays, and the wrapper goes only where it is the result", () => {
      const beside = { isError: true, _meta: { "com.example/a": 1 }, "x-vendor": [] };
      for (const route of routes()) {
        const { value } = deliver(route, "tools/call", "result", said(route.from, beside));
        expect(value, named(route)).toEqual(finished(route.to, { ...beside, content: [] }));
        const both = { content: [text], toolResult: { content: [] } };
        expect(at(deliver(route, "tools/call", "result", said(route.from, both)).value, "/content"), named(route)).toEqual([text]);
      }
    });

    play(
      "sc-any-json",
      "structured content of any type passes where any type is allowed; elsewhere it is wrapped and the text stays",
      (report) => {
        for (const index of [0, 1]) {
          const result = message(report, "s", index)["result"] as Wire;
          for (const route of routes(MODERN, ALL, ["balanced"])) {
            const { value } = deliver(route, "tools/call", "result", result);
            expectStructured(value, result, route.to, named(route));
          }
          for (const route of routes(MODERN, OBJECTS_ONLY, ["strict"])) {
            expect(refuse(route, "tools/call", "result", result).path, named(route)).toBe("/structuredContent");
          }
          expect(deliver({ from: MODERN, to: MODERN, policy: "strict" }, "tools/call", "result", result).value).toBe(result);
        }
      },
    );

    it.each(ANY_JSON)("structured content that is %s", (_, structuredContent) => {
      for (const content of [[text], [], [{ type: "image", data: "", mimeType: "image/png" }]]) {
        const result = said(MODERN, { content, structuredContent });
        for (const route of routes(MODERN, ALL, ["balanced"])) {
          const { value } = deliver(route, "tools/call", "result", result);
          expectStructured(value, result, route.to, named(route));
          const sent = at(value, "/content") as readonly Wire[];
          expect(sent.slice(0, content.length), named(route)).toEqual(content);
          const isText = content.some((block) => block.type === "text");
          const isChanged = route.to !== MODERN && (UNSTRUCTURED.includes(route.to) || !isPlain(structuredContent));
          if (isChanged && !isText)
            expect(sent.slice(content.length), named(route)).toEqual([{ type: "text", text: JSON.stringify(structuredContent) }]);
          else expect(sent, named(route)).toHaveLength(content.length);
        }
      }
    });

    play("result-no-structured", "what a server answers goes through, with or without structured content", (report) => {
      const tools = message(report, "s")["result"] as Wire;
      const result = message(report, "s", 1)["result"] as Wire;
      for (const route of routes(OBJECTS_ONLY, [...OBJECTS_ONLY, MODERN])) {
        expect(at(deliver(route, "tools/list", "result", tools).value, "/tools"), named(route)).toBe(tools["tools"]);
        expect(deliver(route, "tools/call", "result", result).value, named(route)).toEqual(finished(route.to, result));
        const whole = { ...result, structuredContent: { n: 1 }, _meta: { "com.example/a": 1 } };
        expect(deliver(route, "tools/call", "result", whole).value, named(route)).toEqual(finished(route.to, whole));
        expect(deliver(route, "tools/call", "params", message(report, "c")["params"]).value).toMatchObject({ name: "q", arguments: {} });
      }
    });

    play("result-error-masked", "an error keeps its text and stays an error, whatever its structured content is", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const structuredContent of [result["structuredContent"], [], null, "E"]) {
        for (const route of routes([...OBJECTS_ONLY, MODERN], ALL, ["balanced"])) {
          const { value } = deliver(route, "tools/call", "result", said(route.from, { ...result, structuredContent }));
          expect(value, named(route)).toMatchObject({ isError: true, content: result["content"] });
          expect(at(value, "/content"), named(route)).toHaveLength(1);
        }
      }
    });

    play(
      "result-structured-only",
      "data that is nowhere else becomes one text for those who read only content, and only once",
      (report) => {
        const result = message(report, "s")["result"] as Wire;
        for (const route of routes(OBJECTS_ONLY, UNSTRUCTURED, ["balanced"])) {
          const { value } = deliver(route, "tools/call", "result", result);
          expect(at(value, "/content"), named(route)).toEqual([{ type: "text", text: JSON.stringify(result["structuredContent"]) }]);
          const again = deliver(route, "tools/call", "result", value);
          expect(at(again.value, "/content"), named(route)).toEqual(at(value, "/content"));
        }
        for (const route of routes(OBJECTS_ONLY, [...OBJECTS_ONLY, MODERN])) {
          expect(deliver(route, "tools/call", "result", result).value, named(route)).toEqual(finished(route.to, result));
        }
        for (const route of routes(OBJECTS_ONLY, UNSTRUCTURED, ["strict"])) {
          expect(refuse(route, "tools/call", "result", result).feature, named(route)).toBe("tools.structured-output");
        }
      },
    );

    play("result-array-structured", "a list where the revision wants an object never costs the text", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes(OBJECTS_ONLY, ALL, ["balanced"])) {
        const { value } = deliver(route, "tools/call", "result", result);
        expect(at(value, "/content"), named(route)).toEqual(result["content"]);
        expectStructured(value, result, route.to, named(route));
      }
    });

    it("the rest of a call is left alone", () => {
      for (const route of routes()) {
        const call = asked(route.from, { name: "a", arguments: { deep: [{ a: null }], big: 2 ** 53, "": 0 }, "x-vendor": true });
        const { value } = deliver(route, "tools/call", "params", call);
        expect(at(value, "/arguments"), named(route)).toBe(call["arguments"]);
        expect(at(value, "/x-vendor")).toBe(true);
      }
    });
  });
}

/** What any type may be where any is allowed is the same; elsewhere it is an object that holds it, or left out: never its parts under numbers. */
function expectStructured(value: unknown, given: Wire, to: string, where: string): void {
  const before = given["structuredContent"];
  const after = at(value, "/structuredContent");
  if (to === MODERN) expect(after, where).toEqual(before);
  else if (isPlain(before)) expect([before, undefined], where).toContainEqual(after);
  else expect([{ result: before }, undefined], where).toContainEqual(after);
  if (to === MODERN) expect(Object.hasOwn(value as object, "structuredContent"), where).toBe(true);
}

function isPlain(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
