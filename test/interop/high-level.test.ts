// Servers as applications write them: tools registered with the high-level interface of each SDK, which makes schemas, hints and errors of its
// own. What it emits is valid at its revision and comes back from lift and lower as it was.
import { describe, expect, it } from "vitest";
import { Caller } from "./caller.js";
import { fullCodec } from "./codecs.js";
import { changesOf } from "./heard.js";
import { isObject, objectsOf } from "./holds.js";
import { memoryLine, type Transport } from "./line.js";
import { loadPeer, PEER_INFO, PEERS, type Peer } from "./peers.js";
import { loadModule, type McpServerConstructor, type ModernServerModule, type ModernStdioModule, type SdkMcpServer } from "./sdk.js";
import { validatorsOf } from "./validity.js";

interface Zod {
  readonly z: { string(): { describe(text: string): unknown }; number(): { optional(): unknown } };
}

const ANSWER = { content: [{ type: "text", text: '{"celsius":21}' }] };

/** The releases before 1.22 register tools without an output schema; 1.0 has no such interface at all. */
const OLD = ["sdk-1.10", "sdk-1.12"];

async function serveHighLevel(peer: Peer, transport: Transport): Promise<void> {
  if (peer.era === "modern") {
    const { McpServer, fromJsonSchema } = await loadModule<ModernServerModule>("@modelcontextprotocol/server");
    const { serveStdio } = await loadModule<ModernStdioModule>("@modelcontextprotocol/server/stdio");
    const inputSchema = fromJsonSchema({ type: "object", properties: { city: { type: "string" } }, required: ["city"] });
    const outputSchema = fromJsonSchema({ type: "object", properties: { celsius: { type: "number" } } });
    serveStdio(() => registered(new McpServer(PEER_INFO, {}), { inputSchema, outputSchema }), { legacy: "reject", transport });
    return;
  }
  const { McpServer } = await loadModule<{ McpServer: McpServerConstructor }>(`${peer.alias}/server/mcp.js`);
  const { z } = await loadModule<Zod>(peer.revision < "2025-11-25" ? "zod/v3" : "zod");
  const inputSchema = { city: z.string().describe("Which") };
  const server = new McpServer(PEER_INFO, {});
  if (OLD.includes(peer.alias)) server.tool("weather", "What it is like", inputSchema, () => ANSWER);
  else registered(server, { inputSchema, outputSchema: { celsius: z.number().optional() } });
  await server.connect(transport);
}

function registered(server: SdkMcpServer, schemas: Record<string, unknown>): SdkMcpServer {
  const config = { title: "Weather", description: "What it is like", annotations: { readOnlyHint: true }, ...schemas };
  server.registerTool("weather", config, () => ({ ...ANSWER, structuredContent: { celsius: 21 } }));
  return server;
}

describe.each(PEERS.filter(({ alias }) => alias !== "sdk-1.0").map((peer) => [peer.alias, peer] as const))("%s, high level", (_, peer) => {
  it("lists a tool, answers a call and complains about a wrong one in the words of its revision", async () => {
    const { line, transport } = memoryLine((await loadPeer(peer)).readLine);
    await serveHighLevel(peer, transport);
    const caller = await Caller.meet(peer, line);

    const { result: list } = await caller.call("tools/list", {});
    const [tool] = objectsOf(isObject(list) ? list["tools"] : undefined);
    expect(tool).toMatchObject({ name: "weather", inputSchema: { type: "object", properties: { city: { type: "string" } } } });
    if (!OLD.includes(peer.alias)) expect(tool).toMatchObject({ title: "Weather", outputSchema: { type: "object" } });

    const { result: answer } = await caller.call("tools/call", { name: "weather", arguments: { city: "Lisbon" } });
    expect(answer).toMatchObject(ANSWER);
    const wrong = await caller.call("tools/call", { name: "weather", arguments: { city: 7 } });
    expect(wrong["error"] ?? wrong["result"]).toMatchObject("error" in wrong ? { code: -32602 } : { isError: true });
    const unknown = await caller.call("tools/call", { name: "wether", arguments: {} });
    expect(unknown["error"] ?? unknown["result"]).toMatchObject("error" in unknown ? { code: -32602 } : { isError: true });

    const validity = await validatorsOf(peer.revision);
    const codec = await fullCodec(peer.revision);
    expect(caller.heard.flatMap(({ message, answers }) => validity.messageFaults(message, answers))).toEqual([]);
    expect(caller.heard.flatMap((heard) => changesOf(codec, heard))).toEqual([]);
    await line.close();
  });
});
