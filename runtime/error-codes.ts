// Takes the error of a response from one revision's codes to another's. What an error is, code, method and data say together; the table of
// named errors knows which. An error no row names, and data no row asks for, stay as they are.

import { isWire, valueAt } from "./capabilities.js";
import { withField } from "./copy.js";
import { LowerError } from "./errors.js";
import type { DegradePolicy } from "./policy.js";
import type { ErrorEntry, Loss, ProtocolTables, Wire } from "./protocol.js";
import type { TranslationReport } from "./report.js";
import { isBetween, revisionEntry, revisionIndex } from "./revision.js";

/** Says which way an error goes, and what it answers. */
export interface ErrorJourney {
  /** The revision of the peer that sent it. */
  readonly from: string;
  /** The revision of the peer that gets it. */
  readonly to: string;
  /** The method it answers, and the params that were asked with; without them only what needs neither is recognised. */
  readonly method?: string | undefined;
  readonly params?: unknown;
  /** Decides about an error the other revision cannot read, where its row offers a choice; without one it is kept. */
  readonly policy?: DegradePolicy | undefined;
}

/**
 * The key of an error's data under which its original is kept: `code` where it was rewritten to one that says less, `data` where that was no
 * object and had to make room.
 */
export const ORIGINAL_ERROR_KEY = "polyrev/error";

/**
 * Writes an error as another revision does; gives the same object where nothing changes. The code is rewritten where both revisions name the
 * error, with the data the other asks for filled from the request; where only the sender does, its row says what becomes of it. Throws
 * `UnknownRevisionError`, and `LowerError` where the policy refuses what the peer cannot read.
 */
export function translateError(tables: ProtocolTables, journey: ErrorJourney, error: Wire, report?: TranslationReport): Wire {
  const { from, to, method, params } = journey;
  revisionEntry(tables, from);
  revisionEntry(tables, to);
  const known = tables.errors.find((entry) => isAt(tables, entry, from) && fits(entry, journey, error));
  if (known === undefined) return error;
  const target = tables.errors.find((entry) => entry.name === known.name && isAt(tables, entry, to) && answers(entry, method));
  const next = target === undefined ? undefined : completed(rewritten(error, target.code), target, params);
  if (target === undefined || next === undefined) return elsewhere(tables, journey, known, error, report);
  if (next === error) return error;
  addStep(tables, known, "error-code", "none", `${known.name}: ${known.code} becomes ${target.code}`, report);
  return next;
}

/** Does what a row says for a revision that has no error of its name. */
function elsewhere(
  tables: ProtocolTables,
  { from, to, method, policy }: ErrorJourney,
  known: ErrorEntry,
  error: Wire,
  report: TranslationReport | undefined,
): Wire {
  const choice = known.elsewhere;
  if (choice !== undefined && "code" in choice) {
    addStep(tables, known, "error-code", "advisory", `${known.name}: ${known.code} becomes ${choice.code}`, report);
    return withField(rewritten(error, choice.code), "data", withOriginal(error["data"], { code: known.code }));
  }
  const lowering = choice === undefined ? undefined : tables.lowerings[choice.lowering];
  const reason = `${known.name} (${known.code}) is no error of ${to}`;
  if (lowering !== undefined && policy?.actionFor(known.feature, lowering) === "refuse") {
    const row = tables.features[known.feature];
    const isLater = revisionIndex(tables, from) < revisionIndex(tables, to);
    throw LowerError.featureUnavailable({
      feature: row?.id ?? known.name,
      path: "/error/code",
      method,
      reason,
      condition: "revision",
      cite: (isLater ? row?.removal : undefined) ?? row?.cite,
    });
  }
  addStep(tables, known, "keep", lowering?.loss ?? "advisory", reason, report);
  return error;
}

function isAt(tables: ProtocolTables, entry: ErrorEntry, revision: string): boolean {
  const row = tables.features[entry.feature];
  return row !== undefined && isBetween(tables, revision, row.first, row.last);
}

function answers({ methods }: ErrorEntry, method: string | undefined): boolean {
  return methods === undefined || (method !== undefined && methods.includes(method));
}

function fits(entry: ErrorEntry, { method, params }: ErrorJourney, error: Wire): boolean {
  if (entry.code !== error["code"] || !answers(entry, method)) return false;
  const data = error["data"];
  return (entry.data ?? []).every(({ key, param }) => {
    if (!isWire(data) || !Object.hasOwn(data, key)) return false;
    return param === undefined || data[key] === valueAt(params, param);
  });
}

/** Gives the error with all the data the entry asks for; undefined where some is missing and the request does not give it. */
function completed(error: Wire, entry: ErrorEntry, params: unknown): Wire | undefined {
  let data = error["data"];
  for (const { key, param } of entry.data ?? []) {
    if (isWire(data) && Object.hasOwn(data, key)) continue;
    const value = param === undefined ? undefined : valueAt(params, param);
    if (value === undefined) return undefined;
    data = withField(isWire(data) ? data : withOriginal(data, {}), key, value);
  }
  return data === error["data"] ? error : withField(error, "data", data);
}

/** Keeps what the data cannot say any longer under its own key; what an earlier hop kept there is the original. */
function withOriginal(data: unknown, original: Wire): Wire {
  if (isWire(data)) return Object.hasOwn(data, ORIGINAL_ERROR_KEY) ? data : withField(data, ORIGINAL_ERROR_KEY, original);
  const kept = data === undefined ? original : { ...original, data };
  return Object.keys(kept).length === 0 ? {} : { [ORIGINAL_ERROR_KEY]: kept };
}

function rewritten(error: Wire, code: number): Wire {
  return error["code"] === code ? error : withField(error, "code", code);
}

function addStep(
  tables: ProtocolTables,
  entry: ErrorEntry,
  action: string,
  loss: Loss,
  detail: string,
  report: TranslationReport | undefined,
): void {
  report?.add({ feature: tables.features[entry.feature]?.id ?? null, action, path: "/error/code", loss, detail });
}
