// What a codec knows of the hop it serves beyond the negotiation: who speaks, and how what comes in is read. Types only.

import type { Wire } from "./protocol.js";

/** What a hop says about itself on every message, where its revision wants that; given, these win over what a message carries. */
export interface Hop {
  readonly clientCapabilities?: Wire;
  readonly clientInfo?: Wire;
  readonly logLevel?: string;
  readonly serverInfo?: Wire;
  /** The id of the request that opened the subscription a notification belongs to. */
  readonly subscription?: string | number;
  /** Tells whether what the peer sends is repaired as the tolerances say; it is unless this is false. */
  readonly tolerant?: boolean;
  /**
   * Tells whether what is written is held against the revision's validators, so that a payload which was broken where it came from is refused
   * and not passed on. `codecFor` loads them.
   */
  readonly checked?: boolean;
  /** Gives a fresh identifier; without one, identifiers count from 1 for each codec. */
  readonly mint?: () => string;
}
