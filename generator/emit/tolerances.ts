// Emits tolerances.ts: what lifting repairs in what real peers send, each with the reports that show it.
import type { Model } from "../model/types.js";
import { constTable, header, lines, printModule, type Output } from "./output.js";

/** Emits the table of tolerances. */
export function emitTolerances(model: Model): Output {
  const rows = model.tolerances.map(({ id, summary, repair, loss, key, becomes, reports }) => ({
    id,
    summary,
    repair,
    loss,
    key,
    becomes,
    reports,
  }));
  const text = printModule(
    header(`schemas/${model.protocol}/tolerances.yaml`, "The repairs of lifting: what each makes of a shape the schemas forbid."),
    [constTable("TOLERANCES", "Lists the tolerances; a codec names one by its index.", `${lines(rows)} as const`)],
  );
  return { path: `${model.protocol}/tolerances.ts`, text };
}
