// Every report from people about messages, played through the codecs; the kinds stand in reports/, the table of all in reports/partition.ts.
import { describe, expect, it } from "vitest";
import { assertionsAbout, reportIds } from "./reports.js";
import { playBatches } from "./reports/batches.js";
import { playBridgeEras } from "./reports/bridge-eras.js";
import { playBridgeHttp } from "./reports/bridge-http.js";
import { playBridgeMessages } from "./reports/bridge-messages.js";
import { playBridgeNegotiation } from "./reports/bridge-negotiation.js";
import { playBridgePipes } from "./reports/bridge-pipes.js";
import { playBridgeUpward } from "./reports/bridge-upward.js";
import { playCapabilities } from "./reports/capabilities.js";
import { playContent } from "./reports/content.js";
import { playEnvelopes } from "./reports/envelopes.js";
import { playErrors } from "./reports/errors.js";
import { playForwarding } from "./reports/forwarding.js";
import { playNegotiation } from "./reports/negotiation.js";
import { playNullFields } from "./reports/null-fields.js";
import { PARTITION } from "./reports/partition.js";
import { playResults } from "./reports/results.js";
import { playToolSchemas } from "./reports/tool-schemas.js";

playNegotiation();
playCapabilities();
playNullFields();
playToolSchemas();
playResults();
playContent();
playEnvelopes();
playBatches();
playErrors();
playForwarding();
playBridgeNegotiation();
playBridgeHttp();
playBridgeMessages();
playBridgePipes();
playBridgeEras();
playBridgeUpward();

// Last, since it counts what the others did.
describe("the table of reports", () => {
  const covered = Object.entries(PARTITION).flatMap(([id, place]) => (place.covered === undefined ? [] : [id]));

  it.skipIf(reportIds() === undefined)("names exactly the reports there are (needs ../shared/cases)", () => {
    expect(Object.keys(PARTITION)).toEqual(reportIds());
  });

  it.skipIf(reportIds() === undefined)(
    "says covered only of what was played, each with an assertion of its own (needs ../shared/cases)",
    () => {
      expect(covered.filter((id) => assertionsAbout(id) === 0)).toEqual([]);
      expect((reportIds() ?? []).filter((id) => assertionsAbout(id) > 0 && !covered.includes(id))).toEqual([]);
    },
  );

  it("says of what waits that it waits for the bridge", () => {
    for (const [id, { waits }] of Object.entries(PARTITION)) expect(waits ?? "bridge: nothing", id).toMatch(/^bridge: /);
  });
});
