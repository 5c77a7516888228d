/** Caches a value that is costly to make. Concurrent calls share one `make`. */
export interface CachedValue<T> {
  get(): Promise<T>;
  /** Returns the last value, however old. */
  peek(): T | undefined;
  /** Makes the next `get` call `make`. */
  expire(): void;
}

export function createCachedValue<T>(options: {
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  readonly make: () => Promise<T>;
  readonly maxAgeMs: (value: T) => number;
}): CachedValue<T> {
  let last: { readonly value: T; readonly madeAtMs: number; readonly maxAgeMs: number } | undefined;
  let making: Promise<T> | undefined;

  const make = async () => {
    try {
      const value = await options.make();
      last = { value, madeAtMs: options.now(), maxAgeMs: options.maxAgeMs(value) };
      return value;
    } finally {
      making = undefined;
    }
  };

  return {
    async get() {
      const ageMs = options.now() - (last?.madeAtMs ?? 0);
      // The age is below 0 if the clock was set back.
      if (last && ageMs >= 0 && ageMs < last.maxAgeMs) return last.value;
      making ??= make();
      return making;
    },
    peek: () => last?.value,
    expire() {
      if (last) last = { ...last, maxAgeMs: 0 };
    },
  };
}
