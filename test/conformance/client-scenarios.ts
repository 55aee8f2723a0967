// The scenarios of the suite's client mode that a driver can go through, by the era of their mock server, each at one revision of it.

/** What one driver is put through. */
export interface ClientScenarios {
  readonly revision: string;
  readonly scenarios: readonly string[];
}

/** The scenarios by era. */
export const CLIENT_SCENARIOS: Readonly<Record<"legacy" | "modern", ClientScenarios>> = {
  legacy: {
    revision: "2025-11-25",
    scenarios: ["initialize", "tools_call", "elicitation-sep1034-client-defaults", "json-schema-2020-12-preservation", "sse-retry"],
  },
  modern: {
    revision: "2026-07-28",
    scenarios: [
      "tools_call",
      "request-metadata",
      "sep-2322-client-request-state",
      "http-standard-headers",
      "http-custom-headers",
      "http-invalid-tool-headers",
      "json-schema-ref-no-deref",
      "json-schema-2020-12-preservation",
    ],
  },
};
