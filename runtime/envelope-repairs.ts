// What is put right in the envelope of a message before it is read. These are shapes of JSON-RPC that real peers send, at whatever revision of
// whatever protocol; each says where it stands, how it is read, and who reported it. A leaf but for the report.

import type { TranslationReport } from "./report.js";

/** Lists the repairs by id: where the shape stands (a JSON pointer), how it is read, and where it is described. */
export const ENVELOPE_REPAIRS = {
  "params-null": {
    path: "/params",
    reads: "null as absent",
    source: "https://github.com/chaitin/MonkeyCode/issues/1268",
  },
  "params-empty-array": {
    path: "/params",
    reads: "an empty array as an empty object",
    source: "https://github.com/elgorro/aiquila/issues/442",
  },
  "error-null": {
    path: "/error",
    reads: "null beside a result as absent",
    source: "https://github.com/modelcontextprotocol/rust-sdk/issues/1283",
  },
  "error-id-null": {
    path: "/id",
    reads: "the null id of an error as none",
    source: "https://www.jsonrpc.org/specification#response_object",
  },
  "error-id-absent": {
    path: "/id",
    reads: "the id of an error as none, where the revision asks for one",
    source: "https://github.com/vladcalin/gemstone/issues/38",
  },
  "batch-with-notifications": {
    path: "",
    reads: "responses and notifications in one batch as what they are",
    source: "https://github.com/modelcontextprotocol/typescript-sdk/issues/2670",
  },
} as const;

/** Names a repair. */
export type EnvelopeRepair = keyof typeof ENVELOPE_REPAIRS;

/** Records a repair; the step's detail is its id. */
export function addRepair(repair: EnvelopeRepair, report: TranslationReport | undefined): void {
  report?.add({ feature: null, action: "repair", path: ENVELOPE_REPAIRS[repair].path, loss: "none", detail: repair });
}
