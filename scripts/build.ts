// `npm run build` compiles runtime/ and generated/ into dist/: JavaScript with declarations, and the validators beside them as they are.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const typescript = dirname(createRequire(import.meta.url).resolve("typescript/package.json"));
rmSync("dist", { recursive: true, force: true });
execFileSync(process.execPath, [join(typescript, "bin", "tsc"), "-p", "tsconfig.build.json"], { stdio: "inherit" });
cpSync("generated", "dist/generated", { recursive: true, filter: (path) => !/\.(ts|md)$/.test(path) || path.endsWith(".d.ts") });
chmodSync("dist/runtime/cli/main.js", 0o755);
