/** The bytes that are collected before the browser gets them, which keeps large blobs outside the page. */
const GATHERED_BYTES = 8 * 1024 ** 2;

/** Reads a stream into a blob. `onDone` receives the number of bytes that were read. */
export async function gather(stream: ReadableStream<Uint8Array>, onDone: (bytes: number) => void, type = ""): Promise<Blob> {
  const blobs: Blob[] = [];
  let [chunks, bytes, done]: [BlobPart[], number, number] = [[], 0, 0];
  const reader = (stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value);
    bytes += next.value.length;
    done += next.value.length;
    onDone(done);
    if (bytes < GATHERED_BYTES) continue;
    blobs.push(new Blob(chunks));
    [chunks, bytes] = [[], 0];
  }
  return new Blob([...blobs, ...chunks], { type });
}
