// The wire between the tests and a native ACP peer: bytes in memory or over pipes, read and written by the SDK's own line reader on its side. Every
// message that crosses is kept, and judged by the validators of its revision.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { tables } from "../../runtime/acp.js";
import { isEnvelopeError, readHead, type Direction, type Wire } from "../../runtime/index.js";
import { errorValidator } from "../corpus/acp-errors.js";
import type { AcpModule, AcpStream } from "./acp-sdk.js";
import { isObject } from "./holds.js";
import { Ear, type Line } from "./line.js";

/** One message that crossed the wire, and the direction in which it did. */
export interface Frame {
  readonly direction: Direction;
  readonly message: unknown;
}

/** Makes a line in memory and the SDK's end of it. */
export function memoryWire(sdk: AcpModule): { readonly line: Line; readonly stream: AcpStream } {
  const up = new TransformStream<Uint8Array, Uint8Array>();
  const down = new TransformStream<Uint8Array, Uint8Array>();
  const writer = down.writable.getWriter();
  const ear = new Ear();
  createInterface({ input: Readable.fromWeb(up.readable as never) }).on("line", (text) => ear.take(text));
  const line: Line = {
    heard: ear.heard,
    listen: (listener) => ear.listen(listener),
    write(message) {
      writer.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)).catch(() => undefined);
    },
    close: () => writer.close().catch(() => undefined),
  };
  return { line, stream: sdk.ndJsonStream(up.writable, down.readable) };
}

/** Keeps every message of a line; `heard` is the direction of what the peer writes. */
export function recordedLine(line: Line, heard: Direction, frames: Frame[]): Line {
  const said: Direction = heard === "clientToServer" ? "serverToClient" : "clientToServer";
  return {
    heard: line.heard,
    listen: (listener) =>
      line.listen((message) => {
        frames.push({ direction: heard, message });
        listener(message);
      }),
    write(message) {
      frames.push({ direction: said, message: structuredClone(message) });
      line.write(message);
    },
    close: () => line.close(),
  };
}

/** Keeps every message of the SDK's client on its end of a stream. */
export function recordedStream({ readable, writable }: AcpStream, frames: Frame[]): AcpStream {
  const keep = (direction: Direction) =>
    new TransformStream<Wire, Wire>({
      transform(message, controller) {
        frames.push({ direction, message: structuredClone(message) });
        controller.enqueue(message);
      },
    });
  const out = keep("clientToServer");
  void out.readable.pipeTo(writable).catch(() => undefined);
  return { readable: readable.pipeThrough(keep("serverToClient")), writable: out.writable };
}

/** Lists what is wrong with messages at a revision: with their envelopes, directions, params, results and errors. */
export async function frameFaults(revision: string, frames: readonly Frame[]): Promise<readonly string[]> {
  const validators = await tables.loadValidators(revision);
  const isError = errorValidator(revision);
  const asked = new Map<string, string>();
  return frames.flatMap(({ direction, message }) => {
    const fault = (why: string, detail?: unknown) => [`${direction} ${JSON.stringify(message)}: ${why} ${JSON.stringify(detail ?? "")}`];
    try {
      const head = readHead(message);
      if (head.kind === "response") {
        const { id, result, error } = head.wire;
        const method = asked.get(`${otherWay(direction)} ${JSON.stringify(id)}`);
        if (error !== undefined) return isError(error) ? [] : fault("the error is none", isError.errors);
        if (method === undefined) return fault("nothing asked for it");
        const validate = validators.get(method)?.result;
        return validate?.(result) === true ? [] : fault(`no result of ${method}`, validate?.errors);
      }
      const { method, wire } = head;
      const entry = tables.methods[revision]?.find((candidate) => candidate.method === method);
      if (head.kind === "request") asked.set(`${direction} ${JSON.stringify(head.id)}`, method);
      if (entry === undefined) return fault("no method");
      if (entry.kind !== head.kind) return fault(`no ${head.kind}`);
      if (!entry.directions.includes(direction)) return fault("the wrong way");
      const validate = validators.get(method)?.params;
      return validate?.(wire["params"] ?? {}) === true ? [] : fault("no params", validate?.errors);
    } catch (error) {
      if (!isEnvelopeError(error)) throw error;
      return fault(error.message);
    }
  });
}

/** Lists the methods that crossed the wire, each with its direction. */
export function methodsIn(frames: readonly Frame[]): ReadonlySet<string> {
  return new Set(
    frames.flatMap(({ direction, message }) =>
      isObject(message) && typeof message["method"] === "string" ? [`${direction} ${message["method"]}`] : [],
    ),
  );
}

function otherWay(direction: Direction): Direction {
  return direction === "clientToServer" ? "serverToClient" : "clientToServer";
}
