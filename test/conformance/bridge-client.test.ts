// The suite's client mode through the bridge: a client of the legacy era drives the mock servers of the modern one, which see what the bridge makes
// of it. The bridge is told nothing of the servers, and finds out what they speak.
import { describe, expect, it } from "vitest";
import { judge } from "./judge.js";
import { driver, script } from "./program.js";
import { runClient } from "./run.js";

const REVISION = "2026-07-28";

const SCENARIOS = [
  "tools_call",
  "request-metadata",
  "sep-2322-client-request-state",
  "http-standard-headers",
  "http-custom-headers",
  "http-invalid-tool-headers",
  "json-schema-ref-no-deref",
  "json-schema-2020-12-preservation",
];

describe("a legacy client through the bridge to the suite's modern mock servers", () => {
  it.each(SCENARIOS)("passes %s", async (scenario) => {
    const listen = ["--listen", "http://127.0.0.1:0/mcp", "--log", "warn"];
    const through = script("runtime/cli/main.ts", "bridge", "--upstream", "{url}", ...listen);
    const found = await runClient({ command: driver("legacy"), scenario, revision: REVISION, through });
    expect(judge([found])).toEqual({ passed: 1, total: 1, faults: [] });
  });
});
