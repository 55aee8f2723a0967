// The command as a person runs it: what it prints, and its exit codes.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../../runtime/cli/main.ts", import.meta.url));

function polyrev(...args: string[]): { readonly code: number | null; readonly out: string; readonly err: string } {
  const run = spawnSync(process.execPath, ["--import", "tsx", MAIN, ...args], {
    encoding: "utf8",
    env: { ...process.env, FORCE_COLOR: "0" },
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

describe("polyrev", () => {
  it("diff prints sections for a person and JSON for a program", () => {
    const text = polyrev("diff", "2025-03-26", "2025-06-18");
    expect(text.code).toBe(0);
    expect(text.out).toContain("features: 12 came, 1 went");
    expect(text.out).toContain("  + content.resource-link  2025-06-18 major 7, PR #603");
    expect(text.out).not.toContain("\u001B[");
    const json = JSON.parse(polyrev("diff", "2025-03-26", "2025-06-18", "--json").out) as { features: unknown[] };
    expect(json.features).toHaveLength(13);
  });

  it("explain says since when, until when, and why", () => {
    const { out } = polyrev("explain", "sampling.include-context");
    expect(out).toContain("since 2024-11-05 (2024-11-05 client/sampling)");
    expect(out).toContain("deprecated since 2025-11-25 (2026-07-28 deprecated 3, SEP-2596)");
    expect(polyrev("explain", "ping").out).toContain("not in 2026-07-28");
  });

  it("matrix prints what the generated matrix says", () => {
    const { out } = polyrev("matrix");
    expect(out).toContain("| `transport.legacy-sse` | legacy-sse | – | – | – | – | both |  | 2024-11-05 basic/transports |");
    const rows = JSON.parse(polyrev("matrix", "--revision", "2025-03-26", "--format", "json").out) as {
      id: string;
      cells: Record<string, string>;
    }[];
    expect(rows.map((row) => row.id)).toContain("jsonrpc.batching");
    expect(rows.map((row) => row.id)).not.toContain("elicitation");
  });

  it.each([
    [["explain", "tools.structured-outptu"], 'no name is called "tools.structured-outptu"; near are tools.structured-output'],
    [["diff", "2025-06-18", "2026"], 'cannot use revision "2026": unknown; known are 2024-11-05,'],
    [["matrix", "--revision", "latest"], 'cannot use revision "latest"'],
    [["matrix", "--format", "pdf"], "Allowed choices are md, json"],
    [["diff", "2025-06-18"], "missing required argument 'to'"],
    [["teleport"], "unknown command 'teleport'"],
  ])("%j is the command line's fault", (args, message) => {
    const { code, err, out } = polyrev(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(out).toBe("");
  });

  it("help shows examples and is fine", () => {
    const { code, out } = polyrev("diff", "--help");
    expect(code).toBe(0);
    expect(out).toContain("polyrev diff 2025-06-18 2026-07-28");
  });
});
