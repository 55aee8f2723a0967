// What the runner has the suite do, seen from a server that answers nothing.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { judge } from "./judge.js";
import { runServer } from "./run.js";

it.each([
  { offers: "2025-11-25", pin: undefined },
  { offers: "2025-03-26", pin: "2025-03-26" },
])("has the suite's client offer $offers where the pin is $pin", async ({ offers, pin }) => {
  const offered = new Set<unknown>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      if (body.includes('"initialize"')) offered.add((JSON.parse(body) as { params: { protocolVersion: string } }).params.protocolVersion);
      response.writeHead(400).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const scenarios = await runServer({ url, revision: "2025-06-18", pin, scenario: "ping" });
  server.close();
  expect([...offered]).toEqual([offers]);
  expect(scenarios.map(({ name }) => name)).toEqual(["ping"]);
  expect(judge(scenarios).passed).toBe(0);
});

it("rejects where the suite runs nothing", async () => {
  await expect(runServer({ url: "http://127.0.0.1:1/mcp", revision: "2025-06-18", scenario: "no-such-scenario" })).rejects.toThrow(
    /cannot run the suite/,
  );
});
