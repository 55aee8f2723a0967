// The port: what the bridge needs of the transports on both of its sides. Declared here by what consumes it; `runtime/transport/` implements the
// upstream half (`Peer`, `Connector`) and feeds the downstream half (`Service`, `Conversation`). Messages are JSON-RPC objects as they stand on the
// wire, unmodelled members included.

import type { Wire } from "../protocol.js";
import type { StopSignal } from "../stop.js";

export { bridgeErrorOf, Close, isUnreachable, Unreachable, type BridgeFault, type UnreachableFault } from "./errors.js";

/** Names a transport as the protocol's tables do. */
export type TransportName = "stdio" | "streamable-http" | "legacy-sse";

/** What goes with one message to a peer. */
export interface SendOptions {
  /** Ends the wait for the answer; where a request has a stream of its own, aborting closes it. The send then rejects with `Unreachable`. */
  readonly signal?: StopSignal | undefined;
  /** Headers for this message, where the transport has headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Takes the frames that come on the stream of this very request before its answer, in their order. A transport with one channel for
   * everything never calls it and hands such frames to `takePending`.
   */
  readonly onFrame?: ((frame: Wire) => void) | undefined;
  /** Told the HTTP status of the response, before its body is read. */
  readonly onStatus?: ((status: number) => void) | undefined;
}

/** One side of the bridge at the granularity of messages. */
export interface Peer {
  readonly transport: TransportName;
  /**
   * Sends a request and resolves with the peer's answer, an error response included; rejects only with `Unreachable`. The id is the
   * caller's, and unique on this peer.
   */
  send(request: Wire, options?: SendOptions): Promise<Wire>;
  /** Delivers what expects no answer, a notification or a response to a request of the peer's; never waits for a reply. Rejects with `Unreachable`. */
  notify(message: Wire, options?: Pick<SendOptions, "headers">): Promise<void>;
  /** Drains the frames nobody asked for; empty for a peer that has no stream beside its answers. */
  takePending(): readonly Wire[];
  /** Resolves once `takePending` may have something, or the conversation is over; for a peer that cannot hear unasked only then. */
  waitPending(): Promise<void>;
  /** Opens the stream for what nobody asked for, where the transport has one; rejects with `Unreachable` where the peer refuses it. */
  listen(): Promise<void>;
  /** Says which revision was agreed, for transports that name it on every message. */
  agree(revision: string): void;
  /** Ends the conversation: lets what is in flight finish within the transport's bound, then lets go of everything. Never rejects. */
  close(): Promise<void>;
  /** Resolves with the reason once the conversation is over, whoever ended it. */
  readonly closed: Promise<Error>;
}

/** Makes conversations with one server: a new process, or a new run of exchanges with one address. */
export interface Connector {
  /** Names the server in messages, without anything secret. */
  readonly name: string;
  /** The transports it can try, in order; each later one is for servers that do not know the earlier ones. */
  readonly transports: readonly TransportName[];
  /** True where every connection is a process of its own, which a wrong first message may end. */
  readonly spawns: boolean;
  /** True where every request carries what was configured to let it in. */
  readonly showsCredential?: boolean | undefined;
  /** Opens one conversation; rejects with `Unreachable`. */
  connect(transport: TransportName): Promise<Peer>;
}

/** Where frames for a client go. */
export interface Sink {
  /** False where the client takes one answer and nothing before it. */
  readonly canStream: boolean;
  /** Writes one frame; resolves once the client may be sent more, and at once where nobody listens any longer. */
  write(frame: Wire): Promise<void> | void;
}

/** What comes with a message of a client. */
export interface Visit {
  /** Carries what belongs to this message: notifications and questions on the way to its answer. */
  readonly sink: Sink;
  /** Who asks, as the transport established it; the same text for the same party, and undefined where nobody can tell. */
  readonly principal?: string | undefined;
  /** Gives a header by its lower-case name; undefined where the transport has none. */
  readonly header?: ((name: string) => string | undefined) | undefined;
  /** Aborts when the client closes the stream of this message, on transports where a message has one. */
  readonly signal?: StopSignal | undefined;
}

/** What goes back for what came: one message, those of a batch, or nothing. */
export type Reply = Wire | readonly Wire[] | undefined;

/** The client's end of a conversation that lasts. */
export interface Link {
  readonly transport: TransportName;
  readonly principal?: string | undefined;
  /** Writes a frame that belongs to no message of the client's; false where the client has no stream for it now. */
  push(frame: Wire): boolean;
  /** Ends the conversation from this side. */
  end(reason: string): void;
}

/** A conversation with one client: a session, or a pipe whose messages decide what it is. */
export interface Conversation {
  /** The revision agreed with the client; undefined before there is one. */
  readonly revision: string | undefined;
  /** Takes one message or batch; resolves with what answers it. Never rejects. */
  receive(message: unknown, visit: Visit): Promise<Reply>;
  /** Told that the client now has a stream for what nobody asked for. */
  hears(): void;
  /** Ends it: what is in flight is cancelled upstream and answered no more. Never rejects. */
  close(reason: string): Promise<void>;
}

/** What is known of an HTTP message before it is read by anybody. */
export interface Arrival {
  /** The parsed body. */
  readonly message: unknown;
  /** The header that names the revision; several are joined with a comma. */
  readonly versionHeader: string | undefined;
  /** The revision of the session whose id the message carries; undefined without a live one. */
  readonly session: string | undefined;
}

/** What an HTTP message is: of which era, or an error to answer at once. */
export type Verdict =
  | { readonly era: "legacy"; readonly opens: boolean }
  | { readonly era: "modern" }
  | { readonly era: undefined; readonly status: number; readonly answer: Wire };

/** What answers one message that stands for itself; `status` is what HTTP says where nothing was written before it. */
export interface Exchanged {
  readonly answer: Wire | undefined;
  readonly status: number;
}

/** What serves clients. */
export interface Service {
  /** Decides what an HTTP message is, from the message; headers only cross-check. */
  classify(arrival: Arrival): Verdict;
  /** Starts a session of the legacy era; the first message it receives opens it. */
  session(link: Link): Conversation;
  /** Answers one message of the modern era. Never rejects. */
  exchange(message: Wire, visit: Visit): Promise<Exchanged>;
  /** Starts a conversation on a pipe, whose messages decide the era. */
  pipe(link: Link): Conversation;
  /** Refuses what is new, lets what is in flight end within its bound, and ends every conversation. */
  close(): Promise<void>;
}
