// `npm run check-clean` fails where the work tree differs from the last commit, and lists what does: run after generate, it shows stale output.
import { execFileSync } from "node:child_process";

const changed = execFileSync("git", ["status", "--porcelain"], { encoding: "utf8" }).trim();
if (changed !== "") {
  process.stderr.write(`the work tree is not clean:\n${changed}\n  fix: commit what npm run generate wrote, or undo the rest\n`);
  process.exitCode = 1;
}
