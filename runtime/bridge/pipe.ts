// One client on a pipe, whose messages decide of which era it is. Takes messages in their order; hands each to the session or to the front that
// answers messages for themselves.

import { isWire } from "../capabilities.js";
import type { Wire } from "../protocol.js";
import { classifyPipe, type PipeState, type Serving } from "./classify.js";
import type { Account } from "./events.js";
import type { ModernFront } from "./modern-front.js";
import type { Conversation, Reply, Visit } from "./peer.js";

/** What a pipe is given. */
export interface PipeOptions {
  readonly served: Serving;
  readonly account: Account;
  /** Starts the session of a legacy client. */
  readonly session: () => Conversation;
  /** Answers the messages of a modern client. */
  readonly front: ModernFront;
}

/** A conversation on a pipe. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio */
export class PipeConversation implements Conversation {
  readonly #options: PipeOptions;
  #state: PipeState = { era: undefined };
  #session: Conversation | undefined;

  constructor(options: PipeOptions) {
    this.#options = options;
  }

  get revision(): string | undefined {
    return this.#session?.revision;
  }

  async receive(message: unknown, visit: Visit): Promise<Reply> {
    const { served, account, front } = this.#options;
    const verdict = classifyPipe(this.#state, message, served);
    this.#state = verdict.state;
    if ("answer" in verdict) {
      const { error } = verdict.answer;
      const code = isWire(error) ? Number(error["code"]) : 0;
      account.tell({ event: "refused", method: methodOf(message) ?? "", code, because: isWire(error) ? String(error["message"]) : "" });
      return verdict.answer;
    }
    if ("drop" in verdict) {
      account.tell({ event: "dropped", hop: "downstream", method: methodOf(message), because: verdict.drop });
      return undefined;
    }
    if (verdict.take === "legacy") {
      this.#session ??= this.#options.session();
      return this.#session.receive(message, visit);
    }
    return (await front.exchange(message as Wire, visit)).answer;
  }

  hears(): void {
    this.#session?.hears();
  }

  async close(reason: string): Promise<void> {
    await this.#options.front.close(reason);
    await this.#session?.close(reason);
  }
}

function methodOf(message: unknown): string | undefined {
  const method = isWire(message) ? message["method"] : undefined;
  return typeof method === "string" ? method : undefined;
}
