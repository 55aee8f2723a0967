// What a bridge is told when it is made, with the bounds it keeps where nothing else is said. Times are milliseconds.

import type { DegradePolicy } from "../policy.js";
import type { Wire } from "../protocol.js";
import type { Observe } from "./events.js";

/**
 * Names how a server is probed that is a process of its own: in a process for the purpose, which is only kept where it turns out modern; in the
 * process that is then used, which is started afresh if the probe ends it; or not at all, which takes it for legacy.
 */
export type PipeProbe = "sibling" | "inPlaceRespawn" | "off";

/** How long the bridge waits for what. */
export interface Timeouts {
  /** For a server to say which era it is of. */
  readonly probe: number;
  /** For a server's answer to the handshake. */
  readonly handshake: number;
  /** For a server's answer to any other request, from its start or its last sign of progress. */
  readonly call: number;
  /** For a client's answer to a question, which may need a person. */
  readonly answer: number;
  /** For the acknowledgement of a subscription. */
  readonly acknowledge: number;
  /** For a modern client to come back with the answers a legacy server waits for. */
  readonly park: number;
  /** In which the questions of a legacy server are gathered into one round. */
  readonly gather: number;
  /** For the turn of a call whose server can tell only one at a time what its questions belong to. */
  readonly queue: number;
  /** After which a session with a legacy server that nobody uses is ended. */
  readonly idle: number;
  /** For what is in flight when the bridge is told to stop. */
  readonly drain: number;
}

/** How much of what the bridge holds. */
export interface Limits {
  /** Requests of one client in flight. */
  readonly flows: number;
  /** Questions to one client without an answer. */
  readonly questions: number;
  /** Resources one client watches. */
  readonly watched: number;
  /** Calls that wait for their client to come back, and sessions with a legacy server, of all clients together. */
  readonly parked: number;
  readonly sessions: number;
  /** Rounds of questions in one call, and of those in a row how many without any. */
  readonly rounds: number;
  readonly emptyRounds: number;
}

/** What a bridge does where the protocol leaves it a choice. */
export interface Choices {
  /** What an error in answer to an elicitation becomes: the end of the call, or the answer that it was cancelled. */
  readonly elicitationError: "fail" | "cancel";
  /** What a tool call that ended for want of an answer becomes: a result that says so, or an error. */
  readonly toolFailure: "isError" | "protocolError";
  /** What becomes of a tool's result without the structured content its schema promised: that is taken from its text where it is there, or it stays. */
  readonly missingStructured: "lift" | "keep";
  /** Which era a client may speak to a server of the other one. */
  readonly advertiseModern: "always" | "when-upstream-modern";
  /**
   * Which requests of modern clients share a session with a legacy server: those of one principal, none, or all. A request whose principal nobody
   * knows shares with none, unless all do.
   */
  readonly sessions: "per-principal" | "per-request" | "shared";
  /** The revisions to use on a hop instead of finding out. */
  readonly clientRevision?: string | undefined;
  readonly upstreamRevision?: string | undefined;
  /** How a process is asked for its era. */
  readonly stdioProbe: PipeProbe;
}

/** What a bridge is given. */
export interface BridgeOptions {
  readonly policy: DegradePolicy;
  /** How the bridge names itself where a peer wants to know, and nobody else's name will do. */
  readonly identity: Wire & { readonly name: string; readonly version: string };
  readonly observe: Observe;
  readonly timeouts: Timeouts;
  readonly limits: Limits;
  readonly choices: Choices;
  /** Gives milliseconds that only grow. */
  readonly now: () => number;
  /** Gives a number from 0 up to 1. */
  readonly random: () => number;
  /** Gives a fresh identifier nobody can guess. */
  readonly mint: () => string;
}

/** The bounds kept where nothing else is said. */
export const DEFAULT_TIMEOUTS: Timeouts = {
  probe: 5_000,
  handshake: 30_000,
  call: 1_800_000,
  answer: 600_000,
  acknowledge: 10_000,
  park: 600_000,
  gather: 20,
  queue: 60_000,
  idle: 600_000,
  drain: 10_000,
};

/** The limits kept where nothing else is said. */
export const DEFAULT_LIMITS: Limits = {
  flows: 10_000,
  questions: 64,
  watched: 1_024,
  parked: 1_024,
  sessions: 256,
  rounds: 10,
  emptyRounds: 3,
};

/** The choices made where nothing else is said. */
export const DEFAULT_CHOICES: Choices = {
  elicitationError: "fail",
  toolFailure: "isError",
  missingStructured: "lift",
  advertiseModern: "always",
  sessions: "per-principal",
  stdioProbe: "inPlaceRespawn",
};
