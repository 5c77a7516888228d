/** The largest chunk of stored bytes that is handed on at once, in bytes. */
export const CHUNK_BYTES = 256 * 1024;

/**
 * Memory that one answer uses again and again: a chunk that its reader has, and one that is being read ahead. Fresh memory for each would
 * stay until the collector comes, and be cleared page by page.
 */
export type ChunkMemory = readonly [Buffer, Buffer];

export const createChunkMemory = (): ChunkMemory => [Buffer.allocUnsafeSlow(CHUNK_BYTES), Buffer.allocUnsafeSlow(CHUNK_BYTES)];

/** Frees the memory of a chunk that nobody reads any more, where that is all of a buffer, rather than when the collector comes by: on a fast transfer, that is hundreds of megabytes later. */
export function freeChunk({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) buffer.transfer(0);
}
