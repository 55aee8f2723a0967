// Codecs bound to peers the tests need no native client for: the fullest a revision knows, and a plain client of a server of tools.
import type { Codec } from "../../runtime/index.js";
import { CapabilitySet, codecFor, resolve } from "../../runtime/mcp.js";

/** Gives a revision's codec for two peers at their fullest. */
export function fullCodec(revision: string): Promise<Codec> {
  return codecFor(revision, CapabilitySet.allFor(revision).resolve(revision, "stdio"));
}

/** Gives a revision's codec for a server of tools and a client that says it can do what is given. */
export function toolsCodec(revision: string, client: unknown = {}): Promise<Codec> {
  return codecFor(revision, resolve({ revision, client, server: { tools: {} }, transport: "stdio" }));
}
