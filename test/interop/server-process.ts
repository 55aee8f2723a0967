// Serves as the native server of one peer over the pipes of this process: `server-process.ts <alias>`.
import { nativeHandlers, serverCapabilities } from "./native-server.js";
import { loadPeer, peerOf } from "./peers.js";

const peer = await loadPeer(peerOf(process.argv[2] ?? ""));
await peer.serve(serverCapabilities(peer.revision), nativeHandlers(peer));
