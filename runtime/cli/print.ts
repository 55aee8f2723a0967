// Prints what the catalogue answers, for a person: plain text, Markdown tables; colours only where the terminal has them. Pure.

import { styleText } from "node:util";
import { printCite } from "../errors.js";
import type { FeatureEntry, ProtocolTables } from "../protocol.js";
import { revisionIndex } from "../revision.js";
import { CapabilitySet } from "../profile.js";
import type { Difference, Explained, RevisionDifference } from "./catalogue.js";

/** How to print. */
export interface PrintOptions {
  readonly colour: boolean;
}

const MARKS = { came: "+", went: "-", changed: "~", deprecated: "†" } as const;
const COLOURS = { came: "green", went: "red", changed: "yellow", deprecated: "yellow" } as const;

/** Prints what differs between two revisions. */
export function printDifference({ from, to, features, methods, fields }: RevisionDifference, options: PrintOptions): string {
  const sections = [
    ["features", features],
    ["methods", methods],
    ["fields and definitions", fields],
  ] as const;
  const parts = sections.map(([title, list]) => {
    const head = heading(`${title}: ${count(list)}`, options);
    return [head, ...list.map((difference) => printOne(difference, options))].join("\n");
  });
  return `${from} to ${to}\n\n${parts.join("\n\n")}\n`;
}

/** Prints what the tables say of one name. */
export function printExplained(explained: Explained, tables: ProtocolTables, options: PrintOptions): string {
  if (explained.kind === "feature") {
    const { feature, gates, lowerings } = explained;
    const lines = [
      heading(feature.id, options),
      `  ${gates.summary}`,
      ...featureFacts(feature),
      ...(gates.methods.length === 0 ? [] : [`  methods: ${gates.methods.join(", ")}`]),
      ...(gates.paths.length === 0 ? [] : [`  gates: ${gates.paths.join(", ")}`]),
      ...(gates.errors ?? []).map((error) => `  error: ${error.name} ${error.code}`),
      ...lowerings.map((entry) => `  without it: ${entry.at}: ${entry.degrade.join(", ")} (loss ${entry.loss})`),
      ...(gates.note === undefined ? [] : [`  note: ${gates.note}`]),
    ];
    return `${lines.join("\n")}\n`;
  }
  if (explained.kind === "method") {
    const rows = explained.revisions.map(({ revision, entry, feature }) => {
      const results = entry.results === undefined ? "" : `, answered by ${entry.results.join(" or ")}`;
      const carrier = entry.carrier === undefined ? "" : ` inside ${entry.carrier}`;
      return `  ${revision}: ${entry.kind}, ${entry.directions.join(" and ")}${carrier}, params ${entry.params}${results}, gated by ${feature.id} (${printCite(feature.cite)})`;
    });
    const missing = tables.revisions
      .filter(({ revision }) => !explained.revisions.some((entry) => entry.revision === revision))
      .map(({ revision }) => revision);
    return `${[heading(explained.method, options), ...rows, ...(missing.length === 0 ? [] : [`  not in ${missing.join(", ")}`])].join("\n")}\n`;
  }
  const lines = [
    heading(explained.path, options),
    ...explained.features.flatMap((feature) => [`  gated by ${feature.id}: ${feature.summary}`, ...featureFacts(feature)]),
    ...explained.changes.map(
      (change) => `  ${change.revision}: ${change.kind} ${change.path}, by ${change.by} (${printCite(change.cite)})`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** One feature's row of the matrix. */
export interface MatrixRow {
  readonly id: string;
  readonly cells: Readonly<Record<string, string>>;
  readonly side: string;
  readonly capability: string;
  readonly cite: string;
}

/** Works out the matrix by resolving peers at their fullest, at all revisions or one. */
export function matrixRows(tables: ProtocolTables, revisions: readonly string[]): MatrixRow[] {
  const cells = revisions.map((revision) => [revision, cellsOf(tables, revision)] as const);
  return tables.features
    .map((feature, index) => ({
      id: feature.id,
      cells: Object.fromEntries(cells.map(([revision, column]) => [revision, column[index] ?? "–"])),
      side: feature.side,
      capability: printNeeds(feature),
      cite: printCite(feature.cite),
    }))
    .filter((row) => revisions.length > 1 || Object.values(row.cells).some((cell) => cell !== "–"));
}

/** Prints the matrix as a Markdown table. */
export function printMatrix(rows: readonly MatrixRow[], revisions: readonly string[]): string {
  const head = ["feature", ...revisions, "side", "capability", "cite"];
  const body = rows.map((row) => [
    `\`${row.id}\``,
    ...revisions.map((revision) => row.cells[revision] ?? "–"),
    row.side,
    row.capability,
    row.cite,
  ]);
  return `${[head, head.map(() => "---"), ...body].map((line) => `| ${line.join(" | ")} |`).join("\n")}\n`;
}

function cellsOf(tables: ProtocolTables, revision: string): string[] {
  const transports = tables.revisions[revisionIndex(tables, revision)]?.transports ?? [];
  const profiles = transports.map((transport) => [transport, CapabilitySet.allFor(tables, revision).resolve(revision, transport)] as const);
  return tables.features.map((feature, index) => {
    const carrying = profiles.filter(([, profile]) => profile.isEnabled(index)).map(([transport]) => transport);
    if (carrying.length === 0) return "–";
    const since = feature.deprecated?.since;
    const mark = since !== undefined && revisionIndex(tables, since) <= revisionIndex(tables, revision) ? " †" : "";
    return (carrying.length === transports.length ? "yes" : carrying.join(" ")) + mark;
  });
}

function featureFacts(feature: FeatureEntry): string[] {
  const needs = printNeeds(feature);
  return [
    `  since ${feature.first} (${printCite(feature.cite)})`,
    ...(feature.removal === undefined ? [] : [`  last in ${feature.last}; removed by ${printCite(feature.removal)}`]),
    ...(feature.deprecated === undefined ? [] : [`  deprecated since ${feature.deprecated.since} (${printCite(feature.deprecated.cite)})`]),
    `  side: ${feature.side}${needs === "" ? "" : `; needs ${needs}`}${feature.transport === undefined ? "" : `; transport ${feature.transport}`}`,
  ];
}

function printNeeds({ requires }: FeatureEntry): string {
  if (requires === undefined) return "";
  const flags = (["client", "server"] as const).flatMap((side) => (requires[side] === undefined ? [] : [`${side} ${requires[side]}`]));
  return flags.join(requires.match === "any" ? " or " : " and ") + (requires.since === undefined ? "" : ` (since ${requires.since})`);
}

function printOne({ change, name, by, cite }: Difference, { colour }: PrintOptions): string {
  const line = `${MARKS[change]} ${name}`;
  return `  ${colour ? styleText(COLOURS[change], line) : line}  ${by === undefined ? "" : `${by}, `}${cite}`;
}

function heading(text: string, { colour }: PrintOptions): string {
  return colour ? styleText("bold", text) : text;
}

function count(list: readonly Difference[]): string {
  const kinds = (["came", "went", "changed", "deprecated"] as const).map(
    (change) => [change, list.filter((entry) => entry.change === change).length] as const,
  );
  const parts = kinds.filter(([, number]) => number > 0).map(([change, number]) => `${number} ${change}`);
  return parts.length === 0 ? "no difference" : parts.join(", ");
}
