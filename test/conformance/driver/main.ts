// A client for the suite's client mode: `main.ts --client legacy|modern URL` drives the server at URL through everything it lists. With
// DRIVER_THROUGH, the JSON array of a command, that command is started first, `{url}` in it replaced by URL, and the client talks to what the
// command serves instead.
import { parseArgs } from "node:util";
import { serving, type Command } from "../program.js";
import { connectLegacy, connectModern } from "./clients.js";
import { drive, type ToolCall } from "./drive.js";

const { values, positionals } = parseArgs({ options: { client: { type: "string" } }, allowPositionals: true });
const connect = { legacy: connectLegacy, modern: connectModern }[values.client ?? ""];
const url = positionals.at(-1);
if (connect === undefined || url === undefined) throw new Error("cannot drive: say --client legacy or --client modern, and a URL");

const through = process.env["DRIVER_THROUGH"];
const { toolCalls } = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as { readonly toolCalls?: readonly ToolCall[] };
const driveAt = async (server: string): Promise<void> => {
  const client = await connect(server);
  await drive(client, toolCalls);
  await client.close();
};

if (through === undefined) await driveAt(url);
else await serving((JSON.parse(through) as string[]).map((part) => part.replaceAll("{url}", url)) as unknown as Command, driveAt);
process.exit();
