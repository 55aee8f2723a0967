// Says what a bridge does while it works: events as log lines on stderr, and as records of the report where one is wanted. No payload and no secret
// stands in an event, so none can stand in a log.

import type { BridgeEvent } from "../bridge/events.js";
import { isWire } from "../capabilities.js";
import type { TransportEvent } from "../transport/events.js";

/** A log line: its level, what it says, and its facts. */
export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Gives the log line of an event. */
export function logLineOf(event: BridgeEvent): LogLine {
  const { event: kind, session, ...facts } = event;
  return { level: levelOf(event), message: sentenceOf(event), facts: { session, event: kind, ...facts } };
}

/** Tells whether an event belongs in the report: something was lost, refused, dropped or made up. */
export function isReported({ event }: BridgeEvent): boolean {
  return event === "translated" || event === "refused" || event === "dropped" || event === "made-up" || event === "reconnected";
}

/** Gives the record of an event in the report; `time` is milliseconds since the epoch. */
export function recordOf(event: BridgeEvent, time: number): string {
  return JSON.stringify({ time: new Date(time).toISOString(), ...event });
}

/** Gives the facts of a log line about a transport: a banner is shown as it is, but nothing of what may be a message. */
export function transportFacts(event: TransportEvent): Readonly<Record<string, unknown>> {
  if (event.event === "noise") return { ...event, text: /^\s*[[{"]/.test(event.text) ? "JSON that is no message" : event.text };
  if (event.event === "unmatched") return { ...event, error: isWire(event.error) ? event.error["code"] : undefined };
  return { ...event };
}

function levelOf(event: BridgeEvent): LogLine["level"] {
  switch (event.event) {
    case "opened":
    case "closed":
      return "info";
    case "translated":
      return event.step.loss === "content" ? "warn" : "debug";
    case "refused":
    case "reconnected":
      return "warn";
    case "dropped":
    case "made-up":
      return "debug";
  }
}

function sentenceOf(event: BridgeEvent): string {
  switch (event.event) {
    case "opened": {
      const { downstream, upstream } = event;
      return `opened: client at ${downstream.revision} over ${downstream.transport}, server at ${upstream.revision} over ${upstream.transport}`;
    }
    case "closed": {
      const { requests, notifications, refused, dropped, lossy, milliseconds } = event.summary;
      const counts = `${requests} requests, ${notifications} notifications, ${refused} refused, ${dropped} dropped, ${lossy} losses`;
      return `closed (${event.reason}): ${counts} in ${milliseconds} ms`;
    }
    case "translated": {
      const { method, part, step, from, to } = event;
      return `${method} ${part} from ${from} to ${to}: ${step.action} at ${step.path || "the payload"}, loss ${step.loss}`;
    }
    case "refused":
      return `refused ${event.method} with ${event.code}: ${event.because}`;
    case "dropped":
      return `dropped ${event.method ?? "a message"} of the ${event.hop === "downstream" ? "client" : "server"}: ${event.because}`;
    case "made-up":
      return `said ${event.method} on its own account: ${event.because}`;
    case "reconnected":
      return `began again with the server: ${event.because}`;
  }
}
