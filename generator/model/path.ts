// Schema paths as rows write them: `Definition.field["dotted/key"].items[].values.*` for a place, `Union|Member` for a member. Pure.
import { mapValue, own, refName, resolve, shape, typesOf, type Definitions, type Schema } from "./schema.js";

/** One step of a path: a property by name, the elements of an array, or the values of a map. */
export type Step = { readonly property: string } | "[]" | ".*";

/** A parsed path: the definition it starts at, the steps below it, and the union member it ends in, if any. */
export interface Path {
  readonly definition: string;
  readonly steps: readonly Step[];
  readonly member?: string;
}

const STEP = /^(?:\.\*|\[\]|\.([A-Za-z_$][\w$]*)|\[("(?:[^"\\]|\\.)*")\])/;

/** Parses a path; undefined where the text is none. */
export function parsePath(text: string): Path | undefined {
  const bar = memberBar(text);
  const member = bar === -1 ? undefined : text.slice(bar + 1);
  let rest = bar === -1 ? text : text.slice(0, bar);
  const definition = /^[A-Za-z_]\w*/.exec(rest)?.[0];
  if (definition === undefined || member === "") return undefined;
  rest = rest.slice(definition.length);
  const steps: Step[] = [];
  while (rest !== "") {
    const match = STEP.exec(rest);
    if (match === null) return undefined;
    steps.push(match[0] === "[]" || match[0] === ".*" ? match[0] : { property: match[1] ?? (JSON.parse(match[2] as string) as string) });
    rest = rest.slice(match[0].length);
  }
  return { definition, steps, ...(member === undefined ? {} : { member }) };
}

/** Where the member begins: at the first bar outside quotes. */
function memberBar(text: string): number {
  const quoted = text.replace(/"(?:[^"\\]|\\.)*"/g, (match) => "q".repeat(match.length));
  return quoted.indexOf("|");
}

/** Writes the path of a property below `path`. */
export function propertyPath(path: string, property: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(property) ? `${path}.${property}` : `${path}[${JSON.stringify(property)}]`;
}

/** Writes the path of another property of the object that holds the one at `path`; undefined where that is no property. */
export function siblingPath(path: string, property: string): string | undefined {
  const parsed = parsePath(path);
  const last = parsed?.steps.at(-1);
  if (parsed === undefined || parsed.member !== undefined || typeof last !== "object") return undefined;
  return propertyPath(path.slice(0, path.length - propertyPath("", last.property).length), property);
}

/** Finds the node at a path without following a reference at its end; undefined where the definitions have none. */
export function findNode(path: Path, definitions: Definitions): Schema | undefined {
  let node = own(definitions, path.definition);
  for (const step of path.steps) {
    if (node === undefined) return undefined;
    const holder: Schema = shape(node, definitions);
    if (step === "[]") node = holder.items;
    else if (step === ".*") node = mapValue(holder);
    else node = own(holder.properties, step.property);
  }
  return node;
}

/** Gives the path from the nearest definition on, where a path leads through a reference; undefined where it does not. */
export function withoutReferences(path: Path, definitions: Definitions): string | undefined {
  for (let length = path.steps.length - 1; length > 0; length -= 1) {
    const node = findNode({ definition: path.definition, steps: path.steps.slice(0, length) }, definitions);
    const name = node && refName(node);
    if (name !== undefined)
      return `${path.steps.slice(length).reduce(stepPath, name)}${path.member === undefined ? "" : `|${path.member}`}`;
  }
  const end = path.member === undefined || path.steps.length === 0 ? undefined : findNode(path, definitions);
  const name = end && refName(end);
  return name === undefined ? undefined : `${name}|${path.member}`;
}

function stepPath(path: string, step: Step): string {
  return typeof step === "object" ? propertyPath(path, step.property) : `${path}${step}`;
}

/** Tells whether a path, member included, exists in the definitions. */
export function hasPath(path: Path, definitions: Definitions): boolean {
  const node = findNode(path, definitions);
  if (node === undefined) return false;
  return path.member === undefined || memberNames(node, definitions).includes(path.member);
}

/** Names the members of a union node as rows name them; a node that is no union is its own only member. */
export function memberNames(node: Schema, definitions: Definitions): string[] {
  const union = node.anyOf ?? resolve(node, definitions).anyOf;
  if (union === undefined) return [memberName(node)];
  return union.flatMap((member) =>
    refName(member) === undefined && typesOf(member).length > 1 ? [...typesOf(member)] : [memberName(member)],
  );
}

/** Names one union member: a definition, `Item[]`, `(A|B)[]`, a JSON type, or `{}` for an inline object. */
export function memberName(node: Schema): string {
  const name = refName(node);
  if (name !== undefined) return name;
  if (node.type === "array") {
    const items = node.items ?? {};
    const inner = items.anyOf === undefined ? memberName(items) : `(${items.anyOf.map(memberName).sort().join("|")})`;
    return `${inner}[]`;
  }
  if (node.type === "object" || node.properties !== undefined) return "{}";
  return typesOf(node).join("|") || "any";
}
