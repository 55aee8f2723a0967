// What a revision says of Streamable HTTP. A peer may speak it at a revision that is older than the transport; what holds then is what the first
// revision with the transport says. Pure.

import { REVISIONS, resolve } from "../mcp.js";
import type { FeatureProfile } from "../profile.js";

const TRANSPORT = "streamable-http";
const FIRST = REVISIONS.find(({ transports }) => transports.some((name) => name === TRANSPORT))?.revision;

/** Gives the profile by which a peer at a revision speaks Streamable HTTP; throws `UnknownRevisionError`. */
export function httpProfileOf(revision: string): FeatureProfile {
  const entry = REVISIONS.find((candidate) => candidate.revision === revision);
  const isDefined = entry === undefined || entry.transports.some((name) => name === TRANSPORT);
  return resolve({ revision: isDefined ? revision : (FIRST ?? revision), transport: TRANSPORT, client: {}, server: {} });
}
