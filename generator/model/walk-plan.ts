// What the plans of lifting and of lowering share: names for their functions, and which functions have anything to do, and how often. Pure.
import type { Method } from "./types.js";

/** A function of a plan, as far as its neighbours need to know it. */
export interface Planned {
  readonly path: string;
  needed: boolean;
  /** True where no answer to a client leads here: what it costs is paid once a session or a prompt, so that small code is worth more. */
  isCold: boolean;
}

/** Gives each place a function name of its own. */
export class FunctionNames {
  private readonly taken = new Set<string>();

  constructor(private readonly verb: string) {}

  nameFor(place: string): string {
    const base = `${this.verb}${pascal(place)}`;
    let name = base;
    for (let count = 2; this.taken.has(name); count += 1) name = `${base}${count}`;
    this.taken.add(name);
    return name;
  }
}

/** What is to be known of a plan to mark its functions. */
export interface Marking<P extends Planned> {
  readonly hasOwnWork: (plan: P) => boolean;
  readonly childrenOf: (plan: P) => readonly P[];
  /** The children that come in numbers: an answer that is not the usual one asks for something first, and comes once. */
  readonly usualChildrenOf: (plan: P) => readonly P[];
  /** True for what comes once a session whatever leads there. */
  readonly isRare: (plan: P) => boolean;
}

/** Marks what the answers to a client are made of, then the functions that have work of their own and every one that leads to such a function. */
export function markPlans<P extends Planned>(plans: readonly P[], answers: readonly P[], marking: Marking<P>): void {
  for (const answer of answers) warm(answer, marking);
  for (const plan of plans) plan.needed = marking.hasOwnWork(plan);
  for (let changed = true; changed;) {
    changed = false;
    for (const plan of plans) {
      if (plan.needed || !marking.childrenOf(plan).some((child) => child.needed)) continue;
      plan.needed = true;
      changed = true;
    }
  }
}

/** Lists what the requests of clients are answered with. */
export function answersTo<P extends Planned>(methods: readonly Method[], entries: ReadonlyMap<string, { readonly result?: P }>): P[] {
  return methods
    .filter((method) => method.directions.includes("clientToServer"))
    .flatMap((method) => entries.get(method.name)?.result ?? []);
}

function warm<P extends Planned>(plan: P, marking: Marking<P>): void {
  if (!plan.isCold || marking.isRare(plan)) return;
  plan.isCold = false;
  for (const child of marking.usualChildrenOf(plan)) warm(child, marking);
}

/** Writes a path, or any text of words, as one word. */
export function pascal(place: string): string {
  return place
    .replaceAll("[]", "Item")
    .replaceAll(".*", "Value")
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
