// Replaces what stands between a pair of markers in a document: `<!-- name -->` … `<!-- /name -->`. Pure.

/** Gives the document with the part replaced; throws where the markers are missing. */
export function replaceBetween(document: string, name: string, content: string): string {
  const open = `<!-- ${name} -->`;
  const close = `<!-- /${name} -->`;
  const from = document.indexOf(open);
  const to = document.indexOf(close);
  if (from === -1 || to < from) throw new Error(`cannot write ${name}: the document has no ${open} … ${close}`);
  return `${document.slice(0, from + open.length)}\n${content}\n${document.slice(to)}`;
}
