// The suite's client mode through the bridge: a client of one era drives the mock servers of the other, which see what the bridge makes of it. The bridge is told nothing of the servers, and finds out what they speak.
import { describe, expect, it } from "vitest";
import { CLIENT_SCENARIOS } from "./client-scenarios.js";
import { judge } from "./judge.js";
import { driver, script } from "./program.js";
import { runClient } from "./run.js";

const through = script("runtime/cli/main.ts", "bridge", "--upstream", "{url}", "--listen", "http://127.0.0.1:0/mcp", "--log", "warn");

describe.each([
  { client: "modern", server: "legacy" },
  { client: "legacy", server: "modern" },
] as const)("a $client client through the bridge to the suite's $server mock servers", ({ client, server }) => {
  const { revision, scenarios } = CLIENT_SCENARIOS[server];
  it.each(scenarios)("passes %s", async (scenario) => {
    const found = await runClient({ command: driver(client), scenario, revision, through });
    expect(judge([found])).toEqual({ passed: 1, total: 1, faults: [] });
  });
});
