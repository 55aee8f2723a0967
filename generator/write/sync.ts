// Brings generated/ in line with what was emitted, or with `check` only says what differs: one code path for both. Orphans are deleted.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

/** A file as emitted. */
export interface Emitted {
  readonly path: string;
  readonly text: string;
}

/** What became of the files, by path below the root. */
export interface SyncReport {
  readonly written: readonly string[];
  readonly unchanged: readonly string[];
  readonly orphans: readonly string[];
}

/** Writes what differs and deletes what nothing emitted; with `check` it touches nothing. */
export function syncFiles(root: string, outputs: readonly Emitted[], check: boolean): SyncReport {
  const written: string[] = [];
  const unchanged: string[] = [];
  for (const output of outputs) {
    const file = join(root, output.path);
    if (existsSync(file) && readFileSync(file, "utf8") === output.text) {
      unchanged.push(output.path);
      continue;
    }
    written.push(output.path);
    if (check) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, output.text);
  }
  const expected = new Set(outputs.map((output) => output.path));
  const orphans = listFiles(root).filter((path) => !expected.has(path));
  if (!check) for (const path of orphans) removeOrphan(root, path);
  return { written, unchanged, orphans };
}

/** Deletes a file and the folders it leaves empty. */
function removeOrphan(root: string, path: string): void {
  rmSync(join(root, path));
  for (let folder = dirname(path); folder !== "." && readdirSync(join(root, folder)).length === 0; folder = dirname(folder))
    rmdirSync(join(root, folder));
}

function listFiles(root: string): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort();
}
