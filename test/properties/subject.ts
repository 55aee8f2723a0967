// What the properties are about: the model, each revision's codec module and validators, and profiles to lower under.
import fc from "fast-check";
import type { Method, Model, Revision } from "../../generator/model/types.js";
import { bindCodec, CapabilitySet, resolve, tables } from "../../runtime/mcp.js";
import type { Codec, FeatureProfile, Wire } from "../../runtime/index.js";
import type { CodecModule, Validator, Validators } from "../../runtime/protocol.js";
import { loadModel } from "../loaded-model.js";

/** One revision with what is generated for it. */
export interface Subject {
  readonly revision: Revision;
  readonly module: CodecModule;
  readonly validators: Validators;
  readonly validateMessage: Validator;
}

/** The model the subjects come from. */
export const model: Model = loadModel("mcp");

/** Every revision, oldest first. */
export const subjects: readonly Subject[] = await Promise.all(
  model.revisions.map(async (revision) => {
    const validators = (await import(`../../generated/mcp/${revision.id}/validators.js`)) as {
      VALIDATORS: Subject["validators"];
      validateMessage: Validator;
    };
    return {
      revision,
      module: await tables.loadCodec(revision.id),
      validators: validators.VALIDATORS,
      validateMessage: validators.validateMessage,
    };
  }),
);

/** Gives the subject of a revision. */
export function subjectOf(revision: string): Subject {
  const subject = subjects.find((entry) => entry.revision.id === revision);
  if (subject === undefined) throw new Error(`no revision ${revision} in the model`);
  return subject;
}

/** Gives the profile of two peers at their fullest. */
export function fullProfile(revision: string): FeatureProfile {
  return CapabilitySet.allFor(revision).resolve(revision, "stdio");
}

/** Binds a revision's codec to a profile. */
export function codecOf(subject: Subject, profile: FeatureProfile = fullProfile(subject.revision.id)): Codec {
  return bindCodec(subject.module, profile);
}

/** Gives profiles of peers that advertise some of what the revision defines. */
export function someProfile(revision: string): fc.Arbitrary<FeatureProfile> {
  const all = CapabilitySet.allFor(revision);
  return fc
    .record({ client: thinned(all.client), server: thinned(all.server), transport: fc.constantFrom("stdio", "streamable-http", null) })
    .map((session) => resolve({ revision, ...session }));
}

/** Every payload of every method of a revision. */
export function payloadsOf(revision: Revision): { readonly method: Method; readonly part: "params" | "result" }[] {
  return revision.methods.flatMap((method) => [
    { method, part: "params" as const },
    ...(method.kind === "request" ? [{ method, part: "result" as const }] : []),
  ]);
}

function thinned(capabilities: unknown): fc.Arbitrary<unknown> {
  if (typeof capabilities !== "object" || capabilities === null) return fc.constant(capabilities);
  const entries = Object.entries(capabilities as Wire);
  return fc
    .tuple(
      ...entries.map(([key, value]) =>
        fc.tuple(fc.boolean(), thinned(value)).map(([kept, inner]) => (kept ? [[key, inner] as const] : [])),
      ),
    )
    .map((kept) => Object.fromEntries(kept.flat()));
}
