// A lane is one property of one ordered pair of revisions and one payload. Runs it on random values, and shrinks the first that breaks it.
import fc from "fast-check";

/** What a property says of one value: how it came through, or why the property is broken. */
export type Verdict = { readonly outcome: string } | { readonly fault: string };

/** Where a run of a lane starts: `path` leads straight to a shrunk value. */
export interface Start {
  readonly seed: number;
  readonly runs: number;
  readonly path?: string;
}

/** A broken property: why, the smallest value found, and what leads to it again. */
export interface Failure {
  readonly lane: string;
  readonly fault: string;
  readonly value: string;
  readonly shrinks: number;
  readonly seed: number;
  readonly path: string;
}

/** What a run of a lane gave. */
export interface Outcome {
  readonly cases: number;
  readonly tally: ReadonlyMap<string, number>;
  readonly failure: Failure | undefined;
}

/** One property of one ordered pair of revisions and one payload. */
export interface Lane {
  readonly name: string;
  readonly property: string;
  run(start: Start): Outcome;
}

/** Makes a lane of an arbitrary and a judge; whatever the judge throws breaks the property too. */
export function makeLane<T>(property: string, place: string, values: fc.Arbitrary<T>, judge: (value: T) => Verdict): Lane {
  const name = `${property}: ${place}`;
  return {
    name,
    property,
    run({ seed, runs, path }) {
      const tally = new Map<string, number>();
      let cases = 0;
      const details = fc.check(
        fc.property(values, (value) => {
          const verdict = judge(value);
          if ("fault" in verdict) throw new Broken(verdict.fault);
          cases += 1;
          tally.set(verdict.outcome, (tally.get(verdict.outcome) ?? 0) + 1);
        }),
        { seed, numRuns: runs, ...(path === undefined ? {} : { path }) },
      );
      if (!details.failed) return { cases, tally, failure: undefined };
      const fault = details.errorInstance instanceof Broken ? details.errorInstance.message : printError(details.errorInstance);
      return {
        cases,
        tally,
        failure: {
          lane: name,
          fault,
          value: print(details.counterexample?.[0]),
          shrinks: details.numShrinks,
          seed: details.seed,
          path: details.counterexamplePath ?? "",
        },
      };
    },
  };
}

class Broken extends Error {}

function printError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** Prints as JSON what is JSON, and as fast-check does what is not. */
function print(value: unknown): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "object" && inner !== null && Object.getPrototypeOf(inner) !== Object.prototype && !Array.isArray(inner)
      ? fc.stringify(inner)
      : inner,
  );
  return text ?? fc.stringify(value);
}
