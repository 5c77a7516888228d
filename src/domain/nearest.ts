/** The candidate that takes the fewest changes of letters to become `name`; `name` itself where there are none. */
export function nearest(name: string, candidates: readonly string[]): string {
  return rank(name, candidates)[0]?.candidate ?? name;
}

/** ` Did you mean "users"?` where a candidate is near enough to be what was meant, else nothing. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const [best] = rank(name, candidates);
  // A third of the letters, or two: beyond that, it would be a guess that leads astray.
  return best !== undefined && best.changes <= Math.max(2, best.candidate.length / 3) ? ` Did you mean "${best.candidate}"?` : "";
}

function rank(name: string, candidates: readonly string[]): { readonly candidate: string; readonly changes: number }[] {
  return candidates.map((candidate) => ({ candidate, changes: distance(name, candidate) })).sort((a, b) => a.changes - b.changes);
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
