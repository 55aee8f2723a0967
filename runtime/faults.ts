// Says in a few words why a payload is not valid. Takes what a validator found, gives the one fault that says most. Pure.

import { pointerOf } from "./pointer.js";
import type { Fault, Validator } from "./protocol.js";

/** Where a payload is at fault, as a JSON pointer into it, and what it should be. */
export interface Invalidity {
  readonly path: string;
  readonly message: string;
}

/** Tells what is wrong with a payload; undefined where it is valid. */
export function invalidity(validate: Validator, payload: unknown): Invalidity | undefined {
  if (validate(payload)) return undefined;
  const fault = tellingFault(validate.errors ?? []);
  const missing = fault?.params?.missingProperty;
  const path = `${fault?.instancePath ?? ""}${missing === undefined ? "" : pointerOf([missing], 1)}`;
  return { path, message: fault?.message ?? "breaks the schema" };
}

/**
 * Finds the fault that says most: of a union the last one names the place itself, those before it what each member would have wanted. Where the
 * payload as a whole is the union, a union within it, or else the first member's wish, says more.
 */
function tellingFault(faults: readonly Fault[]): Fault | undefined {
  const last = faults.at(-1);
  if (last === undefined || last.instancePath !== "") return last;
  return faults.findLast((fault) => fault.instancePath !== "" && fault.keyword === "anyOf") ?? faults[0];
}
