// Emits codecs.ts: loads one revision's codec module on demand, and gives each revision's wire payloads as a type.
import type { Model } from "../model/types.js";
import { header, propertyKey, type Output } from "./output.js";

/** Emits the codec loader. */
export function emitCodecs(model: Model): Output {
  const loaders = model.revisions.map((revision) => `  [${JSON.stringify(revision.id)}, () => import("./${revision.id}/codec.js")],`);
  const types = model.revisions.map((revision) => `  readonly ${propertyKey(revision.id)}: import("./${revision.id}/codec.js").Payloads;`);
  const text = `${header(`schemas/${model.protocol}/protocol.yaml`, "Loads the codec of one revision and nothing of the others.")}
import type { MethodCodec } from "./walk.js";

/** One revision's codec module. */
export interface CodecModule {
  readonly REVISION: string;
  readonly METHODS: ReadonlyMap<string, MethodCodec>;
}

const LOADERS: ReadonlyMap<string, () => Promise<CodecModule>> = new Map<string, () => Promise<CodecModule>>([
${loaders.join("\n")}
]);

/** Loads the codec of a revision; rejects with a RangeError that lists the known revisions where there is none. */
export async function loadCodec(revision: string): Promise<CodecModule> {
  const load = LOADERS.get(revision);
  if (load === undefined) throw new RangeError(\`cannot load the codec of \${JSON.stringify(revision)}: known are \${[...LOADERS.keys()].join(", ")}\`);
  return load();
}

/** The wire payloads of each method, by revision. */
export interface PayloadsByRevision {
${types.join("\n")}
}
`;
  return { path: `${model.protocol}/codecs.ts`, text };
}
