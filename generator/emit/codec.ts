// Emits <revision>/codec.ts: one straight-line lowering function for each place of the revision that a canonical value may not fit,
// and the table that says by which function each method's payloads enter.
import Handlebars from "handlebars";
import {
  planRevision,
  type Branch,
  type FieldStep,
  type FunctionPlan,
  type Gate,
  type MemberTest,
  type Misfit,
  type ResultBranch,
} from "../model/plan.js";
import { refName } from "../model/schema.js";
import { paramsNode } from "../model/methods.js";
import type { Feature, Lowering, Method, Model, Revision } from "../model/types.js";
import { access, header, type Output, type Templates } from "./output.js";
import { describeSchema, fitsExpression } from "./predicate.js";
import type { Tables } from "./tables.js";

/** Emits the codec of one revision. */
export function emitCodec(model: Model, revision: Revision, tables: Tables, templates: Templates): Output {
  return new CodecEmitter(model, revision, tables).emit(templates);
}

class CodecEmitter {
  constructor(
    private readonly model: Model,
    private readonly revision: Revision,
    private readonly tables: Tables,
  ) {}

  emit(templates: Templates): Output {
    const plan = planRevision(this.model, this.revision);
    const engine = Handlebars.create();
    engine.registerPartial("body", templates["codec-body"] ?? "");
    const render = engine.compile(templates["codec"] ?? "", { noEscape: true, strict: false });
    const functions = plan.functions.map((entry) => this.functionView(entry));
    const methods = this.revision.methods.map((method) => {
      const entry = plan.entries.get(method.name) ?? {};
      const payload = (lower: FunctionPlan | undefined, optional: boolean) =>
        `{ lift: same${lower?.needed === true ? `, lower: ${lower.name}` : ""}${optional ? ", optional: true" : ""} }`;
      return {
        name: JSON.stringify(method.name),
        feature: method.feature,
        kind: JSON.stringify(method.kind),
        embedded: String(method.carrier !== undefined),
        params: payload(entry.params, !method.paramsRequired),
        result: method.kind === "request" ? payload(entry.result, false) : undefined,
        paramsType: paramsType(method, this.revision),
        resultType: method.kind === "request" ? method.results.map((name) => `Types.${name}`).join(" | ") : undefined,
      };
    });
    const source = `schemas/${this.model.protocol}`;
    const body = render({ header: "", imports: "", revision: this.revision.id, functions, methods });
    const names = ["everyValue", "isWire", "lowerValues", "put", "REMOVED", "same"].filter((name) =>
      new RegExp(`\\b${name}\\b`).test(body),
    );
    const types = ["LowerContext", "MethodCodec", "Wire"]
      .filter((name) => new RegExp(`\\b${name}\\b`).test(body))
      .map((name) => `type ${name}`);
    const opening = header(
      source,
      `Lowers canonical payloads to revision ${this.revision.id}; a payload whose every canonical value fits is passed by reference.`,
    );
    const text = render({
      header: `${opening}import type * as Types from "./types.js";`,
      imports: [...names, ...types].join(", "),
      revision: this.revision.id,
      functions,
      methods,
    });
    return { path: `${this.model.protocol}/${this.revision.id}/codec.ts`, text };
  }

  private functionView(plan: FunctionPlan): Record<string, unknown> {
    const { body } = plan;
    const common = { name: plan.name, path: plan.path.replaceAll("*/", "*\\/") };
    const child = "child" in body && body.child?.needed ? body.child.name : undefined;
    switch (body.kind) {
      case "object":
        return { ...common, object: true, steps: body.steps.map((step) => this.stepView(step)) };
      case "array":
        return { ...common, array: true, child, misfit: body.misfit && this.misfitView(body.misfit, "item") };
      case "map":
        return { ...common, map: true, child, misfit: body.misfit && this.misfitView(body.misfit, "item") };
      case "union":
        return { ...common, union: true, ...this.unionView(body.branches, body.tag, plan), closed: body.closed };
      case "result":
        return {
          ...common,
          result: true,
          cases: body.branches.map((branch) => this.resultView(branch)),
          usual: body.usual?.needed === true ? body.usual.name : undefined,
        };
      case "params":
        return { ...common, params: true, fill: this.tables.fillIndex(body.fill), child };
    }
  }

  private stepView(step: FieldStep): Record<string, unknown> {
    const read = access("out", step.key);
    const child = step.child?.needed === true ? step.child.name : undefined;
    const misfit = step.misfit && this.misfitView(step.misfit, read);
    const quoted = JSON.stringify(step.key);
    return {
      quoted,
      read,
      child,
      misfit,
      isBlock: child !== undefined || misfit !== undefined,
      omitEmpty: step.omitEmpty === true,
      hop: step.hop === undefined ? undefined : String(this.tables.fillIndex(step.hop)),
      fill: step.fill === undefined ? undefined : this.fillStatement(step, quoted),
      gateOff: step.gate?.status === "off" ? this.gateArguments(step.gate) : undefined,
      gateIf: step.gate?.status === "conditional" ? { test: isOff(step.gate.feature), call: this.gateArguments(step.gate) } : undefined,
    };
  }

  private fillStatement(step: FieldStep, quoted: string): string {
    if (step.fill === "none" || step.fill === undefined) {
      return `{ ctx.path[depth] = ${quoted}; return ctx.refuse(undefined, "a value, which the revision requires", ${step.feature?.index ?? -1}, depth + 1); }`;
    }
    return `out = ctx.fill(out, ${quoted}, ${this.tables.fillIndex(step.fill)}, depth)`;
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

  private unionView(branches: readonly Branch[], tag: string | undefined, plan: FunctionPlan): Record<string, unknown> {
    const usable = branches
      .filter((branch) => !branch.absent && branch.gate?.status !== "off")
      .map((branch) => branch.name)
      .sort();
    const expected = JSON.stringify(usable.length === 0 ? "nothing" : usable.join(" or "));
    const objects = branches.filter((branch) => branch.test.kind === "object");
    const others = branches.filter((branch) => branch.test.kind !== "object");
    if (tag === undefined || others.length > 1) {
      return {
        cases: distinct(branches.map((branch) => ({ test: testExpression(branch.test), ...this.branchView(branch, expected, plan.name) }))),
        expected,
      };
    }
    const other = others[0];
    const scalars = other && this.inlineBranch(other, expected, plan.name);
    const cases = objects.map((branch) => ({
      value: JSON.stringify(branch.test.required.find((entry) => entry.key === tag)?.values?.[0]),
      ...this.branchView(branch, expected, plan.name),
    }));
    return { tag: access("value", tag), cases: [...cases].sort((a, b) => (a.value < b.value ? -1 : 1)), scalars, expected };
  }

  private inlineBranch(branch: Branch, expected: string, again: string): string {
    const view = this.branchView(branch, expected, again);
    const inner = view["guard"] === undefined ? view["result"] : `(${view["guard"]}) ? ${view["denied"]} : ${view["result"]}`;
    return `${testExpression(branch.test)} ? ${inner} : ctx.refuse(value, ${expected}, -1, depth)`;
  }

  private branchView(branch: Branch, expected: string, again: string): Record<string, string | undefined> {
    const pass = branch.child?.needed === true ? `${branch.child.name}(value, ctx, depth)` : "value";
    if (branch.absent) return { result: `ctx.refuse(value, ${expected}, ${branch.gate?.feature.index ?? -1}, depth)` };
    return this.gated(branch.gate, pass, again);
  }

  private resultView(branch: ResultBranch): Record<string, string | undefined> {
    const read = access("value", branch.when.property);
    const test = branch.when.equals === undefined ? `${read} !== undefined` : `${read} === ${JSON.stringify(branch.when.equals)}`;
    const pass = branch.child?.needed === true ? `${branch.child.name}(value, ctx, depth)` : "value";
    return { test, ...this.gated(branch.gate, pass) };
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

function isOff(feature: Feature): string {
  return `(ctx.bits[${feature.index >>> 5}]! & 0x${(2 ** (feature.index & 31)).toString(16)}) === 0`;
}

function testExpression(test: MemberTest): string {
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
    return `(${[`${read} === undefined`, ...entry.values.map((value) => `${read} === ${JSON.stringify(value)}`)].join(" || ")})`;
  });
  return ["isWire(value)", ...required, ...optional].join(" && ");
}

/** Of members that a value fits alike only the first can ever be chosen. */
function distinct<T extends { readonly test: string }>(cases: readonly T[]): T[] {
  return cases.filter((entry, index) => cases.findIndex((other) => other.test === entry.test) === index);
}

function either(tests: readonly string[]): string {
  return tests.length === 1 ? (tests[0] as string) : `(${tests.join(" || ")})`;
}

/** Names the wire type of a method's params at a revision. */
function paramsType(method: Method, revision: Revision): string {
  if (!method.hasParams) return "undefined";
  const node = paramsNode(method, revision.definitions);
  const name = node && refName(node);
  const type = name === undefined ? `Types.${method.definition}["params"]` : `Types.${name}`;
  return method.paramsRequired || name === undefined ? type : `${type} | undefined`;
}
