/** A bounded map that drops the least recently used entries. */
export interface Lru<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): void;
  delete(key: K): void;
}

/**
 * Creates a map of at most `maxEntries`, an even number, and at least the most recently used half of them. It keeps two generations, so that most
 * hits cost one look-up.
 */
export function createLru<K, V extends object>(maxEntries: number): Lru<K, V> {
  let recent = new Map<K, V>();
  let older = new Map<K, V>();

  function set(key: K, value: V): void {
    if (recent.size >= maxEntries / 2 && !recent.has(key)) {
      older = recent;
      recent = new Map();
    }
    recent.set(key, value);
  }

  return {
    get(key) {
      const hit = recent.get(key);
      if (hit) return hit;
      const found = older.get(key);
      if (found) set(key, found);
      return found;
    },
    set,
    delete(key) {
      recent.delete(key);
      older.delete(key);
    },
  };
}
