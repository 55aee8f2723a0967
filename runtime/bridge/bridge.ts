// Carries one message at a time from a client to a server of another revision and the answer back. It is given what was agreed on both hops and
// the server's end; it knows no transport and no revision, and the client's connection belongs to the loop that reads it.

import { readHead, type AskedRequest } from "../envelope.js";
import { isEnvelopeError } from "../errors.js";
import type { Wire } from "../protocol.js";
import { TranslationReport } from "../report.js";
import { crossAnswer, crossCall, type Agreement } from "./agreement.js";
import { Close, Unreadable } from "./errors.js";
import { isTold } from "./events.js";
import type { Peer, SendOptions } from "./peer.js";

/** What a forward did: what went to the server, what goes back to the client, and what was lost on the way. */
export interface Forwarded {
  readonly outbound: Wire;
  /** Absent where the message asked for no answer. */
  readonly reply: Wire | undefined;
  /** Empty where nothing was lost and nothing repaired. */
  readonly report: TranslationReport;
}

/** Forwards the messages of one client to one server. */
export class Bridge {
  readonly agreement: Agreement;
  readonly #upstream: Peer;
  #isClosed = false;

  constructor(agreement: Agreement, upstream: Peer) {
    this.agreement = agreement;
    this.#upstream = upstream;
  }

  /**
   * Forwards a request and resolves with its answer, or a notification, which has none; a response answers the server's request given as
   * `answers`. A refusal of the server is an answer like any other. Rejects with `Unreadable`, `MethodNotBridged`, `FeatureUnavailable` and
   * `NotReadable` as `crossCall` and `crossAnswer` do, with `Unreachable` where the server gives no answer, and with `Close` once closed; what is
   * refused before it was sent never reaches the wire.
   */
  async forward(message: Wire, options: SendOptions & { readonly answers?: AskedRequest } = {}): Promise<Forwarded> {
    if (this.#isClosed) throw new Close("the bridge is closed");
    const steps = new TranslationReport();
    const kind = kindOf(message);
    if (kind === "response") {
      const { answers } = options;
      if (answers === undefined) throw new Unreadable("cannot forward the response: nobody said which request it answers");
      const outbound = crossAnswer(this.agreement, message, answers, "serverToClient", undefined, steps);
      await this.#upstream.notify(outbound, options);
      return { outbound, reply: undefined, report: told(steps) };
    }
    const { outbound, asking } = crossCall(this.agreement, message, "clientToServer", undefined, steps);
    if (kind === "notification") {
      await this.#upstream.notify(outbound, options);
      return { outbound, reply: undefined, report: told(steps) };
    }
    const answer = await this.#upstream.send(outbound, options);
    const { method, params } = asking;
    const reply = crossAnswer(this.agreement, answer, { method, params }, "clientToServer", undefined, steps);
    return { outbound, reply, report: told(steps) };
  }

  /** Closes the server's end. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#upstream.close();
  }
}

function kindOf(message: Wire): "request" | "notification" | "response" {
  try {
    return readHead(message).kind;
  } catch (error) {
    if (isEnvelopeError(error)) throw new Unreadable(error.message, error);
    throw error;
  }
}

/** Keeps what is worth telling: what was lost, and what was put right. What each hop writes for itself is neither. */
export function told(steps: TranslationReport): TranslationReport {
  const report = new TranslationReport();
  for (const step of steps.steps) if (isTold(step)) report.add(step);
  return report;
}
