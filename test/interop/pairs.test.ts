// Every native server meets every native client: what the one emits is lifted at its revision and lowered to the other's, which must accept it
// with its content or be spared it by a refusal.
import { beforeAll, describe, expect, it } from "vitest";
import { liftEnvelope } from "../../runtime/index.js";
import type { Answer } from "./answerer.js";
import { Caller } from "./caller.js";
import { fullCodec } from "./codecs.js";
import { judge, openSession, policyOf, promised, samplesAt } from "./judge.js";
import { memoryLine } from "./line.js";
import { nativeHandlers, nativeSamples, serverCapabilities } from "./native-server.js";
import { loadPeer, PEERS, type Peer } from "./peers.js";
import { requestFor, sampleFor, type Sample } from "./samples.js";

describe.each(PEERS.map((peer) => [peer.alias, peer] as const))("what %s serves", (_, server) => {
  let emitted: ReadonlyMap<string, Answer>;
  beforeAll(async () => {
    emitted = await collect(server);
  });

  it.each(PEERS.map((peer) => [peer.alias, peer] as const))("is read by %s", async (_, client) => {
    const policy = policyOf("balanced");
    const session = await openSession(client, policy, (method, params) => {
      const { name } = sampleFor(method, params);
      return emitted.get(name) ?? expect.fail(`${server.alias} gave no answer to ${name}`);
    });
    const shared = samplesAt(client.revision).filter(({ name }) => emitted.has(name));
    const faults: string[] = [];
    for (const sample of shared) {
      const verdict = await judge(session, asEmitted(sample, emitted));
      faults.push(...verdict.faults.map((fault) => `${sample.name}: ${fault}`));
      if (!promised(session.profile, policy, sample).includes(verdict.outcome))
        faults.push(`${sample.name}: ${verdict.outcome}: ${verdict.recorded.refusal?.message}`);
    }
    await session.close();
    expect(shared.length).toBeGreaterThan(40);
    expect(faults).toEqual([]);
  });
});

/** Collects what a native server answers to each sample it has words for, lifted. */
async function collect(peer: Peer): Promise<ReadonlyMap<string, Answer>> {
  const loaded = await loadPeer(peer);
  const { line, transport } = memoryLine(loaded.readLine);
  await loaded.serve(serverCapabilities(peer.revision), nativeHandlers(peer), transport);
  const caller = await Caller.meet(peer, line);
  const codec = await fullCodec(peer.revision);
  const emitted = new Map<string, Answer>();
  for (const sample of nativeSamples(peer.revision)) {
    const lifted = liftEnvelope(codec, await caller.call(sample.method, requestFor(sample)), sample.method);
    if (lifted.kind === "result") emitted.set(sample.name, { result: lifted.result });
    if (lifted.kind === "error") emitted.set(sample.name, { error: lifted.error });
  }
  await line.close();
  return emitted;
}

/** Gives a sample with the error its server made of it: an SDK may have rewritten the code or left out the data. */
function asEmitted(sample: Sample, emitted: ReadonlyMap<string, Answer>): Sample {
  const answer = emitted.get(sample.name);
  return answer !== undefined && "error" in answer ? { ...sample, error: answer.error } : sample;
}
