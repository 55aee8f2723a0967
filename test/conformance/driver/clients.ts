// The clients of the drivers: the newest SDK of each era, as an application would set it up that can do everything a server may ask.
import type { Wire } from "../../../runtime/index.js";
import type { Transport } from "../../interop/line.js";
import { loadModule, type ClientConstructor, type LegacyTypes, type SdkClient } from "../../interop/sdk.js";

type HttpTransport = new (url: URL) => Transport;

const INFO = { name: "polyrev-driver", version: "1.0.0" };
const CAPABILITIES = { roots: {}, sampling: {}, elicitation: { form: { applyDefaults: true } } };
const MODERN_REVISION = "2026-07-28";

/** The name under which the older SDK exports the schema of a request. */
const SCHEMAS = {
  "elicitation/create": "ElicitRequestSchema",
  "sampling/createMessage": "CreateMessageRequestSchema",
  "roots/list": "ListRootsRequestSchema",
} as const;

/** What the client answers a server that asks; of a form, it leaves out what has a default or need not be there. */
const REPLIES: Readonly<Record<keyof typeof SCHEMAS, (params: Wire) => Wire>> = {
  "elicitation/create": ({ requestedSchema }) => ({ action: "accept", content: sampleObject(requestedSchema as Schema) }),
  "sampling/createMessage": () => ({ role: "assistant", model: "driver", content: { type: "text", text: "A reply." } }),
  "roots/list": () => ({ roots: [{ uri: "file:///driver", name: "driver" }] }),
};

/** Connects a client of the legacy era, which offers the newest revision that has a handshake. */
export async function connectLegacy(url: string): Promise<SdkClient> {
  const [types, { Client }, { StreamableHTTPClientTransport }] = await Promise.all([
    loadModule<LegacyTypes>("sdk-1.32/types.js"),
    loadModule<{ Client: ClientConstructor }>("sdk-1.32/client/index.js"),
    loadModule<{ StreamableHTTPClientTransport: HttpTransport }>("sdk-1.32/client/streamableHttp.js"),
  ]);
  const client = new Client(INFO, { capabilities: CAPABILITIES });
  return connect(client, (method) => types[SCHEMAS[method]], new StreamableHTTPClientTransport(new URL(url)));
}

/** Connects a client of the modern era, which speaks 2026-07-28 alone. */
export async function connectModern(url: string): Promise<SdkClient> {
  const { Client, StreamableHTTPClientTransport } = await loadModule<{
    Client: ClientConstructor;
    StreamableHTTPClientTransport: HttpTransport;
  }>("@modelcontextprotocol/client");
  const client = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode: { pin: MODERN_REVISION } } });
  return connect(client, (method) => method, new StreamableHTTPClientTransport(new URL(url)));
}

async function connect(client: SdkClient, keyOf: (method: keyof typeof SCHEMAS) => unknown, transport: Transport): Promise<SdkClient> {
  for (const [method, reply] of Object.entries(REPLIES))
    client.setRequestHandler(keyOf(method as keyof typeof SCHEMAS), ({ params }) => reply((params ?? {}) as Wire));
  await client.connect(transport);
  return client;
}

/** A value of each type. */
const SAMPLES: Readonly<Record<string, unknown>> = { string: "sample", number: 3, integer: 3, boolean: true, array: [], null: null };

/** The part of JSON Schema that arguments and forms are described with. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** Makes an object that has what its schema requires, and nothing else. */
export function sampleObject({ properties = {}, required = [] }: Schema): Wire {
  const wanted = Object.entries(properties).filter(([name, { default: preset }]) => required.includes(name) && preset === undefined);
  return Object.fromEntries(wanted.map(([name, schema]) => [name, sampleValue(schema)]));
}

function sampleValue(schema: Schema): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === "object") return sampleObject(schema);
  return SAMPLES[schema.type ?? "string"];
}
