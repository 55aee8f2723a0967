// What the bridge asks of the table of revisions: which era one belongs to, which is newer, what it has whatever the peers say. Takes names as
// they stand on the wire; what the table does not know is in no era.

import { ERROR_CODES, REVISIONS, resolve, type Revision, type Transport } from "../mcp.js";
import type { Era } from "../protocol.js";

/** Names an error that some revision has a code for. */
export type ErrorName = { [R in Revision]: keyof (typeof ERROR_CODES)[R] }[Revision];

const BY_NAME: ReadonlyMap<unknown, (typeof REVISIONS)[number]> = new Map(REVISIONS.map((entry) => [entry.revision, entry]));

/** Tells the era of a revision; undefined for what the table does not know. */
export function eraOf(revision: unknown): Era | undefined {
  return BY_NAME.get(revision)?.era;
}

/**
 * Tells the era of a revision, known or not: a date after the first known modern one counts as modern, an earlier one as legacy. Undefined for
 * what is no date and in no table, such as the name of a draft.
 */
export function likelyEra(revision: unknown): Era | undefined {
  const known = eraOf(revision);
  if (known !== undefined || typeof revision !== "string" || !/^\d{4}-\d{2}-\d{2}$/.test(revision)) return known;
  return FIRST_MODERN !== undefined && revision > FIRST_MODERN ? "modern" : "legacy";
}

/** Lists those of the revisions that the table knows, newest first and each once; with an era only those of it. */
export function knownOf(revisions: readonly unknown[], era?: Era): readonly string[] {
  return NEWEST_FIRST.filter((entry) => revisions.includes(entry.revision) && (era === undefined || entry.era === era)).map(
    (entry) => entry.revision,
  );
}

/** Finds the newest of the revisions that is of the era. */
export function newestOf(revisions: readonly unknown[], era: Era): string | undefined {
  return knownOf(revisions, era)[0];
}

/** Tells whether a revision defines a transport. */
export function definesTransport(revision: string, transport: string): boolean {
  const transports: readonly string[] | undefined = BY_NAME.get(revision)?.transports;
  return transports?.includes(transport) ?? false;
}

/** Tells whether a revision has a feature that asks for no capability, over a transport where it asks for one; false for what the table does not know. */
export function hasFeature(revision: string | undefined, feature: number, transport: Transport | null = null): boolean {
  if (revision === undefined || eraOf(revision) === undefined) return false;
  return resolve({ revision, transport, client: undefined, server: undefined }).isEnabled(feature);
}

/** Gives the code a revision has for an error; undefined where it has no such error. */
export function codeOf(revision: string, name: ErrorName): number | undefined {
  const codes: Readonly<Partial<Record<ErrorName, number>>> | undefined =
    eraOf(revision) === undefined ? undefined : ERROR_CODES[revision as Revision];
  return codes?.[name];
}

/** Gives the code that the newest revision of the era with such an error has for it; throws `RangeError` where none has. */
export function codeIn(era: Era, name: ErrorName): number {
  for (const entry of NEWEST_FIRST) {
    const code = entry.era === era ? codeOf(entry.revision, name) : undefined;
    if (code !== undefined) return code;
  }
  throw new RangeError(`cannot find a code for ${name}: no ${era} revision has one`);
}

const NEWEST_FIRST = REVISIONS.toReversed();
const FIRST_MODERN = REVISIONS.find((entry) => entry.era === "modern")?.revision;
