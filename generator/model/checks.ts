// Cross-checks rows against the schemas of all revisions and collects every problem. Pure; each check has a test that it can say no.
import type { Problem } from "../problem.js";
import { renameKey } from "./canonical.js";
import { fitsSchema } from "./fills.js";
import { liveTogether, livesAt } from "./lifetime.js";
import { findNode, hasPath, parsePath, withoutReferences, type Path } from "./path.js";
import type { Changes, ChangesFile, RowCite } from "./rows.js";
import { isSame, own } from "./schema.js";
import type { Feature, Lowering, Model, PropertyRename, RenameRow, Revision, Side } from "./types.js";

/**
 * Checks that every cite names an entry that exists, that an entry is cited or excused, and that excuses name real entries; where a protocol has no
 * numbered changelog, every revision cites pages as the baseline does.
 */
export function checkCites(files: readonly ChangesFile[], citesPages: boolean, problems: Problem[]): void {
  for (const [index, file] of files.entries()) {
    const { value } = file;
    const cited = new Map<string, string>();
    for (const { cite, path } of citesOf(value)) {
      const fault = citeFault(cite, value, citesPages || index === 0);
      const line = file.lineOf(path);
      if (fault !== undefined)
        problems.push({
          file: file.file,
          line,
          rule: "cite",
          message: fault,
          fix: "cite an entry counted under entries, section: unlisted with a ref, or (baseline only) a page",
        });
      else if (cite.ordinal !== undefined) cited.set(`${cite.section} ${cite.ordinal}`, "row");
    }
    for (const [at, excuse] of value.unmodelled.entries()) {
      const key = `${excuse.section} ${excuse.ordinal}`;
      const line = file.lineOf(["unmodelled", at]);
      if ((value.entries[excuse.section] ?? 0) < excuse.ordinal) {
        problems.push({
          file: file.file,
          line,
          rule: "cite",
          message: `${key} is excused, but the changelog has no such entry`,
          fix: "correct the section or ordinal, or delete the excuse",
        });
      } else if (cited.has(key)) {
        problems.push({
          file: file.file,
          line,
          rule: "cite",
          message: `${key} is both cited by a row and excused`,
          fix: "delete the excuse",
        });
      }
      cited.set(key, "excuse");
    }
    for (const [section, count] of Object.entries(value.entries)) {
      for (let ordinal = 1; ordinal <= count; ordinal += 1) {
        if (cited.has(`${section} ${ordinal}`)) continue;
        problems.push({
          file: file.file,
          line: file.lineOf(["entries", section]),
          rule: "uncited",
          message: `the changelog entry ${section} ${ordinal} is neither cited nor excused`,
          fix: `cite it from the row it describes, or add { section: ${section}, ordinal: ${ordinal}, why: … } under unmodelled`,
        });
      }
    }
  }
}

function citesOf(changes: Changes): { cite: RowCite; path: (string | number)[] }[] {
  const lists = ["features", "extends", "removes", "deprecates", "renames", "propertyRenames", "layout", "values"] as const;
  return lists.flatMap((list) => (changes[list] ?? []).map((row, index) => ({ cite: row.cite, path: [list, index, "cite"] })));
}

function citeFault(cite: RowCite, changes: Changes, mayCitePages: boolean): string | undefined {
  if (cite.page !== undefined) {
    if (!mayCitePages) return `the cite names a page; only the baseline revision cites pages`;
    return cite.section === undefined && cite.ordinal === undefined ? undefined : "the cite names both a page and a section";
  }
  if (cite.section === undefined) return "the cite names neither a section nor a page";
  if (cite.section === "unlisted")
    return cite.ref === undefined || cite.ordinal !== undefined ? "an unlisted cite has a ref and no ordinal" : undefined;
  if (cite.ordinal === undefined) return `the cite names the section ${cite.section} but no ordinal`;
  const count = changes.entries[cite.section] ?? 0;
  return cite.ordinal <= count
    ? undefined
    : `the cite names ${cite.section} ${cite.ordinal}, but that section of the changelog of ${changes.revision} has ${count} entries`;
}

/** Checks that every gated definition, field and member exists in the schemas of exactly the revisions of its feature. */
export function checkGatedPaths(model: Model, problems: Problem[]): void {
  for (const feature of model.features) {
    const lists = [feature.gates.definitions, feature.gates.fields, feature.gates.members];
    for (const text of lists.flat()) checkPath(text, feature, model, problems);
    for (const text of feature.gates.changes) checkExists(text, feature, model, problems);
    for (const entry of feature.gates.constants) checkConstants(entry, feature, model, problems);
    for (const [index, lowering] of feature.lowerings.entries()) {
      checkLowering(lowering, feature, problems);
      if (!feature.lowerings.slice(0, index).some((other) => other.at === lowering.at)) continue;
      problems.push({
        ...lowering.place,
        rule: "lowering",
        message: `${feature.id} lowers ${lowering.at} twice`,
        fix: "keep one entry a place",
      });
    }
  }
}

function checkPath(text: string, feature: Feature, model: Model, problems: Problem[]): void {
  const path = parsed(text, feature, problems);
  if (path === undefined) return;
  const presence = model.revisions.map((revision) => hasPath(path, revision.canonical));
  const place = feature.place(text);
  if (presence.includes(true)) checkDirect(path, text, feature, model, problems);
  if (!presence.includes(true)) {
    problems.push({
      ...place,
      rule: "gated-path",
      message: `no schema has ${text}, which ${feature.id} gates`,
      fix: "correct the path (names and paths: schemas/README.md)",
    });
    return;
  }
  const first = feature.since.get(text) ?? feature.first;
  const span = `${model.revisions[first]?.id}..${model.revisions[feature.last]?.id}`;
  for (const revision of model.revisions) {
    const expected = livesAt({ first, last: feature.last }, revision.index);
    if (presence[revision.index] === true && !expected) {
      problems.push({
        ...place,
        rule: "gated-path",
        message: `${text} exists at ${revision.id}, outside ${span} of ${feature.id}`,
        fix: "move the row, list the removal where it happens, or gate the path by the feature it belongs to",
      });
    } else if (presence[revision.index] === false && expected && !isExcused(path, text, revision, model)) {
      problems.push({
        ...place,
        rule: "gated-path",
        message: `${text} does not exist at ${revision.id}, within ${span} of ${feature.id}`,
        fix: "correct the path or the lifetime of the row",
      });
    }
  }
}

/** Refuses a path that leads through a reference: nobody asks at the place it means, but at the definition it refers to. */
function checkDirect(path: Path, text: string, feature: Feature, model: Model, problems: Problem[]): void {
  const direct = withoutReferences(path, model.ir);
  if (direct === undefined) return;
  problems.push({
    ...feature.place(text),
    rule: "gated-path",
    message: `${text} leads through another definition, where ${feature.id} would gate nothing`,
    fix: `write ${direct}`,
  });
}

/**
 * A path below a definition the revision does not have is not missed. Nor is one that a layout entry says is the same bytes either way,
 * one that an earlier change of a wider path took in, or one that went together with another feature.
 */
function isExcused(path: Path, text: string, revision: Revision, model: Model): boolean {
  const isDefinition = path.steps.length === 0 && path.member === undefined;
  if (!isDefinition && own(revision.canonical, path.definition) === undefined) return true;
  if (model.layout.some((entry) => entry.covers.some((covered) => isWithin(text, covered)))) return true;
  if (model.goings.some((going) => going.revision <= revision.index && going.path === text)) return true;
  return model.features.some(
    (other) => other.first <= revision.index && other.gates.changes.some((changed) => changed !== text && isWithin(text, changed)),
  );
}

function isWithin(text: string, covered: string): boolean {
  return text === covered || (text.startsWith(covered) && /^[.[|]/.test(text.slice(covered.length)));
}

function checkExists(text: string, feature: Feature, model: Model, problems: Problem[]): void {
  const path = parsed(text, feature, problems);
  if (path === undefined || model.revisions.some((revision) => hasPath(path, revision.canonical))) return;
  problems.push({
    ...feature.place(text),
    rule: "gated-path",
    message: `no schema has ${text}, which ${feature.id} changes`,
    fix: "correct the path (names and paths: schemas/README.md)",
  });
}

function parsed(text: string, feature: Feature, problems: Problem[]): Path | undefined {
  const path = parsePath(text);
  if (path === undefined)
    problems.push({
      ...feature.place(text),
      rule: "gated-path",
      message: `cannot read the path ${JSON.stringify(text)}`,
      fix: 'write Definition.field, Definition["a/b"].items[].values.*, or Union|Member',
    });
  return path;
}

/** Checks that gated values are values of their place at every revision of the feature, and that a peer's word decides about them. */
function checkConstants({ at, values }: Feature["gates"]["constants"][number], feature: Feature, model: Model, problems: Problem[]): void {
  const path = parsed(at, feature, problems);
  if (path === undefined) return;
  if (feature.requires === undefined)
    problems.push({
      ...feature.place(at),
      rule: "gated-value",
      message: `${feature.id} gates values of ${at} but needs no capability, so it would gate nothing`,
      fix: "name the capability that decides under requires",
    });
  // The member of a union may be asked about at one place that refers to the union.
  checkDirect({ definition: path.definition, steps: path.steps }, at, feature, model, problems);
  for (const revision of model.revisions.slice(feature.first, feature.last + 1)) {
    const node = findNode(path, revision.canonical);
    const stranger = values?.find((value) => node === undefined || !fitsSchema(value, node, revision.canonical));
    if (hasPath(path, revision.canonical) && (values === undefined || stranger === undefined)) continue;
    problems.push({
      ...feature.place(at),
      rule: "gated-value",
      message:
        stranger === undefined ? `${revision.id} has no ${at}` : `${JSON.stringify(stranger)} is no value of ${at} at ${revision.id}`,
      fix: "correct the path or the value",
    });
    return;
  }
}

function checkLowering({ at, degrade, place }: Lowering, feature: Feature, problems: Problem[]): void {
  const gated = [
    ...feature.gates.fields,
    ...feature.gates.members,
    ...feature.gates.changes,
    ...feature.gates.constants.map((entry) => entry.at),
  ];
  if (!gated.includes(at)) {
    problems.push({
      ...place,
      rule: "lowering",
      message: `${feature.id} lowers ${at} but does not gate it`,
      fix: "gate the path in this row or move the lowering to the row that does",
    });
  }
  if (at.includes("|") && degrade.includes("keep")) {
    problems.push({
      ...place,
      rule: "lowering",
      message: `${feature.id} offers keep at the union member ${at}; a closed union cannot keep a stranger`,
      fix: "name a fallback, skip or annotate",
    });
  }
}

/** Checks that each field or member is gated by at most one feature at any revision. */
export function checkSingleGate(model: Model, problems: Problem[]): void {
  const owners = new Map<string, Feature[]>();
  for (const feature of model.features) {
    for (const text of [...feature.gates.fields, ...feature.gates.members]) owners.set(text, [...(owners.get(text) ?? []), feature]);
  }
  for (const [text, features] of owners) {
    for (const [index, feature] of features.entries()) {
      const twin = features.slice(0, index).find((other) => other !== feature && liveTogether(other, feature));
      if (twin === undefined) continue;
      problems.push({
        ...feature.place(text),
        rule: "single-gate",
        message: `${text} is gated by ${twin.id} and by ${feature.id} at the same revision`,
        fix: "gate a path by the one feature that decides whether it may be sent",
      });
    }
  }
}

/** Checks that every capability flag a feature needs exists in the schemas of the revisions that need it. */
export function checkFlags(model: Model, problems: Problem[]): void {
  for (const feature of model.features) {
    const { requires } = feature;
    if (requires === undefined) continue;
    const since = requires.since === undefined ? feature.first : model.revisions.findIndex((revision) => revision.id === requires.since);
    for (const side of ["client", "server"] as const) checkFlag(side, requires[side], since, feature, model, problems);
  }
  for (const [name, index] of model.transports) {
    if (model.features[index]?.transport !== name)
      problems.push({
        ...(model.features[index] as Feature).place(),
        rule: "transport",
        message: `protocol.yaml says this feature defines the transport ${name}, but the row does not name it`,
        fix: `write transport: ${name}`,
      });
  }
  for (const feature of model.features) {
    if (feature.transport !== undefined && !model.transports.has(feature.transport)) {
      problems.push({
        ...feature.place("transport"),
        rule: "transport",
        message: `no transport is called ${feature.transport}`,
        fix: `known are ${[...model.transports.keys()].join(", ")}`,
      });
    }
  }
}

function checkFlag(side: Side, flag: string | undefined, since: number, feature: Feature, model: Model, problems: Problem[]): void {
  if (flag === undefined) return;
  for (const revision of model.revisions) {
    if (revision.index < since || revision.index > feature.last || revision.flags[side].has(flag)) continue;
    problems.push({
      ...feature.place("requires"),
      rule: "flag",
      message: `${feature.id} needs the ${side} capability ${flag}, which the schema of ${revision.id} does not have`,
      fix: "correct the flag, or say since when it exists",
    });
  }
}

/** Checks that every rename and layout entry still means something. */
export function checkLayout(model: Model, used: ReadonlySet<string>, problems: Problem[]): void {
  for (const rename of model.renames) {
    for (const from of rename.from.filter((entry) => !used.has(renameKey(rename, entry)))) {
      problems.push({
        ...rename.place(from),
        rule: "rename",
        message: `the rename of ${from} to ${rename.to} matches nothing before ${model.revisions[rename.revision]?.id}`,
        fix: "correct or delete the entry",
      });
    }
    if (own(model.revisions[rename.revision]?.definitions, rename.to) === undefined) problems.push(unknownTarget(rename, model));
  }
  for (const { path, feature, place } of model.goings) {
    const parsed = parsePath(path);
    if (parsed !== undefined && model.revisions.some((revision) => hasPath(parsed, revision.canonical))) continue;
    problems.push({
      ...place,
      rule: "gated-path",
      message: `no schema has ${path}, which the removal of ${feature} covers`,
      fix: "correct the path (names and paths: schemas/README.md)",
    });
  }
  for (const entry of model.layout) {
    for (const text of entry.covers) {
      const path = parsePath(text);
      if (path !== undefined && model.revisions.some((revision) => hasPath(path, revision.canonical))) continue;
      problems.push({
        ...entry.place(text),
        rule: "layout",
        message: `no schema has ${text}, which the layout entry ${entry.id} covers`,
        fix: "correct the path (names and paths: schemas/README.md)",
      });
    }
  }
}

function unknownTarget(rename: RenameRow, model: Model): Problem {
  const revision = model.revisions[rename.revision]?.id ?? "";
  return {
    ...rename.place(),
    rule: "rename",
    message: `${rename.to} is no definition of ${revision}`,
    fix: "name the definition as this revision calls it",
  };
}

/** Checks that a renamed property goes and the other comes at the revision that says so, each with its row, and that nothing but the name changes. */
export function checkPropertyRenames(model: Model, problems: Problem[]): void {
  for (const rename of model.propertyRenames) {
    const fault = propertyRenameFault(rename, model);
    if (fault !== undefined) problems.push({ ...rename.place, rule: "rename", message: fault, fix: "correct or delete the entry" });
  }
}

function propertyRenameFault({ from, to, revision }: PropertyRename, model: Model): string | undefined {
  const [before, after] = [model.revisions[revision - 1], model.revisions[revision]];
  const nodeOf = (text: string, at: Revision | undefined) => {
    const path = parsePath(text);
    return path === undefined || at === undefined ? undefined : findNode(path, at.canonical);
  };
  const was = nodeOf(from, before);
  const is = nodeOf(to, after);
  if (was === undefined) return `${from} does not exist before ${after?.id}, so it cannot be renamed there`;
  if (is === undefined) return `${to} does not exist at ${after?.id}, so nothing can be renamed to it`;
  if (nodeOf(from, after) !== undefined) return `${from} still exists at ${after?.id}, so it is not renamed to ${to}`;
  if (nodeOf(to, before) !== undefined) return `${to} exists before ${after?.id} already, so ${from} is not renamed to it`;
  if (!isSame(was, is)) return `${from} and ${to} do not hold the same, so one is not the other renamed`;
  const isGated = model.features.some((feature) => feature.last === revision - 1 && feature.gates.fields.includes(from));
  return isGated ? undefined : `no row that ends before ${after?.id} gates ${from}, which is renamed to ${to}`;
}
