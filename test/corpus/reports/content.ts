// Reports about content: blocks of types that a peer's revision, or nobody, knows, wherever blocks travel.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../../runtime/index.js";
import { DegradePolicy, Feature } from "../../../runtime/mcp.js";
import { ALL, at, deliver, faultsOf, finished, LEGACY, message, MODERN, named, pass, play, refuse, routes, said } from "../reports.js";

const text = { type: "text", text: "tail" };

/** Where a content block travels as one of many, or alone. */
const PLACES: readonly (readonly [string, string, string, (block: unknown) => Wire])[] = [
  ["a tool's result", "tools/call", "/content/1", (block) => ({ content: [text, block, text] })],
  ["a prompt's message", "prompts/get", "/messages/0/content", (block) => ({ messages: [{ role: "user", content: block }] })],
];

/** Blocks of types that no revision knows, and the text that stands in for each. */
const UNKNOWN: readonly (readonly [Wire, string])[] = [
  [{ type: "json", json: { a: 1 } }, '{"type":"json","json":{"a":1}}'],
  [{ type: "error", text: "Invalid number" }, "Invalid number"],
  [{ type: "application/json", data: [null] }, '{"type":"application/json","data":[null]}'],
  [{ type: "video", data: "AAAA", mimeType: "video/mp4" }, '{"type":"video","data":"AAAA","mimeType":"video/mp4"}'],
  [{ type: "Text", text: "capital" }, "capital"],
  [{ type: "", text: "" }, ""],
  [{ type: "constructor", text: "own" }, "own"],
  [{ type: "__proto__", a: 1 }, '{"type":"__proto__","a":1}'],
  [{ type: "json", text: { not: "text" } }, '{"type":"json","text":{"not":"text"}}'],
];

/** Blocks that break every revision's schema and have no type to go by. */
const BROKEN: readonly unknown[] = [{}, { text: "no type" }, { type: 5 }, { type: null }, "text", 7, [text], true];

/** Links from the least to the most, and the text that names each. */
const LINKS: readonly (readonly [Wire, string])[] = [
  [{ uri: "a:", name: "n" }, "[resource] n a:"],
  [{ uri: "a:", name: "n", title: "T" }, "[resource] T a:"],
  [{ uri: "a:", name: "n", description: "what it is" }, "[resource] n a:\nwhat it is"],
  [{ uri: "a:", name: "n", title: "", description: "" }, "[resource] n a:"],
];

/** Registers the plays about content. */
export function playContent(): void {
  describe("content", () => {
    play("content-unknown-type", "each block nobody knows becomes a text, in its place, beside those that are known", (report) => {
      const [mixed, error] = [0, 1].map((index) => message(report, "s", index)["result"] as Wire);
      for (const route of routes(ALL, ALL, ["balanced"])) {
        const { value } = deliver(route, "tools/call", "result", said(route.from, mixed ?? {}));
        expect(at(value, "/content"), named(route)).toEqual([
          { type: "text", text: JSON.stringify(at(mixed, "/content/0")) },
          at(mixed, "/content/1"),
        ]);
        const broken = deliver(route, "tools/call", "result", said(route.from, error ?? {})).value;
        expect(at(broken, "/content"), named(route)).toEqual([{ type: "text", text: at(error, "/content/0/text") }]);
        expect(at(broken, "/isError")).toBeUndefined();
      }
      for (const route of routes(ALL, ALL, ["strict"])) {
        expect(refuse(route, "tools/call", "result", said(route.from, mixed ?? {})).path, named(route)).toBe("/content/0");
      }
    });

    describe.each(PLACES)("in %s", (_, method, pointer, around) => {
      it.each(UNKNOWN)("%j is text", (block, wanted) => {
        for (const route of routes(ALL, ALL, ["balanced"])) {
          const { value, steps } = deliver(route, method, "result", said(route.from, around(block)));
          expect(at(value, pointer), named(route)).toEqual({ type: "text", text: wanted });
          expect(steps.filter((step) => step.action === "unknown-text").map((step) => step.path)).toEqual([pointer]);
          expect(at(value, "/_meta/polyrev~1degraded/0/original"), "the original stays readable").toEqual(block);
        }
        for (const route of routes(ALL, ALL, ["strict"])) {
          expect(refuse(route, method, "result", said(route.from, around(block))).path, named(route)).toBe(pointer);
        }
      });

      it.each(BROKEN.map((block) => [block]))("%j is refused, with its place", (block) => {
        for (const route of routes(LEGACY, ALL)) {
          if (Array.isArray(block) && method !== "tools/call") continue;
          expect(refuse(route, method, "result", around(block)).path, named(route)).toBe(pointer);
        }
      });

      it.each(LINKS)("the link %j is text where links are unknown", (fields, wanted) => {
        const block = { type: "resource_link", ...fields };
        for (const route of routes(["2025-06-18", "2025-11-25", MODERN], ALL, ["balanced"])) {
          const { value } = deliver(route, method, "result", said(route.from, around(block)));
          const isKnown = route.to >= "2025-06-18";
          expect(at(value, pointer), named(route)).toEqual(isKnown ? block : { type: "text", text: wanted });
        }
        for (const route of routes("2025-11-25", ["2024-11-05", "2025-03-26"], ["strict"])) {
          expect(refuse(route, method, "result", around(block)).feature).toBe("content.resource-link");
        }
      });

      it("audio is an embedded blob of the same bytes where there is no audio, a short text where that is ordered", () => {
        const audio = { type: "audio", data: "UklGRgAAAA==", mimeType: "audio/wav", annotations: { priority: 1 } };
        const spoken = DegradePolicy.balanced().with(Feature.ContentAudio, "audio-text");
        for (const from of ALL.slice(1)) {
          const route = { from, to: "2024-11-05", policy: "balanced" } as const;
          const { value } = deliver(route, method, "result", said(from, around(audio)));
          expect(at(value, pointer)).toMatchObject({
            type: "resource",
            resource: { blob: audio.data, mimeType: "audio/wav" },
            annotations: { priority: 1 },
          });
          const told = deliver(route, method, "result", said(from, around(audio)), { policy: spoken }).value;
          expect(at(told, `${pointer}/type`)).toBe("text");
          expect(at(told, `${pointer}/text`)).toMatch(/audio\/wav.*7 bytes/);
          expect(JSON.stringify(told)).not.toContain(audio.data);
          expect(refuse({ ...route, policy: "strict" }, method, "result", said(from, around(audio))).feature).toBe("content.audio");
        }
      });
    });

    play("content-resource-link", "a link is text that names it for those who know none, and was not read", (report) => {
      const result = message(report, "s")["result"] as Wire;
      for (const route of routes("2025-06-18", ["2024-11-05", "2025-03-26"], ["balanced"])) {
        const { value } = deliver(route, "tools/call", "result", result);
        expect(at(value, "/content/0"), named(route)).toEqual(at(result, "/content/0"));
        expect(at(value, "/content/1/type")).toBe("text");
        for (const part of ["r.pdf", "file:///r.pdf"]) expect(at(value, "/content/1/text")).toContain(part);
        expect(JSON.stringify(at(value, "/content"))).not.toContain('"resource"');
      }
      for (const route of routes("2025-06-18", ["2025-06-18", "2025-11-25", MODERN])) {
        expect(at(deliver(route, "tools/call", "result", result).value, "/content"), named(route)).toBe(result["content"]);
      }
    });

    play("content-audio", "audio is never long text, and reaches those who know it as it is", (report) => {
      const result = message(report, "s")["result"] as Wire;
      const block = at(result, "/content/0") as Wire;
      for (const route of routes("2025-03-26", ALL.slice(1))) {
        expect(deliver(route, "tools/call", "result", result).value, named(route)).toEqual(finished(route.to, result));
      }
      const { value, steps } = deliver({ from: "2025-03-26", to: "2024-11-05", policy: "balanced" }, "tools/call", "result", result);
      expect(at(value, "/content/0")).toMatchObject({ type: "resource", resource: { blob: block["data"], mimeType: "audio/wav" } });
      expect(steps).toMatchObject([{ feature: "content.audio", action: "embedded-resource", path: "/content/0", loss: "none" }]);
      const sampling = { messages: [{ role: "user", content: block }], maxTokens: 1 };
      const route = { from: "2025-03-26", to: "2024-11-05", policy: "balanced" } as const;
      expect(refuse(route, "sampling/createMessage", "params", sampling).path).toBe("/messages/0/content");
      const policy = DegradePolicy.balanced().with(Feature.ContentAudio, "audio-text");
      const told = deliver(route, "sampling/createMessage", "params", sampling, { policy });
      expect(at(told.value, "/messages/0/content/type")).toBe("text");
      const answer = { role: "assistant", model: "m", content: block };
      expect(at(deliver(route, "sampling/createMessage", "result", answer, { policy }).value, "/content/type")).toBe("text");
    });

    it("every block reaches every revision as one of its own, many at a time", () => {
      const content = [
        text,
        { type: "image", data: "", mimeType: "image/png" },
        { type: "audio", data: "", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "a:", text: "" } },
        { type: "resource_link", uri: "a:", name: "a" },
        ...UNKNOWN.map(([block]) => block),
      ];
      for (const route of routes(ALL, ALL, ["balanced"])) {
        const { value } = pass(route, "tools/call", "result", said(route.from, { content }));
        expect(at(value, "/content"), named(route)).toHaveLength(content.length);
        expect(faultsOf(route.to, "tools/call", "result", value)).toEqual([]);
      }
    });
  });
}
