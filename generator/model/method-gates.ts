// Compiles the gate of every method: from the capability that the row which gates it requires, and from what rows say under `access` where
// that is not all. One gate for each direction and method of a revision; what cannot be one becomes a problem. Pure.
import type { Problem } from "../problem.js";
import { isRequired } from "./gating.js";
import { livesAt } from "./lifetime.js";
import { paramsNode } from "./methods.js";
import { findNode, parsePath } from "./path.js";
import { constants, own, shape, typesOf, type Definitions, type Schema } from "./schema.js";
import type {
  Access,
  Denial,
  Direction,
  Feature,
  GateFlag,
  GateShape,
  Method,
  MethodGate,
  Model,
  Owner,
  Place,
  Revision,
  Side,
} from "./types.js";

type Known = Pick<Model, "features" | "revisions" | "capabilities">;
type PlacedDenial = Denial & { readonly place: Place };
type Spoken = Feature["access"][number] & { readonly by: Feature };

/** JSON-RPC's "the method does not exist / is not available", where protocol.yaml says nothing else. */
const NOT_AVAILABLE = -32601;
const STATES = ["initialize", "session", "entity"] as const;
const SHAPES = ["params", ...STATES, "never"] as const;

/** Compiles the gates of each revision, sorted by method and direction. */
export function compileGates(known: Known, denials: readonly PlacedDenial[], problems: Problem[]): MethodGate[][] {
  checkDenials(known, denials, problems);
  checkAccess(known, problems);
  return known.revisions.map((revision) =>
    revision.methods.flatMap((method) =>
      method.directions.map((direction) => new Gatehouse(known, denials, revision, method, direction, problems).gate()),
    ),
  );
}

/** Gives the side that handles what travels in a direction. */
export function handlerOf(direction: Direction): Side {
  return direction === "clientToServer" ? "server" : "client";
}

/** Compiles one gate. */
class Gatehouse {
  private readonly spoken: Spoken | undefined;
  private readonly gating: Feature;

  constructor(
    private readonly known: Known,
    private readonly denials: readonly PlacedDenial[],
    private readonly revision: Revision,
    private readonly method: Method,
    private readonly direction: Direction,
    private readonly problems: Problem[],
  ) {
    this.gating = known.features[method.feature] as Feature;
    this.spoken = this.speaker();
  }

  gate(): MethodGate {
    const { name, kind, carrier } = this.method;
    return {
      method: name,
      direction: this.direction,
      kind,
      ...(carrier === undefined ? {} : { embedded: true }),
      feature: (this.hasShape() ? this.spoken?.by : undefined)?.index ?? this.gating.index,
      ...this.shape(),
    };
  }

  private shape(): GateShape {
    const spoken = this.spoken;
    const state = STATES.find((key) => spoken?.[key] !== undefined);
    if (spoken !== undefined && state !== undefined) return this.state(spoken, state, spoken[state] as string);
    if (spoken?.never !== undefined) return this.never(spoken, spoken.never);
    const flag = this.flag(this.gating);
    if (spoken?.params !== undefined) return this.choice(spoken, spoken.params, flag);
    if (flag === undefined) return { shape: "baseline" };
    return { shape: "capability", owner: this.ownerOf(flag.side), flag: this.withError(flag) };
  }

  private hasShape(): boolean {
    return this.spoken !== undefined && SHAPES.some((key) => this.spoken?.[key] !== undefined);
  }

  /** The youngest row that speaks of the method; two of one age contradict each other. */
  private speaker(): Spoken | undefined {
    const { index } = this.revision;
    const all = this.known.features
      .filter((feature) => livesAt(feature, index))
      .flatMap((by) =>
        by.access.filter((access) => speaksOf(access, this.method.name, this.direction)).map((access) => ({ ...access, by })),
      )
      .sort((a, b) => b.by.first - a.by.first);
    const [first, second] = all;
    if (second !== undefined && second.by.first === first?.by.first && second.by.first === index) {
      const message = `${first.by.id} and ${second.by.id} both say what ${this.method.name} asks for`;
      this.report(second.place, message, "say it in one row");
    }
    return first;
  }

  /** The capability a feature asks for, as far as it bears on this method. */
  private flag(feature: Feature): GateFlag | undefined {
    const { requires } = feature;
    if (requires === undefined || !isRequired(feature, this.revision, this.known)) return undefined;
    const sides = (["client", "server"] as const).filter((side) => requires[side] !== undefined);
    if (sides.length === 2 && requires.match !== "any") {
      const message = `${feature.id} gates ${this.method.name} by capabilities of both sides; a gate asks one`;
      this.report(feature.place("requires"), message, "require the other side's capability in a row of its own");
    }
    const side = sides.length === 2 ? this.ownSide() : sides[0];
    const path = side && requires[side];
    if (side === undefined || path === undefined) return undefined;
    const marker = this.revision.flags[side].get(path);
    // A path the schema does not have is told by the check of the flags.
    if (marker === undefined) return undefined;
    this.checkOwner(feature, side, path);
    this.checkMarker(feature, side, path, marker);
    const answer = this.answer(side);
    return { side, path, marker, feature: feature.index, ...answer };
  }

  private ownSide(): Side {
    const handler = handlerOf(this.direction);
    const other = handler === "client" ? "server" : "client";
    return this.spoken?.owner === "sender" ? other : handler;
  }

  private ownerOf(side: Side): Owner {
    return side === handlerOf(this.direction) ? "receiver" : "sender";
  }

  private checkOwner(feature: Feature, side: Side, path: string): void {
    const { name, kind } = this.method;
    const owner = this.ownerOf(side);
    const stated = this.spoken?.owner;
    // A notification may tell of what its sender can do; a request asks its receiver for something, unless a row says otherwise.
    if (stated === owner || (stated === undefined && (owner === "receiver" || kind === "notification"))) return;
    if (stated !== undefined) {
      const message = `${name} (${this.direction}) goes by the ${side} capability ${path}, which is the ${owner}'s, not the ${stated}'s`;
      this.report((this.spoken as Spoken).place, message, `say owner: ${owner}, or nothing`);
      return;
    }
    const handler = handlerOf(this.direction);
    const message = `the ${handler} handles ${name} (${this.direction}), yet ${feature.id} asks for the ${side} capability ${path}`;
    this.report(feature.place("requires"), message, `require a ${handler} capability, or say owner: sender under access`);
  }

  private checkMarker(feature: Feature, side: Side, path: string, marker: GateFlag["marker"]): void {
    const { definitions, id } = this.revision;
    const steps = path.split(".").map((property) => ({ property }));
    const node = findNode({ definition: this.known.capabilities[side], steps }, definitions);
    const types = node === undefined ? [] : typesOf(shape(node, definitions));
    if (types.length === 0 || types.includes(marker)) return;
    const message = `${feature.id} asks for the ${side} capability ${path}, which is of type ${types.join(" or ")} at ${id}`;
    this.report(feature.place("requires"), message, "a capability is a boolean or an object; require the object that holds it");
  }

  private choice(spoken: Spoken, { field, missing, cases }: NonNullable<Access["params"]>, flag: GateFlag | undefined): GateShape {
    const values = fieldValues(paramsNode(this.method, this.revision.definitions), field, this.revision.definitions);
    if (values === undefined) {
      const message = `${this.method.name} has no params.${field} at ${this.revision.id}, by which ${spoken.by.id} chooses`;
      this.report(spoken.place, message, "correct the field's name, or the lifetime of the row");
    }
    for (const value of [...Object.keys(cases), ...(missing === undefined ? [] : [missing])]) {
      if (values === undefined || values === "any" || values.includes(value)) continue;
      const message = `${JSON.stringify(value)} is no value of params.${field} of ${this.method.name} at ${this.revision.id}`;
      this.report(spoken.place, message, `known are ${values.map((known) => JSON.stringify(known)).join(", ")}`);
    }
    if (missing !== undefined && !Object.hasOwn(cases, missing))
      this.report(spoken.place, `a missing ${field} counts as ${JSON.stringify(missing)}, which is no case`, "add the case");
    const flags = Object.entries(cases).flatMap(([value, id]) => {
      const found = this.caseFlag(spoken, id);
      return found === undefined ? [] : [[value, found] as const];
    });
    const side = flags[0]?.[1].side ?? flag?.side ?? handlerOf(this.direction);
    return {
      shape: "params",
      owner: this.ownerOf(side),
      ...(flag === undefined ? {} : { flag }),
      field,
      ...(missing === undefined ? {} : { missing }),
      cases: Object.fromEntries(flags),
      ...this.code(spoken, side),
    };
  }

  private caseFlag(spoken: Spoken, id: string): GateFlag | undefined {
    const feature = this.known.features.find((candidate) => candidate.id === id);
    const flag = feature !== undefined && livesAt(feature, this.revision.index) ? this.flag(feature) : undefined;
    if (flag === undefined) {
      const why = feature === undefined ? `no feature is called ${id}` : `${id} asks for no capability at ${this.revision.id}`;
      this.report(spoken.place, why, "name the feature whose capability opens the case");
      return undefined;
    }
    return this.withError(flag);
  }

  /** Lets the row's own error answer, except for a message inside another: it is the other that is answered, with what the protocol has for that. */
  private withError(flag: GateFlag): GateFlag {
    if (this.spoken?.error === undefined || this.method.carrier !== undefined) return flag;
    const { side, path, marker, feature } = flag;
    return { side, path, marker, feature, ...this.code(this.spoken, side) };
  }

  private state(spoken: Spoken, holder: (typeof STATES)[number], text: string): GateShape {
    const path = parsePath(text);
    const steps = path?.steps.flatMap((step) => (typeof step === "object" && !step.property.includes(".") ? [step.property] : [])) ?? [];
    const node = path && findNode(path, this.revision.canonical);
    if (node === undefined || steps.length === 0 || steps.length !== path?.steps.length || path.member !== undefined) {
      const message = `${this.revision.id} has no ${text}, which ${spoken.by.id} asks of the ${holder === "initialize" ? "initialize result" : holder}`;
      this.report(spoken.place, message, "write the path of a property, from the definition that holds it");
    }
    const types = node === undefined ? [] : kindsOf(node, this.revision.canonical);
    const marker = types.includes("array") ? "list" : types.includes("boolean") ? "boolean" : "object";
    return { shape: holder, path: steps.join("."), marker, ...this.code(spoken, handlerOf(this.direction)) };
  }

  private never(spoken: Spoken, never: NonNullable<Access["never"]>): GateShape {
    const side = never.client === undefined ? "server" : "client";
    const path = never[side] ?? "";
    if (this.revision.flags[side].has(path)) {
      const message = `${spoken.by.id} never serves ${this.method.name}, but ${this.revision.id} has the ${side} capability ${path}`;
      this.report(spoken.place, message, "require the capability in the row that gates the method");
    }
    return { shape: "never", owner: this.ownerOf(side), side, path, ...this.code(spoken, side) };
  }

  /** What answers for want of a capability of one side; nothing answers a notification. */
  private answer(side: Side): { code?: number; data?: string } {
    if (this.method.kind === "notification") return {};
    const denial = this.denials.find((entry) => entry.era === this.revision.era && entry.side === side);
    const code = denial && errorCode(this.known.features, denial.error, this.revision.index);
    return { code: code ?? NOT_AVAILABLE, ...(denial?.data === undefined ? {} : { data: denial.data }) };
  }

  /** What answers by the row's own word, or else by the protocol's. */
  private code(spoken: Spoken, side: Side): { code?: number } {
    if (this.method.kind === "notification") return {};
    if (spoken.error === undefined) return { code: this.answer(side).code ?? NOT_AVAILABLE };
    const code = errorCode(this.known.features, spoken.error, this.revision.index);
    if (code === undefined)
      this.report(spoken.place, `no error is called ${spoken.error} at ${this.revision.id}`, "name an error of a row that is there");
    return { code: code ?? NOT_AVAILABLE };
  }

  private report(place: Place, message: string, fix: string): void {
    const isKnown = this.problems.some(
      (problem) => problem.message === message && problem.line === place.line && problem.file === place.file,
    );
    if (!isKnown) this.problems.push({ ...place, rule: "gate", message, fix });
  }
}

function speaksOf(access: Access, method: string, direction: Direction): boolean {
  return access.methods.includes(method) && (access.direction === undefined || access.direction === direction);
}

/** The values a field of the params may have, over all members of a union; undefined where there is no such field. */
function fieldValues(node: Schema | undefined, field: string, definitions: Definitions): readonly unknown[] | "any" | undefined {
  const values = fieldsOf(node, field, definitions, 0).map((found) => constants(shape(found, definitions)));
  if (values.length === 0) return undefined;
  return values.includes(undefined) ? "any" : values.flatMap((list) => list ?? []);
}

function fieldsOf(node: Schema | undefined, field: string, definitions: Definitions, depth: number): readonly Schema[] {
  // A recursive union would never end.
  if (node === undefined || depth > 4) return [];
  const holder = shape(node, definitions);
  const found = own(holder.properties, field);
  const members: readonly Schema[] = [...(holder.anyOf ?? []), ...(holder.oneOf ?? [])];
  return [...(found === undefined ? [] : [found]), ...members.flatMap((member) => fieldsOf(member, field, definitions, depth + 1))];
}

function errorCode(features: readonly Feature[], name: string, revision: number): number | undefined {
  const alive = features.filter((feature) => livesAt(feature, revision));
  return alive.flatMap((feature) => feature.errors).find((error) => error.name === name)?.code;
}

/** Checks that a denial is said once and names an error of every revision of its era. */
function checkDenials({ features, revisions }: Known, denials: readonly PlacedDenial[], problems: Problem[]): void {
  for (const [index, { era, side, error, place }] of denials.entries()) {
    if (denials.findIndex((other) => other.era === era && other.side === side) < index) {
      const message = `the denial for want of a ${side} capability in the ${era} era stands twice`;
      problems.push({ ...place, rule: "duplicate", message, fix: "keep one entry an era and side" });
    }
    const lacking = revisions.find((revision) => revision.era === era && errorCode(features, error, revision.index) === undefined);
    if (lacking === undefined) continue;
    const message = `no error is called ${error} at ${lacking.id}`;
    problems.push({ ...place, rule: "gate", message, fix: "name an error that the rows have at every revision of the era" });
  }
}

/** Checks that what rows say under `access` has one shape and speaks of methods they meet. */
function checkAccess({ features, revisions }: Known, problems: Problem[]): void {
  for (const feature of features) {
    for (const access of feature.access) {
      const shapes = SHAPES.filter((key) => access[key] !== undefined);
      const report = (message: string, fix: string) => problems.push({ ...access.place, rule: "gate", message, fix });
      if (shapes.length > 1) report(`a gate has one shape, this one is ${shapes.join(" and ")}`, "keep one of them");
      if (shapes.length === 0 && access.owner === undefined && access.error === undefined)
        report("the entry says nothing of a gate", `say owner, error, ${SHAPES.join(", ")}`);
      for (const method of access.methods) {
        const isMet = revisions
          .slice(feature.first, feature.last + 1)
          .some(({ methods }) =>
            methods.some((entry) => entry.name === method && entry.directions.some((way) => speaksOf(access, method, way))),
          );
        if (!isMet) report(`${feature.id} speaks of ${method}, which no revision of it has`, "correct the method's name or direction");
      }
    }
  }
}

/** The types a node allows, those of its members where it is a union. */
function kindsOf(node: Schema, definitions: Definitions): readonly string[] {
  const resolved = shape(node, definitions);
  return resolved.anyOf === undefined ? typesOf(resolved) : resolved.anyOf.flatMap((member) => kindsOf(member, definitions));
}
