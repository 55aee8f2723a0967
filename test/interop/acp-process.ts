// Is an ACP agent over the pipes of this process: `acp-process.ts <ours|native> <revision>`. On its first prompt it says all that an agent can say.
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import { hellosOf, nativeApp, openSide, tellAll, type Teller } from "./acp-pair.js";
import { loadAcp } from "./acp-sdk.js";
import { Ear, type Line } from "./line.js";

const [whose, revision = ""] = process.argv.slice(2);
const onPrompt = async (client: Teller): Promise<void> => void (await tellAll(revision, "serverToClient", client));
const options = { hellos: hellosOf(revision).full, onPrompt };

if (whose === "native") {
  const sdk = await loadAcp(revision);
  const stream = sdk.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>);
  nativeApp(sdk, revision, "server", options, []).connect(stream);
} else {
  await openSide(revision, "server", ownLine(), options, []);
}

function ownLine(): Line {
  const ear = new Ear();
  createInterface({ input: process.stdin }).on("line", (text) => ear.take(text));
  return {
    heard: ear.heard,
    listen: (listener) => ear.listen(listener),
    write: (message) => void process.stdout.write(`${JSON.stringify(message)}\n`),
    close: () => Promise.resolve(),
  };
}
