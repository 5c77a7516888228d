/** Sums by key. A key whose sum is 0 takes no memory. */
export interface KeyedCounter {
  /** Returns the sum of a key; 0 for an unknown key. */
  get(key: string): number;
  /** Adds an amount, which may be negative. */
  add(key: string, amount: number): void;
}

export function createKeyedCounter(): KeyedCounter {
  const sums = new Map<string, number>();
  const get = (key: string): number => sums.get(key) ?? 0;
  return {
    get,
    add(key, amount) {
      const sum = get(key) + amount;
      if (sum === 0) sums.delete(key);
      else sums.set(key, sum);
    },
  };
}
