// `npm run fuzz -- --cases N [--seed N] [--seconds S]` holds the codecs against their properties over random values for as long as one likes. It
// exits 1 at the first that breaks one, with the smallest such value; `-- --lane NAME --seed N --path P` goes straight back to it.
import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runCampaign, type Progress } from "./fuzz/campaign.js";
import type { Failure } from "./fuzz/lane.js";
import { layLanes, type Bind } from "./fuzz/lanes.js";

/**
 * Runs the command with its arguments: the seed and the pace go to `tell`, the outcome to `print`. Gives the exit code: 1 where a property is
 * broken. Throws for arguments that are not understood. Another way of binding codecs is for tests.
 */
export function fuzz(args: readonly string[], tell: (line: string) => void, print: (line: string) => void, bind?: Bind): number {
  const { values } = parseArgs({
    args: [...args],
    options: {
      cases: { type: "string", default: "100000" },
      seed: { type: "string", default: String(randomInt(2 ** 31)) },
      seconds: { type: "string", default: "86400" },
      lane: { type: "string" },
      path: { type: "string" },
    },
  });
  const [seed, cases, seconds] = [
    readNumber("seed", values.seed),
    readNumber("cases", values.cases),
    readNumber("seconds", values.seconds),
  ];
  tell(`seed ${seed}`);
  const lanes = layLanes(bind);
  if (values.lane !== undefined) {
    const lane = lanes.find((entry) => entry.name === values.lane);
    if (lane === undefined) throw new Error(`no lane is called ${JSON.stringify(values.lane)}`);
    const outcome = lane.run({ seed, runs: cases, ...(values.path === undefined ? {} : { path: values.path }) });
    print(outcome.failure === undefined ? `${outcome.cases} cases, ${lane.name} holds` : printFailure(outcome.failure));
    return outcome.failure === undefined ? 0 : 1;
  }
  tell(`${lanes.length} lanes`);
  const { progress, failure } = runCampaign(lanes, { seed, cases, seconds }, (so) => tell(printPace(so)));
  print(failure === undefined ? printTallies(progress, seed) : printFailure(failure));
  return failure === undefined ? 0 : 1;
}

function printFailure({ lane, fault, value, shrinks, seed, path }: Failure): string {
  return [
    `broken: ${lane}`,
    `  value: ${value}`,
    `  why: ${fault}`,
    `  shrunk ${shrinks} times; replay: npm run fuzz -- --lane ${JSON.stringify(lane)} --seed=${seed} --path ${JSON.stringify(path)}`,
  ].join("\n");
}

function printPace({ cases, seconds }: Progress): string {
  return `${cases} cases, ${Math.round(cases / seconds)}/s`;
}

function printTallies(progress: Progress, seed: number): string {
  const rows = [...progress.tallies]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([property, tally]) => `  ${property}: ${[...tally].map(([outcome, count]) => `${count} ${outcome}`).join(", ")}`);
  return [`${printPace(progress)}, seed ${seed}: every property holds`, ...rows].join("\n");
}

function readNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`--${option} takes a whole number, not ${JSON.stringify(text)}`);
  return number;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = fuzz(
    process.argv.slice(2),
    (line) => process.stderr.write(`${line}\n`),
    (line) => process.stdout.write(`${line}\n`),
  );
}
