// The gates that the rows and a schema give: derived from what rows require, and from what they say where that is not all; and a schema in which
// a method is two things, or a capability neither a boolean nor an object.
import { describe, expect, test } from "vitest";
import type { Problem } from "../../generator/problem.js";
import { compileGates } from "../../generator/model/method-gates.js";
import { readMethods, type MessageUnion } from "../../generator/model/methods.js";
import type { Access, Definitions, Feature, MethodGate, Requirement, Revision, Schema } from "../../generator/model/types.js";
import { loadModel } from "../loaded-model.js";

const PLACE = { file: "toy.yaml", line: 7 };

function feature(index: number, methods: readonly string[], requires?: Requirement, access: readonly Access[] = []): Feature {
  return {
    index,
    id: `feature.${index}`,
    summary: "A feature.",
    kind: "behaviour",
    side: "both",
    first: 0,
    last: 0,
    cite: { revision: "one", page: "basic" },
    gates: { methods, definitions: [], fields: [], members: [], changes: [], results: [], constants: [] },
    access: access.map((entry) => ({ ...entry, place: PLACE })),
    errors: index === 0 ? [{ name: "NO_SUCH", code: -32099, place: PLACE }] : [],
    lowerings: [],
    extensions: [],
    since: new Map(),
    place: () => PLACE,
    ...(requires === undefined ? {} : { requires }),
  };
}

const DEFINITIONS: Definitions = {
  Call: { anyOf: [{ $ref: "#/$defs/AskCall" }, { $ref: "#/$defs/TellCall" }] },
  Shout: { anyOf: [{ $ref: "#/$defs/AskCall" }] },
  Twin: { anyOf: [{ $ref: "#/$defs/AskAgainCall" }] },
  AskCall: call("ask"),
  AskAgainCall: call("ask"),
  TellCall: call("tell"),
  AskReply: { type: "object" },
  TellReply: { type: "object" },
  Hello: { type: "object", properties: { ways: { type: "array" }, open: { type: "boolean" }, more: { type: "object" } } },
  Asker: { type: "object", properties: { asks: { type: "object" } } },
  Teller: { type: "object", properties: { tells: { type: "boolean" }, name: { type: "string" } } },
};

function call(method: string): Definitions[string] {
  const member = (how: Schema): Schema => ({ type: "object", properties: { how } });
  const params = { oneOf: [{ anyOf: [member({ enum: ["loud"] })] }, member({ const: "soft" })] };
  return { type: "object", properties: { method: { const: method }, params }, required: ["method"] };
}

const UNION: MessageUnion = { union: "Call", kind: "request", direction: "clientToServer" };

function compile(
  features: readonly Feature[],
  unions: readonly MessageUnion[] = [UNION],
): { readonly gates: readonly MethodGate[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const naming = { request: "Call", result: "Reply", empty: "AskReply", envelope: "Envelope" };
  const placeOf = () => PLACE;
  const methods = readMethods(
    { revision: 0, definitions: DEFINITIONS, canonicalName: (name) => name, placeOf, unions, naming, features },
    problems,
  );
  const flags = {
    client: new Map([["asks", "object" as const]]),
    server: new Map([
      ["tells", "boolean" as const],
      ["name", "object" as const],
    ]),
  };
  const revision = {
    id: "one",
    index: 0,
    era: "legacy",
    definitions: DEFINITIONS,
    canonical: DEFINITIONS,
    methods,
    flags,
  } as unknown as Revision;
  const [gates = []] = compileGates(
    { features, revisions: [revision], capabilities: { client: "Asker", server: "Teller" } },
    [{ era: "legacy", side: "server", error: "NO_SUCH", data: "needs", place: PLACE }],
    problems,
  );
  return { gates, problems };
}

/** Compiles what one row says of `ask`, which another row gates by the server's `tells`. */
function ask(access: Omit<Access, "methods">, requires?: Requirement): ReturnType<typeof compile> {
  return compile([feature(0, ["tell"]), feature(1, ["ask"], requires), feature(2, [], undefined, [{ methods: ["ask"], ...access }])]);
}

describe("gates", () => {
  test.each<readonly [string, Omit<Access, "methods">, Requirement | undefined, Partial<Record<keyof never, unknown>>]>([
    ["nothing more", { owner: "receiver" }, undefined, { shape: "baseline", feature: 1 }],
    [
      "a capability",
      { owner: "receiver" },
      { server: "tells" },
      { shape: "capability", feature: 1, owner: "receiver", flag: { path: "tells", marker: "boolean", code: -32099, data: "needs" } },
    ],
    [
      "a capability of the sender",
      { owner: "sender" },
      { client: "asks" },
      { shape: "capability", owner: "sender", flag: { side: "client", path: "asks", marker: "object", code: -32601 } },
    ],
    [
      "either side's capability",
      { owner: "receiver" },
      { client: "asks", server: "tells", match: "any" },
      { shape: "capability", owner: "receiver", flag: { side: "server", path: "tells" } },
    ],
    [
      "a list in the initialize result",
      { initialize: "Hello.ways" },
      undefined,
      { shape: "initialize", path: "ways", marker: "list", code: -32099 },
    ],
    ["a flag of the session", { session: "Hello.open" }, undefined, { shape: "session", path: "open", marker: "boolean", feature: 2 }],
    [
      "an object of the entity",
      { entity: "Hello.more", error: "NO_SUCH" },
      undefined,
      { shape: "entity", path: "more", marker: "object", code: -32099 },
    ],
    [
      "never",
      { never: { server: "magic" } },
      undefined,
      { shape: "never", owner: "receiver", side: "server", path: "magic", code: -32099 },
    ],
  ])("%s", (_, access, requires, want) => {
    const { gates, problems } = ask(access, requires);
    expect(problems).toEqual([]);
    expect(gates.find((gate) => gate.method === "ask")).toMatchObject(want);
  });

  test("the params choose between capabilities", () => {
    const choosing: Access = { methods: ["ask"], params: { field: "how", cases: { loud: "feature.2" } }, error: "NO_SUCH" };
    const { gates, problems } = compile([
      feature(0, ["tell"]),
      feature(1, ["ask"], undefined, [choosing]),
      feature(2, [], { server: "tells" }),
    ]);
    expect(problems).toEqual([]);
    expect(gates.find((gate) => gate.method === "ask")).toMatchObject({
      shape: "params",
      field: "how",
      cases: { loud: { path: "tells", feature: 2, code: -32099 } },
      code: -32099,
    });
  });
});

describe("what cannot be a gate", () => {
  test("a choice by a value that no member of the params has", () => {
    const { problems } = ask({ params: { field: "how", cases: { shrill: "feature.1" } } }, { server: "tells" });
    expect(problems).toMatchObject([{ message: '"shrill" is no value of params.how of ask at one', fix: 'known are "loud", "soft"' }]);
  });

  test.each<readonly [string, readonly MessageUnion[], string]>([
    [
      "a method of two kinds",
      [UNION, { ...UNION, union: "Shout", kind: "notification" }],
      "ask is a request in Call and a notification in Shout",
    ],
    ["a method twice in one direction", [UNION, { ...UNION, union: "Shout" }], "ask stands twice for clientToServer: in Call and in Shout"],
    [
      "a method of two definitions",
      [UNION, { ...UNION, union: "Twin", direction: "serverToClient" }],
      "ask is the method of both AskCall and AskAgainCall",
    ],
  ])("%s", (_, unions, says) => {
    const { problems } = compile([feature(0, ["tell"]), feature(1, ["ask"])], unions);
    expect(problems.map(({ message }) => message)).toEqual([says]);
  });

  test("a capability that is a text", () => {
    const { problems } = ask({ owner: "receiver" }, { server: "name" });
    expect(problems).toMatchObject([
      { ...PLACE, message: "feature.1 asks for the server capability name, which is of type string at one" },
    ]);
  });
});

test("every revision has one gate for each direction and method", () => {
  const { revisions, methodGates } = loadModel("mcp");
  for (const revision of revisions) {
    const rows = (methodGates[revision.index] ?? []).map(({ direction, method }) => `${direction} ${method}`);
    expect(new Set(rows).size).toBe(rows.length);
    expect(rows).toHaveLength(revision.methods.flatMap((method) => method.directions).length);
  }
});
