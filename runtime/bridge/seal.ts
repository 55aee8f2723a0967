// The handle under which a modern client comes back to a call that waits for it. It holds no state, only which call is meant, and is signed so that
// nobody can make one or use another's: bound to who asked, the method and the params, to a round, an end and the process that gave it.
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isWire } from "../capabilities.js";
import type { Wire } from "../protocol.js";

/** What a handle is bound to besides the call it names. */
export interface Bound {
  readonly principal: string | undefined;
  readonly method: string;
  /** The params of the request, as they came. */
  readonly params: unknown;
}

/** What a handle says. */
export interface Handle {
  readonly flow: string;
  readonly round: number;
  /** Milliseconds since the epoch. */
  readonly expires: number;
}

/** What reading a handle gives; all that is wrong with one looks alike, but for what was our own and is over. */
export type Opened = { readonly handle: Handle } | { readonly fault: "invalid" | "expired" | "earlier-process" };

const VERSION = 1;

/** Signs handles and reads them. */
export class Seal {
  readonly #key: Buffer;
  /** Names the process that gave a handle. */
  readonly #epoch: string;

  /** Without a key one is made that no other process has; then handles end with the process. */
  constructor(key: Buffer = randomBytes(32), epoch: string = randomBytes(8).toString("hex")) {
    this.#key = key;
    this.#epoch = epoch;
  }

  /** Gives a handle. */
  close({ flow, round, expires }: Handle, bound: Bound): string {
    const text = JSON.stringify([VERSION, this.#epoch, flow, round, expires]);
    const body = Buffer.from(text, "utf8").toString("base64url");
    return `${body}.${this.#sign(text, bound).toString("base64url")}`;
  }

  /** Reads a handle for a request; whoever else may see it cannot use it for another. */
  open(text: unknown, bound: Bound, now: number): Opened {
    if (typeof text !== "string" || text.length > LONGEST) return INVALID;
    const [body = "", mac = "", ...more] = text.split(".");
    const said = Buffer.from(body, "base64url").toString("utf8");
    const given = Buffer.from(mac, "base64url");
    const own = this.#sign(said, bound);
    const isOurs = more.length === 0 && given.length === own.length && timingSafeEqual(given, own);
    if (!isOurs) return INVALID;
    const facts: unknown = JSON.parse(said);
    if (!Array.isArray(facts)) return INVALID;
    const [version, epoch, flow, round, expires] = facts as readonly unknown[];
    if (version !== VERSION || typeof flow !== "string" || typeof round !== "number" || typeof expires !== "number") return INVALID;
    if (epoch !== this.#epoch) return { fault: "earlier-process" };
    return now > expires ? { fault: "expired" } : { handle: { flow, round, expires } };
  }

  #sign(text: string, { principal, method, params }: Bound): Buffer {
    const bound = JSON.stringify([principal ?? null, method, digestOf(params)]);
    return createHmac("sha256", this.#key).update(`${text.length}:${text}${bound}`).digest();
  }
}

const INVALID = { fault: "invalid" } as const;
const LONGEST = 1024;

/** The fields of a retry that are not those of the request it repeats. */
const OF_THE_RETRY = new Set(["_meta", "inputResponses", "requestState"]);

/** Gives a text that is the same for params that mean the same request, whatever the order of their keys. */
export function digestOf(params: unknown): string {
  const own = isWire(params) ? Object.fromEntries(Object.entries(params).filter(([key]) => !OF_THE_RETRY.has(key))) : {};
  return createHash("sha256")
    .update(JSON.stringify(sorted(own)))
    .digest("base64url");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isWire(value)) return value;
  const entries: [string, unknown][] = Object.entries(value satisfies Wire).map(([key, entry]) => [key, sorted(entry)]);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
