// Arbitraries walked from schemas: random values valid at a revision, method by method, with fields no revision knows mixed in on demand.
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
  const walk = new Walk(revision.definitions, wild);
  if (part === "params") {
    const node = paramsNode(method, revision.definitions);
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

class Walk {
  constructor(
    private readonly definitions: Definitions,
    private readonly wild: Wildness,
  ) {}

  node(node: Schema, depth: number): fc.Arbitrary<unknown> {
    const resolved = shape(node, this.definitions);
    if (isAny(resolved)) return depth > 6 ? fc.constant(null) : anyJson;
    const values = constants(resolved);
    if (values !== undefined) return fc.constantFrom(...values);
    if (resolved.anyOf !== undefined) return fc.oneof(...this.shallow(resolved.anyOf, depth).map((member) => this.node(member, depth + 1)));
    const types = typesOf(resolved);
    if (types.length > 1) return fc.oneof(...types.map((type) => this.scalar({ ...resolved, type })));
    if (resolved.type === "object" || resolved.properties !== undefined) return this.object(resolved, depth);
    if (resolved.type === "array") return this.array(resolved, depth);
    return this.scalar(resolved);
  }

  /** Deep in a recursive definition only members that end are left. */
  private shallow(members: readonly Schema[], depth: number): readonly Schema[] {
    if (depth < 4) return members;
    const ending = members.filter((member) => refName(member) === undefined && member.items === undefined);
    return ending.length > 0 ? ending : members;
  }

  private object(node: Schema, depth: number): fc.Arbitrary<unknown> {
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
    return fc.tuple(known, more).map(([fields, extra]) => Object.fromEntries([...extra, ...Object.entries(fields)]));
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
    return fc.array(this.node(node.items ?? {}, depth + 1), { maxLength: depth < 5 ? 3 : 1 });
  }

  private scalar(node: Schema): fc.Arbitrary<unknown> {
    const minimum = typeof node["minimum"] === "number" ? { min: node["minimum"] } : {};
    const maximum = typeof node["maximum"] === "number" ? { max: node["maximum"] } : {};
    if (node.type === "integer") return fc.integer({ ...minimum, ...maximum });
    if (node.type === "number")
      return fc.double({ ...minimum, ...maximum, noNaN: true, noDefaultInfinity: true }).map((value) => (Object.is(value, -0) ? 0 : value));
    if (node.type === "boolean") return fc.boolean();
    if (node.type === "null") return fc.constant(null);
    return fc.string({ maxLength: 8 });
  }
}
