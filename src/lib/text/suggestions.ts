/** Returns the candidate with the smallest edit distance to `name`; `name` itself if there are none. */
export function closestOf(name: string, candidates: readonly string[]): string {
  return rank(name, candidates)[0]?.candidate ?? name;
}

/** Returns ` Did you mean "users"?` if a candidate is close enough, otherwise "". */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const close = closeTo(name, candidates);
  return close === undefined ? "" : ` Did you mean "${close}"?`;
}

/** Returns the candidate with the smallest edit distance to `name`, if it is close enough. */
export function closeTo(name: string, candidates: readonly string[]): string | undefined {
  const [best] = rank(name, candidates);
  if (best === undefined) return undefined;
  // Permits two changed letters, or a third of them, but at most half of the given ones. More would suggest unrelated names.
  return best.changes <= Math.min(Math.max(2, best.candidate.length / 3), name.length / 2) ? best.candidate : undefined;
}

function rank(name: string, candidates: readonly string[]): { readonly candidate: string; readonly changes: number }[] {
  return candidates.map((candidate) => ({ candidate, changes: distance(name, candidate) })).sort((a, b) => a.changes - b.changes);
}

/** Returns the Levenshtein distance. */
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
