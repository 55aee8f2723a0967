// The tables of a protocol that was generated into a folder of its own, for tests that bind the core to what they compiled.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { CodecModule, ProtocolTables } from "../runtime/protocol.js";

/** Imports what was generated for one protocol into a folder, as the protocol's binding does. */
export async function tablesIn(folder: string): Promise<ProtocolTables> {
  const load = async (name: string) => (await import(pathToFileURL(join(folder, name)).href)) as Record<string, never>;
  const [revisions, features, methods, codecs, errors, envelope, tolerances] = [
    await load("revisions.ts"),
    await load("features.ts"),
    await load("methods.ts"),
    await load("codecs.ts"),
    await load("errors.ts"),
    await load("envelope.ts"),
    await load("tolerances.ts"),
  ];
  return {
    protocol: revisions["PROTOCOL"] as never,
    specification: revisions["SPECIFICATION"] as never,
    revisions: revisions["REVISIONS"] as never,
    features: features["FEATURES"] as never,
    lowerings: features["LOWERINGS"] as never,
    unknownMembers: features["UNKNOWN_MEMBERS"] as never,
    fills: features["FILLS"] as never,
    tolerances: tolerances["TOLERANCES"] as never,
    flags: revisions["FLAGS"] as never,
    implied: revisions["IMPLIED"] as never,
    methods: methods["METHODS"] as never,
    gates: methods["METHOD_GATES"] as never,
    transports: features["TRANSPORTS"] as never,
    errors: errors["ERRORS"] as never,
    batching: envelope["BATCHING"] as never,
    errorId: envelope["ERROR_ID"] as never,
    handshake: envelope["HANDSHAKE"] as never,
    loadValidators: codecs["loadValidators"] as never,
    loadCodec: codecs["loadCodec"] as unknown as (revision: string) => Promise<CodecModule>,
  };
}
