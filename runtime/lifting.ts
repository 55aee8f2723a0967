// Repairs what a peer sent where it breaks its revision's schema and a tolerance says what was meant. Walks the shapes a codec module lists;
// each repair is a step in the report, with the tolerance's id as its detail. What needs no repair comes back as the same object.

import { isWire } from "./capabilities.js";
import { fresh, withField, withoutField } from "./copy.js";
import { pointerOf } from "./pointer.js";
import type { LiftShape, ProtocolTables, ToleranceEntry, Wire } from "./protocol.js";
import { REPAIRS } from "./repairs.js";
import type { TranslationReport } from "./report.js";

type Check = NonNullable<Extract<LiftShape, { kind: "object" }>["checks"]>[number];

/** What a null under a key becomes: absent, or the list given. */
interface NullRule {
  readonly tolerance: number;
  readonly list: readonly unknown[] | undefined;
}

/** A shape made ready to walk: lookups are maps, since a peer's keys may have the names of an object's own methods. */
type Walked =
  | {
      readonly kind: "object";
      readonly unwrap: Extract<LiftShape, { kind: "object" }>["unwrap"];
      readonly mend: number | undefined;
      readonly nulls: ReadonlyMap<string, NullRule>;
      readonly into: ReadonlyMap<string, { readonly shape: number; readonly mend: number | undefined }>;
      readonly checks: readonly Check[] | undefined;
    }
  | {
      readonly kind: "union";
      readonly list: number | undefined;
      readonly tag: string | undefined;
      readonly members: ReadonlyMap<unknown, number>;
      readonly present: readonly (readonly [key: string, shape: number])[];
    }
  | Extract<LiftShape, { kind: "list" | "map" | "result" }>;

const PREPARED = new WeakMap<readonly LiftShape[], readonly Walked[]>();

/** Walks what peers of one revision sent; one a codec, used again for each payload. */
export class Lifting {
  private readonly path: (string | number)[] = [];
  private readonly shapes: readonly Walked[];
  private report: TranslationReport | undefined;
  /** True where the object just walked is not to stand at all. */
  private isGone = false;

  constructor(
    private readonly tables: Pick<ProtocolTables, "tolerances" | "fills">,
    shapes: readonly LiftShape[],
  ) {
    const known = PREPARED.get(shapes);
    this.shapes = known ?? shapes.map(prepare);
    if (known === undefined) PREPARED.set(shapes, this.shapes);
  }

  /** Takes a payload through the shape of the given index. */
  run(shape: number, value: unknown, report: TranslationReport | undefined): unknown {
    this.report = report;
    this.isGone = false;
    return this.walk(value, shape, 0);
  }

  private walk(value: unknown, index: number, depth: number): unknown {
    const shape = this.shapes[index] as Walked;
    switch (shape.kind) {
      case "object":
        return isWire(value) ? this.object(value, shape, depth) : value;
      case "list":
        return Array.isArray(value) ? this.list(value, shape, depth) : value;
      case "union": {
        if (Array.isArray(value)) return shape.list === undefined ? value : this.walk(value, shape.list, depth);
        const member = isWire(value) ? memberOf(value, shape) : undefined;
        if (member === undefined) return value;
        const next = this.walk(value, member, depth);
        // What a repair made another member of may need a repair as that.
        const { tag } = shape;
        return tag !== undefined && isWire(value) && isWire(next) && next[tag] !== value[tag] ? this.walk(next, index, depth) : next;
      }
      case "map":
        return isWire(value) ? this.map(value, shape, depth) : value;
      case "result": {
        const next = isWire(value) ? shapeOf(value, shape) : undefined;
        return next === undefined ? value : this.walk(value, next, depth);
      }
    }
  }

  private object(value: Wire, shape: Extract<Walked, { kind: "object" }>, depth: number): unknown {
    if (shape.mend !== undefined) {
      const mended = this.mend(value, shape.mend, depth);
      if (mended !== value) return mended;
    }
    let out = shape.unwrap === undefined ? value : this.unwrap(value, shape.unwrap, depth);
    const whole = out;
    for (const key in whole) {
      const item = whole[key];
      if (typeof item !== "object") continue;
      if (item === null) {
        const rule = shape.nulls.get(key);
        if (rule !== undefined)
          out = rule.list === undefined ? this.drop(out, key, rule.tolerance, depth) : this.write(out, key, [], rule.tolerance, depth);
        continue;
      }
      const child = shape.into.get(key);
      if (child === undefined) continue;
      this.path[depth] = key;
      const mended = child.mend === undefined ? item : this.mend(item, child.mend, depth + 1);
      const next = child.shape === -1 ? mended : this.walk(mended, child.shape, depth + 1);
      if (this.isGone) {
        this.isGone = false;
        out = withoutField(out, key);
      } else if (next !== item) out = withField(out, key, next);
    }
    if (shape.checks === undefined) return out;
    for (const check of shape.checks) out = this.check(out, check, depth);
    // A holder that is empty now would say yes to what it said no to, so it is not announced either.
    this.isGone =
      out !== whole && shape.checks.some((check) => check.implied === true && whole[check.key] === false) && Object.keys(out).length === 0;
    return out;
  }

  private check(holder: Wire, check: Check, depth: number): Wire {
    const { key, tolerance } = check;
    const value = holder[key];
    if (check.notBoolean === true) {
      return value === undefined || typeof value === "boolean" ? holder : this.drop(holder, key, tolerance, depth);
    }
    if (check.notObject === true) {
      if (value === undefined || isWire(value)) return holder;
      return value === false || value === null ? this.drop(holder, key, tolerance, depth) : this.write(holder, key, {}, tolerance, depth);
    }
    if (check.mend === true) {
      if (value !== undefined && value !== null) return holder;
      this.path[depth] = key;
      return withField(holder, key, this.mend(undefined, tolerance, depth + 1));
    }
    if (check.fill !== undefined) {
      if (value !== undefined || !goesWith(holder, check.only)) return holder;
      return this.write(holder, key, fresh(this.tables.fills[check.fill]?.value), tolerance, depth);
    }
    if (value !== check.equals) return holder;
    return check.becomes === undefined
      ? this.drop(holder, key, tolerance, depth)
      : this.write(holder, key, check.becomes, tolerance, depth);
  }

  private list(value: readonly unknown[], shape: Extract<LiftShape, { kind: "list" }>, depth: number): unknown {
    let copy: unknown[] | undefined;
    for (let index = 0; index < value.length; index += 1) {
      const item = value[index];
      this.path[depth] = index;
      const gone = item === null ? shape.dropNull : undefined;
      const next = gone !== undefined || shape.items === undefined ? item : this.walk(item, shape.items, depth + 1);
      const tolerance =
        gone ?? (shape.unusable !== undefined && !hasBones(next, shape.unusable.bones) ? shape.unusable.tolerance : undefined);
      if (tolerance !== undefined) {
        this.path[depth] = index;
        this.step(tolerance, depth + 1);
        copy ??= value.slice(0, index);
        continue;
      }
      if (copy === undefined) {
        if (next === item) continue;
        copy = value.slice(0, index);
      }
      copy.push(next);
    }
    return copy ?? value;
  }

  private map(value: Wire, shape: Extract<LiftShape, { kind: "map" }>, depth: number): unknown {
    let out = value;
    for (const key of Object.keys(value)) {
      const item = value[key];
      if (shape.notObject !== undefined && !isWire(item)) {
        out = this.check(out, { key, tolerance: shape.notObject, notObject: true }, depth);
        continue;
      }
      if (shape.values === undefined) continue;
      this.path[depth] = key;
      const next = this.walk(item, shape.values, depth + 1);
      if (next !== item) out = withField(out, key, next);
    }
    return out;
  }

  private unwrap(holder: Wire, { tolerance, lacks }: { readonly tolerance: number; readonly lacks?: string }, depth: number): Wire {
    const key = this.entry(tolerance).key ?? "";
    const inner = holder[key];
    if (!isWire(inner) || (lacks !== undefined && holder[lacks] !== undefined)) return holder;
    this.step(tolerance, depth);
    return { ...withoutField(holder, key), ...inner };
  }

  private mend(value: unknown, tolerance: number, depth: number): unknown {
    const mended = REPAIRS.get(this.entry(tolerance).repair)?.(value);
    if (mended !== value) this.step(tolerance, depth);
    return mended;
  }

  private drop(holder: Wire, key: string, tolerance: number, depth: number): Wire {
    this.path[depth] = key;
    this.step(tolerance, depth + 1);
    return withoutField(holder, key);
  }

  private write(holder: Wire, key: string, value: unknown, tolerance: number, depth: number): Wire {
    this.path[depth] = key;
    this.step(tolerance, depth + 1);
    return withField(holder, key, value);
  }

  private entry(tolerance: number): ToleranceEntry {
    return this.tables.tolerances[tolerance] as ToleranceEntry;
  }

  private step(tolerance: number, depth: number): void {
    const { id, loss } = this.entry(tolerance);
    this.report?.add({ feature: null, action: "repair", path: pointerOf(this.path, depth), loss, detail: id });
  }
}

function prepare(shape: LiftShape): Walked {
  if (shape.kind === "union") {
    const { list, tag, members, untagged, present = [] } = shape;
    return {
      kind: "union",
      list,
      tag,
      present,
      members: new Map<unknown, number>(untagged === undefined ? members : [...members, [undefined, untagged]]),
    };
  }
  if (shape.kind !== "object") return shape;
  const { unwrap, mend, nulls = [], into = [], checks } = shape;
  return {
    kind: "object",
    unwrap,
    mend,
    nulls: new Map(nulls.map(([key, tolerance, list]) => [key, { tolerance, list }])),
    into: new Map(into.map(([key, child, repair]) => [key, { shape: child, mend: repair }])),
    checks,
  };
}

/** The shape of an object in a union: by its tag, or by what only one member must have. */
function memberOf(value: Wire, { tag, members, present }: Extract<Walked, { kind: "union" }>): number | undefined {
  if (tag !== undefined) return members.get(value[tag] ?? undefined);
  return present.find(([key]) => value[key] !== undefined)?.[1];
}

/** The shape of a result: the usual one, or that of the alternative it says it is. */
function shapeOf(value: Wire, { usual, others }: Extract<LiftShape, { kind: "result" }>): number | undefined {
  for (const { property, equals, shape } of others) {
    if (equals === undefined ? value[property] !== undefined : value[property] === equals) return shape;
  }
  return usual;
}

/** Tells whether each field named is missing from the holder, or holds one of the values listed for it. */
function goesWith(holder: Wire, only: Check["only"] = []): boolean {
  for (const [beside, values] of only) {
    if (holder[beside] !== undefined && !values.includes(holder[beside])) return false;
  }
  return true;
}

/** The bare bones of a schema: types, constants and required properties. */
interface Bones {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Bones>>;
}

function hasBones(value: unknown, bones: Bones): boolean {
  if (bones.enum !== undefined) return bones.enum.includes(value);
  if (bones.type === "array") return Array.isArray(value);
  if (bones.type !== "object") return bones.type === undefined || typeof value === bones.type;
  if (!isWire(value)) return false;
  return Object.entries(bones.properties ?? {}).every(([key, bone]) => {
    const part = value[key];
    return part === undefined ? bones.required?.includes(key) !== true : hasBones(part, bone);
  });
}
