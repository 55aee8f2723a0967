// What a legacy session wants to hear of a modern server: one stream at a time, opened anew whenever the wish changes, the new one before the old one
// ends. After a gap the client is told to look again, since it cannot know that it missed something.

import type { Codec } from "../codec.js";
import type { Wire } from "../protocol.js";
import { INVALID_PARAMS } from "../rpc-codes.js";
import { delay, within } from "../waiting.js";
import { FOREVER } from "./upstream-call.js";
import { isBridgeError, Refusal } from "./errors.js";
import type { Account } from "./events.js";
import { messageOf } from "./legacy-session.js";
import type { ModernServer } from "./modern-server.js";
import type { BridgeOptions } from "./options.js";
import { errorOf } from "./answers.js";
import { readError } from "./refusal.js";
import {
  afterGap,
  BACKOFF,
  backoffMs,
  honouredOf,
  isIdle,
  NO_WATCH,
  Overlap,
  PendingChanges,
  planSwitch,
  unsubscribed,
  watchable,
  type Watch,
} from "./watching.js";

/** What a subscription is given. */
export interface SubscriptionRoom {
  readonly server: ModernServer;
  /** Gives the codec of the server's hop as it is now. */
  readonly codec: () => Promise<Codec>;
  /** What the server advertised. */
  readonly advertised: unknown;
  /** Hands a notification to the client; false where it has no stream for it now. */
  readonly push: (notification: Wire) => boolean;
  readonly options: BridgeOptions;
  readonly account: Account;
}

/** One stream, from its request to its end. */
interface Stream {
  readonly wanted: Watch;
  readonly controller: AbortController;
  /** What the server took up; undefined before it said so. */
  honoured: Watch | undefined;
}

/** Milliseconds in which changes of the wish are gathered into one new stream. */
const GATHER = 20;
/** Milliseconds after the first of two notifications in which a stream and its successor may say the same. */
const OVERLAP = 2_000;
/** Milliseconds for which a client that has just begun is held up until the server listens. */
const HOLD = 250;

/** Keeps one session's subscription. */
export class Subscription {
  readonly #room: SubscriptionRoom;
  readonly #uris = new Set<string>();
  readonly #unheard: PendingChanges;
  readonly #overlap = new Overlap(OVERLAP);
  #stream: Stream | undefined;
  #settling: Promise<void> | undefined;
  #isStarted = false;
  #isClosed = false;
  /** Counts the changes of the wish, so that one that came while a stream was opened is not lost. */
  #wishes = 0;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;

  constructor(room: SubscriptionRoom) {
    this.#room = room;
    this.#unheard = new PendingChanges(room.options.limits.watched);
  }

  /** Begins to listen, where the server has lists whose changes it tells; waits for it a little. */
  async start(): Promise<void> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (isIdle(this.#wish())) return;
    const settled = this.#settle().catch((error: unknown) => this.#lost(error));
    // What a client asks for next may change something already; but a server that says nothing does not hold it up.
    await within(settled, HOLD);
  }

  /** Watches a resource; rejects with a `Refusal` where the server does not take it up, and with `Unreachable`. */
  async watch(uri: unknown): Promise<void> {
    if (typeof uri !== "string") throw new Refusal(errorOf(INVALID_PARAMS, "cannot watch a resource: its uri is not a string"));
    const { watched } = this.#room.options.limits;
    if (this.#uris.size >= watched && !this.#uris.has(uri)) {
      throw Refusal.of({ kind: "limit", message: `cannot watch ${uri}: ${watched} resources are watched already` });
    }
    this.#uris.add(uri);
    try {
      await this.#settle();
    } catch (error) {
      this.#uris.delete(uri);
      throw error;
    }
    if (this.#stream?.honoured?.uris.has(uri) === true) return;
    this.#uris.delete(uri);
    throw new Refusal(errorOf(INVALID_PARAMS, `cannot watch ${uri}: the server does not take it up`));
  }

  /** Watches a resource no longer; one that was not watched is no fault. */
  async unwatch(uri: unknown): Promise<void> {
    if (typeof uri === "string" && this.#uris.delete(uri)) await this.#settle();
  }

  /** Gives the client what it could not hear before. */
  hears(): void {
    for (const frame of this.#unheard.drain()) this.#hand(frame);
  }

  /** Ends it. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#stream?.controller.abort();
  }

  #wish(): Watch {
    if (!this.#room.server.known.takesSubscriptions) return NO_WATCH;
    return watchable(this.#room.server.revision, this.#room.advertised, this.#uris, this.#isStarted ? undefined : []);
  }

  /** Brings the stream to what is wished for; those who wish for something meanwhile wait for the same end. */
  #settle(): Promise<void> {
    this.#wishes += 1;
    this.#settling ??= this.#settleAll().finally(() => (this.#settling = undefined));
    return this.#settling;
  }

  async #settleAll(): Promise<void> {
    let seen: number;
    do {
      await delay(GATHER);
      seen = this.#wishes;
      await this.#open(this.#wish());
    } while (seen !== this.#wishes && !this.#isClosed);
  }

  async #open(wanted: Watch): Promise<void> {
    const old = this.#stream;
    const plan = planSwitch(old?.wanted, wanted);
    if (this.#isClosed || plan.kind === "keep") return;
    clearTimeout(this.#retry);
    if (plan.kind === "open") {
      const stream: Stream = { wanted, controller: new AbortController(), honoured: undefined };
      try {
        await this.#acknowledged(stream, plan.filter);
      } catch (error) {
        stream.controller.abort();
        throw error;
      }
      this.#stream = stream;
    } else this.#stream = undefined;
    old?.controller.abort();
  }

  /** Opens a stream and waits until the server said what it took up. */
  async #acknowledged(stream: Stream, notifications: Wire): Promise<void> {
    const { server, options } = this.#room;
    const codec = await this.#room.codec();
    const params = codec.lower("subscriptions/listen", "params", { notifications }, options.policy);
    const { acknowledge } = options.timeouts;
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(unanswered(`no acknowledgement within ${acknowledge} ms`)), acknowledge);
      const call = server.start({
        request: { jsonrpc: "2.0", method: "subscriptions/listen", params },
        signal: stream.controller.signal,
        timeout: FOREVER,
        onFrame: (frame) => {
          if (this.#take(frame, stream)) resolve();
        },
      });
      const ended = (answer: Wire | undefined, error?: unknown): void => {
        clearTimeout(late);
        reject(refusalOf(answer) ?? (isBridgeError(error) ? error : unanswered("the stream ended before it was acknowledged")));
        this.#ended(stream, answer !== undefined);
      };
      call.answer.then(
        (answer) => ended(answer),
        (error: unknown) => ended(undefined, error),
      );
      stream.controller.signal.addEventListener("abort", () => clearTimeout(late), { once: true });
    });
  }

  /** Takes a frame of a stream; true where it is the acknowledgement. */
  #take(frame: Wire, stream: Stream): boolean {
    const plain = unsubscribed(frame);
    if (plain === undefined) {
      stream.honoured = honouredOf(frame["params"]);
      return true;
    }
    if (frame["method"] === "notifications/cancelled") {
      // One of the ways in which servers say that a stream is over.
      this.#ended(stream, true);
      stream.controller.abort();
    } else if (this.#overlap.isNew(frame, stream, this.#room.options.now())) this.#hand(plain);
    return false;
  }

  #hand(frame: Wire): void {
    if (this.#room.push(frame) || this.#unheard.add(frame)) return;
    this.#room.account.tell({
      event: "dropped",
      hop: "upstream",
      method: String(frame["method"]),
      because: "the client has no stream for it",
    });
  }

  #ended(stream: Stream, isGraceful: boolean): void {
    if (this.#stream !== stream || this.#isClosed) return;
    this.#stream = undefined;
    this.#retryLater(isGraceful);
  }

  #retryLater(graceful: boolean): void {
    const delay = backoffMs(this.#failures, this.#room.options.random(), { ...BACKOFF, graceful });
    this.#failures += 1;
    this.#retry = setTimeout(() => void this.#again(), delay);
    this.#retry.unref();
  }

  /** Opens a stream after a gap, in which anything may have happened. */
  async #again(): Promise<void> {
    try {
      await this.#settle();
    } catch (error) {
      return this.#lost(error);
    }
    this.#failures = 0;
    this.#room.account.tell({ event: "reconnected", because: "the stream of notifications had ended" });
    for (const frame of afterGap(this.#honoured())) {
      this.#room.account.tell({
        event: "made-up",
        method: String(frame["method"]),
        because: "it may have been missed while there was no stream",
      });
      this.#hand(frame);
    }
  }

  #honoured(): Watch {
    return this.#stream?.honoured ?? NO_WATCH;
  }

  /** A server that has no subscriptions, or none for now, is one whose session goes on without. */
  #lost(error: unknown): void {
    this.#room.account.tell({ event: "dropped", hop: "upstream", method: "subscriptions/listen", because: messageOf(error) });
    if (!this.#isClosed && !(error instanceof Refusal)) this.#retryLater(false);
  }
}

function unanswered(why: string): Refusal {
  return Refusal.of({ kind: "upstream-violation", message: `cannot subscribe: ${why}`, retry: "same" });
}

function refusalOf(answer: Wire | undefined): Refusal | undefined {
  const error = answer === undefined ? undefined : readError(answer);
  if (error === undefined) return undefined;
  return new Refusal(
    errorOf(typeof error.code === "number" ? error.code : INVALID_PARAMS, `cannot subscribe: ${String(error.message)}`, error.data),
  );
}
