import { freeChunk } from "../chunk-memory.ts";

/** Bytes of one part that are gathered in memory. */
export interface Gathering {
  /** Copies what there is room for; the rest is returned. */
  add(chunk: Uint8Array): Uint8Array;
  isFull(): boolean;
  /** What the buffer may grow to when so many bytes are added. */
  roomFor(count: number): number;
  bytes(): Uint8Array<ArrayBuffer>;
  /** Goes on in another buffer, where that is larger; what is not used any more is freed. */
  moveTo(other: Uint8Array<ArrayBuffer>): void;
  free(): void;
}

export interface GatheringOptions {
  readonly capacityBytes: number;
  /** How many bytes will come, where that is known. */
  readonly expectedBytes: number | undefined;
  /** A buffer to be used again. */
  readonly spare?: Uint8Array<ArrayBuffer>;
}

/** What a body holds with its first bytes, and what is enough to hand a part on as it comes: two buffers of a feed. */
export const FIRST_HOLD_BYTES = 512 * 1024;
/** How much more memory is asked for at a time: few steps, so that bodies which wait for the next one do not hold most of it together. */
const STEPS_BYTES = [FIRST_HOLD_BYTES, 2 * 1024 * 1024];
const FIRST_BUFFER_BYTES = 64 * 1024;

/** Grows to `capacityBytes` as bytes come, twice as large each time, from the buffer that is given. */
export function createGathering({ capacityBytes, expectedBytes, spare = new Uint8Array() }: GatheringOptions): Gathering {
  let buffer = spare;
  let filledBytes = 0;

  function roomFor(count: number): number {
    const neededBytes = Math.min(capacityBytes, filledBytes + count);
    const stepBytes = STEPS_BYTES.find((step) => step >= neededBytes) ?? capacityBytes;
    const mostBytes = expectedBytes === undefined ? capacityBytes : Math.min(capacityBytes, Math.max(expectedBytes, neededBytes));
    return Math.max(buffer.length, Math.min(stepBytes, mostBytes));
  }

  return {
    roomFor,
    add(chunk) {
      const count = Math.min(chunk.length, capacityBytes - filledBytes);
      if (filledBytes + count > buffer.length) {
        const grown = new Uint8Array(Math.min(roomFor(count), Math.max(FIRST_BUFFER_BYTES, 2 * buffer.length, filledBytes + count)));
        grown.set(buffer.subarray(0, filledBytes));
        freeChunk(buffer);
        buffer = grown;
      }
      buffer.set(chunk.subarray(0, count), filledBytes);
      filledBytes += count;
      return chunk.subarray(count);
    },
    isFull: () => filledBytes === capacityBytes,
    bytes: () => buffer.subarray(0, filledBytes),
    moveTo(other) {
      const [larger, smaller] = other.length > buffer.length ? [other, buffer] : [buffer, other];
      if (larger === other) larger.set(buffer.subarray(0, filledBytes));
      freeChunk(smaller);
      buffer = larger;
    },
    free() {
      freeChunk(buffer);
      buffer = new Uint8Array();
      filledBytes = 0;
    },
  };
}
