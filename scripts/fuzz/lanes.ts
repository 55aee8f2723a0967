// Lays out the lanes: every property over every ordered pair of revisions, every method and part, under presets and random policies.
import fc from "fast-check";
import type { Codec, FeatureProfile } from "../../runtime/index.js";
import { DegradePolicy, tables } from "../../runtime/mcp.js";
import { anyJson, payloadOf } from "../../test/properties/arbitrary.js";
import { Needs } from "../../test/properties/needs.js";
import { codecOf, fullProfile, model, payloadsOf, someProfile, subjects, type Subject } from "../../test/properties/subject.js";
import { makeLane, type Lane } from "./lane.js";
import { gatesExactly, growsMonotonically, keepsItsOwn, refusesMethod, takesAnything, translates, type Payload } from "./properties.js";

/** Binds a subject's codec to a profile; a test may hand in one that breaks it first. */
export type Bind = (subject: Subject, profile: FeatureProfile) => Codec;

/** How many orders for single features a random policy gives at most. */
const MOST_ORDERS = 12;

/** A policy as a file would hold it. */
interface PolicyRecord {
  readonly preset: string;
  readonly features: Readonly<Record<string, string>>;
  readonly unknown: Readonly<Record<string, string>>;
}

/** Gives policies: a preset, and orders for some features and some unions out of what each offers. */
export function somePolicy(): fc.Arbitrary<PolicyRecord> {
  const offers = new Map<string, Set<string>>();
  for (const { feature, degrade } of tables.lowerings) {
    const id = tables.features[feature]?.id ?? "";
    offers.set(id, new Set([...(offers.get(id) ?? ["refuse"]), ...degrade]));
  }
  const unions = new Map(tables.unknownMembers.map(({ at, degrade }) => [at, new Set(["refuse", ...degrade])]));
  return fc.record({
    preset: fc.constantFrom("strict", "balanced", "permissive"),
    features: someOrders(offers),
    unknown: someOrders(unions),
  });
}

function someOrders(offers: ReadonlyMap<string, ReadonlySet<string>>): fc.Arbitrary<Record<string, string>> {
  if (offers.size === 0) return fc.constant({});
  const order = fc.constantFrom(...offers).chain(([id, actions]) => fc.tuple(fc.constant(id), fc.constantFrom(...actions)));
  const orders = fc.array(order, { maxLength: MOST_ORDERS }).map((list): Record<string, string> => Object.fromEntries(list));
  return fc.oneof(fc.constant({}), orders);
}

/** Gives the values of an arbitrary with null in the place of some of what is in them. */
function withHoles(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 24 })).map(([value, dice]) => {
    let thrown = 0;
    const pierce = (item: unknown): unknown => {
      if (dice[thrown++ % dice.length] === 3) return null;
      if (Array.isArray(item)) return item.map(pierce);
      if (typeof item !== "object" || item === null) return item;
      return Object.fromEntries(Object.entries(item).map(([key, inner]) => [key, pierce(inner)]));
    };
    return pierce(value);
  });
}

/** Gives every lane. */
export function layLanes(bind: Bind = codecOf): Lane[] {
  const needs = new Needs(model);
  const policies = somePolicy();
  return subjects.flatMap((source) => {
    const values = valuesOf(source);
    const own = bind(source, fullProfile(source.revision.id));
    return payloadsOf(source.revision).flatMap((payload) => {
      const { wild, foreign } = values(payload);
      return [
        makeLane("identity", placeOf(source, source, payload), wild, (value) => keepsItsOwn(own, payload, value)),
        makeLane(
          "total",
          placeOf(source, source, payload),
          fc.record({ value: fc.oneof(anyJson, withHoles(foreign)), policy: policies }),
          ({ value, policy }) => takesAnything(own, payload, value, DegradePolicy.from(policy)),
        ),
        ...subjects.flatMap((target) => lanesAcross(bind, needs, source, target, payload, values(payload), policies, own)),
      ];
    });
  });
}

function lanesAcross(
  bind: Bind,
  needs: Needs,
  source: Subject,
  target: Subject,
  payload: Payload,
  { foreign, wild, tame }: Values,
  policies: fc.Arbitrary<PolicyRecord>,
  lifting: Codec,
): Lane[] {
  const place = placeOf(source, target, payload);
  const full = bind(target, fullProfile(target.revision.id));
  const method = target.revision.methods.find((entry) => entry.name === payload.method.name);
  if (method === undefined) return [makeLane("refused", place, wild, (value) => refusesMethod(full, payload, value))];
  const there = { method, part: payload.part };
  const validate = target.validators.get(method.name)?.[payload.part];
  const profiles = someProfile(target.revision.id);
  return [
    makeLane("sound and honest", place, fc.record({ value: foreign, policy: policies }), ({ value, policy }) =>
      translates(lifting, full, there, validate, value, DegradePolicy.from(policy)),
    ),
    makeLane("exact gate", place, fc.record({ value: tame, profile: profiles }), ({ value, profile }) =>
      gatesExactly(needs, target.revision, there, bind(target, profile), validate, value, profile),
    ),
    makeLane("monotone", place, fc.record({ value: wild, profile: profiles, other: profiles }), ({ value, profile, other }) =>
      growsMonotonically(bind(target, profile.and(other)), bind(target, profile), there, value),
    ),
  ];
}

/** Values of one payload: valid ones; the same with own keys that no revision names; these with what other revisions have, or none. */
interface Values {
  readonly tame: fc.Arbitrary<unknown>;
  readonly wild: fc.Arbitrary<unknown>;
  readonly foreign: fc.Arbitrary<unknown>;
}

/** Makes the arbitraries of a subject's payloads, once each. */
function valuesOf(source: Subject): (payload: Payload) => Values {
  const values = new Map(
    payloadsOf(source.revision).map(({ method, part }) => [
      `${method.name} ${part}`,
      {
        tame: payloadOf(model, source.revision, method, part, { strangers: false }),
        wild: payloadOf(model, source.revision, method, part, { strangers: true }),
        foreign: payloadOf(model, source.revision, method, part, { strangers: true, foreign: true, unknownMembers: true }),
      },
    ]),
  );
  return ({ method, part }) => {
    const found = values.get(`${method.name} ${part}`);
    if (found === undefined) throw new Error(`no values for ${method.name} ${part} at ${source.revision.id}`);
    return found;
  };
}

function placeOf(source: Subject, target: Subject, { method, part }: Payload): string {
  const pair = source === target ? source.revision.id : `${source.revision.id} → ${target.revision.id}`;
  return `${pair} ${method.name} ${part}`;
}
