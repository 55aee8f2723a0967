// Lifts wire payloads into canonical form and lowers canonical payloads to one revision, for one negotiated peer: finds what the revision
// does to a payload and has it done.

import { LowerError } from "./errors.js";
import { invalidity } from "./faults.js";
import type { Hop } from "./hop.js";
import { Lifting } from "./lifting.js";
import { Lowering } from "./lowering.js";
import { DegradePolicy } from "./policy.js";
import type { FeatureProfile } from "./profile.js";
import type { CodecModule, MethodCodec, ProtocolTables, Validators } from "./protocol.js";
import { TranslationReport } from "./report.js";

/** Which payload of a method: what is asked, or what is answered. Notifications have params only. */
export type Part = "params" | "result";

type Keyed<T, K> = K extends keyof T ? T[K] : never;

/**
 * Speaks one revision with one peer. `W` gives the wire payloads of each method at the revision, `C` the canonical ones.
 * Not to be used from within its own policy or mint callbacks.
 */
export class Codec<
  W extends object = Record<string, { params: unknown; result: unknown }>,
  C extends object = Record<string, { params: unknown; result: unknown }>,
> {
  readonly version: string;
  readonly profile: FeatureProfile;
  readonly #tables: ProtocolTables;
  readonly #validators: Validators | undefined;
  readonly #methods: ReadonlyMap<string, MethodCodec>;
  readonly #lowering: Lowering;
  readonly #lifting: Lifting | undefined;
  readonly #strict: DegradePolicy;
  #lastName: string | undefined;
  #last: MethodCodec | undefined;

  constructor(tables: ProtocolTables, module: CodecModule, profile: FeatureProfile, hop: Hop = {}, validators?: Validators) {
    this.version = module.REVISION;
    this.profile = profile;
    this.#tables = tables;
    this.#validators = validators;
    this.#methods = module.METHODS;
    this.#strict = DegradePolicy.strict(tables);
    this.#lowering = new Lowering(tables, profile, hop);
    this.#lifting = hop.tolerant === false ? undefined : new Lifting(tables, module.SHAPES);
  }

  /** Gives both sides' capabilities the codec was negotiated with. */
  get capabilities(): FeatureProfile["capabilities"] {
    return this.profile.capabilities;
  }

  /** Tells what this revision does with a method; undefined where it has no such method. */
  method(name: string): MethodCodec | undefined {
    // Messages of one method tend to follow each other, and the lookup costs as much as the walk of a small one.
    if (name !== this.#lastName) {
      this.#last = this.#methods.get(name);
      this.#lastName = name;
    }
    return this.#last;
  }

  /**
   * Takes a payload of a peer to canonical form. Total: any JSON value has one, and a payload that is its own canonical form comes back as
   * the same object. What breaks the revision's schema in a way the tolerances know is repaired, each repair a step in the report (its
   * `detail` is the tolerance's id); everything else stays as it came. A method this revision does not have is passed as it is.
   */
  lift<M extends keyof W & keyof C & string, P extends Part & keyof W[M]>(
    method: M,
    part: P,
    value: unknown,
    report?: TranslationReport,
  ): Keyed<C[M], P>;
  lift(method: string, part: Part, value: unknown, report?: TranslationReport): unknown;
  lift(method: string, part: Part, value: unknown, report?: TranslationReport): unknown {
    const entry = this.method(method);
    const payload = part === "params" ? entry?.params : entry?.result;
    if (payload?.lift === undefined || this.#lifting === undefined || payload.odd?.(value) === false) return value;
    return this.#lifting.run(payload.lift, value, report);
  }

  /**
   * Writes a canonical payload for the peer. What needs nothing the peer lacks comes back as the same object; what does is degraded as the
   * policy says and recorded in the report, or refused with a `LowerError` that names the feature, the path, the failed condition and the
   * cite. Without a policy everything is refused (strict). A method no revision knows is passed as it is.
   */
  lower<M extends keyof W & keyof C & string, P extends Part & keyof W[M]>(
    method: M,
    part: P,
    value: Keyed<C[M], P>,
    policy?: DegradePolicy,
    report?: TranslationReport,
  ): W[M][P];
  lower(method: string, part: Part, value: unknown, policy?: DegradePolicy, report?: TranslationReport): unknown;
  lower(method: string, part: Part, value: unknown, policy: DegradePolicy = this.#strict, report?: TranslationReport): unknown {
    const entry = this.method(method);
    if (entry === undefined) {
      const feature = gatingFeature(this.#tables, method);
      if (feature === undefined) return value;
      throw this.#lowering.unavailable(feature, "", method);
    }
    if (!this.profile.isEnabled(entry.feature)) throw this.#lowering.unavailable(entry.feature, "", method);
    const payload = entry[part];
    if (payload === undefined)
      throw LowerError.fieldNotRepresentable({ path: "", method, reason: `${method} is a notification and has no result` });
    if (value === undefined && payload.optional === true) return value;
    const isIdle = payload.lower === undefined || payload.needs?.(value, this.#lowering) === false;
    if (this.#validators === undefined) return isIdle ? value : this.#lowering.run(payload.lower, value, method, policy, report);
    // Checked before it is reported, so that a refusal leaves no trace in the caller's report.
    const steps = report === undefined ? undefined : new TranslationReport();
    const lowered = isIdle ? value : this.#lowering.run(payload.lower, value, method, policy, steps);
    this.#check(this.#validators, method, part, lowered);
    if (steps !== undefined) report?.merge(steps);
    return lowered;
  }

  #check(validators: Validators, method: string, part: Part, payload: unknown): void {
    const validate = validators.get(method)?.[part];
    const fault = validate && invalidity(validate, payload);
    if (fault === undefined) return;
    const reason = `not valid at ${this.version}: it ${fault.message}`;
    throw LowerError.fieldNotRepresentable({ path: fault.path, method, reason });
  }
}

/** Finds the feature that gates a method at any revision. */
function gatingFeature(tables: ProtocolTables, method: string): number | undefined {
  for (const methods of Object.values(tables.methods)) {
    const found = methods.find((entry) => entry.method === method);
    if (found !== undefined) return found.feature;
  }
  return undefined;
}
