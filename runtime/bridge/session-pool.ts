// The sessions that modern clients' requests share with a legacy server: which request may use which, made once however many ask at a time, and ended
// when nobody used them for a while. What principals share is never more than the choice says.

import type { BridgeOptions } from "./options.js";
import type { PooledSession } from "./pooled-session.js";
import { Refusal } from "./errors.js";

/** What a request needs of a session. */
export interface SessionNeed {
  readonly principal: string | undefined;
  /** What the client can be asked, as a text that is the same for the same; empty where nothing. */
  readonly fingerprint: string;
}

/** A session for the time of one use. */
export interface Lease {
  readonly session: PooledSession;
  /** True where nobody else uses it, before or after. */
  readonly isOwn: boolean;
  /** Ends the use. */
  release(): Promise<void>;
}

/** Keeps the sessions. */
export class SessionPool {
  readonly #options: BridgeOptions;
  readonly #open: (need: SessionNeed) => Promise<PooledSession>;
  readonly #sessions = new Map<string, Promise<PooledSession>>();
  readonly #timer: NodeJS.Timeout;
  #own = 0;
  #isClosed = false;

  constructor(options: BridgeOptions, open: (need: SessionNeed) => Promise<PooledSession>) {
    this.#options = options;
    this.#open = open;
    this.#timer = setInterval(() => void this.#sweep(), Math.min(options.timeouts.idle, 30_000));
    this.#timer.unref();
  }

  /** Tells whether requests of a principal share a session. */
  shares(principal: string | undefined): boolean {
    const { sessions } = this.#options.choices;
    return sessions === "shared" || (sessions === "per-principal" && principal !== undefined);
  }

  /** Gives a session for a request; rejects with what opening one rejects with, and with the fault `limit`. */
  async lease(need: SessionNeed): Promise<Lease> {
    if (!this.shares(need.principal)) return this.#leaseOwn(need);
    const owner = this.#options.choices.sessions === "shared" ? "" : JSON.stringify(need.principal);
    const session = await this.#shared(this.#keyFor(owner, need.fingerprint), need);
    return { session, isOwn: false, release: () => Promise.resolve() };
  }

  /** Forgets a session that is over, so that the next request opens another. */
  forget(session: PooledSession): void {
    for (const [key, kept] of this.#sessions) {
      void kept.then(
        (one) => one === session && this.#sessions.get(key) === kept && this.#sessions.delete(key),
        () => undefined,
      );
    }
  }

  /** Ends all sessions. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const kept = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(kept.map((session) => session.then((one) => one.close()).catch(() => undefined)));
  }

  /** A request that can be asked nothing may use any session of its owner. */
  #keyFor(owner: string, fingerprint: string): string {
    const own = `${owner} `;
    const any = fingerprint === "" ? [...this.#sessions.keys()].find((key) => key.startsWith(own)) : undefined;
    return any ?? own + fingerprint;
  }

  async #leaseOwn(need: SessionNeed): Promise<Lease> {
    this.#bound(this.#own + this.#sessions.size);
    this.#own += 1;
    try {
      const session = await this.#open(need);
      return {
        session,
        isOwn: true,
        release: async () => {
          this.#own -= 1;
          await session.close();
        },
      };
    } catch (error) {
      this.#own -= 1;
      throw error;
    }
  }

  async #shared(key: string, need: SessionNeed): Promise<PooledSession> {
    const found = this.#sessions.get(key);
    if (found !== undefined) {
      const session = await found;
      if (!session.isOver) return session;
      if (this.#sessions.get(key) === found) this.#sessions.delete(key);
      return this.#shared(key, need);
    }
    this.#bound(this.#own + this.#sessions.size);
    const opening = this.#open(need);
    this.#sessions.set(key, opening);
    opening.catch(() => this.#sessions.get(key) === opening && this.#sessions.delete(key));
    return opening;
  }

  #bound(sessions: number): void {
    const { limits } = this.#options;
    if (this.#isClosed) throw Refusal.of({ kind: "upstream-unavailable", message: "cannot open a session: the bridge is closing" });
    if (sessions < limits.sessions) return;
    throw Refusal.of({ kind: "limit", message: `cannot open a session with the server: ${sessions} are open`, retry: "same" });
  }

  async #sweep(): Promise<void> {
    const { now, timeouts } = this.#options;
    for (const [key, kept] of this.#sessions) {
      const session = await kept.catch(() => undefined);
      const isIdle = session !== undefined && !session.isBusy && now() - session.lastUsed > timeouts.idle;
      if (session === undefined || (!isIdle && !session.isOver)) continue;
      this.#sessions.delete(key);
      await session.close();
    }
  }
}
