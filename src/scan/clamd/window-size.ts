/** Stores the largest window that clamd accepts, for later starts and other processes. */
export interface StoredWindowSize {
  load(): Promise<number | undefined>;
  save(windowBytes: number): Promise<void>;
}

/** The number of bytes that are sent to clamd in one stream: as configured, or less if clamd accepts less. */
export interface WindowSize {
  current(): Promise<number>;
  /** Returns and stores the next size to try after clamd refused `refusedBytes`; undefined if no smaller size is useful. */
  shrink(refusedBytes: number): Promise<number | undefined>;
  /** Returns a larger size to try; undefined if the current one is the configured one. */
  larger(): Promise<number | undefined>;
  grow(windowBytes: number): Promise<void>;
}

const MIN_ADVANCE_BYTES = 1024 * 1024;

/** Creates the window size, which is never below the overlap plus 1 MB. A size that cannot be loaded or saved is only kept in memory. */
export function createWindowSize(options: {
  readonly windowBytes: number;
  readonly overlapBytes: number;
  readonly storedSize: StoredWindowSize;
}): WindowSize {
  const { windowBytes, storedSize } = options;
  const minBytes = Math.min(windowBytes, options.overlapBytes + MIN_ADVANCE_BYTES);
  const clamp = (bytes: number) => Math.min(windowBytes, Math.max(minBytes, Math.floor(bytes)));
  let loading: Promise<number> | undefined;

  const load = async () => {
    const remembered = await storedSize.load().catch(() => undefined);
    return clamp(remembered ?? windowBytes);
  };
  const current = () => {
    loading ??= load();
    return loading;
  };
  const set = async (bytes: number) => {
    loading = Promise.resolve(bytes);
    await storedSize.save(bytes).catch(() => {});
  };

  return {
    current,
    async shrink(refusedBytes) {
      const now = await current();
      // Another scan has already reduced it.
      if (now < refusedBytes) return now;
      if (refusedBytes <= minBytes) return undefined;
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
