// The legacy era in front: one client's session, from its handshake to its end. It reads the client's messages, answers what is the session's own,
// and hands everything else to what stands behind it, which is of either era.

import { joinBatch, splitBatch } from "../batch.js";
import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { readHead, type MessageHead, type RequestId } from "../envelope.js";
import { isEnvelopeError, type EnvelopeError } from "../errors.js";
import type { Wire } from "../protocol.js";
import { INVALID_REQUEST } from "../rpc-codes.js";
import { Refusal } from "./errors.js";
import type { Account } from "./events.js";
import { Flow, Flows } from "./flow.js";
import type { Conversation, Link, Reply, Sink, Visit } from "./peer.js";
import { Questions } from "./questions.js";
import { errorAnswer, errorOf } from "./answers.js";
import { errorFor, type Hops } from "./refusal.js";
import type { Limits, Timeouts } from "./options.js";

/** The client's side of a session, as what stands behind it sees it. */
export interface ClientSide {
  readonly link: Link;
  readonly questions: Questions;
  readonly flows: Flows;
  readonly account: Account;
}

/** What stands behind a session: a conversation with the server. */
export interface Backend {
  /** Speaks with the client, as agreed with it. */
  readonly downstream: Codec;
  /** Speaks with the server. */
  readonly upstream: Codec;
  /** What answers the client's `initialize`. */
  readonly welcome: Wire;
  /** Resolves with the response to a request, its id the client's; rejects with a `BridgeError`. */
  call(flow: Flow): Promise<Wire>;
  /** Takes a notification of the client's. Rejects with a `BridgeError`. */
  notify(message: Wire): Promise<void>;
  /** Told that the client has a stream now for what nobody asked for. */
  hears(): void;
  /** Ends the conversation with the server. Never rejects. */
  close(reason: string): Promise<void>;
}

/** Opens what stands behind a session, from the client's `initialize`. Rejects with a `BridgeError`, or with the response that answers it. */
export type OpenBackend = (initialize: Wire, client: ClientSide) => Promise<Backend | Refused>;

/** An error member that answers a handshake. */
export interface Refused {
  readonly refused: Wire;
}

/** What a session is given. */
export interface SessionOptions {
  readonly link: Link;
  readonly account: Account;
  readonly limits: Limits;
  readonly timeouts: Timeouts;
  readonly open: OpenBackend;
}

/** One client's session. https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export class LegacySession implements Conversation {
  readonly #options: SessionOptions;
  readonly #client: ClientSide;
  #phase: "new" | "opening" | "open" | "closed" = "new";
  #backend: Backend | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { link, account, limits, timeouts } = options;
    const questions = new Questions({ push: (frame) => link.push(frame), limit: limits.questions, timeout: timeouts.answer });
    this.#client = { link, questions, flows: new Flows(), account };
  }

  get revision(): string | undefined {
    return this.#backend?.downstream.version;
  }

  hears(): void {
    this.#backend?.hears();
  }

  async receive(message: unknown, visit: Visit): Promise<Reply> {
    if (!Array.isArray(message)) return this.#one(message, visit);
    let messages: readonly unknown[];
    try {
      messages = this.#split(message);
    } catch (error) {
      if (isEnvelopeError(error)) return errorAnswer(error.id, errorOf(error.rpcCode, error.message));
      throw error;
    }
    return joinBatch(await Promise.all(messages.map((entry) => this.#one(entry, visit))));
  }

  #split(messages: readonly unknown[]): readonly unknown[] {
    const profile = this.#backend?.downstream.profile;
    // Until something is agreed no revision allows a batch.
    if (profile === undefined) return [readHead(messages)];
    return splitBatch(profile, messages);
  }

  async close(reason: string): Promise<void> {
    if (this.#phase === "closed") return;
    this.#phase = "closed";
    const { flows, questions, account } = this.#client;
    flows.cancelAll(reason);
    questions.close();
    await this.#backend?.close(reason);
    account.tell({ event: "closed", reason, summary: account.summary });
  }

  async #one(message: unknown, visit: Visit): Promise<Wire | undefined> {
    let head: MessageHead;
    try {
      head = readHead(message);
    } catch (error) {
      if (isEnvelopeError(error)) return this.#unreadable(message, error);
      throw error;
    }
    if (head.kind === "response") return this.#answered(head.wire);
    this.#client.account.took(head.kind);
    if (head.kind === "notification") return this.#notified(head.method, head.wire);
    return this.#asked(head.id, head.method, head.wire, visit);
  }

  /** A broken response is no question: to answer it would start a quarrel. */
  #unreadable(message: unknown, error: EnvelopeError): Wire | undefined {
    const isAnswer = isWire(message) && message["method"] === undefined && ("result" in message || "error" in message);
    if (!isAnswer) return errorAnswer(error.id, errorOf(error.rpcCode, error.message));
    this.#drop(undefined, error.message);
    return undefined;
  }

  #answered(response: Wire): undefined {
    if (!this.#client.questions.answer(response)) this.#drop(undefined, "it answers nothing that was asked");
    return undefined;
  }

  async #notified(method: string, message: Wire): Promise<undefined> {
    if (method === "notifications/cancelled") {
      this.#cancelled(message);
      return undefined;
    }
    if (this.#backend === undefined || this.#phase !== "open") {
      this.#drop(method, "it came before the handshake");
      return undefined;
    }
    try {
      await this.#backend.notify(message);
    } catch (error) {
      this.#drop(method, messageOf(error));
    }
    return undefined;
  }

  #cancelled({ params }: Wire): void {
    const flow = isWire(params) ? this.#client.flows.get(params["requestId"]) : undefined;
    if (flow === undefined) return this.#drop("notifications/cancelled", "nothing in flight has its id");
    const reason = isWire(params) ? params["reason"] : undefined;
    flow.cancel(typeof reason === "string" ? reason : undefined);
  }

  async #asked(id: RequestId, method: string, message: Wire, visit: Visit): Promise<Wire | undefined> {
    if (method === "ping") return { jsonrpc: "2.0", id, result: {} };
    if (method === "initialize") return this.#initialize(id, message);
    const backend = this.#backend;
    if (backend === undefined || this.#phase !== "open") return this.#refuse(id, method, INVALID_REQUEST, "not before the handshake");
    const { flows } = this.#client;
    if (flows.size >= this.#options.limits.flows) {
      const message = `cannot call ${method}: ${flows.size} requests are in flight`;
      return this.#failed(id, method, Refusal.of({ kind: "limit", message, retry: "same" }), backend);
    }
    const flow = new Flow(id, method, message, visit);
    if (!flows.add(flow)) return this.#refuse(id, method, INVALID_REQUEST, "a request with its id is in flight");
    try {
      const answer = await backend.call(flow);
      return flow.isCancelled ? undefined : answer;
    } catch (error) {
      return flow.isCancelled ? undefined : this.#failed(id, method, error, backend);
    } finally {
      flows.remove(flow);
    }
  }

  async #initialize(id: RequestId, message: Wire): Promise<Wire> {
    if (this.#phase !== "new") return this.#refuse(id, "initialize", INVALID_REQUEST, "the session is open already");
    this.#phase = "opening";
    try {
      const backend = await this.#options.open(message, this.#client);
      if ("refused" in backend) {
        this.#phase = "new";
        return errorAnswer(id, backend.refused);
      }
      if (this.#isOver()) {
        await backend.close("the client is gone");
        return this.#refuse(id, "initialize", INVALID_REQUEST, "the session is closed");
      }
      this.#backend = backend;
      this.#phase = "open";
      return { jsonrpc: "2.0", id, result: backend.welcome };
    } catch (error) {
      if (!this.#isOver()) this.#phase = "new";
      return this.#failed(id, "initialize", error, {});
    }
  }

  #isOver(): boolean {
    return this.#phase === "closed";
  }

  #refuse(id: RequestId, method: string, code: number, because: string): Wire {
    const message = `cannot call ${method}: ${because}`;
    this.#client.account.tell({ event: "refused", method, code, because });
    return errorAnswer(id, errorOf(code, message));
  }

  #failed(
    id: RequestId,
    method: string,
    error: unknown,
    { downstream, upstream }: Partial<Pick<Backend, "downstream" | "upstream">>,
  ): Wire {
    const hops: Hops = { from: downstream, to: upstream };
    const written = errorFor(error, method, hops);
    this.#client.account.tell({
      event: "refused",
      method,
      code: Number(written["code"]),
      because: messageOf(error),
      feature: featureOf(error),
    });
    return errorAnswer(id, written);
  }

  #drop(method: string | undefined, because: string): void {
    this.#client.account.tell({ event: "dropped", hop: "downstream", method, because });
  }
}

/** Writes a frame for the client where it belongs: on the stream of a message, or on the one for what nobody asked for; false where it cannot go. */
export function tell(client: ClientSide, frame: Wire, sink: Sink | undefined): Promise<void> | void | false {
  if (sink === undefined) return client.link.push(frame) ? undefined : false;
  return sink.canStream ? sink.write(frame) : false;
}

/** Gives the sentence of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function featureOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("feature" in error)) return undefined;
  return typeof error.feature === "string" ? error.feature : undefined;
}
