// Emits revisions.ts: the revisions in order of release with era and transports, and the capability flags each defines.
import { isTransportAt } from "../model/gating.js";
import type { Model } from "../model/types.js";
import { constTable, header, lines, literal, printModule, propertyKey, type Output } from "./output.js";

/** Emits the revision tables. */
export function emitRevisions(model: Model): Output {
  const transports = [...model.transports.keys()];
  const entries = model.revisions.map((revision) => ({
    revision: revision.id,
    era: revision.era,
    released: revision.released,
    number: revision.number,
    transports: transports.filter((transport) => isTransportAt(transport, revision.index, model)),
    changelog: revision.changelog,
  }));
  const flags = model.revisions.map((revision) => {
    const side = (name: "client" | "server") => `    ${name}: ${literal(Object.fromEntries(revision.flags[name]))},`;
    return `  ${propertyKey(revision.id)}: {\n${side("client")}\n${side("server")}\n  },`;
  });
  const opening = header(
    `schemas/${model.protocol}/protocol.yaml and the schemas`,
    "The revisions of the protocol, oldest first, and the capability flags each defines.",
  );
  const text = printModule(opening, [
    constTable("PROTOCOL", "Names the protocol.", literal(model.protocol)),
    constTable("SPECIFICATION", "Says where the specification is published.", literal(model.specification)),
    constTable("REVISIONS", "Lists every revision in order of release.", `${lines(entries)} as const`),
    `/** Names a revision of the protocol. */\nexport type Revision = (typeof REVISIONS)[number]["revision"];`,
    `/** Names a transport of the protocol. */\nexport type Transport = ${transports.map((name) => literal(name)).join(" | ")};`,
    constTable(
      "FLAGS",
      "Lists the capability flag paths of each revision by side: a `boolean` flag must be exactly true, an `object` flag an object.",
      `{\n${flags.join("\n")}\n} as const`,
    ),
    constTable(
      "IMPLIED",
      "Lists the flags that count as set although absent: where the object at `by` is present and empty.",
      `${lines(model.implied)} as const`,
    ),
  ]);
  return { path: `${model.protocol}/revisions.ts`, text };
}
