// What a client is to be told of changes: which filter to ask a server for, how to change it without a gap, what to deliver once, later, or in place
// of what a gap may have swallowed. Pure; time and chance are handed in.
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions

import { isWire } from "../capabilities.js";
import type { RequestId } from "../envelope.js";
import { Feature, resolve, type Method } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { errorOf, metaOf, paramsOf } from "./answers.js";
import { codeIn } from "./eras.js";
import { META, stripMessageMeta } from "./meta.js";

/** What is wanted of a server's changes, or what it agreed to tell: kinds of lists by the name of their flag, and resources by address. */
export interface Watch {
  readonly lists: ReadonlySet<ListFlag>;
  readonly uris: ReadonlySet<string>;
}

/** Names the flag of a filter that stands for one kind of list. */
export type ListFlag = "toolsListChanged" | "promptsListChanged" | "resourcesListChanged";

/** Wants nothing. */
export const NO_WATCH: Watch = { lists: new Set(), uris: new Set() };

/**
 * Says what can be watched of a server by what it advertised: the kinds of lists it announces, and the addresses if it takes subscriptions to any.
 * A flag that is not advertised is not asked for.
 */
export function watchable(revision: string, server: unknown, uris: Iterable<string>, lists: Iterable<ListFlag> = LIST_FLAGS): Watch {
  const profile = resolve({ revision, transport: null, client: undefined, server });
  const kept = [...lists].filter((flag) => profile.isEnabled(LISTS[flag].feature));
  return { lists: new Set(kept), uris: new Set(profile.isEnabled(Feature.ResourcesUpdated) ? uris : []) };
}

/** Tells whether nothing is watched. */
export function isIdle({ lists, uris }: Watch): boolean {
  return lists.size === 0 && uris.size === 0;
}

/** Writes a filter. */
export function filterOf({ lists, uris }: Watch): Wire {
  const flags = LIST_FLAGS.filter((flag) => lists.has(flag)).map((flag) => [flag, true] as const);
  return { ...Object.fromEntries(flags), ...(uris.size === 0 ? {} : { resourceSubscriptions: [...uris] }) };
}

/** Reads the filter a client asks for; fields nobody knows are left out, known ones of another type are an error. */
export function readFilter(params: unknown): { readonly watch: Watch } | { readonly error: Wire } {
  const filter = isWire(params) ? params["notifications"] : undefined;
  if (!isWire(filter)) return invalid("notifications", "it is not an object");
  for (const flag of LIST_FLAGS) {
    if (filter[flag] !== undefined && typeof filter[flag] !== "boolean") return invalid(`notifications.${flag}`, "it is not a boolean");
  }
  const { resourceSubscriptions: uris = [] } = filter;
  if (!isTexts(uris)) return invalid("notifications.resourceSubscriptions", "it is not a list of texts");
  return { watch: { lists: new Set(LIST_FLAGS.filter((flag) => filter[flag] === true)), uris: new Set(uris) } };
}

/** Reads what a server agreed to in its acknowledgement; what it says in another form it has not agreed to. */
export function honouredOf(params: unknown): Watch {
  const filter = isWire(params) && isWire(params["notifications"]) ? params["notifications"] : {};
  const uris = filter["resourceSubscriptions"];
  return { lists: new Set(LIST_FLAGS.filter((flag) => filter[flag] === true)), uris: new Set(isTexts(uris) ? uris : []) };
}

/** Says what of a watch is not in another. */
export function lacking(wanted: Watch, honoured: Watch): Watch {
  return {
    lists: new Set([...wanted.lists].filter((flag) => !honoured.lists.has(flag))),
    uris: new Set([...wanted.uris].filter((uri) => !honoured.uris.has(uri))),
  };
}

/**
 * What to do about a stream when something else is wanted of it: nothing, close it, or open another with the whole new filter; the old one, if there
 * is one, stays until the new one is acknowledged. A filter cannot change while its stream is open.
 */
export type SwitchPlan =
  | { readonly kind: "keep" }
  | { readonly kind: "close" }
  | { readonly kind: "open"; readonly filter: Wire; readonly thenClose: boolean };

/** Plans the change from what a stream asked for to what is wanted; without a stream, `current` is undefined. */
export function planSwitch(current: Watch | undefined, wanted: Watch): SwitchPlan {
  if (isIdle(wanted)) return { kind: current === undefined ? "keep" : "close" };
  if (current !== undefined && isIdle(lacking(wanted, current)) && isIdle(lacking(current, wanted))) return { kind: "keep" };
  return { kind: "open", filter: filterOf(wanted), thenClose: current !== undefined };
}

/** Tells how a frame ends a subscription: by its result, or by a cancellation that names it; undefined for a frame that does not. */
export function endOf(frame: Wire, subscription: RequestId): "graceful" | "refused" | "cancelled" | undefined {
  if (frame["method"] === undefined && frame["id"] === subscription) return isWire(frame["error"]) ? "refused" : "graceful";
  const isNamed = frame["method"] === CANCELLED && paramsOf(frame)?.["requestId"] === subscription;
  return isNamed ? "cancelled" : undefined;
}

/** Gives the id of the request a notification's subscription was opened with. */
export function subscriptionOf(notification: Wire): unknown {
  return metaOf(notification["params"])?.[META.subscriptionId];
}

/** Writes a notification of a subscription for a client without one; undefined for an acknowledgement, which is not for it. */
export function unsubscribed(notification: Wire): Wire | undefined {
  return notification["method"] === ACKNOWLEDGED ? undefined : stripMessageMeta(notification, { tasks: false, extensions: [] });
}

/** Lists the notifications that a gap may have swallowed: one for each kind of list and each address. They are hints, and cost a look. */
export function afterGap({ lists, uris }: Watch): readonly Wire[] {
  const changed = LIST_FLAGS.filter((flag) => lists.has(flag)).map((flag) => ({ jsonrpc: "2.0", method: LISTS[flag].method }));
  return [...changed, ...[...uris].map((uri) => ({ jsonrpc: "2.0", method: UPDATED, params: { uri } }))];
}

/**
 * Delivers once what two streams both tell while one takes over from the other. What one stream tells twice happened twice; only what the other has
 * told as often already is left out.
 */
export class Overlap {
  readonly #told = new Map<string, { readonly at: number; readonly times: Map<unknown, number> }>();
  readonly #windowMs: number;

  /** Takes how long after the first of them two notifications may be the same, in milliseconds. */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Tells whether a notification that came on a stream at a time is to be delivered. */
  isNew(notification: Wire, stream: unknown, now: number): boolean {
    for (const [key, { at }] of this.#told) if (now - at > this.#windowMs) this.#told.delete(key);
    const key = JSON.stringify([notification["method"], unsubscribed(notification)?.["params"]]);
    const entry = this.#told.get(key) ?? { at: now, times: new Map<unknown, number>() };
    const mine = (entry.times.get(stream) ?? 0) + 1;
    const most = Math.max(0, ...entry.times.values());
    this.#told.set(key, { at: entry.at, times: entry.times.set(stream, mine) });
    return mine > most;
  }
}

/** Keeps changes for a client that has no stream now: of each kind of list and of each address the last one, in the order of the first. */
export class PendingChanges {
  readonly #kept = new Map<string, Wire>();
  readonly #most: number;

  /** Takes how many to keep at most. */
  constructor(most = 1024) {
    this.#most = most;
  }

  /** Keeps a notification; false for one that is no change, or for which there is no room. */
  add(notification: Wire): boolean {
    const { method } = notification;
    const uri = method === UPDATED ? paramsOf(notification)?.["uri"] : undefined;
    const isChange = typeof uri === "string" || LIST_FLAGS.some((flag) => LISTS[flag].method === method);
    if (!isChange) return false;
    const key = typeof uri === "string" ? `${UPDATED} ${uri}` : String(method);
    if (!this.#kept.has(key) && this.#kept.size >= this.#most) return false;
    this.#kept.set(key, notification);
    return true;
  }

  /** Gives what is kept, and keeps it no longer. */
  drain(): readonly Wire[] {
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    return kept;
  }

  /** Counts what is kept. */
  get size(): number {
    return this.#kept.size;
  }
}

/** Says how long to wait before listening again, in milliseconds. */
export interface BackoffOptions {
  readonly firstMs: number;
  readonly mostMs: number;
  /** The least wait after an end that the server meant. */
  readonly gracefulMs: number;
}

/** What holds unless somebody says otherwise. */
export const BACKOFF: BackoffOptions = { firstMs: 500, mostMs: 60_000, gracefulMs: 5000 };

/**
 * Says how long to wait before the next attempt, from 0: twice as long each time up to the most, of which chance takes up to a half so that clients
 * do not come back all at once. `random` is from 0 to 1.
 */
export function backoffMs(attempt: number, random: number, options: BackoffOptions & { readonly graceful?: boolean } = BACKOFF): number {
  const first = options.graceful === true ? Math.max(options.firstMs, options.gracefulMs) : options.firstMs;
  const whole = Math.min(first * 2 ** Math.min(attempt, 30), Math.max(options.mostMs, first));
  return Math.round(whole * (1 - random / 2));
}

function invalid(key: string, reason: string): { readonly error: Wire } {
  return { error: errorOf(codeIn("modern", "INVALID_PARAMS"), `cannot read ${key}: ${reason}`, { key }) };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

const UPDATED = "notifications/resources/updated" satisfies Method;
const CANCELLED = "notifications/cancelled" satisfies Method;
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged" satisfies Method;

/** The kinds of lists whose changes are announced. */
const LISTS: Readonly<Record<ListFlag, { readonly method: Method; readonly feature: number }>> = {
  toolsListChanged: { method: "notifications/tools/list_changed", feature: Feature.ToolsListChanged },
  promptsListChanged: { method: "notifications/prompts/list_changed", feature: Feature.PromptsListChanged },
  resourcesListChanged: { method: "notifications/resources/list_changed", feature: Feature.ResourcesListChanged },
};
const LIST_FLAGS = Object.keys(LISTS) as readonly ListFlag[];
