/** The candidate that takes the fewest changes of letters to become `name`; `name` itself where there are none. */
export function nearest(name: string, candidates: readonly string[]): string {
  const ranked = candidates.map((candidate) => [distance(name, candidate), candidate] as const).sort((a, b) => a[0] - b[0]);
  return ranked[0]?.[1] ?? name;
}

/** Levenshtein's: how many letters must change. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
