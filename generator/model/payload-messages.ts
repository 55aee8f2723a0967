// Writes the messages of a protocol whose schemas define payloads and let each say which method it belongs to (`x-method`), instead of defining each
// message with its method. Pure.
import { own, refName, refTo, type Definitions, type Schema } from "./schema.js";
import { pascal } from "./walk-plan.js";

/** Names the message of a method. */
export function messageName(method: string): string {
  return `${pascal(method)}Message`;
}

/** Tells which method a definition says it belongs to. */
export function methodOf(node: Schema | undefined): string | undefined {
  const method = node?.["x-method"];
  return typeof method === "string" ? method : undefined;
}

/** Adds a message for each payload a message union carries, and makes the union one of messages; a union of messages stays as it is. */
export function withMessages(definitions: Definitions, unions: readonly string[]): Definitions {
  const added = unions.flatMap((union): [string, Schema][] => {
    const node = own(definitions, union);
    const isPayload = methodOf(node) !== undefined;
    const payloads = isPayload ? [union] : payloadsOf(own(node?.properties, "params") ?? {}, definitions);
    const messages = payloads.map((payload): [string, Schema] => {
      const method = methodOf(definitions[payload]) as string;
      return [messageName(method), messageOf(method, payload, definitions[payload] as Schema)];
    });
    if (isPayload || messages.length === 0) return messages;
    return [...messages, [union, { anyOf: messages.map(([name]) => refTo(name)) }]];
  });
  return { ...definitions, ...Object.fromEntries(added) };
}

function payloadsOf(node: Schema, definitions: Definitions): string[] {
  const name = refName(node);
  if (name !== undefined) return methodOf(own(definitions, name)) === undefined ? [] : [name];
  return (node.anyOf ?? []).flatMap((member) => payloadsOf(member, definitions));
}

function messageOf(method: string, payload: string, node: Schema): Schema {
  const mayLack = (node.required ?? []).length === 0 && node.anyOf === undefined;
  return {
    type: "object",
    properties: { method: { type: "string", const: method }, params: refTo(payload) },
    required: mayLack ? ["method"] : ["method", "params"],
  };
}
