// Who may ask over HTTP, and what a client takes as an answer: the pure decisions, as tables.
import { describe, expect, it, test } from "vitest";
import { readAccept } from "../../runtime/transport/accept.js";
import { accessRefusal } from "../../runtime/transport/http-access.js";
import { relativeReference } from "../../runtime/transport/http-legacy-sse.js";

describe("where nothing is said, the names of this machine are allowed", () => {
  it.each(["localhost", "LOCALHOST:3000", "127.0.0.1", "127.0.0.1:1", "[::1]", "[::1]:65535"])("host %s", (host) => {
    expect(accessRefusal({}, host, null)).toBeUndefined();
    expect(accessRefusal({}, host, `http://${host}`)).toBeUndefined();
    expect(accessRefusal({}, host, `https://${host}`)).toBeUndefined();
  });

  it.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "localhost@evil.example",
    "evil.example#localhost",
    "localhost/",
    "",
    "::1",
    "localhost:",
    "localhost:x",
    "127.1",
    "0.0.0.0",
  ])("not host %j", (host) => {
    expect(accessRefusal({}, host, null)).toMatch(/Host/);
  });

  it.each([
    "null",
    "http://evil.example",
    "http://localhost.evil.example",
    "http://localhost:80@evil.example",
    "https://evil.example/localhost",
    "file://localhost",
    "localhost",
    "chrome-extension://localhost",
    "",
    "http://",
  ])("not origin %j", (origin) => {
    expect(accessRefusal({}, "localhost", origin)).toMatch(/Origin/);
  });

  it("repeats nothing of what came", () => {
    expect(accessRefusal({}, "secret.example", null)).not.toContain("secret");
  });
});

describe("lists", () => {
  const options = {
    allowedHosts: ["api.example:8443", "intern"],
    allowedOrigins: ["https://app.example", "vscode-webview://abc", "null", "tools.example"],
  };

  test.each<readonly [string, string | null, boolean]>([
    ["api.example:8443", null, true],
    ["api.example", null, false],
    ["api.example:80", null, false],
    ["Intern:99", null, true],
    ["localhost", null, false],
    ["intern", "https://app.example", true],
    ["intern", "http://app.example", false],
    ["intern", "https://app.example:444", false],
    ["intern", "vscode-webview://abc", true],
    ["intern", "null", true],
    ["intern", "http://tools.example:3000", true],
    ["intern", "http://localhost", false],
  ])("host %s with origin %s: %s", (host, origin, isAllowed) => {
    expect(accessRefusal(options, host, origin) === undefined).toBe(isAllowed);
  });

  it("can be any", () => {
    expect(accessRefusal({ allowedHosts: "any", allowedOrigins: "any" }, "x.example", "http://y.example")).toBeUndefined();
  });
});

describe("hdr-accept-wildcard, hdr-accept-order: Accept is a list with wildcards", () => {
  test.each<readonly [string | null, boolean, boolean]>([
    [null, true, true],
    ["", true, true],
    ["*/*", true, true],
    ["application/json", true, false],
    ["text/event-stream", false, true],
    ["application/json, text/event-stream", true, true],
    ["text/event-stream, application/json", true, true],
    ["text/event-stream,application/json;q=0.5", true, true],
    ["Application/JSON ; charset=utf-8", true, false],
    ["application/*", true, false],
    ["text/*;q=0.3", false, true],
    ["*/*;q=0.1, text/event-stream;q=0", true, false],
    ["application/json;q=0, */*", false, true],
    ["text/html, application/xhtml+xml", false, false],
    ["text/html, */*;q=0.8", true, true],
    ["garbage", false, false],
  ])("%j: JSON %s, events %s", (header, json, events) => {
    expect(readAccept(header)).toEqual({ json, events });
  });
});

describe("sse-endpoint-relative: a reference holds behind a prefix", () => {
  test.each([
    ["/sse", "/messages", "messages"],
    ["/sse/", "/messages", "../messages"],
    ["/mcp/sse", "/mcp/messages", "messages"],
    ["/a/b/sse", "/a/c/messages", "../c/messages"],
    ["/sse", "/a/messages", "a/messages"],
    ["/a/sse", "/messages", "../messages"],
    ["/sse", "/a:b", "./a:b"],
  ])("from %s to %s: %s", (from, to, reference) => {
    expect(relativeReference(from, to)).toBe(reference);
    expect(new URL(reference, `http://h${from}`).pathname).toBe(to);
    expect(new URL(reference, `http://h/prefix${from}`).pathname).toBe(`/prefix${to}`);
  });
});
