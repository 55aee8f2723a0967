// Reads a revision's methods out of its message unions: direction, params, results and the feature that gates each. Pure.
import type { Problem } from "../problem.js";
import { livesAt } from "./lifetime.js";
import { findNode, parsePath } from "./path.js";
import { messageName, methodOf } from "./payload-messages.js";
import { own, refName, resolve, shape, type Definitions, type Schema } from "./schema.js";
import type { Direction, Feature, Method, Naming, Place } from "./types.js";

/** One union of protocol.yaml. */
export interface MessageUnion {
  readonly union: string;
  readonly kind: "request" | "notification";
  readonly direction: Direction;
  readonly carrier?: string;
}

/** What the methods of one revision are read from. */
export interface MethodSources {
  readonly revision: number;
  readonly definitions: Definitions;
  /** Raw definition name to canonical name. */
  readonly canonicalName: (name: string) => string;
  /** Where the schema file defines a definition. */
  readonly placeOf: (definition: string) => Place;
  readonly unions: readonly MessageUnion[];
  readonly naming: Naming;
  readonly features: readonly Feature[];
}

/** Reads the methods of one revision, sorted by name; a method gated by no feature or by two is a problem. */
export function readMethods(sources: MethodSources, problems: Problem[]): Method[] {
  const found = new Map<string, { union: MessageUnion; definition: string; directions: Direction[] }>();
  for (const union of sources.unions) {
    for (const definition of membersOf(union.union, sources.definitions)) {
      const name = methodName(definition, sources.definitions);
      if (name === undefined) continue;
      const entry = found.get(name) ?? { union, definition, directions: [] };
      checkSameRow(name, entry, { union, definition }, sources, problems);
      entry.directions.push(union.direction);
      found.set(name, entry);
    }
  }
  return [...found.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, { union, definition, directions }]) => {
      const feature = gatingFeature(name, definition, sources, problems);
      if (feature === undefined) return [];
      const node = shape(own(sources.definitions, definition) ?? {}, sources.definitions);
      return [
        {
          name,
          kind: union.kind,
          directions: [...new Set(directions)].sort(),
          definition,
          canonicalDefinition: sources.canonicalName(definition),
          hasParams: own(node.properties, "params") !== undefined,
          paramsRequired: node.required?.includes("params") ?? false,
          results: union.kind === "request" ? resultsOf(name, definition, feature, sources, problems) : noResults(name, sources, problems),
          feature: feature.index,
          ...(union.carrier === undefined ? {} : { carrier: union.carrier }),
        },
      ];
    });
}

/** Names the definitions in a message union; a union of one that upstream wrote out inline is found by its method. */
function membersOf(union: string, definitions: Definitions): string[] {
  const node = own(definitions, union);
  if (node === undefined) return [];
  const ofPayload = methodOf(node);
  if (ofPayload !== undefined) return [messageName(ofPayload)];
  if (node.anyOf !== undefined) return node.anyOf.flatMap((member) => refName(member) ?? []);
  const name = refName(node);
  if (name !== undefined) return [name];
  const method = methodConst(node);
  return Object.keys(definitions).filter(
    (candidate) =>
      candidate !== union && method !== undefined && methodConst(resolve(definitions[candidate] as Schema, definitions)) === method,
  );
}

function methodName(definition: string, definitions: Definitions): string | undefined {
  return methodConst(shape(own(definitions, definition) ?? {}, definitions));
}

function methodConst(node: Schema): string | undefined {
  const value = own(node.properties, "method")?.const;
  return typeof value === "string" ? value : undefined;
}

function gatingFeature(method: string, definition: string, sources: MethodSources, problems: Problem[]): Feature | undefined {
  const { revision } = sources;
  const gating = sources.features.filter((feature) => livesAt(feature, revision) && feature.gates.methods.includes(method));
  if (gating.length === 1) return gating[0];
  const place: Place = gating[1]?.place(method) ?? sources.placeOf(definition);
  const message =
    gating.length === 0
      ? `no feature gates the method ${method}`
      : `the method ${method} is gated by ${gating.map((feature) => feature.id).join(" and ")}`;
  problems.push({
    ...place,
    rule: "method-gate",
    message,
    fix: "list the method under gates.methods of exactly one feature that has it at this revision",
  });
  return gating[0];
}

function resultsOf(method: string, definition: string, gating: Feature, sources: MethodSources, problems: Problem[]): string[] {
  const { naming, definitions, features, revision } = sources;
  const stem = definition.slice(0, -naming.request.length);
  const named = own(definitions, stem + naming.result) === undefined ? naming.empty : stem + naming.result;
  const usual = Object.keys(definitions).find((name) => name.endsWith(naming.result) && methodOf(definitions[name]) === method) ?? named;
  const active = features.filter((feature) => livesAt(feature, revision));
  const others = active.flatMap((feature) =>
    feature.gates.results.filter((result) => result.methods.includes(method)).map((result) => ({ feature, name: result.definition })),
  );
  for (const { feature, name } of others.filter((other) => own(definitions, other.name) === undefined)) {
    problems.push({
      ...feature.place(method),
      rule: "results",
      message: `${name} is no definition, yet ${feature.id} says ${method} may give it`,
      fix: "correct the definition's name",
    });
  }
  if (own(definitions, usual) === undefined) {
    problems.push({
      ...gating.place(method),
      rule: "results",
      message: `${method} has no result: neither ${stem}${naming.result} nor ${naming.empty} is a definition`,
      fix: "correct naming in protocol.yaml",
    });
  }
  const results = [usual, ...others.map((other) => other.name)];
  const envelope = findNode({ definition: stem + naming.envelope, steps: [{ property: "result" }] }, definitions);
  const stated = envelope && (envelope.anyOf?.flatMap((member) => refName(member) ?? []) ?? [refName(envelope) ?? ""]).sort();
  if (stated !== undefined && stated.join() !== [...results].sort().join()) {
    const place = (others[0]?.feature ?? gating).place(method);
    problems.push({
      ...place,
      rule: "results",
      message: `${stem}${naming.envelope}.result is ${stated.join(" or ")}, the rows say ${results.join(" or ")}`,
      fix: "list the alternative results of the method under gates.results",
    });
  }
  return results;
}

/** Gives the results of a notification, of which there are none; a row that names one is at fault. */
function noResults(method: string, { features, revision }: MethodSources, problems: Problem[]): string[] {
  const active = features.filter((feature) => livesAt(feature, revision));
  for (const feature of active.filter(({ gates }) => gates.results.some((result) => result.methods.includes(method)))) {
    const message = `${method} is a notification, yet ${feature.id} says what it may give`;
    problems.push({ ...feature.place(method), rule: "results", message, fix: "name requests only" });
  }
  return [];
}

/** A name means one thing: what stands in several unions is one definition of one kind, once a direction. */
function checkSameRow(
  name: string,
  known: { readonly union: MessageUnion; readonly definition: string; readonly directions: readonly Direction[] },
  next: { readonly union: MessageUnion; readonly definition: string },
  { placeOf }: MethodSources,
  problems: Problem[],
): void {
  const { union, definition } = next;
  const report = (message: string, fix: string) => problems.push({ ...placeOf(definition), rule: "methods", message, fix });
  if (known.union.kind !== union.kind)
    report(
      `${name} is a ${known.union.kind} in ${known.union.union} and a ${union.kind} in ${union.union}`,
      "correct the kind in protocol.yaml",
    );
  else if (known.definition !== definition)
    report(`${name} is the method of both ${known.definition} and ${definition}`, "one definition a method; write an erratum");
  else if (known.directions.includes(union.direction))
    report(`${name} stands twice for ${union.direction}: in ${known.union.union} and in ${union.union}`, "keep one union in protocol.yaml");
}

/** Gives the params node of a method. */
export function paramsNode(method: Method, definitions: Definitions, name: string = method.definition): Schema | undefined {
  const path = parsePath(`${name}.params`);
  return path && findNode(path, definitions);
}
