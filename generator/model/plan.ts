// Decides what lowering to one revision has to do at each place a canonical value may reach: which fields and members to gate, which
// values may not fit, what to fill. A place whose whole subtree fits gets no plan and is passed by reference. Pure.
import { fillAt } from "./fills.js";
import { buildGating, isImplied, statusAt, type Gating, type Status } from "./gating.js";
import { findNode, memberName, parsePath, propertyPath } from "./path.js";
import { isAny, mapValue, own, refName, refTo, shape, stable, targetName, typesOf, type Schema } from "./schema.js";
import { passedGates } from "./passed-gates.js";
import { containsScalar, isCounterpart, specificity, tagOf, testOf, type MemberTest } from "./union-members.js";
import { answersTo, FunctionNames, markPlans } from "./walk-plan.js";
import type { AlternativeResult, Feature, Fill, Lowering, Method, Model, Revision } from "./types.js";

/** What a gate at one place does: the feature asked, the lowering and fill that serve it, and whether the negotiation decides. */
export interface Gate {
  readonly feature: Feature;
  readonly lowering: Lowering | undefined;
  readonly fill: Fill | undefined;
  readonly status: Exclude<Status, "on">;
}

/** A value that may not fit: the schema it must fit, and the row that says what changed there. */
export interface Misfit {
  readonly expected: Schema;
  readonly feature: Feature | undefined;
  readonly lowering: Lowering | undefined;
}

/** What to do at one property of an object, in this order: stray, hop, fill, gate, misfit, child. */
export interface FieldStep {
  readonly key: string;
  readonly path: string;
  /** What the canonical form has here, where a revision that does not name the property may send something else under its name. */
  readonly stray?: Schema;
  /** What the canonical form has here. */
  readonly canonical?: Schema;
  readonly hop?: Fill;
  /** Required at the revision; written where absent, or refused where there is nothing to write. */
  readonly fill?: Fill | "none";
  readonly gate?: Gate;
  /** The gate asks only about these values. */
  readonly gateValues?: readonly unknown[];
  readonly misfit?: Misfit;
  readonly child?: FunctionPlan;
  /** Leave the property out if lowering emptied it. */
  readonly omitEmpty?: boolean;
  readonly feature?: Feature | undefined;
}

/** A property that goes by another name at the revision, with the feature that gates the newer of both. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
  readonly feature: number;
}

/** An object that holds a field may be written in another form, before its fields are looked at. */
export interface Reshape {
  readonly key: string;
  readonly gate: Gate;
  /** What the canonical form has there; another value is not the field. */
  readonly canonical?: Schema;
}

/** One member of a union and what becomes of it. */
export interface Branch {
  readonly name: string;
  readonly test: MemberTest;
  readonly gate?: Gate;
  /** True where the revision's union simply has no such member, and the row that says so. */
  readonly absent: boolean;
  readonly feature?: Feature | undefined;
  readonly child?: FunctionPlan;
}

/** An alternative result of a method. */
export interface ResultBranch {
  readonly when: AlternativeResult["when"];
  readonly gate?: Gate;
  readonly child?: FunctionPlan;
}

/** The body of one lowering function. */
export type Body =
  | {
      readonly kind: "object";
      readonly steps: readonly FieldStep[];
      readonly renamings?: readonly Renaming[];
      readonly reshapes?: readonly Reshape[];
    }
  | { readonly kind: "array"; readonly child?: FunctionPlan; readonly misfit?: Misfit }
  | { readonly kind: "map"; readonly child?: FunctionPlan; readonly misfit?: Misfit }
  | {
      readonly kind: "union";
      readonly tag?: string;
      readonly branches: readonly Branch[];
      readonly closed: boolean;
      /** What a member of no listed type has to be, where the revision takes such. */
      readonly open?: Schema;
      /** The row that narrowed a member, or by which another revision takes what this one does not. */
      readonly feature?: Feature | undefined;
      readonly unknown?: Lowering;
    }
  | {
      readonly kind: "result";
      readonly branches: readonly ResultBranch[];
      readonly usual?: FunctionPlan;
      /** Where the revision lets a result say what it is: the property, and what the usual one says. */
      readonly says?: { readonly property: string; readonly usual: unknown };
    }
  | { readonly kind: "params"; readonly fill: Fill; readonly child?: FunctionPlan };

/** One lowering function: a place and what to do there. */
export interface FunctionPlan {
  readonly name: string;
  readonly path: string;
  body: Body;
  needed: boolean;
  /** True where no answer to a client leads here: what lowering costs is paid once a session or a prompt, so that small code is worth more. */
  isCold: boolean;
}

/** The lowering functions of one revision, and which of them each method's payloads enter by. */
export interface RevisionPlan {
  readonly functions: readonly FunctionPlan[];
  readonly entries: ReadonlyMap<string, { readonly params?: FunctionPlan; readonly result?: FunctionPlan }>;
}

interface Work {
  readonly child?: FunctionPlan;
  readonly misfit?: Misfit;
}

/** Plans the lowering of every payload of one revision. */
export function planRevision(model: Model, revision: Revision): RevisionPlan {
  return new Planner(model, revision).plan();
}

class Planner {
  private readonly gating: Gating;
  private readonly functions = new Map<string, FunctionPlan>();
  private readonly names = new FunctionNames("lower");
  private readonly passed: ReadonlyMap<string, ReadonlySet<Feature>>;

  constructor(
    private readonly model: Model,
    private readonly revision: Revision,
  ) {
    this.gating = buildGating(model.features);
    this.passed = passedGates(model, revision, this.gating);
  }

  plan(): RevisionPlan {
    const entries = new Map<string, { params?: FunctionPlan; result?: FunctionPlan }>();
    for (const method of this.revision.methods) {
      const params = this.planParams(method);
      const result = method.kind === "request" ? this.planResult(method) : undefined;
      entries.set(method.name, { ...(params === undefined ? {} : { params }), ...(result === undefined ? {} : { result }) });
    }
    const all = [...this.functions.values()];
    markPlans(all, answersTo(this.revision.methods, entries), {
      hasOwnWork,
      childrenOf,
      rare: Object.values(this.model.capabilities),
    });
    return { functions: all.filter((plan) => plan.needed), entries };
  }

  private planParams(method: Method): FunctionPlan | undefined {
    const path = `${method.canonicalDefinition}.params`;
    const ir = own(shape(refTo(method.canonicalDefinition), this.model.ir).properties, "params");
    if (ir === undefined) return undefined;
    const here = own(shape(refTo(method.canonicalDefinition), this.revision.canonical).properties, "params");
    const { child } = this.planNode(ir, here, path);
    const fill = fillAt(this.model, path);
    if (fill === undefined || !method.paramsRequired) return child;
    return this.define(`${path} payload`, `${path}Payload`, path, { kind: "params", fill, ...(child === undefined ? {} : { child }) });
  }

  private planResult(method: Method): FunctionPlan | undefined {
    const usualName = method.results[0] as string;
    const usual = this.planNode(refTo(usualName), refTo(usualName), usualName).child;
    const alternatives = this.model.features.flatMap((feature) =>
      feature.gates.results.filter((result) => result.methods.includes(method.name)).map((result) => ({ feature, result })),
    );
    if (alternatives.length === 0) return usual;
    const branches = alternatives.map(({ feature, result }): ResultBranch => {
      const gate = this.gateOf(feature, result.definition, new Set([this.model.features[method.feature] as Feature]));
      const child =
        gate?.status === "off" ? undefined : this.planNode(refTo(result.definition), refTo(result.definition), result.definition).child;
      return { when: result.when, ...(gate === undefined ? {} : { gate }), ...(child === undefined ? {} : { child }) };
    });
    return this.define(`${method.name} result`, `${method.canonicalDefinition}.result`, `${method.name} result`, {
      kind: "result",
      branches,
      ...(usual === undefined ? {} : { usual }),
      ...this.saysAt(usualName, alternatives),
    });
  }

  /** The property by which a result of the revision says that it is the usual one, or something else. */
  private saysAt(
    usual: string,
    alternatives: readonly { readonly result: AlternativeResult }[],
  ): { readonly says?: { readonly property: string; readonly usual: unknown } } {
    const property = alternatives.find(({ result }) => result.when.equals !== undefined)?.result.when.property;
    const here = property === undefined ? undefined : own(shape(refTo(usual), this.revision.canonical).properties, property);
    const fill = property === undefined || here === undefined ? undefined : fillAt(this.model, propertyPath(usual, property));
    return property === undefined || fill === undefined ? {} : { says: { property, usual: fill.value } };
  }

  private planNode(ir: Schema, here: Schema | undefined, path: string): Work {
    if (here === undefined) return {};
    const place = targetName(ir, this.model.ir) ?? path;
    const irShape = shape(ir, this.model.ir);
    const hereShape = shape(here, this.revision.canonical);
    if (isAny(hereShape)) return {};
    if (isAny(irShape)) return { misfit: this.misfitOf(hereShape, place) };
    if (irShape.anyOf !== undefined) return this.planUnion(irShape, here, hereShape, place, path);
    if (irShape.type === "object" || irShape.properties !== undefined) {
      if (hereShape.type !== "object" && hereShape.properties === undefined) return { misfit: this.misfitOf(hereShape, place) };
      return this.planObject(irShape, hereShape, place);
    }
    if (irShape.type === "array" && hereShape.type === "array") return this.planArray(irShape, hereShape, place);
    return this.contains(hereShape, irShape) ? {} : { misfit: this.misfitOf(hereShape, place) };
  }

  /** Tells whether what a revision takes allows all of a scalar; of several members each type of it needs one. */
  private contains(here: Schema, scalar: Schema): boolean {
    if (here.anyOf === undefined) return containsScalar(here, scalar);
    const members = here.anyOf.map((member) => shape(member, this.revision.canonical));
    return typesOf(scalar).every((type) => members.some((member) => containsScalar(member, { ...scalar, type })));
  }

  private planObject(ir: Schema, here: Schema, place: string): Work {
    const key = `${place} ${stable(here)}`;
    const existing = this.functions.get(key);
    if (existing !== undefined) return { child: existing };
    const plan = this.define(key, place, place, { kind: "object", steps: [] });
    const value = mapValue(ir);
    if (value !== undefined) {
      const work = this.planNode(value, mapValue(here), `${place}.*`);
      plan.body = { kind: "map", ...work };
    } else {
      const names = new Set([...Object.keys(ir.properties ?? {}), ...(here.required ?? [])]);
      const steps = [...names].sort().flatMap((name) => this.planField(name, ir, here, place) ?? []);
      const reshapes = steps.flatMap(({ key: name, gate, canonical }) =>
        gate?.lowering?.rewrite === undefined ? [] : [{ key: name, gate, ...(canonical === undefined ? {} : { canonical }) }],
      );
      const renamings = this.renamingsAt(place, here);
      plan.body = {
        kind: "object",
        steps,
        ...(renamings.length === 0 ? {} : { renamings }),
        ...(reshapes.length === 0 ? {} : { reshapes }),
      };
    }
    return { child: plan };
  }

  /** The properties of an object that other revisions call by other names: older names become newer ones up to the revision, and back down to it. */
  private renamingsAt(place: string, here: Schema): Renaming[] {
    const all = this.model.propertyRenames.flatMap(({ from, to, feature, revision }) => {
      const [older, newer] = [from, to].map((path) => parsePath(path)?.steps.at(-1));
      if (typeof older !== "object" || typeof newer !== "object" || from !== propertyPath(place, older.property)) return [];
      return [{ older: older.property, newer: newer.property, feature, revision }];
    });
    const up = all.filter((entry) => entry.revision <= this.revision.index);
    const down = all.filter((entry) => entry.revision > this.revision.index).toReversed();
    const renamings = [
      ...up.map(({ older, newer, feature }) => ({ from: older, to: newer, feature })),
      ...down.map(({ older, newer, feature }) => ({ from: newer, to: older, feature })),
    ];
    const reachable = (name: string): boolean =>
      own(here.properties, name) !== undefined || renamings.some((entry) => entry.from === name && reachable(entry.to));
    return renamings.filter((entry) => reachable(entry.to));
  }

  private planField(key: string, ir: Schema, here: Schema, place: string): FieldStep | undefined {
    const path = propertyPath(place, key);
    const irChild = own(ir.properties, key);
    const hereChild = own(here.properties, key);
    const feature = this.gating.gateAt(path, this.revision.index);
    const ownGate = feature === undefined ? undefined : this.gateOf(feature, path, this.passed.get(definitionOf(place)));
    const valueGate = ownGate === undefined ? this.valueGate(path) : undefined;
    const gate = ownGate ?? valueGate?.gate;
    const fill = fillAt(this.model, path);
    const isRequired = here.required?.includes(key) ?? false;
    const mayLack = isRequired && (!(ir.required?.includes(key) ?? false) || fill !== undefined);
    const counterpart = hereChild ?? (feature === undefined && irChild !== undefined ? this.silentCounterpart(irChild) : undefined);
    const inner = gate?.status === "off" || irChild === undefined ? {} : this.planNode(irChild, counterpart, path);
    const work = hereChild === undefined ? inner : this.servedAt(path, hereChild, inner);
    const isHop = fill?.from !== undefined && hereChild !== undefined;
    const omitEmpty = !isRequired && work.child !== undefined && this.holdsHopFields(irChild);
    const step: FieldStep = {
      key,
      path,
      ...(irChild !== undefined && hereChild !== undefined && this.mayBeStray(place, key) && !isAny(shape(irChild, this.model.ir))
        ? { stray: irChild }
        : {}),
      ...(irChild === undefined ? {} : { canonical: irChild }),
      ...(isHop ? { hop: fill } : {}),
      ...(mayLack ? { fill: fill ?? "none", feature: this.gating.changeAt(path) ?? feature } : {}),
      ...(gate === undefined ? {} : { gate }),
      ...(valueGate?.values === undefined ? {} : { gateValues: valueGate.values }),
      ...work,
      ...(omitEmpty ? { omitEmpty } : {}),
    };
    const isIdle =
      !isHop && !mayLack && gate === undefined && work.child === undefined && work.misfit === undefined && step.stray === undefined;
    return isIdle ? undefined : step;
  }

  /** A gate that asks only where the negotiation decides: about some values of a field, or a member of a union. */
  private valueGate(path: string): { readonly gate: Gate; readonly values: readonly unknown[] | undefined } | undefined {
    for (const feature of this.model.features) {
      const entry = feature.gates.constants.find((candidate) => candidate.at === path);
      if (entry === undefined || statusAt(feature, this.revision, this.model) !== "conditional") continue;
      const lowering = feature.lowerings.find((candidate) => candidate.at === path);
      return { gate: { feature, lowering, fill: undefined, status: "conditional" }, values: entry.values };
    }
    return undefined;
  }

  /** Tells whether a row asks about members of a union at this one place of several that hold them. */
  private asksAt(path: string): boolean {
    return this.model.features.some((feature) => feature.gates.constants.some(({ at }) => at.startsWith(`${path}|`)));
  }

  /** Where a row serves a narrowed place as a whole, what does not fit there is its business; what fits is walked as usual. */
  private servedAt(path: string, here: Schema, work: Work): Work {
    const feature = this.gating.changeAt(path);
    const lowering = feature?.lowerings.find((entry) => entry.at === path);
    if (feature === undefined || lowering === undefined || statusAt(feature, this.revision, this.model) !== "off") return work;
    if (work.child === undefined && work.misfit === undefined) return work;
    return { ...work, misfit: { expected: here, feature, lowering } };
  }

  /** Tells whether some revision has the object but does not name the property, so that what stands there may be anybody's. */
  private mayBeStray(place: string, key: string): boolean {
    const path = parsePath(place);
    return (
      path !== undefined &&
      this.model.revisions.some((revision) => {
        const holder = findNode(path, revision.canonical);
        const there = holder && shape(holder, revision.canonical);
        return (
          there !== undefined && there.anyOf === undefined && own(there.properties, key) === undefined && mapValue(there) === undefined
        );
      })
    );
  }

  private planArray(ir: Schema, here: Schema, place: string): Work {
    const item = this.planNode(ir.items ?? {}, here.items ?? {}, `${place}[]`);
    const bounds = ["minItems", "maxItems"].filter((keyword) => here[keyword] !== undefined && ir[keyword] !== here[keyword]);
    const bounded = { type: "array", ...Object.fromEntries(bounds.map((keyword) => [keyword, here[keyword]])) };
    const bound = bounds.length > 0 ? { misfit: this.misfitOf(bounded, place) } : {};
    if (item.child === undefined && item.misfit === undefined) return bound;
    const key = `${place} ${stable(here)}`;
    const child = this.functions.get(key) ?? this.define(key, `${place} list`, place, { kind: "array", ...item });
    return { child, ...bound };
  }

  private planUnion(ir: Schema, here: Schema, hereShape: Schema, place: string, path: string): Work {
    const where = this.asksAt(path) ? path : place;
    // Where the revision has one member only, that member's own plan has the same place and the same schema.
    const key = `${where} union ${stable(here)}`;
    const existing = this.functions.get(key);
    if (existing !== undefined) return { child: existing };
    const plan = this.define(key, where, where, { kind: "union", branches: [], closed: false });
    const alone = targetName(here, this.revision.canonical);
    const available = hereShape.anyOf ?? [alone === undefined ? hereShape : refTo(alone)];
    const branches = (ir.anyOf ?? []).map((member) => this.planMember(member, available, place, where));
    const objects = branches.filter((branch) => branch.test.kind === "object");
    const tag = objects.length > 1 ? tagOf(objects) : undefined;
    const isNarrow = branches.some((branch) => branch.test.narrow !== undefined);
    const isShut = ir.others !== undefined && hereShape.others === undefined;
    const ordered = [...branches].sort((a, b) => specificity(b) - specificity(a) || rank(a) - rank(b));
    plan.body = {
      kind: "union",
      branches: ordered,
      closed: objects.length > 1 || isNarrow || isShut || branches.some((branch) => branch.absent || branch.gate !== undefined),
      ...(isNarrow || isShut ? { feature: this.gating.changeAt(place) ?? this.gating.changeAt(path) } : {}),
      ...(hereShape.others === undefined ? {} : { open: hereShape.others }),
      ...optionalUnknown(this.model.unknownMembers.find((entry) => entry.at === place)),
      ...(tag === undefined ? {} : { tag }),
    };
    return { child: plan };
  }

  private planMember(member: Schema, available: readonly Schema[], place: string, where: string): Branch {
    const name = memberName(member);
    const path = `${place}|${name}`;
    const test = testOf(member, this.model.ir);
    const counterpart = available.find((candidate) => isCounterpart(candidate, member, this.revision.canonical));
    const gating = this.gating.gateAt(path, this.revision.index);
    const ownGate = gating === undefined ? undefined : this.gateOf(gating, path, this.passed.get(definitionOf(place)));
    const gate = ownGate ?? (this.valueGate(path) ?? this.valueGate(`${where}|${name}`))?.gate;
    const work = counterpart === undefined || gate?.status === "off" ? {} : this.planNode(member, counterpart, place);
    const { child, misfit } = work;
    const overlap = counterpart === undefined && test.kind === "scalar" ? this.overlapOf(member, available) : undefined;
    const absent = counterpart === undefined && overlap === undefined && gate?.status !== "off";
    const narrow = overlap ?? misfit?.expected;
    const narrowed = narrow === undefined ? test : { ...test, narrow };
    const feature = absent && refName(member) === undefined ? this.gating.changeAt(place) : undefined;
    return {
      name,
      test: narrowed,
      absent,
      ...(feature === undefined ? {} : { feature }),
      ...(gate === undefined ? {} : { gate }),
      ...(child === undefined ? {} : { child }),
    };
  }

  /** What the revision takes of a scalar member that it does not take as a whole. */
  private overlapOf(member: Schema, available: readonly Schema[]): Schema | undefined {
    const types = typesOf(shape(member, this.model.ir));
    const shared = available.filter((candidate) => typesOf(shape(candidate, this.revision.canonical)).some((type) => types.includes(type)));
    return shared.length === 0 ? undefined : { anyOf: shared };
  }

  private gateOf(feature: Feature, path: string, passed: ReadonlySet<Feature> | undefined): Gate | undefined {
    const status = statusAt(feature, this.revision, this.model);
    if (status === "on") return undefined;
    if (status === "conditional") {
      // A flag below the capabilities definition is the advertisement itself: only the revision decides whether it may be sent.
      if (Object.values(this.model.capabilities).includes(definitionOf(path))) return undefined;
      if (passed !== undefined && [...passed].some((other) => isImplied(feature, other))) return undefined;
    }
    return { feature, lowering: feature.lowerings.find((entry) => entry.at === path), fill: fillAt(this.model, path), status };
  }

  private misfitOf(expected: Schema, path: string): Misfit {
    const feature = this.gating.changeAt(path);
    return { expected, feature, lowering: feature?.lowerings.find((entry) => entry.at === path) };
  }

  /** Where a revision is silent about a field that others spell out, an object in it is still walked: what it carries may be gated. */
  private silentCounterpart(ir: Schema): Schema | undefined {
    return shape(ir, this.model.ir).type === "object" ? { type: "object" } : undefined;
  }

  private holdsHopFields(node: Schema | undefined): boolean {
    const name = node && refName(node);
    if (name === undefined) return false;
    return Object.keys(shape(refTo(name), this.model.ir).properties ?? {}).some(
      (key) => fillAt(this.model, propertyPath(name, key))?.from !== undefined,
    );
  }

  private define(key: string, place: string, path: string, body: Body): FunctionPlan {
    const plan: FunctionPlan = { name: this.names.nameFor(place), path, body, needed: false, isCold: true };
    this.functions.set(key, plan);
    return plan;
  }
}

function hasOwnWork(body: Body): boolean {
  if (body.kind === "object")
    return body.steps.some(
      (step) =>
        step.stray !== undefined ||
        step.gate !== undefined ||
        step.fill !== undefined ||
        step.hop !== undefined ||
        step.misfit !== undefined,
    );
  if (body.kind === "union") return body.closed || body.branches.some((branch) => branch.absent || branch.gate !== undefined);
  if (body.kind === "result") return body.branches.some((branch) => branch.gate !== undefined);
  return body.kind === "params" || body.misfit !== undefined;
}

function childrenOf(body: Body): FunctionPlan[] {
  if (body.kind === "object") return body.steps.flatMap((step) => step.child ?? []);
  if (body.kind === "union") return body.branches.flatMap((branch) => branch.child ?? []);
  if (body.kind === "result")
    return [...body.branches.flatMap((branch) => branch.child ?? []), ...(body.usual === undefined ? [] : [body.usual])];
  return body.child === undefined ? [] : [body.child];
}

/** Among members a value fits alike, one that the revision has goes first. */
function rank(branch: Branch): number {
  if (branch.gate === undefined) return branch.absent ? 2 : 0;
  return branch.gate.status === "conditional" ? 1 : 3;
}

function optionalUnknown(unknown: Lowering | undefined): { readonly unknown?: Lowering } {
  return unknown === undefined ? {} : { unknown };
}

function definitionOf(path: string): string {
  return /^\w+/.exec(path)?.[0] ?? path;
}
