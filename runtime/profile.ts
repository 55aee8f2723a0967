// Decides which features two peers can use. Takes what was negotiated (revision, both sides' capabilities, transport) and folds it over the feature rows;
// gives an immutable set of features that can also say, for each one, why it is on or off.

import {
  addFlag,
  flagForm,
  flagTree,
  fullCapabilities,
  hasFlag,
  readFlags,
  type FlagForm,
  type FlagTree,
  type Side,
} from "./capabilities.js";
import { ProfileError, type Condition, type MissingFlag } from "./errors.js";
import type { Cite, FeatureEntry, ProtocolTables } from "./protocol.js";
import { isBetween, revisionEntry, revisionIndex } from "./revision.js";

/** Carries both sides' capabilities as the peers sent them: any JSON value, or undefined where nothing was sent. */
export interface Capabilities {
  readonly client: unknown;
  readonly server: unknown;
}

/** Carries what was negotiated; without a transport (null), features that need one are off. */
export interface Session extends Capabilities {
  readonly revision: string;
  readonly transport: string | null;
}

/** Says why a feature is on or off; `cite` is the removal's where the revision is too new for it, else the row's. */
export interface Explanation {
  /** Id of the feature. */
  readonly feature: string;
  readonly enabled: boolean;
  /** The first condition that does not hold; absent when the feature is on. */
  readonly failed?: Condition;
  readonly missing?: MissingFlag;
  readonly cite: Cite;
  /** One lower-case sentence that names the feature, without the cite. */
  readonly because: string;
}

/**
 * Works out which features are on. Pure. A feature is on when the revision has it; when every capability flag it requires was advertised
 * by the side that owns it; when the session's transport is the one it needs and the revision defines that; and when the revision defines the flags.
 * Throws `UnknownRevisionError`, and `ProfileError` for a transport the tables do not know.
 */
export function resolve(tables: ProtocolTables, session: Session): FeatureProfile {
  const plan = planFor(tables, session.revision, session.transport);
  const bits = new Uint32Array(plan.base);
  const set = new Uint8Array(plan.byFlag.length);
  readFlags(plan.client, session.client, set);
  readFlags(plan.server, session.server, set);
  for (let flag = 0; flag < set.length; flag += 1) {
    if (set[flag] === 1) for (const feature of plan.byFlag[flag] ?? []) addBit(bits, feature);
  }
  for (const { feature, any, flags } of plan.joint) {
    if (any ? flags.some((flag) => set[flag] === 1) : flags.every((flag) => set[flag] === 1)) addBit(bits, feature);
  }
  return new FeatureProfile(tables, session.revision, session.transport, { client: session.client, server: session.server }, bits);
}

const NOT_CARRIED: Capabilities = Object.freeze({ client: undefined, server: undefined });

/** Is the set of features two peers can use: an immutable bitset that knows what it was resolved from. Features are given by their index into the feature table. */
export class FeatureProfile {
  readonly revision: string;
  readonly transport: string | null;
  readonly capabilities: Capabilities;
  /** 32 features a word, in table order; not to be written to. */
  readonly bits: Uint32Array;
  readonly #tables: ProtocolTables;

  /** Takes ownership of `bits`; `resolve` and `FeatureProfile.parse` are the ways to get a profile. */
  constructor(tables: ProtocolTables, revision: string, transport: string | null, capabilities: Capabilities, bits: Uint32Array) {
    this.#tables = tables;
    this.revision = revision;
    this.transport = transport;
    this.capabilities = capabilities;
    this.bits = bits;
  }

  /** Gives the tables of the protocol it was resolved over. */
  get tables(): ProtocolTables {
    return this.#tables;
  }

  /**
   * Reads what `toString` printed, for the same tables; the capabilities are not in the text, so `explain` counts every flag of a feature that is off as missing.
   * Throws `ProfileError` for malformed text and unknown transports, `UnknownRevisionError` for an unknown revision.
   */
  static parse(tables: ProtocolTables, text: string): FeatureProfile {
    const [revision, transport, words, ...rest] = text.split("|");
    if (revision === undefined || transport === undefined || words === undefined || rest.length > 0)
      throw malformed(text, "not revision|transport|words");
    revisionEntry(tables, revision);
    if (transport !== "") checkTransport(tables, transport);
    return new FeatureProfile(tables, revision, transport === "" ? null : transport, NOT_CARRIED, parseWords(tables, text, words));
  }

  /** Tells whether a feature is on; an index beyond the table is off. */
  isEnabled(feature: number): boolean {
    return (this.bits[feature >>> 5]! & (1 << (feature & 31))) !== 0;
  }

  /** Says why a feature is on or off; throws `ProfileError` for an index beyond the table. */
  explain(feature: number): Explanation {
    const row = this.#row(feature);
    const refusal =
      whyImpossible(this.#tables, row, this.revision, this.transport) ?? whyDenied(this.#tables, row, this.revision, this.capabilities);
    if (!this.isEnabled(feature)) {
      const excluded: Refusal = { failed: "excluded", cite: row.cite, because: `${row.id} was taken out of this profile` };
      return { feature: row.id, enabled: false, ...(refusal ?? excluded) };
    }
    const unknown = refusal?.failed === "capability" && this.capabilities === NOT_CARRIED;
    const because =
      refusal === undefined || unknown
        ? `${row.id} is in ${this.revision}`
        : `${row.id} was put into this profile, although ${refusal.because}`;
    return { feature: row.id, enabled: true, cite: row.cite, because };
  }

  /** Makes a profile with more features on. It is an explicit act and asks nothing: even a feature the revision lacks is on afterwards. */
  with(...features: readonly number[]): FeatureProfile {
    const bits = this.bits.slice();
    for (const feature of features) addBit(bits, this.#checked(feature));
    return this.#withBits(bits);
  }

  /** Makes a profile with fewer features on. */
  without(...features: readonly number[]): FeatureProfile {
    const off = new Uint32Array(this.bits.length);
    for (const feature of features) addBit(off, this.#checked(feature));
    return this.#withBits(this.bits.map((word, index) => word & ~wordAt(off, index)));
  }

  /** Makes a profile of what both have, with this one's revision, transport and capabilities; throws `ProfileError` for a profile of another protocol. */
  and(other: FeatureProfile): FeatureProfile {
    if (other.#tables !== this.#tables)
      throw new ProfileError("other-protocol", "cannot intersect profiles: they are of different protocols");
    return this.#withBits(this.bits.map((word, index) => word & wordAt(other.bits, index)));
  }

  /** Tells whether revision, transport and features are the same; capabilities are not compared. */
  equals(other: FeatureProfile): boolean {
    return (
      this.revision === other.revision &&
      this.transport === other.transport &&
      this.bits.length === other.bits.length &&
      this.bits.every((word, index) => word === other.bits[index])
    );
  }

  /** Counts the features that are on. */
  get size(): number {
    return [...this].length;
  }

  /** Yields the indices of the features that are on, in table order. */
  *[Symbol.iterator](): Generator<number, void, undefined> {
    for (const feature of this.#tables.features.keys()) {
      if (this.isEnabled(feature)) yield feature;
    }
  }

  /** Prints `revision|transport|words`, the words in hexadecimal with commas between; `parse` reads it back. */
  toString(): string {
    const words = Array.from(this.bits, (word) => word.toString(16).padStart(8, "0"));
    return `${this.revision}|${this.transport ?? ""}|${words.join(",")}`;
  }

  #withBits(bits: Uint32Array): FeatureProfile {
    return new FeatureProfile(this.#tables, this.revision, this.transport, this.capabilities, bits);
  }

  #row(feature: number): FeatureEntry {
    const row = this.#tables.features[feature];
    if (row !== undefined) return row;
    throw new ProfileError("unknown-feature", `cannot use feature ${feature}: the table has 0 to ${this.#tables.features.length - 1}`);
  }

  #checked(feature: number): number {
    this.#row(feature);
    return feature;
  }
}

/** Holds both sides' capabilities before they are resolved; immutable, bound to one protocol's tables. */
export class CapabilitySet {
  readonly client: unknown;
  readonly server: unknown;
  readonly #tables: ProtocolTables;

  private constructor(tables: ProtocolTables, client: unknown, server: unknown) {
    this.#tables = tables;
    this.client = client;
    this.server = server;
  }

  /** Makes the set in which both sides advertise every flag a revision defines; throws `UnknownRevisionError`. */
  static allFor(tables: ProtocolTables, revision: string): CapabilitySet {
    revisionEntry(tables, revision);
    return new CapabilitySet(tables, fullCapabilities(tables, revision, "client"), fullCapabilities(tables, revision, "server"));
  }

  /** Makes the set of what two peers sent. */
  static of(tables: ProtocolTables, client: unknown, server: unknown): CapabilitySet {
    return new CapabilitySet(tables, client, server);
  }

  /** Makes a set with other client capabilities. */
  withClient(client: unknown): CapabilitySet {
    return new CapabilitySet(this.#tables, client, this.server);
  }

  /** Makes a set with other server capabilities. */
  withServer(server: unknown): CapabilitySet {
    return new CapabilitySet(this.#tables, this.client, server);
  }

  /** Resolves the set at a revision over a transport; throws as `resolve` does. */
  resolve(revision: string, transport: string | null): FeatureProfile {
    return resolve(this.#tables, { revision, transport, client: this.client, server: this.server });
  }
}

/** Is what `resolve` needs for one revision and transport, worked out once: what is on whatever the peers say, and what hangs on their flags. */
interface Plan {
  readonly base: Uint32Array;
  /** The flags to read, numbered across both sides. */
  readonly client: FlagTree;
  readonly server: FlagTree;
  /** The features that need one flag, by its number. */
  readonly byFlag: readonly (readonly number[])[];
  /** The features that need one of two flags, or both. */
  readonly joint: readonly { readonly feature: number; readonly any: boolean; readonly flags: readonly number[] }[];
}

const PLANS = new WeakMap<ProtocolTables, Map<string, Map<string | null, Plan>>>();

function planFor(tables: ProtocolTables, revision: string, transport: string | null): Plan {
  const found = PLANS.get(tables)?.get(revision)?.get(transport);
  if (found !== undefined) return found;
  const plan = makePlan(tables, revision, transport);
  const byRevision = PLANS.get(tables) ?? new Map<string, Map<string | null, Plan>>();
  const byTransport = byRevision.get(revision) ?? new Map<string | null, Plan>();
  PLANS.set(tables, byRevision.set(revision, byTransport.set(transport, plan)));
  return plan;
}

function makePlan(tables: ProtocolTables, revision: string, transport: string | null): Plan {
  revisionEntry(tables, revision);
  if (transport !== null) checkTransport(tables, transport);
  const base = emptyBits(tables);
  const trees = { client: flagTree(), server: flagTree() };
  const numbers = new Map<string, number>();
  const byFlag: number[][] = [];
  const joint = [];
  for (const [feature, row] of tables.features.entries()) {
    if (whyImpossible(tables, row, revision, transport) !== undefined) continue;
    const flags: number[] = [];
    for (const { side, flag, form } of needsOf(tables, row, revision).filter(isDefined)) {
      const name = `${side} ${flag}`;
      const number = numbers.get(name) ?? byFlag.push([]) - 1;
      if (!numbers.has(name)) addFlag(trees[side], tables, side, flag, form, number);
      numbers.set(name, number);
      flags.push(number);
    }
    const [only] = flags;
    if (only === undefined) addBit(base, feature);
    else if (flags.length === 1) byFlag[only]?.push(feature);
    else joint.push({ feature, any: row.requires?.match === "any", flags });
  }
  return { base, ...trees, byFlag, joint };
}

/** Is a capability flag a feature needs; `form` is undefined where the revision does not define the flag. */
interface Need {
  readonly side: Side;
  readonly flag: string;
  readonly form: FlagForm | undefined;
}

interface Refusal {
  readonly failed: Condition;
  readonly missing?: MissingFlag;
  readonly cite: Cite;
  readonly because: string;
}

/** Finds what rules a feature out whatever the peers advertise: revision, transport, or a flag the revision does not define. */
function whyImpossible(tables: ProtocolTables, row: FeatureEntry, revision: string, transport: string | null): Refusal | undefined {
  const { id, cite } = row;
  if (!isBetween(tables, revision, row.first, row.last)) {
    const early = revisionIndex(tables, revision) < revisionIndex(tables, row.first);
    if (early) return { failed: "revision", cite, because: `${id} is not in ${revision}: it came with ${row.first}` };
    const end = row.removal === undefined ? `${row.last} was the last to have it` : `${row.removal.revision} removed it`;
    return { failed: "revision", cite: row.removal ?? cite, because: `${id} is not in ${revision}: ${end}` };
  }
  if (row.transport !== undefined) {
    const needed = `${id} needs the transport ${row.transport}`;
    if (row.transport !== transport) return { failed: "transport", cite, because: `${needed}: the session has ${transport ?? "none"}` };
    const isThere = revisionEntry(tables, revision).transports.includes(transport);
    if (!isThere) return { failed: "transport", cite, because: `${needed}: ${revision} does not define it` };
  }
  const needs = needsOf(tables, row, revision);
  const undefinedOnes = needs.filter((need) => !isDefined(need));
  const failing = firstFailing(row, needs, undefinedOnes);
  return (
    failing && {
      failed: "flag",
      missing: missingFlag(failing),
      cite,
      because: `${describeNeed(row, needs, failing)}: ${revision} does not define it`,
    }
  );
}

/** Finds the capability flag whose absence turns a feature off that is otherwise possible. */
function whyDenied(tables: ProtocolTables, row: FeatureEntry, revision: string, capabilities: Capabilities): Refusal | undefined {
  const needs = needsOf(tables, row, revision).filter(isDefined);
  const absent = needs.filter(({ side, flag, form }) => !hasFlag(tables, side, capabilities[side], flag, form));
  const failing = firstFailing(row, needs, absent);
  return (
    failing && {
      failed: "capability",
      missing: missingFlag(failing),
      cite: row.cite,
      because: `${describeNeed(row, needs, failing)}: not advertised`,
    }
  );
}

/** Lists the flags a row requires at a revision: none before the revision that brought them. */
function needsOf(tables: ProtocolTables, { requires }: FeatureEntry, revision: string): readonly Need[] {
  if (requires === undefined || (requires.since !== undefined && !isBetween(tables, revision, requires.since))) return [];
  const sides: readonly Side[] = ["client", "server"];
  return sides.flatMap((side) => {
    const flag = requires[side];
    return flag === undefined ? [] : [{ side, flag, form: flagForm(tables, revision, side, flag) }];
  });
}

function isDefined(need: Need): need is Need & { readonly form: FlagForm } {
  return need.form !== undefined;
}

/** Picks the need to blame: where either side's flag is enough, nobody is until all of them fail. */
function firstFailing(row: FeatureEntry, needs: readonly Need[], failing: readonly Need[]): Need | undefined {
  return row.requires?.match === "any" && failing.length < needs.length ? undefined : failing[0];
}

function describeNeed(row: FeatureEntry, needs: readonly Need[], failing: Need): string {
  const named = row.requires?.match === "any" ? needs : [failing];
  return `${row.id} needs ${named.map(({ side, flag }) => `the ${side} capability ${flag}`).join(" or ")}`;
}

function missingFlag({ side, flag }: Need): MissingFlag {
  return { side, flag };
}

function checkTransport(tables: ProtocolTables, transport: string): void {
  if (Object.hasOwn(tables.transports, transport)) return;
  const known = Object.keys(tables.transports).join(", ");
  throw new ProfileError("unknown-transport", `cannot use transport ${JSON.stringify(transport)}: unknown; known are ${known}`);
}

function parseWords(tables: ProtocolTables, text: string, words: string): Uint32Array {
  const bits = emptyBits(tables);
  const parts = words.split(",");
  if (parts.length !== bits.length) throw malformed(text, `${bits.length} words wanted, ${parts.length} given`);
  for (const [index, part] of parts.entries()) {
    if (!/^[0-9a-f]{8}$/.test(part)) throw malformed(text, `${JSON.stringify(part)} is not eight hexadecimal digits`);
    bits[index] = Number.parseInt(part, 16);
  }
  const beyond = bits.length * 32 - tables.features.length;
  if (beyond > 0 && wordAt(bits, bits.length - 1) >>> (32 - beyond) !== 0)
    throw malformed(text, `there are only ${tables.features.length} features`);
  return bits;
}

function malformed(text: string, reason: string): ProfileError {
  return new ProfileError("malformed-text", `cannot parse profile ${JSON.stringify(text)}: ${reason}`);
}

function emptyBits(tables: ProtocolTables): Uint32Array {
  return new Uint32Array(Math.ceil(tables.features.length / 32));
}

function wordAt(bits: Uint32Array, index: number): number {
  return bits[index] ?? 0;
}

function addBit(bits: Uint32Array, feature: number): void {
  bits[feature >>> 5] = wordAt(bits, feature >>> 5) | (1 << (feature & 31));
}
