// What the plans of lifting and of lowering share: names for their functions, and which functions have anything to do. Pure.

/** A function of a plan, as far as its neighbours need to know it. */
export interface Needed {
  needed: boolean;
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

/** Marks the functions that have work of their own, and every one that leads to such a function. */
export function markNeeded<P extends Needed>(
  plans: readonly P[],
  hasOwnWork: (plan: P) => boolean,
  childrenOf: (plan: P) => readonly P[],
): void {
  for (const plan of plans) plan.needed = hasOwnWork(plan);
  for (let changed = true; changed;) {
    changed = false;
    for (const plan of plans) {
      if (plan.needed || !childrenOf(plan).some((child) => child.needed)) continue;
      plan.needed = true;
      changed = true;
    }
  }
}

function pascal(place: string): string {
  return place
    .replaceAll("[]", "Item")
    .replaceAll(".*", "Value")
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}
