// Bundles TypeScript of this repository as an application's build would, in memory: minified modules, with what is loaded on demand apart.
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";

/** One module of a bundle: the source files in it, below the repository, and its size in bytes, minified and minified and gzipped. */
export interface Chunk {
  readonly isEntry: boolean;
  readonly files: readonly string[];
  /** Positions in the bundle of the chunks it cannot load without. */
  readonly needs: readonly number[];
  readonly minified: number;
  readonly gzipped: number;
}

/** Bundles what an entry of the given text imports; its paths are relative to the repository, `root`. */
export async function bundle(root: string, text: string): Promise<Chunk[]> {
  const entry = join(root, "size-entry.ts");
  const built = await build({
    root,
    configFile: false,
    logLevel: "silent",
    plugins: [{ name: "entry", resolveId: (id) => (id === entry ? entry : undefined), load: (id) => (id === entry ? text : undefined) }],
    // A library build would keep the white space, which no application ships.
    build: {
      write: false,
      target: "es2022",
      minify: true,
      modulePreload: false,
      rolldownOptions: { input: entry, preserveEntrySignatures: "strict" },
    },
  });
  if ("on" in built) throw new Error("cannot bundle: the bundler watches instead of building");
  const chunks = [built]
    .flat()
    .flatMap((bundled) => bundled.output.filter((output) => output.type === "chunk"))
    .sort((a, b) => Number(b.isEntry) - Number(a.isEntry));
  const names = chunks.map((chunk) => chunk.fileName);
  return chunks.map((chunk) => ({
    isEntry: chunk.isEntry,
    // The bundler's own helpers are no files of ours.
    files: chunk.moduleIds
      .filter((id) => id !== entry && !id.startsWith("\0"))
      .map((id) => id.slice(root.length + 1).replaceAll("\\", "/")),
    needs: chunk.imports.map((name) => names.indexOf(name)).filter((index) => index !== -1),
    minified: Buffer.byteLength(chunk.code),
    gzipped: gzipSync(chunk.code, { level: 9 }).byteLength,
  }));
}

/** Adds up the entry, the chunks that hold one of the given files, and whatever these need; each counts once. */
export function loadedSize(chunks: readonly Chunk[], files: readonly string[]): { readonly minified: number; readonly gzipped: number } {
  const loaded = new Set<Chunk>();
  const load = (chunk: Chunk | undefined): void => {
    if (chunk === undefined || loaded.has(chunk)) return;
    loaded.add(chunk);
    for (const index of chunk.needs) load(chunks[index]);
  };
  for (const chunk of chunks) if (chunk.isEntry || files.some((file) => chunk.files.includes(file))) load(chunk);
  const missing = files.filter((file) => ![...loaded].some((chunk) => chunk.files.includes(file)));
  if (missing.length > 0) throw new Error(`cannot measure ${missing.join(", ")}: the bundle does not hold it`);
  const sum = (size: (chunk: Chunk) => number) => [...loaded].reduce((total, chunk) => total + size(chunk), 0);
  return { minified: sum((chunk) => chunk.minified), gzipped: sum((chunk) => chunk.gzipped) };
}
