// What our validators reject, the native peer of the revision rejects too, or takes the wrong value out before its application sees it: nothing wrong
// gets through as it is.
import { describe, expect, it } from "vitest";
import { tables } from "../../runtime/acp.js";
import { WRONG_MESSAGES } from "../corpus/acp-messages.js";
import { codeOf, hellosOf, openPair, shakeHands } from "./acp-pair.js";
import { V1, V2 } from "./acp-sdk.js";
import { settle } from "./settle.js";

/** What the SDK mends: where the schema says that a malformed value counts as its default (`x-deserialize-default-on-error`). */
const MENDED = new Set([
  "a bare block as content of a tool call",
  "a tool kind nobody knows",
  "a paused tool call",
  "true for a mode of elicitation",
  "true for authentication in a terminal",
  "a diff as before",
  "a line numbered nought",
  "a size below nought",
  "a priority above one",
]);

describe("the native peer before what is known to be wrong", () => {
  const params = WRONG_MESSAGES.filter(([, , , part]) => part === "params");

  it.each(params)("at %s: %s, %s", async (at, name, method, _, value) => {
    expect(await verdictOn(at === "v1" ? V1 : V2, method, value)).toBe(MENDED.has(name) ? "mends" : "rejects");
  });

  it("mends nothing that is not among them", () => {
    const names = params.map(([, name]) => name);
    expect([...MENDED].filter((name) => !names.includes(name))).toEqual([]);
  });

  it("and passes on what is right", async () => {
    expect(await verdictOn(V1, "session/close", { sessionId: "session-7" })).toBe("passes on");
  });
});

/** Sends params without asking anybody, and says what the native peer makes of them. */
async function verdictOn(revision: string, method: string, params: unknown): Promise<"rejects" | "mends" | "passes on"> {
  const entry = tables.methods[revision]?.find((candidate) => candidate.method === method);
  const { full } = hellosOf(revision);
  const role = entry?.directions[0] === "clientToServer" ? "client" : "server";
  const pair = await openPair(revision, role, { hellos: full });
  if (method !== "initialize") await shakeHands(pair, role, full);
  if (entry?.kind === "notification") pair.side.notifyUnchecked(method, params);
  const got = await settle(pair.side.requestUnchecked(entry?.kind === "notification" ? "_settled" : method, params));
  await pair.close();
  const arrived = pair.theirs.find((call) => call.method === method);
  if (arrived !== undefined) return JSON.stringify(arrived.params) === JSON.stringify(params) ? "passes on" : "mends";
  if (entry?.kind === "request") expect(codeOf(got)).toBe(-32602);
  return "rejects";
}
