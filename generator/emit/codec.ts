// Emits <revision>/codec.ts: one straight-line lowering function for each place of the revision that a canonical value may not fit,
// and the table that says by which function each method's payloads enter.
import Handlebars from "handlebars";
import {
  planRevision,
  type Body,
  type Branch,
  type FieldStep,
  type FunctionPlan,
  type Gate,
  type Misfit,
  type Reshape,
  type ResultBranch,
} from "../model/plan.js";
import type { MemberTest } from "../model/union-members.js";
import { planLifting, type LiftPlan } from "../model/lift-plan.js";
import { refName, type Definitions } from "../model/schema.js";
import { paramsNode } from "../model/methods.js";
import type { Feature, Lowering, Method, Model, Revision } from "../model/types.js";
import { access, header, type Output, type Templates } from "./output.js";
import { liftTable, lookName, lookViews } from "./lifting.js";
import { describeSchema, either, fitsExpression } from "./predicate.js";
import { Predicates } from "./predicates.js";
import type { Tables } from "./tables.js";

/** Emits the codec of one revision. */
export function emitCodec(model: Model, revision: Revision, tables: Tables, templates: Templates): Output {
  return new CodecEmitter(model, revision, tables).emit(templates);
}

class CodecEmitter {
  private readonly predicates = new Predicates();

  constructor(
    private readonly model: Model,
    private readonly revision: Revision,
    private readonly tables: Tables,
  ) {}

  emit(templates: Templates): Output {
    const plan = planRevision(this.model, this.revision);
    const engine = Handlebars.create();
    engine.registerPartial("body", templates["codec-body"] ?? "");
    engine.registerPartial("look", templates["codec-look"] ?? "");
    engine.registerPartial("lower", templates["codec-lower"] ?? "");
    const render = engine.compile(templates["codec"] ?? "", { noEscape: true, strict: false });
    const functions = plan.functions.map((entry) => this.functionView(entry));
    const predicates = this.predicates.views(this.model.ir);
    const lifting = planLifting(this.model, this.revision);
    const { shapes, indexOf } = liftTable(lifting, this.tables);
    const liftLooks = lookViews(lifting, this.revision.canonical);
    const methods = this.revision.methods.map((method) => {
      const entry = plan.entries.get(method.name) ?? {};
      const lift = lifting.entries.get(method.name) ?? {};
      const payload = (reader: LiftPlan | undefined, lower: FunctionPlan | undefined, optional: boolean) => {
        const entries = [
          indexOf(reader) === undefined ? [] : `lift: ${indexOf(reader)}`,
          reader === undefined || reader.isCold || indexOf(reader) === undefined ? [] : `odd: ${lookName(reader)}`,
          lower?.needed === true && !lower.isCold ? `needs: ${needsName(lower)}` : [],
          lower?.needed === true ? `lower: ${lower.name}` : [],
          optional ? "optional: true" : [],
        ].flat();
        return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
      };
      return {
        name: JSON.stringify(method.name),
        feature: method.feature,
        kind: JSON.stringify(method.kind),
        embedded: String(method.carrier !== undefined),
        params: payload(lift.params, entry.params, !method.paramsRequired),
        result: method.kind === "request" ? payload(lift.result, entry.result, false) : undefined,
        paramsType: paramsType(method, this.revision),
        resultType: method.kind === "request" ? method.results.map((name) => `Types.${name}`).join(" | ") : undefined,
      };
    });
    const source = `schemas/${this.model.protocol}`;
    const body = render({ revision: this.revision.id, functions, predicates, shapes, liftLooks, methods });
    const names = [
      "everyValue",
      "hasNull",
      "isBoolean",
      "isOddSchema",
      "isResourceOfNoUri",
      "isSplit",
      "isString",
      "isWire",
      "keep",
      "lowerItems",
      "lowerSplitItems",
      "lowerValues",
      "rebuilt",
      "REMOVED",
      "replaced",
      "someItem",
      "SPLIT",
      "unlessEmptied",
    ].filter((name) => new RegExp(`\\b${name}\\b`).test(body));
    const types = ["LiftShape", "LowerContext", "MethodCodec", "Strays", "Wire"]
      .filter((name) => new RegExp(`\\b${name}\\b`).test(body))
      .map((name) => `type ${name}`);
    const opening = header(
      source,
      `Lifts payloads of revision ${this.revision.id} and lowers canonical ones to it; what needs no look is passed by reference.`,
    );
    const imports = `import type * as Types from "./types.js";\nimport { ${[...names, ...types].join(", ")} } from "../walk.js";`;
    const text = `${opening}${imports}\n\n${body}`.replace(LOOK, (look) =>
      look.split("ctx").length > 2 ? look : look.replace("ctx: ", "_ctx: "),
    );
    return { path: `${this.model.protocol}/${this.revision.id}/codec.ts`, text };
  }

  private functionView(plan: FunctionPlan): Record<string, unknown> {
    const { body } = plan;
    const common = { isHot: !plan.isCold, name: plan.name, needs: needsName(plan), path: plan.path.replaceAll("*/", "*\\/") };
    const child = "child" in body && body.child?.needed ? body.child.name : undefined;
    const childNeeds = "child" in body && body.child?.needed ? needsName(body.child) : undefined;
    switch (body.kind) {
      case "object":
        return { ...common, object: true, ...this.objectView(body, plan) };
      case "array":
        if (body.misfit === undefined) return { ...common, itemsOnly: true, child, childNeeds, splits: isSplitting(body.child) };
        return { ...common, array: true, child, childNeeds, misfit: this.misfitView(body.misfit, "item") };
      case "map":
        return { ...common, map: true, child, childNeeds, misfit: body.misfit && this.misfitView(body.misfit, "item") };
      case "union":
        return { ...common, union: true, ...this.unionView(body, plan), closed: body.closed };
      case "result":
        return {
          ...common,
          result: true,
          cases: body.branches.map((branch) => this.resultView(branch)),
          usual: body.usual?.needed === true ? body.usual.name : undefined,
          other: body.says && otherTest(body.says),
          usualNeeds: body.usual?.needed === true ? needsName(body.usual) : undefined,
        };
      case "params":
        return { ...common, params: true, fill: this.tables.fillIndex(body.fill), child, childNeeds };
    }
  }

  private objectView(body: Extract<Body, { kind: "object" }>, plan: FunctionPlan): Record<string, unknown> {
    const looks = body.steps.map((step, index) => this.stepView(step, `v${index}`));
    const steps = looks.filter((_, index) => isBusy(body.steps[index] as FieldStep));
    const strays = looks
      .filter((look) => look["stray"] !== undefined)
      .map(({ quoted, fits, wireStray }) => ({ quoted, fits, ...(wireStray as object) }));
    const split = body.steps.find((step) => canSplit(step.child));
    const renamings = (body.renamings ?? []).map(({ from, to, feature }) => ({
      test: `${access("held", from)} !== undefined && ${access("held", to)} === undefined`,
      call: `${JSON.stringify(from)}, ${JSON.stringify(to)}, ${feature}`,
    }));
    const reshapes = (body.reshapes ?? []).map((reshape) => this.reshapeView(reshape));
    return {
      ...(renamings.length + reshapes.length === 0 ? {} : { isHeld: true, renamings, reshapes }),
      isCold: plan.isCold,
      looks,
      steps,
      strays: strays.length === 0 ? undefined : strays,
      strayTable: `STRAYS_${plan.name.replace(/^lower/, "")}`,
      strayTest: plan.name.replace(/^lower/, "isStray"),
      hops: body.steps.some((step) => step.hop !== undefined),
      splits: split && JSON.stringify(split.key),
    };
  }

  private reshapeView({ key, gate, canonical }: Reshape): Record<string, string> {
    const read = access("held", key);
    const isField = canonical === undefined ? "true" : this.predicates.expression(canonical, read, this.model.ir);
    const tests = [`${read} !== undefined`, isField === "true" ? [] : [`(${isField})`], gate.status === "off" ? [] : [isOff(gate.feature)]];
    return {
      quoted: JSON.stringify(key),
      test: tests.flat().join(" && "),
      call: `${gate.feature.index}, ${this.loweringIndex(gate.feature, gate.lowering)}`,
    };
  }

  private stepView(step: FieldStep, local: string): Record<string, unknown> {
    const child = step.child?.needed === true ? step.child : undefined;
    const misfit = step.misfit && this.misfitView(step.misfit, local);
    const quoted = JSON.stringify(step.key);
    const stray = step.stray && this.predicates.expression(step.stray, local, this.model.ir);
    const gateOff = step.gate?.status === "off" ? this.gateArguments(step.gate) : undefined;
    // What the revision does not name may be anything of the peer's own; a value that is not the field is none of the row's business.
    const isField =
      step.gate?.status === "off" && step.gate.fill === undefined && step.canonical !== undefined
        ? this.predicates.expression(step.canonical, local, this.model.ir)
        : "true";
    const gateIf =
      step.gate?.status === "conditional"
        ? { test: gateTest(step.gate, step.gateValues, local), call: this.gateArguments(step.gate) }
        : undefined;
    return {
      local,
      quoted,
      read: access("value", step.key),
      write: access("copy", step.key),
      child: child?.name,
      misfit,
      stray: stray === "true" ? undefined : stray,
      wireStray: step.stray && {
        read: access("value", step.key),
        test: this.predicates.expression(step.stray, access("value", step.key), this.model.ir),
      },
      fits: step.stray && this.predicates.function(step.stray, this.model.ir),
      isBlock: child !== undefined || misfit !== undefined,
      omitEmpty: step.omitEmpty === true,
      mayGo: child?.body.kind === "union",
      splits: canSplit(child),
      hop: step.hop === undefined ? undefined : String(this.tables.fillIndex(step.hop)),
      fill: step.fill === undefined ? undefined : this.fillStatement(step, quoted, local),
      writesAbsent: step.fill !== undefined || step.hop !== undefined,
      gateOff,
      isField: isField === "true" ? undefined : isField,
      gateIf,
      tests: this.needTests(step, local, misfit, gateOff !== undefined, gateIf?.test),
    };
  }

  /** What says that a step may have something to do: generous, since a yes costs only the look itself. */
  private needTests(
    step: FieldStep,
    local: string,
    misfit: Record<string, unknown> | undefined,
    isOff: boolean,
    gate: string | undefined,
  ): string | undefined {
    const present: string[] = [
      ...(gate === undefined ? [] : [gate]),
      ...(misfit === undefined ? [] : [`!(${String(misfit["test"])})`]),
      ...(step.child?.needed === true ? [needAt(step.child, local)] : []),
    ];
    const whenPresent = isOff
      ? `${local} !== undefined`
      : present.length === 0
        ? undefined
        : `${local} !== undefined && ${either(present)}`;
    const whenAbsent = step.fill === undefined ? undefined : `${local} === undefined`;
    const tests = [whenAbsent, whenPresent].filter((test) => test !== undefined);
    return tests.length === 0 ? undefined : tests.join(" || ");
  }

  private fillStatement(step: FieldStep, quoted: string, local: string): string {
    if (step.fill === "none" || step.fill === undefined) {
      return `{ ctx.path[depth] = ${quoted}; return ctx.refuse(undefined, "a value, which the revision requires", ${step.feature?.index ?? -1}, depth + 1); }`;
    }
    return `${local} = ctx.fill(${quoted}, ${this.tables.fillIndex(step.fill)}, depth)`;
  }

  private gateArguments(gate: Gate): string {
    return `${gate.feature.index}, ${this.loweringIndex(gate.feature, gate.lowering)}, ${gate.fill === undefined ? -1 : this.tables.fillIndex(gate.fill)}`;
  }

  private misfitView(misfit: Misfit, read: string): Record<string, unknown> {
    const { canonical } = this.revision;
    return {
      test: fitsExpression(misfit.expected, read, canonical),
      expected: JSON.stringify(describeSchema(misfit.expected, canonical)),
      feature: String(misfit.feature?.index ?? -1),
      lowering: String(this.loweringIndex(misfit.feature, misfit.lowering)),
    };
  }

  private unionView(body: Extract<Body, { kind: "union" }>, plan: FunctionPlan): Record<string, unknown> {
    const { branches, tag } = body;
    const usable = branches
      .filter((branch) => !branch.absent && branch.gate?.status !== "off")
      .map((branch) => (branch.test.narrow === undefined ? branch.name : describeSchema(branch.test.narrow, this.revision.canonical)))
      .sort();
    const expected = JSON.stringify(usable.length === 0 ? "nothing" : usable.join(" or "));
    const objects = branches.filter((branch) => branch.test.kind === "object");
    const others = branches.filter((branch) => branch.test.kind !== "object");
    const isSwitch = tag !== undefined && others.length <= 1;
    const stranger =
      body.unknown === undefined
        ? `ctx.refuse(value, ${expected}, ${body.feature?.index ?? -1}, depth)`
        : `ctx.stranger(value, ${isSwitch ? access("value", tag) : "undefined"}, ${expected}, ${this.tables.unknownIndex(body.unknown)}, depth, ${plan.name})`;
    const otherwise =
      body.open === undefined ? stranger : `${fitsExpression(body.open, "value", this.revision.canonical)} ? value : ${stranger}`;
    if (!isSwitch) {
      return {
        cases: distinct(
          branches.map((branch) => ({
            test: testExpression(branch.test, this.revision.canonical),
            need: needOf(branch),
            ...this.branchView(branch, expected, plan.name),
          })),
        ),
        expected,
        otherwise,
      };
    }
    const other = others[0];
    const scalars = other && this.inlineBranch(other, expected, plan.name);
    const cases = objects.map((branch) => ({
      value: JSON.stringify(branch.test.required.find((entry) => entry.key === tag)?.values?.[0]),
      need: needOf(branch),
      ...this.branchView(branch, expected, plan.name),
    }));
    return {
      tag: access("value", tag),
      cases: [...cases].sort((a, b) => (a.value < b.value ? -1 : 1)),
      scalars,
      scalarNeeds: other === undefined ? "true" : `${testExpression(other.test, this.revision.canonical)} ? ${needOf(other)} : true`,
      expected,
      otherwise,
    };
  }

  private inlineBranch(branch: Branch, expected: string, again: string): string {
    const view = this.branchView(branch, expected, again);
    const inner = view["guard"] === undefined ? view["result"] : `(${view["guard"]}) ? ${view["denied"]} : ${view["result"]}`;
    return `${testExpression(branch.test, this.revision.canonical)} ? ${inner} : ctx.refuse(value, ${expected}, -1, depth)`;
  }

  private branchView(branch: Branch, expected: string, again: string): Record<string, string | undefined> {
    const pass = branch.child?.needed === true ? `${branch.child.name}(value, ctx, depth)` : "value";
    if (branch.absent) return { result: `ctx.refuse(value, ${expected}, ${(branch.gate?.feature ?? branch.feature)?.index ?? -1}, depth)` };
    return this.gated(branch.gate, pass, again);
  }

  private resultView(branch: ResultBranch): Record<string, string | undefined> {
    const read = access("value", branch.when.property);
    const test = branch.when.equals === undefined ? `${read} !== undefined` : `${read} === ${JSON.stringify(branch.when.equals)}`;
    const pass = branch.child?.needed === true ? `${branch.child.name}(value, ctx, depth)` : "value";
    return { test, need: needOf(branch), ...this.gated(branch.gate, pass) };
  }

  private gated(gate: Gate | undefined, pass: string, again?: string): Record<string, string | undefined> {
    if (gate === undefined) return { result: pass };
    const denied = `ctx.member(value, ${gate.feature.index}, ${this.loweringIndex(gate.feature, gate.lowering)}, depth${again === undefined || gate.lowering === undefined ? "" : `, ${again}`})`;
    return gate.status === "off" ? { result: denied } : { guard: isOff(gate.feature), denied, result: pass };
  }

  private loweringIndex(feature: Feature | undefined, lowering: Lowering | undefined): number {
    return feature === undefined || lowering === undefined ? -1 : this.tables.loweringIndex(feature, lowering);
  }
}

/** A function that looks; one that asks the context for nothing must say so in the name it gives it. */
const LOOK = /^function needs\w+\(value: unknown, ctx: LowerContext\): boolean \{\n(?:[ }].*\n)*?\}$/gm;

/** Tests that a result says it is something no row speaks of. */
function otherTest({ property, usual }: { readonly property: string; readonly usual: unknown }): string {
  const read = access("value", property);
  return `typeof ${read} === "string" && ${read} !== ${JSON.stringify(usual)}`;
}

function needsName(plan: FunctionPlan): string {
  return plan.name.replace(/^lower/, "needs");
}

/** Whether several objects may come back from a plan in the place of one. */
function isSplitting(plan: FunctionPlan | undefined): boolean {
  return plan?.body.kind === "object" && plan.body.steps.some((step) => canSplit(step.child));
}

/** Asks the function that looks at a place, or says yes where it has none. */
function needAt(plan: FunctionPlan, read: string): string {
  return plan.isCold ? "true" : `${needsName(plan)}(${read}, ctx)`;
}

/** Whether several values may come back from a plan in the place of one: a list where a peer takes single values. */
function canSplit(plan: FunctionPlan | undefined): boolean {
  return (
    plan?.body.kind === "union" && plan.body.branches.some((branch) => branch.test.kind === "array" && branch.gate?.lowering !== undefined)
  );
}

/** Whether a step has more to do than to leave out what only shares the field's name. */
function isBusy(step: FieldStep): boolean {
  return (
    step.hop !== undefined || step.fill !== undefined || step.gate !== undefined || step.misfit !== undefined || step.child?.needed === true
  );
}

function needOf(branch: { readonly absent?: boolean; readonly gate?: Gate; readonly child?: FunctionPlan }): string {
  if (branch.absent === true || branch.gate?.status === "off") return "true";
  const tests = [
    ...(branch.gate === undefined ? [] : [isOff(branch.gate.feature)]),
    ...(branch.child?.needed === true ? [needAt(branch.child, "value")] : []),
  ];
  return tests.length === 0 ? "false" : tests.join(" || ");
}

function gateTest(gate: Gate, values: readonly unknown[] | undefined, local: string): string {
  const off = isOff(gate.feature);
  return values === undefined ? off : `${either(values.map((value) => `${local} === ${JSON.stringify(value)}`))} && ${off}`;
}

function isOff(feature: Feature): string {
  return `(ctx.bits[${feature.index >>> 5}]! & 0x${(2 ** (feature.index & 31)).toString(16)}) === 0`;
}

function testExpression(test: MemberTest, definitions: Definitions): string {
  if (test.narrow !== undefined && test.kind !== "object") return fitsExpression(test.narrow, "value", definitions);
  if (test.kind === "array") return "Array.isArray(value)";
  if (test.kind === "scalar") return test.types.map((type) => fitsExpression({ type }, "value", {})).join(" || ") || "true";
  const required = test.required.map((entry) => {
    const read = access("value", entry.key);
    if (entry.values !== undefined) return either(entry.values.map((value) => `${read} === ${JSON.stringify(value)}`));
    if (entry.nested !== undefined && entry.nested.length > 0)
      return `isWire(${read}) && ${entry.nested.map((key) => `${access(read, key)} !== undefined`).join(" && ")}`;
    return `${read} !== undefined`;
  });
  const optional = test.optional.map((entry) => {
    const read = access("value", entry.key);
    // A stranger of another type under the tag's name is no tag: the member is chosen, and its own look leaves the stranger out.
    const isAbsent = entry.values.every((value) => typeof value === "string") ? `typeof ${read} !== "string"` : `${read} === undefined`;
    return `(${[isAbsent, ...entry.values.map((value) => `${read} === ${JSON.stringify(value)}`)].join(" || ")})`;
  });
  return ["isWire(value)", ...required, ...optional].join(" && ");
}

/** Of members that a value fits alike only the first can ever be chosen. */
function distinct<T extends { readonly test: string }>(cases: readonly T[]): T[] {
  return cases.filter((entry, index) => cases.findIndex((other) => other.test === entry.test) === index);
}

/** Names the wire type of a method's params at a revision. */
function paramsType(method: Method, revision: Revision): string {
  if (!method.hasParams) return "undefined";
  const node = paramsNode(method, revision.definitions);
  const name = node && refName(node);
  const type = name === undefined ? `Types.${method.definition}["params"]` : `Types.${name}`;
  return method.paramsRequired || name === undefined ? type : `${type} | undefined`;
}
