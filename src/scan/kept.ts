/** A value that is costly to make: made when asked for, kept for a while, and made once for all who ask meanwhile. */
export interface Kept<T> {
  get(): Promise<T>;
  /** The last one made, however old. */
  peek(): T | undefined;
  /** Makes the next `get` make it anew. */
  expire(): void;
}

export function createKept<T>(options: {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly make: () => Promise<T>;
  readonly goodForMs: (value: T) => number;
}): Kept<T> {
  let last: { readonly value: T; readonly until: number } | undefined;
  let making: Promise<T> | undefined;

  const make = async () => {
    try {
      const value = await options.make();
      last = { value, until: options.now() + options.goodForMs(value) };
      return value;
    } finally {
      making = undefined;
    }
  };

  return {
    async get() {
      if (last && options.now() < last.until) return last.value;
      making ??= make();
      return making;
    },
    peek: () => last?.value,
    expire() {
      if (last) last = { ...last, until: Number.NEGATIVE_INFINITY };
    },
  };
}
