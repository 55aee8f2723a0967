// Reads the list of revisions. Takes a protocol's tables and a revision's name; gives its entry and its place among the others, or an error that lists the known ones.

import { UnknownRevisionError } from "./errors.js";
import type { ProtocolTables, RevisionEntry } from "./protocol.js";

/** Lists every revision the tables know, drafts included, oldest first. */
export function knownRevisions(tables: ProtocolTables): readonly string[] {
  return tables.revisions.map((entry) => entry.revision);
}

/** Lists the revisions that may be negotiated, oldest first: the released ones, and the drafts if asked for. */
export function negotiable(tables: ProtocolTables, options: { readonly drafts?: boolean } = {}): readonly string[] {
  return tables.revisions.filter((entry) => entry.released || options.drafts === true).map((entry) => entry.revision);
}

/** Finds a revision's entry; throws `UnknownRevisionError`. */
export function revisionEntry(tables: ProtocolTables, revision: string): RevisionEntry {
  const entry = tables.revisions.find((candidate) => candidate.revision === revision);
  if (entry === undefined) throw new UnknownRevisionError(revision, knownRevisions(tables));
  return entry;
}

/** Gives a revision's place in the order of release, from 0; throws `UnknownRevisionError`. */
export function revisionIndex(tables: ProtocolTables, revision: string): number {
  return tables.revisions.indexOf(revisionEntry(tables, revision));
}

/** Tells whether a revision lies within `first..last`, both included and `last` open when absent; throws `UnknownRevisionError` for any of the three. */
export function isBetween(tables: ProtocolTables, revision: string, first: string, last?: string): boolean {
  const index = revisionIndex(tables, revision);
  const end = last === undefined ? index : revisionIndex(tables, last);
  return revisionIndex(tables, first) <= index && index <= end;
}
