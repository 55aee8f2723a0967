// The module hooks of node20.mjs. The suite imports `globSync`, which `fs` has from Node 22 on, for a command the tests do not run; an import of
// what is not there would stop it before it starts.
const SUITE = "/@modelcontextprotocol/conformance/";
const SDK_TYPES = "/@modelcontextprotocol/sdk/dist/esm/types.js";
const FS = "polyrev:fs-with-glob";
const LATEST = /(?<=export const LATEST_PROTOCOL_VERSION = )'[^']*'/;

let pin;

/** Takes what node20.mjs registers the hooks with. */
export function initialize(data) {
  pin = data.pin;
}

/** Gives the suite a file system of our own, and leaves all else as it is. */
export function resolve(specifier, context, next) {
  const fromSuite = context.parentURL?.includes(SUITE) === true;
  return fromSuite && /^(node:)?fs$/.test(specifier) ? { url: FS, shortCircuit: true } : next(specifier, context);
}

/** Writes that file system, and the pinned revision into the suite's SDK. */
export async function load(url, context, next) {
  if (url === FS) {
    const glob = `export function globSync() { throw new Error("cannot glob: Node ${process.versions.node} has no fs.globSync"); }`;
    return { format: "module", source: `export * from "node:fs"; export { default } from "node:fs"; ${glob}`, shortCircuit: true };
  }
  const loaded = await next(url, context);
  if (!pin || !url.endsWith(SDK_TYPES)) return loaded;
  const source = String(loaded.source);
  if (!LATEST.test(source)) throw new Error(`cannot pin the suite's client to ${pin}: its SDK names no newest revision`);
  return { ...loaded, source: source.replace(LATEST, JSON.stringify(pin)) };
}
