// What a server says reaches its client as it was said, whatever eras are between them: text, binary data, structured content, annotations, titles,
// schemas, vendor fields and cursors. The official conformance suite looks at none of these.
import { describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import type { Sink } from "../../runtime/bridge/peer.js";
import { MODERN, modernServer } from "./modern-script.js";
import { PlayedClient, roomWith } from "./room.js";
import { Refuse, type Script } from "./wire-peer.js";

const META = "io.modelcontextprotocol/";
const annotations = { audience: ["user"], priority: 0.5 };

/** What is asked, and what is answered. */
const PAYLOADS: readonly (readonly [method: string, params: Wire, result: Wire])[] = [
  [
    "tools/call",
    { name: "x", arguments: { a: [1, { b: null }], text: "ü\u2028" } },
    {
      content: [
        { type: "text", text: 'a "quoted" text, ü and \u{1f600}', annotations },
        { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        { type: "audio", data: "UklGRg==", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "test://b", mimeType: "image/png", blob: "iVBORw0KGgo=" } },
        { type: "resource_link", uri: "test://l", name: "l", title: "A link" },
      ],
      structuredContent: { celsius: 21, nested: { text: "kept" } },
      isError: true,
      vendor: { of: "the server" },
      _meta: { "v/k": [1] },
    },
  ],
  [
    "tools/list",
    { cursor: "page-2" },
    {
      tools: [
        {
          name: "t",
          title: "A tool",
          description: "does",
          inputSchema: { type: "object", properties: { a: { type: "string", title: "A" } }, required: ["a"], additionalProperties: false },
          outputSchema: { type: "object", properties: { celsius: { type: "number" } } },
          annotations: { title: "Other", readOnlyHint: true, vendorHint: 1 },
        },
      ],
      nextCursor: "page-3",
    },
  ],
  [
    "resources/read",
    { uri: "test://b" },
    {
      contents: [
        { uri: "test://b", mimeType: "image/png", blob: "iVBORw0KGgo=" },
        { uri: "test://t", text: "t" },
      ],
    },
  ],
  [
    "prompts/get",
    { name: "p", arguments: { a: "1" } },
    { description: "d", messages: [{ role: "user", content: { type: "text", text: "hi" } }] },
  ],
  ["resources/list", {}, { resources: [{ uri: "test://b", name: "b", title: "B", size: 3, annotations }], nextCursor: "c" }],
];

const answering: Script = ({ method }) => {
  const found = PAYLOADS.find(([known]) => known === method);
  if (found === undefined) throw new Refuse(-32601, "no such method");
  return found[2];
};

const LEGACY_SERVER = { tools: {}, prompts: {}, resources: {}, logging: {} };

function legacyServer(revision: string): Script {
  return (request, more) => {
    if (request["method"] === "server/discover") throw new Refuse(-32601, "no such method");
    if (request["method"] !== "initialize") return answering(request, more);
    return { protocolVersion: revision, capabilities: LEGACY_SERVER, serverInfo: { name: "old", version: "1" } };
  };
}

/** Takes off what one hop says for itself. */
function bare(payload: Wire): Wire {
  const without = (holder: Wire, isOwn: (key: string) => boolean): Wire =>
    Object.fromEntries(Object.entries(holder).filter(([key]) => !isOwn(key)));
  const meta = without((payload["_meta"] ?? {}) as Wire, (key) => key.startsWith(META));
  const rest = without(payload, (key) => OF_THE_HOP.includes(key));
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

const OF_THE_HOP = ["resultType", "ttlMs", "cacheScope", "_meta"];

const PAIRS = ["2025-06-18", "2025-11-25", MODERN].flatMap((client) =>
  ["2025-06-18", "2025-11-25", MODERN].map((server) => [client, server] as const),
);

describe.each(PAIRS)("a client at %s and a server at %s", (client, server) => {
  it.each(PAYLOADS)("have %s and its answer whole", async (method, params, result) => {
    const room = roomWith(server === MODERN ? modernServer(answering).script : legacyServer(server), "stdio");
    const reply = client === MODERN ? await askModern(room.service, method, params) : await askLegacy(room.service, client, method, params);
    expect(bare((reply as { result: Wire }).result)).toEqual(result);
    const { params: sent } = room.connector.peer.messages.find((message) => message["method"] === method) as { params: Wire };
    expect(bare(sent)).toEqual(params);
  });
});

type Service = ConstructorParameters<typeof PlayedClient>[0];

async function askModern(service: Service, method: string, params: Wire): Promise<unknown> {
  const sink: Sink = { canStream: true, write: () => undefined };
  const _meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };
  const { answer } = await service.exchange({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }, { sink, principal: "p" });
  return JSON.parse(JSON.stringify(answer));
}

async function askLegacy(service: Service, revision: string, method: string, params: Wire): Promise<unknown> {
  const played = new PlayedClient(service);
  await played.open(revision);
  return played.call(method, params);
}
