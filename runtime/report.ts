// Keeps account of what a translation changed. Takes one step at a time; gives them back in order, with whether anything was lost.

import type { Action, Loss } from "./protocol.js";

/** Records one change: which feature asked for it (null where none did), what was done, where (a JSON pointer) and what it cost. */
export interface ReportStep {
  readonly feature: string | null;
  readonly action: Action;
  readonly path: string;
  readonly loss: Loss;
  readonly detail?: string;
}

const NONE: readonly ReportStep[] = Object.freeze([]);

/** Collects the steps of one or more translations; an empty report holds no array. */
export class TranslationReport {
  #steps: ReportStep[] | undefined;

  /** Gives the steps in the order they were taken. */
  get steps(): readonly ReportStep[] {
    return this.#steps ?? NONE;
  }

  /** Tells whether nothing was changed. */
  get isEmpty(): boolean {
    return this.#steps === undefined;
  }

  /** Tells whether nothing was lost, not even a hint. */
  get isLossless(): boolean {
    return this.steps.every((step) => step.loss === "none");
  }

  /** Adds one step. */
  add(step: ReportStep): void {
    if (this.#steps === undefined) this.#steps = [step];
    else this.#steps.push(step);
  }

  /** Adds the steps of another report after its own; gives itself. */
  merge(other: TranslationReport): this {
    for (const step of other.steps.slice()) this.add(step);
    return this;
  }

  /** Counts the steps of one feature, by id. */
  count(feature: string | null): number {
    return this.steps.filter((step) => step.feature === feature).length;
  }

  /** Gives what `JSON.stringify` shows. */
  toJSON(): { readonly isLossless: boolean; readonly steps: readonly ReportStep[] } {
    return { isLossless: this.isLossless, steps: this.steps };
  }
}
