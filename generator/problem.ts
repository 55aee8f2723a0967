// A Problem is a fault in the data, with its place and its fix; the generator collects all of them before it stops. A leaf: imports nothing.

/** A fault in the data: where it stands, which check found it, what is wrong and what to do about it. */
export interface Problem {
  readonly file: string;
  /** 1-based; 1 where the fault is the file's as a whole. */
  readonly line: number;
  /** Name of the check, stable, for tests and for looking it up. */
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
}

/** Prints problems sorted by place, one `file:line: message` a problem with its fix below; a repeated problem is printed once. */
export function printProblems(problems: readonly Problem[]): string {
  const lines = sortProblems(problems).map((p) => `${p.file}:${p.line}: ${p.message}\n  fix: ${p.fix}`);
  return [...new Set(lines)].join("\n");
}

/** Sorts problems by file, line and message. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return [...problems].sort((a, b) => compare(a.file, b.file) || a.line - b.line || compare(a.message, b.message));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
