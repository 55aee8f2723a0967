// The named fallbacks a row may offer where a peer lacks a feature. Each takes the affected value and gives what stands in its place; pure, and what it is not about stays as it is.

import { isWire } from "./capabilities.js";
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

/** Replaces a field: takes the object that holds it, its key and its value, and gives a new holder without it. */
export interface FieldFallback extends FallbackFacts {
  readonly kind: "field";
  apply(holder: Wire, key: string, value: unknown): Wire;
}

/** Replaces a member of a union: takes the member and the keys that lead to it from the payload's root. */
export interface MemberFallback extends FallbackFacts {
  readonly kind: "member";
  apply(value: Wire, path: readonly (string | number)[]): unknown;
}

/** Is one named fallback, for a field or for a member of a union. */
export type Fallback = FieldFallback | MemberFallback;

const TEXT_BLOCK: FieldFallback = {
  name: "text-block",
  summary: "The value becomes a text block of the content, unless the content has a text block already.",
  kind: "field",
  loss: "advisory",
  keepsContent: true,
  apply(holder, key, value) {
    const { [key]: _taken, ...rest } = holder;
    const content = Array.isArray(rest.content) ? rest.content : [];
    if (content.some((block) => isWire(block) && block.type === "text")) return rest;
    return { ...rest, content: [...content, { type: "text", text: JSON.stringify(value) }] };
  },
};

const EMBEDDED_RESOURCE: MemberFallback = {
  name: "embedded-resource",
  summary: "An audio block becomes an embedded resource with the same bytes as its blob.",
  kind: "member",
  loss: "none",
  keepsContent: true,
  apply(value, path) {
    const { type: _type, data, mimeType, ...rest } = value;
    const uri = `polyrev:audio/${path.filter((segment) => typeof segment === "number").join("-") || "0"}`;
    const resource = { uri, ...(mimeType === undefined ? {} : { mimeType }), ...(data === undefined ? {} : { blob: data }) };
    return { type: "resource", ...rest, resource };
  },
};

const RESOURCE_TEXT: MemberFallback = {
  name: "resource-text",
  summary: "A link to a resource becomes a text block that names it.",
  kind: "member",
  loss: "advisory",
  keepsContent: true,
  keepsOriginal: true,
  apply({ title, name, uri, description, annotations }) {
    const line = ["[resource]", isText(title) ? title : name, uri].filter(isText).join(" ");
    const text = isText(description) ? `${line}\n${description}` : line;
    return { type: "text", text, ...(annotations === undefined ? {} : { annotations }) };
  },
};

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Lists the fallbacks by name; a row may offer these besides the general actions. */
export const FALLBACKS: ReadonlyMap<string, Fallback> = new Map(
  [TEXT_BLOCK, EMBEDDED_RESOURCE, RESOURCE_TEXT].map((fallback) => [fallback.name, fallback]),
);
