// Takes the definitions of a schema to the forms the model speaks, where its authors write them otherwise: a lone reference in allOf, constants one by
// one, types in a list, and unions whose members are written in place around a shared body. What is valid stays so, but for two places that are made
// wider: lists that may be of one kind or another, and a body that is an open union itself. Pure.
import { isAny, own, refName, refTo, resolve, stable, typesOf, type Definitions, type Schema } from "./schema.js";
import { pascal } from "./walk-plan.js";

/** Keywords that tell a decoder what to do with what does not fit, or a page what to show; none says what may be sent. */
const HINTS = /^(x-deserialize-.*|x-docs-.*|discriminator)$/;

/** Gives definitions in the forms the model speaks; `prepare` may rewrite them once references are plain and before unions are. */
export function toPlainForm(definitions: Definitions, prepare: (tidied: Definitions) => Definitions): Definitions {
  const tidied = Object.fromEntries(Object.entries(definitions).map(([name, node]) => [name, tidy(node)]));
  const scalars = Object.fromEntries(Object.entries(tidied).map(([name, node]) => [name, withNullableScalars(node, tidied)]));
  const unions = new Unions(prepare(scalars));
  return withoutBodies(tidied, unions.rewrite());
}

function tidy(node: Schema): Schema {
  const { anyOf, oneOf, allOf, ...kept } = Object.fromEntries(Object.entries(node).filter(([key]) => !HINTS.test(key))) as Schema;
  const isWrapper =
    allOf?.length === 1 && anyOf === undefined && oneOf === undefined && Object.keys(kept).every((key) => key === "default");
  if (isWrapper) return tidy(allOf[0] as Schema);
  const rest = withParts({ ...kept, ...(allOf === undefined ? {} : { allOf }) }, tidy);
  const members = (anyOf ?? oneOf)?.map(tidy);
  if (members === undefined) return withSingleTypes(rest);
  return Object.keys(rest).length === 0 ? unionOf(members) : { ...rest, anyOf: members };
}

/** A scalar of its own definition, or null, becomes a scalar of two types: a union is for what is told apart by more than its type. */
function withNullableScalars(node: Schema, definitions: Definitions): Schema {
  const [member, none, ...more] = node.anyOf ?? [];
  const scalar = member === undefined || none?.type !== "null" || more.length > 0 ? undefined : scalarOf(member, definitions);
  if (scalar !== undefined)
    return { ...scalar, type: [...typesOf(scalar), "null"], ...(scalar.enum === undefined ? {} : { enum: [...scalar.enum, null] }) };
  return withParts(node, (part) => withNullableScalars(part, definitions));
}

/** Gives the node with each schema in it rewritten; constants and other keywords stay as they are. */
function withParts(node: Schema, rewrite: (part: Schema) => Schema): Schema {
  const { properties, items, additionalProperties, anyOf, allOf } = node;
  return {
    ...node,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, rewrite(part)])) }),
    ...(items === undefined ? {} : { items: rewrite(items) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: rewrite(additionalProperties) } : {}),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(rewrite) }),
    ...(allOf === undefined ? {} : { allOf: allOf.map(rewrite) }),
  };
}

function scalarOf(node: Schema, definitions: Definitions): Schema | undefined {
  const found = resolve(node, definitions);
  const types = typesOf(found);
  const isScalar = types.length > 0 && !types.some((type) => type === "object" || type === "array" || type === "null");
  return isScalar && found.anyOf === undefined ? found : undefined;
}

/** A type list with a container in it becomes a union, so that what the container holds is one member's business. */
function withSingleTypes(node: Schema): Schema {
  const types = typesOf(node);
  if (types.length < 2 || !types.some((type) => type === "object" || type === "array")) return node;
  const ofType = (type: string): Schema => {
    const keywords = type === "object" ? ["properties", "required", "additionalProperties"] : ["items", "minItems", "maxItems"];
    if (type !== "object" && type !== "array") return { type };
    return { type, ...Object.fromEntries(keywords.filter((key) => node[key] !== undefined).map((key) => [key, node[key]])) };
  };
  return { anyOf: types.map(ofType) };
}

function unionOf(written: readonly Schema[]): Schema {
  const members = written.flatMap((member) => (Object.keys(member).join() === "anyOf" ? (member.anyOf ?? []) : [member]));
  if (members.some(isAny)) return {};
  if (members.length > 1 && members.every((member) => member.type === "array")) return oneListOf(members);
  const merged = withConstantsTogether(members);
  return merged.length === 1 ? (merged[0] as Schema) : { anyOf: merged };
}

/** Constants of one type become one list; beside a member that takes any value of the type they say nothing. */
function withConstantsTogether(members: readonly Schema[]): Schema[] {
  const isConstant = (member: Schema) => Object.hasOwn(member, "const") && typeof member.type === "string";
  const open = members.filter((member) => !isConstant(member)).map((member) => member.type);
  const types = [...new Set(members.filter(isConstant).map((member) => member.type as string))].filter((type) => !open.includes(type));
  const enums = types.map((type): Schema => ({
    type,
    enum: members.filter((member) => isConstant(member) && member.type === type).map((member) => member.const),
  }));
  return [...enums, ...members.filter((member) => !isConstant(member))];
}

/** Lists of different items become one list; `uniform` remembers that one list holds items of one kind. */
function oneListOf(lists: readonly Schema[]): Schema {
  const least = Math.min(...lists.map((list) => Number(list["minItems"] ?? 0)));
  return {
    type: "array",
    items: { anyOf: lists.map((list) => list.items ?? {}) },
    uniform: true,
    ...(least > 0 ? { minItems: least } : {}),
  };
}

/** The object a node comes to once all it refers to is written out: its fields, and the union among them where there is one. */
interface Collected {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
  readonly anyOf?: readonly Schema[];
}

/** Makes each member that a union writes in place a definition of its own, named after the union and what tells the member. */
class Unions {
  private readonly made = new Map<string, Schema>();
  private readonly uses: ReadonlyMap<string, number>;

  constructor(private readonly source: Definitions) {
    this.uses = countReferences(source);
  }

  rewrite(): Definitions {
    const rewritten = Object.entries(this.source).map(
      ([name, node]) => [name, isWrittenInPlace(node) ? this.expand(name, node) : node] as const,
    );
    return Object.fromEntries([...rewritten, ...this.made]);
  }

  private expand(name: string, node: Schema): Schema {
    const { anyOf = [], ...base } = node;
    const facts = Object.fromEntries(Object.entries(base).filter(([key]) => key.startsWith("x-")));
    const hasBase = base.properties !== undefined;
    const rest = anyOf.find((member) => member["not"] !== undefined);
    const members = anyOf
      .filter((member) => member !== rest)
      .flatMap((member) =>
        isObject(member) && (hasBase || refName(member) === undefined) ? this.member(name, base, member, anyOf) : [member],
      );
    if (rest === undefined) return { ...facts, anyOf: members };
    const { not: _not, ...other } = rest;
    const body = this.collect({ allOf: [base, other] });
    const written =
      body.anyOf === undefined ? { ...objectOf(body), additionalProperties: {} } : this.expand(`${name}Other`, { type: "object", ...body });
    this.made.set(`${name}Other`, written);
    return { ...facts, anyOf: members, others: refTo(`${name}Other`) };
  }

  private member(union: string, base: Schema, member: Schema, members: readonly Schema[]): readonly Schema[] {
    const body = this.collect({ allOf: [base, member] });
    const name = this.nameOf(union, member, members);
    if (body.anyOf !== undefined && !this.isOpen(body.anyOf)) return this.expand(name, { type: "object", ...body }).anyOf ?? [];
    this.made.set(name, objectOf(body.anyOf === undefined ? body : this.loose(body)));
    return [refTo(name)];
  }

  private collect(node: Schema): Collected {
    const name = refName(node);
    const { allOf = [], properties = {}, required = [], anyOf } = name === undefined ? node : (own(this.source, name) ?? {});
    const parts = allOf.map((part) => this.collect(part));
    const union = anyOf ?? parts.find((part) => part.anyOf !== undefined)?.anyOf;
    return {
      properties: Object.assign({}, ...parts.map((part) => part.properties), properties) as Collected["properties"],
      required: [...new Set([...parts.flatMap((part) => part.required), ...required])].sort(),
      ...(union === undefined ? {} : { anyOf: union }),
    };
  }

  private isOpen(members: readonly Schema[]): boolean {
    return members.some((member) => member["not"] !== undefined || this.isOpen(this.collect(member).anyOf ?? []));
  }

  /** The fields of all members of an open union together; only what each of them asks for is required. */
  private loose(body: Collected): Collected {
    const members = (body.anyOf ?? []).map((member) => this.loose(this.collect(member)));
    if (members.length === 0) return body;
    const names = [...new Set(members.flatMap((member) => Object.keys(member.properties)))];
    const merged = names.map((name) => {
      const nodes = members.flatMap((member): Schema[] => {
        const node = own(member.properties, name);
        return node === undefined ? [] : [node];
      });
      const distinct = [...new Map(nodes.map((node) => [stable(node), node])).values()];
      return [name, own(body.properties, name) ?? unionOf(distinct)] as const;
    });
    const required = (members[0] as Collected).required.filter((name) => members.every((member) => member.required.includes(name)));
    return {
      properties: { ...Object.fromEntries(merged), ...body.properties },
      required: [...new Set([...body.required, ...required])].sort(),
    };
  }

  private nameOf(union: string, member: Schema, members: readonly Schema[]): string {
    const name = union + labelOf(member, members);
    const isTaken = own(this.source, name) !== undefined || this.made.has(name);
    // A body that serves this member alone gives its name to it.
    const isBody = (member.allOf ?? []).some((part) => refName(part) === name) && this.uses.get(name) === 1;
    return isTaken && !isBody ? `${name}Member` : name;
  }
}

/** Says what tells a member: its constant, the definition it refers to, or a property that only it requires. */
function labelOf(member: Schema, members: readonly Schema[]): string {
  const tag = Object.values(member.properties ?? {}).find((property) => typeof property.const === "string")?.const;
  if (typeof tag === "string") return pascal(tag);
  const reference = refName(member);
  if (reference !== undefined) return reference;
  const required = member.required ?? [];
  const lone = required.find((key) => members.every((other) => other === member || !(other.required?.includes(key) ?? false)));
  return pascal(lone ?? required.at(-1) ?? "");
}

function isWrittenInPlace(node: Schema): boolean {
  return (
    node.anyOf !== undefined &&
    (node.properties !== undefined || node.anyOf.some((member) => refName(member) === undefined && isObject(member)))
  );
}

function isObject(node: Schema): boolean {
  return node.type === "object" || node.properties !== undefined || node.allOf !== undefined || refName(node) !== undefined;
}

function objectOf({ properties, required }: Collected): Schema {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

/** Leaves out what the rewriting wrote into other definitions: objects that could be reached from outside before and cannot any more. */
function withoutBodies(before: Definitions, after: Definitions): Definitions {
  const used = countReferences(before);
  const roots = Object.keys(before).filter((name) => !used.has(name) || before[name]?.["x-method"] !== undefined);
  const reachedBefore = reach(roots, before);
  const messages = Object.keys(after).filter(
    (name) => own(before, name) === undefined && own(after[name]?.properties, "method") !== undefined,
  );
  const reachedAfter = reach([...roots, ...messages], after);
  return Object.fromEntries(
    Object.entries(after).filter(
      ([name, node]) =>
        reachedAfter.has(name) || (own(before, name) !== undefined && (!reachedBefore.has(name) || scalarOf(node, after) !== undefined)),
    ),
  );
}

function reach(roots: readonly string[], definitions: Definitions): Set<string> {
  const reached = new Set<string>();
  const visit = (name: string): void => {
    const node = own(definitions, name);
    if (node === undefined || reached.has(name)) return;
    reached.add(name);
    for (const next of referencesOf(node)) visit(next);
  };
  for (const root of roots) visit(root);
  return reached;
}

function countReferences(definitions: Definitions): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of Object.values(definitions).flatMap(referencesOf)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function referencesOf(node: unknown): string[] {
  if (typeof node !== "object" || node === null) return [];
  const name = typeof (node as Schema).$ref === "string" ? refName(node as Schema) : undefined;
  return [...(name === undefined ? [] : [name]), ...Object.values(node).flatMap(referencesOf)];
}
