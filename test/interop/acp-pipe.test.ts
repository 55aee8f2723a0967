// The same conversations over real pipes: the agent, ours or the native one, is a process that the client, the native one or ours, started.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import { gatesOf, hellosOf, INCOMING, isOutOfReach, nativeApp, openSide, payloadsOf, tellAll, type Served, type Told } from "./acp-pair.js";
import { loadAcp, V1, V2 } from "./acp-sdk.js";
import { frameFaults, methodsIn, recordedLine, recordedStream, type Frame } from "./acp-wire.js";
import { processLine } from "./line.js";
import { scriptCommand } from "./script.js";

describe.each([V1, V2])("over a pipe, at %s", (revision) => {
  const { full } = hellosOf(revision);

  it("the native client starts our agent", async () => {
    const [command, args] = scriptCommand("acp-process.ts", "ours", revision);
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    const sdk = await loadAcp(revision);
    const stream = sdk.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>);
    const [frames, served]: [Frame[], Served[]] = [[], []];
    const connection = nativeApp(sdk, revision, "client", { hellos: full }, served).connect(recordedStream(stream, frames));
    const agent = connection.agent ?? expect.fail("the SDK gave no agent");
    expect(await agent.request("initialize", full.client)).toEqual(full.server);
    expectAllSaid(revision, await tellAll(revision, "clientToServer", agent), served);
    await expectAllValid(revision, frames);
    connection.close();
    child.kill();
  });

  it("our client starts the native agent", async () => {
    const line = processLine(...scriptCommand("acp-process.ts", "native", revision));
    const [frames, served]: [Frame[], Served[]] = [[], []];
    const side = await openSide(revision, "client", recordedLine(line, "serverToClient", frames), { hellos: full }, served);
    expect(await side.initialize()).toEqual(full.server);
    expectAllSaid(revision, await tellAll(revision, "clientToServer", side), served);
    await expectAllValid(revision, frames);
    await side.close();
  });
});

/** What the client said was answered with what the corpus has, and it was told and asked all that the corpus has. */
function expectAllSaid(revision: string, told: readonly Told[], served: readonly Served[]): void {
  for (const { method, got } of told) {
    const results = payloadsOf(revision, method, "result");
    expect(results.length === 0 ? [undefined] : results, method).toContainEqual("value" in got ? got.value : got.error);
  }
  for (const { method } of gatesOf(revision, INCOMING.client, "all").filter((entry) => entry.method !== "$/cancel_request")) {
    const wanted = payloadsOf(revision, method, "params").filter((params) => !isOutOfReach(method, params));
    const heard = served.filter((call) => call.method === method).map(({ params }) => params);
    for (const params of wanted) expect(heard, method).toContainEqual(params);
  }
}

async function expectAllValid(revision: string, frames: readonly Frame[]): Promise<void> {
  expect(await frameFaults(revision, frames)).toEqual([]);
  const all = (["clientToServer", "serverToClient"] as const).flatMap((direction) =>
    gatesOf(revision, direction, "all").map(({ method }) => `${direction} ${method}`),
  );
  expect([...methodsIn(frames)].sort()).toEqual(all.sort());
}
