// The native judges run on their own: they need packages that the rest of the repository does without.
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: ["test/interop/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    // The SDKs take longer to load than the tests to run; a worker loads each of them once.
    isolate: false,
  },
});
