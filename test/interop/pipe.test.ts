// The same clients, the same answers, a real pipe: each native client starts a process that answers with what polyrev lowers, over the SDK's own
// stdio transport.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Wire } from "../../runtime/index.js";
import { CAPABILITIES_KEY, Answerer, sampleAnswers } from "./answerer.js";
import { clientCapabilities, judge, policyOf, promised, samplesAt, type Session } from "./judge.js";
import { loadPeer, PEERS, type Peer } from "./peers.js";
import { requestFor, type Sample } from "./samples.js";
import { scriptCommand } from "./script.js";
import { settle } from "./settle.js";

const PRESET = "balanced";

describe.each(PEERS.map((peer) => [peer.alias, peer.revision, peer] as const))("%s, native to %s, over a pipe", (_, revision, peer) => {
  let session: Session;
  beforeAll(async () => {
    session = await openPipe(peer);
  });
  afterAll(() => session.close());

  it.each(samplesAt(revision).map((sample) => [sample.name, sample] as const))("%s", async (_, sample) => {
    const verdict = await judge(session, sample);
    expect(verdict.faults).toEqual([]);
    expect(promised(session.profile, policyOf(PRESET), sample)).toContain(verdict.outcome);
  });
});

/** Connects a native client to an answering process; a twin of the answerer in this process says what was lowered. */
async function openPipe(peer: Peer): Promise<Session> {
  const loaded = await loadPeer(peer);
  const capabilities = clientCapabilities(peer.revision);
  const client = loaded.newClient(capabilities);
  await client.connect(loaded.processTransport(...scriptCommand("answerer-process.ts", peer.revision, PRESET)));
  const twin = await Answerer.create(peer.revision, policyOf(PRESET), sampleAnswers);
  const ask = (method: string, params: Wire) => twin.answer({ jsonrpc: "2.0", id: 1, method, params });
  const meta = { [CAPABILITIES_KEY]: capabilities };
  if (peer.era === "modern") ask("server/discover", { _meta: meta });
  else ask("initialize", { protocolVersion: peer.revision, capabilities });
  return {
    peer,
    client,
    profile: twin.profile,
    async ask(sample: Sample) {
      ask(sample.method, peer.era === "modern" ? { ...requestFor(sample), _meta: meta } : requestFor(sample));
      const recorded = twin.recorded.at(-1) ?? expect.fail("nothing was lowered");
      return { recorded, got: await settle(client.call(sample.method, requestFor(sample))) };
    },
    close: () => client.close(),
  };
}
