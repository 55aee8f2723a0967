// The bridge as the transports see it: sorts what clients send by era, opens sessions, and keeps count of conversations. Everything else is in the
// adapters; this is where they are put together.

import { isWire } from "../capabilities.js";
import { isEnvelopeError } from "../errors.js";
import { liftEnvelope } from "../envelope.js";
import { carryAll } from "../exact.js";
import { codecFor, knownRevisions, resolve } from "../mcp.js";
import type { Wire } from "../protocol.js";
import { METHOD_NOT_FOUND } from "../rpc-codes.js";
import { Stopper } from "../stop.js";
import { classifyHttp, type Serving } from "./classify.js";
import { eraOf, knownOf, newestOf } from "./eras.js";
import { errorOf } from "./answers.js";
import { Refusal } from "./errors.js";
import { Account, type BridgeEvent } from "./events.js";
import { OF_CAPABILITIES, shakeHands } from "./handshake.js";
import { LegacySession, type Backend, type ClientSide, type Refused } from "./legacy-session.js";
import { LegacyBehind } from "./legacy-behind.js";
import { ModernBackend } from "./modern-backend.js";
import { ModernFront, type Behind } from "./modern-front.js";
import { ModernRelay } from "./modern-relay.js";
import type { ModernServer } from "./modern-server.js";
import { greet, narrowed } from "./negotiate.js";
import type { BridgeOptions } from "./options.js";
import type { Arrival, Connector, Conversation, Exchanged, Link, Service, TransportName, Verdict, Visit } from "./peer.js";
import { PipeConversation } from "./pipe.js";
import { clientCapabilitiesOf, initializeResultOf } from "./project.js";
import { RelayBackend } from "./relay-backend.js";
import { Upstream, type Opened, type Shaking } from "./upstream.js";

/** A bridge between the clients of one or more transports and one server. */
export class BridgeService implements Service {
  readonly #options: BridgeOptions;
  readonly #upstream: Upstream;
  readonly #served: Serving;
  readonly #conversations = new Set<Conversation>();
  readonly #front: ModernFront;
  #last = 0;

  /** Throws `UnknownRevisionError` for a forced revision no table has. */
  constructor(connector: Connector, options: BridgeOptions) {
    this.#options = options;
    const account = this.#account();
    const lost = (method: unknown, because: string): void => {
      account.tell({ event: "dropped", hop: "upstream", method: typeof method === "string" ? method : undefined, because });
    };
    this.#upstream = new Upstream(connector, knownRevisions(), options, lost);
    const revisions = narrowed(knownRevisions(), options.choices.clientRevision);
    this.#served = { revisions, legacy: newestOf(revisions, "legacy") !== undefined, modern: newestOf(revisions, "modern") !== undefined };
    this.#front = this.#modernFront(account);
  }

  /** Counts the conversations that go on. */
  get conversations(): number {
    return this.#conversations.size;
  }

  classify(arrival: Arrival): Verdict {
    return classifyHttp(arrival, this.#served);
  }

  session(link: Link): Conversation {
    return this.#kept((account) => this.#legacySession(link, account));
  }

  exchange(message: Wire, visit: Visit): Promise<Exchanged> {
    return this.#front.exchange(message, visit);
  }

  pipe(link: Link): Conversation {
    return this.#kept((account) => {
      const session = (): Conversation => this.#legacySession(link, account);
      return new PipeConversation({ served: this.#served, account, session, front: this.#modernFront(account, "the client of the pipe") });
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#conversations].map((conversation) => conversation.close("the bridge is closing")));
    await this.#front.close("the bridge is closing");
    await this.#upstream.close();
  }

  #account(): Account {
    this.#last += 1;
    return new Account(this.#last, this.#options.observe, this.#options.now);
  }

  #kept(make: (account: Account) => Conversation): Conversation {
    const conversation = make(this.#account());
    const kept: Conversation = {
      get revision() {
        return conversation.revision;
      },
      receive: (message, visit) => conversation.receive(message, visit),
      hears: () => conversation.hears(),
      close: async (reason) => {
        this.#conversations.delete(kept);
        await conversation.close(reason);
      },
    };
    this.#conversations.add(kept);
    return kept;
  }

  #legacySession(link: Link, account: Account): LegacySession {
    const { limits, timeouts } = this.#options;
    return new LegacySession({ link, account, limits, timeouts, open: (initialize, client) => this.#open(initialize, client) });
  }

  /** Makes what answers modern clients; those of one front share what stands behind it, as far as their principals allow; `anyone` stands for those without. */
  #modernFront(account: Account, anyone?: string): ModernFront {
    const served = knownOf(this.#served.revisions);
    const upstream = this.#upstream;
    const given = { options: this.#options, account, served };
    const relays = new WeakMap<ModernServer, ModernRelay>();
    let legacy: LegacyBehind | undefined;
    const behind = async (): Promise<Behind> => {
      const server = await upstream.shared();
      if (server === undefined) {
        if (this.#options.choices.advertiseModern === "when-upstream-modern") throw NOT_MODERN;
        legacy ??= new LegacyBehind({ ...given, upstream, anyone });
        return legacy;
      }
      const relay = relays.get(server) ?? new ModernRelay({ ...given, server });
      relays.set(server, relay);
      return relay;
    };
    return new ModernFront({ account, behind });
  }

  async #open(initialize: Wire, client: ClientSide): Promise<Backend | Refused> {
    const revisions = narrowed(knownRevisions(), this.#options.choices.clientRevision);
    const read = await readInitialize(initialize, revisions);
    if ("refused" in read) return read;
    const { params } = read;
    const greeting = greet(params, revisions);
    if ("error" in greeting) return { refused: greeting.error };
    const lost = (method: unknown, because: string): void => {
      client.account.tell({ event: "dropped", hop: "upstream", method: typeof method === "string" ? method : undefined, because });
    };
    let opened = await this.#upstream.open("legacy", lost);
    let backend =
      opened.era === "legacy"
        ? await this.#relay(initialize, greeting.revision, opened, client)
        : await this.#modern(params, greeting.revision, opened, client);
    if ("modern" in backend) {
      const because = `the server takes no handshake; trying ${backend.modern.join(", ")}`;
      client.account.tell({ event: "reconnected", because });
      const again = await this.#upstream.openModern(backend.modern, lost);
      opened = again;
      backend = await this.#modern(params, greeting.revision, again, client);
    }
    if (!("refused" in backend)) client.account.tell(openedEvent(backend, opened, client.link.transport));
    return backend;
  }

  async #relay(
    message: Wire,
    downstream: string,
    opened: Opened & { readonly era: "legacy" },
    client: ClientSide,
  ): Promise<RelayBackend | Refused | { readonly modern: readonly string[] }> {
    const { spoken } = this.#upstream;
    const wanted = spoken.includes(downstream) && eraOf(downstream) === "legacy" ? downstream : newestOf(spoken, "legacy");
    const offer = this.#options.choices.upstreamRevision ?? wanted ?? downstream;
    const signal = new Stopper();
    const shake = async ({ peer, isUsed, renew }: Shaking): Promise<RelayBackend | Refused | { readonly modern: readonly string[] }> => {
      const greeting = { message, downstream, offer, spoken, transport: client.link.transport, signal, renew, isUsed };
      const greeted = await shakeHands(greeting, peer, this.#options);
      if (!("agreement" in greeted)) return greeted;
      return new RelayBackend(greeted, client, { renew, deafTo: this.#upstream.deafTo }, this.#options);
    };
    return this.#upstream.greeted(opened, shake, (because) => client.account.tell({ event: "reconnected", because }));
  }

  async #modern(
    params: Wire,
    downstream: string,
    { server, isShared }: Opened & { readonly era: "modern" },
    client: ClientSide,
  ): Promise<ModernBackend> {
    const { identity } = this.#options;
    const { transport } = client.link;
    const { capabilities, clientInfo } = params;
    const { takesSubscriptions } = server.known;
    const channels = { lists: takesSubscriptions, resources: takesSubscriptions, logs: true };
    const told = initializeResultOf(server.discovered, downstream, identity, channels);
    const profile = resolve({ revision: downstream, client: capabilities, server: told["capabilities"], transport });
    const codec = await codecFor(downstream, profile, { checked: true });
    const welcome = codec.lower("initialize", "result", told, OF_CAPABILITIES) as Wire;
    carryAll(server.discovered, welcome);
    return ModernBackend.open(
      {
        server,
        isShared,
        welcome,
        downstream: codec,
        clientCapabilities: clientCapabilitiesOf(capabilities, { from: downstream, to: server.revision }),
        clientInfo: isWire(clientInfo) ? clientInfo : undefined,
      },
      client,
      this.#options,
    );
  }
}

/** What a client of both eras takes as the advice to shake hands. https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning */
const NOT_MODERN = new Refusal(errorOf(METHOD_NOT_FOUND, "cannot serve requests without a handshake: the server has none either"));

/** Makes a bridge; throws `UnknownRevisionError` for a forced revision no table has. */
export function makeBridge(connector: Connector, options: BridgeOptions): BridgeService {
  return new BridgeService(connector, options);
}

/** Reads the params of `initialize` as tolerantly as everything is read, at the revision they ask for where that is known. */
async function readInitialize(message: Wire, revisions: readonly string[]): Promise<{ readonly params: Wire } | Refused> {
  const asked = isWire(message["params"]) ? message["params"]["protocolVersion"] : undefined;
  const revision = knownOf([asked], "legacy")[0] ?? newestOf(revisions, "legacy") ?? newestOf(knownRevisions(), "legacy") ?? "";
  const codec = await codecFor(revision, resolve({ revision, client: undefined, server: undefined, transport: null }));
  try {
    const envelope = liftEnvelope(codec, message);
    return { params: "params" in envelope && isWire(envelope.params) ? envelope.params : {} };
  } catch (error) {
    if (isEnvelopeError(error)) return { refused: { code: error.rpcCode, message: error.message } };
    throw error;
  }
}

function openedEvent(
  { downstream, upstream }: Backend,
  opened: Opened,
  transport: TransportName,
): Omit<BridgeEvent & { readonly event: "opened" }, "session"> {
  const serverTransport = opened.era === "legacy" ? opened.transport : opened.server.peer.transport;
  return {
    event: "opened",
    downstream: { era: "legacy", revision: downstream.version, transport },
    upstream: { era: opened.era, revision: upstream.version, transport: serverTransport },
  };
}
