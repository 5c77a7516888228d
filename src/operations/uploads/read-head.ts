import type { BlobStore } from "../../blobs/store.ts";

/** The first bytes of a blob, at most `bytes`. */
export async function readHead(blobs: BlobStore, key: string, bytes: number): Promise<Uint8Array> {
  const head = new Uint8Array(bytes);
  let length = 0;
  for await (const chunk of blobs.read(key, { range: { start: 0, end: bytes } })) {
    head.set(chunk.subarray(0, bytes - length), length);
    length = Math.min(bytes, length + chunk.length);
  }
  return head.subarray(0, length);
}
