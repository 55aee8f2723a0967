// Reads the body of an HTTP request as a message. Takes the request and a limit in bytes, gives the message or what is wrong; never holds more
// than the limit.

import { parseMessage } from "./json.js";

/** What became of a body. */
export type Body = { readonly message: unknown } | { readonly fault: "not-json" | "too-long" | "other-type" | "encoded" | "unread" };

/** Reads a body; `unread` is one whose client went away before its end, `encoded` one that would have to be unpacked, to nobody knows what size. */
export async function readBody(request: Request, limit: number): Promise<Body> {
  if (!isJson(request.headers.get("content-type"))) return { fault: "other-type" };
  if (!/^\s*(identity\s*)?$/i.test(request.headers.get("content-encoding") ?? "")) return { fault: "encoded" };
  let bytes: Uint8Array | undefined;
  try {
    bytes = await readBytes(request, limit);
  } catch {
    return { fault: "unread" };
  }
  if (bytes === undefined) return { fault: "too-long" };
  try {
    return { message: parseMessage(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    return { fault: "not-json" };
  }
}

/** Tells whether a media type is JSON, in the one encoding it has. https://www.rfc-editor.org/rfc/rfc8259#section-8.1 */
function isJson(contentType: string | null): boolean {
  const [type, ...parameters] = (contentType ?? "").split(";").map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  return type === "application/json" && (charset === undefined || /^charset="?utf-?8"?$/.test(charset));
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array | undefined> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > limit) return undefined;
  if (declared !== null && /^\d+$/.test(declared)) {
    // The length was promised and the server below holds the client to it, so the short way cannot be led beyond the limit.
    const bytes = new Uint8Array(await request.arrayBuffer());
    return bytes.byteLength > limit ? undefined : bytes;
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request.body ?? []) {
    length += part.byteLength;
    if (length > limit) return undefined;
    parts.push(part);
  }
  return joined(parts, length);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}
