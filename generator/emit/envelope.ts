// Emits envelope.ts: what each revision asks of the message around a payload.
import type { Model } from "../model/types.js";
import { constTable, header, literal, printModule, type Output } from "./output.js";

/** Emits the tables of the envelope; undefined stands for what the protocol does not have. */
export function emitEnvelope(model: Model): Output {
  const { batching, errorId, handshake } = model.envelope;
  const text = printModule(
    header(`schemas/${model.protocol}/protocol.yaml and the schemas`, "What each revision asks of the message around a payload."),
    [
      constTable(
        "BATCHING",
        "Gives the feature that allows several messages in one array, and the methods that always come alone.",
        constant(batching),
      ),
      constTable(
        "ERROR_ID",
        "Lists the revisions at which an error response has to have an id, and gives the feature that lets it do without.",
        constant(errorId),
      ),
      constTable(
        "HANDSHAKE",
        "Gives the feature that makes peers shake hands first, and by direction the requests that may come before.",
        constant(handshake),
      ),
    ],
  );
  return { path: `${model.protocol}/envelope.ts`, text };
}

function constant(value: object | undefined): string {
  return value === undefined ? "undefined" : `${literal(value)} as const`;
}
