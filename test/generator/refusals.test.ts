// A table of corruptions of schemas/, each made in a temporary copy, and the problem the generator must answer it with: its rule, its file,
// the line the culprit stands on, and what it says. Nothing may be emitted. So every check is shown to be able to say no.
import { mkdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { describe, expect, test } from "vitest";
import type { Run } from "../../generator/main.js";
import { printProblems, sortProblems, type Problem } from "../../generator/problem.js";
import { SchemasCopy } from "./schemas-copy.js";

/** A problem a corruption must give: `at` is a text that begins on the line the problem names, or several that lead there, or that line itself. */
interface Expected {
  readonly rule: string;
  readonly file: string;
  readonly at: string | readonly string[] | 1;
  readonly says: string;
}

interface Corruption {
  readonly name: string;
  readonly corrupt: (copy: SchemasCopy) => void;
  readonly expected: readonly Expected[];
}

const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const PROTOCOL = "mcp/protocol.yaml";
const SOURCES = "mcp/sources.json";
const ERRATA = "mcp/errata.yaml";
const TOLERANCES = "mcp/tolerances.yaml";
const BASELINE = "mcp/2024-11-05/changes.yaml";
const MARCH = "mcp/2025-03-26/changes.yaml";
const JUNE = "mcp/2025-06-18/changes.yaml";
const NOVEMBER = "mcp/2025-11-25/changes.yaml";
const JULY = "mcp/2026-07-28/changes.yaml";
const SECOND = "acp/v2-sdk-2.4.0/changes.yaml";
const JUNE_SCHEMA = "mcp/2025-06-18/schema.json";
const NOVEMBER_SCHEMA = "mcp/2025-11-25/schema.json";
const JULY_SCHEMA = "mcp/2026-07-28/schema.json";

/** Makes the case of one replacement and one problem; the problem's line is where `at` begins after the replacement. */
function one(
  name: string,
  file: string,
  [find, replacement]: readonly [string, string],
  rule: string,
  at: string,
  says: string,
): Corruption {
  return { name, corrupt: (copy) => copy.edit(file, find, replacement), expected: [{ rule, file, at, says }] };
}

const FILES: readonly Corruption[] = [
  one(
    "malformed YAML",
    MARCH,
    ["gates:\n      fields: [ProgressNotification.params.message]", "gates:\n      fields: [ProgressNotification.params.message"],
    "syntax",
    'lowering:\n      - loss: advisory\n        degrade: [keep, skip, annotate]\n    note: "Merged as PR #197."',
    "cannot read YAML",
  ),
  one(
    "a key given twice",
    MARCH,
    ["id: content.audio\n", "id: content.audio\n    side: client\n"],
    "syntax",
    "side: both\n    cite: { section: other, ordinal: 2 }",
    "cannot read YAML: Map keys must be unique",
  ),
  one("malformed JSON", SOURCES, ['"size": 89428,', '"size": 89428;'], "syntax", '"size": 89428;', "cannot read JSON"),
  one(
    "an unknown key in a row",
    MARCH,
    ["id: content.audio\n", "id: content.audio\n    sumary: Sound.\n"],
    "grammar",
    "sumary: Sound.",
    'unknown key "sumary" in features.2',
  ),
  one(
    "a key left out of a row",
    MARCH,
    [
      "    kind: behaviour\n    side: both\n    cite: { section: other, ordinal: 2 }",
      "    side: both\n    cite: { section: other, ordinal: 2 }",
    ],
    "grammar",
    "- id: content.audio",
    "features.2 must have required property 'kind'",
  ),
  one(
    "a word the grammar does not list",
    MARCH,
    [
      'kind: authorization\n    side: both\n    transport: streamable-http\n    cite: { section: major, ordinal: 1, ref: "PR #133" }\n  - id',
      'kind: authorisation\n    side: both\n    transport: streamable-http\n    cite: { section: major, ordinal: 1, ref: "PR #133" }\n  - id',
    ],
    "grammar",
    "kind: authorisation",
    'features.9.kind must be one of ["behaviour","transport","authorization","rule"], found "authorisation"',
  ),
  one(
    "a revision without quotes",
    MARCH,
    ['revision: "2025-03-26"', "revision: 2025"],
    "grammar",
    "revision: 2025\n",
    "revision must be a quoted string, found 2025",
  ),
  one(
    "a revision without quotes in protocol.yaml",
    PROTOCOL,
    ['revision: "2025-03-26"', "revision: 2025"],
    "grammar",
    "- { revision: 2025,",
    "revisions.1.revision must be a quoted string, found 2025",
  ),
  one(
    "an as-of without quotes",
    JULY,
    ['asOf: "2025-11-25"', "asOf: 2025"],
    "grammar",
    "- { feature: sampling.include-context, asOf: 2025",
    "asOf must be a quoted string, found 2025",
  ),
  one("a source of a fill that no one knows", NOVEMBER, ["from: mint", "from: thin-air"], "grammar", "from: thin-air", 'found "thin-air"'),
  one(
    "the name of another revision in a folder",
    MARCH,
    ['revision: "2025-03-26"', 'revision: "2025-03-27"'],
    "revision",
    'revision: "2025-03-27"',
    'revision is "2025-03-27" in the folder 2025-03-26',
  ),
  {
    name: "a revision folder that protocol.yaml does not list",
    corrupt: (copy) => mkdirSync(join(copy.folder, "mcp/2099-01-01")),
    expected: [{ rule: "revisions", file: PROTOCOL, at: "revisions:\n", says: "the folder 2099-01-01 is not among the revisions" }],
  },
  {
    name: "a listed revision without a folder",
    corrupt: (copy) => copy.delete("mcp/2026-07-28"),
    expected: [
      { rule: "missing", file: JULY, at: 1, says: "no such file" },
      { rule: "missing", file: JULY_SCHEMA, at: 1, says: "no such file" },
    ],
  },
  {
    name: "a recorded revision that protocol.yaml does not list",
    corrupt: (copy) => {
      const source = '{ "repository": "a/b", "commit": "c", "path": "d", "sha256": "SUM", "size": 1 }'.replace("SUM", "0".repeat(64));
      copy.edit(SOURCES, '  "2024-11-05": {', `  "2023-01-01": ${source},\n  "2024-11-05": {`);
    },
    expected: [{ rule: "revisions", file: SOURCES, at: '"2023-01-01"', says: "2023-01-01 is recorded but not among the revisions" }],
  },
  {
    name: "a protocol without protocol.yaml",
    corrupt: (copy) => copy.delete(PROTOCOL),
    expected: [{ rule: "missing", file: PROTOCOL, at: 1, says: "no such file" }],
  },
  {
    name: "one byte of a schema altered",
    corrupt: (copy) => copy.write(JULY_SCHEMA, copy.read(JULY_SCHEMA).replace('"const": "2.0"', '"const": "2.1"')),
    expected: [{ rule: "bytes", file: JULY_SCHEMA, at: 1, says: "the bytes are not those recorded" }],
  },
  {
    name: "a schema whose bytes nobody recorded",
    corrupt: (copy) => {
      const { "2026-07-28": recorded, ...others } = JSON.parse(copy.read(SOURCES)) as Record<string, { schema?: unknown }>;
      const { schema: _, ...unrecorded } = recorded ?? {};
      copy.write(SOURCES, JSON.stringify({ ...others, "2026-07-28": unrecorded }, null, 2));
    },
    expected: [{ rule: "bytes", file: JULY_SCHEMA, at: 1, says: "cannot trust the schema of 2026-07-28" }],
  },
  {
    name: "a schema that sources.json does not know",
    corrupt: (copy) => {
      const { "2026-07-28": _, ...others } = JSON.parse(copy.read(SOURCES)) as Record<string, unknown>;
      copy.write(SOURCES, JSON.stringify(others, null, 2));
    },
    expected: [{ rule: "bytes", file: JULY_SCHEMA, at: 1, says: "cannot trust the schema of 2026-07-28" }],
  },
];

const ROWS: readonly Corruption[] = [
  one(
    "a feature id given twice in one file",
    JULY,
    ["- id: auth.credential-binding", "- id: auth.issuer-check"],
    "duplicate",
    '- id: auth.issuer-check\n    summary: "Client credentials',
    "the feature auth.issuer-check is already defined at",
  ),
  one(
    "a feature id of an earlier revision",
    JULY,
    ["- id: auth.credential-binding", "- id: auth.oauth"],
    "duplicate",
    "- id: auth.oauth",
    "the feature auth.oauth is already defined at",
  ),
  one(
    "the removal of a feature nobody defined",
    JULY,
    ["feature: lifecycle.operation-must", "feature: lifecycle.operation-may"],
    "dangling",
    "- { feature: lifecycle.operation-may",
    "no feature is called lifecycle.operation-may",
  ),
  one(
    "the deprecation of a feature nobody defined",
    JULY,
    ["deprecates:\n", "deprecates:\n  - { feature: rots, cite: { section: deprecated, ordinal: 1 } }\n"],
    "dangling",
    "- { feature: rots",
    "no feature is called rots",
  ),
  one(
    "a deprecation as of no revision",
    JULY,
    ['asOf: "2025-11-25"', 'asOf: "2025-11-26"'],
    "dangling",
    '- { feature: sampling.include-context, asOf: "2025-11-26"',
    "no revision is called 2025-11-26",
  ),
  one(
    "a fill for a feature nobody defined",
    BASELINE,
    ["  - feature: tools\n    at", "  - feature: tolls\n    at"],
    "dangling",
    "- feature: tolls",
    "no feature is called tolls",
  ),
  one(
    "a transport whose feature nobody defined",
    PROTOCOL,
    ["  stdio: transport.stdio\n", "  stdio: transport.stdio\n  pigeon: transport.pigeon\n"],
    "dangling",
    "pigeon: transport.pigeon",
    "no feature is called transport.pigeon",
  ),
  one(
    "an extension of a feature nobody defined",
    MARCH,
    ["extends:\n", 'extends:\n  - feature: completoin\n    cite: { section: unlisted, ref: "PR #1" }\n'],
    "dangling",
    "- feature: completoin",
    "no feature is called completoin",
  ),
  one(
    "an extension in the revision that introduced the feature",
    MARCH,
    ["extends:\n", 'extends:\n  - feature: auth.oauth\n    cite: { section: unlisted, ref: "PR #1" }\n'],
    "lifetime",
    "- feature: auth.oauth",
    "cannot extend auth.oauth: it is introduced by this very revision",
  ),
  one(
    "an extension of a feature that is gone",
    NOVEMBER,
    ["extends:\n", 'extends:\n  - feature: transport.legacy-sse\n    cite: { section: unlisted, ref: "PR #1" }\n'],
    "lifetime",
    "- feature: transport.legacy-sse",
    "cannot extend transport.legacy-sse: it was removed by 2025-03-26",
  ),
  one(
    "a removal in the revision that introduced the feature",
    MARCH,
    ["removes:\n", 'removes:\n  - { feature: auth.oauth, cite: { section: major, ordinal: 1, ref: "PR #133" } }\n'],
    "lifetime",
    "- { feature: auth.oauth, cite",
    "cannot remove auth.oauth: it is introduced by this very revision",
  ),
  one(
    "a second removal",
    JUNE,
    ["removes:\n", 'removes:\n  - { feature: transport.legacy-sse, cite: { section: major, ordinal: 1, ref: "PR #416" } }\n'],
    "lifetime",
    "- { feature: transport.legacy-sse",
    "cannot remove transport.legacy-sse: it was already removed by 2025-03-26",
  ),
  one(
    "a fill with neither a value nor a source",
    BASELINE,
    ["    at: [CallToolResult.content]\n    value: []\n", "    at: [CallToolResult.content]\n"],
    "fill",
    "- feature: tools\n    at: [CallToolResult.content]\n",
    "a fill has either a value or a source",
  ),
  one(
    "a fill with both a value and a source",
    BASELINE,
    ["    value: []\n", "    value: []\n    from: mint\n"],
    "fill",
    "- feature: tools\n    at: [CallToolResult.content]\n",
    "a fill has either a value or a source",
  ),
];

const CITES: readonly Corruption[] = [
  one(
    "a cite of an entry the changelog does not have",
    MARCH,
    [
      'transport: streamable-http\n    cite: { section: major, ordinal: 1, ref: "PR #133" }\nextends',
      'transport: streamable-http\n    cite: { section: major, ordinal: 5, ref: "PR #133" }\nextends',
    ],
    "cite",
    "cite: { section: major, ordinal: 5",
    "the cite names major 5, but that section of the changelog of 2025-03-26 has 4 entries",
  ),
  one(
    "a cite of a section the changelog does not have",
    MARCH,
    [
      'transport: streamable-http\n    cite: { section: major, ordinal: 1, ref: "PR #133" }\nextends',
      'transport: streamable-http\n    cite: { section: minor, ordinal: 1, ref: "PR #133" }\nextends',
    ],
    "cite",
    "cite: { section: minor, ordinal: 1",
    "the cite names minor 1, but that section of the changelog of 2025-03-26 has 0 entries",
  ),
  one(
    "an extension that cites no entry of the changelog",
    MARCH,
    ["extends:\n", "extends:\n  - feature: content.text\n    cite: { section: other, ordinal: 4 }\n"],
    "cite",
    "cite: { section: other, ordinal: 4 }",
    "the cite names other 4, but that section of the changelog of 2025-03-26 has 3 entries",
  ),
  one(
    "a removal that cites no entry of the changelog",
    JULY,
    ["{ feature: tasks.list, cite: { section: major, ordinal: 6,", "{ feature: tasks.list, cite: { section: major, ordinal: 10,"],
    "cite",
    "- { feature: tasks.list, cite: { section: major, ordinal: 10",
    "the cite names major 10, but that section of the changelog of 2026-07-28 has 9 entries",
  ),
  one(
    "a page cited outside the baseline",
    MARCH,
    ['cite: { section: major, ordinal: 1, ref: "PR #133" }\nextends', "cite: { page: basic/authorization }\nextends"],
    "cite",
    "cite: { page: basic/authorization }",
    "only the baseline revision cites pages",
  ),
  one(
    "an unlisted change without a reference",
    JUNE,
    ['cite: { section: unlisted, ref: "PR #140" }', "cite: { section: unlisted }"],
    "cite",
    "cite: { section: unlisted }",
    "an unlisted cite has a ref and no ordinal",
  ),
  one(
    "a section without an ordinal",
    MARCH,
    ['cite: { section: major, ordinal: 1, ref: "PR #133" }\nextends', "cite: { section: major }\nextends"],
    "cite",
    "cite: { section: major }\n",
    "the cite names the section major but no ordinal",
  ),
  one(
    "a cite of nothing",
    MARCH,
    ['cite: { section: major, ordinal: 1, ref: "PR #133" }\nextends', "cite: {}\nextends"],
    "cite",
    "cite: {}",
    "the cite names neither a section nor a page",
  ),
  one(
    "an entry that no row cites",
    MARCH,
    ["entries: { major: 4, other: 3 }", "entries: { major: 4, other: 4 }"],
    "uncited",
    "entries: { major: 4, other: 4 }",
    "the changelog entry other 4 is neither cited nor excused",
  ),
  one(
    "an excuse for an entry that a row cites",
    MARCH,
    ["unmodelled: []", "unmodelled:\n  - { section: other, ordinal: 2, why: prose }"],
    "cite",
    "- { section: other, ordinal: 2, why: prose }",
    "other 2 is both cited by a row and excused",
  ),
  one(
    "an excuse for an entry the changelog does not have",
    MARCH,
    ["unmodelled: []", "unmodelled:\n  - { section: other, ordinal: 4, why: prose }"],
    "cite",
    "- { section: other, ordinal: 4, why: prose }",
    "other 4 is excused, but the changelog has no such entry",
  ),
];

const GATES: readonly Corruption[] = [
  one(
    "a gated path no schema has",
    BASELINE,
    [
      "fields: [Implementation.name, Implementation.version]",
      "fields: [Implementation.name, Implementation.version, Implementation.nickname]",
    ],
    "gated-path",
    "fields: [Implementation.name",
    "no schema has Implementation.nickname, which implementation-info gates",
  ),
  one(
    "a gated path no schema has, on a line of its own",
    BASELINE,
    ["        - PromptArgument.required\n", "        - PromptArgument.required\n        - PromptArgument.optional\n"],
    "gated-path",
    "- PromptArgument.optional",
    "no schema has PromptArgument.optional, which prompts gates",
  ),
  one(
    "a gated union member no schema has",
    BASELINE,
    ['        - "ServerResult|GetPromptResult"\n', '        - "ServerResult|GetPromptResult"\n        - "ServerResult|GetPromptsResult"\n'],
    "gated-path",
    '- "ServerResult|GetPromptsResult"',
    "no schema has ServerResult|GetPromptsResult, which prompts gates",
  ),
  one(
    "a changed path no schema has",
    NOVEMBER,
    ["changes: [JSONRPCErrorResponse.id]", "changes: [JSONRPCErrorResponse.uid]"],
    "gated-path",
    "changes: [JSONRPCErrorResponse.uid]",
    "no schema has JSONRPCErrorResponse.uid, which jsonrpc.error-without-id changes",
  ),
  one(
    "an inherited name as a path",
    BASELINE,
    [
      "fields: [Implementation.name, Implementation.version]",
      "fields: [Implementation.name, Implementation.version, Implementation.constructor]",
    ],
    "gated-path",
    "fields: [Implementation.name",
    "no schema has Implementation.constructor",
  ),
  one(
    "a path that cannot be read",
    BASELINE,
    [
      "fields: [Implementation.name, Implementation.version]",
      "fields: [Implementation.name, Implementation.version, Implementation..name]",
    ],
    "gated-path",
    "fields: [Implementation.name",
    'cannot read the path "Implementation..name"',
  ),
  {
    name: "a row that stands in a later revision than its path",
    corrupt: (copy) => moveRow(copy, "implementation-info.website-url", NOVEMBER, JULY),
    expected: [
      {
        rule: "gated-path",
        file: JULY,
        at: "fields: [Implementation.websiteUrl]",
        says: "Implementation.websiteUrl exists at 2025-11-25, outside 2026-07-28..",
      },
    ],
  },
  {
    name: "a row that stands in an earlier revision than its path",
    corrupt: (copy) => moveRow(copy, "implementation-info.website-url", NOVEMBER, JUNE),
    expected: [
      {
        rule: "gated-path",
        file: JUNE,
        at: "fields: [Implementation.websiteUrl]",
        says: "Implementation.websiteUrl does not exist at 2025-06-18, within 2025-06-18..",
      },
    ],
  },
  {
    name: "a row that stands in an earlier revision than its path, which a layout entry there covers",
    corrupt: (copy) => moveRow(copy, "content.annotations.last-modified", JUNE, MARCH),
    expected: [
      {
        rule: "idle-claim",
        file: MARCH,
        at: "fields: [Annotations.lastModified]",
        says: "content.annotations.last-modified claims Annotations.lastModified but nothing in the schemas of 2024-11-05 and 2025-03-26 differs there",
      },
      {
        rule: "unaccounted",
        file: JUNE_SCHEMA,
        at: ['"Annotations": {', '"lastModified": {'],
        says: "nothing accounts for the delta property-added Annotations.lastModified",
      },
    ],
  },
  {
    name: "a path that goes while its row stays",
    corrupt: (copy) => copy.edit(JULY, 'covers: ["ClientResult|ElicitResult", ', "covers: ["),
    expected: [
      {
        rule: "gated-path",
        file: JUNE,
        at: 'members: ["ServerRequest|ElicitRequest", "ClientResult|ElicitResult"',
        says: "ClientResult|ElicitResult does not exist at 2026-07-28, within 2025-06-18..",
      },
    ],
  },
  one(
    "a path that is older than the row that gates it",
    MARCH,
    ["fields: [AudioContent.data, AudioContent.mimeType]", "fields: [AudioContent.data, AudioContent.mimeType, ImageContent.type]"],
    "gated-path",
    "fields: [AudioContent.data",
    "ImageContent.type exists at 2024-11-05, outside 2025-03-26..",
  ),
  one(
    "a path that is older than the extension that gates it",
    MARCH,
    [
      "extends:\n",
      'extends:\n  - feature: content.text\n    cite: { section: unlisted, ref: "PR #1" }\n    gates:\n      fields: [ImageContent.type]\n',
    ],
    "gated-path",
    "fields: [ImageContent.type]",
    "ImageContent.type exists at 2024-11-05, outside 2025-03-26..",
  ),
  one(
    "a path that leads through another definition",
    NOVEMBER,
    [
      "fields: [ClientCapabilities.tasks.requests.sampling.createMessage, ",
      "fields: [CallToolRequest.params.task, ClientCapabilities.tasks.requests.sampling.createMessage, ",
    ],
    "gated-path",
    "fields: [CallToolRequest.params.task",
    "CallToolRequest.params.task leads through another definition, where tasks.sampling would gate nothing",
  ),
  one(
    "a definition that is younger than the row that gates it",
    BASELINE,
    ["definitions: [TextContent]", "definitions: [TextContent, AudioContent]"],
    "gated-path",
    "definitions: [TextContent, AudioContent]",
    "AudioContent does not exist at 2024-11-05, within 2024-11-05..",
  ),
  one(
    "a field that two rows gate",
    BASELINE,
    ["        - Resource.uri\n", "        - Resource.uri\n        - Resource.size\n"],
    "single-gate",
    "fields: [Resource.size]\n",
    "Resource.size is gated by resources and by resources.size at the same revision",
  ),
  one(
    "keep on offer at a union member",
    JUNE,
    ["degrade: [resource-text, annotate, skip]", "degrade: [resource-text, keep, skip]"],
    "lowering",
    "- loss: content\n        degrade: [resource-text, keep, skip]",
    "content.resource-link offers keep at the union member ContentBlock|ResourceLink",
  ),
  one(
    "a lowering at a path its row does not gate",
    JUNE,
    ["- at: [Tool.outputSchema]", "- at: [Tool.outputSchema, Tool.inputSchema]"],
    "lowering",
    "at: [Tool.outputSchema, Tool.inputSchema]",
    "tools.structured-output lowers Tool.inputSchema but does not gate it",
  ),
];

const METHODS: readonly Corruption[] = [
  {
    name: "a method no row gates",
    corrupt: (copy) => copy.edit(JULY, "      methods: [server/discover]\n", ""),
    expected: [{ rule: "method-gate", file: JULY_SCHEMA, at: '"DiscoverRequest": {', says: "no feature gates the method server/discover" }],
  },
  one(
    "a method two rows gate",
    JULY,
    ["      methods: [subscriptions/listen, ", "      methods: [subscriptions/listen, server/discover, "],
    "method-gate",
    "methods: [subscriptions/listen, server/discover",
    "the method server/discover is gated by lifecycle.discover and subscriptions",
  ),
  one(
    "a gated method that no schema has",
    BASELINE,
    ["methods: [tools/list, tools/call]", "methods: [tools/list, tools/call, tools/cull]"],
    "method-gate",
    "methods: [tools/list, tools/call, tools/cull]",
    "no schema has the method tools/cull, which tools gates",
  ),
  one(
    "a method gated at a revision that no longer has it",
    JULY,
    ["      definitions: [CacheableResult]\n", "      methods: [logging/setLevel]\n      definitions: [CacheableResult]\n"],
    "method-gate",
    "methods: [logging/setLevel]",
    "the method logging/setLevel does not exist at 2026-07-28, where caching gates it",
  ),
  one(
    "an alternative result the envelope does not list",
    JULY,
    ["methods: [prompts/get, resources/read, tools/call]", "methods: [prompts/get, resources/read, tools/call, completion/complete]"],
    "results",
    "- { methods: [prompts/get",
    "CompleteResultResponse.result is CompleteResult, the rows say CompleteResult or InputRequiredResult",
  ),
  {
    name: "an alternative result the rows do not list",
    corrupt: (copy) => copy.edit(JULY, "methods: [prompts/get, resources/read, tools/call]", "methods: [prompts/get, resources/read]"),
    expected: [
      {
        rule: "results",
        file: BASELINE,
        at: "methods: [tools/list, tools/call]",
        says: "CallToolResultResponse.result is CallToolResult or InputRequiredResult, the rows say CallToolResult",
      },
    ],
  },
  one(
    "an alternative result of a method that no schema has",
    NOVEMBER,
    ["methods: [sampling/createMessage], definition", "methods: [sampling/createMessage, sampling/create], definition"],
    "method-gate",
    "results: [{ methods: [sampling/createMessage, sampling/create]",
    "no schema has the method sampling/create, which tasks.sampling gates",
  ),
  one(
    "an alternative result that no schema has",
    NOVEMBER,
    ["methods: [sampling/createMessage], definition: CreateTaskResult", "methods: [sampling/createMessage], definition: MakeTaskResult"],
    "results",
    "results: [{ methods: [sampling/createMessage]",
    "MakeTaskResult",
  ),
];

const FLAGS: readonly Corruption[] = [
  one(
    "a capability flag the schema does not have",
    NOVEMBER,
    [
      "requires: { client: elicitation.url }\n    cite: { section: major, ordinal: 6, ref: SEP-1036 }\n    gates:\n      definitions: [URLElicitationRequiredError]",
      "requires: { client: elicitation.uri }\n    cite: { section: major, ordinal: 6, ref: SEP-1036 }\n    gates:\n      definitions: [URLElicitationRequiredError]",
    ],
    "flag",
    "requires: { client: elicitation.uri }",
    "errors.url-elicitation-required needs the client capability elicitation.uri, which the schema of 2025-11-25 does not have",
  ),
  one(
    "a capability flag of the other side",
    NOVEMBER,
    [
      "requires: { client: elicitation.url }\n    cite: { section: major, ordinal: 6, ref: SEP-1036 }\n    gates:\n      definitions: [URLElicitationRequiredError]",
      "requires: { server: elicitation.url }\n    cite: { section: major, ordinal: 6, ref: SEP-1036 }\n    gates:\n      definitions: [URLElicitationRequiredError]",
    ],
    "flag",
    "requires: { server: elicitation.url }",
    "errors.url-elicitation-required needs the server capability elicitation.url, which the schema of 2025-11-25 does not have",
  ),
  one(
    "a flag that is younger than its feature",
    BASELINE,
    [
      "cite: { page: server/tools }\n    gates:\n      definitions: [ImageContent]",
      "cite: { page: server/tools }\n    requires: { server: completions }\n    gates:\n      definitions: [ImageContent]",
    ],
    "flag",
    "requires: { server: completions }",
    "content.image needs the server capability completions, which the schema of 2024-11-05 does not have",
  ),
  one(
    "a flag of an extension that the schema does not have",
    NOVEMBER,
    [
      "extends:\n",
      'extends:\n  - feature: lifecycle.ping\n    cite: { section: unlisted, ref: "PR #1" }\n    requires: { server: pings }\n',
    ],
    "flag",
    "requires: { server: pings }",
    "lifecycle.ping needs the server capability pings, which the schema of 2025-11-25 does not have",
  ),
  one(
    "a second flag of one side",
    MARCH,
    [
      "extends:\n",
      'extends:\n  - feature: logging\n    cite: { section: unlisted, ref: "PR #1" }\n    requires: { server: completions }\n',
    ],
    "flag",
    "requires: { server: completions }\n  - feature: completion",
    "logging already needs a server capability",
  ),
  one(
    "a transport nobody knows",
    NOVEMBER,
    ["transport: stdio\n", "transport: pigeon\n"],
    "transport",
    "transport: pigeon",
    "no transport is called pigeon",
  ),
  one(
    "a transport's feature that does not name it",
    BASELINE,
    ["    transport: stdio\n", ""],
    "transport",
    "- id: transport.stdio",
    "protocol.yaml says this feature defines the transport stdio, but the row does not name it",
  ),
];

const FACTS: readonly Corruption[] = [
  one(
    "an erratum whose fault upstream has mended",
    ERRATA,
    [
      "    pointer: /$defs/JSONValue/anyOf/2/type\n    was: [string, integer, boolean]",
      "    pointer: /$defs/JSONValue/anyOf/2/type\n    was: [string, boolean]",
    ],
    "erratum",
    '- revision: "2026-07-28"\n    pointer: /$defs/JSONValue',
    'the erratum matches nothing: /$defs/JSONValue/anyOf/2/type at 2026-07-28 is ["string","integer","boolean"]',
  ),
  one(
    "an erratum of an unknown revision",
    ERRATA,
    ['- revision: "2026-07-28"\n    pointer: /$defs/JSONValue', '- revision: "2026-07-29"\n    pointer: /$defs/JSONValue'],
    "erratum",
    '- revision: "2026-07-29"',
    "the erratum matches nothing: no revision is called 2026-07-29",
  ),
  one(
    "an erratum that points to nothing",
    ERRATA,
    ["pointer: /$defs/JSONValue/anyOf/2/type", "pointer: /$defs/JSONValue/anyOf/9/type"],
    "erratum",
    '- revision: "2026-07-28"\n    pointer: /$defs/JSONValue',
    "the erratum matches nothing: no /$defs/JSONValue/anyOf/9/type at 2026-07-28",
  ),
  one(
    "a rename that matches nothing",
    JUNE,
    [
      "renames:\n",
      'renames:\n  - from: [ResourcePointer]\n    to: ResourceTemplateReference\n    cite: { section: unlisted, ref: "PR #639" }\n',
    ],
    "rename",
    "- from: [ResourcePointer]",
    "the rename of ResourcePointer to ResourceTemplateReference matches nothing before 2025-06-18",
  ),
  one(
    "an extraction of which one place matches nothing",
    NOVEMBER,
    [
      "      - PromptListChangedNotification.params\n",
      "      - PromptListChangedNotification.params\n      - PromptListUnchangedNotification.params\n",
    ],
    "rename",
    "- PromptListUnchangedNotification.params",
    "the rename of PromptListUnchangedNotification.params to NotificationParams matches nothing before 2025-11-25",
  ),
  one(
    "a rename to a definition the revision does not have",
    JULY,
    ["fills:\n", '  - from: [ResourceRequestParams]\n    to: SourceRequestParams\n    cite: { section: unlisted, ref: "PR #1" }\nfills:\n'],
    "rename",
    "- from: [ResourceRequestParams]",
    "SourceRequestParams is no definition of 2026-07-28",
  ),
  one(
    "a layout entry that covers nothing",
    NOVEMBER,
    [
      "covers: [JSONRPCResultResponse, JSONRPCErrorResponse,",
      "covers: [JSONRPCResultResponse, JSONRPCFailureResponse, JSONRPCErrorResponse,",
    ],
    "layout",
    "covers: [JSONRPCResultResponse, JSONRPCFailureResponse",
    "no schema has JSONRPCFailureResponse, which the layout entry jsonrpc.response-union covers",
  ),
  one(
    "a layout entry of which one path covers nothing",
    MARCH,
    [
      "      - ImageContent.annotations\n      - EmbeddedResource.annotations\n",
      "      - ImageContent.annotations\n      - ImageContent.annotation\n      - EmbeddedResource.annotations\n",
    ],
    "layout",
    "- ImageContent.annotation\n",
    "no schema has ImageContent.annotation, which the layout entry content.annotations-type covers",
  ),
  one(
    "a removal that covers a path no schema has",
    JULY,
    ['covers: ["ClientResult|ElicitResult", ', 'covers: ["ClientResult|ElicitResult", "ClientResult|ElicitAnswer", '],
    "gated-path",
    "- { feature: requests.server-initiated",
    "no schema has ClientResult|ElicitAnswer, which the removal of requests.server-initiated covers",
  ),
  one(
    "a fill at a place that does not exist",
    BASELINE,
    ["at: [CallToolResult.content]", "at: [CallToolResult.contents]"],
    "fill",
    "at: [CallToolResult.contents]",
    "CallToolResult.contents is no place at 2024-11-05, so nothing can be filled there",
  ),
  one(
    "a fill of which one place does not exist",
    JULY,
    [
      "      - ReadResourceResult.cacheScope\n      - DiscoverResult.cacheScope\n    value",
      "      - ReadResourceResult.cachedScope\n      - DiscoverResult.cacheScope\n    value",
    ],
    "fill",
    "- ReadResourceResult.cachedScope",
    "ReadResourceResult.cachedScope is no place at 2026-07-28, so nothing can be filled there",
  ),
  one(
    "a place filled twice",
    NOVEMBER,
    [
      "at: [ElicitRequestURLParams.elicitationId]\n    from: mint",
      "at: [ElicitRequestURLParams.elicitationId]\n    from: mint\n  - feature: elicitation.url.completion\n    at: [ElicitRequestURLParams.elicitationId]\n    value: again",
    ],
    "fill",
    "at: [ElicitRequestURLParams.elicitationId]\n    value: again",
    "ElicitRequestURLParams.elicitationId is filled twice",
  ),
  one(
    "a fill of another type than the schema's",
    NOVEMBER,
    ["value: form", "value: 7"],
    "fill",
    "at: [ElicitRequestFormParams.mode]",
    "7 is no value for ElicitRequestFormParams.mode at 2025-11-25",
  ),
  one(
    "a fill that is not the constant of the schema",
    NOVEMBER,
    ["value: form", "value: forms"],
    "fill",
    "at: [ElicitRequestFormParams.mode]",
    '"forms" is no value for ElicitRequestFormParams.mode at 2025-11-25',
  ),
  one(
    "a fill of null where an array is due",
    BASELINE,
    ["    value: []\n", "    value: null\n"],
    "fill",
    "at: [CallToolResult.content]\n    value: null",
    "null is no value for CallToolResult.content at 2024-11-05",
  ),
  one(
    "a fill of null where an object is due",
    NOVEMBER,
    ["fills:\n", "fills:\n  - feature: tasks\n    at: [CreateTaskResult.task]\n    value: null\n"],
    "fill",
    "at: [CreateTaskResult.task]",
    "null is no value for CreateTaskResult.task at 2025-11-25",
  ),
  one(
    "a fill of a fraction where an integer is due",
    NOVEMBER,
    ["fills:\n", "fills:\n  - feature: tasks\n    at: [Task.ttl]\n    value: 0.5\n"],
    "fill",
    "at: [Task.ttl]",
    "0.5 is no value for Task.ttl at 2025-11-25",
  ),
  one(
    "a fill below the least value the schema allows",
    JULY,
    ["    value: 0\n", "    value: 0\n  - feature: caching\n    at: [CacheableResult.ttlMs]\n    value: -1\n"],
    "fill",
    "at: [CacheableResult.ttlMs]",
    "-1 is no value for CacheableResult.ttlMs at 2026-07-28",
  ),
];

const VALUES: readonly Corruption[] = [
  one(
    "named values that are not those the schema lists",
    BASELINE,
    [
      "values: [debug, info, notice, warning, error, critical, alert, emergency]",
      "values: [debug, info, notice, warning, error, critical, alert, panic]",
    ],
    "values",
    "- at: [LoggingLevel]",
    "LoggingLevel may be alert, critical, debug, emergency, error, info, notice, warning at 2024-11-05, not",
  ),
  one(
    "named values of what is no string",
    BASELINE,
    ["at: [CreateMessageResult.stopReason]", "at: [CreateMessageResult.content]"],
    "values",
    "- at: [CreateMessageResult.content]",
    "CreateMessageResult.content is no string at 2024-11-05",
  ),
];

const ACCESS_AT_NOVEMBER = "- methods: [elicitation/create]\n        params:";

/** Makes a problem at a place for each of the two newest revisions; `says` ends where the revision is named. */
function atTheNewest(says: string, at = ACCESS_AT_NOVEMBER): readonly Expected[] {
  return ["2025-11-25", "2026-07-28"].map((revision) => ({ rule: "gate", file: NOVEMBER, at, says: `${says}${revision}` }));
}

/** Makes a case of one replacement in the row that chooses by the mode. */
function choosing(name: string, [find, replacement]: readonly [string, string], expected: readonly Expected[]): Corruption {
  return { name, corrupt: (copy) => copy.edit(NOVEMBER, find, replacement), expected };
}

/** Makes a case of what the row of `server/discover` says of a gate, and of the one problem it must give. */
function discovering(name: string, access: string, says: string): Corruption {
  const methods = "      methods: [server/discover]\n";
  return {
    name,
    corrupt: (copy) => {
      copy.edit(JULY, "  - id: lifecycle.discover\n", `  - id: lifecycle.discover\n    access: [${access}]\n`);
      expect(copy.read(JULY)).toContain(methods);
    },
    expected: [{ rule: "gate", file: JULY, at: `access: [${access}]`, says }],
  };
}

const ACCESS: readonly Corruption[] = [
  discovering(
    "a gate of two shapes",
    "{ methods: [server/discover], session: DiscoverResult.supportedVersions, never: { server: magic } }",
    "a gate has one shape, this one is session and never",
  ),
  discovering("a gate of no shape", "{ methods: [server/discover] }", "the entry says nothing of a gate"),
  discovering(
    "a gate of a method that no schema has",
    "{ methods: [server/discovery], never: { server: magic } }",
    "lifecycle.discover speaks of server/discovery, which no revision of it has",
  ),
  discovering(
    "a gate of a method in a direction it does not have",
    "{ methods: [server/discover], direction: serverToClient, never: { server: magic } }",
    "lifecycle.discover speaks of server/discover, which no revision of it has",
  ),
  discovering(
    "a method never served although there is a capability for it",
    "{ methods: [server/discover], never: { server: tools } }",
    "lifecycle.discover never serves server/discover, but 2026-07-28 has the server capability tools",
  ),
  discovering(
    "a state that no schema has",
    "{ methods: [server/discover], initialize: DiscoverResult.authMethods }",
    "2026-07-28 has no DiscoverResult.authMethods, which lifecycle.discover asks of the initialize result",
  ),
  discovering(
    "a state that is no property",
    '{ methods: [server/discover], session: "DiscoverResult.supportedVersions[]" }',
    "2026-07-28 has no DiscoverResult.supportedVersions[], which lifecycle.discover asks of the session",
  ),
  discovering(
    "a denial by an error nobody named",
    "{ methods: [server/discover], never: { server: magic }, error: MAGIC_MISSING }",
    "no error is called MAGIC_MISSING at 2026-07-28",
  ),
  {
    name: "two rows of one age that say what one method asks for",
    corrupt: (copy) => {
      copy.edit(
        JULY,
        "  - id: lifecycle.discover\n",
        "  - id: lifecycle.discover\n    access: [{ methods: [server/discover], never: { server: magic } }]\n",
      );
      copy.edit(JULY, "  - id: caching\n", "  - id: caching\n    access: [{ methods: [server/discover], never: { server: wizardry } }]\n");
    },
    expected: [
      {
        rule: "gate",
        file: JULY,
        at: "access: [{ methods: [server/discover], never: { server: wizardry",
        says: "both say what server/discover asks for",
      },
    ],
  },
  choosing(
    "a choice by params that are not there",
    ["field: mode,", "field: modus,"],
    atTheNewest("elicitation/create has no params.modus at "),
  ),
  choosing(
    "a choice by a value that is none",
    ["url: elicitation.url }", "uri: elicitation.url }"],
    atTheNewest('"uri" is no value of params.mode of elicitation/create at '),
  ),
  choosing(
    "a choice that asks for nothing",
    ["url: elicitation.url }", "url: metadata.icons }"],
    atTheNewest("metadata.icons asks for no capability at "),
  ),
  choosing(
    "a choice by a feature nobody defined",
    ["url: elicitation.url }", "url: elicitation.uri }"],
    [{ rule: "gate", file: NOVEMBER, at: ACCESS_AT_NOVEMBER, says: "no feature is called elicitation.uri" }],
  ),
  choosing(
    "a missing field that counts as no case",
    ["missing: form, cases: { form: elicitation.mode, url", "missing: form, cases: { url"],
    [{ rule: "gate", file: NOVEMBER, at: ACCESS_AT_NOVEMBER, says: 'a missing mode counts as "form", which is no case' }],
  ),
  one(
    "an owner that has no such capability",
    BASELINE,
    ["  - id: tools\n", "  - id: tools\n    access: [{ methods: [tools/call], owner: sender }]\n"],
    "gate",
    "access: [{ methods: [tools/call], owner: sender }]",
    "tools/call (clientToServer) goes by the server capability tools, which is the receiver's, not the sender's",
  ),
  one(
    "a request gated by what its sender can do",
    BASELINE,
    ["    requires: { client: roots }\n", "    requires: { server: tools }\n"],
    "gate",
    "requires: { server: tools }\n    cite: { page: client/roots }",
    "the client handles roots/list (serverToClient), yet roots asks for the server capability tools",
  ),
  one(
    "a request gated by what both sides can do",
    BASELINE,
    ["    requires: { client: roots }\n", "    requires: { client: roots, server: tools }\n"],
    "gate",
    "requires: { client: roots, server: tools }",
    "roots gates roots/list by capabilities of both sides; a gate asks one",
  ),
  one(
    "a denial that stands twice",
    PROTOCOL,
    ["- { era: legacy, side: server, error", "- { era: legacy, side: client, error"],
    "duplicate",
    "- { era: legacy, side: client, error: METHOD_NOT_FOUND }\n  - { era: modern",
    "the denial for want of a client capability in the legacy era stands twice",
  ),
  one(
    "a denial by an error that not all revisions have",
    PROTOCOL,
    ["- { era: legacy, side: client, error: METHOD_NOT_FOUND }", "- { era: legacy, side: client, error: URL_ELICITATION_REQUIRED }"],
    "gate",
    "- { era: legacy, side: client, error: URL_",
    "no error is called URL_ELICITATION_REQUIRED at 2024-11-05",
  ),
  one(
    "a result of a notification",
    NOVEMBER,
    ["methods: [sampling/createMessage], definition", "methods: [sampling/createMessage, notifications/tasks/status], definition"],
    "results",
    "results: [{ methods: [sampling/createMessage, notifications",
    "notifications/tasks/status is a notification, yet tasks.sampling says what it may give",
  ),
  one(
    "a handshake by a feature nobody defined",
    PROTOCOL,
    ["feature: lifecycle.initialize", "feature: lifecycle.hello"],
    "dangling",
    "feature: lifecycle.hello",
    "no feature is called lifecycle.hello",
  ),
  one(
    "what may come before a handshake and is no request",
    PROTOCOL,
    ["serverToClient: [ping] }", "serverToClient: [ping, notifications/message] }"],
    "protocol",
    "before: {",
    "notifications/message, asked before the handshake, is no serverToClient request of 2024-11-05",
  ),
];

const PROTOCOLS: readonly Corruption[] = [
  one(
    "a protocol by another name than its folder's",
    PROTOCOL,
    ["name: mcp", "name: mcq"],
    "protocol",
    "name: mcq",
    "the protocol mcq stands in the folder mcp",
  ),
  one(
    "a flag implied that no schema has",
    PROTOCOL,
    ["flag: elicitation.form,", "flag: elicitation.from,"],
    "flag",
    "- { side: client, flag: elicitation.from",
    "no schema has the client capability elicitation.from",
  ),
  one(
    "a flag implied by one that no schema has",
    PROTOCOL,
    ["by: elicitation }", "by: elicitations }"],
    "flag",
    "- { side: client, flag: elicitation.form",
    "no schema has the client capability elicitations",
  ),
  one(
    "a union that no schema has",
    PROTOCOL,
    [
      "  - { union: ServerNotification",
      "  - { union: ServerNote, kind: notification, direction: serverToClient }\n  - { union: ServerNotification",
    ],
    "protocol",
    "- { union: ServerNote,",
    "no schema has the union ServerNote",
  ),
  one(
    "a carrier that no schema has",
    PROTOCOL,
    ["carrier: InputRequiredResult", "carrier: InputNeededResult"],
    "protocol",
    "- { union: InputRequest",
    "2026-07-28 has InputRequest but no definition InputNeededResult to carry it",
  ),
  one(
    "batches by a feature nobody defined",
    PROTOCOL,
    ["feature: jsonrpc.batching", "feature: jsonrpc.batches"],
    "dangling",
    "batching: {",
    "no feature is called jsonrpc.batches",
  ),
  one(
    "a method that comes alone and is none",
    PROTOCOL,
    ["alone: [initialize]", "alone: [initialise]"],
    "protocol",
    "batching: {",
    "initialise, which comes alone, is no method of 2025-03-26",
  ),
  one(
    "the id of an error that no schema has",
    PROTOCOL,
    ["errorId: JSONRPCErrorResponse.id", "errorId: JSONRPCError.id"],
    "protocol",
    "errorId: ",
    "no schema has JSONRPCError.id, the id of an error",
  ),
];

const LIVES: readonly Corruption[] = [
  one(
    "the deprecation of what is gone",
    JULY,
    ["deprecates:\n", "deprecates:\n  - { feature: jsonrpc.batching, cite: { section: deprecated, ordinal: 1 } }\n"],
    "lifetime",
    "- { feature: jsonrpc.batching, cite: { section: deprecated",
    "cannot deprecate jsonrpc.batching: it was removed by 2025-06-18",
  ),
  one(
    "a second deprecation",
    JULY,
    ["deprecates:\n", "deprecates:\n  - { feature: roots, cite: { section: deprecated, ordinal: 4 } }\n"],
    "lifetime",
    "- { feature: roots, cite: { section: deprecated, ordinal: 1",
    "cannot deprecate roots: it is so since 2026-07-28",
  ),
  one(
    "a place lowered twice",
    JUNE,
    [
      "- at: [Tool.outputSchema]",
      "- at: [Tool.outputSchema]\n        loss: advisory\n        degrade: [skip]\n      - at: [Tool.outputSchema]",
    ],
    "lowering",
    "at: [Tool.outputSchema]\n        loss: advisory\n        degrade: [wrap-schema, keep, skip, annotate]",
    "tools.structured-output lowers Tool.outputSchema twice",
  ),
  one(
    "an error name with two codes",
    JULY,
    ["{ name: HEADER_MISMATCH, code: -32020,", "{ name: PARSE_ERROR, code: -32020,"],
    "duplicate",
    "errors: [{ name: PARSE_ERROR",
    "transport.request-headers gives PARSE_ERROR the code -32020, and jsonrpc.errors names it at the same revision",
  ),
  one(
    "a choice of one capability",
    BASELINE,
    [
      "requires: { server: logging }\n    cite: { page: server/utilities/logging }\n    gates:\n      methods: [logging/setLevel]",
      "requires: { server: logging, match: any }\n    cite: { page: server/utilities/logging }\n    gates:\n      methods: [logging/setLevel]",
    ],
    "grammar",
    "requires: { server: logging, match: any }",
    "must have propert",
  ),
];

const CONSTANTS: readonly Corruption[] = [
  one(
    "a gated value that its place does not have",
    NOVEMBER,
    ["values: [allServers, thisServer]", "values: [allServers, someServers]"],
    "gated-value",
    "constants: [{ at: CreateMessageRequestParams.includeContext",
    '"someServers" is no value of CreateMessageRequestParams.includeContext at 2025-11-25',
  ),
  one(
    "gated values about which no capability decides",
    NOVEMBER,
    ["    requires: { client: sampling.context }\n", ""],
    "gated-value",
    "constants: [{ at: CreateMessageRequestParams.includeContext",
    "sampling.context-capability gates values of CreateMessageRequestParams.includeContext but needs no capability, so it would gate nothing",
  ),
  {
    name: "gated values at a path that nobody can read",
    corrupt: (copy) =>
      copy.edit(NOVEMBER, "{ at: CreateMessageRequestParams.includeContext,", "{ at: CreateMessageRequestParams/includeContext,"),
    expected: [
      {
        rule: "gated-path",
        file: NOVEMBER,
        at: "constants: [{ at: CreateMessageRequestParams/includeContext",
        says: 'cannot read the path "CreateMessageRequestParams/includeContext"',
      },
      {
        rule: "lowering",
        file: NOVEMBER,
        at: "at: [CreateMessageRequestParams.includeContext]",
        says: "sampling.context-capability lowers CreateMessageRequestParams.includeContext but does not gate it",
      },
    ],
  },
  {
    name: "gated values at a place that no revision has",
    corrupt: (copy) =>
      copy.edit(NOVEMBER, "{ at: CreateMessageRequestParams.includeContext,", "{ at: CreateMessageRequestParams.includeContents,"),
    expected: [
      {
        rule: "gated-value",
        file: NOVEMBER,
        at: "constants: [{ at: CreateMessageRequestParams.includeContents",
        says: '"allServers" is no value of CreateMessageRequestParams.includeContents at 2025-11-25',
      },
      {
        rule: "lowering",
        file: NOVEMBER,
        at: "at: [CreateMessageRequestParams.includeContext]",
        says: "sampling.context-capability lowers CreateMessageRequestParams.includeContext but does not gate it",
      },
    ],
  },
  {
    name: "gated values at a path through another definition",
    corrupt: (copy) =>
      copy.edit(NOVEMBER, "{ at: CreateMessageRequestParams.includeContext,", "{ at: CreateMessageRequest.params.includeContext,"),
    expected: [
      {
        rule: "gated-path",
        file: NOVEMBER,
        at: "constants: [{ at: CreateMessageRequest.params.includeContext",
        says: "CreateMessageRequest.params.includeContext leads through another definition, where sampling.context-capability would gate nothing",
      },
      {
        rule: "lowering",
        file: NOVEMBER,
        at: "at: [CreateMessageRequestParams.includeContext]",
        says: "sampling.context-capability lowers CreateMessageRequestParams.includeContext but does not gate it",
      },
    ],
  },
  one(
    "a member gated like a value, of a union that does not have it",
    NOVEMBER,
    [
      'constants: [{ at: "ElicitRequestParams|ElicitRequestFormParams" }]',
      'constants: [{ at: "ElicitRequestParams|ElicitRequestFromParams" }]',
    ],
    "gated-value",
    'constants: [{ at: "ElicitRequestParams|ElicitRequestFromParams"',
    "2025-11-25 has no ElicitRequestParams|ElicitRequestFromParams",
  ),
  one(
    "a lowering of values that nobody gates",
    NOVEMBER,
    ["      constants: [{ at: CreateMessageRequestParams.includeContext, values: [allServers, thisServer] }]\n", ""],
    "lowering",
    "at: [CreateMessageRequestParams.includeContext]",
    "sampling.context-capability lowers CreateMessageRequestParams.includeContext but does not gate it",
  ),
  one(
    "gated values that are none",
    NOVEMBER,
    ["values: [allServers, thisServer]", "values: []"],
    "grammar",
    "constants: [{ at: CreateMessageRequestParams.includeContext",
    "gates.constants.0.values must NOT have fewer than 1 items",
  ),
];

const STRANGERS: readonly Corruption[] = [
  one(
    "unknown members of a union that no schema has",
    PROTOCOL,
    ["{ at: ContentBlock, loss", "{ at: ContentBlocks, loss"],
    "protocol",
    "- { at: ContentBlocks",
    "no schema has the union ContentBlocks",
  ),
  one(
    "unknown members of what is no union",
    PROTOCOL,
    ["{ at: ContentBlock, loss", "{ at: Tool, loss"],
    "protocol",
    "- { at: Tool",
    "no schema has the union Tool",
  ),
  one(
    "unknown members for which nothing is on offer",
    PROTOCOL,
    ["{ at: ContentBlock, loss: content, degrade: [unknown-text, annotate, skip] }", "{ at: ContentBlock, loss: content, degrade: [] }"],
    "grammar",
    "- { at: ContentBlock",
    "unknown.0.degrade must NOT have fewer than 1 items",
  ),
  one(
    "an unknown key about unknown members",
    PROTOCOL,
    ["{ at: ContentBlock, loss: content,", "{ at: ContentBlock, loss: content, why: new,"],
    "grammar",
    "- { at: ContentBlock",
    'unknown key "why" in unknown.0',
  ),
];

const NULL_STRUCTURED = 'at: [CallToolResult.structuredContent]\n    last: "2025-11-25"';

const TOLERATED: readonly Corruption[] = [
  one(
    "an unknown key in a tolerance",
    TOLERANCES,
    ["repair: empty-list\n", "repair: empty-list\n    when: always\n"],
    "grammar",
    "when: always",
    'unknown key "when" in tolerances.2',
  ),
  one(
    "a repair that nobody can make",
    TOLERANCES,
    ["repair: empty-list", "repair: guess"],
    "grammar",
    "repair: guess",
    'tolerances.2.repair must be one of ["drop-null",',
  ),
  one(
    "a tolerance that no report shows",
    TOLERANCES,
    ["    reports: [https://github.com/mastra-ai/mastra/issues/6796]\n", ""],
    "grammar",
    "- id: elicitation-rejected",
    "must have required property 'reports'",
  ),
  one(
    "a tolerance id given twice",
    TOLERANCES,
    ["id: null-list-entry", "id: null-for-empty-list"],
    "duplicate",
    'id: null-for-empty-list\n    summary: "A null among',
    "the tolerance null-for-empty-list stands twice",
  ),
  one(
    "a tolerance from a revision that nobody lists",
    TOLERANCES,
    [NULL_STRUCTURED, NULL_STRUCTURED.replace("last", 'first: "2025-11-26"\n    last')],
    "tolerance",
    'first: "2025-11-26"',
    "no revision is called 2025-11-26",
  ),
  one(
    "a tolerance up to a revision that nobody lists",
    TOLERANCES,
    [NULL_STRUCTURED, NULL_STRUCTURED.replace("25-11-25", "25-11-26")],
    "tolerance",
    'last: "2025-11-26"',
    "no revision is called 2025-11-26",
  ),
  one(
    "a tolerance that ends before it begins",
    TOLERANCES,
    [NULL_STRUCTURED, NULL_STRUCTURED.replace("last", 'first: "2026-07-28"\n    last')],
    "tolerance",
    "- id: null-structured-content",
    "null-structured-content ends before it begins",
  ),
  one(
    "a tolerance at a path that is no place",
    TOLERANCES,
    ["at: [ElicitResult.action]", "at: [ElicitResult.acton]"],
    "tolerance",
    "at: [ElicitResult.acton]",
    "ElicitResult.acton is no place of any revision",
  ),
  one(
    "one path of several that is no place, on its own line",
    TOLERANCES,
    ["      - ListPromptsResult.nextCursor", "      - ListPromptResult.nextCursor"],
    "tolerance",
    "- ListPromptResult.nextCursor",
    "ListPromptResult.nextCursor is no place of any revision",
  ),
  {
    name: "a tolerance at a path that nobody can read",
    corrupt: (copy) => copy.edit(TOLERANCES, "at: [ElicitResult.action]", "at: [ElicitResult/action]"),
    expected: [
      {
        rule: "tolerance",
        file: TOLERANCES,
        at: "- id: elicitation-rejected",
        says: "the tolerance elicitation-rejected matches nothing: replace-value has no place at ElicitResult/action",
      },
      { rule: "tolerance", file: TOLERANCES, at: "at: [ElicitResult/action]", says: "ElicitResult/action is no place of any revision" },
    ],
  },
  one(
    "a tolerance of null where null is not optional",
    TOLERANCES,
    ["at: [CallToolResult.structuredContent]", "at: [CallToolResult.content]"],
    "tolerance",
    "- id: null-structured-content",
    "the tolerance null-structured-content matches nothing: drop-null has no place at CallToolResult.content",
  ),
  one(
    "a tolerance of null from the revision on in which null is a value",
    TOLERANCES,
    [NULL_STRUCTURED, NULL_STRUCTURED.replace('last: "2025-11-25"', 'first: "2026-07-28"')],
    "tolerance",
    "- id: null-structured-content",
    "the tolerance null-structured-content matches nothing: drop-null has no place at CallToolResult.structuredContent",
  ),
  one(
    "a tolerance that says neither where nor of which fills",
    TOLERANCES,
    ["    fills: [caching]\n", ""],
    "tolerance",
    "- id: missing-cache-hints",
    "missing-cache-hints repairs by write-missing but has no at or fills",
  ),
  one(
    "a tolerance that drops a value and does not say which",
    TOLERANCES,
    ['    value: ""\n', ""],
    "tolerance",
    "- id: empty-cursor-at-the-end",
    "empty-cursor-at-the-end repairs by drop-value but has no value",
  ),
  one(
    "a tolerance that replaces a value and does not say by what",
    TOLERANCES,
    ["    becomes: decline\n", ""],
    "tolerance",
    "- id: elicitation-rejected",
    "elicitation-rejected repairs by replace-value but has no becomes",
  ),
  one(
    "a tolerance that unwraps and does not say what",
    TOLERANCES,
    ["    key: toolResult\n", ""],
    "tolerance",
    "- id: wrapped-tool-result",
    "wrapped-tool-result repairs by unwrap but has no key",
  ),
  one(
    "an unknown member that is kept",
    PROTOCOL,
    ["at: ContentBlock, loss: content, degrade: [unknown-text,", "at: ContentBlock, loss: content, degrade: [keep,"],
    "protocol",
    "- { at: ContentBlock, loss: content, degrade: [keep,",
    "ContentBlock offers keep",
  ),
  {
    name: "a union given twice",
    corrupt: (copy) => copy.edit(PROTOCOL, "at: SamplingMessageContentBlock, loss", "at: ContentBlock, loss"),
    expected: [
      {
        rule: "duplicate",
        file: PROTOCOL,
        at: ["unknown:", "at: ContentBlock", "at: ContentBlock"],
        says: "the union ContentBlock stands twice",
      },
    ],
  },
  ...[
    ["a feature that nobody defined", "cachnig"],
    ["a feature that fills nothing", "logging"],
  ].map(([whose = "", feature = ""]): Corruption => ({
    name: `a tolerance of the fills of ${whose}`,
    corrupt: (copy) => copy.edit(TOLERANCES, "fills: [caching]", `fills: [${feature}]`),
    expected: [
      { rule: "tolerance", file: TOLERANCES, at: "- id: missing-cache-hints", says: `no fill belongs to ${feature}` },
      { rule: "tolerance", file: TOLERANCES, at: "- id: missing-cache-hints", says: "the tolerance missing-cache-hints matches nothing" },
    ],
  })),
];

const ERRORS: readonly Corruption[] = [
  one(
    "an error named twice by one row",
    BASELINE,
    ["- { name: INTERNAL_ERROR, code: -32603 }", "- { name: PARSE_ERROR, code: -32700 }"],
    "duplicate",
    '- { name: PARSE_ERROR, code: -32700 }\n    note: "Standard',
    "jsonrpc.errors gives PARSE_ERROR the code -32700, and jsonrpc.errors names it at the same revision",
  ),
  one(
    "a code that says two things",
    JULY,
    ["code: -32602, methods: [resources/read], data: { uri: params.uri } }", "code: -32602 }"],
    "error",
    "errors: [{ name: RESOURCE_NOT_FOUND",
    "RESOURCE_NOT_FOUND and INVALID_PARAMS both have the code -32602 at 2026-07-28, and nothing tells them apart",
  ),
  one(
    "a code that says two things in answer to one method",
    BASELINE,
    [
      "code: -32002, methods: [resources/read] }",
      "code: -32002, methods: [resources/read] }, { name: GONE, code: -32002, methods: [resources/read] }",
    ],
    "error",
    "errors: [{ name: RESOURCE_NOT_FOUND",
    "GONE and RESOURCE_NOT_FOUND both have the code -32002 at 2024-11-05, and nothing tells them apart",
  ),
  one(
    "a code that says two things where methods overlap",
    BASELINE,
    [
      "code: -32002, methods: [resources/read] }",
      "code: -32002, methods: [resources/read, tools/call] }, { name: GONE, code: -32002, methods: [resources/read, prompts/get] }",
    ],
    "error",
    "errors: [{ name: RESOURCE_NOT_FOUND",
    "GONE and RESOURCE_NOT_FOUND both have the code -32002 at 2024-11-05, and nothing tells them apart",
  ),
  one(
    "a code told apart by data on the one side and by a method on the other",
    BASELINE,
    [
      "code: -32002, methods: [resources/read] }",
      "code: -32002, methods: [resources/read] }, { name: GONE, code: -32002, data: { uri: any } }",
    ],
    "error",
    "errors: [{ name: RESOURCE_NOT_FOUND",
    "GONE and RESOURCE_NOT_FOUND both have the code -32002 at 2024-11-05, and nothing tells them apart",
  ),
  one(
    "an error in answer to a method that no schema has",
    JULY,
    ["methods: [resources/read], data: { uri: params.uri }", "methods: [resources/raed], data: { uri: params.uri }"],
    "error",
    "errors: [{ name: RESOURCE_NOT_FOUND",
    "RESOURCE_NOT_FOUND answers resources/raed, which is no method of 2026-07-28",
  ),
  one(
    "an error in answer to a method that is gone",
    JULY,
    ["code: -32022, data", "code: -32022, methods: [initialize], data"],
    "error",
    "errors: [{ name: UNSUPPORTED_PROTOCOL_VERSION",
    "UNSUPPORTED_PROTOCOL_VERSION answers initialize, which is no method of 2026-07-28",
  ),
  one(
    "data from params that the method does not have",
    JULY,
    ["data: { uri: params.uri }", "data: { uri: params.url }"],
    "error",
    "errors: [{ name: RESOURCE_NOT_FOUND",
    "RESOURCE_NOT_FOUND takes data.uri from params.url, which resources/read does not have at 2026-07-28",
  ),
  one(
    "data from the params of no method in particular",
    JULY,
    ["methods: [resources/read], data: { uri: params.uri }", "data: { uri: params.uri }"],
    "error",
    "errors: [{ name: RESOURCE_NOT_FOUND",
    "RESOURCE_NOT_FOUND takes data.uri from params.uri, but any method may answer with it",
  ),
  one(
    "data from nowhere",
    JULY,
    ["data: { uri: params.uri }", "data: { uri: result.uri }"],
    "grammar",
    "errors: [{ name: RESOURCE_NOT_FOUND",
    "data.uri must match pattern",
  ),
  one(
    "an error that becomes two things elsewhere",
    JULY,
    ["elsewhere: { code: -32603 }", "elsewhere: { code: -32603, lowering: Tool.title }"],
    "grammar",
    "errors: [{ name: HEADER_MISMATCH",
    "elsewhere must NOT have more than 1 properties",
  ),
  one(
    "an error that goes by a lowering its row does not have",
    NOVEMBER,
    ["elsewhere: { lowering: URLElicitationRequiredError.error.data.elicitations }", "elsewhere: { lowering: Tool.title }"],
    "error",
    "- { name: URL_ELICITATION_REQUIRED",
    "URL_ELICITATION_REQUIRED goes by the lowering of Tool.title, which errors.url-elicitation-required does not have",
  ),
  one(
    "an error that may be skipped",
    NOVEMBER,
    ["      - loss: advisory\n        degrade: [keep]\n", "      - loss: advisory\n        degrade: [keep, skip]\n"],
    "error",
    "- { name: URL_ELICITATION_REQUIRED",
    "which offers keep, skip; an error is kept or refused",
  ),
];

/** Corruptions of a random row or schema, the same ones for a seed: a wrong path, a wrong cite, a stranger in a schema. */
function seeded(seed: number): Corruption {
  const pick = <T>(items: readonly T[], salt: number): T => items[(seed * 7919 + salt * 104729) % items.length] as T;
  const file = pick([MARCH, JUNE, NOVEMBER, JULY], 1);
  const schema = file.replace("changes.yaml", "schema.json");
  const revision = file.split("/")[1] as string;
  if (seed % 3 === 0) {
    return {
      name: `seed ${seed}: a stranger in a schema`,
      corrupt: (copy) => {
        const names = (file: string) => {
          const { $defs } = JSON.parse(copy.read(file)) as { $defs: Record<string, { properties?: object }> };
          return Object.keys($defs).filter((name) => Object.keys($defs[name]?.properties ?? {}).length > 0);
        };
        const before = names(`mcp/${REVISIONS[REVISIONS.indexOf(revision) - 1]}/schema.json`);
        const name = pick(
          names(schema).filter((candidate) => before.includes(candidate)),
          2,
        );
        const text = copy.read(schema);
        const at = text.indexOf('\n      "properties": {\n', text.indexOf(`\n    "${name}": {`)) + '\n      "properties": {\n'.length;
        copy.write(schema, `${text.slice(0, at)}        "zzStranger": { "type": "string" },\n${text.slice(at)}`);
        copy.record("mcp", revision);
      },
      expected: [{ rule: "unaccounted", file: schema, at: '"zzStranger"', says: "nothing accounts for the delta property-added" }],
    };
  }
  if (seed % 3 === 1) {
    return {
      name: `seed ${seed}: a cite of no entry`,
      corrupt: (copy) => {
        const cites = [...copy.read(file).matchAll(/^ {4}cite: \{ section: (?:major|minor|other), ordinal: \d+/gm)];
        const cite = pick(cites, 3);
        const text = copy.read(file);
        copy.write(file, `${text.slice(0, cite.index)}${cite[0].replace(/\d+$/, "77")}${text.slice(cite.index + cite[0].length)}`);
      },
      expected: [{ rule: "cite", file, at: "ordinal: 77", says: " 77, but that section of the changelog" }],
    };
  }
  return {
    name: `seed ${seed}: a path no schema has`,
    corrupt: (copy) => {
      const text = copy.read(file);
      const paths = [...text.matchAll(/^ {6}(?:fields|definitions): \[(\w+(?:\.\w+)?)/gm)];
      const path = pick(paths, 4);
      const at = path.index + path[0].length;
      copy.write(file, `${text.slice(0, at)}Zz${text.slice(at)}`);
    },
    expected: [{ rule: "gated-path", file, at: "Zz", says: "no schema has" }],
  };
}

const ACCOUNTS: readonly Corruption[] = [
  {
    name: "a new property that no row claims",
    corrupt: (copy) => {
      copy.edit(JUNE, "        - Tool.title\n", "");
      copy.write(JUNE, copy.read(JUNE).replace(/ {6}- at: \[Tool\.title\]\n(?: {8}.*\n)*/, ""));
    },
    expected: [
      {
        rule: "unaccounted",
        file: JUNE_SCHEMA,
        at: ['"Tool": {', '"title": {'],
        says: "nothing accounts for the delta property-added Tool.title",
      },
    ],
  },
  {
    name: "a new definition that no row claims",
    corrupt: (copy) => copy.edit(NOVEMBER, "      definitions: [Icon, Icons]\n", "      definitions: [Icons]\n"),
    expected: [
      { rule: "unaccounted", file: NOVEMBER_SCHEMA, at: '"Icon": {', says: "nothing accounts for the delta definition-added Icon" },
    ],
  },
  {
    name: "a new union member that no row claims",
    corrupt: (copy) => {
      copy.edit(JUNE, '      members: ["ContentBlock|ResourceLink"]\n', "");
      copy.edit(JUNE, "    lowering:\n      - loss: content\n        degrade: [resource-text, annotate, skip]\n", "");
    },
    expected: [
      {
        rule: "unaccounted",
        file: JUNE_SCHEMA,
        at: '"ContentBlock": {',
        says: "nothing accounts for the delta member-added ContentBlock|ResourceLink",
      },
    ],
  },
  {
    name: "a changed place that no row claims",
    corrupt: (copy) => {
      copy.edit(JULY, "    gates:\n      changes: [CompleteResult.completion.values]\n", "");
      copy.edit(
        JULY,
        "    lowering:\n      - at: [CompleteResult.completion.values]\n        loss: advisory\n        degrade: [truncate]\n",
        "",
      );
    },
    expected: [
      {
        rule: "unaccounted",
        file: JULY_SCHEMA,
        at: ['"CompleteResult": {', '"values": {'],
        says: "nothing accounts for the delta constraint CompleteResult.completion.values",
      },
    ],
  },
  one(
    "a delta that a row and a layout entry claim",
    NOVEMBER,
    [
      "covers: [JSONRPCResultResponse, JSONRPCErrorResponse,",
      "covers: [Implementation.description, JSONRPCResultResponse, JSONRPCErrorResponse,",
    ],
    "double-account",
    "covers: [Implementation.description",
    "the delta property-added Implementation.description at 2025-11-25 is claimed by implementation-info.description and the layout entry jsonrpc.response-union",
  ),
  one(
    "a layout entry at a place that did not change",
    JULY,
    [
      "layout:\n",
      'layout:\n  - id: tools.same-name\n    why: "Nothing changed."\n    covers: [Tool.name]\n    cite: { section: unlisted, ref: "PR #1" }\n',
    ],
    "idle-claim",
    "covers: [Tool.name]",
    "the layout entry tools.same-name claims Tool.name but nothing in the schemas of 2025-11-25 and 2026-07-28 differs there",
  ),
  one(
    "a row that changes a place that did not change",
    JULY,
    [
      "requires: { server: tools }\n    cite: { section: minor, ordinal: 3 }\n",
      "requires: { server: tools }\n    cite: { section: minor, ordinal: 3 }\n    gates:\n      changes: [Tool.name]\n",
    ],
    "idle-claim",
    "changes: [Tool.name]",
    "tools.deterministic-order claims Tool.name but nothing in the schemas of 2025-11-25 and 2026-07-28 differs there",
  ),
];

/** Moves a row from one revision's file to the head of another's. */
function moveRow(copy: SchemasCopy, id: string, from: string, to: string): void {
  const text = copy.read(from);
  const start = text.indexOf(`  - id: ${id}\n`);
  const row = text.slice(start, text.indexOf("  - id: ", start + 1));
  copy.edit(from, row, "");
  copy.edit(to, "features:\n", `features:\n${row}`);
}

/** What a run came to, each message cut down to the expected fragment where it contains it. */
function found(copy: SchemasCopy, problems: readonly Problem[], expected: readonly Pick<Expected, "says">[]): unknown[] {
  return sortProblems(problems).map(({ file, line, rule, message }, index) => {
    const says = expected[index]?.says ?? "";
    return {
      rule,
      file: relative(copy.folder, file).split(sep).join("/"),
      line,
      says: says !== "" && message.includes(says) ? says : message,
    };
  });
}

/** Checks that a run refused for exactly the expected reasons, each with its place and a fix, and emitted nothing. */
function expectRefusal(copy: SchemasCopy, run: Run, expected: readonly Expected[]): void {
  const wanted = expected.map(({ rule, file, at, says }) => ({ rule, file, line: at === 1 ? 1 : copy.lineOf(file, at), says }));
  const byPlace = [...wanted].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
  expect(found(copy, run.problems, byPlace)).toEqual(byPlace);
  expect(run.problems.filter((problem) => problem.fix.trim() === "")).toEqual([]);
  expect(run.outputs).toEqual([]);
}

test("the copy as it is gives no problem", async () => {
  const run = await new SchemasCopy().only("mcp").compile();
  expect(run.problems).toEqual([]);
  expect(run.outputs.length).toBeGreaterThan(0);
});

describe.each([
  { part: "files", cases: FILES },
  { part: "rows", cases: ROWS },
  { part: "cites", cases: CITES },
  { part: "gated paths and lowerings", cases: GATES },
  { part: "methods", cases: METHODS },
  { part: "what methods ask for", cases: ACCESS },
  { part: "capability flags and transports", cases: FLAGS },
  { part: "errata, renames, layout and fills", cases: FACTS },
  { part: "named values", cases: VALUES },
  { part: "protocol.yaml", cases: PROTOCOLS },
  { part: "lifetimes and names", cases: LIVES },
  { part: "gated values", cases: CONSTANTS },
  { part: "unknown members", cases: STRANGERS },
  { part: "tolerances", cases: TOLERATED },
  { part: "named errors", cases: ERRORS },
  { part: "accounts", cases: ACCOUNTS },
])("refuses faults of $part", ({ cases }) => {
  test.each(cases)("$name", async ({ corrupt, expected }) => {
    const copy = new SchemasCopy().only("mcp");
    corrupt(copy);
    expectRefusal(copy, await copy.compile(), expected);
  });
});

const PLAN = "from: { sessionUpdate: plan, entries: $entries }\n          to:";

/** Faults of the second protocol's rows, which use what the first has no need of. */
const FORMS: readonly Corruption[] = [
  one(
    "an action without the forms it needs",
    SECOND,
    ["        rewrite:\n          from: { sessionUpdate: tool_call }\n          to: { sessionUpdate: tool_call_update }\n", ""],
    "rewrite",
    '["SessionUpdate|SessionUpdateToolCall"]',
    "tool-calls.announced offers rewrite at SessionUpdate|SessionUpdateToolCall but states no forms",
  ),
  one(
    "forms for an action that is not on offer",
    SECOND,
    [
      "degrade: [rewrite]\n        rewrite:\n          from: { sessionUpdate: tool_call }",
      "degrade: [skip]\n        rewrite:\n          from: { sessionUpdate: tool_call }",
    ],
    "rewrite",
    '["SessionUpdate|SessionUpdateToolCall"]',
    "tool-calls.announced states two forms at SessionUpdate|SessionUpdateToolCall but does not offer rewrite",
  ),
  one(
    "a name that is written and never found",
    SECOND,
    [PLAN, PLAN.replace("$entries", "[]")],
    "rewrite",
    '["SessionUpdate|SessionUpdatePlan"]',
    "nothing in the form that is looked for at SessionUpdate|SessionUpdatePlan says what $entries is",
  ),
  one(
    "a name that is found and never written",
    SECOND,
    ["planId: main, entries: $entries } }\n  - feature", "planId: main, entries: [] } }\n  - feature"],
    "rewrite",
    '["SessionUpdate|SessionUpdatePlan"]',
    "$entries is found at SessionUpdate|SessionUpdatePlan and written nowhere, so it would be lost",
  ),
  one(
    "a form with a field no revision has",
    SECOND,
    ["to: { title: $toolCall.title, subject:", "to: { heading: $toolCall.title, subject:"],
    "rewrite",
    "[RequestPermissionRequest.toolCall]",
    "no revision has a field heading at RequestPermissionRequest.toolCall",
  ),
  one(
    "forms that go in circles",
    SECOND,
    ["to: { sessionUpdate: tool_call_update }", "to: { sessionUpdate: tool_call }"],
    "rewrite",
    '["SessionUpdate|SessionUpdateToolCall"]',
    "what is written at SessionUpdate|SessionUpdateToolCall would be looked for again",
  ),
  one(
    "a property renamed that never was",
    SECOND,
    ["from: [SessionConfigSelectGroup.group]", "from: [SessionConfigSelectGroup.groups]"],
    "rename",
    "- { from: [SessionConfigSelectGroup.groups]",
    "SessionConfigSelectGroup.groups does not exist before v2-sdk-2.4.0, so it cannot be renamed there",
  ),
  one(
    "a property renamed that is still there",
    SECOND,
    ["from: [SessionConfigSelectGroup.group]", "from: [SessionConfigSelectGroup.name]"],
    "rename",
    "- { from: [SessionConfigSelectGroup.name]",
    "SessionConfigSelectGroup.name still exists at v2-sdk-2.4.0, so it is not renamed to SessionConfigSelectGroup.groupId",
  ),
  one(
    "a property renamed to one that no row brings",
    SECOND,
    ["from: [SessionConfigSelectGroup.group], to: groupId", "from: [SessionConfigSelectGroup.group], to: groupID"],
    "rename",
    "- { from: [SessionConfigSelectGroup.group], to: groupID",
    "no row of v2-sdk-2.4.0 gates SessionConfigSelectGroup.groupID, which SessionConfigSelectGroup.group is renamed to",
  ),
  one(
    "a property renamed to one that holds something else",
    SECOND,
    ["from: [AuthMethodAgent.id, AuthMethodTerminal.id], to: methodId", "from: [AuthMethodAgent.id], to: type"],
    "rename",
    "- { from: [AuthMethodAgent.id], to: type",
    "AuthMethodAgent.id and AuthMethodAgent.type do not hold the same, so one is not the other renamed",
  ),
  one(
    "a renamed property that is no property",
    SECOND,
    ["from: [SessionConfigSelectGroup.group]", "from: [SessionConfigSelectGroup]"],
    "rename",
    "- { from: [SessionConfigSelectGroup]",
    "SessionConfigSelectGroup is no path of a property",
  ),
  one(
    "a renamed property without a cite",
    SECOND,
    ['to: groupId, cite: { page: protocol/v2/migration, ref: "#1567" } }', "to: groupId }"],
    "grammar",
    "- { from: [SessionConfigSelectGroup.group], to: groupId }",
    "propertyRenames.2 must have required property 'cite'",
  ),
  one(
    "a key the grammar of forms does not know",
    SECOND,
    ["from: { sessionUpdate: tool_call }\n", "from: { sessionUpdate: tool_call }\n          into: {}\n"],
    "grammar",
    "into: {}",
    'unknown key "into" in extends.1.lowering.0.rewrite',
  ),
];

describe("refuses faults of forms and of renamed properties", () => {
  test.each(FORMS)("$name", async ({ corrupt, expected }) => {
    const copy = new SchemasCopy().only("acp");
    corrupt(copy);
    expectRefusal(copy, await copy.compile(), expected);
  });
});

describe("refuses corruptions at random", () => {
  test.each(Array.from({ length: 20 }, (_, seed) => seeded(seed)))("$name", async ({ corrupt, expected }) => {
    const copy = new SchemasCopy().only("mcp");
    corrupt(copy);
    const run = await copy.compile();
    const [want] = expected as [Expected];
    const line = copy
      .read(want.file)
      .slice(0, copy.read(want.file).indexOf(want.at as string))
      .split("\n").length;
    const places = run.problems.filter((problem) => problem.rule === want.rule && problem.message.includes(want.says));
    expect(places.map((problem) => [relative(copy.folder, problem.file).split(sep).join("/"), problem.line])).toContainEqual([
      want.file,
      line,
    ]);
    expect(run.outputs).toEqual([]);
  });
});

describe("several faults at once", () => {
  test("of the files are all reported, sorted by file and line", async () => {
    const copy = new SchemasCopy().only("mcp");
    copy.edit(
      JULY,
      "    kind: authorization\n    side: client\n    transport: streamable-http\n    cite: { section: minor, ordinal: 9",
      "    side: client\n    transport: streamable-http\n    cite: { section: minor, ordinal: 9",
    );
    copy.edit(MARCH, "id: content.audio\n", "id: content.audio\n    sumary: Sound.\n");
    copy.edit(MARCH, "id: progress.message\n", "id: progress.message\n    sumary: Progress.\n");
    const run = await copy.compile();
    expectRefusal(copy, run, [
      { rule: "grammar", file: MARCH, at: "sumary: Progress.", says: 'unknown key "sumary" in features.1' },
      { rule: "grammar", file: MARCH, at: "sumary: Sound.", says: 'unknown key "sumary" in features.2' },
      { rule: "grammar", file: JULY, at: "- id: auth.credential-binding", says: "must have required property 'kind'" },
    ]);
  });

  test("of the rows are all reported, sorted by file and line", async () => {
    const copy = new SchemasCopy().only("mcp");
    copy.edit(JULY, "feature: lifecycle.operation-must", "feature: lifecycle.operation-may");
    copy.edit(MARCH, "entries: { major: 4, other: 3 }", "entries: { major: 4, other: 4 }");
    copy.edit(MARCH, "unmodelled: []", "unmodelled:\n  - { section: major, ordinal: 1, why: prose }");
    const run = await copy.compile();
    const expected: readonly Expected[] = [
      { rule: "uncited", file: MARCH, at: "entries: {", says: "the changelog entry other 4 is neither cited nor excused" },
      { rule: "cite", file: MARCH, at: "- { section: major, ordinal: 1, why", says: "major 1 is both cited by a row and excused" },
      { rule: "dangling", file: JULY, at: "- { feature: lifecycle.operation-may", says: "no feature is called lifecycle.operation-may" },
    ];
    expectRefusal(copy, run, expected);
    const printed = printProblems(run.problems).split("\n");
    expect(printed).toHaveLength(6);
    expect(printed.filter((line) => line.startsWith("  fix: "))).toHaveLength(3);
    expect(printed.filter((line) => !line.startsWith("  fix: "))).toEqual(
      expected.map(({ file, at, says }) => `${copy.folder}/${file}:${copy.lineOf(file, at as string)}: ${says}`),
    );
  });
});
