// Reads the Handlebars templates that stand beside the emitters.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Gives every template of a folder by its name without the extension. */
export function readTemplates(folder: string): Record<string, string> {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(".hbs"))
    .sort();
  return Object.fromEntries(names.map((name) => [name.slice(0, -".hbs".length), readFileSync(join(folder, name), "utf8")]));
}
