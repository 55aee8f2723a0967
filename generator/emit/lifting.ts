// Turns the plan of lifting into what a codec module carries: a table of shapes, one for each place where a tolerance may apply, and the
// functions that look whether there is anything to repair at all.
import type { LiftBody, LiftBranch, LiftPlan, LiftStep, RevisionLiftPlan } from "../model/lift-plan.js";
import type { Definitions } from "../model/types.js";
import { access, literal } from "./output.js";
import { fitsExpression } from "./predicate.js";
import type { Tables } from "./tables.js";

/** Gives a revision's table of shapes as lines of literals, each with its place, and the index of a plan's shape. */
export function liftTable(
  plan: RevisionLiftPlan,
  tables: Tables,
): {
  readonly shapes: readonly { readonly path: string; readonly text: string }[];
  readonly indexOf: (plan: LiftPlan | undefined) => number | undefined;
} {
  const indices = new Map(plan.functions.map((entry, index) => [entry, index]));
  const indexOf = (child: LiftPlan | undefined) => (child === undefined ? undefined : indices.get(child));
  const shapes = plan.functions.map((entry) => ({ path: entry.path, text: literal(shapeOf(entry.body, indexOf, tables)) }));
  return { shapes, indexOf };
}

type IndexOf = (plan: LiftPlan | undefined) => number | undefined;

function shapeOf(body: LiftBody, indexOf: IndexOf, tables: Tables): Record<string, unknown> {
  switch (body.kind) {
    case "object":
      return objectShape(body, indexOf, tables);
    case "array":
      return {
        kind: "list",
        items: indexOf(body.child),
        dropNull: body.dropNull?.index,
        unusable: body.dropUnusable && { tolerance: body.dropUnusable.tolerance.index, bones: body.dropUnusable.bones },
      };
    case "map":
      return { kind: "map", values: indexOf(body.child), notObject: body.ifNotObject?.index };
    case "union": {
      const branches = body.branches.filter((branch) => branch.child.needed);
      const tagged = branches.filter((branch) => branch.tag !== undefined);
      const present = presentOf(branches).map((branch) => [branch.present, indexOf(branch.child)]);
      return {
        kind: "union",
        list: indexOf(branches.find((branch) => branch.isArray)?.child),
        tag: tagged[0]?.tag?.key,
        members: tagged.map((branch) => [branch.tag?.value, indexOf(branch.child)]),
        untagged: indexOf(tagged.find((branch) => branch.tag?.isOptional === true)?.child),
        present: present.length === 0 ? undefined : present,
      };
    }
    case "result":
      return {
        kind: "result",
        usual: indexOf(body.usual),
        others: body.branches.map(({ when, child }) => ({ ...when, shape: indexOf(child) })),
      };
  }
}

function presentOf(branches: readonly LiftBranch[]): readonly LiftBranch[] {
  return branches.filter((branch) => branch.present !== undefined);
}

function objectShape(body: Extract<LiftBody, { kind: "object" }>, indexOf: IndexOf, tables: Tables): Record<string, unknown> {
  const { steps, unwrap, mend } = body;
  const nulls = steps.flatMap(({ key, ifNull }) =>
    ifNull === undefined ? [] : [[key, ifNull.tolerance.index, ...(ifNull.becomes === "list" ? [[]] : [])]],
  );
  const into = steps.flatMap(({ key, child, mend: repair }) =>
    repair === undefined ? (indexOf(child) === undefined ? [] : [[key, indexOf(child)]]) : [[key, indexOf(child) ?? -1, repair.index]],
  );
  const checks = steps.flatMap((step) => checksOf(step, tables));
  const lacks = steps.find((step) => step.ifMissing !== undefined)?.key;
  return {
    kind: "object",
    unwrap: unwrap && { tolerance: unwrap.index, lacks },
    mend: mend?.index,
    nulls: nulls.length === 0 ? undefined : nulls,
    into: into.length === 0 ? undefined : into,
    checks: checks.length === 0 ? undefined : checks,
  };
}

function checksOf(
  { key, ifValue, ifMissing, ifNotObject, isImplied, ifNotBoolean, mend }: LiftStep,
  tables: Tables,
): Record<string, unknown>[] {
  return [
    ...(ifValue === undefined ? [] : [{ key, tolerance: ifValue.index, equals: ifValue.value, becomes: ifValue.becomes }]),
    ...(ifNotObject === undefined ? [] : [{ key, tolerance: ifNotObject.index, notObject: true, implied: isImplied }]),
    ...(ifNotBoolean === undefined ? [] : [{ key, tolerance: ifNotBoolean.index, notBoolean: true }]),
    // The walk over the present fields does not come by one that is not there.
    ...(mend === undefined ? [] : [{ key, tolerance: mend.index, mend: true }]),
    ...(ifMissing === undefined
      ? []
      : [
          {
            key,
            tolerance: ifMissing.tolerance.index,
            fill: tables.fillIndex(ifMissing.fill),
            only: Object.entries(ifMissing.tolerance.only),
          },
        ]),
  ];
}

/**
 * Gives the views of the functions that look whether a payload has anything to repair; they may say yes too often, never too seldom. Only what
 * answers to a client are made of is looked at: the rest comes seldom enough to be walked.
 */
export function lookViews(plan: RevisionLiftPlan, definitions: Definitions): Record<string, unknown>[] {
  const looked = plan.functions.filter((entry) => !entry.isCold);
  return looked.map((entry) => ({ name: lookName(entry), path: entry.path, ...lookView(entry.body, definitions) }));
}

/** Looks at a place by its function, or says yes where it has none and there is something. */
function lookAt(plan: LiftPlan, read: string): string {
  return plan.isCold ? `${read} !== undefined` : `${lookName(plan)}(${read})`;
}

/** Names the function that looks at a plan's place. */
export function lookName(plan: LiftPlan): string {
  return plan.name.replace(/^lift/, "odd");
}

function lookView(body: LiftBody, definitions: Definitions): Record<string, unknown> {
  switch (body.kind) {
    case "object": {
      const { unwrap } = body;
      const tests = [
        ...(body.steps.some((step) => step.ifNull !== undefined) ? ["hasNull(value)"] : []),
        // Where the wrapped value takes the place of what is missing, the missing says enough.
        ...(unwrap?.key === undefined || body.steps.some((step) => step.ifMissing !== undefined)
          ? []
          : [`${access("value", unwrap.key)} !== undefined`]),
        ...(body.mend === undefined ? [] : ["isResourceOfNoUri(value)"]),
        ...body.steps.flatMap(oddTests),
      ];
      return { object: true, tests: tests.join(" || ") || "false" };
    }
    case "array": {
      const tests = [
        ...(body.dropNull === undefined ? [] : ["item === null"]),
        ...(body.child?.needed === true ? [lookAt(body.child, "item")] : []),
        ...(body.dropUnusable === undefined ? [] : [`!(${fitsExpression(body.dropUnusable.bones, "item", definitions)})`]),
      ];
      return { array: true, tests: tests.join(" || ") };
    }
    case "map": {
      const tests = [
        ...(body.ifNotObject === undefined ? [] : ["!isWire(item)"]),
        ...(body.child?.needed === true ? [lookAt(body.child, "item")] : []),
      ];
      return { map: true, tests: tests.join(" || ") };
    }
    case "union": {
      const branches = body.branches.filter((branch) => branch.child.needed);
      const tags = branches.flatMap((branch) => (branch.tag === undefined ? [] : [{ ...branch.tag, look: lookAt(branch.child, "value") }]));
      const list = branches.find((branch) => branch.isArray);
      const untagged = branches.find((branch) => branch.tag?.isOptional === true);
      return {
        union: true,
        untagged: untagged && lookAt(untagged.child, "value"),
        present: presentOf(branches).map((branch) => ({
          read: access("value", branch.present ?? ""),
          look: lookAt(branch.child, "value"),
        })),
        list: list && lookName(list.child),
        tag: tags[0] && access("value", tags[0].key),
        cases: tags.map(({ value, look }) => ({ value: JSON.stringify(value), look })),
      };
    }
    case "result": {
      const looks = body.branches.map(({ when, child }) => {
        const read = access("value", when.property);
        const test = when.equals === undefined ? `${read} !== undefined` : `${read} === ${JSON.stringify(when.equals)}`;
        return { test, look: child?.needed === true ? lookAt(child, "value") : "false" };
      });
      return { result: true, looks, usual: body.usual?.needed === true ? lookAt(body.usual, "value") : "false" };
    }
  }
}

function oddTests({ key, child, ifValue, ifMissing, ifNotObject, mend }: LiftStep): string[] {
  const read = access("value", key);
  return [
    ...(ifValue === undefined ? [] : [`${read} === ${JSON.stringify(ifValue.value)}`]),
    ...(ifMissing === undefined ? [] : [`${read} === undefined`]),
    ...(ifNotObject === undefined ? [] : [`(${read} !== undefined && !isWire(${read}))`]),
    ...(mend === undefined ? [] : [`isOddSchema(${read})`]),
    ...(child?.needed === true ? [lookAt(child, read)] : []),
  ];
}
