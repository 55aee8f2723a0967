// Decides what lifting has to look at in what a peer of one revision sends: the places where a tolerance of the protocol may apply. A payload
// without such a place is its own canonical form unseen. Pure.
import { fillAt } from "./fills.js";
import { livesAt } from "./lifetime.js";
import { parsePath, propertyPath } from "./path.js";
import { constants, isAny, mapValue, own, refTo, shape, targetName, typesOf, type Schema } from "./schema.js";
import { toleranceAt } from "./tolerances.js";
import { answersTo, FunctionNames, markPlans } from "./walk-plan.js";
import type { AlternativeResult, Fill, Method, Model, Repair, Revision, Tolerance } from "./types.js";

/** What may be repaired at one property of an object. */
export interface LiftStep {
  readonly key: string;
  /** Where null means absent, or an empty list. */
  readonly ifNull?: { readonly tolerance: Tolerance; readonly becomes: "absent" | "list" };
  /** A value that is dropped, or stands for another one. */
  readonly ifValue?: Tolerance;
  readonly ifMissing?: { readonly tolerance: Tolerance; readonly fill: Fill };
  readonly ifNotObject?: Tolerance;
  /** True for a capability that an empty holder implies. */
  readonly isImplied?: true;
  readonly ifNotBoolean?: Tolerance;
  /** A repair of its own for whatever stands there. */
  readonly mend?: Tolerance;
  readonly child?: LiftPlan;
}

/** The body of one lifting function. */
export type LiftBody =
  | { readonly kind: "object"; readonly unwrap?: Tolerance; readonly mend?: Tolerance; readonly steps: readonly LiftStep[] }
  | {
      readonly kind: "array";
      readonly child?: LiftPlan;
      readonly dropNull?: Tolerance;
      /** Items that do not fit even the bare bones of their schema are left out. */
      readonly dropUnusable?: { readonly tolerance: Tolerance; readonly bones: Schema };
    }
  | { readonly kind: "map"; readonly child?: LiftPlan; readonly ifNotObject?: Tolerance }
  | { readonly kind: "union"; readonly branches: readonly LiftBranch[] }
  | {
      readonly kind: "result";
      readonly branches: readonly { readonly when: AlternativeResult["when"]; readonly child?: LiftPlan }[];
      readonly usual?: LiftPlan;
    };

/** A member of a union, told by a constant of one of its properties, by a property that only it must have, or by being an array. */
export interface LiftBranch {
  readonly tag?: {
    readonly key: string;
    readonly value: unknown;
    /** True where the property may be missing. */ readonly isOptional: boolean;
  };
  readonly present?: string;
  readonly isArray: boolean;
  readonly child: LiftPlan;
}

/** One lifting function: a place and what to look at there. */
export interface LiftPlan {
  readonly name: string;
  readonly path: string;
  body: LiftBody;
  needed: boolean;
  /** True where no answer to a client leads here. */
  isCold: boolean;
}

/** The lifting functions of one revision, which of them each method's payloads enter by, and the tolerances that found a place. */
export interface RevisionLiftPlan {
  readonly functions: readonly LiftPlan[];
  readonly entries: ReadonlyMap<string, { readonly params?: LiftPlan; readonly result?: LiftPlan }>;
  readonly used: ReadonlySet<Tolerance>;
}

/** Plans the lifting of every payload of one revision. */
export function planLifting(model: Model, revision: Revision): RevisionLiftPlan {
  return new LiftPlanner(model, revision).plan();
}

class LiftPlanner {
  private readonly plans = new Map<string, LiftPlan>();
  private readonly names = new FunctionNames("lift");
  private readonly used = new Set<Tolerance>();

  constructor(
    private readonly model: Model,
    private readonly revision: Revision,
  ) {}

  plan(): RevisionLiftPlan {
    const entries = new Map<string, { params?: LiftPlan; result?: LiftPlan }>();
    for (const method of this.revision.methods) {
      const node = own(shape(refTo(method.canonicalDefinition), this.revision.canonical).properties, "params");
      const params = node === undefined ? undefined : this.node(node, `${method.canonicalDefinition}.params`);
      const result = method.kind === "request" ? this.result(method) : undefined;
      entries.set(method.name, { ...(params === undefined ? {} : { params }), ...(result === undefined ? {} : { result }) });
    }
    const all = [...this.plans.values()];
    markPlans(all, answersTo(this.revision.methods, entries), {
      hasOwnWork,
      childrenOf,
      rare: Object.values(this.model.capabilities),
    });
    return { functions: all.filter((plan) => plan.needed), entries, used: this.used };
  }

  private result(method: Method): LiftPlan | undefined {
    const usual = this.node(refTo(method.results[0] as string), method.results[0] as string);
    const alternatives = this.model.features
      .filter((feature) => livesAt(feature, this.revision.index))
      .flatMap((feature) => feature.gates.results)
      .filter((result) => result.methods.includes(method.name));
    if (alternatives.length === 0) return usual;
    const branches = alternatives.map(({ definition, when }) => ({ when, ...optional("child", this.node(refTo(definition), definition)) }));
    return this.define(`${method.name} result`, `${method.canonicalDefinition}.result`, {
      kind: "result",
      branches,
      ...optional("usual", usual),
    });
  }

  private node(node: Schema, path: string): LiftPlan | undefined {
    const place = targetName(node, this.revision.canonical) ?? path;
    const here = shape(node, this.revision.canonical);
    if (here.anyOf !== undefined) return this.union(here.anyOf, place);
    if (here.type === "array") return this.array(here, place);
    if (here.type === "object" || here.properties !== undefined) return this.object(here, place);
    return undefined;
  }

  private object(here: Schema, place: string): LiftPlan {
    const existing = this.plans.get(place);
    if (existing !== undefined) return existing;
    const plan = this.define(place, place, { kind: "object", steps: [] });
    const value = mapValue(here);
    if (value !== undefined) {
      const ifNotObject =
        isObject(value, this.revision) && this.isCapability(place) ? this.tolerance("as-object", rootOf(place)) : undefined;
      plan.body = { kind: "map", ...optional("child", this.node(value, `${place}.*`)), ...optional("ifNotObject", ifNotObject) };
      return plan;
    }
    const steps = [...new Set([...Object.keys(here.properties ?? {}), ...this.namedBelow(place)])]
      .sort()
      .flatMap((key) => this.step(key, here, place));
    plan.body = {
      kind: "object",
      steps,
      ...optional("unwrap", this.tolerance("unwrap", place)),
      ...optional("mend", this.tolerance("text-of-resource", place)),
    };
    return plan;
  }

  private step(key: string, here: Schema, place: string): LiftStep[] {
    const path = propertyPath(place, key);
    const node = own(here.properties, key);
    const isRequired = here.required?.includes(key) ?? false;
    const fill = fillAt(this.model, path);
    const missing = isRequired && fill !== undefined && Object.hasOwn(fill, "value") ? this.tolerance("write-missing", path) : undefined;
    const isForm = node !== undefined && isObject(node, this.revision) && this.isCapability(place);
    const isFlag = node !== undefined && shape(node, this.revision.canonical).type === "boolean" && this.isCapability(place);
    const step: LiftStep = {
      key,
      ...optional("ifNull", this.ifNull(path, node, isRequired)),
      ...optional("ifValue", this.tolerance("drop-value", path) ?? this.tolerance("replace-value", path)),
      ...(missing === undefined || fill === undefined ? {} : { ifMissing: { tolerance: missing, fill } }),
      ...optional("ifNotObject", isForm ? this.tolerance("as-object", rootOf(place)) : undefined),
      ...optional("isImplied", isForm && this.isImplied(path) ? (true as const) : undefined),
      ...optional("ifNotBoolean", isFlag ? this.tolerance("as-boolean", rootOf(place)) : undefined),
      ...optional("mend", this.tolerance("object-schema", path)),
      ...optional("child", node === undefined ? undefined : this.node(node, path)),
    };
    return Object.keys(step).length > 1 ? [step] : [];
  }

  private ifNull(path: string, node: Schema | undefined, isRequired: boolean): LiftStep["ifNull"] {
    if (node !== undefined && admitsNull(node, this.revision)) return undefined;
    if (!isRequired) {
      const tolerance = this.tolerance("drop-null", path);
      return tolerance && (node !== undefined || !tolerance.at.includes("*")) ? { tolerance, becomes: "absent" } : undefined;
    }
    const isList = node !== undefined && shape(node, this.revision.canonical).type === "array";
    const tolerance = isList ? this.tolerance("empty-list", path) : undefined;
    return tolerance && { tolerance, becomes: "list" };
  }

  private array(here: Schema, place: string): LiftPlan {
    const existing = this.plans.get(place);
    if (existing !== undefined) return existing;
    const items = here.items ?? {};
    const path = `${place}[]`;
    const plan = this.define(place, `${place} list`, { kind: "array" });
    const holdsObjects =
      !admitsNull(items, this.revision) && !isAny(shape(items, this.revision.canonical)) && !isScalar(items, this.revision);
    const unusable = this.tolerance("drop-unusable-items", path);
    plan.body = {
      kind: "array",
      ...optional("child", this.node(items, path)),
      ...optional("dropNull", holdsObjects ? this.tolerance("drop-null-items", path) : undefined),
      ...(unusable === undefined ? {} : { dropUnusable: { tolerance: unusable, bones: bonesOf(items, this.revision, 0) } }),
    };
    return plan;
  }

  private union(members: readonly Schema[], place: string): LiftPlan | undefined {
    const key = `${place} member`;
    const existing = this.plans.get(key);
    if (existing !== undefined) return existing;
    const plan = this.define(key, key, { kind: "union", branches: [] });
    const tag = tagOf(members, this.revision);
    const branches = members.flatMap((member): LiftBranch[] => {
      const isArray = shape(member, this.revision.canonical).type === "array";
      const value = tag === undefined || isArray ? undefined : constantAt(member, tag, this.revision);
      const present = isArray || value !== undefined ? undefined : ownRequirement(member, members, this.revision);
      if (!isArray && value === undefined && present === undefined) return [];
      const child = this.node(member, place);
      if (child === undefined) return [];
      if (isArray || tag === undefined || value === undefined) return [{ isArray, child, ...optional("present", present) }];
      const isOptional = !(shape(member, this.revision.canonical).required?.includes(tag) ?? false);
      return [{ isArray, child, tag: { key: tag, value, isOptional } }];
    });
    plan.body = { kind: "union", branches };
    return plan;
  }

  /** Looks a tolerance up and remembers that it found a place. */
  private tolerance(repair: Repair, path: string): Tolerance | undefined {
    const tolerance = toleranceAt(this.model, repair, path, this.revision);
    if (tolerance !== undefined) this.used.add(tolerance);
    return tolerance;
  }

  /** The properties below a place that a tolerance names although the revision does not. */
  private namedBelow(place: string): string[] {
    return this.model.tolerances.flatMap((tolerance) =>
      tolerance.at.flatMap((text) => {
        const path = parsePath(text);
        const last = path?.steps.at(-1);
        return typeof last === "object" && text === propertyPath(place, last.property) ? [last.property] : [];
      }),
    );
  }

  private isImplied(path: string): boolean {
    return this.model.implied.some(({ side, flag }) => path === `${this.model.capabilities[side]}.${flag}`);
  }

  private isCapability(place: string): boolean {
    return Object.values(this.model.capabilities).includes(rootOf(place));
  }

  private define(key: string, path: string, body: LiftBody): LiftPlan {
    const plan: LiftPlan = { name: this.names.nameFor(path), path, body, needed: false, isCold: true };
    this.plans.set(key, plan);
    return plan;
  }
}

/** Cuts a schema down to what makes a value usable at all: types, constants and required properties. */
function bonesOf(node: Schema, revision: Revision, depth: number): Schema {
  const here = shape(node, revision.canonical);
  const values = constants(here);
  if (values !== undefined) return { enum: values };
  if (here.type !== "object" || depth > 2) return here.type === undefined ? {} : { type: here.type };
  const required = here.required ?? [];
  // Below the item itself a container of the wrong kind makes it as useless as a missing part.
  const kept = Object.keys(here.properties ?? {}).filter(
    (key) => required.includes(key) || (depth > 0 && isContainer(own(here.properties, key), revision)),
  );
  const properties = kept.map((key) => [key, bonesOf(own(here.properties, key) ?? {}, revision, depth + 1)] as const);
  return { type: "object", required, properties: Object.fromEntries(properties) };
}

function isContainer(node: Schema | undefined, revision: Revision): boolean {
  const { type } = node === undefined ? {} : shape(node, revision.canonical);
  return type === "object" || type === "array";
}

function admitsNull(node: Schema, revision: Revision): boolean {
  const here = shape(node, revision.canonical);
  const values = constants(here);
  if (values !== undefined) return values.includes(null);
  if (here.anyOf !== undefined) return here.anyOf.some((member) => admitsNull(member, revision));
  const types = typesOf(here);
  return types.length === 0 ? here.properties === undefined : types.includes("null");
}

function isObject(node: Schema, revision: Revision): boolean {
  return shape(node, revision.canonical).type === "object";
}

function isScalar(node: Schema, revision: Revision): boolean {
  const here = shape(node, revision.canonical);
  return here.anyOf === undefined && here.type !== "object" && here.type !== "array" && here.properties === undefined;
}

/** The property that tells the object members of a union apart by a constant each. */
function tagOf(members: readonly Schema[], revision: Revision): string | undefined {
  const objects = members.filter((member) => isObject(member, revision));
  const [first] = objects;
  if (first === undefined) return undefined;
  return Object.keys(shape(first, revision.canonical).properties ?? {}).find((key) => {
    const values = objects.map((member) => constantAt(member, key, revision));
    return values.every((value) => value !== undefined) && new Set(values).size === values.length;
  });
}

/** A property that a member requires and no other object member does. */
function ownRequirement(member: Schema, members: readonly Schema[], revision: Revision): string | undefined {
  if (!isObject(member, revision)) return undefined;
  const others = members.filter((other) => other !== member && isObject(other, revision));
  const required = shape(member, revision.canonical).required ?? [];
  return required.find((key) => others.every((other) => !(shape(other, revision.canonical).required?.includes(key) ?? false)));
}

function constantAt(member: Schema, key: string, revision: Revision): unknown {
  const property = own(shape(member, revision.canonical).properties, key);
  const values = property && constants(shape(property, revision.canonical));
  return values?.length === 1 ? values[0] : undefined;
}

function rootOf(place: string): string {
  return /^\w+/.exec(place)?.[0] ?? place;
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: V });
}

function hasOwnWork(body: LiftBody): boolean {
  if (body.kind === "object")
    return (
      body.unwrap !== undefined ||
      body.mend !== undefined ||
      body.steps.some((step) => Object.keys(step).some((key) => key !== "key" && key !== "child"))
    );
  if (body.kind === "array") return body.dropNull !== undefined || body.dropUnusable !== undefined;
  return body.kind === "map" && body.ifNotObject !== undefined;
}

function childrenOf(body: LiftBody): LiftPlan[] {
  if (body.kind === "object") return body.steps.flatMap((step) => step.child ?? []);
  if (body.kind === "union") return body.branches.map((branch) => branch.child);
  if (body.kind === "result")
    return [...body.branches.flatMap((branch) => branch.child ?? []), ...(body.usual === undefined ? [] : [body.usual])];
  return body.child === undefined ? [] : [body.child];
}
