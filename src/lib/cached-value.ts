/** Caches a value that is costly to make. Concurrent calls share one `make`. */
export interface CachedValue<T> {
  get(): Promise<T>;
  /** The last value, however old. */
  peek(): T | undefined;
  /** Makes the next `get` call `make`. */
  expire(): void;
}

export function createCachedValue<T>(options: {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly make: () => Promise<T>;
  readonly maxAgeMs: (value: T) => number;
}): CachedValue<T> {
  let last: { readonly value: T; readonly validUntilMs: number } | undefined;
  let making: Promise<T> | undefined;

  const make = async () => {
    try {
      const value = await options.make();
      last = { value, validUntilMs: options.now() + options.maxAgeMs(value) };
      return value;
    } finally {
      making = undefined;
    }
  };

  return {
    async get() {
      if (last && options.now() < last.validUntilMs) return last.value;
      making ??= make();
      return making;
    },
    peek: () => last?.value,
    expire() {
      if (last) last = { ...last, validUntilMs: Number.NEGATIVE_INFINITY };
    },
  };
}
