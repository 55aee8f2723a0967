// `npm run matrix:diff -- <git ref>` prints, as Markdown, the rows, cells and lowering actions of every feature matrix that changed since a ref:
// what a change of data does, for a reviewer.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Compares two versions of a feature matrix; empty where nothing a reviewer reads has changed. */
export function diffMatrices(before: string, after: string): string {
  const [oldMatrix, newMatrix] = [rowsOf(before, 0), rowsOf(after, 0)];
  const columns = headOf(after).filter((name) => name !== "feature");
  const features = changedKeys(oldMatrix.rows, newMatrix.rows).flatMap((id) => {
    const [old, now] = [oldMatrix.rows.get(id), newMatrix.rows.get(id)];
    if (old === undefined) return [[id, "row", "–", "new"]];
    if (now === undefined) return [[id, "row", "was there", "gone"]];
    const cells = columns.map(
      (column) => [column, old[oldMatrix.head.indexOf(column)] ?? "–", now[newMatrix.head.indexOf(column)] ?? "–"] as const,
    );
    return cells.filter(([, a, b]) => a !== b).map(([column, a, b]) => [id, column, a, b]);
  });
  const [oldPlaces, newPlaces] = [rowsOf(before, 1).rows, rowsOf(after, 1).rows];
  const places = changedKeys(oldPlaces, newPlaces).map((at) => [
    at,
    "lowering",
    oldPlaces.get(at)?.slice(2).join(", ") ?? "–",
    newPlaces.get(at)?.slice(2).join(", ") ?? "–",
  ]);
  const changes = [...features, ...places];
  if (changes.length === 0) return "";
  return [["what", "where", "before", "now"], ["---", "---", "---", "---"], ...changes]
    .map((line) => `| ${line.map((cell) => cell || " ").join(" | ")} |`)
    .join("\n");
}

interface Table {
  readonly head: readonly string[];
  readonly rows: ReadonlyMap<string, readonly string[]>;
}

/** Reads one table of a matrix: the features are the first, the lowerings the second. */
function rowsOf(text: string, index: number): Table {
  const lines = tablesOf(text)[index] ?? [];
  const cells = lines.map((line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim()),
  );
  return {
    head: cells[0] ?? [],
    rows: new Map(cells.slice(2).map((row) => [(index === 0 ? row[0] : `${row[0]} of ${row[1]}`) ?? "", row])),
  };
}

function headOf(text: string): readonly string[] {
  return rowsOf(text, 0).head;
}

function tablesOf(text: string): string[][] {
  return text
    .split(/\n(?!\|)/)
    .map((block) => block.split("\n").filter((line) => line.startsWith("|")))
    .filter((lines) => lines.length > 2);
}

function changedKeys(before: ReadonlyMap<string, readonly string[]>, after: ReadonlyMap<string, readonly string[]>): string[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.filter((key) => before.get(key)?.join("|") !== after.get(key)?.join("|"));
}

function main(ref: string | undefined): number {
  if (ref === undefined) {
    process.stderr.write("usage: npm run matrix:diff -- <git ref>\n");
    return 2;
  }
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    git("rev-parse", "--verify", `${ref}^{commit}`);
  } catch {
    process.stderr.write(`cannot compare with ${JSON.stringify(ref)}: git knows no such commit\n`);
    return 2;
  }
  const listed = (text: string) => text.split("\n").filter((file) => file.endsWith("/feature-matrix.md"));
  const then = listed(git("ls-tree", "-r", "--name-only", ref, "generated"));
  const now = listed(git("ls-files", "generated"));
  for (const file of [...new Set([...then, ...now])].sort()) {
    const before = then.includes(file) ? git("show", `${ref}:${file}`) : "";
    const after = existsSync(file) ? readFileSync(file, "utf8") : "";
    const table = diffMatrices(before, after);
    process.stdout.write(`### ${file} since ${ref}\n\n${table === "" ? "No row, cell or lowering action changed." : table}\n`);
  }
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv[2]);
