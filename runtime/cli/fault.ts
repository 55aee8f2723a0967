// What ends a command: a message for a person, and the exit code. A leaf.

/** Says that a command cannot do what it was asked: 2 where the command line is at fault, 1 where the data or a peer is. */
export class CommandFault extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 2) {
    super(message);
    this.name = "CommandFault";
    this.exitCode = exitCode;
  }
}

/** Gives the sentence of whatever was thrown. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
