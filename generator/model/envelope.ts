// What the revisions ask of the message around a payload: read from protocol.yaml, the rows and the schemas, and checked. Pure.
import type { Problem } from "../problem.js";
import { findNode, hasPath, parsePath } from "./path.js";
import { shape } from "./schema.js";
import type { Direction, Envelope, Method, Model, Place } from "./types.js";

/** What protocol.yaml says of the envelope. */
export interface EnvelopeFacts {
  readonly batching?: { readonly feature: string; readonly alone: readonly string[] };
  /** The path of the id in an error response. */
  readonly errorId?: string;
  readonly handshake?: { readonly feature: string; readonly before: Readonly<Record<Direction, readonly string[]>> };
}

type Known = Pick<Model, "features" | "revisions">;
type Report = (path: readonly (string | number)[], rule: string, message: string, fix: string) => void;

/** Reads what the envelope has to be, revision by revision; a feature, method or path that is not there becomes a problem. */
export function readEnvelope(
  facts: EnvelopeFacts,
  source: { readonly file: string; readonly lineOf: (path: readonly (string | number)[]) => Place["line"] },
  known: Known,
  problems: Problem[],
): Envelope {
  const report: Report = (path, rule, message, fix) => problems.push({ file: source.file, line: source.lineOf(path), rule, message, fix });
  const batching = readBatching(facts, known, report);
  const errorId = readErrorId(facts, known, report);
  const handshake = readHandshake(facts, known, report);
  return {
    ...(batching === undefined ? {} : { batching }),
    ...(errorId === undefined ? {} : { errorId }),
    ...(handshake === undefined ? {} : { handshake }),
  };
}

function readBatching({ batching }: EnvelopeFacts, { features, revisions }: Known, report: Report): Envelope["batching"] {
  if (batching === undefined) return undefined;
  const feature = features.find((candidate) => candidate.id === batching.feature);
  if (feature === undefined) {
    report(["batching", "feature"], "dangling", `no feature is called ${batching.feature}`, "name the feature that allows batches");
    return undefined;
  }
  for (const method of batching.alone) {
    for (const { id, methods } of revisions.slice(feature.first, feature.last + 1)) {
      if (methods.some((entry) => entry.name === method)) continue;
      report(["batching", "alone"], "protocol", `${method}, which comes alone, is no method of ${id}`, "correct the method's name");
    }
  }
  return { feature: feature.index, alone: batching.alone };
}

function readHandshake({ handshake }: EnvelopeFacts, { features, revisions }: Known, report: Report): Envelope["handshake"] {
  if (handshake === undefined) return undefined;
  const feature = features.find((candidate) => candidate.id === handshake.feature);
  if (feature === undefined) {
    report(["handshake", "feature"], "dangling", `no feature is called ${handshake.feature}`, "name the feature that shakes hands");
    return undefined;
  }
  for (const direction of ["clientToServer", "serverToClient"] as const) {
    for (const method of handshake.before[direction]) {
      const isThere = (entry: Method) => entry.name === method && entry.kind === "request" && entry.directions.includes(direction);
      const lacking = revisions.slice(feature.first, feature.last + 1).find(({ methods }) => !methods.some(isThere));
      if (lacking === undefined) continue;
      const message = `${method}, asked before the handshake, is no ${direction} request of ${lacking.id}`;
      report(["handshake", "before", direction], "protocol", message, "correct the method's name");
    }
  }
  return { feature: feature.index, before: handshake.before };
}

function readErrorId({ errorId }: EnvelopeFacts, { features, revisions }: Known, report: Report): Envelope["errorId"] {
  if (errorId === undefined) return undefined;
  const path = parsePath(errorId);
  const last = path?.steps.at(-1);
  const having = revisions.filter(({ canonical }) => path !== undefined && hasPath(path, canonical));
  if (path === undefined || typeof last !== "object" || having.length === 0) {
    report(["errorId"], "protocol", `no schema has ${errorId}, the id of an error`, "write the path of a property, in the newest names");
    return undefined;
  }
  const required = having.filter(({ canonical }) => {
    const holder = findNode({ definition: path.definition, steps: path.steps.slice(0, -1) }, canonical);
    return holder !== undefined && (shape(holder, canonical).required ?? []).includes(last.property);
  });
  const feature = features.find(({ gates }) => gates.changes.includes(errorId));
  return { ...(feature === undefined ? {} : { feature: feature.index }), requiredAt: required.map(({ id }) => id) };
}
