// Edits of canonical payloads that the eras' adapters share: the metadata of a payload and a request's id. Gives the same object where nothing changes.

import { isWire } from "../capabilities.js";
import { withField, withoutField } from "../copy.js";
import { carryField } from "../exact.js";
import type { Wire } from "../protocol.js";
import { metaOf } from "./answers.js";

/** Sets a key of the metadata, or takes it out where the value is undefined; metadata that is empty then goes. */
export function withMeta(payload: unknown, key: string, value: unknown): unknown {
  const holder = isWire(payload) ? payload : {};
  const meta = metaOf(holder) ?? {};
  if (value !== undefined) return meta[key] === value ? payload : withField(holder, "_meta", withField(meta, key, value));
  if (!Object.hasOwn(meta, key)) return payload;
  const rest = withoutField(meta, key);
  return Object.keys(rest).length === 0 ? withoutField(holder, "_meta") : withField(holder, "_meta", rest);
}

/** Gives a message with another id, written as it is in the message it was taken from, if it was. */
export function withId(message: Wire, id: unknown, from: Wire = {}): Wire {
  const given = message["id"] === id ? message : withField(message, "id", id);
  carryField(from, given, "id");
  return given;
}
