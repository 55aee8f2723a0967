// Finds names near a misspelt one, for a message that helps. Pure.

/** Gives up to three names near the one given, nearest first; names that share a dotted part count as near. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  const parts = (name: string) => new Set(name.toLowerCase().split(/[^a-z0-9]+/));
  const own = parts(wanted);
  const score = (name: string) => {
    const distance = editDistance(wanted.toLowerCase(), name.toLowerCase()) / Math.max(wanted.length, name.length, 1);
    const shared = [...parts(name)].filter((part) => part !== "" && own.has(part)).length;
    return distance - shared * 0.2;
  };
  return names
    .map((name) => ({ name, score: score(name) }))
    .filter((entry) => entry.score < 0.6)
    .sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map((entry) => entry.name);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
