// The server's end: finds out of which era the server is, keeps that for as long as it may be relied on, and opens conversations with it.

import type { Wire } from "../protocol.js";
import { DISCOVER } from "./answers.js";
import { definesTransport, eraOf, newestOf } from "./eras.js";
import { Close, isUnreachable, Unreachable } from "./errors.js";
import { ModernServer, type ServerKnown } from "./modern-server.js";
import { narrowed, nothingMutual } from "./negotiate.js";
import type { BridgeOptions } from "./options.js";
import type { Connector, Peer, TransportName } from "./peer.js";
import { EraCache, suggestsOlderTransport } from "./probe.js";
import { askDiscovery, olderTransport, probe, type Probed } from "./prober.js";

/** A conversation with the server, before the first request of a client's: its era, and what to offer it. */
export type Opened =
  | {
      readonly era: "legacy";
      readonly peer: Peer;
      readonly transport: TransportName;
      readonly offer: string | undefined;
      /** True where the conversation began with a probe. */
      readonly isUsed: boolean;
      /** Why the probe failed, where the handshake is to decide whether the credential is refused. */
      readonly doubt: Unreachable | undefined;
    }
  | { readonly era: "modern"; readonly server: ModernServer; readonly isShared: boolean };

/** What shaking hands is given: a conversation, whether it was used before, and how to open another. */
export interface Shaking {
  readonly peer: Peer;
  readonly isUsed: boolean;
  readonly renew: () => Promise<Peer>;
}

/** How long a server is taken for legacy before it is asked again, and how many servers are remembered. */
const MEMORY = { legacyMs: 600_000, most: 1_000 };

/** Knows one server. */
export class Upstream {
  readonly connector: Connector;
  /** The revisions that may be spoken with it. */
  readonly spoken: readonly string[];
  /** The notifications at which conversations with it have ended. */
  readonly deafTo = new Set<string>();
  readonly #known: ServerKnown = { takesSubscriptions: true };
  readonly #options: BridgeOptions;
  readonly #eras = new EraCache(MEMORY);
  readonly #lost: (method: unknown, because: string) => void;
  readonly #peers = new Set<Peer>();
  #shared: Promise<ModernServer> | undefined;
  #spare: Probed | undefined;
  /** The search under way for what is shared, for all who wait for it. */
  #finding: Promise<ModernServer | undefined> | undefined;
  #isClosed = false;
  /** Counts the times a shared server was asked again, for ids that no counter of requests comes to. */
  #asked = 1;

  /** `lost` is told of frames of a shared server that belong to nobody. Throws `UnknownRevisionError` for a forced revision no table has. */
  constructor(
    connector: Connector,
    revisions: readonly string[],
    options: BridgeOptions,
    lost: (method: unknown, because: string) => void,
  ) {
    this.connector = connector;
    this.spoken = narrowed(revisions, options.choices.upstreamRevision);
    this.#options = options;
    this.#lost = lost;
  }

  /**
   * Opens a conversation for one session; a server of both eras is taken for one of the era preferred. A modern server at an address is shared by
   * all sessions, since no request depends on another; a process is the session's own. Rejects with `Unreachable`, and with `Close` once closed.
   */
  async open(preferred: "legacy" | "modern", lost: (method: unknown, because: string) => void): Promise<Opened> {
    if (this.#isClosed) throw new Close("the bridge is closing");
    if (this.#shared !== undefined && !this.connector.spawns) {
      const server = await this.#shared;
      await this.#refresh(server);
      if (preferred === "modern" || newestOf(supportedBy(server), "legacy") === undefined) return { era: "modern", server, isShared: true };
    }
    const found = this.#takeSpare() ?? (await this.#find());
    const isLegacy = found.era === "legacy" || (preferred === "legacy" && newestOf(found.revisions, "legacy") !== undefined);
    if (isLegacy) {
      const peer = this.#kept(found.peer ?? (await this.connector.connect(found.transport)));
      const offer = eraOf(found.revision) === "legacy" ? found.revision : newestOf(found.revisions, "legacy");
      return { era: "legacy", peer, transport: found.transport, offer, isUsed: found.peer !== undefined, doubt: found.doubt };
    }
    return this.#openModern(found, lost);
  }

  /** Opens a conversation with a server that took no handshake and named these modern revisions instead. */
  async openModern(
    revisions: readonly string[],
    lost: (method: unknown, because: string) => void,
  ): Promise<Opened & { readonly era: "modern" }> {
    const revision = newestOf(revisions, "modern");
    const transport = this.connector.transports.find((name) => revision !== undefined && definesTransport(revision, name));
    if (revision === undefined || transport === undefined) {
      throw new Unreachable(this.connector.name, nothingMutual(this.spoken, revisions), { delivered: "no" });
    }
    this.learn(revisions);
    return this.#openModern({ era: "modern", revision, revisions, transport }, lost);
  }

  /** Keeps that the server takes no handshake and named these modern revisions instead. */
  learn(revisions: readonly string[]): void {
    this.#eras.keep(this.connector.name, { era: "modern", revisions }, this.#options.now());
  }

  async #openModern(found: Probed, lost: (method: unknown, because: string) => void): Promise<Opened & { readonly era: "modern" }> {
    if (this.connector.spawns) return { era: "modern", server: await this.#serverOf(found, lost), isShared: false };
    this.#shared ??= this.#share(found);
    return { era: "modern", server: await this.#shared, isShared: true };
  }

  /** Opens the conversation that requests share which stand for themselves; undefined where the server is legacy. */
  async shared(): Promise<ModernServer | undefined> {
    if (this.#isClosed) throw new Close("the bridge is closing");
    if (this.#shared !== undefined) return this.#shared;
    this.#finding ??= this.#findShared().finally(() => (this.#finding = undefined));
    return this.#finding;
  }

  async #findShared(): Promise<ModernServer | undefined> {
    const found = await this.#find();
    if (found.era === "legacy") {
      this.#keepSpare(found);
      return undefined;
    }
    this.#shared ??= this.#share(found);
    return this.#shared;
  }

  /**
   * Shakes hands on a conversation, and over the next older transport where the server takes nothing over this one; `told` hears why. Gives what came
   * of it, and what opens another conversation over the same transport. Rejects with what the last handshake rejects with.
   */
  async greeted<T>(
    opened: Opened & { readonly era: "legacy" },
    shake: (on: Shaking) => Promise<T>,
    told: (because: string) => void,
  ): Promise<T> {
    let { peer, transport, isUsed } = opened;
    for (;;) {
      const over = transport;
      try {
        return await shake({ peer, isUsed, renew: () => this.openOver(over) });
      } catch (error) {
        const older = suggestsOlderTransport(error) ? olderTransport(this.connector, transport) : undefined;
        if (older === undefined) throw withDoubt(error, opened.doubt);
        told(`${error instanceof Error ? error.message : String(error)}; trying ${older}`);
        transport = older;
        isUsed = false;
        peer = await this.openOver(older);
      }
    }
  }

  /** Opens another conversation over a transport. */
  async openOver(transport: TransportName): Promise<Peer> {
    return this.#kept(await this.connector.connect(transport));
  }

  /** Forgets what was found out, after a failure that only another revision explains. */
  forget(): void {
    this.#eras.drop(this.connector.name);
    this.#shared = undefined;
  }

  /** Ends every conversation. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#peers].map((peer) => peer.close()));
  }

  async #find(): Promise<Probed> {
    const { timeouts, choices, now } = this.#options;
    const { upstreamRevision: forced } = choices;
    const [transport] = this.connector.transports;
    if (forced !== undefined && eraOf(forced) === "modern" && transport !== undefined) {
      return { era: "modern", revision: forced, revisions: [forced], transport };
    }
    return probe(this.connector, {
      ...this.#introduction(),
      spoken: this.spoken,
      timeoutMs: timeouts.probe,
      stdioProbe: choices.stdioProbe,
      cache: this.#eras,
      credential: this.connector.showsCredential,
      now,
      ...(forced === undefined ? {} : { era: eraOf(forced) }),
    });
  }

  /** A conversation that was opened to ask a legacy server its era serves the first who needs one. */
  #keepSpare(found: Probed): void {
    const { peer } = found;
    if (peer === undefined) return;
    if (this.#spare !== undefined) return void peer.close();
    this.#spare = found;
    this.#kept(peer);
    void peer.closed.then(() => {
      if (this.#spare === found) this.#spare = undefined;
    });
  }

  #takeSpare(): Probed | undefined {
    const spare = this.#spare;
    this.#spare = undefined;
    return spare;
  }

  #introduction(): { readonly clientInfo: Wire; readonly clientCapabilities: Wire; readonly timeoutMs: number } {
    return { clientInfo: this.#options.identity, clientCapabilities: {}, timeoutMs: this.#options.timeouts.probe };
  }

  #share(found: Probed): Promise<ModernServer> {
    const server = this.#serverOf(found, this.#lost);
    // A server that went away is looked for again by the next who asks.
    const forget = (): void => {
      if (this.#shared === server) this.#shared = undefined;
    };
    void server.then(({ peer }) => peer.closed).then(forget, forget);
    return server;
  }

  async #serverOf(found: Probed, lost: (method: unknown, because: string) => void): Promise<ModernServer> {
    const peer = this.#kept(found.peer ?? (await this.connector.connect(found.transport)));
    peer.agree(found.revision);
    const discovered = found.discover ?? (await askDiscovery(peer, found.revision, this.#introduction()));
    return new ModernServer(peer, found.revision, discovered ?? this.#assumed(), lost, this.#known);
  }

  /** Asks a server that is shared what it serves now: a client that comes later must not be told of what was, or of a server that is gone. */
  async #refresh(server: ModernServer): Promise<void> {
    this.#asked += 1;
    const discovered = await askDiscovery(server.peer, server.revision, this.#introduction(), this.#asked);
    if (discovered !== undefined) server.discovered = discovered;
  }

  /** A server that does not say what it serves is taken to serve everything: what it does not, it refuses itself. */
  #assumed(): Wire {
    this.#lost(DISCOVER, "the server does not answer it; it is taken to serve whatever it is asked for");
    return { capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} } };
  }

  #kept(peer: Peer): Peer {
    this.#peers.add(peer);
    void peer.closed.then(() => this.#peers.delete(peer));
    return peer;
  }
}

/** Says of a failed handshake what the probe before it failed with: both may be one refused credential. */
function withDoubt(error: unknown, doubt: Unreachable | undefined): unknown {
  if (doubt === undefined || !isUnreachable(error)) return error;
  const { status, body, challenge, delivered } = error;
  return new Unreachable(error.peer, `${error.reason}; before that, ${doubt.reason}`, { status, body, challenge, delivered, cause: doubt });
}

function supportedBy({ discovered }: ModernServer): readonly unknown[] {
  const supported: unknown = discovered["supportedVersions"];
  return Array.isArray(supported) ? supported : [];
}
