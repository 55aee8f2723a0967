// Every native client through the bridge to every native server: all operations of a session, in memory.
import { describePairs, PAIRS } from "./bridge-cases.js";
import { openMemory } from "./bridge-ways.js";

describePairs("in memory", PAIRS, () => openMemory);
