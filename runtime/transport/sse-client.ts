// Talks to a server over HTTP+SSE, the transport of revision 2024-11-05: a GET opens the one stream on which everything comes, whose first event says
// where messages are posted. https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse

import { Close, Unreachable, type Peer, type SendOptions } from "../bridge/peer.js";
import type { RequestId } from "../envelope.js";
import type { Wire } from "../protocol.js";
import { Stopper } from "../stop.js";
import { readEvents, type StreamEvent } from "./event-stream.js";
import { shown, type Observe } from "./events.js";
import { Exchange } from "./exchange.js";
import { foreignOrigin } from "./http-headers.js";
import type { HttpWire, Incoming, WireOptions } from "./http-wire.js";
import { stringifyMessage } from "./json.js";
import { MAX_LINE_BYTES, readJson } from "./lines.js";
import { readRefusal } from "./refusal.js";
import { bounded } from "../waiting.js";

/** How long to be patient with a server, and how much to take from it. */
export interface SsePeerOptions extends WireOptions {
  readonly observe?: Observe | undefined;
  /** The longest message that is read: 64 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Where to post messages, whatever the server says: for one that names an address of its own network. */
  readonly messageUrl?: string | URL | undefined;
  /** How long the server may take to say where messages are posted: 15 seconds. */
  readonly endpointMs?: number | undefined;
  /** How long the delivery of a message may take: 30 seconds. */
  readonly notifyMs?: number | undefined;
  /** How long `close` waits for answers in flight: a second. */
  readonly drainMs?: number | undefined;
}

/** Opens the stream and waits for the address of messages; rejects with `Unreachable`. The wire is closed with the peer, or where there is none. */
export async function connectSse(url: URL, wire: HttpWire, options: SsePeerOptions): Promise<Peer> {
  const gone = new Stopper();
  const { endpointMs = 15_000 } = options;
  const late = (): Unreachable => {
    return wire.unreachable(`it does not say within ${endpointMs} milliseconds where messages are posted`, { delivered: "no" });
  };
  try {
    return await bounded(endpointMs, gone.signal, late, async (signal) => {
      const stop = (): void => gone.abort(signal.reason);
      signal.addEventListener("abort", stop, { once: true });
      try {
        const own = { accept: "text/event-stream" };
        const response = await wire.send({ method: "GET", url, own, signal: gone.signal, lane: "control" });
        if (response.status !== 200 || !response.isEventStream) throw await refusedStream(wire, response);
        const peer = new SsePeer(url, wire, options, response, gone);
        await peer.ready;
        return peer;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    });
  } catch (error) {
    gone.abort();
    await wire.close();
    throw wire.failure(error);
  }
}

async function refusedStream(wire: HttpWire, response: Incoming): Promise<Unreachable> {
  const { status } = response;
  if (status >= 200 && status < 300) {
    wire.dump(response.body);
    return wire.unreachable(`it answers with no stream of events (status ${status})`, { status, delivered: "no" });
  }
  const body = await wire.readRefusal(response);
  const challenge = response.header("www-authenticate");
  return wire.unreachable(`it answers with status ${status}`, { status, body, challenge, delivered: "no" });
}

class SsePeer implements Peer {
  readonly transport = "legacy-sse";
  readonly closed: Promise<Error>;
  /** Resolves once messages can be posted; rejects with `Unreachable`. */
  readonly ready: Promise<void>;
  readonly #url: URL;
  readonly #wire: HttpWire;
  readonly #options: SsePeerOptions;
  readonly #observe: Observe;
  readonly #exchange: Exchange;
  readonly #gone: Stopper;
  #target: URL | undefined;
  /** Where messages may be posted instead, as long as none has arrived. */
  #fallback: URL | undefined;
  #setReady: (failure?: Unreachable) => void = () => {};
  #closing: Promise<void> | undefined;

  constructor(url: URL, wire: HttpWire, options: SsePeerOptions, stream: Incoming, gone: Stopper) {
    this.#url = url;
    this.#wire = wire;
    this.#options = options;
    this.#observe = options.observe ?? (() => {});
    this.#exchange = new Exchange(wire.name, this.#observe);
    this.#gone = gone;
    this.closed = this.#exchange.closed;
    void this.closed.then(() => {
      this.#gone.abort();
      return this.#wire.close();
    });
    this.ready = new Promise((resolve, reject) => {
      this.#setReady = (failure) => (failure === undefined ? resolve() : reject(failure));
    });
    void this.#read(stream);
  }

  async send(request: Wire, options: SendOptions = {}): Promise<Wire> {
    const call = this.#exchange.begin(request, options.signal);
    if (call.outcome === undefined) {
      const posted = this.#post(request, options.headers, call.id, () => {
        call.hasLeft = true;
      });
      void posted.then(
        (answer) => {
          if (answer !== undefined) call.resolve(answer);
        },
        (error: unknown) => call.reject(this.#wire.failure(error)),
      );
    }
    return call.answer;
  }

  async notify(message: Wire, { headers }: Pick<SendOptions, "headers"> = {}): Promise<void> {
    if (this.#exchange.refusal !== undefined) throw this.#exchange.refusal;
    this.#exchange.noted();
    await this.#post(message, headers);
  }

  takePending(): readonly Wire[] {
    return this.#exchange.pending.take();
  }

  waitPending(): Promise<void> {
    return this.#exchange.pending.wait();
  }

  /** Does nothing: the one stream is open. */
  async listen(): Promise<void> {}

  /** Does nothing: no message names the revision here. */
  agree(): void {}

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#exchange.refuse("the conversation was closed");
    await this.#exchange.idle(this.#options.drainMs ?? 1000);
    this.#exchange.end(new Close("the conversation was closed"));
    this.#gone.abort();
    await this.#wire.close();
  }

  /** Posts a message; gives the error that the response says in answer to it, if any. */
  async #post(message: Wire, headers: SendOptions["headers"], id?: RequestId, onLeaving?: () => void): Promise<Wire | undefined> {
    const { notifyMs = 30_000 } = this.#options;
    const late = (): Unreachable => this.#exchange.unreachable(`it does not take the message within ${notifyMs} milliseconds`);
    try {
      const body = stringifyMessage(message);
      onLeaving?.();
      return await bounded(notifyMs, this.#gone.signal, late, async (signal) => {
        for (;;) {
          const url = this.#target ?? this.#url;
          const own = { accept: "application/json, text/event-stream", "content-type": "application/json" };
          const response = await this.#wire.send({ method: "POST", url, message: headers, own, body, signal, lane: "control" });
          if (response.status >= 200 && response.status < 300) {
            this.#fallback = undefined;
            this.#wire.dump(response.body);
            return undefined;
          }
          const text = await this.#wire.readRefusal(response);
          if (response.status === 404 && this.#fallback !== undefined) {
            // It did not read the message. A server behind a prefix that it does not know names a path without it.
            [this.#target, this.#fallback] = [this.#fallback, undefined];
            continue;
          }
          const challenge = response.header("www-authenticate");
          const refusal = readRefusal({ status: response.status, body: text, challenge, hadSession: this.#fallback === undefined }, id);
          if (refusal.answer !== undefined) return refusal.answer;
          const failure = this.#exchange.unreachable(refusal.reason, refusal.fault);
          if (refusal.fault.sessionGone === true) this.#exchange.retire(failure, true);
          throw failure;
        }
      });
    } catch (error) {
      if (error instanceof TypeError) {
        throw this.#exchange.unreachable("the message cannot be written as JSON", { delivered: "no", cause: error });
      }
      throw this.#wire.failure(error);
    }
  }

  async #read(stream: Incoming): Promise<void> {
    const { maxMessageBytes = MAX_LINE_BYTES } = this.#options;
    let reason = "its stream ended";
    let cause: unknown;
    try {
      await readEvents(
        stream.body,
        {
          onEvent: (event) => this.#take(event),
          // The session ends with the stream; there is nothing to come back to.
          onRetry: () => {},
          onDropped: (length, { kind, id }) => {
            const tooLong = `its answer has more than the ${maxMessageBytes} bytes allowed`;
            const failed = this.#exchange.dropped(kind === "response" ? id : undefined, tooLong);
            this.#observe({ event: "dropped", because: "too-long", bytes: length, id: failed });
          },
        },
        maxMessageBytes,
      );
    } catch (error) {
      reason = "its stream broke";
      cause = error;
    }
    const failure = this.#exchange.unreachable(reason, { cause });
    const unready = `${reason} before it said where messages are posted`;
    this.#setReady(cause instanceof Unreachable ? cause : this.#exchange.unreachable(unready, { delivered: "no", cause }));
    this.#exchange.end(failure);
  }

  #take({ name, data }: StreamEvent): void {
    if (name === "endpoint" && this.#target === undefined) {
      this.#setReady(this.#aim(data.trim()));
      return;
    }
    if (data.trim() === "") return;
    const message = name === "message" ? readJson(data) : undefined;
    if (typeof message === "object" && message !== null) this.#exchange.accept(message, data.length);
    // An address holds the session.
    else this.#observe({ event: "noise", text: name === "endpoint" ? "another address for messages" : shown(data) });
  }

  /** Takes the address of messages; gives the failure where it may not be used. */
  #aim(reference: string): Unreachable | undefined {
    if (this.#options.messageUrl !== undefined) {
      this.#target = new URL(this.#options.messageUrl, this.#url);
      return undefined;
    }
    if (!URL.canParse(reference, this.#url.href)) {
      return this.#exchange.unreachable("the address it gives for messages is no URL", { delivered: "no" });
    }
    const target = new URL(reference, this.#url);
    const foreign = foreignOrigin(target, this.#url);
    if (foreign !== undefined) {
      return this.#exchange.unreachable(`it wants messages posted at ${foreign}: configure the address for messages`, { delivered: "no" });
    }
    this.#target = target;
    const prefix = this.#url.pathname.replace(/\/[^/]*$/, "");
    if (/^\/(?!\/)/.test(reference) && prefix !== "" && !target.pathname.startsWith(`${prefix}/`)) {
      this.#fallback = new URL(`${prefix}${target.pathname}${target.search}`, this.#url);
    }
    return undefined;
  }
}
