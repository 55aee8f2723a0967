// What a legacy session wants to hear of a modern server: one stream at a time, opened anew whenever the wish changes, the new one before the old one
// ends. After a gap the client is told to look again, since it cannot know that it missed something.

import { isWire } from "../capabilities.js";
import type { Codec } from "../codec.js";
import { Feature } from "../mcp.js";
import type { FeatureProfile } from "../profile.js";
import type { Wire } from "../protocol.js";
import { INVALID_PARAMS } from "../rpc-codes.js";
import { isBridgeError, Refusal } from "./errors.js";
import type { Account } from "./events.js";
import { messageOf } from "./legacy-session.js";
import { META } from "./meta.js";
import type { ModernServer } from "./modern-server.js";
import type { BridgeOptions } from "./options.js";
import { withMeta } from "./payload.js";
import { errorOf } from "./answers.js";
import { readError } from "./refusal.js";
import { Unheard } from "./unheard.js";

/** What a stream is to tell of. https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions */
export interface Filter {
  readonly toolsListChanged?: boolean;
  readonly promptsListChanged?: boolean;
  readonly resourcesListChanged?: boolean;
  readonly resourceSubscriptions?: readonly string[];
}

/** What a subscription is given. */
export interface SubscriptionRoom {
  readonly server: ModernServer;
  /** Gives the codec of the server's hop as it is now. */
  readonly codec: () => Promise<Codec>;
  /** What both hops agreed on. */
  readonly profile: FeatureProfile;
  /** Hands a notification to the client; false where it has no stream for it now. */
  readonly push: (notification: Wire) => boolean;
  readonly options: BridgeOptions;
  readonly account: Account;
}

/** One stream, from its request to its end. */
interface Stream {
  readonly controller: AbortController;
  /** What the server took up; undefined before it said so. */
  honoured: Filter | undefined;
}

/** Milliseconds in which changes of the wish are gathered into one new stream. */
const GATHER = 20;
/** Milliseconds before the first attempt after a stream broke, and after the server ended it; each further attempt waits twice as long, to a bound. */
const RETRY = { broken: 500, ended: 5_000, most: 60_000 };
/** A stream ends when either side ends it. */
const FOREVER = 2_147_483_647;

/** The changes of lists: what asks for them, what tells of them, and the feature that both rest on. */
const LISTS = [
  { flag: "toolsListChanged", method: "notifications/tools/list_changed", feature: Feature.SubscriptionsToolsListChanged },
  { flag: "promptsListChanged", method: "notifications/prompts/list_changed", feature: Feature.SubscriptionsPromptsListChanged },
  { flag: "resourcesListChanged", method: "notifications/resources/list_changed", feature: Feature.SubscriptionsResourcesListChanged },
] as const;

/** Keeps one session's subscription. */
export class Subscription {
  readonly #room: SubscriptionRoom;
  readonly #uris = new Set<string>();
  readonly #unheard: Unheard;
  #stream: Stream | undefined;
  #settling: Promise<void> | undefined;
  #isStarted = false;
  #isClosed = false;
  /** Counts the changes of the wish, so that one that came while a stream was opened is not lost. */
  #wishes = 0;
  #failures = 0;
  #retry: NodeJS.Timeout | undefined;
  /** What the stream that is being replaced said since its successor was asked for, as text. */
  #overlap: Set<string> | undefined;

  constructor(room: SubscriptionRoom) {
    this.#room = room;
    this.#unheard = new Unheard(room.options.limits.watched);
  }

  /** Begins to listen, where the server has lists whose changes it tells. */
  async start(): Promise<void> {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (isEmpty(this.#wish())) return;
    await this.#settle().catch((error: unknown) => this.#lost(error));
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
    if (this.#stream?.honoured?.resourceSubscriptions?.includes(uri) === true) return;
    this.#uris.delete(uri);
    throw new Refusal(errorOf(INVALID_PARAMS, `cannot watch ${uri}: the server does not take it up`));
  }

  /** Watches a resource no longer; one that was not watched is no fault. */
  async unwatch(uri: unknown): Promise<void> {
    if (typeof uri === "string" && this.#uris.delete(uri)) await this.#settle();
  }

  /** Gives the client what it could not hear before. */
  hears(): void {
    for (const frame of this.#unheard.take()) this.#hand(frame);
  }

  /** Ends it. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#stream?.controller.abort();
  }

  #wish(): Filter {
    const { profile } = this.#room;
    const flags = this.#isStarted ? LISTS.filter(({ feature }) => profile.isEnabled(feature)) : [];
    const uris = [...this.#uris];
    return {
      ...Object.fromEntries(flags.map(({ flag }) => [flag, true])),
      ...(uris.length === 0 ? {} : { resourceSubscriptions: uris }),
    };
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
      await new Promise((resolve) => setTimeout(resolve, GATHER));
      seen = this.#wishes;
      await this.#open(this.#wish());
    } while (seen !== this.#wishes && !this.#isClosed);
  }

  async #open(wanted: Filter): Promise<void> {
    const old = this.#stream;
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    if (isEmpty(wanted)) {
      this.#stream = undefined;
      old?.controller.abort();
      return;
    }
    const stream: Stream = { controller: new AbortController(), honoured: undefined };
    this.#overlap = old === undefined ? undefined : new Set();
    try {
      await this.#acknowledged(stream, wanted);
    } catch (error) {
      stream.controller.abort();
      throw error;
    } finally {
      this.#overlap = undefined;
    }
    this.#stream = stream;
    old?.controller.abort();
  }

  /** Opens a stream and waits until the server said what it took up. */
  async #acknowledged(stream: Stream, wanted: Filter): Promise<void> {
    const { server, options } = this.#room;
    const codec = await this.#room.codec();
    const params = codec.lower("subscriptions/listen", "params", { notifications: wanted }, options.policy);
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
    const { method, params } = frame;
    if (method === "notifications/subscriptions/acknowledged") {
      const honoured = isWire(params) ? params["notifications"] : undefined;
      stream.honoured = isWire(honoured) ? honoured : {};
      return true;
    }
    if (method === "notifications/cancelled") {
      // One of the ways in which servers say that a stream is over.
      this.#ended(stream, true);
      stream.controller.abort();
      return false;
    }
    const plain = { ...frame, params: withMeta(params, META.subscriptionId, undefined) };
    if (!this.#isSaidTwice(plain)) this.#hand(plain);
    return false;
  }

  /** While one stream takes over from another both may say the same. */
  #isSaidTwice(frame: Wire): boolean {
    if (this.#overlap === undefined) return false;
    const text = JSON.stringify(frame);
    const isTwice = this.#overlap.has(text);
    this.#overlap.add(text);
    return isTwice;
  }

  #hand(frame: Wire): void {
    if (this.#room.push(frame) || this.#unheard.keep(frame)) return;
    this.#room.account.tell({ event: "dropped", hop: "upstream", method: String(frame["method"]), because: "the client has no stream for it" });
  }

  #ended(stream: Stream, isGraceful: boolean): void {
    if (this.#stream !== stream || this.#isClosed) return;
    this.#stream = undefined;
    this.#failures += 1;
    const base = isGraceful ? RETRY.ended : RETRY.broken;
    const delay = Math.min(RETRY.most, base * 2 ** (this.#failures - 1)) * (0.5 + this.#room.options.random() / 2);
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
    const honoured = (this.#stream as Stream | undefined)?.honoured ?? {};
    const missed: Wire[] = LISTS.filter(({ flag }) => honoured[flag] === true).map(({ method }) => ({ jsonrpc: "2.0", method }));
    const changed = (honoured.resourceSubscriptions ?? []).map((uri) => {
      return { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } };
    });
    this.#room.account.tell({ event: "reconnected", because: "the stream of notifications had ended" });
    for (const frame of [...missed, ...changed]) {
      this.#room.account.tell({ event: "made-up", method: String(frame["method"]), because: "it may have been missed while there was no stream" });
      this.#hand(frame);
    }
  }

  /** A server that has no subscriptions, or none for now, is one whose session goes on without. */
  #lost(error: unknown): void {
    this.#room.account.tell({ event: "dropped", hop: "upstream", method: "subscriptions/listen", because: messageOf(error) });
    if (this.#isClosed || error instanceof Refusal) return;
    this.#failures += 1;
    const delay = Math.min(RETRY.most, RETRY.broken * 2 ** this.#failures) * (0.5 + this.#room.options.random() / 2);
    this.#retry = setTimeout(() => void this.#again(), delay);
    this.#retry.unref();
  }
}

function isEmpty(filter: Filter): boolean {
  return Object.keys(filter).length === 0;
}

function unanswered(why: string): Refusal {
  return Refusal.of({ kind: "upstream-violation", message: `cannot subscribe: ${why}`, retry: "same" });
}

function refusalOf(answer: Wire | undefined): Refusal | undefined {
  const error = answer === undefined ? undefined : readError(answer);
  if (error === undefined) return undefined;
  return new Refusal(errorOf(typeof error.code === "number" ? error.code : INVALID_PARAMS, `cannot subscribe: ${String(error.message)}`, error.data));
}
