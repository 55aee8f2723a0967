// Installs the packages of test folders that bring their own, where they are not installed as the lock file says: `install.ts <folder>…`.
// npm's own cache is the only cache. `npm ci` writes a lock file of its own below node_modules, so comparing the two tells whether there is
// anything to do.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly integrity?: string }>>;
}

for (const name of process.argv.slice(2)) {
  const folder = fileURLToPath(new URL(`${name}/`, import.meta.url));
  if (isInstalled(folder)) continue;
  const { status, error } = spawnSync("npm", ["ci", "--prefix", folder, "--no-audit", "--no-fund", "--prefer-offline"], {
    stdio: "inherit",
  });
  if (error !== undefined) console.error(`cannot install the packages of ${folder}: ${error.message}`);
  if (status !== 0) process.exitCode = status ?? 1;
}

function isInstalled(folder: string): boolean {
  const written = `${folder}node_modules/.package-lock.json`;
  return existsSync(written) && isDeepStrictEqual(versionsIn(written), versionsIn(`${folder}package-lock.json`));
}

/** Gives what is locked, by place below node_modules. */
function versionsIn(file: string): Readonly<Record<string, string>> {
  const { packages } = JSON.parse(readFileSync(file, "utf8")) as Lock;
  const entries = Object.entries(packages).filter(([place]) => place !== "");
  return Object.fromEntries(entries.map(([place, { version, integrity }]) => [place, `${version} ${integrity}`]));
}
