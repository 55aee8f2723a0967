// Arbitraries walked from schemas: random values valid at a revision, method by method; on demand with fields no revision knows, fields that only
// other revisions know, and members that none does.
import fc from "fast-check";
import { paramsNode } from "../../generator/model/methods.js";
import {
  constants,
  isAny,
  mapValue,
  own,
  refName,
  refTo,
  shape,
  typesOf,
  type Definitions,
  type Schema,
} from "../../generator/model/schema.js";
import type { Method, Model, Revision } from "../../generator/model/types.js";

/** How wild the values may be. */
export interface Wildness {
  /** Adds own keys that no revision names, `__proto__` among them. */
  readonly strangers: boolean;
  /** Adds own keys that other revisions name at a definition and this one does not, with values of their type or of any. */
  readonly foreign?: boolean;
  /** Puts members of a type that no revision knows among those of unions told apart by a type; such values are valid nowhere. */
  readonly unknownMembers?: boolean;
}

const STRANGERS = ["x-stranger", "__proto__", "constructor", "toString", "hasOwnProperty"];

/** Gives values of one payload of a method, each valid at the revision. */
export function payloadOf(
  model: Model,
  revision: Revision,
  method: Method,
  part: "params" | "result",
  wild: Wildness,
): fc.Arbitrary<unknown> {
  const walk = new Walk(revision.canonical, wild, model.ir);
  if (part === "params") {
    const node = paramsNode(method, revision.canonical, method.canonicalDefinition);
    const params = node === undefined ? fc.constant<unknown>({}) : walk.node(node, 0);
    return method.paramsRequired ? params : fc.oneof(fc.constant(undefined), params);
  }
  const alternatives = model.features
    .filter((feature) => feature.first <= revision.index && revision.index <= feature.last)
    .flatMap((feature) => feature.gates.results);
  return fc.oneof(
    ...method.results.map((name) => {
      const result = walk.node(refTo(name), 0);
      const when = alternatives.find((entry) => entry.definition === name && entry.methods.includes(method.name))?.when;
      if (when?.equals === undefined) return result;
      return result.map((value) => ({ ...(value as object), [when.property]: when.equals }));
    }),
  );
}

/** Gives any JSON value, small. */
export const anyJson: fc.Arbitrary<unknown> = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** Puts null in the place of some of the values of a JSON value: of each for which the dice show nought. */
export function withHoles(value: unknown, dice: Iterator<number>): unknown {
  if (dice.next().value === 0) return null;
  if (Array.isArray(value)) return value.map((item) => withHoles(item, dice));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withHoles(item, dice)]));
}

/** A member of a union whose type nobody knows. */
const UNKNOWN_MEMBER: fc.Arbitrary<unknown> = fc
  .record(
    { type: fc.constantFrom("x-unknown", "hologram", "__proto__"), text: fc.string({ maxLength: 4 }), json: anyJson },
    { requiredKeys: ["type"] },
  )
  .map((member) => JSON.parse(JSON.stringify(member)) as unknown);

class Walk {
  constructor(
    private readonly definitions: Definitions,
    private readonly wild: Wildness,
    private readonly ir: Definitions,
  ) {}

  node(node: Schema, depth: number): fc.Arbitrary<unknown> {
    const resolved = shape(node, this.definitions);
    if (isAny(resolved)) return depth > 6 ? fc.constant(null) : anyJson;
    const values = constants(resolved);
    if (values !== undefined) return fc.constantFrom(...values);
    if (resolved.anyOf !== undefined) {
      const members = this.shallow(resolved.anyOf, depth).map((member) => this.node(member, depth + 1));
      const others =
        resolved.others === undefined
          ? []
          : [this.node(resolved.others, depth + 1).map((value) => this.asOther(value as object, resolved.anyOf ?? []))];
      return fc.oneof(
        ...members,
        ...others,
        ...(this.wild.unknownMembers === true && this.isTagged(resolved.anyOf) ? [UNKNOWN_MEMBER] : []),
      );
    }
    const types = typesOf(resolved);
    if (types.length > 1) return fc.oneof(...types.map((type) => this.scalar({ ...resolved, type })));
    if (resolved.type === "object" || resolved.properties !== undefined) return this.object(resolved, depth, refName(node));
    if (resolved.type === "array") return this.array(resolved, depth);
    return this.scalar(resolved);
  }

  /** Deep in a recursive definition only members that end are left. */
  private shallow(members: readonly Schema[], depth: number): readonly Schema[] {
    if (depth < 4) return members;
    const ending = members.filter((member) => refName(member) === undefined && member.items === undefined);
    return ending.length > 0 ? ending : members;
  }

  private isTagged(members: readonly Schema[]): boolean {
    const tags = members.map((member) => own(shape(member, this.definitions).properties, "type")?.const);
    return tags.length > 1 && tags.every((tag) => typeof tag === "string");
  }

  /** Gives a member of an open union a tag of nobody's. */
  private asOther(value: object, members: readonly Schema[]): unknown {
    const isTag = (key: string) => members.some((member) => own(shape(member, this.definitions).properties, key)?.const !== undefined);
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, isTag(key) ? "_other" : (item as unknown)]));
  }

  /** Fields that the canonical form has at a definition and the revision does not. */
  private foreign(name: string | undefined, node: Schema): fc.Arbitrary<[string, unknown][]> {
    const canonical = name === undefined || this.wild.foreign !== true ? undefined : shape(refTo(name), this.ir);
    const keys = Object.keys(canonical?.properties ?? {}).filter((key) => own(node.properties, key) === undefined);
    if (canonical === undefined || keys.length === 0) return fc.constant([]);
    const inner = new Walk(this.ir, { strangers: false }, this.ir);
    const field = fc.constantFrom(...keys).chain((key) =>
      fc
        .oneof(
          anyJson,
          fc.constant(null).chain(() => inner.node(own(canonical.properties, key) ?? {}, 5)),
        )
        .map((value): [string, unknown] => [key, value]),
    );
    return fc.oneof(
      { weight: 2, arbitrary: fc.constant<[string, unknown][]>([]) },
      { weight: 1, arbitrary: fc.array(field, { maxLength: 2 }) },
    );
  }

  private object(node: Schema, depth: number, name?: string): fc.Arbitrary<unknown> {
    const required = node.required ?? [];
    const names = Object.keys(node.properties ?? {}).filter((name) => depth < 8 || required.includes(name));
    const properties = names.map(
      (name) => [name, fc.constant(null).chain(() => this.node(own(node.properties, name) ?? {}, depth + 1))] as const,
    );
    const known = fc.record(Object.fromEntries(properties), { requiredKeys: names.filter((name) => required.includes(name)) });
    const map = mapValue(node);
    const more =
      map === undefined
        ? this.strangers(node)
        : fc.array(fc.tuple(fc.string({ maxLength: 6 }), this.node(map, depth + 1)), { maxLength: 2 });
    return fc
      .tuple(known, more, this.foreign(name, node))
      .map(([fields, extra, foreign]) => Object.fromEntries([...extra, ...foreign, ...Object.entries(fields)]));
  }

  private strangers(node: Schema): fc.Arbitrary<[string, unknown][]> {
    if (!this.wild.strangers) return fc.constant([]);
    const names = STRANGERS.filter((name) => own(node.properties, name) === undefined);
    return fc.oneof(
      { weight: 3, arbitrary: fc.constant<[string, unknown][]>([]) },
      { weight: 1, arbitrary: fc.array(fc.tuple(fc.constantFrom(...names), anyJson), { maxLength: 2 }) },
    );
  }

  private array(node: Schema, depth: number): fc.Arbitrary<unknown> {
    const bounds = { minLength: Number(node["minItems"] ?? 0), maxLength: depth < 5 ? 3 : 1 };
    const items = node.items ?? {};
    const kinds = node.uniform === true ? (items.anyOf ?? [items]) : [items];
    return fc.oneof(...kinds.map((kind) => fc.array(this.node(kind, depth + 1), bounds)));
  }

  private scalar(node: Schema): fc.Arbitrary<unknown> {
    const minimum = typeof node["minimum"] === "number" ? { min: node["minimum"] } : {};
    const maximum = typeof node["maximum"] === "number" ? { max: node["maximum"] } : {};
    if (node.type === "integer") return fc.integer({ ...minimum, ...maximum });
    if (node.type === "number")
      return fc.double({ ...minimum, ...maximum, noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));
    if (node.type === "boolean") return fc.boolean();
    if (node.type === "null") return fc.constant(null);
    return fc.string({ minLength: Number(node["minLength"] ?? 0), maxLength: 8 });
  }
}
