// The profile after realistic negotiations, per revision: a golden a reviewer reads to see what a change of rows does to real sessions.
import { expect, it } from "vitest";
import { FEATURES, knownRevisions, resolve } from "../../runtime/mcp.js";

const CLIENTS = {
  "a client with nothing": {},
  "a desktop client": { roots: { listChanged: true }, sampling: {}, elicitation: {} },
  "a client that only opens URLs": { elicitation: { url: {} } },
  "a client of the newest kind": { elicitation: { form: {}, url: {} }, sampling: { tools: {}, context: {} }, extensions: {} },
  "a client with malformed flags": { roots: true, sampling: null, elicitation: [], tasks: "yes" },
} as const;

const SERVERS = {
  "a server with nothing": {},
  "a server with tools only": { tools: {} },
  "a server with everything": {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    logging: {},
    completions: {},
    tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  },
} as const;

const SESSIONS = [
  ["a client with nothing", "a server with nothing", "stdio"],
  ["a client with nothing", "a server with tools only", "stdio"],
  ["a desktop client", "a server with tools only", "stdio"],
  ["a desktop client", "a server with everything", "streamable-http"],
  ["a client that only opens URLs", "a server with tools only", "streamable-http"],
  ["a client of the newest kind", "a server with everything", "streamable-http"],
  ["a client with malformed flags", "a server with everything", "stdio"],
] as const;

it.each(knownRevisions())("negotiations at %s", async (revision) => {
  const parts = SESSIONS.map(([client, server, transport]) => {
    const profile = resolve({ revision, client: CLIENTS[client], server: SERVERS[server], transport });
    const ids = [...profile].map((feature) => `  ${FEATURES[feature]?.id}`);
    return `${client}, ${server}, ${transport}: ${profile.size} features, ${profile.toString()}\n${ids.join("\n")}`;
  });
  await expect(`${parts.join("\n\n")}\n`).toMatchFileSnapshot(`./negotiations/${revision}.txt`);
});
