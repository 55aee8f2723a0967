// `npm run bench` measures, in one process and over mixed shapes: what lifting and lowering cost beside JSON.parse + JSON.stringify of the same
// messages, how reading a line compares with the SDKs, and what profiles cost; and in processes of their own what the bridge adds. `-- --write` puts
// the tables into the README, `-- --quick` takes a fifth of the time, `-- --bridge` measures the bridge alone, `-- --sdk DIR` says in which folder's
// node_modules the SDKs are installed.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { FULL, measureBridge, QUICK } from "./bench/bridge.js";
import { measureCodecs } from "./bench/codecs.js";
import { LOADS, VARIANTS } from "./bench/loads.js";
import { measurePeers } from "./bench/peers.js";
import { measureProfiles } from "./bench/profiles.js";
import { replaceBetween } from "./markers.js";
import { missedBars, printMeasures, type Measure } from "./measure.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({
  options: {
    write: { type: "boolean", default: false },
    bridge: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    sdk: { type: "string", default: join(ROOT, "test/interop") },
  },
});
/** Every task runs once a round. */
const rounds = values.quick ? 15 : 61;
const effort = values.quick ? QUICK : FULL;
const machine = `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}.`;

if (!values.bridge) {
  const measures: Measure[] = [];
  for (const load of LOADS) measures.push(...measureCodecs(load, rounds));
  for (const load of LOADS) measures.push(...(await measurePeers(load, values.sdk, rounds)));
  measures.push(...measureProfiles(rounds));
  const how = `Medians of ${rounds} interleaved rounds in one process, ${VARIANTS} message shapes a load; ratios are to JSON.parse + JSON.stringify of the same message, or to the SDK's reading of the same line.`;
  publish("bench", measures, how);
}
const how = `Raw peers on both sides, the built command in between; medians of ${effort.rounds} interleaved rounds of ${effort.calls} calls each way, processor time and memory over ${effort.load.toLocaleString("en")} calls, 32 at a time; starts: the median of ${effort.starts}.`;
publish("bench-bridge", await measureBridge(effort), how);

/** Prints a table, and writes it into the README where that is wanted. */
function publish(name: string, measures: readonly Measure[], how: string): void {
  const table = [printMeasures(measures), "", `${how} ${machine}`].join("\n");
  process.stdout.write(`${table}\n\n`);
  for (const missed of missedBars(measures)) process.stdout.write(`not reached: ${missed}\n`);
  if (!values.write) return;
  const readme = join(ROOT, "README.md");
  writeFileSync(readme, replaceBetween(readFileSync(readme, "utf8"), name, table));
}
