/** Keeps the last bytes of a window, to be sent again at the start of the next. */
export interface Tail {
  /** What the last finished window left; good until the next `turn`. */
  readonly bytes: Uint8Array;
  /** Takes note of bytes that stand at `offset` in a window of `lengthBytes`. */
  record(bytes: Uint8Array, offset: number, lengthBytes: number): void;
  /** The window is over: what was recorded becomes `bytes`. */
  turn(): void;
  clear(): void;
}

/** Holds two buffers of `sizeBytes` at most, and none before there is something to keep. */
export function createTail(sizeBytes: number): Tail {
  let kept: Uint8Array = new Uint8Array();
  let recorded: Uint8Array = new Uint8Array();
  let recordedBytes = 0;
  let keptBytes = 0;
  return {
    get bytes() {
      return kept.subarray(0, keptBytes);
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
    turn() {
      [kept, recorded] = [recorded, kept];
      keptBytes = recordedBytes;
      recordedBytes = 0;
    },
    clear() {
      keptBytes = 0;
      recordedBytes = 0;
    },
  };
}
