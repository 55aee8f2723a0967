// A legacy server behind a legacy session: one conversation with the server for each one with a client. Both shake hands, each at its own revision;
// after that everything goes through, field by field, with ids and progress tokens of the bridge's own on either side.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { readHead, type RequestId } from "../envelope.js";
import { isEnvelopeError } from "../errors.js";
import type { Direction, Wire } from "../protocol.js";
import { TranslationReport } from "../report.js";
import { crossAnswer, crossCall, type Agreement } from "./agreement.js";
import { isTold } from "./bridge.js";
import { isBridgeError } from "./errors.js";
import type { Flow } from "./flow.js";
import { messageOf, tell, type Backend, type ClientSide } from "./legacy-session.js";
import type { BridgeOptions } from "./options.js";
import { withId, withMeta } from "./payload.js";
import type { Peer, Sink } from "./peer.js";
import { whyUnanswered } from "./questions.js";
import { errorAnswer, errorOf } from "./answers.js";
import { errorFor } from "./refusal.js";
import { ProgressLine, ProgressTokens, progressTokenOf } from "./tokens.js";
import { cancellationOf, drain, pump, startCall, type UpstreamCall } from "./upstream-call.js";
import { PendingChanges } from "./watching.js";
import { INTERNAL_ERROR, INVALID_REQUEST } from "../rpc-codes.js";

/** What a relay is made of, once both handshakes are done. */
export interface Relayed {
  readonly agreement: Agreement;
  readonly peer: Peer;
  readonly welcome: Wire;
}

/** Carries one session to a server of the same era. https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle */
export class RelayBackend implements Backend {
  readonly downstream: Codec;
  readonly upstream: Codec;
  readonly welcome: Wire;
  readonly #agreement: Agreement;
  readonly #peer: Peer;
  readonly #client: ClientSide;
  readonly #options: BridgeOptions;
  readonly #tokens = new ProgressTokens<RelayedCall>();
  readonly #unheard: PendingChanges;
  /** The server's questions under way, by the ids it gave them. */
  readonly #asked = new Map<RequestId, AbortController>();
  #lastId: number;
  #isClosed = false;

  /** `lastId` is the last id the handshake used on the server's hop. */
  constructor({ agreement, peer, welcome }: Relayed, client: ClientSide, options: BridgeOptions, lastId: number) {
    this.downstream = agreement.downstream;
    this.upstream = agreement.upstream;
    this.welcome = welcome;
    this.#agreement = agreement;
    this.#peer = peer;
    this.#client = client;
    this.#options = options;
    this.#lastId = lastId;
    this.#unheard = new PendingChanges(options.limits.watched);
    void pump(peer, (frame) => this.#heard(frame, undefined));
    void peer.closed.then((reason) => {
      if (!this.#isClosed) client.link.end(`the server is gone: ${reason.message}`);
    });
  }

  async call(flow: Flow): Promise<Wire> {
    const { message, method } = flow;
    const steps = new TranslationReport();
    const token = progressTokenOf(message["params"]);
    const call: RelayedCall = { flow, line: token === undefined ? undefined : new ProgressLine(token) };
    const minted = call.line === undefined ? undefined : this.#tokens.mint(call);
    try {
      const edit = minted === undefined ? undefined : (params: unknown) => withMeta(params, "progressToken", minted);
      const { outbound, asking } = crossCall(this.#agreement, message, "clientToServer", edit, steps);
      this.#tellSteps(method, "clientToServer", "params", steps);
      this.#lastId += 1;
      const id = this.#lastId;
      call.under = startCall(this.#peer, withId(outbound, id), {
        signal: flow.signal,
        timeout: this.#options.timeouts.call,
        onFrame: (frame) => void this.#heard(frame, flow),
        onEnd: (why) => void this.#cancelUpstream(id, why === "late" ? "no answer in time" : flow.reason),
      });
      const answer = await call.under.answer;
      await drain(this.#peer, (frame) => this.#heard(frame, undefined));
      const back = new TranslationReport();
      const reply = crossAnswer(this.#agreement, answer, { method, params: asking.params }, "clientToServer", undefined, back);
      this.#tellSteps(method, "serverToClient", "error" in answer ? "error" : "result", back);
      return withId(reply, flow.id, message);
    } finally {
      if (minted !== undefined) this.#tokens.end(minted);
    }
  }

  async #cancelUpstream(id: number, reason: string | undefined): Promise<void> {
    await this.#peer.notify(cancellationOf(id, reason)).catch((error: unknown) => this.#drop("upstream", "notifications/cancelled", error));
  }

  async notify(message: Wire): Promise<void> {
    const steps = new TranslationReport();
    const { outbound, asking } = crossCall(this.#agreement, message, "clientToServer", undefined, steps);
    this.#tellSteps(asking.method, "clientToServer", "params", steps);
    await this.#peer.notify(outbound);
    if (asking.method === "notifications/initialized") await this.#listen();
  }

  /** A server need not have such a stream, and the session goes on without one. */
  async #listen(): Promise<void> {
    await this.#peer.listen().catch((error: unknown) => this.#drop("upstream", undefined, error));
  }

  hears(): void {
    for (const frame of this.#unheard.drain()) this.#client.link.push(frame);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const controller of this.#asked.values()) controller.abort();
    await this.#peer.close();
  }

  /** Takes a frame of the server's: on the stream of a request, or beside all of them. */
  #heard(frame: Wire, flow: Flow | undefined): Promise<void> | void {
    try {
      const head = readHead(frame);
      if (head.kind === "response") return this.#drop("upstream", undefined, "it answers nothing that was asked");
      if (head.kind === "request") return void this.#question(head.id, head.method, frame, flow);
      return this.#told(head.method, frame, flow);
    } catch (error) {
      if (!isEnvelopeError(error)) throw error;
      this.#drop("upstream", undefined, error);
    }
  }

  #told(method: string, frame: Wire, flow: Flow | undefined): Promise<void> | void {
    const { params } = frame;
    if (method === "notifications/cancelled") {
      const id = isWire(params) ? params["requestId"] : undefined;
      const question = this.#asked.get(id as RequestId);
      if (question === undefined) return this.#drop("upstream", method, "nothing in flight has its id");
      question.abort();
      return undefined;
    }
    if (method === "notifications/progress") return this.#progressed(frame);
    return this.#give(method, frame, flow?.sink);
  }

  #progressed(frame: Wire): Promise<void> | void {
    const params = isWire(frame["params"]) ? frame["params"] : {};
    const call = this.#tokens.find(params["progressToken"]);
    if (call === undefined) return this.#drop("upstream", "notifications/progress", "nobody asked for it");
    call.under?.rest();
    const forward = call.line?.forward(params);
    if (forward === undefined) return this.#drop("upstream", "notifications/progress", "it gets no further than the last");
    return this.#give("notifications/progress", { ...frame, params: forward }, call.flow.sink);
  }

  #give(method: string, frame: Wire, sink: Sink | undefined): Promise<void> | void {
    const outbound = this.#crossDown(method, frame);
    if (outbound === undefined) return undefined;
    // What a server logs is most likely of the request it works at; that comes before its answer only on the same stream.
    const written = tell(this.#client, outbound, sink ?? (method === "notifications/message" ? this.#streamFor(undefined) : undefined));
    if (written !== false) return written;
    if (this.#unheard.add(outbound)) return undefined;
    const only = sink === undefined ? this.#streamFor(undefined) : undefined;
    if (only !== undefined) return only.write(outbound);
    this.#drop("upstream", method, "the client has no stream for it");
  }

  #crossDown(method: string, frame: Wire): Wire | undefined {
    const steps = new TranslationReport();
    try {
      const { outbound } = crossCall(this.#agreement, frame, "serverToClient", undefined, steps);
      this.#tellSteps(method, "serverToClient", "params", steps);
      return outbound;
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      this.#drop("upstream", method, error);
      return undefined;
    }
  }

  /** Answers a question of the server's, by asking the client where that is the only one who knows. */
  async #question(id: RequestId, method: string, frame: Wire, flow: Flow | undefined): Promise<void> {
    const answer = await this.#answerTo(id, method, frame, flow);
    if (answer === undefined) return;
    await this.#peer.notify(withId(answer, id, frame)).catch((error: unknown) => this.#drop("upstream", method, error));
  }

  async #answerTo(id: RequestId, method: string, frame: Wire, flow: Flow | undefined): Promise<Wire | undefined> {
    if (method === "ping") return { jsonrpc: "2.0", id, result: {} };
    if (this.#asked.has(id)) return errorAnswer(id, errorOf(INVALID_REQUEST, `cannot ask ${method}: a question with its id is open`));
    const controller = new AbortController();
    this.#asked.set(id, controller);
    try {
      const steps = new TranslationReport();
      const { outbound, asking } = crossCall(this.#agreement, frame, "serverToClient", undefined, steps);
      this.#tellSteps(method, "serverToClient", "params", steps);
      const { jsonrpc: _, id: __, method: ___, params, ...beside } = outbound;
      const to = this.#streamFor(flow);
      const answered = await this.#client.questions.ask({ method, params, to, signal: controller.signal, beside });
      if (answered.end === "withdrawn") return undefined;
      if (answered.end !== "answered") {
        return errorAnswer(id, errorOf(INTERNAL_ERROR, `cannot ask the client for ${method}: ${whyUnanswered(answered.end)}`));
      }
      const back = new TranslationReport();
      const asked = { method, params: asking.params };
      const reply = crossAnswer(this.#agreement, answered.response, asked, "serverToClient", undefined, back);
      this.#tellSteps(method, "clientToServer", "error" in reply ? "error" : "result", back);
      return reply;
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      const written = errorFor(error, method, { from: this.upstream, to: this.downstream });
      this.#client.account.tell({ event: "refused", method, code: Number(written["code"]), because: messageOf(error) });
      return errorAnswer(id, written);
    } finally {
      this.#asked.delete(id);
    }
  }

  /**
   * Finds where a question goes: on the stream of the request it came with; else on the stream of the only request in flight, since a client that
   * waits for an answer may read nothing else; else beside all of them.
   */
  #streamFor(flow: Flow | undefined): Sink | undefined {
    if (flow !== undefined) return flow.sink;
    if (this.#client.link.transport !== "streamable-http") return undefined;
    return this.#client.flows.only((one) => one.sink.canStream)?.sink;
  }

  #tellSteps(method: string, direction: Direction, part: "params" | "result" | "error", { steps }: TranslationReport): void {
    const [from, to] = direction === "clientToServer" ? [this.downstream, this.upstream] : [this.upstream, this.downstream];
    for (const step of steps) {
      if (isTold(step))
        this.#client.account.tell({ event: "translated", method, direction, part, from: from.version, to: to.version, step });
    }
  }

  #drop(hop: "downstream" | "upstream", method: string | undefined, because: unknown): void {
    this.#client.account.tell({ event: "dropped", hop, method, because: messageOf(because) });
  }
}

/** A call under way, as progress finds it. */
interface RelayedCall {
  readonly flow: Flow;
  readonly line: ProgressLine | undefined;
  under?: UpstreamCall;
}
