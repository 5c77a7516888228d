import { freeChunk } from "../../lib/system/chunk-memory.ts";

/** Buffers the bytes of one part in memory. */
export interface GrowableBuffer {
  /** Copies as much as fits and returns the rest. */
  add(chunk: Uint8Array): Uint8Array;
  isFull(): boolean;
  /** Returns the size that the buffer may need for `count` more bytes. */
  roomFor(count: number): number;
  bytes(): Uint8Array<ArrayBuffer>;
  /** Continues in `other` if it is larger, and frees the smaller buffer. */
  moveTo(other: Uint8Array<ArrayBuffer>): void;
  free(): void;
}

export interface GrowableBufferOptions {
  readonly capacityBytes: number;
  /** The expected size in bytes; undefined if unknown. */
  readonly expectedBytes: number | undefined;
  /** A buffer to reuse. */
  readonly spare?: Uint8Array<ArrayBuffer>;
}

/** The memory of a body's first bytes, which is enough to stream a part: two buffers of a `BackpressureStream`. */
export const FIRST_MEMORY_BYTES = 512 * 1024;
/** The steps by which memory grows. They are few, so that bodies that wait for the next step do not occupy most of it together. */
const STEPS_BYTES = [FIRST_MEMORY_BYTES, 2 * 1024 * 1024];
const FIRST_BUFFER_BYTES = 64 * 1024;

/** Creates a buffer that starts with `spare` and doubles up to `capacityBytes`. */
export function createGrowableBuffer({ capacityBytes, expectedBytes, spare = new Uint8Array() }: GrowableBufferOptions): GrowableBuffer {
  let buffer = spare;
  let filledBytes = 0;

  function roomFor(count: number): number {
    const neededBytes = Math.min(capacityBytes, filledBytes + count);
    const stepBytes = STEPS_BYTES.find((step) => step >= neededBytes) ?? capacityBytes;
    const maxBytes = expectedBytes === undefined ? capacityBytes : Math.min(capacityBytes, Math.max(expectedBytes, neededBytes));
    return Math.max(buffer.length, Math.min(stepBytes, maxBytes));
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
