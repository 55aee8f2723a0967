// Collects the tests a codec makes of whole definitions, so that each is written once, as a function.
import { isAny, refName, refTo, resolve, shape, type Definitions, type Schema } from "../model/schema.js";
import { fitsExpression } from "./predicate.js";

/** The tests that many places share. */
const SIMPLE: Readonly<Record<string, string>> = {
  '{"type":"string"}': "isString",
  '{"type":"boolean"}': "isBoolean",
};

/** Collects the definitions whose values are told from anything else by a function of the codec. */
export class Predicates {
  private readonly named = new Map<string, string>();

  /** Writes the test that a value fits a schema; a definition it refers to is asked by its own function. */
  expression(node: Schema, value: string, definitions: Definitions): string {
    const name = refName(node);
    if (name === undefined) return fitsExpression(node, value, definitions, (definition) => this.call(definition, definitions));
    const call = this.call(name, definitions);
    return call === undefined ? "true" : `${call}(${value})`;
  }

  /** Names or writes the function that tells whether a value fits a schema. */
  function(node: Schema, definitions: Definitions): string {
    const name = refName(node);
    const call = name === undefined ? SIMPLE[JSON.stringify(shape(node, definitions))] : this.call(name, definitions);
    return call ?? `(value) => ${this.expression(node, "value", definitions)}`;
  }

  /** Gives the functions that were asked for, each with the definition it tells. */
  views(definitions: Definitions): { readonly name: string; readonly article: string; readonly test: string }[] {
    const views: { name: string; article: string; test: string }[] = [];
    // Writing one test may bring in another definition.
    for (const [definition, name] of this.named) views.push({ name, article: definition, test: this.bodyOf(definition, definitions) });
    return views;
  }

  private call(definition: string, definitions: Definitions): string | undefined {
    if (isAny(shape(refTo(definition), definitions))) return undefined;
    const name = `is${definition}`;
    this.named.set(definition, name);
    return name;
  }

  private bodyOf(definition: string, definitions: Definitions): string {
    return fitsExpression(resolve(refTo(definition), definitions), "value", definitions, (name) => this.call(name, definitions));
  }
}
