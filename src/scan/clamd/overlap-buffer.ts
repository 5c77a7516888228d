/** Keeps the last bytes of a window, which are repeated at the start of the next. */
export interface OverlapBuffer {
  /** The last bytes of the previous window; valid until the next `endWindow`. */
  readonly bytes: Uint8Array;
  /** Records bytes at `offset` of a window of `lengthBytes`. */
  record(bytes: Uint8Array, offset: number, lengthBytes: number): void;
  /** Ends the window: the recorded bytes become `bytes`. */
  endWindow(): void;
  clear(): void;
}

/** Creates the buffer, which allocates at most two buffers of `sizeBytes` when they are first needed. */
export function createOverlapBuffer(sizeBytes: number): OverlapBuffer {
  let previous: Uint8Array = new Uint8Array();
  let recorded: Uint8Array = new Uint8Array();
  let recordedBytes = 0;
  let previousBytes = 0;
  return {
    get bytes() {
      return previous.subarray(0, previousBytes);
    },
    record(bytes, offset, lengthBytes) {
      const from = Math.max(0, lengthBytes - sizeBytes);
      const fresh = bytes.subarray(Math.max(0, from - offset));
      if (fresh.length === 0) return;
      if (recorded.length === 0) recorded = new Uint8Array(sizeBytes);
      const at = Math.max(offset, from) - from;
      recorded.set(fresh, at);
      recordedBytes = at + fresh.length;
    },
    endWindow() {
      [previous, recorded] = [recorded, previous];
      previousBytes = recordedBytes;
      recordedBytes = 0;
    },
    clear() {
      previousBytes = 0;
      recordedBytes = 0;
    },
  };
}
