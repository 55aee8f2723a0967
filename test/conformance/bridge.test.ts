// The official suite through the bridge: each of its wires on one side, a server of the other era (or of the same, at another revision) behind it.
import { describe, expect, it } from "vitest";
import { judge, type Allowance } from "./judge.js";
import { fixture, script, serving, type Command } from "./program.js";
import { runServer } from "./run.js";

/** Gives the command that bridges from an address of its own to a server. */
function bridge(upstream: string, ...options: readonly string[]): Command {
  return script("runtime/cli/main.ts", "bridge", "--upstream", upstream, "--listen", "http://127.0.0.1:0/mcp", "--log", "warn", ...options);
}

interface Row {
  readonly name: string;
  readonly server: Command;
  readonly revision: string;
  readonly pin?: string;
  readonly options?: readonly string[];
  readonly passed: number;
  readonly total: number;
  readonly allowed?: readonly Allowance[];
}

/** The suite looks for the id of an event that a server sends before it closes a stream; the bridge answers on a stream that it does not close. */
const POLLING: Allowance = {
  scenario: "server-sse-polling",
  check: "no-success",
  status: "WARNING",
  reason: "the bridge keeps the stream open",
};
/** A client of a revision without elicitation cannot declare it, and so is not asked. */
const NOT_ASKED: Allowance = {
  scenario: "tools-call-elicitation",
  check: "tools-call-elicitation",
  status: "FAILURE",
  reason: "no elicitation before 2025-06-18",
};
/** A client of the first revision does not know the block, and is given the bytes as an embedded resource. */
const EMBEDDED: Allowance = {
  scenario: "tools-call-audio",
  check: "tools-call-audio",
  status: "FAILURE",
  reason: "no audio before 2025-03-26",
};

const ROWS: readonly Row[] = [
  { name: "legacy at 2025-11-25 to modern", server: fixture("modern"), revision: "2025-11-25", passed: 33, total: 33, allowed: [POLLING] },
  { name: "legacy at 2025-06-18 to modern", server: fixture("modern"), revision: "2025-06-18", passed: 27, total: 27 },
  {
    name: "legacy pinned to 2025-06-18 to modern",
    server: fixture("modern"),
    revision: "2025-06-18",
    pin: "2025-06-18",
    passed: 27,
    total: 27,
  },
  {
    name: "legacy pinned to 2025-03-26 to modern",
    server: fixture("modern"),
    revision: "2025-06-18",
    pin: "2025-03-26",
    passed: 26,
    total: 27,
    allowed: [NOT_ASKED],
  },
  {
    name: "legacy pinned to 2024-11-05 to modern",
    server: fixture("modern"),
    revision: "2025-06-18",
    pin: "2024-11-05",
    passed: 25,
    total: 27,
    allowed: [NOT_ASKED, EMBEDDED],
  },
  { name: "legacy at 2025-11-25 to legacy", server: fixture("legacy"), revision: "2025-11-25", passed: 33, total: 33, allowed: [POLLING] },
  { name: "modern to modern", server: fixture("modern"), revision: "2026-07-28", passed: 40, total: 40 },
];

describe("the suite through the bridge", () => {
  it.each(ROWS)("$name", async ({ server, revision, pin, options = [], passed, total, allowed }) => {
    const scenarios = await serving(server, (upstream) =>
      serving(bridge(upstream, ...options), (url) => runServer({ url, revision, pin })),
    );
    expect(judge(scenarios, allowed)).toEqual({ passed, total, faults: [] });
  });
});

/** The suite wants the key it gives a question itself; a legacy server has no keys, and the bridge makes its own. */
const OWN_KEYS: Allowance = {
  scenario: "input-required-result-basic-elicitation",
  check: "sep-2322-elicitation-incomplete",
  status: "FAILURE",
  reason: "legacy servers give their questions no keys",
};
/** The suite answers what nobody asked beside what was asked; a legacy server cannot be given it. */
const EXTRA: Allowance = {
  scenario: "input-required-result-ignore-extra-params",
  check: "sep-2322-ignore-unexpected-params",
  status: "WARNING",
  reason: "what was not asked goes nowhere",
};

/** That warning is the scenario's only check. */
const NOTHING_ELSE: Allowance = { ...EXTRA, check: "no-success" };

describe("the modern suite through the bridge to a legacy server", () => {
  it.each(["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"])("at %s", async (revision) => {
    const server = fixture("legacy", "--revision", revision, "--asks-anyway");
    const scenarios = await serving(server, (upstream) => serving(bridge(upstream), (url) => runServer({ url, revision: "2026-07-28" })));
    expect(judge(scenarios, [OWN_KEYS, EXTRA, NOTHING_ELSE])).toEqual({ passed: 39, total: 40, faults: [] });
  });
});

describe("the suite through two bridges, the second a client of the first in the other era", () => {
  it("legacy to legacy over modern", async () => {
    const scenarios = await serving(fixture("legacy"), (server) =>
      serving(bridge(server), (inner) =>
        serving(bridge(inner, "--upstream-revision", "2026-07-28"), (url) => runServer({ url, revision: "2025-11-25" })),
      ),
    );
    expect(judge(scenarios, [POLLING])).toEqual({ passed: 33, total: 33, faults: [] });
  });

  it("modern to modern over legacy", async () => {
    const scenarios = await serving(fixture("modern"), (server) =>
      serving(bridge(server), (inner) =>
        serving(bridge(inner, "--upstream-revision", "2025-11-25"), (url) => runServer({ url, revision: "2026-07-28" })),
      ),
    );
    expect(judge(scenarios, [OWN_KEYS, EXTRA, NOTHING_ELSE])).toEqual({ passed: 39, total: 40, faults: [] });
  });
});
