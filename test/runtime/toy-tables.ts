// A small protocol made by hand for the tests of the core: four revisions, three transports, forty features (two words of bits).

import type { FeatureEntry, LoweringEntry, ProtocolTables } from "../../runtime/protocol.js";

type Row = Pick<FeatureEntry, "id" | "first"> & Partial<FeatureEntry>;

function row(given: Row): FeatureEntry {
  return {
    kind: "behaviour",
    side: "both",
    cite: { revision: given.first, section: "major", ordinal: 1 },
    ...given,
  };
}

const FILLERS = Array.from({ length: 24 }, (_, index) => row({ id: `plain.${index}`, first: "2020-01" }));

const FEATURES: readonly FeatureEntry[] = [
  row({ id: "base", first: "2020-01", cite: { revision: "2020-01", page: "basic" } }),
  row({
    id: "batching",
    first: "2021-01",
    last: "2021-01",
    cite: { revision: "2021-01", section: "major", ordinal: 3, ref: "PR #228" },
    removal: { revision: "2022-01", section: "major", ordinal: 1, ref: "PR #416" },
  }),
  row({ id: "transport.pipe", first: "2020-01", kind: "transport", transport: "pipe" }),
  row({ id: "transport.web", first: "2021-01", kind: "transport", transport: "web" }),
  row({ id: "transport.old-web", first: "2020-01", last: "2020-01", kind: "transport", transport: "old-web" }),
  ...FILLERS,
  row({ id: "items", first: "2020-01", side: "server", requires: { server: "items" } }),
  row({ id: "items.changed", first: "2020-01", side: "server", requires: { server: "items.listChanged" } }),
  row({ id: "forms", first: "2021-01", side: "client", requires: { client: "forms" } }),
  row({ id: "forms.inline", first: "2022-01", side: "client", requires: { client: "forms.inline" } }),
  row({ id: "hints", first: "2020-01", side: "server", requires: { server: "hints", since: "2021-01" } }),
  row({ id: "jobs", first: "2022-01", requires: { client: "jobs", server: "work.jobs", match: "any" } }),
  row({ id: "exchange", first: "2022-01", requires: { client: "exchange", server: "exchange" } }),
  row({ id: "web.resume", first: "2020-01", transport: "web", requires: { server: "items" } }),
  row({
    id: "structured",
    first: "2022-01",
    side: "server",
    requires: { server: "items" },
    cite: { revision: "2022-01", section: "minor", ordinal: 2 },
  }),
  row({ id: "sound", first: "2021-01" }),
  row({ id: "links", first: "2022-01" }),
];

/** Gives the index of a toy feature. */
export function feature(id: string): number {
  const index = FEATURES.findIndex((entry) => entry.id === id);
  if (index < 0) throw new Error(`no toy feature ${id}`);
  return index;
}

const LOWERINGS: readonly LoweringEntry[] = [
  { feature: feature("structured"), at: "Result.structured", loss: "content", degrade: ["text-block", "keep", "skip"] },
  { feature: feature("sound"), at: "Block|Sound", loss: "none", degrade: ["embedded-resource"] },
  { feature: feature("links"), at: "Block|Link", loss: "advisory", degrade: ["resource-text", "skip"] },
  { feature: feature("links"), at: "Prompt|Link", loss: "content", degrade: ["skip", "annotate"] },
  { feature: feature("forms"), at: "Request.form", loss: "advisory", degrade: [] },
];

/** The toy protocol's tables. */
export const TOY: ProtocolTables = {
  protocol: "toy",
  specification: "https://toy.example/specification",
  revisions: [
    { revision: "2020-01", era: "legacy", released: true, transports: ["pipe", "old-web"], changelog: "https://toy.example/2020-01" },
    { revision: "2021-01", era: "legacy", released: true, transports: ["pipe", "web"], changelog: "https://toy.example/2021-01" },
    { revision: "2022-01", era: "modern", released: true, transports: ["pipe", "web"], changelog: "https://toy.example/2022-01" },
    { revision: "2023-01", era: "modern", released: false, transports: ["pipe", "web"], changelog: "https://toy.example/2023-01" },
  ],
  features: FEATURES,
  lowerings: LOWERINGS,
  fills: [],
  tolerances: [],
  unknownMembers: [
    { at: "Block", loss: "content", degrade: ["unknown-text", "skip"] },
    { at: "Note", loss: "content", degrade: ["skip", "annotate"] },
  ],
  flags: {
    "2020-01": { client: {}, server: { items: "object", "items.listChanged": "boolean" } },
    "2021-01": { client: { forms: "object" }, server: { items: "object", "items.listChanged": "boolean", hints: "object" } },
    "2022-01": {
      client: { forms: "object", "forms.inline": "object", "forms.link": "object", jobs: "object", exchange: "boolean" },
      server: { items: "object", "items.listChanged": "boolean", hints: "object", "work.jobs": "boolean", exchange: "object" },
    },
    "2023-01": {
      client: { forms: "object", "forms.inline": "object", "forms.link": "object", exchange: "boolean" },
      server: { items: "object", "items.listChanged": "boolean", hints: "object", "work.jobs": "boolean" },
    },
  },
  implied: [{ side: "client", flag: "forms.inline", by: "forms" }],
  methods: {},
  gates: {},
  transports: { pipe: feature("transport.pipe"), web: feature("transport.web"), "old-web": feature("transport.old-web") },
  errors: [],
  batching: { feature: feature("batching"), alone: [] },
  errorId: undefined,
  handshake: undefined,
  loadValidators: () => Promise.reject(new Error("the toy protocol has no validators")),
  loadCodec: () => Promise.reject(new Error("the toy protocol has no codecs")),
};
