/** Maximum size of a chunk in which stored bytes are read. */
export const CHUNK_BYTES = 256 * 1024;

/**
 * Memory that one response reuses for a chunk being sent and a chunk being read. New memory for each chunk would be cleared page by page, and remain
 * until it is garbage-collected.
 */
export type ChunkMemory = readonly [Buffer, Buffer];

export const createChunkMemory = (): ChunkMemory => [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];

/**
 * Frees the memory of an unused chunk if it is an entire buffer. Garbage collection would come hundreds of megabytes later on a fast
 * transfer.
 */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
