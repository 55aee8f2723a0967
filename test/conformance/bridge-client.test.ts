// The suite's client mode through the bridge: a client of one era drives the mock servers of the other, which see what the bridge makes of it. The bridge is told nothing of the servers, and finds out what they speak.
import { describe, expect, it } from "vitest";
import { judge } from "./judge.js";
import { driver, script } from "./program.js";
import { runClient } from "./run.js";

/** The scenarios by client: those of its mock server's era, at the revision of that era. */
const LEGACY_CLIENT = [
  "tools_call",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  "json-schema-2020-12-preservation",
];

const MODERN_CLIENT = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "json-schema-2020-12-preservation", "sse-retry"];

const through = script("runtime/cli/main.ts", "bridge", "--upstream", "{url}", "--listen", "http://127.0.0.1:0/mcp", "--log", "warn");

describe("a modern client through the bridge to the suite's legacy mock servers", () => {
  it.each(MODERN_CLIENT)("passes %s", async (scenario) => {
    const found = await runClient({ command: driver("modern"), scenario, revision: "2025-11-25", through });
    expect(judge([found])).toEqual({ passed: 1, total: 1, faults: [] });
  });
});

describe("a legacy client through the bridge to the suite's modern mock servers", () => {
  it.each(LEGACY_CLIENT)("passes %s", async (scenario) => {
    const found = await runClient({ command: driver("legacy"), scenario, revision: "2026-07-28", through });
    expect(judge([found])).toEqual({ passed: 1, total: 1, faults: [] });
  });
});
