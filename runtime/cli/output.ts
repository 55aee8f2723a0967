// Writes what a command found to stdout, for a person or for a program.

/** Says whether what is printed has colours: for a person at a terminal, unless they asked for none. */
export const IS_COLOURED = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;

/** Writes text as it is. A reader that has seen enough closes the pipe, and that ends the command quietly. */
export function writeText(text: string): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(0);
    throw error;
  });
  process.stdout.write(text);
}

/** Writes a value as JSON. */
export function writeJson(value: unknown): void {
  writeText(`${JSON.stringify(value, null, 2)}\n`);
}
