// `npm run bench` measures, in one process and over mixed shapes: what lifting and lowering cost beside JSON.parse + JSON.stringify of the same
// messages, how reading a line compares with the SDKs, and what profiles cost. `-- --write` puts the table into the README, `-- --quick` takes a
// fifth of the time, `-- --sdk DIR` says in which folder's node_modules the SDKs are installed.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureCodecs } from "./bench/codecs.js";
import { LOADS, VARIANTS } from "./bench/loads.js";
import { measurePeers } from "./bench/peers.js";
import { measureProfiles } from "./bench/profiles.js";
import { replaceBetween } from "./markers.js";
import { printMeasures, type Measure } from "./measure.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    sdk: { type: "string", default: join(ROOT, "test/interop") },
  },
});
/** Every task runs once a round. */
const rounds = values.quick ? 15 : 61;

const measures: Measure[] = [];
for (const load of LOADS) measures.push(...measureCodecs(load, rounds));
for (const load of LOADS) measures.push(...(await measurePeers(load, values.sdk, rounds)));
measures.push(...measureProfiles(rounds));
const table = [
  printMeasures(measures),
  "",
  `Medians of ${rounds} interleaved rounds in one process, ${VARIANTS} message shapes a load; ratios are to JSON.parse + JSON.stringify of the same message, or to the SDK's reading of the same line. Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}.`,
].join("\n");
process.stdout.write(`${table}\n`);
if (values.write) {
  const readme = join(ROOT, "README.md");
  writeFileSync(readme, replaceBetween(readFileSync(readme, "utf8"), "bench", table));
}
