// Answers the messages of one peer: reads them, holds each against what was negotiated, asks a handler, and writes the answer for the peer. The
// checks come in one order, and the first that fails answers: readable, after the handshake, known, negotiated, handled, valid.

import { joinBatch, kindOf, splitBatch } from "./batch.js";
import type { Codec } from "./codec.js";
import { liftEnvelope, lowerEnvelope, readHead, type MessageHead, type RequestId } from "./envelope.js";
import { isEnvelopeError, isLowerError, isRpcError } from "./errors.js";
import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from "./rpc-codes.js";
import { invalidity } from "./faults.js";
import { gate, type Snapshot } from "./gate.js";
import type { DegradePolicy } from "./policy.js";
import type { Cite, Direction, Validators, Wire } from "./protocol.js";
import type { TranslationReport } from "./report.js";

/** What a handler knows of the message beside its params; a notification has no id. */
export interface Call {
  readonly method: string;
  readonly id?: RequestId;
  readonly wire: Wire;
}

/** Serves one method: takes canonical params, gives the canonical result or a promise of it. Throws `RpcError` to answer with an error. */
export type Handler = (params: unknown, call: Call) => unknown;

/** What happened that no answer tells. */
export type DispatchEvent =
  | { readonly event: "response"; readonly message: Wire }
  | { readonly event: "dropped"; readonly method: string | undefined; readonly because: string; readonly cite?: Cite | undefined }
  | { readonly event: "failed"; readonly method: string; readonly error: unknown };

/** What answers the messages of one peer. */
export interface DispatchOptions {
  readonly codec: Codec;
  /** The direction in which the messages come. */
  readonly direction: Direction;
  /** Handlers by method; own keys only. */
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly validators: Validators;
  /** Gives what the gates read for a message, where that is more than the capabilities the codec was negotiated with. */
  readonly snapshot?: (method: string, params: unknown) => Snapshot;
  /** Tells whether the peers have shaken hands; asked only where the revision has a handshake. They have, where nobody can tell. */
  readonly isOpen?: () => boolean;
  readonly policy?: DegradePolicy;
  readonly report?: TranslationReport;
  readonly observe?: (event: DispatchEvent) => void;
}

/** Is what goes back: one message, those of a batch, or nothing. */
export type Answer = Wire | readonly Wire[] | undefined;

type Asked = Exclude<MessageHead, { readonly kind: "response" }>;

/** Why a message is not served, and with what a request is answered. */
interface Refusal {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly cite?: Cite | undefined;
}

/** Answers the messages of one peer; a notification is never answered, and what is not served of them is observed. */
export class Dispatcher {
  readonly #options: DispatchOptions;

  constructor(options: DispatchOptions) {
    this.#options = options;
  }

  /** Answers one line of text; rejects where a handler gave what JSON cannot write. */
  async text(text: string): Promise<string | undefined> {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return JSON.stringify(this.#error(undefined, undefined, { code: PARSE_ERROR, message: "cannot parse the message: it is not JSON" }));
    }
    const answer = await this.message(message);
    return answer === undefined ? undefined : JSON.stringify(answer);
  }

  /** Answers one message or batch; rejects only where `observe`, `isOpen` or `snapshot` throws. */
  async message(message: unknown): Promise<Answer> {
    const { codec, report } = this.#options;
    try {
      const messages = splitBatch(codec.profile, message, report);
      if (!Array.isArray(message)) return await this.#one(message);
      return joinBatch(await Promise.all(messages.map((entry) => this.#one(entry))));
    } catch (error) {
      return this.#unreadable(error, message);
    }
  }

  async #one(message: unknown): Promise<Wire | undefined> {
    try {
      const head = readHead(message);
      if (head.kind !== "response") return await this.#call(head);
      this.#observe({ event: "response", message: head.wire });
    } catch (error) {
      return this.#unreadable(error, message);
    }
  }

  async #call(head: Asked): Promise<Wire | undefined> {
    const { codec, handlers, report } = this.#options;
    const { method } = head;
    const refusal = this.#early(head) ?? this.#gated(head);
    if (refusal !== undefined) return this.#refuse(head, refusal);
    const handler = Object.hasOwn(handlers, method) ? handlers[method] : undefined;
    if (handler === undefined) return this.#refuse(head, { code: METHOD_NOT_FOUND, message: `cannot call ${method}: nothing handles it` });
    try {
      const envelope = liftEnvelope(codec, head.wire, undefined, report);
      const params = "params" in envelope ? envelope.params : undefined;
      const invalid = this.#invalid(method, params);
      if (invalid !== undefined) return this.#refuse(head, invalid);
      const call = { method, wire: envelope.wire, ...(head.kind === "request" ? { id: head.id } : {}) };
      return await this.#serve(head, params, () => handler(params, call));
    } catch (error) {
      if (!isEnvelopeError(error)) throw error;
      return this.#refuse(head, { code: error.rpcCode, message: error.message });
    }
  }

  /** Only requests have to wait for the handshake. */
  #early({ kind, method }: Asked): Refusal | undefined {
    const { codec, direction, isOpen } = this.#options;
    const { handshake } = codec.profile.tables;
    if (kind === "notification" || handshake === undefined || !codec.profile.isEnabled(handshake.feature)) return undefined;
    if (handshake.before[direction].includes(method) || isOpen === undefined || isOpen()) return undefined;
    return { code: INVALID_REQUEST, message: `cannot call ${method}: not before the handshake` };
  }

  #gated({ method, wire }: Asked): Refusal | undefined {
    const { codec, direction, snapshot } = this.#options;
    const unknown = { code: METHOD_NOT_FOUND, message: `cannot call ${method}: ${codec.version} has no such method` };
    if (codec.method(method)?.embedded !== false) return unknown;
    const params = wire["params"];
    const outcome = gate(codec.profile.tables, codec.version, method, direction, snapshot?.(method, params) ?? codec.capabilities, params);
    if (outcome.outcome === "unknown") return unknown;
    if (outcome.outcome !== "denied") return undefined;
    const { code = METHOD_NOT_FOUND, data, because, cite } = outcome;
    return { code, message: `cannot call ${method}: ${because}`, cite, ...(data === undefined ? {} : { data }) };
  }

  #invalid(method: string, params: unknown): Refusal | undefined {
    const { codec, validators } = this.#options;
    if (params === undefined && codec.method(method)?.params.optional === true) return undefined;
    const validate = validators.get(method)?.params;
    const fault = validate && invalidity(validate, params);
    if (fault === undefined) return undefined;
    const { path, message } = fault;
    return { code: INVALID_PARAMS, message: `cannot call ${method}: ${path || "the params"} ${message}`, data: { path } };
  }

  async #serve(head: Asked, params: unknown, ask: () => unknown): Promise<Wire | undefined> {
    const { codec, policy, report } = this.#options;
    try {
      const result = await ask();
      if (head.kind === "notification") return undefined;
      return { jsonrpc: "2.0", id: head.id, result: codec.lower(head.method, "result", result ?? {}, policy, report) };
    } catch (error) {
      if (head.kind === "request" && isRpcError(error)) return this.#answered(head, params, error);
      return this.#failed(head, error);
    }
  }

  /** Writes a handler's own error with the codes of the peer's revision. */
  #answered(
    head: Asked & { readonly kind: "request" },
    params: unknown,
    error: { rpcCode: number; message: string; data: unknown; revision: string | undefined },
  ): Wire {
    const { rpcCode: code, message, data, revision } = error;
    try {
      return this.#error(head.id, head.method, { code, message, data }, { params, ...(revision === undefined ? {} : { from: revision }) });
    } catch (refused) {
      return this.#failed(head, refused) as Wire;
    }
  }

  /** What went wrong on this side is the peer's business only where it is about what can be written for it. */
  #failed(head: Asked, error: unknown): Wire | undefined {
    this.#observe({ event: "failed", method: head.method, error });
    if (head.kind === "notification") return undefined;
    const { feature, path, cite } = isLowerError(error) ? error : {};
    const data =
      path === undefined ? undefined : { path, ...(feature === undefined ? {} : { feature }), ...(cite === undefined ? {} : { cite }) };
    return this.#error(head.id, head.method, { code: INTERNAL_ERROR, message: "internal error", data });
  }

  #refuse(head: Asked, refusal: Refusal): Wire | undefined {
    if (head.kind === "request") return this.#error(head.id, head.method, refusal);
    this.#observe({ event: "dropped", method: head.method, because: refusal.message, cite: refusal.cite });
    return undefined;
  }

  /** A broken response is no question: to answer it would start a quarrel. */
  #unreadable(error: unknown, message: unknown): Wire | undefined {
    if (!isEnvelopeError(error)) throw error;
    if (kindOf(message) !== "response") return this.#error(error.id, undefined, { code: error.rpcCode, message: error.message });
    this.#observe({ event: "dropped", method: undefined, because: error.message, cite: error.cite });
    return undefined;
  }

  #error(
    id: RequestId | undefined,
    method: string | undefined,
    { code, message, data }: Refusal,
    journey: { readonly from?: string; readonly params?: unknown } = {},
  ): Wire {
    const { codec, policy, report } = this.#options;
    const error = { code, message, ...(data === undefined ? {} : { data }) };
    const wire = { jsonrpc: "2.0", ...(id === undefined ? {} : { id }), error };
    return lowerEnvelope(codec, { kind: "error", id, method, error, wire, ...journey }, policy, report);
  }

  #observe(event: DispatchEvent): void {
    this.#options.observe?.(event);
  }
}
