// The named fallbacks a row may offer where a peer lacks a feature. Each takes the affected value and gives what stands in its place; pure, and what it is not about stays as it is.

import { isWire } from "./capabilities.js";
import { withField } from "./copy.js";
import { repairKeywords, WRAPPED, wrapRoot } from "./json-schema.js";
import type { Loss, Wire } from "./protocol.js";

interface FallbackFacts {
  readonly name: string;
  readonly summary: string;
  /** What the peer loses by it. */
  readonly loss: Loss;
  /** True where everything a reader needs is still there in another shape. */
  readonly keepsContent: boolean;
  /** True where the codec is to put the original beside the result, under `_meta["polyrev/degraded"]`. */
  readonly keepsOriginal?: boolean;
}

/**
 * Edits the object that holds a field: takes it with its own fields already written (this one only where it stays), the field's key and its
 * value; gives the fields to write, none where there is nothing to edit.
 */
export interface FieldFallback extends FallbackFacts {
  readonly kind: "field";
  /** True where the field itself stays. */
  readonly keepsField?: boolean;
  /** What it costs for one value, where that is less than the fallback's loss at worst. */
  lossOf?(value: unknown): Loss;
  edits(holder: Wire, key: string, value: unknown): Wire;
}

/** Replaces the value of a field; undefined leaves the field out. */
export interface ValueFallback extends FallbackFacts {
  readonly kind: "value";
  /** True where a value that comes back as it is was none of the fallback's business. */
  readonly mayKeep?: boolean;
  apply(value: unknown): unknown;
}

/** Replaces a member of a union: takes the member and the keys that lead to it from the payload's root; undefined where nothing can stand in its place. */
export interface MemberFallback extends FallbackFacts {
  readonly kind: "member";
  apply(value: unknown, path: readonly (string | number)[]): unknown;
}

/** Puts several values in the place of a list, each in a copy of the object that held the list. */
export interface SplitFallback extends FallbackFacts {
  readonly kind: "split";
  apply(values: readonly unknown[]): readonly unknown[];
}

/** Writes a member of a union, or the object that holds a field, in another form; the row states both forms, and `rewrite.ts` takes one to the other. */
export interface RewriteFallback extends FallbackFacts {
  readonly kind: "rewrite";
}

/** Is one named fallback. */
export type Fallback = FieldFallback | ValueFallback | MemberFallback | SplitFallback | RewriteFallback;

/** Longest `data:` URI, in characters, that an icon may have to travel to a peer that does not know icons. */
export const ICON_LIMIT = 4096;

/** Most completion values the protocol allows in one result. */
const MOST_VALUES = 100;

const TEXT_BLOCK: FieldFallback = {
  name: "text-block",
  summary: "The value becomes a text block of the content, unless one of its text blocks says the same.",
  kind: "field",
  loss: "advisory",
  keepsContent: true,
  edits(holder, _key, value) {
    const text = JSON.stringify(value);
    return someText(holder, (own) => own === text || saysTheSame(own, text)) ? NONE : withText(holder, text);
  },
};

const WRAP_RESULT: FieldFallback = {
  name: "wrap-result",
  summary:
    "The value stays, a value that is no object as the member `result` of one; where the content has no text block it gets one of the value.",
  kind: "field",
  loss: "advisory",
  keepsContent: true,
  keepsField: true,
  lossOf(value) {
    return isWire(value) ? "none" : "advisory";
  },
  edits(holder, key, value) {
    const wrapped = isWire(value) ? NONE : { [key]: { [WRAPPED]: value } };
    return someText(holder, () => true) ? wrapped : { ...wrapped, ...withText(holder, JSON.stringify(value)) };
  },
};

const WRAP_SCHEMA: ValueFallback = {
  name: "wrap-schema",
  summary:
    "A schema whose root can be no object describes the member `result` of one; a root that may be an object or not is left out; keywords the peer cannot read are mended.",
  kind: "value",
  loss: "advisory",
  keepsContent: true,
  mayKeep: true,
  apply(value) {
    return isWire(value) ? wrapRoot(value) : undefined;
  },
};

const REPAIR_SCHEMA: ValueFallback = {
  name: "repair-schema",
  summary: "Boolean subschemas are written as objects; keywords that hold no schema are left out.",
  kind: "value",
  loss: "none",
  keepsContent: true,
  apply(value) {
    return isWire(value) ? repairKeywords(value) : value;
  },
};

const EMBEDDED_RESOURCE: MemberFallback = {
  name: "embedded-resource",
  summary: "An audio block becomes an embedded resource with the same bytes as its blob.",
  kind: "member",
  loss: "none",
  keepsContent: true,
  apply(value, path) {
    if (!isWire(value)) return undefined;
    const { type: _type, data, mimeType, ...rest } = value;
    const uri = `polyrev:audio/${path.filter((segment) => typeof segment === "number").join("-") || "0"}`;
    const resource = { uri, ...(mimeType === undefined ? {} : { mimeType }), ...(data === undefined ? {} : { blob: data }) };
    return { type: "resource", ...rest, resource };
  },
};

const AUDIO_TEXT: MemberFallback = {
  name: "audio-text",
  summary: "An audio block becomes a text block that says what was there, by type and size.",
  kind: "member",
  loss: "content",
  keepsContent: false,
  apply(value) {
    if (!isWire(value)) return undefined;
    const { data, mimeType, annotations } = value;
    const size = isText(data) ? `${Math.floor((data.replace(/=+$/, "").length * 3) / 4)} bytes` : "no data";
    const text = `[audio] ${[mimeType, size].filter(isText).join(", ")}`;
    return { type: "text", text, ...(annotations === undefined ? {} : { annotations }) };
  },
};

const RESOURCE_TEXT: MemberFallback = {
  name: "resource-text",
  summary: "A link to a resource becomes a text block that names it.",
  kind: "member",
  loss: "advisory",
  keepsContent: true,
  keepsOriginal: true,
  apply(value) {
    if (!isWire(value)) return undefined;
    const { title, name, uri, description, annotations } = value;
    const line = ["[resource]", isText(title) ? title : name, uri].filter(isText).join(" ");
    const text = isText(description) ? `${line}\n${description}` : line;
    return { type: "text", text, ...(annotations === undefined ? {} : { annotations }) };
  },
};

const UNKNOWN_TEXT: MemberFallback = {
  name: "unknown-text",
  summary: "A block of a type no revision knows becomes a text block of its own text, or of its JSON.",
  kind: "member",
  loss: "advisory",
  keepsContent: true,
  keepsOriginal: true,
  apply(value) {
    if (!isWire(value)) return undefined;
    return { type: "text", text: typeof value["text"] === "string" ? value["text"] : JSON.stringify(value) };
  },
};

const ENUM_NAMES: MemberFallback = {
  name: "enum-names",
  summary: "A choice with titles becomes an enum whose names are the titles.",
  kind: "member",
  loss: "none",
  keepsContent: true,
  apply(value) {
    if (!isWire(value) || !Array.isArray(value["oneOf"])) return undefined;
    const { oneOf: _options, ...rest } = value;
    const options = value["oneOf"] as unknown[];
    const choices = options.map((option) => (isWire(option) ? option["const"] : undefined));
    if (!choices.every((choice) => typeof choice === "string")) return undefined;
    const names = options.map((option, index) =>
      isWire(option) && typeof option["title"] === "string" ? option["title"] : choices[index],
    );
    return { ...rest, enum: choices, enumNames: names };
  },
};

const SPLIT_MESSAGE: SplitFallback = {
  name: "split-message",
  summary: "A message with several blocks becomes as many messages of the same role, in order; one with none holds an empty text.",
  kind: "split",
  loss: "none",
  keepsContent: true,
  apply(values) {
    return values.length === 0 ? [EMPTY_TEXT] : values;
  },
};

const JOIN_TEXT: MemberFallback = {
  name: "join-text",
  summary: "A list of one block becomes the block, a list of texts one text with blank lines between; other lists have no form.",
  kind: "member",
  loss: "advisory",
  keepsContent: true,
  apply(value) {
    if (!Array.isArray(value)) return undefined;
    const blocks = value as unknown[];
    if (blocks.length === 0) return EMPTY_TEXT;
    if (blocks.length === 1) return blocks[0];
    const texts = blocks.map((block) => (isWire(block) && block["type"] === "text" ? block["text"] : undefined));
    return texts.every((text) => typeof text === "string") ? { type: "text", text: texts.join("\n\n") } : undefined;
  },
};

const CONTEXT_NONE: ValueFallback = {
  name: "context-none",
  summary: "The request asks for no context of any server.",
  kind: "value",
  loss: "advisory",
  keepsContent: true,
  apply() {
    return "none";
  },
};

const ANNOTATIONS_TITLE: FieldFallback = {
  name: "annotations-title",
  summary: "A tool's title stays, and is its annotations' title as well, where a client without titles looks for one.",
  kind: "field",
  loss: "none",
  keepsContent: true,
  keepsField: true,
  edits(holder, _key, value) {
    const { annotations } = holder;
    if (annotations === undefined) return { annotations: { title: value } };
    return isWire(annotations) && annotations["title"] === undefined ? { annotations: withField(annotations, "title", value) } : NONE;
  },
};

const TITLE_AS_NAME: FieldFallback = {
  name: "title-as-name",
  summary: "The title takes the name's place, which is what people read where names are no addresses.",
  kind: "field",
  loss: "advisory",
  keepsContent: true,
  edits(_holder, _key, value) {
    return isText(value) ? { name: value } : NONE;
  },
};

const LIGHT_ICONS: ValueFallback = {
  name: "light-icons",
  summary: `Icons stay, but for those that carry more than ${ICON_LIMIT} characters of data in their own address.`,
  kind: "value",
  loss: "advisory",
  keepsContent: true,
  mayKeep: true,
  apply(value) {
    if (!Array.isArray(value)) return value;
    const light = (value as unknown[]).filter(
      (icon) => !isWire(icon) || !isText(icon["src"]) || !/^data:/i.test(icon["src"]) || icon["src"].length <= ICON_LIMIT,
    );
    if (light.length === value.length) return value;
    return light.length === 0 ? undefined : light;
  },
};

const DEFAULT_NOTE: FieldFallback = {
  name: "default-note",
  summary: "A form field's default is told in its description.",
  kind: "field",
  loss: "advisory",
  keepsContent: true,
  edits(holder, _key, value) {
    const note = `(default: ${typeof value === "string" ? value : JSON.stringify(value)})`;
    const before = holder["description"];
    return { description: isText(before) ? `${before} ${note}` : note };
  },
};

const TRUNCATE: FieldFallback = {
  name: "truncate",
  summary: `The first ${MOST_VALUES} values stay, and the result says that there are more.`,
  kind: "field",
  loss: "advisory",
  keepsContent: true,
  edits(_holder, key, value) {
    return { [key]: Array.isArray(value) ? value.slice(0, MOST_VALUES) : [], hasMore: true };
  },
};

const MAP_TO_PAIRS: MemberFallback = {
  name: "map-to-pairs",
  summary: "A map becomes a list of objects, each with the `name` and the `value` of one entry.",
  kind: "member",
  loss: "none",
  keepsContent: true,
  apply(value) {
    return isWire(value) ? Object.entries(value).map(([name, entry]) => ({ name, value: entry })) : undefined;
  },
};

const PAIRS_TO_MAP: MemberFallback = {
  name: "pairs-to-map",
  summary: "A list of objects of `name` and `value` becomes a map; one that names something twice, or says more, has no form.",
  kind: "member",
  loss: "none",
  keepsContent: true,
  apply(value) {
    if (!Array.isArray(value) || !value.every(isPair)) return undefined;
    const map: Wire = Object.fromEntries(value.map((pair) => [pair.name, pair.value]));
    return Object.keys(map).length === value.length ? map : undefined;
  },
};

const REWRITE: RewriteFallback = {
  name: "rewrite",
  summary: "The object is written in the other form that the row states; one that has no such form, or would lose something, is refused.",
  kind: "rewrite",
  loss: "none",
  keepsContent: true,
};

const NONE: Wire = {};
const EMPTY_TEXT: Wire = { type: "text", text: "" };

/** Tells whether some text block of the content passes a test. */
function someText(holder: Wire, test: (text: string) => boolean): boolean {
  const { content } = holder;
  if (!Array.isArray(content)) return false;
  for (const block of content as readonly unknown[]) {
    if (isWire(block) && block["type"] === "text" && typeof block["text"] === "string" && test(block["text"])) return true;
  }
  return false;
}

function withText(holder: Wire, text: string): Wire {
  const content: readonly unknown[] = Array.isArray(holder["content"]) ? holder["content"] : [];
  return { content: [...content, { type: "text", text }] };
}

/** Tells whether a text is the same JSON as another, apart from white space. */
function saysTheSame(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}

function isPair(value: unknown): value is { readonly name: string; readonly value: unknown } {
  return isWire(value) && Object.keys(value).length === 2 && typeof value["name"] === "string" && value["value"] !== undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

const ALL: readonly Fallback[] = [
  TEXT_BLOCK,
  WRAP_RESULT,
  WRAP_SCHEMA,
  REPAIR_SCHEMA,
  EMBEDDED_RESOURCE,
  AUDIO_TEXT,
  RESOURCE_TEXT,
  UNKNOWN_TEXT,
  ENUM_NAMES,
  SPLIT_MESSAGE,
  JOIN_TEXT,
  CONTEXT_NONE,
  ANNOTATIONS_TITLE,
  TITLE_AS_NAME,
  LIGHT_ICONS,
  DEFAULT_NOTE,
  TRUNCATE,
  MAP_TO_PAIRS,
  PAIRS_TO_MAP,
  REWRITE,
];

/** Lists the fallbacks by name; a row may offer these besides the general actions. */
export const FALLBACKS: ReadonlyMap<string, Fallback> = new Map(ALL.map((fallback) => [fallback.name, fallback]));
