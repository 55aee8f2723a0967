// Emits codecs.ts: loads one revision's codec module on demand, and gives each revision's wire payloads as a type.
import type { Model } from "../model/types.js";
import { header, propertyKey, type Output } from "./output.js";

/** Emits the codec loader. */
export function emitCodecs(model: Model): Output {
  const loaders = model.revisions.map((revision) => `  [${JSON.stringify(revision.id)}, () => import("./${revision.id}/codec.js")],`);
  const checkers = model.revisions.map(
    (revision) => `  [${JSON.stringify(revision.id)}, async () => (await import("./${revision.id}/validators.js")).VALIDATORS],`,
  );
  const types = model.revisions.map((revision) => `  readonly ${propertyKey(revision.id)}: import("./${revision.id}/codec.js").Payloads;`);
  const text = `${header(`schemas/${model.protocol}/protocol.yaml`, "Loads the codec of one revision, or its validators, and nothing of the others.")}
import type { LiftShape, MethodCodec } from "./walk.js";

/** One revision's codec module. */
export interface CodecModule {
  readonly REVISION: string;
  readonly METHODS: ReadonlyMap<string, MethodCodec>;
  readonly SHAPES: readonly LiftShape[];
}

const LOADERS: ReadonlyMap<string, () => Promise<CodecModule>> = new Map<string, () => Promise<CodecModule>>([
${loaders.join("\n")}
]);

/** Loads the codec of a revision; rejects with a RangeError that lists the known revisions where there is none. */
export async function loadCodec(revision: string): Promise<CodecModule> {
  return loaderOf(LOADERS, revision)();
}

/** The validators of a revision's payloads, by method; the faults of a validator's last call stand in its \`errors\`. */
export type Validators = ReadonlyMap<string, { readonly params: Validator; readonly result?: Validator }>;

interface Fault {
  readonly instancePath: string;
  readonly keyword?: string;
  readonly message?: string;
  readonly params?: { readonly missingProperty?: string };
}

interface Validator {
  (value: unknown): boolean;
  errors?: readonly Fault[] | null;
}

const CHECKERS: ReadonlyMap<string, () => Promise<Validators>> = new Map<string, () => Promise<Validators>>([
${checkers.join("\n")}
]);

/** Loads the validators of a revision; rejects with a RangeError that lists the known revisions where there is none. */
export async function loadValidators(revision: string): Promise<Validators> {
  return loaderOf(CHECKERS, revision)();
}

function loaderOf<T>(loaders: ReadonlyMap<string, T>, revision: string): T {
  const load = loaders.get(revision);
  if (load === undefined) throw new RangeError(\`cannot load revision \${JSON.stringify(revision)}: known are \${[...loaders.keys()].join(", ")}\`);
  return load;
}

/** The wire payloads of each method, by revision. */
export interface PayloadsByRevision {
${types.join("\n")}
}
`;
  return { path: `${model.protocol}/codecs.ts`, text };
}
