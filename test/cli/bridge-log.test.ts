// What is said of each event, at which level, and which of them the report keeps.
import { describe, expect, it } from "vitest";
import type { BridgeEvent } from "../../runtime/bridge/events.js";
import { isReported, logLineOf, recordOf } from "../../runtime/cli/bridge-log.js";

const HOP = { era: "legacy", revision: "2025-06-18", transport: "stdio" } as const;
const SUMMARY = { requests: 3, notifications: 1, refused: 1, dropped: 2, lossy: 0, milliseconds: 12 };
const STEP = { feature: "content.audio", action: "text-block", path: "/content/0", loss: "content" } as const;
const TRANSLATED = {
  event: "translated",
  session: 4,
  method: "tools/call",
  direction: "clientToServer",
  part: "result",
  from: "a",
  to: "b",
} as const;

const EVENTS: readonly (readonly [BridgeEvent, string, string, boolean])[] = [
  [
    {
      event: "opened",
      session: 4,
      downstream: HOP,
      upstream: { ...HOP, era: "modern", revision: "2026-07-28", transport: "streamable-http" },
    },
    "info",
    "opened: client at 2025-06-18 over stdio, server at 2026-07-28 over streamable-http",
    false,
  ],
  [
    { event: "closed", session: 4, reason: "the client left", summary: SUMMARY },
    "info",
    "closed (the client left): 3 requests, 1 notifications, 1 refused, 2 dropped, 0 losses in 12 ms",
    false,
  ],
  [{ ...TRANSLATED, step: STEP }, "warn", "tools/call result from a to b: text-block at /content/0, loss content", true],
  [
    { ...TRANSLATED, step: { ...STEP, path: "", loss: "advisory" } },
    "debug",
    "tools/call result from a to b: text-block at the payload, loss advisory",
    true,
  ],
  [{ event: "refused", session: 4, method: "x", code: -1, because: "why" }, "warn", "refused x with -1: why", true],
  [{ event: "dropped", session: 4, hop: "downstream", because: "why" }, "debug", "dropped a message of the client: why", true],
  [{ event: "dropped", session: 4, hop: "upstream", method: "x", because: "why" }, "debug", "dropped x of the server: why", true],
  [{ event: "made-up", session: 4, method: "x", because: "why" }, "debug", "said x on its own account: why", true],
  [{ event: "reconnected", session: 4, because: "why" }, "warn", "began again with the server: why", true],
];

describe("an event", () => {
  it.each(EVENTS)("%j is said at its level, and reported if something was lost", (event, level, message, isKept) => {
    const line = logLineOf(event);
    expect(line).toMatchObject({ level, message, facts: { session: 4, event: event.event } });
    expect(isReported(event)).toBe(isKept);
  });

  it("is recorded with its time and everything it says", () => {
    const event: BridgeEvent = { ...TRANSLATED, step: STEP };
    expect(JSON.parse(recordOf(event, 0))).toEqual({ time: "1970-01-01T00:00:00.000Z", ...event });
    expect(recordOf(event, 0)).not.toContain("\n");
  });
});
