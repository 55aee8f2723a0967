// A property that goes by several names in turn: at each revision the names of the others are taken to its own, older ones upwards, newer ones back.
import { describe, expect, test } from "vitest";
import { siblingPath } from "../../generator/model/path.js";
import { planRevision } from "../../generator/model/plan.js";
import type { Schema } from "../../generator/model/schema.js";
import type { Model, Revision } from "../../generator/model/types.js";
import { loadModel } from "../loaded-model.js";

const HOLDER = "SessionConfigSelectGroup";
const acp = loadModel("acp");
const [one, two] = acp.revisions as [Revision, Revision];

/** The second revision again, with one property under another name, or without it. */
function later(rename: string | undefined): Model {
  const holder = two.canonical[HOLDER] as Schema;
  const { groupId, ...rest } = holder.properties as Record<string, Schema>;
  const properties = rename === undefined ? rest : { ...rest, [rename]: groupId as Schema };
  const required = (holder.required ?? []).flatMap((name) => (name === "groupId" ? (rename ?? []) : name));
  const three: Revision = { ...two, id: "three", index: 2, canonical: { ...two.canonical, [HOLDER]: { ...holder, properties, required } } };
  const known = acp.propertyRenames.find((entry) => entry.from === `${HOLDER}.group`);
  if (known === undefined) throw new Error("no such rename");
  const again = rename === undefined ? [] : [{ ...known, revision: 2, from: known.to, to: `${HOLDER}.${rename}` }];
  return { ...acp, revisions: [one, two, three], propertyRenames: [...acp.propertyRenames, ...again] };
}

function renamingsAt(model: Model, index: number): readonly string[] {
  const plan = planRevision(model, model.revisions[index] as Revision).functions.find(({ path }) => path === HOLDER);
  if (plan?.body.kind !== "object") throw new Error("no plan");
  return (plan.body.renamings ?? []).map(({ from, to }) => `${from} → ${to}`);
}

describe("a property renamed twice", () => {
  test.each([
    [0, ["key → groupId", "groupId → group"]],
    [1, ["group → groupId", "key → groupId"]],
    [2, ["group → groupId", "groupId → key"]],
  ] as const)("at revision %i", (index, want) => {
    expect(renamingsAt(later("key"), index)).toEqual(want);
  });
});

test("a property renamed and then gone is not renamed where no name is left", () => {
  expect([0, 1, 2].map((index) => renamingsAt(later(undefined), index))).toEqual([["groupId → group"], ["group → groupId"], []]);
});

test.each([
  ["Group.id", "key", "Group.key"],
  ["Group.items[].id", "key", "Group.items[].key"],
  ['Group["io.x/id"]', "key", "Group.key"],
  ["Group.id", "io.x/key", 'Group["io.x/key"]'],
  ["Group", "key", undefined],
  ["Group.items[]", "key", undefined],
  ["Group.id|string", "key", undefined],
])("beside %s stands %s", (path, property, want) => {
  expect(siblingPath(path, property)).toBe(want);
});
