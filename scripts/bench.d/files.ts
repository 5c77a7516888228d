import { createHash, randomFillSync } from "node:crypto";
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bench } from "./bench.ts";

export interface PartFile {
  readonly number: number;
  readonly path: string;
  readonly sha256: string;
}

/** Makes random bytes, which cannot be compressed. */
export function randomBytes(sizeBytes: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(sizeBytes);
  for (let from = 0; from < sizeBytes; from += 65536) randomFillSync(bytes, from, Math.min(65536, sizeBytes - from));
  return bytes;
}

/** Writes a file of random bytes at `path`, and flushes it, so that no later write disturbs a reading. */
export async function writeRandomFile(path: string, sizeBytes: number): Promise<void> {
  const file = await open(path, "w");
  try {
    const step = 16 * 1024 * 1024;
    for (let left = sizeBytes; left > 0; left -= step) await file.write(randomBytes(Math.min(step, left)));
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Writes files of `partBytes` with a total of `totalBytes`, and returns them with their digests. */
export async function writePartFiles(bench: Bench, totalBytes: number, partBytes: number): Promise<PartFile[]> {
  const parts: PartFile[] = [];
  for (let number = 1; number <= totalBytes / partBytes; number++) {
    const path = join(bench.dir, `part-${number}`);
    const bytes = randomBytes(partBytes);
    await writeFile(path, bytes, { flush: true });
    parts.push({ number, path, sha256: createHash("sha256").update(bytes).digest("hex") });
  }
  return parts;
}
