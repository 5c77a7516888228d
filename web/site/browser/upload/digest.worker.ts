/** Computes SHA-256 digests off the main thread. `crypto.subtle` needs HTTPS; without it, a bundled implementation is used. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { Semaphore } from "../../../../src/transfer/semaphore.ts";

const CHUNK_BYTES = 1024 ** 2;
/** The number of simultaneous blobs: one is read while others are hashed. Each occupies its size in memory. */
const slots = new Semaphore(3);

/** Responds with one digest for each blob; null for a blob that cannot be read. */
addEventListener("message", async ({ data: { id, blobs } }: MessageEvent<{ id: number; blobs: readonly Blob[] }>) => {
  postMessage({ id, digests: await Promise.all(blobs.map(findDigest)) });
});

async function findDigest(blob: Blob): Promise<string | null> {
  await slots.acquire();
  return await digestOf(blob)
    .catch(() => null)
    .finally(() => slots.release());
}

async function digestOf(blob: Blob): Promise<string> {
  if (globalThis.crypto?.subtle) return bytesToHex(new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer())));
  const hash = sha256.create();
  for (let from = 0; from < blob.size; from += CHUNK_BYTES) {
    hash.update(new Uint8Array(await blob.slice(from, from + CHUNK_BYTES).arrayBuffer()));
  }
  return bytesToHex(hash.digest());
}
