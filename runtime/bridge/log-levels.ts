// The one log level a legacy session has, for the requests of modern clients that each have their own: the session gets the most talkative of those in
// flight, and each request hears no more than it asked for. Pure.

import { VALUES } from "../mcp.js";

/** The levels of log messages, the least important first. */
export const LEVELS: readonly string[] = Object.values(VALUES).at(-1)?.LoggingLevel ?? [];

/** Tells whether a value is a level. */
export function isLevel(value: unknown): value is string {
  return typeof value === "string" && LEVELS.includes(value);
}

/** Tells whether a message of a level is one that a request with another wants; a request without one wants none. */
export function wants(asked: string | undefined, level: unknown): boolean {
  return asked !== undefined && isLevel(level) && LEVELS.indexOf(level) >= LEVELS.indexOf(asked);
}

/** Gives the most talkative of some levels; undefined where nobody asked. */
export function mostTalkative(levels: Iterable<string | undefined>): string | undefined {
  let best: string | undefined;
  for (const level of levels) {
    if (level !== undefined && (best === undefined || LEVELS.indexOf(level) < LEVELS.indexOf(best))) best = level;
  }
  return best;
}
