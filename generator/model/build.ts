// Builds the model of one protocol from what was read; every fault in the data is collected as a problem. Pure.
import type { Problem } from "../problem.js";
import { accountForDeltas } from "./accounting.js";
import { toCanonical } from "./canonical.js";
import { checkCites, checkFlags, checkGatedPaths, checkLayout, checkPropertyRenames, checkSingleGate } from "./checks.js";
import { readEnvelope, type EnvelopeFacts } from "./envelope.js";
import { applyErrata, type Erratum, type PlacedErratum } from "./errata.js";
import { checkErrors } from "./errors.js";
import { checkFills } from "./fills.js";
import { readFlags } from "./flags.js";
import { buildIr } from "./ir.js";
import { checkTolerances } from "./tolerance-checks.js";
import { placeTolerances } from "./tolerances.js";
import { checkRewrites } from "./rewrites.js";
import { withMessages } from "./payload-messages.js";
import { toPlainForm } from "./plain-form.js";
import { checkValues } from "./values.js";
import { compileGates } from "./method-gates.js";
import { readMethods, type MessageUnion } from "./methods.js";
import { foldRows } from "./fold.js";
import type { Changes, ChangesFile } from "./rows.js";
import { inOrder, own, type Definitions } from "./schema.js";
import type { Denial, Era, Feature, Lowering, Model, Naming, Revision, Side } from "./types.js";

/** A parsed file as the read room hands it over. */
export interface Input {
  readonly file: string;
  readonly value: unknown;
  readonly lineOf: (path: readonly (string | number)[]) => number;
}

/** One protocol's parsed files. */
export interface ProtocolInput {
  readonly name: string;
  readonly protocol: Input;
  readonly errata: Input | undefined;
  readonly tolerances: Input | undefined;
  readonly revisions: readonly { readonly revision: string; readonly schema: Input; readonly changes: Input }[];
}

interface ProtocolFile extends EnvelopeFacts {
  readonly name: string;
  readonly title: string;
  readonly specification: string;
  readonly revisions: readonly { readonly revision: string; readonly era: Era; readonly released: boolean; readonly number?: number }[];
  /** Says that the protocol has no numbered changelog, so that rows cite pages. */
  readonly cites?: "pages";
  readonly transports: Readonly<Record<string, string>>;
  readonly capabilities: Readonly<Record<Side, string>>;
  readonly implied: Model["implied"];
  readonly messages: readonly MessageUnion[];
  readonly naming: Naming;
  readonly unknown?: readonly Omit<Lowering, "place">[];
  readonly denials?: readonly Denial[];
}

/** Builds and checks the model; with any problem the result must not be emitted. */
export function buildModel(input: ProtocolInput, problems: Problem[]): Model {
  const before = problems.length;
  const protocol = input.protocol.value as ProtocolFile;
  const files: ChangesFile[] = input.revisions.map((revision) => ({ ...revision.changes, value: revision.changes.value as Changes }));
  const folded = foldRows(files, protocol.capabilities, problems);
  const errata = placeErrata(input, protocol, problems);
  const used = new Set<string>();
  const revisions = input.revisions.map(({ revision, schema }, index): Revision => {
    const entry = protocol.revisions[index] as ProtocolFile["revisions"][number];
    const { $defs: published } = inOrder(applyErrata(schema.value, revision, errata, problems)) as { $defs: Definitions };
    const definitions = plainDefinitions(published, protocol.messages);
    const canonical = toCanonical(definitions, index, folded.renames, used);
    const canonicalName = (name: string) =>
      folded.renames
        .filter((rename) => rename.revision > index)
        .reduce((current, rename) => (rename.from.includes(current) ? rename.to : current), name);
    const methods = readMethods(
      {
        revision: index,
        definitions,
        canonicalName,
        placeOf: (definition) => ({ file: schema.file, line: schema.lineOf(["$defs", definition]) }),
        unions: protocol.messages,
        naming: protocol.naming,
        features: folded.features,
      },
      problems,
    );
    return {
      id: revision,
      index,
      era: entry.era,
      released: entry.released,
      ...(entry.number === undefined ? {} : { number: entry.number }),
      changelog: (files[index] as ChangesFile).value.changelog,
      published,
      definitions,
      canonical,
      schemaFile: schema.file,
      lineOf: schema.lineOf,
      changesFile: (files[index] as ChangesFile).file,
      methods,
      flags: { client: readFlags(protocol.capabilities.client, definitions), server: readFlags(protocol.capabilities.server, definitions) },
    };
  });
  const model: Model = {
    protocol: protocol.name,
    title: protocol.title,
    specification: protocol.specification,
    capabilities: protocol.capabilities,
    implied: protocol.implied,
    transports: transportFeatures(protocol, input.protocol, folded.features, problems),
    revisions,
    features: folded.features,
    fills: folded.fills,
    layout: folded.layout,
    renames: folded.renames,
    propertyRenames: folded.propertyRenames,
    goings: folded.goings,
    values: folded.values,
    unknownMembers: (protocol.unknown ?? []).map((entry, index) => ({
      ...entry,
      place: { file: input.protocol.file, line: input.protocol.lineOf(["unknown", index]) },
    })),
    tolerances: placeTolerances(input.tolerances, revisions, problems),
    ir: buildIr(revisions.map((revision) => revision.canonical)),
    naming: protocol.naming,
    envelope: readEnvelope(protocol, input.protocol, { features: folded.features, revisions }, problems),
    methodGates: compileGates(
      { features: folded.features, revisions, capabilities: protocol.capabilities },
      (protocol.denials ?? []).map((denial, index) => ({
        ...denial,
        place: { file: input.protocol.file, line: input.protocol.lineOf(["denials", index]) },
      })),
      problems,
    ),
    accounting: [],
  };
  checkProtocol(input, protocol, model, problems);
  checkCites(files, protocol.cites === "pages", problems);
  checkGatedPaths(model, problems);
  checkMethodGates(model, problems);
  checkSingleGate(model, problems);
  checkRewrites(model, problems);
  checkFlags(model, problems);
  checkErrors(model, problems);
  checkFills(model, problems);
  checkValues(model, problems);
  checkLayout(model, used, problems);
  checkPropertyRenames(model, problems);
  // A faulty row would show again as a tolerance that finds no place.
  if (problems.length === before) checkTolerances(model, problems);
  // A faulty row would show again as a delta nobody accounts for; the accounts are drawn up once the rows are sound.
  return problems.length > before ? model : { ...model, accounting: accountForDeltas(model, problems) };
}

/** Gives the definitions of a published schema in the forms the model speaks. */
export function plainDefinitions(published: Definitions, messages: readonly MessageUnion[]): Definitions {
  const unions = messages.map((message) => message.union);
  return inOrder(toPlainForm(published, (tidied) => withMessages(tidied, unions))) as Definitions;
}

/** Checks that what protocol.yaml names is there: its own folder, the flags that imply others, the payloads that carry messages. */
function checkProtocol(input: ProtocolInput, protocol: ProtocolFile, model: Model, problems: Problem[]): void {
  const { file, lineOf } = input.protocol;
  const report = (path: readonly (string | number)[], rule: string, message: string, fix: string) =>
    problems.push({ file, line: lineOf(path), rule, message, fix });
  if (protocol.name !== input.name)
    report(["name"], "protocol", `the protocol ${protocol.name} stands in the folder ${input.name}`, "give both one name");
  for (const [index, { side, flag, by }] of protocol.implied.entries()) {
    for (const name of [flag, by].filter((path) => !model.revisions.some((revision) => revision.flags[side].has(path)))) {
      report(["implied", index], "flag", `no schema has the ${side} capability ${name}`, "correct the flag");
    }
  }
  for (const [index, { at, place, degrade }] of model.unknownMembers.entries()) {
    if (degrade.includes("keep"))
      problems.push({
        ...place,
        rule: "protocol",
        message: `${at} offers keep; a closed union cannot keep a stranger`,
        fix: "name a fallback, skip or annotate",
      });
    if (model.unknownMembers.findIndex((entry) => entry.at === at) < index)
      problems.push({ ...place, rule: "duplicate", message: `the union ${at} stands twice`, fix: "keep one entry a union" });
    if (own(model.ir, at)?.anyOf === undefined)
      problems.push({ ...place, rule: "protocol", message: `no schema has the union ${at}`, fix: "correct the union's name" });
  }
  for (const [index, { union, carrier }] of protocol.messages.entries()) {
    const unions = model.revisions.filter((revision) => Object.hasOwn(revision.definitions, union));
    if (unions.length === 0) report(["messages", index], "protocol", `no schema has the union ${union}`, "correct the union's name");
    const without = unions.find((revision) => carrier !== undefined && !Object.hasOwn(revision.definitions, carrier));
    if (without !== undefined)
      report(
        ["messages", index],
        "protocol",
        `${without.id} has ${union} but no definition ${carrier} to carry it`,
        "correct the carrier's name",
      );
  }
}

function placeErrata(input: ProtocolInput, protocol: ProtocolFile, problems: Problem[]): PlacedErratum[] {
  const { errata } = input;
  if (errata === undefined) return [];
  return (errata.value as { errata: Erratum[] }).errata.map((erratum, index) => {
    const placed = { ...erratum, file: errata.file, line: errata.lineOf(["errata", index]) };
    if (!protocol.revisions.some((entry) => entry.revision === erratum.revision)) {
      problems.push({
        file: placed.file,
        line: placed.line,
        rule: "erratum",
        message: `the erratum matches nothing: no revision is called ${erratum.revision}`,
        fix: "name a revision of protocol.yaml",
      });
    }
    return placed;
  });
}

function transportFeatures(protocol: ProtocolFile, file: Input, features: readonly Feature[], problems: Problem[]): Map<string, number> {
  const entries = Object.entries(protocol.transports).flatMap(([name, id]) => {
    const feature = features.find((candidate) => candidate.id === id);
    if (feature !== undefined) return [[name, feature.index] as const];
    problems.push({
      file: file.file,
      line: file.lineOf(["transports", name]),
      rule: "dangling",
      message: `no feature is called ${id}`,
      fix: "name the transport's feature",
    });
    return [];
  });
  return new Map(entries);
}

/** Checks that a row gates only methods that exist, and exactly at the revisions of the row. */
function checkMethodGates(model: Model, problems: Problem[]): void {
  for (const feature of model.features) {
    for (const method of [...feature.gates.methods, ...feature.gates.results.flatMap((result) => result.methods)]) {
      const present = model.revisions.filter((revision) => revision.methods.some((entry) => entry.name === method));
      if (present.length === 0) {
        problems.push({
          ...feature.place(method),
          rule: "method-gate",
          message: `no schema has the method ${method}, which ${feature.id} gates`,
          fix: "correct the method's name",
        });
        continue;
      }
      for (const revision of model.revisions.slice(feature.first, feature.last + 1)) {
        if (present.includes(revision)) continue;
        problems.push({
          ...feature.place(method),
          rule: "method-gate",
          message: `the method ${method} does not exist at ${revision.id}, where ${feature.id} gates it`,
          fix: "correct the lifetime of the row, or list the removal where it happens",
        });
      }
    }
  }
}
