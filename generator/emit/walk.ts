// Emits walk.ts: what the codecs of a protocol share — the types of their contract with the runtime, and the walk through lists and maps.
import Handlebars from "handlebars";
import type { Model } from "../model/types.js";
import { header, type Output, type Templates } from "./output.js";

/** Emits the shared walk. */
export function emitWalk(model: Model, templates: Templates): Output {
  const opening = header(
    "generator/emit/walk.hbs",
    "What the codecs of this protocol share: their contract with the runtime, and the walk through lists and maps.",
  );
  const text = Handlebars.compile(templates["walk"], { noEscape: true, strict: true })({ header: opening.trimEnd() });
  return { path: `${model.protocol}/walk.ts`, text };
}
