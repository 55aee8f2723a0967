// Serves as the native server of one peer over the pipes of this process: `server-process.ts <alias> [file]`; every frame goes into the file too.
import { appendFileSync } from "node:fs";
import { bridgedHandlers, serverRoom } from "./bridge-server.js";
import { tapTransport } from "./bridge-tap.js";
import { serverCapabilities } from "./native-server.js";
import { loadPeer, peerOf } from "./peers.js";

const [, , alias = "", file] = process.argv;
const peer = await loadPeer(peerOf(alias));
const transport = peer.pipeTransport();
if (file !== undefined) tapTransport(transport, "server", (from, frame) => appendFileSync(file, `${JSON.stringify({ from, frame })}\n`));
await peer.serve(serverCapabilities(peer.revision), bridgedHandlers(peer, serverRoom()), transport);
