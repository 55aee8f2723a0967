// Says what is wrong with a message at a revision, by the validators that are generated for it.
import type { Wire } from "../../runtime/index.js";
import type { Validator, Validators } from "../../runtime/protocol.js";

interface ValidatorModule {
  readonly VALIDATORS: Validators;
  readonly validateMessage: Validator | undefined;
}

/** The validators of one revision. */
export interface Validity {
  /** Lists the faults of a payload; a method the revision does not have is a fault. */
  faults(method: string, part: "params" | "result", value: unknown): readonly string[];
  /** Lists the faults of a message: of its envelope, and of its payload where its method is known. */
  messageFaults(message: Wire, answers: string | undefined): readonly string[];
}

/** Loads the validators of a revision. */
export async function validatorsOf(revision: string): Promise<Validity> {
  const { VALIDATORS, validateMessage } = (await import(`../../generated/mcp/${revision}/validators.js`)) as ValidatorModule;
  const faultsOf = (validate: Validator | undefined, value: unknown, what: string): readonly string[] => {
    if (validate === undefined) return [`${revision} has no ${what}`];
    return validate(value) ? [] : [`not a valid ${what} at ${revision}: ${JSON.stringify(validate.errors)} in ${JSON.stringify(value)}`];
  };
  const faults: Validity["faults"] = (method, part, value) => faultsOf(VALIDATORS.get(method)?.[part], value ?? {}, `${method} ${part}`);
  return {
    faults,
    messageFaults(message, answers) {
      const { method, params, result } = message;
      const envelope = validateMessage === undefined ? [] : faultsOf(validateMessage, message, "message");
      if (typeof method === "string") return [...envelope, ...faults(method, "params", params)];
      return result === undefined || answers === undefined ? envelope : [...envelope, ...faults(answers, "result", result)];
    },
  };
}
