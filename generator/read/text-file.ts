// Parses one YAML or JSON text into plain data that still knows on which line each value stands. Pure: the text is handed in.
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from "yaml";
import type { Problem } from "../problem.js";

/** Plain data read from a file, with the line of every value in it. */
export interface Parsed {
  readonly file: string;
  readonly value: unknown;
  /** The 1-based line of the value at `path`, or of the nearest value above it. */
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** Parses YAML; syntax faults and duplicate keys become problems, and then there is no value. */
export function parseYaml(file: string, text: string, problems: Problem[]): Parsed | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  for (const error of document.errors) {
    problems.push({
      file,
      line: lines.linePos(error.pos[0]).line,
      rule: "syntax",
      message: `cannot read YAML: ${error.message}`,
      fix: "mend the syntax",
    });
  }
  if (document.errors.length > 0) return undefined;
  return { file, value: document.toJS(), lineOf: (path) => lineOfNode(document.contents, path, lines) };
}

/** Parses JSON; lines are looked up only when asked for, since only a problem needs them. */
export function parseJson(file: string, text: string, problems: Problem[]): Parsed | undefined {
  try {
    const value: unknown = JSON.parse(text);
    let located: Parsed | undefined;
    return { file, value, lineOf: (path) => (located ??= parseYaml(file, text, []))?.lineOf(path) ?? 1 };
  } catch (error) {
    const { message } = error as Error;
    const position = Number(/at position (\d+)/.exec(message)?.[1] ?? 0);
    problems.push({
      file,
      line: text.slice(0, position).split("\n").length,
      rule: "syntax",
      message: `cannot read JSON: ${message}`,
      fix: "mend the syntax",
    });
    return undefined;
  }
}

function lineOfNode(root: Node | null, path: readonly (string | number)[], lines: LineCounter): number {
  let node: unknown = root;
  let offset = root?.range?.[0] ?? 0;
  for (const segment of path) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === segment);
      if (pair === undefined) break;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node) && typeof segment === "number") {
      node = node.items[segment];
      offset = (node as Node | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return lines.linePos(offset).line;
}
