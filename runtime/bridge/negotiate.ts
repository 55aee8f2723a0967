// Chooses the revision of a hop: as the server of a handshake, as its client, and after a refusal that lists what is supported. Pure; what a peer
// sent is taken as it stands, and what the table of revisions does not know is never agreed to.

import { isWire } from "../capabilities.js";
import { tables } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { revisionEntry } from "../revision.js";
import { errorOf, INITIALIZE } from "./answers.js";
import { codeIn, eraOf, knownOf, newestOf } from "./eras.js";

/** What a server answers to `initialize` with: the revision of the session, or an error. */
export type Greeting = { readonly revision: string } | { readonly error: Wire };

/** What a client makes of the answer to its `initialize`. */
export type Settlement = { readonly revision: string } | { readonly refused: string; readonly offered: unknown };

/** Most legacy revisions a client tries one after the other where a server refuses without saying what it supports. */
export const MOST_HANDSHAKES = 4;

/**
 * Narrows the revisions of a hop to the one that somebody insists on; without one they stay. Throws `UnknownRevisionError` for a revision no table
 * has.
 */
export function narrowed(revisions: readonly string[], forced: string | undefined): readonly string[] {
  return forced === undefined ? revisions : [revisionEntry(tables, forced).revision];
}

/**
 * Chooses the revision of a session: the requested one where it is legacy and served, else the newest legacy one that is. A modern revision has
 * no handshake and is never chosen. https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#version-negotiation
 */
export function greet(params: unknown, served: readonly string[]): Greeting {
  const requested = isWire(params) ? params["protocolVersion"] : undefined;
  if (typeof requested !== "string") {
    const wanted = ["protocolVersion", "capabilities", "clientInfo"];
    const lacking = wanted.filter((key) => !isWire(params) || params[key] === undefined);
    const reason = lacking.includes("protocolVersion") ? `${lacking.join(", ")} missing` : "protocolVersion is not a string";
    return { error: errorOf(codeIn("legacy", "INVALID_PARAMS"), `cannot take ${INITIALIZE}: ${reason}`) };
  }
  if (eraOf(requested) === "legacy" && served.includes(requested)) return { revision: requested };
  const newest = newestOf(served, "legacy");
  if (newest !== undefined) return { revision: newest };
  const supported = knownOf(served);
  const message = `cannot serve ${requested} by a handshake: supported are ${supported.join(", ")}`;
  return { error: errorOf(codeIn("modern", "UNSUPPORTED_PROTOCOL_VERSION"), message, { supported, requested }) };
}

/**
 * Decides about the revision in an `initialize` result: agreed where it is legacy and among those spoken, whatever was asked for. After a refusal
 * nothing may be sent any more.
 */
export function settle(result: unknown, spoken: readonly string[]): Settlement {
  const offered = isWire(result) ? result["protocolVersion"] : undefined;
  if (typeof offered !== "string") return { refused: "the result names no protocol version", offered };
  if (eraOf(offered) === "modern") return { refused: `the result names ${offered}, which has no handshake`, offered };
  if (spoken.includes(offered) && eraOf(offered) === "legacy") return { revision: offered };
  return {
    refused: `the server offers ${offered}, spoken are ${knownOf(spoken, "legacy").join(", ") || "none with a handshake"}`,
    offered,
  };
}

/**
 * Reads what a refusal lists as supported; undefined where it is no refusal of a version or the list is not one of texts. The legacy code for it
 * says other things too, so that there the list is what tells. https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning
 */
export function supportedIn(error: unknown): readonly string[] | undefined {
  if (!isWire(error) || !isWire(error["data"])) return undefined;
  const { supported } = error["data"];
  if (!VERSION_CODES.has(error["code"])) return undefined;
  return Array.isArray(supported) && supported.every((entry) => typeof entry === "string") ? supported : undefined;
}

/** Finds the newest modern revision both sides have, but for those that were tried. */
export function mutualModern(supported: readonly string[], spoken: readonly string[], tried: readonly string[] = []): string | undefined {
  return knownOf(spoken, "modern").find((revision) => supported.includes(revision) && !tried.includes(revision));
}

/**
 * Finds the revision for another `initialize` after one was refused: the newest legacy one the server lists and that was not tried, or without a
 * list the next older one, at most `MOST_HANDSHAKES` in all; undefined where nothing is left.
 */
export function nextHandshake(error: unknown, spoken: readonly string[], tried: readonly string[]): string | undefined {
  const supported = supportedIn(error);
  const left = knownOf(spoken, "legacy").filter((revision) => !tried.includes(revision));
  if (supported !== undefined) return left.find((revision) => supported.includes(revision));
  return tried.length < MOST_HANDSHAKES ? left.find((revision) => isOlder(revision, tried)) : undefined;
}

/** Says that no revision is left to try, and names what either side has; for the message of the error that ends it. */
export function nothingMutual(spoken: readonly string[], supported: readonly string[] | undefined): string {
  const theirs = supported === undefined ? "the server does not say what it supports" : `the server supports ${list(supported)}`;
  return `no revision is spoken on both sides: spoken are ${list(knownOf(spoken))}, ${theirs}`;
}

function isOlder(revision: string, tried: readonly string[]): boolean {
  return tried.every((other) => eraOf(other) === undefined || revision < other);
}

function list(revisions: readonly string[]): string {
  return revisions.join(", ") || "none";
}

const VERSION_CODES = new Set<unknown>([
  codeIn("modern", "UNSUPPORTED_PROTOCOL_VERSION"),
  codeIn("legacy", "UNSUPPORTED_PROTOCOL_VERSION"),
]);
