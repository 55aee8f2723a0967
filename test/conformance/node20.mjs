// Lets the conformance suite start on Node 20: `node --import <this> <the suite>`. MCP_PIN=<revision> has its legacy client offer that revision
// instead of the newest its SDK knows, which no option of the suite can do.
import { register } from "node:module";

register("./node20-hooks.mjs", import.meta.url, { data: { pin: process.env["MCP_PIN"] } });
