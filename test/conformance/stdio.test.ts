// The fixture server over the pipes of a process: the same tools, to the native client of either era.
import { afterEach, describe, expect, it } from "vitest";
import { loadPeer, peerOf, type NativeClient } from "../interop/peers.js";
import { fixture } from "./program.js";

const CAPABILITIES = { elicitation: {}, sampling: {}, roots: {} };
const REPLIES = {
  "elicitation/create": { action: "accept", content: { name: "Ada" } },
  "sampling/createMessage": { role: "assistant", model: "m", content: { type: "text", text: "Hi" } },
  "roots/list": { roots: [{ uri: "file:///a" }] },
};

let client: NativeClient | undefined;
afterEach(async () => {
  await client?.close();
  client = undefined;
});

describe.each([
  { era: "legacy", alias: "sdk-1.32", options: [] },
  { era: "legacy", alias: "sdk-1.22", options: ["--revision", "2025-06-18"] },
  { era: "modern", alias: "sdk-2", options: [] },
] as const)("the $era fixture over stdio, to $alias", ({ era, alias, options }) => {
  it("answers, and asks the client", async () => {
    const peer = await loadPeer(peerOf(alias));
    client = peer.newClient(CAPABILITIES);
    for (const [method, reply] of Object.entries(REPLIES)) client.handle(method, () => reply);
    const [command, ...args] = fixture(era, "--stdio", ...options);
    await client.connect(peer.processTransport(command, args));

    const call = (name: string): Promise<unknown> =>
      client?.call("tools/call", { name, arguments: {} }) ?? Promise.reject(new Error("closed"));
    const text = (words: string) => ({ content: [{ type: "text", text: words }] });
    expect(await call("test_simple_text")).toMatchObject(text("This is a simple text response for testing."));
    expect(await call("test_input_required_result_multiple_inputs")).toMatchObject(text('Hi Ada, at [{"uri":"file:///a"}]'));
    expect(await client.call("resources/read", { uri: "test://template/7/data" })).toMatchObject({
      contents: [{ uri: "test://template/7/data", mimeType: "application/json" }],
    });
  });
});
