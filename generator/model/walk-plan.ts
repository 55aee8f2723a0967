// What the plans of lifting and of lowering share: names for their functions, and which functions have anything to do, and how often. Pure.
import type { Method } from "./types.js";

/** A function of a plan, as far as its neighbours need to know it. */
export interface Planned {
  readonly path: string;
  readonly body: { readonly kind: string; readonly usual?: Planned };
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

/** What is to be known of the bodies of a plan to mark its functions. */
export interface Marking<P extends Planned> {
  readonly hasOwnWork: (body: P["body"]) => boolean;
  readonly childrenOf: (body: P["body"]) => readonly P[];
  /** The paths of what comes once a session, whatever leads there. */
  readonly rare: readonly string[];
}

/** Marks what the answers to a client are made of, then the functions that have work of their own and every one that leads to such a function. */
export function markPlans<P extends Planned>(plans: readonly P[], answers: readonly P[], marking: Marking<P>): void {
  for (const answer of answers) warm(answer, marking);
  for (const plan of plans) plan.needed = marking.hasOwnWork(plan.body);
  for (let changed = true; changed;) {
    changed = false;
    for (const plan of plans) {
      if (plan.needed || !marking.childrenOf(plan.body).some((child) => child.needed)) continue;
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
  if (!plan.isCold || marking.rare.includes(plan.path)) return;
  plan.isCold = false;
  const { body } = plan;
  // Of the children of a result only the usual one comes in numbers: an answer that is another asks for something first, and comes once.
  const children = body.kind === "result" ? [body.usual ?? []].flat() : marking.childrenOf(body);
  for (const child of children as readonly P[]) warm(child, marking);
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
