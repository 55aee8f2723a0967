// What the command line of the bridge comes to, and what is said of one that cannot be used: the thing, the place and the fix.
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { planBridge, type BridgeFlags } from "../../runtime/cli/bridge-options.js";
import type { CommandFault } from "../../runtime/cli/fault.js";

const FILES: Readonly<Record<string, string>> = {
  "headers.txt": "# who we are\nAuthorization: Bearer s3cr3t\n\nX-Team: blue\n",
  "no-colon.txt": "x-team: blue\nBearer s3cr3t\n",
  "bad-name.txt": "x team: blue\n",
  "bad-value.txt": "x-team: bl\u00fce\n",
  "policy.yaml": "preset: permissive\n",
  "bad.yaml": "preset: permissive\nsurprise: true\n",
  "broken.yaml": "base: [\n",
};

const FLAGS: BridgeFlags = {
  upstream: "https://example.com/mcp",
  listen: "stdio",
  policy: "balanced",
  log: "info",
  advertiseModern: "always",
  sessions: "per-principal",
  stdioProbe: "sibling",
  header: [],
  env: [],
  allowOrigin: [],
  allowHost: [],
};

const ROOM = {
  readFile: (path: string): string => {
    const text = FILES[path];
    if (text === undefined) throw new Error(`ENOENT: no such file or directory, open '${path}'`);
    return text;
  },
  parseYaml: parse,
  environment: { TOKEN: "Bearer s3cr3t", BROKEN: "one\ntwo", EMPTY: "" },
};

const plan = (flags: Partial<BridgeFlags>, ...rest: readonly string[]) => planBridge({ ...FLAGS, ...flags }, rest, ROOM);

describe("a command line that can be used", () => {
  it.each<readonly [string, Partial<BridgeFlags>, readonly string[], object]>([
    ["an address", {}, [], { upstream: { kind: "url", url: new URL("https://example.com/mcp"), headers: {} } }],
    ["a command", { upstream: "node server.js" }, [], { upstream: { kind: "command", command: "node", args: ["server.js"], env: {} } }],
    [
      "a command with quotes and more behind --",
      { upstream: "'my server' \"a b\"" },
      ["--port", "1"],
      { upstream: { kind: "command", command: "my server", args: ["a b", "--port", "1"], env: {} } },
    ],
    ["a variable for a command", { upstream: "x", env: ["TOKEN"] }, [], { upstream: { env: { TOKEN: "Bearer s3cr3t" } } }],
    ["an empty variable", { upstream: "x", env: ["EMPTY"] }, [], { upstream: { env: { EMPTY: "" } } }],
    ["a header", { header: ["Authorization=TOKEN"] }, [], { upstream: { headers: { authorization: "Bearer s3cr3t" } } }],
    [
      "a file of headers",
      { headerFile: "headers.txt" },
      [],
      { upstream: { headers: { authorization: "Bearer s3cr3t", "x-team": "blue" } } },
    ],
    ["a pipe", {}, [], { listen: { kind: "stdio" } }],
    ["a port", { listen: "http://127.0.0.1:7700/x" }, [], { listen: { kind: "http", host: "127.0.0.1", port: 7700, path: "/x" } }],
    ["no path", { listen: "http://localhost:0" }, [], { listen: { kind: "http", host: "localhost", port: 0, path: "/mcp" } }],
    ["an address of IPv6", { listen: "http://[::1]/mcp" }, [], { listen: { kind: "http", host: "::1", port: 80, path: "/mcp" } }],
    ["a time", { timeout: "0.5" }, [], { timeoutMs: 500 }],
    ["no time", {}, [], { timeoutMs: undefined }],
    [
      "revisions",
      { clientRevision: "2025-06-18", upstreamRevision: "2024-11-05" },
      [],
      { clientRevision: "2025-06-18", upstreamRevision: "2024-11-05" },
    ],
  ])("%s", (_, flags, rest, expected) => {
    expect(plan(flags, ...rest)).toMatchObject(expected);
  });

  it.each(["strict", "balanced", "permissive", "policy.yaml"])("the policy %s", (policy) => {
    expect(plan({ policy }).policy).toBeDefined();
  });
});

describe("a command line that cannot", () => {
  it.each<readonly [Partial<BridgeFlags>, readonly string[], 1 | 2, string]>([
    [{}, ["x"], 2, "cannot use what stands behind --: --upstream is an address; leave it out, or give a command"],
    [
      { upstream: "https://u:s3cr3t@[x" },
      [],
      2,
      "cannot use --upstream: it starts like an address and is none; give one such as https://example.com/mcp",
    ],
    [{ upstream: "ftp://example.com" }, [], 2, 'cannot use --upstream "ftp://example.com": give an http or https address, or a command'],
    [{ upstream: "  " }, [], 2, "cannot use --upstream: it is empty; give an address or a command"],
    [
      { upstream: "x", header: ["a=TOKEN"] },
      [],
      2,
      "cannot use --header or --header-file: --upstream is a command; hand secrets on with --env NAME",
    ],
    [
      { upstream: "x", env: ["NONE"] },
      [],
      2,
      "cannot use --env NONE: the environment has no such variable; set it, or leave the option out",
    ],
    [
      { header: ["Authorization: Bearer s3cr3t"] },
      [],
      2,
      "cannot use --header Authorization: it has no name=; write name=VARIABLE, and set the variable to the value",
    ],
    [
      { header: ["x-key=s3cr3t"] },
      [],
      2,
      "cannot use --header x-key: the environment has no such variable; write name=VARIABLE, and set the variable to the value",
    ],
    [{ header: ["=TOKEN"] }, [], 2, "cannot use --header : it has no name=; write name=VARIABLE, and set the variable to the value"],
    [{ header: ["x(y=TOKEN"] }, [], 2, '--header x(y: "x(y" is no header name; use letters, digits and -'],
    [{ header: ["x=BROKEN"] }, [], 2, "--header x: the value of x has a character no header may have; use ASCII, without line breaks"],
    [{ headerFile: "none.txt" }, [], 2, "cannot use --header-file \"none.txt\": ENOENT: no such file or directory, open 'none.txt'"],
    [{ headerFile: "no-colon.txt" }, [], 1, 'no-colon.txt:2: cannot read the header: it has no colon; write one "name: value" a line'],
    [{ headerFile: "bad-name.txt" }, [], 1, 'bad-name.txt:1: "x team" is no header name; use letters, digits and -'],
    [
      { headerFile: "bad-value.txt" },
      [],
      1,
      "bad-value.txt:1: the value of x-team has a character no header may have; use ASCII, without line breaks",
    ],
    [{ listen: "7700" }, [], 2, 'cannot use --listen "7700": give stdio or an address such as http://127.0.0.1:7700/mcp'],
    [
      { listen: "https://127.0.0.1:1/mcp" },
      [],
      2,
      'cannot use --listen "https://127.0.0.1:1/mcp": give stdio or an address such as http://127.0.0.1:7700/mcp',
    ],
    [
      { listen: "http://127.0.0.1:99999" },
      [],
      2,
      'cannot use --listen "http://127.0.0.1:99999": give stdio or an address such as http://127.0.0.1:7700/mcp',
    ],
    [
      { policy: "lenient" },
      [],
      2,
      "cannot use --policy \"lenient\": ENOENT: no such file or directory, open 'lenient'; presets are strict, balanced, permissive",
    ],
    [{ timeout: "soon" }, [], 2, 'cannot use --timeout "soon": give a number of seconds above 0, at most 2000000'],
    [{ timeout: "0" }, [], 2, 'cannot use --timeout "0": give a number of seconds above 0, at most 2000000'],
    [{ timeout: "" }, [], 2, 'cannot use --timeout "": give a number of seconds above 0, at most 2000000'],
    [
      { clientRevision: "2025" },
      [],
      2,
      'cannot use --client-revision "2025": unknown; known are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28',
    ],
    [
      { upstreamRevision: "latest" },
      [],
      2,
      'cannot use --upstream-revision "latest": unknown; known are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28',
    ],
  ])("%j %j ends with %i", (flags, rest, exitCode, message) => {
    expect(faultOf(() => plan(flags, ...rest))).toEqual({ exitCode, message });
    expect(message).not.toContain("s3cr3t");
  });

  it("that names a policy file with faults shows them, each in its place", () => {
    const unknown = faultOf(() => plan({ policy: "bad.yaml" }));
    expect(unknown.exitCode).toBe(1);
    expect(unknown.message).toMatch(/^bad\.yaml: .*surprise/s);
    const broken = faultOf(() => plan({ policy: "broken.yaml" }));
    expect(broken.exitCode).toBe(1);
    expect(broken.message).toMatch(/^broken\.yaml: cannot read the policy: /);
  });
});

function faultOf(run: () => unknown): { readonly exitCode: number; readonly message: string } {
  try {
    run();
  } catch (error) {
    const { name, exitCode, message } = error as CommandFault;
    expect(name).toBe("CommandFault");
    return { exitCode, message };
  }
  throw new Error("nothing was thrown");
}
