// Times what a program adds to the start of an otherwise empty process: many fresh processes of each, taking turns with the empty one.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./measure.js";

/** Gives, for each program (the text of a module), the median over the rounds of the milliseconds it takes more than an empty one started just before. */
export function timeStarts(programs: ReadonlyMap<string, string>, rounds: number): Map<string, number> {
  const folder = mkdtempSync(join(tmpdir(), "cold-start-"));
  const write = (name: string, text: string): string => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, text);
    return file;
  };
  try {
    const empty = write("empty", "");
    const files = [...programs].map(([name, text], index) => ({ name, file: write(String(index), text), more: [] as number[] }));
    for (let round = 0; round < rounds; round += 1) {
      for (const { file, more } of files) {
        const floor = start(empty);
        more.push(start(file) - floor);
      }
    }
    return new Map(files.map(({ name, more }) => [name, median(more)]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function start(file: string): number {
  const before = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [file], { encoding: "utf8", env: { ...process.env, NODE_OPTIONS: "" } });
  const after = performance.now();
  if (status !== 0) throw new Error(`cannot time ${file}: ${stderr}`);
  return after - before;
}
