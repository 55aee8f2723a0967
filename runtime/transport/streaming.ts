// Says by which revision's rules Streamable HTTP is spoken, and what they allow. Takes the revision that was agreed. Pure.

import { knownRevisions, resolve, REVISIONS } from "../mcp.js";
import type { FeatureProfile } from "../profile.js";

const TRANSPORT = "streamable-http";

/**
 * Gives the profile of Streamable HTTP for a session: of its own revision, or where that is older than the transport, of the first that defines it,
 * since peers speak it all the same. Throws `UnknownRevisionError`.
 */
export function streamingProfile(revision: string): FeatureProfile {
  const known = PROFILES.get(revision);
  if (known !== undefined) return known;
  const isOlder = knownRevisions().includes(revision) && !DEFINING.includes(revision);
  const spoken = isOlder ? (DEFINING[0] ?? revision) : revision;
  const profile = resolve({ revision: spoken, transport: TRANSPORT, client: undefined, server: undefined });
  PROFILES.set(revision, profile);
  return profile;
}

const DEFINING: readonly string[] = REVISIONS.filter(({ transports }) => (transports as readonly string[]).includes(TRANSPORT)).map(
  ({ revision }) => revision,
);
const PROFILES = new Map<string, FeatureProfile>();
