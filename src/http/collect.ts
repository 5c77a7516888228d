/** Up to here an answer that is streamed otherwise is put together first, so that it goes with its length: not every runtime sends a stream's. */
export const COLLECT_BYTES = 4 * 1024 ** 2;

/** All chunks in one. Throws where they do not come to `sizeBytes`. */
export async function collect(chunks: AsyncIterable<Uint8Array>, sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  let filled = 0;
  for await (const chunk of chunks) {
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled !== sizeBytes) throw new Error(`An answer of ${sizeBytes} bytes ends at byte ${filled}.`);
  return bytes;
}
