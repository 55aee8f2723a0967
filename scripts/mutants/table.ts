// The faults that `npm run test:mutants` plants, one at a time: each replaces one text that stands once in one file of runtime/, and names the tests
// that should notice.

/** One fault. */
export interface Mutant {
  /** Says what goes wrong, in words for the table. */
  readonly fault: string;
  /** `proxy` for what a bridge between revisions gets wrong by itself, `attack` for what somebody could use. */
  readonly kind: "proxy" | "attack";
  /** Below runtime/. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
  /** Below test/, without `.test.ts`; the fewest that should notice. */
  readonly tests: readonly string[];
}

const AGREEMENT = "bridge/agreement.ts";
const ANSWERED = "  const written = lowered(asker, given, policy, report);";
const RESULT = `  const given = envelope.kind === "result" && edit !== undefined ? { ...envelope, result: edit(envelope.result) } : envelope;`;
const PAYLOADS = ["bridge/payloads"];

/** Lets one field of a server's result through to the client, whatever the client's revision. */
function leak(field: string): string {
  const read = `(answer["result"] as Wire)["${field}"]`;
  return `  const kept = lowered(asker, given, policy, report);
  const leaked = kept["result"] === undefined ? undefined : ${read};
  const written = leaked === undefined ? kept : { ...kept, result: { ...(kept["result"] as Wire), ${field}: leaked } };`;
}

/** Replaces every result on its way by what an expression gives for its text. */
function changed(expression: string): string {
  return `  const own = envelope.kind === "result" && edit !== undefined ? { ...envelope, result: edit(envelope.result) } : envelope;
  const given = own.kind === "result" ? { ...own, result: ${expression} as unknown } : own;`;
}

/** Changes the text of every result on its way. */
function rewrite(pattern: string, replacement: string): string {
  return changed(`JSON.parse(JSON.stringify(own.result).replaceAll(${pattern}, ${replacement}))`);
}

/** Drops a field from every object of every result. */
function dropField(field: string): string {
  return changed(`JSON.parse(JSON.stringify(own.result, (key, value: unknown) => (key === "${field}" ? undefined : value)))`);
}

const leaks: readonly Mutant[] = ["resultType", "ttlMs", "cacheScope", "_meta"].map((field) => ({
  fault: `${field} of a modern server reaches legacy clients`,
  kind: "proxy",
  file: AGREEMENT,
  find: ANSWERED,
  replace: leak(field),
  tests: ["bridge/legacy-to-modern"],
}));

const drops: readonly Mutant[] = ["structuredContent", "annotations", "outputSchema", "title", "isError", "nextCursor", "vendor"].map(
  (field) => ({
    fault: `${field} is dropped from results`,
    kind: "proxy",
    file: AGREEMENT,
    find: RESULT,
    replace: dropField(field),
    tests: PAYLOADS,
  }),
);

const rewrites: readonly Mutant[] = [
  {
    fault: "all text of results is replaced",
    kind: "proxy",
    file: AGREEMENT,
    find: RESULT,
    replace: rewrite(String.raw`/"text":"(?:[^"\\]|\\.)*"/g`, `'"text":"x"'`),
    tests: PAYLOADS,
  },
  {
    fault: "binary data is corrupted",
    kind: "proxy",
    file: AGREEMENT,
    find: RESULT,
    replace: rewrite(String.raw`/"(data|blob)":"./g`, `'"$1":"_'`),
    tests: PAYLOADS,
  },
];

const others: readonly Mutant[] = [
  {
    fault: "progress of a modern server is dropped",
    kind: "proxy",
    file: "bridge/modern-backend.ts",
    find: `: this.#give(progressed.frame, leg.flow);`,
    replace: `: undefined;`,
    tests: ["bridge/legacy-to-modern"],
  },
  {
    fault: "progress of a legacy server is dropped",
    kind: "proxy",
    file: "bridge/legacy-behind.ts",
    find: `method === "notifications/progress" ? turn.line?.forward(params) : params`,
    replace: `method === "notifications/progress" ? undefined : params`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "log messages of a modern server are dropped",
    kind: "proxy",
    file: "bridge/modern-backend.ts",
    find: `    return wants(this.#level, level);`,
    replace: `    return wants(this.#level, level) && level === undefined;`,
    tests: ["bridge/legacy-to-modern"],
  },
  {
    fault: "requestState is not echoed",
    kind: "proxy",
    file: "bridge/rounds.ts",
    find: `return state.requestState === undefined ? params : withField(params, "requestState", state.requestState);`,
    replace: `return params;`,
    tests: ["bridge/legacy-to-modern"],
  },
  {
    fault: "the stream of notifications is never opened",
    kind: "proxy",
    file: "bridge/subscription.ts",
    find: `    if (isIdle(this.#wish())) return;`,
    replace: `    return;`,
    tests: ["bridge/legacy-to-modern"],
  },
  {
    fault: "the answer to a form is altered for a modern server",
    kind: "proxy",
    file: "bridge/asking.ts",
    find: `  return readAnswer(ask, { ...answered.response, result: lifted }, choices);`,
    replace: `  return readAnswer(ask, { ...answered.response, result: isWire(lifted) ? { ...lifted, action: "accept" } : lifted }, choices);`,
    tests: ["bridge/legacy-to-modern"],
  },
  {
    fault: "the answer to a form is altered for a legacy server",
    kind: "proxy",
    file: "bridge/legacy-behind.ts",
    find: `        void session.answer(id, { jsonrpc: "2.0", result });`,
    replace: `        void session.answer(id, { jsonrpc: "2.0", result: { ...(result as Wire), content: {} } });`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "results of a legacy server are said to be public",
    kind: "proxy",
    file: AGREEMENT,
    find: ANSWERED,
    replace: `  const kept = lowered(asker, given, policy, report);
  const written = JSON.parse(JSON.stringify(kept).replace('"cacheScope":"private"', '"cacheScope":"public"')) as Wire;`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "a request says nothing of its method in its headers",
    kind: "proxy",
    file: "bridge/headers.ts",
    find: `    [METHOD]: method,\n`,
    replace: ``,
    tests: ["bridge/headers"],
  },
  {
    fault: "arguments are not repeated in headers",
    kind: "proxy",
    file: "bridge/modern-server.ts",
    find: `return repeated === undefined ? standard : { ...standard, ...paramHeaders(repeated, params["arguments"]) };`,
    replace: `return standard;`,
    tests: ["bridge/legacy-to-modern"],
  },
  {
    fault: "changes of single resources are dropped",
    kind: "proxy",
    file: "bridge/listening.ts",
    find: `    const uri = paramsOf(frame)?.["uri"];`,
    replace: `    const uri = undefined as unknown;`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "2026-07-28 stands in the result of initialize",
    kind: "proxy",
    file: "bridge/negotiate.ts",
    find: `if (eraOf(requested) === "legacy" && served.includes(requested)) return { revision: requested };`,
    replace: `if (served.includes(requested)) return { revision: requested };`,
    tests: ["bridge/negotiate"],
  },
  {
    fault: "metadata that no two hops share goes to a legacy server",
    kind: "proxy",
    file: "bridge/legacy-behind.ts",
    find: `withoutRetryFields(method, stripMeta(params, crossing), downstream.version)`,
    replace: `withoutRetryFields(method, crossing === undefined ? params : params, downstream.version)`,
    tests: ["bridge/attacks"],
  },
  {
    fault: "requestState and inputResponses go to a legacy server",
    kind: "proxy",
    file: "bridge/rounds.ts",
    find: `  return withoutFields(params, RETRY_FIELDS);`,
    replace: `  return params;`,
    tests: ["bridge/rounds", "bridge/attacks"],
  },
  {
    fault: "the client's progress token is used upstream",
    kind: "proxy",
    file: "bridge/tokens.ts",
    find: "const token = `polyrev-${this.#last}`;",
    replace: `const token = "5";`,
    tests: ["bridge/tokens"],
  },
  {
    fault: "a cancellation names another request",
    kind: "proxy",
    file: "bridge/pooled-session.ts",
    find: `    const told = this.notify(cancellationOf(id, reason))`,
    replace: `    const told = this.notify(cancellationOf(Number(id) + 1, reason))`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "a client that leaves cancels nothing",
    kind: "proxy",
    file: "bridge/legacy-behind.ts",
    find: `    const leave = (): void => this.#give(parked, flow.reason);`,
    replace: `    const leave = (): void => void flow.reason;`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "a notification for a client that is away is dropped unreported",
    kind: "proxy",
    file: "bridge/legacy-behind.ts",
    find: `    if (turn === undefined) return this.#drop(method, "its client is away");`,
    replace: `    if (turn === undefined) return undefined;`,
    tests: ["bridge/attacks"],
  },
  {
    fault: "a change nobody listens for is dropped unreported",
    kind: "proxy",
    file: "bridge/pooled-session.ts",
    find: `      if (this.listeners.size === 0) return this.#drop(method, "nobody listens");`,
    replace: `      if (this.listeners.size === 0) return undefined;`,
    tests: ["bridge/attacks"],
  },
  {
    fault: "a server is declared what its client cannot be asked",
    kind: "proxy",
    file: "bridge/project.ts",
    find: `  return mayAsk ? capabilities : withoutFields(capabilities, ASKING);`,
    replace: `  return mayAsk ? capabilities : capabilities;`,
    tests: ["bridge/project"],
  },
  {
    fault: "a code that only the protocol may use goes up",
    kind: "proxy",
    file: "bridge/upward-errors.ts",
    find: `const isReserved = error.code >= RESERVED.from && error.code <= RESERVED.to;`,
    replace: `const isReserved = error.code > RESERVED.to && error.code < RESERVED.from;`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "a call of a lost session is made twice",
    kind: "attack",
    file: "bridge/relay-backend.ts",
    find: `      if (!REPEATABLE.has(call.flow.method)) throw lost(call.flow.method);\n`,
    replace: ``,
    tests: ["bridge/legacy-to-legacy"],
  },
  {
    fault: "a call whose state is spent is made again",
    kind: "attack",
    file: "bridge/legacy-behind.ts",
    find: `    if (parked === undefined) throw lostState(method);`,
    replace: `    if (parked === undefined) {
      const { requestState: _, inputResponses: __, ...original } = params;
      return this.answer(flow.saying(withField(flow.message, "params", original)), envelope, hops);
    }`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "two answers are swapped",
    kind: "attack",
    file: "transport/exchange.ts",
    find: `  if (inFlight.has(id)) return { how: "exact", id };`,
    replace: `  if (inFlight.has(id)) return { how: "exact", id: [...inFlight.keys()].at(-1) ?? id };`,
    tests: ["transport/exchange"],
  },
  {
    fault: "an answer of a client goes to another question of the server",
    kind: "attack",
    file: "bridge/legacy-behind.ts",
    find: `      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;`,
    replace: `      const response = key === "" ? undefined : Object.values(responses)[0];`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "the seal on requestState is not checked",
    kind: "attack",
    file: "bridge/seal.ts",
    find: `    if (!isOurs) return INVALID;`,
    replace: `    if (!isOurs && !said.startsWith("[")) return INVALID;`,
    tests: ["bridge/attacks"],
  },
  {
    fault: "requestState is good for every principal",
    kind: "attack",
    file: "bridge/seal.ts",
    find: `JSON.stringify([principal ?? null, method, digestOf(params)])`,
    replace: `JSON.stringify([principal === "" ? 1 : null, method, digestOf(params)])`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "requestState is good for every method",
    kind: "attack",
    file: "bridge/seal.ts",
    find: `JSON.stringify([principal ?? null, method, digestOf(params)])`,
    replace: `JSON.stringify([principal ?? null, method === "" ? 1 : null, digestOf(params)])`,
    tests: ["bridge/attacks"],
  },
  {
    fault: "requestState is good for other params",
    kind: "attack",
    file: "bridge/seal.ts",
    find: `JSON.stringify([principal ?? null, method, digestOf(params)])`,
    replace: `JSON.stringify([principal ?? null, method, typeof digestOf(params)])`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "requestState never expires",
    kind: "attack",
    file: "bridge/seal.ts",
    find: `return now > expires ? { fault: "expired" } : { handle: { flow, round, expires } };`,
    replace: `return now > Infinity ? { fault: "expired" } : { handle: { flow, round, expires } };`,
    tests: ["bridge/attacks"],
  },
  {
    fault: "requestState of an earlier process is taken",
    kind: "attack",
    file: "bridge/seal.ts",
    find: `    if (epoch !== this.#epoch) return { fault: "earlier-process" };\n`,
    replace: ``,
    tests: ["bridge/attacks"],
  },
  {
    fault: "requestState of an earlier round is taken",
    kind: "attack",
    file: "bridge/legacy-behind.ts",
    find: `    if (opened.handle.round !== parked.flow.round || parked.flow.turn !== undefined) throw REJECTED;
    const { session } = parked.hops.lease;
    const agreement = await this.#agree(flow, envelope, session);
    if (opened.handle.round !== parked.flow.round || parked.flow.turn !== undefined) throw REJECTED;`,
    replace: `    const { session } = parked.hops.lease;
    const agreement = await this.#agree(flow, envelope, session);`,
    tests: ["bridge/attacks"],
  },
  {
    fault: "principals share a session with the server",
    kind: "attack",
    file: "bridge/session-pool.ts",
    find: `const owner = this.#options.choices.sessions === "shared" ? "" : JSON.stringify(need.principal);`,
    replace: `const owner = "";`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "clients that can be asked different things share a session with the server",
    kind: "attack",
    file: "bridge/session-pool.ts",
    find: `    return any ?? own + fingerprint;`,
    replace: `    return any ?? own;`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "one principal cancels the request of another",
    kind: "attack",
    file: "bridge/modern-front.ts",
    find: `isWire(params) ? this.#flows.get(visit.principal)?.get(params["requestId"]) : undefined`,
    replace: `isWire(params) ? [...this.#flows.values()].map((flows) => flows.get(params["requestId"])).find((one) => one !== undefined) : undefined`,
    tests: ["bridge/modern-to-modern"],
  },
  {
    fault: "a result that asks, forged by a legacy server, reaches a modern client",
    kind: "attack",
    file: "bridge/legacy-behind.ts",
    find: `stripMeta(withoutModernFields(result), NOTHING_CROSSES)`,
    replace: `stripMeta(result, NOTHING_CROSSES)`,
    tests: ["bridge/modern-to-legacy"],
  },
  {
    fault: "metadata of a hop, forged by a legacy server, reaches a modern client",
    kind: "attack",
    file: "bridge/legacy-behind.ts",
    find: `stripMeta(withoutModernFields(result), NOTHING_CROSSES)`,
    replace: `withoutModernFields(result)`,
    tests: ["bridge/attacks"],
  },
  {
    fault: "a question that was not invited is shown",
    kind: "attack",
    file: "bridge/rounds.ts",
    find: `    if (uninvited !== undefined) return violation(facts, uninvited);`,
    replace: ``,
    tests: ["bridge/legacy-to-modern"],
  },
  {
    fault: "headers that say something else are let through",
    kind: "attack",
    file: "bridge/modern-front.ts",
    find: `    if (visit.header === undefined) return undefined;`,
    replace: `    return undefined;`,
    tests: ["bridge/modern-to-modern"],
  },
  {
    fault: "a second request under an id in flight is taken",
    kind: "attack",
    file: "bridge/flow.ts",
    find: `    else return false;`,
    replace: `    else this.#flows.set(flow.id, flow);`,
    tests: ["bridge/legacy-to-legacy"],
  },
  {
    fault: "the client's credential is shown to the bridge",
    kind: "attack",
    file: "transport/http-server.ts",
    find: `(WITHHELD.has(name) ? undefined : (request.headers.get(name) ?? undefined))`,
    replace: `(request.headers.get(name) ?? undefined)`,
    tests: ["transport/http-server"],
  },
  {
    fault: "the id of a session is fixed",
    kind: "attack",
    file: "transport/http-sessions.ts",
    find: `return [...crypto.getRandomValues(new Uint8Array(BYTES_OF_AN_ID))]`,
    replace: `return [...new Uint8Array(BYTES_OF_AN_ID)]`,
    tests: ["transport/http-server"],
  },
  {
    fault: "a client chooses the id of its session",
    kind: "attack",
    file: "transport/http-server.ts",
    find: `    const session = this.#newSession(post.principal);`,
    replace: `    const session = this.#newSession(post.principal);
    Object.defineProperty(session, "id", { value: post.request.headers.get(SESSION_HEADER) ?? session.id });`,
    tests: ["transport/attacks"],
  },
  {
    fault: "a session is good for every principal",
    kind: "attack",
    file: "transport/http-sessions.ts",
    find: `    return session?.principal === principal ? session : undefined;`,
    replace: `    return session;`,
    tests: ["transport/http-server"],
  },
  {
    fault: "a session of HTTP+SSE is good for every principal",
    kind: "attack",
    file: "transport/http-server.ts",
    find: `    if (session === undefined || session.principal !== principal) {`,
    replace: `    if (session === undefined) {`,
    tests: ["transport/http-legacy-sse"],
  },
  {
    fault: "any Origin is let in",
    kind: "attack",
    file: "transport/http-access.ts",
    find: `  if (origin !== null && !isOriginAllowed(`,
    replace: `  if (origin === "" && !isOriginAllowed(`,
    tests: ["transport/http-access"],
  },
  {
    fault: "any Host is let in",
    kind: "attack",
    file: "transport/http-access.ts",
    find: `  if (!isHostAllowed(options.allowedHosts ?? LOOPBACK_HOSTS, host))`,
    replace: `  if (host === "" && !isHostAllowed(options.allowedHosts ?? LOOPBACK_HOSTS, host))`,
    tests: ["transport/http-access"],
  },
  {
    fault: "messages are posted at another origin",
    kind: "attack",
    file: "transport/sse-client.ts",
    find: `    if (foreign !== undefined) {`,
    replace: `    if (foreign === "") {`,
    tests: ["transport/sse-client"],
  },
  {
    fault: "a redirect to another origin is followed",
    kind: "attack",
    file: "transport/http-wire.ts",
    find: `    if (foreign !== undefined) throw`,
    replace: `    if (foreign === "") throw`,
    tests: ["transport/http-client"],
  },
  {
    fault: "the query of the server's address stands in errors",
    kind: "attack",
    file: "transport/http-headers.ts",
    find: '  return `${url.origin}${path.join("/")}`;',
    replace: '  return `${url.origin}${path.join("/")}${url.search}`;',
    tests: ["transport/http-client"],
  },
];

/** All faults. */
export const MUTANTS: readonly Mutant[] = [...leaks, ...drops, ...rewrites, ...others];
