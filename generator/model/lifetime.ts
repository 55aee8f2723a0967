// Answers when a row holds: from one revision to another, both included, each by its index. Pure.

/** The first and the last revision at which something holds. */
export interface Lifetime {
  readonly first: number;
  readonly last: number;
}

/** Tells whether a revision lies within a lifetime. */
export function livesAt({ first, last }: Lifetime, revision: number): boolean {
  return first <= revision && revision <= last;
}

/** Tells whether there is a revision within both lifetimes. */
export function liveTogether(a: Lifetime, b: Lifetime): boolean {
  return a.first <= b.last && b.first <= a.last;
}
