// Native clients through `polyrev bridge` as the command they start, to native servers as the command that it starts: every client and every server
// at least once, within an era and across.
import { describePairs, PAIRS } from "./bridge-cases.js";
import { openProcess } from "./bridge-ways.js";

const CHOSEN = new Set([
  "sdk-1.0 sdk-2",
  "sdk-1.10 sdk-1.32",
  "sdk-1.12 sdk-1.0",
  "sdk-1.22 sdk-1.10",
  "sdk-1.32 sdk-1.12",
  "sdk-1.32 sdk-1.22",
  "sdk-2 sdk-2",
]);

describePairs(
  "over pipes",
  PAIRS.filter(({ client, server }) => CHOSEN.has(`${client.alias} ${server.alias}`)),
  () => openProcess,
);
