// The bridge of the load run: modern clients in, the legacy server out, over HTTP; who asks stands in a header. `bridge.ts <url>`; tells its parent the
// address, and its memory when asked.
import { randomUUID } from "node:crypto";
import { DEFAULT_CHOICES, DEFAULT_LIMITS, DEFAULT_TIMEOUTS } from "../../runtime/bridge/options.js";
import { BridgeService } from "../../runtime/bridge/service.js";
import { DegradePolicy } from "../../runtime/mcp.js";
import { httpConnector } from "../../runtime/transport/http-connector.js";
import { listenHttp } from "../../runtime/transport/node-http.js";

const service = new BridgeService(httpConnector({ url: process.argv[2] ?? "", transports: ["streamable-http"] }), {
  policy: DegradePolicy.balanced(),
  identity: { name: "load", version: "1" },
  observe: () => undefined,
  timeouts: DEFAULT_TIMEOUTS,
  limits: { ...DEFAULT_LIMITS, sessions: 1_000 },
  choices: DEFAULT_CHOICES,
  now: () => performance.now(),
  random: Math.random,
  mint: randomUUID,
});
const { url } = await listenHttp(service, { principal: (request) => request.headers.get("x-client") ?? undefined });

process.on("message", () => process.send?.({ rss: process.memoryUsage().rss, heap: process.memoryUsage().heapUsed }));
process.send?.({ url });
