// Takes a server through everything it lists, the way the scenarios of the suite's client mode want it.
import type { Wire } from "../../../runtime/index.js";
import type { SdkClient } from "../../interop/sdk.js";
import { sampleObject, type Schema } from "./clients.js";

/** A call the suite wants made, with its arguments. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Wire;
}

interface Tool {
  readonly name: string;
  readonly inputSchema: Schema & Wire;
}

/** The tool whose schema another tool wants back as it was listed, and the argument it wants it in. */
const FOCAL_TOOL = "json_schema_2020_12_tool";
const ECHOED = "schema";

/** The tools whose call may fail without anyone being at fault, and why. */
const MAY_FAIL: ReadonlyMap<string, string> = new Map([
  ["lookup_user", "its server answers no tools/call"],
  ["test_mrtr_no_result_type", "the newest SDK refuses a result of 2026-07-28 that does not say its type"],
]);

/** Calls every tool, reads every resource and gets every prompt of a server. */
export async function drive(client: SdkClient, calls: readonly ToolCall[] = []): Promise<void> {
  const capabilities = (client.getServerCapabilities() ?? {}) as Wire;
  // One of the suite's servers says that it has none, and is not asked: a client that minds what was agreed never asks it.
  const { tools } = ("tools" in capabilities ? await client.listTools() : { tools: [] }) as { readonly tools: readonly Tool[] };
  const focal = tools.find(({ name }) => name === FOCAL_TOOL);
  for (const { name, inputSchema } of tools) {
    if (name === FOCAL_TOOL) continue;
    const wanted = calls.filter((call) => call.name === name).map((call) => call.arguments);
    const echo = focal !== undefined && ECHOED in (inputSchema.properties ?? {}) ? { [ECHOED]: focal.inputSchema } : {};
    for (const args of wanted.length > 0 ? wanted : [{ ...sampleObject(inputSchema), ...echo }])
      await client.callTool({ name, arguments: args }).catch((error: unknown) => {
        if (!MAY_FAIL.has(name)) throw error;
      });
  }
  if ("resources" in capabilities) {
    const { resources } = (await client.listResources()) as { readonly resources: readonly { readonly uri: string }[] };
    for (const { uri } of resources) await client.readResource({ uri });
  }
  if ("prompts" in capabilities) {
    const { prompts } = (await client.listPrompts()) as { readonly prompts: readonly { readonly name: string }[] };
    for (const { name } of prompts) await client.getPrompt({ name });
  }
}
