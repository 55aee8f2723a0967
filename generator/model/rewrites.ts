// Checks the two forms of a lowering that rewrites an object: that the first form says where everything in the second comes from, that nothing
// found is lost, and that the fields exist. Pure.
import type { Problem } from "../problem.js";
import { memberName, parsePath } from "./path.js";
import { isSame, own, refTo, shape, type Definitions, type Schema } from "./schema.js";
import type { Feature, Lowering, Model, Rewrite } from "./types.js";

/** The action of a lowering that rewrites; the runtime's registry of fallbacks has it under this name. */
const ACTION = "rewrite";

/** Checks the forms of every lowering that has some, and that one which offers the action has them. */
export function checkRewrites(model: Model, problems: Problem[]): void {
  for (const feature of model.features) {
    for (const lowering of feature.lowerings) {
      const fault = faultOf(lowering, feature, model);
      if (fault === undefined) continue;
      problems.push({ ...lowering.place, rule: "rewrite", message: fault, fix: "correct the two forms (rewrite: in schemas/README.md)" });
    }
  }
}

function faultOf({ at, degrade, rewrite }: Lowering, feature: Feature, model: Model): string | undefined {
  if (degrade.includes(ACTION) !== (rewrite !== undefined))
    return rewrite === undefined
      ? `${feature.id} offers ${ACTION} at ${at} but states no forms`
      : `${feature.id} states two forms at ${at} but does not offer ${ACTION}`;
  if (rewrite === undefined) return undefined;
  const found = namesIn(rewrite.from);
  const written = namesIn(rewrite.to);
  const bound = found.filter((name) => !name.includes("."));
  const unbound = [...found, ...written].find((name) => !bound.includes(name.split(".")[0] as string));
  if (unbound !== undefined) return `nothing in the form that is looked for at ${at} says what ${unbound} is`;
  const lost = bound.find((name) => !written.includes(name));
  if (lost !== undefined) return `${lost} is found at ${at} and written nowhere, so it would be lost`;
  const stranger = strangerIn(rewrite, at, model.ir);
  if (stranger !== undefined) return `no revision has a field ${stranger} at ${at}`;
  return at.includes("|") && !differ(rewrite) ? `what is written at ${at} would be looked for again` : undefined;
}

/** Lists the names in a form. */
function namesIn(form: unknown): string[] {
  if (typeof form === "string") return form.startsWith("$") ? [form] : [];
  return typeof form === "object" && form !== null ? Object.values(form).flatMap(namesIn) : [];
}

/** Finds a field of either form that the canonical form of its object does not have. */
function strangerIn({ from, to }: Rewrite, at: string, ir: Definitions): string | undefined {
  const path = parsePath(at);
  if (path === undefined) return undefined;
  const holder = shape(refTo(path.member ?? path.definition), ir);
  const siblings = path.member === undefined ? [holder] : membersOf(path.definition, ir);
  const lacks = (nodes: readonly Schema[]) => (key: string) => nodes.every((node) => own(node.properties, key) === undefined);
  return Object.keys(from).find(lacks([holder])) ?? Object.keys(to).find(lacks(siblings));
}

function membersOf(union: string, ir: Definitions): Schema[] {
  return (shape(refTo(union), ir).anyOf ?? []).map((member) => shape(refTo(memberName(member)), ir));
}

/** Tells whether a constant that is looked for is another one in what is written. */
function differ({ from, to }: Rewrite): boolean {
  return Object.entries(from).some(([key, form]) => namesIn(form).length === 0 && !isSame(form, own(to, key)));
}
