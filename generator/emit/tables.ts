// Numbers the lowerings and fills of a model, so that codecs and tables speak of them by the same index. Pure.
import type { Feature, Fill, Lowering, Model } from "../model/types.js";

/** Indices into the LOWERINGS, UNKNOWN_MEMBERS and FILLS tables. */
export interface Tables {
  readonly lowerings: readonly { readonly feature: Feature; readonly lowering: Lowering }[];
  readonly fills: readonly Fill[];
  readonly loweringIndex: (feature: Feature, lowering: Lowering) => number;
  readonly fillIndex: (fill: Fill) => number;
  readonly unknownIndex: (unknown: Lowering) => number;
}

/** Numbers lowerings in order of feature and place, fills in order of appearance. */
export function numberTables(model: Model): Tables {
  const lowerings = model.features.flatMap((feature) => feature.lowerings.map((lowering) => ({ feature, lowering })));
  return {
    lowerings,
    fills: model.fills,
    loweringIndex: (feature, lowering) => lowerings.findIndex((entry) => entry.feature === feature && entry.lowering === lowering),
    fillIndex: (fill) => model.fills.indexOf(fill),
    unknownIndex: (unknown) => model.unknownMembers.indexOf(unknown),
  };
}
