// `npm run policies` writes into runtime/policies.md what each preset does to each feature, from the rows, the registry of fallbacks and the
// presets themselves; `-- --check` says instead whether the file is what it would write.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { tables as acp } from "../runtime/acp.js";
import { DegradePolicy, FALLBACKS, type Action, type Loss } from "../runtime/index.js";
import { tables as mcp } from "../runtime/mcp.js";
import type { ProtocolTables } from "../runtime/protocol.js";
import { replaceBetween } from "./markers.js";

const FILE = "runtime/policies.md";
const PROTOCOLS: readonly (readonly [title: string, tables: ProtocolTables])[] = [
  ["The first protocol", mcp],
  ["The second protocol", acp],
];

/** One line of the table: the places of one feature at which the same is on offer. */
interface Offer {
  readonly protocol: string;
  readonly feature: string;
  readonly places: string[];
  readonly loss: Loss;
  readonly degrade: readonly string[];
  readonly chosen: readonly Action[];
}

/** Gathers the places of each feature of each protocol, and of members no revision knows, by what is on offer there. */
export function offers(): Offer[] {
  return PROTOCOLS.flatMap(([protocol, tables]) => offersOf(protocol, tables));
}

function offersOf(protocol: string, tables: ProtocolTables): Offer[] {
  const presets = [DegradePolicy.balanced(tables), DegradePolicy.permissive(tables)];
  const list: Offer[] = [];
  const add = (feature: string, place: string, loss: Loss, degrade: readonly string[], chosen: readonly Action[]) => {
    const same = list.find((offer) => offer.feature === feature && offer.loss === loss && offer.degrade.join() === degrade.join());
    if (same === undefined) list.push({ protocol, feature, places: [place], loss, degrade, chosen });
    else same.places.push(place);
  };
  tables.lowerings.forEach(({ feature, at, loss, degrade }, index) =>
    add(
      tables.features[feature]?.id ?? "",
      at,
      loss,
      degrade,
      presets.map((policy) => policy.actions[index] ?? "refuse"),
    ),
  );
  tables.unknownMembers.forEach(({ at, loss, degrade }, index) =>
    add(
      "a member no revision knows",
      at,
      loss,
      degrade,
      presets.map((policy) => policy.unknownActions[index] ?? "refuse"),
    ),
  );
  return list;
}

/** Prints the table of presets of each protocol, and what each action does. */
export function printPolicies(list: readonly Offer[]): string {
  const named = [...FALLBACKS.values()].map(({ name, summary, loss }) => [name, summary, loss]);
  const sections = PROTOCOLS.flatMap(([title]) =>
    printSection(
      title,
      list.filter((offer) => offer.protocol === title),
    ),
  );
  return [...sections, "### Fallbacks", "", table(["fallback", "what it does", "loss"], named)].join("\n");
}

function printSection(title: string, list: readonly Offer[]): string[] {
  const rows = list.map(({ feature, places, loss, degrade, chosen }) => [
    feature === "a member no revision knows" ? feature : `\`${feature}\``,
    places.map((place) => `\`${place.replaceAll("|", "\\|")}\``).join(" "),
    ...chosen.map((action) => (action === "refuse" ? "refuse" : `${action} (${lossOf(action, loss)})`)),
    degrade.join(", "),
  ]);
  return [
    `### ${title}`,
    "",
    table(["feature", "where", "balanced", "permissive", "on offer"], rows),
    "",
    `${new Set(list.map((offer) => offer.feature)).size} entries, ${list.reduce((sum, offer) => sum + offer.places.length, 0)} places. Under \`strict\` each of them is refused; a feature that is not listed is refused under every preset.`,
    "",
  ];
}

function lossOf(action: Action, loss: Loss): Loss {
  return action === "keep" ? "none" : (FALLBACKS.get(action)?.loss ?? loss);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

if (process.argv[1]?.endsWith("policies.ts")) {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  const before = readFileSync(FILE, "utf8");
  const after = replaceBetween(before, "policies", printPolicies(offers()));
  if (!values.check) writeFileSync(FILE, after);
  else if (after !== before) {
    process.stderr.write(`${FILE} does not say what the presets do: run npm run policies\n`);
    process.exitCode = 1;
  }
}
