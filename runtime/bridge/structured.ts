// Structured results that a server promised and left out: what its tools say of their output, and the value taken from the text of a result where that
// text is the value. Reads schemas only as far as it understands them; what it does not understand fits nothing.

import { isWire } from "../capabilities.js";
import { withField, withoutField } from "../copy.js";
import type { Wire } from "../protocol.js";

/** How many tools are remembered. */
const MOST_TOOLS = 4096;

/** Remembers what the tools of one server promised. */
export class Promises {
  readonly #schemas = new Map<string, Wire>();
  /** The tools that have broken their promise in a way nobody can mend. */
  readonly #broken = new Set<string>();

  /** Reads a page of tools; gives it without the promises that were broken, and as the same object where none was. */
  listed(result: unknown): unknown {
    if (!isWire(result) || !Array.isArray(result["tools"])) return result;
    let isChanged = false;
    const tools = (result["tools"] as readonly unknown[]).map((tool) => {
      if (!isWire(tool) || typeof tool["name"] !== "string" || !isWire(tool["outputSchema"])) return tool;
      const { name, outputSchema } = tool as Wire & { readonly name: string; readonly outputSchema: Wire };
      if (this.#schemas.size < MOST_TOOLS || this.#schemas.has(name)) this.#schemas.set(name, outputSchema);
      if (!this.#broken.has(name)) return tool;
      isChanged = true;
      return withoutField(tool, "outputSchema");
    });
    return isChanged ? withField(result, "tools", tools) : result;
  }

  /**
   * Gives the result of a tool with what it promised, taken from its one text where that is JSON which fits; the same object where nothing was promised,
   * or is missing, or can be taken. A promise nobody can keep is not passed on again.
   */
  called(name: unknown, result: unknown): unknown {
    const schema = typeof name === "string" ? this.#schemas.get(name) : undefined;
    if (schema === undefined || !isWire(result) || result["isError"] === true) return result;
    if (result["structuredContent"] !== undefined || !Array.isArray(result["content"])) return result;
    const value = valueIn(result["content"] as readonly unknown[]);
    if (value !== undefined && fits(value, schema, 0)) return withField(result, "structuredContent", value);
    this.#broken.add(String(name));
    return result;
  }
}

/** Reads the one text of some content as a JSON object; undefined where it is none, or holds a number that would not survive. */
function valueIn(content: readonly unknown[]): Wire | undefined {
  const texts = content.filter((block) => isWire(block) && block["type"] === "text");
  const [block] = texts;
  if (texts.length !== 1 || !isWire(block) || typeof block["text"] !== "string" || /\d{16}/.test(block["text"])) return undefined;
  try {
    const value: unknown = JSON.parse(block["text"]);
    return isWire(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Tells whether a value is what a schema describes. */
function fits(value: unknown, schema: unknown, depth: number): boolean {
  if (schema === true) return true;
  if (!isWire(schema) || depth > DEEPEST || !Object.keys(schema).every((key) => UNDERSTOOD.has(key))) return false;
  const { type, required = [], properties = {}, items, additionalProperties = true } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (type !== undefined && !types.some((one) => isOf(value, one))) return false;
  if (schema["enum"] !== undefined && !(Array.isArray(schema["enum"]) && schema["enum"].includes(value))) return false;
  if (Object.hasOwn(schema, "const") && schema["const"] !== value) return false;
  if (Array.isArray(value)) return items === undefined || value.every((entry) => fits(entry, items, depth + 1));
  if (!isWire(value)) return true;
  if (!Array.isArray(required) || !isWire(properties)) return false;
  if (!required.every((key) => Object.hasOwn(value, String(key)))) return false;
  return Object.entries(value).every(([key, entry]) =>
    fits(entry, Object.hasOwn(properties, key) ? properties[key] : additionalProperties, depth + 1),
  );
}

function isOf(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isWire(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const DEEPEST = 64;
/** The keywords that are read, and those that say nothing of values. */
const UNDERSTOOD = new Set(
  `type required properties items additionalProperties enum const
  $schema $id $comment title description default examples deprecated readOnly writeOnly format`.split(/\s+/),
);
