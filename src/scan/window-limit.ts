/** Where the largest window that clamd took is remembered, across restarts and processes. */
export interface RememberedLimit {
  load(): Promise<number | undefined>;
  save(windowBytes: number): Promise<void>;
}

/** How much is sent to clamd at once: what is configured, or less where clamd takes less. */
export interface WindowLimit {
  current(): Promise<number>;
  /** What to try instead of `refusedBytes`, remembered; undefined where there is nothing smaller worth trying. */
  shrink(refusedBytes: number): Promise<number | undefined>;
  /** What to try to learn whether clamd takes more by now; undefined where it takes what is configured. */
  larger(): Promise<number | undefined>;
  grow(windowBytes: number): Promise<void>;
}

const MIN_ADVANCE_BYTES = 1024 * 1024;

/** Never goes below the overlap and 1 MB. A limit that cannot be loaded or saved is kept in memory alone. */
export function createWindowLimit(options: {
  readonly windowBytes: number;
  readonly overlapBytes: number;
  readonly limits: RememberedLimit;
}): WindowLimit {
  const { windowBytes, limits } = options;
  const leastBytes = Math.min(windowBytes, options.overlapBytes + MIN_ADVANCE_BYTES);
  const clamp = (bytes: number) => Math.min(windowBytes, Math.max(leastBytes, Math.floor(bytes)));
  let loading: Promise<number> | undefined;

  const load = async () => {
    const remembered = await limits.load().catch(() => undefined);
    return clamp(remembered ?? windowBytes);
  };
  const current = () => {
    loading ??= load();
    return loading;
  };
  const set = async (bytes: number) => {
    loading = Promise.resolve(bytes);
    await limits.save(bytes).catch(() => {});
  };

  return {
    current,
    async shrink(refusedBytes) {
      const now = await current();
      // Another scan was refused before.
      if (now < refusedBytes) return now;
      if (refusedBytes <= leastBytes) return undefined;
      const smaller = clamp(refusedBytes / 2);
      await set(smaller);
      return smaller;
    },
    async larger() {
      const now = await current();
      return now < windowBytes ? clamp(now * 2) : undefined;
    },
    grow: (bytes) => set(clamp(bytes)),
  };
}
