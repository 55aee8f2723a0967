// One call of a modern client to a legacy server, over all its rounds: the server's call stays open, and whenever the server asks something the
// client's request ends with the questions; the client's next request brings the answers and waits in its place. Takes what the server says and the
// requests of the client; gives each request its turn's end.

import type { RequestId } from "../envelope.js";
import type { Wire } from "../protocol.js";
import { Close } from "./errors.js";
import type { Flow } from "./flow.js";
import type { ProgressLine } from "./tokens.js";

/** A question of the server's that waits for an answer. */
export interface Question {
  /** The server's own id for it. */
  readonly id: RequestId;
  readonly method: string;
  /** In canonical form. */
  readonly params: unknown;
}

/** How a turn ends: the server is done, it asks, or its call failed. */
export type TurnEnd =
  | { readonly end: "answer"; readonly answer: Wire }
  | { readonly end: "ask"; readonly questions: ReadonlyMap<string, Question> }
  | { readonly end: "error"; readonly error: unknown };

/** The request of the client that has the turn. */
export interface Turn {
  readonly flow: Flow;
  readonly line: ProgressLine | undefined;
  readonly logLevel: string | undefined;
}

/** How long a flow waits for what. */
export interface ParkingTimes {
  /** Milliseconds in which questions are gathered into one round. */
  readonly gather: number;
  /** Milliseconds a client may take to come back. */
  readonly park: number;
}

/** One call over all its rounds. */
export class ParkedFlow {
  readonly id: string;
  readonly method: string;
  readonly principal: string | undefined;
  readonly params: unknown;
  readonly #times: ParkingTimes;
  readonly #onExpired: () => void;
  readonly #questions = new Map<string, Question>();
  #round = 0;
  #lastKey = 0;
  #turn: (Turn & { readonly resolve: (end: TurnEnd) => void }) | undefined;
  #done: Exclude<TurnEnd, { readonly end: "ask" }> | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  /** The id of the request that was answered last, under which a client may still give the call up. */
  lastId: RequestId | undefined;
  /** What the client could not be asked, where the server asked for it. */
  refused: Wire | undefined;

  constructor(
    { id, method, principal, params }: Pick<ParkedFlow, "id" | "method" | "principal" | "params">,
    times: ParkingTimes,
    onExpired: () => void,
  ) {
    this.id = id;
    this.method = method;
    this.principal = principal;
    this.params = params;
    this.#times = times;
    this.#onExpired = onExpired;
  }

  /** Gives the request that has the turn; undefined while the client is away. */
  get turn(): Turn | undefined {
    return this.#turn;
  }

  /** Gives the round the client may come back for. */
  get round(): number {
    return this.#round;
  }

  /** Tells whether the server's call is over. */
  get isDone(): boolean {
    return this.#done !== undefined;
  }

  /** Gives the questions without an answer, by key. */
  get questions(): ReadonlyMap<string, Question> {
    return this.#questions;
  }

  /** Gives a request the turn; resolves with how it ends. */
  take(turn: Turn): Promise<TurnEnd> {
    clearTimeout(this.#expiry);
    return new Promise((resolve) => {
      this.#turn = { ...turn, resolve };
      if (this.#done !== undefined) this.#end(this.#done);
      else if (this.#questions.size > 0) this.#gather();
    });
  }

  /** Takes a question of the server's; it is put to the client with the others that come about now. */
  ask(question: Question): string {
    this.#lastKey += 1;
    const key = `n${this.#lastKey}`;
    this.#questions.set(key, question);
    if (this.#turn !== undefined) this.#gather();
    return key;
  }

  /** Takes a question off: it is answered, or the server does not want to know any longer. */
  settle(key: string): void {
    this.#questions.delete(key);
  }

  /** Takes back the question the server gave an id; false where there is none. */
  withdraw(id: unknown): boolean {
    for (const [key, question] of this.#questions) {
      if (question.id !== id) continue;
      this.#questions.delete(key);
      return true;
    }
    return false;
  }

  /** Says how the server's call ended; a client that is away hears it when it comes back. */
  finish(done: Exclude<TurnEnd, { readonly end: "ask" }>): void {
    this.#done = done;
    if (this.#turn !== undefined) this.#end(done);
  }

  /** Ends the turn of a request that is not waited for any longer. */
  leave(): void {
    clearTimeout(this.#gathering);
    const turn = this.#turn;
    this.#turn = undefined;
    turn?.resolve({ end: "error", error: new Close("the call was given up") });
  }

  /** Lets go of everything. */
  close(): void {
    clearTimeout(this.#gathering);
    clearTimeout(this.#expiry);
  }

  #gather(): void {
    clearTimeout(this.#gathering);
    this.#gathering = setTimeout(() => {
      if (this.#questions.size > 0) this.#end({ end: "ask", questions: this.#questions });
    }, this.#times.gather);
  }

  #end(end: TurnEnd): void {
    clearTimeout(this.#gathering);
    const turn = this.#turn;
    this.#turn = undefined;
    this.lastId = turn?.flow.id;
    if (end.end === "ask") {
      this.#round += 1;
      this.#expiry = setTimeout(this.#onExpired, this.#times.park);
      this.#expiry.unref();
    }
    turn?.resolve(end);
  }
}
