// A modern client's subscription to a legacy server: what the server has no single word for is put together from its own subscriptions and from what
// it says of itself. Takes the client's request; writes its stream, and resolves with what ends it.
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions

import { isWire } from "../capabilities.js";
import type { Wire } from "../protocol.js";
import { crossCall, type Agreement } from "./agreement.js";
import { paramsOf } from "./answers.js";
import { isBridgeError, Refusal } from "./errors.js";
import type { Account } from "./events.js";
import type { Flow } from "./flow.js";
import { messageOf } from "./legacy-session.js";
import { META, NOTHING_CROSSES, stripMeta } from "./meta.js";
import type { BridgeOptions } from "./options.js";
import { withMeta } from "./payload.js";
import type { PooledSession } from "./pooled-session.js";
import { filterOf, isIdle, readFilter, watchable, type Watch } from "./watching.js";

/** What a subscription is given. */
export interface ListeningOptions {
  readonly flow: Flow;
  readonly agreement: Agreement;
  readonly session: PooledSession;
  readonly options: BridgeOptions;
  readonly account: Account;
  /** What the client was told the server offers. */
  readonly advertised: unknown;
}

/** One subscription. */
export class Listening {
  readonly #given: ListeningOptions;

  private constructor(given: ListeningOptions) {
    this.#given = given;
  }

  /** Runs a subscription until its client or its server ends it; resolves with the response. Rejects with a `Refusal` for a filter that is none. */
  static run(given: ListeningOptions): Promise<Wire> {
    return new Listening(given).#run();
  }

  async #run(): Promise<Wire> {
    const { flow, agreement, session, advertised, options } = this.#given;
    const read = readFilter(paramsOf(flow.message));
    if ("error" in read) throw new Refusal(read.error);
    if (read.watch.uris.size > options.limits.watched) {
      throw Refusal.of({
        kind: "limit",
        message: `cannot watch ${read.watch.uris.size} resources: ${options.limits.watched} are the most`,
      });
    }
    const offered = watchable(agreement.downstream.version, advertised, read.watch.uris, read.watch.lists);
    const honoured: Watch = { lists: offered.lists, uris: await this.#subscribe(offered.uris) };
    await flow.sink.write(this.#acknowledgement(filterOf(honoured)));
    const listener = (frame: Wire): void => void this.#hear(frame, honoured);
    session.listeners.add(listener);
    try {
      if (!isIdle(honoured)) await this.#over();
    } finally {
      session.listeners.delete(listener);
      await this.#unsubscribe(honoured.uris);
    }
    const result = { _meta: { [META.subscriptionId]: flow.id } };
    const lowered = agreement.downstream.lower(flow.method, "result", result, agreement.policy);
    return { jsonrpc: "2.0", id: flow.id, result: lowered };
  }

  #acknowledgement(notifications: Wire): Wire {
    const { downstream, policy } = this.#given.agreement;
    const method = "notifications/subscriptions/acknowledged";
    return { jsonrpc: "2.0", method, params: downstream.lower(method, "params", { notifications, _meta: {} }, policy) };
  }

  /** Resolves once the client has gone, or the server. */
  #over(): Promise<unknown> {
    const { flow, session } = this.#given;
    const left = new Promise<void>((resolve) => {
      if (flow.isCancelled) resolve();
      flow.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    return Promise.race([left, session.peer.closed]);
  }

  async #subscribe(uris: ReadonlySet<string>): Promise<ReadonlySet<string>> {
    const { session, options } = this.#given;
    const { watched } = session;
    const taken = new Set<string>();
    for (const uri of uris) {
      const entry = watched.get(uri) ?? { watchers: 0, isTaken: this.#tell("resources/subscribe", uri, options.timeouts.acknowledge) };
      watched.set(uri, entry);
      entry.watchers += 1;
      if (await entry.isTaken) taken.add(uri);
      else {
        entry.watchers -= 1;
        watched.delete(uri);
      }
    }
    return taken;
  }

  async #unsubscribe(uris: ReadonlySet<string>): Promise<void> {
    const { session, options } = this.#given;
    const { watched } = session;
    for (const uri of uris) {
      const entry = watched.get(uri);
      if (entry === undefined || (entry.watchers -= 1) > 0) continue;
      watched.delete(uri);
      if (!session.isOver) await this.#tell("resources/unsubscribe", uri, options.timeouts.acknowledge);
    }
  }

  async #tell(method: string, uri: string, timeout: number): Promise<boolean> {
    const { session, account } = this.#given;
    try {
      const { result } = await session.ask({ jsonrpc: "2.0", method, params: { uri } }, timeout);
      return isWire(result);
    } catch (error) {
      account.tell({ event: "dropped", hop: "upstream", method, because: messageOf(error) });
      return false;
    }
  }

  #hear(frame: Wire, { lists, uris }: Watch): Promise<void> | void {
    const kind = LISTS.get(String(frame["method"]));
    if (kind !== undefined) return lists.has(kind) ? this.#write(frame) : undefined;
    const uri = paramsOf(frame)?.["uri"];
    if (typeof uri === "string" && (uris.has(uri) || isBelow(uri, uris) || (uris.size > 0 && this.#isAlone()))) return this.#write(frame);
  }

  /** Where only one subscription watches anything, what changed can only be meant for it. */
  #isAlone(): boolean {
    return this.#given.session.listeners.size === 1;
  }

  #write(frame: Wire): Promise<void> | void {
    const { flow, agreement, account } = this.#given;
    try {
      // What else the server says of the hop it cannot know.
      const own = (payload: unknown): unknown =>
        withMeta(isWire(payload) ? stripMeta(payload, NOTHING_CROSSES) : payload, META.subscriptionId, flow.id);
      const { outbound } = crossCall(agreement, { ...frame, params: frame["params"] ?? {} }, "serverToClient", own);
      return flow.sink.write(outbound);
    } catch (error) {
      if (!isBridgeError(error)) throw error;
      account.tell({ event: "dropped", hop: "upstream", method: String(frame["method"]), because: messageOf(error) });
    }
  }
}

const LISTS: ReadonlyMap<string, "toolsListChanged" | "promptsListChanged" | "resourcesListChanged"> = new Map([
  ["notifications/tools/list_changed", "toolsListChanged"],
  ["notifications/prompts/list_changed", "promptsListChanged"],
  ["notifications/resources/list_changed", "resourcesListChanged"],
]);

/** Tells whether an address lies below one of those watched, at the border of a segment. */
function isBelow(uri: string, uris: ReadonlySet<string>): boolean {
  return [...uris].some((watched) => uri.startsWith(watched.endsWith("/") ? watched : `${watched}/`));
}
