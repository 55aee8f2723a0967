// What a script measured, held against its bar: printed as a Markdown table, and the bars it missed as sentences. Pure.

/** How good a measure has to be; `of` names the unit in words where the unit alone does not say what it counts. */
export interface Bar {
  readonly rule: "at most" | "at least" | "above";
  readonly limit: number;
  readonly of?: string;
}

/** One thing that was measured; a value that is a sentence says why it was not. */
export interface Measure {
  readonly what: string;
  readonly value: number | string;
  readonly unit: string;
  /** How many digits stand after the point. */
  readonly digits: number;
  readonly bar?: Bar;
}

const SIGNS = { "at most": "≤", "at least": "≥", above: ">" } as const;

/** Prints measures as a Markdown table, one row each. */
export function printMeasures(measures: readonly Measure[]): string {
  const rows = measures.map(
    (measure) => `| ${measure.what} | ${measure.bar === undefined ? "" : printBar(measure)} | ${printValue(measure)} |`,
  );
  return ["| what | bar | measured |", "| --- | --- | --- |", ...rows].join("\n");
}

/** Says of each measure that misses its bar by how much; a measure that was not taken, or has no bar, misses none. */
export function missedBars(measures: readonly Measure[]): string[] {
  return measures
    .filter((measure) => typeof measure.value === "number" && measure.bar !== undefined && !meets(measure.value, measure.bar))
    .map((measure) => `${measure.what}: the bar is ${printBar(measure)}, measured ${printValue(measure)}`);
}

function meets(value: number, bar: Bar): boolean {
  if (bar.rule === "at most") return value <= bar.limit;
  return bar.rule === "at least" ? value >= bar.limit : value > bar.limit;
}

function printBar({ bar, unit }: Measure): string {
  return bar === undefined ? "none" : `${SIGNS[bar.rule]} ${bar.limit} ${bar.of ?? unit}`;
}

function printValue({ value, unit, digits }: Measure): string {
  return typeof value === "string" ? value : `${value.toFixed(digits)} ${unit}`;
}

/** Gives the middle one of some numbers. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
